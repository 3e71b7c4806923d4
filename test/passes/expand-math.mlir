// RUN: belfry-opt %s --split-input-file --verify-diagnostics --expand-math | FileCheck %s

// exp in full: a rounded quotient by ln2, the remainder in two fused steps, a
// polynomial, and 2^n in two factors. NaN becomes the one NaN of all targets.

// CHECK-LABEL: func.func @exp(
// CHECK-SAME: %[[X:.*]]: f32
// CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %{{.*}} : f32
// CHECK: %[[LOW:.*]] = arith.select %[[BELOW]], %{{.*}}, %[[X]] : f32
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[LOW]], %{{.*}} : f32
// CHECK: %[[BOUNDED:.*]] = arith.select %[[ABOVE]], %{{.*}}, %[[LOW]] : f32
// CHECK: %[[SHIFTED:.*]] = math.fma %[[BOUNDED]], %{{.*}}, %[[SHIFT:.*]] : f32
// CHECK: %[[N:.*]] = arith.subf %[[SHIFTED]], %[[SHIFT]] : f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[SHIFTED]] : f32 to i32
// CHECK: math.fma %[[N]], %{{.*}}, %[[BOUNDED]] : f32
// CHECK-COUNT-6: math.fma
// CHECK: arith.shrui %[[BITS]]
// CHECK: math.fma
// CHECK: %[[R:.*]] = arith.mulf
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f32
// CHECK: %[[ONE_NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK: %[[OUT:.*]] = arith.select %[[NAN]], %[[ONE_NAN]], %[[R]] : f32
// CHECK: return %[[OUT]]
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

// Nothing of the math dialect stays but what is one instruction.

// CHECK-LABEL: func.func @all(
// CHECK-NOT: math.{{(exp|log|tanh|erf|sin|cos|rsqrt|powf)}}
// CHECK: return
func.func @all(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %exp = math.exp %x : f32
  %exp2 = math.exp2 %x : f32
  %expm1 = math.expm1 %x : f32
  %log = math.log %x : f32
  %log1p = math.log1p %x : f32
  %tanh = math.tanh %x : f32
  %erf = math.erf %x : f32
  %sin = math.sin %x : f32
  %cos = math.cos %x : f32
  %rsqrt = math.rsqrt %x : f32
  %pow = math.powf %x, %y : f32
  return %exp, %exp2, %expm1, %log, %log1p, %tanh, %erf, %sin, %cos, %rsqrt, %pow
      : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
}

// -----

// Vectors keep their shape, also scalable ones.

// CHECK-LABEL: func.func @vectors(
// CHECK-NOT: math.log1p
// CHECK: arith.bitcast %{{.*}} : vector<2x4xf64> to vector<2x4xi64>
// CHECK: arith.bitcast %{{.*}} : vector<[4]xf32> to vector<[4]xi32>
func.func @vectors(%x: vector<2x4xf64>, %y: vector<[4]xf32>) -> (vector<2x4xf64>, vector<[4]xf32>) {
  %0 = math.log1p %x : vector<2x4xf64>
  %1 = math.log1p %y : vector<[4]xf32>
  return %0, %1 : vector<2x4xf64>, vector<[4]xf32>
}

// -----

// Narrow formats are computed in f32.

// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: %[[X:.*]]: i16
// CHECK: arith.extui %[[X]] : i16 to i32
// CHECK: %[[R:.*]] = arith.trunci %{{.*}} : i32 to i16
// CHECK: return %[[R]]
func.func @narrow(%x: bf16) -> bf16 {
  %0 = math.tanh %x : bf16
  return %0 : bf16
}

// -----

// The logistic function is taken as a whole. In f32 the reciprocal starts from a subtraction of bits, and there is no
// division; in f64 it is exp of -|x|, and a division with one step of correction.

// CHECK-LABEL: func.func @sigmoid(
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-NOT: math.exp
// CHECK-NOT: arith.divf
// CHECK: arith.subi
// CHECK-COUNT-3: math.fma
// CHECK-NOT: arith.divf
// CHECK: return
func.func @sigmoid(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %0 = arith.negf %x : f32
  %1 = math.exp %0 : f32
  %2 = arith.addf %1, %one : f32
  %3 = arith.divf %one, %2 : f32
  return %3 : f32
}

// CHECK-LABEL: func.func @sigmoid_f64(
// CHECK-SAME: %[[X:.*]]: f64
// CHECK-NOT: math.exp
// CHECK: %[[A:.*]] = math.absf %[[X]] : f64
// CHECK: arith.negf %[[A]] : f64
// CHECK-COUNT-1: arith.divf
// CHECK-NOT: arith.divf
// CHECK: return
func.func @sigmoid_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %0 = arith.negf %x : f64
  %1 = math.exp %0 : f64
  %2 = arith.addf %1, %one : f64
  %3 = arith.divf %one, %2 : f64
  return %3 : f64
}

