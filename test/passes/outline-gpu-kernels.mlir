// RUN: belfry-opt %s --split-input-file --outline-gpu-kernels --canonicalize --cse | FileCheck %s

// The elements of all loops in row-major order, 1024 a block; a thread takes every 256th. Where a block begins is found once, in 64 bits; elements are
// found from there, in 32. A thread loads for all of its elements before it stores one. What an op writes only is not read.

// CHECK-LABEL: func.func private @elements_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK-DAG: %[[TWELVE:.*]] = arith.constant 12 : index
// CHECK-DAG: %[[ROUND:.*]] = arith.constant 1023 : index
// CHECK-DAG: %[[EACH:.*]] = arith.constant 1024 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[THREADS:.*]] = arith.constant 256 : index
// CHECK: %[[ALL:.*]] = arith.muli %[[ROWS]], %[[TWELVE]]
// CHECK: %[[SUM:.*]] = arith.addi %[[ALL]], %[[ROUND]]
// CHECK: %[[BLOCKS:.*]] = arith.divui %[[SUM]], %[[EACH]]
// CHECK: gpu.launch_func @kernels::@elementwise_0 blocks in (%[[BLOCKS]], %[[ONE]], %[[ONE]]) threads in (%[[THREADS]], %[[ONE]], %[[ONE]]) args(%{{.*}} : memref<?x6xf32>, %{{.*}} : memref<6xf32>, %{{.*}} : memref<?x6xf32>)
// CHECK-NOT: linalg
// CHECK: gpu.func @elementwise_0(%[[X:.*]]: memref<?x6xf32>, %[[B:.*]]: memref<6xf32>, %[[Y:.*]]: memref<?x6xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
// CHECK-DAG: %[[EACH:.*]] = arith.constant 1024 : index
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : index
// CHECK-DAG: %[[SIX32:.*]] = arith.constant 6 : i32
// CHECK-DAG: %[[T:.*]] = gpu.thread_id x
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[DIM:.*]] = memref.dim %[[X]]
// CHECK: %[[ALL:.*]] = arith.muli %[[DIM]], %[[SIX]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[EACH]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[EACH]]
// CHECK: %[[END:.*]] = arith.minsi %[[NEXT]], %[[ALL]]
// CHECK: %[[COLUMN:.*]] = arith.remui %[[FIRST]], %[[SIX]]
// CHECK: %[[ROW:.*]] = arith.divui %[[FIRST]], %[[SIX]]
// CHECK: %[[COUNT:.*]] = arith.subi %[[END]], %[[FIRST]]
// CHECK: %[[LAST:.*]] = arith.subi %[[COUNT]], %{{.*}}
// CHECK: scf.for %[[START:.*]] = %{{.*}} to %[[COUNT]] step %[[EACH]]
// CHECK: %[[O:.*]] = arith.addi %[[START]], %[[T]]
// CHECK: %[[IN:.*]] = arith.minsi %[[O]], %[[LAST]]
// CHECK: %[[OFFSET:.*]] = arith.index_castui %[[IN]] : index to i32
// CHECK: %[[C32:.*]] = arith.index_castui %[[COLUMN]] : index to i32
// CHECK: %[[SUM:.*]] = arith.addi %[[C32]], %[[OFFSET]] : i32
// CHECK: %[[J32:.*]] = arith.remui %[[SUM]], %[[SIX32]] : i32
// CHECK: %[[J:.*]] = arith.index_castui %[[J32]] : i32 to index
// CHECK: %[[OVER:.*]] = arith.divui %[[SUM]], %[[SIX32]] : i32
// CHECK: %[[ROWS:.*]] = arith.index_castui %[[OVER]] : i32 to index
// CHECK: %[[I:.*]] = arith.addi %[[ROW]], %[[ROWS]] : index
// CHECK: memref.load %[[X]][%[[I]], %[[J]]]
// CHECK: memref.load %[[B]][%[[J]]]
// CHECK-COUNT-3: memref.load %[[X]]
// CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[O]], %[[COUNT]]
// CHECK: scf.if %[[THERE]]
// CHECK: arith.index_cast %[[J]] : index to i32
// CHECK: memref.store %{{.*}}, %[[Y]][%[[I]], %[[J]]]
// CHECK-COUNT-3: memref.store %{{.*}}, %[[Y]]
// CHECK-NOT: memref.load %[[Y]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func private @elements_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x6xf32> {belfry.buffer = 0 : i64, belfry.extent = 2 : i64}, %b: memref<6xf32> {belfry.buffer = 1 : i64},
    %y: memref<?x6xf32> {belfry.buffer = 2 : i64, belfry.extent = 2 : i64}) attributes {belfry.function = "f"} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<?x6xf32>, memref<6xf32>) outs(%y : memref<?x6xf32>) {
  ^bb0(%a: f32, %c: f32, %old: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %s = arith.addf %a, %c : f32
    %e = arith.mulf %s, %f : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// Two equal ops on two buffers are one kernel; a grid of static extents is a constant. Where element i of whole arrays goes to element i, the op is
// over one row whose extent the kernel is given: another shape is no other kernel. The launch says the shape as it was.

// CHECK-LABEL: func.func private @fill_p0(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<30x100xf32> {belfry.buffer = 0 : i64}, %[[Y:[a-z0-9]+]]: memref<7x4x100xf32>
// CHECK: %[[THREE:.*]] = arith.constant 3 : index
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [3000], strides: [1]
// CHECK: %[[ROW:.*]] = memref.cast %[[V]] : {{.*}} to memref<?xf32>
// CHECK: gpu.launch_func @kernels::@elementwise_0 blocks in (%[[THREE]],{{.*}} args(%[[ROW]] : memref<?xf32>) {belfry.launch = {class = "elements", dtype = "f32", family = "elementwise", parts = "elementwise", shape = "30x100"}}
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [2800], strides: [1]
// CHECK: %[[ROW:.*]] = memref.cast %[[V]] : {{.*}} to memref<?xf32>
// CHECK: gpu.launch_func @kernels::@elementwise_0 blocks in (%[[THREE]],{{.*}} args(%[[ROW]] : memref<?xf32>) {belfry.launch = {class = "elements", dtype = "f32", family = "elementwise", parts = "elementwise", shape = "7x4x100"}}
// CHECK: gpu.func @elementwise_0(%[[X:.*]]: memref<?xf32>)
// CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NOT: arith.divui
// CHECK: scf.if
// CHECK-NEXT: memref.store %[[HALF]], %[[X]][%{{[^,]*}}]
// CHECK-NOT: gpu.func
func.func private @fill_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<30x100xf32> {belfry.buffer = 0 : i64}, %y: memref<7x4x100xf32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  %z = arith.constant 0.5 : f32
  linalg.fill ins(%z : f32) outs(%x : memref<30x100xf32>)
  linalg.fill ins(%z : f32) outs(%y : memref<7x4x100xf32>)
  return
}

// -----

// A sum along rows: 8 outputs a block, the 32 lanes of each next to each other. A lane takes every 32nd element in rising order, lanes are added
// as a tree, and what the target held is added last.

// CHECK-LABEL: func.func private @rows_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: %[[SUM:.*]] = arith.addi %[[ROWS]], %[[SEVEN]]
// CHECK: %[[BLOCKS:.*]] = arith.divui %[[SUM]], %[[EIGHT]]
// CHECK: gpu.launch_func @kernels::@reduce_0 blocks in (%[[BLOCKS]],
// CHECK: gpu.func @reduce_0(%[[X:.*]]: memref<?x100xf32>, %[[Y:.*]]: memref<?xf32>) workgroup(%[[W:.*]] : memref<256xf32, #gpu.address_space<workgroup>>) kernel
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[LANES:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 100 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[T:.*]] = gpu.thread_id x
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %[[LANES]]
// CHECK: %[[SIDE:.*]] = arith.divui %[[T]], %[[LANES]]
// CHECK: scf.for %[[BASE:.*]] = %{{.*}} to %[[END:.*]] step %[[C8]]
// CHECK: %[[OUT:.*]] = arith.addi %[[BASE]], %[[SIDE]]
// CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[OUT]], %[[END]]
// CHECK: %[[BOUND:.*]] = arith.select %[[THERE]], %[[WIDTH]], %[[LANE]]
// CHECK: %[[OWN:.*]] = scf.for %[[J:.*]] = %[[LANE]] to %[[BOUND]] step %[[LANES]] iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK: %[[E:.*]] = memref.load %[[X]][%[[OUT]], %[[J]]]
// CHECK: arith.addf %[[ACC]], %[[E]]
// CHECK: memref.store %[[OWN]], %[[W]][%[[T]]]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[P:.*]] = arith.cmpi slt, %[[LANE]], %[[C16]]
// CHECK-NEXT: scf.if %[[P]]
// CHECK: %[[LOW:.*]] = memref.load %[[W]][%[[T]]]
// CHECK: %[[OTHER:.*]] = arith.addi %[[T]], %[[C16]]
// CHECK: %[[HIGH:.*]] = memref.load %[[W]][%[[OTHER]]]
// CHECK: arith.addf %[[LOW]], %[[HIGH]]
// CHECK: gpu.barrier
// CHECK: arith.addi %[[T]], %[[C8]]
// CHECK: gpu.barrier
// CHECK: arith.addi %[[T]], %[[C4]]
// CHECK: gpu.barrier
// CHECK: arith.addi %[[T]], %[[C2]]
// CHECK: gpu.barrier
// CHECK: arith.addi %[[T]], %[[C1]]
// CHECK: gpu.barrier
// CHECK: %[[S:.*]] = memref.load %[[W]][%[[T]]]
// CHECK: %[[BEFORE:.*]] = memref.load %[[Y]][%[[OUT]]]
// CHECK: %[[AFTER:.*]] = arith.addf %[[BEFORE]], %[[S]]
// CHECK: memref.store %[[AFTER]], %[[Y]][%[[OUT]]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
func.func private @rows_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x100xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %y: memref<?xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x100xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %b, %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// A sum along columns: 32 outputs next to each other a block, 8 lanes each.

// CHECK-LABEL: func.func private @columns_p0(
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: gpu.launch_func @kernels::@reduce_0 blocks in (%[[FOUR]],
// CHECK: gpu.func @reduce_0(%[[X:.*]]: memref<?x100xf32>, %[[Y:.*]]: memref<100xf32>) workgroup(%[[W:.*]] : memref<256xf32,
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK: %[[T:.*]] = gpu.thread_id x
// CHECK: %[[SIDE:.*]] = arith.remui %[[T]], %[[C32]]
// CHECK: %[[LANE:.*]] = arith.divui %[[T]], %[[C32]]
// CHECK: scf.for %[[BASE:.*]] = %{{.*}} to %{{.*}} step %[[C32]]
// CHECK: %[[OUT:.*]] = arith.addi %[[BASE]], %[[SIDE]]
// CHECK: scf.for %[[I:.*]] = %[[LANE]] to %{{.*}} step %[[C8]]
// CHECK: memref.load %[[X]][%[[I]], %[[OUT]]]
// CHECK: arith.addi %[[T]], %[[C128]]
// CHECK: arith.addi %[[T]], %[[C64]]
// CHECK: arith.addi %[[T]], %[[C32]]
// CHECK-NOT: arith.addi %[[T]]
// CHECK: gpu.return
func.func private @columns_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x100xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %y: memref<100xf32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x100xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %b, %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// A maximum of everything: one output, all 256 threads are its lanes.

// CHECK-LABEL: func.func private @all_p0(
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: gpu.launch_func @kernels::@reduce_0 blocks in (%[[ONE]],
// CHECK: gpu.func @reduce_0(%[[X:.*]]: memref<?x100xf32>, %[[Y:.*]]: memref<f32>) workgroup(
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[LANES:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[T:.*]] = gpu.thread_id x
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %[[LANES]]
// CHECK: scf.for %[[I:.*]] = %[[LANE]] to %{{.*}} step %[[LANES]] iter_args(%[[ACC:.*]] = %[[NONE]])
// CHECK: arith.maximumf %[[ACC]], %{{.*}}
// CHECK: arith.addi %[[T]], %[[C128]]
// CHECK: %[[BEFORE:.*]] = memref.load %[[Y]][]
// CHECK: arith.maximumf %[[BEFORE]],
func.func private @all_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x100xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %y: memref<f32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<?x100xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.maximumf %b, %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// A sum of at most 32 numbers is one thread's, without memory of the block.

// CHECK-LABEL: func.func private @few_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK-DAG: %[[C255:.*]] = arith.constant 255 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK: %[[SUM:.*]] = arith.addi %[[ROWS]], %[[C255]]
// CHECK: %[[BLOCKS:.*]] = arith.divui %[[SUM]], %[[C256]]
// CHECK: gpu.launch_func @kernels::@reduce_0 blocks in (%[[BLOCKS]],
// CHECK: gpu.func @reduce_0(%{{.*}}: memref<?x32xf32>, %{{.*}}: memref<?xf32>) kernel
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func private @few_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x32xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %y: memref<?xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x32xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %b, %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// Tiles of 64 x 64: 100 columns and 100 rows for each of the tower's. Panels of 16 of the contracted dimension go through memory of the block,
// where that is the outer dimension, and rows are apart by 4 more. A thread has 4 x 4 elements, each one chain of fused multiply-adds that begins
// with what C held. What the next stage needs is loaded before the products of this one.

// CHECK-LABEL: func.func private @product_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK-DAG: %[[HUNDRED:.*]] = arith.constant 100 : index
// CHECK-DAG: %[[C63:.*]] = arith.constant 63 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[ALL:.*]] = arith.muli %[[ROWS]], %[[HUNDRED]]
// CHECK: %[[SUM:.*]] = arith.addi %[[ALL]], %[[C63]]
// CHECK: %[[HIGH:.*]] = arith.divui %[[SUM]], %[[C64]]
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[HIGH]], %[[TWO]]
// CHECK: gpu.launch_func @kernels::@dot_0 blocks in (%[[BLOCKS]],
// CHECK: gpu.func @dot_0(%[[A:.*]]: memref<?x40xf32>, %[[B:.*]]: memref<40x100xf32>, %[[C:.*]]: memref<?x100xf32>)
// CHECK-SAME: workgroup(%[[AT:.*]] : memref<16x68xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[BT:.*]] : memref<16x68xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
// CHECK-DAG: %[[DEPTH:.*]] = arith.constant 40 : index
// CHECK-DAG: %[[LAST:.*]] = arith.constant 39 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[K:.*]] = arith.remui %[[T:.*]], %[[C16]]
// CHECK: %[[SIDE:.*]] = arith.divui %[[T]], %[[C16]]
// CHECK-COUNT-16: memref.load %[[C]][
// CHECK-COUNT-4: memref.load %[[A]][
// CHECK-COUNT-4: memref.load %[[B]][
// CHECK: scf.for %[[FIRST:.*]] = %{{.*}} to %[[DEPTH]] step %[[C16]] iter_args(
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-4: memref.store %{{.*}}, %[[AT]][
// CHECK-COUNT-4: memref.store %{{.*}}, %[[BT]][
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[AFTER:.*]] = arith.addi %[[FIRST]], %[[C16]]
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[AFTER]], %[[DEPTH]]
// CHECK-NEXT: scf.if %[[MORE]]
// CHECK-NEXT: %[[AK:.*]] = arith.addi %[[AFTER]], %[[K]]
// CHECK-NEXT: %[[THERE:.*]] = arith.cmpi slt, %[[AK]], %[[DEPTH]]
// CHECK-NEXT: %[[IN:.*]] = arith.minsi %[[AK]], %[[LAST]]
// CHECK-NEXT: %[[E:.*]] = memref.load %[[A]][%{{.*}}, %[[IN]]]
// CHECK-NEXT: arith.select %[[THERE]], %[[E]], %[[ZERO]]
// CHECK-COUNT-3: memref.load %[[A]][
// CHECK-COUNT-4: memref.load %[[B]][
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[C16]] step %{{.*}} iter_args(
// CHECK-NEXT: memref.load %[[AT]][%[[I]],
// CHECK: memref.load %[[BT]][%[[I]],
// CHECK-COUNT-64: math.fma
// CHECK-NOT: math.fma
// CHECK-COUNT-16: memref.store %{{.*}}, %[[C]][
// CHECK-NOT: memref.store
// CHECK: gpu.return
func.func private @product_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?x40xf32> {belfry.buffer = 0 : i64, belfry.extent = 100 : i64}, %b: memref<40x100xf32> {belfry.buffer = 1 : i64},
    %c: memref<?x100xf32> {belfry.buffer = 2 : i64, belfry.extent = 100 : i64}) attributes {belfry.function = "f"} {
  linalg.matmul ins(%a, %b : memref<?x40xf32>, memref<40x100xf32>) outs(%c : memref<?x100xf32>)
  return
}

