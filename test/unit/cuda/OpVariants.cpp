//===- OpVariants.cpp - an op with every kind and element type ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpVariants.h"

#include "dialects/nn/Autodiff.h"
#include "test/unit/interpreter/GradientTable.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

namespace belfry::test {

std::vector<std::string> coreOps(MLIRContext &context) {
  std::vector<std::string> names;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasTrait<CoreOp>())
      names.push_back(name.getStringRef().str());
  return names;
}

std::map<std::string, std::vector<Operation *>>
sampleOps(MLIRContext &context) {
  static std::vector<OwningOpRef<ModuleOp>> modules;
  std::map<std::string, std::vector<Operation *>> samples;
  for (ArrayRef<GradientRow> rows : {gradientRows(), scanGradientRows()})
    for (const GradientRow &row : rows) {
      modules.push_back(parseSourceString<ModuleOp>(row.function, &context));
      if (!modules.back()) {
        ADD_FAILURE() << row.about.str();
        continue;
      }
      std::string name = row.about.split('/').first.str();
      modules.back()->walk([&](Operation *op) {
        // What stands behind another one may take what that one alone makes,
        // such as a number of rows that is not the batch's.
        auto isSame = [&](Value operand) {
          Operation *maker = operand.getDefiningOp();
          return maker && maker->getName() == op->getName();
        };
        if (op->getName().getStringRef() == name &&
            llvm::none_of(op->getOperands(), isSame))
          samples[name].push_back(op);
      });
    }
  return samples;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// All values of the enumeration that the attribute is of.
template <typename AttrT, typename Symbolize>
static bool valuesOf(Attribute attr, Symbolize symbolize, uint32_t greatest,
                     SmallVector<Attribute> &values) {
  if (!isa<AttrT>(attr))
    return false;
  for (uint32_t i = 0; i <= greatest; ++i)
    if (auto value = symbolize(i))
      values.push_back(AttrT::get(attr.getContext(), *value));
  return true;
}

/// What the attribute may be set to, itself among it.
static SmallVector<Attribute> choicesOf(Attribute attr) {
  SmallVector<Attribute> values;
  if (attr.getDialect().getNamespace() != "nn")
    return {attr};
  using U = uint32_t;
  bool known = valuesOf<UnaryKindAttr>(
                   attr, [](U i) { return symbolizeUnaryKind(i); },
                   getMaxEnumValForUnaryKind(), values) ||
               valuesOf<BinaryKindAttr>(
                   attr, [](U i) { return symbolizeBinaryKind(i); },
                   getMaxEnumValForBinaryKind(), values) ||
               valuesOf<CompareKindAttr>(
                   attr, [](U i) { return symbolizeCompareKind(i); },
                   getMaxEnumValForCompareKind(), values) ||
               valuesOf<ReduceKindAttr>(
                   attr, [](U i) { return symbolizeReduceKind(i); },
                   getMaxEnumValForReduceKind(), values) ||
               valuesOf<RandomKindAttr>(
                   attr, [](U i) { return symbolizeRandomKind(i); },
                   getMaxEnumValForRandomKind(), values);
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  EXPECT_TRUE(known) << "the values that " << text
                     << " may have are not known to this test";
  return values;
}

static std::string kindName(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  StringRef name = text;
  return name.split('<').second.rtrim('>').str();
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// What a tensor could hold, far more than the dialect allows.
static SmallVector<Type> elementTypes(MLIRContext *context) {
  Builder b(context);
  SmallVector<Type> types;
  for (unsigned width : {1, 2, 4, 8, 16, 32, 64, 128})
    types.push_back(b.getIntegerType(width));
  for (unsigned width : {8, 32})
    types.push_back(b.getIntegerType(width, /*isSigned=*/false));
  types.append({b.getIndexType(), b.getF16Type(), b.getBF16Type(),
                b.getTF32Type(), b.getF32Type(), b.getF64Type(), b.getF80Type(),
                b.getF128Type(), Float8E5M2Type::get(context),
                Float8E4M3FNType::get(context),
                ComplexType::get(b.getF32Type())});
  return types;
}

using TypeMap = llvm::SmallDenseMap<Type, Type>;

static Type mapped(Type type, const TypeMap &map) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped)
    return type;
  Type element = map.lookup(shaped.getElementType());
  return element ? shaped.clone(element) : type;
}

