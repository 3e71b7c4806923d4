//===- CliTest.cpp - command lines of a training binary -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the hand-written program's binary as a user would. Each bad input has a
// row in a table: what is said, on one line that begins with `error:`, and no
// file left behind.
//
//===----------------------------------------------------------------------===//

#include "runtime/data/ArrayFile.h"
#include "runtime/data/Hdf5.h"
#include "test/unit/runtime/CliFixture.h"

#include <nlohmann/json.hpp>

#include <regex>

using namespace belfry::rt;
using namespace belfry::rt::test;
namespace fs = std::filesystem;

namespace {

TEST_F(Cli, BadInputOfFit) {
  const std::string xy = "fit --x x.npy --y y.npy ";
  const struct {
    std::string arguments, message;
  } cases[] = {
      {"", "no command is given; there are fit, evaluate, predict, info"},
      {"train", "unknown command 'train'"},
      {xy + "--epoch-count 3",
       "unknown option '--epoch-count' of 'fit', perhaps '--epochs'"},
      {xy + "more", "unexpected argument 'more' of 'fit'"},
      {xy + "--batch-size 0",
       "'--batch-size 0': expected a whole number, at least 1"},
      {xy + "--batch-size x", "'--batch-size x': expected a whole number"},
      {xy + "--epochs 1.5", "'--epochs 1.5': expected a whole number"},
      {xy + "--epochs -1", "'--epochs -1': expected a whole number"},
      {xy + "--towers 0", "'--towers 0': expected a whole number, at least 1"},
      {xy + "--towers -1",
       "'--towers -1': expected a whole number, at least 1"},
      {xy + "--towers many", "'--towers many': expected a whole number"},
      {xy + "--towers 99999999", "expected 1 to 65536 towers"},
      {xy + "--towers 2 --devices cpu:3",
       "3 devices for 2 towers; there can't be more devices than towers"},
      {xy + "--devices cpu:0", "expected a number of contexts, at least 1"},
      {xy + "--devices gpu:0", "the target 'host', which has no GPUs"},
      {xy + "--devices tpu", "'--devices tpu': unknown device"},
      {xy + "--towers 10000 --devices cpu:9999",
       "'--devices cpu:9999': expected at most 4096 devices"},
      {xy + "--threads-per-device 0", "'--threads-per-device 0': expected"},
      {xy + "--seed -1", "'--seed -1': expected a whole number from 0"},
      {xy + "--scale 1/0", "'--scale 1/0': expected a number or a ratio"},
      {xy + "--set learning_rate",
       "'--set learning_rate': expected NAME=NUMBER"},
      {xy + "--set momentum=1.5",
       "'--set': 'momentum': expected a number from 0 to 1, got 1.5"},
      {xy + "--set learning_rate=-1",
       "'--set': 'learning_rate': expected a number of at least 0, got -1"},
      {xy + "--set learning_rate=1e39",
       "'--set': 'learning_rate': expected a number of at least 0, got inf"},
      {xy + "--set noise=1",
       "'--set': 'noise': expected a number from 0 to below 1, got 1"},
      {xy + "--set learning_rte=1",
       "has no argument 'learning_rte'; did you mean 'learning_rate'?"},
      {xy + "--set ,", "'--set ,': expected NAME=NUMBER,…, got ''"},
      {xy + "--set learning_rate=.1,",
       "'--set learning_rate=.1,': expected NAME=NUMBER,…, got ''"},
      {xy + "--set rate=1",
       "the optimizer 'sgd' has no argument 'rate', there are: learning_rate, "
       "momentum, noise"},
      {xy + "--validation-split 1.5",
       "'--validation-split 1.5': expected a fraction between 0 and 1"},
      {xy + "--validation-split 0.99",
       "of 20 rows leaves 0 for training and 20 for validation"},
      {xy + "--validation-x x.npy",
       "'--validation-x' and '--validation-y' go together"},
      {xy + "--validation-x x.npy --validation-y y.npy "
            "--validation-split 0.5",
       "exclude each other"},
      {xy + "--save a.weights.h5 --no-save",
       "'--save' and '--no-save' exclude each other"},
      {xy + "--initialize --weights w.npy",
       "'--weights' and '--initialize' exclude each other"},
      {xy + "--save a.txt", "weights are saved as .weights.h5"},
      {xy + "--save no/such/a.weights.h5",
       "cannot write 'no/such/a.weights.h5': No such file or directory"},
      {xy + "--history no/such/h.json", "cannot write 'no/such/h.json'"},
      {xy + "--history .", "cannot write '.': it is a folder"},
      {xy + "--history h --dump-gradients ./h",
       "'--history h' and '--dump-gradients ./h' are one file"},
      {"fit --y y.npy", "input 'x' is missing; give it with '--x FILE'"},
      {"fit --x x.npy", "target 'dense' is missing; give it with '--y FILE'"},
      {"fit --x gone.npy --y y.npy", "--x: 'gone.npy': no such file"},
      {"fit --x text.npy --y y.npy",
       "--x: 'text.npy': is none of the array formats"},
      {"fit --x wide.npy --y y.npy",
       "'wide.npy': input 'x' takes rows of shape (3), got (2)"},
      {"fit --x x.npy --y x.npy",
       "'x.npy': target 'dense' takes rows of shape (1), got (3)"},
      {"fit --x x.npy --x other=x.npy --y y.npy",
       "'--x other=…': the model has no input 'other', the names are 'x'"},
      {"fit --x x.npy --x x=x.npy --y y.npy",
       "'--x' gives two arrays for input 'x'"},
      {"fit --x x.npy[:15] --y y.npy",
       "'y.npy' (--y) has 20 rows, but 'x.npy[:15]' (--x) has 15 rows"},
      {xy + "--sample-weight w.npy",
       "'w.npy' (--sample-weight) has 15 rows, but 'x.npy' (--x) has 20"},
      {"fit --x none.npy --y none_y.npy",
       "'none.npy' (--x) has 0 rows, expected at least 1"},
      {xy + "--weights gone.weights.h5", "'gone.weights.h5' cannot open"},
      {xy + "--weights taken.weights.h5",
       "'taken.weights.h5' is no Keras weights file"},
      {"fit --x nan.npy --y y.npy --no-shuffle --batch-size 1",
       "the loss is NaN at step 2 of epoch 1; lower the learning rate with "
       "'--set learning_rate=…'"},
      {xy + "--set learning_rate=1e30 --epochs 30", "the loss is "},
  };
  for (const auto &bad : cases)
    expectError(bad.arguments, bad.message);
}

TEST_F(Cli, OutputsAreFilesOfTheirOwn) {
  const std::string xy = "fit --x x.npy --y y.npy ";
  ASSERT_EQ(run(xy + "--save w.weights.h5").exit, 0);
  fs::create_directory(path("a"));
  fs::create_hard_link(path("y.npy"), path("hard"));
  fs::create_symlink("x.npy", path("soft"));
  const struct {
    std::string arguments, message;
  } cases[] = {
      {xy + "--save z.weights.h5 --history ./z.weights.h5",
       "'--save z.weights.h5' and '--history ./z.weights.h5' are one file"},
      {xy + "--no-save --history a/../h --dump-gradients h", "are one file"},
      {xy + "--history soft --no-save",
       "'--history soft' would replace '--x x.npy', which is read"},
      {xy + "--dump-gradients hard --no-save",
       "'--dump-gradients hard' would replace '--y y.npy'"},
      {"fit --x x=x.npy[:15] --y y.npy[:15] --sample-weight w.npy --no-save "
       "--history ./w.npy",
       "would replace '--sample-weight w.npy'"},
      {"fit --x x=x.npy[:15] --y y.npy[:15] --no-save --history ./x.npy",
       "would replace '--x x=x.npy[:15]'"},
      {xy + "--validation-x soft --validation-y hard --no-save --history hard",
       "would replace '--y y.npy'"},
      {xy + "--resume w.weights.h5 --no-save --history w.weights.h5",
       "would replace '--resume w.weights.h5'"},
      {xy + "--no-save --history " BELFRY_FAKE_BINARY,
       "would replace this program"},
      {"predict --x x.npy -o ./x.npy",
       "'-o ./x.npy' would replace '--x x.npy'"},
      {"predict --x x.npy -o p.npy -o dense=a/../p.npy", "are one file"},
      {"predict --x x.npy --weights w.weights.h5 -o w.weights.h5",
       "would replace '--weights w.weights.h5'"},
      {"predict --x x.npy -o dense=", "'-o dense=': the file has no name"},
      {xy + "--history " + std::string(300, 'n'),
       "its name has 300 bytes, the limit there is 255"},
  };
  for (const auto &bad : cases)
    expectError(bad.arguments, bad.message);
  // To go on from weights and save them in their place is no mistake.
  for (const char *option : {"--resume", "--weights"})
    EXPECT_EQ(run(xy + option + " w.weights.h5 --save ./w.weights.h5").exit, 0);
  // A name that the program chooses is nobody else's.
  ASSERT_EQ(run(xy + "--history linear.weights.h5").exit, 0);
  EXPECT_TRUE(fs::exists(path("linear-1.weights.h5")));
}

TEST_F(Cli, ValuesAreGivenOnceAndNotEmpty) {
  const std::string xy = "fit --x x.npy --y y.npy ";
  for (const char *option :
       {"--seed", "--history", "--save", "--towers", "--devices", "--epochs",
        "--batch-size", "--set", "--scale", "--weights", "--resume", "--x",
        "--validation-split", "--dump-gradients", "--threads-per-device"})
    expectError(xy + option + " @", // an empty word
                "'" + std::string(option) + "' has an empty value");
  expectError(xy + "--seed=", "--seed");
  expectError("predict --x x.npy -o @", "'--output' has an empty value");
  expectError(xy + "--seed 1 --seed 2",
              "'--seed' is given twice, expected once");
  expectError(xy +
                  "--save a.weights.h5 --save b.weights.h5 --save c.weights.h5",
              "'--save' is given 3 times, expected once");
  expectError(xy + "--set momentum=0,momentum=0.5",
              "'--set' gives 'momentum' twice");
  expectError(xy + "--set momentum=0,", "expected NAME=NUMBER,…, got ''");
  expectError("predict --x x.npy -o p.npy --outputs dense,", "expected NAME,…");
}

TEST_F(Cli, BatchesThatCannotBeAddressed) {
  for (const char *rows : {"9223372036854775807", "4611686018427387904"})
    expectError("info --batch-size " + std::string(rows),
                "'--batch-size " + std::string(rows) + "': expected at most ");
  // The limit that is told holds, and the sizes are numbers up to there.
  std::string err = run("info --batch-size 9223372036854775807").err;
  std::string limit = err.substr(err.find("at most ") + 8);
  limit = limit.substr(0, limit.find(' '));
  Result most = run("info --batch-size " + limit);
  EXPECT_EQ(most.exit, 0) << most.err;
  EXPECT_EQ(most.out.find(" -"), std::string::npos) << most.out;
  EXPECT_EQ(
      run("predict --x x.npy -o p.npy --batch-size 9223372036854775807").exit,
      0); // no batch is larger than the data
}

// What HDF5's own bugs make of a damaged file is an error of that file.
TEST_F(Cli, DamagedWeightsAreRefusedOrRead) {
  ASSERT_EQ(run("fit --x x.npy --y y.npy --save w.weights.h5").exit, 0);
  const std::string whole = slurp(path("w.weights.h5"));
  std::mt19937 random(11);
  auto judge = [&](const std::string &bytes, const std::string &what) {
    std::ofstream(path("f.weights.h5"), std::ios::binary) << bytes;
    for (const char *command :
         {"fit --x x.npy --y y.npy --no-save --allow-nan --resume",
          "predict --x x.npy -o p.npy --weights"}) {
      Result result = run(std::string(command) + " f.weights.h5");
      EXPECT_TRUE(result.exit == 0 || result.exit == 1)
          << what << ": " << result.exit;
      EXPECT_EQ(result.exit == 1,
                result.err.find("error: ") != std::string::npos)
          << what << ": " << result.err;
    }
  };
  for (size_t part = 0; part < 50; ++part) {
    size_t size = whole.size() * part / 50;
    judge(whole.substr(0, size), "cut at " + std::to_string(size));
  }
  for (int i = 0; i < 200; ++i) {
    std::string bytes = whole;
    size_t at = random() % bytes.size();
    bytes[at] = char(random());
    judge(bytes, "byte " + std::to_string(at) + " changed");
  }
}

// Every option has its row in the documentation, and every row its option.
TEST_F(Cli, OptionsAreDocumented) {
  std::string page = slurp(BELFRY_SOURCE_DIR "/docs/command-line.md");
  size_t begin = page.find("\n## A training binary\n");
  ASSERT_NE(begin, std::string::npos);
  page = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  auto optionsIn = [](const std::string &text, const std::regex &form) {
    std::set<std::string> found;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), form);
         at != std::sregex_iterator(); ++at)
      found.insert((*at)[1]);
    return found;
  };
  std::set<std::string> offered;
  for (const char *command : {"fit", "evaluate", "predict", "info"}) {
    std::string help = run(std::string(command) + " --help").out;
    offered.merge(optionsIn(help, std::regex("\n  (?:-[a-z],)?(--[a-z-]+)")));
    EXPECT_NE(help.find("Exit status: 0; 1 an error"), std::string::npos);
  }
  EXPECT_NE(run("--help").out.find("130 stopped by SIGINT"), std::string::npos);
  EXPECT_GE(offered.size(), 25u);
  EXPECT_EQ(optionsIn(page, std::regex("\n\\| `(?:-[a-z]`, `)?(--[a-z-]+)")),
            offered);
}

