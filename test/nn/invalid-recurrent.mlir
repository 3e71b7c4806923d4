// RUN: belfry-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// The input: rank.
func.func @rank(%x: tensor<?x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op input has type 'tensor<?x3xf32>', expected rank 3}}
  %0 = nn.lstm %x weights(%k, %r) : (tensor<?x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return
}

// -----

// The input: steps.
func.func @steps(%x: tensor<2x?x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op input has type 'tensor<2x?x3xf32>', expected (batch, steps, features) with a static number of steps}}
  %0 = nn.lstm %x weights(%k, %r) : (tensor<2x?x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @no_steps(%x: tensor<?x0x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op input has type 'tensor<?x0x3xf32>', expected (batch, steps, features) with a static number of steps}}
  %0 = nn.lstm %x weights(%k, %r) : (tensor<?x0x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return
}

// -----

// The mask.
func.func @mask(%x: tensor<?x9x3xf32>, %m: tensor<?x8xi1>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op mask has type 'tensor<?x8xi1>', expected 'tensor<?x9xi1>'}}
  %0 = nn.lstm %x mask %m weights(%k, %r) : (tensor<?x9x3xf32>, tensor<?x8xi1>, tensor<3x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return
}

// -----

// The kernel.
func.func @kernel(%x: tensor<?x9x3xf32>, %k: tensor<3x12xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op kernel has type 'tensor<3x12xf32>', expected 'tensor<3x16xf32>'}}
  %0 = nn.lstm %x weights(%k, %r) : (tensor<?x9x3xf32>, tensor<3x12xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return
}

// -----

// The recurrent kernel.
func.func @recurrent(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x12xf32>) {
  // expected-error@+1 {{'nn.lstm' op recurrent kernel has type 'tensor<4x12xf32>', expected 'tensor<4x16xf32>'}}
  %0 = nn.lstm %x weights(%k, %r) : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x12xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @recurrent_dynamic(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<?x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op recurrent kernel has type 'tensor<?x16xf32>', expected a static one}}
  %0 = nn.lstm %x weights(%k, %r) : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<?x16xf32>) -> tensor<?x4xf32>
  return
}

// -----

// The bias: nn.lstm.
func.func @bias(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>, %b: tensor<12xf32>) {
  // expected-error@+1 {{'nn.lstm' op bias has type 'tensor<12xf32>', expected 'tensor<16xf32>'}}
  %0 = nn.lstm %x weights(%k, %r, %b) : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<12xf32>) -> tensor<?x4xf32>
  return
}

// -----

// The bias: nn.gru, two rows with reset_after.
func.func @bias_gru(%x: tensor<?x9x3xf32>, %k: tensor<3x12xf32>, %r: tensor<4x12xf32>, %b: tensor<12xf32>) {
  // expected-error@+1 {{'nn.gru' op bias has type 'tensor<12xf32>', expected 'tensor<2x12xf32>'}}
  %0 = nn.gru %x weights(%k, %r, %b) {reset_after} : (tensor<?x9x3xf32>, tensor<3x12xf32>, tensor<4x12xf32>, tensor<12xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @bias_gru_before(%x: tensor<?x9x3xf32>, %k: tensor<3x12xf32>, %r: tensor<4x12xf32>, %b: tensor<2x12xf32>) {
  // expected-error@+1 {{'nn.gru' op bias has type 'tensor<2x12xf32>', expected 'tensor<12xf32>'}}
  %0 = nn.gru %x weights(%k, %r, %b) : (tensor<?x9x3xf32>, tensor<3x12xf32>, tensor<4x12xf32>, tensor<2x12xf32>) -> tensor<?x4xf32>
  return
}

// -----

// Gates: nn.simple_rnn.
func.func @gates(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x4xf32>) {
  // expected-error@+1 {{'nn.simple_rnn' op kernel has type 'tensor<3x16xf32>', expected 'tensor<3x4xf32>'}}
  %0 = nn.simple_rnn %x weights(%k, %r) : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// Initial states: how many.
func.func @initial_count(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>, %h: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.lstm' op has 1 initial states, expected 2}}
  %0 = nn.lstm %x weights(%k, %r) initial_state(%h) : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// Initial states: shape.
func.func @initial_shape(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>, %h: tensor<?x5xf32>) {
  // expected-error@+1 {{'nn.lstm' op initial state 0 has type 'tensor<?x5xf32>', expected 'tensor<?x4xf32>'}}
  %0 = nn.lstm %x weights(%k, %r) initial_state(%h, %h) : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x4xf32>
  return
}

// -----

// The result.
func.func @result(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op result has type 'tensor<?x4xf32>', expected 'tensor<?x9x4xf32>'}}
  %0 = nn.lstm %x weights(%k, %r) {return_sequences} : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return
}

// -----

// States: how many.
func.func @states(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op returns 0 states, expected 2}}
  %0 = nn.lstm %x weights(%k, %r) {return_state} : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @needless_states(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op returns 2 states, expected 0}}
  %0:3 = nn.lstm %x weights(%k, %r) : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
  return
}

