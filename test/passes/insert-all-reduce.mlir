// RUN: belfry-opt %s --insert-all-reduce --split-input-file 2>/dev/null | FileCheck %s
// RUN: belfry-opt %s --insert-all-reduce --split-input-file --verify-diagnostics

// Reductions over the rows of the batch and contractions over them are partial.
// CHECK-LABEL: func.func @partial
// CHECK: %[[S:.*]] = nn.reduce sum %{{.*}} dims = [0]
// CHECK-NEXT: tower.all_reduce sum %[[S]] : tensor<3xf32>
// CHECK: %[[M:.*]] = nn.reduce max %{{.*}} dims = [0, 1]
// CHECK-NEXT: tower.all_reduce max %[[M]] : tensor<f32>
// CHECK: %[[A:.*]] = nn.reduce and
// CHECK-NEXT: tower.all_reduce min %[[A]] : tensor<i1>
// CHECK: %[[D:.*]] = nn.dot {{.*}} contract = [0] * [0]
// CHECK-NEXT: tower.all_reduce sum %[[D]] : tensor<3x3xf32>
// CHECK: %[[N:.*]] = nn.dim_size
// CHECK-NEXT: tower.all_reduce sum %[[N]] : tensor<i32>
// CHECK: %[[T:.*]] = nn.scatter_add
// CHECK-NEXT: tower.all_reduce sum %[[T]]
// Along other dimensions rows stay in their tower.
// CHECK: nn.reduce sum %{{.*}} dims = [1] : tensor<?x3xf32> -> tensor<?xf32>
// CHECK-NOT: tower.all_reduce
// CHECK: tower.yield
func.func @partial(%x: tensor<?x3xf32>, %ids: tensor<?xi32>) -> (tensor<3xf32>, tensor<f32>, tensor<i1>, tensor<3x3xf32>, tensor<i32>, tensor<7x3xf32>, tensor<?xf32>) {
  %r:7 = tower.replicate towers = 2 slicing = balanced -> tensor<3xf32>, tensor<f32>, tensor<i1>, tensor<3x3xf32>, tensor<i32>, tensor<7x3xf32>, tensor<?xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    %ii = tower.slice %ids dim = 0 : tensor<?xi32>
    %s = nn.reduce sum %xi dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
    %m = nn.reduce max %xi dims = [0, 1] : tensor<?x3xf32> -> tensor<f32>
    %f = nn.unary is_finite %xi : tensor<?x3xf32> -> tensor<?x3xi1>
    %a = nn.reduce and %f dims = [0, 1] : tensor<?x3xi1> -> tensor<i1>
    %d = nn.dot %xi, %xi contract = [0] * [0] : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<3x3xf32>
    %n = nn.dim_size %xi dim = 0 : tensor<?x3xf32>
    %z = nn.constant dense<0.0> : tensor<7x3xf32>
    %t = nn.scatter_add %z, %ii, %xi batch_dims = 0 : tensor<7x3xf32>, tensor<?xi32>, tensor<?x3xf32>
    %l = nn.reduce sum %xi dims = [1] : tensor<?x3xf32> -> tensor<?xf32>
    tower.yield %s, %m, %a, %d, %n, %t, %l concat = [-1, -1, -1, -1, -1, -1, 0] : tensor<3xf32>, tensor<f32>, tensor<i1>, tensor<3x3xf32>, tensor<i32>, tensor<7x3xf32>, tensor<?xf32>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<3xf32>, tensor<f32>, tensor<i1>, tensor<3x3xf32>, tensor<i32>, tensor<7x3xf32>, tensor<?xf32>
}

// -----