// -----

// A loop over parts of a sum: each part has the blocks of its op, which follow each other. Here 64 parts of 2 tiles of 64 x 64.

// CHECK-LABEL: func.func private @parts_p0(
// CHECK: %[[BLOCKS:.*]] = arith.constant 128 : index
// CHECK: gpu.launch_func @kernels::@dot_0 blocks in (%[[BLOCKS]],{{.*}}family = "dot"
// CHECK: gpu.func @dot_0(%[[ROWS:.*]]: index, %[[A:.*]]: memref<?x64xf32>, %[[B:.*]]: memref<?x100xf32>, %[[S:.*]]: memref<64x64x100xf32>)
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[ALL:.*]] = arith.constant 6400 : index
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[PART:.*]] = arith.divui %[[BLOCK]], %[[TWO]]
// CHECK: %[[TILE:.*]] = arith.remui %[[BLOCK]], %[[TWO]]
// CHECK: %[[AT:.*]] = arith.muli %[[PART]], %[[ALL]]
// CHECK: %[[OWN:.*]] = memref.reinterpret_cast %[[S]] to offset: [%[[AT]]]
// CHECK-NOT: scf.for %{{.*}} = %{{.*}} to %c64
// CHECK-COUNT-16: memref.store %{{.*}}, %[[OWN]][
// CHECK: gpu.return
func.func private @parts_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?x64xf32> {belfry.buffer = 0 : i64, belfry.extent = 100 : i64}, %b: memref<?x100xf32> {belfry.buffer = 1 : i64, belfry.extent = 100 : i64},
    %s: memref<64x64x100xf32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %c6400 = arith.constant 6400 : index
  %zero = arith.constant 0.0 : f32
  scf.for %part = %c0 to %c64 step %c1 {
    %first = arith.muli %part, %rows : index
    %at = arith.muli %first, %c64 : index
    %bt = arith.muli %first, %c100 : index
    %st = arith.muli %part, %c6400 : index
    %x = memref.reinterpret_cast %a to offset: [%at], sizes: [64, %rows], strides: [1, 64] : memref<?x64xf32> to memref<64x?xf32, strided<[1, 64], offset: ?>>
    %y = memref.reinterpret_cast %b to offset: [%bt], sizes: [%rows, 100], strides: [100, 1] : memref<?x100xf32> to memref<?x100xf32, strided<[100, 1], offset: ?>>
    %z = memref.reinterpret_cast %s to offset: [%st], sizes: [64, 100], strides: [100, 1] : memref<64x64x100xf32> to memref<64x100xf32, strided<[100, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%z : memref<64x100xf32, strided<[100, 1], offset: ?>>)
    linalg.matmul ins(%x, %y : memref<64x?xf32, strided<[1, 64], offset: ?>>, memref<?x100xf32, strided<[100, 1], offset: ?>>)
        outs(%z : memref<64x100xf32, strided<[100, 1], offset: ?>>)
  } {belfry.parts}
  return
}

