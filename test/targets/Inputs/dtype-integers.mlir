// ELEM is replaced by each type (dtypes.test).

func.func @integers(%x: tensor<?x16xELEM> {nn.role = #nn.role<input>, nn.name = "x"}, %y: tensor<?x16xELEM> {nn.role = #nn.role<input>, nn.name = "y"})
    -> (tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "neg"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "abs"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "sign"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "add"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "sub"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "mul"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "div"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "max"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "min"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "rem"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "and"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "or"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "xor"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "eq"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "ne"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "lt"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "le"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "gt"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "ge"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "choice"}) {
  %neg = nn.unary neg %x : tensor<?x16xELEM>
  %abs = nn.unary abs %x : tensor<?x16xELEM>
  %sign = nn.unary sign %x : tensor<?x16xELEM>
  %add = nn.binary add %x, %y : tensor<?x16xELEM>
  %sub = nn.binary sub %x, %y : tensor<?x16xELEM>
  %mul = nn.binary mul %x, %y : tensor<?x16xELEM>
  %div = nn.binary div %x, %y : tensor<?x16xELEM>
  %max = nn.binary max %x, %y : tensor<?x16xELEM>
  %min = nn.binary min %x, %y : tensor<?x16xELEM>
  %rem = nn.binary rem %x, %y : tensor<?x16xELEM>
  %and = nn.binary and %x, %y : tensor<?x16xELEM>
  %or = nn.binary or %x, %y : tensor<?x16xELEM>
  %xor = nn.binary xor %x, %y : tensor<?x16xELEM>
  %eq = nn.compare eq %x, %y : tensor<?x16xELEM>
  %ne = nn.compare ne %x, %y : tensor<?x16xELEM>
  %lt = nn.compare lt %x, %y : tensor<?x16xELEM>
  %le = nn.compare le %x, %y : tensor<?x16xELEM>
  %gt = nn.compare gt %x, %y : tensor<?x16xELEM>
  %ge = nn.compare ge %x, %y : tensor<?x16xELEM>
  %choice = nn.select %lt, %x, %y : tensor<?x16xELEM>
  return %neg, %abs, %sign, %add, %sub, %mul, %div, %max, %min, %rem, %and, %or, %xor, %eq, %ne, %lt, %le, %gt, %ge, %choice : tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xi1>, tensor<?x16xi1>, tensor<?x16xi1>, tensor<?x16xi1>, tensor<?x16xi1>, tensor<?x16xi1>, tensor<?x16xELEM>
}

func.func @conversions(%x: tensor<?x16xELEM> {nn.role = #nn.role<input>, nn.name = "x"})
    -> (tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "to_i1"},
        tensor<?x16xi8> {nn.role = #nn.role<output>, nn.name = "to_i8"},
        tensor<?x16xi32> {nn.role = #nn.role<output>, nn.name = "to_i32"},
        tensor<?x16xi64> {nn.role = #nn.role<output>, nn.name = "to_i64"},
        tensor<?x16xf16> {nn.role = #nn.role<output>, nn.name = "to_f16"},
        tensor<?x16xbf16> {nn.role = #nn.role<output>, nn.name = "to_bf16"},
        tensor<?x16xf32> {nn.role = #nn.role<output>, nn.name = "to_f32"},
        tensor<?x16xf64> {nn.role = #nn.role<output>, nn.name = "to_f64"}) {
  %to_i1 = nn.convert %x : tensor<?x16xELEM> -> tensor<?x16xi1>
  %to_i8 = nn.convert %x : tensor<?x16xELEM> -> tensor<?x16xi8>
  %to_i32 = nn.convert %x : tensor<?x16xELEM> -> tensor<?x16xi32>
  %to_i64 = nn.convert %x : tensor<?x16xELEM> -> tensor<?x16xi64>
  %to_f16 = nn.convert %x : tensor<?x16xELEM> -> tensor<?x16xf16>
  %to_bf16 = nn.convert %x : tensor<?x16xELEM> -> tensor<?x16xbf16>
  %to_f32 = nn.convert %x : tensor<?x16xELEM> -> tensor<?x16xf32>
  %to_f64 = nn.convert %x : tensor<?x16xELEM> -> tensor<?x16xf64>
  return %to_i1, %to_i8, %to_i32, %to_i64, %to_f16, %to_bf16, %to_f32, %to_f64 : tensor<?x16xi1>, tensor<?x16xi8>, tensor<?x16xi32>, tensor<?x16xi64>, tensor<?x16xf16>, tensor<?x16xbf16>, tensor<?x16xf32>, tensor<?x16xf64>
}
