//===- PackIgnored.cpp - what is read where a mask selects only -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the last masked layer and the loss:
//
//   1. From the front: which values are zero where the mask does not select.
//      The loss of masked steps is, so its gradients are.
//   2. From the back: of which values masked steps are ignored. A sum over all
//      rows and steps ignores them in a value that is zero there, and in what
//      that is multiplied with; so does packing; and an op by rows, of whose
//      result they are ignored.
//   3. Ops by rows of which they are ignored are done on packed operands.
//
// Rows and steps stand in one of three orders: (steps, rows, …), (rows, steps,
// …), or (rows·steps, …), as a layer that knows no steps has them.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/PackIgnored.h"

#include "dialects/nn/DistributionModel.h"
#include "dialects/nn/Nn.h"
#include "dialects/nn/RowMultiple.h"
#include "passes/lowering/FormUnits.h"
#include "passes/lowering/PackPatterns.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace belfry;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

enum class Order { None, ByStep, ByRow, Flat };

class Ignored {
public:
  Ignored(Block &block, Value mask) : block(block), mask(mask) {
    steps = tensorType(mask).getDimSize(0);
    if (auto m = extents.multiple(mask); succeeded(m))
      rows = *m;
  }

  int64_t run();

private:
  Order orderOf(Value value);
  bool isByRow(Operation *op);
  bool isUniform(Value value, Order order);
  bool isZero(Operation *op);
  bool isSum(Operation *op);
  bool ignores(OpOperand &use);
  bool meetsPacked();
  void findZeros();
  void findIgnored();

  Value packedOf(Value value, Order order);
  Value clonePacked(Operation *op);
  Value packedSum(Operation *op);
  RankedTensorType packedType(Value value, Order order);
  Value rowsLike();

  Block &block;
  Value mask;
  int64_t steps = 0, rows = 0;
  RowExtents extents;
  DenseSet<Value> masks;  ///< the mask in any order, for any inner dimensions
  DenseSet<Value> zeros;  ///< zero where the mask does not select
  DenseSet<Value> unread; ///< nobody reads them where it does not select
  /// Packs of the gradient of a loop that holds values; what they are of the
  /// sequence's.
  llvm::MapVector<nn::PackStepsOp, Value> held;
  SmallVector<Operation *> sums; ///< sums over all rows that step 2 begins with
  SmallVector<Operation *> maps; ///< ops to be done on packed rows

  std::optional<OpBuilder> b;
  DenseMap<Value, Value> packed;
  Value like;
};

} // namespace

/// Dimensions for rows and steps.
static int64_t leading(Order order) { return order == Order::Flat ? 1 : 2; }

static SmallVector<int64_t> moved(ArrayRef<int64_t> dims, Order order) {
  SmallVector<int64_t> result;
  for (int64_t d : dims)
    result.push_back(d - leading(order) + 1);
  return result;
}

static bool isInner(ArrayRef<int64_t> dims, Order order) {
  return llvm::all_of(dims, [&](int64_t d) { return d >= leading(order); });
}

/// Whether `dims` are those of rows and steps.
static bool isLeading(ArrayRef<int64_t> dims, Order order) {
  return order == Order::Flat ? dims == ArrayRef<int64_t>{0}
                              : dims == ArrayRef<int64_t>{0, 1};
}

Order Ignored::orderOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.hasStaticShape())
    return Order::None;
  FailureOr<int64_t> m = extents.multiple(value);
  if (failed(m))
    return Order::None;
  auto has = [&](int64_t d, int64_t size) {
    return type.getRank() > 1 && type.getDimSize(d) == size;
  };
  if (*m == rows && has(0, steps) && type.isDynamicDim(1))
    return Order::ByStep;
  if (*m == rows && type.isDynamicDim(0) && has(1, steps))
    return Order::ByRow;
  return *m == rows * steps && type.isDynamicDim(0) ? Order::Flat : Order::None;
}

