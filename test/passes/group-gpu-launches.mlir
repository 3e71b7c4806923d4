// RUN: belfry-opt %s --split-input-file --group-gpu-launches --canonicalize --cse | FileCheck %s
// RUN: belfry-opt %s --split-input-file --group-gpu-launches=share-memory=false | FileCheck %s --check-prefix=APART
// RUN: belfry-opt %s --split-input-file --group-gpu-launches --group-gpu-launches | FileCheck %s --check-prefix=TWICE

// Groups of groups have names of their own.
// TWICE: gpu.func @group_0

// Two launches of one kernel, whose arguments a block chooses, and one of another kernel. The grid is all of theirs.

// CHECK-LABEL: func.func private @beside_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?xf32> {{{[^}]*}}}, %[[B:[a-z0-9]+]]: memref<?xf32> {{{[^}]*}}}, %[[C:[a-z0-9]+]]: memref<?xf32> {{{[^}]*}}}, %[[S:[a-z0-9]+]]: memref<f32>
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[THREADS:.*]] = arith.constant 8 : index
// CHECK: %[[MORE:.*]] = arith.addi %[[ROWS]], %[[TWO]]
// CHECK: %[[ALL:.*]] = arith.addi %[[MORE]], %[[ROWS]]
// CHECK: gpu.launch_func @kernels::@group_0 blocks in (%[[ALL]], %[[ONE]], %[[ONE]]) threads in (%[[THREADS]], %[[ONE]], %[[ONE]])
// CHECK-SAME: args(%[[A]] : memref<?xf32>, %[[S]] : memref<f32>, %[[C]] : memref<?xf32>, %[[B]] : memref<?xf32>, %[[ROWS]] : index, %[[MORE]] : index)
// CHECK-SAME: {belfry.launch = [{family = "elementwise", layer = "one", shape = "?"}, {layer = "three"}, {layer = "two"}]}
// CHECK-NOT: gpu.launch_func
// CHECK-NOT: gpu.func @fill
// CHECK: gpu.func @group_0(%[[A:.*]]: memref<?xf32>, %[[S:.*]]: memref<f32>, %[[C:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[ENDA:.*]]: index, %[[ENDC:.*]]: index) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[FILLS:.*]] = arith.cmpi slt, %[[BLOCK]], %[[ENDC]]
// CHECK: scf.if %[[FILLS]]
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[BLOCK]], %[[ENDA]]
// CHECK-DAG: %[[BEGIN:.*]] = arith.select %[[FIRST]], %{{.*}}, %[[ENDA]] : index
// CHECK-DAG: %[[X:.*]] = arith.select %[[FIRST]], %[[A]], %[[C]] : memref<?xf32>
// CHECK: %[[I:.*]] = arith.subi %[[BLOCK]], %[[BEGIN]]
// CHECK: %[[V:.*]] = memref.load %[[S]][]
// CHECK: memref.store %[[V]], %[[X]][%[[I]]]
// CHECK: } else {
// CHECK: %[[J:.*]] = arith.subi %[[BLOCK]], %[[ENDC]]
// CHECK: memref.store %{{.*}}, %[[B]][%[[J]]]
// CHECK: gpu.return
module attributes {gpu.container_module} {
func.func private @beside_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %a: memref<?xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %b: memref<?xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %c: memref<?xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}, %s: memref<f32> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  gpu.launch_func @kernels::@fill blocks in (%rows, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<?xf32>, %s : memref<f32>)
      {belfry.launch = {family = "elementwise", shape = "?"}} loc("one")
  gpu.launch_func @kernels::@negate blocks in (%rows, %c1, %c1) threads in (%c8, %c1, %c1) args(%b : memref<?xf32>) loc("two")
  gpu.launch_func @kernels::@fill blocks in (%c2, %c1, %c1) threads in (%c8, %c1, %c1) args(%c : memref<?xf32>, %s : memref<f32>) loc("three")
  return
}
gpu.module @kernels {
  gpu.func @fill(%x: memref<?xf32>, %s: memref<f32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %b = gpu.block_id x
    %v = memref.load %s[] : memref<f32>
    memref.store %v, %x[%b] : memref<?xf32>
    gpu.return
  }
  gpu.func @negate(%x: memref<?xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %b = gpu.block_id x
    %v = memref.load %x[%b] : memref<?xf32>
    %w = arith.negf %v : f32
    memref.store %w, %x[%b] : memref<?xf32>
    gpu.return
  }
}
}

