// RUN: belfry-opt %s --nn-decompose=training=true --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dense
// CHECK-SAME: (%[[X:.*]]: tensor<?x9x3xf32>, %[[K:.*]]: tensor<3x4xf32>, %[[B:.*]]: tensor<4xf32>)
func.func @dense(%x: tensor<?x9x3xf32>, %k: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<?x9x4xf32> {
  // CHECK-NEXT: %[[D:.*]] = nn.dot %[[X]], %[[K]] contract = [2] * [0] : tensor<?x9x3xf32>, tensor<3x4xf32> -> tensor<?x9x4xf32>
  // CHECK-NEXT: %[[R:.*]] = nn.broadcast %[[B]] dims = [2] like %[[D]]
  // CHECK-NEXT: %[[S:.*]] = nn.binary add %[[D]], %[[R]]
  // CHECK-NEXT: %[[Y:.*]] = nn.unary sigmoid %[[S]]
  // CHECK-NEXT: return %[[Y]]
  %y = nn.dense %x, %k bias %b activation = sigmoid
     : tensor<?x9x3xf32>, tensor<3x4xf32>, tensor<4xf32> -> tensor<?x9x4xf32>
  return %y : tensor<?x9x4xf32>
}

// -----

// Kept where the uniform number is at least the rate, which is rounded up to a
// multiple of 2^-24: 0.2 in f32 would be another number than in f64.
// CHECK-LABEL: func.func @dropout
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf64>)
func.func @dropout(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  // CHECK-DAG: %[[SEED:.*]] = nn.seed
  // CHECK-DAG: %[[STEP:.*]] = nn.step
  // CHECK: %[[U:.*]] = nn.random uniform seed %[[SEED]] step %[[STEP]] stream = 3 like %[[X]] : tensor<?x4xf64> -> tensor<?x4xf64>
  // CHECK: %[[R:.*]] = nn.constant dense<0.20000004768371582> : tensor<f64>
  // CHECK: %[[RS:.*]] = nn.broadcast %[[R]] dims = [] like %[[X]]
  // CHECK: %[[KEEP:.*]] = nn.compare ge %[[U]], %[[RS]]
  // CHECK: nn.constant dense<1.250000e+00>
  // CHECK: %[[SCALED:.*]] = nn.binary mul %[[X]], %{{.*}}
  // CHECK: nn.select %[[KEEP]], %[[SCALED]], %{{.*}}
  %y = nn.dropout %x {rate = 0.2, stream = 3 : i32} : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}

// -----

// One number along a dimension of the noise of extent 1.
// CHECK-LABEL: func.func @noise_shape
func.func @noise_shape(%x: tensor<?x9x3xf32>) -> tensor<?x9x3xf32> {
  // CHECK: nn.random uniform {{.*}} -> tensor<?x1x3xf32>
  // CHECK: %[[KEEP:.*]] = nn.compare ge {{.*}} : tensor<?x1x3xf32>
  // CHECK: %[[OWN:.*]] = nn.reshape %[[KEEP]] : tensor<?x1x3xi1> -> tensor<?x3xi1>
  // CHECK: nn.broadcast %[[OWN]] dims = [0, 2] : tensor<?x3xi1> -> tensor<?x9x3xi1>
  %y = nn.dropout %x {rate = 0.5, stream = 3 : i32, noise_shape = array<i64: -1, 1, -1>} : tensor<?x9x3xf32>
  return %y : tensor<?x9x3xf32>
}

// -----

