// RUN: belfry-opt %s --describe-program -split-input-file -verify-diagnostics

// expected-error@+1 {{expected a function @predict, @evaluate or @train}}
module {
  func.func @other(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    return %x : tensor<?x3xf32>
  }
}
