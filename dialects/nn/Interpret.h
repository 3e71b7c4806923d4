//===- Interpret.h - tensors and context of the interpreter -----*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the reference meaning of core ops (InterpretableOpInterface) computes
// with. Rules are written to be read, one an op; speed matters only in
// products. lib/interpreter runs whole functions, with towers.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_INTERPRET_H
#define BELFRY_NN_INTERPRET_H

#include "belfry/NarrowFloats.h"
#include "dialects/nn/Nn.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace belfry::nn {

/// The element types of tensors on the host. i1 is a byte, 0 or 1.
enum class HostType : uint8_t { Bool, I8, I32, I64, F16, BF16, F32, F64 };

/// Bytes of one element.
size_t hostTypeSize(HostType type);
/// "i1", "i8", …, as dtypeName() has them.
llvm::StringRef hostTypeName(HostType type);

template <typename T> constexpr HostType hostTypeOf();
template <> constexpr HostType hostTypeOf<uint8_t>() { return HostType::Bool; }
template <> constexpr HostType hostTypeOf<int8_t>() { return HostType::I8; }
template <> constexpr HostType hostTypeOf<int32_t>() { return HostType::I32; }
template <> constexpr HostType hostTypeOf<int64_t>() { return HostType::I64; }
template <> constexpr HostType hostTypeOf<Half>() { return HostType::F16; }
template <> constexpr HostType hostTypeOf<BFloat16>() { return HostType::BF16; }
template <> constexpr HostType hostTypeOf<float>() { return HostType::F32; }
template <> constexpr HostType hostTypeOf<double>() { return HostType::F64; }

/// Whether values are kept in 16 bits and computed with in f32.
inline bool isNarrow(HostType type) {
  return type == HostType::F16 || type == HostType::BF16;
}
inline bool isFloat(HostType type) { return type >= HostType::F16; }
inline bool isInteger(HostType type) {
  return type >= HostType::I8 && type <= HostType::I64;
}

/// Calls `f.template operator()<T>()` with the C++ type of `type`, which is one
/// that ops compute with: all but f16 and bf16.
template <typename F> decltype(auto) dispatchComputed(HostType type, F &&f) {
  switch (type) {
  case HostType::Bool:
    return f.template operator()<uint8_t>();
  case HostType::I8:
    return f.template operator()<int8_t>();
  case HostType::I32:
    return f.template operator()<int32_t>();
  case HostType::I64:
    return f.template operator()<int64_t>();
  case HostType::F32:
    return f.template operator()<float>();
  case HostType::F64:
    return f.template operator()<double>();
  case HostType::F16:
  case HostType::BF16:
    break;
  }
  llvm_unreachable("operands of 16 bits are widened before a rule is run");
}

/// The same for any type; what `f` does has to be right for values as they are
/// stored: moves and conversions.
template <typename F> decltype(auto) dispatch(HostType type, F &&f) {
  if (type == HostType::F16)
    return f.template operator()<Half>();
  if (type == HostType::BF16)
    return f.template operator()<BFloat16>();
  return dispatchComputed(type, std::forward<F>(f));
}

/// A dense row-major tensor. Copies share the elements, which are copied when
/// one of them is written to; a tensor may be read by several threads.
class HostTensor {
public:
  /// No tensor.
  HostTensor() = default;
  /// A tensor of zeros.
  HostTensor(HostType type, llvm::ArrayRef<int64_t> shape);

  /// A tensor of given elements; their number is that of the shape.
  template <typename T>
  static HostTensor of(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<T> elements) {
    HostTensor result(hostTypeOf<T>(), shape);
    llvm::copy(elements, result.mutableValues<T>().begin());
    return result;
  }
  static HostTensor scalar(int32_t value) {
    return of<int32_t>({}, llvm::ArrayRef<int32_t>(value));
  }

