// RUN: belfry-opt %s -split-input-file -verify-diagnostics

// nn.dense: the rank.
func.func @dense_rank(%x: tensor<3xf32>, %k: tensor<3x4xf32>) {
  // expected-error@+1 {{'nn.dense' op input has type 'tensor<3xf32>', expected rank 2 or more}}
  %0 = nn.dense %x, %k : tensor<3xf32>, tensor<3x4xf32> -> tensor<4xf32>
  return
}

// -----

// nn.dense: a static last dimension.
func.func @dense_last(%x: tensor<3x?xf32>, %k: tensor<3x4xf32>) {
  // expected-error@+1 {{'nn.dense' op contracts the last dimension of 'tensor<3x?xf32>', which is dynamic}}
  %0 = nn.dense %x, %k : tensor<3x?xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
  return
}

// -----

// nn.dense: the kernel.
func.func @dense_kernel(%x: tensor<?x3xf32>, %k: tensor<5x4xf32>) {
  // expected-error@+1 {{'nn.dense' op kernel has type 'tensor<5x4xf32>', expected 'tensor<3x4xf32>'}}
  %0 = nn.dense %x, %k : tensor<?x3xf32>, tensor<5x4xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @dense_kernel_rank(%x: tensor<?x3xf32>, %k: tensor<3xf32>) {
  // expected-error@+1 {{'nn.dense' op kernel has type 'tensor<3xf32>', expected rank 2}}
  %0 = nn.dense %x, %k : tensor<?x3xf32>, tensor<3xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @dense_kernel_dynamic(%x: tensor<?x3xf32>, %k: tensor<3x?xf32>) {
  // expected-error@+1 {{'nn.dense' op kernel has type 'tensor<3x?xf32>', expected a static one}}
  %0 = nn.dense %x, %k : tensor<?x3xf32>, tensor<3x?xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.dense: the bias.
func.func @dense_bias(%x: tensor<?x3xf32>, %k: tensor<3x4xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'nn.dense' op bias has type 'tensor<3xf32>', expected 'tensor<4xf32>'}}
  %0 = nn.dense %x, %k bias %b : tensor<?x3xf32>, tensor<3x4xf32>, tensor<3xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.dense: the result.
func.func @dense_result(%x: tensor<?x3xf32>, %k: tensor<3x4xf32>) {
  // expected-error@+1 {{'nn.dense' op result has type 'tensor<?x3xf32>', expected 'tensor<?x4xf32>'}}
  %0 = nn.dense %x, %k : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x3xf32>
  return
}

// -----

// nn.dense: element types.
func.func @dense_elements(%x: tensor<?x3xf32>, %k: tensor<3x4xf64>) {
  // expected-error@+1 {{'nn.dense' op has element types 'f32' and 'f64'}}
  %0 = nn.dense %x, %k : tensor<?x3xf32>, tensor<3x4xf64> -> tensor<?x4xf32>
  return
}

// -----

// nn.activation: whose options.
func.func @activation_alpha(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{'nn.activation' op 'tanh' has no 'alpha'}}
  %0 = nn.activation tanh %x {alpha = 0.3} : tensor<?x3xf32>
  return
}

// -----

func.func @activation_max_value(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{'nn.activation' op 'elu' has no 'max_value'}}
  %0 = nn.activation elu %x {max_value = 6.0} : tensor<?x3xf32>
  return
}

// -----

func.func @activation_infinite(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{'nn.activation' op 'alpha': expected a finite number, got inf}}
  %0 = nn.activation elu %x {alpha = 0x7FF0000000000000 : f64} : tensor<?x3xf32>
  return
}

// -----

// nn.dropout: the rate.
func.func @dropout_rate(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{'nn.dropout' op 'rate': expected a number from 0 to 1, got 1.5}}
  %0 = nn.dropout %x {rate = 1.5, stream = 0 : i32} : tensor<?x3xf32>
  return
}

// -----

// nn.dropout: noise_shape.
func.func @dropout_entries(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{'nn.dropout' op noise_shape has 1 entries, but the rank is 2}}
  %0 = nn.dropout %x {rate = 0.5, stream = 0 : i32, noise_shape = array<i64: -1>} : tensor<?x3xf32>
  return
}

// -----

