// Products in every layout, batched ones, convolutions and their gradients.
// RUN: belfry-host-check %s --batch=0,1,5 --towers=1,2 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}

func.func @dots(%x: tensor<?x5x6xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                %y: tensor<?x6x5xf32> {nn.role = #nn.role<input>, nn.name = "y"},
                %k: tensor<6x7xf32> {nn.role = #nn.role<parameter>, nn.name = "k"},
                %n: tensor<?x4xi32> {nn.role = #nn.role<input>, nn.name = "n"})
    -> (tensor<?x5x7xf32> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<?x5x5xf32> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<?x5x5xf32> {nn.role = #nn.role<output>, nn.name = "c"},
        tensor<?x7x5xf32> {nn.role = #nn.role<output>, nn.name = "d"},
        tensor<6x7xf32> {nn.role = #nn.role<gradient>, nn.name = "e"},
        tensor<4x4xi32> {nn.role = #nn.role<gradient>, nn.name = "f"},
        tensor<?xf32> {nn.role = #nn.role<output>, nn.name = "g"},
        tensor<?x5xf32> {nn.role = #nn.role<output>, nn.name = "h"}) {
  %a = nn.dot %x, %k contract = [2] * [0] : tensor<?x5x6xf32>, tensor<6x7xf32> -> tensor<?x5x7xf32>
  %b = nn.dot %x, %y batch = [0] * [0] contract = [2] * [1] : tensor<?x5x6xf32>, tensor<?x6x5xf32> -> tensor<?x5x5xf32>
  %c = nn.dot %x, %x batch = [0] * [0] contract = [2] * [2] : tensor<?x5x6xf32>, tensor<?x5x6xf32> -> tensor<?x5x5xf32>
  %t = nn.transpose %a perm = [0, 2, 1] : tensor<?x5x7xf32> -> tensor<?x7x5xf32>
  %e = nn.dot %x, %a contract = [0, 1] * [0, 1] : tensor<?x5x6xf32>, tensor<?x5x7xf32> -> tensor<6x7xf32>
  %f = nn.dot %n, %n contract = [0] * [0] : tensor<?x4xi32>, tensor<?x4xi32> -> tensor<4x4xi32>
  %g = nn.dot %x, %x batch = [0] * [0] contract = [1, 2] * [1, 2] : tensor<?x5x6xf32>, tensor<?x5x6xf32> -> tensor<?xf32>
  %v = nn.slice %k start = [0, 3] limit = [6, 4] stride = [1, 1] : tensor<6x7xf32> -> tensor<6x1xf32>
  %w = nn.reshape %v : tensor<6x1xf32> -> tensor<6xf32>
  %h = nn.dot %x, %w contract = [2] * [0] : tensor<?x5x6xf32>, tensor<6xf32> -> tensor<?x5xf32>
  return %a, %b, %c, %t, %e, %f, %g, %h : tensor<?x5x7xf32>, tensor<?x5x5xf32>, tensor<?x5x5xf32>, tensor<?x7x5xf32>,
    tensor<6x7xf32>, tensor<4x4xi32>, tensor<?xf32>, tensor<?x5xf32>
}

func.func @convolutions(%x: tensor<?x7x8x3xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                        %k: tensor<3x2x3x5xf32> {nn.role = #nn.role<parameter>, nn.name = "k"},
                        %g: tensor<?x4x8x5xf32> {nn.role = #nn.role<input>, nn.name = "g"},
                        %q: tensor<?x5x6x5xf32> {nn.role = #nn.role<input>, nn.name = "q"})
    -> (tensor<?x4x8x5xf32> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<?x7x8x3xf32> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<3x2x3x5xf32> {nn.role = #nn.role<gradient>, nn.name = "c"},
        tensor<?x5x6x5xf32> {nn.role = #nn.role<output>, nn.name = "d"},
        tensor<?x7x8x3xf32> {nn.role = #nn.role<output>, nn.name = "e"},
        tensor<3x2x3x5xf32> {nn.role = #nn.role<gradient>, nn.name = "f"}) {
  %a = nn.conv2d %x, %k strides = [2, 1] dilations = [1, 1] padding = [1, 1, 0, 1]
     : tensor<?x7x8x3xf32>, tensor<3x2x3x5xf32> -> tensor<?x4x8x5xf32>
  %b = nn.conv2d_input_grad %g, %k strides = [2, 1] dilations = [1, 1] padding = [1, 1, 0, 1]
     : tensor<?x4x8x5xf32>, tensor<3x2x3x5xf32> -> tensor<?x7x8x3xf32>
  %c = nn.conv2d_kernel_grad %x, %g strides = [2, 1] dilations = [1, 1] padding = [1, 1, 0, 1]
     : tensor<?x7x8x3xf32>, tensor<?x4x8x5xf32> -> tensor<3x2x3x5xf32>
  %d = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 2] padding = [0, 0, 0, 0]
     : tensor<?x7x8x3xf32>, tensor<3x2x3x5xf32> -> tensor<?x5x6x5xf32>
  %e = nn.conv2d_input_grad %q, %k strides = [1, 1] dilations = [1, 2] padding = [0, 0, 0, 0]
     : tensor<?x5x6x5xf32>, tensor<3x2x3x5xf32> -> tensor<?x7x8x3xf32>
  %f = nn.conv2d_kernel_grad %x, %q strides = [1, 1] dilations = [1, 2] padding = [0, 0, 0, 0]
     : tensor<?x7x8x3xf32>, tensor<?x5x6x5xf32> -> tensor<3x2x3x5xf32>
  return %a, %b, %c, %d, %e, %f : tensor<?x4x8x5xf32>, tensor<?x7x8x3xf32>, tensor<3x2x3x5xf32>,
    tensor<?x5x6x5xf32>, tensor<?x7x8x3xf32>, tensor<3x2x3x5xf32>
}
