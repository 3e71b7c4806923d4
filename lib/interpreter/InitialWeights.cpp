//===- InitialWeights.cpp - values of a module's parameters ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/interpreter/InitialWeights.h"

#include "lib/import/Import.h"
#include "lib/import/Weights.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

/// How an element is kept in the block of weights.
static HostType storedType(Type element) {
  if (element.isF64())
    return HostType::F64;
  return InterpretContext(Precision::F32).getHostType(element);
}

llvm::Expected<ParameterValues>
belfry::readInitialWeights(ModuleOp module, StringRef moduleFile) {
  ParameterValues values;
  std::string path = weightsPath(module, moduleFile);
  if (path.empty() || !llvm::sys::fs::exists(path))
    return values;
  llvm::Expected<std::vector<uint8_t>> block = readWeights(path, module);
  if (!block)
    return block.takeError();
  uint64_t offset = 0;
  for (auto parameter : module.getOps<ParameterOp>()) {
    auto type = cast<RankedTensorType>(parameter.getType());
    HostTensor tensor(storedType(type.getElementType()), type.getShape());
    offset = llvm::alignTo(offset, kWeightAlignment);
    if (offset + tensor.sizeInBytes() > block->size())
      return llvm::createStringError("'" + path + "' ends within parameter '" +
                                     parameter.getSymName() + "'");
    std::memcpy(tensor.mutableData(), block->data() + offset,
                tensor.sizeInBytes());
    offset += tensor.sizeInBytes();
    values[parameter.getSymName()] = tensor;
  }
  return values;
}
