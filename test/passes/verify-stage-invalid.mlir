// RUN: split-file %s %t
// RUN: belfry-opt %t/import.mlir --verify-stage=stage=import -split-input-file -verify-diagnostics
// RUN: belfry-opt %t/train-step.mlir --verify-stage=stage=train-step -split-input-file -verify-diagnostics
// RUN: belfry-opt %t/parallel.mlir --verify-stage=stage=parallel -split-input-file -verify-diagnostics
// RUN: belfry-opt %t/placed.mlir --verify-stage=stage=placed -split-input-file -verify-diagnostics
// RUN: belfry-opt %t/lowered.mlir --verify-stage=stage=lowered -split-input-file -verify-diagnostics
// RUN: belfry-opt %t/bufferized.mlir --verify-stage=stage=bufferized -split-input-file -verify-diagnostics
// RUN: belfry-opt %t/target.mlir --verify-stage=stage=target -split-input-file -verify-diagnostics

//--- import.mlir
// expected-error@+1 {{after stage 'import': expected one nn.model, got 0}}
module {
}

// -----

module {
  // expected-error@+1 {{after stage 'import': 'func.func' comes with a later stage}}
  func.func @predict(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    return %x : tensor<?x3xf32>
  }
}

//--- train-step.mlir
// expected-error@+1 {{after stage 'train-step': 'nn.model' should have become functions of core ops}}
nn.model @m(%x: tensor<?x3xf32> {nn.name = "x"}) -> (tensor<?x3xf32> {nn.name = "y"}) {
  // expected-error@+1 {{after stage 'train-step': 'nn.activation' is a layer, which should have been decomposed}}
  %y = nn.activation tanh %x : tensor<?x3xf32>
  // expected-error@+1 {{after stage 'train-step': 'nn.return' should have become functions of core ops}}
  nn.return %y : tensor<?x3xf32>
}

// -----

// expected-error@+1 {{after stage 'train-step': argument 0 of 'predict' has no nn.role}}
func.func @predict(%x: tensor<?x3xf32>) -> (tensor<?x3xf32> {nn.role = #nn.role<output>}) {
  return %x : tensor<?x3xf32>
}

// -----

// expected-error@+1 {{after stage 'train-step': result 0 of 'predict' has no nn.role}}
func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}) -> tensor<?x3xf32> {
  return %x : tensor<?x3xf32>
}

//--- parallel.mlir
// expected-error@+1 {{after stage 'parallel': expected one tower.replicate in 'predict', got 0}}
func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}) -> (tensor<?x3xf32> {nn.role = #nn.role<output>}) {
  return %x : tensor<?x3xf32>
}

// -----

func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}) -> (tensor<?x3xf32> {nn.role = #nn.role<output>}) {
  // expected-error@+1 {{after stage 'parallel': 'tower.all_reduce' stands outside of tower.replicate (2 of them)}}
  %y = tower.all_reduce sum %x : tensor<?x3xf32>
  %z = tower.all_reduce sum %y : tensor<?x3xf32>
  return %z : tensor<?x3xf32>
}

//--- placed.mlir
func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}) -> (tensor<?x3xf32> {nn.role = #nn.role<output>}) {
  %r = tower.replicate towers = 2 slicing = balanced -> tensor<?x3xf32> {
    %xi = tower.slice %x dim = 0 : tensor<?x3xf32>
    // expected-error@+1 {{after stage 'placed': 'nn.unary' has no tower.placement}}
    %y = nn.unary tanh %xi : tensor<?x3xf32>
    tower.yield %y concat = [0] : tensor<?x3xf32>
  }
  return %r : tensor<?x3xf32>
}

//--- lowered.mlir
func.func @p(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{after stage 'lowered': 'nn.unary' should have been lowered}}
  %y = nn.unary tanh %x : tensor<?x3xf32>
  return
}

// -----

// expected-error@+1 {{after stage 'lowered': expected 'belfry.phases' and 'belfry.functions'}}
module {
}

// -----

// expected-error@+1 {{after stage 'lowered': there is no phase function @gone}}
module attributes {belfry.phases = [@gone], belfry.functions = {}} {
}

// -----

func.func @p(%x: tensor<3xf32>) {
  // expected-error@+1 {{after stage 'lowered': 'tensor.cast' works on tensors, which should have become buffers}}
  %y = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  return
}

//--- bufferized.mlir
func.func @p() {
  // expected-error@+1 {{after stage 'bufferized': 'memref.alloc' allocates, but every buffer should be an argument}}
  %a = memref.alloc() : memref<3xf32>
  return
}

//--- target.mlir
// expected-error@+1 {{after stage 'target': 'func.func' should have become LLVM dialect}}
func.func @p() {
  // expected-error@+1 {{after stage 'target': 'func.return' should have become LLVM dialect}}
  return
}
