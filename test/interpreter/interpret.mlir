// RUN: belfry-opt %s --interpret=function=elementwise | FileCheck %s --check-prefix=ELEM
// RUN: belfry-opt %s --interpret=function=special | FileCheck %s --check-prefix=SPECIAL
// RUN: belfry-opt %s --interpret=function=integers | FileCheck %s --check-prefix=INT
// RUN: belfry-opt %s --interpret=function=empty | FileCheck %s --check-prefix=EMPTY
// RUN: belfry-opt %s --interpret=function=movement | FileCheck %s --check-prefix=MOVE
// RUN: belfry-opt %s --interpret=function=products | FileCheck %s --check-prefix=PROD
// RUN: belfry-opt %s --interpret=function=narrow | FileCheck %s --check-prefix=NARROW
// RUN: belfry-opt %s --widen-narrow-floats --interpret=function=narrow | FileCheck %s --check-prefix=NARROW
// RUN: belfry-opt %s --interpret='function=third precision=f32' | FileCheck %s --check-prefix=F32
// RUN: belfry-opt %s --interpret='function=third precision=f64' | FileCheck %s --check-prefix=F64
// RUN: belfry-opt %s --interpret='function=generated batch=5 seed=1' | FileCheck %s --check-prefix=GEN
// RUN: belfry-opt %s --interpret=function=third -o - | FileCheck %s --check-prefix=MODULE

// ELEM-LABEL: func @elementwise precision = f32
// ELEM-NEXT: result 0: 3xf32 values = [-1, 0.5, 2]
// ELEM-NEXT: result 1: 3xf32 values = [1, 0.5, 0]
// ELEM-NEXT: result 2: 3xi1 values = [1, 0, 0]
func.func @elementwise() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xi1>) {
  %x = nn.constant dense<[1.0, -0.5, -2.0]> : tensor<3xf32>
  %zero = nn.constant dense<0.0> : tensor<3xf32>
  %n = nn.unary neg %x : tensor<3xf32>
  %p = nn.compare gt %x, %zero : tensor<3xf32>
  %h = nn.constant dense<[9.0, 0.5, 0.0]> : tensor<3xf32>
  %s = nn.select %p, %x, %h : tensor<3xf32>
  return %n, %s, %p : tensor<3xf32>, tensor<3xf32>, tensor<3xi1>
}

// NaN, infinities, conversions at the limits: max, min, sign, is_finite, ne, eq, to i32, to i1.
// SPECIAL: result 0: 4xf32 values = [nan, inf, 0, 1]
// SPECIAL-NEXT: result 1: 4xf32 values = [nan, 0, -inf, 0]
// SPECIAL-NEXT: result 2: 4xf32 values = [nan, 1, -1, 1]
// SPECIAL-NEXT: result 3: 4xi1 values = [0, 0, 0, 1]
// SPECIAL-NEXT: result 4: 4xi1 values = [1, 0, 0, 0]
// SPECIAL-NEXT: result 5: 4xi32 values = [0, 2147483647, -2147483648, 1]
// SPECIAL-NEXT: result 6: 4xi1 values = [1, 1, 1, 1]
// SPECIAL-NEXT: result 7: f32 values = [nan]
func.func @special() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>,
                         tensor<4xi32>, tensor<4xi1>, tensor<f32>) {
  %x = nn.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 1.75]> : tensor<4xf32>
  %one = nn.constant dense<[0.0, 0.0, 0.0, 1.0]> : tensor<4xf32>
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %y = nn.binary min %x, %x : tensor<4xf32>
  %max0 = nn.binary max %zero, %y : tensor<4xf32>
  %cap = nn.constant dense<[0x7F800000, 0x7F800000, 1.0, 1.0]> : tensor<4xf32>
  %max = nn.binary min %max0, %cap : tensor<4xf32>
  %min = nn.binary min %zero, %x : tensor<4xf32>
  %sign = nn.unary sign %x : tensor<4xf32>
  %finite = nn.unary is_finite %x : tensor<4xf32> -> tensor<4xi1>
  %ne = nn.compare ne %x, %x : tensor<4xf32>
  %i = nn.convert %x : tensor<4xf32> -> tensor<4xi32>
  %b = nn.convert %x : tensor<4xf32> -> tensor<4xi1>
  %m = nn.reduce max %x dims = [0] : tensor<4xf32> -> tensor<f32>
  return %max, %min, %sign, %finite, %ne, %i, %b, %m : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi1>, tensor<f32>
}