TEST_F(Cli, BadInputOfPredictAndEvaluate) {
  expectError("predict --x x.npy", "'-o FILE.npy' is missing");
  expectError("predict --x x.npy -o no/such.npy",
              "cannot write 'no/such.npy': No such file or directory");
  expectError("predict --x x.npy -o sum=p.npy",
              "'-o sum=p.npy': the model has no output 'sum', the names are "
              "'dense'");
  expectError("predict --x x.npy --outputs sum -o p.npy",
              "'--outputs': the model has no output 'sum'");
  expectError("evaluate --x x.npy", "target 'dense' is missing");
  expectError("evaluate --x x.npy --y y.npy --epochs 2",
              "unknown option '--epochs' of 'evaluate'");
}

TEST_F(Cli, WithoutALossThereIsPredictOnly) {
  expectError("fit --x x.npy --y y.npy",
              "'linear' was compiled without a loss, so there is no 'fit'; "
              "compile it with belfryc's '--loss'",
              {"FAKE_NO_LOSS=1"});
  expectError("evaluate --x x.npy --y y.npy", "there is no 'evaluate'",
              {"FAKE_NO_LOSS=1"});
  EXPECT_EQ(run("predict --x x.npy -o p.npy", {"FAKE_NO_LOSS=1"}).exit, 0);
}

