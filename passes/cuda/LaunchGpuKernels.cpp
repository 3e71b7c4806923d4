//===- LaunchGpuKernels.cpp - launches as calls of the runtime ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is left of a phase of a program for CUDA: arithmetic on extents, and a
// call a launch. docs/gpu-target.md, "Programs for CUDA".
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Nn.h"
#include "passes/Passes.h"
#include "passes/cuda/KernelAttrs.h"
#include "passes/cuda/Mma.h"
#include "passes/host/HostViews.h"
#include "passes/lowering/PhaseAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace belfry {
#define GEN_PASS_DEF_LAUNCHGPUKERNELS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

struct LaunchGpuKernelsPass
    : belfry::impl::LaunchGpuKernelsBase<LaunchGpuKernelsPass> {
  void runOnOperation() override;

  LogicalResult listKernels();
  LogicalResult launch(gpu::LaunchFuncOp launch);
  LogicalResult moveConstants();
  Value contextOf(func::FuncOp phase);
  /// The phase that `op` stands in; null, with an error, where it is none.
  func::FuncOp phaseOf(Operation *op);

  DenseMap<StringAttr, int64_t> numbers; ///< of kernels, by name
  SmallVector<Attribute> kernels, sites;
  DenseMap<func::FuncOp, Value> contexts;
};

} // namespace

func::FuncOp LaunchGpuKernelsPass::phaseOf(Operation *op) {
  auto phase = op->getParentOfType<func::FuncOp>();
  if (phase && phase.getNumArguments() > 0 &&
      isa<LLVM::LLVMPointerType>(phase.getArgumentTypes()[0]))
    return phase;
  op->emitError("stands in a function that is no phase of the runtime's form; "
                "--host-entry-points runs first");
  return {};
}

Value LaunchGpuKernelsPass::contextOf(func::FuncOp phase) {
  Value &context = contexts[phase];
  if (!context)
    context = loadContext(phase);
  return context;
}

/// Bytes of a kernel's parameter; 0 for a type that is none.
static int64_t bytesOf(Type type) {
  if (isa<LLVM::LLVMPointerType, IndexType>(type))
    return 8;
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
    return 0;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// The element types that the kernel multiplies by tensor cores: `bf16,f16`.
static std::string tensorCoreFactors(gpu::GPUFuncOp kernel) {
  llvm::SetVector<StringRef> types;
  kernel.walk([&](NVVM::MmaOp op) {
    types.insert(factorOf(op).isF16() ? "f16" : "bf16");
  });
  SmallVector<StringRef> sorted(types.begin(), types.end());
  llvm::sort(sorted);
  return llvm::join(sorted, ",");
}

LogicalResult LaunchGpuKernelsPass::listKernels() {
  Builder b(&getContext());
  for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
    for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
      if (!kernel.isKernel())
        continue;
      auto threads = kernel.getKnownBlockSize();
      if (!threads)
        return kernel.emitError("has no known block size");
      SmallVector<int64_t> words;
      for (Type type : kernel.getFunctionType().getInputs()) {
        words.push_back(bytesOf(type));
        if (words.back() == 0)
          return kernel.emitError("has an argument of type ")
                 << type << "; --flatten-kernel-arguments runs first";
      }
      numbers[kernel.getNameAttr()] = int64_t(kernels.size());
      SmallVector<NamedAttribute> facts{
          b.getNamedAttr("name", kernel.getNameAttr()),
          b.getNamedAttr("threads", b.getI64IntegerAttr((*threads)[0])),
          b.getNamedAttr("words", b.getDenseI64ArrayAttr(words))};
      if (std::string factors = tensorCoreFactors(kernel); !factors.empty())
        facts.push_back(
            b.getNamedAttr("tensor_cores", b.getStringAttr(factors)));
      kernels.push_back(b.getDictionaryAttr(facts));
    }
  return success();
}

/// The layer of a launch; those of a group, the first of many.
static std::string layersOf(gpu::LaunchFuncOp launch) {
  auto list = launch->getAttrOfType<ArrayAttr>(kLaunchAttr);
  if (!list)
    return nn::layerOf(launch).str();
  llvm::SetVector<StringRef> layers;
  for (auto facts : list.getAsRange<DictionaryAttr>())
    if (auto layer = facts.getAs<StringAttr>("layer");
        layer && !layer.getValue().empty())
      layers.insert(layer.getValue());
  constexpr size_t most = 3;
  std::string text = llvm::join(layers.getArrayRef().take_front(most), ", ");
  return layers.size() > most ? text + ", …" : text;
}

