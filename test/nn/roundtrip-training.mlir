// RUN: belfry-opt %s | FileCheck %s

// CHECK: module attributes {nn.weights = "quickdraw.weights.h5"}
module attributes {nn.weights = "quickdraw.weights.h5"} {

// CHECK: nn.parameter @"dense/kernel" : tensor<3x4xf32> {initializer = {name = "glorot_uniform"}, layer = "dense", path = "layers/dense/vars/0", stream = 1 : i32, trainable = true}
nn.parameter @"dense/kernel" : tensor<3x4xf32>
    {path = "layers/dense/vars/0", layer = "dense", trainable = true, stream = 1 : i32,
     initializer = {name = "glorot_uniform"}}
nn.parameter @"out/kernel" : tensor<4x1xf32>
    {path = "layers/dense_1/vars/0", layer = "out", trainable = true, stream = 2 : i32,
     initializer = {name = "glorot_uniform"}}

// CHECK-LABEL: nn.model @quickdraw
// CHECK-SAME: (%{{.*}}: tensor<?x100x3xf32> {nn.name = "strokes"}) -> (tensor<?x100x1xf32> {nn.name = "out"}) {
nn.model @quickdraw(%strokes: tensor<?x100x3xf32> {nn.name = "strokes"})
    -> (tensor<?x100x1xf32> {nn.name = "out"}) {
  // CHECK: nn.get_parameter @"dense/kernel" : tensor<3x4xf32>
  %k = nn.get_parameter @"dense/kernel" : tensor<3x4xf32>
  %o = nn.get_parameter @"out/kernel" : tensor<4x1xf32>
  // CHECK: nn.seed : tensor<2xi32>
  %seed = nn.seed : tensor<2xi32>
  // CHECK: nn.step : tensor<i32>
  %step = nn.step : tensor<i32>
  %x, %m = nn.masking %strokes {mask_value = 0.0} : tensor<?x100x3xf32> -> tensor<?x100x3xf32>, tensor<?x100xi1>
  %h = nn.dense %x, %k activation = relu : tensor<?x100x3xf32>, tensor<3x4xf32> -> tensor<?x100x4xf32>
  %y = nn.dense %h, %o activation = sigmoid : tensor<?x100x4xf32>, tensor<4x1xf32> -> tensor<?x100x1xf32>
  // CHECK: nn.return %{{.*}} : tensor<?x100x1xf32> masks(%{{.*}} of [0] : tensor<?x100xi1>)
  nn.return %y : tensor<?x100x1xf32> masks(%m of [0] : tensor<?x100xi1>)
}

// CHECK: nn.compile @quickdraw {
nn.compile @quickdraw {
  // CHECK: nn.loss "binary_crossentropy" of "out" target tensor<?x100x1xf32> {weight = 1.000000e+00 : f64}
  nn.loss "binary_crossentropy" of "out" target tensor<?x100x1xf32> {weight = 1.0}
  // CHECK: nn.metric "binary_accuracy" of "out" {name = "accuracy", weighted = false}
  nn.metric "binary_accuracy" of "out" {name = "accuracy", weighted = false}
  // CHECK: nn.optimizer "adam" {beta_1 = 9.000000e-01 : f64, beta_2 = {{.*}} : f64, epsilon = {{.*}} : f64, learning_rate = 1.000000e-03 : f64}
  nn.optimizer "adam" {learning_rate = 1.0e-3, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1.0e-7}
}
// CHECK: nn.optimizer "sgd" {learning_rate = 1.000000e-02 : f64, momentum = 9.000000e-01 : f64} {nesterov}
nn.compile @quickdraw {
  nn.optimizer "sgd" {learning_rate = 0.01, momentum = 0.9} {nesterov}
}
}
