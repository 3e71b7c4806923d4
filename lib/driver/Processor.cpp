//===- Processor.cpp - the processor to compile for -----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/Processor.h"

#include "lib/support/Error.h"

#include "lib/import/Diagnostics.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace belfry;
using llvm::StringRef;

static llvm::Expected<const llvm::Target *> findTarget(StringRef triple) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  std::string problem;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), problem);
  if (!target)
    return makeError("no code generator for '" + triple + "': " + problem);
  return target;
}

/// Whether a processor runs 64-bit code, which is all that is made. `cpu` is
/// one that LLVM knows.
static bool is64Bit(const llvm::Target &target, const llvm::Triple &triple,
                    StringRef cpu) {
  if (!triple.isX86())
    return true;
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target.createMCSubtargetInfo(triple, cpu, ""));
  for (const llvm::SubtargetFeatureKV &feature :
       info->getAllProcessorFeatures())
    if (StringRef(feature.Key) == "64bit")
      return info->getFeatureBits().test(feature.Value);
  return true;
}

llvm::Expected<Processor> belfry::findProcessor(StringRef mcpu) {
  Processor processor;
  processor.triple = llvm::sys::getDefaultTargetTriple();
  llvm::Expected<const llvm::Target *> target = findTarget(processor.triple);
  if (!target)
    return target.takeError();
  if (mcpu == "native") {
    processor.cpu = llvm::sys::getHostCPUName().str();
    // Virtual machines hide some of what a processor of that name has.
    llvm::SubtargetFeatures features;
    for (auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.getKey(), feature.getValue());
    processor.features = features.getString();
    return processor;
  }
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      (*target)->createMCSubtargetInfo(llvm::Triple(processor.triple), "", ""));
  if (!info)
    return makeError("no description of processors for '" + processor.triple +
                     "'");
  std::vector<StringRef> names{"native"};
  for (const llvm::SubtargetSubTypeKV &kind :
       info->getAllProcessorDescriptions())
    names.push_back(kind.Key);
  auto runs64Bit = [&](StringRef cpu) {
    return cpu == "native" ||
           is64Bit(**target, llvm::Triple(processor.triple), cpu);
  };
  if (!mcpu.empty() && llvm::is_contained(names, mcpu)) {
    if (!runs64Bit(mcpu))
      return makeError("'--mcpu " + mcpu + "': '" + mcpu +
                       "' is not a 64-bit processor, and only 64-bit code is "
                       "generated");
    processor.cpu = mcpu.str();
    return processor;
  }
  // Each takes a description of its own, so only where the list is wanted.
  llvm::erase_if(names, [&](StringRef cpu) { return !runs64Bit(cpu); });
  // The whole list is long; without a near name some that are often wanted do.
  std::string hint = suggest(mcpu, names);
  if (!StringRef(hint).starts_with("did you mean"))
    hint = "known are native, x86-64-v2, x86-64-v3, x86-64-v4, haswell, "
           "skylake-avx512, sapphirerapids, znver3, znver4 and " +
           std::to_string(names.size() - 9) + " more";
  return makeError("unknown processor '" + mcpu + "' of '--mcpu'; " + hint);
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
belfry::createMachine(const Processor &processor) {
  llvm::Expected<const llvm::Target *> target = findTarget(processor.triple);
  if (!target)
    return target.takeError();
  llvm::TargetOptions options;
  // A fused multiply-add stands only where a lowering wrote one.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.FunctionSections = true;
  std::unique_ptr<llvm::TargetMachine> machine((*target)->createTargetMachine(
      llvm::Triple(processor.triple), processor.cpu, processor.features,
      options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return makeError("no code generator for '" + processor.cpu + "'");
  return machine;
}
