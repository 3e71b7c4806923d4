// A small classifier with everything that a manifest speaks of.
module attributes {nn.keras_version = "3.15.1",
    nn.layers = [{name = "hidden", class = "Dense", output_shape = array<i64: -1, 5>, parameters = 20 : i64},
                 {name = "drop", class = "Dropout", output_shape = array<i64: -1, 5>, parameters = 0 : i64},
                 {name = "kind", class = "Dense", output_shape = array<i64: -1, 4>, parameters = 24 : i64}]} {
  nn.parameter @"hidden/kernel" : tensor<3x5xf32> {path = "layers/dense/vars/0", layer = "hidden", trainable = true, stream = 1 : i32, initializer = {name = "glorot_uniform"}}
  nn.parameter @"hidden/bias" : tensor<5xf32> {path = "layers/dense/vars/1", layer = "hidden", trainable = true, stream = 2 : i32, initializer = {name = "zeros"}}
  nn.parameter @"kind/kernel" : tensor<5x4xf32> {path = "layers/dense_1/vars/0", layer = "kind", trainable = true, stream = 3 : i32, initializer = {name = "glorot_uniform"}}
  nn.parameter @"kind/bias" : tensor<4xf32> {path = "layers/dense_1/vars/1", layer = "kind", trainable = true, stream = 4 : i32, initializer = {name = "zeros"}}
  nn.model @mlp(%x: tensor<?x3xf32> {nn.name = "x"}) -> (tensor<?x4xf32> {nn.name = "kind"}) {
    %k0 = nn.get_parameter @"hidden/kernel" : tensor<3x5xf32>
    %b0 = nn.get_parameter @"hidden/bias" : tensor<5xf32>
    %k1 = nn.get_parameter @"kind/kernel" : tensor<5x4xf32>
    %b1 = nn.get_parameter @"kind/bias" : tensor<4xf32>
    %h = nn.dense %x, %k0 bias %b0 activation = relu : tensor<?x3xf32>, tensor<3x5xf32>, tensor<5xf32> -> tensor<?x5xf32> loc("hidden")
    %d = nn.dropout %h {rate = 0.5, stream = 7 : i32} : tensor<?x5xf32> loc("drop")
    %y = nn.dense %d, %k1 bias %b1 activation = softmax : tensor<?x5xf32>, tensor<5x4xf32>, tensor<4xf32> -> tensor<?x4xf32> loc("kind")
    nn.return %y : tensor<?x4xf32>
  }
  nn.compile @mlp {
    nn.loss "sparse_categorical_crossentropy" of "kind" target tensor<?x1xi32> {weight = 1.0}
    nn.metric "sparse_categorical_accuracy" of "kind" {name = "accuracy", weighted = false}
    nn.optimizer "adam" {learning_rate = 0.001, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1.0e-07}
  }
}