// -----

// A nest of independent loops around ops is one launch with a block for each iteration: here of a product for every pair of rows and heads. Its tiles
// are chosen for as many blocks as there are iterations.

// CHECK-LABEL: func.func private @nest_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[ROWS]], %[[FOUR]]
// CHECK: gpu.launch_func @kernels::@dot_0 blocks in (%[[BLOCKS]],{{.*}}family = "dot"
// CHECK: gpu.func @dot_0(
// CHECK-SAME: workgroup(%{{.*}} : memref<16x68xf32, {{.*}}, %{{.*}} : memref<16x36xf32,
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[HEAD:.*]] = arith.remui %[[BLOCK]], %[[FOUR]]
// CHECK: %[[ROW:.*]] = arith.divui %[[BLOCK]], %[[FOUR]]
// CHECK: %[[C:.*]] = memref.reinterpret_cast %{{.*}} sizes: [100, 30]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TWO]] step
// CHECK: math.fma
// CHECK-COUNT-16: memref.store %{{.*}}, %[[C]][
// CHECK: gpu.barrier
// CHECK: gpu.return
func.func private @nest_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?x4x100x50xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %b: memref<50x30xf32> {belfry.buffer = 1 : i64},
    %c: memref<?x4x100x30xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c3000 = arith.constant 3000 : index
  %c5000 = arith.constant 5000 : index
  %zero = arith.constant 0.0 : f32
  scf.for %row = %c0 to %rows step %c1 {
    scf.for %head = %c0 to %c4 step %c1 {
      %first = arith.muli %row, %c4 : index
      %i = arith.addi %first, %head : index
      %at = arith.muli %i, %c5000 : index
      %ct = arith.muli %i, %c3000 : index
      %x = memref.reinterpret_cast %a to offset: [%at], sizes: [100, 50], strides: [50, 1] : memref<?x4x100x50xf32> to memref<100x50xf32, strided<[50, 1], offset: ?>>
      %z = memref.reinterpret_cast %c to offset: [%ct], sizes: [100, 30], strides: [30, 1] : memref<?x4x100x30xf32> to memref<100x30xf32, strided<[30, 1], offset: ?>>
      linalg.fill ins(%zero : f32) outs(%z : memref<100x30xf32, strided<[30, 1], offset: ?>>)
      linalg.matmul ins(%x, %b : memref<100x50xf32, strided<[50, 1], offset: ?>>, memref<50x30xf32>) outs(%z : memref<100x30xf32, strided<[30, 1], offset: ?>>)
    } {belfry.parallel}
  } {belfry.parallel}
  return
}

