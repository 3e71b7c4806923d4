// RUN: belfry-opt %s | FileCheck %s

// The examples of the descriptions of the core ops, verbatim. Every run of
// belfry-opt in this suite also checks that what is printed is read back.

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %v: tensor<?x4xf32>,
                       %a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: nn.constant dense<0.000000e+00> : tensor<4xf32>
  %z = nn.constant dense<0.0> : tensor<4xf32>
  // CHECK: nn.unary tanh %{{.*}} : tensor<?x4xf32>
  %t = nn.unary tanh %x : tensor<?x4xf32>
  // CHECK: nn.unary is_finite %{{.*}} : tensor<?x4xf32> -> tensor<?x4xi1>
  %f = nn.unary is_finite %x : tensor<?x4xf32> -> tensor<?x4xi1>
  // CHECK: nn.binary add %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %s = nn.binary add %x, %y : tensor<?x4xf32>
  // CHECK: nn.compare ne %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %m = nn.compare ne %x, %v : tensor<?x4xf32>
  // CHECK: nn.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4xf32>
  %c = nn.select %m, %a, %b : tensor<?x4xf32>
  // CHECK: nn.convert %{{.*}} : tensor<?x4xi1> -> tensor<?x4xf32>
  %d = nn.convert %m : tensor<?x4xi1> -> tensor<?x4xf32>
  return %c : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @shape
func.func @shape(%x: tensor<?x4xf32>, %x3: tensor<?x3xf32>, %x8: tensor<?x8xf32>, %s: tensor<f32>,
                 %q: tensor<?x5x4xf32>, %bias: tensor<4xf32>, %w: tensor<?x2xf32>) {
  // CHECK: nn.broadcast %{{.*}} dims = [1] like %{{.*}} : tensor<4xf32>, tensor<?x3xf32> -> tensor<?x4xf32>
  %b = nn.broadcast %bias dims = [1] like %x3 : tensor<4xf32>, tensor<?x3xf32> -> tensor<?x4xf32>
  // CHECK: nn.broadcast %{{.*}} dims = [] : tensor<f32> -> tensor<4xf32>
  %c = nn.broadcast %s dims = [] : tensor<f32> -> tensor<4xf32>
  // CHECK: nn.reduce sum %{{.*}} dims = [1] : tensor<?x4xf32> -> tensor<?xf32>
  %r = nn.reduce sum %x dims = [1] : tensor<?x4xf32> -> tensor<?xf32>
  // CHECK: nn.argmax %{{.*}} dim = 1 : tensor<?x4xf32> -> tensor<?xi32>
  %i = nn.argmax %x dim = 1 : tensor<?x4xf32> -> tensor<?xi32>
  // CHECK: nn.transpose %{{.*}} perm = [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
  %t = nn.transpose %x perm = [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
  // CHECK: nn.reshape %{{.*}} : tensor<?x5x4xf32> -> tensor<?x4xf32>
  %y = nn.reshape %q : tensor<?x5x4xf32> -> tensor<?x4xf32>
  // CHECK: nn.slice %{{.*}} start = [0, 2] limit = [-1, 6] stride = [1, 2] : tensor<?x8xf32> -> tensor<?x2xf32>
  %l = nn.slice %x8 start = [0, 2] limit = [-1, 6] stride = [1, 2] : tensor<?x8xf32> -> tensor<?x2xf32>
  // CHECK: nn.pad %{{.*}}, %{{.*}} low = [0, 1] high = [0, 2] interior = [0, 0] : tensor<?x4xf32> -> tensor<?x7xf32>
  %p = nn.pad %x, %s low = [0, 1] high = [0, 2] interior = [0, 0]
     : tensor<?x4xf32> -> tensor<?x7xf32>
  // CHECK: nn.reverse %{{.*}} dims = [1] : tensor<?x4xf32>
  %v = nn.reverse %x dims = [1] : tensor<?x4xf32>
  // CHECK: nn.concat %{{.*}}, %{{.*}} dim = 1 : tensor<?x4xf32>, tensor<?x2xf32> -> tensor<?x6xf32>
  %n = nn.concat %x, %w dim = 1 : tensor<?x4xf32>, tensor<?x2xf32> -> tensor<?x6xf32>
  return
}

// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<?x3xf32>, %k: tensor<3x4xf32>, %a: tensor<?x5x3xf32>, %b: tensor<?x3x4xf32>,
                  %h: tensor<?x3xbf16>, %l: tensor<3x4xbf16>) {
  // CHECK: nn.dot %{{.*}}, %{{.*}} contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  %y = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  // CHECK: nn.dot %{{.*}}, %{{.*}} batch = [0] * [0] contract = [2] * [1] : tensor<?x5x3xf32>, tensor<?x3x4xf32> -> tensor<?x5x4xf32>
  %z = nn.dot %a, %b batch = [0] * [0] contract = [2] * [1]
     : tensor<?x5x3xf32>, tensor<?x3x4xf32> -> tensor<?x5x4xf32>
  // CHECK: nn.dot %{{.*}}, %{{.*}} contract = [1] * [0] : tensor<?x3xbf16>, tensor<3x4xbf16> -> tensor<?x4xf32>
  %w = nn.dot %h, %l contract = [1] * [0] : tensor<?x3xbf16>, tensor<3x4xbf16> -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<?x8x8x1xf32>, %k: tensor<3x3x1x16xf32>, %dy: tensor<?x8x8x16xf32>) {
  // CHECK: nn.conv2d %{{.*}}, %{{.*}} strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] : tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x16xf32>
  %y = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x16xf32>
  // CHECK: nn.conv2d_input_grad %{{.*}}, %{{.*}} strides = [1, 1]
  %dx = nn.conv2d_input_grad %dy, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
      : tensor<?x8x8x16xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x1xf32>
  // CHECK: nn.conv2d_kernel_grad %{{.*}}, %{{.*}} strides = [1, 1]
  %dk = nn.conv2d_kernel_grad %x, %dy strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
      : tensor<?x8x8x1xf32>, tensor<?x8x8x16xf32> -> tensor<3x3x1x16xf32>
  return
}

