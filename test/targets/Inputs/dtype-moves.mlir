// ELEM is replaced by each type (dtypes.test), ZERO by its zero.

func.func @moves(%x: tensor<?x3x4xELEM> {nn.role = #nn.role<input>, nn.name = "x"},
                 %table: tensor<7x2xELEM> {nn.role = #nn.role<parameter>, nn.name = "table"},
                 %ids: tensor<?x5xi32> {nn.role = #nn.role<input>, nn.name = "ids"},
                 %mask: tensor<?x3x4xi1> {nn.role = #nn.role<input>, nn.name = "mask"})
    -> (tensor<?x4x3xELEM> {nn.role = #nn.role<output>, nn.name = "transposed"},
        tensor<?x12xELEM> {nn.role = #nn.role<output>, nn.name = "reshaped"},
        tensor<?x2x2xELEM> {nn.role = #nn.role<output>, nn.name = "sliced"},
        tensor<?x6x4xELEM> {nn.role = #nn.role<output>, nn.name = "padded"},
        tensor<?x3x4xELEM> {nn.role = #nn.role<output>, nn.name = "reversed"},
        tensor<?x6x4xELEM> {nn.role = #nn.role<output>, nn.name = "joined"},
        tensor<?x5x2xELEM> {nn.role = #nn.role<output>, nn.name = "gathered"},
        tensor<?x3x4xELEM> {nn.role = #nn.role<output>, nn.name = "chosen"},
        tensor<?x2xELEM> {nn.role = #nn.role<output>, nn.name = "repeated"}) {
  %transposed = nn.transpose %x perm = [0, 2, 1] : tensor<?x3x4xELEM> -> tensor<?x4x3xELEM>
  %reshaped = nn.reshape %x : tensor<?x3x4xELEM> -> tensor<?x12xELEM>
  %sliced = nn.slice %x start = [0, 0, 1] limit = [-1, 3, 3] stride = [1, 2, 1] : tensor<?x3x4xELEM> -> tensor<?x2x2xELEM>
  %zero = nn.constant dense<ZERO> : tensor<ELEM>
  %padded = nn.pad %x, %zero low = [0, 1, 0] high = [0, 2, 0] interior = [0, 0, 0] : tensor<?x3x4xELEM> -> tensor<?x6x4xELEM>
  %reversed = nn.reverse %x dims = [1] : tensor<?x3x4xELEM>
  %joined = nn.concat %reversed, %x dim = 1 : tensor<?x3x4xELEM>, tensor<?x3x4xELEM> -> tensor<?x6x4xELEM>
  %gathered = nn.gather %table, %ids batch_dims = 0 : tensor<7x2xELEM>, tensor<?x5xi32> -> tensor<?x5x2xELEM>
  %chosen = nn.select %mask, %x, %reversed : tensor<?x3x4xELEM>
  %row = nn.slice %table start = [2, 0] limit = [3, 2] stride = [1, 1] : tensor<7x2xELEM> -> tensor<1x2xELEM>
  %flat = nn.reshape %row : tensor<1x2xELEM> -> tensor<2xELEM>
  %repeated = nn.broadcast %flat dims = [1] like %x : tensor<2xELEM>, tensor<?x3x4xELEM> -> tensor<?x2xELEM>
  return %transposed, %reshaped, %sliced, %padded, %reversed, %joined, %gathered, %chosen, %repeated
    : tensor<?x4x3xELEM>, tensor<?x12xELEM>, tensor<?x2x2xELEM>, tensor<?x6x4xELEM>, tensor<?x3x4xELEM>, tensor<?x6x4xELEM>,
      tensor<?x5x2xELEM>, tensor<?x3x4xELEM>, tensor<?x2xELEM>
}
