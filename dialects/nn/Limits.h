//===- Limits.h - which numbers an argument takes ---------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that says which numbers the arguments of optimizers, losses and
// layers may be. The verifiers and the importer ask it, and the driver
// writes it into the manifest for 'fit --set'.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_LIMITS_H
#define BELFRY_NN_LIMITS_H

#include "belfry/NumberRange.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace belfry::nn {

/// The numbers that the argument `name` of `kind` takes, none for all finite
/// ones. `kind` as for describeOutOfRange.
std::optional<NumberRange> rangeOf(llvm::StringRef kind, llvm::StringRef name);

/// What is wrong with `value` as the argument `name` of `kind` (an optimizer's,
/// loss's, metric's or activation's name, or that of a layer op): "expected a
/// number from 0 to below 1, got 1.5". Empty where nothing is, as of every
/// finite number of a name without limits.
///
/// Keras 3.15.1 itself refuses few of these (SGD's `momentum`, `rate`,
/// `max_value`). With the others training ends in NaN, in a division by zero or
/// in a loss that has no meaning, which is found here instead of after it.
std::string describeOutOfRange(llvm::StringRef kind, llvm::StringRef name,
                               double value);

} // namespace belfry::nn

#endif // BELFRY_NN_LIMITS_H
