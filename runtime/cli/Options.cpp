//===- Options.cpp - command lines of training binaries -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

using namespace belfry::rt;
using namespace belfry::rt::cli;

namespace {

/// The options as text. They are turned into numbers here and not by the
/// library, so that every message names option, value and limits alike.
struct RawOptions {
  std::string towers, devices, threads, batchSize, epochs, split, seed, scale;
  std::vector<std::string> set, outputs;
};

Status wrong(const std::string &option, const std::string &value,
             const std::string &expected) {
  return Status::user("'" + option + " " + value + "': expected " + expected);
}

Status parseInteger(const std::string &option, const std::string &text,
                    int64_t least, int64_t &value) {
  char *end = nullptr;
  errno = 0;
  long long parsed = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != 0 || std::isspace(int(text[0])) ||
      errno == ERANGE || parsed < least)
    return wrong(option, text,
                 "a whole number, at least " + std::to_string(least));
  value = parsed;
  return Status::success();
}

bool parseNumber(const std::string &text, double &value) {
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 && std::isfinite(value);
}

Status parseSeed(const std::string &text, uint64_t &seed) {
  char *end = nullptr;
  errno = 0;
  // A leading 0 makes no octal number.
  bool isHex = text.starts_with("0x") || text.starts_with("0X");
  seed = std::strtoull(text.c_str(), &end, isHex ? 16 : 10);
  if (text.empty() || *end != 0 || text[0] == '-' || errno == ERANGE ||
      std::isspace(int(text[0])))
    return wrong("--seed", text,
                 "a whole number from 0 to 18446744073709551615");
  return Status::success();
}

Status parseScale(const std::string &text, Scale &scale) {
  size_t slash = text.find('/');
  bool good = parseNumber(text.substr(0, slash), scale.numerator);
  if (slash != std::string::npos)
    good = good && parseNumber(text.substr(slash + 1), scale.denominator) &&
           scale.denominator != 0;
  return good ? Status::success()
              : wrong("--scale", text, "a number or a ratio such as 1/255");
}

/// Empty parts are kept: they are mistakes, and told as such.
std::vector<std::string> splitAtCommas(const std::vector<std::string> &list) {
  std::vector<std::string> parts;
  for (const std::string &text : list)
    for (size_t at = 0; at <= text.size();) {
      size_t comma = std::min(text.find(',', at), text.size());
      parts.push_back(text.substr(at, comma - at));
      at = comma + 1;
    }
  return parts;
}

