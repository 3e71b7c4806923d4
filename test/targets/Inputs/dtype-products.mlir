// ELEM is replaced by f16 and bf16 (dtypes.test). Products that tiles of 16 do not divide, with every number of rows: plain, with the left side or the right one
// transposed, as a batch, and over the rows, which towers add.

func.func @products(%x0: tensor<?x1xELEM> {nn.role = #nn.role<input>, nn.name = "x0"},
                    %k0: tensor<1x130xELEM> {nn.role = #nn.role<parameter>, nn.name = "k0"},
                    %x1: tensor<?x7xELEM> {nn.role = #nn.role<input>, nn.name = "x1"},
                    %k1: tensor<7x17xELEM> {nn.role = #nn.role<parameter>, nn.name = "k1"},
                    %x2: tensor<?x16xELEM> {nn.role = #nn.role<input>, nn.name = "x2"},
                    %k2: tensor<16x16xELEM> {nn.role = #nn.role<parameter>, nn.name = "k2"},
                    %x3: tensor<?x17xELEM> {nn.role = #nn.role<input>, nn.name = "x3"},
                    %k3: tensor<17x7xELEM> {nn.role = #nn.role<parameter>, nn.name = "k3"},
                    %x4: tensor<?x130xELEM> {nn.role = #nn.role<input>, nn.name = "x4"},
                    %k4: tensor<130x1xELEM> {nn.role = #nn.role<parameter>, nn.name = "k4"},
                    %x5: tensor<?x130xELEM> {nn.role = #nn.role<input>, nn.name = "x5"},
                    %k5: tensor<130x130xELEM> {nn.role = #nn.role<parameter>, nn.name = "k5"})
    -> (tensor<?x130xELEM> {nn.role = #nn.role<output>, nn.name = "y0"},
        tensor<?x17xELEM> {nn.role = #nn.role<output>, nn.name = "y1"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "y2"},
        tensor<?x7xELEM> {nn.role = #nn.role<output>, nn.name = "y3"},
        tensor<?x1xELEM> {nn.role = #nn.role<output>, nn.name = "y4"},
        tensor<?x130xELEM> {nn.role = #nn.role<output>, nn.name = "y5"},
        tensor<?x130xELEM> {nn.role = #nn.role<output>, nn.name = "back"},
        tensor<?x7x17xELEM> {nn.role = #nn.role<output>, nn.name = "own"},
        tensor<?x7x7xELEM> {nn.role = #nn.role<output>, nn.name = "pairs"},
        tensor<17x130xELEM> {nn.role = #nn.role<output>, nn.name = "over"}) {
  %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9 = tower.replicate towers = 2 slicing = balanced
      -> tensor<?x130xELEM>, tensor<?x17xELEM>, tensor<?x16xELEM>, tensor<?x7xELEM>, tensor<?x1xELEM>, tensor<?x130xELEM>, tensor<?x130xELEM>, tensor<?x7x17xELEM>, tensor<?x7x7xELEM>, tensor<17x130xELEM> {
    %s0 = tower.slice %x0 dim = 0 : tensor<?x1xELEM>
    %y0 = nn.dot %s0, %k0 contract = [1] * [0] : tensor<?x1xELEM>, tensor<1x130xELEM> -> tensor<?x130xELEM>
    %s1 = tower.slice %x1 dim = 0 : tensor<?x7xELEM>
    %y1 = nn.dot %s1, %k1 contract = [1] * [0] : tensor<?x7xELEM>, tensor<7x17xELEM> -> tensor<?x17xELEM>
    %s2 = tower.slice %x2 dim = 0 : tensor<?x16xELEM>
    %y2 = nn.dot %s2, %k2 contract = [1] * [0] : tensor<?x16xELEM>, tensor<16x16xELEM> -> tensor<?x16xELEM>
    %s3 = tower.slice %x3 dim = 0 : tensor<?x17xELEM>
    %y3 = nn.dot %s3, %k3 contract = [1] * [0] : tensor<?x17xELEM>, tensor<17x7xELEM> -> tensor<?x7xELEM>
    %s4 = tower.slice %x4 dim = 0 : tensor<?x130xELEM>
    %y4 = nn.dot %s4, %k4 contract = [1] * [0] : tensor<?x130xELEM>, tensor<130x1xELEM> -> tensor<?x1xELEM>
    %s5 = tower.slice %x5 dim = 0 : tensor<?x130xELEM>
    %y5 = nn.dot %s5, %k5 contract = [1] * [0] : tensor<?x130xELEM>, tensor<130x130xELEM> -> tensor<?x130xELEM>
    %back = nn.dot %y5, %k5 contract = [1] * [1] : tensor<?x130xELEM>, tensor<130x130xELEM> -> tensor<?x130xELEM>
    %own = nn.dot %s1, %y1 batch = [0] * [0] contract = [] * [] : tensor<?x7xELEM>, tensor<?x17xELEM> -> tensor<?x7x17xELEM>
    %pairs = nn.dot %own, %own batch = [0] * [0] contract = [2] * [2] : tensor<?x7x17xELEM>, tensor<?x7x17xELEM> -> tensor<?x7x7xELEM>
    %over = nn.dot %s3, %s5 contract = [0] * [0] : tensor<?x17xELEM>, tensor<?x130xELEM> -> tensor<17x130xELEM>
    %all = tower.all_reduce sum %over : tensor<17x130xELEM>
    tower.yield %y0, %y1, %y2, %y3, %y4, %y5, %back, %own, %pairs, %all concat = [0, 0, 0, 0, 0, 0, 0, 0, 0, -1]
      : tensor<?x130xELEM>, tensor<?x17xELEM>, tensor<?x16xELEM>, tensor<?x7xELEM>, tensor<?x1xELEM>, tensor<?x130xELEM>, tensor<?x130xELEM>, tensor<?x7x17xELEM>, tensor<?x7x7xELEM>, tensor<17x130xELEM>
  }
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9
    : tensor<?x130xELEM>, tensor<?x17xELEM>, tensor<?x16xELEM>, tensor<?x7xELEM>, tensor<?x1xELEM>, tensor<?x130xELEM>, tensor<?x130xELEM>, tensor<?x7x17xELEM>, tensor<?x7x7xELEM>, tensor<17x130xELEM>
}
