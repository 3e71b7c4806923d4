//===- GenerateData.cpp - arguments to run a function on ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are such that a difference between two programs shows: masks of every
// pattern, weights that are not all equal, sample weights that include 0.
//
//===----------------------------------------------------------------------===//

#include "lib/interpreter/GenerateData.h"

#include "dialects/tower/Tower.h"

#include "llvm/ADT/StringExtras.h"

#include <Random123/philox.h>

#include <cmath>

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

//===----------------------------------------------------------------------===//
// Attributes of arguments
//===----------------------------------------------------------------------===//

namespace {

/// What the attributes of an argument or result say.
struct Attributes {
  std::optional<Role> role;
  std::string name, of;
};

} // namespace

/// `get` finds an attribute by name.
template <typename Get> static Attributes readAttributes(Get get) {
  Attributes result;
  auto text = [&](StringRef key) {
    auto attr = dyn_cast_or_null<StringAttr>(get(key));
    return attr ? attr.str() : std::string();
  };
  if (auto role = dyn_cast_or_null<RoleAttr>(get(kRoleAttr)))
    result.role = role.getValue();
  result.name = text(kNameAttr);
  result.of = text(kOfAttr);
  return result;
}
static Attributes ofArgument(func::FuncOp function, unsigned index) {
  return readAttributes(
      [&](StringRef key) { return function.getArgAttr(index, key); });
}
static Attributes ofResult(func::FuncOp function, unsigned index) {
  return readAttributes(
      [&](StringRef key) { return function.getResultAttr(index, key); });
}

static std::string describe(const Attributes &attributes) {
  std::string text =
      attributes.role ? stringifyEnum(*attributes.role).str() : "";
  auto add = [&](StringRef before, StringRef name) {
    if (!name.empty())
      text +=
          (Twine(text.empty() ? "" : " ") + before + "'" + name + "'").str();
  };
  add("", attributes.name);
  add("of ", attributes.of);
  return text;
}

static std::string fileName(const Attributes &attributes, unsigned index) {
  std::string name =
      attributes.role ? stringifyEnum(*attributes.role).str() : "";
  for (StringRef part : {StringRef(attributes.of), StringRef(attributes.name)})
    if (!part.empty())
      name += (Twine(name.empty() ? "" : ".") + part).str();
  if (name.empty())
    name = std::to_string(index);
  std::string file;
  for (char c : name)
    if (llvm::isAlnum(c) || c == '.' || c == '-' || c == '_')
      file += c;
    else
      file += "%" + llvm::toHex(StringRef(&c, 1));
  return file + ".npy";
}

std::string belfry::argumentName(func::FuncOp function, unsigned index) {
  return ofArgument(function, index).name;
}
std::optional<Role> belfry::argumentRole(func::FuncOp function,
                                         unsigned index) {
  return ofArgument(function, index).role;
}
std::string belfry::describeResult(func::FuncOp function, unsigned index) {
  return describe(ofResult(function, index));
}
std::string belfry::argumentFile(func::FuncOp function, unsigned index) {
  return fileName(ofArgument(function, index), index);
}
std::string belfry::resultFile(func::FuncOp function, unsigned index) {
  return fileName(ofResult(function, index), index);
}

namespace {

/// The FNV-1a hash, which is the same everywhere.
uint32_t hashOf(StringRef text) {
  uint32_t hash = 2166136261u;
  for (char c : text)
    hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
  return hash;
}

/// Numbers from the seed and a stream, one an element.
class Numbers {
public:
  Numbers(uint64_t seed, uint32_t stream)
      : key{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}},
        stream(stream) {}

