// RUN: belfry-opt %s --split-input-file --verify-diagnostics --outline-kernels

// expected-error@+1 {{has no rows yet; --host-entry-points runs first}}
func.func private @p0(%x: memref<2xf32>, %zero: f32) attributes {belfry.function = "f"} {
  linalg.fill ins(%zero : f32) outs(%x : memref<2xf32>)
  return
}
