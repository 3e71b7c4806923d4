// RUN: %raw-belfry-opt %s --insert-all-reduce --split-input-file --verify-diagnostics

// A tower's own number cannot become the same in every tower.
func.func @number(%x: tensor<?x3xf32>) -> tensor<i32> {
  %r = tower.replicate towers = 2 slicing = balanced -> tensor<i32> {
    %i = tower.index : tensor<i32>
    // expected-error@+1 {{needs operand 0 to be the same in every tower, but it is the tower's own}}
    tower.yield %i concat = [-1] : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

// An op whose meaning for towers is not known needs everything whole: rows are
// gathered, and what is a tower's own is refused.
func.func @unknown(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %r = tower.replicate towers = 2 slicing = balanced -> tensor<?x3xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    // expected-remark@+1 {{'tensor.cast' needs all rows of operand 0, which is gathered from all towers}}
    %y = tensor.cast %xi : tensor<?x3xf32> to tensor<?x3xf32>
    tower.yield %y concat = [0] : tensor<?x3xf32>
  }
  return %r : tensor<?x3xf32>
}
