// RUN: belfry-opt %s --pass-pipeline='builtin.module(gpu.module(convert-kernels-to-nvvm,reconcile-unrealized-casts))' -o %t.mlir
// RUN: FileCheck %s --implicit-check-not='__nv_' --implicit-check-not='llvm.call' < %t.mlir
// RUN: sed -e '/gpu.module @kernels {/d' -e '/^  }$/d' %t.mlir > %t.kernels.mlir
// RUN: %if llc && opt %{ %llvm-tools/mlir-translate --mlir-to-llvmir %t.kernels.mlir -o %t.ll %}
// RUN: %if llc && opt %{ %llvm-tools/opt -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 %t.ll -o %t.bc %}
// RUN: %if llc && opt %{ %llvm-tools/llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 %t.bc -o %t.ptx %}
// RUN: %if llc && opt %{ FileCheck %s --check-prefix=PTX --implicit-check-not=call --implicit-check-not=ftz --implicit-check-not=approx < %t.ptx %}

// Fused multiply-adds and square roots are LLVM's intrinsics, and instructions that round correctly; a product and a sum stay two. Nothing is called.
// Memory of the block is a global of its address space.

// CHECK: llvm.mlir.global internal @[[W:.*]]() {addr_space = 3 : i32} : !llvm.array<256 x f32>
// CHECK: llvm.func @norm(%[[P:.*]]: !llvm.ptr, %[[N:.*]]: i64, %[[X:.*]]: f32) attributes {{{.*}}nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>}
// CHECK: %[[BASE:.*]] = llvm.mlir.addressof @[[W]] : !llvm.ptr<3>
// CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 256> : i32
// CHECK: nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK: %[[V:.*]] = llvm.load {{.*}} : !llvm.ptr -> f32
// CHECK: %[[S:.*]] = llvm.intr.sqrt(%[[V]]) : (f32) -> f32
// CHECK: %[[F:.*]] = llvm.intr.fma(%[[S]], %[[X]], %[[V]]) : (f32, f32, f32) -> f32
// CHECK: llvm.store %[[F]], %{{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: llvm.sdiv %[[N]]
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.intr.floor
// CHECK: llvm.intr.maximum
// CHECK: llvm.intr.sqrt({{.*}}) : (f64) -> f64
// CHECK: llvm.intr.fma({{.*}}) : (f64, f64, f64) -> f64
// CHECK: llvm.return

// PTX: .entry norm(
// PTX: .maxntid 256
// PTX: .shared .align 4 .b8 {{.*}}[1024]
// PTX: sqrt.rn.f32
// PTX: fma.rn.f32
// PTX: st.shared
// PTX: bar.sync 0
// PTX: ld.shared
// PTX: sqrt.rn.f64
// PTX: fma.rn.f64
// PTX: mul.rn.f32
// PTX: add.rn.f32
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @norm(%p: !llvm.ptr, %n: index, %x: f32) workgroup(%w: memref<256xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c3 = arith.constant 3 : index
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %i = arith.addi %b, %t : index
    %at = arith.index_cast %i : index to i64
    %place = llvm.getelementptr %p[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %place : !llvm.ptr -> f32
    %s = math.sqrt %v : f32
    %f = math.fma %s, %x, %v : f32
    memref.store %f, %w[%t] : memref<256xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %o = arith.ceildivsi %n, %c3 : index
    %r = memref.load %w[%o] : memref<256xf32, #gpu.address_space<workgroup>>
    %l = math.floor %r : f32
    %u = arith.maximumf %l, %x : f32
    %d = arith.extf %u : f32 to f64
    %q = math.sqrt %d : f64
    %e = math.fma %q, %d, %q : f64
    %y = arith.truncf %e : f64 to f32
    %g = arith.mulf %y, %x : f32
    %h = arith.addf %g, %v : f32
    llvm.store %h, %place : f32, !llvm.ptr
    gpu.return
  }
}
}
