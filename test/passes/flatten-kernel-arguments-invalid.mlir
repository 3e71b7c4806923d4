// RUN: belfry-opt %s --split-input-file --verify-diagnostics --flatten-kernel-arguments

module attributes {gpu.container_module} {
func.func private @f_p0(%x: memref<4xf32>) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{stands in no phase that has its rows; --host-entry-points runs first}}
  gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<4xf32>)
  return
}
gpu.module @kernels {
  gpu.func @k(%x: memref<4xf32>) kernel {
    gpu.return
  }
}
}

// -----

module attributes {gpu.container_module} {
func.func private @f_p0(%args: !llvm.ptr) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  %n = llvm.load %args : !llvm.ptr -> i64
  %rows = arith.index_cast %n {belfry.rows} : i64 to index
  // expected-error@+1 {{a buffer of type 'memref<4xf32>' is neither a row of the buffer table nor a view of one}}
  %x = memref.alloca() : memref<4xf32>
  gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<4xf32>)
  return
}
gpu.module @kernels {
  gpu.func @k(%x: memref<4xf32>) kernel {
    gpu.return
  }
}
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{makes a view of an argument that is a view}}
  gpu.func @chosen(%x: memref<8xf32, strided<[2], offset: ?>>, %y: memref<8xf32, strided<[2], offset: ?>>, %i: index, %first: i1) kernel {
    %z = arith.constant 0.0 : f32
    %c = scf.if %first -> memref<8xf32, strided<[2], offset: ?>> {
      scf.yield %x : memref<8xf32, strided<[2], offset: ?>>
    } else {
      %s = arith.select %first, %x, %y : memref<8xf32, strided<[2], offset: ?>>
      scf.yield %s : memref<8xf32, strided<[2], offset: ?>>
    }
    %v = memref.reinterpret_cast %c to offset: [%i], sizes: [4], strides: [2] : memref<8xf32, strided<[2], offset: ?>> to memref<4xf32, strided<[2], offset: ?>>
    memref.store %z, %v[%i] : memref<4xf32, strided<[2], offset: ?>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{makes a view of an argument that is a view}}
  gpu.func @k(%x: memref<8xf32, strided<[2], offset: ?>>, %i: index) kernel {
    %z = arith.constant 0.0 : f32
    %v = memref.reinterpret_cast %x to offset: [%i], sizes: [4], strides: [2] : memref<8xf32, strided<[2], offset: ?>> to memref<4xf32, strided<[2], offset: ?>>
    memref.store %z, %v[%i] : memref<4xf32, strided<[2], offset: ?>>
    gpu.return
  }
}
