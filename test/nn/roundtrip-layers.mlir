// RUN: belfry-opt %s | FileCheck %s

// The examples of the descriptions of the layers, verbatim.

// CHECK-LABEL: func.func @basic
func.func @basic(%x3: tensor<?x3xf32>, %x4: tensor<?x4xf32>, %x9: tensor<?x9xf32>, %k: tensor<3x4xf32>,
                 %b: tensor<4xf32>, %ids: tensor<?x5xi32>, %table: tensor<100x8xf32>,
                 %q: tensor<?x9x3xf32>, %c34: tensor<?x3x4xf32>, %x2: tensor<?x2xf32>) {
  // CHECK: nn.dense %{{.*}}, %{{.*}} bias %{{.*}} activation = relu : tensor<?x3xf32>, tensor<3x4xf32>, tensor<4xf32> -> tensor<?x4xf32>
  %d = nn.dense %x3, %k bias %b activation = relu
     : tensor<?x3xf32>, tensor<3x4xf32>, tensor<4xf32> -> tensor<?x4xf32>
  // CHECK: nn.dense %{{.*}}, %{{.*}} : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  %e = nn.dense %x3, %k : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
  // CHECK: nn.activation softmax %{{.*}} : tensor<?x9xf32>
  %s = nn.activation softmax %x9 : tensor<?x9xf32>
  // CHECK: nn.activation leaky_relu %{{.*}} {alpha = 3.000000e-01 : f64} : tensor<?x9xf32>
  %l = nn.activation leaky_relu %x9 {alpha = 0.3} : tensor<?x9xf32>
  // CHECK: nn.dropout %{{.*}} {rate = 2.000000e-01 : f64, stream = 3 : i32} : tensor<?x4xf32>
  %o = nn.dropout %x4 {rate = 0.2, stream = 3 : i32} : tensor<?x4xf32>
  // CHECK: %{{.*}}, %{{.*}} = nn.masking %{{.*}} {mask_value = -5.000000e+00 : f64} : tensor<?x9x3xf32> -> tensor<?x9x3xf32>, tensor<?x9xi1>
  %y, %mask = nn.masking %q {mask_value = -5.0} : tensor<?x9x3xf32> -> tensor<?x9x3xf32>, tensor<?x9xi1>
  // CHECK: %{{.*}}, %{{.*}} = nn.embedding %{{.*}}, %{{.*}} {mask_zero} : tensor<?x5xi32>, tensor<100x8xf32> -> tensor<?x5x8xf32>, tensor<?x5xi1>
  %em, %emask = nn.embedding %ids, %table {mask_zero}
              : tensor<?x5xi32>, tensor<100x8xf32> -> tensor<?x5x8xf32>, tensor<?x5xi1>
  // CHECK: nn.embedding %{{.*}}, %{{.*}} : tensor<?x5xi32>, tensor<100x8xf32> -> tensor<?x5x8xf32>
  %en = nn.embedding %ids, %table : tensor<?x5xi32>, tensor<100x8xf32> -> tensor<?x5x8xf32>
  // CHECK: nn.flatten %{{.*}} : tensor<?x3x4xf32> -> tensor<?x12xf32>
  %f = nn.flatten %c34 : tensor<?x3x4xf32> -> tensor<?x12xf32>
  // CHECK: nn.repeat_vector %{{.*}} : tensor<?x4xf32> -> tensor<?x7x4xf32>
  %r = nn.repeat_vector %x4 : tensor<?x4xf32> -> tensor<?x7x4xf32>
  // CHECK: nn.concatenate %{{.*}}, %{{.*}} axis = 1 : tensor<?x4xf32>, tensor<?x2xf32> -> tensor<?x6xf32>
  %c = nn.concatenate %x4, %x2 axis = 1 : tensor<?x4xf32>, tensor<?x2xf32> -> tensor<?x6xf32>
  // CHECK: nn.add %{{.*}}, %{{.*}} : tensor<?x3x4xf32>, tensor<?x4xf32> -> tensor<?x3x4xf32>
  %a = nn.add %c34, %x4 : tensor<?x3x4xf32>, tensor<?x4xf32> -> tensor<?x3x4xf32>
  return
}

// CHECK-LABEL: func.func @recurrent
func.func @recurrent(%x: tensor<?x9x3xf32>, %m: tensor<?x9xi1>, %h0: tensor<?x4xf32>,
                     %k16: tensor<3x16xf32>, %r16: tensor<4x16xf32>, %b16: tensor<16xf32>,
                     %k12: tensor<3x12xf32>, %r12: tensor<4x12xf32>, %b12: tensor<2x12xf32>,
                     %k4: tensor<3x4xf32>, %r4: tensor<4x4xf32>, %b4: tensor<4xf32>) {
  // CHECK: nn.lstm %{{.*}} mask %{{.*}} weights(%{{.*}}, %{{.*}}, %{{.*}}) {return_sequences} : (tensor<?x9x3xf32>, tensor<?x9xi1>,
  %y = nn.lstm %x mask %m weights(%k16, %r16, %b16) {return_sequences}
     : (tensor<?x9x3xf32>, tensor<?x9xi1>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<16xf32>) -> tensor<?x9x4xf32>
  // CHECK: nn.lstm %{{.*}} weights(%{{.*}}, %{{.*}}) initial_state(%{{.*}}, %{{.*}}) {return_state}
  %s, %h, %c = nn.lstm %x weights(%k16, %r16) initial_state(%h0, %h0) {return_state}
     : (tensor<?x9x3xf32>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
     -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
  // CHECK: nn.gru %{{.*}} weights(%{{.*}}, %{{.*}}, %{{.*}}) {reset_after, return_sequences}
  %g = nn.gru %x weights(%k12, %r12, %b12) {reset_after, return_sequences}
     : (tensor<?x9x3xf32>, tensor<3x12xf32>, tensor<4x12xf32>, tensor<2x12xf32>) -> tensor<?x9x4xf32>
  // CHECK: nn.simple_rnn %{{.*}} weights(%{{.*}}, %{{.*}}, %{{.*}}) :
  %n = nn.simple_rnn %x weights(%k4, %r4, %b4)
     : (tensor<?x9x3xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.bidirectional concat(%{{.*}}, %{{.*}}) {return_sequences} : tensor<?x9x4xf32>, tensor<?x9x4xf32> -> tensor<?x9x8xf32>
  %b = nn.bidirectional concat(%y, %g) {return_sequences}
     : tensor<?x9x4xf32>, tensor<?x9x4xf32> -> tensor<?x9x8xf32>
  return
}

// CHECK-LABEL: func.func @time_distributed
func.func @time_distributed(%x: tensor<?x9x4xf32>, %k: tensor<4x2xf32>) {
  // CHECK: nn.time_distributed %{{.*}} : tensor<?x9x4xf32> -> tensor<?x9x2xf32> {
  // CHECK: ^bb0(%{{.*}}: tensor<?x4xf32>):
  // CHECK: nn.layer_yield %{{.*}} : tensor<?x2xf32>
  %y = nn.time_distributed %x : tensor<?x9x4xf32> -> tensor<?x9x2xf32> {
  ^bb0(%step: tensor<?x4xf32>):
    %d = nn.dense %step, %k : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32>
    nn.layer_yield %d : tensor<?x2xf32>
  }
  return
}
