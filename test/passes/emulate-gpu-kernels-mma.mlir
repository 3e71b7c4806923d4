// RUN: belfry-opt %s --emulate-gpu-kernels --canonicalize --cse | FileCheck %s

// A product of warps is two loops over the threads: words are widened to where all lanes of the warp find them, then each thread adds to its own sums.
// Words and sums that other pieces read are kept for each thread; pairs of f16 are not, their words are.

// CHECK-LABEL: func.func private @product(
// CHECK-DAG: %[[A:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x16x16xf32>
// CHECK-DAG: %[[B:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x16x8xf32>
// CHECK-NOT: memref<64xvector
// CHECK: scf.for %[[T:[a-z0-9]+]] = %c0 to %c64
// CHECK: %[[WARP:.*]] = arith.divui %[[T]], %c32
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %c32
// CHECK-DAG: %[[QUAD:.*]] = arith.divui %[[LANE]], %c4
// CHECK-DAG: %[[IN:.*]] = arith.remui %[[LANE]], %c4
// CHECK: %[[TWICE:.*]] = arith.muli %[[IN]], %c2
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: arith.bitcast %{{.*}} : i16 to f16
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: memref.store %[[X]], %[[A]][%[[WARP]], %[[QUAD]], %[[TWICE]]]
// CHECK-COUNT-7: memref.store %{{.*}}, %[[A]]
// CHECK: memref.store %{{.*}}, %[[B]][%[[WARP]], %[[TWICE]], %[[QUAD]]]
// CHECK-COUNT-3: memref.store %{{.*}}, %[[B]]
// CHECK: scf.for %{{.*}} = %c0 to %c64
// CHECK: scf.for %[[K:.*]] = %c0 to %c16 step %c1 iter_args({{.*}}) -> (f32, f32, f32, f32)
// CHECK-COUNT-2: memref.load %[[A]]
// CHECK-NOT: scf.for
// CHECK-COUNT-4: math.fma
// CHECK: return
gpu.module @kernels {
  gpu.func @product(%p: !llvm.ptr, %q: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<64xi32>
    %y = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<64xf32>
    %v = memref.load %x[%t] : memref<64xi32>
    %f = llvm.bitcast %v : i32 to vector<2xf16>
    %d = nvvm.mma.sync A[%f, %f, %f, %f] B[%f, %f] C[%zero, %zero, %zero, %zero]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>,
       multiplicandBPtxType = #nvvm.mma_type<f16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
      : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %s = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %s, %y[%t] : memref<64xf32>
    gpu.return
  }
}