Status finish(const RawOptions &raw, Options &options) {
  if (!raw.towers.empty()) {
    int64_t towers = 0;
    BELFRY_RETURN_IF_ERROR(parseInteger("--towers", raw.towers, 1, towers));
    options.placement.towers = towers;
  }
  options.placement.devices = raw.devices;
  if (!raw.threads.empty()) {
    int64_t threads = 0;
    BELFRY_RETURN_IF_ERROR(
        parseInteger("--threads-per-device", raw.threads, 1, threads));
    options.placement.threadsPerDevice = threads;
  }
  if (!raw.batchSize.empty())
    BELFRY_RETURN_IF_ERROR(
        parseInteger("--batch-size", raw.batchSize, 1, options.batchSize));
  if (!raw.epochs.empty())
    BELFRY_RETURN_IF_ERROR(
        parseInteger("--epochs", raw.epochs, 1, options.epochs));
  if (!raw.seed.empty())
    BELFRY_RETURN_IF_ERROR(parseSeed(raw.seed, options.seed));
  if (!raw.scale.empty())
    BELFRY_RETURN_IF_ERROR(parseScale(raw.scale, options.scale));
  if (!raw.split.empty()) {
    double split = 0;
    if (!parseNumber(raw.split, split) || split <= 0 || split >= 1)
      return wrong("--validation-split", raw.split,
                   "a fraction between 0 and 1");
    options.validationSplit = split;
  }
  for (const std::string &text : raw.set)
    for (const std::string &pair : splitAtCommas({text})) {
      size_t equals = pair.find('=');
      double value = 0;
      if (equals == std::string::npos || equals == 0 ||
          !parseNumber(pair.substr(equals + 1), value))
        return wrong("--set", text,
                     pair == text ? "NAME=NUMBER"
                                  : "NAME=NUMBER,…, got '" + pair + "'");
      std::string name = pair.substr(0, equals);
      for (const auto &earlier : options.set)
        if (earlier.first == name)
          return Status::user("'--set' gives '" + name + "' twice");
      options.set.emplace_back(name, value);
    }
  options.outputs = splitAtCommas(raw.outputs);
  for (const std::string &name : options.outputs)
    if (name.empty())
      return wrong("--outputs", raw.outputs.front(), "NAME,…");
  if (options.noSave && !options.save.empty())
    return Status::user("'--save' and '--no-save' exclude each other");
  if (!options.resume.empty() &&
      (options.initialize || !options.weights.empty()))
    return Status::user("'--resume' stands without '--weights' and "
                        "'--initialize'");
  if (options.initialize && !options.weights.empty())
    return Status::user("'--weights' and '--initialize' exclude each other");
  if (options.validationSplit && !options.validationX.empty())
    return Status::user(
        "'--validation-split' and '--validation-x' exclude each other");
  if (options.validationX.empty() != options.validationY.empty())
    return Status::user("'--validation-x' and '--validation-y' go together");
  if (options.validationX.empty() && !options.validationSampleWeight.empty())
    return Status::user("'--validation-sample-weight' needs '--validation-x'");
  return Status::success();
}

CLI::Option *addList(CLI::App *app, const std::string &name,
                     std::vector<std::string> &list, const char *help) {
  return app->add_option(name, list, help)
      ->allow_extra_args(false)
      ->type_name("ARRAY");
}

void addPlacement(CLI::App *app, RawOptions &raw, Options &options) {
  app->add_option("--towers", raw.towers,
                  "copies of the model that share the batch, 1 to 65536 "
                  "(default: as compiled, 'info' says it)")
      ->type_name("N");
  app->add_option("--devices", raw.devices,
                  "cpu:M, M contexts of the host that the towers are dealt out "
                  "to (default: one a core, at most one a tower)")
      ->type_name("LIST");
  app->add_option("--threads-per-device", raw.threads,
                  "threads of a device (default: the usable cores over the "
                  "devices, at least 1)")
      ->type_name("T");
  app->add_flag("--all-errors", options.allErrors,
                "print errors whole (default: at most 20 lines)");
}

void addData(CLI::App *app, RawOptions &raw, Options &options) {
  addList(app, "--x", options.x,
          "an input: FILE[:MEMBER][[a:b]], or NAME=FILE… where there are "
          "several, each with its '--x'");
  app->add_option("--scale", raw.scale,
                  "what inputs are multiplied with, a number or a ratio such "
                  "as 1/255 (default 1)")
      ->type_name("R");
  app->add_option("--batch-size", raw.batchSize,
                  "rows of the global batch, which the towers share (default "
                  "32)")
      ->type_name("B");
  app->add_option("--weights", options.weights,
                  "a weights file of Keras, .weights.h5 or .keras (default: "
                  "the weights in the program; without them, by seed)")
      ->type_name("FILE");
  app->add_flag("--initialize", options.initialize,
                "leave out the weights in the program, draw new ones by seed");
  app->add_option("--seed", raw.seed,
                  "of everything random, 0 to 2^64 - 1 (default 0)")
      ->type_name("S");
}

void addProfile(CLI::App *app, Options &options) {
  app->add_option("--profile", options.profile,
                  "write where the time of the steps goes, a JSON object; with "
                  "each op where belfryc was given '--profile-ops' (default: "
                  "none)")
      ->type_name("FILE");
}

void addTargets(CLI::App *app, Options &options) {
  addList(app, "--y", options.y, "a target, as for --x");
  addList(app, "--sample-weight", options.sampleWeight,
          "weights of the rows, as for --x (default: 1 for each)");
}