// -----

// A scatter-add: of 1000 places of the target a block owns 11, in 91 blocks. All threads of a block go through all ids; those of its places are added
// by threads that share the elements of an update.

// CHECK-LABEL: func.func private @scatter_p0(
// CHECK: %[[BLOCKS:.*]] = arith.constant 91 : index
// CHECK: gpu.launch_func @kernels::@loop_0 blocks in (%[[BLOCKS]],
// CHECK: gpu.func @loop_0(%[[ROWS:.*]]: index, %[[IDS:.*]]: memref<?x7xi32>, %[[X:.*]]: memref<?x7x50xf32>, %[[Y:.*]]: memref<1000x50xf32>)
// CHECK-DAG: %[[FIFTY:.*]] = arith.constant 50 : index
// CHECK-DAG: %[[OWN:.*]] = arith.constant 11 : index
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[T:.*]] = gpu.thread_id x
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[OWN]]
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %[[OWN]]
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[ROWS]] step
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[SEVEN]] step
// CHECK: memref.load %[[IDS]][%[[I]], %[[J]]]
// CHECK: %[[PLACE:.*]] = arith.maxsi
// CHECK-NEXT: %[[A:.*]] = arith.cmpi sge, %[[PLACE]], %[[FIRST]]
// CHECK-NEXT: %[[B:.*]] = arith.cmpi slt, %[[PLACE]], %[[END]]
// CHECK-NEXT: %[[MINE:.*]] = arith.andi %[[A]], %[[B]]
// CHECK-NEXT: scf.if %[[MINE]] {
// CHECK: arith.cmpi slt, %[[T]], %[[FIFTY]]
// CHECK: memref.load %[[X]][%[[I]], %[[J]], %[[T]]]
// CHECK: memref.store %{{.*}}, %[[Y]][%{{.*}}, %[[T]]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func private @scatter_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %ids: memref<?x7xi32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %x: memref<?x7x50xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %y: memref<1000x50xf32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c50 = arith.constant 50 : index
  %last = arith.constant 999 : index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c7 step %c1 {
      scf.for %d = %c0 to %c50 step %c1 {
        %id = memref.load %ids[%i, %j] : memref<?x7xi32>
        %k = arith.index_cast %id : i32 to index
        %low = arith.minsi %k, %last : index
        %place = arith.maxsi %low, %c0 : index
        %e = memref.load %x[%i, %j, %d] : memref<?x7x50xf32>
        %before = memref.load %y[%place, %d] : memref<1000x50xf32>
        %after = arith.addf %before, %e : f32
        memref.store %after, %y[%place, %d] : memref<1000x50xf32>
      }
    }
  } {belfry.kernel, belfry.scatter = array<i64: 2, 0>}
  return
}