/// A value that is the same at all rows and steps, and made from none of them.
bool Ignored::isUniform(Value value, Order order) {
  if (auto broadcast = value.getDefiningOp<nn::BroadcastOp>())
    return isInner(broadcast.getDims(), order);
  auto iota = value.getDefiningOp<nn::IotaOp>();
  return iota && static_cast<int64_t>(iota.getDim()) >= leading(order);
}

/// Whether a row and step of the result depends on that of the operands alone;
/// packed, it is the same op.
bool Ignored::isByRow(Operation *op) {
  if (!op || op->getNumResults() != 1)
    return false;
  Value result = op->getResult(0);
  Order order = orderOf(result);
  if (order == Order::None || masks.contains(result) ||
      isUniform(result, order))
    return false;
  auto same = [&](Value operand) { return orderOf(operand) == order; };
  if (isMap(op))
    return llvm::all_of(op->getOperands(), same) && !readsRandom(op);
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](nn::BroadcastOp o) {
        ArrayRef<int64_t> dims = o.getDims();
        int64_t n = leading(order);
        return same(o.getOperand()) && static_cast<int64_t>(dims.size()) >= n &&
               isLeading(dims.take_front(n), order);
      })
      .Case([&](nn::ReduceOp o) {
        return same(o.getOperand()) && isInner(o.getDims(), order);
      })
      .Case([&](nn::ArgMaxOp o) {
        return same(o.getOperand()) &&
               static_cast<int64_t>(o.getDim()) >= leading(order);
      })
      .Case([&](nn::TransposeOp /*o*/) { return bool(swappedSteps(result)); })
      .Case([&](nn::ReshapeOp o) {
        Order from = orderOf(o.getOperand());
        int64_t less = nn::staticElements(o.getOperand().getType()),
                more = nn::staticElements(result.getType());
        if (from == Order::ByRow && order == Order::Flat)
          return less == more * steps;
        if (from == Order::Flat && order == Order::ByRow)
          return less * steps == more;
        return from == order && less == more;
      })
      .Case([&](nn::DotOp o) {
        return same(o.getLhs()) && tensorType(o.getRhs()).hasStaticShape() &&
               o.getLhsBatch().empty() && isInner(o.getLhsContract(), order);
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// What is zero, and what is ignored
//===----------------------------------------------------------------------===//

/// Whether the op's result is zero where the mask does not select, as long as
/// the other numbers there are finite.
bool Ignored::isZero(Operation *op) {
  auto zero = [&](Value value) {
    return zeros.contains(value) || nn::isZeroConstant(value);
  };
  if (auto unpack = dyn_cast<nn::UnpackStepsOp>(op))
    return unpack.getMask() == mask;
  if (auto select = dyn_cast<nn::SelectOp>(op))
    return zero(select->getOperand(2)) &&
           (zero(select->getOperand(1)) ||
            masks.contains(select->getOperand(0)));
  if (auto binary = dyn_cast<nn::BinaryOp>(op)) {
    bool left = zero(binary.getLhs()), right = zero(binary.getRhs());
    switch (binary.getKind()) {
    case nn::BinaryKind::Mul:
      return left || right;
    case nn::BinaryKind::Div:
      return left;
    case nn::BinaryKind::Add:
    case nn::BinaryKind::Sub:
      return left && right;
    default:
      return false;
    }
  }
  if (auto unary = dyn_cast<nn::UnaryOp>(op))
    return unary.getKind() == nn::UnaryKind::Neg && zero(op->getOperand(0));
  if (isa<nn::ConvertOp>(op))
    return zeros.contains(op->getOperand(0)) ||
           masks.contains(op->getOperand(0));
  if (auto reduce = dyn_cast<nn::ReduceOp>(op))
    return reduce.getKind() == nn::ReduceKind::Sum && isByRow(op) &&
           zero(reduce.getOperand());
  return isa<nn::BroadcastOp, nn::TransposeOp, nn::ReshapeOp, nn::DotOp>(op) &&
         zeros.contains(op->getOperand(0)) && isByRow(op);
}

void Ignored::findZeros() {
  masks.insert(mask);
  if (Value byRow = swappedSteps(mask))
    masks.insert(byRow);
  for (Operation &op : block) {
    if (op.getNumResults() != 1 || orderOf(op.getResult(0)) == Order::None)
      continue;
    if (isa<nn::BroadcastOp, nn::TransposeOp, nn::ReshapeOp>(op) &&
        masks.contains(op.getOperand(0)) && isByRow(&op))
      masks.insert(op.getResult(0));
    else if (isZero(&op))
      zeros.insert(op.getResult(0));
  }
}

/// A sum over all rows and steps of something that is zero where the mask does
/// not select.
bool Ignored::isSum(Operation *op) {
  if (auto reduce = dyn_cast<nn::ReduceOp>(op)) {
    Order order = orderOf(reduce.getOperand());
    ArrayRef<int64_t> dims = reduce.getDims();
    return order != Order::None && reduce.getKind() == nn::ReduceKind::Sum &&
           zeros.contains(reduce.getOperand()) &&
           static_cast<int64_t>(dims.size()) >= leading(order) &&
           isLeading(dims.take_front(leading(order)), order);
  }
  auto dot = dyn_cast<nn::DotOp>(op);
  if (!dot || !dot.getLhsBatch().empty())
    return false;
  Order order = orderOf(dot.getLhs());
  return order != Order::None && orderOf(dot.getRhs()) == order &&
         isLeading(dot.getLhsContract(), order) &&
         isLeading(dot.getRhsContract(), order) &&
         (zeros.contains(dot.getLhs()) || zeros.contains(dot.getRhs()));
}

/// Whether a reader needs no masked steps.
bool Ignored::ignores(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isShapeOperand(use) && !isa<nn::DimSizeOp>(user))
    return true;
  if (auto pack = dyn_cast<nn::PackStepsOp>(user))
    return pack.getMask() == mask && use.getOperandNumber() == 0;
  if (auto scan = dyn_cast<nn::ScanOp>(user))
    return llvm::all_of(scan->getUsers(), [&](Operation *reader) {
      auto pack = dyn_cast<nn::PackStepsOp>(reader);
      auto it = pack ? held.find(pack) : held.end();
      return it != held.end() && it->second == use.get();
    });
  if (Operation *maker = mask.getDefiningOp();
      maker && !maker->isBeforeInBlock(user))
    return false;
  return isSum(user) || (user->getNumResults() == 1 && isByRow(user) &&
                         unread.contains(user->getResult(0)));
}

void Ignored::findIgnored() {
  auto zero = [&](Value value) { return zeros.contains(value); };
  for (auto pack : block.getOps<nn::PackStepsOp>())
    if (pack.getMask() == mask)
      if (Value sequence = heldGradient(pack, zero))
        held[pack] = sequence;
  for (Operation &op : llvm::reverse(block)) {
    if (mask.getDefiningOp() == &op)
      break;
    if (isSum(&op))
      sums.push_back(&op);
    if (op.getNumResults() != 1 || op.use_empty() ||
        !llvm::all_of(op.getUses(),
                      [&](OpOperand &use) { return ignores(use); }))
      continue;
    if (isByRow(&op)) {
      unread.insert(op.getResult(0));
      maps.push_back(&op);
    }
  }
}

/// Whether what would be packed reads what is, or is read packed.
bool Ignored::meetsPacked() {
  auto isPacked = [&](Value value) {
    if (Value byStep = swappedSteps(value))
      value = byStep;
    auto unpack = value.getDefiningOp<nn::UnpackStepsOp>();
    auto scan = value.getDefiningOp<nn::ScanOp>();
    return (unpack && unpack.getMask() == mask) ||
           (scan && llvm::is_contained(scan.getSequences(), mask));
  };
  auto isRead = [&](Value value) {
    return llvm::any_of(value.getUsers(), llvm::IsaPred<nn::PackStepsOp>) ||
           llvm::any_of(
               held, [&](const auto &entry) { return entry.second == value; });
  };
  return llvm::any_of(maps, [&](Operation *op) {
    return llvm::any_of(op->getOperands(), isPacked) ||
           isRead(op->getResult(0));
  });
}

//===----------------------------------------------------------------------===//
// Packed ops
//===----------------------------------------------------------------------===//

RankedTensorType Ignored::packedType(Value value, Order order) {
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape,
                     tensorType(value).getShape().drop_front(leading(order)));
  return RankedTensorType::get(shape, tensorType(value).getElementType());
}

