// Elementwise ops of every element type, alone and fused, against the interpreter.
// RUN: belfry-host-check %s --batch=0,1,5,33 --towers=1,3 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}

func.func @floats(%x: tensor<?x7xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                  %y: tensor<?x7xf32> {nn.role = #nn.role<input>, nn.name = "y"})
    -> (tensor<?x7xf32> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<?x7xf32> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<?x7xi1> {nn.role = #nn.role<output>, nn.name = "c"},
        tensor<?x7xi32> {nn.role = #nn.role<output>, nn.name = "d"}) {
  %a, %b, %c, %d = tower.replicate towers = 2 slicing = balanced
      -> tensor<?x7xf32>, tensor<?x7xf32>, tensor<?x7xi1>, tensor<?x7xi32> {
    %xs = tower.slice %x dim = 0 : tensor<?x7xf32>
    %ys = tower.slice %y dim = 0 : tensor<?x7xf32>
    %0 = nn.unary tanh %xs : tensor<?x7xf32>
    %1 = nn.unary sigmoid %ys : tensor<?x7xf32>
    %2 = nn.binary mul %0, %1 : tensor<?x7xf32>
    %3 = nn.unary exp %2 : tensor<?x7xf32>
    %4 = nn.unary log1p %3 : tensor<?x7xf32>
    %5 = nn.unary erf %xs : tensor<?x7xf32>
    %6 = nn.binary div %4, %5 : tensor<?x7xf32>
    %7 = nn.unary sign %xs : tensor<?x7xf32>
    %8 = nn.unary abs %ys : tensor<?x7xf32>
    %9 = nn.unary sqrt %8 : tensor<?x7xf32>
    %10 = nn.unary rsqrt %8 : tensor<?x7xf32>
    %11 = nn.binary max %9, %7 : tensor<?x7xf32>
    %12 = nn.binary min %10, %11 : tensor<?x7xf32>
    %13 = nn.unary floor %xs : tensor<?x7xf32>
    %14 = nn.unary ceil %ys : tensor<?x7xf32>
    %15 = nn.binary sub %13, %14 : tensor<?x7xf32>
    %16 = nn.binary add %15, %12 : tensor<?x7xf32>
    %17 = nn.binary pow %8, %xs : tensor<?x7xf32>
    %18 = nn.unary is_finite %17 : tensor<?x7xf32> -> tensor<?x7xi1>
    %19 = nn.compare lt %xs, %ys : tensor<?x7xf32>
    %20 = nn.binary and %18, %19 : tensor<?x7xi1>
    %21 = nn.unary not %20 : tensor<?x7xi1>
    %22 = nn.select %21, %16, %6 : tensor<?x7xf32>
    %k = nn.constant dense<1.0e10> : tensor<f32>
    %23 = nn.broadcast %k dims = [] like %xs : tensor<f32>, tensor<?x7xf32> -> tensor<?x7xf32>
    %24 = nn.binary mul %xs, %23 : tensor<?x7xf32>
    %25 = nn.convert %24 : tensor<?x7xf32> -> tensor<?x7xi32>
    %26 = nn.unary sin %xs : tensor<?x7xf32>
    %27 = nn.unary cos %ys : tensor<?x7xf32>
    %28 = nn.unary expm1 %26 : tensor<?x7xf32>
    %29 = nn.unary neg %27 : tensor<?x7xf32>
    %30 = nn.binary rem %28, %29 : tensor<?x7xf32>
    tower.yield %22, %30, %21, %25 concat = [0, 0, 0, 0]
      : tensor<?x7xf32>, tensor<?x7xf32>, tensor<?x7xi1>, tensor<?x7xi32>
  }
  return %a, %b, %c, %d : tensor<?x7xf32>, tensor<?x7xf32>, tensor<?x7xi1>, tensor<?x7xi32>
}

func.func @integers(%x: tensor<?xi32> {nn.role = #nn.role<input>, nn.name = "x"},
                    %y: tensor<?xi32> {nn.role = #nn.role<input>, nn.name = "y"})
    -> (tensor<?xi32> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<?xi32> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<?xf64> {nn.role = #nn.role<output>, nn.name = "c"},
        tensor<?xi1> {nn.role = #nn.role<output>, nn.name = "d"}) {
  %one = nn.constant dense<3> : tensor<i32>
  %ones = nn.broadcast %one dims = [] like %x : tensor<i32>, tensor<?xi32> -> tensor<?xi32>
  %s = nn.binary rem %y, %ones : tensor<?xi32>
  %a = nn.binary div %x, %s : tensor<?xi32>
  %b = nn.binary rem %x, %s : tensor<?xi32>
  %m = nn.binary max %a, %y : tensor<?xi32>
  %c = nn.convert %m : tensor<?xi32> -> tensor<?xf64>
  %e = nn.unary tanh %c : tensor<?xf64>
  %p = nn.convert %s : tensor<?xi32> -> tensor<?xi1>
  %q = nn.compare ge %x, %y : tensor<?xi32>
  %d = nn.compare gt %p, %q : tensor<?xi1>
  return %a, %b, %e, %d : tensor<?xi32>, tensor<?xi32>, tensor<?xf64>, tensor<?xi1>
}
