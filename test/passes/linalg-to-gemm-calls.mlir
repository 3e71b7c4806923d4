// RUN: belfry-opt %s --host-entry-points --linalg-to-gemm-calls | FileCheck %s
// RUN: belfry-opt %s --host-entry-points --linalg-to-gemm-calls=disable=product-calls | FileCheck %s --check-prefix=LOOPS
// RUN: belfry-opt %s --host-entry-points --linalg-to-gemm-calls=disable=merge-sums | FileCheck %s --check-prefix=KEPT

// The fill before a product is part of the call: it does not accumulate. Strides
// of a transposed operand are handed on.

// CHECK-LABEL: func.func private @f_p0
// CHECK-NOT: linalg.fill
// CHECK: %[[FLAG:.*]] = arith.constant 0 : i32
// CHECK: call @belfry_gemm_f32({{.*}}, %[[FLAG]])
// CHECK: %[[ON:.*]] = arith.constant 1 : i32
// CHECK: call @belfry_gemm_f32({{.*}}, %[[ON]])
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %k: memref<5x4xf32> {belfry.buffer = 1 : i64},
    %y: memref<?x5xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%y : memref<?x5xf32>)
  %kt = memref.reinterpret_cast %k to offset: [0], sizes: [4, 5], strides: [1, 4] : memref<5x4xf32> to memref<4x5xf32, strided<[1, 4]>>
  linalg.matmul ins(%x, %kt : memref<?x4xf32>, memref<4x5xf32, strided<[1, 4]>>) outs(%y : memref<?x5xf32>)
  linalg.matmul ins(%x, %kt : memref<?x4xf32>, memref<4x5xf32, strided<[1, 4]>>) outs(%y : memref<?x5xf32>)
  return
}

// A prefetch stands for the whole of its view and is a call, where the view is
// one piece of memory; products that are loops have nobody who would ask.
// CHECK-LABEL: func.func private @g_p0
// CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %c16_i64
// CHECK: call @belfry_look_ahead(%{{.*}}, %[[BYTES]]) : (!llvm.ptr, i64) -> ()
// CHECK-NOT: belfry_look_ahead
// CHECK: call @belfry_gemm_f32
// LOOPS-LABEL: func.func private @g_p0
// LOOPS-NOT: {{prefetch|look_ahead}}
func.func private @g_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %k: memref<4x5xf32> {belfry.buffer = 1 : i64},
    %y: memref<?x5xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "g"} {
  %c0 = arith.constant 0 : index
  memref.prefetch %x[%c0, %c0], read, locality<2>, data : memref<?x4xf32>
  %part = memref.reinterpret_cast %x to offset: [0], sizes: [%rows, 2], strides: [4, 1] : memref<?x4xf32> to memref<?x2xf32, strided<[4, 1]>>
  memref.prefetch %part[%c0, %c0], read, locality<2>, data : memref<?x2xf32, strided<[4, 1]>>
  linalg.matmul ins(%x, %k : memref<?x4xf32>, memref<4x5xf32>) outs(%y : memref<?x5xf32>)
  return
}

// The sum of B's rows just before a product, and the fill of its target, are
// part of the call, also where the sum sees B in another shape; behind the
// product it stays. Not the sum of other rows, nor a sum with a start.
// CHECK-LABEL: func.func private @h_p0
// CHECK-NOT: linalg.generic
// CHECK: call @belfry_gemm_sums_f32({{.*}}) : (!llvm.ptr, i64, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64, !llvm.ptr, i64, i32, !llvm.ptr) -> ()
// CHECK-NOT: linalg.generic
// CHECK: call @belfry_gemm_sums_f32(
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: call @belfry_gemm_f32(
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK: call @belfry_gemm_f32(
// CHECK: return
// CHECK: func.func private @belfry_gemm_f32(!llvm.ptr, i64, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64, i32)
// CHECK: func.func private @belfry_look_ahead(!llvm.ptr, i64)
// KEPT-LABEL: func.func private @h_p0
// KEPT-COUNT-5: linalg.generic
// KEPT-NOT: gemm_sums
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#id3 = affine_map<(t, i, j) -> (t, i, j)>
#column3 = affine_map<(t, i, j) -> (j)>
func.func private @h_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %d: memref<?x5xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %w: memref<4x5xf32> {belfry.buffer = 2 : i64}, %s: memref<5xf32> {belfry.buffer = 3 : i64}, %u: memref<?x5xf32> {belfry.buffer = 4 : i64, belfry.extent = 1 : i64},
    %e: memref<3x?x5xf32> {belfry.buffer = 5 : i64, belfry.extent = 1 : i64}, %y: memref<3x?x4xf32> {belfry.buffer = 6 : i64, belfry.extent = 1 : i64})
    attributes {belfry.function = "h"} {
  %z = arith.constant 0.0 : f32
  %c3 = arith.constant 3 : index
  %all = arith.muli %rows, %c3 : index
  %xt = memref.reinterpret_cast %x to offset: [0], sizes: [4, %rows], strides: [1, 4] : memref<?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
  %yt = memref.reinterpret_cast %y to offset: [0], sizes: [4, %all], strides: [1, 4] : memref<3x?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
  %er = memref.reinterpret_cast %e to offset: [0], sizes: [%all, 5], strides: [5, 1] : memref<3x?x5xf32> to memref<?x5xf32, strided<[5, 1]>>
  linalg.fill ins(%z : f32) outs(%s : memref<5xf32>)
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%d : memref<?x5xf32>) outs(%s : memref<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  }
  linalg.fill ins(%z : f32) outs(%w : memref<4x5xf32>)
  linalg.matmul ins(%xt, %d : memref<4x?xf32, strided<[1, 4]>>, memref<?x5xf32>) outs(%w : memref<4x5xf32>)
  linalg.fill ins(%z : f32) outs(%s : memref<5xf32>)
  linalg.generic {indexing_maps = [#id3, #column3], iterator_types = ["reduction", "reduction", "parallel"]} ins(%e : memref<3x?x5xf32>) outs(%s : memref<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  }
  linalg.matmul ins(%yt, %er : memref<4x?xf32, strided<[1, 4]>>, memref<?x5xf32, strided<[5, 1]>>) outs(%w : memref<4x5xf32>)
  linalg.fill ins(%z : f32) outs(%s : memref<5xf32>)
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%er : memref<?x5xf32, strided<[5, 1]>>) outs(%s : memref<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%d : memref<?x5xf32>) outs(%s : memref<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  }
  linalg.matmul ins(%xt, %d : memref<4x?xf32, strided<[1, 4]>>, memref<?x5xf32>) outs(%w : memref<4x5xf32>)
  linalg.fill ins(%z : f32) outs(%s : memref<5xf32>)
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%u : memref<?x5xf32>) outs(%s : memref<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  }
  linalg.matmul ins(%xt, %d : memref<4x?xf32, strided<[1, 4]>>, memref<?x5xf32>) outs(%w : memref<4x5xf32>)
  return
}