/// Something that has the packed rows; only its shape is read.
Value Ignored::rowsLike() {
  if (!like)
    like = packSteps(*b, mask.getLoc(), mask, mask);
  return like;
}

Value Ignored::packedOf(Value value, Order order) {
  if (Value known = packed.lookup(value))
    return known;
  Location loc = value.getLoc();
  RankedTensorType type = packedType(value, order);
  auto broadcast = value.getDefiningOp<nn::BroadcastOp>();
  Value result;
  if (masks.contains(value)) {
    auto scalar = RankedTensorType::get({}, b->getI1Type());
    auto yes =
        nn::ConstantOp::create(*b, loc, DenseElementsAttr::get(scalar, true));
    result = nn::BroadcastOp::create(*b, loc, type, yes, rowsLike(),
                                     b->getDenseI64ArrayAttr({}));
  } else if (broadcast && isUniform(value, order)) {
    result = nn::BroadcastOp::create(
        *b, loc, type, broadcast.getOperand(), rowsLike(),
        b->getDenseI64ArrayAttr(moved(broadcast.getDims(), order)));
  } else if (isUniform(value, order)) {
    auto iota = value.getDefiningOp<nn::IotaOp>();
    result = nn::IotaOp::create(*b, loc, type, rowsLike(),
                                static_cast<int64_t>(iota.getDim()) -
                                    leading(order) + 1);
  } else {
    Value byStep = value;
    if (order == Order::Flat) {
      SmallVector<int64_t> shape{ShapedType::kDynamic, steps};
      llvm::append_range(shape, tensorType(value).getShape().drop_front());
      auto whole = RankedTensorType::get(shape, type.getElementType());
      auto before = value.getDefiningOp<nn::ReshapeOp>();
      byStep = before && before.getOperand().getType() == whole
                   ? before.getOperand()
                   : nn::ReshapeOp::create(*b, loc, whole, value).getResult();
    }
    if (order != Order::ByStep)
      byStep = swapSteps(*b, loc, byStep);
    result = packSteps(*b, loc, byStep, mask);
  }
  return packed[value] = result;
}

