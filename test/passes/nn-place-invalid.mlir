// RUN: split-file %s %t
// RUN: belfry-opt %t/gpu.mlir --nn-place='device=gpu disable=dot' -verify-diagnostics
// RUN: belfry-opt %t/cpu.mlir --nn-place -verify-diagnostics

// All ops without a kernel are listed; on a GPU as --verify-gpu-coverage does.
//--- gpu.mlir
func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}, %k: tensor<3x3xf32> {nn.role = #nn.role<parameter>})
    -> (tensor<?x3xf32> {nn.role = #nn.role<output>}) {
  // expected-error@+1 {{'nn.dot' of f32 has no kernel for GPUs: the family 'dot' is taken out}}
  %y = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x3xf32> -> tensor<?x3xf32>
  %z = nn.unary tanh %y : tensor<?x3xf32>
  return %z : tensor<?x3xf32>
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
