// RUN: belfry-opt %s -split-input-file -verify-diagnostics

// One static leading extent.
func.func @steps(%h: tensor<?x4xf32>, %a: tensor<5x?x4xf32>, %b: tensor<6x?x4xf32>) {
  // expected-error@+1 {{'nn.scan' op has sequences of 5 and of 6 steps}}
  %0 = nn.scan carry(%h) sequences(%a, %b) {
  ^bb0(%c: tensor<?x4xf32>, %x: tensor<?x4xf32>, %y: tensor<?x4xf32>):
    nn.yield carry(%c) : tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<6x?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @dynamic_steps(%h: tensor<4xf32>, %a: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.scan' op has a sequence of type 'tensor<?x4xf32>', whose leading dimension is not a static number of steps}}
  %0 = nn.scan carry(%h) sequences(%a) {
  ^bb0(%c: tensor<4xf32>, %x: tensor<4xf32>):
    nn.yield carry(%c) : tensor<4xf32>
  } : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<4xf32>
  return
}

// -----

// A length without sequences.
func.func @no_length(%h: tensor<4xf32>) {
  // expected-error@+1 {{'nn.scan' op has neither sequences nor a length}}
  %0 = nn.scan carry(%h) {
  ^bb0(%c: tensor<4xf32>):
    nn.yield carry(%c) : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @negative_length(%h: tensor<4xf32>) {
  // expected-error@+1 {{'nn.scan' op has the length -1, expected at least 0}}
  %0 = nn.scan carry(%h) length = -1 {
  ^bb0(%c: tensor<4xf32>):
    nn.yield carry(%c) : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// No length with sequences.
func.func @needless_length(%h: tensor<4xf32>, %a: tensor<3x4xf32>) {
  // expected-error@+1 {{'nn.scan' op has sequences, which give the number of steps, and a length}}
  %0 = nn.scan carry(%h) sequences(%a) length = 3 {
  ^bb0(%c: tensor<4xf32>, %x: tensor<4xf32>):
    nn.yield carry(%c) : tensor<4xf32>
  } : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return
}

// -----

// The body's arguments: how many.
func.func @arguments(%h: tensor<4xf32>, %a: tensor<3x4xf32>) {
  // expected-error@+1 {{'nn.scan' op has a body with 1 arguments, expected 2: carried values, elements of the sequences, closed values}}
  %0 = nn.scan carry(%h) sequences(%a) {
  ^bb0(%c: tensor<4xf32>):
    nn.yield carry(%c) : tensor<4xf32>
  } : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return
}

// -----

// The body's arguments: types of carried values, elements, closed values.
func.func @argument_types(%h: tensor<4xf32>, %a: tensor<3x4xf32>) {
  // expected-error@+1 {{'nn.scan' op argument 1 of the body has type 'tensor<3x4xf32>', expected 'tensor<4xf32>'}}
  %0 = nn.scan carry(%h) sequences(%a) {
  ^bb0(%c: tensor<4xf32>, %x: tensor<3x4xf32>):
    nn.yield carry(%c) : tensor<4xf32>
  } : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return
}

// -----

// The body ends with nn.yield.
func.func @terminator(%h: tensor<4xf32>) {
  // expected-error@+1 {{'nn.scan' op has a body that does not end with nn.yield}}
  %0 = nn.scan carry(%h) length = 3 {
  ^bb0(%c: tensor<4xf32>):
    "llvm.unreachable"() : () -> ()
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A value for each carried one and each output.
func.func @yields(%h: tensor<4xf32>) {
  %0 = nn.scan carry(%h) length = 3 {
  ^bb0(%c: tensor<4xf32>):
    // expected-error@+1 {{'nn.yield' op yields 1 carried values and 1 outputs, expected 1 and 0}}
    nn.yield carry(%c) outputs(%c) : tensor<4xf32> outputs tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Carried types: yield.
func.func @carried_yield(%h: tensor<4xf32>, %v: tensor<3xf32>) {
  %0 = nn.scan carry(%h) closed(%v) length = 3 {
  ^bb0(%c: tensor<4xf32>, %x: tensor<3xf32>):
    // expected-error@+1 {{'nn.yield' op carried value 0 has type 'tensor<3xf32>', expected 'tensor<4xf32>'}}
    nn.yield carry(%x) : tensor<3xf32>
  } : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// Carried types: result.
func.func @carried_result(%h: tensor<4xf32>) {
  // expected-error@+1 {{'nn.scan' op last carried value 0 has type 'tensor<3xf32>', expected 'tensor<4xf32>'}}
  %0 = nn.scan carry(%h) length = 3 {
  ^bb0(%c: tensor<4xf32>):
    nn.yield carry(%c) : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @carried_count(%h: tensor<4xf32>) {
  // expected-error@+1 {{expected a result for each of the 1 carried values, got 0}}
  nn.scan carry(%h) length = 3 {
  ^bb0(%c: tensor<4xf32>):
    nn.yield carry(%c) : tensor<4xf32>
  } : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @carried_count_generic(%h: tensor<4xf32>) {
  // expected-error@+1 {{'nn.scan' op carries 1 values, but has 0 last ones}}
  %0 = "nn.scan"(%h) <{length = 3 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>, resultSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%c: tensor<4xf32>):
    nn.yield carry(%c) : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Outputs: the yielded type with the steps in front.
func.func @outputs(%h: tensor<4xf32>) {
  // expected-error@+1 {{'nn.scan' op output 0 has type 'tensor<2x4xf32>', expected 'tensor<3x4xf32>'}}
  %0, %1 = nn.scan carry(%h) length = 3 {
  ^bb0(%c: tensor<4xf32>):
    nn.yield carry(%c) outputs(%c) : tensor<4xf32> outputs tensor<4xf32>
  } : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>)
  return
}

// -----

// The mask: steps.
func.func @mask_steps(%h: tensor<?x4xf32>, %m: tensor<2x?xi1>) {
  // expected-error@+1 {{'nn.scan' op has a mask of type 'tensor<2x?xi1>', expected 3 steps by the number of rows}}
  %0 = nn.scan carry(%h) mask(%m) length = 3 {
  ^bb0(%c: tensor<?x4xf32>):
    nn.yield carry(%c) : tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<2x?xi1>) -> tensor<?x4xf32>
  return
}

// -----

// The mask: rows of carried values.
func.func @mask_rows(%h: tensor<4xf32>, %m: tensor<3x?xi1>) {
  %0 = nn.scan carry(%h) mask(%m) length = 3 {
  ^bb0(%c: tensor<4xf32>):
    // expected-error@+1 {{'nn.yield' op yields a 'tensor<4xf32>', whose leading dimension is not the rows of the mask 'tensor<3x?xi1>'}}
    nn.yield carry(%c) : tensor<4xf32>
  } : (tensor<4xf32>, tensor<3x?xi1>) -> tensor<4xf32>
  return
}

// -----

// No layer in the body.
func.func @layer(%h: tensor<?x4xf32>) {
  // expected-note@+1 {{nn.scan is here}}
  %0 = nn.scan carry(%h) length = 3 {
  ^bb0(%c: tensor<?x4xf32>):
    // expected-error@+1 {{'nn.activation' op stands in a body of nn.scan, which takes core ops}}
    %y = nn.activation tanh %c : tensor<?x4xf32>
    nn.yield carry(%y) : tensor<?x4xf32>
  } : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// Isolated from above.
func.func @isolated(%h: tensor<4xf32>, %w: tensor<4xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = nn.scan carry(%h) length = 3 {
  ^bb0(%c: tensor<4xf32>):
    // expected-error@+1 {{'nn.binary' op using value defined outside the region}}
    %y = nn.binary add %c, %w : tensor<4xf32>
    nn.yield carry(%y) : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @packMask(%x: tensor<5x?x4xf32>, %m: tensor<4x?xi1>) {
  // expected-error @below {{has a mask of type 'tensor<4x?xi1>' for a sequence of type 'tensor<5x?x4xf32>'}}
  %p = nn.pack_steps %x mask %m : tensor<5x?x4xf32>, tensor<4x?xi1> -> tensor<?x4xf32>
  return
}

// -----

func.func @packStatic(%x: tensor<5x3x4xf32>, %m: tensor<5x3xi1>) {
  // expected-error @below {{expected a mask of static steps and dynamic rows, got 'tensor<5x3xi1>'}}
  %p = nn.pack_steps %x mask %m : tensor<5x3x4xf32>, tensor<5x3xi1> -> tensor<?x4xf32>
  return
}

// -----

func.func @unpackType(%x: tensor<?x4xf32>, %m: tensor<5x?xi1>) {
  // expected-error @below {{packed rows}}
  %p = nn.unpack_steps %x mask %m : tensor<?x4xf32>, tensor<5x?xi1> -> tensor<5x?x3xf32>
  return
}
