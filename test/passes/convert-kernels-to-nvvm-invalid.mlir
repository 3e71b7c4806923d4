// RUN: belfry-opt %s --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(convert-kernels-to-nvvm))'

gpu.module @kernels {
  gpu.func @f(%x: f32, %y: f32, %p: !llvm.ptr) kernel {
    // expected-error@+1 {{has no kernel for GPUs: the remainder of floats would be a call of libdevice}}
    %r = arith.remf %x, %y : f32
    llvm.store %r, %p : f32, !llvm.ptr
    gpu.return
  }
}
