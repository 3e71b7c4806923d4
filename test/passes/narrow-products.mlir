// RUN: belfry-opt %s --narrow-products --cse | FileCheck %s

// CHECK-LABEL: func.func @both
// CHECK-NEXT: %[[P:.*]] = nn.dot %arg0, %arg1 contract = [1] * [0] : tensor<?x3xbf16>, tensor<3x4xbf16> -> tensor<?x4xf32>
// CHECK-NEXT: nn.convert %[[P]] : tensor<?x4xf32> -> tensor<?x4xbf16>
func.func @both(%x: tensor<?x3xbf16>, %k: tensor<3x4xbf16>) -> tensor<?x4xbf16> {
  %0 = nn.convert %x : tensor<?x3xbf16> -> tensor<?x3xf32>
  %1 = nn.convert %k : tensor<3x4xbf16> -> tensor<3x4xf32>
  %2 = nn.dot %0, %1 contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  %3 = nn.convert %2 : tensor<?x4xf32> -> tensor<?x4xbf16>
  return %3 : tensor<?x4xbf16>
}

// What something else reads as well stays beside it.
// CHECK-LABEL: func.func @shared
// CHECK-NEXT: %[[W:.*]] = nn.convert %arg0
// CHECK-NEXT: nn.dot %arg0, %arg0 batch = [0] * [0] contract = [1] * [1] : tensor<?x3xf16>, tensor<?x3xf16> -> tensor<?xf32>
// CHECK-NEXT: nn.unary abs %[[W]]
func.func @shared(%x: tensor<?x3xf16>) -> (tensor<?xf32>, tensor<?x3xf32>) {
  %0 = nn.convert %x : tensor<?x3xf16> -> tensor<?x3xf32>
  %1 = nn.dot %0, %0 batch = [0] * [0] contract = [1] * [1] : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?xf32>
  %2 = nn.unary abs %0 : tensor<?x3xf32>
  return %1, %2 : tensor<?xf32>, tensor<?x3xf32>
}

// Both in one type, or neither.
// CHECK-LABEL: func.func @mixed
// CHECK-COUNT-3: nn.dot {{.*}}xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
func.func @mixed(%x: tensor<?x3xf16>, %y: tensor<?x3xf32>, %k: tensor<3x4xbf16>, %i: tensor<3x4xi8>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = nn.convert %x : tensor<?x3xf16> -> tensor<?x3xf32>
  %1 = nn.convert %k : tensor<3x4xbf16> -> tensor<3x4xf32>
  %2 = nn.convert %i : tensor<3x4xi8> -> tensor<3x4xf32>
  %3 = nn.dot %0, %1 contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  %4 = nn.dot %y, %1 contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  %5 = nn.dot %0, %2 contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  return %3, %4, %5 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// In a loop too, where both are of a step.
// CHECK-LABEL: func.func @step
// CHECK: nn.scan
// CHECK: nn.dot {{.*}} : tensor<?x3xbf16>, tensor<?x3xbf16> -> tensor<?xf32>
func.func @step(%x: tensor<?x3xbf16>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %0 = nn.scan carry(%s) closed(%x) length = 2 {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?x3xbf16>):
    %1 = nn.convert %b : tensor<?x3xbf16> -> tensor<?x3xf32>
    %2 = nn.dot %1, %1 batch = [0] * [0] contract = [1] * [1] : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?xf32>
    %3 = nn.binary add %a, %2 : tensor<?xf32>
    nn.yield carry(%3) : tensor<?xf32>
  } : (tensor<?xf32>, tensor<?x3xbf16>) -> (tensor<?xf32>)
  return %0 : tensor<?xf32>
}
