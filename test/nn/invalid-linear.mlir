// RUN: belfry-opt %s -split-input-file -verify-diagnostics

// nn.dot: element types.
func.func @dot_types(%x: tensor<?x3xf16>, %k: tensor<3x4xbf16>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.dot' op multiplies 'f16' by 'bf16'}}
  %0 = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf16>, tensor<3x4xbf16> -> tensor<?x4xf16>
  return
}

// -----

// nn.dot: the result is of the sides' type, or f32 for 16 bits.
func.func @dot_result(%x: tensor<?x3xbf16>, %k: tensor<3x4xbf16>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.dot' op inferred type(s) 'tensor<?x4xbf16>' are incompatible with return type(s) of operation 'tensor<?x4xf64>'}}
  %0 = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xbf16>, tensor<3x4xbf16> -> tensor<?x4xf64>
  return
}

// -----

func.func @dot_of_wide(%x: tensor<?x3xf64>, %k: tensor<3x4xf64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.dot' op inferred type(s) 'tensor<?x4xf64>' are incompatible with return type(s) of operation 'tensor<?x4xf32>'}}
  %0 = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf64>, tensor<3x4xf64> -> tensor<?x4xf32>
  return
}

// -----

func.func @dot_of_bools(%x: tensor<?x3xi1>, %k: tensor<3x4xi1>) {
  // expected-error@+1 {{'nn.dot' op operand #0 must be ranked tensor of i8, i32, i64, f16, bf16, f32 or f64 with at most one dynamic dimension, but got 'tensor<?x3xi1>'}}
  %0 = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xi1>, tensor<3x4xi1> -> tensor<?x4xi1>
  return
}

// -----

// nn.conv2d: floats only.
func.func @conv_of_bytes(%x: tensor<?x8x8x1xi8>, %k: tensor<3x3x1x16xi8>) {
  // expected-error@+1 {{'nn.conv2d' op operand #0 must be ranked tensor of f16, bf16, f32 or f64 with at most one dynamic dimension, but got 'tensor<?x8x8x1xi8>'}}
  %y = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8x1xi8>, tensor<3x3x1x16xi8> -> tensor<?x8x8x16xi8>
  return
}

// -----

