// RUN: belfry-opt %s -split-input-file -verify-diagnostics

// nn.gather: batch dimensions.
func.func @gather_batch(%t: tensor<4x1000xf32>, %i: tensor<4xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.gather' op has 2 batch dimensions, but a table of rank 2 and ids of rank 1}}
  %0 = nn.gather %t, %i batch_dims = 2 : tensor<4x1000xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

// nn.gather: batch extents.
func.func @gather_extents(%t: tensor<5x1000xf32>, %i: tensor<4xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.gather' op has batch dimension 0 of 'tensor<5x1000xf32>' and 'tensor<4xi32>'}}
  %0 = nn.gather %t, %i batch_dims = 1 : tensor<5x1000xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

// nn.gather: the result.
func.func @gather_result(%t: tensor<1000x16xf32>, %i: tensor<?x5xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<?x5x16xf32>' are incompatible with return type(s) of operation 'tensor<?x5x8xf32>'}}
  %0 = nn.gather %t, %i batch_dims = 0 : tensor<1000x16xf32>, tensor<?x5xi32> -> tensor<?x5x8xf32>
  return
}

// -----

// nn.gather: ids are integers.
func.func @gather_ids(%t: tensor<1000x16xf32>, %i: tensor<?x5xf32>) {
  // expected-error@+1 {{operand #1 must be ranked tensor of i32 with at most one dynamic dimension}}
  %0 = "nn.gather"(%t, %i) {batch_dims = 0 : i64} : (tensor<1000x16xf32>, tensor<?x5xf32>) -> tensor<?x5x16xf32>
  return
}

// -----

func.func @gather_wide_ids(%t: tensor<1000x16xf32>, %i: tensor<?x5xi64>) {
  // expected-error@+1 {{'nn.gather' op operand #1 must be ranked tensor of i32 with at most one dynamic dimension, but got 'tensor<?x5xi64>'}}
  %0 = nn.gather %t, %i batch_dims = 0 : tensor<1000x16xf32>, tensor<?x5xi64> -> tensor<?x5x16xf32>
  return
}

// -----

// nn.random: what it gives is a contract.
func.func @random_f16(%seed: tensor<2xi32>, %step: tensor<i32>, %x: tensor<?x4xf16>) {
  // expected-error@+1 {{'nn.random' op result #0 must be ranked tensor of i32, f32 or f64 with at most one dynamic dimension, but got 'tensor<?x4xf16>'}}
  %0 = nn.random uniform seed %seed step %step stream = 7 like %x : tensor<?x4xf16> -> tensor<?x4xf16>
  return
}

// -----

// nn.scatter_add: batch dimensions.
func.func @scatter_batch(%t: tensor<4x1000xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) {
  // expected-error@+1 {{'nn.scatter_add' op has 2 batch dimensions, but a table of rank 2 and ids of rank 1}}
  %0 = nn.scatter_add %t, %i, %u batch_dims = 2 : tensor<4x1000xf32>, tensor<4xi32>, tensor<4xf32>
  return
}

// -----

// nn.scatter_add: batch extents.
func.func @scatter_extents(%t: tensor<5x1000xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) {
  // expected-error@+1 {{'nn.scatter_add' op has batch dimension 0 of 'tensor<5x1000xf32>' and 'tensor<4xi32>'}}
  %0 = nn.scatter_add %t, %i, %u batch_dims = 1 : tensor<5x1000xf32>, tensor<4xi32>, tensor<4xf32>
  return
}

// -----

// nn.scatter_add: the updates.
func.func @scatter_updates(%t: tensor<1000x16xf32>, %i: tensor<?x5xi32>, %u: tensor<?x5x8xf32>) {
  // expected-error@+1 {{'nn.scatter_add' op operand 'updates' has type 'tensor<?x5x8xf32>', expected 'tensor<?x5x16xf32>'}}
  %0 = nn.scatter_add %t, %i, %u batch_dims = 0 : tensor<1000x16xf32>, tensor<?x5xi32>, tensor<?x5x8xf32>
  return
}

// -----

// nn.iota: within the rank.
func.func @iota_rank() {
  // expected-error@+1 {{'nn.iota' op dim has dimension 1, but the rank is 1}}
  %0 = nn.iota dim = 1 -> tensor<4xi32>
  return
}

// -----

// nn.iota: static.
func.func @iota_dynamic(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.iota' op counts along dimension 0, which is dynamic}}
  %0 = nn.iota dim = 0 like %x : tensor<?x4xf32> -> tensor<?x4xi32>
  return
}

// -----

// nn.iota: `like`.
func.func @iota_like() {
  // expected-error@+1 {{'nn.iota' op has a new dynamic dimension, but no operand 'like' to give its extent}}
  %0 = nn.iota dim = 1 -> tensor<?x4xi32>
  return
}

// -----

func.func @iota_needless_like(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.iota' op has an operand 'like', but no new dynamic dimension}}
  %0 = nn.iota dim = 0 like %x : tensor<?x4xf32> -> tensor<4xi32>
  return
}

// -----

// nn.dim_size: within the rank.
func.func @dim_size(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.dim_size' op dim has dimension 2, but the rank is 2}}
  %0 = nn.dim_size %x dim = 2 : tensor<?x4xf32>
  return
}

// -----

// nn.random: element types.
func.func @random_bits(%seed: tensor<2xi32>, %step: tensor<i32>) {
  // expected-error@+1 {{'nn.random' op 'bits' does not give elements of type 'f32'}}
  %0 = nn.random bits seed %seed step %step stream = 7 -> tensor<4xf32>
  return
}

// -----

func.func @random_uniform(%seed: tensor<2xi32>, %step: tensor<i32>) {
  // expected-error@+1 {{'nn.random' op 'uniform' does not give elements of type 'i32'}}
  %0 = nn.random uniform seed %seed step %step stream = 7 -> tensor<4xi32>
  return
}

// -----

// nn.random: rows.
func.func @random_scalar(%seed: tensor<2xi32>, %step: tensor<i32>) {
  // expected-error@+1 {{'nn.random' op gives a scalar, but needs a leading dimension for the rows}}
  %0 = nn.random uniform seed %seed step %step stream = 7 -> tensor<f32>
  return
}

// -----

func.func @random_rows(%seed: tensor<2xi32>, %step: tensor<i32>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.random' op has the dynamic dimension 1, but rows are the leading one}}
  %0 = nn.random uniform seed %seed step %step stream = 7 like %x : tensor<?x4xf32> -> tensor<4x?xf32>
  return
}

// -----

// nn.random: `like`.
func.func @random_like(%seed: tensor<2xi32>, %step: tensor<i32>) {
  // expected-error@+1 {{'nn.random' op has a new dynamic dimension, but no operand 'like' to give its extent}}
  %0 = nn.random uniform seed %seed step %step stream = 7 -> tensor<?x4xf32>
  return
}
