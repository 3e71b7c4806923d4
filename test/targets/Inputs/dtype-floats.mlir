// ELEM is replaced by each type (dtypes.test).

func.func @unary(%x: tensor<?x16xELEM> {nn.role = #nn.role<input>, nn.name = "x"})
    -> (tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "neg"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "abs"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "sign"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "exp"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "expm1"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "log"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "log1p"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "sqrt"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "rsqrt"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "tanh"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "sigmoid"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "erf"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "sin"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "cos"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "floor"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "ceil"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "finite"}) {
  %neg = nn.unary neg %x : tensor<?x16xELEM>
  %abs = nn.unary abs %x : tensor<?x16xELEM>
  %sign = nn.unary sign %x : tensor<?x16xELEM>
  %exp = nn.unary exp %x : tensor<?x16xELEM>
  %expm1 = nn.unary expm1 %x : tensor<?x16xELEM>
  %log = nn.unary log %x : tensor<?x16xELEM>
  %log1p = nn.unary log1p %x : tensor<?x16xELEM>
  %sqrt = nn.unary sqrt %x : tensor<?x16xELEM>
  %rsqrt = nn.unary rsqrt %x : tensor<?x16xELEM>
  %tanh = nn.unary tanh %x : tensor<?x16xELEM>
  %sigmoid = nn.unary sigmoid %x : tensor<?x16xELEM>
  %erf = nn.unary erf %x : tensor<?x16xELEM>
  %sin = nn.unary sin %x : tensor<?x16xELEM>
  %cos = nn.unary cos %x : tensor<?x16xELEM>
  %floor = nn.unary floor %x : tensor<?x16xELEM>
  %ceil = nn.unary ceil %x : tensor<?x16xELEM>
  %finite = nn.unary is_finite %x : tensor<?x16xELEM> -> tensor<?x16xi1>
  return %neg, %abs, %sign, %exp, %expm1, %log, %log1p, %sqrt, %rsqrt, %tanh, %sigmoid, %erf, %sin, %cos, %floor, %ceil, %finite : tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xi1>
}

func.func @binary(%x: tensor<?x16xELEM> {nn.role = #nn.role<input>, nn.name = "x"}, %y: tensor<?x16xELEM> {nn.role = #nn.role<input>, nn.name = "y"})
    -> (tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "add"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "sub"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "mul"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "div"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "max"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "min"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "pow"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "rem"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "eq"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "ne"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "lt"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "le"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "gt"},
        tensor<?x16xi1> {nn.role = #nn.role<output>, nn.name = "ge"},
        tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "choice"}) {
  %add = nn.binary add %x, %y : tensor<?x16xELEM>
  %sub = nn.binary sub %x, %y : tensor<?x16xELEM>
  %mul = nn.binary mul %x, %y : tensor<?x16xELEM>
  %div = nn.binary div %x, %y : tensor<?x16xELEM>
  %max = nn.binary max %x, %y : tensor<?x16xELEM>
  %min = nn.binary min %x, %y : tensor<?x16xELEM>
  %pow = nn.binary pow %x, %y : tensor<?x16xELEM>
  %rem = nn.binary rem %x, %y : tensor<?x16xELEM>
  %eq = nn.compare eq %x, %y : tensor<?x16xELEM>
  %ne = nn.compare ne %x, %y : tensor<?x16xELEM>
  %lt = nn.compare lt %x, %y : tensor<?x16xELEM>
  %le = nn.compare le %x, %y : tensor<?x16xELEM>
  %gt = nn.compare gt %x, %y : tensor<?x16xELEM>
  %ge = nn.compare ge %x, %y : tensor<?x16xELEM>
  %choice = nn.select %lt, %x, %y : tensor<?x16xELEM>
  return %add, %sub, %mul, %div, %max, %min, %pow, %rem, %eq, %ne, %lt, %le, %gt, %ge, %choice : tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xELEM>, tensor<?x16xi1>, tensor<?x16xi1>, tensor<?x16xi1>, tensor<?x16xi1>, tensor<?x16xi1>, tensor<?x16xi1>, tensor<?x16xELEM>
}

func.func @fused(%x: tensor<?x16xELEM> {nn.role = #nn.role<input>, nn.name = "x"}, %y: tensor<?x16xELEM> {nn.role = #nn.role<input>, nn.name = "y"})
    -> (tensor<?x16xELEM> {nn.role = #nn.role<output>, nn.name = "fused"}) {
  %s = nn.binary add %x, %y : tensor<?x16xELEM>
  %m = nn.binary mul %s, %s : tensor<?x16xELEM>
  %d = nn.binary sub %m, %x : tensor<?x16xELEM>
  %c = nn.compare gt %d, %y : tensor<?x16xELEM>
  %a = nn.unary abs %d : tensor<?x16xELEM>
  %fused = nn.select %c, %a, %m : tensor<?x16xELEM>
  return %fused : tensor<?x16xELEM>
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
