// RUN: belfry-opt %s --pack-masked-steps --cse | FileCheck %s

// The product before the loop, the loop and the sums after it have the rows
// that the mask selects; what needs all steps gets them with zeros.

// CHECK-LABEL: func.func @layer
// CHECK-DAG: %[[XP:.*]] = nn.pack_steps %[[X:.*]] mask %[[M:.*]] : tensor<5x?x3xf32>, tensor<5x?xi1> -> tensor<?x3xf32>
// CHECK-DAG: %[[P:.*]] = nn.dot %[[XP]], %{{.*}} contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
// CHECK-DAG: %[[PS:.*]] = nn.unpack_steps %[[P]] mask %[[M]] : tensor<?x4xf32>, tensor<5x?xi1> -> tensor<5x?x4xf32>
// CHECK: %{{.*}}, %[[O:.*]] = nn.scan carry(%{{.*}}) sequences(%[[PS]]) mask(%[[M]])
// CHECK: %[[OP:.*]] = nn.pack_steps %[[O]] mask %[[M]]
// CHECK: %[[OS:.*]] = nn.unpack_steps %[[OP]] mask %[[M]]
// CHECK: nn.reduce sum %[[OP]] dims = [0] : tensor<?x4xf32> -> tensor<4xf32>
// CHECK: nn.dot %[[XP]], %[[OP]] contract = [0] * [0] : tensor<?x3xf32>, tensor<?x4xf32> -> tensor<3x4xf32>
// CHECK: %[[D:.*]] = nn.dot %[[OP]], %{{.*}} contract = [1] * [1] : tensor<?x4xf32>, tensor<3x4xf32> -> tensor<?x3xf32>
// CHECK: %[[DS:.*]] = nn.unpack_steps %[[D]] mask %[[M]]
// CHECK: return %[[OS]], %{{.*}}, %{{.*}}, %[[DS]]
func.func @layer(%h: tensor<?x4xf32>, %x: tensor<5x?x3xf32>, %w: tensor<3x4xf32>, %m: tensor<5x?xi1>)
    -> (tensor<5x?x4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<5x?x3xf32>) attributes {belfry.function = "f"} {
  %p = nn.dot %x, %w contract = [2] * [0] : tensor<5x?x3xf32>, tensor<3x4xf32> -> tensor<5x?x4xf32>
  %f, %o = nn.scan carry(%h) sequences(%p) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %y = nn.binary add %a, %b : tensor<?x4xf32>
    nn.yield carry(%y) outputs(%y) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  %s = nn.reduce sum %o dims = [0, 1] : tensor<5x?x4xf32> -> tensor<4xf32>
  %g = nn.dot %x, %o contract = [0, 1] * [0, 1] : tensor<5x?x3xf32>, tensor<5x?x4xf32> -> tensor<3x4xf32>
  %d = nn.dot %o, %w contract = [2] * [1] : tensor<5x?x4xf32>, tensor<3x4xf32> -> tensor<5x?x3xf32>
  return %o, %s, %g, %d : tensor<5x?x4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<5x?x3xf32>
}

// What mixes rows needs them all.

// CHECK-LABEL: func.func @mixes
// CHECK-NOT: nn.pack_steps
func.func @mixes(%h: tensor<?x4xf32>, %x: tensor<5x?x4xf32>, %m: tensor<5x?xi1>) -> tensor<?x4xf32> attributes {belfry.function = "g"} {
  %f = nn.scan carry(%h) sequences(%x) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %s = nn.reduce sum %b dims = [0] : tensor<?x4xf32> -> tensor<4xf32>
    %c = nn.broadcast %s dims = [1] like %a : tensor<4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %y = nn.binary add %a, %c : tensor<?x4xf32>
    nn.yield carry(%y) : tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> tensor<?x4xf32>
  %i = nn.scan carry(%h) sequences(%x) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %c = nn.reverse %b dims = [0] : tensor<?x4xf32>
    %y = nn.binary add %a, %c : tensor<?x4xf32>
    nn.yield carry(%y) : tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> tensor<?x4xf32>
  %r = nn.binary add %f, %i : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
