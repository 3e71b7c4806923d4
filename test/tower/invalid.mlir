// RUN: belfry-opt %s -split-input-file -verify-diagnostics

// tower.replicate: how many towers.
func.func @towers() {
  // expected-error@+1 {{'tower.replicate' op has 0 towers, expected at least 1}}
  tower.replicate towers = 0 slicing = balanced {
    tower.yield concat = []
  }
  return
}

// -----

// tower.replicate: no other in it.
func.func @nested() {
  // expected-note@+1 {{the other is here}}
  tower.replicate towers = 2 slicing = balanced {
    // expected-error@+1 {{'tower.replicate' op stands inside of another}}
    tower.replicate towers = 2 slicing = balanced {
      tower.yield concat = []
    }
    tower.yield concat = []
  }
  return
}

// -----

// tower.replicate: no arguments.
func.func @arguments() {
  // expected-error@+1 {{'tower.replicate' op has a region with 1 arguments, expected 0}}
  tower.replicate towers = 2 slicing = balanced {
  ^bb0(%x: tensor<4xf32>):
    tower.yield concat = []
  }
  return
}

// -----

// tower.replicate: the end.
func.func @end() {
  // expected-error@+1 {{'tower.replicate' op has a region that does not end with tower.yield}}
  tower.replicate towers = 2 slicing = balanced {
    "llvm.unreachable"() : () -> ()
  }
  return
}

// -----

// tower.replicate: results.
func.func @count(%x: tensor<4xf32>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-error@+1 {{'tower.yield' op yields 1 values, expected 0}}
    tower.yield %x concat = [-1] : tensor<4xf32>
  }
  return
}

// -----

func.func @types(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tower.replicate' op result 0 has type 'tensor<5xf32>', expected 'tensor<4xf32>'}}
  %0 = tower.replicate towers = 2 slicing = balanced -> tensor<5xf32> {
    tower.yield %x concat = [-1] : tensor<4xf32>
  }
  return
}

// -----

// tower.yield: an entry a value.
func.func @concat_entries(%x: tensor<4xf32>) {
  %0 = tower.replicate towers = 2 slicing = balanced -> tensor<4xf32> {
    // expected-error@+1 {{'tower.yield' op concat has 2 entries, but there are 1 values}}
    tower.yield %x concat = [-1, -1] : tensor<4xf32>
  }
  return
}

// -----

// tower.yield: a dynamic dimension.
func.func @concat_static(%x: tensor<4xf32>) {
  %0 = tower.replicate towers = 2 slicing = balanced -> tensor<4xf32> {
    // expected-error@+1 {{'tower.yield' op dim is 0, but that dimension of 'tensor<4xf32>' is not dynamic}}
    tower.yield %x concat = [0] : tensor<4xf32>
  }
  return
}

// -----

func.func @concat_rank(%x: tensor<4xf32>) {
  %0 = tower.replicate towers = 2 slicing = balanced -> tensor<4xf32> {
    // expected-error@+1 {{'tower.yield' op dim is 1, but the rank is 1}}
    tower.yield %x concat = [1] : tensor<4xf32>
  }
  return
}

// -----