func.func @dropout_noise(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{'nn.dropout' op noise_shape has 2 at dimension 1 of 'tensor<?x3xf32>', expected -1, 1 or the extent}}
  %0 = nn.dropout %x {rate = 0.5, stream = 0 : i32, noise_shape = array<i64: -1, 2>} : tensor<?x3xf32>
  return
}

// -----

// nn.masking: the rank.
func.func @masking_rank(%x: tensor<?xf32>) {
  // expected-error@+1 {{'nn.masking' op input has type 'tensor<?xf32>', expected rank 2 or more}}
  %0, %1 = nn.masking %x {mask_value = 0.0} : tensor<?xf32> -> tensor<?xf32>, tensor<i1>
  return
}

// -----

// nn.masking: the results.
func.func @masking_result(%x: tensor<?x9x3xf32>) {
  // expected-error@+1 {{'nn.masking' op result has type 'tensor<?x9x4xf32>', expected 'tensor<?x9x3xf32>'}}
  %0, %1 = nn.masking %x {mask_value = 0.0} : tensor<?x9x3xf32> -> tensor<?x9x4xf32>, tensor<?x9xi1>
  return
}

// -----

func.func @masking_mask(%x: tensor<?x9x3xf32>) {
  // expected-error@+1 {{'nn.masking' op mask has type 'tensor<?x9x3xi1>', expected 'tensor<?x9xi1>'}}
  %0, %1 = nn.masking %x {mask_value = 0.0} : tensor<?x9x3xf32> -> tensor<?x9x3xf32>, tensor<?x9x3xi1>
  return
}

// -----

// nn.embedding: the table.
func.func @embedding_table(%i: tensor<?x5xi32>, %t: tensor<100xf32>) {
  // expected-error@+1 {{'nn.embedding' op table has type 'tensor<100xf32>', expected rank 2}}
  %0 = nn.embedding %i, %t : tensor<?x5xi32>, tensor<100xf32> -> tensor<?x5x8xf32>
  return
}

// -----

func.func @embedding_dynamic(%i: tensor<?x5xi32>, %t: tensor<?x8xf32>) {
  // expected-error@+1 {{'nn.embedding' op table has type 'tensor<?x8xf32>', expected a static one}}
  %0 = nn.embedding %i, %t : tensor<?x5xi32>, tensor<?x8xf32> -> tensor<?x5x8xf32>
  return
}

// -----

// nn.embedding: the result.
func.func @embedding_result(%i: tensor<?x5xi32>, %t: tensor<100x8xf32>) {
  // expected-error@+1 {{'nn.embedding' op result has type 'tensor<?x5x7xf32>', expected 'tensor<?x5x8xf32>'}}
  %0 = nn.embedding %i, %t : tensor<?x5xi32>, tensor<100x8xf32> -> tensor<?x5x7xf32>
  return
}

// -----

// nn.embedding: the mask.
func.func @embedding_no_mask(%i: tensor<?x5xi32>, %t: tensor<100x8xf32>) {
  // expected-error@+1 {{'nn.embedding' op has mask_zero, but no mask}}
  %0 = nn.embedding %i, %t {mask_zero} : tensor<?x5xi32>, tensor<100x8xf32> -> tensor<?x5x8xf32>
  return
}

// -----

func.func @embedding_needless_mask(%i: tensor<?x5xi32>, %t: tensor<100x8xf32>) {
  // expected-error@+1 {{'nn.embedding' op has a mask, but not mask_zero}}
  %0, %1 = nn.embedding %i, %t : tensor<?x5xi32>, tensor<100x8xf32> -> tensor<?x5x8xf32>, tensor<?x5xi1>
  return
}

// -----

func.func @embedding_mask(%i: tensor<?x5xi32>, %t: tensor<100x8xf32>) {
  // expected-error@+1 {{'nn.embedding' op mask has type 'tensor<?xi1>', expected 'tensor<?x5xi1>'}}
  %0, %1 = nn.embedding %i, %t {mask_zero} : tensor<?x5xi32>, tensor<100x8xf32> -> tensor<?x5x8xf32>, tensor<?xi1>
  return
}

// -----

// nn.flatten: static but the first.
func.func @flatten_dynamic(%x: tensor<3x?xf32>) {
  // expected-error@+1 {{'nn.flatten' op flattens dimension 1 of 'tensor<3x?xf32>', which is dynamic}}
  %0 = nn.flatten %x : tensor<3x?xf32> -> tensor<3x?xf32>
  return
}

