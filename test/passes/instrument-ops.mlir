// RUN: belfry-opt %s --host-entry-points --linalg-to-gemm-calls='describe' --outline-kernels='describe' --instrument-ops | FileCheck %s
// RUN: belfry-opt %s --host-entry-points --linalg-to-gemm-calls --outline-kernels | FileCheck %s --check-prefix=OFF

// Every call of a phase is between a pair, in a loop too; the module says what
// the numbers stand for: the product's shape, flops and bytes of one call. Equal
// loop nests that touch different arrays are one call. Without it nothing is
// noted at all.

// OFF-NOT: belfry.op
// OFF-NOT: belfry_profile

// CHECK: belfry.ops = [
// CHECK-SAME: {bytes = array<i64: 36, 80>, extents = [array<i64: 1, 0>, array<i64: 0, 5>, array<i64: 0, 4>], flops = array<i64: 40, 0>, function = "f", kind = "product", layer = "dense", phase = 0 : i64}
// CHECK-SAME: {bytes = array<i64: 32, 0>, extents = [array<i64: 1, 0>, array<i64: 0, 4>], flops = array<i64: 8, 0>, function = "f", kind = "elementwise tanh", layer = "act", phase = 0 : i64}
// CHECK-LABEL: func.func private @f_p0(
// CHECK-DAG: %[[CONTEXT:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK-DAG: %[[ROWS:.*]] = arith.index_cast %{{.*}} {belfry.rows} : i64 to index
// CHECK: %[[T0:.*]] = call @belfry_profile_begin(%{{.*}}) : (!llvm.ptr) -> i64
// CHECK-NEXT: call @belfry_gemm_f32
// CHECK-NOT: belfry.op =
// CHECK: %[[N0:.*]] = arith.constant 0 : i32
// CHECK-NEXT: call @belfry_profile_end(%{{.*}}, %[[N0]], %[[T0]], %{{.*}}) : (!llvm.ptr, i32, i64, i64) -> ()
// CHECK: scf.for
// CHECK: %[[T1:.*]] = func.call @belfry_profile_begin
// CHECK: call @{{belfry_parallel_for|kernel_}}
// CHECK: %[[N1:.*]] = arith.constant 1 : i32
// CHECK-NEXT: call @belfry_profile_end(%{{.*}}, %[[N1]], %[[T1]], %{{.*}})
module attributes {belfry.phases = [@f_p0]} {
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %k: memref<4x5xf32> {belfry.buffer = 1 : i64},
    %y: memref<?x5xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  linalg.fill ins(%zero : f32) outs(%y : memref<?x5xf32>)
  linalg.matmul ins(%x, %k : memref<?x4xf32>, memref<4x5xf32>) outs(%y : memref<?x5xf32>) loc("dense")
  scf.for %i = %c0 to %c7 step %c1 {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<?x4xf32>) outs(%x : memref<?x4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %e = math.tanh %a : f32
      %m = arith.mulf %e, %a : f32
      linalg.yield %m : f32
    } loc("act")
  }
  return
}
}