// tower.slice: the type.
func.func @slice_type(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.slice' op has values of different types, 'tensor<?x4xf32>' and 'tensor<2x4xf32>'}}
  %0 = "tower.slice"(%x) {dim = 0 : i64, index = 0 : i64, of = 2 : i64} : (tensor<?x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// tower.slice: a dynamic dimension.
func.func @slice_static(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.slice' op dim is 1, but that dimension of 'tensor<?x4xf32>' is not dynamic}}
  %0 = tower.slice %x dim = 1 tower = 0 of 2 : tensor<?x4xf32>
  return
}

// -----

func.func @slice_rank(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.slice' op dim is -1, but the rank is 2}}
  %0 = tower.slice %x dim = -1 tower = 0 of 2 : tensor<?x4xf32>
  return
}

// -----

// tower.slice: of a whole value.
func.func @slice_inside(%x: tensor<?x4xf32>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-note@+1 {{the value is here}}
    %0 = tower.slice %x dim = 0 : tensor<?x4xf32>
    // expected-error@+1 {{'tower.slice' op takes a value of the tower itself, expected one from outside of the region}}
    %1 = tower.slice %0 dim = 0 : tensor<?x4xf32>
    tower.yield concat = []
  }
  return
}

// -----

// tower.slice: which tower.
func.func @slice_no_tower(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.slice' op names no tower outside of tower.replicate}}
  %0 = tower.slice %x dim = 0 : tensor<?x4xf32>
  return
}

// -----

func.func @slice_tower_inside(%x: tensor<?x4xf32>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-error@+1 {{'tower.slice' op names a tower inside of tower.replicate, where it is each tower's own}}
    %0 = tower.slice %x dim = 0 tower = 0 of 2 : tensor<?x4xf32>
    tower.yield concat = []
  }
  return
}

// -----

func.func @slice_half(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.slice' op has one of 'index' and 'of', expected both or none}}
  %0 = "tower.slice"(%x) {dim = 0 : i64, index = 0 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @slice_index(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.slice' op names tower 2 of 2}}
  %0 = tower.slice %x dim = 0 tower = 2 of 2 : tensor<?x4xf32>
  return
}

// -----

func.func @slice_negative(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.slice' op names tower -1 of 2}}
  %0 = tower.slice %x dim = 0 tower = -1 of 2 : tensor<?x4xf32>
  return
}

// -----

func.func @slice_of_negative(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.slice' op names tower 0 of -2}}
  %0 = tower.slice %x dim = 0 tower = 0 of -2 : tensor<?x4xf32>
  return
}

// -----

// tower.concat.
func.func @concat_none() {
  // expected-error@+1 {{'tower.concat' op expected 1 or more operands, but found 0}}
  %0 = "tower.concat"() {dim = 0 : i64} : () -> tensor<?x4xf32>
  return
}

// -----

func.func @concat_types(%x: tensor<?x4xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{'tower.concat' op has values of different types, 'tensor<?x4xf32>' and 'tensor<2x4xf32>'}}
  %0 = "tower.concat"(%x, %y) {dim = 0 : i64} : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @concat_dim(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.concat' op dim is 1, but that dimension of 'tensor<?x4xf32>' is not dynamic}}
  %0 = tower.concat %x, %x dim = 1 : tensor<?x4xf32>
  return
}

// -----

func.func @concat_inside(%x: tensor<?x4xf32>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-error@+1 {{'tower.concat' op stands inside of tower.replicate, where tower.yield joins}}
    %0 = tower.concat %x, %x dim = 0 : tensor<?x4xf32>
    tower.yield concat = []
  }
  return
}

// -----

// tower.all_reduce: operands.
func.func @all_reduce_none() {
  // expected-error@+1 {{'tower.all_reduce' op has 0 operands, expected at least 1}}
  "tower.all_reduce"() {kind = #tower<reduce_kind sum>} : () -> ()
  return
}

// -----

func.func @all_reduce_inside(%x: tensor<4xf32>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-error@+1 {{'tower.all_reduce' op has 2 operands, expected 1 inside of tower.replicate}}
    %0:2 = tower.all_reduce sum %x, %x : tensor<4xf32>, tensor<4xf32>
    tower.yield concat = []
  }
  return
}

// -----

func.func @all_reduce_types(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{'tower.all_reduce' op has values of different types, 'tensor<4xf32>' and 'tensor<3xf32>'}}
  %0:2 = tower.all_reduce sum %x, %y : tensor<4xf32>, tensor<3xf32>
  return
}

// -----

// tower.all_reduce: the kind fits.
func.func @all_reduce_kind(%x: tensor<4xi1>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-error@+1 {{'tower.all_reduce' op 'sum' does not take elements of type 'i1'}}
    %0 = tower.all_reduce sum %x : tensor<4xi1>
    tower.yield concat = []
  }
  return
}

// -----

// tower.all_reduce: where every tower gets to.
func.func @all_reduce_in_if(%x: tensor<4xf32>, %c: i1) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-note@+1 {{the control flow is here}}
    scf.if %c {
      // expected-error@+1 {{'tower.all_reduce' op stands inside of 'scf.if', which towers may run differently often: towers that do not meet in a collective wait for each other for ever}}
      %0 = tower.all_reduce sum %x : tensor<4xf32>
    }
    tower.yield concat = []
  }
  return
}

// -----

