// ELEM is replaced by each float type (dtypes.test).

func.func @convolutions(%x: tensor<?x7x8x3xELEM> {nn.role = #nn.role<input>, nn.name = "x"},
                        %k: tensor<3x2x3x5xELEM> {nn.role = #nn.role<parameter>, nn.name = "k"},
                        %g: tensor<?x4x8x5xELEM> {nn.role = #nn.role<input>, nn.name = "g"})
    -> (tensor<?x4x8x5xELEM> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<?x7x8x3xELEM> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<3x2x3x5xELEM> {nn.role = #nn.role<gradient>, nn.name = "k"}) {
  %a = nn.conv2d %x, %k strides = [2, 1] dilations = [1, 1] padding = [1, 1, 0, 1]
     : tensor<?x7x8x3xELEM>, tensor<3x2x3x5xELEM> -> tensor<?x4x8x5xELEM>
  %b = nn.conv2d_input_grad %g, %k strides = [2, 1] dilations = [1, 1] padding = [1, 1, 0, 1]
     : tensor<?x4x8x5xELEM>, tensor<3x2x3x5xELEM> -> tensor<?x7x8x3xELEM>
  %c = nn.conv2d_kernel_grad %x, %g strides = [2, 1] dilations = [1, 1] padding = [1, 1, 0, 1]
     : tensor<?x7x8x3xELEM>, tensor<?x4x8x5xELEM> -> tensor<3x2x3x5xELEM>
  return %a, %b, %c : tensor<?x4x8x5xELEM>, tensor<?x7x8x3xELEM>, tensor<3x2x3x5xELEM>
}
