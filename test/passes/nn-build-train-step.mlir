// RUN: belfry-opt %s --nn-build-train-step --split-input-file | FileCheck %s
// RUN: belfry-opt %s --nn-build-train-step=functions=predict --split-input-file | FileCheck %s --check-prefix=PREDICT

// A dense layer under mean squared error: every function has the arguments that
// it needs, under their roles.

// PREDICT: func.func @predict
// PREDICT-NOT: func.func @{{evaluate|train}}
// CHECK: module @m attributes {nn.optimizer = "sgd"}
// CHECK: func.func @predict(%{{.*}}: tensor<?x3xf32> {nn.name = "x", nn.role = #nn.role<input>}, %{{.*}}: tensor<3x1xf32> {nn.name = "d/kernel", nn.role = #nn.role<parameter>}) -> (tensor<?x1xf32> {nn.name = "out", nn.role = #nn.role<output>})
// CHECK: func.func @evaluate(
// CHECK-SAME: {nn.loss = "mean_squared_error", nn.name = "out", nn.role = #nn.role<target>}
// CHECK-SAME: tensor<?xf32> {nn.name = "out", nn.role = #nn.role<sample_weight>}
// CHECK-SAME: {nn.name = "", nn.role = #nn.role<loss>}
// CHECK-SAME: {nn.name = "mae", nn.role = #nn.role<metric_total>, nn.weighted = false}
// CHECK-SAME: {nn.name = "mae", nn.role = #nn.role<metric_count>, nn.weighted = false}
// CHECK: func.func @train(
// CHECK-SAME: tensor<3x1xf32> {nn.name = "momentum", nn.of = "d/kernel", nn.role = #nn.role<slot>}
// CHECK-SAME: tensor<f64> {nn.name = "learning_rate", nn.role = #nn.role<hyper>, nn.value = 1.000000e-02 : f64}
// CHECK-SAME: {nn.name = "d/kernel", nn.role = #nn.role<gradient>}
// CHECK-SAME: {nn.name = "", nn.role = #nn.role<gradient_scale>}
// The gradient of the kernel is that of the sum; the rows divide it once.
// CHECK: %[[ROWS:.*]] = nn.dim_size
// CHECK: %[[GRAD:.*]] = nn.dot {{.*}} contract = [0] * [0] {{.*}} -> tensor<3x1xf32>
// CHECK: nn.binary mul %[[GRAD]]
// CHECK-NOT: nn.model
// CHECK-NOT: nn.compile
nn.parameter @"d/kernel" : tensor<3x1xf32> {path = "layers/dense/vars/0", layer = "d", trainable = true, stream = 1 : i32, initializer = {name = "glorot_uniform"}}
nn.model @m(%x: tensor<?x3xf32> {nn.name = "x"}) -> (tensor<?x1xf32> {nn.name = "out"}) {
  %k = nn.get_parameter @"d/kernel" : tensor<3x1xf32>
  %y = nn.dense %x, %k : tensor<?x3xf32>, tensor<3x1xf32> -> tensor<?x1xf32>
  nn.return %y : tensor<?x1xf32>
}
nn.compile @m {
  nn.loss "mean_squared_error" of "out" target tensor<?x1xf32> {weight = 1.0}
  nn.metric "mean_absolute_error" of "out" {name = "mae", weighted = false}
  nn.optimizer "sgd" {learning_rate = 0.01, momentum = 0.9}
}

// -----

// A loss that bypasses a fused sigmoid is computed from what goes into it: no
// logarithm of a probability. Prediction keeps the sigmoid.