// nn.dot: the lists of a pair have one length.
func.func @dot_lengths(%x: tensor<?x3xf32>, %k: tensor<3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.dot' op has lists of different lengths}}
  %0 = nn.dot %x, %k contract = [1] * [] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.dot: no dimension twice.
func.func @dot_twice(%x: tensor<?x3xf32>, %k: tensor<3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.dot' op left side has dimension 1 twice}}
  %0 = nn.dot %x, %k contract = [1, 1] * [0, 1] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?xf32>
  return
}

// -----

// nn.dot: within the rank.
func.func @dot_rank(%x: tensor<?x3xf32>, %k: tensor<3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.dot' op right side has dimension 2, but the rank is 2}}
  %0 = nn.dot %x, %k contract = [1] * [2] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.dot: extents agree.
func.func @dot_extents(%x: tensor<?x3xf32>, %k: tensor<4x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.dot' op matches dimension 1 of 'tensor<?x3xf32>' with dimension 0 of 'tensor<4x4xf32>'}}
  %0 = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.dot: element types agree.
func.func @dot_elements(%x: tensor<?x3xf32>, %k: tensor<3x4xf64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.dot' op multiplies 'f32' by 'f64'}}
  %0 = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf64> -> tensor<?x4xf32>
  return
}

// -----

// nn.dot: at most one dynamic dimension in the result.
func.func @dot_dynamic(%x: tensor<?x3xf32>, %k: tensor<?x3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{'nn.dot' op has a result with two dynamic dimensions}}
  %0 = nn.dot %x, %k contract = [1] * [1] : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x4xf32>
  return
}

// -----

// nn.dot: the result.
func.func @dot_result(%x: tensor<?x3xf32>, %k: tensor<3x4xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{inferred type(s) 'tensor<?x4xf32>' are incompatible with return type(s) of operation 'tensor<?x5xf32>'}}
  %0 = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x5xf32>
  return
}

// -----

// nn.conv2d: ranks.
func.func @conv_rank(%x: tensor<?x8x8xf32>, %k: tensor<3x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d' op takes and gives tensors of rank 4, got 'tensor<?x8x8xf32>'}}
  %0 = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x16xf32>
  return
}

// -----

// nn.conv2d: element types.
func.func @conv_elements(%x: tensor<?x8x8x1xf32>, %k: tensor<3x3x1x16xf64>) {
  // expected-error@+1 {{'nn.conv2d' op has element types 'f32' and 'f64'}}
  %0 = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8x1xf32>, tensor<3x3x1x16xf64> -> tensor<?x8x8x16xf32>
  return
}

// -----

// nn.conv2d: a static kernel.
func.func @conv_kernel(%x: tensor<?x8x8x1xf32>, %k: tensor<?x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d' op has a kernel 'tensor<?x3x1x16xf32>' that is not static}}
  %0 = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8x1xf32>, tensor<?x3x1x16xf32> -> tensor<?x8x8x16xf32>
  return
}

// -----

// nn.conv2d: static space.
func.func @conv_space(%x: tensor<1x?x8x1xf32>, %k: tensor<3x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d' op has the dynamic dimension 1 in 'tensor<1x?x8x1xf32>', but only the first may be}}
  %0 = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<1x?x8x1xf32>, tensor<3x3x1x16xf32> -> tensor<1x?x8x16xf32>
  return
}

// -----

// nn.conv2d: lists.
func.func @conv_strides(%x: tensor<?x8x8x1xf32>, %k: tensor<3x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d' op strides has 1 entries, expected 2}}
  %0 = nn.conv2d %x, %k strides = [1] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x16xf32>
  return
}

// -----

func.func @conv_stride_zero(%x: tensor<?x8x8x1xf32>, %k: tensor<3x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d' op strides has 0, expected at least 1}}
  %0 = nn.conv2d %x, %k strides = [1, 0] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x16xf32>
  return
}

// -----

func.func @conv_dilations(%x: tensor<?x8x8x1xf32>, %k: tensor<3x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d' op dilations has 0, expected at least 1}}
  %0 = nn.conv2d %x, %k strides = [1, 1] dilations = [0, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x16xf32>
  return
}

// -----

func.func @conv_padding(%x: tensor<?x8x8x1xf32>, %k: tensor<3x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d' op padding has -1, expected at least 0}}
  %0 = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, -1]
     : tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x16xf32>
  return
}

// -----

// nn.conv2d: channels.
func.func @conv_channels(%x: tensor<?x8x8x2xf32>, %k: tensor<3x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d' op has 2 input channels, but the kernel 1}}
  %0 = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8x2xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x16xf32>
  return
}

// -----

// nn.conv2d: the kernel fits.
func.func @conv_fits(%x: tensor<?x2x8x1xf32>, %k: tensor<3x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d' op has a kernel of extent 5, which does not fit into the 4 of dimension 1}}
  %0 = nn.conv2d %x, %k strides = [1, 1] dilations = [2, 1] padding = [1, 1, 1, 1]
     : tensor<?x2x8x1xf32>, tensor<3x3x1x16xf32> -> tensor<?x1x8x16xf32>
  return
}

// -----

// nn.conv2d: the result.
func.func @conv_result(%x: tensor<?x8x8x1xf32>, %k: tensor<3x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d' op convolution's result has type 'tensor<?x8x8x16xf32>', expected 'tensor<?x4x6x16xf32>'}}
  %0 = nn.conv2d %x, %k strides = [2, 1] dilations = [1, 1] padding = [1, 1, 0, 0]
     : tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32> -> tensor<?x8x8x16xf32>
  return
}

// -----

// nn.conv2d_input_grad.
func.func @conv_input_grad(%dy: tensor<?x8x8x16xf32>, %k: tensor<3x3x1x16xf32>) {
  // expected-error@+1 {{'nn.conv2d_input_grad' op convolution's result has type 'tensor<?x8x8x16xf32>', expected 'tensor<?x7x8x16xf32>'}}
  %0 = nn.conv2d_input_grad %dy, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8x16xf32>, tensor<3x3x1x16xf32> -> tensor<?x7x8x1xf32>
  return
}

// -----

// nn.conv2d_kernel_grad.
func.func @conv_kernel_grad(%x: tensor<?x8x8x1xf32>, %dy: tensor<?x8x8x16xf32>) {
  // expected-error@+1 {{'nn.conv2d_kernel_grad' op has 1 input channels, but the kernel 2}}
  %0 = nn.conv2d_kernel_grad %x, %dy strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1]
     : tensor<?x8x8x1xf32>, tensor<?x8x8x16xf32> -> tensor<3x3x2x16xf32>
  return
}
