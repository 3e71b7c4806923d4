//===- Load.cpp - from a file to a module ---------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/driver/Load.h"

#include "dialects/nn/Nn.h"
#include "lib/import/Compile.h"
#include "lib/import/Weights.h"
#include "passes/Passes.h"
#include "passes/training/Losses.h"
#include "passes/training/TrainingFunction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace mlir;
using namespace belfry;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static std::string where(Location location, StringRef path) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn() << ": ";
  else
    os << path << ": ";
  if (auto name = location->findInstanceOf<NameLoc>())
    os << '\'' << name.getName().getValue() << "': ";
  return text;
}

std::string belfry::describe(const Diagnostic &diagnostic, StringRef path) {
  std::string text = where(diagnostic.getLocation(), path);
  llvm::raw_string_ostream os(text);
  diagnostic.print(os);
  for (const Diagnostic &note :
       const_cast<Diagnostic &>(diagnostic).getNotes()) {
    // What the op looks like helps its author only.
    std::string more;
    llvm::raw_string_ostream(more) << note;
    if (!StringRef(more).starts_with("see current operation"))
      os << " (" << where(note.getLocation(), path) << more << ')';
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The losses of an nn.compile as a command line would give them, so that
/// optimizer and metrics can be resolved against them.
static std::string spellLosses(nn::CompileOp compile) {
  SmallVector<std::string> items;
  for (auto loss : compile.getBody().getOps<nn::LossOp>())
    items.push_back((loss.getOutput() + "=" + loss.getKind()).str());
  return llvm::join(items, ",");
}

template <typename OpT> static bool holds(nn::CompileOp compile) {
  return compile && !compile.getBody().getOps<OpT>().empty();
}

/// Puts the ops of one kind of `from` in place of those of `to`.
template <typename OpT>
static void moveOps(nn::CompileOp from, nn::CompileOp to) {
  for (OpT op : llvm::make_early_inc_range(to.getBody().getOps<OpT>()))
    op.erase();
  for (OpT op : llvm::make_early_inc_range(from.getBody().getOps<OpT>()))
    op->moveBefore(&to.getBody().front(), to.getBody().front().end());
}

static nn::LossOp lossOf(nn::CompileOp compile, StringRef output) {
  for (auto loss : compile.getBody().getOps<nn::LossOp>())
    if (loss.getOutput() == output)
      return loss;
  return {};
}

/// Whether a metric was written as "accuracy", by the key that it is logged
/// under (Compile.cpp, emitMetric).
static bool isWrittenAccuracy(nn::MetricOp metric) {
  StringRef name = metric.getName();
  (void)(name.consume_front(metric.getOutput()) && name.consume_front("_"));
  (void)name.consume_front("weighted_");
  StringRef number = name.rsplit('_').second;
  if (!number.empty() && llvm::all_of(number, llvm::isDigit))
    name = name.rsplit('_').first;
  return name.equals_insensitive("accuracy") || name.equals_insensitive("acc");
}

/// Holds metrics that were there before against new losses. One that was
/// written as "accuracy" is resolved anew, as from a Keras file; any other
/// stays, or is an error where it does not fit the new targets.
static LogicalResult refitMetrics(nn::ModelOp model, nn::CompileOp from,
                                  nn::CompileOp to, ImportDiagnostics &diags) {
  for (auto metric : to.getBody().getOps<nn::MetricOp>()) {
    nn::LossOp loss = lossOf(to, metric.getOutput());
    nn::LossOp before = lossOf(from, metric.getOutput());
    if (!loss)
      return diags.error("metric '" + metric.getName() + "' of output '" +
                         metric.getOutput() +
                         "' needs a loss of that output; '--metrics' gives "
                         "other metrics");
    auto target = cast<RankedTensorType>(loss.getTargetType());
    if (before && before.getTargetType() == target)
      continue;
    RankedTensorType prediction;
    for (unsigned i = 0; i < model.getNumResults(); ++i)
      if (outputName(model, i) == metric.getOutput())
        prediction = cast<RankedTensorType>(model.getResultTypes()[i]);
    if (isWrittenAccuracy(metric)) {
      metric.setKind(resolveAccuracy(prediction, target));
      continue;
    }
    bool areClasses = target.getElementType().isInteger(32);
    if (takesClassNumbers(metric.getKind()) == areClasses)
      continue;
    return diags.error("metric '" + metric.getKind() + "' of output '" +
                       metric.getOutput() + "' does not fit the targets of '" +
                       loss.getKind() + "', which are " +
                       (areClasses ? "class numbers" : "no class numbers") +
                       "; '--metrics' gives other metrics");
  }
  return success();
}

/// Gives a module other losses, metrics or another optimizer.
static LogicalResult recompile(ModuleOp module, const ImportOptions &options,
                               ImportDiagnostics &diags) {
  auto models = llvm::to_vector(module.getOps<nn::ModelOp>());
  if (models.size() != 1)
    return diags.error("expected one nn.model, got " + Twine(models.size()));
  nn::CompileOp old;
  for (auto compile : module.getOps<nn::CompileOp>())
    old = compile;
  ImportOptions all = options;
  if (!options.loss && holds<nn::LossOp>(old))
    all.loss = spellLosses(old);
  if (failed(emitCompile(models[0], JsonView(), all, diags)))
    return failure();
  nn::CompileOp made;
  for (auto compile : module.getOps<nn::CompileOp>())
    if (compile != old)
      made = compile;
  if (!made)
    return success();
  if (!old)
    return success();
  // What was not asked for stays as it was.
  if (!options.loss && holds<nn::LossOp>(old))
    moveOps<nn::LossOp>(old, made);
  if (!options.optimizer && holds<nn::OptimizerOp>(old))
    moveOps<nn::OptimizerOp>(old, made);
  if (!options.metrics && holds<nn::MetricOp>(old))
    moveOps<nn::MetricOp>(old, made);
  if (options.loss && !options.metrics &&
      failed(refitMetrics(models[0], old, made, diags)))
    return failure();
  old.erase();
  return success();
}

/// Holds a module against the stage that it is said to be at: what may not be
/// there yet or any more, what has to be there, and what later stages note.
static LogicalResult checkStage(ModuleOp module, Stage stage) {
  PassManager pm(module.getContext());
  VerifyStageOptions verify;
  verify.stage = stage;
  pm.addPass(createVerifyStage(verify));
  if (failed(pm.run(module)))
    return failure();
  auto wrong = [&](const Twine &what) {
    return module.emitError()
           << "at stage '" << stageName(stage) << "' " << what;
  };
  bool isDescribed = bool(module->getAttrOfType<DictionaryAttr>(kProgramAttr));
  if (isDescribed && stage < Stage::Placed)
    return wrong("there is no '" + kProgramAttr + "' yet");
  if (!isDescribed && stage >= Stage::Placed)
    return wrong("'" + kProgramAttr + "' is missing");
  if (stage < Stage::Target && !module.getOps<LLVM::LLVMFuncOp>().empty())
    return wrong("there are no functions of LLVM dialect yet");
  auto functions = module->getAttrOfType<DictionaryAttr>("belfry.functions");
  if (functions && stage < Stage::Lowered)
    return wrong("there is no 'belfry.functions' yet");
  if (!functions || stage != Stage::Lowered)
    return success();
  for (NamedAttribute function : functions)
    if (auto fields = dyn_cast<DictionaryAttr>(function.getValue()))
      if (auto buffers = fields.getAs<ArrayAttr>("buffers"))
        for (auto buffer : buffers.getAsRange<DictionaryAttr>())
          if (buffer.get("live"))
            return wrong("buffers have no 'live' yet");
  return success();
}

static FailureOr<LoadedModule> parseModule(MLIRContext &context, StringRef path,
                                           const ImportOptions &options,
                                           ImportDiagnostics &diags) {
  if (!llvm::sys::fs::exists(path))
    return diags.error(path + ": no such file");
  if (llvm::sys::fs::is_directory(path))
    return diags.error(path + ": is a folder");
  LoadedModule loaded;
  size_t before = diags.getErrors().size();
  loaded.module = parseSourceFile<ModuleOp>(path, ParserConfig(&context));
  if (!loaded.module) {
    if (diags.getErrors().size() == before)
      return diags.error(path + ": cannot be read as MLIR");
    return failure();
  }
  std::string why;
  std::optional<Stage> stage = detectStage(*loaded.module, why);
  if (!stage)
    return diags.error(path + ": the module " + why);
  loaded.isModule = true;
  loaded.stage = *stage;
  if ((*loaded.module)->hasAttr(kStageAttr)) {
    // The first that is wrong says enough.
    std::string wrong;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (wrong.empty())
        wrong = diagnostic.str();
      return success();
    });
    if (failed(checkStage(*loaded.module, *stage)))
      return diags.error(path + ": the module is inconsistent: '" + kStageAttr +
                         "' says '" + stageName(*stage) +
                         "', and it is not at that stage (" + wrong + ")");
  }
  if (options.loss || options.optimizer || options.metrics) {
    if (*stage != Stage::Import)
      return diags.error(path +
                         ": '--loss', '--optimizer' and '--metrics' are "
                         "for a model; the module is at stage '" +
                         stageName(*stage) + "'");
    if (failed(recompile(*loaded.module, options, diags)))
      return failure();
  }
  std::string weights = weightsPath(*loaded.module, path);
  if (weights.empty())
    return loaded;
  llvm::Expected<std::vector<uint8_t>> block =
      readWeights(weights, *loaded.module);
  if (!block)
    return diags.error(llvm::toString(block.takeError()) + " (named in '" +
                       path + "')");
  loaded.weights = std::move(*block);
  return loaded;
}

