//===- Manifest.cpp - the manifest of a program ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/Manifest.h"

#include "belfry/Runtime.h"
#include "dialects/nn/Limits.h"
#include "lib/support/Error.h"
#include "passes/Stage.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace belfry;

namespace {

/// Writes a manifest. What is wrong is kept until the end.
class Writer {
public:
  Writer(DictionaryAttr program, DictionaryAttr functions,
         llvm::raw_ostream &os)
      : program(program), functions(functions), json(os) {}

  llvm::Error write(const ManifestOptions &options);

private:
  void fail(const Twine &message) {
    if (problem.empty())
      problem = message.str();
  }
  void value(Attribute attr);
  void member(StringRef key, Attribute attr);
  void optimizer(DictionaryAttr attr);
  void limits(DictionaryAttr optimizer);
  void function(DictionaryAttr attr);
  void buffer(DictionaryAttr attr);
  std::optional<int64_t> indexOf(StringRef kind, StringRef name, int64_t index);

  DictionaryAttr program, functions;
  llvm::json::OStream json;
  std::string problem;
};

} // namespace

/// In shapes a negative extent stands for the batch, which JSON has as null.
static bool isShape(StringRef key) {
  return key == "shape" || key == "output_shape";
}

void Writer::value(Attribute attr) {
  llvm::TypeSwitch<Attribute>(attr)
      .Case([&](StringAttr a) { json.value(a.getValue()); })
      .Case([&](BoolAttr a) { json.value(a.getValue()); })
      .Case([&](IntegerAttr a) { json.value(a.getValue().getSExtValue()); })
      .Case([&](FloatAttr a) {
        if (!std::isfinite(a.getValueAsDouble()))
          fail("a number that is not finite");
        json.value(a.getValueAsDouble());
      })
      .Case([&](UnitAttr) { json.value(true); })
      .Case([&](DenseI64ArrayAttr a) {
        json.array([&] {
          for (int64_t element : a.asArrayRef())
            json.value(element);
        });
      })
      .Case([&](ArrayAttr a) {
        json.array([&] {
          for (Attribute element : a)
            value(element);
        });
      })
      .Case([&](DictionaryAttr a) {
        json.object([&] {
          for (NamedAttribute entry : a)
            member(entry.getName(), entry.getValue());
        });
      })
      .Default([&](Attribute a) {
        std::string text;
        llvm::raw_string_ostream(text) << a;
        fail("cannot write the attribute " + text);
        json.value(nullptr);
      });
}

void Writer::member(StringRef key, Attribute attr) {
  json.attributeBegin(key);
  if (auto shape = dyn_cast<DenseI64ArrayAttr>(attr); shape && isShape(key))
    json.array([&] {
      for (int64_t extent : shape.asArrayRef())
        extent < 0 ? json.value(nullptr) : json.value(extent);
    });
  else
    value(attr);
  json.attributeEnd();
}

/// What `fit --set` may make of the hyperparameters, those with limits.
void Writer::limits(DictionaryAttr optimizer) {
  auto kind = optimizer.getAs<StringAttr>("name");
  auto hypers = optimizer.getAs<ArrayAttr>("hypers");
  if (!kind || !hypers)
    return;
  json.attributeObject("limits", [&] {
    for (auto hyper : hypers.getAsRange<DictionaryAttr>()) {
      auto name = hyper.getAs<StringAttr>("name");
      std::optional<NumberRange> range;
      if (name)
        range = nn::rangeOf(kind, name);
      if (!range)
        continue;
      json.attributeObject(name, [&] {
        for (auto [key, end] :
             {std::pair("least", range->least),
              std::pair("above", range->above), std::pair("most", range->most),
              std::pair("below", range->below)})
          if (end)
            json.attribute(key, *end);
      });
    }
  });
}

/// Hyperparameters are an object whose order counts.
void Writer::optimizer(DictionaryAttr attr) {
  json.attributeObject("optimizer", [&] {
    for (NamedAttribute entry : attr) {
      if (entry.getName() != "hypers") {
        member(entry.getName(), entry.getValue());
        continue;
      }
      json.attributeObject("hypers", [&] {
        auto hypers = dyn_cast<ArrayAttr>(entry.getValue());
        if (!hypers)
          return fail("hyperparameters that are no array");
        for (Attribute hyper : hypers) {
          auto fields = dyn_cast<DictionaryAttr>(hyper);
          auto name = fields ? fields.getAs<StringAttr>("name") : StringAttr();
          if (!name || !fields.get("value"))
            return fail("a hyperparameter without name or value");
          member(name, fields.get("value"));
        }
      });
    }
    limits(attr);
  });
}

