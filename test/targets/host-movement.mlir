// Data movement of every kind, i1 included: transposes, reshapes, slices, pads, reversals, concatenations.
// RUN: belfry-host-check %s --batch=0,1,5,18 --towers=1,2 --tolerance=0 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}

func.func @bools(%x: tensor<?x4x6xi1> {nn.role = #nn.role<input>, nn.name = "x"})
    -> (tensor<?x6x4xi1> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<?x24xi1> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<?x4x3xi1> {nn.role = #nn.role<output>, nn.name = "c"},
        tensor<?x9x6xi1> {nn.role = #nn.role<output>, nn.name = "d"},
        tensor<?x4x18xi1> {nn.role = #nn.role<output>, nn.name = "e"},
        tensor<?x4xi1> {nn.role = #nn.role<output>, nn.name = "f"}) {
  %a, %b, %c, %d, %e, %f = tower.replicate towers = 2 slicing = balanced -> tensor<?x6x4xi1>, tensor<?x24xi1>,
      tensor<?x4x3xi1>, tensor<?x9x6xi1>, tensor<?x4x18xi1>, tensor<?x4xi1> {
    %s = tower.slice %x dim = 0 : tensor<?x4x6xi1>
    %t = nn.transpose %s perm = [0, 2, 1] : tensor<?x4x6xi1> -> tensor<?x6x4xi1>
    %r = nn.reshape %t : tensor<?x6x4xi1> -> tensor<?x24xi1>
    %l = nn.slice %s start = [0, 0, 1] limit = [-1, 4, 6] stride = [1, 1, 2] : tensor<?x4x6xi1> -> tensor<?x4x3xi1>
    %v = nn.constant dense<true> : tensor<i1>
    %p = nn.pad %s, %v low = [0, 1, 0] high = [0, 1, 0] interior = [0, 1, 0] : tensor<?x4x6xi1> -> tensor<?x9x6xi1>
    %w = nn.reverse %s dims = [1, 2] : tensor<?x4x6xi1>
    %n = nn.unary not %s : tensor<?x4x6xi1>
    %k = nn.concat %s, %w, %n dim = 2 : tensor<?x4x6xi1>, tensor<?x4x6xi1>, tensor<?x4x6xi1> -> tensor<?x4x18xi1>
    %o = nn.reduce or %w dims = [2] : tensor<?x4x6xi1> -> tensor<?x4xi1>
    tower.yield %t, %r, %l, %p, %k, %o concat = [0, 0, 0, 0, 0, 0] : tensor<?x6x4xi1>, tensor<?x24xi1>,
      tensor<?x4x3xi1>, tensor<?x9x6xi1>, tensor<?x4x18xi1>, tensor<?x4xi1>
  }
  return %a, %b, %c, %d, %e, %f : tensor<?x6x4xi1>, tensor<?x24xi1>, tensor<?x4x3xi1>, tensor<?x9x6xi1>,
    tensor<?x4x18xi1>, tensor<?x4xi1>
}

func.func @floats(%x: tensor<?x3x4xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                  %b: tensor<4xf32> {nn.role = #nn.role<parameter>, nn.name = "b"})
    -> (tensor<?x4x3xf32> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<?x12xf32> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<?x3x4xf32> {nn.role = #nn.role<output>, nn.name = "c"},
        tensor<?x3x5x4xf32> {nn.role = #nn.role<output>, nn.name = "d"},
        tensor<?x3x4xi32> {nn.role = #nn.role<output>, nn.name = "e"}) {
  %i = nn.iota dim = 2 like %x : tensor<?x3x4xf32> -> tensor<?x3x4xi32>
  // Time to the front, flat over time and rows, and back.
  %t = nn.transpose %x perm = [1, 0, 2] : tensor<?x3x4xf32> -> tensor<3x?x4xf32>
  %f = nn.reshape %t : tensor<3x?x4xf32> -> tensor<?x4xf32>
  %bb = nn.broadcast %b dims = [1] like %f : tensor<4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %g = nn.binary add %f, %bb : tensor<?x4xf32>
  %h = nn.reshape %g : tensor<?x4xf32> -> tensor<3x?x4xf32>
  %k = nn.transpose %h perm = [1, 0, 2] : tensor<3x?x4xf32> -> tensor<?x3x4xf32>
  %a = nn.transpose %k perm = [0, 2, 1] : tensor<?x3x4xf32> -> tensor<?x4x3xf32>
  %c = nn.reverse %k dims = [0] : tensor<?x3x4xf32>
  %d = nn.broadcast %k dims = [0, 1, 3] : tensor<?x3x4xf32> -> tensor<?x3x5x4xf32>
  %r = nn.reshape %a : tensor<?x4x3xf32> -> tensor<?x12xf32>
  return %a, %r, %c, %d, %i : tensor<?x4x3xf32>, tensor<?x12xf32>, tensor<?x3x4xf32>, tensor<?x3x5x4xf32>, tensor<?x3x4xi32>
}
