//===- Driver.cpp - compiles a model --------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Check the options; open the output, so that a path that cannot be
//      written is known before anything is computed.
//   2. Load the model or module, and its weights.
//   3. Run the stages, dumping and stopping as asked.
//   4. Write the manifest; translate, optimise, emit, link.
//
// Passes and code generation run under a crash recovery context: what LLVM
// reports as fatal, and a crash, become an error with exit status 2.
//
//===----------------------------------------------------------------------===//

#include "lib/driver/Compilation.h"

#include "belfry/InitAll.h"
#include "lib/driver/Codegen.h"
#include "lib/driver/Manifest.h"
#include "lib/driver/PassClock.h"
#include "lib/driver/ProveCoverage.h"
#include "lib/import/Weights.h"
#include "lib/report/Facts.h"
#include "lib/report/Report.h"
#include "passes/host/OpFacts.h"
#include "runtime/core/Manifest.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <tuple>
#include <utility>

using namespace mlir;
using namespace belfry;

namespace {

/// What LLVM said when it gave up. It gives up in the thread that it works in.
thread_local std::string fatalMessage;

void onFatalError(void *, const char *reason, bool) {
  fatalMessage = reason ? reason : "";
  if (auto *recovery = llvm::CrashRecoveryContext::GetCurrent())
    recovery->HandleExit(2);
}

} // namespace

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Runs a part so that a crash in it, or what LLVM calls fatal, is an error.
LogicalResult Compilation::guarded(StringRef what,
                                   llvm::function_ref<LogicalResult()> part) {
  auto start = std::chrono::steady_clock::now();
  llvm::CrashRecoveryContext recovery;
  LogicalResult outcome = failure();
  fatalMessage.clear();
  bool ended = recovery.RunSafely([&] { outcome = part(); });
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  result.timing.push_back(
      {what.str(), seconds.count(), std::exchange(passes, {})});
  if (ended)
    return outcome;
  crashed = true;
  return failInternal("in '" + what + "': " +
                      (fatalMessage.empty() ? "the compiler crashed"
                                            : StringRef(fatalMessage)));
}

LogicalResult Compilation::load() {
  ImportOptions import;
  import.loss = options.loss;
  import.optimizer = options.optimizer;
  import.metrics = options.metrics;
  FailureOr<LoadedModule> module = loadModule(*context, path, import, diags);
  if (failed(module))
    return failure();
  loaded = std::move(*module);
  if (loaded.stage > last)
    return fail(path + ": the module is at stage '" + stageName(loaded.stage) +
                "', which is behind '" + stageName(last) +
                "' of '--stop-after'");
  llvm::Expected<Optimizations> left =
      noteDisabled(*loaded.module, loaded.stage, pipeline.host.optimizations);
  if (!left)
    return fail(path + ": " + llvm::toString(left.takeError()));
  pipeline.host.optimizations = *left;
  if (llvm::Error error =
          noteTarget(*loaded.module, loaded.stage, options.target))
    return fail(path + ": " + llvm::toString(std::move(error)));
  if (options.memory && loaded.stage >= Stage::Lowered)
    return fail(path + ": the module is at stage '" + stageName(loaded.stage) +
                "', where '--memory' has been decided");
  if (llvm::Error error = noteMemory(*loaded.module, pipeline.host.memory,
                                     options.memory.has_value()))
    return fail(path + ": " + llvm::toString(std::move(error)));
  if (!options.outputs.empty()) {
    if (loaded.stage != Stage::Import)
      return fail(path +
                  ": '--outputs' is for a model; the module is at stage "
                  "'" +
                  stageName(loaded.stage) + "'");
    if (failed(exposeOutputs(*loaded.module, options.outputs, diags)))
      return failure();
  }
  if (loaded.stage == Stage::Import) {
    bool hasLoss = false;
    for (auto compile : loaded.module->getOps<nn::CompileOp>())
      hasLoss |= !compile.getBody().getOps<nn::LossOp>().empty();
    bool isSaid = llvm::any_of(diags.getWarnings(), [](StringRef warning) {
      return warning.contains(kNotCompiled);
    });
    if (!hasLoss && !isSaid)
      diags.warning(path + ": the model has no loss, so the program only "
                           "predicts; '--loss' gives it one");
  }
  return success();
}

