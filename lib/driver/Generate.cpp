//===- Generate.cpp - programs, libraries and kernels ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/Compilation.h"

#include "lib/cuda/Certificate.h"
#include "lib/cuda/Ptx.h"
#include "lib/driver/Codegen.h"
#include "lib/driver/Link.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace belfry;

LogicalResult Compilation::generateText(llvm::Module &module) {
  llvm::Error error = writeFile(
      textOutput(), [&](llvm::raw_ostream &os) { module.print(os, nullptr); });
  return error ? fail(std::move(error)) : success();
}

LogicalResult Compilation::writeObject(llvm::Module &module, StringRef file) {
  return guarded("emit", [&]() -> LogicalResult {
    std::error_code code;
    llvm::raw_fd_ostream os(file, code);
    if (code)
      return fail("cannot write '" + file + "': " + code.message());
    if (llvm::Error error = emitObject(module, *machine, os))
      return failInternal(llvm::toString(std::move(error)));
    os.close();
    if (os.has_error()) {
      std::string why = os.error().message();
      os.clear_error();
      return fail("cannot write '" + file + "': " + why);
    }
    return success();
  });
}

LogicalResult Compilation::generateFile(llvm::Module &module) {
  if (loaded.weights)
    defineWeights(module, *loaded.weights);
  llvm::Expected<TemporaryFile> object = TemporaryFile::create("o");
  if (!object)
    return fail(object.takeError());
  bool isObject = emit == Emit::Object;
  const std::string &file = isObject ? output->temporary() : object->path();
  if (failed(writeObject(module, file)))
    return failure();
  if (emit == Emit::Library) {
    llvm::Expected<llvm::NewArchiveMember> member =
        llvm::NewArchiveMember::getFile(file, /*Deterministic=*/true);
    if (!member)
      return fail(member.takeError());
    member->MemberName = "program.o";
    std::vector<llvm::NewArchiveMember> members;
    members.push_back(std::move(*member));
    if (llvm::Error error = llvm::writeArchive(
            output->temporary(), members, llvm::SymtabWritingMode::NormalSymtab,
            llvm::object::Archive::K_GNU, /*Deterministic=*/true,
            /*Thin=*/false))
      return fail(std::move(error));
  }
  if (emit == Emit::Executable &&
      failed(guarded("link", [&]() -> LogicalResult {
        if (llvm::Error error = linkExecutable(
                file, output->temporary(),
                {options.runtimeDir, options.tool, deviceCode.has_value()}))
          return fail(std::move(error));
        return success();
      })))
    return failure();
  if (llvm::Error error = output->keep())
    return fail(std::move(error));
  return success();
}

LogicalResult Compilation::generate() {
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  LogicalResult outcome = generateFrom(*llvmContext, module);
  if (crashed) {
    // What is half done cannot be taken apart.
    (void)module.release();
    (void)llvmContext.release();
  }
  return outcome;
}

LogicalResult Compilation::generateFrom(llvm::LLVMContext &llvmContext,
                                        std::unique_ptr<llvm::Module> &module) {
  if (failed(guarded("translate", [&]() -> LogicalResult {
        llvm::Expected<std::unique_ptr<llvm::Module>> translated =
            translateProgram(*loaded.module, llvmContext, *machine,
                             result.manifest, loaded.weights.has_value(),
                             loaded.weights ? loaded.weights->size() : 0,
                             deviceCode ? &*deviceCode : nullptr);
        if (!translated)
          return failModule(llvm::toString(translated.takeError()));
        module = std::move(*translated);
        return success();
      })))
    return failure();
  if (failed(guarded("optimise", [&] {
        if (pipeline.host.optimizations.has(Optimization::Llvm))
          optimize(*module, *machine);
        return success();
      })))
    return failure();
  return emit == Emit::Llvm ? generateText(*module) : generateFile(*module);
}

