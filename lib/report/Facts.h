//===- Facts.h - what a compilation knows about a program -------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one model of facts behind every rendering of the report. It is collected
// from a module of stage `placed` and kept in the manifest under `report`, so
// that a training binary can tell the same as its model.
//
// Counting: an arithmetic operation on an element is one flop, whatever it is;
// a multiply-add is two. A product of (m,k) and (k,n) has 2·m·n·k. Data
// movement has none. Bytes are those of operands and results, each once; ops
// that share a loop keep some of them in registers. What stands in a scan
// counts once a step.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_REPORT_FACTS_H
#define BELFRY_LIB_REPORT_FACTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>
#include <vector>

namespace belfry {

/// `perRow · rows + fixed`, where the rows are those of a tower for an op that
/// runs in each tower, and those of the batch for others.
struct RowCount {
  int64_t perRow = 0, fixed = 0;
  int64_t at(int64_t rows) const { return perRow * rows + fixed; }
  RowCount &operator+=(const RowCount &other) {
    perRow += other.perRow;
    fixed += other.fixed;
    return *this;
  }
};

/// Ops of one kind in one layer, with the same kernel and type.
struct OpFact {
  std::string function; ///< predict, evaluate or train
  std::string part;     ///< forward, backward or update
  std::string layer;    ///< empty for what belongs to none
  std::string op;       ///< as the IR names it: `dot`, `unary tanh`
  std::string type;     ///< of the first result
  std::string asked, given, kernel, reason;
  bool perTower = false; ///< once a tower, or once for all of them
  int64_t ops = 0;       ///< how many ops
  int64_t runs = 0;      ///< how often they run in a step, all together
  RowCount flops, read, written;
};

/// An all-reduce or all-gather of a step. What it moves is one bucket.
struct CollectiveFact {
  std::string function, kind, dtype;
  /// Parameters whose gradients it sums, or the layers that it serves.
  std::vector<std::string> members;
  RowCount bytes; ///< of a tower's value
};

struct Facts {
  std::vector<OpFact> ops;
  std::vector<CollectiveFact> collectives;
};

/// From a module of stage `placed`.
Facts collectFacts(mlir::ModuleOp module);

llvm::json::Value toJson(const Facts &facts);
/// The error says what is malformed.
llvm::Expected<Facts> factsFromJson(const llvm::json::Value &json);

} // namespace belfry

#endif // BELFRY_LIB_REPORT_FACTS_H
