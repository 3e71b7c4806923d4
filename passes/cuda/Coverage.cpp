//===- Coverage.cpp - the proof that every op has a kernel ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Go through all functions. Of a training function, look up each core op
//      and collective by its name and the element types of operands and
//      results; of a phase, each op that threads share by its shape class and
//      the element types of its arrays, then the code in it op by op.
//   2. Collect what has no entry, by op and element types, over the whole
//      module.
//   3. Report it as one list.
//
//===----------------------------------------------------------------------===//

#include "passes/cuda/Coverage.h"

#include "dialects/nn/Nn.h"
#include "dialects/tower/Collectives.h"
#include "passes/cuda/BlockCode.h"
#include "passes/lowering/PhaseAttrs.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace belfry;

static std::string nameOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// The element types of shaped values, each once, in alphabetical order.
static SmallVector<std::string> elementTypes(ValueRange values) {
  SmallVector<std::string> names;
  for (Value value : values)
    if (auto type = dyn_cast<ShapedType>(value.getType()))
      if (std::string name = nameOf(type.getElementType());
          !llvm::is_contained(names, name))
        names.push_back(std::move(name));
  llvm::sort(names);
  return names;
}

static bool takes(const KernelFamily &family, ArrayRef<std::string> types) {
  return llvm::all_of(types, [&](StringRef type) {
    return llvm::is_contained(family.dtypes, type);
  });
}

//===----------------------------------------------------------------------===//
// What is missing
//===----------------------------------------------------------------------===//

namespace {

constexpr StringLiteral kBuildForHost = "build for the target 'host'";

/// Ops of one name and of the same element types that have no kernel.
struct Missing {
  Operation *first;
  int64_t count = 0;
  llvm::SetVector<StringRef> layers;
  std::string why;   ///< as what follows "has no kernel for GPUs: "
  std::string known; ///< element types of which the op has a kernel
  std::string todo;
};

class MissingKernels {
public:
  void add(Operation *op, StringRef name, ArrayRef<std::string> types,
           const Twine &why, StringRef known = "",
           const Twine &todo = kBuildForHost);
  bool empty() const { return kinds.empty(); }
  void report(ModuleOp module) const;

private:
  llvm::MapVector<std::pair<std::string, std::string>, Missing,
                  std::map<std::pair<std::string, std::string>, unsigned>>
      kinds;
};

} // namespace

void MissingKernels::add(Operation *op, StringRef name,
                         ArrayRef<std::string> types, const Twine &why,
                         StringRef known, const Twine &todo) {
  const Missing fresh{op, 0, {}, why.str(), known.str(), todo.str()};
  Missing &kind =
      kinds.insert({{name.str(), llvm::join(types, ",")}, fresh}).first->second;
  ++kind.count;
  if (StringRef layer = nn::layerOf(op); !layer.empty())
    kind.layers.insert(layer);
}

static std::string counted(int64_t count, StringRef what) {
  return (Twine(count) + " " + what + (count == 1 ? "" : "s")).str();
}