// CHECK-LABEL: // {{-----}}
// CHECK: func.func @predict
// CHECK: nn.unary sigmoid
// CHECK: func.func @evaluate
// CHECK-NOT: nn.unary log %
// CHECK: nn.unary log1p
// CHECK-NOT: nn.unary log %
// CHECK: func.func @train
nn.parameter @"d/kernel" : tensor<3x1xf32> {path = "layers/dense/vars/0", layer = "d", trainable = true, stream = 1 : i32, initializer = {name = "glorot_uniform"}}
nn.model @m(%x: tensor<?x3xf32> {nn.name = "x"}) -> (tensor<?x1xf32> {nn.name = "out"}) {
  %k = nn.get_parameter @"d/kernel" : tensor<3x1xf32>
  %y = nn.dense %x, %k activation = sigmoid : tensor<?x3xf32>, tensor<3x1xf32> -> tensor<?x1xf32>
  nn.return %y : tensor<?x1xf32>
}
nn.compile @m {
  nn.loss "binary_crossentropy" of "out" target tensor<?x1xf32> {weight = 1.0, bypass_activation}
  nn.optimizer "sgd" {learning_rate = 0.01}
}

// -----

// A masked recurrent layer: the forward scan saves what the reverse scan needs,
// and the recurrent kernel's gradient is one product over steps and rows.

// CHECK-LABEL: // {{-----}}
// CHECK: func.func @train
// CHECK: nn.scan carry({{.*}}) sequences({{.*}}) closed({{.*}}) mask(%[[MASK:.*]]) {
// CHECK: nn.scan carry({{.*}}) mask(%[[MASK]]) reverse
// CHECK: nn.dot {{.*}} contract = [0, 1] * [0, 1] {{.*}} -> tensor<4x4xf32>
nn.parameter @"r/kernel" : tensor<3x4xf32> {path = "layers/simple_rnn/cell/vars/0", layer = "r", trainable = true, stream = 1 : i32, initializer = {name = "glorot_uniform"}}
nn.parameter @"r/recurrent_kernel" : tensor<4x4xf32> {path = "layers/simple_rnn/cell/vars/1", layer = "r", trainable = true, stream = 2 : i32, initializer = {name = "orthogonal"}}
nn.model @m(%x: tensor<?x9x3xf32> {nn.name = "x"}, %mask: tensor<?x9xi1> {nn.name = "mask"}) -> (tensor<?x4xf32> {nn.name = "out"}) {
  %k = nn.get_parameter @"r/kernel" : tensor<3x4xf32>
  %r = nn.get_parameter @"r/recurrent_kernel" : tensor<4x4xf32>
  %y = nn.simple_rnn %x mask %mask weights(%k, %r) : (tensor<?x9x3xf32>, tensor<?x9xi1>, tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  nn.return %y : tensor<?x4xf32>
}
nn.compile @m {
  nn.loss "mean_squared_error" of "out" target tensor<?x4xf32> {weight = 1.0}
  nn.optimizer "sgd" {learning_rate = 0.01}
}

// -----

// A product of 16 bits that is f32 has gradients of f32, rounded at their end.

// CHECK-LABEL: // {{-----}}
// CHECK: func.func @train
// CHECK: nn.dot %[[X:.*]], %{{.*}} contract = [1] * [0] : tensor<?x3xbf16>, tensor<3x1xbf16> -> tensor<?x1xf32>
// CHECK: %[[W:.*]] = nn.convert %[[X]] : tensor<?x3xbf16> -> tensor<?x3xf32>
// CHECK: %[[G:.*]] = nn.dot %[[W]], %{{.*}} contract = [0] * [0] : tensor<?x3xf32>, tensor<?x1xf32> -> tensor<3x1xf32>
// CHECK: nn.convert %[[G]] : tensor<3x1xf32> -> tensor<3x1xbf16>
nn.parameter @"n/kernel" : tensor<3x1xbf16> {path = "layers/dense/vars/0", layer = "n", trainable = true, stream = 1 : i32, initializer = {name = "glorot_uniform"}}
nn.model @m(%x: tensor<?x3xbf16> {nn.name = "x"}) -> (tensor<?x1xf32> {nn.name = "out"}) {
  %k = nn.get_parameter @"n/kernel" : tensor<3x1xbf16>
  %y = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xbf16>, tensor<3x1xbf16> -> tensor<?x1xf32>
  nn.return %y : tensor<?x1xf32>
}
nn.compile @m {
  nn.loss "mean_squared_error" of "out" target tensor<?x1xf32> {weight = 1.0}
  nn.optimizer "sgd" {learning_rate = 0.01}
}
