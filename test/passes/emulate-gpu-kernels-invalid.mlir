// RUN: belfry-opt %s --split-input-file --verify-diagnostics --emulate-gpu-kernels

gpu.module @kernels {
  gpu.func @f(%n: index) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %t = gpu.thread_id x
    %here = arith.cmpi slt, %t, %n : index
    // expected-error@+1 {{is around a barrier and depends on the thread: threads of a block would not meet}}
    scf.if %here {
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// So does what a thread has loaded at a place of its own.
gpu.module @kernels {
  gpu.func @f() workgroup(%w: memref<4xindex, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %n = memref.load %w[%t] : memref<4xindex, #gpu.address_space<workgroup>>
    // expected-error@+1 {{is around a barrier and depends on the thread: threads of a block would not meet}}
    scf.for %i = %c0 to %n step %c1 {
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// And what a loop around a barrier carries, whatever that is.
gpu.module @kernels {
  gpu.func @f(%n: index) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%a = %n) -> index {
      // expected-error@+1 {{is around a barrier and depends on the thread: threads of a block would not meet}}
      scf.for %j = %c0 to %a step %c1 {
        gpu.barrier
      }
      scf.yield %i : index
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @f(%here: i1) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    // expected-error@+1 {{has a barrier in it; only scf.for and scf.if may}}
    scf.while : () -> () {
      scf.condition(%here)
    } do {
      gpu.barrier
      scf.yield
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{has branches in place of structured loops}}
  gpu.func @f(%here: i1) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    cf.cond_br %here, ^bb1, ^bb2
  ^bb1:
    gpu.return
  ^bb2:
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{has no known block size of one dimension}}
  gpu.func @f() kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{has no known block size of one dimension}}
  gpu.func @f() kernel attributes {known_block_size = array<i32: 16, 16, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{has an argument of type 'memref<4xf32>'; --flatten-kernel-arguments runs first}}
  gpu.func @f(%x: memref<4xf32>) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    gpu.return
  }
}

// -----

module attributes {gpu.container_module} {
llvm.func @f(%args: !llvm.ptr) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{launches a kernel that is not there}}
  gpu.launch_func @kernels::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  llvm.return
}
gpu.module @kernels {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    gpu.return
  }
}
}

// -----

gpu.module @kernels {
  gpu.func @f(%p: !llvm.ptr) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    // expected-error@+1 {{is of another dimension than x}}
    %t = gpu.thread_id y
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @f(%n: index) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-error@+1 {{stands in a loop or branch; kernels take their ids at the start}}
      %t = gpu.thread_id x
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @f(%x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    // expected-error@+1 {{is not emulated}}
    %y, %valid = gpu.shuffle xor %x, %c1, %c32 : f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @shape(%w: i32, %s: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{is not emulated: it is no product of shape m16n8k16 of f16 or bf16 by whole warps}}
    %d = nvvm.mma.sync A[%w, %w] B[%w] C[%s, %s, %s, %s]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>,
       multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 8>}
      : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @threads(%w: i32, %s: f32) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    // expected-error@+1 {{is not emulated: it is no product of shape m16n8k16 of f16 or bf16 by whole warps}}
    %d = nvvm.mma.sync A[%w, %w, %w, %w] B[%w, %w] C[%s, %s, %s, %s]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>,
       multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
      : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    gpu.return
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @p() {
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{stands in a function that is no phase of the runtime's form; --host-entry-points runs first}}
    gpu.launch_func @kernels::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @kernels {
    gpu.func @f() kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
}
