//===- InterpretRandom.cpp - meaning of random numbers --------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/architecture.md, "Random numbers", is the contract. The generator is
// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2,
// 3", SC 2011), from its authors' library.
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/InterpretRules.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace belfry::nn;
using namespace belfry::nn::interp;

/// A word as a number in [0, 1), or (0, 1] with the offset 1.
static double toUnit(uint32_t word, uint32_t offset) {
  return static_cast<double>((word >> 8) + offset) * 0x1p-24;
}

/// Words (0,1) and (2,3) of a block are pairs, each of which gives two
/// normally distributed numbers (Box and Muller).
static double normal(const philox4x32_ctr_t &block, int64_t element) {
  double u = toUnit(block[element & 2], 1),
         v = toUnit(block[(element & 2) + 1], 0);
  double radius = std::sqrt(-2.0 * std::log(u));
  double angle = 2.0 * std::numbers::pi * v;
  return radius * (element & 1 ? std::sin(angle) : std::cos(angle));
}

static LogicalResult randomRule(RandomOp op, Operands operands,
                                InterpretContext &context, Results &results) {
  auto operandAt = [&](unsigned group) -> const HostTensor * {
    auto [index, length] = op.getODSOperandIndexAndLength(group);
    return length ? &operands[index] : nullptr;
  };
  const HostTensor *seed = operandAt(0), *step = operandAt(1),
                   *rowOffset = operandAt(2), *like = operandAt(3);
  RankedTensorType type = tensorType(op);
  HostType element = context.getHostType(type.getElementType());
  bool isBits = op.getKind() == RandomKind::Bits;
  if (isBits != (element == HostType::I32))
    return context.fail(op, "gives '" + stringifyEnum(op.getKind()) + "' as " +
                                hostTypeName(element));
  Shape shape = shapeLike(type, op.getLike(), like);
  int64_t rows = shape.empty() ? 1 : shape[0];
  int64_t perRow = rows ? product(shape) / rows : 0;
  uint32_t firstRow =
      rowOffset ? static_cast<uint32_t>(rowOffset->values<int32_t>()[0]) : 0;
  philox4x32_key_t key = {{static_cast<uint32_t>(seed->values<int32_t>()[0]),
                           static_cast<uint32_t>(seed->values<int32_t>()[1])}};
  HostTensor result(element, shape);
  dispatchComputed(element, [&]<typename T>() {
    T *to = result.mutableValues<T>().data();
    philox4x32_ctr_t block = {};
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t e = 0; e < perRow; ++e) {
        if (e % 4 == 0)
          block =
              philox4x32_R(10,
                           {{static_cast<uint32_t>(e / 4),
                             firstRow + static_cast<uint32_t>(row),
                             static_cast<uint32_t>(step->values<int32_t>()[0]),
                             static_cast<uint32_t>(op.getStream())}},
                           key);
        switch (op.getKind()) {
        case RandomKind::Bits:
          *to++ = static_cast<T>(static_cast<int32_t>(block[e % 4]));
          break;
        case RandomKind::Uniform:
          *to++ = static_cast<T>(toUnit(block[e % 4], 0));
          break;
        case RandomKind::Normal:
          *to++ = static_cast<T>(normal(block, e % 4));
          break;
        }
      }
  });
  results.push_back(std::move(result));
  return success();
}

void interp::attachRandomRules(MLIRContext &context) {
  attach<RandomOp, randomRule>(context);
}
