//===- ModelTest.cpp - malformed and unusual configurations ---------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"
#include "lib/import/ModelFile.h"

#include "gtest/gtest.h"

using namespace belfry;
using namespace belfry::test;

TEST(Model, WrongArgumentsNameLayerAndValue) {
  struct {
    const char *className, *config, *error;
  } rows[] = {
      {"Dense", R"("units": 0)", "expected a number of units from 1 on, got 0"},
      {"Dense", "", "layer 'l': config.layers[1].config.units: missing"},
      {"Dense", R"("units": 2, "activation": "wobble")",
       "activation 'wobble' is not supported"},
      {"Dense", R"("units": 2, "kernel_initializer": "cold")",
       "initializer 'cold' is not supported"},
      {"Dense", R"("units": 2, "kernel_regularizer": {"class_name": "L2"})",
       "kernel_regularizer: L2 is not supported"},
      {"Dense", R"("units": 2, "bias_constraint": {"class_name": "NonNeg"})",
       "bias_constraint: NonNeg is not supported"},
      {"Dense", R"("units": 2, "dtype": "mixed_float16")",
       "dtype policy 'mixed_float16' is not supported"},
      {"Dropout", R"("rate": 2)", "expected a number from 0 to 1, got 2"},
      {"ReLU", R"("max_value": -1)",
       "max_value: expected a number of at least 0, got -1"},
      {"Dropout", R"("rate": 0.5, "noise_shape": [null, 7])",
       "expected null, 1 or the input's extent, got 7"},
      {"Dropout", R"("rate": 0.5, "noise_shape": [1])",
       "expected 2 entries, got 1"},
      {"Softmax", R"("axis": 5)", "axis 5 of a tensor of rank 2"},
      {"Softmax", R"("axis": 0)", "axis 0 is the batch"},
      {"Reshape", R"("target_shape": [7])",
       "cannot reshape 3 elements a row to [7]"},
      {"Reshape", R"("target_shape": [-1, -1])", "is no target shape"},
      {"RepeatVector", R"("n": -1)", "expected a number from 1 on, got -1"},
      {"Embedding", R"("input_dim": 0, "output_dim": 2)", "input_dim"},
      {"LSTM", R"("units": 2)", "expected an input of shape (batch, time"},
      {"LSTM", R"("units": 2, "stateful": true)",
       "stateful: a stateful layer is not supported"},
      {"ReLU", R"("max_value": NaN)",
       "max_value: expected a finite number, got NaN"},
      {"ReLU", R"("threshold": -Infinity)",
       "threshold: expected a finite number, got -Infinity"},
      {"Dropout", R"("rate": NaN)", "rate: expected a finite number, got NaN"},
      {"TimeDistributed", R"("layer": 3)", "expected an object, got 3"},
      {"Bidirectional", R"("layer": {"module": "keras.layers", "class_name":
         "GRU", "config": {"name": "g", "units": 2}})",
       "backward_layer: missing"},
      {"Concatenate", R"("axis": 0)", "joins along the batch"},
      {"Add", "", "expected a list of 2 or more inputs, got 1"},
  };
  for (const auto &row : rows) {
    Imported model(
        sequential("[null, 3]", layer(row.className, "l", row.config)));
    EXPECT_FALSE(model.module) << row.className << " " << row.config;
    EXPECT_TRUE(model.says(row.error))
        << row.error << " is not in: " << quotedList(model.diags.getErrors());
    EXPECT_TRUE(model.says("'l'")) << row.error;
  }
}

TEST(Model, RecurrentArguments) {
  struct {
    const char *config, *error;
  } rows[] = {
      {R"("units": 2, "stateful": true)", "a stateful layer is not supported"},
      {R"("units": 2, "dropout": 1.5)", "from 0 to 1, got 1.5"},
      {R"("units": 2, "activation": {"class_name": "LeakyReLU", "config": {}})",
       "an activation with arguments is not supported"},
      {R"("units": 2, "bias_initializer": "ones")", "unit_forget_bias"},
  };
  for (const auto &row : rows) {
    Imported model(sequential("[null, 5, 3]", layer("LSTM", "l", row.config)));
    EXPECT_FALSE(model.module);
    EXPECT_TRUE(model.says(row.error))
        << row.error << " is not in: " << quotedList(model.diags.getErrors());
  }
}