  explicit operator bool() const { return storage != nullptr; }
  HostType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  int64_t getDim(int64_t d) const { return shape[d]; }
  /// The number of elements.
  int64_t size() const;
  size_t sizeInBytes() const { return size() * hostTypeSize(type); }

  /// The elements; T is the C++ type of getType().
  template <typename T> llvm::ArrayRef<T> values() const {
    return {reinterpret_cast<const T *>(storage->data()),
            static_cast<size_t>(size())};
  }
  template <typename T> llvm::MutableArrayRef<T> mutableValues() {
    makeUnique();
    return {reinterpret_cast<T *>(storage->data()),
            static_cast<size_t>(size())};
  }
  const void *data() const { return storage->data(); }
  void *mutableData() {
    makeUnique();
    return storage->data();
  }
  /// Element `index` in row-major order, as a double.
  double getAsDouble(int64_t index) const;
  /// Element `index` of a tensor of integers or truth values.
  int64_t getAsInteger(int64_t index) const;

  /// The same elements under another shape of as many elements.
  HostTensor reshape(llvm::ArrayRef<int64_t> newShape) const;
  /// With the elements converted; float to integer as nn.convert does.
  HostTensor convertTo(HostType newType) const;
  /// Elements [begin, begin + count) of dimension `dim`.
  HostTensor takeBlock(int64_t dim, int64_t begin, int64_t count) const;
  /// Joins tensors that agree but in dimension `dim`; there is at least one.
  static HostTensor join(llvm::ArrayRef<HostTensor> parts, int64_t dim);

  /// Whether types, shapes and all bits agree.
  bool isIdenticalTo(const HostTensor &other) const;

  /// "5x9xf32".
  std::string typeString() const;

private:
  void makeUnique();

  HostType type = HostType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  // Words rather than bytes, for their alignment.
  std::shared_ptr<std::vector<uint64_t>> storage;
};

/// In what precision floats are computed: rounded after each op, to f16 or bf16
/// where the program says so and else to f32, or as doubles throughout,
/// whatever the type in the program.
enum class Precision { F32, F64 };

/// What rules share: the precision, and the first error.
class InterpretContext {
public:
  struct Failure {
    mlir::Location loc;
    std::string message;
    std::string where; ///< "in tower 1 of 4", or empty
  };

  explicit InterpretContext(Precision precision) : precision(precision) {}

  Precision getPrecision() const { return precision; }
  /// How values of an element type of the program are held.
  HostType getHostType(mlir::Type element) const;

  /// Records an error about an op, unless one is there already. Rules run on
  /// several threads, so nothing is printed here.
  llvm::LogicalResult fail(mlir::Operation *op, const llvm::Twine &message);
  /// Takes over the error of another context, saying where it came up.
  llvm::LogicalResult adopt(const Failure &other, const llvm::Twine &where);
  /// The error, or null.
  const Failure *getFailure() const { return failure ? &*failure : nullptr; }

private:
  Precision precision;
  std::optional<Failure> failure;
};

/// The meaning of an op that has a rule.
using Rule = llvm::function_ref<llvm::LogicalResult(
    llvm::ArrayRef<HostTensor>, llvm::SmallVectorImpl<HostTensor> &)>;
/// Runs `rule` on operands of f16 and bf16 widened to f32, and rounds what the
/// result types of `op` want in these.
llvm::LogicalResult runWidened(mlir::Operation *op,
                               llvm::ArrayRef<HostTensor> operands,
                               InterpretContext &context,
                               llvm::SmallVectorImpl<HostTensor> &results,
                               Rule rule);

/// Runs a block of core ops, given its arguments. `results` are the operands
/// of its terminator.
llvm::LogicalResult interpretBlock(mlir::Block &block,
                                   llvm::ArrayRef<HostTensor> arguments,
                                   InterpretContext &context,
                                   llvm::SmallVectorImpl<HostTensor> &results);

} // namespace belfry::nn

#endif // BELFRY_NN_INTERPRET_H