/// The element types of the op and all in it.
static SmallVector<Type> typesIn(Operation *op) {
  llvm::SetVector<Type> types;
  auto add = [&](Type type) {
    if (auto shaped = dyn_cast<RankedTensorType>(type))
      types.insert(shaped.getElementType());
  };
  op->walk([&](Operation *inner) {
    llvm::for_each(inner->getOperandTypes(), add);
    llvm::for_each(inner->getResultTypes(), add);
  });
  return llvm::to_vector(types);
}

static void retype(Operation *op, const TypeMap &map) {
  op->walk([&](Operation *inner) {
    for (Value result : inner->getResults())
      result.setType(mapped(result.getType(), map));
    for (Region &region : inner->getRegions())
      for (Value argument : region.getArguments())
        argument.setType(mapped(argument.getType(), map));
    for (NamedAttribute attr : inner->getAttrs())
      if (auto elements = dyn_cast<DenseElementsAttr>(attr.getValue())) {
        auto type = cast<ShapedType>(mapped(elements.getType(), map));
        if (Attribute zero = Builder(op->getContext()).getZeroAttr(type))
          inner->setAttr(attr.getName(), zero);
      }
  });
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Moves dimension `from` of a value to `to`; the others keep their order.
static Value moveDim(OpBuilder &b, Value value, int64_t from, int64_t to) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> perm =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  perm.erase(perm.begin() + from);
  perm.insert(perm.begin() + to, from);
  SmallVector<int64_t> shape;
  for (int64_t d : perm)
    shape.push_back(type.getDimSize(d));
  return TransposeOp::create(b, value.getLoc(), type.clone(shape), value, perm);
}

/// Which dimension the rows are; 0 where there are none.
static int64_t rowsOf(Type type) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  auto *it = llvm::find_if(shape, ShapedType::isDynamic);
  return it == shape.end() ? 0 : it - shape.begin();
}