func.func @all_reduce_in_loop(%x: tensor<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  tower.replicate towers = 2 slicing = balanced {
    // expected-note@+1 {{the control flow is here}}
    scf.for %i = %zero to %n step %one {
      // expected-error@+1 {{'tower.all_reduce' op stands inside of 'scf.for', which towers may run differently often}}
      %0 = tower.all_reduce sum %x : tensor<4xf32>
    }
    tower.yield concat = []
  }
  return
}

// -----

// tower.all_gather.
func.func @all_gather_outside(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.all_gather' op stands outside of tower.replicate}}
  %0 = tower.all_gather %x dim = 0 : tensor<?x4xf32>
  return
}

// -----

func.func @all_gather_type(%x: tensor<?x4xf32>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-error@+1 {{'tower.all_gather' op has values of different types, 'tensor<?x4xf32>' and 'tensor<2x4xf32>'}}
    %0 = "tower.all_gather"(%x) {dim = 0 : i64} : (tensor<?x4xf32>) -> tensor<2x4xf32>
    tower.yield concat = []
  }
  return
}

// -----

func.func @all_gather_dim(%x: tensor<?x4xf32>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-error@+1 {{'tower.all_gather' op dim is 1, but that dimension of 'tensor<?x4xf32>' is not dynamic}}
    %0 = tower.all_gather %x dim = 1 : tensor<?x4xf32>
    tower.yield concat = []
  }
  return
}

// -----

func.func @all_gather_in_if(%x: tensor<?x4xf32>, %c: i1) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-note@+1 {{the control flow is here}}
    scf.if %c {
      // expected-error@+1 {{'tower.all_gather' op stands inside of 'scf.if', which towers may run differently often}}
      %0 = tower.all_gather %x dim = 0 : tensor<?x4xf32>
    }
    tower.yield concat = []
  }
  return
}

// -----

// tower.reduce_scatter.
func.func @reduce_scatter_outside(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.reduce_scatter' op stands outside of tower.replicate}}
  %0 = tower.reduce_scatter sum %x dim = 0 : tensor<?x4xf32>
  return
}

// -----

func.func @reduce_scatter_dim(%x: tensor<?x4xf32>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-error@+1 {{'tower.reduce_scatter' op dim is 2, but the rank is 2}}
    %0 = tower.reduce_scatter sum %x dim = 2 : tensor<?x4xf32>
    tower.yield concat = []
  }
  return
}

// -----

func.func @reduce_scatter_kind(%x: tensor<?x4xi1>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-error@+1 {{'tower.reduce_scatter' op 'sum' does not take elements of type 'i1'}}
    %0 = tower.reduce_scatter sum %x dim = 0 : tensor<?x4xi1>
    tower.yield concat = []
  }
  return
}

// -----

func.func @reduce_scatter_in_if(%x: tensor<?x4xf32>, %c: i1) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-note@+1 {{the control flow is here}}
    scf.if %c {
      // expected-error@+1 {{'tower.reduce_scatter' op stands inside of 'scf.if', which towers may run differently often}}
      %0 = tower.reduce_scatter sum %x dim = 0 : tensor<?x4xf32>
    }
    tower.yield concat = []
  }
  return
}

// -----

// tower.index.
func.func @index_outside() {
  // expected-error@+1 {{'tower.index' op names no tower outside of tower.replicate}}
  %0 = tower.index : tensor<i32>
  return
}

// -----

func.func @index_range() {
  // expected-error@+1 {{'tower.index' op names tower 3 of 2}}
  %0 = tower.index tower = 3 of 2 : tensor<i32>
  return
}

// -----

// tower.row_offset.
func.func @row_offset_static(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tower.row_offset' op is of a value of type 'tensor<4xf32>', which has no dynamic dimension}}
  %0 = tower.row_offset %x tower = 0 of 2 : tensor<4xf32>
  return
}

// -----

func.func @row_offset_outside(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{'tower.row_offset' op names no tower outside of tower.replicate}}
  %0 = tower.row_offset %x : tensor<?x4xf32>
  return
}

// -----

func.func @row_offset_inside(%x: tensor<?x4xf32>) {
  tower.replicate towers = 2 slicing = balanced {
    // expected-note@+1 {{the value is here}}
    %0 = tower.slice %x dim = 0 : tensor<?x4xf32>
    // expected-error@+1 {{'tower.row_offset' op takes a value of the tower itself, expected one from outside of the region}}
    %1 = tower.row_offset %0 : tensor<?x4xf32>
    tower.yield concat = []
  }
  return
}
