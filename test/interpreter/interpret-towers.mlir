// RUN: belfry-opt %s --interpret='function=sizes batch=10' | FileCheck %s --check-prefix=SIZES
// RUN: belfry-opt %s --interpret='function=sizes batch=3 towers=5' | FileCheck %s --check-prefix=FEW
// RUN: belfry-opt %s --interpret='function=policies batch=10' | FileCheck %s --check-prefix=POLICY
// RUN: belfry-opt %s --interpret='function=collectives batch=5' | FileCheck %s --check-prefix=COLL
// RUN: belfry-opt %s --interpret='function=collectives batch=5 towers=8' | FileCheck %s --check-prefix=COLL8
// RUN: belfry-opt %s --interpret='function=tree batch=6 towers=6' | FileCheck %s --check-prefix=TREE
// RUN: belfry-opt %s --interpret='function=unrolled batch=5' | FileCheck %s --check-prefix=UNROLLED

// Balanced: the first towers get the rows that are over.
// SIZES: func @sizes precision = f32 towers = 4
// SIZES-NEXT: result 0: 10xi32 values = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]
// SIZES-NEXT: result 1: 10xi32 values = [0, 0, 0, 3, 3, 3, 6, 6, 8, 8]
// A tower may get no row.
// FEW: func @sizes precision = f32 towers = 5
// FEW-NEXT: result 0: 3xi32 values = [0, 1, 2]
func.func @sizes(%x: tensor<?x2xf32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %t, %o = tower.replicate towers = 4 slicing = balanced -> tensor<?xi32>, tensor<?xi32> {
    %xi = tower.slice %x dim = 0 : tensor<?x2xf32>
    %i = tower.index : tensor<i32>
    %b = nn.broadcast %i dims = [] like %xi : tensor<i32>, tensor<?x2xf32> -> tensor<?xi32>
    %f = tower.row_offset %x : tensor<?x2xf32>
    %c = nn.broadcast %f dims = [] like %xi : tensor<i32>, tensor<?x2xf32> -> tensor<?xi32>
    tower.yield %b, %c concat = [0, 0] : tensor<?xi32>, tensor<?xi32>
  }
  return %t, %o : tensor<?xi32>, tensor<?xi32>
}

// POLICY: result 0: 9xi32 values = [0, 0, 0, 3, 3, 3, 6, 6, 6]
// POLICY-NEXT: result 1: 10xi32 values = [0, 0, 0, 3, 3, 3, 6, 6, 6, 6]
// POLICY-NEXT: result 2: 10xi32 values = [0, 0, 0, 0, 0, 5, 5, 5, 5, 5]
func.func @policies(%x: tensor<?x2xf32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %d = tower.replicate towers = 3 slicing = drop_remainder -> tensor<?xi32> {
    %xi = tower.slice %x dim = 0 : tensor<?x2xf32>
    %f = tower.row_offset %x : tensor<?x2xf32>
    %c = nn.broadcast %f dims = [] like %xi : tensor<i32>, tensor<?x2xf32> -> tensor<?xi32>
    tower.yield %c concat = [0] : tensor<?xi32>
  }
  %l = tower.replicate towers = 3 slicing = last_takes_rest -> tensor<?xi32> {
    %xi = tower.slice %x dim = 0 : tensor<?x2xf32>
    %f = tower.row_offset %x : tensor<?x2xf32>
    %c = nn.broadcast %f dims = [] like %xi : tensor<i32>, tensor<?x2xf32> -> tensor<?xi32>
    tower.yield %c concat = [0] : tensor<?xi32>
  }
  %s = tower.replicate towers = 2 slicing = strict -> tensor<?xi32> {
    %xi = tower.slice %x dim = 0 : tensor<?x2xf32>
    %f = tower.row_offset %x : tensor<?x2xf32>
    %c = nn.broadcast %f dims = [] like %xi : tensor<i32>, tensor<?x2xf32> -> tensor<?xi32>
    tower.yield %c concat = [0] : tensor<?xi32>
  }
  return %d, %l, %s : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// Against the same on whole values: sum, maximum, minimum, all rows gathered; gathered rows summed and scattered are
// the rows times the number of towers.
// COLL: func @collectives precision = f32 towers = 2
// COLL-NEXT: result 0: i1 values = [1]
// COLL-NEXT: result 1: i1 values = [1]
// COLL-NEXT: result 2: i1 values = [1]
// COLL-NEXT: result 3: 5xi1 values = [1, 1, 1, 1, 1]
// COLL-NEXT: result 4: 5xi1 values = [1, 1, 1, 1, 1]
// COLL-NEXT: result 5: i32 values = [2]
// COLL8: func @collectives precision = f32 towers = 8
// COLL8-NEXT: result 0: i1 values = [1]
// COLL8-NEXT: result 1: i1 values = [1]
// COLL8-NEXT: result 2: i1 values = [1]
// COLL8-NEXT: result 3: 5xi1 values = [1, 1, 1, 1, 1]
// COLL8-NEXT: result 4: 5xi1 values = [1, 1, 1, 1, 1]
// COLL8-NEXT: result 5: i32 values = [8]
func.func @collectives(%x: tensor<?xi32> {nn.limit = 100 : i64})
    -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<?xi1>, tensor<?xi1>, tensor<i32>) {
  %s, %u, %l, %g, %c, %n = tower.replicate towers = 2 slicing = balanced
      -> tensor<i32>, tensor<i32>, tensor<i32>, tensor<?xi32>, tensor<?xi32>, tensor<i32> {
    %xi = tower.slice %x dim = 0 : tensor<?xi32>
    %s0 = nn.reduce sum %xi dims = [0] : tensor<?xi32> -> tensor<i32>
    %s1 = tower.all_reduce sum %s0 : tensor<i32>
    %u0 = nn.reduce max %xi dims = [0] : tensor<?xi32> -> tensor<i32>
    %u1 = tower.all_reduce max %u0 : tensor<i32>
    %l0 = nn.reduce min %xi dims = [0] : tensor<?xi32> -> tensor<i32>
    %l1 = tower.all_reduce min %l0 : tensor<i32>
    %g1 = tower.all_gather %xi dim = 0 : tensor<?xi32>
    %c1 = tower.reduce_scatter sum %g1 dim = 0 : tensor<?xi32>
    %one = nn.constant dense<1> : tensor<i32>
    %n1 = tower.all_reduce sum %one : tensor<i32>
    tower.yield %s1, %u1, %l1, %g1, %c1, %n1 concat = [-1, -1, -1, -1, 0, -1]
      : tensor<i32>, tensor<i32>, tensor<i32>, tensor<?xi32>, tensor<?xi32>, tensor<i32>
  }
  %sp = nn.reduce sum %x dims = [0] : tensor<?xi32> -> tensor<i32>
  %up = nn.reduce max %x dims = [0] : tensor<?xi32> -> tensor<i32>
  %lp = nn.reduce min %x dims = [0] : tensor<?xi32> -> tensor<i32>
  %nb = nn.broadcast %n dims = [] like %x : tensor<i32>, tensor<?xi32> -> tensor<?xi32>
  %cp = nn.binary mul %x, %nb : tensor<?xi32>
  %se = nn.compare eq %s, %sp : tensor<i32>
  %ue = nn.compare eq %u, %up : tensor<i32>
  %le = nn.compare eq %l, %lp : tensor<i32>
  %ge = nn.compare eq %g, %x : tensor<?xi32>
  %ce = nn.compare eq %c, %cp : tensor<?xi32>
  return %se, %ue, %le, %ge, %ce, %n : tensor<i1>, tensor<i1>, tensor<i1>, tensor<?xi1>, tensor<?xi1>, tensor<i32>
}