// Division truncates and gives 0 for a divisor of 0; the remainder has the sign of the dividend; sums wrap.
// INT: result 0: 4xi32 values = [-3, 3, 0, -2147483648]
// INT-NEXT: result 1: 4xi32 values = [-1, 1, 7, 0]
// INT-NEXT: result 2: 4xi32 values = [-5, 5, 7, 2147483647]
// INT-NEXT: result 3: 2xi32 values = [1, 0]
func.func @integers() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi32>) {
  %x = nn.constant dense<[-7, 7, 7, -2147483648]> : tensor<4xi32>
  %y = nn.constant dense<[2, 2, 0, -1]> : tensor<4xi32>
  %d = nn.binary div %x, %y : tensor<4xi32>
  %r = nn.binary rem %x, %y : tensor<4xi32>
  %z = nn.constant dense<[2, -2, 0, -1]> : tensor<4xi32>
  %a = nn.binary add %x, %z : tensor<4xi32>
  %m = nn.constant dense<[[1, 5, 5], [3, 2, 1]]> : tensor<2x3xi32>
  %i = nn.argmax %m dim = 1 : tensor<2x3xi32> -> tensor<2xi32>
  return %d, %r, %a, %i : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi32>
}

// EMPTY: result 0: 2xf32 values = [0, 0]
// EMPTY-NEXT: result 1: 2xf32 values = [-inf, -inf]
// EMPTY-NEXT: result 2: 2xf32 values = [inf, inf]
// EMPTY-NEXT: result 3: 2xi32 values = [-2147483648, -2147483648]
// EMPTY-NEXT: result 4: i1 values = [1]
// EMPTY-NEXT: result 5: i1 values = [0]
func.func @empty() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<i1>, tensor<i1>) {
  %x = nn.constant dense<> : tensor<2x0xf32>
  %i = nn.constant dense<> : tensor<2x0xi32>
  %b = nn.constant dense<> : tensor<0xi1>
  %s = nn.reduce sum %x dims = [1] : tensor<2x0xf32> -> tensor<2xf32>
  %u = nn.reduce max %x dims = [1] : tensor<2x0xf32> -> tensor<2xf32>
  %l = nn.reduce min %x dims = [1] : tensor<2x0xf32> -> tensor<2xf32>
  %ui = nn.reduce max %i dims = [1] : tensor<2x0xi32> -> tensor<2xi32>
  %a = nn.reduce and %b dims = [0] : tensor<0xi1> -> tensor<i1>
  %o = nn.reduce or %b dims = [0] : tensor<0xi1> -> tensor<i1>
  return %s, %u, %l, %ui, %a, %o
    : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<i1>, tensor<i1>
}

