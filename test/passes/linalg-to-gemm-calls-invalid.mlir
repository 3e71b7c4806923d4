// RUN: belfry-opt %s --split-input-file --verify-diagnostics --linalg-to-gemm-calls

// expected-error@+1 {{has no rows yet; --host-entry-points runs first}}
func.func private @p0(%a: memref<2x2xf32>, %b: memref<2x2xf32>, %c: memref<2x2xf32>) attributes {belfry.function = "f"} {
  linalg.matmul ins(%a, %b : memref<2x2xf32>, memref<2x2xf32>) outs(%c : memref<2x2xf32>)
  return
}
