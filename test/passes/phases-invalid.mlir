// What a file of a late level can have wrong is an error of the pass that reads it.
// RUN: belfry-opt %s --split-input-file --verify-diagnostics --lower-nn-to-linalg --plan-buffers --host-entry-points --linalg-to-gemm-calls --outline-kernels

// expected-error@+1 {{argument 5 of a phase, 'tensor<2xf32>', has no row of the buffer table ('belfry.buffer') or is of another level}}
func.func private @p0(%rows: index, %offset: index, %global: index, %tower: index, %towers: index, %x: tensor<2xf32>)
    attributes {belfry.function = "f"} {
  return
}

// -----

// expected-error@+1 {{result 0 of a phase, 'tensor<2xf32>', has no row}}
func.func private @p0(%rows: index, %offset: index, %global: index, %tower: index, %towers: index,
                      %x: tensor<2xf32> {belfry.buffer = 0 : i64}) -> tensor<2xf32> attributes {belfry.function = "f"} {
  return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{is a phase, whose first 5 arguments have to be of type index}}
func.func private @p0(%x: tensor<2xf32>) attributes {belfry.function = "f"} {
  return
}

// -----

// expected-error@+1 {{expected 'belfry.functions' and 'belfry.phases' on the module; --split-phases writes them}}
module {
}

// -----

// expected-error@+1 {{'belfry.functions', function 'f': expected arrays 'buffers' and 'schedule'}}
module attributes {belfry.phases = [], belfry.functions = {f = 1}} {
}

// -----

// expected-error@+1 {{'belfry.functions', function 'f': a buffer has no string 'scope'}}
module attributes {belfry.phases = [], belfry.functions = {f = {buffers = [{kind = "input"}], schedule = []}}} {
}

// -----

// expected-error@+1 {{'belfry.functions', function 'f': a buffer's 'bytes' are not two integers}}
module attributes {belfry.phases = [], belfry.functions = {f = {
    buffers = [{kind = "input", scope = "tower", dtype = "f32", bytes = [1]}], schedule = []}}} {
}

// -----

// expected-error@+1 {{the schedule names a phase that 'belfry.phases' does not have}}
module attributes {belfry.phases = [], belfry.functions = {f = {buffers = [], schedule = [{phase = 0, run = "once"}]}}} {
}

// -----

// expected-error@+1 {{'from' of a collective is no buffer of the 0 of the function}}
module attributes {belfry.phases = [], belfry.functions = {f = {buffers = [], schedule = [{all_reduce = "sum", from = 0, to = 1}]}}} {
}

// -----

// expected-error@+1 {{'belfry.phases' has 1 : i64, which is no symbol}}
module attributes {belfry.phases = [1], belfry.functions = {}} {
}

// -----

// expected-error@+1 {{phase 'p0' is not there}}
module attributes {belfry.phases = [@p0], belfry.functions = {f = {buffers = [], schedule = [{phase = 0, run = "once"}]}}} {
}
