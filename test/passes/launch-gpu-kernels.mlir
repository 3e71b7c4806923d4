// RUN: belfry-opt %s --split-input-file --launch-gpu-kernels --canonicalize --cse --verify-diagnostics | FileCheck %s

// Arguments are words of a list on the stack; constants are one block, each at a multiple of 64 bytes.

// CHECK: module attributes {belfry.kernels = [{name = "scale", threads = 8 : i64, words = array<i64: 8, 8, 8, 4>}, {name = "other", threads = 256 : i64, words = array<i64: 8, 4, 1, 8>}]
// CHECK-SAME: belfry.launches = [{function = "fit", kernel = 0 : i64, layer = "lstm_1", op = {family = "elementwise"}, phase = "fit_p0"}, {function = "fit", kernel = 1 : i64, layer = "", phase = "fit_p0"}]
// CHECK: llvm.mlir.global internal constant @belfry_constants(dense<[0, 0, -128, 63, 0, 0, 0, 64, {{.*}}, 1, 0, 1]> : tensor<67xi8>) {{.*}}alignment = 64
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: func.func private @fit_p0(
// CHECK-SAME: %[[ARGS:.*]]: !llvm.ptr, %[[N:.*]]: index, %[[P:.*]]: !llvm.ptr, %[[X:.*]]: f32, %[[B:.*]]: i1, %[[D:.*]]: f64
// CHECK-DAG: %[[FIRST:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[SECOND:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK: %[[OTHER:.*]] = llvm.alloca %[[FOUR]] x i64
// CHECK: %[[WORDS:.*]] = llvm.alloca %[[FOUR]] x i64
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[ARGS]][40]
// CHECK: %[[CONTEXT:.*]] = llvm.load %[[AT]]
// CHECK: %[[ALL:.*]] = call @belfry_device_constants(%[[CONTEXT]])
// CHECK: %[[BITS:.*]] = llvm.getelementptr %[[ALL]][64]
// CHECK: llvm.store %[[P]], %[[WORDS]]
// CHECK: %[[BLOCKS:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: llvm.store %[[BLOCKS]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[WORDS]][2]
// CHECK: llvm.store %[[BITS]], %[[AT]]
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[WORDS]][3]
// CHECK: llvm.store %[[X]], %[[AT]] {alignment = 8 : i64} : f32
// CHECK: call @belfry_launch(%[[CONTEXT]], %[[FIRST]], %[[BLOCKS]], %[[WORDS]])
// CHECK: llvm.store %[[B]], %{{.*}} : i1
// CHECK: call @belfry_launch(%[[CONTEXT]], %[[SECOND]], %[[SEVEN]], %[[OTHER]])
// CHECK: gpu.module @kernels
module attributes {gpu.container_module} {
  llvm.mlir.global internal constant @row(dense<[1.0, 2.0]> : tensor<2xf32>) {alignment = 64 : i64} : !llvm.array<2 x f32>
  llvm.mlir.global internal constant @bits(dense<[1, 0, 1]> : tensor<3xi8>) {alignment = 64 : i64} : !llvm.array<3 x i8>
  func.func private @fit_p0(%args: !llvm.ptr, %n: index, %p: !llvm.ptr, %x: f32, %b: i1, %d: f64) attributes {belfry.function = "fit"} {
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %bits = llvm.mlir.addressof @bits : !llvm.ptr
    gpu.launch_func @kernels::@scale blocks in (%n, %c1, %c1) threads in (%c8, %c1, %c1) args(%p : !llvm.ptr, %n : index, %bits : !llvm.ptr, %x : f32) {belfry.launch = {family = "elementwise"}} loc("lstm_1")
    gpu.launch_func @kernels::@other blocks in (%c7, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : !llvm.ptr, %x : f32, %b : i1, %d : f64)
    return
  }
  gpu.module @kernels {
    gpu.func @scale(%p: !llvm.ptr, %n: index, %b: !llvm.ptr, %x: f32) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      gpu.return
    }
    gpu.func @other(%p: !llvm.ptr, %x: f32, %b: i1, %d: f64) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      gpu.return
    }
  }
}

// -----

// A constant that is the same number everywhere has all of its bytes.

// CHECK: @belfry_constants(dense<[0, 0, -64, 63, 0, 0, -64, 63]> : tensor<8xi8>)
module attributes {gpu.container_module} {
  llvm.mlir.global internal constant @half(dense<1.5> : tensor<2xf32>) {alignment = 64 : i64} : !llvm.array<2 x f32>
  gpu.module @kernels {
  }
}

// -----

module attributes {gpu.container_module} {
  func.func private @elsewhere(%n: index) {
    // expected-error @+1 {{stands in a function that is no phase of the runtime's form}}
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.module @kernels {
    gpu.func @k() kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{has an argument of type 'memref<4xf32>'; --flatten-kernel-arguments runs first}}
    gpu.func @k(%m: memref<4xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{has no known block size}}
    gpu.func @k() kernel {
      gpu.return
    }
  }
}