void addFit(CLI::App *app, RawOptions &raw, Options &options) {
  app->add_option("--epochs", raw.epochs, "passes over the data (default 1)")
      ->type_name("E");
  addList(app, "--validation-x", options.validationX,
          "as --x, for validation after each epoch (default: none)");
  addList(app, "--validation-y", options.validationY, "as --y, for validation");
  addList(app, "--validation-sample-weight", options.validationSampleWeight,
          "as --sample-weight, for validation");
  app->add_option("--validation-split", raw.split,
                  "the last part of the rows is for validation, a fraction "
                  "between 0 and 1 (default: none)")
      ->type_name("F");
  app->add_option("--resume", options.resume,
                  "go on from weights that fit saved, with the optimizer's "
                  "state and the number of updates")
      ->type_name("FILE");
  app->add_option("--save", options.save,
                  "where the weights go, a .weights.h5 (default: a new "
                  "NAME.weights.h5 in the current folder)")
      ->type_name("FILE");
  app->add_flag("--no-save", options.noSave, "save no weights");
  app->add_flag_callback(
      "--no-shuffle", [&options] { options.shuffle = false; },
      "take the rows in their order (default: a new order each epoch, by "
      "seed)");
  app->add_option("--history", options.history,
                  "write a JSON object with a list of numbers, one an epoch, "
                  "for the loss and each metric (default: none)")
      ->type_name("FILE");
  app->add_flag("--log-steps", options.logSteps,
                "put the loss of each step into the history");
  app->add_option("--set", raw.set,
                  "numeric arguments of the optimizer: NAME=NUMBER,… "
                  "(default: as compiled, or as resumed)")
      ->allow_extra_args(false)
      ->type_name("LIST");
  app->add_flag("--allow-nan", options.allowNan,
                "go on when the loss is NaN or infinite (default: an error)");
  app->add_option("--dump-gradients", options.dumpGradients,
                  "write the gradients of the first step, HDF5 (default: none)")
      ->type_name("FILE");
}

/// What main and a signal make of it, told under each help.
std::string exitCodes(bool stops) {
  std::string text =
      "Exit status: 0; 1 an error, told as 'error: …' on standard error; 2 an "
      "error inside\nthe program";
  return text + (stops ? "; 130 stopped by SIGINT, SIGTERM or SIGHUP. A second "
                         "signal ends the\nprogram at once, by that signal"
                       : "");
}

/// Options with one value, given once or not at all.
Status checkValues(CLI::App *app, const std::vector<CLI::Option *> &scalars) {
  for (const CLI::Option *option : app->get_options())
    for (const std::string &value : option->results())
      if (value.empty())
        return Status::user("'" + option->get_name() + "' has an empty value");
  for (const CLI::Option *option : scalars)
    if (option->count() > 1)
      return Status::user("'" + option->get_name() + "' is given " +
                          (option->count() == 2
                               ? "twice"
                               : std::to_string(option->count()) + " times") +
                          ", expected once");
  return Status::success();
}

/// CLI11's messages are sentences; ours are not.
std::string plainMessage(std::string text) {
  if (!text.empty() && text.back() == '.')
    text.pop_back();
  if (text.size() > 1 && std::isupper(int(text[0])) &&
      !std::isupper(int(text[1])))
    text[0] = char(std::tolower(int(text[0])));
  return text;
}

/// The option whose name is nearest by common letters at the start.
std::string nearestOption(CLI::App *app, const std::string &unknown) {
  std::string best;
  size_t most = 3;
  for (const CLI::Option *option : app->get_options()) {
    std::string name = option->get_name();
    size_t common = 0;
    while (common < std::min(name.size(), unknown.size()) &&
           name[common] == unknown[common])
      ++common;
    if (common > most) {
      most = common;
      best = name;
    }
  }
  return best.empty() ? "" : ", perhaps '" + best + "'";
}

