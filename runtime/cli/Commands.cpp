//===- Commands.cpp - fit, evaluate, predict and info ---------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Commands.h"

#include "runtime/cli/Files.h"
#include "runtime/cli/Info.h"
#include "runtime/cli/Progress.h"
#include "runtime/data/ArrayFile.h"
#include "runtime/data/NpyWriter.h"
#include "runtime/data/OutputFile.h"
#include "runtime/host/Cores.h"
#include "runtime/training/Fit.h"
#include "runtime/training/Profile.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <csignal>
#include <unistd.h>

using namespace belfry::rt;
using namespace belfry::rt::cli;

namespace {

void note(const std::string &text) {
  std::fprintf(stderr, "%s\n", text.c_str());
}

Expected<std::vector<NamedArray>>
readArrays(const std::vector<std::string> &texts, const char *option) {
  std::vector<NamedArray> arrays;
  for (const std::string &text : texts) {
    ArrayOption named = splitName(text);
    Expected<ArraySpec> spec = parseArraySpec(named.text);
    if (!spec.ok())
      return spec.status().withPrefix(option);
    Expected<Array> array = readArray(*spec);
    if (!array.ok())
      return array.status().withPrefix(option);
    arrays.push_back({named.name, std::move(*array)});
  }
  return arrays;
}

Expected<Feed> readFeed(const std::vector<TensorInfo> &tensors,
                        const std::vector<std::string> &texts, const char *role,
                        const char *option, bool optional) {
  Expected<std::vector<NamedArray>> arrays = readArrays(texts, option);
  if (!arrays.ok())
    return arrays.status();
  return Feed::bind(tensors, *arrays, role, option, optional, note);
}

/// The option names of a data set: those for training or for validation.
struct DataOptions {
  const std::vector<std::string> &x, &y, &sampleWeight;
  const char *xName, *yName, *weightName;
};

/// Adds a role to a data set; the rows have to agree with what is there.
Status addRows(const Feed &feed, const Feed &inputs, int64_t &rows) {
  Expected<int64_t> found = feed.rows();
  if (!found.ok())
    return found.status();
  if (*found < 0)
    return Status::success();
  if (rows >= 0 && *found != rows)
    return Status::user(feed.describe() + ", but " + inputs.describe());
  rows = *found;
  return Status::success();
}

Expected<DataSet> readData(const Session &session, const DataOptions &options,
                           const Scale &scale, bool withTargets) {
  const Manifest &manifest = session.manifest();
  DataSet data;
  data.rows = -1;
  Expected<Feed> inputs =
      readFeed(manifest.inputs, options.x, "input", options.xName, false);
  if (!inputs.ok())
    return inputs.status();
  data.inputs = std::move(*inputs);
  data.inputs.setScale(scale);
  BELFRY_RETURN_IF_ERROR(addRows(data.inputs, data.inputs, data.rows));
  if (withTargets) {
    Expected<Feed> targets =
        readFeed(manifest.targets, options.y, "target", options.yName, false);
    if (!targets.ok())
      return targets.status();
    data.targets = std::move(*targets);
    BELFRY_RETURN_IF_ERROR(addRows(data.targets, data.inputs, data.rows));
    Expected<Feed> weights =
        readFeed(manifest.sampleWeights, options.sampleWeight, "sample weight",
                 options.weightName, true);
    if (!weights.ok())
      return weights.status();
    data.sampleWeights = std::move(*weights);
    BELFRY_RETURN_IF_ERROR(addRows(data.sampleWeights, data.inputs, data.rows));
  }
  if (data.rows <= 0)
    return Status::user(data.inputs.describe() + ", expected at least 1");
  return data;
}

Status needsLoss(const Session &session, const char *function,
                 const char *command) {
  if (session.manifest().function(function))
    return Status::success();
  return Status::user("'" + session.manifest().model +
                      "' was compiled without a loss, so there is no '" +
                      command + "'; compile it with belfryc's '--loss'");
}

/// Weights of the file, of the program, or by the seed.
Status prepareWeights(Session &session, const Options &options) {
  session.setSeed(options.seed);
  if (!options.resume.empty()) {
    BELFRY_RETURN_IF_ERROR(session.loadWeights(options.resume));
    Expected<bool> loaded = session.loadOptimizer(options.resume);
    if (!loaded.ok())
      return loaded.status();
    std::string numerics = readNumerics(options.resume);
    if (*loaded && numerics != session.manifest().numerics)
      note("'" + options.resume + "' was written with the numerics '" +
           numerics + "', this program has '" + session.manifest().numerics +
           "': it goes on to rounding, not bit for bit");
    if (*loaded)
      return Status::success();
    return Status::user("'--resume " + options.resume +
                        "': the file has no state of the optimizer '" +
                        session.manifest().optimizer.name +
                        "'; '--weights' takes its weights alone");
  }
  if (!options.weights.empty())
    return session.loadWeights(options.weights);
  if (session.hasEmbeddedWeights() && !options.initialize)
    return session.loadEmbeddedWeights();
  if (options.command != Options::Command::Fit && !options.initialize)
    note("warning: the program holds no weights and '--weights' is not given; "
         "they are drawn at random");
  return session.initializeWeights();
}

Status startDevices(Session &session, const Options &options) {
  Expected<Placement> placement = settlePlacement(
      options.placement, session.manifest(), usableCores(), session.backend());
  if (!placement.ok())
    return placement.status();
  // Signals are for the thread that writes files; threads inherit what is
  // blocked.
  sigset_t ends, before;
  sigemptyset(&ends);
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, &before);
  Status started = session.start(*placement);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  BELFRY_RETURN_IF_ERROR(started);
  if (!options.profile.empty()) {
    session.startProfile();
    if (session.manifest().ops.empty())
      note("'--profile " + options.profile +
           "': the program was compiled without '--profile-ops', so the "
           "profile has steps and no ops");
  }
  note(placement->describe());
  return Status::success();
}