/// A function of a training program, still without an end, and its arguments
/// as the types that were asked for.
static func::FuncOp createFunction(ModuleOp module, ArrayRef<Type> arguments,
                                   Operation *sample,
                                   SmallVector<Value> &values) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> types;
  for (Type type : arguments) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
    int64_t rows = rowsOf(type);
    std::rotate(shape.begin(), shape.begin() + rows, shape.begin() + rows + 1);
    types.push_back(shape.empty() ? type
                                  : cast<RankedTensorType>(type).clone(shape));
  }
  auto function = func::FuncOp::create(b, module.getLoc(), "f",
                                       b.getFunctionType(types, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  MLIRContext *context = module.getContext();
  auto random = dyn_cast<RandomOp>(sample);
  for (auto [i, type] : llvm::enumerate(arguments)) {
    Role role = cast<RankedTensorType>(type).hasStaticShape() ? Role::Parameter
                                                              : Role::Input;
    if (random && i < sample->getNumOperands()) {
      Value operand = sample->getOperand(unsigned(i));
      role = operand == random.getSeed()   ? Role::Seed
             : operand == random.getStep() ? Role::Step
                                           : role;
    }
    function.setArgAttr(unsigned(i), kRoleAttr, RoleAttr::get(context, role));
    function.setArgAttr(unsigned(i), kNameAttr,
                        StringAttr::get(context, "a" + Twine(i)));
    Value value = function.getArgument(unsigned(i));
    values.push_back(rowsOf(type) ? moveDim(b, value, 0, rowsOf(type)) : value);
  }
  return function;
}

static void finishFunction(func::FuncOp function, ValueRange values) {
  OpBuilder b = OpBuilder::atBlockEnd(&function.getBody().front());
  SmallVector<Value> results;
  for (Value value : values)
    results.push_back(rowsOf(value.getType())
                          ? moveDim(b, value, rowsOf(value.getType()), 0)
                          : value);
  func::ReturnOp::create(b, function.getLoc(), results);
  SmallVector<Type> types(ValueRange(results).getTypes());
  function.setFunctionType(
      b.getFunctionType(function.getArgumentTypes(), types));
  for (auto [i, type] : llvm::enumerate(types)) {
    Role role = cast<RankedTensorType>(type).hasStaticShape() ? Role::Gradient
                                                              : Role::Output;
    function.setResultAttr(unsigned(i), kRoleAttr,
                           RoleAttr::get(b.getContext(), role));
    function.setResultAttr(unsigned(i), kNameAttr,
                           b.getStringAttr("r" + Twine(i)));
  }
}

/// @f for the op with these types; `module` is null where the verifier does not
/// allow them.
static OpVariant variantOf(Operation *sample, const TypeMap &map) {
  OpVariant variant;
  OwningOpRef<ModuleOp> module = ModuleOp::create(sample->getLoc());
  SmallVector<Type> arguments;
  for (Type type : sample->getOperandTypes())
    arguments.push_back(mapped(type, map));
  ScopedDiagnosticHandler quiet(sample->getContext(),
                                [](Diagnostic &) { return success(); });
  SmallVector<Value> operands;
  func::FuncOp function = createFunction(*module, arguments, sample, operands);
  OpBuilder b = OpBuilder::atBlockEnd(&function.getBody().front());
  variant.self = b.clone(*sample);
  variant.self->setOperands(operands);
  retype(variant.self, map);
  if (failed(verify(variant.self)))
    return variant;
  finishFunction(function, variant.self->getResults());
  variant.module = std::move(module);
  return variant;
}

std::vector<OpVariant> variantsOf(Operation *sample) {
  std::vector<OpVariant> variants;
  MLIRContext *context = sample->getContext();
  SmallVector<Type> all = elementTypes(context), own = typesIn(sample);
  // Operands that a body captures would stand outside of the function.
  Operation *op = sample->clone();
  std::vector<std::pair<std::string, Attribute>> kinds;
  std::string kindAttr;
  for (NamedAttribute attr : sample->getAttrs())
    for (Attribute choice : choicesOf(attr.getValue()))
      if (attr.getValue().getDialect().getNamespace() == "nn") {
        kindAttr = attr.getName().str();
        kinds.emplace_back(kindName(choice), choice);
      }
  if (kinds.empty())
    kinds.emplace_back("", Attribute());
  for (const auto &[kind, choice] : kinds) {
    if (choice)
      op->setAttr(kindAttr, choice);
    // Every choice of an element type for each that the sample has.
    size_t count = 1;
    for (size_t i = 0; i < own.size(); ++i)
      count *= all.size();
    for (size_t number = 0; number < count; ++number) {
      TypeMap map;
      std::string types;
      llvm::raw_string_ostream os(types);
      for (size_t rest = number; Type from : own) {
        map[from] = all[rest % all.size()];
        os << (types.empty() ? "" : ",") << from << '=' << map[from];
        rest /= all.size();
      }
      OpVariant variant = variantOf(op, map);
      if (!variant.module)
        continue;
      variant.op = sample->getName().getStringRef().str();
      variant.kind = kind;
      variant.types = types;
      variants.push_back(std::move(variant));
    }
  }
  op->erase();
  return variants;
}

static bool isFloat(Type type) {
  return isa<FloatType>(cast<RankedTensorType>(type).getElementType());
}

OwningOpRef<ModuleOp> gradientOf(const OpVariant &variant) {
  Operation *sample = variant.self;
  OwningOpRef<ModuleOp> module = ModuleOp::create(sample->getLoc());
  SmallVector<Type> arguments(sample->getOperandTypes());
  SmallVector<Value> values;
  func::FuncOp function = createFunction(*module, arguments, sample, values);
  OpBuilder b = OpBuilder::atBlockEnd(&function.getBody().front());
  Operation *op = b.clone(*sample);
  op->setOperands(values);
  SmallVector<Value> sources;
  for (Value operand : op->getOperands())
    if (isFloat(operand.getType()))
      sources.push_back(operand);
  Differentiator differentiator(b);
  // A value of its own, since a rule may put another op in the place of this.
  for (Value result : llvm::to_vector(op->getResults()))
    if (isFloat(result.getType()))
      differentiator.addGradient(
          result, UnaryOp::create(b, op->getLoc(), UnaryKind::Neg, result));
  SmallVector<Operation *> ops{op};
  if (failed(differentiator.run(ops, findActiveValues(ops, sources)))) {
    ADD_FAILURE() << variant.name() << " has no gradient";
    return {};
  }
  SmallVector<Value> gradients;
  for (Value source : sources)
    if (Value gradient = differentiator.gradient(source))
      gradients.push_back(gradient);
  if (gradients.empty())
    return {};
  finishFunction(function, gradients);
  return module;
}

} // namespace belfry::test
