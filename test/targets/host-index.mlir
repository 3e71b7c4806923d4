// Gather and scatter, random numbers.
// RUN: belfry-host-check %s --batch=0,1,7 --towers=1,3 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}

func.func @tables(%t: tensor<11x6xf32> {nn.role = #nn.role<parameter>, nn.name = "t"},
                  %i: tensor<?x4xi32> {nn.role = #nn.role<input>, nn.name = "i"},
                  %u: tensor<?x4x6xf32> {nn.role = #nn.role<input>, nn.name = "u"},
                  %b: tensor<?x9xf32> {nn.role = #nn.role<input>, nn.name = "b"})
    -> (tensor<?x4x6xf32> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<11x6xf32> {nn.role = #nn.role<gradient>, nn.name = "g"},
        tensor<?x4xf32> {nn.role = #nn.role<output>, nn.name = "c"},
        tensor<?x9xf32> {nn.role = #nn.role<output>, nn.name = "d"}) {
  %o:4 = tower.replicate towers = 2 slicing = balanced -> tensor<?x4x6xf32>, tensor<11x6xf32>, tensor<?x4xf32>, tensor<?x9xf32> {
    %is = tower.slice %i dim = 0 : tensor<?x4xi32>
    %us = tower.slice %u dim = 0 : tensor<?x4x6xf32>
    %bs = tower.slice %b dim = 0 : tensor<?x9xf32>
    %a = nn.gather %t, %is batch_dims = 0 : tensor<11x6xf32>, tensor<?x4xi32> -> tensor<?x4x6xf32>
    %z = nn.constant dense<0.0> : tensor<11x6xf32>
    %s = nn.scatter_add %z, %is, %us batch_dims = 0 : tensor<11x6xf32>, tensor<?x4xi32>, tensor<?x4x6xf32>
    %g = tower.all_reduce sum %s : tensor<11x6xf32>
    %c = nn.gather %bs, %is batch_dims = 1 : tensor<?x9xf32>, tensor<?x4xi32> -> tensor<?x4xf32>
    %d = nn.scatter_add %bs, %is, %c batch_dims = 1 : tensor<?x9xf32>, tensor<?x4xi32>, tensor<?x4xf32>
    tower.yield %a, %g, %c, %d concat = [0, -1, 0, 0] : tensor<?x4x6xf32>, tensor<11x6xf32>, tensor<?x4xf32>, tensor<?x9xf32>
  }
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x4x6xf32>, tensor<11x6xf32>, tensor<?x4xf32>, tensor<?x9xf32>
}

func.func @draws(%x: tensor<?x3x5xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                 %seed: tensor<2xi32> {nn.role = #nn.role<seed>}, %step: tensor<i32> {nn.role = #nn.role<step>})
    -> (tensor<?x3x5xf32> {nn.role = #nn.role<output>, nn.name = "u"},
        tensor<?x3x5xf32> {nn.role = #nn.role<output>, nn.name = "n"},
        tensor<?x3x5xi32> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<?x3x5xf32> {nn.role = #nn.role<output>, nn.name = "d"}) {
  %o:4 = tower.replicate towers = 2 slicing = balanced -> tensor<?x3x5xf32>, tensor<?x3x5xf32>, tensor<?x3x5xi32>, tensor<?x3x5xf32> {
    %s = tower.slice %x dim = 0 : tensor<?x3x5xf32>
    %r = tower.row_offset %x : tensor<?x3x5xf32>
    %u = nn.random uniform seed %seed step %step row_offset %r stream = 7 like %s : tensor<?x3x5xf32> -> tensor<?x3x5xf32>
    %n = nn.random normal seed %seed step %step row_offset %r stream = 8 like %s : tensor<?x3x5xf32> -> tensor<?x3x5xf32>
    %b = nn.random bits seed %seed step %step row_offset %r stream = 9 like %s : tensor<?x3x5xf32> -> tensor<?x3x5xi32>
    %h = nn.constant dense<0.25> : tensor<f32>
    %hb = nn.broadcast %h dims = [] like %s : tensor<f32>, tensor<?x3x5xf32> -> tensor<?x3x5xf32>
    %v = nn.random uniform seed %seed step %step row_offset %r stream = 10 like %s : tensor<?x3x5xf32> -> tensor<?x3x5xf32>
    %m = nn.compare ge %v, %hb : tensor<?x3x5xf32>
    %z = nn.constant dense<0.0> : tensor<f32>
    %zb = nn.broadcast %z dims = [] like %s : tensor<f32>, tensor<?x3x5xf32> -> tensor<?x3x5xf32>
    %d = nn.select %m, %s, %zb : tensor<?x3x5xf32>
    tower.yield %u, %n, %b, %d concat = [0, 0, 0, 0] : tensor<?x3x5xf32>, tensor<?x3x5xf32>, tensor<?x3x5xi32>, tensor<?x3x5xf32>
  }
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x3x5xf32>, tensor<?x3x5xf32>, tensor<?x3x5xi32>, tensor<?x3x5xf32>
}
