//===- EmitterFrame.h - the calls of one run through a functional model - -*-
// C++ -*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Private to the Emitter*.cpp files.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_EMITTERFRAME_H
#define BELFRY_LIB_IMPORT_EMITTERFRAME_H

#include "lib/import/Emitter.h"

namespace belfry {

/// One run through a functional model.
struct Emitter::Frame {
  /// Results of calls made so far, by layer and number of the call.
  std::map<std::pair<std::string, int64_t>, std::vector<NodeValue>> results;

  const NodeValue *find(const TensorRef &ref) const {
    auto found = results.find({ref.layer, ref.node});
    if (found == results.end() || ref.tensor < 0 ||
        size_t(ref.tensor) >= found->second.size())
      return nullptr;
    return &found->second[size_t(ref.tensor)];
  }
};

/// A node of keras.ops, evaluated when it is read first.
struct Emitter::OperationNode {
  const LayerConfig *config = nullptr;
  const CallConfig *call = nullptr;
  Frame *frame = nullptr;
  std::string path;
  mlir::Value value;

  const Argument *argument(size_t index) const {
    return index < call->args.size() ? &call->args[index] : nullptr;
  }
};

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_EMITTERFRAME_H
