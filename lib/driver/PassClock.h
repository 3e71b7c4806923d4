//===- PassClock.h - what each pass took ------------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_DRIVER_PASSCLOCK_H
#define BELFRY_LIB_DRIVER_PASSCLOCK_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace belfry {

/// Notes the seconds of each pass.
class PassClock : public mlir::PassInstrumentation {
public:
  explicit PassClock(std::vector<std::pair<std::string, double>> &passes)
      : passes(passes) {}

  void runBeforePass(mlir::Pass *, mlir::Operation *) override {
    starts.push_back(std::chrono::steady_clock::now());
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *) override {
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - starts.pop_back_val();
    // What runs a nested pipeline has its passes' time already.
    if (!pass->getArgument().empty())
      passes.emplace_back(pass->getArgument().str(), seconds.count());
  }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override {
    runAfterPass(pass, op);
  }

private:
  std::vector<std::pair<std::string, double>> &passes;
  llvm::SmallVector<std::chrono::steady_clock::time_point> starts;
};

} // namespace belfry

#endif // BELFRY_LIB_DRIVER_PASSCLOCK_H