Status unknownArguments(CLI::App *app) {
  std::vector<std::string> rest = app->remaining();
  if (rest.empty())
    return Status::success();
  for (const std::string &argument : rest)
    if (argument.starts_with("-"))
      return Status::user("unknown option '" + argument + "' of '" +
                          app->get_name() + "'" + nearestOption(app, argument) +
                          "; '--help' lists them all");
  return Status::user("unexpected argument '" + rest.front() + "' of '" +
                      app->get_name() + "'; '--help' lists the options");
}

} // namespace

Expected<Options> belfry::rt::cli::parseOptions(int argc,
                                                const char *const *argv,
                                                const std::string &model) {
  Options options;
  RawOptions raw;
  CLI::App app("Trains and runs the model '" + model +
               "', compiled by Belfry.");
  app.name(argc > 0 ? std::string(argv[0]) : "train");
  app.require_subcommand(0, 1);
  app.allow_extras();
  CLI::App *fit = app.add_subcommand("fit", "train on data");
  CLI::App *evaluate = app.add_subcommand("evaluate", "loss and metrics");
  CLI::App *predict = app.add_subcommand("predict", "outputs for inputs");
  CLI::App *info =
      app.add_subcommand("info", "what was compiled: model, layers, memory");
  for (CLI::App *command : {fit, evaluate, predict, info}) {
    command->allow_extras();
    addPlacement(command, raw, options);
    if (command != info)
      addData(command, raw, options);
  }
  addTargets(fit, options);
  addTargets(evaluate, options);
  addFit(fit, raw, options);
  for (CLI::App *command : {fit, evaluate, predict})
    addProfile(command, options);
  evaluate->add_flag("--json", options.json, "print one JSON object");
  predict
      ->add_option("--outputs", raw.outputs,
                   "which outputs: NAME,… (default: all)")
      ->allow_extra_args(false)
      ->type_name("LIST");
  predict
      ->add_option("-o,--output", options.outputFiles,
                   "a .npy file to write, or NAME=FILE where there are several "
                   "outputs, each with its '-o'")
      ->allow_extra_args(false)
      ->type_name("FILE");
  info->add_flag("--manifest", options.manifest,
                 "print the program's manifest, a JSON document");
  info->add_flag("--certificate", options.certificate,
                 "print which kernel each op has on the GPU, and what it takes "
                 "of it, a JSON document (target cuda)");
  info->add_option("--batch-size", raw.batchSize,
                   "rows of the batch that memory is shown for (default 32)")
      ->type_name("B");

  app.footer(exitCodes(true));
  std::map<CLI::App *, std::vector<CLI::Option *>> scalars;
  for (CLI::App *command : {fit, evaluate, predict, info}) {
    command->footer(exitCodes(command != info));
    // The library would tell of two values as of a wrong number of arguments.
    for (CLI::Option *option : command->get_options())
      if (option->get_items_expected_max() == 1) {
        option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        scalars[command].push_back(option);
      }
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    for (CLI::App *command : app.get_subcommands())
      options.help = command->help(app.get_name());
    if (options.help.empty())
      options.help = app.help();
    return options;
  } catch (const CLI::ParseError &failure) {
    return Status::user(plainMessage(failure.what()));
  }
  std::vector<CLI::App *> commands = app.get_subcommands();
  if (commands.empty()) {
    std::vector<std::string> rest = app.remaining();
    return Status::user(
        (rest.empty() ? std::string("no command is given")
                      : "unknown command '" + rest.front() + "'") +
        "; there are fit, evaluate, predict, info, and each has '--help'");
  }
  BELFRY_RETURN_IF_ERROR(unknownArguments(commands[0]));
  BELFRY_RETURN_IF_ERROR(checkValues(commands[0], scalars[commands[0]]));
  BELFRY_RETURN_IF_ERROR(finish(raw, options));
  options.command = commands[0] == fit        ? Options::Command::Fit
                    : commands[0] == evaluate ? Options::Command::Evaluate
                    : commands[0] == predict  ? Options::Command::Predict
                                              : Options::Command::Info;
  return options;
}
