//===- CompileTest.cpp - losses, metrics, optimizers resolved -------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Compile.h"
#include "ModelBuilder.h"

#include "gtest/gtest.h"

using namespace belfry;
using namespace belfry::test;

static std::string dense(llvm::StringRef units, llvm::StringRef activation) {
  return layer(
      "Dense", "out",
      ("\"units\": " + units + ", \"activation\": \"" + activation + "\"")
          .str());
}

TEST(Compile, EveryNameOfALoss) {
  for (const char *name :
       {"mse", "MSE", "mean_squared_error", "MeanSquaredError"})
    EXPECT_EQ(findLoss(name)->kind, "mean_squared_error") << name;
  EXPECT_FALSE(findLoss("Mse"));
  EXPECT_TRUE(findLoss("sparse_categorical_crossentropy")->isSparse);
  EXPECT_FALSE(findLoss("huber")->isCrossEntropy);
}

TEST(Compile, AccuracyByShapes) {
  struct {
    const char *units, *activation, *loss, *kind;
  } rows[] = {
      {"1", "sigmoid", "bce", "binary_accuracy"},
      {"4", "sigmoid", "bce", "categorical_accuracy"},
      {"4", "softmax", "categorical_crossentropy", "categorical_accuracy"},
      {"4", "softmax", "sparse_categorical_crossentropy",
       "sparse_categorical_accuracy"},
      {"4", "linear", "mse", "categorical_accuracy"}};
  for (const auto &row : rows) {
    ImportOptions options;
    options.loss = row.loss;
    options.metrics = "acc";
    Imported model(sequential("[null, 3]", dense(row.units, row.activation)),
                   options);
    EXPECT_TRUE(model.has("nn.metric \"" + std::string(row.kind) +
                          "\" of \"out\" {name = \"acc\""))
        << model.text;
  }
}

TEST(Compile, NumbersWithinTheirLimits) {
  struct {
    const char *loss, *optimizer, *error;
  } rows[] = {
      {"huber(delta=-1)", "sgd",
       "--loss: delta: expected a number above 0, got -1"},
      {"huber(delta=0)", "sgd", "delta: expected a number above 0, got 0"},
      {"bce(label_smoothing=2)", "sgd",
       "label_smoothing: expected a number from 0 to 1, got 2"},
      {"mse", "adam(beta_1=1)",
       "--optimizer: beta_1: expected a number from 0 to below 1, got "
       "1"},
      {"mse", "adam(epsilon=-1e-9)",
       "epsilon: expected a number of at least 0, got -1e-09"},
      {"mse", "sgd(momentum=1.1)",
       "momentum: expected a number from 0 to 1, got 1.1"},
      {"mse", "rmsprop(rho=1)", "rho: expected a number from 0 to below 1"},
      {"mse", "adamw(weight_decay=-1)", "weight_decay: expected a number of"},
      {"mse", "sgd(learning_rate=-1)",
       "learning_rate: expected a number of at least 0, got -1"},
  };
  for (const auto &row : rows) {
    ImportOptions options;
    options.loss = row.loss;
    options.optimizer = row.optimizer;
    Imported model(sequential("[null, 3]", dense("1", "sigmoid")), options);
    EXPECT_FALSE(model.module) << row.loss << " " << row.optimizer;
    EXPECT_TRUE(model.says(row.error))
        << row.error << " is not in: " << quotedList(model.diags.getErrors());
  }
  // The ends that belong to it.
  for (const char *optimizer :
       {"sgd(momentum=1, learning_rate=0)", "adam(beta_1=0, epsilon=0)"}) {
    ImportOptions options;
    options.loss = "bce(label_smoothing=1)";
    options.optimizer = optimizer;
    EXPECT_TRUE(
        Imported(sequential("[null, 3]", dense("1", "sigmoid")), options)
            .module)
        << optimizer;
  }
}

TEST(Compile, CrossEntropyStandsForTwo) {
  ImportOptions options;
  options.loss = "crossentropy";
  EXPECT_TRUE(Imported(sequential("[null, 3]", dense("1", "sigmoid")), options)
                  .has("nn.loss \"binary_crossentropy\""));
  EXPECT_TRUE(Imported(sequential("[null, 3]", dense("5", "softmax")), options)
                  .has("nn.loss \"sparse_categorical_crossentropy\" of \"out\" "
                       "target tensor<?x1xi32>"));
}

