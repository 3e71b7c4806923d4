//===- AddTowerReductions.cpp - kernels of sums over towers ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree over towers [lo, hi) is that of [lo, lo + 2^k) and that of what is
// left, 2^k the largest power of two below hi - lo. So towers can be taken in
// order: tower i completes a tree of 2^l towers for each of its lowest l bits
// that are set, and the trees that are left at the end, one for each bit of
// the number of towers, are combined from the smallest on.
//
//===----------------------------------------------------------------------===//

#include "passes/Passes.h"
#include "passes/cuda/KernelAttrs.h"
#include "passes/lowering/PhaseAttrs.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

namespace belfry {
#define GEN_PASS_DEF_ADDTOWERREDUCTIONS
#include "passes/Passes.h.inc"
} // namespace belfry

using namespace mlir;
using namespace belfry;

namespace {

/// Trees of at most 2^16 towers.
constexpr int64_t kLevels = 17;
/// Numbers of towers that have code of their own.
constexpr int64_t kUnrolled[] = {1, 2, 4, 8};

/// The body of one kernel.
class TowerReduction {
public:
  TowerReduction(OpBuilder &b, gpu::GPUFuncOp kernel, StringRef kind,
                 Type element, bool isTruth)
      : b(b), loc(kernel.getLoc()), kernel(kernel), kind(kind),
        element(element),
        combined(element.isF16() || element.isBF16() ? b.getF32Type()
                                                     : element),
        isTruth(isTruth) {}
  void build();

private:
  Value load(Value tower);
  Value combine(Value left, Value right);
  Value unrolled(int64_t lo, int64_t hi);
  Value inOrder();
  Value sum(ArrayRef<int64_t> counts);
  Value pointerAt(Value list, Value number);

  Value word(int64_t n) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(n));
  }
  Value bitOf(Value number, int64_t bit) {
    Value shifted = arith::ShRUIOp::create(b, loc, number, word(bit));
    return arith::TruncIOp::create(b, loc, b.getI1Type(), shifted);
  }

  OpBuilder &b;
  Location loc;
  gpu::GPUFuncOp kernel;
  StringRef kind;
  Type element;
  Type combined; ///< of elements of 16 bits f32, rounded once at the end
  bool isTruth;  ///< a byte that is 0 or 1
  Value from, towers, at; ///< towers and the element's number as i64
};

struct AddTowerReductionsPass
    : belfry::impl::AddTowerReductionsBase<AddTowerReductionsPass> {
  void runOnOperation() override;
};

} // namespace

/// The list's pointer number `number`.
Value TowerReduction::pointerAt(Value list, Value number) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value place = LLVM::GEPOp::create(b, loc, pointer, pointer, list,
                                    ArrayRef<LLVM::GEPArg>{number});
  return LLVM::LoadOp::create(b, loc, pointer, place);
}

Value TowerReduction::load(Value tower) {
  Value array = pointerAt(from, tower);
  Value place = LLVM::GEPOp::create(b, loc, array.getType(), element, array,
                                    ArrayRef<LLVM::GEPArg>{at});
  Value loaded = LLVM::LoadOp::create(b, loc, element, place);
  return combined == element
             ? loaded
             : arith::ExtFOp::create(b, loc, combined, loaded).getResult();
}

/// As TreeReduce.cpp of the runtime has it, to the bit: NaN passes through, and
/// of zeros the right one is taken.
Value TowerReduction::combine(Value left, Value right) {
  bool isFloat = isa<FloatType>(combined);
  if (kind == "sum")
    return isFloat ? arith::AddFOp::create(b, loc, left, right).getResult()
                   : arith::AddIOp::create(b, loc, left, right).getResult();
  Value better;
  if (isFloat) {
    auto order =
        kind == "max" ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    better = arith::CmpFOp::create(b, loc, order, left, right);
    Value nan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, left, left);
    better = arith::OrIOp::create(b, loc, better, nan);
  } else {
    arith::CmpIPredicate order =
        kind == "max"
            ? isTruth ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt
        : isTruth ? arith::CmpIPredicate::ult
                  : arith::CmpIPredicate::slt;
    better = arith::CmpIOp::create(b, loc, order, left, right);
  }
  return arith::SelectOp::create(b, loc, better, left, right);
}

/// The tree over towers [lo, hi), a power of two of them.
Value TowerReduction::unrolled(int64_t lo, int64_t hi) {
  if (hi - lo == 1)
    return load(word(lo));
  int64_t mid = (lo + hi) / 2;
  Value left = unrolled(lo, mid);
  return combine(left, unrolled(mid, hi));
}

