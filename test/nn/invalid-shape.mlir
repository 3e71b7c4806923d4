// RUN: belfry-opt %s -split-input-file -verify-diagnostics

// nn.broadcast: an entry an operand dimension.
func.func @broadcast_entries(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.broadcast' op dims has 2 entries, but the operand's rank is 1}}
  %0 = nn.broadcast %x dims = [0, 1] : tensor<4xf32> -> tensor<4x3xf32>
  return
}

// -----

// nn.broadcast: within the rank.
func.func @broadcast_rank(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.broadcast' op dims has dimension 2, but the rank is 2}}
  %0 = nn.broadcast %x dims = [2] : tensor<4xf32> -> tensor<4x3xf32>
  return
}

// -----

// nn.broadcast: strictly increasing.
func.func @broadcast_order(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op dims is not increasing}}
  %0 = nn.broadcast %x dims = [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @broadcast_twice(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op dims has dimension 0 twice}}
  %0 = nn.broadcast %x dims = [0, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  return
}

// -----

// nn.broadcast: extents agree.
func.func @broadcast_extents(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.broadcast' op matches dimension 0 of 'tensor<4xf32>' with dimension 1 of 'tensor<4x3xf32>'}}
  %0 = nn.broadcast %x dims = [1] : tensor<4xf32> -> tensor<4x3xf32>
  return
}

// -----

// nn.broadcast: element types agree.
func.func @broadcast_elements(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.broadcast' op makes 'f64' of 'f32'}}
  %0 = nn.broadcast %x dims = [0] : tensor<4xf32> -> tensor<4x3xf64>
  return
}

// -----

