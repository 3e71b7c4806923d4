// RUN: belfry-opt %s -split-input-file -verify-diagnostics

// nn.parameter: names.
// expected-error@+1 {{'nn.parameter' op has an empty name}}
nn.parameter @"" : tensor<3xf32> {path = "layers/dense/vars/0", layer = "dense", trainable = true, stream = 1 : i32, initializer = {name = "zeros"}}

// -----

// expected-error@+1 {{'nn.parameter' op 'w' has an empty path}}
nn.parameter @w : tensor<3xf32> {path = "", layer = "dense", trainable = true, stream = 1 : i32, initializer = {name = "zeros"}}

// -----

// expected-error@+1 {{'nn.parameter' op 'w' has an empty layer}}
nn.parameter @w : tensor<3xf32> {path = "layers/dense/vars/0", layer = "", trainable = true, stream = 1 : i32, initializer = {name = "zeros"}}

// -----

// nn.parameter: a static type.
// expected-error@+1 {{'nn.parameter' op 'w' has type 'tensor<?x3xf32>', expected a static tensor}}
nn.parameter @w : tensor<?x3xf32> {path = "layers/dense/vars/0", layer = "dense", trainable = true, stream = 1 : i32, initializer = {name = "zeros"}}

// -----

// nn.parameter: the initializer.
// expected-error@+1 {{'nn.parameter' op 'w' has an initializer without a name}}
nn.parameter @w : tensor<3xf32> {path = "layers/dense/vars/0", layer = "dense", trainable = true, stream = 1 : i32, initializer = {}}

// -----

// nn.get_parameter: the symbol.
nn.model @m() -> tensor<3xf32> {
  // expected-error@+1 {{'nn.get_parameter' op names 'w', which is no nn.parameter of the module}}
  %0 = nn.get_parameter @w : tensor<3xf32>
  nn.return %0 : tensor<3xf32>
}

// -----

// nn.get_parameter: the type.
// expected-note@+1 {{parameter defined here}}
nn.parameter @w : tensor<4xf32> {path = "layers/dense/vars/0", layer = "dense", trainable = true, stream = 1 : i32, initializer = {name = "zeros"}}
nn.model @m() -> tensor<3xf32> {
  // expected-error@+1 {{'nn.get_parameter' op has type 'tensor<3xf32>', but parameter 'w' has type 'tensor<4xf32>'}}
  %0 = nn.get_parameter @w : tensor<3xf32>
  nn.return %0 : tensor<3xf32>
}

// -----

// nn.model: one block.
// expected-error@+1 {{'nn.model' op 'm' has a body of 2 blocks, expected 1}}
nn.model @m(%x: tensor<3xf32>) -> tensor<3xf32> {
  nn.return %x : tensor<3xf32>
^bb1:
  nn.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{'nn.model' op 'm' has a body of 0 blocks, expected 1}}
nn.model @m(tensor<3xf32>) -> tensor<3xf32>

// -----

// nn.model: the end.
// expected-error@+1 {{'nn.model' op 'm' does not end with nn.return}}
nn.model @m(%x: tensor<3xf32>) -> tensor<3xf32> {
  "llvm.unreachable"() : () -> ()
}

// -----

// nn.return: outputs.
nn.model @m(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'nn.return' op returns 0 outputs, but model 'm' has 1}}
  nn.return
}

// -----

nn.model @m(%x: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'nn.return' op output 0 has type 'tensor<3xf32>', expected 'tensor<4xf32>'}}
  nn.return %x : tensor<3xf32>
}

// -----

// nn.return: whose masks.
nn.model @m(%x: tensor<?x3xf32>, %m: tensor<?xi1>) -> tensor<?x3xf32> {
  // expected-error@+1 {{'nn.return' op has 1 masks, but 0 outputs that they belong to}}
  nn.return %x : tensor<?x3xf32> masks(%m of [] : tensor<?xi1>)
}

// -----

nn.model @m(%x: tensor<?x3xf32>, %m: tensor<?xi1>) -> tensor<?x3xf32> {
  // expected-error@+1 {{'nn.return' op has a mask of output 1, but there are 1}}
  nn.return %x : tensor<?x3xf32> masks(%m of [1] : tensor<?xi1>)
}

// -----