/// Of any number of towers.
Value TowerReduction::inOrder() {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(combined));
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  SmallVector<Value> trees(kLevels, zero);
  auto loop = scf::ForOp::create(b, loc, word(0), towers, word(1), trees);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value tower = loop.getInductionVar(), tree = load(tower), carry = yes;
    for (int64_t level = 0; level < kLevels; ++level) {
      Value own = loop.getRegionIterArgs()[level];
      Value merge = arith::AndIOp::create(b, loc, carry, bitOf(tower, level));
      Value stay = arith::XOrIOp::create(b, loc, carry, merge);
      trees[level] = arith::SelectOp::create(b, loc, stay, tree, own);
      tree = arith::SelectOp::create(b, loc, merge, combine(own, tree), tree);
      carry = merge;
    }
    scf::YieldOp::create(b, loc, trees);
  }
  Value all = zero;
  Value some = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  for (int64_t level = 0; level < kLevels; ++level) {
    Value own = loop.getResult(level), there = bitOf(towers, level);
    Value both = arith::SelectOp::create(b, loc, some, combine(own, all), own);
    all = arith::SelectOp::create(b, loc, there, both, all);
    some = arith::OrIOp::create(b, loc, some, there);
  }
  return all;
}

Value TowerReduction::sum(ArrayRef<int64_t> counts) {
  if (counts.empty())
    return inOrder();
  Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, towers,
                                   word(counts.front()));
  auto choice =
      scf::IfOp::create(b, loc, combined, is, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(b, loc, unrolled(0, counts.front()));
  b.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(b, loc, sum(counts.drop_front()));
  return choice.getResult(0);
}

void TowerReduction::build() {
  Type i64 = b.getI64Type();
  auto argument = [&](unsigned i) -> Value { return kernel.getArgument(i); };
  auto asWord = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, loc, i64, index);
  };
  from = argument(0);
  towers = asWord(argument(1));
  Value to = argument(2), targets = asWord(argument(3)),
        first = asWord(argument(4)), count = asWord(argument(5));
  Value block = asWord(gpu::BlockIdOp::create(b, loc, gpu::Dimension::x)),
        thread = asWord(gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x));
  Value own = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, block, word(kBlockThreads)),
      thread);
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, own, count);
  auto guarded = scf::IfOp::create(b, loc, inside);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  at = arith::AddIOp::create(b, loc, first, own);
  Value result = sum(kUnrolled);
  if (combined != element)
    result = arith::TruncFOp::create(b, loc, element, result);
  auto loop = scf::ForOp::create(b, loc, word(0), targets, word(1));
  b.setInsertionPointToStart(loop.getBody());
  Value array = pointerAt(to, loop.getInductionVar());
  Value place = LLVM::GEPOp::create(b, loc, array.getType(), element, array,
                                    ArrayRef<LLVM::GEPArg>{at});
  LLVM::StoreOp::create(b, loc, result, place);
}

void AddTowerReductionsPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (!module->hasAttr(kFunctionsAttr))
    return;
  if (failed(verifyPhaseTable(module)))
    return signalPassFailure();
  auto modules = module.getOps<gpu::GPUModuleOp>();
  if (modules.empty())
    return;
  std::set<std::pair<std::string, std::string>> wanted;
  for (NamedAttribute entry :
       module->getAttrOfType<DictionaryAttr>(kFunctionsAttr))
    for (auto item : cast<DictionaryAttr>(entry.getValue())
                         .getAs<ArrayAttr>("schedule")
                         .getAsRange<DictionaryAttr>()) {
      auto kind = item.getAs<StringAttr>("all_reduce");
      auto dtype = item.getAs<StringAttr>("dtype");
      if (kind && dtype)
        wanted.emplace(kind.str(), dtype.str());
    }
  OpBuilder b = OpBuilder::atBlockEnd((*modules.begin()).getBody());
  Location loc = UnknownLoc::get(&getContext());
  for (const auto &[kind, dtype] : wanted) {
    Type element = parseType(dtype, &getContext());
    if (!element || !element.isIntOrFloat()) {
      module.emitError("'") << kFunctionsAttr << "' sums arrays of '" << dtype
                            << "', which is no type of numbers";
      return signalPassFailure();
    }
    // In memory a truth value is a byte.
    bool isTruth = element.isInteger(1);
    if (isTruth)
      element = b.getI8Type();
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type index = b.getIndexType();
    OpBuilder::InsertionGuard guard(b);
    auto kernel = gpu::GPUFuncOp::create(
        b, loc, "towers_" + kind + "_" + dtype,
        b.getFunctionType({pointer, index, pointer, index, index, index}, {}));
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    kernel.setKnownBlockSizeAttr(
        b.getDenseI32ArrayAttr({int32_t(kBlockThreads), 1, 1}));
    b.setInsertionPointToStart(&kernel.getBody().front());
    TowerReduction(b, kernel, kind, element, isTruth).build();
    b.setInsertionPointToEnd(&kernel.getBody().front());
    gpu::ReturnOp::create(b, loc);
  }
}