TEST_F(Cli, StrictSlicingNamesTheNearest) {
  expectError("fit --x x.npy --y y.npy --batch-size 10",
              "a batch of 10 rows is no multiple of 4 towers, as "
              "slicing=strict wants; the nearest '--batch-size' are 8 and 12",
              {"FAKE_TOWERS=4", "FAKE_SLICING=strict"});
  EXPECT_EQ(run("fit --x x.npy --y y.npy --batch-size 20 --no-save",
                {"FAKE_TOWERS=4", "FAKE_SLICING=strict"})
                .exit,
            0);
}

TEST_F(Cli, FitWritesHistoryAndWeights) {
  Result result = run("fit --x x.npy --y y.npy --epochs 3 --batch-size 7 "
                      "--validation-split 0.25 --history h.json --log-steps");
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(result.err.find("weights saved to 'linear.weights.h5'"),
            std::string::npos);
  EXPECT_NE(result.out.find("epoch 3/3 - "), std::string::npos);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 3);
  auto history = nlohmann::ordered_json::parse(slurp(path("h.json")));
  std::vector<std::string> keys;
  for (const auto &[key, value] : history.items())
    keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"loss", "mae", "val_loss",
                                            "val_mae", "step_loss"}));
  EXPECT_EQ(history["loss"].size(), 3u);
  EXPECT_EQ(history["step_loss"].size(), 9u);
  // Keras's mean over the epoch: batch losses weighted by rows, 7, 7 and 1.
  double loss = 0;
  for (size_t i = 0; i < 3; ++i)
    loss += history["step_loss"][i].get<double>() * (i == 2 ? 1 : 7) / 15;
  EXPECT_NEAR(history["loss"][0].get<double>(), loss, 1e-12);
  // The name is taken now.
  result = run("fit --x x.npy --y y.npy");
  EXPECT_NE(result.err.find("weights saved to 'linear-1.weights.h5'"),
            std::string::npos);
  EXPECT_EQ(run("fit --x x.npy --y y.npy --no-save").exit, 0);
  EXPECT_FALSE(fs::exists(path("linear-2.weights.h5")));
}

