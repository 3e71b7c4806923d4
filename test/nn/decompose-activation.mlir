// RUN: belfry-opt %s --nn-decompose --split-input-file | FileCheck %s

// At a kink the comparison decides: no gradient at x = 0, NaN stays.
// CHECK-LABEL: func.func @relu
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[Z:.*]] = nn.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: %[[LE:.*]] = nn.compare le %[[X]], %{{.*}}
  // CHECK: nn.select %[[LE]], %[[Z]], %[[X]]
  %y = nn.activation relu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @relu_full
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @relu_full(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[T:.*]] = nn.constant dense<1.000000e+00>
  // CHECK: nn.compare le %[[X]], %[[T]]
  // CHECK: %[[MAX:.*]] = nn.constant dense<4.000000e+00>
  // CHECK: nn.compare gt %{{.*}}, %[[MAX]]
  // CHECK: nn.binary sub %[[T]], %[[X]]
  // CHECK: nn.constant dense<1.000000e-01>
  // CHECK: nn.binary sub
  %y = nn.activation relu %x {alpha = 0.1, max_value = 4.0, threshold = 1.0} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expm1 of what is not positive: its gradient must not overflow.
// CHECK-LABEL: func.func @elu
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @elu(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[P:.*]] = nn.compare gt %[[X]], %{{.*}}
  // CHECK: %[[S:.*]] = nn.select %[[P]], %{{.*}}, %[[X]]
  // CHECK: %[[E:.*]] = nn.unary expm1 %[[S]]
  // CHECK: nn.select %[[P]], %[[X]], %[[E]]
  %y = nn.activation elu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @selu
func.func @selu(%x: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: nn.constant dense<1.6732632423543772> : tensor<4xf64>
  // CHECK: nn.constant dense<1.0507009873554805> : tensor<4xf64>
  %y = nn.activation selu %x : tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

// Keras 3: relu6(x + 3)/6.
// CHECK-LABEL: func.func @hard_sigmoid
func.func @hard_sigmoid(%x: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: nn.constant dense<3.000000e+00>
  // CHECK: nn.constant dense<6.000000e+00>
  // CHECK: nn.constant dense<0.16666666666666666>
  %y = nn.activation hard_sigmoid %x : tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

// CHECK-LABEL: func.func @gelu
func.func @gelu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: nn.unary erf
  %y = nn.activation gelu %x : tensor<4xf32>
  // CHECK: nn.unary tanh
  %z = nn.activation gelu %x {approximate} : tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// The maximum has no gradient of its own.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME: (%[[X:.*]]: tensor<?x3x4xf32>)
func.func @softmax(%x: tensor<?x3x4xf32>) -> tensor<?x3x4xf32> {
  // CHECK: %[[M:.*]] = nn.reduce max %[[X]] dims = [1] {nn.no_gradient} : tensor<?x3x4xf32> -> tensor<?x4xf32>
  // CHECK: %[[MB:.*]] = nn.broadcast %[[M]] dims = [0, 2]
  // CHECK: %[[D:.*]] = nn.binary sub %[[X]], %[[MB]]
  // CHECK: %[[E:.*]] = nn.unary exp %[[D]]
  // CHECK: %[[S:.*]] = nn.reduce sum %[[E]] dims = [1]
  // CHECK: %[[SB:.*]] = nn.broadcast %[[S]] dims = [0, 2]
  // CHECK: nn.binary div %[[E]], %[[SB]]
  %y = nn.activation softmax %x {axis = 1} : tensor<?x3x4xf32>
  return %y : tensor<?x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @log_softmax
func.func @log_softmax(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: nn.reduce max %{{.*}} dims = [1] {nn.no_gradient}
  // CHECK: nn.unary log
  // CHECK-NOT: nn.binary div
  %y = nn.activation log_softmax %x : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @softplus
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @softplus(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[P:.*]] = nn.compare gt %[[X]]
  // CHECK: %[[N:.*]] = nn.unary neg %[[X]]
  // CHECK: %[[A:.*]] = nn.select %[[P]], %[[N]], %[[X]]
  // CHECK: %[[E:.*]] = nn.unary exp %[[A]]
  // CHECK: nn.unary log1p %[[E]]
  %y = nn.activation softplus %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