// -----

// Nor is there one in tanh of f32, nor a second formula beside the one that counts.

// CHECK-LABEL: func.func @tanh(
// CHECK-NOT: arith.divf
// CHECK-COUNT-2: arith.select
// CHECK-NOT: arith.select
// CHECK: return
func.func @tanh(%x: f32) -> f32 {
  %0 = math.tanh %x : f32
  return %0 : f32
}

// -----

// Parts of it that are used elsewhere stay, and are expanded by themselves.

// CHECK-LABEL: func.func @sigmoid_shared(
// CHECK-NOT: math.exp
// CHECK: return
func.func @sigmoid_shared(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %0 = arith.negf %x : vector<8xf32>
  %1 = math.exp %0 : vector<8xf32>
  %2 = arith.addf %one, %1 : vector<8xf32>
  %3 = arith.divf %one, %2 : vector<8xf32>
  return %1, %3 : vector<8xf32>, vector<8xf32>
}

// -----

// Tensors wait until they are tiled.

// CHECK-LABEL: func.func @tensors(
// CHECK: math.exp %{{.*}} : tensor<?xf32>
func.func @tensors(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Basic ops stay as they are.

// CHECK-LABEL: func.func @basic(
// CHECK: math.sqrt
// CHECK: math.floor
// CHECK: math.absf
func.func @basic(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.floor %0 : f32
  %2 = math.absf %1 : f32
  return %2 : f32
}

// -----

func.func @no_expansion(%x: f32) -> f32 {
  // expected-error @below {{'math.atan2' op has no expansion for type 'f32', and its bits would depend on the target's library}}
  %0 = math.atan2 %x, %x : f32
  return %0 : f32
}

// -----

func.func @no_format(%x: vector<4xf80>) -> vector<4xf80> {
  // expected-error @below {{'math.exp' op has no expansion for type 'vector<4xf80>', and its bits would depend on the target's library}}
  %0 = math.exp %x : vector<4xf80>
  return %0 : vector<4xf80>
}

// -----

func.func @narrow_sum(%x: f16) -> f16 {
  // expected-error@+1 {{'arith.addf' op computes with numbers of 16 bits, and its bits would depend on the target}}
  %0 = arith.addf %x, %x : f16
  return %0 : f16
}

// -----

// Integers go by way of f32, in both directions.
// CHECK-LABEL: func.func @integers
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK: arith.uitofp %{{.*}} : i1 to f32
// CHECK: arith.fptosi %{{.*}} : f32 to i32
func.func @integers(%x: i32, %c: i1) -> (bf16, f16, i32) {
  %0 = arith.sitofp %x : i32 to bf16
  %1 = arith.uitofp %c : i1 to f16
  %2 = arith.fptosi %1 : f16 to i32
  return %0, %1, %2 : bf16, f16, i32
}

// -----

// Conversions of the formats of 16 bits, and one that skips f32: arithmetic on
// bits. Numbers that are only moved are words, in memory too.
// CHECK-LABEL: func.func @conversions
// CHECK-SAME: (%{{.*}}: f32, %{{.*}}: f64, %{{.*}}: i16, %{{.*}}: i1, %{{.*}}: vector<8xi16>, %{{.*}}: memref<4xi16>)
// CHECK-SAME: -> (i16, i16, f64, i16, vector<8xf32>)
// CHECK-NOT: {{f16|arith.bitcast .* : i16}}
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i16
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xi32>
// CHECK: arith.constant 15360 : i16
// CHECK: memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<4xi16>
// CHECK-NOT: f16
func.func @conversions(%x: f32, %d: f64, %h: f16, %c: i1, %v: vector<8xf16>, %m: memref<4xf16>) -> (bf16, bf16, f64, f16, vector<8xf32>) {
  %0 = arith.truncf %x : f32 to bf16
  %1 = arith.truncf %d : f64 to bf16
  %2 = arith.extf %h : f16 to f64
  %3 = arith.truncf %x : f32 to f16
  %4 = arith.select %c, %h, %3 : f16
  %5 = arith.extf %v : vector<8xf16> to vector<8xf32>
  %one = arith.constant 1.0 : f16
  %i = arith.constant 2 : index
  memref.store %one, %m[%i] : memref<4xf16>
  return %0, %1, %2, %4, %5 : bf16, bf16, f64, f16, vector<8xf32>
}
