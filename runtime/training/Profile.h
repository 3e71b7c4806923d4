//===- Profile.h - where the time of a run goes -----------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_TRAINING_PROFILE_H
#define BELFRY_RUNTIME_TRAINING_PROFILE_H

#include <string>

namespace belfry::rt {

class Session;

/// The profile of all steps since Session::startProfile, as a JSON object:
/// docs/runtime.md, "Profiles", says what is in it. The ops are those of a
/// program that belfryc compiled with --profile-ops, and else none.
std::string profileJson(const Session &session);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_TRAINING_PROFILE_H
