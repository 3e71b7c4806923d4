// RUN: belfry-opt %s --split-input-file --check-against-single='towers=1,2,3,5,8 batch=1,5,7' | FileCheck %s
// RUN: belfry-opt %s --split-input-file --check-against-single='towers=3 batch=7 precision=f32' | FileCheck %s --check-prefix=F32

// The mean over the batch is the sum of sums over the sum of counts.
// CHECK: towers against one, precision = f64 tolerance = 1e-11
// CHECK-NEXT: mean output 'y' {{ *}}{{[0-9.e-]+}}
// CHECK-NEXT: mean loss {{ *}}{{[0-9.e-]+}}
// CHECK-NOT: beyond
// F32: precision = f32 tolerance = 0.0001
func.func @mean(%x: tensor<?x3xf32> {nn.role = #nn.role<input>, nn.name = "x"})
    -> (tensor<?x3xf32> {nn.role = #nn.role<output>, nn.name = "y"}, tensor<f32> {nn.role = #nn.role<loss>, nn.name = ""}) {
  %y, %l = tower.replicate towers = 2 slicing = balanced -> tensor<?x3xf32>, tensor<f32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    %t = nn.unary tanh %xi : tensor<?x3xf32>
    %s = nn.reduce sum %t dims = [0, 1] : tensor<?x3xf32> -> tensor<f32>
    %n = nn.dim_size %t dim = 0 : tensor<?x3xf32>
    %sa = tower.all_reduce sum %s : tensor<f32>
    %na = tower.all_reduce sum %n : tensor<i32>
    %nf = nn.convert %na : tensor<i32> -> tensor<f32>
    %m = nn.binary div %sa, %nf : tensor<f32>
    tower.yield %t, %m concat = [0, -1] : tensor<?x3xf32>, tensor<f32>
  }
  return %y, %l : tensor<?x3xf32>, tensor<f32>
}

// -----

// What drop_remainder drops is not held against it.
// CHECK: dropped result 0 0
func.func @dropped(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = tower.replicate towers = 2 slicing = drop_remainder -> tensor<?x3xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    tower.yield %xi concat = [0] : tensor<?x3xf32>
  }
  return %y : tensor<?x3xf32>
}
