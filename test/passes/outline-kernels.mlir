// RUN: belfry-opt %s --host-entry-points --outline-kernels | FileCheck %s

// Two equal loop nests are one function; dense dimensions are one loop; pointers
// do not alias, and what is updated in place is one pointer.

// CHECK: #[[$FULL:.*]] = #llvm.loop_unroll<full = true>
// CHECK: #[[$FEW:.*]] = #llvm.loop_annotation<unroll = #[[$FULL]]>
// CHECK-LABEL: func.func private @f_p0
// CHECK: call @[[K:kernel_[0-9]+]](
// CHECK: call @[[K]](
// CHECK: call @[[S:kernel_[0-9]+]](
// CHECK: call @[[R:kernel_[0-9]+]](
// CHECK: func.func private @[[K]](%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: index)
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK: return
// A sum along rows has 64 lanes and adds them as a tree.
// CHECK: func.func private @[[S]](
// CHECK: vector<64xf32>
// CHECK: vector.extract_strided_slice {{.*}} sizes = [32]
// CHECK: vector.extract_strided_slice {{.*}} sizes = [1]
// A sum of few numbers is rolled out, unlike the loop around it.
// CHECK: func.func private @[[R]](
// CHECK: arith.addf
// CHECK: scf.yield
// CHECK-NEXT: } {llvm.loop_annotation = #[[$FEW]]}
// CHECK-NOT: loop_annotation
// CHECK: return
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %y: memref<?x4xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %s: memref<f32> {belfry.buffer = 2 : i64}, %r: memref<?xf32> {belfry.buffer = 3 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x4xf32>) outs(%x : memref<?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.mulf %a, %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<?x4xf32>) outs(%y : memref<?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.mulf %a, %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<?x4xf32>) outs(%s : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %b, %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x4xf32>) outs(%r : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %b, %a : f32
    linalg.yield %e : f32
  }
  return
}
