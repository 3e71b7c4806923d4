//===- DeviceCode.h - what a program for GPUs carries ----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_LIB_DRIVER_DEVICECODE_H
#define BELFRY_LIB_DRIVER_DEVICECODE_H

#include "lib/cuda/Ptx.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace belfry {

/// All kernels of a program.
struct DeviceCode {
  std::string ptx;
  unsigned ptxArchitecture = 0; ///< the least that it is for, 75 is sm_75
  std::vector<Cubin> cubins;    ///< one for each architecture
  std::string certificate;      ///< JSON

  /// Hashes of the images as they are in a program, PTX last: FNV-1a of 64
  /// bits, of PTX without the zero at its end.
  std::vector<uint64_t> hashes() const;
};

/// Adds a `belfry_device_code` to the LLVM module of a program whose MLIR
/// module, of stage `target` for CUDA, is `source`, and returns its address.
llvm::Expected<llvm::Constant *> defineDeviceCode(llvm::Module &module,
                                                  mlir::ModuleOp source,
                                                  const DeviceCode &code);

/// Adds the table `belfry_emulated` of kernels that are functions of the host
/// (belfry/EmulatedKernels.h), and exports it.
llvm::Error defineEmulatedTable(llvm::Module &module, mlir::ModuleOp source,
                                llvm::ArrayRef<uint64_t> hashes);

} // namespace belfry

#endif // BELFRY_LIB_DRIVER_DEVICECODE_H
