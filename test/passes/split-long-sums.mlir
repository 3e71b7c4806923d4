// RUN: belfry-opt %s --split-input-file --split-long-sums | FileCheck %s

// The gradient of a weight: 64 x 100 elements, each a sum over 100 rows for each of the tower's. 2 tiles of 64 x 64 leave most of a GPU idle: the rows
// are cut into 32 parts, of whole stages of 64. Each part begins from zero in a slice of its own; the slices are added in order, to what the fill
// says, which now stands before the sum.

// CHECK-LABEL: func.func private @gradient_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x64xf32> {{.*}}, %[[B:[a-z0-9]+]]: memref<?x100xf32> {{.*}}, %[[C:[a-z0-9]+]]: memref<64x100xf32>
// CHECK: %[[K:.*]] = arith.muli %[[ROWS]], %{{.*}}
// CHECK-NOT: linalg.fill
// CHECK: %[[PARTS:.*]] = memref.alloc() : memref<32x64x100xf32>
// CHECK: arith.divui
// CHECK: %[[LENGTH:.*]] = arith.muli
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT: %[[BEGIN:.*]] = arith.muli %[[I]], %[[LENGTH]]
// CHECK-NEXT: %[[FIRST:.*]] = arith.minsi %[[BEGIN]], %[[K]]
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[K]], %[[FIRST]]
// CHECK-NEXT: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %[[LENGTH]]
// CHECK: %[[X:.*]] = memref.reinterpret_cast %[[A]] to offset: [%{{.*}}], sizes: [64, %[[COUNT]]], strides: [1, 64]
// CHECK: %[[Y:.*]] = memref.reinterpret_cast %[[B]] to offset: [%{{.*}}], sizes: [%[[COUNT]], 100], strides: [100, 1]
// CHECK: %[[Z:.*]] = memref.reinterpret_cast %[[PARTS]] to offset: [%{{.*}}], sizes: [64, 100], strides: [100, 1]
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[Z]]
// CHECK: linalg.matmul ins(%[[X]], %[[Y]] {{.*}}outs(%[[Z]]
// CHECK: } {belfry.parts}
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[C]]
// CHECK-NEXT: linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[PARTS]] : {{.*}}outs(%[[C]]
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[SUM]], %[[E]]
// CHECK-NEXT: linalg.yield %[[S]]
// CHECK-NOT: linalg.matmul
func.func private @gradient_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?x64xf32> {belfry.buffer = 0 : i64, belfry.extent = 100 : i64}, %b: memref<?x100xf32> {belfry.buffer = 1 : i64, belfry.extent = 100 : i64},
    %c: memref<64x100xf32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
  %c100 = arith.constant 100 : index
  %k = arith.muli %rows, %c100 : index
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x100xf32>)
  %x = memref.reinterpret_cast %a to offset: [0], sizes: [64, %k], strides: [1, 64] : memref<?x64xf32> to memref<64x?xf32, strided<[1, 64]>>
  linalg.matmul ins(%x, %b : memref<64x?xf32, strided<[1, 64]>>, memref<?x100xf32>) outs(%c : memref<64x100xf32>)
  return
}

// -----

// The gradient of a bias: 64 sums, of which a block has 32, over 100 steps of all rows. Steps are cut, the outermost dimension. The maximum of what
// each part has is that of all.

// CHECK-LABEL: func.func private @bias_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK: %[[PARTS:.*]] = memref.alloc() : memref<16x64xf32>
// CHECK-DAG: %[[LENGTH:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: scf.for
// CHECK: %[[X:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [%{{.*}}, %[[ROWS]], 64], strides: [%{{.*}}, 64, 1]
// CHECK: linalg.fill ins(%[[LOW]]
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "parallel"]} ins(%[[X]]
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[PARTS]]
// CHECK: arith.maximumf
func.func private @bias_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<100x?x64xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %y: memref<64xf32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x : memref<100x?x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.maximumf %b, %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// Short sums, sums with as many results as there are rows, and those that the number of an element is in stay.

// CHECK-LABEL: func.func private @stay_p0(
// CHECK-NOT: memref.alloc
// CHECK-NOT: scf.for
// CHECK: return
func.func private @stay_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?x64xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %b: memref<?x100xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %c: memref<64x100xf32> {belfry.buffer = 2 : i64}, %x: memref<?x64xf32> {belfry.buffer = 3 : i64, belfry.extent = 100 : i64},
    %y: memref<?xf32> {belfry.buffer = 4 : i64, belfry.extent = 100 : i64}, %z: memref<64xf32> {belfry.buffer = 5 : i64}) attributes {belfry.function = "f"} {
  %t64 = memref.reinterpret_cast %a to offset: [0], sizes: [64, %rows], strides: [1, 64] : memref<?x64xf32> to memref<64x?xf32, strided<[1, 64]>>
  linalg.matmul ins(%t64, %b : memref<64x?xf32, strided<[1, 64]>>, memref<?x100xf32>) outs(%c : memref<64x100xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x64xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%e: f32, %f: f32):
    %s = arith.addf %f, %e : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x64xf32>) outs(%z : memref<64xf32>) {
  ^bb0(%e: f32, %f: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %p = arith.mulf %e, %k : f32
    %s = arith.addf %f, %p : f32
    linalg.yield %s : f32
  }
  return
}
