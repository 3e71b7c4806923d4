// RUN: belfry-opt %s --split-input-file --emulate-gpu-kernels --canonicalize --cse | FileCheck %s

// A load that decides how often threads meet is done once, between two loops over the threads. A value of a thread that was loaded before it, and is
// read behind it, is kept: what is in memory may be another number by then.

// CHECK-LABEL: func.func private @kept(
// CHECK: %[[M:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<8xf32>
// CHECK: scf.for %[[T:[a-z0-9]+]] =
// CHECK: %[[V:.*]] = memref.load %[[M]][%[[T]]]
// CHECK: memref.store %{{.*}}, %[[M]][%[[T]]]
// CHECK: memref.load %{{.*}} : memref<4xindex>
// CHECK-NOT: memref.load %[[M]]
// CHECK: memref.store %{{.*}}, %[[M]]
// CHECK: return
gpu.module @kernels {
  gpu.func @kept(%p: !llvm.ptr, %l: !llvm.ptr, %x: f32) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %m = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<8xf32>
    %list = builtin.unrealized_conversion_cast %l : !llvm.ptr to memref<4xindex>
    %v = memref.load %m[%t] : memref<8xf32>
    memref.store %x, %m[%t] : memref<8xf32>
    %n = memref.load %list[%c1] : memref<4xindex>
    %y = arith.addf %v, %v : f32
    memref.store %y, %m[%t] : memref<8xf32>
    scf.for %s = %c0 to %n step %c1 {
      memref.store %x, %m[%t] : memref<8xf32>
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// So is one that a loop of the thread has made.

// CHECK-LABEL: func.func private @sum(
// CHECK: %[[M:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<8xf32>
// CHECK: scf.for %[[T:[a-z0-9]+]] =
// CHECK: %[[V:.*]] = scf.for
// CHECK: memref.load %[[M]]
// CHECK: memref.load %{{.*}} : memref<4xindex>
// CHECK-NOT: memref.load %[[M]]
// CHECK: memref.store %{{.*}}, %[[M]]
// CHECK: return
gpu.module @kernels {
  gpu.func @sum(%p: !llvm.ptr, %l: !llvm.ptr, %x: f32) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %m = builtin.unrealized_conversion_cast %p : !llvm.ptr to memref<8xf32>
    %list = builtin.unrealized_conversion_cast %l : !llvm.ptr to memref<4xindex>
    %v = scf.for %s = %c0 to %t step %c1 iter_args(%a = %x) -> f32 {
      %e = memref.load %m[%s] : memref<8xf32>
      %b = arith.addf %a, %e : f32
      scf.yield %b : f32
    }
    %n = memref.load %list[%c1] : memref<4xindex>
    memref.store %v, %m[%t] : memref<8xf32>
    scf.for %s = %c0 to %n step %c1 {
      memref.store %x, %m[%t] : memref<8xf32>
      gpu.barrier
    }
    gpu.return
  }
}