  uint32_t bits(int64_t element) const {
    // The last counter word keeps clear of the streams of nn.random's rows.
    philox4x32_ctr_t counter = {{static_cast<uint32_t>(element),
                                 static_cast<uint32_t>(element >> 32), stream,
                                 ~0u}};
    return philox4x32_R(10, counter, key)[0];
  }
  /// In [low, high), with few enough bits to be exact in f32 where low and
  /// high are small.
  double uniform(int64_t element, double low, double high) const {
    double unit = static_cast<double>(bits(element) >> 8) * 0x1p-24;
    return static_cast<float>(low + (high - low) * unit);
  }
  int32_t below(int64_t element, int64_t limit) const {
    return static_cast<int32_t>(bits(element) % static_cast<uint64_t>(limit));
  }

private:
  philox4x32_key_t key;
  uint32_t stream;
};

} // namespace

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Whether step t of T is live in the pattern of a row: all, the first half,
/// the second half, with holes, none.
static bool isLive(int64_t row, int64_t t, int64_t steps) {
  switch (row % 5) {
  case 0:
    return true;
  case 1:
    return t < (steps + 1) / 2;
  case 2:
    return t >= steps / 2;
  case 3:
    return t % 3 != 1;
  default:
    return false;
  }
}

/// The constant that the program compares an input with to find masked steps:
/// follows data movement and conversions to an `nn.compare ne`, or to a
/// layer-level masking with `mask_value`.
static std::optional<double> findMaskValue(Value value, unsigned depth = 0) {
  if (depth > 8)
    return std::nullopt;
  for (Operation *user : value.getUsers()) {
    if (auto compare = dyn_cast<CompareOp>(user)) {
      if (compare.getKind() != CompareKind::Ne || compare.getLhs() != value)
        continue;
      Value other = compare.getRhs();
      if (auto broadcast = other.getDefiningOp<BroadcastOp>())
        other = broadcast.getOperand();
      auto constant = other.getDefiningOp<ConstantOp>();
      auto dense =
          constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
      if (!dense || !dense.isSplat())
        continue;
      if (isa<FloatType>(dense.getElementType()))
        return dense.getSplatValue<APFloat>().convertToDouble();
      return static_cast<double>(dense.getSplatValue<APInt>().getSExtValue());
    }
    if (isa<tower::SliceOp, ReshapeOp, TransposeOp, ConvertOp, nn::SliceOp>(
            user))
      if (auto found = findMaskValue(user->getResult(0), depth + 1))
        return found;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Values by role
//===----------------------------------------------------------------------===//

/// A parameter about its initializer's value: an exact 0 or 1 everywhere would
/// hide differences.
static HostTensor generateParameter(func::FuncOp function, StringRef name,
                                    HostTensor tensor, const Numbers &numbers) {
  double centre = 0.0, spread = 0.1;
  auto module = function->getParentOfType<ModuleOp>();
  auto parameter =
      module ? module.lookupSymbol<ParameterOp>(name) : ParameterOp();
  StringRef initializer;
  if (parameter)
    if (auto attr = parameter.getInitializer().getAs<StringAttr>("name"))
      initializer = attr.getValue();
  if (initializer == "ones" || initializer == "one")
    centre = 1.0;
  else if (tensor.getRank() >= 2) {
    // Glorot's limit, so that activations neither vanish nor saturate.
    double fanIn = static_cast<double>(tensor.getDim(tensor.getRank() - 2));
    double fanOut = static_cast<double>(tensor.getDim(tensor.getRank() - 1));
    spread = std::sqrt(6.0 / std::max(1.0, fanIn + fanOut));
  }
  MutableArrayRef<double> to = tensor.mutableValues<double>();
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = numbers.uniform(static_cast<int64_t>(i), centre - spread,
                            centre + spread);
  return tensor;
}

/// Keras's defaults, for a program that does not say its own.
static double hyperDefault(StringRef name) {
  if (name == "learning_rate")
    return 0.001;
  if (name == "beta_1" || name == "rho" || name == "momentum")
    return 0.9;
  if (name == "beta_2")
    return 0.999;
  if (name == "epsilon")
    return 1e-7;
  return 0.0;
}

/// Fills an input, or an argument without a role.
static void fillInput(Value argument, int64_t limit, HostTensor &tensor,
                      const Numbers &numbers) {
  int64_t rows = tensor.getRank() ? tensor.getDim(0) : 1;
  int64_t perRow = rows ? tensor.size() / rows : 0;
  // Rows have steps where there is a second dimension.
  int64_t steps = tensor.getRank() >= 2 ? tensor.getDim(1) : 1;
  std::optional<double> masked = findMaskValue(argument);
  dispatch(tensor.getType(), [&]<typename T>() {
    MutableArrayRef<T> to = tensor.mutableValues<T>();
    for (int64_t i = 0; i < tensor.size(); ++i) {
      int64_t row = i / perRow, t = (i % perRow) * steps / perRow;
      bool live = isLive(row, t, steps);
      if constexpr (std::is_same_v<T, uint8_t>)
        to[i] = live;
      else if (masked && !live && tensor.getRank() >= 2)
        to[i] = static_cast<T>(*masked);
      else if constexpr (std::is_integral_v<T>)
        to[i] = static_cast<T>(numbers.below(i, limit));
      else
        to[i] = static_cast<T>(numbers.uniform(i, -1.0, 1.0));
    }
  });
}

HostTensor belfry::generateArgument(func::FuncOp function, unsigned index,
                                    int64_t batch, uint64_t seed,
                                    const ParameterValues &values) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[index]);
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &d : shape)
    d = ShapedType::isDynamic(d) ? batch : d;
  Type element = type.getElementType();
  HostTensor tensor(InterpretContext(Precision::F64).getHostType(element),
                    shape);
  bool isFloat = nn::isFloat(tensor.getType());
  std::optional<Role> role = argumentRole(function, index);
  std::string name = argumentName(function, index);
  std::string stream = role ? stringifyEnum(*role).str() : "";
  Numbers numbers(seed, hashOf(stream + "/" +
                               (name.empty() ? std::to_string(index) : name)));
  auto limitAttr = function.getArgAttrOfType<IntegerAttr>(index, kLimitAttr);
  int64_t limit = limitAttr ? std::max<int64_t>(1, limitAttr.getInt())
                  : role == Role::Target ? 2
                                         : 10;
  switch (role.value_or(Role::Input)) {
  case Role::Target:
    // 0 or 1 suits every loss.
    dispatchComputed(tensor.getType(), [&]<typename T>() {
      MutableArrayRef<T> to = tensor.mutableValues<T>();
      for (int64_t i = 0; i < tensor.size(); ++i)
        to[i] = static_cast<T>(
            numbers.below(i, nn::isInteger(tensor.getType()) ? limit : 2));
    });
    return tensor;
  case Role::SampleWeight:
    if (isFloat)
      for (int64_t i = 0; i < tensor.size(); ++i)
        tensor.mutableValues<double>()[i] = 0.5 * numbers.below(i, 5);
    return tensor;
  case Role::Parameter:
    if (auto value = values.find(name); value != values.end())
      return value->second;
    if (isFloat)
      return generateParameter(function, name, tensor, numbers);
    return tensor;
  case Role::Slot:
  case Role::Step:
    return tensor;
  case Role::Hyper:
    if (isFloat && tensor.size() == 1) {
      auto value = function.getArgAttrOfType<FloatAttr>(index, kValueAttr);
      tensor.mutableValues<double>()[0] =
          value ? value.getValueAsDouble() : hyperDefault(name);
    }
    return tensor;
  case Role::Seed:
    if (tensor.getType() == HostType::I32 && tensor.size() == 2) {
      tensor.mutableValues<int32_t>()[0] = static_cast<int32_t>(seed);
      tensor.mutableValues<int32_t>()[1] = static_cast<int32_t>(seed >> 32);
    }
    return tensor;
  default:
    fillInput(function.getArgument(index), limit, tensor, numbers);
    return tensor;
  }
}