/// `'a', 'b' and 3 more`.
static std::string someOf(ArrayRef<StringRef> names) {
  constexpr size_t kShown = 4;
  std::string text;
  for (StringRef name : names.take_front(kShown))
    text += (Twine(text.empty() ? "'" : ", '") + name + "'").str();
  if (names.size() > kShown)
    text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

void MissingKernels::report(ModuleOp module) const {
  int64_t all = 0;
  for (const auto &[key, kind] : kinds)
    all += kind.count;
  if (kinds.size() > 1)
    emitError(module.getLoc()) << all << " ops of " << kinds.size()
                               << " kinds have no kernel for GPUs:";
  for (const auto &[key, kind] : kinds) {
    // Layers are in the text, all of them; the place is the first op's.
    Location loc = UnknownLoc::get(module.getContext());
    if (auto file = kind.first->getLoc()->findInstanceOf<FileLineColLoc>())
      loc = file;
    InFlightDiagnostic line = emitError(loc);
    line << "'" << key.first << "'";
    if (!key.second.empty())
      line << " of " << key.second;
    line << " has no kernel for GPUs: " << kind.why << "; "
         << counted(kind.count, "op");
    if (!kind.layers.empty())
      line << " of " << (kind.layers.size() == 1 ? "layer " : "layers ")
           << someOf(kind.layers.getArrayRef());
    line << "; types with a kernel: "
         << (kind.known.empty() ? "none" : kind.known)
         << "; what to do: " << kind.todo;
  }
}

//===----------------------------------------------------------------------===//
// Core ops and collectives
//===----------------------------------------------------------------------===//

namespace {

class Prover {
public:
  Prover(const KernelRegistry &registry, MissingKernels &missing)
      : registry(registry), missing(missing) {}

  void proveCoreOp(Operation *op);
  void provePhase(func::FuncOp phase);
  /// An op of a phase or a sequence that touches memory.
  void proveUnit(Operation *op);

  Coverage coverage;

private:
  void proveFamily(Operation *op, StringRef name, const KernelFamily &family,
                   ArrayRef<std::string> types);
  void proveCode(Operation *op);
  void proveSequence(Region &region);
  void found(const KernelFamily &family) {
    ++coverage.families[family.name.str()];
  }

  const KernelRegistry &registry;
  MissingKernels &missing;
};

} // namespace

static std::string typesOf(const KernelFamily &family) {
  return llvm::join(family.dtypes, ", ");
}

static std::string whyRemoved(const KernelFamily &family) {
  return ("the family '" + family.name + "' is taken out").str();
}

static std::string howToPutBack(const KernelFamily &family) {
  return ("leave out '--disable kernel-" + family.name + "'").str();
}

void Prover::proveCoreOp(Operation *op) {
  StringRef name = op->getName().getStringRef();
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  SmallVector<std::string> types = elementTypes(values);
  SmallVector<const KernelFamily *> families = registry.familiesOf(op);
  if (needsNoKernel(name)) {
    ++coverage.ops;
    return;
  }
  if (families.empty()) {
    StringRef why = whyHostOnly(name);
    missing.add(op, name, types,
                why.empty() ? StringRef("no family of kernels takes it") : why);
    return;
  }
  ++coverage.ops;
  auto isThere = [&](const KernelFamily *family) {
    return registry.has(*family);
  };
  for (const KernelFamily *family : families)
    if (isThere(family) && takes(*family, types))
      return found(*family);
  auto there = llvm::find_if(families, isThere);
  if (there == families.end())
    missing.add(op, name, types, whyRemoved(*families.front()), "",
                howToPutBack(*families.front()));
  else
    proveFamily(op, name, **there, types);
}

//===----------------------------------------------------------------------===//
// Ops of phases
//===----------------------------------------------------------------------===//

void Prover::proveFamily(Operation *op, StringRef name,
                         const KernelFamily &family,
                         ArrayRef<std::string> types) {
  if (!registry.has(family)) {
    missing.add(op, name, types, whyRemoved(family), "", howToPutBack(family));
  } else if (!takes(family, types)) {
    missing.add(op, name, types,
                "the family '" + family.name + "' has none for these types",
                typesOf(family),
                "convert to a type that has one, or " + kBuildForHost);
  } else {
    found(family);
  }
}

/// Checks an op of a kernel's code and all in it.
void Prover::proveCode(Operation *op) {
  op->walk([&](Operation *inner) {
    StringRef name = inner->getName().getStringRef();
    SmallVector<Type> types(inner->getOperandTypes());
    llvm::append_range(types, inner->getResultTypes());
    llvm::erase_if(types, [](Type type) { return isa<MemRefType>(type); });
    if (!isKernelCode(inner)) {
      Type type = types.empty() ? Type() : types.back();
      missing.add(inner, name,
                  type ? SmallVector<std::string>{nameOf(type)}
                       : SmallVector<std::string>(),
                  "a GPU has no instructions for it, and the lowering writes "
                  "none out");
      return;
    }
    // What hands values on computes nothing.
    if (inner->hasTrait<OpTrait::IsTerminator>())
      return;
    auto foreign = llvm::find_if_not(types, isKernelNumber);
    if (foreign != types.end())
      missing.add(inner, name, {nameOf(*foreign)},
                  "kernels do not compute with numbers of this type",
                  "i1, i8, i16, i32, i64, f16, bf16, f32, f64",
                  "convert to a type that has one, or " + kBuildForHost);
  });
}

void Prover::proveSequence(Region &region) {
  for (Block &block : region)
    for (Operation &op : block.without_terminator()) {
      if (isMemoryEffectFree(&op) || isa<memref::LoadOp>(op))
        proveCode(&op);
      else if (!isa<memref::PrefetchOp>(op))
        proveUnit(&op);
    }
}

/// An op of a phase, for messages.
static std::string labelOf(Operation *op) {
  return (op->getName().getStringRef() + " (" +
          kernelShapeName(kernelShapeOf(op)) + ")")
      .str();
}

void Prover::proveUnit(Operation *op) {
  KernelShape shape = kernelShapeOf(op);
  const KernelFamily &family = registry.familyOf(op);
  std::string name = labelOf(op);
  SmallVector<Value> arrays(op->getOperands());
  if (shape == KernelShape::Iterations || shape == KernelShape::Scatter ||
      shape == KernelShape::OneThread)
    op->walk([&](Operation *inner) {
      llvm::append_range(arrays, inner->getOperands());
    });
  SmallVector<std::string> types = elementTypes(arrays);
  auto loop = dyn_cast<scf::ForOp>(op);
  auto branch = dyn_cast<scf::IfOp>(op);
  auto has = [&](StringRef why) { missing.add(op, name, types, why); };
  switch (shape) {
  case KernelShape::Elements:
  case KernelShape::Transpose:
  case KernelShape::Reduction:
  case KernelShape::Tiles: {
    auto linalg = cast<linalg::LinalgOp>(op);
    std::string why;
    if (shape == KernelShape::Reduction && !combinerOf(linalg, &why))
      return has(why);
    proveFamily(op, name, family, types);
    for (Operation &inner : *linalg.getBlock())
      proveCode(&inner);
    return;
  }
  case KernelShape::Parts:
    proveSequence(loop.getRegion());
    return;
  case KernelShape::Nest:
    proveFamily(op, name, family, types);
    proveSequence(parallelNest(loop).back().getRegion());
    return;
  case KernelShape::Iterations:
  case KernelShape::Scatter:
  case KernelShape::OneThread:
    if (!loop)
      return has("only a loop is a kernel by its mark");
    proveFamily(op, name, family, types);
    for (Operation &inner : *loop.getBody())
      proveCode(&inner);
    return;
  case KernelShape::RowBlocks:
  case KernelShape::OneBlock:
    if (isa<memref::StoreOp>(op)) {
      proveFamily(op, name, family, types);
    } else if (loop && loop.getInits().empty()) {
      proveFamily(op, name, family, types);
      proveSequence(loop.getRegion());
    } else if (branch && branch.getNumResults() == 0) {
      proveFamily(op, name, family, types);
      proveSequence(branch.getThenRegion());
      proveSequence(branch.getElseRegion());
    } else if (loop || branch) {
      has("a sequence of ops hands no values on but through memory");
    } else {
      has("no family of kernels takes it");
    }
    return;
  }
}

/// Whether the value follows from memory, so that kernels compute it.
static bool isLoaded(Value value) {
  Operation *op = value.getDefiningOp();
  return op &&
         (isa<memref::LoadOp>(op) || llvm::any_of(op->getOperands(), isLoaded));
}

void Prover::provePhase(func::FuncOp phase) {
  for (Operation &op : phase.getBody().front().without_terminator()) {
    if (isa<memref::LoadOp>(op))
      continue;
    if (isMemoryEffectFree(&op)) {
      if (llvm::any_of(op.getOperands(), isLoaded))
        proveCode(&op);
      continue;
    }
    ++coverage.ops;
    auto loop = dyn_cast<scf::ForOp>(op);
    KernelShape shape = kernelShapeOf(&op);
    if (loop && shape != KernelShape::OneBlock &&
        shape != KernelShape::OneThread &&
        (isLoaded(loop.getLowerBound()) || isLoaded(loop.getUpperBound()) ||
         isLoaded(loop.getStep())))
      missing.add(&op, labelOf(&op), {},
                  "its grid would depend on what is in memory");
    else
      proveUnit(&op);
  }
}

FailureOr<Coverage> belfry::verifyCoverage(ModuleOp module,
                                           const KernelRegistry &registry) {
  MissingKernels missing;
  Prover prover(registry, missing);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function->hasAttr(kFunctionAttr)) {
      prover.provePhase(function);
      continue;
    }
    function.walk([&](Operation *op) {
      bool isNn = isa_and_nonnull<nn::NnDialect>(op->getDialect()) &&
                  !op->hasTrait<OpTrait::IsTerminator>();
      if (isNn || tower::isCollective(op))
        prover.proveCoreOp(op);
    });
  }
  if (missing.empty())
    return std::move(prover.coverage);
  missing.report(module);
  return failure();
}

std::string belfry::describeFamilies(const Coverage &coverage) {
  std::string text;
  for (const auto &[family, count] : coverage.families)
    text += (text.empty() ? "" : ", ") + family + " " + std::to_string(count);
  return text;
}

SmallVector<std::string>
belfry::familiesWithin(Operation *op, const KernelRegistry &registry) {
  MissingKernels missing;
  Prover prover(registry, missing);
  prover.proveUnit(op);
  SmallVector<std::string> names;
  for (const auto &[family, count] : prover.coverage.families)
    names.push_back(family);
  return names;
}
