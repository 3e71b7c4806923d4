// RUN: belfry-opt %s -split-input-file -verify-diagnostics

// nn.constant: the value is dense or splat.
func.func @constant_sparse() {
  // expected-error@+1 {{'nn.constant' op has a value that is no dense elements attribute}}
  %0 = nn.constant sparse<[[0]], [1.0]> : tensor<4xf32>
  return
}

// -----

// nn.constant: the value has the result's type.
func.func @constant_type() {
  // expected-error@+1 {{'nn.constant' op failed to verify that all of {value, result} have same type}}
  %0 = "nn.constant"() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<3xf32>
  return
}

// -----

// Any op: element types.
func.func @element_type(%x: tensor<?x4xi16>) {
  // expected-error@+1 {{'nn.unary' op operand #0 must be ranked tensor of i1, i8, i32, i64, f16, bf16, f32 or f64 with at most one dynamic dimension, but got 'tensor<?x4xi16>'}}
  %0 = nn.unary neg %x : tensor<?x4xi16>
  return
}

// -----

func.func @element_type_f8(%x: tensor<?x4xf8E4M3FN>) {
  // expected-error@+1 {{'nn.binary' op operand #0 must be ranked tensor of i1, i8, i32, i64, f16, bf16, f32 or f64 with at most one dynamic dimension, but got 'tensor<?x4xf8E4M3FN>'}}
  %0 = nn.binary add %x, %x : tensor<?x4xf8E4M3FN>
  return
}

// -----

func.func @element_type_unsigned(%x: tensor<?x4xui8>) {
  // expected-error@+1 {{'nn.convert' op operand #0 must be ranked tensor of i1, i8, i32, i64, f16, bf16, f32 or f64 with at most one dynamic dimension, but got 'tensor<?x4xui8>'}}
  %0 = nn.convert %x : tensor<?x4xui8> -> tensor<?x4xf32>
  return
}

// -----

// Any op: one dynamic dimension at most.
func.func @two_dynamic(%x: tensor<?x?xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of i1, i8, i32, i64, f16, bf16, f32 or f64 with at most one dynamic dimension, but got 'tensor<?x?xf32>'}}
  %0 = nn.unary tanh %x : tensor<?x?xf32>
  return
}

// -----

// nn.unary: the kind fits the element type.
func.func @unary_tanh_of_integers(%x: tensor<?x4xi32>) {
  // expected-error@+1 {{'nn.unary' op 'tanh' does not take elements of type 'i32'}}
  %0 = nn.unary tanh %x : tensor<?x4xi32>
  return
}

// -----

func.func @unary_exp_of_bytes(%x: tensor<?x4xi8>) {
  // expected-error@+1 {{'nn.unary' op 'exp' does not take elements of type 'i8'}}
  %0 = nn.unary exp %x : tensor<?x4xi8>
  return
}

// -----

func.func @unary_not_of_i64(%x: tensor<?x4xi64>) {
  // expected-error@+1 {{'nn.unary' op 'not' does not take elements of type 'i64'}}
  %0 = nn.unary not %x : tensor<?x4xi64>
  return
}

// -----

func.func @binary_pow_of_i64(%x: tensor<?x4xi64>) {
  // expected-error@+1 {{'nn.binary' op 'pow' does not take elements of type 'i64'}}
  %0 = nn.binary pow %x, %x : tensor<?x4xi64>
  return
}

// -----

func.func @binary_and_of_bf16(%x: tensor<?x4xbf16>) {
  // expected-error@+1 {{'nn.binary' op 'and' does not take elements of type 'bf16'}}
  %0 = nn.binary and %x, %x : tensor<?x4xbf16>
  return
}

// -----

func.func @unary_not_of_floats(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.unary' op 'not' does not take elements of type 'f32'}}
  %0 = nn.unary not %x : tensor<?x4xf32>
  return
}

// -----

func.func @unary_neg_of_bools(%x: tensor<?x4xi1>) {
  // expected-error@+1 {{'nn.unary' op 'neg' does not take elements of type 'i1'}}
  %0 = nn.unary neg %x : tensor<?x4xi1>
  return
}

// -----

// nn.unary: the result's element type.
func.func @unary_is_finite(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.unary' op result has type 'tensor<?x4xf32>', expected 'tensor<?x4xi1>'}}
  %0 = nn.unary is_finite %x : tensor<?x4xf32>
  return
}

// -----

// nn.unary: the result's shape, a dynamic extent being no static one.
func.func @unary_shape(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.unary' op has values of different shapes, 'tensor<?x4xf32>' and 'tensor<2x4xf32>'}}
  %0 = nn.unary tanh %x : tensor<?x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @unary_unknown(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected one of [neg, abs, sign, exp, expm1, log, log1p, sqrt, rsqrt, tanh, sigmoid, erf, sin, cos, floor, ceil, not, is_finite]}}
  %0 = nn.unary swish %x : tensor<4xf32>
  return
}

// -----

// nn.binary: one type.
func.func @binary_types(%x: tensor<?x4xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{'nn.binary' op has values of different types, 'tensor<?x4xf32>' and 'tensor<2x4xf32>'}}
  %0 = "nn.binary"(%x, %y) {kind = #nn<binary_kind add>} : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// nn.binary: the kind fits the element type.
func.func @binary_and_of_floats(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.binary' op 'and' does not take elements of type 'f32'}}
  %0 = nn.binary and %x, %x : tensor<?x4xf32>
  return
}

// -----

func.func @binary_pow_of_integers(%x: tensor<?x4xi32>) {
  // expected-error@+1 {{'nn.binary' op 'pow' does not take elements of type 'i32'}}
  %0 = nn.binary pow %x, %x : tensor<?x4xi32>
  return
}

// -----

func.func @binary_add_of_bools(%x: tensor<?x4xi1>) {
  // expected-error@+1 {{'nn.binary' op 'add' does not take elements of type 'i1'}}
  %0 = nn.binary add %x, %x : tensor<?x4xi1>
  return
}

// -----

// nn.compare: operands of one type.
func.func @compare_types(%x: tensor<?x4xf32>, %y: tensor<?x4xi32>) {
  // expected-error@+1 {{'nn.compare' op failed to verify that all of {lhs, rhs} have same type}}
  %0 = "nn.compare"(%x, %y) {kind = #nn<compare_kind eq>} : (tensor<?x4xf32>, tensor<?x4xi32>) -> tensor<?x4xi1>
  return
}

// -----

// nn.compare: the result has their shape.
func.func @compare_shape(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.compare' op has values of different shapes, 'tensor<?x4xf32>' and 'tensor<2x4xi1>'}}
  %0 = "nn.compare"(%x, %x) {kind = #nn<compare_kind eq>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<2x4xi1>
  return
}

// -----

// nn.select: one shape.
func.func @select_shape(%m: tensor<2x4xi1>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.select' op has values of different shapes, 'tensor<2x4xi1>' and 'tensor<?x4xf32>'}}
  %0 = "nn.select"(%m, %x, %x) : (tensor<2x4xi1>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// nn.convert: one shape.
func.func @convert_shape(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.convert' op has values of different shapes, 'tensor<?x4xf32>' and 'tensor<2x4xi32>'}}
  %0 = nn.convert %x : tensor<?x4xf32> -> tensor<2x4xi32>
  return
}