// -----

// What one writes and another one reads, or both write, keeps its order: x, which is read and then written, through a view too. Kernels that have no
// group stay as they are.

// CHECK-LABEL: func.func private @order_p0(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4x2xf32> {{{[^}]*}}}, %[[Y:[a-z0-9]+]]: memref<4x2xf32> {{{[^}]*}}}, %[[Z:[a-z0-9]+]]: memref<4x2xf32>
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[X]]
// CHECK: gpu.launch_func @kernels::@copy blocks {{.*}} args(%[[X]] : {{.*}}, %[[Y]] :
// CHECK: gpu.launch_func @kernels::@group_0 blocks {{.*}} args(%[[V]] : {{.*}}, %[[Y]] : {{.*}}, %[[Z]] :
// CHECK: gpu.launch_func @kernels::@copy blocks {{.*}} args(%[[Z]] : {{.*}}, %[[X]] :
// CHECK: gpu.launch_func @kernels::@copy blocks {{.*}} args(%[[Y]] : {{.*}}, %[[X]] :
// CHECK: return
// CHECK: gpu.func @copy
// CHECK: gpu.func @group_0
module attributes {gpu.container_module} {
func.func private @order_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<4x2xf32> {belfry.buffer = 0 : i64},
    %y: memref<4x2xf32> {belfry.buffer = 1 : i64}, %z: memref<4x2xf32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 900 : index
  %v = memref.reinterpret_cast %x to offset: [4], sizes: [4], strides: [1] : memref<4x2xf32> to memref<4xf32, strided<[1], offset: 4>>
  gpu.launch_func @kernels::@copy blocks in (%c9, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<4x2xf32>, %y : memref<4x2xf32>)
  gpu.launch_func @kernels::@zero blocks in (%c9, %c1, %c1) threads in (%c1, %c1, %c1) args(%v : memref<4xf32, strided<[1], offset: 4>>)
  gpu.launch_func @kernels::@copy blocks in (%c9, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<4x2xf32>, %z : memref<4x2xf32>)
  gpu.launch_func @kernels::@copy blocks in (%c9, %c1, %c1) threads in (%c1, %c1, %c1) args(%z : memref<4x2xf32>, %x : memref<4x2xf32>)
  gpu.launch_func @kernels::@copy blocks in (%c9, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<4x2xf32>, %x : memref<4x2xf32>)
  return
}
gpu.module @kernels {
  gpu.func @copy(%x: memref<4x2xf32>, %y: memref<4x2xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %b = gpu.block_id x
    %v = memref.load %x[%b, %b] : memref<4x2xf32>
    memref.store %v, %y[%b, %b] : memref<4x2xf32>
    gpu.return
  }
  gpu.func @zero(%x: memref<4xf32, strided<[1], offset: 4>>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0.0 : f32
    %b = gpu.block_id x
    memref.store %z, %x[%b] : memref<4xf32, strided<[1], offset: 4>>
    gpu.return
  }
}
}

// -----

// Launches of one block that wait for each other follow one another in a block, a barrier between them; a third launch runs beside. What stands
// before what it waits for does not: the last one writes what the strand reads, with many blocks.

