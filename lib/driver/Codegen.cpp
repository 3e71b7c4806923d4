//===- Codegen.cpp - from LLVM dialect to an object file ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/Codegen.h"

#include "lib/support/Error.h"
#include "lib/support/Optimize.h"

#include "belfry/Runtime.h"
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"

using namespace belfry;
using llvm::StringRef;

/// The table of phase functions, in the order of `belfry.phases`.
static llvm::Expected<llvm::Constant *>
phaseTable(mlir::ModuleOp source, llvm::Module &module, uint32_t &numPhases) {
  auto phases = source->getAttrOfType<mlir::ArrayAttr>("belfry.phases");
  if (!phases)
    return makeError("the module has no 'belfry.phases'");
  llvm::SmallVector<llvm::Constant *> entries;
  for (mlir::Attribute phase : phases) {
    auto name = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(phase);
    llvm::Function *function =
        name ? module.getFunction(name.getValue()) : nullptr;
    if (!function || function->isDeclaration())
      return makeError("there is no phase function '" +
                       (name ? name.getValue() : StringRef()) + "'");
    // Reached through the table only: two programs may be linked together.
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    entries.push_back(function);
  }
  numPhases = entries.size();
  auto *pointer = llvm::PointerType::get(module.getContext(), 0);
  auto *type = llvm::ArrayType::get(pointer, entries.size());
  return new llvm::GlobalVariable(
      module, type, /*isConstant=*/true, llvm::GlobalValue::InternalLinkage,
      llvm::ConstantArray::get(type, entries), "belfry_phases");
}

static llvm::Expected<std::unique_ptr<llvm::Module>>
translate(mlir::ModuleOp module, llvm::LLVMContext &context,
          llvm::TargetMachine &machine) {
  // Names and shapes of the parameters are in the manifest by now.
  for (mlir::Operation &op :
       llvm::make_early_inc_range(module.getBody()->getOperations()))
    if (llvm::isa<nn::ParameterOp>(op))
      op.erase();
  mlir::MLIRContext &mlirContext = *module.getContext();
  mlir::registerBuiltinDialectTranslation(mlirContext);
  mlir::registerLLVMDialectTranslation(mlirContext);
  std::unique_ptr<llvm::Module> result =
      mlir::translateModuleToLLVMIR(module, context, "belfry");
  if (!result)
    return makeError("translation to LLVM IR failed");
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  return result;
}