TEST(Model, AllUnsupportedLayersByClass) {
  std::string layers;
  for (const char *name : {"a", "b", "c"})
    layers += layer("Conv2D", name) + ", ";
  layers += layer("Lambda", "f");
  Imported model(sequential("[null, 3]", layers));
  ASSERT_EQ(model.diags.getErrors().size(), 3u);
  EXPECT_TRUE(model.says("4 layers are not supported"));
  EXPECT_TRUE(model.says("class Conv2D: 'a', 'b', 'c'"));
  EXPECT_TRUE(model.says("class Lambda (python code is never run): 'f'"));
}

TEST(Model, AllUnsupportedArgumentsAtOnce) {
  auto dense = [](llvm::StringRef name, llvm::StringRef rest) {
    return layer("Dense", name, ("\"units\": 2, " + rest).str()) + ", ";
  };
  std::string inner =
      R"({"module": "keras", "class_name": "Sequential", "config": {"name": "n",
          "layers": [)" +
      layer("Activation", "in", R"("activation": "sparsemax")") + "]}}";
  Imported model(sequential(
      "[null, 4, 3]",
      layer("Conv2D", "c") + ", " + dense("a", R"("activation": "glu")") +
          dense("b", R"("dtype": "float16", "activation": "celu")") +
          dense("i", R"("kernel_initializer": "cold")") + inner + ", " +
          layer("LSTM", "r",
                R"("units": 2, "stateful": true, "activation": "celu",
                   "recurrent_activation": "glu")")));
  EXPECT_EQ(model.diags.getErrors().size(), 10u);
  EXPECT_TRUE(model.says("class Conv2D: 'c'"));
  // The first one lists those that are known.
  EXPECT_TRUE(model.says("'a': config.layers[2].config.activation: activation "
                         "'glu' is not supported; known: linear, relu"));
  EXPECT_TRUE(model.says("layer 'b': config.layers[3].config.dtype: dtype"));
  EXPECT_TRUE(model.says("layer 'b': config.layers[3].config.activation: "
                         "activation 'celu' is not supported"));
  EXPECT_TRUE(model.says("layer 'i': config.layers[4].config."
                         "kernel_initializer: initializer 'cold'"));
  EXPECT_TRUE(model.says("layer 'in': config.layers[5].config.layers[0].config."
                         "activation: activation 'sparsemax'"));
  EXPECT_TRUE(model.says("config.stateful"));
  EXPECT_TRUE(model.says("config.layers[6].config.activation"));
  EXPECT_TRUE(model.says("config.recurrent_activation"));
}

TEST(Model, NumbersThatAreNotFinite) {
  // -inf and NaN as MLIR writes them, by their bits.
  EXPECT_TRUE(
      Imported(sequential("[null, 4, 3]",
                          layer("Masking", "m", "\"mask_value\": -Infinity")))
          .has("mask_value = 0xFFF0000000000000"));
  EXPECT_TRUE(Imported(sequential("[null, 4, 3]",
                                  layer("Masking", "m", "\"mask_value\": NaN")))
                  .has("mask_value = 0x7FF8000000000000"));
  Imported relu(
      sequential("[null, 3]", layer("ReLU", "r", "\"max_value\": Infinity")));
  EXPECT_TRUE(relu.has("nn.activation relu"));
  EXPECT_FALSE(relu.has("max_value"));
}

TEST(Model, BidirectionalOfTwoClasses) {
  Imported model(
      sequential("[null, 4, 3]",
                 layer("Bidirectional", "b",
                       "\"merge_mode\": \"sum\", \"layer\": " +
                           layer("GRU", "forward_g", "\"units\": 2") +
                           ", \"backward_layer\": " +
                           layer("SimpleRNN", "backward_s",
                                 "\"units\": 2, \"go_backwards\": true"))));
  ASSERT_TRUE(model.module) << quotedList(model.diags.getErrors());
  EXPECT_TRUE(model.has("nn.gru"));
  EXPECT_TRUE(model.has("nn.simple_rnn"));
  EXPECT_TRUE(model.has("nn.bidirectional sum"));
  EXPECT_TRUE(model.has("path = \"layers/bidirectional/backward_layer/cell/"
                        "vars/0\""));
}

TEST(Model, Inputs) {
  auto dense = layer("Dense", "l", "\"units\": 2");
  EXPECT_TRUE(Imported(sequential("[null, null, 3]", dense))
                  .says("dimension 1 has no fixed extent"));
  EXPECT_TRUE(Imported(sequential("[]", dense)).says("batch dimension"));
  EXPECT_TRUE(Imported(sequential("[null, -3]", dense)).says("out of range"));
  // A batch of 2 is what the model was built with, not what it takes.
  EXPECT_TRUE(Imported(sequential("[2, 3]", dense)).has("tensor<?x3xf32>"));
}

TEST(Model, IsNotOne) {
  EXPECT_TRUE(Imported("[]").says("not the configuration of a Keras model"));
  EXPECT_TRUE(Imported("{}").says("not the configuration of a Keras model"));
  EXPECT_TRUE(Imported(R"({"class_name": "Functional", "config": {},
                          "keras_version": "2.9.0"})")
                  .says("written by Keras 2 (keras_version 2.9.0)"));
  EXPECT_TRUE(Imported(R"({"class_name": "Sequential", "config": []})")
                  .says("written by Keras 2"));
  EXPECT_TRUE(Imported(R"({"class_name": "MyModel", "module": "pkg",
                          "config": {}})")
                  .says("a model of class 'MyModel' is not supported"));
}