// nn.broadcast: `like` is needed.
func.func @broadcast_no_like(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.broadcast' op has a new dynamic dimension, but no operand 'like' to give its extent}}
  %0 = nn.broadcast %x dims = [1] : tensor<4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.broadcast: `like` is not needed.
func.func @broadcast_needless_like(%x: tensor<?xf32>) {
  // expected-error@+1 {{'nn.broadcast' op has an operand 'like', but no new dynamic dimension}}
  %0 = nn.broadcast %x dims = [0] like %x : tensor<?xf32>, tensor<?xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.broadcast: `like` has a dynamic dimension.
func.func @broadcast_static_like(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.broadcast' op takes the extent of its dynamic dimension from 'tensor<4xf32>', which has none}}
  %0 = nn.broadcast %x dims = [1] like %x : tensor<4xf32>, tensor<4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.reduce: within the rank.
func.func @reduce_rank(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.reduce' op dims has dimension 2, but the rank is 2}}
  %0 = nn.reduce sum %x dims = [2] : tensor<?x4xf32> -> tensor<?xf32>
  return
}

// -----

// nn.reduce: strictly increasing.
func.func @reduce_order(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.reduce' op dims is not increasing}}
  %0 = nn.reduce sum %x dims = [1, 0] : tensor<?x4xf32> -> tensor<f32>
  return
}

// -----

// nn.reduce: the kind fits.
func.func @reduce_and_of_floats(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.reduce' op 'and' does not take elements of type 'f32'}}
  %0 = nn.reduce and %x dims = [1] : tensor<?x4xf32> -> tensor<?xf32>
  return
}

// -----

func.func @reduce_sum_of_bools(%x: tensor<?x4xi1>) {
  // expected-error@+1 {{'nn.reduce' op 'sum' does not take elements of type 'i1'}}
  %0 = nn.reduce sum %x dims = [1] : tensor<?x4xi1> -> tensor<?xi1>
  return
}

// -----

// nn.reduce: the result.
func.func @reduce_result(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<?xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  %0 = nn.reduce sum %x dims = [1] : tensor<?x4xf32> -> tensor<4xf32>
  return
}

// -----

// nn.argmax: within the rank.
func.func @argmax_rank(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.argmax' op dim has dimension 2, but the rank is 2}}
  %0 = nn.argmax %x dim = 2 : tensor<?x4xf32> -> tensor<?xi32>
  return
}

// -----

// nn.argmax: static.
func.func @argmax_dynamic(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.argmax' op looks for the largest along dimension 0 of 'tensor<?x4xf32>', which has to be static and not empty}}
  %0 = nn.argmax %x dim = 0 : tensor<?x4xf32> -> tensor<4xi32>
  return
}

// -----

// nn.argmax: not empty.
func.func @argmax_empty(%x: tensor<?x0xf32>) {
  // expected-error@+1 {{'nn.argmax' op looks for the largest along dimension 1 of 'tensor<?x0xf32>', which has to be static and not empty}}
  %0 = nn.argmax %x dim = 1 : tensor<?x0xf32> -> tensor<?xi32>
  return
}

// -----

// nn.transpose: each dimension once.
func.func @transpose_twice(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.transpose' op perm has dimension 1 twice}}
  %0 = nn.transpose %x perm = [1, 1] : tensor<?x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @transpose_entries(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.transpose' op perm has 1 entries, but the rank is 2}}
  %0 = nn.transpose %x perm = [0] : tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.reshape: element types.
func.func @reshape_elements(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.reshape' op makes 'f64' of 'f32'}}
  %0 = nn.reshape %x : tensor<4xf32> -> tensor<2x2xf64>
  return
}

// -----

// nn.reshape: a dynamic dimension on both sides or on neither.
func.func @reshape_dynamic(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.reshape' op makes 'tensor<8xf32>' of 'tensor<?x4xf32>': both sides have a dynamic dimension, or neither}}
  %0 = nn.reshape %x : tensor<?x4xf32> -> tensor<8xf32>
  return
}

// -----

// nn.reshape: as many elements.
func.func @reshape_count(%x: tensor<6xf32>) {
  // expected-error@+1 {{'nn.reshape' op makes 'tensor<2x4xf32>' (8 elements) of 'tensor<6xf32>' (6 elements)}}
  %0 = nn.reshape %x : tensor<6xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @reshape_multiple(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.reshape' op makes 'tensor<?x6xf32>' of 'tensor<?x4xf32>': 4 elements a row and 6 are no multiples}}
  %0 = nn.reshape %x : tensor<?x4xf32> -> tensor<?x6xf32>
  return
}

// -----

// nn.slice: an entry a dimension.
func.func @slice_entries(%x: tensor<?x8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.slice' op start has 1 entries, but the rank is 2}}
  %0 = nn.slice %x start = [0] limit = [-1, 6] stride = [1, 1] : tensor<?x8xf32> -> tensor<?x6xf32>
  return
}

// -----

// nn.slice: within the extent.
func.func @slice_range(%x: tensor<?x8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.slice' op takes elements 2 to 9 by 1 of dimension 1, which has 8}}
  %0 = nn.slice %x start = [0, 2] limit = [-1, 9] stride = [1, 1] : tensor<?x8xf32> -> tensor<?x7xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<?x8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.slice' op takes elements 2 to 8 by 0 of dimension 1, which has 8}}
  %0 = nn.slice %x start = [0, 2] limit = [-1, 8] stride = [1, 0] : tensor<?x8xf32> -> tensor<?x7xf32>
  return
}

// -----

// nn.slice: a dynamic dimension is taken whole.
func.func @slice_dynamic(%x: tensor<?x8xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.slice' op takes a part of dimension 0, which is dynamic and can only be taken whole}}
  %0 = nn.slice %x start = [1, 0] limit = [-1, 8] stride = [1, 1] : tensor<?x8xf32> -> tensor<?x8xf32>
  return
}

// -----

// nn.pad: an entry a dimension.
func.func @pad_entries(%x: tensor<?x4xf32>, %v: tensor<f32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.pad' op high has 1 entries, but the rank is 2}}
  %0 = nn.pad %x, %v low = [0, 1] high = [0] interior = [0, 0] : tensor<?x4xf32> -> tensor<?x5xf32>
  return
}

// -----

// nn.pad: not negative.
func.func @pad_negative(%x: tensor<?x4xf32>, %v: tensor<f32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.pad' op has a negative width at dimension 1}}
  %0 = nn.pad %x, %v low = [0, -1] high = [0, 0] interior = [0, 0] : tensor<?x4xf32> -> tensor<?x3xf32>
  return
}

// -----

// nn.pad: zeros at a dynamic dimension.
func.func @pad_dynamic(%x: tensor<?x4xf32>, %v: tensor<f32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.pad' op pads dimension 0, which is dynamic}}
  %0 = nn.pad %x, %v low = [1, 0] high = [0, 0] interior = [0, 0] : tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.pad: the value.
func.func @pad_value(%x: tensor<?x4xf32>, %v: tensor<1xf32>) {
  // expected-error@+1 {{'nn.pad' op value has type 'tensor<1xf32>', expected 'tensor<f32>'}}
  %0 = "nn.pad"(%x, %v) {low = array<i64: 0, 1>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>} : (tensor<?x4xf32>, tensor<1xf32>) -> tensor<?x5xf32>
  return
}

// -----

// nn.reverse: within the rank.
func.func @reverse_rank(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.reverse' op dims has dimension 2, but the rank is 2}}
  %0 = nn.reverse %x dims = [2] : tensor<?x4xf32>
  return
}

// -----

// nn.reverse: at most once.
func.func @reverse_twice(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.reverse' op dims has dimension 1 twice}}
  %0 = nn.reverse %x dims = [1, 1] : tensor<?x4xf32>
  return
}

// -----

// nn.reverse: one type.
func.func @reverse_type(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.reverse' op has values of different types, 'tensor<?x4xf32>' and 'tensor<2x4xf32>'}}
  %0 = "nn.reverse"(%x) {dims = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// nn.concat: an operand.
func.func @concat_none() {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.concat' op has no operands}}
  %0 = "nn.concat"() {dim = 0 : i64} : () -> tensor<4xf32>
  return
}

// -----

// nn.concat: within the rank.
func.func @concat_rank(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.concat' op dim has dimension 2, but the rank is 2}}
  %0 = nn.concat %x, %x dim = 2 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x8xf32>
  return
}

// -----

// nn.concat: static.
func.func @concat_dynamic(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.concat' op joins along dimension 0, which is dynamic}}
  %0 = nn.concat %x, %x dim = 0 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.concat: the other extents agree.
func.func @concat_extents(%x: tensor<?x4xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.concat' op joins 'tensor<?x4xf32>' and 'tensor<2x4xf32>', which differ beyond dimension 1}}
  %0 = nn.concat %x, %y dim = 1 : tensor<?x4xf32>, tensor<2x4xf32> -> tensor<?x8xf32>
  return
}

// -----

// nn.concat: the result.
func.func @concat_result(%x: tensor<?x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<?x8xf32>' are incompatible with return type(s) of operation 'tensor<?x7xf32>'}}
  %0 = nn.concat %x, %x dim = 1 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x7xf32>
  return
}
