//===- FormUnits.cpp - which ops become one kernel ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/FormUnits.h"

#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <set>

using namespace mlir;
using namespace belfry;

bool belfry::isMap(Operation *op) {
  return isa_and_nonnull<nn::UnaryOp, nn::BinaryOp, nn::CompareOp, nn::SelectOp,
                         nn::ConvertOp>(op);
}

bool belfry::isElementwise(Operation *op) {
  return isMap(op) || isa<nn::IotaOp, nn::RandomOp>(op);
}

bool belfry::isViewOp(Operation *op) {
  return isa<nn::BroadcastOp, nn::TransposeOp, nn::ReshapeOp, nn::SliceOp,
             nn::ReverseOp>(op);
}

bool belfry::isShapeOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto broadcast = dyn_cast<nn::BroadcastOp>(op))
    return operand.getOperandNumber() == 1;
  if (auto random = dyn_cast<nn::RandomOp>(op))
    return random.getLike() && operand.get() == random.getLike() &&
           operand.getOperandNumber() + 1 == op->getNumOperands();
  return isa<nn::IotaOp, nn::DimSizeOp>(op);
}

Value belfry::viewedValue(Value value, Block &block) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isViewOp(op) || op->getBlock() != &block)
      break;
    value = op->getOperand(0);
  }
  return value;
}

Operation *belfry::onlyReader(Value value) {
  Operation *reader = nullptr;
  for (OpOperand &use : value.getUses()) {
    if (isShapeOperand(use))
      continue;
    if (reader)
      return nullptr;
    reader = use.getOwner();
  }
  return reader;
}

bool belfry::endsWith(Value sequence, nn::ScanOp scan) {
  if (auto whole = sequence.getDefiningOp<nn::UnpackStepsOp>();
      whole && runsOnPackedRows(scan)) {
    if (!onlyReader(sequence))
      return false;
    sequence = whole.getOperand();
  }
  Operation *maker = sequence.getDefiningOp();
  return onlyReader(sequence) && maker &&
         maker->getBlock() == scan->getBlock() &&
         (isa<nn::DotOp, nn::ScanOp, nn::PackStepsOp>(maker) ||
          isElementwise(maker));
}

bool belfry::runsOnPackedRows(nn::ScanOp scan) {
  return scan.getMask() && !scan.getSequences().empty() &&
         llvm::all_of(scan.getSequences(), [&](Value sequence) {
           auto whole = sequence.getDefiningOp<nn::UnpackStepsOp>();
           return whole && whole.getMask() == scan.getMask();
         });
}

std::optional<Accumulation> belfry::accumulationOf(Operation *op) {
  auto add = dyn_cast_or_null<nn::BinaryOp>(op);
  if (!add || add.getKind() != nn::BinaryKind::Add)
    return std::nullopt;
  auto scan = dyn_cast<nn::ScanOp>(add->getParentOp());
  if (!scan)
    return std::nullopt;
  for (auto [x, y] : {std::pair(add.getLhs(), add.getRhs()),
                      std::pair(add.getRhs(), add.getLhs())}) {
    auto argument = dyn_cast<BlockArgument>(x);
    auto dot = y.getDefiningOp<nn::DotOp>();
    if (!argument || !dot || !onlyReader(x) || onlyReader(y) != op ||
        !dot.getLhsBatch().empty())
      continue;
    for (auto [own, sequence] :
         llvm::zip(scan.getSequenceArgs(), scan.getSequences()))
      if (own == argument && endsWith(sequence, scan))
        return Accumulation{dot, x};
  }
  return std::nullopt;
}

Value belfry::packedOutput(nn::ScanOp scan, Value output) {
  if (!runsOnPackedRows(scan))
    return output;
  for (Operation *user : output.getUsers())
    if (auto pack = dyn_cast<nn::PackStepsOp>(user))
      return pack.getResult();
  return {};
}