// A sum is a binary tree over the towers: with 1 + 6 towers' values 2^24, 1, 1, 1, 1, 1 the pairs of ones survive:
// ((a+b)+(c+d))+(e+f) = ((2^24) + 2) + 2 in f32; from left to right all ones would be lost.
// TREE: result 0: f32 values = [16777220]
func.func @tree() -> tensor<f32> {
  %y = tower.replicate towers = 6 slicing = balanced -> tensor<f32> {
    %i = tower.index : tensor<i32>
    %zero = nn.constant dense<0> : tensor<i32>
    %first = nn.compare eq %i, %zero : tensor<i32>
    %big = nn.constant dense<16777216.0> : tensor<f32>
    %one = nn.constant dense<1.0> : tensor<f32>
    %v = nn.select %first, %big, %one : tensor<f32>
    %s = tower.all_reduce sum %v : tensor<f32>
    tower.yield %s concat = [-1] : tensor<f32>
  }
  return %y : tensor<f32>
}

// UNROLLED: result 0: 5xi1 values = [1, 1, 1, 1, 1]
// UNROLLED-NEXT: result 1: i1 values = [1]
// UNROLLED-NEXT: result 2: i32 values = [3]
// UNROLLED-NEXT: result 3: i32 values = [1]
func.func @unrolled(%x: tensor<?xi32>) -> (tensor<?xi1>, tensor<i1>, tensor<i32>, tensor<i32>) {
  %x0 = tower.slice %x dim = 0 tower = 0 of 2 : tensor<?xi32>
  %x1 = tower.slice %x dim = 0 tower = 1 of 2 : tensor<?xi32>
  %s0 = nn.reduce sum %x0 dims = [0] : tensor<?xi32> -> tensor<i32>
  %s1 = nn.reduce sum %x1 dims = [0] : tensor<?xi32> -> tensor<i32>
  %r:2 = tower.all_reduce sum %s0, %s1 : tensor<i32>, tensor<i32>
  %y = tower.concat %x0, %x1 dim = 0 : tensor<?xi32>
  %o = tower.row_offset %x tower = 1 of 2 : tensor<?xi32>
  %i = tower.index tower = 1 of 2 : tensor<i32>
  %s = nn.reduce sum %x dims = [0] : tensor<?xi32> -> tensor<i32>
  %ye = nn.compare eq %y, %x : tensor<?xi32>
  %se = nn.compare eq %r#1, %s : tensor<i32>
  return %ye, %se, %o, %i : tensor<?xi1>, tensor<i1>, tensor<i32>, tensor<i32>
}
