// RUN: belfry-opt %s --prepare-fusion | FileCheck %s

// CHECK-LABEL: func.func @pads
// CHECK: %[[C:.*]] = nn.concat %arg1, %arg0 dim = 1
// CHECK: return %[[C]]
func.func @pads(%a: tensor<?x2xf32>, %b: tensor<?x3xf32>) -> tensor<?x5xf32> {
  %z = nn.constant dense<0.0> : tensor<f32>
  %p = nn.pad %a, %z low = [0, 3] high = [0, 0] interior = [0, 0] : tensor<?x2xf32> -> tensor<?x5xf32>
  %q = nn.pad %b, %z low = [0, 0] high = [0, 2] interior = [0, 0] : tensor<?x3xf32> -> tensor<?x5xf32>
  %s = nn.binary add %p, %q : tensor<?x5xf32>
  return %s : tensor<?x5xf32>
}

// Ranges that overlap stay a sum.
// CHECK-LABEL: func.func @overlap
// CHECK: nn.binary add
func.func @overlap(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x5xf32> {
  %z = nn.constant dense<0.0> : tensor<f32>
  %p = nn.pad %a, %z low = [0, 2] high = [0, 0] interior = [0, 0] : tensor<?x3xf32> -> tensor<?x5xf32>
  %q = nn.pad %b, %z low = [0, 0] high = [0, 2] interior = [0, 0] : tensor<?x3xf32> -> tensor<?x5xf32>
  %s = nn.binary add %p, %q : tensor<?x5xf32>
  return %s : tensor<?x5xf32>
}

// CHECK-LABEL: func.func @slices
// CHECK-DAG: %[[A0:.*]] = nn.slice %arg0 start = [0, 0]
// CHECK-DAG: %[[B0:.*]] = nn.slice %arg1 start = [0, 0]
// CHECK-DAG: nn.binary add %[[A0]], %[[B0]] : tensor<?x2xf32>
// CHECK-DAG: %[[A1:.*]] = nn.slice %arg0 start = [0, 2]
// CHECK-DAG: %[[B1:.*]] = nn.slice %arg1 start = [0, 2]
// CHECK-DAG: nn.binary add %[[A1]], %[[B1]] : tensor<?x2xf32>
func.func @slices(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %s = nn.binary add %a, %b : tensor<?x4xf32>
  %x = nn.slice %s start = [0, 0] limit = [-1, 2] stride = [1, 1] : tensor<?x4xf32> -> tensor<?x2xf32>
  %y = nn.slice %s start = [0, 2] limit = [-1, 4] stride = [1, 1] : tensor<?x4xf32> -> tensor<?x2xf32>
  return %x, %y : tensor<?x2xf32>, tensor<?x2xf32>
}

// CHECK-LABEL: func.func @parts
// CHECK-NOT: tensor<?x4xi1>
// CHECK: %[[X:.*]] = nn.select %{{.*}}, %arg0, %{{.*}} : tensor<?x2xf32>
// CHECK: %[[Y:.*]] = nn.select %{{.*}}, %arg1, %{{.*}} : tensor<?x2xf32>
// CHECK: nn.concat %[[X]], %[[Y]] dim = 1
func.func @parts(%a: tensor<?x2xf32>, %b: tensor<?x2xf32>, %m: tensor<?xi1>) -> tensor<?x4xf32> {
  %c = nn.concat %a, %b dim = 1 : tensor<?x2xf32>, tensor<?x2xf32> -> tensor<?x4xf32>
  %mb = nn.broadcast %m dims = [0] : tensor<?xi1> -> tensor<?x4xi1>
  %z = nn.constant dense<0.0> : tensor<f32>
  %zb = nn.broadcast %z dims = [] like %a : tensor<f32>, tensor<?x2xf32> -> tensor<?x4xf32>
  %s = nn.select %mb, %c, %zb : tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}
