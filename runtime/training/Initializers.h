//===- Initializers.h - Keras's initializers --------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_TRAINING_INITIALIZERS_H
#define BELFRY_RUNTIME_TRAINING_INITIALIZERS_H

#include "runtime/core/Manifest.h"
#include "runtime/core/Status.h"

#include <cstddef>
#include <cstdint>

namespace belfry::rt {

/// Fills a parameter by its initializer. The values depend on seed, the
/// parameter's stream, shape and initializer only. Element e is drawn from the
/// Philox block with counter (e, attempt, "INIT", stream). The laws are
/// Keras's (keras/src/initializers): variance scaling and its six names,
/// random and truncated normal, random uniform, zeros, ones, constant,
/// identity, orthogonal, and lstm_bias, which is zeros but ones for the forget
/// gate. Fails on another name.
Status initialize(const ParameterInfo &parameter, uint64_t seed,
                  std::byte *target);

/// Whether `initialize` knows the name, in Keras's spelling of classes or of
/// functions.
bool isKnownInitializer(const std::string &name);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_TRAINING_INITIALIZERS_H
