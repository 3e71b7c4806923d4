// RUN: belfry-opt %s --recompute-values --canonicalize -split-input-file | FileCheck %s
// RUN: belfry-opt %s --recompute-values --simplify-scans --expand-scan-mask --cse --lower-nn-to-linalg -split-input-file | FileCheck %s --check-prefix=LOOPS

// The second loop makes tanh of the first one's state from what it reads anyway; the state's parts stay.
// CHECK-LABEL: @lstm
// CHECK: %[[F:.*]], %[[O:.*]]:3 = nn.scan
// CHECK: nn.scan carry(%arg5) sequences(%[[O]]#0, %[[O]]#1) mask(%arg7) reverse
// CHECK-NEXT: ^bb0(%[[G:.*]]: tensor<?x4xf32>, %[[A:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<?x4xf32>):
// CHECK: %[[SUM:.*]] = nn.binary add %[[A]], %[[B]]
// CHECK: %[[T:.*]] = nn.unary tanh %[[SUM]]
// CHECK: nn.binary mul %[[G]], %[[T]]
func.func private @lstm(%r: index, %o: index, %g: index, %t: index, %n: index,
    %h: tensor<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %x: tensor<5x?x4xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %m: tensor<5x?xi1> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}) -> (tensor<?x4xf32> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  %f, %u:3 = nn.scan carry(%h) sequences(%x) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %e = nn.unary exp %b : tensor<?x4xf32>
    %s = nn.binary add %e, %a : tensor<?x4xf32>
    %y = nn.unary tanh %s : tensor<?x4xf32>
    nn.yield carry(%y) outputs(%e, %a, %y) : tensor<?x4xf32> outputs tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>)
  %d = nn.scan carry(%h) sequences(%u#0, %u#1, %u#2) mask(%m) reverse {
  ^bb0(%a: tensor<?x4xf32>, %e: tensor<?x4xf32>, %p: tensor<?x4xf32>, %y: tensor<?x4xf32>):
    %one = nn.constant dense<1.0> : tensor<f32>
    %k = nn.binary mul %a, %y : tensor<?x4xf32>
    %l = nn.binary sub %k, %e : tensor<?x4xf32>
    %q = nn.binary add %l, %p : tensor<?x4xf32>
    nn.yield carry(%q) : tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> tensor<?x4xf32>
  return %d : tensor<?x4xf32>
}

// -----