LogicalResult Compilation::runStage(Stage stage) {
  PassManager pm(context.get());
  if (stage == loaded.stage && stage != Stage::Import)
    return success();
  buildStage(pm, stage, pipeline);
  pm.addInstrumentation(std::make_unique<PassClock>(passes));
  // What a stage made is verified once; after each pass it would take a third
  // of the time of them all.
  pm.enableVerifier(false);
  size_t before = diags.getErrors().size();
  if (succeeded(pm.run(*loaded.module)) && succeeded(verify(*loaded.module)))
    return success();
  if (diags.getErrors().size() == before)
    return failModule("stage '" + stageName(stage) + "' failed");
  // What the user's model can cause is found before it is lowered. A module
  // that starts behind its import can hold anything.
  if (stage > Stage::Placed && loaded.stage == Stage::Import)
    status = 2;
  return failure();
}

LogicalResult Compilation::runStages(Stage last) {
  if (options.verifyGpuCoverage && loaded.stage > *proof)
    return fail(path + ": the module is at stage '" + stageName(loaded.stage) +
                "'; '--verify-gpu-coverage' needs one of '" +
                stageName(*proof) + "' or before");
  for (Stage stage : kStages) {
    if (stage < loaded.stage || stage > last)
      continue;
    if (stage == Stage::Target && emit == Emit::Emulated)
      beforeTarget = loaded.module->clone();
    if (failed(guarded(stageName(stage), [&] { return runStage(stage); })))
      return failure();
    if (stage == proof && failed(guarded("coverage", [&] { return prove(); })))
      return failure();
    if (stage == Stage::Target)
      std::tie(result.kernels, result.loopNests) = countKernels(*loaded.module);
    if (stage == Stage::Placed)
      facts = toJson(collectFacts(*loaded.module));
    if (options.dumpStages.empty())
      continue;
    llvm::SmallString<256> file(options.dumpStages);
    llvm::sys::path::append(file, Twine(int(stage)) + "-" + stageName(stage) +
                                      ".mlir");
    if (failed(keepWeights(options.dumpStages, "model.weights.h5")) ||
        failed(writeModule(file)))
      return failure();
  }
  return success();
}

/// That every op has a kernel is shown before any is made.
LogicalResult Compilation::prove() {
  FailureOr<std::string> proven = proveCoverage(
      *loaded.module, *proof, pipeline.host, options.verifyGpuCoverage);
  if (failed(proven))
    return failure();
  if (options.verifyGpuCoverage)
    result.notes.push_back(*proven);
  return success();
}

/// The module is what was asked for: its weights go beside it.
LogicalResult Compilation::writeOutputModule() {
  StringRef file = textOutput();
  if (file == "-") {
    if (loaded.weights)
      diags.warning("the weights of " + path +
                    " are not in the module that is printed; '-o' writes them "
                    "beside it");
    return writeModule(file);
  }
  std::string name = (llvm::sys::path::stem(file) + ".weights.h5").str();
  if (failed(keepWeights(llvm::sys::path::parent_path(file), name)))
    return failure();
  return writeModule(file);
}

/// Writes the weights into `folder` under `name`, once, and has the module say
/// so: a module that is written can be gone on with.
LogicalResult Compilation::keepWeights(StringRef folder, StringRef name) {
  if (!loaded.weights)
    return success();
  llvm::SmallString<256> file(folder);
  llvm::sys::path::append(file, name);
  if (file != keptWeights)
    if (llvm::Error error = writeWeights(file, *loaded.module, *loaded.weights))
      return fail(std::move(error));
  keptWeights = file.str().str();
  (*loaded.module)
      ->setAttr(nn::kWeightsAttr, StringAttr::get(context.get(), name));
  return success();
}

LogicalResult Compilation::writeModule(StringRef file) {
  llvm::Error error = writeFile(file, [&](llvm::raw_ostream &os) {
    // Layers live on in the locations, so those are printed.
    OpPrintingFlags flags;
    flags.enableDebugInfo().useLocalScope().printNameLocAsPrefix();
    loaded.module->print(os, flags);
    os << '\n';
  });
  return error ? fail(std::move(error)) : success();
}

LogicalResult Compilation::makeManifest() {
  ManifestOptions manifest;
  manifest.target = options.target;
  manifest.mcpu = processor.cpu;
  // The last part counts changes of generated code that change bits. What the
  // host does in a program for CUDA changes none.
  manifest.numerics = options.target == "host" ? "host/" + processor.cpu + "/3"
                      : options.target == "cuda"
                          ? std::string("cuda/generated/4")
                          : options.target + "/" + processor.cpu + "/4";
  // So do these, where they are left out.
  for (const std::string &name : pipeline.host.optimizations.disabledInexact())
    manifest.numerics += "-" + name;
  llvm::append_range(manifest.disabled, pipeline.host.optimizations.disabled());
  manifest.memory = memoryModeName(pipeline.host.memory).str();
  manifest.towers = options.towers;
  manifest.slicing = options.slicing;
  manifest.report = facts ? &*facts : nullptr;
  manifest.ops = (*loaded.module)->getAttrOfType<ArrayAttr>(kOpsAttr);
  llvm::Expected<std::string> text = buildManifest(*loaded.module, manifest);
  if (!text)
    return failModule(llvm::toString(text.takeError()));
  result.manifest = std::move(*text);
  return checkManifest();
}