TEST_F(Cli, EvaluatePrintsOneObject) {
  ASSERT_EQ(run("fit --x x.npy --y y.npy --save a.weights.h5").exit, 0);
  Result result =
      run("evaluate --x x.npy --y y.npy --weights a.weights.h5 --json");
  ASSERT_EQ(result.exit, 0) << result.err;
  auto object = nlohmann::json::parse(result.out);
  EXPECT_TRUE(object.contains("loss"));
  EXPECT_TRUE(object.contains("mae"));
  for (const char *towers : {"2", "5", "8"}) {
    Result more = run("evaluate --x x.npy --y y.npy --weights a.weights.h5 "
                      "--json --batch-size 3 --towers " +
                      std::string(towers));
    auto other = nlohmann::json::parse(more.out);
    EXPECT_NEAR(other["mae"].get<double>(), object["mae"].get<double>(), 1e-6);
  }
}

TEST_F(Cli, ProfilesHaveStepsAndOps) {
  auto profileOf = [&](const std::string &function) {
    return nlohmann::json::parse(slurp(path("p.json")))["functions"][function];
  };
  Result fit = run("fit --x x.npy --y y.npy --batch-size 8 --epochs 2 "
                   "--no-save --towers 2 --devices cpu:2 --profile p.json");
  ASSERT_EQ(fit.exit, 0) << fit.err;
  EXPECT_NE(fit.err.find("compiled without '--profile-ops'"),
            std::string::npos);
  nlohmann::json train = profileOf("train");
  EXPECT_EQ(train["steps"], 6);
  EXPECT_EQ(train["rows"], 40);
  EXPECT_EQ(train["waits"].size(), 2u);
  EXPECT_EQ(train["ops"].size(), 0u);
  Result predict = run("predict --x x.npy -o o.npy --batch-size 8 "
                       "--initialize --profile p.json");
  ASSERT_EQ(predict.exit, 0) << predict.err;
  EXPECT_EQ(profileOf("predict")["steps"], 3);
}

