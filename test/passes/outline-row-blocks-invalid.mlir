// RUN: belfry-opt %s --split-input-file --verify-diagnostics --outline-row-blocks

func.func private @read(%x: vector<4xf32>, %rows: index)
func.func private @f_p0(%args: !llvm.ptr, %rows: index, %x: vector<4xf32>) attributes {belfry.function = "f"} {
  %zero = arith.constant 0 : index
  %size = arith.constant 64 : index
  scf.for %i = %zero to %rows step %size {
    %left = arith.subi %rows, %i : index
    %count = arith.minsi %left, %size {belfry.block_rows} : index
    // expected-error@+1 {{in a loop over blocks of rows reads a value of type 'vector<4xf32>' from outside of it}}
    func.call @read(%x, %count) : (vector<4xf32>, index) -> ()
  } {belfry.row_blocks = 120 : i64}
  return
}

// -----

func.func private @f_p0(%args: !llvm.ptr, %rows: index, %size: index) attributes {belfry.function = "f"} {
  %zero = arith.constant 0 : index
  // expected-error@+1 {{has blocks of rows whose size is no constant}}
  scf.for %i = %zero to %rows step %size {
    %left = arith.subi %rows, %i : index
    %count = arith.minsi %left, %size {belfry.block_rows} : index
  } {belfry.row_blocks = 120 : i64}
  return
}

// -----

func.func private @f_p0(%args: !llvm.ptr, %rows: index) attributes {belfry.function = "f"} {
  %one = arith.constant 1 : index
  // expected-error@+1 {{over blocks of rows does not begin at row 0, or has a result}}
  scf.for %i = %one to %rows step %one {
  } {belfry.row_blocks = 120 : i64}
  return
}

// -----

func.func private @f_p0(%args: !llvm.ptr, %rows: index) attributes {belfry.function = "f"} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error@+1 {{over blocks of rows does not say how many rows a block has, by an op with belfry.block_rows}}
  scf.for %i = %zero to %rows step %one {
  } {belfry.row_blocks = 120 : i64}
  return
}

// -----

func.func private @f_p0(%args: !llvm.ptr, %rows: index) attributes {belfry.function = "f"} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error@+1 {{has no integer as belfry.row_blocks}}
  scf.for %i = %zero to %rows step %one {
  } {belfry.row_blocks}
  return
}
