//===- GpuCoverageTest.cpp - kernels for all that the dialect has ---------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts coverage from what is registered: every core op of the dialect, with
// every kind and every element type that its verifier allows, forward and
// backward, and every optimizer, has kernels that lower to PTX. Nothing here
// names an op, a kind or a type: an op without a sample (GradientTable.h) fails
// the test, and so does an element type that is new and has no kernel.
//
//===----------------------------------------------------------------------===//

#include "OpVariants.h"

#include "belfry/InitAll.h"
#include "lib/cuda/Ptx.h"
#include "passes/Passes.h"
#include "passes/StagePipeline.h"
#include "passes/cuda/Coverage.h"
#include "passes/cuda/KernelAttrs.h"
#include "passes/training/Optimizers.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <set>

using namespace mlir;
using namespace belfry;
using namespace belfry::test;

namespace {

MLIRContext &context() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerAllDialects(registry);
    auto *c = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    c->loadAllAvailableDialects();
    return c;
  }();
  return *context;
}

/// Diagnostics, while it lives.
class Messages {
public:
  Messages()
      : handler(&context(), [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text += diagnostic.str() + "\n";
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

PipelineOptions forCuda() {
  PipelineOptions options;
  options.target = "cuda";
  return options;
}

/// Makes kernels of a module that is placed, and PTX of them. Gives what went
/// wrong, or nothing; `families` are those of its launches.
std::string makeKernels(ModuleOp module, Messages &messages,
                        std::set<std::string> &families) {
  PassManager pm(&context());
  for (Stage stage : {Stage::Lowered, Stage::Bufferized, Stage::Target})
    buildStage(pm, stage, forCuda());
  if (failed(pm.run(module)))
    return messages.text.empty() ? "a pass failed" : messages.text;
  auto note = [&](DictionaryAttr facts) {
    llvm::SmallVector<StringRef> parts;
    facts.getAs<StringAttr>("parts").getValue().split(parts, ',');
    for (StringRef part : parts)
      families.insert(part.str());
  };
  for (auto site : module->getAttrOfType<ArrayAttr>(kSitesAttr)
                       .getAsRange<DictionaryAttr>()) {
    // One op, or those of a group.
    if (auto group = site.getAs<ArrayAttr>("op"))
      llvm::for_each(group.getAsRange<DictionaryAttr>(), note);
    else
      note(site.getAs<DictionaryAttr>("op"));
  }
  auto kernels = module.getOps<gpu::GPUModuleOp>();
  llvm::Expected<std::string> ptx = emitPtx(*kernels.begin());
  if (!ptx)
    return llvm::toString(ptx.takeError());
  return StringRef(*ptx).contains(".version") ? "" : "no PTX";
}

/// Takes a function of core ops as far as it goes.
std::string compile(ModuleOp module) {
  Messages messages;
  PassManager pm(&context());
  pm.addPass(createMakeParallel());
  pm.addPass(createInsertAllReduce());
  NnPlaceOptions place;
  place.device = tower::DeviceKind::Gpu;
  pm.addPass(createNnPlace(place));
  if (failed(pm.run(module)))
    return messages.text.empty() ? "a pass failed" : messages.text;
  std::set<std::string> families;
  std::string problem = makeKernels(module, messages, families);
  for (const std::string &family : families)
    if (llvm::none_of(kernelFamilies(), [&](const KernelFamily &known) {
          return known.name == family;
        }))
      problem += "a launch is of the family '" + family + "'";
  return problem;
}

struct Count {
  int64_t forward = 0, backward = 0;
};

TEST(GpuCoverage, CoreOps) {
  std::map<std::string, std::vector<Operation *>> samples =
      sampleOps(context());
  std::vector<std::string> ops = coreOps(context());
  ASSERT_FALSE(ops.empty());
  Count all;
  for (const std::string &name : ops) {
    if (StringRef why = whyHostOnly(name); !why.empty()) {
      std::printf("%-24s for the host only: %s\n", name.c_str(),
                  why.str().c_str());
      continue;
    }
    EXPECT_FALSE(samples[name].empty())
        << name << " has no sample in test/unit/interpreter/GradientTable.cpp";
    Count count;
    std::set<std::string> seen, types;
    for (Operation *sample : samples[name])
      for (OpVariant &variant : variantsOf(sample)) {
        std::string text;
        llvm::raw_string_ostream(text) << *variant.module;
        if (!seen.insert(text).second)
          continue;
        types.insert(variant.types);
        OwningOpRef<ModuleOp> gradient = gradientOf(variant);
        ++count.forward;
        std::string problem = compile(*variant.module);
        EXPECT_EQ(problem, "") << variant.name() << ":\n" << text;
        if (!gradient)
          continue;
        ++count.backward;
        text.clear();
        llvm::raw_string_ostream(text) << *gradient;
        problem = compile(*gradient);
        EXPECT_EQ(problem, "") << "gradient of " << variant.name() << ":\n"
                               << text;
      }
    EXPECT_GT(count.forward, 0) << name << " takes no element type";
    std::printf("%-24s %4lld forward, %4lld backward\n", name.c_str(),
                (long long)count.forward, (long long)count.backward);
    all.forward += count.forward;
    all.backward += count.backward;
  }
  std::printf("%zu core ops: %lld forward, %lld backward\n", ops.size(),
              (long long)all.forward, (long long)all.backward);
}

/// A dense layer with an optimizer and its numbers, all of one type.
std::string modelWith(StringRef optimizer, const std::string &numbers,
                      StringRef type) {
  std::string text = R"mlir(
nn.parameter @"d/kernel" : tensor<3x1xf32> {path = "layers/dense/vars/0", layer = "d", trainable = true, stream = 1 : i32, initializer = {name = "glorot_uniform"}}
nn.model @m(%x: tensor<?x3xf32> {nn.name = "x"}) -> (tensor<?x1xf32> {nn.name = "out"}) {
  %k = nn.get_parameter @"d/kernel" : tensor<3x1xf32>
  %y = nn.dense %x, %k : tensor<?x3xf32>, tensor<3x1xf32> -> tensor<?x1xf32>
  nn.return %y : tensor<?x1xf32>
}
nn.compile @m {
  nn.loss "mean_squared_error" of "out" target tensor<?x1xf32> {weight = 1.0}
  nn.metric "mean_absolute_error" of "out" {name = "mae", weighted = false}
  nn.optimizer "OPTIMIZER" {NUMBERS}
}
)mlir";
  auto replace = [&](StringRef from, const std::string &to) {
    for (size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("OPTIMIZER", optimizer.str());
  replace("NUMBERS", numbers);
  replace("xf32>", "x" + type.str() + ">");
  return text;
}

/// The numbers that the optimizer wants, by asking it until it is content.
std::string numbersOf(StringRef optimizer) {
  std::string numbers = "learning_rate = 0.01";
  for (int round = 0; round < 20; ++round) {
    Messages messages;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        modelWith(optimizer, numbers, "f32"), ParserConfig(&context()));
    PassManager pm(&context());
    buildStage(pm, Stage::TrainStep, forCuda());
    if (module && succeeded(pm.run(*module)))
      return numbers;
    auto [before, rest] = StringRef(messages.text).split("a number for '");
    if (rest.empty()) {
      ADD_FAILURE() << messages.text;
      return numbers;
    }
    numbers += ", " + rest.split('\'').first.str() + " = 0.5";
  }
  return numbers;
}

TEST(GpuCoverage, Optimizers) {
  ASSERT_FALSE(knownOptimizers().empty());
  int64_t count = 0;
  for (StringRef optimizer : knownOptimizers()) {
    int64_t types = 0;
    std::string refused, numbers = numbersOf(optimizer);
    for (StringRef type : {"f16", "bf16", "f32", "f64", "f80"}) {
      Messages messages;
      OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
          modelWith(optimizer, numbers, type), ParserConfig(&context()));
      if (!module) {
        refused += messages.text; // a type that no parameter may have
        continue;
      }
      ++types;
      PassManager pm(&context());
      for (Stage stage : {Stage::TrainStep, Stage::Parallel, Stage::Placed})
        buildStage(pm, stage, forCuda());
      std::set<std::string> families;
      std::string problem = failed(pm.run(*module))
                                ? messages.text + "a pass failed"
                                : makeKernels(*module, messages, families);
      EXPECT_EQ(problem, "") << optimizer.str() << ", " << type.str();
    }
    EXPECT_GT(types, 0) << optimizer.str() << ": " << refused;
    count += types;
  }
  std::printf("%zu optimizers, %lld with their types\n",
              knownOptimizers().size(), (long long)count);
}

} // namespace
