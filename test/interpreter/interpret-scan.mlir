// RUN: belfry-opt %s --interpret='batch=3' | FileCheck %s

// Sums over time: forward and backward, with the running sum as output.
// CHECK-LABEL: func @cumulative
// CHECK-NEXT: result 0: i32 values = [6]
// CHECK-NEXT: result 1: 3xi32 values = [1, 3, 6]
// CHECK-NEXT: result 2: i32 values = [6]
// CHECK-NEXT: result 3: 3xi32 values = [6, 5, 3]
func.func @cumulative() -> (tensor<i32>, tensor<3xi32>, tensor<i32>, tensor<3xi32>) {
  %x = nn.constant dense<[1, 2, 3]> : tensor<3xi32>
  %zero = nn.constant dense<0> : tensor<i32>
  %s, %ys = nn.scan carry(%zero) sequences(%x) {
  ^bb0(%c: tensor<i32>, %e: tensor<i32>):
    %n = nn.binary add %c, %e : tensor<i32>
    nn.yield carry(%n) outputs(%n) : tensor<i32> outputs tensor<i32>
  } : (tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>)
  %r, %yr = nn.scan carry(%zero) sequences(%x) reverse {
  ^bb0(%c: tensor<i32>, %e: tensor<i32>):
    %n = nn.binary add %c, %e : tensor<i32>
    nn.yield carry(%n) outputs(%n) : tensor<i32> outputs tensor<i32>
  } : (tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>)
  return %s, %ys, %r, %yr : tensor<i32>, tensor<3xi32>, tensor<i32>, tensor<3xi32>
}

// Where a row is masked its carried value keeps and its outputs are zero; a closed value is the same in each step.
// CHECK-LABEL: func @masked
// CHECK-NEXT: result 0: 2xi32 values = [40, 52]
// CHECK-NEXT: result 1: 3x2xi32 values = [11, 0, 0, 32, 40, 52]
func.func @masked() -> (tensor<2xi32>, tensor<3x2xi32>) {
  %x = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %h = nn.constant dense<[0, 8]> : tensor<2xi32>
  %w = nn.constant dense<[10, 20]> : tensor<2xi32>
  %w2 = nn.constant dense<[24, 14]> : tensor<2xi32>
  %m = nn.constant dense<[[true, false], [false, true], [true, true]]> : tensor<3x2xi1>
  %s, %ys = nn.scan carry(%h) sequences(%x) closed(%w, %w2) mask(%m) {
  ^bb0(%c: tensor<2xi32>, %e: tensor<2xi32>, %a: tensor<2xi32>, %b: tensor<2xi32>):
    %n = nn.binary add %c, %e : tensor<2xi32>
    %five = nn.constant dense<[5, 5]> : tensor<2xi32>
    %is5 = nn.compare ge %e, %five : tensor<2xi32>
    %k = nn.select %is5, %b, %a : tensor<2xi32>
    %n2 = nn.binary add %n, %k : tensor<2xi32>
    nn.yield carry(%n2) outputs(%n2) : tensor<2xi32> outputs tensor<2xi32>
  } : (tensor<2xi32>, tensor<3x2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<3x2xi1>) -> (tensor<2xi32>, tensor<3x2xi32>)
  return %s, %ys : tensor<2xi32>, tensor<3x2xi32>
}

// Powers of two, by `length` alone.
// CHECK-LABEL: func @counted
// CHECK-NEXT: result 0: i32 values = [16]
func.func @counted() -> tensor<i32> {
  %one = nn.constant dense<1> : tensor<i32>
  %s = nn.scan carry(%one) length = 4 {
  ^bb0(%c: tensor<i32>):
    %n = nn.binary add %c, %c : tensor<i32>
    nn.yield carry(%n) : tensor<i32>
  } : (tensor<i32>) -> (tensor<i32>)
  return %s : tensor<i32>
}
