// RUN: belfry-opt %s --nn-decompose -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s
// RUN: belfry-opt %s --nn-decompose=training=true | FileCheck %s --check-prefix=TRAINING

nn.parameter @"dense/kernel" : tensor<3x4xf32>
    {path = "layers/dense/vars/0", layer = "dense", trainable = true, stream = 1 : i32,
     initializer = {name = "glorot_uniform"}}

// Layers of a model: ops carry the name of their layer, dropout is nothing.
// CHECK-LABEL: nn.model @model
// TRAINING-LABEL: nn.model @model
nn.model @model(%x: tensor<?x3xf32> {nn.name = "x"}) -> (tensor<?x4xf32> {nn.name = "out"}) {
  %k = nn.get_parameter @"dense/kernel" : tensor<3x4xf32>
  // CHECK-NOT: nn.dense
  // CHECK: %[[DOT:.*]] = nn.dot {{.*}} loc("dense")
  // CHECK-NEXT: %[[Y:.*]] = nn.unary tanh %[[DOT]] : tensor<?x4xf32> loc("dense")
  %y = nn.dense %x, %k activation = tanh : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32> loc("dense")
  // CHECK-NOT: nn.random
  // TRAINING: nn.random uniform {{.*}} stream = 3
  %z = nn.dropout %y {rate = 0.2, stream = 3 : i32} : tensor<?x4xf32> loc("dropout")
  // CHECK: nn.return %[[Y]]
  nn.return %z : tensor<?x4xf32>
}

// Layers inside of layers, in functions too.
// CHECK-LABEL: func.func @nested
func.func @nested(%x: tensor<?x9x4xf32>, %k: tensor<4x2xf32>) -> tensor<?x9x2xf32> {
  // CHECK-NOT: nn.time_distributed
  // CHECK: %[[ROWS:.*]] = nn.reshape %{{.*}} : tensor<?x9x4xf32> -> tensor<?x4xf32> loc("td")
  // CHECK: nn.dot %[[ROWS]], {{.*}} loc("inner")
  // CHECK: nn.reshape %{{.*}} : tensor<?x2xf32> -> tensor<?x9x2xf32> loc("td")
  %y = nn.time_distributed %x : tensor<?x9x4xf32> -> tensor<?x9x2xf32> {
  ^bb0(%step: tensor<?x4xf32>):
    %d = nn.dense %step, %k : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32> loc("inner")
    nn.layer_yield %d : tensor<?x2xf32>
  } loc("td")
  return %y : tensor<?x9x2xf32>
}
