//===- DeviceCode.cpp - what a program for GPUs carries -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/DeviceCode.h"

#include "lib/support/Error.h"

#include "belfry/EmulatedKernels.h"
#include "belfry/Runtime.h"
#include "passes/cuda/KernelAttrs.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"

using namespace belfry;
using llvm::StringRef;

namespace {

/// Writes constant tables into a module.
class Tables {
public:
  explicit Tables(llvm::Module &module)
      : module(module), context(module.getContext()) {}

  llvm::Type *pointer() { return llvm::PointerType::get(context, 0); }
  llvm::Constant *i32(uint64_t n) {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), n);
  }
  llvm::Constant *i64(uint64_t n) {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), n);
  }
  llvm::Constant *null() {
    return llvm::ConstantPointerNull::get(
        llvm::cast<llvm::PointerType>(pointer()));
  }
  llvm::Constant *place(llvm::Constant *value, uint64_t alignment = 8,
                        StringRef section = "") {
    auto *global = new llvm::GlobalVariable(
        module, value->getType(), /*isConstant=*/true,
        llvm::GlobalValue::InternalLinkage, value, "belfry_table");
    global->setAlignment(llvm::Align(alignment));
    if (!section.empty())
      global->setSection(section);
    return global;
  }
  /// Equal texts are one.
  llvm::Constant *text(StringRef value) {
    llvm::Constant *&known = texts[value];
    if (!known)
      known = place(llvm::ConstantDataArray::getString(context, value), 1);
    return known;
  }
  llvm::Constant *bytes(StringRef value, bool terminated, StringRef section) {
    return place(llvm::ConstantDataArray::getString(context, value, terminated),
                 64, section);
  }
  llvm::Constant *record(llvm::ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(context, fields);
  }
  llvm::Constant *list(llvm::ArrayRef<llvm::Constant *> records) {
    if (records.empty())
      return null();
    return place(llvm::ConstantArray::get(
        llvm::ArrayType::get(records.front()->getType(), records.size()),
        records));
  }

private:
  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::StringMap<llvm::Constant *> texts;
};

/// A row of kKernelsAttr or kSitesAttr.
struct Row {
  mlir::DictionaryAttr attr;
  StringRef text(StringRef name) const {
    auto value = attr.getAs<mlir::StringAttr>(name);
    return value ? value.getValue() : StringRef();
  }
  int64_t number(StringRef name) const {
    auto value = attr.getAs<mlir::IntegerAttr>(name);
    return value ? value.getInt() : -1;
  }
  llvm::ArrayRef<int64_t> words() const {
    auto value = attr.getAs<mlir::DenseI64ArrayAttr>("words");
    return value ? value.asArrayRef() : llvm::ArrayRef<int64_t>();
  }
};

} // namespace

static llvm::Expected<llvm::SmallVector<Row>> rowsOf(mlir::ModuleOp module,
                                                     StringRef name) {
  auto list = module->getAttrOfType<mlir::ArrayAttr>(name);
  llvm::SmallVector<Row> rows;
  for (mlir::Attribute one : list ? list : mlir::ArrayAttr()) {
    auto row = llvm::dyn_cast<mlir::DictionaryAttr>(one);
    if (!row)
      return makeError("'" + name +
                       "' of the module is no list of "
                       "dictionaries");
    rows.push_back({row});
  }
  if (!list)
    return makeError("the module has no '" + name + "'");
  return rows;
}