// CHECK-LABEL: func.func private @strand_p0(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<f32> {{{[^}]*}}}, %[[Y:[a-z0-9]+]]: memref<f32> {{{[^}]*}}}, %[[Z:[a-z0-9]+]]: memref<f32> {{{[^}]*}}}, %[[W:[a-z0-9]+]]: memref<f32>
// CHECK-DAG: %[[SUM:.*]] = arith.constant 901 : index
// CHECK: gpu.launch_func @kernels::@group_0 blocks in (%[[SUM]],
// CHECK-NEXT: gpu.launch_func @kernels::@copy blocks {{.*}} args(%[[W]] : memref<f32>, %[[X]] : memref<f32>)
// CHECK: gpu.func @copy
// CHECK: gpu.func @group_0(%[[X:.*]]: memref<f32>, %[[Y:.*]]: memref<f32>, %[[Z:.*]]: memref<f32>, %[[W:.*]]: memref<f32>)
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: arith.cmpi slt, %[[BLOCK]], %c1
// CHECK: scf.if
// CHECK: %[[V:.*]] = memref.load %[[X]]
// CHECK: memref.store %[[V]], %[[Y]]
// CHECK-NEXT: gpu.barrier
// CHECK: %[[V:.*]] = memref.load %[[Y]]
// CHECK: memref.store %[[V]], %[[Z]]
// CHECK: } else {
// CHECK-NOT: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[W]]
module attributes {gpu.container_module} {
func.func private @strand_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<f32> {belfry.buffer = 0 : i64}, %y: memref<f32> {belfry.buffer = 1 : i64},
    %z: memref<f32> {belfry.buffer = 2 : i64}, %w: memref<f32> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 900 : index
  gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>, %y : memref<f32>)
  gpu.launch_func @kernels::@zero blocks in (%c9, %c1, %c1) threads in (%c1, %c1, %c1) args(%w : memref<f32>)
  gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<f32>, %z : memref<f32>)
  gpu.launch_func @kernels::@copy blocks in (%c9, %c1, %c1) threads in (%c1, %c1, %c1) args(%w : memref<f32>, %x : memref<f32>)
  return
}
gpu.module @kernels {
  gpu.func @copy(%x: memref<f32>, %y: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %v = memref.load %x[] : memref<f32>
    memref.store %v, %y[] : memref<f32>
    gpu.return
  }
  gpu.func @zero(%x: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0.0 : f32
    memref.store %z, %x[] : memref<f32>
    gpu.return
  }
}
}

// -----

// Memory of a block is one piece, which each body uses from the beginning. A launch that fills the device with little threads is not beside a
// product, whose threads hold much; one of a few blocks is.