static llvm::Error verify(const llvm::Module &module) {
  std::string problem;
  llvm::raw_string_ostream os(problem);
  if (llvm::verifyModule(module, &os))
    return makeError("the generated LLVM IR is not valid: " + problem);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::Module>>
belfry::translateEmulated(mlir::ModuleOp module, llvm::LLVMContext &context,
                          llvm::TargetMachine &machine,
                          llvm::ArrayRef<uint64_t> hashes) {
  if (auto phases = module->getAttrOfType<mlir::ArrayAttr>("belfry.phases"))
    for (auto name : phases.getAsRange<mlir::FlatSymbolRefAttr>())
      if (mlir::Operation *phase = module.lookupSymbol(name.getValue()))
        phase->erase();
  auto result = translate(module, context, machine);
  if (!result)
    return result.takeError();
  if (llvm::Error error = defineEmulatedTable(**result, module, hashes))
    return error;
  // A shared library.
  (*result)->setPICLevel(llvm::PICLevel::BigPIC);
  if (llvm::Error error = verify(**result))
    return error;
  return std::move(*result);
}

llvm::Expected<std::unique_ptr<llvm::Module>>
belfry::translateProgram(mlir::ModuleOp module, llvm::LLVMContext &context,
                         llvm::TargetMachine &machine, StringRef manifest,
                         bool hasWeights, uint64_t weightBytes,
                         const DeviceCode *code) {
  auto translated = translate(module, context, machine);
  if (!translated)
    return translated.takeError();
  std::unique_ptr<llvm::Module> result = std::move(*translated);
  uint32_t numPhases = 0;
  llvm::Expected<llvm::Constant *> phases =
      phaseTable(module, *result, numPhases);
  if (!phases)
    return phases.takeError();
  auto *i32 = llvm::Type::getInt32Ty(context);
  auto *i64 = llvm::Type::getInt64Ty(context);
  auto *pointer = llvm::PointerType::get(context, 0);
  auto *text = llvm::ConstantDataArray::getString(context, manifest,
                                                  /*AddNull=*/false);
  auto *manifestData = new llvm::GlobalVariable(
      *result, text->getType(), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage, text, "belfry_manifest");
  manifestData->setSection(kManifestSection);
  llvm::Constant *weights = llvm::ConstantPointerNull::get(pointer);
  if (hasWeights) {
    auto *data = new llvm::GlobalVariable(
        *result,
        llvm::ArrayType::get(llvm::Type::getInt8Ty(context), weightBytes),
        /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage, nullptr,
        "belfry_weights");
    data->setAlignment(llvm::Align(64));
    data->setVisibility(llvm::GlobalValue::HiddenVisibility);
    weights = data;
  }
  llvm::Constant *device = llvm::ConstantPointerNull::get(pointer);
  if (code) {
    llvm::Expected<llvm::Constant *> made =
        defineDeviceCode(*result, module, *code);
    if (!made)
      return made.takeError();
    device = *made;
  }
  // belfry_program_v2, field by field.
  auto *type = llvm::StructType::get(i32, i32, pointer, i64, pointer, pointer,
                                     i64, pointer);
  auto *program = llvm::ConstantStruct::get(
      type,
      {llvm::ConstantInt::get(i32, BELFRY_ABI_VERSION),
       llvm::ConstantInt::get(i32, numPhases), manifestData,
       llvm::ConstantInt::get(i64, manifest.size()), *phases, weights,
       llvm::ConstantInt::get(i64, hasWeights ? weightBytes : 0), device});
  result->insertGlobalVariable(new llvm::GlobalVariable(
      type, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage, program,
      "belfry_program"));

  if (llvm::Error error = verify(*result))
    return error;
  return result;
}

std::pair<unsigned, unsigned> belfry::countKernels(mlir::ModuleOp module) {
  auto isKernel = [](StringRef name) { return name.starts_with("kernel_"); };
  llvm::StringMap<unsigned> known; // loop nests of a function and of its parts
  auto count = [&](auto &self, mlir::LLVM::LLVMFuncOp function) -> unsigned {
    auto found = known.find(function.getName());
    if (found != known.end())
      return found->second;
    unsigned loopNests = 0;
    auto add = [&](StringRef name) {
      if (isKernel(name))
        ++loopNests;
      else if (auto part = module.lookupSymbol<mlir::LLVM::LLVMFuncOp>(name))
        loopNests += self(self, part);
    };
    function.walk([&](mlir::Operation *op) {
      if (auto address = llvm::dyn_cast<mlir::LLVM::AddressOfOp>(op))
        add(address.getGlobalName());
      else if (auto call = llvm::dyn_cast<mlir::LLVM::CallOp>(op);
               call && call.getCallee())
        add(*call.getCallee());
    });
    return known[function.getName()] = loopNests;
  };
  unsigned kernels = 0, loopNests = 0;
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (isKernel(function.getName()))
      kernels += !function.getName().ends_with("_loop");
    else if (function.getLinkage() == mlir::LLVM::Linkage::External)
      loopNests += count(count, function); // a phase
  return {kernels, loopNests};
}

void belfry::optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  // Takes half of the time and makes twice the code, slower where it comes in
  // the way of vectors. --outline-kernels says which loops gain by it.
  tuning.LoopUnrolling = false;
  optimize(module, machine, tuning);
}

void belfry::defineWeights(llvm::Module &module,
                           llvm::ArrayRef<uint8_t> weights) {
  llvm::GlobalVariable *data = module.getGlobalVariable("belfry_weights");
  if (!data)
    return;
  data->setInitializer(
      llvm::ConstantDataArray::get(module.getContext(), weights));
  data->setSection(kWeightsSection);
}

llvm::Error belfry::emitObject(llvm::Module &module,
                               llvm::TargetMachine &machine,
                               llvm::raw_pwrite_stream &os) {
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(machine.getTargetTriple()));
  if (machine.addPassesToEmitFile(passes, os, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return makeError("the code generator writes no object files");
  passes.run(module);
  return llvm::Error::success();
}
