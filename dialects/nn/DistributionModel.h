//===- DistributionModel.h - attaching transfer functions -------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_DISTRIBUTIONMODEL_H
#define BELFRY_NN_DISTRIBUTIONMODEL_H

#include "dialects/nn/Nn.h"

#include "llvm/ADT/DenseMap.h"

namespace belfry::nn {

/// What a transfer function works with: the states of the operands, and the
/// answer. Every function either gives a state to each result or asks for
/// operands to be made whole.
class Transfer {
public:
  Transfer(mlir::Operation *op, llvm::ArrayRef<DistState> operands,
           DistTransfer &answer)
      : op(op), operands(operands), answer(answer) {}

  const DistState &operator[](unsigned i) const { return operands[i]; }
  unsigned size() const { return operands.size(); }
  bool allReplicated() const {
    return llvm::all_of(operands,
                        [](const DistState &s) { return s.isReplicated(); });
  }
  bool anyPartial() const {
    return llvm::any_of(operands,
                        [](const DistState &s) { return s.isPartial(); });
  }

  void give(DistState state) { answer.results.push_back(state); }
  void giveAll(DistState state) {
    answer.results.assign(op->getNumResults(), state);
  }
  /// Asks for operands to be made whole; those that are need no mention.
  void need(unsigned operand) {
    if (!operands[operand].isReplicated() &&
        !llvm::is_contained(answer.makeWhole, operand))
      answer.makeWhole.push_back(operand);
  }
  void needAll() {
    for (unsigned i = 0; i < operands.size(); ++i)
      need(i);
  }
  void needPartial() {
    for (unsigned i = 0; i < operands.size(); ++i)
      if (operands[i].isPartial())
        need(i);
  }

private:
  mlir::Operation *op;
  llvm::ArrayRef<DistState> operands;
  DistTransfer &answer;
};

/// Attaches `ModelT::transfer(OpT, Transfer &)`.
template <typename ModelT, typename OpT>
struct DistributionModel
    : DistributableOpInterface::ExternalModel<ModelT, OpT> {
  void transfer(mlir::Operation *op, llvm::ArrayRef<DistState> operands,
                DistTransfer &answer) const {
    Transfer t(op, operands, answer);
    if (t.allReplicated() && !ModelT::kSpreads)
      return t.giveAll(DistState::replicated());
    ModelT::apply(llvm::cast<OpT>(op), t);
  }
  static void attach(mlir::MLIRContext *context) {
    OpT::template attachInterface<ModelT>(*context);
  }
  /// Whether the op makes differing values of equal ones.
  static constexpr bool kSpreads = false;
};

/// Whether a value is zero everywhere, for all its towers.
bool isZeroConstant(mlir::Value v);

/// Runs the transfer functions of a block in program order. `states` has those
/// of the values from outside that differ from replicated. Fails at the first
/// op that needs an operand made whole.
llvm::LogicalResult
propagateStates(mlir::Block &block,
                llvm::DenseMap<mlir::Value, DistState> &states);

void attachElementwiseDistribution(mlir::MLIRContext *context);
void attachShapeDistribution(mlir::MLIRContext *context);
void attachProductDistribution(mlir::MLIRContext *context);
void attachScanDistribution(mlir::MLIRContext *context);

} // namespace belfry::nn

#endif // BELFRY_NN_DISTRIBUTIONMODEL_H
