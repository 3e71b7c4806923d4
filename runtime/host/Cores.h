//===- Cores.h - which cores a process may use ------------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_HOST_CORES_H
#define BELFRY_RUNTIME_HOST_CORES_H

#include <vector>

namespace belfry::rt {

/// The numbers of the cores that the calling thread may run on, in order.
std::vector<int> allowedCores();

/// How many threads make sense: the allowed cores, or fewer where a control
/// group (v1 or v2, own or of an ancestor) grants less processor time; at
/// least 1.
int usableCores();

/// Restricts the calling thread to `cores`; false where that isn't allowed.
bool pinThisThread(const std::vector<int> &cores);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_HOST_CORES_H
