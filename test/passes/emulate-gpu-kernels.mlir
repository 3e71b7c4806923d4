// RUN: belfry-opt %s --split-input-file --emulate-gpu-kernels --canonicalize --cse | FileCheck %s

// A kernel is a loop of belfry_parallel_for whose iterations are blocks. Threads that never meet are one loop. The list has the arguments, and behind
// them the belfry_loop.

// CHECK: {{^}}module {
// CHECK-LABEL: func.func private @launch_p0(
// CHECK-SAME: %[[ARGS:[a-z0-9]+]]: !llvm.ptr, %[[N:[a-z0-9]+]]: index, %[[P:[a-z0-9]+]]: !llvm.ptr, %[[X:[a-z0-9]+]]: f32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[WORDS:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[F:.*]] = constant @scale
// CHECK: %[[LIST:.*]] = llvm.alloca %[[WORDS]] x i64
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[ARGS]][40]
// CHECK: %[[CONTEXT:.*]] = llvm.load %[[AT]]
// CHECK: llvm.store %[[P]], %[[LIST]]
// CHECK: %[[BLOCKS:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[LIST]][1]
// CHECK: llvm.store %[[BLOCKS]], %[[AT]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[LIST]][2]
// CHECK: llvm.store %[[X]], %[[AT]]
// CHECK: %[[FN:.*]] = builtin.unrealized_conversion_cast %[[F]]
// CHECK: %[[LOOP:.*]] = llvm.getelementptr %[[LIST]][3]
// CHECK: llvm.store %[[FN]], %[[LOOP]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[LIST]][4]
// CHECK: llvm.store %[[LIST]], %[[AT]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[LIST]][5]
// CHECK: llvm.store %[[BLOCKS]], %[[AT]]
// CHECK: call @belfry_parallel_for(%[[CONTEXT]], %[[ONE]], %[[LOOP]])
// CHECK: func.func private @scale(%[[LIST:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[P:.*]] = llvm.load %[[LIST]] {{.*}} -> !llvm.ptr
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[FIRST:.*]] = arith.index_cast %[[BEGIN]]
// CHECK: %[[LAST:.*]] = arith.index_cast %[[END]]
// CHECK: scf.for %[[B:.*]] = %[[FIRST]] to %[[LAST]] step %[[C1]]
// CHECK: %[[BASE:.*]] = arith.muli %[[B]], %[[C8]]
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]] step %[[C1]]
// CHECK: %[[I:.*]] = arith.addi %[[BASE]], %[[T]]
// CHECK: scf.for %{{.*}} = %[[I]] to %[[N]] step %[[C8]]
// CHECK-NOT: gpu.
module attributes {gpu.container_module} {
func.func private @launch_p0(%args: !llvm.ptr, %n: index, %p: !llvm.ptr, %x: f32) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  gpu.launch_func @kernels::@scale blocks in (%n, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : !llvm.ptr, %n : index, %x : f32)
  return
}
gpu.module @kernels {
  gpu.func @scale(%p: !llvm.ptr, %n: index, %x: f32) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %d = gpu.block_dim x
    %m = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<?xf32>
    %first = arith.muli %b, %d : index
    %i = arith.addi %first, %t : index
    scf.for %j = %i to %n step %d {
      %v = memref.load %m[%j] : memref<?xf32>
      %w = arith.mulf %v, %x : f32
      memref.store %w, %m[%j] : memref<?xf32>
    }
    gpu.return
  }
}
}

// -----

// Pieces between barriers. Memory of the block and values that outlive a barrier are arrays, made once for all blocks; the index is computed again.
// What a loop carries is read before it is written: two values take each other's places.

