// RUN: belfry-opt %s --interpret='batch=10 precision=f64' -split-input-file -verify-diagnostics

// A strict policy names the batch, the towers and what would fit; one diagnostic for all towers.
// expected-note @below {{in tower 0 of 4}}
func.func @strict(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %y = tower.replicate towers = 4 slicing = strict -> tensor<?x2xf32> {
    // expected-error @below {{'tower.slice' op cannot cut 10 rows into 4 towers without a remainder; the nearest batch sizes are 8 and 12}}
    %xi = tower.slice %x dim = 0 : tensor<?x2xf32>
    tower.yield %xi concat = [0] : tensor<?x2xf32>
  }
  return %y : tensor<?x2xf32>
}

// -----

// Towers fail while another waits for them: nothing hangs.
// expected-note @below {{in tower 0 of 3}}
func.func @some_fail(%x: tensor<?x2xf32>) -> tensor<f32> {
  %y = tower.replicate towers = 3 slicing = last_takes_rest -> tensor<f32> {
    %xi = tower.slice %x dim = 0 : tensor<?x2xf32>
    %zi = tower.slice %x dim = 0 {slicing = #tower<slicing balanced>} : tensor<?x2xf32>
    // expected-error @below {{'nn.binary' op has operands of different shapes, 3x2xf64 and 4x2xf64}}
    %r = nn.binary add %xi, %zi : tensor<?x2xf32>
    %s = nn.reduce sum %r dims = [0, 1] : tensor<?x2xf32> -> tensor<f32>
    %a = tower.all_reduce sum %s : tensor<f32>
    tower.yield %a concat = [-1] : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

func.func @not_the_same(%x: tensor<?x2xf32>) -> tensor<f32> {
  %y = tower.replicate towers = 2 slicing = balanced -> tensor<f32> {
    %xi = tower.slice %x dim = 0 : tensor<?x2xf32>
    %s = nn.reduce sum %xi dims = [0, 1] : tensor<?x2xf32> -> tensor<f32>
    // expected-error @below {{'tower.yield' op says of value 0 that every tower has it, but tower 1 has another than tower 0}}
    tower.yield %s concat = [-1] : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

// expected-note @below {{in tower 0 of 2}}
func.func @no_sum(%x: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<f32> {
  %y = tower.replicate towers = 2 slicing = balanced -> tensor<f32> {
    %xi = tower.slice %x dim = 0 : tensor<?xf32>
    // expected-error @below {{'nn.binary' op has operands of different shapes, 5xf64 and 10xf64}}
    %b = nn.binary add %xi, %z : tensor<?xf32>
    %s = nn.reduce sum %b dims = [0] : tensor<?xf32> -> tensor<f32>
    %a = tower.all_reduce sum %s : tensor<f32>
    tower.yield %a concat = [-1] : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

func.func @no_rule(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'math.exp' op has no rule for the interpreter}}
  %y = math.exp %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @empty_table(%ids: tensor<?xi32>) -> tensor<?x2xf32> {
  %t = nn.constant dense<> : tensor<0x2xf32>
  // expected-error @below {{'nn.gather' op indexes a table that has no entries}}
  %y = nn.gather %t, %ids batch_dims = 0 : tensor<0x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// expected-error @below {{argument 0 has type 'index', which is no ranked tensor}}
func.func @no_tensor(%i: index) {
  return
}

// -----

// expected-error @below {{has no function to run}}
module {
}
