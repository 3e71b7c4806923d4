// ELEM is replaced by each type of numbers (dtypes.test), ZERO by its zero. Sums over rows are of towers' parts.

func.func @sums(%x: tensor<?x5x6xELEM> {nn.role = #nn.role<input>, nn.name = "x"},
                %k: tensor<6x7xELEM> {nn.role = #nn.role<parameter>, nn.name = "k"},
                %ids: tensor<?xi32> {nn.role = #nn.role<input>, nn.name = "ids"})
    -> (tensor<?x5xELEM> {nn.role = #nn.role<output>, nn.name = "sum"},
        tensor<?x6xELEM> {nn.role = #nn.role<output>, nn.name = "max"},
        tensor<?x6xELEM> {nn.role = #nn.role<output>, nn.name = "min"},
        tensor<?x5xi32> {nn.role = #nn.role<output>, nn.name = "best"},
        tensor<?x5x7xELEM> {nn.role = #nn.role<output>, nn.name = "product"},
        tensor<?x5x5xELEM> {nn.role = #nn.role<output>, nn.name = "batched"},
        tensor<6x7xELEM> {nn.role = #nn.role<gradient>, nn.name = "k"},
        tensor<5x6xELEM> {nn.role = #nn.role<output>, nn.name = "rows"},
        tensor<5x6xELEM> {nn.role = #nn.role<output>, nn.name = "largest"},
        tensor<4x5x6xELEM> {nn.role = #nn.role<output>, nn.name = "scattered"},
        tensor<?x5x6xELEM> {nn.role = #nn.role<output>, nn.name = "counted"},
        tensor<?x5x6xELEM> {nn.role = #nn.role<output>, nn.name = "last"}) {
  %sum, %max, %min, %best, %product, %batched, %gradient, %rows, %largest, %scattered, %counted, %last
      = tower.replicate towers = 2 slicing = balanced
      -> tensor<?x5xELEM>, tensor<?x6xELEM>, tensor<?x6xELEM>, tensor<?x5xi32>, tensor<?x5x7xELEM>, tensor<?x5x5xELEM>,
         tensor<6x7xELEM>, tensor<5x6xELEM>, tensor<5x6xELEM>, tensor<4x5x6xELEM>, tensor<?x5x6xELEM>, tensor<?x5x6xELEM> {
    %xs = tower.slice %x dim = 0 : tensor<?x5x6xELEM>
    %is = tower.slice %ids dim = 0 : tensor<?xi32>
    %0 = nn.reduce sum %xs dims = [2] : tensor<?x5x6xELEM> -> tensor<?x5xELEM>
    %1 = nn.reduce max %xs dims = [1] : tensor<?x5x6xELEM> -> tensor<?x6xELEM>
    %2 = nn.reduce min %xs dims = [1] : tensor<?x5x6xELEM> -> tensor<?x6xELEM>
    %3 = nn.argmax %xs dim = 2 : tensor<?x5x6xELEM> -> tensor<?x5xi32>
    %4 = nn.dot %xs, %k contract = [2] * [0] : tensor<?x5x6xELEM>, tensor<6x7xELEM> -> tensor<?x5x7xELEM>
    %5 = nn.dot %xs, %xs batch = [0] * [0] contract = [2] * [2] : tensor<?x5x6xELEM>, tensor<?x5x6xELEM> -> tensor<?x5x5xELEM>
    %6 = nn.dot %xs, %4 contract = [0, 1] * [0, 1] : tensor<?x5x6xELEM>, tensor<?x5x7xELEM> -> tensor<6x7xELEM>
    %7 = tower.all_reduce sum %6 : tensor<6x7xELEM>
    %8 = nn.reduce sum %xs dims = [0] : tensor<?x5x6xELEM> -> tensor<5x6xELEM>
    %9 = tower.all_reduce sum %8 : tensor<5x6xELEM>
    %10 = nn.reduce max %xs dims = [0] : tensor<?x5x6xELEM> -> tensor<5x6xELEM>
    %11 = tower.all_reduce max %10 : tensor<5x6xELEM>
    %zero = nn.constant dense<ZERO> : tensor<4x5x6xELEM>
    %12 = nn.scatter_add %zero, %is, %xs batch_dims = 0 : tensor<4x5x6xELEM>, tensor<?xi32>, tensor<?x5x6xELEM>
    %13 = tower.all_reduce sum %12 : tensor<4x5x6xELEM>
    %14 = nn.iota dim = 2 like %xs : tensor<?x5x6xELEM> -> tensor<?x5x6xELEM>
    %15 = nn.binary sub %14, %xs : tensor<?x5x6xELEM>
    %none = nn.constant dense<ZERO> : tensor<ELEM>
    %start = nn.broadcast %none dims = [] like %xs : tensor<ELEM>, tensor<?x5x6xELEM> -> tensor<?x5x6xELEM>
    %16 = nn.scan carry(%start) closed(%15) length = 3 {
    ^bb0(%a: tensor<?x5x6xELEM>, %b: tensor<?x5x6xELEM>):
      %c = nn.binary add %a, %b : tensor<?x5x6xELEM>
      nn.yield carry(%c) : tensor<?x5x6xELEM>
    } : (tensor<?x5x6xELEM>, tensor<?x5x6xELEM>) -> (tensor<?x5x6xELEM>)
    tower.yield %0, %1, %2, %3, %4, %5, %7, %9, %11, %13, %15, %16 concat = [0, 0, 0, 0, 0, 0, -1, -1, -1, -1, 0, 0]
      : tensor<?x5xELEM>, tensor<?x6xELEM>, tensor<?x6xELEM>, tensor<?x5xi32>, tensor<?x5x7xELEM>, tensor<?x5x5xELEM>,
        tensor<6x7xELEM>, tensor<5x6xELEM>, tensor<5x6xELEM>, tensor<4x5x6xELEM>, tensor<?x5x6xELEM>, tensor<?x5x6xELEM>
  }
  return %sum, %max, %min, %best, %product, %batched, %gradient, %rows, %largest, %scattered, %counted, %last
    : tensor<?x5xELEM>, tensor<?x6xELEM>, tensor<?x6xELEM>, tensor<?x5xi32>, tensor<?x5x7xELEM>, tensor<?x5x5xELEM>,
      tensor<6x7xELEM>, tensor<5x6xELEM>, tensor<5x6xELEM>, tensor<4x5x6xELEM>, tensor<?x5x6xELEM>, tensor<?x5x6xELEM>
}