// -----

// States: shape.
func.func @states_shape(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op state 1 has type 'tensor<?x5xf32>', expected 'tensor<?x4xf32>'}}
  %0:3 = nn.lstm %x weights(%k, %r) {return_state} : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x5xf32>)
  return
}

// -----

// Element types.
func.func @elements(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf64>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op has element types 'f32' and 'f64'}}
  %0 = nn.lstm %x weights(%k, %r) : (tensor<?x9x3xf32>, tensor<3x16xf64>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return
}

// -----

// Rates.
func.func @dropout(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op 'dropout': expected a number from 0 to 1, got -1}}
  %0 = nn.lstm %x weights(%k, %r) {dropout = -1.0} : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @recurrent_dropout(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) {
  // expected-error@+1 {{'nn.lstm' op 'recurrent_dropout': expected a number from 0 to 1, got 2}}
  %0 = nn.lstm %x weights(%k, %r) {recurrent_dropout = 2.0} : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return
}

// -----

// nn.bidirectional: one type.
func.func @bidirectional_types(%f: tensor<?x9x4xf32>, %b: tensor<?x9x5xf32>) {
  // expected-error@+1 {{'nn.bidirectional' op backward output has type 'tensor<?x9x5xf32>', expected 'tensor<?x9x4xf32>'}}
  %0 = nn.bidirectional concat(%f, %b) {return_sequences} : tensor<?x9x4xf32>, tensor<?x9x5xf32> -> tensor<?x9x9xf32>
  return
}

// -----

// nn.bidirectional: the rank.
func.func @bidirectional_rank(%f: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.bidirectional' op output has type 'tensor<?x4xf32>', expected rank 3}}
  %0 = nn.bidirectional concat(%f, %f) {return_sequences} : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x8xf32>
  return
}

// -----

func.func @bidirectional_rank_last(%f: tensor<?x9x4xf32>) {
  // expected-error@+1 {{'nn.bidirectional' op output has type 'tensor<?x9x4xf32>', expected rank 2}}
  %0 = nn.bidirectional concat(%f, %f) : tensor<?x9x4xf32>, tensor<?x9x4xf32> -> tensor<?x9x8xf32>
  return
}

// -----

