//===- GradientTest.cpp - gradients of core ops against differences -------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each row of the table: L = Σ results·g for arbitrary fixed g; dL/dx from
// the ops that buildGradient makes, run by the interpreter in f64, against
// central differences (L(x + h) − L(x − h))/2h.
//
//===----------------------------------------------------------------------===//

#include "GradientTable.h"

#include "belfry/InitAll.h"
#include "dialects/nn/Autodiff.h"
#include "lib/interpreter/GenerateData.h"
#include "lib/interpreter/Interpreter.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;
using namespace belfry::test;

namespace {

constexpr double kStep = 1e-5;
/// h² times a third derivative, and rounding over h.
constexpr double kTolerance = 1e-7;
constexpr int64_t kBatch = 5; ///< one row a pattern of masks

MLIRContext &context() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerAllDialects(registry);
    auto *c = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    c->loadDialect<NnDialect, func::FuncDialect, tower::TowerDialect>();
    return c;
  }();
  return *context;
}

bool isFloat(Type type) {
  return isa<FloatType>(cast<RankedTensorType>(type).getElementType());
}

/// Moves the generated [-1, 1) into the argument's range.
HostTensor makeArgument(func::FuncOp f, unsigned index) {
  HostTensor tensor = generateArgument(f, index, kBatch, /*seed=*/7);
  if (!isFloat(f.getArgumentTypes()[index]))
    return tensor;
  double low = -1.5, high = 1.5;
  if (auto range = f.getArgAttrOfType<ArrayAttr>(index, "nn.range")) {
    low = cast<FloatAttr>(range[0]).getValueAsDouble();
    high = cast<FloatAttr>(range[1]).getValueAsDouble();
  }
  for (double &x : tensor.mutableValues<double>())
    x = low + (high - low) * (x + 1.0) / 2.0;
  return tensor;
}

/// Arbitrary numbers of neither small size nor one sign.
HostTensor makeCotangent(const HostTensor &result, unsigned k) {
  HostTensor g(HostType::F64, result.getShape());
  for (auto [i, v] : llvm::enumerate(g.mutableValues<double>()))
    v = std::sin(1.0 + 2.3 * static_cast<double>(i) + k) + 0.25;
  return g;
}

/// Adds a function @grad(arguments, gradients of float results) → gradients of
/// the float arguments, zeros where there is none.
FailureOr<func::FuncOp> buildGradientFunction(func::FuncOp f) {
  OpBuilder builder(f->getContext());
  builder.setInsertionPointAfter(f);
  SmallVector<Type> inputs(f.getArgumentTypes()), outputs;
  for (Type type : f.getResultTypes())
    if (isFloat(type))
      inputs.push_back(type);
  for (Type type : f.getArgumentTypes())
    if (isFloat(type))
      outputs.push_back(type);
  auto grad = func::FuncOp::create(builder, f.getLoc(), "grad",
                                   builder.getFunctionType(inputs, outputs));
  Block *body = grad.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping map;
  for (auto [from, to] : llvm::zip(f.getArguments(), body->getArguments()))
    map.map(from, to);
  SmallVector<Operation *> ops;
  for (Operation &op : f.getBody().front().without_terminator())
    ops.push_back(builder.clone(op, map));
  SmallVector<Value> sources;
  for (Value v : body->getArguments().take_front(f.getNumArguments()))
    if (isFloat(v.getType()))
      sources.push_back(v);
  Differentiator differentiator(builder);
  unsigned next = f.getNumArguments();
  for (Value v : f.getBody().front().getTerminator()->getOperands())
    if (isFloat(v.getType()))
      differentiator.addGradient(map.lookupOrDefault(v),
                                 body->getArgument(next++));
  if (failed(differentiator.run(ops, findActiveValues(ops, sources))))
    return failure();
  SmallVector<Value> gradients;
  for (Value v : sources) {
    Value g = differentiator.gradient(v);
    if (!g) {
      // Zero, as 0·x: the shape may be dynamic.
      Value zero = ConstantOp::create(
          builder, f.getLoc(),
          RankedTensorType::get(
              {}, cast<RankedTensorType>(v.getType()).getElementType()),
          0.0);
      bool isDynamic = !cast<RankedTensorType>(v.getType()).hasStaticShape();
      g = BroadcastOp::create(builder, f.getLoc(), v.getType(), zero,
                              isDynamic ? v : Value(), ArrayRef<int64_t>{});
    }
    EXPECT_EQ(g.getType(), v.getType());
    gradients.push_back(g);
  }
  func::ReturnOp::create(builder, f.getLoc(), gradients);
  if (failed(verify(grad)))
    return failure();
  return grad;
}