/// `op` on packed rows.
Value Ignored::clonePacked(Operation *op) {
  Value result = op->getResult(0);
  Order order = orderOf(result);
  RankedTensorType type = packedType(result, order);
  Location loc = op->getLoc();
  if (auto select = dyn_cast<nn::SelectOp>(op);
      select && masks.contains(select->getOperand(0)))
    return packedOf(select->getOperand(1), order);
  if (isa<nn::TransposeOp, nn::ReshapeOp>(op)) {
    Value rowsOf = packedOf(op->getOperand(0), orderOf(op->getOperand(0)));
    if (rowsOf.getType() == type)
      return rowsOf;
    return nn::ReshapeOp::create(*b, loc, type, rowsOf);
  }
  if (auto broadcast = dyn_cast<nn::BroadcastOp>(op)) {
    Value rowsOf = packedOf(broadcast.getOperand(), order);
    return nn::BroadcastOp::create(
        *b, loc, type, rowsOf, Value(),
        b->getDenseI64ArrayAttr(
            moved(broadcast.getDims().drop_front(leading(order) - 1), order)));
  }
  if (auto reduce = dyn_cast<nn::ReduceOp>(op))
    return nn::ReduceOp::create(
        *b, loc, type, reduce.getKind(), packedOf(reduce.getOperand(), order),
        b->getDenseI64ArrayAttr(moved(reduce.getDims(), order)));
  if (auto argmax = dyn_cast<nn::ArgMaxOp>(op))
    return nn::ArgMaxOp::create(
        *b, loc, type, packedOf(argmax.getOperand(), order),
        static_cast<int64_t>(argmax.getDim()) - leading(order) + 1);
  if (auto dot = dyn_cast<nn::DotOp>(op)) {
    auto none = b->getDenseI64ArrayAttr({});
    return nn::DotOp::create(
        *b, loc, type, packedOf(dot.getLhs(), order), dot.getRhs(), none, none,
        b->getDenseI64ArrayAttr(moved(dot.getLhsContract(), order)),
        dot.getRhsContractAttr());
  }
  IRMapping map;
  for (Value operand : op->getOperands())
    map.map(operand, packedOf(operand, order));
  Operation *clone = b->clone(*op, map);
  clone->getResult(0).setType(type);
  return clone->getResult(0);
}

