// RUN: belfry-opt %s -split-input-file --linalg-generalize-named-ops --host-entry-points --outline-kernels --canonicalize --cse | FileCheck %s

// Two kernels that are worth it are one region and one function, though their extents differ; a small one that is independent goes before them; one
// that reads what they write is a region of its own.

module attributes {belfry.functions = {f = {buffers = [{kind = "parameter", index = 0 : i64}, {kind = "parameter", index = 1 : i64},
    {kind = "parameter", index = 2 : i64}, {kind = "slot", index = 0 : i64}]}}} {
// CHECK-LABEL: func.func private @f_p0
// CHECK-SAME: (%[[ARGS:.*]]: !llvm.ptr)
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[LOOP:.*]] = constant @[[L:kernel_[0-9]+_loop]] : (!llvm.ptr, i64, i64) -> ()
// CHECK-DAG: %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][40]
// CHECK-DAG: %[[CONTEXT:.*]] = llvm.load %[[FIELD]] : !llvm.ptr -> !llvm.ptr
// CHECK-DAG: %[[WORDS:.*]] = llvm.mlir.constant(12 : i64)
// CHECK-DAG: %[[FRAME:.*]] = llvm.alloca %[[WORDS]] x i64
// CHECK-NOT: llvm.alloca
// CHECK: call @[[SMALL:kernel_[0-9]+]](
// CHECK-NOT: call
// CHECK: call @belfry_parallel_for(%[[CONTEXT]], %[[TWO]], %[[FRAME]])
// CHECK-NOT: call
// CHECK: call @belfry_parallel_for(%[[CONTEXT]], %[[ONE]], %[[FRAME]])
// CHECK: return
// CHECK: func.func private @kernel_0(%[[B:.*]]: index, %[[E:.*]]: index, %{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK: scf.for %{{.*}} = %[[B]] to %[[E]]
// CHECK: llvm.load {{.*}}access_groups
// CHECK: llvm.store {{.*}}access_groups
// CHECK: } {llvm.loop_annotation
// CHECK: func.func private @kernel_0_loop(%[[A:.*]]: !llvm.ptr, %[[I:.*]]: i64, %[[J:.*]]: i64)
// CHECK-DAG: %[[II:.*]] = arith.index_cast %[[I]]
// CHECK-DAG: %[[JJ:.*]] = arith.index_cast %[[J]]
// CHECK-DAG: %[[P:.*]] = llvm.load %[[A]]
// CHECK: call @kernel_0(%[[II]], %[[JJ]], %[[P]])
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x400xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %y: memref<700x90xf32> {belfry.buffer = 1 : i64},
    %z: memref<?x3xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}, %w: memref<?x400xf32> {belfry.buffer = 3 : i64, belfry.extent = 1 : i64})
    attributes {belfry.function = "f"} {
  linalg.square ins(%x : memref<?x400xf32>) outs(%x : memref<?x400xf32>)
  linalg.square ins(%z : memref<?x3xf32>) outs(%z : memref<?x3xf32>)
  linalg.square ins(%y : memref<700x90xf32>) outs(%y : memref<700x90xf32>)
  linalg.exp ins(%x : memref<?x400xf32>) outs(%w : memref<?x400xf32>)
  return
}
}

// -----

// Arrays of the arena count as apart only where their lives meet: 1 may have the place of 0.

module attributes {belfry.functions = {f = {buffers = [{kind = "scratch", scope = "tower", live = [0 : i64, 1 : i64]}, {kind = "scratch", scope = "tower", live = [2 : i64, 3 : i64]},
    {kind = "scratch", scope = "tower", live = [1 : i64, 4 : i64]}, {kind = "output", index = 0 : i64}]}}} {
// CHECK-LABEL: func.func private @f_p0
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: call @belfry_parallel_for(%{{.*}}, %[[ONE]],
// CHECK: call @belfry_parallel_for(%{{.*}}, %[[TWO]],
// CHECK: return
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?x400xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %b: memref<?x400xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %c: memref<?x400xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}, %d: memref<?x400xf32> {belfry.buffer = 3 : i64, belfry.extent = 1 : i64})
    attributes {belfry.function = "f"} {
  linalg.exp ins(%a : memref<?x400xf32>) outs(%c : memref<?x400xf32>)
  linalg.square ins(%b : memref<?x400xf32>) outs(%b : memref<?x400xf32>)
  linalg.exp ins(%c : memref<?x400xf32>) outs(%d : memref<?x400xf32>)
  return
}
}

// -----

// Without a table nothing is known. A sum along rows is cut over the rows, one down columns over the columns; a sum to one number is not.

// CHECK-LABEL: func.func private @f_p0
// CHECK-COUNT-2: call @belfry_parallel_for
// CHECK-NOT: belfry_parallel_for
// CHECK: call @[[TOTAL:kernel_[0-9]+]](
// CHECK: return
// Along rows: the outer loop has the bounds.
// CHECK: func.func private @kernel_0(%[[B:[^:]*]]: index, %[[E:[^:]*]]: index, {{.*}})
// CHECK: scf.for %{{.*}} = %[[B]] to %[[E]]
// CHECK: vector<64xf32>
// Down columns: the inner one.
// CHECK: func.func private @kernel_1(%[[B:[^:]*]]: index, %[[E:[^:]*]]: index, {{.*}})
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %[[B]] to %[[E]]
// CHECK: func.func private @[[TOTAL]](%{{[^:]*}}: !llvm.ptr
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x400xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %r: memref<?xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %c: memref<400xf32> {belfry.buffer = 2 : i64}, %s: memref<f32> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x400xf32>) outs(%r : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %b, %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x400xf32>) outs(%c : memref<400xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %b, %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<?x400xf32>) outs(%s : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %b, %a : f32
    linalg.yield %e : f32
  }
  return
}
