// RUN: belfry-opt %s --split-input-file --verify-diagnostics --outline-gpu-kernels

func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<4xf32> {belfry.buffer = 0 : i64}, %y: memref<4xindex> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %e = memref.load %y[%c0] : memref<4xindex>
  // expected-error@+1 {{'scf.for (iterations)' has no kernel for GPUs: its grid would depend on what is in memory}}
  scf.for %i = %c0 to %e step %c1 {
    memref.store %z, %x[%i] : memref<4xf32>
  } {belfry.kernel, belfry.independent = 4 : i64}
  return
}

// -----

func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<4xf32> {belfry.buffer = 0 : i64}, %y: memref<4xindex> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{is needed before a launch}}
  %e = memref.load %y[%c0] : memref<4xindex>
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [%e], strides: [1] : memref<4xf32> to memref<?xf32, strided<[1]>>
  linalg.fill ins(%z : f32) outs(%v : memref<?xf32, strided<[1]>>)
  return
}

// -----

func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<4xf32> {belfry.buffer = 0 : i64}, %y: memref<4xf32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  // expected-error@+1 {{'memref.copy (one-block)' of f32 has no kernel}}
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A loop that carries values is a kernel only where it is marked as one.
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<4xf32> {belfry.buffer = 0 : i64}, %y: memref<f32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{'scf.for (one-block)' has no kernel}}
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %z) -> f32 {
    %v = memref.load %x[%i] : memref<4xf32>
    %b = arith.addf %a, %v : f32
    memref.store %b, %y[] : memref<f32>
    scf.yield %b : f32
  }
  return
}

// -----

func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<4xf32> {belfry.buffer = 0 : i64},
    %y: memref<f32> {belfry.buffer = 1 : i64}, %z: memref<f32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
  // expected-error@+1 {{it is a reduction with several results, or of several ops}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<4xf32>) outs(%y, %z : memref<f32>, memref<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %e = arith.addf %b, %a : f32
    %f = arith.mulf %c, %a : f32
    linalg.yield %e, %f : f32, f32
  }
  return
}

// -----

func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<4xf32> {belfry.buffer = 0 : i64}, %y: memref<f32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  // expected-error@+1 {{it is a reduction with several results, or of several ops}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<4xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.addf %b, %a : f32
    %f = math.sqrt %e : f32
    linalg.yield %f : f32
  }
  return
}

// -----

func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<4xf32> {belfry.buffer = 0 : i64}, %y: memref<f32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  // expected-error@+1 {{it reduces by an op without a neutral element}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<4xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.divf %b, %a : f32
    linalg.yield %e : f32
  }
  return
}

// -----

// expected-error@+1 {{argument 5 of a phase, 'memref<4xf32>', has no row of the buffer table ('belfry.buffer') or is of another level}}
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: memref<4xf32>) attributes {belfry.function = "f"} {
  return
}

// -----

// The old number is meant, and the kernel of the second fill would load the new one.
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<4xf32> {belfry.buffer = 0 : i64}, %y: memref<f32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "f"} {
  %z = arith.constant 2.0 : f32
  // expected-error@+1 {{is read by a kernel behind a write to the same buffer}}
  %e = memref.load %y[] : memref<f32>
  linalg.fill ins(%z : f32) outs(%y : memref<f32>)
  linalg.fill ins(%e : f32) outs(%x : memref<4xf32>)
  return
}

// -----

// A block may load what another one has written.
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<4xf32> {belfry.buffer = 0 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{is read by a kernel behind a write to the same buffer}}
  %e = memref.load %x[%c0] : memref<4xf32>
  linalg.fill ins(%e : f32) outs(%x : memref<4xf32>)
  return
}
