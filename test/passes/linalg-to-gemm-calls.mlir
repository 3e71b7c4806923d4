// RUN: belfry-opt %s --host-entry-points --linalg-to-gemm-calls | FileCheck %s

// The fill before a product is part of the call: it does not accumulate. Strides
// of a transposed operand are handed on.

// CHECK-LABEL: func.func private @f_p0
// CHECK-NOT: linalg.fill
// CHECK: %[[FLAG:.*]] = arith.constant 0 : i32
// CHECK: call @belfry_gemm_f32({{.*}}, %[[FLAG]])
// CHECK: %[[ON:.*]] = arith.constant 1 : i32
// CHECK: call @belfry_gemm_f32({{.*}}, %[[ON]])
// CHECK: func.func private @belfry_gemm_f32(!llvm.ptr, i64, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64, i32)
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
