// RUN: belfry-opt %s --interpret='function=known precision=f64' | FileCheck %s --check-prefix=KNOWN
// RUN: belfry-opt %s --interpret='function=towers batch=6 seed=3 towers=1' > %t.1
// RUN: belfry-opt %s --interpret='function=towers batch=6 seed=3 towers=4' > %t.4
// RUN: sed 's/towers = 1/towers = 4/' %t.1 | diff - %t.4

// The known answer of Random123 for philox4x32-10 with a counter and a key of zeros: 6627e8d5 e169c58d bc57ac4c
// 9b00dbd8; uniform and normal numbers from those words by the formulas of docs/architecture.md.
// KNOWN: result 0: 1x4xi32 values = [1713891541, -513161843, -1135104948, -1694442536]
// KNOWN-NEXT: result 1: 4xi1 values = [1, 1, 1, 1]
// KNOWN-NEXT: result 2: 1x4xf64 values = [0.399046421, 0.880520165, 0.735712767, 0.605481803]
// KNOWN-NEXT: result 3: 1x4xf64 values = [0.991137475, -0.92466278, -0.617609055, -0.482068347]
// A row offset is added to the row.
// KNOWN-NEXT: result 4: i1 values = [1]
func.func @known() -> (tensor<1x4xi32>, tensor<4xi1>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<i1>) {
  %seed = nn.constant dense<0> : tensor<2xi32>
  %step = nn.constant dense<0> : tensor<i32>
  %bits = nn.random bits seed %seed step %step stream = 0 -> tensor<1x4xi32>
  // Words of the first block do not depend on how many blocks a row has.
  %long = nn.random bits seed %seed step %step stream = 0 -> tensor<3x2x3xi32>
  %row = nn.reshape %long : tensor<3x2x3xi32> -> tensor<3x6xi32>
  %first = nn.slice %row start = [0, 0] limit = [1, 4] stride = [1, 1] : tensor<3x6xi32> -> tensor<1x4xi32>
  %equal = nn.compare eq %first, %bits : tensor<1x4xi32>
  %same = nn.reshape %equal : tensor<1x4xi1> -> tensor<4xi1>
  %u = nn.random uniform seed %seed step %step stream = 0 -> tensor<1x4xf32>
  %n = nn.random normal seed %seed step %step stream = 0 -> tensor<1x4xf32>
  %two = nn.constant dense<2> : tensor<i32>
  %shifted = nn.random bits seed %seed step %step row_offset %two stream = 0 -> tensor<1x6xi32>
  %last = nn.slice %row start = [2, 0] limit = [3, 6] stride = [1, 1] : tensor<3x6xi32> -> tensor<1x6xi32>
  %is = nn.compare eq %shifted, %last : tensor<1x6xi32>
  %all = nn.reduce and %is dims = [0, 1] : tensor<1x6xi1> -> tensor<i1>
  return %bits, %same, %u, %n, %all : tensor<1x4xi32>, tensor<4xi1>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<i1>
}

// A row gets the same numbers on whichever tower it lands.
func.func @towers(%x: tensor<?x4xf32>, %seed: tensor<2xi32> {nn.role = #nn.role<seed>}) -> tensor<?x3xf32> {
  %step = nn.constant dense<7> : tensor<i32>
  %y = tower.replicate towers = 2 slicing = balanced -> tensor<?x3xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x4xf32>
    %o = tower.row_offset %x : tensor<?x4xf32>
    %r = nn.random normal seed %seed step %step row_offset %o stream = 5 like %xi : tensor<?x4xf32> -> tensor<?x3xf32>
    tower.yield %r concat = [0] : tensor<?x3xf32>
  }
  return %y : tensor<?x3xf32>
}