TEST_F(Cli, SameSeedSameFile) {
  std::string fit = "fit --x x.npy --y y.npy --epochs 4 --batch-size 6 "
                    "--towers 8 --set noise=0.5 --seed 7 ";
  ASSERT_EQ(run(fit + "--devices cpu:1 --save a.weights.h5").exit, 0);
  std::string bytes = slurp(path("a.weights.h5"));
  for (const char *devices :
       {"--devices cpu:2", "--devices cpu:3", "--devices cpu:8",
        "--devices cpu:2 --threads-per-device 2"}) {
    ASSERT_EQ(run(fit + devices + " --save b.weights.h5").exit, 0);
    EXPECT_TRUE(slurp(path("b.weights.h5")) == bytes) << devices;
  }
  ASSERT_EQ(run("fit --x x.npy --y y.npy --epochs 4 --batch-size 6 --towers 8 "
                "--set noise=0.5 --seed 8 --save b.weights.h5")
                .exit,
            0);
  EXPECT_FALSE(slurp(path("b.weights.h5")) == bytes);
}

// Four epochs in one run, or two and two on other devices and towers.
TEST_F(Cli, ResumeGoesOn) {
  std::string fit =
      "fit --x x.npy --y y.npy --batch-size 6 --set noise=0.5 --log-steps ";
  ASSERT_EQ(run(fit + "--towers 4 --epochs 4 --history whole.json --save "
                      "whole.weights.h5")
                .exit,
            0);
  ASSERT_EQ(run(fit + "--towers 4 --epochs 2 --save half.weights.h5").exit, 0);
  ASSERT_EQ(run(fit + "--towers 4 --devices cpu:1 --epochs 2 --resume "
                      "half.weights.h5 --save rest.weights.h5")
                .exit,
            0);
  EXPECT_TRUE(slurp(path("rest.weights.h5")) ==
              slurp(path("whole.weights.h5")));
  ASSERT_EQ(run(fit +
                "--towers 1 --epochs 2 --resume half.weights.h5 --history "
                "rest.json --no-save")
                .exit,
            0);
  auto whole = nlohmann::json::parse(slurp(path("whole.json")))["step_loss"];
  auto rest = nlohmann::json::parse(slurp(path("rest.json")))["step_loss"];
  ASSERT_EQ(rest.size() * 2, whole.size());
  for (size_t i = 0; i < rest.size(); ++i)
    EXPECT_NEAR(rest[i].get<double>(), whole[i + rest.size()].get<double>(),
                1e-5);
}

