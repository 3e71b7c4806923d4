// A training step with one exchange: parameters are updated in place.
// RUN: belfry-host-check %s --batch=0,1,5,20 --towers=1,2,3 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}
func.func @train(%x: tensor<?x3xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                 %y: tensor<?x4xf32> {nn.role = #nn.role<target>, nn.name = "y"},
                 %k: tensor<3x4xf32> {nn.role = #nn.role<parameter>, nn.name = "dense/kernel"},
                 %lr: tensor<f32> {nn.role = #nn.role<hyper>, nn.name = "learning_rate"})
   -> (tensor<?x4xf32> {nn.role = #nn.role<output>, nn.name = "dense"}, tensor<f32> {nn.role = #nn.role<loss>},
       tensor<3x4xf32> {nn.role = #nn.role<parameter>, nn.name = "dense/kernel"}) {
  %o, %l, %n = tower.replicate towers = 2 slicing = balanced -> tensor<?x4xf32>, tensor<f32>, tensor<3x4xf32> {
    %xs = tower.slice %x dim = 0 : tensor<?x3xf32>
    %ys = tower.slice %y dim = 0 : tensor<?x4xf32>
    %p = nn.dot %xs, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
    %d = nn.binary sub %p, %ys : tensor<?x4xf32>
    %q = nn.binary mul %d, %d : tensor<?x4xf32>
    %s = nn.reduce sum %q dims = [0, 1] : tensor<?x4xf32> -> tensor<f32>
    %c = nn.dim_size %xs dim = 0 : tensor<?x3xf32>
    %g = nn.dot %xs, %d contract = [0] * [0] : tensor<?x3xf32>, tensor<?x4xf32> -> tensor<3x4xf32>
    %sa = tower.all_reduce sum %s : tensor<f32>
    %ca = tower.all_reduce sum %c : tensor<i32>
    %ga = tower.all_reduce sum %g : tensor<3x4xf32>
    %cf = nn.convert %ca : tensor<i32> -> tensor<f32>
    %loss = nn.binary div %sa, %cf : tensor<f32>
    %lrb = nn.broadcast %lr dims = [] : tensor<f32> -> tensor<3x4xf32>
    %cb = nn.broadcast %cf dims = [] : tensor<f32> -> tensor<3x4xf32>
    %gs = nn.binary div %ga, %cb : tensor<3x4xf32>
    %u = nn.binary mul %gs, %lrb : tensor<3x4xf32>
    %new = nn.binary sub %k, %u : tensor<3x4xf32>
    tower.yield %p, %loss, %new concat = [0, -1, -1] : tensor<?x4xf32>, tensor<f32>, tensor<3x4xf32>
  }
  return %o, %l, %n : tensor<?x4xf32>, tensor<f32>, tensor<3x4xf32>
}
