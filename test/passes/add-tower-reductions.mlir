// RUN: belfry-opt %s --split-input-file --add-tower-reductions --verify-diagnostics | FileCheck %s

// A kernel a kind and type, however many sums there are. Truth values are bytes.

// CHECK-LABEL: gpu.module @kernels
// CHECK: gpu.func @towers_max_i1(
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: arith.cmpi ugt
// CHECK: gpu.func @towers_min_i32(
// CHECK: arith.cmpi slt
// CHECK-LABEL: gpu.func @towers_sum_f32(
// CHECK-SAME: %[[FROM:.*]]: !llvm.ptr, %[[TOWERS:.*]]: index, %[[TO:.*]]: !llvm.ptr, %[[TARGETS:.*]]: index, %[[FIRST:.*]]: index, %[[COUNT:.*]]: index)
// CHECK: %[[N:.*]] = arith.index_cast %[[TOWERS]]
// CHECK: %[[M:.*]] = arith.index_cast %[[TARGETS]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[OWN:.*]], %{{.*}} : i64
// CHECK: scf.if %[[INSIDE]] {
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[OWN]] : i64
// CHECK: arith.cmpi eq, %[[N]], %c1_i64
// CHECK: arith.cmpi eq, %[[N]], %c2_i64
// CHECK: arith.cmpi eq, %[[N]], %c4_i64

// Four towers: (0 + 1) + (2 + 3).

// CHECK: %[[C:.*]] = arith.addf %[[A:.*]], %[[B:.*]] : f32
// CHECK: %[[F:.*]] = arith.addf %[[D:.*]], %[[E:.*]] : f32
// CHECK: %[[G:.*]] = arith.addf %[[C]], %[[F]] : f32
// CHECK-NEXT: scf.yield %[[G]]
// CHECK: arith.cmpi eq, %[[N]], %c8_i64

// Any number of them, with 17 trees.

// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args({{.*}}) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[M]]
// CHECK: %[[AT1:.*]] = llvm.getelementptr %[[TO]][%[[J]]]
// CHECK: %[[TARGET:.*]] = llvm.load %[[AT1]]
// CHECK: %[[AT2:.*]] = llvm.getelementptr %[[TARGET]][%[[AT]]]
// CHECK: llvm.store %{{.*}}, %[[AT2]] : f32
// CHECK-NOT: gpu.func
module attributes {gpu.container_module, belfry.phases = [@p0], belfry.functions = {
  evaluate = {buffers = [{bytes = [0, 4], dtype = "f32", kind = "cross", scope = "tower"}],
              schedule = [{phase = 0, run = "per_tower"}, {all_reduce = "sum", count = [0, 1], dtype = "f32", from = 0, to = 0}]},
  train = {buffers = [{bytes = [0, 4], dtype = "i1", kind = "cross", scope = "tower"}],
           schedule = [{phase = 0, run = "per_tower"}, {all_reduce = "max", count = [0, 4], dtype = "i1", from = 0, to = 0},
                       {all_reduce = "sum", count = [0, 1], dtype = "f32", from = 0, to = 0}, {all_reduce = "sum", count = [0, 1], dtype = "f32", from = 0, to = 0},
                       {all_reduce = "min", count = [0, 1], dtype = "i32", from = 0, to = 0}]}}} {
  func.func private @p0()
  gpu.module @kernels {
  }
}

// -----

// Numbers of 16 bits are added as f32 and rounded once.

// CHECK-LABEL: gpu.func @towers_sum_bf16(
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> bf16
// CHECK: arith.extf %[[X]] : bf16 to f32
// CHECK-NOT: arith.addf {{.*}} : bf16
// CHECK: %[[R:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: llvm.store %[[R]], %{{.*}} : bf16
module attributes {gpu.container_module, belfry.phases = [@p0], belfry.functions = {
  evaluate = {buffers = [{bytes = [0, 2], dtype = "bf16", kind = "cross", scope = "tower"}],
              schedule = [{phase = 0, run = "per_tower"}, {all_reduce = "sum", count = [0, 1], dtype = "bf16", from = 0, to = 0}]}}} {
  func.func private @p0()
  gpu.module @kernels {
  }
}

// -----

// CHECK-LABEL: gpu.module @alone {
// CHECK-NEXT: }
module attributes {gpu.container_module} {
  gpu.module @alone {
  }
}

// -----

// expected-error @+1 {{'belfry.functions' sums arrays of 'tensor<1xf32>', which is no type of numbers}}
module attributes {gpu.container_module, belfry.phases = [@p0], belfry.functions = {
  train = {buffers = [{bytes = [0, 4], dtype = "f32", kind = "cross", scope = "tower"}],
           schedule = [{all_reduce = "sum", count = [0, 1], dtype = "tensor<1xf32>", from = 0, to = 0}]}}} {
  func.func private @p0()
  gpu.module @kernels {
  }
}