namespace {

class Grouping {
public:
  Grouping(Block &block, RowExtents &extents,
           const Optimizations &optimizations)
      : block(block), extents(extents), optimizations(optimizations) {
    for (Operation &op : block.without_terminator())
      add(&op);
    // In a loop only: elsewhere values would have to live longer for it.
    if (isa<nn::ScanOp>(block.getParentOp()) &&
        optimizations.has(Optimization::FuseElementwise))
      mergeReaders();
  }

  SmallVector<Unit> order();

private:
  struct Node {
    SmallVector<unsigned> ops;
    SmallVector<unsigned> reads; ///< nodes, maybe merged since
    bool elementwise = false;
    bool random = false;
    bool again = false;
    RankedTensorType shape;
    int64_t multiple = 0;
  };

  unsigned find(unsigned node) {
    while (merged[node] != node)
      node = merged[node] = merged[merged[node]];
    return node;
  }
  void add(Operation *op);
  bool joinDraw(Operation *op, unsigned self);
  bool reaches(unsigned from, unsigned to, bool direct);
  void merge(unsigned into, unsigned node);
  void mergeReaders();
  int64_t bytesOf(Value value);

  Block &block;
  RowExtents &extents;
  const Optimizations &optimizations;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> number; ///< of an op: its node at first
  std::vector<Node> nodes;
  SmallVector<unsigned> merged;
};

} // namespace

/// Whether `from` reads `to`, over other nodes; a direct read counts only when
/// `direct`.
bool Grouping::reaches(unsigned from, unsigned to, bool direct) {
  SmallVector<unsigned> pending;
  DenseSet<unsigned> seen;
  for (unsigned read : nodes[from].reads) {
    unsigned r = find(read);
    if (r == to) {
      if (direct)
        return true;
      continue;
    }
    if (seen.insert(r).second)
      pending.push_back(r);
  }
  while (!pending.empty()) {
    unsigned node = pending.pop_back_val();
    for (unsigned read : nodes[node].reads) {
      unsigned r = find(read);
      if (r == to)
        return true;
      if (r != node && seen.insert(r).second)
        pending.push_back(r);
    }
  }
  return false;
}

void Grouping::merge(unsigned into, unsigned node) {
  merged[node] = into;
  llvm::append_range(nodes[into].ops, nodes[node].ops);
  for (unsigned read : nodes[node].reads)
    if (find(read) != into)
      nodes[into].reads.push_back(read);
  llvm::erase_if(nodes[into].reads,
                 [&](unsigned read) { return find(read) == into; });
}

/// Whether all elements of an elementwise op's operand are one value.
static bool isUniform(Value value) {
  if (auto constant = value.getDefiningOp<nn::ConstantOp>()) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && elements.isSplat();
  }
  auto broadcast = value.getDefiningOp<nn::BroadcastOp>();
  return broadcast &&
         cast<RankedTensorType>(broadcast.getOperand().getType()).getRank() ==
             0;
}

/// Bytes of an element of `value` in memory.
static int64_t elementBytesOf(Value value) {
  return elementBytes(getElementTypeOrSelf(value.getType()));
}

/// Puts an op that works on one draw of random numbers, and on nothing else
/// that differs by element, into its unit; where its result would be wider than
/// what it reads, the readers do better with the latter.
bool Grouping::joinDraw(Operation *op, unsigned self) {
  if (isa<nn::RandomOp, nn::IotaOp>(op) ||
      !optimizations.has(Optimization::FuseRandom))
    return false;
  std::optional<unsigned> draw;
  int64_t bytes = 0;
  for (Value operand : op->getOperands()) {
    if (isUniform(operand))
      continue;
    auto it = number.find(operand.getDefiningOp());
    if (it == number.end())
      return false;
    unsigned node = find(it->second);
    if (!nodes[node].random || (draw && *draw != node) ||
        nodes[node].again != op->hasAttr(kAgainAttr))
      return false;
    draw = node;
    bytes += elementBytesOf(operand);
  }
  if (!draw || elementBytesOf(op->getResult(0)) > bytes ||
      reaches(self, *draw, false))
    return false;
  merge(*draw, self);
  return true;
}

