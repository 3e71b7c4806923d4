// RUN: belfry-opt %s --plan-buffers --split-input-file --verify-diagnostics

module attributes {
  belfry.functions = {f = {buffers = [], schedule = [{phase = 0 : i64, run = "once"}]}},
  belfry.phases = [@f_p0]} {
  func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index) attributes {belfry.function = "f"} {
    %z = arith.constant 0.0 : f32
    %square = arith.muli %rows, %rows : index
    // expected-error @below {{has an extent that is not a multiple of the rows}}
    %a = memref.alloc(%square) : memref<?x4xf32>
    linalg.fill ins(%z : f32) outs(%a : memref<?x4xf32>)
    return
  }
}

// -----

// expected-error @below {{expected 'belfry.functions' and 'belfry.phases' on the module; --split-phases writes them}}
module {
}

// -----

// expected-error @below {{phase 'f_p0' is not there}}
module attributes {
  belfry.functions = {f = {buffers = [], schedule = [{phase = 0 : i64, run = "once"}]}},
  belfry.phases = [@f_p0]} {
}