// -----

// nn.flatten: the result.
func.func @flatten_result(%x: tensor<?x3x4xf32>) {
  // expected-error@+1 {{'nn.flatten' op result has type 'tensor<?x7xf32>', expected 'tensor<?x12xf32>'}}
  %0 = nn.flatten %x : tensor<?x3x4xf32> -> tensor<?x7xf32>
  return
}

// -----

// nn.repeat_vector: ranks.
func.func @repeat_rank(%x: tensor<?x3x4xf32>) {
  // expected-error@+1 {{'nn.repeat_vector' op input has type 'tensor<?x3x4xf32>', expected rank 2}}
  %0 = nn.repeat_vector %x : tensor<?x3x4xf32> -> tensor<?x7x4xf32>
  return
}

// -----

// nn.repeat_vector: how often.
func.func @repeat_zero(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.repeat_vector' op repeats to 'tensor<?x0x4xf32>', expected at least 1 time}}
  %0 = nn.repeat_vector %x : tensor<?x4xf32> -> tensor<?x0x4xf32>
  return
}

// -----

// nn.repeat_vector: the result.
func.func @repeat_result(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.repeat_vector' op result has type 'tensor<?x7x5xf32>', expected 'tensor<?x7x4xf32>'}}
  %0 = nn.repeat_vector %x : tensor<?x4xf32> -> tensor<?x7x5xf32>
  return
}

// -----

// nn.concatenate: inputs.
func.func @concatenate_none() {
  // expected-error@+1 {{'nn.concatenate' op has no inputs}}
  %0 = "nn.concatenate"() {axis = 1 : i64} : () -> tensor<?x4xf32>
  return
}

// -----

// nn.concatenate: the axis.
func.func @concatenate_batch(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.concatenate' op joins along axis 0 of 'tensor<?x4xf32>', expected one after the batch's}}
  %0 = nn.concatenate %x, %x axis = 0 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.concatenate: extents.
func.func @concatenate_extents(%x: tensor<?x4xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{'nn.concatenate' op joins 'tensor<?x4xf32>' and 'tensor<2x4xf32>' along axis 1}}
  %0 = nn.concatenate %x, %y axis = 1 : tensor<?x4xf32>, tensor<2x4xf32> -> tensor<?x8xf32>
  return
}

// -----

// nn.concatenate: the result.
func.func @concatenate_result(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.concatenate' op result has type 'tensor<?x7xf32>', expected 'tensor<?x8xf32>'}}
  %0 = nn.concatenate %x, %x axis = 1 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x7xf32>
  return
}

// -----

// nn.add: two inputs.
func.func @add_one(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.add' op has 1 inputs, expected at least 2}}
  %0 = nn.add %x : tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.add: element types.
func.func @add_elements(%x: tensor<?x4xf32>, %y: tensor<?x4xf64>) {
  // expected-error@+1 {{'nn.add' op has element types 'f32' and 'f64'}}
  %0 = nn.add %x, %y : tensor<?x4xf32>, tensor<?x4xf64> -> tensor<?x4xf32>
  return
}

// -----

// nn.add: extents.
func.func @add_extents(%x: tensor<?x4xf32>, %y: tensor<?x3xf32>) {
  // expected-error@+1 {{'nn.add' op adds 'tensor<?x4xf32>' and 'tensor<?x3xf32>', whose dimensions do not agree}}
  %0 = nn.add %x, %y : tensor<?x4xf32>, tensor<?x3xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @add_batch(%x: tensor<?x4xf32>, %y: tensor<1x4xf32>) {
  // expected-error@+1 {{'nn.add' op adds 'tensor<?x4xf32>' and 'tensor<1x4xf32>', whose dimensions do not agree}}
  %0 = nn.add %x, %y : tensor<?x4xf32>, tensor<1x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.add: the result.
func.func @add_result(%x: tensor<?x4xf32>, %y: tensor<?x3x1xf32>) {
  // expected-error@+1 {{'nn.add' op result has type 'tensor<?x4xf32>', expected 'tensor<?x3x4xf32>'}}
  %0 = nn.add %x, %y : tensor<?x4xf32>, tensor<?x3x1xf32> -> tensor<?x4xf32>
  return
}