/// Σ results·cotangents, or NaN where the function cannot be run.
double evaluate(func::FuncOp f, ArrayRef<HostTensor> arguments,
                ArrayRef<HostTensor> cotangents) {
  SmallVector<HostTensor> results;
  InterpreterOptions options{Precision::F64, std::nullopt};
  if (failed(interpret(f, arguments, options, results)))
    return std::nan("");
  double sum = 0.0;
  unsigned next = 0;
  for (const HostTensor &result : results)
    if (result.getType() == HostType::F64) {
      ArrayRef<double> g = cotangents[next++].values<double>();
      for (auto [x, y] : llvm::zip_equal(result.values<double>(), g))
        sum += x * y;
    }
  return sum;
}

void checkRow(const GradientRow &row) {
  SCOPED_TRACE(row.about.str() + row.function.str());
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(row.function, &context());
  ASSERT_TRUE(module);
  auto f = module->lookupSymbol<func::FuncOp>("f");
  ASSERT_TRUE(f);
  SmallVector<HostTensor> arguments, results, gradients;
  for (unsigned i = 0; i < f.getNumArguments(); ++i)
    arguments.push_back(makeArgument(f, i));
  InterpreterOptions options{Precision::F64, std::nullopt};
  ASSERT_TRUE(succeeded(interpret(f, arguments, options, results)));
  SmallVector<HostTensor> cotangents;
  for (const HostTensor &result : results)
    if (result.getType() == HostType::F64)
      cotangents.push_back(
          makeCotangent(result, static_cast<unsigned>(cotangents.size())));

  FailureOr<func::FuncOp> grad = buildGradientFunction(f);
  ASSERT_TRUE(succeeded(grad));
  SmallVector<HostTensor> all(arguments);
  all.append(cotangents);
  ASSERT_TRUE(succeeded(interpret(*grad, all, options, gradients)));

  unsigned next = 0;
  for (auto [k, argument] : llvm::enumerate(arguments)) {
    if (argument.getType() != HostType::F64)
      continue;
    const HostTensor &gradient = gradients[next++];
    ASSERT_EQ(gradient.getShape(), argument.getShape());
    for (int64_t i = 0; i < argument.size(); ++i) {
      auto shifted = [&](double by) {
        SmallVector<HostTensor> moved(arguments);
        moved[k].mutableValues<double>()[i] += by;
        return evaluate(f, moved, cotangents);
      };
      double expected = (shifted(kStep) - shifted(-kStep)) / (2 * kStep);
      double got = gradient.values<double>()[i];
      EXPECT_NEAR(got, expected,
                  kTolerance * std::max(1.0, std::fabs(expected)))
          << "argument " << k << ", element " << i;
    }
  }
}

class Gradient : public testing::TestWithParam<GradientRow> {};

TEST_P(Gradient, AgreesWithDifferences) { checkRow(GetParam()); }

SmallVector<GradientRow> allRows() {
  SmallVector<GradientRow> rows(gradientRows());
  llvm::append_range(rows, scanGradientRows());
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Table, Gradient, testing::ValuesIn(allRows()),
                         [](const testing::TestParamInfo<GradientRow> &info) {
                           std::string name = info.param.about.str() + "_" +
                                              std::to_string(info.index);
                           for (char &c : name)
                             if (!llvm::isAlnum(c))
                               c = '_';
                           return name;
                         });

//===----------------------------------------------------------------------===//
// Ties and edges, where differences say nothing: Keras on TensorFlow
//===----------------------------------------------------------------------===//

/// Gradients of the float arguments of @f, which takes f64 vectors, for a
/// gradient of ones.
std::vector<std::vector<double>>
gradientsAt(llvm::StringRef text, std::vector<std::vector<double>> values) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context());
  std::vector<std::vector<double>> result;
  auto f = module ? module->lookupSymbol<func::FuncOp>("f") : func::FuncOp();
  if (!f)
    return result;
  SmallVector<HostTensor> arguments, results, gradients;
  for (const auto &v : values)
    arguments.push_back(
        HostTensor::of<double>({static_cast<int64_t>(v.size())}, v));
  InterpreterOptions options{Precision::F64, std::nullopt};
  if (failed(interpret(f, arguments, options, results)))
    return result;
  FailureOr<func::FuncOp> grad = buildGradientFunction(f);
  if (failed(grad))
    return result;
  for (const HostTensor &r : results) {
    HostTensor ones(HostType::F64, r.getShape());
    llvm::fill(ones.mutableValues<double>(), 1.0);
    arguments.push_back(ones);
  }
  if (failed(interpret(*grad, arguments, options, gradients)))
    return result;
  for (const HostTensor &g : gradients)
    result.emplace_back(g.values<double>().begin(), g.values<double>().end());
  return result;
}

