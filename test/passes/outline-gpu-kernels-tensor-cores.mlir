// RUN: belfry-opt %s --split-input-file --outline-gpu-kernels --canonicalize --cse | FileCheck %s
// RUN: belfry-opt %s --split-input-file --outline-gpu-kernels=tensor-cores=false --canonicalize --cse | FileCheck %s --check-prefix=PLAIN

// A product of bf16 in a tile of 64 × 64: panels are words of two elements, 32 deep, and 8 warps have 16 rows and 32 columns each. A stage is twice 16
// deep: a warp loads four words of A and two of B for each 8 columns. The grid is that of any product. Without tensor cores what is loaded is widened.

// CHECK-LABEL: func.func private @large_p0(
// CHECK: gpu.launch_func @kernels::@dot_0
// CHECK: gpu.func @dot_0(%[[A:[a-z0-9]+]]: memref<?x96xbf16>, %[[B:[a-z0-9]+]]: memref<96x128xbf16>, %[[C:[a-z0-9]+]]: memref<?x128xf32>)
// CHECK-SAME: workgroup(%[[L:[a-z0-9]+]] : memref<64x20xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[R:[a-z0-9]+]] : memref<64x20xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK: memref.load %[[A]]{{.*}} : memref<?x96xbf16>
// CHECK: arith.bitcast %{{.*}} : bf16 to i16
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, i32, i32, i32, i32, i32, i32, i32, i32)
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.store %{{.*}}, %[[L]]
// CHECK-COUNT-4: memref.store %{{.*}}, %[[R]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load %[[L]]
// CHECK-COUNT-2: memref.load %[[R]]
// CHECK: %[[D:.*]] = nvvm.mma.sync A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]
// CHECK-SAME: multiplicandAPtxType = #nvvm.mma_type<bf16>
// CHECK-SAME: shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK-SAME: (i32, i32, f32)
// CHECK-COUNT-4: llvm.extractvalue %[[D]]
// CHECK-COUNT-7: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK-COUNT-16: memref.store %{{.*}}, %[[C]]
// CHECK: gpu.return

// PLAIN-LABEL: func.func private @large_p0(
// PLAIN: gpu.func @dot_0(%[[A:[a-z0-9]+]]: memref<?x96xbf16>, %{{.*}}: memref<96x128xbf16>, %{{.*}}: memref<?x128xf32>)
// PLAIN-SAME: workgroup(%{{.*}} : memref<16x68xf32
// PLAIN: %[[X:.*]] = memref.load %[[A]]
// PLAIN: arith.extf %[[X]] : bf16 to f32
// PLAIN-NOT: nvvm
// PLAIN-COUNT-16: math.fma
// PLAIN: gpu.return
func.func private @large_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?x96xbf16> {belfry.buffer = 0 : i64, belfry.extent = 100 : i64}, %b: memref<96x128xbf16> {belfry.buffer = 1 : i64},
    %c: memref<?x128xf32> {belfry.buffer = 2 : i64, belfry.extent = 100 : i64}) attributes {belfry.function = "f"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x128xf32>)
  linalg.matmul ins(%a, %b : memref<?x96xbf16>, memref<96x128xbf16>) outs(%c : memref<?x128xf32>)
  return
}

// -----

// Of f16, in tiles of 16 × 16: two warps have one, and four groups of warps share the sums, 16 of 64 each. What is beyond the end of a sum is 0.

// CHECK-LABEL: func.func private @small_p0(
// CHECK: gpu.func @dot_0(
// CHECK-SAME: workgroup(%{{.*}} : memref<16x36xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %{{.*}} : memref<16x36xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[W:[a-z0-9]+]] : memref<4x128xf32, #gpu.address_space<workgroup>>)
// CHECK: arith.select %{{.*}}, %{{.*}}, %c0_i16 : i16
// CHECK: scf.for
// CHECK: %[[F:.*]] = llvm.bitcast %{{.*}} : i32 to vector<2xf16>
// CHECK: nvvm.mma.sync A[%[[F]], {{.*}} (vector<2xf16>, vector<2xf16>, f32)
// CHECK-NOT: nvvm.mma.sync
// CHECK-COUNT-4: memref.store %{{.*}}, %[[W]]
// CHECK: gpu.barrier
// CHECK: arith.addf
// CHECK: gpu.return
func.func private @small_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?x100xf16> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %b: memref<100x20xf16> {belfry.buffer = 1 : i64},
    %c: memref<?x20xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  linalg.matmul ins(%a, %b : memref<?x100xf16>, memref<100x20xf16>) outs(%c : memref<?x20xf32>)
  return
}

// -----

// Numbers of f32 are multiplied as they are.

// CHECK-LABEL: func.func private @wide_p0(
// CHECK-NOT: nvvm
// CHECK: gpu.return
func.func private @wide_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?x96xf32> {belfry.buffer = 0 : i64, belfry.extent = 100 : i64}, %b: memref<96x128xf32> {belfry.buffer = 1 : i64},
    %c: memref<?x128xf32> {belfry.buffer = 2 : i64, belfry.extent = 100 : i64}) attributes {belfry.function = "f"} {
  linalg.matmul ins(%a, %b : memref<?x96xf32>, memref<96x128xf32>) outs(%c : memref<?x128xf32>)
  return
}