/// Whether batches of these rows can be held and cut.
Status checkRows(const Session &session, int64_t rows, int64_t batchSize) {
  BELFRY_RETURN_IF_ERROR(checkMemory(session.manifest(),
                                     session.placement().towers,
                                     std::min(rows, batchSize)));
  return checkBatches(session, rows, batchSize);
}

/// What the devices of a backend hold of a run, said before it; the same where
/// that is too much.
Status checkDeviceMemory(const Session &session,
                         const std::vector<std::string> &functions,
                         int64_t batchSize) {
  if (!session.backend())
    return Status::success();
  Expected<std::string> line =
      session.backend()->checkMemory(functions, batchSize);
  if (line.ok())
    note(*line);
  return line.status();
}

/// The gradients of the step that has just run, each times the common scale.
Status dumpGradients(const Manifest &manifest, const Executor &executor,
                     const std::string &file) {
  double scale = 1;
  if (const void *place = executor.array(BufferKind::GradientScale, 0))
    scale = place ? executor.scalar(BufferKind::GradientScale, 0) : 1;
  std::vector<Storage> copies;
  std::vector<std::pair<size_t, const void *>> arrays;
  for (size_t i = 0; i < manifest.parameters.size(); ++i) {
    const void *gradient = executor.array(BufferKind::Gradient, int64_t(i));
    if (!gradient)
      continue;
    const ParameterInfo &parameter = manifest.parameters[i];
    Storage &copy = copies.emplace_back(parameter.bytes());
    int64_t count = numElements(parameter.shape);
    for (int64_t e = 0; e < count; ++e) {
      double value = loadElement(parameter.dtype, gradient, e);
      storeElement(parameter.dtype, copy.data(), e,
                   parameter.dtype == DType::F64 ? value * scale
                                                 : float(value) * float(scale));
    }
    arrays.emplace_back(i, copy.data());
  }
  return writeArrays(file, manifest, arrays);
}