// CHECK-LABEL: func.func private @memory_p0(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<4xf64> {{{[^}]*}}}, %[[B:[a-z0-9]+]]: memref<4xf64> {{{[^}]*}}}, %[[C:[a-z0-9]+]]: memref<4xf64>
// CHECK: gpu.launch_func @kernels::@zero blocks {{.*}} args(%[[B]] :
// CHECK: gpu.launch_func @kernels::@group_0 blocks {{.*}} args(%[[C]] : memref<4xf64>, %[[A]] : memref<4xf64>, %{{.*}} : index)
// CHECK-NEXT: gpu.launch_func @kernels::@zero blocks {{.*}} args(%[[B]] :
// CHECK: gpu.func @zero
// CHECK: gpu.func @group_0(%[[C:.*]]: memref<4xf64>, %[[A:.*]]: memref<4xf64>, %{{.*}}: index) workgroup(%[[M:.*]] : memref<144xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK: scf.if
// CHECK: memref.view %[[M]][%c0][] : memref<144xi8, #gpu.address_space<workgroup>> to memref<9xi1, #gpu.address_space<workgroup>>
// CHECK: memref.view %[[M]][%c16][] : memref<144xi8, #gpu.address_space<workgroup>> to memref<16xf64, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: } else {
// CHECK: memref.view %[[M]][%c0][] : memref<144xi8, #gpu.address_space<workgroup>> to memref<4xf64, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
module attributes {gpu.container_module} {
func.func private @memory_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %a: memref<4xf64> {belfry.buffer = 0 : i64},
    %b: memref<4xf64> {belfry.buffer = 1 : i64}, %c: memref<4xf64> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gpu.launch_func @kernels::@zero blocks in (%rows, %c1, %c1) threads in (%c4, %c1, %c1) args(%b : memref<4xf64>) {belfry.launch = {family = "elementwise"}}
  gpu.launch_func @kernels::@product blocks in (%rows, %c1, %c1) threads in (%c4, %c1, %c1) args(%c : memref<4xf64>) {belfry.launch = {family = "dot"}}
  gpu.launch_func @kernels::@sum blocks in (%c4, %c1, %c1) threads in (%c4, %c1, %c1) args(%a : memref<4xf64>) {belfry.launch = {family = "reduce"}}
  gpu.launch_func @kernels::@zero blocks in (%rows, %c1, %c1) threads in (%c4, %c1, %c1) args(%b : memref<4xf64>) {belfry.launch = {family = "elementwise"}}
  return
}
gpu.module @kernels {
  gpu.func @sum(%x: memref<4xf64>) workgroup(%m: memref<4xf64, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<4xf64>
    memref.store %v, %m[%t] : memref<4xf64, #gpu.address_space<workgroup>>
    gpu.barrier
    %c0 = arith.constant 0 : index
    %w = memref.load %m[%c0] : memref<4xf64, #gpu.address_space<workgroup>>
    memref.store %w, %x[%t] : memref<4xf64>
    gpu.return
  }
  gpu.func @zero(%x: memref<4xf64>) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %t = gpu.thread_id x
    %z = arith.constant 0.0 : f64
    memref.store %z, %x[%t] : memref<4xf64>
    gpu.return
  }
  gpu.func @product(%x: memref<4xf64>) workgroup(%f: memref<9xi1, #gpu.address_space<workgroup>>, %m: memref<16xf64, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>} {
    %t = gpu.thread_id x
    %true = arith.constant true
    %v = memref.load %x[%t] : memref<4xf64>
    memref.store %v, %m[%t] : memref<16xf64, #gpu.address_space<workgroup>>
    memref.store %true, %f[%t] : memref<9xi1, #gpu.address_space<workgroup>>
    gpu.barrier
    %c0 = arith.constant 0 : index
    %w = memref.load %m[%c0] : memref<16xf64, #gpu.address_space<workgroup>>
    memref.store %w, %x[%t] : memref<4xf64>
    gpu.return
  }
}
}

// -----

// Rows that may be one array keep their order: two of one kind and number, and a tower's rows of an array and the array. A parameter and another
// one are apart.

// CHECK-LABEL: func.func private @rows_p0(
// CHECK-COUNT-2: gpu.launch_func @kernels::@move
// CHECK-COUNT-3: gpu.launch_func @kernels::@use
// CHECK: gpu.launch_func @kernels::@group_0
// CHECK-NOT: gpu.launch_func
module attributes {gpu.container_module, belfry.phases = [@rows_p0], belfry.functions = {f = {schedule = [{phase = 0 : i64, run = "per_tower"}], buffers = [
    {kind = "state", index = 0 : i64, scope = "shared", dtype = "f32", bytes = [0, 4]}, {kind = "state", index = 0 : i64, scope = "shared", dtype = "f32", bytes = [0, 4]},
    {kind = "cross", scope = "tower", dtype = "f32", bytes = [0, 4], rows_of = 3 : i64, live = [0, 0]}, {kind = "cross", scope = "shared", dtype = "f32", bytes = [0, 4], live = [0, 0]},
    {kind = "parameter", index = 0 : i64, scope = "shared", dtype = "f32", bytes = [0, 4]}, {kind = "parameter", index = 1 : i64, scope = "shared", dtype = "f32", bytes = [0, 4]}]}}} {
func.func private @rows_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %s: memref<f32> {belfry.buffer = 0 : i64}, %s2: memref<f32> {belfry.buffer = 1 : i64},
    %c: memref<f32> {belfry.buffer = 2 : i64}, %all: memref<f32> {belfry.buffer = 3 : i64}, %p: memref<f32> {belfry.buffer = 4 : i64}, %q: memref<f32> {belfry.buffer = 5 : i64})
    attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@move blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%s : memref<f32>)
  gpu.launch_func @kernels::@move blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%s2 : memref<f32>)
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%s : memref<f32>, %c : memref<f32>)
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%all : memref<f32>, %p : memref<f32>)
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : memref<f32>, %p : memref<f32>)
  gpu.launch_func @kernels::@move blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : memref<f32>)
  gpu.launch_func @kernels::@move blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%q : memref<f32>)
  return
}
gpu.module @kernels {
  gpu.func @move(%x: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0.0 : f32
    memref.store %z, %x[] : memref<f32>
    gpu.return
  }
  gpu.func @use(%x: memref<f32>, %y: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %v = memref.load %x[] : memref<f32>
    memref.store %v, %y[] : memref<f32>
    gpu.return
  }
}
}

