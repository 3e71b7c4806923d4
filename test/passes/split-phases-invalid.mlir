// RUN: belfry-opt %s --split-phases --split-input-file --verify-diagnostics

// expected-error @below {{argument 0 of 'f' has no role}}
func.func @f(%x: tensor<?x4xf32>) -> (tensor<?x4xf32> {nn.role = #nn.role<output>}) {
  %y = nn.unary exp %x : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// expected-error @below {{result 0 of 'f' is returned as the same in every tower, but differs}}
func.func @f(%x: tensor<?x4xf32> {nn.role = #nn.role<input>}) -> (tensor<4xf32> {nn.role = #nn.role<loss>}) {
  %o = tower.replicate towers = 2 slicing = balanced -> tensor<4xf32> {
    %xs = tower.slice %x dim = 0 : tensor<?x4xf32>
    %s = nn.reduce sum %xs dims = [0] : tensor<?x4xf32> -> tensor<4xf32>
    tower.yield %s concat = [-1] : tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

// -----

// expected-error @below {{result 0 of 'f' updates parameter 'k', which no argument is}}
func.func @f(%x: tensor<4xf32> {nn.role = #nn.role<input>}) -> (tensor<4xf32> {nn.role = #nn.role<parameter>, nn.name = "k"}) {
  %y = nn.unary exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @below {{result 0 of 'f' is joined along dimension 1; rows have to be its dimension 0}}
func.func @f(%x: tensor<?x4xf32> {nn.role = #nn.role<input>}) -> (tensor<4x?xf32> {nn.role = #nn.role<output>}) {
  %o = tower.replicate towers = 2 slicing = balanced -> tensor<4x?xf32> {
    %xs = tower.slice %x dim = 0 : tensor<?x4xf32>
    %t = nn.transpose %xs perm = [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
    tower.yield %t concat = [1] : tensor<4x?xf32>
  }
  return %o : tensor<4x?xf32>
}

// -----

func.func @f(%x: tensor<?x4xf32> {nn.role = #nn.role<input>}) -> (tensor<?x4xf32> {nn.role = #nn.role<output>}) {
  %o = tower.replicate towers = 2 slicing = balanced -> tensor<?x4xf32> {
    %xs = tower.slice %x dim = 0 : tensor<?x4xf32>
    %r = nn.reduce sum %x dims = [1] : tensor<?x4xf32> -> tensor<?xf32>
    %b = nn.broadcast %r dims = [0] : tensor<?xf32> -> tensor<?x4xf32>
    // expected-error @below {{is used by an op that runs for each tower; expected a tower.slice of it}}
    %v = nn.unary exp %b : tensor<?x4xf32>
    %y = nn.binary add %xs, %v : tensor<?x4xf32>
    tower.yield %y concat = [0] : tensor<?x4xf32>
  }
  return %o : tensor<?x4xf32>
}
