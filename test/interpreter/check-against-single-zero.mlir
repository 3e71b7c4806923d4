// The gradient of a bias in front of a softmax over the steps is zero but for rounding: it is held against the other gradients.
// RUN: belfry-opt %s --check-against-single='towers=2,3,4,8 batch=32' | FileCheck %s
// CHECK: towers against one
// CHECK: train gradient 'bias'
// CHECK-NOT: beyond

nn.parameter @kernel : tensor<2x3xf32> {path = "k", layer = "l", trainable = true, stream = 1 : i32, initializer = {name = "glorot_uniform"}}
nn.parameter @bias : tensor<3xf32> {path = "b", layer = "l", trainable = true, stream = 2 : i32, initializer = {name = "zeros"}}
nn.model @m(%x: tensor<?x4x2xf32> {nn.name = "x"}) -> (tensor<?x4x3xf32> {nn.name = "y"}) {
  %k = nn.get_parameter @kernel : tensor<2x3xf32>
  %b = nn.get_parameter @bias : tensor<3xf32>
  %h = nn.dense %x, %k bias %b : tensor<?x4x2xf32>, tensor<2x3xf32>, tensor<3xf32> -> tensor<?x4x3xf32>
  %m = nn.reduce max %h dims = [1] : tensor<?x4x3xf32> -> tensor<?x3xf32>
  %mb = nn.broadcast %m dims = [0, 2] : tensor<?x3xf32> -> tensor<?x4x3xf32>
  %d = nn.binary sub %h, %mb : tensor<?x4x3xf32>
  %e = nn.unary exp %d : tensor<?x4x3xf32>
  %s = nn.reduce sum %e dims = [1] : tensor<?x4x3xf32> -> tensor<?x3xf32>
  %sb = nn.broadcast %s dims = [0, 2] : tensor<?x3xf32> -> tensor<?x4x3xf32>
  %y = nn.binary div %e, %sb : tensor<?x4x3xf32>
  nn.return %y : tensor<?x4x3xf32>
}
nn.compile @m {
  nn.loss "mean_squared_error" of "y" target tensor<?x4x3xf32> {weight = 1.0}
  nn.optimizer "adam" {learning_rate = 0.01, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1.0e-7}
}
