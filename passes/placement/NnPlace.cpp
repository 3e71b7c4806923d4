//===- NnPlace.cpp - devices and kernels for every op ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Look up the kernel of each core op and collective of the functions, the
//      bodies of scans included, for the kind of device that was asked for.
//   2. Annotate the op with it; collect the ops that have none.
//   3. Report these all, one error a layer and kind of op.
//
// On GPUs a kernel is a family of the registry (passes/cuda/KernelRegistry.h),
// and Coverage.cpp collects and reports.
//
// The host's kernels are those that --lower-nn-to-linalg and the passes behind
// it make: ops on elements that use each other become one loop, views cost
// nothing, products are calls of the runtime's library.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"

#include "dialects/tower/Collectives.h"
#include "passes/cuda/Coverage.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace belfry {
#define GEN_PASS_DEF_NNPLACE
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

namespace {

/// A kernel's name, empty where there is none, and why it is the one.
struct Kernel {
  std::string name;
  StringRef reason;
};

} // namespace

static std::string withType(StringRef name, Value value) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  std::string text;
  llvm::raw_string_ostream(text) << name << '_' << element;
  return text;
}

static Kernel hostKernel(Operation *op) {
  return llvm::TypeSwitch<Operation *, Kernel>(op)
      .Case<UnaryOp, BinaryOp, CompareOp, SelectOp, ConvertOp, IotaOp>(
          [](Operation *) -> Kernel {
            return {"elementwise",
                    "generated, one loop with the elementwise ops around it"};
          })
      .Case([](RandomOp) -> Kernel {
        return {"philox", "generated, Philox 4x32-10 by blocks of four"};
      })
      .Case<BroadcastOp, TransposeOp, ReshapeOp, SliceOp, ReverseOp>(
          [](Operation *) -> Kernel {
            return {"view", "read in place by what uses it, or copied"};
          })
      .Case<PadOp, ConcatOp, PackStepsOp, UnpackStepsOp>(
          [](Operation *) -> Kernel {
            return {"copy", "generated, written to its place in the result"};
          })
      .Case([](ConstantOp) -> Kernel {
        return {"constant", "part of the program"};
      })
      .Case([](DimSizeOp) -> Kernel {
        return {"scalar", "known when a phase starts"};
      })
      .Case<ReduceOp, ArgMaxOp>([](Operation *) -> Kernel {
        return {"reduction", "generated, in an order that shapes alone fix"};
      })
      .Case([](DotOp dot) -> Kernel {
        Type element = dot.getType().getElementType();
        if (!isa<FloatType>(element) && !element.isInteger(32))
          return {"product", "generated, a sum of products an element"};
        return {withType("gemm", dot.getResult()),
                "matrix product, the runtime's library"};
      })
      .Case<Conv2DOp, Conv2DInputGradOp, Conv2DKernelGradOp>(
          [](Operation *conv) -> Kernel {
            return {withType("gemm", conv->getResult(0)),
                    "convolution as products, one for each row of the result"};
          })
      .Case([](GatherOp) -> Kernel {
        return {"gather", "generated, one row an id"};
      })
      .Case([](ScatterAddOp) -> Kernel {
        return {"scatter_add", "generated, in the order of the ids"};
      })
      .Case([](ScanOp) -> Kernel {
        return {"loop", "generated, one round a step of its body's kernels"};
      })
      .Case([](tower::AllReduceOp) -> Kernel {
        return {"tree_all_reduce",
                "the runtime, in shared memory, in the order "
                "of the tree over towers"};
      })
      .Case([](tower::AllGatherOp) -> Kernel {
        return {"all_gather",
                "rows of all towers in one array in shared memory"};
      })
      .Default([](Operation *) -> Kernel { return {}; });
}

/// Whether the op only moves elements, which is done where they are read.
static bool isView(Operation *op) {
  return isa<BroadcastOp, TransposeOp, ReshapeOp, SliceOp, ReverseOp>(op);
}

/// Of an op that verifyCoverage() found covered.
static Kernel gpuKernel(Operation *op, const KernelRegistry &registry) {
  if (isView(op) || tower::isCollective(op) ||
      needsNoKernel(op->getName().getStringRef()))
    return hostKernel(op);
  for (const KernelFamily *family : registry.familiesOf(op))
    if (registry.has(*family))
      return {family->name.str(), family->summary};
  return {};
}

namespace {

struct NnPlace : belfry::impl::NnPlaceBase<NnPlace> {
  using NnPlaceBase::NnPlaceBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    bool onGpu = device.getValue() == tower::DeviceKind::Gpu;
    KernelRegistry registry;
    if (llvm::Error error = registry.remove(disable)) {
      getOperation().emitError("'disable': ")
          << llvm::toString(std::move(error));
      return signalPassFailure();
    }
    if (onGpu && failed(verifyCoverage(getOperation(), registry)))
      return signalPassFailure();
    struct Missing {
      Operation *first;
      unsigned count;
    };
    llvm::MapVector<std::pair<StringRef, OperationName>, Missing> missing;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      function.walk([&](Operation *op) {
        if (!op->hasTrait<CoreOp>() && !tower::isCollective(op))
          return;
        Kernel kernel = onGpu ? gpuKernel(op, registry) : hostKernel(op);
        if (kernel.name.empty()) {
          ++numWithout;
          ++missing.insert({{layerOf(op), op->getName()}, {op, 0}})
                .first->second.count;
          return;
        }
        ++numPlaced;
        op->setAttr(kPlacementAttr,
                    tower::PlacementAttr::get(context, device, device,
                                              kernel.name, kernel.reason));
      });
    }
    for (auto &[key, ops] : missing) {
      InFlightDiagnostic error = ops.first->emitError("no kernel on '")
                                 << tower::stringifyDeviceKind(device)
                                 << "' for '" << key.second.getStringRef()
                                 << "'";
      if (!key.first.empty())
        error << " of layer '" << key.first << "'";
      if (ops.first->getNumResults())
        error << ", " << ops.first->getResult(0).getType();
      if (ops.count > 1)
        error << " (" << ops.count << " of them)";
    }
    if (!missing.empty())
      signalPassFailure();
  }
};

} // namespace