// CHECK-LABEL: func.func private @steps(
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[X:.*]] = llvm.load %{{.*}} -> f32
// CHECK: %[[W:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
// CHECK-COUNT-4: memref.alloca()
// CHECK: scf.for %[[B:[a-z0-9]+]] =
// CHECK: %[[M:.*]] = builtin.unrealized_conversion_cast
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]] step %[[C1]]
// CHECK: %[[I:.*]] = arith.addi %[[B]], %[[T]]
// CHECK: %[[V:.*]] = memref.load %[[M]][%[[I]]]
// CHECK: memref.store %[[V]], %[[KEPT:.*]][%[[T]]]
// CHECK: memref.store %[[V]], %[[W]][%[[T]]]
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]] step %[[C1]]
// CHECK: %[[V:.*]] = memref.load %[[KEPT]][%[[T]]]
// CHECK: memref.store %[[V]], %[[A:.*]][%[[T]]]
// CHECK: memref.store %[[X]], %[[Q:.*]][%[[T]]]
// CHECK: scf.for %[[S:.*]] = %[[C0]] to %[[N]] step %[[C1]]
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]] step %[[C1]]
// CHECK: memref.load %[[W]][%[[S]]]
// CHECK: memref.load %[[A]][%[[T]]]
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: memref.store %[[SUM]], %[[Z:.*]][%[[T]]]
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]] step %[[C1]]
// CHECK: %[[SUM:.*]] = memref.load %[[Z]][%[[T]]]
// CHECK: memref.store %[[SUM]], %[[W]][%[[T]]]
// CHECK: %[[OTHER:.*]] = memref.load %[[Q]][%[[T]]]
// CHECK: memref.store %[[OTHER]], %[[A]][%[[T]]]
// CHECK: memref.store %[[SUM]], %[[Q]][%[[T]]]
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]] step %[[C1]]
// CHECK-DAG: memref.load %[[A]][%[[T]]]
// CHECK-DAG: memref.load %[[KEPT]][%[[T]]]
// CHECK-DAG: %[[I:.*]] = arith.addi %[[B]], %[[T]]
// CHECK: memref.store %{{.*}}, %[[M]][%[[I]]]
// CHECK-NOT: gpu.
gpu.module @kernels {
  gpu.func @steps(%p: !llvm.ptr, %n: index, %x: f32) workgroup(%w: memref<8xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %i = arith.addi %b, %t : index
    %m = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<?xf32>
    %v = memref.load %m[%i] : memref<?xf32>
    memref.store %v, %w[%t] : memref<8xf32, #gpu.address_space<workgroup>>
    %r:2 = scf.for %s = %c0 to %n step %c1 iter_args(%a = %v, %q = %x) -> (f32, f32) {
      gpu.barrier
      %o = memref.load %w[%s] : memref<8xf32, #gpu.address_space<workgroup>>
      %z = arith.addf %a, %o : f32
      gpu.barrier
      memref.store %z, %w[%t] : memref<8xf32, #gpu.address_space<workgroup>>
      scf.yield %q, %z : f32, f32
    }
    %y = arith.mulf %r#0, %v : f32
    memref.store %y, %m[%i] : memref<?xf32>
    gpu.return
  }
}

// -----

// A condition around a barrier is decided once; its results are an array.