// -----

// What is read along one dimension and written along another goes through tiles of 32 x 32 with a padded row, i1 as well; threads next to each
// other load and store neighbours. An operand that lies as the output does is read where it is needed.

// CHECK-LABEL: func.func private @transpose_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK-DAG: %[[C31:.*]] = arith.constant 31 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[SUM:.*]] = arith.addi %[[ROWS]], %[[C31]]
// CHECK: %[[TILES:.*]] = arith.divui %[[SUM]], %[[C32]]
// CHECK: gpu.launch_func @kernels::@transpose_0 blocks in ({{.*}}dtype = "f32,i1", family = "transpose"
// CHECK: gpu.func @transpose_0(%[[X:.*]]: memref<?x5x40xi1>, %[[W:.*]]: memref<40x5x?xf32>, %[[Y:.*]]: memref<40x5x?xf32>) workgroup(%[[TILE:.*]] : memref<32x33xi1, #gpu.address_space<workgroup>>) kernel
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[FAST:.*]] = arith.remui %[[T:.*]], %[[C32]]
// CHECK: %[[SLOW:.*]] = arith.divui %[[T]], %[[C32]]
// CHECK: %[[E:.*]] = memref.load %[[X]][
// CHECK: memref.store %[[E]], %[[TILE]][%[[SLOW]], %[[FAST]]]
// CHECK-COUNT-3: memref.store %{{.*}}, %[[TILE]][%{{.*}}, %[[FAST]]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[TILE]][%[[FAST]], %[[SLOW]]]
// CHECK-NEXT: memref.load %[[W]]
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK-COUNT-3: memref.load %[[TILE]][%[[FAST]], %{{.*}}]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func private @transpose_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x5x40xi1> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %w: memref<40x5x?xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %y: memref<40x5x?xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j, i)>, affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %w : memref<?x5x40xi1>, memref<40x5x?xf32>) outs(%y : memref<40x5x?xf32>) {
  ^bb0(%a: i1, %b: f32, %old: f32):
    %z = arith.constant 0.0 : f32
    %e = arith.select %a, %b, %z : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// A small C and a long sum: tiles of 16 x 16, by 16 groups of 16 threads. A group has a part of each stage, and a tree adds what groups have. A lies along its
// rows, so that threads next to each other take neighbours in it. The first group begins with what the fill said, which stores nothing itself.

// CHECK-LABEL: func.func private @gradient_p0(
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: gpu.launch_func @kernels::@dot_0 blocks in (%[[TWO]],
// CHECK: gpu.func @dot_0(%[[A:.*]]: memref<12x?xf32, strided<[1, 12]>>, %[[B:.*]]: memref<?x32xf32>, %[[C:.*]]: memref<12x32xf32>)
// CHECK-SAME: workgroup(%[[AT:.*]] : memref<64x20xf32, {{.*}}, %[[BT:.*]] : memref<64x20xf32, {{.*}}, %[[SUMS:.*]] : memref<16x128xf32, #gpu.address_space<workgroup>>) kernel
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[LAST:.*]] = arith.constant 11 : index
// CHECK: %[[SIDE:.*]] = arith.remui %[[T:.*]], %[[C16]]
// CHECK: %[[K:.*]] = arith.divui %[[T]], %[[C16]]
// CHECK: arith.minsi %{{.*}}, %[[LAST]]
// CHECK: %[[ISFIRST:.*]] = arith.cmpi eq, %[[K]],
// CHECK: %[[START:.*]] = arith.select %[[ISFIRST]],
// CHECK-NOT: memref.load %[[C]]
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[AT]][
// CHECK: memref.store %{{.*}}, %[[BT]][
// CHECK: memref.store %{{.*}}, %[[SUMS]][
// CHECK: gpu.return
func.func private @gradient_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?x12xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %b: memref<?x32xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %c: memref<12x32xf32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
  %half = arith.constant 0.5 : f32
  linalg.fill ins(%half : f32) outs(%c : memref<12x32xf32>)
  %turned = memref.reinterpret_cast %a to offset: [0], sizes: [12, %rows], strides: [1, 12] : memref<?x12xf32> to memref<12x?xf32, strided<[1, 12]>>
  linalg.matmul ins(%turned, %b : memref<12x?xf32, strided<[1, 12]>>, memref<?x32xf32>) outs(%c : memref<12x32xf32>)
  return
}