void Grouping::add(Operation *op) {
  unsigned self = nodes.size();
  ops.push_back(op);
  number[op] = self;
  merged.push_back(self);
  Node &node = nodes.emplace_back();
  node.ops = {self};
  node.elementwise = isElementwise(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *source = operand.get().getDefiningOp();
    // How many rows are packed has to be counted first.
    if (isShapeOperand(operand) && !isa_and_nonnull<nn::PackStepsOp>(source))
      continue;
    auto it = number.find(source);
    if (!source || it == number.end())
      continue;
    unsigned from = find(it->second);
    if (!llvm::is_contained(node.reads, from))
      node.reads.push_back(from);
  }
  if (auto sum = accumulationOf(op);
      sum && optimizations.has(Optimization::AddInPlace)) {
    // The product is the only op inside of the block that is read.
    node.elementwise = false;
    return merge(find(number.lookup(sum->product)), self);
  }
  if (!node.elementwise)
    return;
  node.shape = cast<RankedTensorType>(op->getResult(0).getType());
  if (auto m = extents.multiple(op->getResult(0)); succeeded(m))
    node.multiple = *m;
  node.random = isa<nn::RandomOp>(op);
  node.again = op->hasAttr(kAgainAttr);
  if (node.random || joinDraw(op, self) ||
      !optimizations.has(Optimization::FuseElementwise))
    return;
  SmallVector<unsigned> reads = node.reads;
  for (unsigned read : reads) {
    unsigned other = find(read);
    unsigned group = find(self);
    const Node &a = nodes[group], &o = nodes[other];
    if (other == group || !o.elementwise || o.random || (a.again && !o.again) ||
        o.multiple != a.multiple || o.shape.getShape() != a.shape.getShape())
      continue;
    if (reaches(group, other, false) || reaches(other, group, true))
      continue;
    merge(other, group);
  }
}

/// Units that read one value share a loop too: it is read once, and one that
/// overwrites it can do so in place.
void Grouping::mergeReaders() {
  auto join = [&](Value value) {
    SmallVector<unsigned> readers;
    for (OpOperand &use : value.getUses()) {
      auto it = number.find(use.getOwner());
      if (it == number.end() || isShapeOperand(use) ||
          !nodes[it->second].elementwise)
        continue;
      unsigned reader = find(it->second);
      if (!nodes[reader].random && !llvm::is_contained(readers, reader))
        readers.push_back(reader);
    }
    for (unsigned i = 1; i < readers.size(); ++i) {
      unsigned a = find(readers[0]), o = find(readers[i]);
      if (a == o || nodes[a].multiple != nodes[o].multiple ||
          nodes[a].shape.getShape() != nodes[o].shape.getShape() ||
          reaches(a, o, true) || reaches(o, a, true))
        continue;
      merge(a, o);
    }
  };
  for (BlockArgument argument : block.getArguments())
    join(argument);
  for (Operation *op : ops)
    if (!isViewOp(op))
      for (Value result : op->getResults())
        join(result);
}

/// Bytes that a value takes for some number of rows; 0 for a view.
int64_t Grouping::bytesOf(Value value) {
  constexpr int64_t rows = 64;
  Operation *op = value.getDefiningOp();
  if (!op || isViewOp(op) || isa<nn::ConstantOp>(op))
    return 0;
  auto elements = extents.elements(value);
  if (failed(elements))
    return 0;
  return (elements->first * rows + elements->second) * elementBytesOf(value);
}

