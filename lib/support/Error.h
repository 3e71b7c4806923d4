//===- Error.h - an error that is a message ---------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_SUPPORT_ERROR_H
#define BELFRY_LIB_SUPPORT_ERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace belfry {

/// An error of the user's or the system's, in the words that are printed.
inline llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

} // namespace belfry

#endif // BELFRY_LIB_SUPPORT_ERROR_H
