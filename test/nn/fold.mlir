// RUN: belfry-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x4xf32>, %[[M:.*]]: tensor<?x4xi1>)
func.func @elementwise(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %m: tensor<?x4xi1>)
    -> (tensor<?x4xf32>, tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %ones = nn.broadcast %one dims = [] like %x : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %true = nn.constant dense<true> : tensor<i1>
  %trues = nn.broadcast %true dims = [] like %x : tensor<i1>, tensor<?x4xf32> -> tensor<?x4xi1>
  // Double negation.
  %n = nn.unary neg %x : tensor<?x4xf32>
  %nn = nn.unary neg %n : tensor<?x4xf32>
  %o = nn.unary not %m : tensor<?x4xi1>
  %oo = nn.unary not %o : tensor<?x4xi1>
  // Times and by one, on whichever side.
  %p = nn.binary mul %ones, %x : tensor<?x4xf32>
  %q = nn.binary div %y, %ones : tensor<?x4xf32>
  // A choice that is none.
  %s = nn.select %m, %x, %x : tensor<?x4xf32>
  %t = nn.select %trues, %y, %x : tensor<?x4xf32>
  // CHECK-NEXT: return %[[X]], %[[M]], %[[X]], %[[Y]], %[[X]], %[[Y]]
  return %nn, %oo, %p, %q, %s, %t : tensor<?x4xf32>, tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// x + 0 is no x where x is −0; exp is the run time's; neither is folded.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  // CHECK: nn.binary add
  %a = nn.binary add %x, %zero : tensor<4xf32>
  // CHECK: nn.unary exp
  %e = nn.unary exp %zero : tensor<4xf32>
  return %a, %e : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<i32>) {
  %a = nn.constant dense<1.5> : tensor<f32>
  %b = nn.constant dense<0.5> : tensor<4xf32>
  %c = nn.broadcast %a dims = [] : tensor<f32> -> tensor<4xf32>
  // CHECK-DAG: nn.constant dense<2.000000e+00> : tensor<4xf32>
  %d = nn.binary add %c, %b : tensor<4xf32>
  %i = nn.constant dense<6> : tensor<4xi32>
  // CHECK-DAG: nn.constant dense<36> : tensor<4xi32>
  %j = nn.binary mul %i, %i : tensor<4xi32>
  %e = nn.constant dense<3.0> : tensor<2x2xf32>
  // CHECK-DAG: nn.constant dense<3.000000e+00> : tensor<4xf32>
  %r = nn.reshape %e : tensor<2x2xf32> -> tensor<4xf32>
  // CHECK-DAG: nn.constant dense<4> : tensor<i32>
  %n = nn.dim_size %r dim = 0 : tensor<4xf32>
  return %d, %j, %r, %n : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @same
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %{{.*}}: tensor<f32>)
func.func @same(%x: tensor<?x4xf32>, %v: tensor<f32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %b = nn.broadcast %x dims = [0, 1] : tensor<?x4xf32> -> tensor<?x4xf32>
  %c = nn.convert %x : tensor<?x4xf32> -> tensor<?x4xf32>
  %s = nn.slice %x start = [0, 0] limit = [-1, 4] stride = [1, 1] : tensor<?x4xf32> -> tensor<?x4xf32>
  %p = nn.pad %x, %v low = [0, 0] high = [0, 0] interior = [0, 0] : tensor<?x4xf32> -> tensor<?x4xf32>
  %n = nn.concat %x dim = 1 : tensor<?x4xf32> -> tensor<?x4xf32>
  %r = nn.reverse %x dims = [1] : tensor<?x4xf32>
  %rr = nn.reverse %r dims = [1] : tensor<?x4xf32>
  %z = nn.reduce sum %x dims = [] : tensor<?x4xf32> -> tensor<?x4xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  return %b, %c, %s, %p, %n, %rr, %z
    : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// Two in one.
// CHECK-LABEL: func.func @composed
// CHECK-SAME: (%[[S:.*]]: tensor<3xf32>, %[[X:.*]]: tensor<?x4xf32>, %[[Q:.*]]: tensor<2x3x4xf32>)
func.func @composed(%s: tensor<3xf32>, %x: tensor<?x4xf32>, %q: tensor<2x3x4xf32>)
    -> (tensor<5x?x3xf32>, tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<24xf32>) {
  // CHECK: nn.broadcast %[[S]] dims = [2] like %[[X]] : tensor<3xf32>, tensor<?x4xf32> -> tensor<5x?x3xf32>
  %a = nn.broadcast %s dims = [1] like %x : tensor<3xf32>, tensor<?x4xf32> -> tensor<?x3xf32>
  %b = nn.broadcast %a dims = [1, 2] : tensor<?x3xf32> -> tensor<5x?x3xf32>
  // CHECK: nn.reverse %[[Q]] dims = [0, 2]
  %c = nn.reverse %q dims = [0, 1] : tensor<2x3x4xf32>
  %d = nn.reverse %c dims = [1, 2] : tensor<2x3x4xf32>
  // CHECK: nn.transpose %[[Q]] perm = [2, 0, 1]
  %e = nn.transpose %q perm = [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
  %f = nn.transpose %e perm = [1, 0, 2] : tensor<2x4x3xf32> -> tensor<4x2x3xf32>
  // CHECK: nn.reshape %[[Q]] : tensor<2x3x4xf32> -> tensor<24xf32>
  %g = nn.reshape %q : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %h = nn.reshape %g : tensor<6x4xf32> -> tensor<24xf32>
  return %b, %d, %f, %h : tensor<5x?x3xf32>, tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<24xf32>
}

// Masks that hold everywhere stay so when they are joined, as Concatenate joins
// them, and are dropped by what reads them.
// CHECK-LABEL: func.func @joined_masks(
// CHECK-SAME: %[[X:.*]]: tensor<?x5xf32>, %[[Y:.*]]: tensor<?x5xf32>, %[[M:.*]]: tensor<?x5xi1>
// CHECK-NOT: nn.concat
// CHECK: %[[S:.*]] = nn.constant dense<true> : tensor<4x5xi1>
// CHECK-NOT: nn.concat
// CHECK: return %[[X]], %[[M]], %[[M]], %[[S]]
func.func @joined_masks(%x: tensor<?x5xf32>, %y: tensor<?x5xf32>, %m: tensor<?x5xi1>, %a: tensor<?x2xf32>, %b: tensor<?x3xf32>)
    -> (tensor<?x5xf32>, tensor<?x5xi1>, tensor<?x5xi1>, tensor<4x5xi1>) {
  %true = nn.constant dense<true> : tensor<i1>
  %ta = nn.broadcast %true dims = [] like %a : tensor<i1>, tensor<?x2xf32> -> tensor<?x2xi1>
  %tb = nn.broadcast %true dims = [] like %b : tensor<i1>, tensor<?x3xf32> -> tensor<?x3xi1>
  %t = nn.concat %ta, %tb dim = 1 : tensor<?x2xi1>, tensor<?x3xi1> -> tensor<?x5xi1>
  %s = nn.select %t, %x, %y : tensor<?x5xf32>
  %n = nn.binary and %t, %m : tensor<?x5xi1>
  %o = nn.binary or %m, %m : tensor<?x5xi1>
  %c2 = nn.constant dense<true> : tensor<4x2xi1>
  %c3 = nn.constant dense<true> : tensor<4x3xi1>
  %c = nn.concat %c2, %c3 dim = 1 : tensor<4x2xi1>, tensor<4x3xi1> -> tensor<4x5xi1>
  return %s, %n, %o, %c : tensor<?x5xf32>, tensor<?x5xi1>, tensor<?x5xi1>, tensor<4x5xi1>
}

// Constants of 16 bits are computed with in f32 and rounded; integers wrap at their own width.
// CHECK-LABEL: func.func @narrow
// CHECK-DAG: nn.constant dense<0x7C00> : tensor<2xf16>
// CHECK-DAG: nn.constant dense<1.000{{.*}}e+00> : tensor<2xf16>
// CHECK-DAG: nn.constant dense<-128> : tensor<2xi8>
// CHECK-DAG: nn.constant dense<-9223372036854775808> : tensor<2xi64>
func.func @narrow() -> (tensor<2xf16>, tensor<2xf16>, tensor<2xi8>, tensor<2xi64>) {
  %a = nn.constant dense<65504.0> : tensor<2xf16>
  %b = nn.constant dense<32.0> : tensor<2xf16>
  %0 = nn.binary add %a, %b : tensor<2xf16>
  %c = nn.constant dense<1.0> : tensor<2xf16>
  %d = nn.constant dense<0.0005> : tensor<2xf16>
  %1 = nn.binary add %c, %d : tensor<2xf16>
  %e = nn.constant dense<127> : tensor<2xi8>
  %f = nn.constant dense<1> : tensor<2xi8>
  %2 = nn.binary add %e, %f : tensor<2xi8>
  %g = nn.constant dense<9223372036854775807> : tensor<2xi64>
  %h = nn.constant dense<1> : tensor<2xi64>
  %3 = nn.binary add %g, %h : tensor<2xi64>
  return %0, %1, %2, %3 : tensor<2xf16>, tensor<2xf16>, tensor<2xi8>, tensor<2xi64>
}
