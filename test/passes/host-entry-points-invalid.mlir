// RUN: belfry-opt %s --split-input-file --verify-diagnostics --host-entry-points

// expected-error@+1 {{argument 5 of a phase, 'memref<2xf32>', has no row of the buffer table}}
func.func private @p0(%rows: index, %offset: index, %global: index, %tower: index, %towers: index, %x: memref<2xf32>)
    attributes {belfry.function = "f"} {
  return
}

// -----

// expected-error@+1 {{argument 5 of a phase, 'tensor<2xf32>', has no row of the buffer table ('belfry.buffer') or is of another level}}
func.func private @p0(%rows: index, %offset: index, %global: index, %tower: index, %towers: index,
                      %x: tensor<2xf32> {belfry.buffer = 0 : i64}) attributes {belfry.function = "f"} {
  return
}
