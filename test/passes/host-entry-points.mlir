// RUN: belfry-opt %s --host-entry-points | FileCheck %s

// CHECK: llvm.mlir.global internal constant @table(dense<[1, 0, 1]> : tensor<3xi8>) {{.*}} : !llvm.array<3 x i8>
// CHECK-LABEL: func.func private @f_p0(
// CHECK-SAME: %[[ARGS:.*]]: !llvm.ptr)
// CHECK: %[[ROWS:.*]] = arith.index_cast %{{.*}} {belfry.rows} : i64 to index
// CHECK: %[[ROW:.*]] = llvm.getelementptr %{{.*}}[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: %[[BASE:.*]] = llvm.load %[[ROW]]
// CHECK: builtin.unrealized_conversion_cast %[[BASE]] : !llvm.ptr to memref<?x4xf32> {belfry.buffer = 3 : i64, belfry.extent = 2 : i64}
// CHECK: llvm.mlir.addressof @table
memref.global "private" constant @table : memref<3xi1> = dense<[true, false, true]>
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x4xf32> {belfry.buffer = 3 : i64, belfry.extent = 2 : i64}) attributes {belfry.function = "f"} {
  %z = arith.constant 0.0 : f32
  %k = memref.get_global @table : memref<3xi1>
  %i = arith.constant 0 : index
  %b = memref.load %k[%i] : memref<3xi1>
  linalg.fill ins(%z : f32) outs(%x : memref<?x4xf32>)
  return
}