// CHECK-LABEL: func.func private @branch(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[X:.*]] = llvm.load %{{.*}} -> f32
// CHECK: %[[W:.*]] = memref.alloca()
// CHECK: %[[R:.*]] = memref.alloca()
// CHECK: scf.for %[[B:[a-z0-9]+]] =
// CHECK: %[[HERE:.*]] = arith.cmpi slt, %[[B]], %[[N]]
// CHECK-NEXT: scf.if %[[HERE]] {
// CHECK-NEXT: scf.for %[[T:.*]] = %[[C0]] to %[[C8]]
// CHECK: memref.store %{{.*}}, %[[W]][%[[T]]]
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]]
// CHECK: %[[O:.*]] = memref.load %[[W]][%[[C0]]]
// CHECK: memref.store %[[O]], %[[R]][%[[T]]]
// CHECK: } else {
// CHECK-NEXT: scf.for %[[T:.*]] = %[[C0]] to %[[C8]]
// CHECK-NEXT: memref.store %[[X]], %[[R]][%[[T]]]
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]]
// CHECK: memref.load %[[R]][%[[T]]]
gpu.module @kernels {
  gpu.func @branch(%p: !llvm.ptr, %n: index, %x: f32) workgroup(%w: memref<8xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %m = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<?xf32>
    %here = arith.cmpi slt, %b, %n : index
    %r = scf.if %here -> f32 {
      %v = memref.load %m[%t] : memref<?xf32>
      memref.store %v, %w[%t] : memref<8xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %o = memref.load %w[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
      scf.yield %o : f32
    } else {
      scf.yield %x : f32
    }
    memref.store %r, %m[%t] : memref<?xf32>
    gpu.return
  }
}

// -----

// What all threads load at one place may decide how often they meet: it is loaded once.

// CHECK-LABEL: func.func private @bound(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: scf.for %[[B:[a-z0-9]+]] =
// CHECK: %[[LIST:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xi32>
// CHECK: scf.for %{{.*}} = %[[C0]] to %[[C8]]
// CHECK: memref.store
// CHECK: }
// CHECK-NEXT: %[[WORD:.*]] = memref.load %[[LIST]][%[[B]]]
// CHECK-NEXT: %[[N:.*]] = arith.index_cast %[[WORD]] : i32 to index
// CHECK-NEXT: scf.for %{{.*}} = %[[C0]] to %[[N]]
// CHECK-NEXT: scf.for %{{.*}} = %[[C0]] to %[[C8]]
gpu.module @kernels {
  gpu.func @bound(%p: !llvm.ptr, %l: !llvm.ptr, %x: f32) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %m = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<?xf32>
    %list = builtin.unrealized_conversion_cast %l : !llvm.ptr to memref<?xi32>
    memref.store %x, %m[%t] : memref<?xf32>
    gpu.barrier
    %word = memref.load %list[%b] : memref<?xi32>
    %n = arith.index_cast %word : i32 to index
    scf.for %s = %c0 to %n step %c1 {
      memref.store %x, %m[%s] : memref<?xf32>
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// What a branch without memory chooses by the block is chosen once for all threads, wherever it is used. Views of the block's memory are on the stack.

// CHECK-LABEL: func.func private @choice(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[W:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64xi8>
// CHECK: scf.for %[[B:[a-z0-9]+]] =
// CHECK-DAG: %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf32>
// CHECK-DAG: %[[Y:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf32>
// CHECK: %[[CHOSEN:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : memref<?xf32>
// CHECK: %[[TIMES:.*]] = scf.if %{{.*}} -> (index) {
// CHECK: %[[V:.*]] = memref.view %[[W]][%[[C0]]][] : memref<64xi8> to memref<8xf32>
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]]
// CHECK: %[[L:.*]] = memref.load %[[CHOSEN]][%[[T]]]
// CHECK: memref.store %[[L]], %[[V]][%[[T]]]
// CHECK: scf.for %{{.*}} = %[[C0]] to %[[TIMES]]
// CHECK: scf.for %[[T:.*]] = %[[C0]] to %[[C8]]
// CHECK: %[[L:.*]] = memref.load %[[V]][%[[C0]]]
// CHECK: memref.store %[[L]], %[[CHOSEN]][%[[T]]]
// CHECK-NOT: #gpu.address_space
gpu.module @kernels {
  gpu.func @choice(%p: !llvm.ptr, %q: !llvm.ptr, %n: index, %m: index) workgroup(%w: memref<64xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
      kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<?xf32>
    %y = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<?xf32>
    %first = arith.cmpi slt, %b, %n : index
    %a, %k = scf.if %first -> (memref<?xf32>, index) {
      %twice = arith.muli %b, %m : index
      scf.yield %x, %twice : memref<?xf32>, index
    } else {
      scf.yield %y, %m : memref<?xf32>, index
    }
    %v = memref.view %w[%c0][] : memref<64xi8, #gpu.address_space<workgroup>> to memref<8xf32, #gpu.address_space<workgroup>>
    %l = memref.load %a[%t] : memref<?xf32>
    memref.store %l, %v[%t] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    scf.for %i = %c0 to %k step %c1 {
      %o = memref.load %v[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
      memref.store %o, %a[%t] : memref<?xf32>
      gpu.barrier
    }
    gpu.return
  }
}