LogicalResult LaunchGpuKernelsPass::launch(gpu::LaunchFuncOp launch) {
  func::FuncOp phase = phaseOf(launch);
  auto number = numbers.find(launch.getKernelName());
  if (!phase)
    return failure();
  if (number == numbers.end())
    return launch.emitError("launches a kernel that is not there");
  Builder attrs(&getContext());
  SmallVector<NamedAttribute> facts{
      attrs.getNamedAttr("kernel", attrs.getI64IntegerAttr(number->second)),
      attrs.getNamedAttr("layer", attrs.getStringAttr(layersOf(launch))),
      attrs.getNamedAttr("phase", attrs.getStringAttr(phase.getName()))};
  if (Attribute function = phase->getAttr(kFunctionAttr))
    facts.push_back(attrs.getNamedAttr("function", function));
  if (Attribute own = launch->getAttr(kLaunchAttr))
    facts.push_back(attrs.getNamedAttr("op", own));
  auto site = int32_t(sites.size());
  sites.push_back(attrs.getDictionaryAttr(facts));

  Value context = contextOf(phase);
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  OpBuilder entry = OpBuilder::atBlockBegin(&phase.getBody().front());
  Value count =
      arith::ConstantOp::create(entry, loc,
                                entry.getI64IntegerAttr(std::max<int64_t>(
                                    1, launch.getNumKernelOperands())));
  Value words = LLVM::AllocaOp::create(entry, loc, pointer, i64, count);
  for (auto [i, operand] : llvm::enumerate(launch.getKernelOperands()))
    storeWord(b, loc, operand, words, static_cast<int64_t>(i));
  Value blocks = arith::IndexCastOp::create(b, loc, i64, launch.getGridSizeX());
  Value which = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(site));
  func::FuncOp enqueue = declareFunction(getOperation(), "belfry_launch",
                                         {pointer, i32, i64, pointer});
  func::CallOp::create(b, loc, enqueue,
                       ValueRange{context, which, blocks, words});
  launch.erase();
  return success();
}

/// Constants of phases go into one block, in the memory of each device.
LogicalResult LaunchGpuKernelsPass::moveConstants() {
  ModuleOp module = getOperation();
  SmallVector<int8_t> bytes;
  SmallVector<LLVM::GlobalOp> globals(module.getOps<LLVM::GlobalOp>());
  DenseMap<StringAttr, int64_t> offsets;
  for (LLVM::GlobalOp global : globals) {
    auto elements =
        dyn_cast_or_null<DenseElementsAttr>(global.getValueOrNull());
    if (!elements || !elements.getElementType().isIntOrFloat() ||
        elements.getElementType().getIntOrFloatBitWidth() % 8 != 0)
      return global.emitError("is no array of numbers that a device could "
                              "hold");
    bytes.resize(llvm::alignTo(bytes.size(), kConstantAlignment));
    offsets[global.getSymNameAttr()] = int64_t(bytes.size());
    ArrayRef<char> raw = elements.getRawData();
    int64_t times = elements.isSplat() ? elements.getNumElements() : 1;
    for (int64_t i = 0; i < times; ++i)
      bytes.append(raw.begin(), raw.end());
  }
  if (bytes.empty())
    return success();
  SmallVector<LLVM::AddressOfOp> addresses;
  module.walk([&](LLVM::AddressOfOp op) { addresses.push_back(op); });
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  func::FuncOp base =
      declareFunction(module, "belfry_device_constants", {pointer}, {pointer});
  for (LLVM::AddressOfOp op : addresses) {
    auto offset = offsets.find(op.getGlobalNameAttr().getAttr());
    func::FuncOp phase = phaseOf(op);
    if (offset == offsets.end() || !phase)
      return op.emitError("is the address of no constant");
    Value context = contextOf(phase);
    OpBuilder b(op);
    Value all =
        func::CallOp::create(b, op.getLoc(), base, context).getResult(0);
    Value at = LLVM::GEPOp::create(
        b, op.getLoc(), pointer, b.getI8Type(), all,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset->second)});
    op.replaceAllUsesWith(at);
    op.erase();
  }
  for (LLVM::GlobalOp global : globals)
    global.erase();
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = RankedTensorType::get({int64_t(bytes.size())}, b.getI8Type());
  LLVM::GlobalOp::create(
      b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, kConstantsName,
      DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)),
      kConstantAlignment);
  return success();
}

void LaunchGpuKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(listKernels()))
    return signalPassFailure();
  // Contexts are loaded at entries, in front of what needs them.
  SmallVector<gpu::LaunchFuncOp> launches;
  module.walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
  if (failed(moveConstants()))
    return signalPassFailure();
  for (gpu::LaunchFuncOp op : launches)
    if (failed(launch(op)))
      return signalPassFailure();
  Builder b(&getContext());
  module->setAttr(kKernelsAttr, b.getArrayAttr(kernels));
  module->setAttr(kSitesAttr, b.getArrayAttr(sites));
}