nn.model @m(%x: tensor<?x3xf32>, %m: tensor<?xi1>) -> tensor<?x3xf32> {
  // expected-error@+1 {{'nn.return' op has two masks of output 0}}
  nn.return %x : tensor<?x3xf32> masks(%m, %m of [0, 0] : tensor<?xi1>, tensor<?xi1>)
}

// -----

// nn.return: a mask's shape.
nn.model @m(%x: tensor<?x3xf32>, %m: tensor<?x4xi1>) -> tensor<?x3xf32> {
  // expected-error@+1 {{'nn.return' op has a mask of type 'tensor<?x4xi1>' for an output of type 'tensor<?x3xf32>': its shape is not that of the leading dimensions}}
  nn.return %x : tensor<?x3xf32> masks(%m of [0] : tensor<?x4xi1>)
}

// -----

// nn.compile: the model.
// expected-error@+1 {{'nn.compile' op names 'm', which is no nn.model of the module}}
nn.compile @m {
}

// -----

// nn.compile: what stands in it.
nn.model @m(%x: tensor<3xf32>) -> tensor<3xf32> {
  nn.return %x : tensor<3xf32>
}
nn.compile @m {
  // expected-error@+1 {{'nn.seed' op stands in nn.compile, which takes losses, metrics and an optimizer}}
  %0 = nn.seed : tensor<2xi32>
}

// -----

// nn.compile: one optimizer.
nn.model @m(%x: tensor<3xf32>) -> tensor<3xf32> {
  nn.return %x : tensor<3xf32>
}
nn.compile @m {
  // expected-note@+1 {{the first is here}}
  nn.optimizer "sgd" {learning_rate = 0.01}
  // expected-error@+1 {{'nn.optimizer' op is the second optimizer}}
  nn.optimizer "sgd" {learning_rate = 0.01}
}

// -----

// nn.compile: one loss an output.
nn.model @m(%x: tensor<?x3xf32>) -> (tensor<?x3xf32> {nn.name = "out"}) {
  nn.return %x : tensor<?x3xf32>
}
nn.compile @m {
  // expected-note@+1 {{the first is here}}
  nn.loss "mean_squared_error" of "out" target tensor<?x3xf32> {weight = 1.0}
  // expected-error@+1 {{'nn.loss' op is the second of output 'out'}}
  nn.loss "mean_squared_error" of "out" target tensor<?x3xf32> {weight = 1.0}
}

// -----

// nn.compile: names of outputs.
// expected-note@+1 {{the model is here}}
nn.model @m(%x: tensor<?x3xf32>) -> (tensor<?x3xf32> {nn.name = "strokes"}) {
  nn.return %x : tensor<?x3xf32>
}
nn.compile @m {
  // expected-error@+1 {{'nn.loss' op is of output 'stroke', which model 'm' does not have; did you mean 'strokes'?}}
  nn.loss "mean_squared_error" of "stroke" target tensor<?x3xf32> {weight = 1.0}
}

// -----

// expected-note@+1 {{the model is here}}
nn.model @m(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> (tensor<?x3xf32> {nn.name = "a"}, tensor<?x3xf32> {nn.name = "b"}) {
  nn.return %x, %y : tensor<?x3xf32>, tensor<?x3xf32>
}
nn.compile @m {
  // expected-error@+1 {{'nn.metric' op is of output 'out', which model 'm' does not have; known are a, b}}
  nn.metric "mean_squared_error" of "out" {name = "mse", weighted = false}
}

// -----

// nn.loss: the kind.
nn.compile @m {
  // expected-error@+1 {{'nn.loss' op has the kind 'mean_square_error', which is no loss; did you mean 'mean_squared_error'?}}
  nn.loss "mean_square_error" of "out" target tensor<?x3xf32> {weight = 1.0}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.loss' op has the kind 'my_loss', which is no loss; known are binary_crossentropy, }}
  nn.loss "my_loss" of "out" target tensor<?x3xf32> {weight = 1.0}
}

// -----

// nn.loss: the reduction.
nn.compile @m {
  // expected-error@+1 {{'nn.loss' op has the reduction 'auto'; known are sum_over_batch_size, sum, mean_with_sample_weight}}
  nn.loss "mean_squared_error" of "out" target tensor<?x3xf32> {weight = 1.0, reduction = "auto"}
}

// -----

// nn.loss: the bypass.
nn.compile @m {
  // expected-error@+1 {{'nn.loss' op bypasses the activation, which 'huber' cannot}}
  nn.loss "huber" of "out" target tensor<?x3xf32> {weight = 1.0, bypass_activation}
}

// -----

// nn.metric: the kind.
nn.compile @m {
  // expected-error@+1 {{'nn.metric' op has the kind 'binary_acuracy', which is no metric; did you mean 'binary_accuracy'?}}
  nn.metric "binary_acuracy" of "out" {name = "accuracy", weighted = false}
}

// -----

// nn.metric: the name.
nn.compile @m {
  // expected-error@+1 {{'nn.metric' op 'binary_accuracy' has an empty name}}
  nn.metric "binary_accuracy" of "out" {name = "", weighted = false}
}

// -----

// nn.optimizer: the kind.
nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op has the kind 'adadelta', which is no optimizer; known are sgd, rmsprop, adam, adamw}}
  nn.optimizer "adadelta" {learning_rate = 0.01}
}

