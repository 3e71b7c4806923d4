// RUN: belfry-opt %s --nn-decompose=training=true --split-input-file | FileCheck %s

// One product over all steps outside of the scan; the last output is the last
// state, so nothing is stacked.
// CHECK-LABEL: func.func @lstm
// CHECK-SAME: (%[[X:.*]]: tensor<?x9x3xf32>, %[[K:.*]]: tensor<3x16xf32>, %[[R:.*]]: tensor<4x16xf32>, %[[B:.*]]: tensor<16xf32>)
func.func @lstm(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>, %b: tensor<16xf32>) -> tensor<?x4xf32> {
  // CHECK: %[[XT:.*]] = nn.transpose %[[X]] perm = [1, 0, 2] : tensor<?x9x3xf32> -> tensor<9x?x3xf32>
  // CHECK: %[[XZ:.*]] = nn.dot %[[XT]], %[[K]] contract = [2] * [0]
  // CHECK: %[[BB:.*]] = nn.broadcast %[[B]] dims = [2] like %[[XZ]]
  // CHECK: %[[Z:.*]] = nn.binary add %[[XZ]], %[[BB]] : tensor<9x?x16xf32>
  // CHECK: %[[F:.*]]:2 = nn.scan carry(%{{.*}}, %{{.*}}) sequences(%[[Z]]) closed(%[[R]]) {
  // CHECK: ^bb0(%[[H:.*]]: tensor<?x4xf32>, %[[C:.*]]: tensor<?x4xf32>, %[[ZT:.*]]: tensor<?x16xf32>, %[[RT:.*]]: tensor<4x16xf32>):
  // CHECK: %[[HR:.*]] = nn.dot %[[H]], %[[RT]] contract = [1] * [0]
  // CHECK: %[[G:.*]] = nn.binary add %[[ZT]], %[[HR]]
  // CHECK: nn.slice %[[G]] start = [0, 0] limit = [-1, 4]
  // CHECK-NEXT: %[[GI:.*]] = nn.unary sigmoid
  // CHECK: nn.slice %[[G]] start = [0, 4] limit = [-1, 8]
  // CHECK-NEXT: %[[GF:.*]] = nn.unary sigmoid
  // CHECK: nn.slice %[[G]] start = [0, 8] limit = [-1, 12]
  // CHECK-NEXT: %[[GC:.*]] = nn.unary tanh
  // CHECK: nn.slice %[[G]] start = [0, 12] limit = [-1, 16]
  // CHECK-NEXT: %[[GO:.*]] = nn.unary sigmoid
  // CHECK: %[[FC:.*]] = nn.binary mul %[[GF]], %[[C]]
  // CHECK: %[[IG:.*]] = nn.binary mul %[[GI]], %[[GC]]
  // CHECK: %[[CN:.*]] = nn.binary add %[[FC]], %[[IG]]
  // CHECK: %[[TC:.*]] = nn.unary tanh %[[CN]]
  // CHECK: %[[HN:.*]] = nn.binary mul %[[GO]], %[[TC]]
  // CHECK: nn.yield carry(%[[HN]], %[[CN]]) : tensor<?x4xf32>, tensor<?x4xf32>
  // CHECK: return %[[F]]#0
  %y = nn.lstm %x weights(%k, %r, %b)
     : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<16xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// A masked step repeats the output before it: a second scan, without a mask of
// its own, in the same direction. go_backwards gives outputs in the order of
// their computation.
// CHECK-LABEL: func.func @held
func.func @held(%x: tensor<?x9x3xf32>, %m: tensor<?x9xi1>, %k: tensor<3x4xf32>, %r: tensor<4x4xf32>) -> tensor<?x9x4xf32> {
  // CHECK: %[[M:.*]] = nn.transpose %{{.*}} perm = [1, 0] : tensor<?x9xi1> -> tensor<9x?xi1>
  // CHECK: %{{.*}}, %[[YS:.*]] = nn.scan carry(%[[ZERO:.*]]) sequences(%{{.*}}) closed(%{{.*}}) mask(%[[M]]) reverse {
  // CHECK: %{{.*}}, %[[HS:.*]] = nn.scan carry(%[[ZERO]]) sequences(%[[YS]], %[[M]]) reverse {
  // CHECK: ^bb0(%[[P:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x4xf32>, %[[V:.*]]: tensor<?xi1>):
  // CHECK: %[[VB:.*]] = nn.broadcast %[[V]] dims = [0] : tensor<?xi1> -> tensor<?x4xi1>
  // CHECK: %[[S:.*]] = nn.select %[[VB]], %[[Y]], %[[P]]
  // CHECK: nn.yield carry(%[[S]]) outputs(%[[S]])
  // CHECK: %[[T:.*]] = nn.transpose %[[HS]] perm = [1, 0, 2]
  // CHECK: nn.reverse %[[T]] dims = [1]
  %y = nn.simple_rnn %x mask %m weights(%k, %r) {return_sequences, go_backwards}
     : (tensor<?x9x3xf32>, tensor<?x9xi1>, tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<?x9x4xf32>
  return %y : tensor<?x9x4xf32>
}

// -----

// zero_output_for_mask: what the scan gives is the output, also as the last one.
// CHECK-LABEL: func.func @zeroed
func.func @zeroed(%x: tensor<?x9x3xf32>, %m: tensor<?x9xi1>, %k: tensor<3x4xf32>, %r: tensor<4x4xf32>)
    -> (tensor<?x9x4xf32>, tensor<?x4xf32>) {
  // CHECK: %{{.*}}, %[[YS:.*]] = nn.scan {{.*}} mask(%{{.*}}) {
  // CHECK: nn.transpose %[[YS]] perm = [1, 0, 2]
  %y = nn.simple_rnn %x mask %m weights(%k, %r) {return_sequences, zero_output_for_mask}
     : (tensor<?x9x3xf32>, tensor<?x9xi1>, tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<?x9x4xf32>
  // CHECK: %{{.*}}, %[[ZS:.*]] = nn.scan {{.*}} mask(%{{.*}}) {
  // CHECK: nn.slice %[[ZS]] start = [8, 0, 0] limit = [9, -1, 4]
  // CHECK-NOT: nn.scan
  %z = nn.simple_rnn %x mask %m weights(%k, %r) {zero_output_for_mask}
     : (tensor<?x9x3xf32>, tensor<?x9xi1>, tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  return %y, %z : tensor<?x9x4xf32>, tensor<?x4xf32>
}

// -----

// The last valid output is zero for a row without one, whatever the state that
// the layer starts from: it is carried beside the state.
// CHECK-LABEL: func.func @started
// CHECK-SAME: %[[H0:[^:]*]]: tensor<?x4xf32>)
func.func @started(%x: tensor<?x9x3xf32>, %m: tensor<?x9xi1>, %k: tensor<3x4xf32>, %r: tensor<4x4xf32>, %h: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: %[[ZERO:.*]] = nn.broadcast {{.*}} -> tensor<?x4xf32>
  // CHECK: %[[F:.*]]:2 = nn.scan carry(%[[H0]], %[[ZERO]])
  // CHECK: nn.yield carry(%[[H:.*]], %[[H]])
  // CHECK: return %[[F]]#1, %[[F]]#0
  %y, %s = nn.simple_rnn %x mask %m weights(%k, %r) initial_state(%h) {return_state}
     : (tensor<?x9x3xf32>, tensor<?x9xi1>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %y, %s : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// h' = z h + (1 − z) candidate; with reset_after the reset gate multiplies the
// product, bias included.
// CHECK-LABEL: func.func @gru_reset_after
func.func @gru_reset_after(%x: tensor<?x9x3xf32>, %k: tensor<3x12xf32>, %r: tensor<4x12xf32>, %b: tensor<2x12xf32>) -> tensor<?x4xf32> {
  // CHECK: %[[B1:.*]] = nn.slice %{{.*}} start = [1, 0] limit = [2, 12]
  // CHECK: %[[B1R:.*]] = nn.reshape %[[B1]]
  // CHECK: %[[B0:.*]] = nn.slice %{{.*}} start = [0, 0] limit = [1, 12]
  // CHECK: nn.scan {{.*}} closed(%{{.*}}, %[[B1R]])
  // CHECK: %[[HR:.*]] = nn.dot %{{.*}} : tensor<?x4xf32>, tensor<4x12xf32> -> tensor<?x12xf32>
  // CHECK: %[[HZ:.*]] = nn.binary add %[[HR]]
  // CHECK: %[[R:.*]] = nn.unary sigmoid
  // CHECK: %[[R2:.*]] = nn.unary sigmoid
  // CHECK: %[[HH:.*]] = nn.slice %[[HZ]] start = [0, 8] limit = [-1, 12]
  // CHECK: nn.binary mul %[[R2]], %[[HH]]
  %y = nn.gru %x weights(%k, %r, %b) {reset_after}
     : (tensor<?x9x3xf32>, tensor<3x12xf32>, tensor<4x12xf32>, tensor<2x12xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Without, it multiplies the state before the product.
// CHECK-LABEL: func.func @gru_reset_before
func.func @gru_reset_before(%x: tensor<?x9x3xf32>, %k: tensor<3x12xf32>, %r: tensor<4x12xf32>, %b: tensor<12xf32>) -> tensor<?x4xf32> {
  // CHECK: ^bb0(%[[H:.*]]: tensor<?x4xf32>, %{{.*}}: tensor<?x12xf32>, %[[R:.*]]: tensor<4x12xf32>):
  // CHECK: %[[ZR:.*]] = nn.slice %[[R]] start = [0, 0] limit = [4, 8]
  // CHECK: nn.dot %[[H]], %[[ZR]]
  // CHECK: nn.unary sigmoid
  // CHECK: %[[RESET:.*]] = nn.unary sigmoid
  // CHECK: %[[RH:.*]] = nn.binary mul %[[RESET]], %[[H]]
  // CHECK: %[[HR:.*]] = nn.slice %[[R]] start = [0, 8] limit = [4, 12]
  // CHECK: nn.dot %[[RH]], %[[HR]]
  %y = nn.gru %x weights(%k, %r, %b)
     : (tensor<?x9x3xf32>, tensor<3x12xf32>, tensor<4x12xf32>, tensor<12xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// dropout alone: one mask (B, F) for all gates and steps.
// CHECK-LABEL: func.func @dropout
func.func @dropout(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) -> tensor<?x4xf32> {
  // CHECK: nn.random uniform {{.*}} stream = 5 {{.*}} -> tensor<?x1x3xf32>
  // CHECK: nn.broadcast %{{.*}} dims = [1, 2] : tensor<?x3xf32> -> tensor<9x?x3xf32>
  // CHECK-NOT: nn.random
  // CHECK: nn.dot {{.*}} tensor<3x16xf32>
  // CHECK: nn.scan carry(%{{.*}}, %{{.*}}) sequences(%{{.*}}) closed(%{{[a-z0-9]*}})
  %y = nn.lstm %x weights(%k, %r) {dropout = 0.25, stream = 5 : i32}
     : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// recurrent_dropout: every gate has masks of its own, of the input too. They are
// drawn once, outside of the scan.
// CHECK-LABEL: func.func @recurrent_dropout
func.func @recurrent_dropout(%x: tensor<?x9x3xf32>, %k: tensor<3x16xf32>, %r: tensor<4x16xf32>) -> tensor<?x4xf32> {
  // CHECK: nn.random uniform {{.*}} stream = 5 {{.*}} -> tensor<?x4x3xf32>
  // CHECK-COUNT-4: nn.dot {{.*}} tensor<9x?x3xf32>, tensor<3x4xf32> -> tensor<9x?x4xf32>
  // CHECK: nn.random uniform {{.*}} stream = 6 {{.*}} -> tensor<?x4x4xf32>
  // CHECK: nn.scan
  // CHECK-COUNT-4: nn.dot {{.*}} tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
  // CHECK-NOT: nn.random
  %y = nn.lstm %x weights(%k, %r) {dropout = 0.25, recurrent_dropout = 0.5, stream = 5 : i32}
     : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @bidirectional
// CHECK-SAME: (%[[F:.*]]: tensor<?x9x4xf32>, %[[B:.*]]: tensor<?x9x4xf32>, %[[L:.*]]: tensor<?x4xf32>)
func.func @bidirectional(%f: tensor<?x9x4xf32>, %b: tensor<?x9x4xf32>, %l: tensor<?x4xf32>)
    -> (tensor<?x9x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: %[[R:.*]] = nn.reverse %[[B]] dims = [1]
  // CHECK: nn.concat %[[F]], %[[R]] dim = 2
  %c = nn.bidirectional concat(%f, %b) {return_sequences} : tensor<?x9x4xf32>, tensor<?x9x4xf32> -> tensor<?x9x8xf32>
  // CHECK-NOT: nn.reverse
  // CHECK: nn.binary add %[[L]], %[[L]]
  %s = nn.bidirectional sum(%l, %l) : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  // CHECK: %[[A:.*]] = nn.binary add %[[L]], %[[L]]
  // CHECK: nn.constant dense<5.000000e-01>
  // CHECK: nn.binary mul %[[A]]
  %a = nn.bidirectional ave(%l, %l) : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  // CHECK: nn.binary mul %[[L]], %[[L]]
  %m = nn.bidirectional mul(%l, %l) : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  return %c, %s, %a, %m : tensor<?x9x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