TEST(Model, AGraphThatIsNone) {
  auto functional = [](llvm::StringRef inbound) {
    std::string node = layer("Dense", "d", "\"units\": 2");
    node.pop_back();
    std::string input = layer("InputLayer", "x", "\"batch_shape\": [null, 3]");
    return R"({"module": "keras", "class_name": "Functional", "config": {
      "name": "m", "layers": [)" +
           input + ", " + node + ", \"inbound_nodes\": [{\"args\": [" +
           inbound.str() + R"(], "kwargs": {}}]}], "input_layers": ["x", 0, 0],
           "output_layers": ["d", 0, 0]}})";
  };
  auto tensor = [](llvm::StringRef history) {
    return (R"({"class_name": "__keras_tensor__", "config": {"keras_history": )" +
            history + "}}")
        .str();
  };
  EXPECT_TRUE(Imported(functional(tensor("[\"x\", 0, 0]"))).module);
  EXPECT_TRUE(Imported(functional(tensor("[\"d\", 0, 0]")))
                  .says("these wait for tensors that no layer gives: 'd'"));
  EXPECT_TRUE(Imported(functional(tensor("[\"y\", 0, 0]")))
                  .says("these wait for tensors that no layer gives: 'd'"));
  EXPECT_TRUE(Imported(functional(tensor("[\"x\", 0]")))
                  .says("expected [layer, call, tensor]"));
  EXPECT_TRUE(Imported(functional("1.0")).says("called on the constant 1"));
  EXPECT_TRUE(Imported(functional("null")).says("called on no tensor"));
}

TEST(ModelFile, Sniff) {
  EXPECT_EQ(sniff("PK\x03\x04rest"), FileKind::Zip);
  EXPECT_EQ(sniff("\x89HDF\r\n\x1a\n"), FileKind::Hdf5);
  EXPECT_EQ(sniff(" \n{}"), FileKind::Json);
  EXPECT_EQ(sniff("\xEF\xBB\xBF{}"), FileKind::Json);
  EXPECT_EQ(sniff(""), FileKind::Unknown);
  EXPECT_EQ(sniff("GIF89a"), FileKind::Unknown);
}

TEST(ModelFile, WholeHdf5IsRefusedByName) {
  TemporaryFile file("h5", "\x89HDF\r\n\x1a\n");
  ImportDiagnostics diags;
  EXPECT_TRUE(failed(readModelFile(file.path, diags)));
  EXPECT_TRUE(llvm::StringRef(diags.getErrors().front())
                  .contains("whole-model HDF5 files are not supported"));
}