// CHECK-LABEL: func.func @index
func.func @index(%table: tensor<1000x16xf32>, %ids: tensor<?x5xi32>, %init: tensor<1000x16xf32>,
                 %u: tensor<?x5x16xf32>, %x: tensor<?x4xf32>, %seed: tensor<2xi32>, %step: tensor<i32>) {
  // CHECK: nn.gather %{{.*}}, %{{.*}} batch_dims = 0 : tensor<1000x16xf32>, tensor<?x5xi32> -> tensor<?x5x16xf32>
  %y = nn.gather %table, %ids batch_dims = 0 : tensor<1000x16xf32>, tensor<?x5xi32> -> tensor<?x5x16xf32>
  // CHECK: nn.scatter_add %{{.*}}, %{{.*}}, %{{.*}} batch_dims = 0 : tensor<1000x16xf32>, tensor<?x5xi32>, tensor<?x5x16xf32>
  %t = nn.scatter_add %init, %ids, %u batch_dims = 0
     : tensor<1000x16xf32>, tensor<?x5xi32>, tensor<?x5x16xf32>
  // CHECK: nn.iota dim = 1 like %{{.*}} : tensor<?x4xf32> -> tensor<?x4xi32>
  %i = nn.iota dim = 1 like %x : tensor<?x4xf32> -> tensor<?x4xi32>
  // CHECK: nn.dim_size %{{.*}} dim = 0 : tensor<?x4xf32>
  %n = nn.dim_size %x dim = 0 : tensor<?x4xf32>
  // CHECK: nn.random uniform seed %{{.*}} step %{{.*}} row_offset %{{.*}} stream = 6 like %{{.*}} : tensor<?x4xf32> -> tensor<?x4xf32>
  %o = nn.random uniform seed %seed step %step row_offset %n stream = 6 like %x : tensor<?x4xf32>
     -> tensor<?x4xf32>
  // CHECK: nn.random uniform seed %{{.*}} step %{{.*}} stream = 7 like %{{.*}} : tensor<?x4xf32> -> tensor<?x4xf32>
  %r = nn.random uniform seed %seed step %step stream = 7 like %x : tensor<?x4xf32>
     -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @scan
func.func @scan(%h0: tensor<?x4xf32>, %xs: tensor<5x?x4xf32>, %r: tensor<4x4xf32>, %m: tensor<5x?xi1>) {
  // CHECK: nn.scan carry(%{{.*}}) sequences(%{{.*}}) closed(%{{.*}}) mask(%{{.*}}) {
  %h, %ys = nn.scan carry(%h0) sequences(%xs) closed(%r) mask(%m) {
  ^bb0(%h_in: tensor<?x4xf32>, %x: tensor<?x4xf32>, %w: tensor<4x4xf32>):
    %z = nn.dot %h_in, %w contract = [1] * [0] : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %s = nn.binary add %x, %z : tensor<?x4xf32>
    %y = nn.unary tanh %s : tensor<?x4xf32>
    // CHECK: nn.yield carry(%{{.*}}) outputs(%{{.*}}) : tensor<?x4xf32> outputs tensor<?x4xf32>
    nn.yield carry(%y) outputs(%y) : tensor<?x4xf32> outputs tensor<?x4xf32>
    // CHECK: } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<4x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<4x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  // CHECK: nn.scan carry(%{{.*}}) reverse length = 3 {
  %c = nn.scan carry(%h0) reverse length = 3 {
  ^bb0(%h_in: tensor<?x4xf32>):
    nn.yield carry(%h_in) : tensor<?x4xf32>
  } : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @steps
func.func @steps(%x: tensor<5x?x4xf32>, %m: tensor<5x?xi1>) -> tensor<5x?x4xf32> {
  // CHECK: nn.pack_steps %{{.*}} mask %{{.*}} : tensor<5x?x4xf32>, tensor<5x?xi1> -> tensor<?x4xf32>
  %p = nn.pack_steps %x mask %m : tensor<5x?x4xf32>, tensor<5x?xi1> -> tensor<?x4xf32>
  // CHECK: nn.unpack_steps %{{.*}} mask %{{.*}} : tensor<?x4xf32>, tensor<5x?xi1> -> tensor<5x?x4xf32>
  %u = nn.unpack_steps %p mask %m : tensor<?x4xf32>, tensor<5x?xi1> -> tensor<5x?x4xf32>
  return %u : tensor<5x?x4xf32>
}

// Every element type, in an op of each kind that takes it.
// CHECK-LABEL: func.func @types
func.func @types(%b: tensor<?x4xi1>, %i8: tensor<?x4xi8>, %i64: tensor<?x4xi64>, %f16: tensor<?x4xf16>, %bf16: tensor<?x4xbf16>, %i: tensor<?xi32>) {
  // CHECK: nn.constant dense<-7> : tensor<4x4xi8>
  %0 = nn.constant dense<-7> : tensor<4x4xi8>
  // CHECK: nn.constant dense<9223372036854775807> : tensor<i64>
  %1 = nn.constant dense<9223372036854775807> : tensor<i64>
  // CHECK: nn.constant dense<0x7C00> : tensor<f16>
  %2 = nn.constant dense<0x7C00> : tensor<f16>
  // CHECK: nn.constant dense<[1.000000e+00, 2.500000e+00]> : tensor<2xbf16>
  %3 = nn.constant dense<[1.0, 2.5]> : tensor<2xbf16>
  // CHECK: nn.unary abs %{{.*}} : tensor<?x4xi8>
  %4 = nn.unary abs %i8 : tensor<?x4xi8>
  // CHECK: nn.unary tanh %{{.*}} : tensor<?x4xbf16>
  %5 = nn.unary tanh %bf16 : tensor<?x4xbf16>
  // CHECK: nn.binary xor %{{.*}}, %{{.*}} : tensor<?x4xi64>
  %6 = nn.binary xor %i64, %i64 : tensor<?x4xi64>
  // CHECK: nn.binary pow %{{.*}}, %{{.*}} : tensor<?x4xf16>
  %7 = nn.binary pow %f16, %f16 : tensor<?x4xf16>
  // CHECK: nn.compare lt %{{.*}}, %{{.*}} : tensor<?x4xi64>
  %8 = nn.compare lt %i64, %i64 : tensor<?x4xi64>
  // CHECK: nn.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4xbf16>
  %9 = nn.select %b, %bf16, %5 : tensor<?x4xbf16>
  // CHECK: nn.convert %{{.*}} : tensor<?x4xf16> -> tensor<?x4xi8>
  %10 = nn.convert %f16 : tensor<?x4xf16> -> tensor<?x4xi8>
  // CHECK: nn.reduce max %{{.*}} dims = [0] : tensor<?x4xi64> -> tensor<4xi64>
  %11 = nn.reduce max %i64 dims = [0] : tensor<?x4xi64> -> tensor<4xi64>
  // CHECK: nn.argmax %{{.*}} dim = 1 : tensor<?x4xf16> -> tensor<?xi32>
  %12 = nn.argmax %f16 dim = 1 : tensor<?x4xf16> -> tensor<?xi32>
  // CHECK: nn.dot %{{.*}}, %{{.*}} contract = [1] * [0] : tensor<?x4xi8>, tensor<4x4xi8> -> tensor<?x4xi8>
  %13 = nn.dot %i8, %0 contract = [1] * [0] : tensor<?x4xi8>, tensor<4x4xi8> -> tensor<?x4xi8>
  // CHECK: nn.gather %{{.*}}, %{{.*}} batch_dims = 0 : tensor<4xi64>, tensor<?xi32> -> tensor<?xi64>
  %14 = nn.gather %11, %i batch_dims = 0 : tensor<4xi64>, tensor<?xi32> -> tensor<?xi64>
  // CHECK: nn.iota dim = 0 -> tensor<4xbf16>
  %15 = nn.iota dim = 0 -> tensor<4xbf16>
  return
}
