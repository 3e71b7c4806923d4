//===- Weights.h - values of parameters and Keras's weight files - -*- C++
//-*--===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A model's values as one block of memory, as the binary keeps them: tensors in
// the order of the module's nn.parameter ops, dense, row-major, each at a
// multiple of 64 bytes (include/belfry/Runtime.h).
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_IMPORT_WEIGHTS_H
#define BELFRY_LIB_IMPORT_WEIGHTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace belfry {

/// Alignment of a tensor in the block, in bytes.
constexpr uint64_t kWeightAlignment = 64;

/// Bytes of the block of a module's parameters.
llvm::Expected<uint64_t> weightBytes(mlir::ModuleOp module);

/// Reads the values of a module's parameters from a `.weights.h5` file or a
/// `.keras` archive. Every parameter has to be there with its shape, and no
/// variable may be left over, except the optimizer's; the error lists what
/// disagrees.
llvm::Expected<std::vector<uint8_t>> readWeights(llvm::StringRef path,
                                                 mlir::ModuleOp module);

/// The same from the bytes of an HDF5 file; `where` names it in errors.
llvm::Expected<std::vector<uint8_t>>
readWeightsImage(llvm::ArrayRef<uint8_t> image, llvm::StringRef where,
                 mlir::ModuleOp module);

/// Writes the block as a `.weights.h5` that Keras 3 loads: to a temporary name
/// beside `path`, which then takes the place of `path`.
llvm::Error writeWeights(llvm::StringRef path, mlir::ModuleOp module,
                         llvm::ArrayRef<uint8_t> block);

} // namespace belfry

#endif // BELFRY_LIB_IMPORT_WEIGHTS_H
