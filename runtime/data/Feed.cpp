//===- Feed.cpp - arrays bound to the tensors of a model ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/Feed.h"

using namespace belfry::rt;

namespace {

std::string listNames(const std::vector<TensorInfo> &tensors) {
  std::string text;
  for (const TensorInfo &tensor : tensors)
    text += (text.empty() ? "'" : ", '") + tensor.name + "'";
  return text;
}

/// Finds the tensor that `array` is for.
Expected<size_t> tensorFor(const std::vector<TensorInfo> &tensors,
                           const NamedArray &array, const std::string &role,
                           const std::string &option) {
  if (array.name.empty()) {
    if (tensors.size() == 1)
      return size_t(0);
    return Status::user("'" + option + " " + array.array.source +
                        "' names no " + role + "; write '" + option +
                        " NAME=" + array.array.source + "', the names are " +
                        listNames(tensors));
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == array.name)
      return i;
  return Status::user("'" + option + " " + array.name + "=…': the model has " +
                      (tensors.empty()
                           ? "no " + role
                           : "no " + role + " '" + array.name +
                                 "', the names are " + listNames(tensors)));
}

/// Compares the shape of an item with the model's, and says what it reshapes.
Status checkShape(const TensorInfo &tensor, const Array &array,
                  const std::string &role, const Notify &notify) {
  Shape wanted(tensor.shape.begin() + 1, tensor.shape.end());
  Shape found(array.shape.begin() + 1, array.shape.end());
  if (wanted == found)
    return Status::success();
  if (numElements(wanted) != numElements(found))
    return Status::user("'" + array.source + "': " + role + " '" + tensor.name +
                        "' takes rows of shape " + toString(wanted) + ", got " +
                        toString(found));
  // (B,) for (B, 1) and back is everybody's habit.
  Shape longer = wanted.size() > found.size() ? wanted : found;
  Shape shorter = wanted.size() > found.size() ? found : wanted;
  shorter.resize(longer.size(), 1);
  if (shorter != longer && notify)
    notify("'" + array.source + "': rows of shape " + toString(found) +
           " are taken as " + toString(wanted) + " for " + role + " '" +
           tensor.name + "'");
  return Status::success();
}

} // namespace

Expected<Feed> Feed::bind(const std::vector<TensorInfo> &tensors,
                          const std::vector<NamedArray> &arrays,
                          const std::string &role, const std::string &option,
                          bool optional, const Notify &notify) {
  Feed feed;
  feed.option = option;
  for (const TensorInfo &tensor : tensors) {
    feed.bound.emplace_back();
    feed.bound.back().info = &tensor;
  }
  for (const NamedArray &array : arrays) {
    Expected<size_t> index = tensorFor(tensors, array, role, option);
    if (!index.ok())
      return index.status();
    Bound &bound = feed.bound[*index];
    const TensorInfo &tensor = *bound.info;
    if (bound.present)
      return Status::user("'" + option + "' gives two arrays for " + role +
                          " '" + tensor.name + "': '" + bound.array.source +
                          "' and '" + array.array.source + "'");
    BELFRY_RETURN_IF_ERROR(checkShape(tensor, array.array, role, notify));
    Status fits = checkConvertible(array.array, tensor.dtype, tensor.limit,
                                   tensor.ignore);
    if (!fits.ok())
      return Status::user(
          role + " '" + tensor.name + "': " + fits.message() +
          (tensor.layer.empty() ? "" : " (layer '" + tensor.layer + "')"));
    bound.present = true;
    bound.array = array.array;
  }
  for (const Bound &bound : feed.bound)
    if (!bound.present && !optional)
      return Status::user(role + " '" + bound.info->name +
                          "' is missing; give it with '" + option + " " +
                          (tensors.size() > 1 ? bound.info->name + "=" : "") +
                          "FILE'");
  return feed;
}

void Feed::setScale(const Scale &scale) {
  for (Bound &one : bound)
    if (isFloat(one.info->dtype))
      one.scale = scale;
}

Expected<int64_t> Feed::rows() const {
  int64_t rows = -1;
  const Bound *first = nullptr;
  for (const Bound &one : bound) {
    if (!one.present)
      continue;
    if (first && one.array.rows() != rows)
      return Status::user(
          "'" + one.array.source + "' has " + std::to_string(one.array.rows()) +
          " rows, '" + first->array.source + "' has " + std::to_string(rows));
    rows = one.array.rows();
    first = &one;
  }
  return rows;
}

std::string Feed::describe() const {
  for (const Bound &one : bound)
    if (one.present)
      return "'" + one.array.source + "' (" + option + ") has " +
             std::to_string(one.array.rows()) + " rows";
  return "no array";
}

Feed Feed::slice(int64_t first, int64_t last) const {
  Feed part = *this;
  for (Bound &one : part.bound)
    if (one.present)
      one.array = one.array.slice(first, last);
  return part;
}

void Feed::gather(size_t tensor, const int64_t *indices, int64_t first,
                  int64_t count, std::byte *target) const {
  const Bound &one = bound[tensor];
  DType type = one.info->dtype;
  int64_t elements = one.info->rowElements();
  size_t rowBytes = size_t(elements) * sizeOf(type);
  if (!one.present) {
    // A missing sample weight is one, whatever its element type.
    uint8_t ones = 1;
    for (int64_t i = 0; i < count * elements; ++i)
      convertElements(RawType::U8, reinterpret_cast<std::byte *>(&ones), type,
                      target + size_t(i) * sizeOf(type), 1, {});
    return;
  }
  size_t sourceBytes = one.array.rowBytes();
  if (!indices) {
    convertElements(one.array.type,
                    one.array.data + size_t(first) * sourceBytes, type, target,
                    count * elements, one.scale);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    convertElements(one.array.type,
                    one.array.data + size_t(indices[i]) * sourceBytes, type,
                    target + size_t(i) * rowBytes, elements, one.scale);
}

const std::byte *Feed::inPlace(size_t tensor, int64_t first) const {
  const Bound &one = bound[tensor];
  DType type = one.info->dtype;
  if (!one.present || !isSame(one.array.type, type) || !one.scale.isOne())
    return nullptr;
  const std::byte *rows = one.array.data + size_t(first) * one.array.rowBytes();
  bool aligned = reinterpret_cast<uintptr_t>(rows) % sizeOf(type) == 0;
  return aligned ? rows : nullptr;
}