// nn.bidirectional: the merge mode.
func.func @bidirectional_none(%f: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.bidirectional' op joins outputs by the merge mode 'none', which joins nothing}}
  %0 = nn.bidirectional none(%f, %f) : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @bidirectional_dynamic(%f: tensor<3x?xf32>) {
  // expected-error@+1 {{'nn.bidirectional' op joins along the last dimension of 'tensor<3x?xf32>', which is dynamic}}
  %0 = nn.bidirectional concat(%f, %f) : tensor<3x?xf32>, tensor<3x?xf32> -> tensor<3x?xf32>
  return
}

// -----

// nn.bidirectional: the result.
func.func @bidirectional_result(%f: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.bidirectional' op result has type 'tensor<?x8xf32>', expected 'tensor<?x4xf32>'}}
  %0 = nn.bidirectional sum(%f, %f) : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x8xf32>
  return
}

// -----

// nn.time_distributed: the rank.
func.func @time_distributed_rank(%x: tensor<?xf32>) {
  // expected-error@+1 {{'nn.time_distributed' op input has type 'tensor<?xf32>', expected rank 2 or more}}
  %0 = nn.time_distributed %x : tensor<?xf32> -> tensor<?xf32> {
  ^bb0(%s: tensor<?xf32>):
    nn.layer_yield %s : tensor<?xf32>
  }
  return
}

// -----

// nn.time_distributed: static steps.
func.func @time_distributed_steps(%x: tensor<3x?x4xf32>) {
  // expected-error@+1 {{'nn.time_distributed' op input has type 'tensor<3x?x4xf32>', whose number of steps is dynamic}}
  %0 = nn.time_distributed %x : tensor<3x?x4xf32> -> tensor<3x?x4xf32> {
  ^bb0(%s: tensor<?x4xf32>):
    nn.layer_yield %s : tensor<?x4xf32>
  }
  return
}

// -----

// nn.time_distributed: the body's argument.
func.func @time_distributed_arguments(%x: tensor<?x9x4xf32>) {
  // expected-error@+1 {{'nn.time_distributed' op has a body with 2 arguments, expected 1}}
  %0 = nn.time_distributed %x : tensor<?x9x4xf32> -> tensor<?x9x4xf32> {
  ^bb0(%s: tensor<?x4xf32>, %t: tensor<?x4xf32>):
    nn.layer_yield %s : tensor<?x4xf32>
  }
  return
}

// -----

func.func @time_distributed_argument(%x: tensor<?x9x4xf32>) {
  // expected-error@+1 {{'nn.time_distributed' op argument of the body has type 'tensor<?x5xf32>', expected 'tensor<?x4xf32>'}}
  %0 = nn.time_distributed %x : tensor<?x9x4xf32> -> tensor<?x9x5xf32> {
  ^bb0(%s: tensor<?x5xf32>):
    nn.layer_yield %s : tensor<?x5xf32>
  }
  return
}

// -----

// nn.time_distributed: the yielded value.
func.func @time_distributed_rows(%x: tensor<?x9x4xf32>) {
  %0 = nn.time_distributed %x : tensor<?x9x4xf32> -> tensor<?x9xf32> {
  ^bb0(%s: tensor<?x4xf32>):
    %y = "test.op"(%s) : (tensor<?x4xf32>) -> tensor<4xf32>
    // expected-error@+1 {{'nn.layer_yield' op yields a 'tensor<4xf32>', whose leading dimension is not the rows of the body's argument}}
    nn.layer_yield %y : tensor<4xf32>
  }
  return
}

// -----

// nn.time_distributed: the result.
func.func @time_distributed_result(%x: tensor<?x9x4xf32>) {
  // expected-error@+1 {{'nn.time_distributed' op result has type 'tensor<?x9x5xf32>', expected 'tensor<?x9x4xf32>'}}
  %0 = nn.time_distributed %x : tensor<?x9x4xf32> -> tensor<?x9x5xf32> {
  ^bb0(%s: tensor<?x4xf32>):
    nn.layer_yield %s : tensor<?x4xf32>
  }
  return
}

// -----

// nn.time_distributed: the end of the body.
func.func @time_distributed_end(%x: tensor<?x9x4xf32>) {
  // expected-error@+1 {{'nn.time_distributed' op has a body that does not end with nn.layer_yield}}
  %0 = nn.time_distributed %x : tensor<?x9x4xf32> -> tensor<?x9x4xf32> {
  ^bb0(%s: tensor<?x4xf32>):
    "llvm.unreachable"() : () -> ()
  }
  return
}
