//===- Feed.h - arrays bound to the tensors of a model ----------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_DATA_FEED_H
#define BELFRY_RUNTIME_DATA_FEED_H

#include "runtime/core/Manifest.h"
#include "runtime/data/Array.h"

#include <functional>
#include <string>
#include <vector>

namespace belfry::rt {

/// An array as the command line gives it: `name=A`, or A alone.
struct NamedArray {
  std::string name; ///< empty where none was given
  Array array;
};

/// Says something to the user, once each.
using Notify = std::function<void(const std::string &)>;

/// The arrays of one role (inputs, targets, sample weights), in the order of
/// the manifest, checked against it and ready to be gathered.
class Feed {
public:
  /// `role` and `option` are for messages: "input", "--x". Checks names, ranks
  /// and feature sizes, types and ranges. With `optional`, tensors without an
  /// array are ones (sample weights).
  static Expected<Feed> bind(const std::vector<TensorInfo> &tensors,
                             const std::vector<NamedArray> &arrays,
                             const std::string &role, const std::string &option,
                             bool optional, const Notify &notify);

  /// Multiplies floating-point tensors with `scale`.
  void setScale(const Scale &scale);

  /// The rows that all arrays have; -1 where there is no array. Fails where
  /// they differ.
  Expected<int64_t> rows() const;
  /// The name in messages of the first array, with its rows.
  std::string describe() const;

  /// The rows [first, last) of each array.
  Feed slice(int64_t first, int64_t last) const;

  /// Converts rows `indices[0 … count)` of tensor `tensor` into `target`;
  /// without `indices`, the rows from `first` on.
  void gather(size_t tensor, const int64_t *indices, int64_t first,
              int64_t count, std::byte *target) const;

  /// The rows from `first` on where they lie in the array as `gather` would
  /// write them, aligned to their elements; null where they don't.
  const std::byte *inPlace(size_t tensor, int64_t first) const;

  size_t size() const { return bound.size(); }
  const TensorInfo &info(size_t tensor) const { return *bound[tensor].info; }

private:
  struct Bound {
    const TensorInfo *info = nullptr;
    bool present = false;
    Array array;
    Scale scale;
  };
  std::vector<Bound> bound;
  std::string option;
};

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_DATA_FEED_H
