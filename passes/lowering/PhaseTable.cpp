//===- PhaseTable.cpp - the form of the table of functions ----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module of these levels may come from a file that somebody wrote, so its
// attributes are checked before they are read. docs/host-target.md has the
// form.
//
//===----------------------------------------------------------------------===//

#include "passes/lowering/PhaseAttrs.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace belfry;

namespace {

/// Of one function of the table.
struct Checker {
  Location loc;
  StringRef function;
  ArrayAttr phases;

  LogicalResult fails(const Twine &what) const {
    return emitError(loc, "'")
           << kFunctionsAttr << "', function '" << function << "': " << what;
  }
  LogicalResult buffer(Attribute attr) const;
  LogicalResult item(Attribute attr, int64_t buffers) const;
  LogicalResult table(Attribute attr) const;
};

} // namespace

LogicalResult Checker::buffer(Attribute attr) const {
  auto row = dyn_cast<DictionaryAttr>(attr);
  if (!row)
    return fails("a buffer is no dictionary");
  for (StringRef key : {"kind", "scope", "dtype"})
    if (!row.getAs<StringAttr>(key))
      return fails("a buffer has no string '" + key + "'");
  auto bytes = row.getAs<ArrayAttr>("bytes");
  if (!bytes || bytes.size() != 2 || !llvm::all_of(bytes, [](Attribute part) {
        return isa<IntegerAttr>(part);
      }))
    return fails("a buffer's 'bytes' are not two integers");
  return success();
}

LogicalResult Checker::item(Attribute attr, int64_t buffers) const {
  auto entry = dyn_cast<DictionaryAttr>(attr);
  if (!entry)
    return fails("an item of the schedule is no dictionary");
  auto within = [&](StringRef key, int64_t limit) {
    auto number = entry.getAs<IntegerAttr>(key);
    return number && number.getValue().isNonNegative() &&
           number.getInt() < limit;
  };
  if (entry.get("phase")) {
    if (!within("phase", static_cast<int64_t>(phases.size())))
      return fails("the schedule names a phase that '" + kPhasesAttr +
                   "' does not have");
    if (!entry.getAs<StringAttr>("run"))
      return fails("a phase of the schedule has no string 'run'");
    return success();
  }
  for (StringRef end : {"from", "to"})
    if (!within(end, buffers))
      return fails("'" + end + "' of a collective is no buffer of the " +
                   Twine(buffers) + " of the function");
  return success();
}

LogicalResult Checker::table(Attribute attr) const {
  auto dictionary = dyn_cast<DictionaryAttr>(attr);
  auto buffers =
      dictionary ? dictionary.getAs<ArrayAttr>("buffers") : ArrayAttr();
  auto schedule =
      dictionary ? dictionary.getAs<ArrayAttr>("schedule") : ArrayAttr();
  if (!buffers || !schedule)
    return fails("expected arrays 'buffers' and 'schedule'");
  for (Attribute row : buffers)
    if (failed(buffer(row)))
      return failure();
  for (Attribute entry : schedule)
    if (failed(item(entry, static_cast<int64_t>(buffers.size()))))
      return failure();
  return success();
}

LogicalResult belfry::verifyPhaseTable(ModuleOp module) {
  auto tables = module->getAttrOfType<DictionaryAttr>(kFunctionsAttr);
  auto phases = module->getAttrOfType<ArrayAttr>(kPhasesAttr);
  if (!tables || !phases)
    return module.emitError("expected '")
           << kFunctionsAttr << "' and '" << kPhasesAttr
           << "' on the module; --split-phases writes them";
  for (Attribute phase : phases)
    if (!isa<FlatSymbolRefAttr>(phase))
      return emitError(module.getLoc(), "'")
             << kPhasesAttr << "' has " << phase << ", which is no symbol";
  for (NamedAttribute entry : tables)
    if (failed(Checker{module.getLoc(), entry.getName(), phases}.table(
            entry.getValue())))
      return failure();
  return success();
}

ArrayAttr belfry::bufferTableOf(func::FuncOp phase) {
  auto functions =
      phase->getParentOp()->getAttrOfType<DictionaryAttr>(kFunctionsAttr);
  auto name = phase->getAttrOfType<StringAttr>(kFunctionAttr);
  if (!functions || !name)
    return {};
  auto function = functions.getAs<DictionaryAttr>(name.getValue());
  return function ? function.getAs<ArrayAttr>("buffers") : ArrayAttr();
}