/// PTX, cubins and certificate of the kernels, which leave the module.
LogicalResult Compilation::makeDeviceCode() {
  DeviceCode &code = deviceCode.emplace();
  auto modules = loaded.module->getOps<gpu::GPUModuleOp>();
  if (modules.empty())
    return failModule("it has no kernels");
  gpu::GPUModuleOp kernels = *modules.begin();
  // GPUs that lack tensor cores have PTX of their own, where any is wanted.
  llvm::ArrayRef<unsigned> wanted(architectures);
  size_t lesser = llvm::count_if(
      wanted, [](unsigned sm) { return sm < kTensorCoreArchitecture; });
  bool multiplies = hasTensorCoreProducts(kernels);
  code.ptxArchitecture = multiplies && lesser == 0
                             ? kTensorCoreArchitecture
                             : gpuArchitectures().front().sm;
  std::string later;
  auto translate = [&]() -> LogicalResult {
    llvm::Expected<std::string> text = emitPtx(kernels, code.ptxArchitecture);
    if (!text)
      return fail(text.takeError());
    code.ptx = std::move(*text);
    if (!multiplies || lesser == 0 || lesser == wanted.size())
      return success();
    text = emitPtx(kernels, kTensorCoreArchitecture);
    if (!text)
      return fail(text.takeError());
    later = std::move(*text);
    return success();
  };
  auto assembleAll = [&]() -> LogicalResult {
    llvm::Expected<std::string> ptxas = findPtxas(options.cudaPath);
    if (!ptxas)
      return fail(ptxas.takeError());
    size_t first = later.empty() ? wanted.size() : lesser;
    for (auto [ptx, some] : {std::pair(&code.ptx, wanted.take_front(first)),
                             std::pair(&later, wanted.drop_front(first))}) {
      llvm::Expected<std::vector<Cubin>> made = assemble(*ptx, some, *ptxas);
      if (!made)
        return fail(made.takeError());
      llvm::append_range(code.cubins, std::move(*made));
    }
    return success();
  };
  bool needsCubins =
      (emit != Emit::Ptx && emit != Emit::Llvm) || !options.certificate.empty();
  if (failed(guarded("ptx", translate)) ||
      (needsCubins && failed(guarded("assemble", assembleAll))))
    return failure();
  llvm::json::Value certificate = certificateOf(*loaded.module, code.cubins);
  code.certificate = certificateJson(certificate);
  kernels->erase();
  return options.certificate.empty()
             ? success()
             : write(options.certificate,
                     certificateFor(options.certificate, certificate));
}

LogicalResult Compilation::write(StringRef file, StringRef text) {
  llvm::Error error =
      writeFile(file, [&](llvm::raw_ostream &os) { os << text; });
  return error ? fail(std::move(error)) : success();
}

/// PTX, or the cubin of one architecture.
LogicalResult Compilation::generateKernels() {
  if (emit == Emit::Ptx)
    return write(textOutput(), deviceCode->ptx);
  if (failed(write(output->temporary(), deviceCode->cubins.front().bytes)))
    return failure();
  llvm::Error error = output->keep();
  return error ? fail(std::move(error)) : success();
}

/// The kernels as a shared library of the host, in place of the images.
LogicalResult Compilation::generateEmulated() {
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  auto lower = [&]() -> LogicalResult {
    PassManager pm(context.get());
    buildEmulatedKernels(pm, pipeline.host);
    if (failed(pm.run(*beforeTarget)))
      return failModule("its kernels can't be emulated");
    llvm::Expected<std::unique_ptr<llvm::Module>> made = translateEmulated(
        *beforeTarget, *llvmContext, *machine, deviceCode->hashes());
    if (!made)
      return failModule(llvm::toString(made.takeError()));
    module = std::move(*made);
    optimize(*module, *machine);
    return success();
  };
  llvm::Expected<TemporaryFile> object = TemporaryFile::create("o");
  if (!object)
    return fail(object.takeError());
  LogicalResult outcome = guarded("emulate", lower);
  if (succeeded(outcome))
    outcome = writeObject(*module, object->path());
  if (crashed) {
    (void)module.release();
    (void)llvmContext.release();
  }
  if (failed(outcome))
    return failure();
  if (llvm::Error error = linkLibrary(object->path(), output->temporary()))
    return fail(std::move(error));
  llvm::Error error = output->keep();
  return error ? fail(std::move(error)) : success();
}
