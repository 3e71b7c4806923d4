// RUN: sh -c '%raw-belfry-opt %s "--check-against-single=towers=1,2,3 batch=4,5" > %t.out 2> %t.err; test $? = 3'
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --input-file=%t.err --check-prefix=ERR

// A mean of means, a row that is counted twice: status 3, and the table says where.
// CHECK: means loss {{ *}}{{[0-9.e+-]+}} batch = 5 towers = {{[23]}} beyond the tolerance
// CHECK: twice output {{ *}}inf batch = {{[45]}} towers = {{[23]}} beyond the tolerance: {{[45]}}xf64 became {{.*}}xf64
// ERR: error: 2 of 2 results differ from the single-device program's by more than 1.0{{0*}}e-11
func.func @means(%x: tensor<?xf32>) -> (tensor<f32> {nn.role = #nn.role<loss>}) {
  %l = tower.replicate towers = 2 slicing = balanced -> tensor<f32> {
    %xi = tower.slice %x dim = 0 : tensor<?xf32>
    %s = nn.reduce sum %xi dims = [0] : tensor<?xf32> -> tensor<f32>
    %n = nn.dim_size %xi dim = 0 : tensor<?xf32>
    %nf = nn.convert %n : tensor<i32> -> tensor<f32>
    %m = nn.binary div %s, %nf : tensor<f32>
    %a = tower.all_reduce sum %m : tensor<f32>
    %one = nn.constant dense<1.0> : tensor<f32>
    %towers = tower.all_reduce sum %one : tensor<f32>
    %r = nn.binary div %a, %towers : tensor<f32>
    tower.yield %r concat = [-1] : tensor<f32>
  }
  return %l : tensor<f32>
}
func.func @twice(%x: tensor<?xf32>) -> (tensor<?xf32> {nn.role = #nn.role<output>}) {
  %y = tower.replicate towers = 2 slicing = balanced -> tensor<?xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?xf32>
    %g = tower.all_gather %xi dim = 0 : tensor<?xf32>
    tower.yield %g concat = [0] : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
