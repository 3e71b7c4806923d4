//===- Errors.cpp - names of errors, and functions by their names ---------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Call.h"
#include "test/fake-cuda/Functions.h"

#include <cstring>

using namespace belfry::fake;

namespace {
struct ErrorText {
  int code;
  const char *name, *text;
};
} // namespace

static constexpr ErrorText kErrors[] = {
#define DRIVER_ERROR(code, name, text) {code, "CUDA_" #name, text},
#include "test/fake-cuda/Errors.def"
};

static const ErrorText *findError(CUresult error) {
  for (const ErrorText &entry : kErrors)
    if (entry.code == int(error))
      return &entry;
  return nullptr;
}

CUresult belfry::fake::cuGetErrorName(CUresult error, const char **text) {
  return enter(__func__, kBeforeInit, [&](Call &) {
    const ErrorText *found = findError(error);
    if (text)
      *text = found ? found->name : nullptr;
    require(text && found, CUDA_ERROR_INVALID_VALUE);
  });
}

CUresult belfry::fake::cuGetErrorString(CUresult error, const char **text) {
  return enter(__func__, kBeforeInit, [&](Call &) {
    const ErrorText *found = findError(error);
    if (text)
      *text = found ? found->text : nullptr;
    require(text && found, CUDA_ERROR_INVALID_VALUE);
  });
}

namespace {
struct Symbol {
  const char *name;
  void *function;
};
} // namespace

static const Symbol kSymbols[] = {
#define DRIVER_FUNCTION(name, parameters)                                      \
  {#name, reinterpret_cast<void *>(&belfry::fake::name)},
#include "test/fake-cuda/Functions.def"
};

/// A symbol without its version gives the newest that there is.
CUresult
belfry::fake::cuGetProcAddress_v2(const char *symbol, void **function,
                                  int version, cuuint64_t,
                                  CUdriverProcAddressQueryResult *status) {
  return enter(__func__, kBeforeInit, [&](Call &call) {
    require(symbol && function, CUDA_ERROR_INVALID_VALUE);
    *function = nullptr;
    for (const std::string &name :
         {std::string(symbol) + "_v2", std::string(symbol)})
      for (const Symbol &entry : kSymbols)
        if (!*function && name == entry.name)
          *function = entry.function;
    bool old = version > call.driver.settings.driver;
    if (old)
      *function = nullptr;
    if (status)
      *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
                : old     ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                          : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    require(*function || status, CUDA_ERROR_NOT_FOUND);
  });
}
