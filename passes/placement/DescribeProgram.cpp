//===- DescribeProgram.cpp - what a program takes and gives ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Collect arguments and results of all training functions by role, each
//      name once, in the order of @predict, @evaluate, @train.
//   2. Slots and hyperparameters are those of @train, in its order.
//   3. Add the parameters, the layers and what the module says of itself.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

namespace belfry {
#define GEN_PASS_DEF_DESCRIBEPROGRAM
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

namespace {

/// A dictionary attribute while it is made.
class Fields {
public:
  explicit Fields(MLIRContext *context) : builder(context) {}

  Fields &set(StringRef key, Attribute value) {
    if (value)
      attrs.set(key, value);
    return *this;
  }
  Fields &set(StringRef key, StringRef value) {
    return set(key, builder.getStringAttr(value));
  }
  /// Element type and shape; −1 stands for the batch.
  Fields &setType(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape;
    for (int64_t extent : tensor.getShape())
      shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
    set("dtype", dtypeName(tensor.getElementType()));
    return set("shape", builder.getDenseI64ArrayAttr(shape));
  }
  Attribute get() { return attrs.getDictionary(builder.getContext()); }

private:
  Builder builder;
  NamedAttrList attrs;
};

/// An argument or result of a training function.
struct Port {
  Role role;
  StringAttr name;
  Type type;
  DictionaryAttr attrs;
  bool isArgument;
};

/// A list of the manifest; each name stands in it once.
class List {
public:
  void add(StringAttr name, Attribute entry) {
    if (names.insert(name).second)
      entries.push_back(entry);
  }
  ArrayAttr get(MLIRContext *context) const {
    return ArrayAttr::get(context, entries);
  }

private:
  DenseSet<Attribute> names;
  SmallVector<Attribute> entries;
};

struct DescribeProgram : belfry::impl::DescribeProgramBase<DescribeProgram> {
  using DescribeProgramBase::DescribeProgramBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    List inputs, outputs, targets, weights, losses, metrics;
    SmallVector<Attribute> slots, hypers;
    int64_t towers = 1;
    tower::Slicing slicing = tower::Slicing::Balanced;

    SmallVector<func::FuncOp> functions;
    for (StringRef name : {"predict", "evaluate", "train"})
      if (auto function = module.lookupSymbol<func::FuncOp>(name))
        functions.push_back(function);
    if (functions.empty()) {
      module.emitError("expected a function @predict, @evaluate or @train");
      return signalPassFailure();
    }
    for (func::FuncOp function : functions) {
      function.walk([&](tower::ReplicateOp op) {
        towers = op.getTowers();
        slicing = op.getSlicing();
      });
      for (const Port &port : portsOf(function)) {
        switch (port.role) {
        case Role::Input:
          inputs.add(port.name, tensor(port));
          break;
        case Role::Target:
          targets.add(port.name, tensor(port));
          break;
        case Role::SampleWeight:
          weights.add(port.name, tensor(port));
          break;
        case Role::Output:
          outputs.add(port.name, tensor(port));
          break;
        case Role::Loss:
          losses.add(port.name, port.name);
          break;
        case Role::MetricTotal:
          metrics.add(port.name,
                      Fields(context)
                          .set("name", port.name)
                          .set("weighted", port.attrs.get(kWeightedAttr))
                          .get());
          break;
        case Role::Slot:
          if (port.isArgument)
            slots.push_back(Fields(context)
                                .set("name", port.name)
                                .set("parameter", port.attrs.get(kOfAttr))
                                .set("init", port.attrs.get(kValueAttr))
                                .setType(port.type)
                                .get());
          break;
        case Role::Hyper:
          hypers.push_back(Fields(context)
                               .set("name", port.name)
                               .set("value", port.attrs.get(kValueAttr))
                               .get());
          break;
        default:
          break;
        }
      }
    }

    Builder builder(context);
    Fields program(context);
    if (auto name = module.getSymName())
      program.set("model", *name);
    program.set("keras_version", module->getAttr("nn.keras_version"))
        .set("towers", builder.getI64IntegerAttr(towers))
        .set("slicing", slicingName(slicing))
        .set("inputs", inputs.get(context))
        .set("outputs", outputs.get(context))
        .set("targets", targets.get(context))
        .set("sample_weights", weights.get(context))
        .set("parameters", parameters(module))
        .set("losses", losses.get(context))
        .set("metrics", metrics.get(context))
        .set("layers", module->getAttr("nn.layers"));
    if (Attribute kind = module->getAttr(kOptimizerAttr))
      program.set("optimizer", Fields(context)
                                   .set("name", kind)
                                   .set("hypers", builder.getArrayAttr(hypers))
                                   .set("slots", builder.getArrayAttr(slots))
                                   .get());
    module->setAttr(kProgramAttr, program.get());
  }

  static std::string slicingName(tower::Slicing slicing) {
    std::string name = tower::stringifySlicing(slicing).str();
    llvm::replace(name, '_', '-');
    return name;
  }

  /// Arguments, then results.
  SmallVector<Port> portsOf(func::FuncOp function) {
    SmallVector<Port> ports;
    auto add = [&](DictionaryAttr attrs, Type type, bool isArgument) {
      auto role = attrs ? attrs.getAs<RoleAttr>(kRoleAttr) : RoleAttr();
      if (!role)
        return;
      auto name = attrs.getAs<StringAttr>(kNameAttr);
      if (!name)
        name = StringAttr::get(&getContext(), "");
      ports.push_back({role.getValue(), name, type, attrs, isArgument});
    };
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      add(function.getArgAttrDict(i), function.getArgumentTypes()[i], true);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      add(function.getResultAttrDict(i), function.getResultTypes()[i], false);
    return ports;
  }

  Attribute tensor(const Port &port) {
    return Fields(&getContext())
        .set("name", port.name)
        .setType(port.type)
        .set("limit", port.attrs.get(kLimitAttr))
        .set("ignore", port.attrs.get(kIgnoreAttr))
        .set("layer", port.attrs.get(kLayerAttr))
        .set("loss", port.attrs.get(kLossAttr))
        .get();
  }

  Attribute parameters(ModuleOp module) {
    SmallVector<Attribute> list;
    for (auto op : module.getOps<ParameterOp>())
      list.push_back(Fields(&getContext())
                         .set("name", op.getSymName())
                         .set("path", op.getPathAttr())
                         .setType(op.getType())
                         .set("trainable", op.getTrainableAttr())
                         .set("layer", op.getLayerAttr())
                         .set("initializer", op.getInitializerAttr())
                         .set("stream", op.getStreamAttr())
                         .get());
    return ArrayAttr::get(&getContext(), list);
  }
};

} // namespace