// -----

// Independent iterations are dealt to threads, 256 a block, and equal kernels are one: the stream is an argument. A loop that takes turns is one
// thread's.

// CHECK-LABEL: func.func private @loops_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant {belfry.argument} 7 : i32
// CHECK-DAG: %[[NINE:.*]] = arith.constant {belfry.argument} 9 : i32
// CHECK: %[[TRIPS:.*]] = arith.ceildivsi %[[ROWS]], %{{.*}}
// CHECK: %[[SUM:.*]] = arith.addi %[[TRIPS]], %{{.*}}
// CHECK: %[[BLOCKS:.*]] = arith.divui %[[SUM]], %{{.*}}
// CHECK: gpu.launch_func @kernels::@[[SHARED:loop_[0-9]+]] blocks in (%[[BLOCKS]],{{.*}}%[[SEVEN]] : i32)
// CHECK: gpu.launch_func @kernels::@[[SHARED]] blocks in (%[[BLOCKS]],{{.*}}%[[NINE]] : i32)
// CHECK: gpu.launch_func @kernels::@[[ONE:loop_[0-9]+]] blocks in (%c1
// CHECK: gpu.func @[[SHARED]](%{{.*}}: index, %[[X:.*]]: memref<?x4xi32>, %[[STREAM:.*]]: i32)
// CHECK-DAG: %[[TURN:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[T:.*]] = gpu.thread_id x
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: arith.muli %[[BLOCK]], %[[TURN]]
// CHECK: scf.for %[[BASE:.*]] = %{{.*}} to %{{.*}} step %[[TURN]]
// CHECK: %[[I:.*]] = arith.addi %[[BASE]], %[[T]]
// CHECK: scf.if
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %[[TWO]]
// CHECK: memref.load %[[X]][%[[ROW]],
// CHECK: arith.xori %{{.*}}, %[[STREAM]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
// CHECK: gpu.func @[[ONE]](
// CHECK: %[[T:.*]] = gpu.thread_id x
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %c0
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: scf.for
// CHECK-NOT: belfry.kernel
// CHECK-NOT: gpu.func
func.func private @loops_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x4xi32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %y: memref<?x4xi32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = arith.constant {belfry.argument} 7 : i32
  scf.for %i = %c0 to %rows step %c2 {
    %v = memref.load %x[%i, %c0] : memref<?x4xi32>
    %w = arith.xori %v, %s : i32
    memref.store %w, %x[%i, %c1] : memref<?x4xi32>
  } {belfry.kernel, belfry.independent = 4 : i64}
  %u = arith.constant {belfry.argument} 9 : i32
  scf.for %i = %c0 to %rows step %c2 {
    %v = memref.load %y[%i, %c0] : memref<?x4xi32>
    %w = arith.xori %v, %u : i32
    memref.store %w, %y[%i, %c1] : memref<?x4xi32>
  } {belfry.kernel, belfry.independent = 4 : i64}
  scf.for %i = %c0 to %rows step %c2 {
    %v = memref.load %y[%i, %c0] : memref<?x4xi32>
    memref.store %v, %y[%c0, %c1] : memref<?x4xi32>
  } {belfry.kernel}
  return
}

// -----

// A loop over blocks of rows is one launch: a block of the grid has an even part of the rows, where there are more than 128, else one, and keeps
// them through all steps. Its threads take the ops of a step one after the other. A product has a thread for each column of one row, or of four;
// threads that are left over share its sums.

