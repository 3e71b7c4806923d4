//===- Arguments.cpp - arguments from files or generated ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/interpreter/Arguments.h"

#include "lib/interpreter/Npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

/// What a file holds, in the shape and kind of element of an argument: elements
/// are converted, items whose element counts agree reshaped. What does not fit
/// is left for the interpreter to refuse.
static HostTensor adapt(HostTensor tensor, RankedTensorType type) {
  Type element = type.getElementType();
  HostType wanted = InterpretContext(Precision::F64).getHostType(element);
  if (isFloat(wanted) ? !isFloat(tensor.getType())
                      : tensor.getType() != wanted) {
    HostTensor converted = tensor.convertTo(wanted);
    // An integer that has no room is not cut.
    if (isFloat(tensor.getType()) || wanted == HostType::Bool ||
        converted.convertTo(tensor.getType()).isIdenticalTo(tensor))
      tensor = converted;
  }
  SmallVector<int64_t> shape(type.getShape());
  int64_t known = 1;
  for (int64_t d : shape)
    known *= ShapedType::isDynamic(d) ? 1 : d;
  if (known == 0 || tensor.size() % known != 0)
    return tensor;
  for (int64_t &d : shape)
    d = ShapedType::isDynamic(d) ? tensor.size() / known : d;
  return type.hasStaticShape() && tensor.size() != known
             ? tensor
             : tensor.reshape(shape);
}

/// Whether the leading dimension is the rows of the batch.
static bool hasRows(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.getRank() > 0 && ranked.isDynamicDim(0);
}

/// `role.name` and its like: the file's name without its ending.
static std::string stem(func::FuncOp f, unsigned index) {
  return llvm::sys::path::stem(argumentFile(f, index)).str();
}

/// Whether a name of `data` means an argument: its name, role and name, or
/// number.
static bool isNamed(func::FuncOp f, unsigned index, StringRef key) {
  return key == argumentName(f, index) || key == stem(f, index) ||
         key == std::to_string(index);
}

FailureOr<ArgumentSource> ArgumentSource::create(Location loc,
                                                 ArrayRef<std::string> data,
                                                 ArrayRef<std::string> folders,
                                                 uint64_t seed,
                                                 ParameterValues weights) {
  ArgumentSource source;
  for (StringRef item : data) {
    auto [name, file] = item.split('=');
    if (name.empty() || file.empty())
      return emitError(loc)
             << "expected NAME=FILE.npy for 'data', got '" << item << "'";
    source.named.emplace_back(name, file);
  }
  for (const std::string &folder : folders)
    if (!llvm::sys::fs::is_directory(folder))
      return emitError(loc)
             << "'inputs' names '" << folder << "', which is no folder";
  source.folders.assign(folders.begin(), folders.end());
  source.seed = seed;
  source.weights = std::move(weights);
  return source;
}

std::string ArgumentSource::fileOf(func::FuncOp f, unsigned index) const {
  std::string file;
  for (const auto &[key, path] : named)
    if (isNamed(f, index, key))
      file = path;
  for (const std::string &folder : folders) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, argumentFile(f, index));
    if (file.empty() && llvm::sys::fs::exists(path))
      file = path.str().str();
  }
  return file;
}

LogicalResult
ArgumentSource::checkNames(Location loc,
                           ArrayRef<func::FuncOp> functions) const {
  for (const auto &[key, path] : named) {
    bool isKnown = false;
    std::string names;
    for (func::FuncOp f : functions)
      for (unsigned i = 0; i < f.getNumArguments(); ++i) {
        isKnown |= isNamed(f, i, key);
        std::optional<Role> role = argumentRole(f, i);
        std::string name = "'" + stem(f, i) + "'";
        if ((!role || hasRows(f.getArgumentTypes()[i])) &&
            names.find(name) == std::string::npos)
          names += (names.empty() ? "" : ", ") + name;
      }
    if (!isKnown)
      return emitError(loc) << "'data' names '" << key
                            << "', which is no argument; there are " << names;
  }
  return success();
}

FailureOr<HostTensor> ArgumentSource::read(func::FuncOp f, unsigned index,
                                           const std::string &file) {
  auto found = cache.find(file);
  if (found == cache.end()) {
    llvm::Expected<HostTensor> tensor = readNpy(file);
    if (!tensor)
      return emitError(f.getLoc()) << llvm::toString(tensor.takeError());
    found = cache.emplace(file, std::move(*tensor)).first;
  }
  return adapt(found->second,
               cast<RankedTensorType>(f.getArgumentTypes()[index]));
}

FailureOr<std::optional<int64_t>>
ArgumentSource::rowsOfFiles(ArrayRef<func::FuncOp> functions) {
  std::optional<int64_t> fewest;
  for (func::FuncOp f : functions)
    for (auto [i, type] : llvm::enumerate(f.getArgumentTypes())) {
      std::string file = hasRows(type) ? fileOf(f, i) : "";
      if (file.empty())
        continue;
      FailureOr<HostTensor> tensor = read(f, i, file);
      if (failed(tensor))
        return failure();
      if (tensor->getRank() > 0)
        fewest =
            std::min(fewest.value_or(tensor->getDim(0)), tensor->getDim(0));
    }
  return fewest;
}

LogicalResult ArgumentSource::make(func::FuncOp f, int64_t rows,
                                   SmallVectorImpl<HostTensor> &arguments) {
  for (auto [i, type] : llvm::enumerate(f.getArgumentTypes())) {
    if (!isa<RankedTensorType>(type))
      return emitError(f.getLoc()) << "argument " << i << " has type " << type
                                   << ", which is no ranked tensor";
    std::string file = fileOf(f, i);
    if (file.empty()) {
      arguments.push_back(generateArgument(f, i, rows, seed, weights));
      continue;
    }
    FailureOr<HostTensor> tensor = read(f, i, file);
    if (failed(tensor))
      return failure();
    if (hasRows(type) && tensor->getRank() > 0) {
      if (tensor->getDim(0) < rows)
        return emitError(f.getLoc())
               << "a batch of " << rows << " rows is asked for, '" << file
               << "' has " << tensor->getDim(0);
      tensor = tensor->takeBlock(0, 0, rows);
    }
    arguments.push_back(std::move(*tensor));
  }
  return success();
}