static uint64_t hashOf(StringRef bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

std::vector<uint64_t> DeviceCode::hashes() const {
  std::vector<uint64_t> result;
  for (const Cubin &cubin : cubins)
    result.push_back(hashOf(cubin.bytes));
  result.push_back(hashOf(ptx));
  return result;
}

llvm::Expected<llvm::Constant *>
belfry::defineDeviceCode(llvm::Module &module, mlir::ModuleOp source,
                         const DeviceCode &code) {
  auto kernelRows = rowsOf(source, kKernelsAttr);
  if (!kernelRows)
    return kernelRows.takeError();
  auto siteRows = rowsOf(source, kSitesAttr);
  if (!siteRows)
    return siteRows.takeError();
  Tables tables(module);
  llvm::SmallVector<llvm::Constant *> kernels, sites, images;
  for (const Row &row : *kernelRows)
    kernels.push_back(tables.record({tables.text(row.text("name")),
                                     tables.i32(row.number("threads")),
                                     tables.i32(row.words().size())}));
  for (const Row &row : *siteRows) {
    int64_t kernel = row.number("kernel");
    if (kernel < 0 || kernel >= int64_t(kernels.size()))
      return makeError("a launch of '" + kSitesAttr + "' names no kernel");
    sites.push_back(tables.record(
        {tables.text(row.text("layer")), tables.i32(kernel), tables.i32(0)}));
  }
  constexpr StringRef section = ".belfry.kernels";
  for (const Cubin &cubin : code.cubins)
    images.push_back(tables.record(
        {tables.bytes(cubin.bytes, /*terminated=*/false, section),
         tables.i64(cubin.bytes.size()), tables.i32(cubin.sm), tables.i32(0)}));
  images.push_back(
      tables.record({tables.bytes(code.ptx, /*terminated=*/true, section),
                     tables.i64(code.ptx.size() + 1),
                     tables.i32(code.ptxArchitecture), tables.i32(1)}));
  llvm::GlobalVariable *constants =
      module.getGlobalVariable(kConstantsName, /*AllowInternal=*/true);
  uint64_t constantBytes =
      constants
          ? module.getDataLayout().getTypeAllocSize(constants->getValueType())
          : 0;
  llvm::FunctionCallee open = module.getOrInsertFunction(
      "belfry_cuda_open",
      llvm::FunctionType::get(tables.pointer(), {tables.pointer()}, false));
  // belfry_device_code, field by field.
  return tables.place(tables.record(
      {llvm::cast<llvm::Constant>(open.getCallee()), tables.list(kernels),
       tables.list(sites), tables.list(images),
       constants ? static_cast<llvm::Constant *>(constants) : tables.null(),
       tables.i64(constantBytes),
       tables.bytes(code.certificate, /*terminated=*/false,
                    ".belfry.certificate"),
       tables.i64(code.certificate.size()), tables.i32(kernels.size()),
       tables.i32(sites.size()), tables.i32(images.size()), tables.i32(0)}));
}

llvm::Error belfry::defineEmulatedTable(llvm::Module &module,
                                        mlir::ModuleOp source,
                                        llvm::ArrayRef<uint64_t> hashes) {
  auto rows = rowsOf(source, kKernelsAttr);
  if (!rows)
    return rows.takeError();
  Tables tables(module);
  llvm::SmallVector<llvm::Constant *> kernels, images;
  for (const Row &row : *rows) {
    llvm::Function *function = module.getFunction(row.text("name"));
    if (!function || function->isDeclaration())
      return makeError("kernel '" + row.text("name") + "' is no function");
    std::string bytes;
    for (int64_t word : row.words())
      bytes.push_back(static_cast<char>(word));
    kernels.push_back(tables.record(
        {tables.text(row.text("name")), function,
         tables.i32(row.number("threads")), tables.i32(bytes.size()),
         tables.bytes(bytes, /*terminated=*/true, "")}));
  }
  for (uint64_t hash : hashes)
    images.push_back(tables.i64(hash));
  // belfry_emulated_v1, field by field.
  llvm::Constant *table = tables.record(
      {tables.i32(BELFRY_EMULATED_VERSION), tables.i32(kernels.size()),
       tables.list(kernels), tables.i64(images.size()), tables.list(images)});
  module.insertGlobalVariable(new llvm::GlobalVariable(
      table->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
      table, "belfry_emulated"));
  return llvm::Error::success();
}