SmallVector<Unit> Grouping::order() {
  // Kahn's algorithm; of the nodes that are ready, the one whose last op comes
  // first in the program. Where that is a product which leaves more memory in
  // use than before, a ready one which leaves less than before goes ahead of
  // it: the gradient of a weight is the last that reads the layer's input, that
  // of the input takes as much again.
  SmallVector<unsigned> waiting(nodes.size(), 0);
  std::vector<SmallVector<unsigned>> readers(nodes.size());
  std::set<std::pair<unsigned, unsigned>> ready;
  // By value: how many ops have yet to read it, the end of the block included.
  DenseMap<Value, unsigned> reads;
  for (unsigned n = 0; n < nodes.size(); ++n) {
    if (find(n) != n)
      continue;
    llvm::sort(nodes[n].ops);
    DenseSet<unsigned> distinct;
    for (unsigned read : nodes[n].reads)
      if (unsigned r = find(read); r != n && distinct.insert(r).second) {
        ++waiting[n];
        readers[r].push_back(n);
      }
    if (!waiting[n])
      ready.emplace(nodes[n].ops.back(), n);
  }
  auto readsOf = [&](Operation *op) {
    SmallVector<Value, 4> values;
    if (!isViewOp(op))
      for (OpOperand &operand : op->getOpOperands())
        if (Value value = viewedValue(operand.get(), block);
            !isShapeOperand(operand) && value.getDefiningOp())
          values.push_back(value);
    return values;
  };
  for (Operation *op : ops)
    for (Value value : readsOf(op))
      ++reads[value];
  for (Value value : block.getTerminator()->getOperands())
    ++reads[viewedValue(value, block)];
  auto product = [&](unsigned n) -> nn::DotOp {
    return nodes[n].ops.size() == 1 ? dyn_cast<nn::DotOp>(ops[nodes[n].ops[0]])
                                    : nn::DotOp();
  };
  auto growth = [&](nn::DotOp dot) {
    int64_t bytes = bytesOf(dot.getResult());
    for (Value value :
         {viewedValue(dot.getLhs(), block), viewedValue(dot.getRhs(), block)})
      if (auto it = reads.find(value); it != reads.end() && it->second == 1)
        bytes -= bytesOf(value);
    return bytes;
  };
  SmallVector<Unit> units;
  while (!ready.empty()) {
    auto next = ready.begin();
    if (nn::DotOp dot = product(next->second);
        dot && optimizations.has(Optimization::OrderUnits) && growth(dot) > 0) {
      auto smaller =
          std::find_if(std::next(next), ready.end(), [&](const auto &entry) {
            nn::DotOp other = product(entry.second);
            return other && growth(other) < 0;
          });
      if (smaller != ready.end())
        next = smaller;
    }
    unsigned n = next->second;
    ready.erase(next);
    Unit &unit = units.emplace_back();
    unit.elementwise = nodes[n].elementwise;
    unit.random = nodes[n].random;
    for (unsigned op : nodes[n].ops) {
      unit.ops.push_back(ops[op]);
      for (Value value : readsOf(ops[op]))
        --reads[value];
    }
    for (unsigned reader : readers[n])
      if (--waiting[reader] == 0)
        ready.emplace(nodes[reader].ops.back(), reader);
  }
  return units;
}

/// The unit's op, if it is a single one of this kind.
template <typename Op> static Op onlyOp(const Unit &unit) {
  return unit.ops.size() == 1 ? dyn_cast<Op>(unit.ops.front()) : Op();
}

/// Whether the unit is the sum of all the rows that `product` sums over, of its
/// right side.
static bool isSumOfRows(const Unit &unit, nn::DotOp product) {
  auto reduce = onlyOp<nn::ReduceOp>(unit);
  return reduce && reduce.getKind() == nn::ReduceKind::Sum &&
         reduce.getOperand() == product.getRhs() &&
         reduce.getDims() == product.getRhsContract() &&
         product.getRhsBatch().empty();
}

/// Moves sums over rows to just before the first product that reads the same
/// rows, which can make them by the way.
static void sumBeforeProduct(SmallVector<Unit> &units) {
  for (unsigned i = 0; i < units.size(); ++i) {
    auto product = onlyOp<nn::DotOp>(units[i]);
    if (!product)
      continue;
    for (unsigned j = i + 1; j < units.size(); ++j)
      if (isSumOfRows(units[j], product)) {
        std::rotate(units.begin() + i, units.begin() + j,
                    units.begin() + j + 1);
        ++i;
        break;
      }
  }
}

SmallVector<Unit> belfry::formUnits(Block &block, RowExtents &extents,
                                    const Optimizations &optimizations) {
  SmallVector<Unit> units = Grouping(block, extents, optimizations).order();
  sumBeforeProduct(units);
  return units;
}
