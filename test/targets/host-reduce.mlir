// Reductions along rows and columns, of every kind; argmax.
// RUN: belfry-host-check %s --batch=0,1,5,33 --towers=1,2 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}

func.func @floats(%x: tensor<?x5x83xf32> {nn.role = #nn.role<input>, nn.name = "x"})
    -> (tensor<?x5xf32> {nn.role = #nn.role<output>, nn.name = "row"},
        tensor<?x83xf32> {nn.role = #nn.role<output>, nn.name = "column"},
        tensor<?xf32> {nn.role = #nn.role<output>, nn.name = "both"},
        tensor<?x5xf32> {nn.role = #nn.role<output>, nn.name = "most"},
        tensor<?x83xf32> {nn.role = #nn.role<output>, nn.name = "least"},
        tensor<?x5xi32> {nn.role = #nn.role<output>, nn.name = "where"},
        tensor<83xf32> {nn.role = #nn.role<gradient>, nn.name = "rows"},
        tensor<f32> {nn.role = #nn.role<loss>, nn.name = "all"}) {
  %o:8 = tower.replicate towers = 2 slicing = balanced -> tensor<?x5xf32>, tensor<?x83xf32>, tensor<?xf32>, tensor<?x5xf32>,
      tensor<?x83xf32>, tensor<?x5xi32>, tensor<83xf32>, tensor<f32> {
    %s = tower.slice %x dim = 0 : tensor<?x5x83xf32>
    %0 = nn.reduce sum %s dims = [2] : tensor<?x5x83xf32> -> tensor<?x5xf32>
    %1 = nn.reduce sum %s dims = [1] : tensor<?x5x83xf32> -> tensor<?x83xf32>
    %2 = nn.reduce sum %s dims = [1, 2] : tensor<?x5x83xf32> -> tensor<?xf32>
    %3 = nn.reduce max %s dims = [2] : tensor<?x5x83xf32> -> tensor<?x5xf32>
    %4 = nn.reduce min %s dims = [1] : tensor<?x5x83xf32> -> tensor<?x83xf32>
    %5 = nn.argmax %s dim = 2 : tensor<?x5x83xf32> -> tensor<?x5xi32>
    %6 = nn.reduce sum %s dims = [0, 1] : tensor<?x5x83xf32> -> tensor<83xf32>
    %7 = nn.reduce sum %s dims = [0, 1, 2] : tensor<?x5x83xf32> -> tensor<f32>
    %a = tower.all_reduce sum %6 : tensor<83xf32>
    %b = tower.all_reduce sum %7 : tensor<f32>
    tower.yield %0, %1, %2, %3, %4, %5, %a, %b concat = [0, 0, 0, 0, 0, 0, -1, -1] : tensor<?x5xf32>, tensor<?x83xf32>,
      tensor<?xf32>, tensor<?x5xf32>, tensor<?x83xf32>, tensor<?x5xi32>, tensor<83xf32>, tensor<f32>
  }
  return %o#0, %o#1, %o#2, %o#3, %o#4, %o#5, %o#6, %o#7 : tensor<?x5xf32>, tensor<?x83xf32>, tensor<?xf32>, tensor<?x5xf32>,
    tensor<?x83xf32>, tensor<?x5xi32>, tensor<83xf32>, tensor<f32>
}

func.func @others(%x: tensor<?x40xi32> {nn.role = #nn.role<input>, nn.name = "x"},
                  %y: tensor<?x40xi1> {nn.role = #nn.role<input>, nn.name = "y"},
                  %z: tensor<?x200xf64> {nn.role = #nn.role<input>, nn.name = "z"})
    -> (tensor<?xi32> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<?xi32> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<?xi1> {nn.role = #nn.role<output>, nn.name = "c"},
        tensor<?xi1> {nn.role = #nn.role<output>, nn.name = "d"},
        tensor<?xf64> {nn.role = #nn.role<output>, nn.name = "e"},
        tensor<40xi1> {nn.role = #nn.role<gradient>, nn.name = "f"},
        tensor<40xi32> {nn.role = #nn.role<gradient>, nn.name = "g"}) {
  %a = nn.reduce sum %x dims = [1] : tensor<?x40xi32> -> tensor<?xi32>
  %b = nn.reduce min %x dims = [1] : tensor<?x40xi32> -> tensor<?xi32>
  %c = nn.reduce and %y dims = [1] : tensor<?x40xi1> -> tensor<?xi1>
  %d = nn.reduce or %y dims = [1] : tensor<?x40xi1> -> tensor<?xi1>
  %e = nn.reduce sum %z dims = [1] : tensor<?x200xf64> -> tensor<?xf64>
  %f = nn.reduce and %y dims = [0] : tensor<?x40xi1> -> tensor<40xi1>
  %g = nn.reduce max %x dims = [0] : tensor<?x40xi32> -> tensor<40xi32>
  return %a, %b, %c, %d, %e, %f, %g : tensor<?xi32>, tensor<?xi32>, tensor<?xi1>, tensor<?xi1>, tensor<?xf64>, tensor<40xi1>, tensor<40xi32>
}
