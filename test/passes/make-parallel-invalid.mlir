// RUN: %raw-belfry-opt %s --make-parallel=towers=2 --split-input-file --verify-diagnostics

// expected-error@+1 {{argument 0 of 'f' has type 'tensor<3x?xf32>', but its first dimension has to be the batch's}}
func.func @f(%x: tensor<3x?xf32> {nn.role = #nn.role<input>}) -> tensor<3x?xf32> {
  return %x : tensor<3x?xf32>
}

// -----

// expected-error@+1 {{argument 0 of 'f' has type 'tensor<16x3xf32>', but its first dimension has to be the batch's}}
func.func @f(%x: tensor<16x3xf32> {nn.role = #nn.role<input>}) -> tensor<16x3xf32> {
  return %x : tensor<16x3xf32>
}

// -----

// expected-error@+1 {{function 'f' runs in towers already}}
func.func @f(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}) -> tensor<?x3xf32> {
  %y = tower.replicate towers = 2 slicing = balanced -> tensor<?x3xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    tower.yield %xi concat = [0] : tensor<?x3xf32>
  }
  return %y : tensor<?x3xf32>
}

// -----

// expected-warning@+1 {{model 'm' has no functions to replicate; --nn-build-train-step makes them}}
nn.model @m(%x: tensor<?x2xf32> {nn.name = "x"}) -> (tensor<?x2xf32> {nn.name = "y"}) {
  nn.return %x : tensor<?x2xf32>
}