/// The rows in front and the rows at the end that `split` keeps for validation.
Status splitValidation(double split, DataSet &data,
                       std::optional<DataSet> &validation) {
  auto at = int64_t(std::floor(double(data.rows) * (1 - split)));
  if (at == 0 || at == data.rows)
    return Status::user("'--validation-split " + std::to_string(split) +
                        "' of " + std::to_string(data.rows) + " rows leaves " +
                        std::to_string(at) + " for training and " +
                        std::to_string(data.rows - at) + " for validation");
  validation = data.slice(at, data.rows);
  data = data.slice(0, at);
  return Status::success();
}

Status writeProfile(const Session &session, const Options &options) {
  if (options.profile.empty())
    return Status::success();
  return writeFile(options.profile, profileJson(session));
}

Status writeWeightsNew(Session &session, std::string &file, bool mayChoose,
                       const std::vector<FileOption> &others) {
  BELFRY_RETURN_IF_ERROR(session.fetchValues());
  // Another run in the same folder may have taken the name meanwhile.
  Status status;
  for (int attempt = 0; attempt < 100; ++attempt) {
    status = writeWeights(file, session.manifest(), session.modelValues(),
                          mayChoose);
    if (status.ok() || !mayChoose || access(file.c_str(), F_OK) != 0)
      return status;
    file = freeName(session.manifest().model, others);
  }
  return status;
}

Expected<int> runFit(Session &session, const Options &options,
                     const std::atomic<bool> &stop) {
  BELFRY_RETURN_IF_ERROR(needsLoss(session, "train", "fit"));
  auto setHypers = [&]() -> Status {
    for (const auto &[name, value] : options.set)
      BELFRY_RETURN_IF_ERROR(session.setHyper(name, value));
    return Status::success();
  };
  BELFRY_RETURN_IF_ERROR(setHypers());
  bool chosen = options.save.empty() && !options.noSave;
  std::vector<FileOption> outputs = {
      {"--history", options.history},
      {"--dump-gradients", options.dumpGradients},
      {"--profile", options.profile}};
  std::string save =
      chosen ? freeName(session.manifest().model, outputs) : options.save;
  if (!save.empty())
    BELFRY_RETURN_IF_ERROR(checkWeightsSuffix(save));
  outputs.insert(outputs.begin(), {"--save", save});
  BELFRY_RETURN_IF_ERROR(checkOutputs(outputs, options));

  Expected<DataSet> data = readData(session,
                                    {options.x, options.y, options.sampleWeight,
                                     "--x", "--y", "--sample-weight"},
                                    options.scale, true);
  if (!data.ok())
    return data.status();
  std::optional<DataSet> validation;
  if (!options.validationX.empty()) {
    Expected<DataSet> more =
        readData(session,
                 {options.validationX, options.validationY,
                  options.validationSampleWeight, "--validation-x",
                  "--validation-y", "--validation-sample-weight"},
                 options.scale, true);
    if (!more.ok())
      return more.status();
    validation = std::move(*more);
  } else if (options.validationSplit) {
    BELFRY_RETURN_IF_ERROR(
        splitValidation(*options.validationSplit, *data, validation));
  }
  BELFRY_RETURN_IF_ERROR(prepareWeights(session, options));
  // A run that is resumed brings its learning rate; what is asked for goes
  // first.
  BELFRY_RETURN_IF_ERROR(setHypers());
  BELFRY_RETURN_IF_ERROR(startDevices(session, options));
  BELFRY_RETURN_IF_ERROR(checkRows(session, data->rows, options.batchSize));
  if (validation)
    BELFRY_RETURN_IF_ERROR(
        checkRows(session, validation->rows, options.batchSize));
  BELFRY_RETURN_IF_ERROR(checkDeviceMemory(
      session,
      validation ? std::vector<std::string>{"train", "evaluate"}
                 : std::vector<std::string>{"train"},
      std::min(data->rows, options.batchSize)));

  FitOptions fitOptions;
  fitOptions.batchSize = options.batchSize;
  fitOptions.epochs = options.epochs;
  fitOptions.shuffle = options.shuffle;
  fitOptions.allowNan = options.allowNan;
  fitOptions.stop = &stop;
  if (!options.dumpGradients.empty())
    fitOptions.afterFirstStep = [&](const Executor &executor) {
      return dumpGradients(session.manifest(), executor, options.dumpGradients);
    };
  Progress progress(stdout, isatty(STDOUT_FILENO) != 0);
  Expected<History> history =
      fit(session, *data, validation, fitOptions, progress);
  if (!history.ok())
    return history.status();
  if (!save.empty()) {
    BELFRY_RETURN_IF_ERROR(writeWeightsNew(session, save, chosen, outputs));
    if (chosen || history->interrupted)
      note("weights saved to '" + save + "'");
  }
  if (!options.history.empty())
    BELFRY_RETURN_IF_ERROR(
        writeFile(options.history, history->json(options.logSteps)));
  BELFRY_RETURN_IF_ERROR(writeProfile(session, options));
  return history->interrupted ? 130 : 0;
}

