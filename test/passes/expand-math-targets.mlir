// RUN: belfry-opt %s --expand-math --lower-affine --convert-scf-to-cf --finalize-memref-to-llvm --convert-math-to-llvm \
// RUN:   --convert-arith-to-llvm --convert-cf-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts -o %t.mlir
// RUN: %llvm-tools/mlir-translate --mlir-to-llvmir %t.mlir -o %t.ll
// RUN: %llvm-tools/opt -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 %t.ll -o %t.v3.bc
// RUN: %llvm-tools/llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 %t.v3.bc -o - | FileCheck %s --check-prefixes=CHECK,V3 --implicit-check-not=call
// RUN: %llvm-tools/opt -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 -mattr=-prefer-256-bit %t.ll -o %t.v4.bc
// RUN: %llvm-tools/llc -O3 -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4 -mattr=-prefer-256-bit %t.v4.bc -o - | FileCheck %s --check-prefixes=CHECK,V4 --implicit-check-not=call
// RUN: %llvm-tools/opt -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 %t.ll -o %t.ptx.bc
// RUN: %llvm-tools/llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 %t.ptx.bc -o - | FileCheck %s --check-prefixes=PTX --implicit-check-not=call \
// RUN:   --implicit-check-not=ftz --implicit-check-not=approx --implicit-check-not='{{(add|sub|mul|fma|div|sqrt|rcp)[.]f(32|64)}}'
// REQUIRES: opt, llc

// On CPUs LLVM's vectorizer turns a loop over any expansion into vector code. For GPUs each op names its rounding mode, without
// which ptxas would be free to fuse. Nowhere is a library called.

// PTX: fma.rn.f32


// CHECK-LABEL: exp_f32:
// V3: vfm{{.*}}ps {{.*}}%ymm
// V4: vfm{{.*}}ps {{.*}}%zmm
func.func @exp_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %r = math.exp %x : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: exp_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @exp_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %r = math.exp %x : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// CHECK-LABEL: exp2_f32:
// V3: vfm{{.*}}ps {{.*}}%ymm
// V4: vfm{{.*}}ps {{.*}}%zmm
func.func @exp2_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %r = math.exp2 %x : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: exp2_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @exp2_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %r = math.exp2 %x : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// CHECK-LABEL: expm1_f32:
// V3: vfm{{.*}}ps {{.*}}%ymm
// V4: vfm{{.*}}ps {{.*}}%zmm
func.func @expm1_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %r = math.expm1 %x : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: expm1_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @expm1_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %r = math.expm1 %x : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// CHECK-LABEL: log_f32:
// V3: vfm{{.*}}ps {{.*}}%ymm
// V4: vfm{{.*}}ps {{.*}}%zmm
func.func @log_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %r = math.log %x : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: log_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @log_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %r = math.log %x : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// CHECK-LABEL: log1p_f32:
// V3: vfm{{.*}}ps {{.*}}%ymm
// V4: vfm{{.*}}ps {{.*}}%zmm
func.func @log1p_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %r = math.log1p %x : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: log1p_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @log1p_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %r = math.log1p %x : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// CHECK-LABEL: tanh_f32:
// V3: vfm{{.*}}ps {{.*}}%ymm
// V4: vfm{{.*}}ps {{.*}}%zmm
func.func @tanh_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %r = math.tanh %x : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: tanh_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @tanh_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %r = math.tanh %x : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// CHECK-LABEL: sigmoid_f32:
// V3: vfm{{.*}}ps {{.*}}%ymm
// V4: vfm{{.*}}ps {{.*}}%zmm
func.func @sigmoid_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %one = arith.constant 1.0 : f32
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    %s = arith.addf %one, %e : f32
    %r = arith.divf %one, %s : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: sigmoid_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @sigmoid_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %one = arith.constant 1.0 : f64
    %n = arith.negf %x : f64
    %e = math.exp %n : f64
    %s = arith.addf %one, %e : f64
    %r = arith.divf %one, %s : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// CHECK-LABEL: erf_f32:
// V3: vfm{{.*}}ps {{.*}}%ymm
// V4: vfm{{.*}}ps {{.*}}%zmm
func.func @erf_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %r = math.erf %x : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: erf_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @erf_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %r = math.erf %x : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// CHECK-LABEL: sin_f32:
// V3: vfm{{.*}}ps {{.*}}%ymm
// V4: vfm{{.*}}ps {{.*}}%zmm
func.func @sin_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %r = math.sin %x : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: sin_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @sin_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %r = math.sin %x : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// CHECK-LABEL: cos_f32:
// V3: vfm{{.*}}ps {{.*}}%ymm
// V4: vfm{{.*}}ps {{.*}}%zmm
func.func @cos_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %r = math.cos %x : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: cos_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @cos_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %r = math.cos %x : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// CHECK-LABEL: rsqrt_f32:
// V3: vdivps {{.*}}%ymm
// V4: vdivps {{.*}}%zmm
func.func @rsqrt_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %r = math.rsqrt %x : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: rsqrt_f64:
// V3: vdivpd {{.*}}%ymm
// V4: vdivpd {{.*}}%zmm
func.func @rsqrt_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %r = math.rsqrt %x : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}

// Powers of f32 are computed in f64.
// CHECK-LABEL: powf_f32:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @powf_f32(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf32>
    %y = affine.load %out[%i] : memref<1024xf32>
    %r = math.powf %x, %y : f32
    affine.store %r, %out[%i] : memref<1024xf32>
  }
  return
}

// CHECK-LABEL: powf_f64:
// V3: vfm{{.*}}pd {{.*}}%ymm
// V4: vfm{{.*}}pd {{.*}}%zmm
func.func @powf_f64(%in: memref<1024xf64>, %out: memref<1024xf64>) {
  affine.for %i = 0 to 1024 {
    %x = affine.load %in[%i] : memref<1024xf64>
    %y = affine.load %out[%i] : memref<1024xf64>
    %r = math.powf %x, %y : f64
    affine.store %r, %out[%i] : memref<1024xf64>
  }
  return
}