// MOVE: result 0: 3x2xi32 values = [0, 3, 1, 4, 2, 5]
// MOVE-NEXT: result 1: 2x2xi32 values = [0, 2, 3, 5]
// MOVE-NEXT: result 2: 2x6xi32 values = [9, 0, 9, 1, 9, 2, 9, 3, 9, 4, 9, 5]
// MOVE-NEXT: result 3: 2x3xi32 values = [5, 4, 3, 2, 1, 0]
// MOVE-NEXT: result 4: 2x4xi32 values = [0, 1, 2, 7, 3, 4, 5, 7]
// MOVE-NEXT: result 5: 2x3x1xi32 values = [7, 7, 7, 8, 8, 8]
// MOVE-NEXT: result 6: 2x2xi32 values = [2, 2, 5, 3]
// MOVE-NEXT: result 7: 3xi32 values = [5, 0, 3]
func.func @movement() -> (tensor<3x2xi32>, tensor<2x2xi32>, tensor<2x6xi32>, tensor<2x3xi32>,
                          tensor<2x4xi32>, tensor<2x3x1xi32>, tensor<2x2xi32>, tensor<3xi32>) {
  %x = nn.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %t = nn.transpose %x perm = [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %s = nn.slice %x start = [0, 0] limit = [2, 3] stride = [1, 2] : tensor<2x3xi32> -> tensor<2x2xi32>
  %nine = nn.constant dense<9> : tensor<i32>
  %p = nn.pad %x, %nine low = [0, 1] high = [0, 0] interior = [0, 1] : tensor<2x3xi32> -> tensor<2x6xi32>
  %r = nn.reverse %x dims = [0, 1] : tensor<2x3xi32>
  %seven = nn.constant dense<7> : tensor<2x1xi32>
  %c = nn.concat %x, %seven dim = 1 : tensor<2x3xi32>, tensor<2x1xi32> -> tensor<2x4xi32>
  %v = nn.constant dense<[7, 8]> : tensor<2xi32>
  %b = nn.broadcast %v dims = [0] : tensor<2xi32> -> tensor<2x3x1xi32>
  // An id beyond the table takes its last entry, one below 0 the first.
  %ids = nn.constant dense<[[2, 4], [2, -1]]> : tensor<2x2xi32>
  %g = nn.gather %x, %ids batch_dims = 1 : tensor<2x3xi32>, tensor<2x2xi32> -> tensor<2x2xi32>
  %zero = nn.constant dense<0> : tensor<3xi32>
  %where = nn.constant dense<[0, 2, 0]> : tensor<3xi32>
  %what = nn.constant dense<[2, 3, 3]> : tensor<3xi32>
  %a = nn.scatter_add %zero, %where, %what batch_dims = 0 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
  return %t, %s, %p, %r, %c, %b, %g, %a : tensor<3x2xi32>, tensor<2x2xi32>, tensor<2x6xi32>,
    tensor<2x3xi32>, tensor<2x4xi32>, tensor<2x3x1xi32>, tensor<2x2xi32>, tensor<3xi32>
}

// PROD: result 0: 2x2xf32 values = [5, 14, 14, 50]
// PROD-NEXT: result 1: 2x3xf32 values = [0, -4, -8, 3, 8, 15]
// PROD-NEXT: result 2: 1x2x2x1xf32 values = [8, 12, 20, 24]
// PROD-NEXT: result 3: 1x2x3x1xf32 values = [1, 1, 0, 1, 1, 0]
// PROD-NEXT: result 4: 2x1x1x1xf32 values = [2, 8]
func.func @products() -> (tensor<2x2xf32>, tensor<2x3xf32>, tensor<1x2x2x1xf32>, tensor<1x2x3x1xf32>,
                          tensor<2x1x1x1xf32>) {
  %x = nn.constant dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>
  %g = nn.dot %x, %x contract = [1] * [1] : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x2xf32>
  %w = nn.constant dense<[[[1.0, 3.0, 5.0], [1.0, 2.0, 3.0]], [[-3.0, 0.0, 3.0], [3.0, 4.0, 6.0]]]> : tensor<2x2x3xf32>
  %two = nn.constant dense<[[-4.0, 4.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %b = nn.dot %two, %w batch = [0] * [0] contract = [1] * [1] : tensor<2x2xf32>, tensor<2x2x3xf32> -> tensor<2x3xf32>
  %image = nn.constant dense<[[[[0.0], [1.0], [2.0]], [[3.0], [4.0], [5.0]], [[6.0], [7.0], [8.0]]]]> : tensor<1x3x3x1xf32>
  %ones = nn.constant dense<1.0> : tensor<2x2x1x1xf32>
  %c = nn.conv2d %image, %ones strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0]
     : tensor<1x3x3x1xf32>, tensor<2x2x1x1xf32> -> tensor<1x2x2x1xf32>
  %dy = nn.constant dense<1.0> : tensor<1x1x1x1xf32>
  %dx = nn.conv2d_input_grad %dy, %ones strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0]
      : tensor<1x1x1x1xf32>, tensor<2x2x1x1xf32> -> tensor<1x2x3x1xf32>
  %dyw = nn.constant dense<1.0> : tensor<1x1x2x1xf32>
  %dk = nn.conv2d_kernel_grad %image, %dyw strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0]
      : tensor<1x3x3x1xf32>, tensor<1x1x2x1xf32> -> tensor<2x1x1x1xf32>
  return %g, %b, %c, %dx, %dk : tensor<2x2xf32>, tensor<2x3xf32>, tensor<1x2x2x1xf32>, tensor<1x2x3x1xf32>, tensor<2x1x1x1xf32>
}