/// Reads the manifest as the program will: what it would refuse is found here.
LogicalResult Compilation::checkManifest() {
  auto phases = (*loaded.module)->getAttrOfType<ArrayAttr>("belfry.phases");
  rt::Expected<rt::Manifest> manifest =
      rt::parseManifest(result.manifest, phases ? phases.size() : 0);
  if (!manifest.ok())
    return failModule(manifest.status().message());
  if (!loaded.weights)
    return success();
  uint64_t bytes = 0;
  for (const rt::ParameterInfo &parameter : manifest->parameters)
    bytes = llvm::alignTo(bytes, kWeightAlignment) + parameter.bytes();
  if (bytes != loaded.weights->size())
    return failModule("its parameters have " + Twine(bytes) +
                      " bytes, the weights that are read by its nn.parameter "
                      "ops " +
                      Twine(loaded.weights->size()));
  return success();
}

LogicalResult Compilation::writeReport() {
  if (options.report.empty())
    return success();
  ReportOptions report;
  report.towers = options.towers;
  bool isJson = llvm::sys::path::extension(options.report) == ".json";
  llvm::Expected<std::string> text = isJson
                                         ? renderJson(result.manifest, report)
                                         : renderText(result.manifest, report);
  if (!text)
    return failInternal(llvm::toString(text.takeError()));
  llvm::Error error =
      writeFile(options.report, [&](llvm::raw_ostream &os) { os << *text; });
  return error ? fail(std::move(error)) : success();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

CompileResult Compilation::run(bool onlyDescribe) {
  llvm::CrashRecoveryContext::Enable();
  llvm::ScopedFatalErrorHandler onFatal(onFatalError);
  auto work = [&]() -> LogicalResult {
    llvm::Expected<Settings> settled = settle(options);
    if (!settled)
      return fail(settled.takeError());
    static_cast<Settings &>(*this) = std::move(*settled);
    for (const std::string &file :
         {options.output, options.report, options.certificate}) {
      bool same = false;
      if (!llvm::sys::fs::equivalent(file, path, same) && same)
        return fail("cannot write '" + file + "': it is the model itself");
    }
    bool writesFile = !onlyDescribe && !toText;
    if (writesFile) {
      if (options.output.empty() || options.output == "-")
        return fail("'-o' is missing: where the program goes");
      llvm::Expected<OutputFile> made = OutputFile::create(options.output);
      if (!made)
        return fail(made.takeError());
      output.emplace(std::move(*made));
    }
    if (!options.dumpStages.empty())
      if (std::error_code code =
              llvm::sys::fs::create_directories(options.dumpStages))
        return fail("cannot make the folder '" + options.dumpStages +
                    "': " + code.message());
    DialectRegistry registry;
    registerAllDialects(registry);
    // One thread: a crash in it is caught.
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
      std::string text = describe(diagnostic, path);
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        (void)diags.error(text);
      else
        diags.warning(text);
      return success();
    });
    if (failed(guarded("load", [&] { return load(); })))
      return failure();
    Stage until = onlyDescribe ? std::min(last, Stage::Bufferized) : last;
    if (failed(runStages(until)))
      return failure();
    bool hasManifest = until >= Stage::Bufferized;
    if (hasManifest && (failed(makeManifest()) || failed(writeReport())))
      return failure();
    if (onlyDescribe)
      return success();
    if (!options.stopAfter.empty() || emit == Emit::Mlir)
      return writeOutputModule();
    if (options.target != "cuda")
      return generate();
    if (failed(makeDeviceCode()))
      return failure();
    switch (emit) {
    case Emit::Ptx:
    case Emit::Cubin:
      return generateKernels();
    case Emit::Emulated:
      return generateEmulated();
    default:
      return generate();
    }
  };
  LogicalResult outcome = work();
  result.status = succeeded(outcome) ? 0 : (status ? status : 1);
  if (crashed) {
    (void)loaded.module.release();
    (void)context.release();
  }
  result.errors = diags.getErrors();
  result.warnings = diags.getWarnings();
  return std::move(result);
}

CompileResult belfry::compile(const std::string &path,
                              const CompileOptions &options) {
  return Compilation(path, options).run(/*onlyDescribe=*/false);
}

CompileResult belfry::describe(const std::string &path,
                               const CompileOptions &options) {
  return Compilation(path, options).run(/*onlyDescribe=*/true);
}
