// A classifier that takes its input with both axes changed over.
module attributes {nn.keras_version = "3.15.1",
    nn.layers = [{name = "turned", class = "Permute", output_shape = array<i64: -1, 36, 40>, parameters = 0 : i64},
                 {name = "flat", class = "Flatten", output_shape = array<i64: -1, 1440>, parameters = 0 : i64},
                 {name = "hidden", class = "Dense", output_shape = array<i64: -1, 5>, parameters = 7205 : i64},
                 {name = "drop", class = "Dropout", output_shape = array<i64: -1, 5>, parameters = 0 : i64},
                 {name = "kind", class = "Dense", output_shape = array<i64: -1, 4>, parameters = 24 : i64}]} {
  nn.parameter @"hidden/kernel" : tensor<1440x5xf32> {path = "layers/dense/vars/0", layer = "hidden", trainable = true, stream = 1 : i32, initializer = {name = "glorot_uniform"}}
  nn.parameter @"hidden/bias" : tensor<5xf32> {path = "layers/dense/vars/1", layer = "hidden", trainable = true, stream = 2 : i32, initializer = {name = "zeros"}}
  nn.parameter @"kind/kernel" : tensor<5x4xf32> {path = "layers/dense_1/vars/0", layer = "kind", trainable = true, stream = 3 : i32, initializer = {name = "glorot_uniform"}}
  nn.parameter @"kind/bias" : tensor<4xf32> {path = "layers/dense_1/vars/1", layer = "kind", trainable = true, stream = 4 : i32, initializer = {name = "zeros"}}
  nn.model @turned(%x: tensor<?x40x36xf32> {nn.name = "x"}) -> (tensor<?x4xf32> {nn.name = "kind"}) {
    %k0 = nn.get_parameter @"hidden/kernel" : tensor<1440x5xf32>
    %b0 = nn.get_parameter @"hidden/bias" : tensor<5xf32>
    %k1 = nn.get_parameter @"kind/kernel" : tensor<5x4xf32>
    %b1 = nn.get_parameter @"kind/bias" : tensor<4xf32>
    %t = nn.transpose %x perm = [0, 2, 1] : tensor<?x40x36xf32> -> tensor<?x36x40xf32> loc("turned")
    %f = nn.flatten %t : tensor<?x36x40xf32> -> tensor<?x1440xf32> loc("flat")
    %h = nn.dense %f, %k0 bias %b0 activation = relu : tensor<?x1440xf32>, tensor<1440x5xf32>, tensor<5xf32> -> tensor<?x5xf32> loc("hidden")
    %d = nn.dropout %h {rate = 0.5, stream = 7 : i32} : tensor<?x5xf32> loc("drop")
    %y = nn.dense %d, %k1 bias %b1 activation = softmax : tensor<?x5xf32>, tensor<5x4xf32>, tensor<4xf32> -> tensor<?x4xf32> loc("kind")
    nn.return %y : tensor<?x4xf32>
  }
  nn.compile @turned {
    nn.loss "sparse_categorical_crossentropy" of "kind" target tensor<?x1xi32> {weight = 1.0}
    nn.metric "sparse_categorical_accuracy" of "kind" {name = "accuracy", weighted = false}
    nn.optimizer "adam" {learning_rate = 0.001, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1.0e-07}
  }
}