// A product of 16 bits that is f32 is not rounded to 16.
// NARROW: result 0: 1xbf16 values = [1]
// NARROW-NEXT: result 1: 1xf32 values = [1.00195312]
func.func @narrow() -> (tensor<1xbf16>, tensor<1xf32>) {
  %x = nn.constant dense<[[1.0, 0.001953125]]> : tensor<1x2xbf16>
  %y = nn.constant dense<[1.0, 1.0]> : tensor<2xbf16>
  %0 = nn.dot %x, %y contract = [1] * [0] : tensor<1x2xbf16>, tensor<2xbf16> -> tensor<1xbf16>
  %1 = nn.dot %x, %y contract = [1] * [0] : tensor<1x2xbf16>, tensor<2xbf16> -> tensor<1xf32>
  return %0, %1 : tensor<1xbf16>, tensor<1xf32>
}

// F32: func @third precision = f32
// F32-NEXT: result 0: f32 values = [0.333333343]
// F64: func @third precision = f64
// F64-NEXT: result 0: f64 values = [0.333333333]
// MODULE: result 0: f32
// MODULE: func.func @third
func.func @third() -> tensor<f32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %three = nn.constant dense<3.0> : tensor<f32>
  %q = nn.binary div %one, %three : tensor<f32>
  return %q : tensor<f32>
}

// Masks of all patterns; ids below the limit; the masked value where the program compares with it.
// GEN: result 0: input 'm' 5x4xi1 values = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0]
// GEN-NEXT: result 1: 5xi1 values = [1, 1, 1, 1, 1]
// GEN-NEXT: result 2: 5x4xi1 values = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0]
func.func @generated(%m: tensor<?x4xi1> {nn.role = #nn.role<input>, nn.name = "m"},
                     %ids: tensor<?xi32> {nn.limit = 3 : i64},
                     %x: tensor<?x4x2xf32>)
    -> (tensor<?x4xi1> {nn.role = #nn.role<input>, nn.name = "m"}, tensor<?xi1>, tensor<?x4xi1>) {
  %three = nn.constant dense<3> : tensor<i32>
  %limit = nn.broadcast %three dims = [] like %ids : tensor<i32>, tensor<?xi32> -> tensor<?xi32>
  %below = nn.compare lt %ids, %limit : tensor<?xi32>
  %value = nn.constant dense<-5.0> : tensor<f32>
  %masked = nn.broadcast %value dims = [] like %x : tensor<f32>, tensor<?x4x2xf32> -> tensor<?x4x2xf32>
  %ne = nn.compare ne %x, %masked : tensor<?x4x2xf32>
  %live = nn.reduce or %ne dims = [2] : tensor<?x4x2xi1> -> tensor<?x4xi1>
  return %m, %below, %live : tensor<?x4xi1>, tensor<?xi1>, tensor<?x4xi1>
}