// As _get_logits() of keras/src/backend/tensorflow/nn.py does: what went into
// the activation is found whatever from_logits says, and not behind the
// blanking out of ignore_class.
TEST(Compile, BypassOfEveryActivationInSight) {
  auto bypasses = [](llvm::StringRef activation, const std::string &loss) {
    ImportOptions options;
    options.loss = loss;
    Imported model(sequential("[null, 3]", dense("2", activation)), options);
    EXPECT_TRUE(model.module) << loss;
    return model.has("bypass_activation");
  };
  EXPECT_TRUE(bypasses("sigmoid", "bce"));
  EXPECT_TRUE(bypasses("softmax", "categorical_crossentropy"));
  EXPECT_TRUE(bypasses("sigmoid", "bce(from_logits=true)"));
  EXPECT_TRUE(
      bypasses("softmax", "sparse_categorical_crossentropy(from_logits=true)"));
  EXPECT_FALSE(bypasses("linear", "bce(from_logits=true)"));
  EXPECT_FALSE(
      bypasses("softmax", "sparse_categorical_crossentropy(ignore_class=1)"));
  EXPECT_FALSE(bypasses("softmax",
                        "sparse_categorical_crossentropy(ignore_class=0, "
                        "from_logits=true)"));
  EXPECT_FALSE(bypasses("sigmoid", "mse"));
  EXPECT_FALSE(bypasses("tanh", "bce"));
}

TEST(Compile, FromLogitsOfAnActivationIsAWarning) {
  auto import = [](llvm::StringRef activation, const std::string &loss) {
    ImportOptions options;
    options.loss = loss;
    return std::make_unique<Imported>(
        sequential("[null, 3]", dense("2", activation)), options);
  };
  auto bce = import("sigmoid", "bce(from_logits=true)");
  EXPECT_FALSE(bce->has("from_logits"));
  ASSERT_EQ(bce->diags.getWarnings().size(), 1u);
  EXPECT_EQ(bce->diags.getWarnings()[0],
            "--loss: output 'out' ends in a sigmoid, so it has no logits as "
            "from_logits says; the loss is computed from what goes into the "
            "sigmoid, as Keras on TensorFlow does");
  EXPECT_TRUE(import("linear", "bce(from_logits=true)")->has("from_logits"));
  // Keras does not see it, and says nothing.
  auto ignoring = import("softmax", "sparse_categorical_crossentropy("
                                    "from_logits=true, ignore_class=0)");
  EXPECT_TRUE(ignoring->has("from_logits"));
  EXPECT_TRUE(ignoring->diags.getWarnings().empty());
  // Nor behind TimeDistributed.
  ImportOptions options;
  options.loss = "bce(from_logits=true)";
  Imported steps(
      sequential("[null, 4, 3]", layer("TimeDistributed", "steps",
                                       "\"layer\": " + dense("1", "sigmoid"))),
      options);
  EXPECT_TRUE(steps.has("from_logits"));
  EXPECT_FALSE(steps.has("bypass_activation"));
  EXPECT_TRUE(steps.diags.getWarnings().empty());
}

TEST(Compile, Arguments) {
  ImportOptions options;
  options.loss = "huber(delta=2)";
  options.optimizer = "sgd(learning_rate=0.5, momentum=0.9, nesterov=true, "
                      "weight_decay=0.01)";
  Imported model(sequential("[null, 3]", dense("2", "linear")), options);
  EXPECT_TRUE(model.has("delta = 2.000000e+00"));
  EXPECT_TRUE(model.has("nn.optimizer \"sgd\" {learning_rate = 5.000000e-01 : "
                        "f64, momentum = 9.000000e-01 : f64, weight_decay = "
                        "1.000000e-02 : f64} {nesterov}"))
      << model.text;
}