using Vectors = std::vector<std::vector<double>>;

TEST(GradientAtTies, MaximumAndMinimumGiveTheLeft) {
  for (const char *kind : {"max", "min"}) {
    std::string text = std::string("func.func @f(%x: tensor<1xf64>, %y: "
                                   "tensor<1xf64>) -> tensor<1xf64> {\n"
                                   "  %z = nn.binary ") +
                       kind +
                       " %x, %y : tensor<1xf64>\n"
                       "  return %z : tensor<1xf64>\n}\n";
    EXPECT_EQ(gradientsAt(text, {{2.0}, {2.0}}), (Vectors{{1.0}, {0.0}}));
  }
}

TEST(GradientAtTies, ReduceMaxShares) {
  const char *text = R"mlir(
    func.func @f(%x: tensor<4xf64>) -> tensor<f64> {
      %z = nn.reduce max %x dims = [0] : tensor<4xf64> -> tensor<f64>
      return %z : tensor<f64>
    })mlir";
  EXPECT_EQ(gradientsAt(text, {{1.0, 3.0, 3.0, -1.0}}),
            (Vectors{{0.0, 0.5, 0.5, 0.0}}));
}

TEST(GradientAtTies, AbsAtZeroIsZero) {
  const char *text = R"mlir(
    func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
      %z = nn.unary abs %x : tensor<2xf64>
      return %z : tensor<2xf64>
    })mlir";
  EXPECT_EQ(gradientsAt(text, {{0.0, -2.0}}), (Vectors{{0.0, -1.0}}));
}

// x^y at x = 0: the logarithm's infinity does not reach the gradient.
TEST(GradientAtTies, PowAtZero) {
  const char *text = R"mlir(
    func.func @f(%x: tensor<1xf64>, %y: tensor<1xf64>) -> tensor<1xf64> {
      %z = nn.binary pow %x, %y : tensor<1xf64>
      return %z : tensor<1xf64>
    })mlir";
  EXPECT_EQ(gradientsAt(text, {{0.0}, {2.0}}), (Vectors{{0.0}, {0.0}}));
}

/// Calls f with every name of an enumeration whose values count from 0.
template <typename F, typename Symbolize>
void forEachKind(Symbolize symbolize, F f) {
  for (uint32_t i = 0; auto kind = symbolize(i); ++i)
    f(stringifyEnum(*kind).str());
}

// A core op, or a kind of one, that is not in the table fails here, so that a
// new op comes with a check of its gradient.
TEST(GradientTable, HasEveryCoreOp) {
  std::set<std::string> have, want;
  for (const GradientRow &row : allRows())
    have.insert(row.about.str());
  for (RegisteredOperationName name : context().getRegisteredOperations()) {
    if (!name.hasTrait<CoreOp>())
      continue;
    std::string op = name.getStringRef().str();
    auto add = [&](const std::string &kind) { want.insert(op + "/" + kind); };
    if (op == UnaryOp::getOperationName())
      forEachKind([](uint32_t i) { return symbolizeUnaryKind(i); }, add);
    else if (op == BinaryOp::getOperationName())
      forEachKind([](uint32_t i) { return symbolizeBinaryKind(i); }, add);
    else if (op == ReduceOp::getOperationName())
      forEachKind([](uint32_t i) { return symbolizeReduceKind(i); }, add);
    else
      want.insert(op);
  }
  EXPECT_GT(want.size(), 40u);
  EXPECT_EQ(have, want);
}

// A core op that cannot be interpreted or differentiated is no
// core op.
TEST(GradientTable, EveryCoreOpHasItsInterfaces) {
  for (RegisteredOperationName name : context().getRegisteredOperations()) {
    if (!name.hasTrait<CoreOp>())
      continue;
    EXPECT_TRUE(name.hasInterface<InterpretableOpInterface>())
        << name.getStringRef().str();
    EXPECT_TRUE(name.hasInterface<DifferentiableOpInterface>())
        << name.getStringRef().str();
  }
}

} // namespace