// -----

// A launch that has a group before it joins it; one that fills a group of its own moves later, and what waits for it is pushed on: the first copy runs
// beside the last, behind the product that stands between.

// CHECK-LABEL: func.func private @later_p0(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<f32> {{{[^}]*}}}, %[[B:[a-z0-9]+]]: memref<f32> {{{[^}]*}}}, %[[C:[a-z0-9]+]]: memref<f32> {{{[^}]*}}}, %[[D:[a-z0-9]+]]: memref<f32>
// CHECK: gpu.launch_func @kernels::@use blocks {{.*}} args(%[[C]] : {{.*}}, %[[C]] : {{.*}} {belfry.launch = {family = "dot"}}
// CHECK: gpu.launch_func @kernels::@group_0 blocks {{.*}} args(%[[A]] : memref<f32>, %[[C]] : memref<f32>, %[[D]] : memref<f32>, %{{.*}} : index)
// CHECK: gpu.launch_func @kernels::@group_1 blocks {{.*}} args(%[[A]] : memref<f32>, %[[B]] : memref<f32>, %[[D]] : memref<f32>, %[[E:.*]] : memref<f32>, %{{.*}} : index)
// CHECK-NOT: gpu.launch_func
module attributes {gpu.container_module} {
func.func private @later_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %a: memref<f32> {belfry.buffer = 0 : i64}, %b: memref<f32> {belfry.buffer = 1 : i64},
    %c: memref<f32> {belfry.buffer = 2 : i64}, %d: memref<f32> {belfry.buffer = 3 : i64}, %e: memref<f32> {belfry.buffer = 4 : i64}) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@move blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<f32>)
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%c : memref<f32>, %c : memref<f32>) {belfry.launch = {family = "dot"}}
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<f32>, %b : memref<f32>)
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%c : memref<f32>, %d : memref<f32>)
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<f32>, %e : memref<f32>)
  return
}
gpu.module @kernels {
  gpu.func @move(%x: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0.0 : f32
    memref.store %z, %x[] : memref<f32>
    gpu.return
  }
  gpu.func @use(%x: memref<f32>, %y: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %v = memref.load %x[] : memref<f32>
    memref.store %v, %y[] : memref<f32>
    gpu.return
  }
}
}

// -----

// Scratch whose lives never met was one place, perhaps; in groups it lives at once. A collective is a position too.