// CHECK-LABEL: func.func private @scan_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[EVEN:.*]] = arith.ceildivui %[[ROWS]], %[[C128]]
// CHECK: %[[LEAST:.*]] = arith.maxui %[[EVEN]], %[[C1]]
// CHECK: %[[EACH:.*]] = arith.minui %[[LEAST]], %[[C64]]
// CHECK: %[[BLOCKS:.*]] = arith.ceildivsi %[[ROWS]], %[[EACH]]
// CHECK: gpu.launch_func @kernels::@scan_0 blocks in (%[[BLOCKS]],{{.*}} args(%[[ROWS]] : index,
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.func @scan_0(%[[ALL:.*]]: index, %[[X:.*]]: memref<?x8xf32>, %[[H:.*]]: memref<?x8xf32>, %[[U:.*]]: memref<8x8xf32>)
// CHECK-SAME: workgroup(%[[SUMS:.*]] : memref<16x256xf32, #gpu.address_space<workgroup>>) kernel
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[STEPS:.*]] = arith.constant 10 : index
// CHECK-DAG: %[[T:.*]] = gpu.thread_id x
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[EACH:.*]] = arith.minui
// CHECK: %[[ROW:.*]] = arith.muli %[[BLOCK]], %[[EACH]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[ALL]], %[[ROW]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %[[EACH]]
// CHECK: %[[XS:.*]] = memref.reinterpret_cast %[[X]] to {{.*}} sizes: [%[[COUNT]], 8]
// CHECK: %[[HS:.*]] = memref.reinterpret_cast %[[H]] to {{.*}} sizes: [%[[COUNT]], 8]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[STEPS]] step
// CHECK: %[[M:.*]] = memref.dim %[[XS]]
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %[[M]], %[[C1]]
// CHECK: scf.if %[[ONE]] {
// CHECK-COUNT-1: math.fma
// CHECK-NOT: math.fma
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: gpu.barrier
// CHECK: } else {
// CHECK: %[[LANE:.*]] = arith.divui %[[T]], %[[C8]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[M]] step
// CHECK: scf.for %[[K:.*]] = %[[LANE]] to %[[C8]] step %[[C32]] iter_args(
// CHECK-COUNT-4: memref.load %[[HS]][%{{.*}}, %[[K]]]
// CHECK: memref.load %[[U]][%[[K]],
// CHECK-COUNT-4: math.fma
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[XS]]
// CHECK: gpu.barrier
// CHECK: math.tanh
// CHECK: memref.store %{{.*}}, %[[HS]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func private @scan_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x8xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %u: memref<8x8xf32> {belfry.buffer = 1 : i64},
    %h: memref<?x8xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %size = arith.constant 64 : index
  scf.for %row = %c0 to %rows step %size {
    %left = arith.subi %rows, %row : index
    %count = arith.minsi %left, %size {belfry.block_rows} : index
    %at = arith.muli %row, %c8 : index
    %xs = memref.reinterpret_cast %x to offset: [%at], sizes: [%count, 8], strides: [8, 1] : memref<?x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    %hs = memref.reinterpret_cast %h to offset: [%at], sizes: [%count, 8], strides: [8, 1] : memref<?x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    scf.for %s = %c0 to %c10 step %c1 {
      linalg.matmul ins(%hs, %u : memref<?x8xf32, strided<[8, 1], offset: ?>>, memref<8x8xf32>) outs(%xs : memref<?x8xf32, strided<[8, 1], offset: ?>>)
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%xs : memref<?x8xf32, strided<[8, 1], offset: ?>>) outs(%hs : memref<?x8xf32, strided<[8, 1], offset: ?>>) {
      ^bb0(%a: f32, %b: f32):
        %e = math.tanh %a : f32
        linalg.yield %e : f32
      }
    }
  } {belfry.row_blocks = 120 : i64}
  return
}

// -----

// What depends on memory is computed in the kernel: the phase does not wait for it. Nothing of it stays in the phase.

// CHECK-LABEL: func.func private @memory_p0(
// CHECK-NOT: memref.load
// CHECK-NOT: arith.mulf
// CHECK: gpu.launch_func @kernels::@elementwise_0 blocks in {{.*}} args(%{{.*}} : memref<2xf32>, %{{.*}} : memref<?xf32>)
// CHECK: gpu.func @elementwise_0(%[[S:.*]]: memref<2xf32>, %[[X:.*]]: memref<?xf32>)
// CHECK: %[[K:.*]] = memref.load %[[S]][%c1]
// CHECK: %[[M:.*]] = arith.mulf %[[K]], %{{.*}}
// CHECK: memref.store %[[M]], %[[X]]
func.func private @memory_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %s: memref<2xf32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %k = memref.load %s[%c1] : memref<2xf32>
  %two = arith.constant 2.0 : f32
  %m = arith.mulf %k, %two : f32
  linalg.fill ins(%m : f32) outs(%x : memref<?x4xf32>)
  return
}

// -----

// Any other loop is one block. Its threads go through it together: conditions and loops around ops are those of the phase, elements and
// independent iterations are dealt, stores are one thread's, and prefetches go.