// A loop that adds up what towers have in parts is partial as a whole; one that
// carries rows stays in its tower.
// CHECK-LABEL: func.func @scan
// CHECK: %[[F:.*]]:2, %{{.*}} = nn.scan
// CHECK: }
// CHECK-NEXT: tower.all_reduce sum %[[F]]#1 : tensor<3xf32>
// CHECK-NOT: tower.all_
// CHECK: tower.yield
func.func @scan(%x: tensor<?x5x3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>) {
  %r:2 = tower.replicate towers = 2 slicing = balanced -> tensor<?x3xf32>, tensor<3xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x5x3xf32>
    %t = nn.transpose %xi perm = [1, 0, 2] : tensor<?x5x3xf32> -> tensor<5x?x3xf32>
    %zero = nn.constant dense<0.0> : tensor<f32>
    %h0 = nn.broadcast %zero dims = [] like %xi : tensor<f32>, tensor<?x5x3xf32> -> tensor<?x3xf32>
    %a0 = nn.constant dense<0.0> : tensor<3xf32>
    %f:2, %ys = nn.scan carry(%h0, %a0) sequences(%t) {
    ^bb0(%h: tensor<?x3xf32>, %a: tensor<3xf32>, %s: tensor<?x3xf32>):
      %h1 = nn.binary add %h, %s : tensor<?x3xf32>
      %p = nn.reduce sum %h1 dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
      %a1 = nn.binary add %a, %p : tensor<3xf32>
      nn.yield carry(%h1, %a1) outputs(%h1) : tensor<?x3xf32>, tensor<3xf32> outputs tensor<?x3xf32>
    } : (tensor<?x3xf32>, tensor<3xf32>, tensor<5x?x3xf32>) -> (tensor<?x3xf32>, tensor<3xf32>, tensor<5x?x3xf32>)
    tower.yield %f#0, %f#1 concat = [0, -1] : tensor<?x3xf32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<?x3xf32>, tensor<3xf32>
}

// -----

// What cannot be kept apart is gathered, and said: reversed rows are another
// tower's, and flattening time-major rows interleaves them.
// CHECK-LABEL: func.func @gather
// CHECK: %[[G:.*]] = tower.all_gather %{{.*}} dim = 0
// CHECK: %[[R:.*]] = nn.reverse %[[G]]
// CHECK: %[[H:.*]] = tower.all_gather %{{.*}} dim = 1
// CHECK: nn.reshape %[[H]]
// CHECK: tower.slice %[[R]] dim = 0
func.func @gather(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<f32>) {
  %r:2 = tower.replicate towers = 2 slicing = balanced -> tensor<?x3xf32>, tensor<f32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    // expected-remark@unknown {{'nn.reverse' of layer 'flip' needs all rows of operand 0, which is gathered from all towers}}
    %y = nn.reverse %xi dims = [0] : tensor<?x3xf32> loc("flip")
    %t = nn.transpose %xi perm = [1, 0] : tensor<?x3xf32> -> tensor<3x?xf32>
    // expected-remark@+1 {{'nn.reshape' needs all rows of operand 0, which is gathered from all towers}}
    %f = nn.reshape %t : tensor<3x?xf32> -> tensor<?xf32>
    %s = nn.reduce sum %f dims = [0] : tensor<?xf32> -> tensor<f32>
    tower.yield %y, %s concat = [0, -1] : tensor<?x3xf32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<?x3xf32>, tensor<f32>
}

// -----

// A number of 16 bits is made of the whole sum, rounded once: the all-reduce is
// one of f32, where --widen-narrow-floats has run, and stands before the
// conversion.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[PART:.*]] = nn.dot
// CHECK-NEXT: %[[SUM:.*]] = tower.all_reduce sum %[[PART]] : tensor<3x3xf32>
// CHECK-NEXT: nn.convert %[[SUM]] : tensor<3x3xf32> -> tensor<3x3xbf16>
func.func @narrow(%x: tensor<?x3xbf16>) -> tensor<3x3xbf16> {
  %r = tower.replicate towers = 2 slicing = balanced -> tensor<3x3xbf16> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xbf16>
    %w = nn.convert %xi : tensor<?x3xbf16> -> tensor<?x3xf32>
    %p = nn.dot %w, %w contract = [0] * [0] : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<3x3xf32>
    %g = nn.convert %p : tensor<3x3xf32> -> tensor<3x3xbf16>
    tower.yield %g concat = [-1] : tensor<3x3xbf16>
  }
  return %r : tensor<3x3xbf16>
}
