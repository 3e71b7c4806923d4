//===- Jit.cpp - expansions compiled for this machine ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/math/Jit.h"

#include "lib/support/Optimize.h"
#include "passes/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <stdexcept>

using namespace mlir;

namespace belfry::test {

static std::string loopSource(const std::string &body,
                              const std::string &type) {
  return "func.func @loop(%px: !llvm.ptr {llvm.noalias}, %py: !llvm.ptr "
         "{llvm.noalias}, %pout: !llvm.ptr {llvm.noalias}, "
         "%count: i64) {\n"
         "  %zero = arith.constant 0 : i64\n"
         "  %one = arith.constant 1 : i64\n"
         "  scf.for %i = %zero to %count step %one : i64 {\n"
         "    %ax = llvm.getelementptr inbounds %px[%i] : (!llvm.ptr, i64) -> "
         "!llvm.ptr, " +
         type +
         "\n    %ay = llvm.getelementptr inbounds %py[%i] : (!llvm.ptr, i64) "
         "-> !llvm.ptr, " +
         type +
         "\n    %aout = llvm.getelementptr inbounds %pout[%i] : (!llvm.ptr, "
         "i64) -> !llvm.ptr, " +
         type +
         "\n    %x = llvm.load %ax {alignment = 4 : i64} : !llvm.ptr -> " +
         type +
         "\n    %y = llvm.load %ay {alignment = 4 : i64} : !llvm.ptr -> " +
         type + "\n    " + body +
         "\n    llvm.store %r, %aout {alignment = 4 : i64} : " + type +
         ", !llvm.ptr\n  }\n  return\n}\n";
}

template <typename T> static T orThrow(llvm::Expected<T> value) {
  if (!value)
    throw std::runtime_error(llvm::toString(value.takeError()));
  return std::move(*value);
}
static void orThrow(llvm::Error error) {
  if (error)
    throw std::runtime_error(llvm::toString(std::move(error)));
}

static std::unique_ptr<llvm::Module> lower(const std::string &source,
                                           llvm::LLVMContext &llvmContext) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    throw std::runtime_error(messages);
  PassManager manager(&context);
  manager.addPass(createExpandRemainder());
  manager.addPass(createExpandMath());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  if (failed(manager.run(*module)))
    throw std::runtime_error(messages);
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(*module, llvmContext);
  if (!result)
    throw std::runtime_error(messages);
  return result;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module)
    function.addFnAttr("target-cpu", machine.getTargetCPU());
  belfry::optimize(module, machine, llvm::PipelineTuningOptions());
}

CompiledLoop::CompiledLoop(const std::string &body, const std::string &type,
                           const std::string &cpu) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto host = orThrow(llvm::orc::JITTargetMachineBuilder::detectHost());
  host.setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  if (!cpu.empty()) {
    host.setCPU(cpu);
    host.getFeatures() = llvm::SubtargetFeatures();
  }
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module =
      lower(loopSource(body, type), *context);
  auto machine = orThrow(host.createTargetMachine());
  optimize(*module, *machine);
  jit = orThrow(
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(host).create());
  orThrow(jit->addIRModule(
      llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  function = orThrow(jit->lookup("loop")).toPtr<LoopFunction>();
}

CompiledLoop::~CompiledLoop() = default;

} // namespace belfry::test
