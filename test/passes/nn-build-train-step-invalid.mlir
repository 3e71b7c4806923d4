// RUN: %raw-belfry-opt %s --nn-build-train-step --split-input-file --verify-diagnostics

// expected-error@+1 {{expected one nn.model, got 0}}
module {}

// -----

nn.model @m(%x: tensor<?x3xf32> {nn.name = "x"}) -> (tensor<?x3xf32> {nn.name = "out"}) {
  nn.return %x : tensor<?x3xf32>
}
nn.compile @m {
  // expected-error@+1 {{'mean_squared_error' of 'tensor<?x3xf32>' needs targets of its shape, got 'tensor<?x2xf32>'}}
  nn.loss "mean_squared_error" of "out" target tensor<?x2xf32> {weight = 1.0}
}

// -----

nn.model @m(%x: tensor<?x3xf32> {nn.name = "x"}) -> (tensor<?x3xf32> {nn.name = "out"}) {
  nn.return %x : tensor<?x3xf32>
}
nn.compile @m {
  // expected-error@+1 {{'sparse_categorical_crossentropy' of 'tensor<?x3xf32>' needs class numbers of shape 'tensor<?xi32>', got 'tensor<?x3xi32>'}}
  nn.loss "sparse_categorical_crossentropy" of "out" target tensor<?x3xi32> {weight = 1.0}
}

// -----

nn.model @m(%x: tensor<?x3xf32> {nn.name = "x"}, %m: tensor<?x3xi1> {nn.name = "m"}) -> (tensor<?x3xf32> {nn.name = "out"}) {
  nn.return %x : tensor<?x3xf32> masks(%m of [0] : tensor<?x3xi1>)
}
nn.compile @m {
  // expected-error@+1 {{output 'out' has a mask of type 'tensor<?x3xi1>', which does not fit elements of type 'tensor<?xf32>'}}
  nn.loss "mean_squared_error" of "out" target tensor<?x3xf32> {weight = 1.0}
}

// -----

nn.model @m(%x: tensor<?x3xf32> {nn.name = "x"}, %z: tensor<?x3xf32> {nn.name = "z"}) -> (tensor<?x3xf32> {nn.name = "out"}, tensor<?x3xf32> {nn.name = "more"}) {
  nn.return %x, %z : tensor<?x3xf32>, tensor<?x3xf32>
}
nn.compile @m {
  nn.loss "mean_squared_error" of "out" target tensor<?x3xf32> {weight = 1.0}
  // expected-error@+1 {{output 'more' has no loss, so there are no targets for metric 'mse'}}
  nn.metric "mean_squared_error" of "more" {name = "mse", weighted = false}
}

// -----

// A parameter that the loss does not depend on stays as it is, with a warning.
nn.parameter @"a/kernel" : tensor<3x3xf32> {path = "layers/dense/vars/0", layer = "a", trainable = true, stream = 1 : i32, initializer = {name = "zeros"}}
// expected-warning@+1 {{the loss does not depend on 'a/kernel', which stays as it is}}
nn.model @m(%x: tensor<?x3xf32> {nn.name = "x"}) -> (tensor<?x3xf32> {nn.name = "out"}) {
  nn.return %x : tensor<?x3xf32>
}
nn.compile @m {
  nn.loss "mean_squared_error" of "out" target tensor<?x3xf32> {weight = 1.0}
  nn.optimizer "sgd" {learning_rate = 0.01}
}
