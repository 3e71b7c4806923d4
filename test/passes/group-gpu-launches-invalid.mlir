// RUN: belfry-opt %s --split-input-file --verify-diagnostics --group-gpu-launches

// A kernel that is compiled already.
module attributes {gpu.container_module} {
gpu.binary @kernels [#gpu.object<#nvvm.target, "">]
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<f32> {belfry.buffer = 0 : i64}) attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'gpu.launch_func' op launches a kernel that is not there}}
  gpu.launch_func @kernels::@k blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>)
  return
}
}

// -----

// expected-error@+1 {{'belfry.functions', function 'f': a buffer is no dictionary}}
module attributes {belfry.phases = [@f_p0], belfry.functions = {f = {schedule = [], buffers = [1]}}} {
}

// -----

// expected-error@+1 {{phase 'gone' is not there}}
module attributes {gpu.container_module, belfry.phases = [@f_p0, @gone], belfry.functions = {f = {schedule = [{phase = 1 : i64, run = "once"}], buffers = []}}} {
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<f32> {belfry.buffer = 0 : i64}, %y: memref<f32> {belfry.buffer = 1 : i64})
    attributes {belfry.function = "f"} {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@k blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<f32>)
  gpu.launch_func @kernels::@k blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<f32>)
  return
}
gpu.module @kernels {
  gpu.func @k(%x: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %z = arith.constant 0.0 : f32
    memref.store %z, %x[] : memref<f32>
    gpu.return
  }
}
}

// -----

// expected-error@+1 {{is a phase, whose first 5 arguments have to be of type index}}
func.func private @f_p0(%x: memref<f32> {belfry.buffer = 0 : i64}) attributes {belfry.function = "f"} {
  return
}
