// RUN: belfry-opt %s --check-against-single='pipeline=no-such-pass' -split-input-file -verify-diagnostics

// expected-error @below {{pipeline 'no-such-pass' cannot be built}}
module {
  func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}

// -----

// expected-error @below {{has no function to run}}
module {
}