TEST(Compile, OptionsThatAreWrong) {
  struct {
    const char *loss, *optimizer, *metrics, *error;
  } rows[] = {
      {"mze", "sgd", "", "--loss: unknown loss 'mze'; did you mean"},
      {"mse(delta=1)", "sgd", "", "has no argument 'delta'"},
      {"a=mse", "sgd", "", "--loss: no output 'a'; the model has 'out'"},
      {"mse,mae", "sgd", "", "several losses of output 'out'"},
      {"mse(reduction=none)", "sgd", "", "without reduction"},
      {"mse(reduction=median)", "sgd", "", "reduction 'median'"},
      {"bce(axis=0)", "sgd", "", "only the last axis is supported, got 0"},
      {"mse", "adamm", "", "unknown optimizer 'adamm'; did you mean 'adam'"},
      {"mse", "lion", "", "optimizer 'lion' is not supported, only sgd"},
      {"mse", "sgd(clipnorm=1)", "", "clipnorm: is not supported (got 1)"},
      {"mse", "sgd(use_ema=true)", "", "use_ema: is not supported"},
      {"mse", "adam(learnin_rate=1)", "", "did you mean 'learning_rate'?"},
      {"mse", "sgd(momentum=big)", "",
       "--optimizer: momentum: expected a number, got \"big\""},
      {"huber(delta=x)", "sgd", "",
       "--loss: delta: expected a number, got \"x\""},
      {"", "sgd", "", "--loss: is empty, expected NAME"},
      {"mse", "sgd", " ", "--metrics: is empty, expected NAME"},
      {"mse", "sgd,adam", "", "--optimizer: expected one optimizer"},
      {"mse", "sgd", "acuracy",
       "metric 'acuracy' is not supported; did you "
       "mean 'accuracy'? known: 'accuracy', 'binary_accuracy', "},
      {"mse", "sgd", "auc", "known: 'accuracy', 'binary_accuracy', "},
      {"mse", "sgd", "b=mae", "--metrics: no output 'b'"},
  };
  for (const auto &row : rows) {
    ImportOptions options;
    options.loss = row.loss;
    options.optimizer = row.optimizer;
    if (*row.metrics)
      options.metrics = row.metrics;
    Imported model(sequential("[null, 3]", dense("2", "linear")), options);
    EXPECT_FALSE(model.module);
    EXPECT_TRUE(model.says(row.error))
        << row.error << " is not in: " << quotedList(model.diags.getErrors());
  }
}

TEST(Compile, AnUnknownLossOfTheFileIsAWarning) {
  Imported model(sequential("[null, 3]", dense("2", "linear"),
                            R"({"loss": "my_loss", "optimizer": "adam"})"));
  EXPECT_TRUE(model.module);
  EXPECT_FALSE(model.has("nn.compile"));
  ASSERT_EQ(model.diags.getWarnings().size(), 1u);
  EXPECT_EQ(model.diags.getWarnings()[0],
            model.file.path +
                ": compile_config.loss: loss 'my_loss' of output 'out' is not "
                "supported, so the model is not compiled for training; --loss "
                "gives another");
}

TEST(Compile, AScheduleIsRefused) {
  Imported model(sequential(
      "[null, 3]", dense("2", "linear"),
      R"({"loss": "mse", "optimizer": {"class_name": "Adam", "config":
          {"learning_rate": {"class_name": "CosineDecay", "config": {}}}}})"));
  EXPECT_TRUE(model.says("a schedule (CosineDecay) is not supported"));
}

TEST(Compile, NoOptimizerIsKerasDefault) {
  ImportOptions options;
  options.loss = "mse";
  EXPECT_TRUE(Imported(sequential("[null, 3]", dense("2", "linear")), options)
                  .has("nn.optimizer \"rmsprop\""));
}

TEST(Compile, WeightedTwinOfAMetric) {
  Imported model(sequential(
      "[null, 3]", dense("2", "linear"),
      R"({"loss": "mse", "optimizer": "sgd", "metrics": ["mae", "mae"],
          "weighted_metrics": ["mae", "mse"]})"));
  EXPECT_TRUE(model.has("{name = \"mae\", weighted = false}"));
  EXPECT_TRUE(model.has("{name = \"mae_1\", weighted = false}"));
  EXPECT_TRUE(model.has("{name = \"weighted_mae\", weighted = true}"));
  EXPECT_TRUE(model.has("{name = \"mse\", weighted = true}"));
}