// CHECK-LABEL: module attributes
// CHECK-SAME: kind = "cross", live = [1, 2], scope = "tower"
// CHECK-SAME: kind = "cross", live = [2, 2], scope = "shared"
// CHECK-SAME: kind = "scratch", live = [0, 1]
// CHECK-SAME: kind = "scratch", live = [0, 1]
// CHECK: gpu.launch_func @kernels::@group_0
// CHECK: gpu.launch_func @kernels::@group_{{[01]}}
// CHECK-NOT: gpu.launch_func
// APART: kind = "cross", live = [0, 2], scope = "tower"
// APART-SAME: kind = "cross", live = [0, 2], scope = "shared"
// APART-SAME: kind = "scratch", live = [0, 2]
// APART-SAME: kind = "scratch", live = [0, 2]
module attributes {gpu.container_module, belfry.phases = [@lives_p0], belfry.functions = {f = {schedule = [{phase = 0 : i64, run = "per_tower"}, {all_reduce = "sum", count = [0, 1], dtype = "f32", from = 1 : i64, to = 2 : i64}],
    buffers = [{kind = "input", index = 0 : i64, scope = "tower", dtype = "f32", bytes = [0, 4]}, {kind = "cross", scope = "tower", dtype = "f32", bytes = [0, 4], live = [7, 9]},
    {kind = "cross", scope = "shared", dtype = "f32", bytes = [0, 4], live = [9, 9]}, {kind = "scratch", scope = "tower", dtype = "f32", bytes = [0, 4], live = [4, 5]},
    {kind = "scratch", scope = "tower", dtype = "f32", bytes = [0, 4], live = [6, 7]}]}}} {
func.func private @lives_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<f32> {belfry.buffer = 0 : i64}, %y: memref<f32> {belfry.buffer = 1 : i64},
    %s: memref<f32> {belfry.buffer = 3 : i64}, %u: memref<f32> {belfry.buffer = 4 : i64}) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>, %s : memref<f32>)
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%s : memref<f32>, %s : memref<f32>)
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>, %u : memref<f32>)
  gpu.launch_func @kernels::@use blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%u : memref<f32>, %y : memref<f32>)
  return
}
gpu.module @kernels {
  gpu.func @use(%x: memref<f32>, %y: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %v = memref.load %x[] : memref<f32>
    memref.store %v, %y[] : memref<f32>
    gpu.return
  }
}
}

// -----

// These have no group: a kernel that asks for its grid, one of another number of threads, one with another attribute, a grid of two dimensions. Nor has a
// launch of a phase that touches memory itself.

// CHECK-LABEL: func.func private @alone_p0(
// CHECK-COUNT-4: gpu.launch_func @kernels::@{{[gtma]}}
// CHECK: return
// CHECK-LABEL: func.func private @loads_p0(
// CHECK: gpu.launch_func @kernels::@marked
// CHECK: gpu.launch_func @kernels::@marked
// CHECK-NOT: group_
module attributes {gpu.container_module} {
func.func private @alone_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<4xindex> {belfry.buffer = 0 : i64}, %y: memref<4xindex> {belfry.buffer = 1 : i64},
    %z: memref<4xindex> {belfry.buffer = 2 : i64}, %w: memref<4xindex> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch_func @kernels::@grid blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<4xindex>)
  gpu.launch_func @kernels::@threads blocks in (%rows, %c1, %c1) threads in (%c2, %c1, %c1) args(%y : memref<4xindex>)
  gpu.launch_func @kernels::@marked blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%z : memref<4xindex>)
  gpu.launch_func @kernels::@all blocks in (%rows, %c2, %c1) threads in (%c1, %c1, %c1) args(%w : memref<4xindex>)
  return
}
func.func private @loads_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<4xindex> {belfry.buffer = 0 : i64}, %y: memref<4xindex> {belfry.buffer = 1 : i64})
    attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %c2 = memref.load %x[%c1] : memref<4xindex>
  gpu.launch_func @kernels::@marked blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<4xindex>)
  gpu.launch_func @kernels::@marked blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<4xindex>)
  return
}
gpu.module @kernels {
  gpu.func @grid(%x: memref<4xindex>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %b = gpu.block_id x
    %n = gpu.grid_dim x
    memref.store %n, %x[%b] : memref<4xindex>
    gpu.return
  }
  gpu.func @threads(%x: memref<4xindex>) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %t = gpu.thread_id x
    memref.store %t, %x[%t] : memref<4xindex>
    gpu.return
  }
  gpu.func @marked(%x: memref<4xindex>) kernel attributes {belfry.mark, known_block_size = array<i32: 1, 1, 1>} {
    %b = gpu.block_id x
    memref.store %b, %x[%b] : memref<4xindex>
    gpu.return
  }
  gpu.func @all(%x: memref<4xindex>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %b = gpu.block_id x
    memref.store %b, %x[%b] : memref<4xindex>
    gpu.return
  }
}
}