/// The sum over packed rows.
Value Ignored::packedSum(Operation *op) {
  Location loc = op->getLoc();
  Order order = orderOf(op->getOperand(0));
  if (auto reduce = dyn_cast<nn::ReduceOp>(op))
    return nn::ReduceOp::create(
        *b, loc, op->getResult(0).getType(), reduce.getKind(),
        packedOf(reduce.getOperand(), order),
        b->getDenseI64ArrayAttr(
            moved(reduce.getDims().drop_front(leading(order) - 1), order)));
  auto dot = cast<nn::DotOp>(op);
  auto none = b->getDenseI64ArrayAttr({}), first = b->getDenseI64ArrayAttr({0});
  Value lhs = packedOf(dot.getLhs(), order),
        rhs = packedOf(dot.getRhs(), order);
  return nn::DotOp::create(*b, loc, dot.getType(), lhs, rhs, none, none, first,
                           first);
}

int64_t Ignored::run() {
  // Of one step rows and steps in one dimension are those of rows.
  if (steps < 2 || rows < 1)
    return 0;
  // What is packed stands after the mask.
  if (Value byRow = swappedSteps(mask)) {
    if (Operation *maker = byRow.getDefiningOp())
      mask.getDefiningOp()->moveAfter(maker);
    else
      mask.getDefiningOp()->moveBefore(&block, block.begin());
  }
  findZeros();
  findIgnored();
  if (!meetsPacked())
    return 0;
  DenseSet<Operation *> change(maps.begin(), maps.end());
  change.insert(sums.begin(), sums.end());
  // Before new ops stand between.
  SmallVector<Operation *> ordered;
  for (Operation &op : block) {
    auto pack = dyn_cast<nn::PackStepsOp>(op);
    if (change.contains(&op) || (pack && pack.getMask() == mask))
      ordered.push_back(&op);
  }
  DenseSet<Operation *> isOfSums(sums.begin(), sums.end());
  for (Operation *op : ordered) {
    b.emplace(op);
    if (auto pack = dyn_cast<nn::PackStepsOp>(op)) {
      auto it = held.find(pack);
      Value value = it == held.end() ? pack.getOperand() : it->second;
      if (it != held.end() || change.contains(value.getDefiningOp()))
        pack.getResult().replaceAllUsesWith(packedOf(value, Order::ByStep));
    } else if (isOfSums.contains(op)) {
      op->getResult(0).replaceAllUsesWith(packedSum(op));
    } else {
      Value rowsOf = clonePacked(op);
      packed[op->getResult(0)] = rowsOf;
    }
  }
  return static_cast<int64_t>(maps.size() + sums.size());
}

int64_t belfry::packIgnored(Block &block, Value mask) {
  return Ignored(block, mask).run();
}