// CHECK-LABEL: func.func private @steps_p0(
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: gpu.launch_func @kernels::@scan_0 blocks in (%[[ONE]],
// CHECK: gpu.func @scan_0(
// CHECK-NOT: gpu.block_id
// CHECK: %[[T:.*]] = gpu.thread_id x
// CHECK: scf.for %[[STEP:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NOT: memref.prefetch
// CHECK: %[[M:.*]] = memref.load %{{.*}}[%[[STEP]]] : memref<10xi1>
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.if %[[M]] {
// CHECK: scf.for
// CHECK: arith.addi %{{.*}}, %[[T]]
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: arith.addi %{{.*}}, %[[T]]
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %{{.*}}
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: memref.store {{.*}}[%[[STEP]]] : memref<10xi1>
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
func.func private @steps_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x8xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %m: memref<10xi1> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %z = arith.constant 0.0 : f32
  %no = arith.constant false
  scf.for %s = %c0 to %c10 step %c1 {
    %here = memref.load %m[%s] : memref<10xi1>
    scf.if %here {
      memref.prefetch %x[%c0, %c0], read, locality<3>, data : memref<?x8xf32>
      linalg.fill ins(%z : f32) outs(%x : memref<?x8xf32>)
      scf.for %i = %c0 to %rows step %c1 {
        memref.store %z, %x[%i, %c1] : memref<?x8xf32>
      } {belfry.kernel, belfry.independent = 4 : i64}
    }
    memref.store %no, %m[%s] : memref<10xi1>
  }
  return
}

// -----

// A fill with a constant just before a sum or a product over the same array is their start: one launch less, and nothing of the array is read. Others stay.

// CHECK-LABEL: func.func private @start_p0(
// CHECK: gpu.launch_func @kernels::@[[REDUCE:reduce_[0-9]+]]
// CHECK-NEXT: gpu.launch_func @kernels::@[[DOT:dot_[0-9]+]]
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.launch_func @kernels::@elementwise_
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.launch_func @kernels::@elementwise_
// CHECK-NEXT: gpu.launch_func @kernels::@[[OTHER:reduce_[0-9]+]]
// CHECK-NEXT: return
// CHECK: gpu.func @[[REDUCE]](%{{.*}}: memref<8x10xf32>, %[[Y:.*]]: memref<8xf32>)
// CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NOT: memref.load %[[Y]]
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[HALF]]
// CHECK-NEXT: memref.store %[[SUM]], %[[Y]]
// CHECK: gpu.func @[[DOT]](%{{.*}}: memref<8x10xf32>, %{{.*}}: memref<10x4xf32>, %[[C:.*]]: memref<8x4xf32>)
// CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NOT: memref.load %[[C]]
// CHECK: %[[START:.*]] = arith.select %{{.*}}, %[[HALF]],
// CHECK-NOT: memref.load %[[C]]
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[START]]
// CHECK-NOT: memref.load %[[C]]
// CHECK: gpu.func @[[OTHER]](%{{.*}}: memref<8x10xf32>, %[[Y:.*]]: memref<8xf32>)
// CHECK: memref.load %[[Y]]
func.func private @start_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %a: memref<8x10xf32> {belfry.buffer = 0 : i64},
    %b: memref<10x4xf32> {belfry.buffer = 1 : i64}, %y: memref<8xf32> {belfry.buffer = 2 : i64}, %c: memref<8x4xf32> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  %half = arith.constant 0.5 : f32
  linalg.fill ins(%half : f32) outs(%y : memref<8xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x10xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%e: f32, %f: f32):
    %s = arith.addf %f, %e : f32
    linalg.yield %s : f32
  }
  linalg.fill ins(%half : f32) outs(%c : memref<8x4xf32>)
  linalg.matmul ins(%a, %b : memref<8x10xf32>, memref<10x4xf32>) outs(%c : memref<8x4xf32>)
  linalg.fill ins(%half : f32) outs(%y : memref<8xf32>)
  linalg.fill ins(%half : f32) outs(%c : memref<8x4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x10xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%e: f32, %f: f32):
    %s = arith.addf %f, %e : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// A fill that the reduction does not cover stays.
// CHECK-LABEL: func.func private @partly
// CHECK-COUNT-2: gpu.launch_func
func.func private @partly(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<8x40xf32> {belfry.buffer = 0 : i64}, %y: memref<8x10xf32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%y : memref<8x10xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x40xf32>) outs(%y : memref<8x10xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// What is not over whole arrays keeps its dimensions: a broadcast, a part of an array, the use of an index. A scalar that is read is no dimension.

// CHECK-LABEL: func.func private @dimensions_p0(
// CHECK: args(%{{.*}} : memref<4xf32>, %{{.*}} : memref<?x4xf32>)
// CHECK: args(%{{.*}} : memref<?x2xf32, strided<[4, 1], offset: 1>>)
// CHECK: args(%{{.*}} : memref<?x4xf32>)
// CHECK: args(%{{.*}} : memref<f32>, %{{.*}} : memref<?xf32>) {belfry.launch = {class = "elements", dtype = "f32", family = "elementwise", parts = "elementwise", shape = "?x4"}}
func.func private @dimensions_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64},
    %b: memref<4xf32> {belfry.buffer = 1 : i64}, %s: memref<f32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
  %z = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%b : memref<4xf32>) outs(%x : memref<?x4xf32>) {
  ^bb0(%v: f32, %old: f32):
    linalg.yield %v : f32
  }
  %part = memref.reinterpret_cast %x to offset: [1], sizes: [%rows, 2], strides: [4, 1] : memref<?x4xf32> to memref<?x2xf32, strided<[4, 1], offset: 1>>
  linalg.fill ins(%z : f32) outs(%part : memref<?x2xf32, strided<[4, 1], offset: 1>>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<?x4xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    linalg.yield %f : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : memref<f32>) outs(%x : memref<?x4xf32>) {
  ^bb0(%v: f32, %old: f32):
    %w = arith.addf %v, %old : f32
    linalg.yield %w : f32
  }
  return
}
