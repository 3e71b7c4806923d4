// RUN: belfry-opt %s --split-input-file --host-entry-points --flatten-kernel-arguments --canonicalize --cse | FileCheck %s

// A memref is the pointer to its first element, wherever the view begins, and of its extents and strides those that its type does not say.
// Numbers stay; what the block has as memory stays behind the arguments.

// CHECK-LABEL: func.func private @f_p0(
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[K:.*]] = arith.constant 3 : i32
// CHECK: %[[ROWS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[N:.*]] = arith.index_cast %[[ROWS]] {belfry.rows} : i64 to index
// CHECK: %[[TABLE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[X:.*]] = llvm.load %[[TABLE]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[TABLE]][1]
// CHECK: %[[Y:.*]] = llvm.load %[[AT]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[TABLE]][2]
// CHECK: %[[S:.*]] = llvm.load %[[AT]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[TABLE]][3]
// CHECK: %[[Q:.*]] = llvm.load %[[AT]]
// CHECK: %[[STEP:.*]] = arith.muli %[[N]], %{{.*}} : index
// CHECK: %[[EXTENT:.*]] = arith.muli %[[ROWS]], %[[TWO]] : i64
// CHECK: %[[OFFSET:.*]] = arith.index_cast %[[STEP]] : index to i64
// CHECK: %[[V:.*]] = llvm.getelementptr %[[Y]][%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: %[[STRIDE:.*]] = arith.muli %[[ROWS]], %[[EIGHT]] : i64
// CHECK: gpu.launch_func @kernels::@k blocks in (%[[N]], {{.*}} args(%[[K]] : i32, %[[X]] : !llvm.ptr, %[[EXTENT]] : i64,
// CHECK-SAME: %[[V]] : !llvm.ptr, %[[ROWS]] : i64, %[[STRIDE]] : i64, %[[S]] : !llvm.ptr, %[[Q]] : !llvm.ptr, %[[N]] : index)

// CHECK: gpu.func @k(%{{.*}}: i32, %[[X:[a-z0-9]+]]: !llvm.ptr, %[[EXTENT:[a-z0-9]+]]: i64, %[[V:[a-z0-9]+]]: !llvm.ptr, %[[ROWS:[a-z0-9]+]]: i64, %[[STRIDE:[a-z0-9]+]]: i64, %[[S:[a-z0-9]+]]: !llvm.ptr,
// CHECK-SAME: %[[Q:[a-z0-9]+]]: !llvm.ptr, %[[N:[a-z0-9]+]]: index) workgroup(%[[W:[a-z0-9]+]] : memref<256xf32, #gpu.address_space<workgroup>>) kernel
// CHECK: llvm.insertvalue %[[Q]], %{{.*}}[1]
// CHECK: %[[BOOLS:.*]] = builtin.unrealized_conversion_cast {{.*}} to memref<2x5xi1>
// CHECK: llvm.insertvalue %[[S]], %{{.*}}[1]
// CHECK: builtin.unrealized_conversion_cast {{.*}} to memref<f32>
// CHECK: llvm.insertvalue %[[V]], %{{.*}}[1]
// CHECK: llvm.insertvalue %[[ROWS]], %{{.*}}[3, 0]
// CHECK: llvm.insertvalue %[[STRIDE]], %{{.*}}[4, 1]
// CHECK: %[[VIEW:.*]] = builtin.unrealized_conversion_cast {{.*}} to memref<?x30x2xf32, strided<[8, ?, 1]>>
// CHECK: llvm.insertvalue %[[X]], %{{.*}}[1]
// CHECK: llvm.insertvalue %[[EXTENT]], %{{.*}}[3, 0]
// CHECK: %[[WHOLE:.*]] = builtin.unrealized_conversion_cast {{.*}} to memref<?x4xf32>
// CHECK: %[[DIM:.*]] = memref.dim %[[WHOLE]]
// CHECK: memref.load %[[WHOLE]][%[[DIM]],
// CHECK: memref.load %[[VIEW]][%[[N]],
// CHECK: memref.store %{{.*}}, %[[W]]
// CHECK: memref.load %[[BOOLS]]
module attributes {gpu.container_module} {
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 2 : i64}, %y: memref<30x?x8xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64},
    %s: memref<f32> {belfry.buffer = 2 : i64}, %q: memref<2x5xi1> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %k = arith.constant 3 : i32
  %step = arith.muli %rows, %c8 : index
  %v = memref.reinterpret_cast %y to offset: [%step], sizes: [%rows, 30, 2], strides: [8, %step, 1] : memref<30x?x8xf32> to memref<?x30x2xf32, strided<[8, ?, 1], offset: ?>>
  gpu.launch_func @kernels::@k blocks in (%rows, %c1, %c1) threads in (%c256, %c1, %c1)
      args(%k : i32, %x : memref<?x4xf32>, %v : memref<?x30x2xf32, strided<[8, ?, 1], offset: ?>>, %s : memref<f32>, %q : memref<2x5xi1>, %rows : index)
  return
}
gpu.module @kernels {
  gpu.func @k(%k: i32, %x: memref<?x4xf32>, %v: memref<?x30x2xf32, strided<[8, ?, 1], offset: ?>>, %s: memref<f32>, %q: memref<2x5xi1>, %n: index)
      workgroup(%w: memref<256xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %e = memref.dim %x, %c0 : memref<?x4xf32>
    %a = memref.load %x[%e, %c1] : memref<?x4xf32>
    %b = memref.load %v[%n, %t, %c1] : memref<?x30x2xf32, strided<[8, ?, 1], offset: ?>>
    %f = arith.sitofp %k : i32 to f32
    %c = arith.addf %a, %b : f32
    %d = arith.addf %c, %f : f32
    memref.store %d, %w[%t] : memref<256xf32, #gpu.address_space<workgroup>>
    %h = memref.load %q[%c1, %t] : memref<2x5xi1>
    scf.if %h {
      memref.store %d, %s[] : memref<f32>
    }
    gpu.return
  }
}
}

// -----

// What is chosen among arguments begins at their first elements too.

// CHECK-LABEL: gpu.func @chosen(
// CHECK-COUNT-2: builtin.unrealized_conversion_cast {{.*}} to memref<8xf32, strided<[2]>>
// CHECK: %[[C:.*]] = scf.if %{{.*}} -> (memref<8xf32, strided<[2]>>) {
// CHECK: %[[S:.*]] = arith.select {{.*}} : memref<8xf32, strided<[2]>>
// CHECK: scf.yield %[[S]] : memref<8xf32, strided<[2]>>
// CHECK: } else {
// CHECK: memref.store %{{.*}}, %[[C]][%{{.*}}] : memref<8xf32, strided<[2]>>
gpu.module @kernels {
  gpu.func @chosen(%x: memref<8xf32, strided<[2], offset: ?>>, %y: memref<8xf32, strided<[2], offset: ?>>, %i: index, %a: i1, %b: i1) kernel {
    %z = arith.constant 0.0 : f32
    %c = scf.if %a -> memref<8xf32, strided<[2], offset: ?>> {
      %s = arith.select %b, %x, %y : memref<8xf32, strided<[2], offset: ?>>
      scf.yield %s : memref<8xf32, strided<[2], offset: ?>>
    } else {
      memref.store %z, %y[%i] : memref<8xf32, strided<[2], offset: ?>>
      scf.yield %y : memref<8xf32, strided<[2], offset: ?>>
    }
    memref.store %z, %c[%i] : memref<8xf32, strided<[2], offset: ?>>
    gpu.return
  }
}