// Not where the masks differ, where a row reads others, where somebody else reads the output, and not what a product or a carried value is.
// CHECK-LABEL: @stays
// CHECK: %{{.*}}, %[[O:.*]]:4 = nn.scan
// CHECK: nn.scan carry(%arg5) sequences(%[[O]]#0, %[[O]]#1) reverse
// CHECK: nn.scan carry(%arg5) sequences(%[[O]]#0, %[[O]]#2) mask(%arg7) reverse
// CHECK: nn.reduce sum
// CHECK: nn.scan carry(%arg5) sequences(%[[O]]#0, %[[O]]#3, %[[O]]#3) mask(%arg7) reverse
func.func private @stays(%r: index, %o: index, %g: index, %t: index, %n: index,
    %h: tensor<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %x: tensor<5x?x4xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %m: tensor<5x?xi1> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}) -> (tensor<?x4xf32> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  %f, %u:4 = nn.scan carry(%h) sequences(%x) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %e = nn.unary exp %b : tensor<?x4xf32>
    %y = nn.unary tanh %e : tensor<?x4xf32>
    %z = nn.unary sqrt %e : tensor<?x4xf32>
    %v = nn.unary log %e : tensor<?x4xf32>
    nn.yield carry(%y) outputs(%e, %y, %z, %v) : tensor<?x4xf32> outputs tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>)
  %d = nn.scan carry(%h) sequences(%u#0, %u#1) reverse {
  ^bb0(%a: tensor<?x4xf32>, %e: tensor<?x4xf32>, %y: tensor<?x4xf32>):
    %k = nn.binary mul %e, %y : tensor<?x4xf32>
    nn.yield carry(%k) : tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>) -> tensor<?x4xf32>
  %d1 = nn.scan carry(%h) sequences(%u#0, %u#2) mask(%m) reverse {
  ^bb0(%a: tensor<?x4xf32>, %e: tensor<?x4xf32>, %y: tensor<?x4xf32>):
    %s = nn.reduce sum %y dims = [0] : tensor<?x4xf32> -> tensor<4xf32>
    %sb = nn.broadcast %s dims = [1] like %e : tensor<4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %k = nn.binary mul %e, %sb : tensor<?x4xf32>
    nn.yield carry(%k) : tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> tensor<?x4xf32>
  %d2 = nn.scan carry(%h) sequences(%u#0, %u#3, %u#3) mask(%m) reverse {
  ^bb0(%a: tensor<?x4xf32>, %e: tensor<?x4xf32>, %y: tensor<?x4xf32>, %z: tensor<?x4xf32>):
    %k = nn.binary mul %e, %y : tensor<?x4xf32>
    %l = nn.binary mul %k, %z : tensor<?x4xf32>
    nn.yield carry(%l) : tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> tensor<?x4xf32>
  %s1 = nn.binary add %d, %d1 : tensor<?x4xf32>
  %s2 = nn.binary add %s1, %d2 : tensor<?x4xf32>
  return %s2 : tensor<?x4xf32>
}

// -----

// A dropout's mask is drawn again, and its output made again for the gradient of the weights, since the product before lives on.
// CHECK-LABEL: @dropout
// CHECK: %[[P:.*]] = nn.dot %arg5, %arg6
// CHECK: nn.random uniform {{.*}} stream = 7
// CHECK: %[[M:.*]] = nn.compare ge
// CHECK: %[[D:.*]] = nn.select %[[M]], %[[P]], %{{.*}} : tensor
// CHECK: %[[Q:.*]] = nn.dot %[[D]], %arg6
// CHECK: %[[G:.*]] = nn.dot %[[Q]], %arg6
// CHECK: %[[A:.*]] = nn.select %[[M]], %[[P]], %{{.*}} {belfry.again}
// CHECK: nn.dot %[[A]], %[[G]] contract = [0] * [0]
// CHECK: nn.random uniform {{.*}} stream = 7 {{.*}}belfry.again
// CHECK: %[[N:.*]] = nn.compare ge {{.*}} {belfry.again}
// CHECK: nn.select %[[N]], %[[G]]

// The loops of the second draw are loops of their own.
// LOOPS-LABEL: @dropout
// LOOPS: belfry.independent
// LOOPS: linalg.matmul
// LOOPS: belfry.independent
// LOOPS-NOT: belfry.independent
func.func private @dropout(%r: index, %o: index, %g: index, %t: index, %n: index,
    %x: tensor<?x8xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %w: tensor<8x8xf32> {belfry.buffer = 1 : i64},
    %seed: tensor<2xi32> {belfry.buffer = 2 : i64}, %step: tensor<i32> {belfry.buffer = 3 : i64})
    -> (tensor<8x8xf32> {belfry.buffer = 4 : i64}, tensor<?x8xf32> {belfry.buffer = 5 : i64}) attributes {belfry.function = "f"} {
  %p = nn.dot %x, %w contract = [1] * [0] : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %u = nn.random uniform seed %seed step %step stream = 7 like %p : tensor<?x8xf32> -> tensor<?x8xf32>
  %rate = nn.constant dense<0.25> : tensor<f32>
  %rb = nn.broadcast %rate dims = [] like %p : tensor<f32>, tensor<?x8xf32> -> tensor<?x8xf32>
  %mask = nn.compare ge %u, %rb : tensor<?x8xf32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %zb = nn.broadcast %zero dims = [] like %p : tensor<f32>, tensor<?x8xf32> -> tensor<?x8xf32>
  %d = nn.select %mask, %p, %zb : tensor<?x8xf32>
  %q = nn.dot %d, %w contract = [1] * [0] : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %gq = nn.dot %q, %w contract = [1] * [1] : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %dw = nn.dot %d, %gq contract = [0] * [0] : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<8x8xf32>
  %gd = nn.select %mask, %gq, %zb : tensor<?x8xf32>
  %gp = nn.binary mul %gd, %p : tensor<?x8xf32>
  return %dw, %gp : tensor<8x8xf32>, tensor<?x8xf32>
}