Expected<int> runEvaluate(Session &session, const Options &options,
                          const std::atomic<bool> &stop) {
  BELFRY_RETURN_IF_ERROR(needsLoss(session, "evaluate", "evaluate"));
  BELFRY_RETURN_IF_ERROR(
      checkOutputs({{"--profile", options.profile}}, options));
  Expected<DataSet> data = readData(session,
                                    {options.x, options.y, options.sampleWeight,
                                     "--x", "--y", "--sample-weight"},
                                    options.scale, true);
  if (!data.ok())
    return data.status();
  BELFRY_RETURN_IF_ERROR(prepareWeights(session, options));
  BELFRY_RETURN_IF_ERROR(startDevices(session, options));
  BELFRY_RETURN_IF_ERROR(checkRows(session, data->rows, options.batchSize));
  BELFRY_RETURN_IF_ERROR(checkDeviceMemory(
      session, {"evaluate"}, std::min(data->rows, options.batchSize)));
  Expected<Logs> logs = evaluate(session, *data, options.batchSize, &stop);
  if (!logs.ok())
    return logs.status();
  if (stop.load())
    return 130;
  BELFRY_RETURN_IF_ERROR(writeProfile(session, options));
  if (options.json) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto &[name, value] : *logs)
      object[name] = value;
    std::printf("%s\n", object.dump().c_str());
  } else {
    std::printf("%s\n", formatLogs(*logs).c_str());
  }
  return 0;
}

Expected<size_t> outputNamed(const Manifest &manifest,
                             const std::string &name) {
  std::string names;
  for (size_t i = 0; i < manifest.outputs.size(); ++i) {
    if (manifest.outputs[i].name == name)
      return i;
    names += (i ? ", '" : "'") + manifest.outputs[i].name + "'";
  }
  return Status::user("the model has no output '" + name + "', the names are " +
                      names);
}

/// Outputs and their files, in the order of the command line.
Expected<std::vector<std::pair<size_t, std::string>>>
outputFiles(const Manifest &manifest, const Options &options) {
  std::vector<size_t> wanted;
  for (const std::string &name : options.outputs) {
    Expected<size_t> output = outputNamed(manifest, name);
    if (!output.ok())
      return output.status().withPrefix("'--outputs'");
    wanted.push_back(*output);
  }
  if (wanted.empty())
    for (size_t i = 0; i < manifest.outputs.size(); ++i)
      wanted.push_back(i);
  if (options.outputFiles.empty())
    return Status::user("'-o FILE.npy' is missing: where the outputs go");
  std::vector<std::pair<size_t, std::string>> files;
  std::vector<FileOption> outputs;
  for (const std::string &text : options.outputFiles) {
    ArrayOption named = splitName(text);
    size_t output = wanted[0];
    if (!named.name.empty()) {
      Expected<size_t> found = outputNamed(manifest, named.name);
      if (!found.ok())
        return found.status().withPrefix("'-o " + text + "'");
      output = *found;
    } else if (wanted.size() > 1) {
      return Status::user("'-o " + text +
                          "': the model has several outputs; write '-o " +
                          manifest.outputs[output].name + "=" + text + "'");
    }
    if (named.text.empty())
      return Status::user("'-o " + text + "': the file has no name");
    outputs.push_back({"-o", named.text});
    files.emplace_back(output, named.text);
  }
  outputs.push_back({"--profile", options.profile});
  BELFRY_RETURN_IF_ERROR(checkOutputs(outputs, options));
  return files;
}