// No dropout at all, and nothing but dropout.
// CHECK-LABEL: func.func @extremes
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>)
func.func @extremes(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK-NOT: nn.random
  // CHECK: %[[Z:.*]] = nn.constant dense<0.000000e+00> : tensor<2x4xf32>
  // CHECK: return %[[X]], %[[Z]]
  %y = nn.dropout %x {rate = 0.0, stream = 3 : i32} : tensor<2x4xf32>
  %z = nn.dropout %x {rate = 1.0, stream = 4 : i32} : tensor<2x4xf32>
  return %y, %z : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @masking
// CHECK-SAME: (%[[X:.*]]: tensor<?x9x3xf32>)
func.func @masking(%x: tensor<?x9x3xf32>) -> (tensor<?x9x3xf32>, tensor<?x9xi1>) {
  // CHECK: nn.constant dense<-5.000000e+00> : tensor<f32>
  // CHECK: %[[NE:.*]] = nn.compare ne %[[X]], %{{.*}} : tensor<?x9x3xf32>
  // CHECK: %[[M:.*]] = nn.reduce or %[[NE]] dims = [2] : tensor<?x9x3xi1> -> tensor<?x9xi1>
  // CHECK: %[[MS:.*]] = nn.broadcast %[[M]] dims = [0, 1] : tensor<?x9xi1> -> tensor<?x9x3xi1>
  // CHECK: %[[Y:.*]] = nn.select %[[MS]], %[[X]], %{{.*}} : tensor<?x9x3xf32>
  // CHECK: return %[[Y]], %[[M]]
  %y, %m = nn.masking %x {mask_value = -5.0} : tensor<?x9x3xf32> -> tensor<?x9x3xf32>, tensor<?x9xi1>
  return %y, %m : tensor<?x9x3xf32>, tensor<?x9xi1>
}

// -----

// CHECK-LABEL: func.func @embedding
// CHECK-SAME: (%[[I:.*]]: tensor<?x5xi32>, %[[T:.*]]: tensor<100x8xf32>)
func.func @embedding(%i: tensor<?x5xi32>, %t: tensor<100x8xf32>) -> (tensor<?x5x8xf32>, tensor<?x5xi1>) {
  // CHECK: %[[Y:.*]] = nn.gather %[[T]], %[[I]] batch_dims = 0
  // CHECK: %[[Z:.*]] = nn.constant dense<0> : tensor<i32>
  // CHECK: %[[M:.*]] = nn.compare ne %[[I]], %{{.*}} : tensor<?x5xi32>
  // CHECK: return %[[Y]], %[[M]]
  %y, %m = nn.embedding %i, %t {mask_zero} : tensor<?x5xi32>, tensor<100x8xf32> -> tensor<?x5x8xf32>, tensor<?x5xi1>
  return %y, %m : tensor<?x5x8xf32>, tensor<?x5xi1>
}

// -----

// CHECK-LABEL: func.func @shapes
// CHECK-SAME: (%[[X:.*]]: tensor<?x3x4xf32>, %[[Y:.*]]: tensor<?x4xf32>, %[[V:.*]]: tensor<?xf32>)
func.func @shapes(%x: tensor<?x3x4xf32>, %y: tensor<?x4xf32>, %v: tensor<?xf32>)
    -> (tensor<?x12xf32>, tensor<?x1xf32>, tensor<?x7x4xf32>, tensor<?x8xf32>) {
  // CHECK: nn.reshape %[[X]] : tensor<?x3x4xf32> -> tensor<?x12xf32>
  %f = nn.flatten %x : tensor<?x3x4xf32> -> tensor<?x12xf32>
  // CHECK: nn.reshape %[[V]] : tensor<?xf32> -> tensor<?x1xf32>
  %g = nn.flatten %v : tensor<?xf32> -> tensor<?x1xf32>
  // CHECK: nn.broadcast %[[Y]] dims = [0, 2] : tensor<?x4xf32> -> tensor<?x7x4xf32>
  %r = nn.repeat_vector %y : tensor<?x4xf32> -> tensor<?x7x4xf32>
  // CHECK: nn.concat %[[Y]], %[[Y]] dim = 1
  %c = nn.concatenate %y, %y axis = 1 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x8xf32>
  return %f, %g, %r, %c : tensor<?x12xf32>, tensor<?x1xf32>, tensor<?x7x4xf32>, tensor<?x8xf32>
}

// -----

// Missing dimensions stand after the batch's, extents of 1 repeat.
// CHECK-LABEL: func.func @add
// CHECK-SAME: (%[[X:.*]]: tensor<?x3x4xf32>, %[[Y:.*]]: tensor<?x4xf32>, %[[Z:.*]]: tensor<?x3x1xf32>)
func.func @add(%x: tensor<?x3x4xf32>, %y: tensor<?x4xf32>, %z: tensor<?x3x1xf32>) -> tensor<?x3x4xf32> {
  // CHECK-NEXT: %[[YB:.*]] = nn.broadcast %[[Y]] dims = [0, 2] : tensor<?x4xf32> -> tensor<?x3x4xf32>
  // CHECK-NEXT: %[[S:.*]] = nn.binary add %[[X]], %[[YB]]
  // CHECK-NEXT: %[[ZR:.*]] = nn.reshape %[[Z]] : tensor<?x3x1xf32> -> tensor<?x3xf32>
  // CHECK-NEXT: %[[ZB:.*]] = nn.broadcast %[[ZR]] dims = [0, 1] : tensor<?x3xf32> -> tensor<?x3x4xf32>
  // CHECK-NEXT: nn.binary add %[[S]], %[[ZB]]
  %s = nn.add %x, %y, %z : tensor<?x3x4xf32>, tensor<?x4xf32>, tensor<?x3x1xf32> -> tensor<?x3x4xf32>
  return %s : tensor<?x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @time_distributed_static
func.func @time_distributed_static(%x: tensor<2x9x4xf32>, %k: tensor<4x2xf32>) -> tensor<2x9x2xf32> {
  // CHECK: nn.reshape %{{.*}} : tensor<2x9x4xf32> -> tensor<18x4xf32>
  // CHECK: nn.reshape %{{.*}} : tensor<18x2xf32> -> tensor<2x9x2xf32>
  %y = nn.time_distributed %x : tensor<2x9x4xf32> -> tensor<2x9x2xf32> {
  ^bb0(%step: tensor<18x4xf32>):
    %d = nn.dense %step, %k : tensor<18x4xf32>, tensor<4x2xf32> -> tensor<18x2xf32>
    nn.layer_yield %d : tensor<18x2xf32>
  }
  return %y : tensor<2x9x2xf32>
}