FailureOr<LoadedModule> belfry::loadModule(MLIRContext &context, StringRef path,
                                           const ImportOptions &options,
                                           ImportDiagnostics &diags) {
  StringRef suffix = llvm::sys::path::extension(path);
  if (suffix == ".mlir" || suffix == ".mlirbc")
    return parseModule(context, path, options, diags);
  LoadedModule loaded;
  loaded.module = importModel(context, path, options, diags, &loaded.weights);
  if (!loaded.module)
    return failure();
  return loaded;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

LogicalResult belfry::exposeOutputs(ModuleOp module,
                                    ArrayRef<std::string> layers,
                                    ImportDiagnostics &diags) {
  auto models = llvm::to_vector(module.getOps<nn::ModelOp>());
  if (models.size() != 1)
    return diags.error("'--outputs' wants a model; the module has " +
                       Twine(models.size()));
  nn::ModelOp model = models[0];
  FunctionOpInterface function(model);
  Block &body = model.getBody().front();
  auto ret = cast<nn::ReturnOp>(body.getTerminator());

  // A layer's value is what its last op gives first; masks come second.
  llvm::SetVector<StringRef> names;
  llvm::StringMap<Value> values;
  for (Operation &op : body.without_terminator()) {
    auto name = op.getLoc()->findInstanceOf<NameLoc>();
    if (!name || op.getNumResults() == 0 || isa<nn::GetParameterOp>(op))
      continue;
    names.insert(name.getName());
    values[name.getName()] = op.getResult(0);
  }
  SmallVector<Attribute> resultAttrs;
  std::set<std::string> known;
  Builder builder(module.getContext());
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto attrs =
        DictionaryAttr::get(module.getContext(), function.getResultAttrs(i));
    resultAttrs.push_back(attrs);
    if (auto name = attrs.getAs<StringAttr>(nn::kNameAttr))
      known.insert(name.str());
  }
  SmallVector<Value> outputs(ret.getOutputs());
  for (const std::string &layer : layers) {
    if (!known.insert(layer).second)
      continue;
    auto found = values.find(layer);
    if (found == values.end()) {
      SmallVector<StringRef> choices(names.begin(), names.end());
      (void)diags.error("no layer '" + layer + "' of '--outputs'; " +
                        suggest(layer, choices));
      continue;
    }
    outputs.push_back(found->second);
    resultAttrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(nn::kNameAttr, builder.getStringAttr(layer))));
  }
  if (diags.hasErrors())
    return failure();
  ret.getOutputsMutable().assign(outputs);
  model.setFunctionTypeAttr(TypeAttr::get(builder.getFunctionType(
      model.getArgumentTypes(), ValueRange(outputs).getTypes())));
  model.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
  return success();
}