// -----

// nn.optimizer: names of hypers.
nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'adam' has no argument 'beta1'; did you mean 'beta_1'?}}
  nn.optimizer "adam" {learning_rate = 0.01, beta1 = 0.9}
}

// -----

// nn.optimizer: numbers.
nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'sgd' has "fast" as 'learning_rate', expected a floating-point number}}
  nn.optimizer "sgd" {learning_rate = "fast"}
}

// -----

// nn.optimizer: a learning rate.
nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'sgd' has no 'learning_rate'}}
  nn.optimizer "sgd" {momentum = 0.9}
}

// -----

// nn.optimizer: flags.
nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'adam' has no 'nesterov'}}
  nn.optimizer "adam" {learning_rate = 0.01} {nesterov}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'sgd' has no 'amsgrad'}}
  nn.optimizer "sgd" {learning_rate = 0.01} {amsgrad}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'adam' has no 'centered'}}
  nn.optimizer "adam" {learning_rate = 0.01} {centered}
}

// -----

// Numbers that an argument does not take.
nn.compile @m {
  // expected-error@+1 {{'nn.loss' op 'huber': 'delta': expected a number above 0, got 0}}
  nn.loss "huber" of "out" target tensor<?x3xf32> {weight = 1.0, delta = 0.0}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.loss' op 'binary_crossentropy': 'label_smoothing': expected a number from 0 to 1, got 1.5}}
  nn.loss "binary_crossentropy" of "out" target tensor<?x3xf32> {weight = 1.0, label_smoothing = 1.5}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.loss' op 'mean_squared_error': 'weight': expected a finite number, got inf}}
  nn.loss "mean_squared_error" of "out" target tensor<?x3xf32> {weight = 0x7FF0000000000000 : f64}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.metric' op 'binary_accuracy': 'threshold': expected a finite number, got nan}}
  nn.metric "binary_accuracy" of "out" {name = "a", weighted = false, threshold = 0x7FF8000000000000 : f64}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'sgd': 'learning_rate': expected a number of at least 0, got -0.1}}
  nn.optimizer "sgd" {learning_rate = -0.1}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'sgd': 'momentum': expected a number from 0 to 1, got 1.5}}
  nn.optimizer "sgd" {learning_rate = 0.1, momentum = 1.5}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'rmsprop': 'rho': expected a number from 0 to below 1, got 1}}
  nn.optimizer "rmsprop" {learning_rate = 0.1, rho = 1.0}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'adam': 'beta_1': expected a number from 0 to below 1, got 1}}
  nn.optimizer "adam" {learning_rate = 0.1, beta_1 = 1.0}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'adamw': 'beta_2': expected a number from 0 to below 1, got -0.1}}
  nn.optimizer "adamw" {learning_rate = 0.1, beta_2 = -0.1}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'adam': 'epsilon': expected a number of at least 0, got -1}}
  nn.optimizer "adam" {learning_rate = 0.1, epsilon = -1.0}
}

// -----

nn.compile @m {
  // expected-error@+1 {{'nn.optimizer' op 'adamw': 'weight_decay': expected a number of at least 0, got -inf}}
  nn.optimizer "adamw" {learning_rate = 0.1, weight_decay = 0xFFF0000000000000 : f64}
}

// -----

// Where they stand.
// expected-error@+1 {{'nn.loss' op expects parent op 'nn.compile'}}
nn.loss "mean_squared_error" of "out" target tensor<?x3xf32> {weight = 1.0}