/// The index of a name in the manifest's list for a kind of buffer. Kinds
/// without a list keep the index that they have.
std::optional<int64_t> Writer::indexOf(StringRef kind, StringRef name,
                                       int64_t index) {
  StringRef key = llvm::StringSwitch<StringRef>(kind)
                      .Case("input", "inputs")
                      .Case("output", "outputs")
                      .Case("target", "targets")
                      .Case("sample_weight", "sample_weights")
                      .Cases({"parameter", "gradient"}, "parameters")
                      .Case("loss", "losses")
                      .Cases({"metric_total", "metric_count"}, "metrics")
                      .Default("");
  if (key.empty())
    return index;
  auto list = program.getAs<ArrayAttr>(key);
  if (!list)
    return std::nullopt;
  auto isNamed = [&](Attribute entry) {
    if (auto fields = dyn_cast<DictionaryAttr>(entry))
      entry = fields.get("name");
    auto text = dyn_cast_or_null<StringAttr>(entry);
    return text && text.getValue() == name;
  };
  // Where names are not unique, the order decides.
  if (index >= 0 && index < int64_t(list.size()) && isNamed(list[index]))
    return index;
  const auto *found = llvm::find_if(list, isNamed);
  if (found == list.end())
    return std::nullopt;
  return found - list.begin();
}

void Writer::buffer(DictionaryAttr attr) {
  auto kind = attr.getAs<StringAttr>("kind");
  if (!kind)
    return fail("a buffer without a kind");
  auto name = attr.getAs<StringAttr>("name");
  auto index = attr.getAs<IntegerAttr>("index");
  std::optional<int64_t> resolved;
  if (index || name) {
    resolved = indexOf(kind, name ? name.getValue() : StringRef(),
                       index ? index.getInt() : -1);
    if (!resolved || *resolved < 0)
      return fail("the program has no " + kind.getValue() + " '" +
                  (name ? name.getValue() : StringRef()) + "'");
  }
  json.object([&] {
    for (NamedAttribute entry : attr)
      if (entry.getName() != "index" && entry.getName() != "name")
        member(entry.getName(), entry.getValue());
    if (resolved)
      json.attribute("index", *resolved);
  });
}

void Writer::function(DictionaryAttr attr) {
  auto buffers = attr.getAs<ArrayAttr>("buffers");
  Attribute schedule = attr.get("schedule");
  if (!buffers || !schedule)
    return fail("a function without buffers or schedule");
  json.object([&] {
    json.attributeArray("buffers", [&] {
      for (Attribute entry : buffers) {
        auto fields = dyn_cast<DictionaryAttr>(entry);
        if (!fields)
          return fail("a buffer that is no dictionary");
        buffer(fields);
      }
    });
    member("schedule", schedule);
  });
}

llvm::Error Writer::write(const ManifestOptions &options) {
  json.object([&] {
    json.attribute("abi", int64_t(BELFRY_ABI_VERSION));
    json.attribute("target", options.target);
    json.attribute("mcpu", options.mcpu);
    json.attribute("numerics", options.numerics);
    json.attribute("memory", options.memory);
    if (!options.disabled.empty())
      json.attributeArray("disabled", [&] {
        for (const std::string &name : options.disabled)
          json.value(name);
      });
    for (NamedAttribute entry : program) {
      StringRef key = entry.getName();
      if (key == "towers" && options.towers)
        json.attribute(key, *options.towers);
      else if (key == "slicing" && options.slicing)
        json.attribute(key, *options.slicing);
      else if (key == "optimizer" && isa<DictionaryAttr>(entry.getValue()))
        optimizer(cast<DictionaryAttr>(entry.getValue()));
      else
        member(key, entry.getValue());
    }
    json.attributeObject("functions", [&] {
      for (NamedAttribute entry : functions) {
        auto fields = dyn_cast<DictionaryAttr>(entry.getValue());
        if (!fields)
          return fail("a function that is no dictionary");
        json.attributeBegin(entry.getName());
        function(fields);
        json.attributeEnd();
      }
    });
    if (options.ops)
      member("ops", options.ops);
    if (options.report)
      json.attribute("report", *options.report);
  });
  if (!problem.empty())
    return makeError("manifest: " + problem);
  return llvm::Error::success();
}

llvm::Expected<std::string>
belfry::buildManifest(ModuleOp module, const ManifestOptions &options) {
  auto program = module->getAttrOfType<DictionaryAttr>(kProgramAttr);
  if (!program)
    return makeError("manifest: the module has no '" + kProgramAttr +
                     "'; start from stage '" + stageName(Stage::Parallel) +
                     "' or before");
  auto functions = module->getAttrOfType<DictionaryAttr>("belfry.functions");
  if (!functions)
    return makeError("manifest: the module has no 'belfry.functions'");
  std::string text;
  llvm::raw_string_ostream os(text);
  if (llvm::Error problem = Writer(program, functions, os).write(options))
    return std::move(problem);
  return text;
}
