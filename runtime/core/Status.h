//===- Status.h - what a call of the runtime returns ------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing in the runtime below main prints or exits: a call returns a Status,
// or an Expected with a value, and the message travels up to the command line.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_STATUS_H
#define BELFRY_RUNTIME_CORE_STATUS_H

#include <string>
#include <utility>
#include <variant>

namespace belfry::rt {

/// The exit status that a failure leads to.
enum class ErrorKind { User = 1, Internal = 2, Check = 3 };

/// Success, or a kind of error with its message: lower case, without a full
/// stop; further lines are notes.
class [[nodiscard]] Status {
public:
  Status() = default;
  static Status success() { return {}; }
  static Status user(std::string message) {
    return Status(ErrorKind::User, std::move(message));
  }
  static Status internal(std::string message) {
    return Status(ErrorKind::Internal, std::move(message));
  }

  bool ok() const { return !failed; }
  /// Of a failure.
  ErrorKind kind() const { return failure; }
  const std::string &message() const { return text; }
  /// The same failure with `prefix: ` before its message.
  Status withPrefix(const std::string &prefix) const {
    return ok() ? *this : Status(kind(), prefix + ": " + message());
  }

private:
  Status(ErrorKind kind, std::string message)
      : failed(true), failure(kind), text(std::move(message)) {}
  bool failed = false;
  ErrorKind failure = ErrorKind::Internal;
  std::string text;
};

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : held(std::in_place_index<0>, std::move(value)) {}
  Expected(Status status) : held(std::in_place_index<1>, std::move(status)) {}

  bool ok() const { return held.index() == 0; }
  /// Success where there is a value.
  Status status() const { return ok() ? Status() : std::get<1>(held); }
  T &operator*() { return std::get<0>(held); }
  const T &operator*() const { return std::get<0>(held); }
  T *operator->() { return &std::get<0>(held); }
  const T *operator->() const { return &std::get<0>(held); }

private:
  std::variant<T, Status> held;
};

/// Returns the failure of `EXPRESSION` from the enclosing function.
#define BELFRY_RETURN_IF_ERROR(EXPRESSION)                                     \
  do {                                                                         \
    ::belfry::rt::Status belfryStatus = (EXPRESSION);                          \
    if (!belfryStatus.ok())                                                    \
      return belfryStatus;                                                     \
  } while (false)

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_STATUS_H