// -----

// What is not known to be a row may be anywhere.

// CHECK-LABEL: func.func private @anywhere_p0(
// CHECK-COUNT-3: gpu.launch_func @kernels::@move
module attributes {gpu.container_module} {
func.func private @anywhere_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<f32> {belfry.buffer = 0 : i64}, %y: memref<f32> {belfry.buffer = 1 : i64})
    attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %first = arith.cmpi eq, %t, %o : index
  %p = arith.select %first, %x, %y : memref<f32>
  gpu.launch_func @kernels::@move blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>)
  gpu.launch_func @kernels::@move blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%p : memref<f32>)
  gpu.launch_func @kernels::@move blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<f32>)
  return
}
gpu.module @kernels {
  gpu.func @move(%x: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0.0 : f32
    memref.store %z, %x[] : memref<f32>
    gpu.return
  }
}
}

// -----

// Parts of a concatenation are other columns of one array; where they have a column in common, or one of them takes more than a row has, they are not.

// CHECK-LABEL: func.func private @columns_p0(
// CHECK: gpu.launch_func @kernels::@group_0
// CHECK: gpu.launch_func @kernels::@{{more|whole}}
// CHECK: gpu.launch_func @kernels::@{{more|whole}}
// CHECK-NOT: gpu.launch_func
module attributes {gpu.container_module} {
func.func private @columns_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<?x6x8xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64})
    attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %all = arith.muli %rows, %c6 : index
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [6, %rows, 3], strides: [8, 48, 1] : memref<?x6x8xf32> to memref<6x?x3xf32, strided<[8, 48, 1]>>
  %b = memref.reinterpret_cast %x to offset: [3], sizes: [6, %rows, 5], strides: [8, 48, 1] : memref<?x6x8xf32> to memref<6x?x5xf32, strided<[8, 48, 1], offset: 3>>
  %c = memref.reinterpret_cast %x to offset: [2], sizes: [%all, 6], strides: [8, 1] : memref<?x6x8xf32> to memref<?x6xf32, strided<[8, 1], offset: 2>>
  %d = memref.reinterpret_cast %x to offset: [0], sizes: [%rows, 48], strides: [48, 1] : memref<?x6x8xf32> to memref<?x48xf32, strided<[48, 1]>>
  gpu.launch_func @kernels::@first blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<6x?x3xf32, strided<[8, 48, 1]>>)
  gpu.launch_func @kernels::@second blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%b : memref<6x?x5xf32, strided<[8, 48, 1], offset: 3>>)
  gpu.launch_func @kernels::@more blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%c : memref<?x6xf32, strided<[8, 1], offset: 2>>)
  gpu.launch_func @kernels::@whole blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<?x48xf32, strided<[48, 1]>>)
  return
}
gpu.module @kernels {
  gpu.func @first(%x: memref<6x?x3xf32, strided<[8, 48, 1]>>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    memref.store %z, %x[%c0, %c0, %c0] : memref<6x?x3xf32, strided<[8, 48, 1]>>
    gpu.return
  }
  gpu.func @second(%x: memref<6x?x5xf32, strided<[8, 48, 1], offset: 3>>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    memref.store %z, %x[%c0, %c0, %c0] : memref<6x?x5xf32, strided<[8, 48, 1], offset: 3>>
    gpu.return
  }
  gpu.func @more(%x: memref<?x6xf32, strided<[8, 1], offset: 2>>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    memref.store %z, %x[%c0, %c0] : memref<?x6xf32, strided<[8, 1], offset: 2>>
    gpu.return
  }
  gpu.func @whole(%x: memref<?x48xf32, strided<[48, 1]>>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    memref.store %z, %x[%c0, %c0] : memref<?x48xf32, strided<[48, 1]>>
    gpu.return
  }
}
}
