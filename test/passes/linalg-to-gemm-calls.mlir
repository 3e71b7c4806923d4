// RUN: belfry-opt %s --host-entry-points --linalg-to-gemm-calls | FileCheck %s
// RUN: belfry-opt %s --host-entry-points --linalg-to-gemm-calls=disable=product-calls | FileCheck %s --check-prefix=LOOPS

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
// CHECK: func.func private @belfry_gemm_f32(!llvm.ptr, i64, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr, i64, i32)
// CHECK: func.func private @belfry_look_ahead(!llvm.ptr, i64)
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
