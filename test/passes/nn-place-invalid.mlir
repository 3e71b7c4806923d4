// RUN: split-file %s %t
// RUN: belfry-opt %t/gpu.mlir --nn-place=device=gpu -verify-diagnostics
// RUN: belfry-opt %t/cpu.mlir --nn-place -verify-diagnostics

// All ops without a kernel are listed, by layer and kind.
//--- gpu.mlir
func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}, %k: tensor<3x3xf32> {nn.role = #nn.role<parameter>})
    -> (tensor<?x3xf32> {nn.role = #nn.role<output>}) {
  // expected-error@+1 {{no kernel on 'gpu' for 'nn.dot', 'tensor<?x3xf32>'}}
  %y = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x3xf32> -> tensor<?x3xf32>
  // expected-error@+1 {{no kernel on 'gpu' for 'nn.unary', 'tensor<?x3xf32>' (2 of them)}}
  %z = nn.unary tanh %y : tensor<?x3xf32>
  %w = nn.unary tanh %z : tensor<?x3xf32>
  // expected-error@unknown {{no kernel on 'gpu' for 'nn.unary' of layer 'head', 'tensor<?x3xf32>'}}
  %v = nn.unary exp %w : tensor<?x3xf32> loc("head")
  return %v : tensor<?x3xf32>
}

//--- cpu.mlir
func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}) -> (tensor<?x3xf32> {nn.role = #nn.role<output>}) {
  %r = tower.replicate towers = 2 slicing = balanced -> tensor<?x3xf32> {
    // expected-error@+1 {{no kernel on 'cpu' for 'tower.reduce_scatter'}}
    %y = tower.reduce_scatter sum %x dim = 0 : tensor<?x3xf32>
    tower.yield %y concat = [0] : tensor<?x3xf32>
  }
  return %r : tensor<?x3xf32>
}