Expected<int> runPredict(Session &session, const Options &options,
                         const std::atomic<bool> &stop) {
  const Manifest &manifest = session.manifest();
  Expected<std::vector<std::pair<size_t, std::string>>> files =
      outputFiles(manifest, options);
  if (!files.ok())
    return files.status();
  static const std::vector<std::string> none;
  Expected<DataSet> data = readData(
      session, {options.x, none, none, "--x", "", ""}, options.scale, false);
  if (!data.ok())
    return data.status();
  BELFRY_RETURN_IF_ERROR(prepareWeights(session, options));
  BELFRY_RETURN_IF_ERROR(startDevices(session, options));
  BELFRY_RETURN_IF_ERROR(checkRows(session, data->rows, options.batchSize));
  BELFRY_RETURN_IF_ERROR(checkDeviceMemory(
      session, {"predict"}, std::min(data->rows, options.batchSize)));
  std::vector<size_t> wanted;
  for (const auto &file : *files)
    wanted.push_back(file.first);
  Expected<std::vector<Prediction>> predictions =
      predict(session, *data, options.batchSize, wanted, &stop);
  if (!predictions.ok())
    return stop.load() ? Expected<int>(130) : predictions.status();
  for (size_t i = 0; i < files->size(); ++i) {
    const Prediction &one = (*predictions)[i];
    BELFRY_RETURN_IF_ERROR(writeNpy((*files)[i].second,
                                    manifest.outputs[one.output].dtype,
                                    one.shape, one.data.data()));
  }
  BELFRY_RETURN_IF_ERROR(writeProfile(session, options));
  return 0;
}

Expected<int> runInfo(Session &session, const belfry_program_v2 &program,
                      const Options &options) {
  if (options.manifest) {
    std::fwrite(program.manifest, 1, size_t(program.manifest_size), stdout);
    std::fputc('\n', stdout);
    return 0;
  }
  if (options.certificate) {
    if (!program.device_code)
      return Status::user("'--certificate': the program is compiled for the "
                          "target '" +
                          session.manifest().target +
                          "' and has no kernels for GPUs");
    std::fwrite(program.device_code->certificate, 1,
                size_t(program.device_code->certificate_size), stdout);
    return 0;
  }
  // What a program for GPUs needs can be asked where there are none.
  PlacementRequest request = options.placement;
  if (session.backend())
    request.devices = "cpu:1";
  Expected<Placement> placement =
      settlePlacement(request, session.manifest(), usableCores());
  if (!placement.ok())
    return placement.status();
  if (session.backend() && !options.placement.devices.empty())
    placement->devices = int(std::count(options.placement.devices.begin(),
                                        options.placement.devices.end(), ',')) +
                         1;
  BELFRY_RETURN_IF_ERROR(
      checkMemory(session.manifest(), placement->towers, options.batchSize));
  std::string text = describeProgram(
      session.manifest(), session.hasEmbeddedWeights(), placement->towers,
      placement->devices, placement->contexts(), options.batchSize,
      session.backend() ? session.backend()->needs() : "");
  std::fputs(text.c_str(), stdout);
  return 0;
}

} // namespace

Expected<int> belfry::rt::cli::runCommand(Session &session,
                                          const belfry_program_v2 &program,
                                          const Options &options,
                                          const std::atomic<bool> &stop) {
  switch (options.command) {
  case Options::Command::Fit:
    return runFit(session, options, stop);
  case Options::Command::Evaluate:
    return runEvaluate(session, options, stop);
  case Options::Command::Predict:
    return runPredict(session, options, stop);
  case Options::Command::Info:
    return runInfo(session, program, options);
  case Options::Command::Help:
    break;
  }
  return 0;
}