TEST_F(Cli, PredictWritesRows) {
  Result result = run("predict --x x.npy[:5] -o dense=p.npy --towers 3",
                      {"FAKE_EMBEDDED=1"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.err.find("warning"), std::string::npos);
  auto spec = parseArraySpec(path("p.npy"));
  auto array = readArray(*spec);
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array->shape, (Shape{5, 1}));
  result = run("predict --x x.npy -o p.npy");
  EXPECT_NE(result.err.find("warning: the program holds no weights"),
            std::string::npos);
}

TEST_F(Cli, GradientsOfTheFirstStep) {
  ASSERT_EQ(run("fit --x x.npy --y y.npy --no-save --dump-gradients g.h5 "
                "--batch-size 20 --set momentum=0 --set learning_rate=1",
                {"FAKE_EMBEDDED=1"})
                .exit,
            0);
  ASSERT_EQ(run("fit --x x.npy --y y.npy --save s.weights.h5 "
                "--batch-size 20 --set momentum=0,learning_rate=1",
                {"FAKE_EMBEDDED=1"})
                .exit,
            0);
  Hid gradients = openHdf5(path("g.h5")),
      saved = openHdf5(path("s.weights.h5"));
  auto gradient = readDataset(gradients.get(), "dense/kernel", 1 << 20);
  auto kernel = readDataset(saved.get(), "layers/dense/vars/0", 1 << 20);
  ASSERT_TRUE(gradient.ok() && kernel.ok());
  ASSERT_EQ(gradient->shape, (Shape{3, 1}));
  for (int i = 0; i < 3; ++i) {
    float g = 0, k = 0;
    std::memcpy(&g, gradient->data + 4 * i, 4);
    std::memcpy(&k, kernel->data + 4 * i, 4);
    EXPECT_NEAR(0.5f - g, k, 1e-6);
  }
}

TEST_F(Cli, SaysWhereTowersAre) {
  Result result = run("fit --x x.npy --y y.npy --no-save --towers 8 "
                      "--devices cpu:4 --threads-per-device 1");
  EXPECT_NE(result.err.find("8 towers on 4 devices: cpu:0 [0-1] cpu:1 [2-3] "
                            "cpu:2 [4-5] cpu:3 [6-7]\n"),
            std::string::npos)
      << result.err;
  result = run("fit --x x.npy --y y.npy --no-save --towers 3 --devices cpu:2 "
               "--threads-per-device 1");
  EXPECT_NE(result.err.find("cpu:0 [0-1] cpu:1 [2] (uneven: 1 device with one "
                            "tower more)"),
            std::string::npos)
      << result.err;
}

TEST_F(Cli, HelpAndInfo) {
  EXPECT_NE(run("--help").out.find("predict"), std::string::npos);
  for (const char *command : {"fit", "evaluate", "predict", "info"}) {
    Result result = run(std::string(command) + " --help");
    EXPECT_EQ(result.exit, 0);
    EXPECT_NE(result.out.find("--towers"), std::string::npos) << command;
  }
  Result info = run("info");
  EXPECT_EQ(info.exit, 0);
  for (const char *text :
       {"linear, Keras 3.15.1", "host, x86-64", "host/x86-64/1",
        "mean_squared_error", "sgd (learning_rate=0.05,", "4 parameters",
        "layers/dense/vars/0"})
    EXPECT_NE(info.out.find(text), std::string::npos) << text;
  Result manifest = run("info --manifest");
  EXPECT_EQ(nlohmann::json::parse(manifest.out)["model"], "linear");
}

} // namespace
