// Loops over time: forward, reverse, masked; carried values that are swapped, kept and read late.
// RUN: belfry-host-check %s --batch=0,1,5 --towers=1,2 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}

func.func @rnn(%x: tensor<?x6x4xf32> {nn.role = #nn.role<input>, nn.name = "x"},
               %m: tensor<?x6xi1> {nn.role = #nn.role<input>, nn.name = "m"},
               %r: tensor<4x4xf32> {nn.role = #nn.role<parameter>, nn.name = "r"})
    -> (tensor<?x4xf32> {nn.role = #nn.role<output>, nn.name = "h"},
        tensor<?x6x4xf32> {nn.role = #nn.role<output>, nn.name = "ys"}) {
  %o:2 = tower.replicate towers = 2 slicing = balanced -> tensor<?x4xf32>, tensor<?x6x4xf32> {
    %xs = tower.slice %x dim = 0 : tensor<?x6x4xf32>
    %ms = tower.slice %m dim = 0 : tensor<?x6xi1>
    %t = nn.transpose %xs perm = [1, 0, 2] : tensor<?x6x4xf32> -> tensor<6x?x4xf32>
    %mt = nn.transpose %ms perm = [1, 0] : tensor<?x6xi1> -> tensor<6x?xi1>
    %z = nn.constant dense<0.0> : tensor<f32>
    %f = nn.slice %xs start = [0, 0, 0] limit = [-1, 1, 4] stride = [1, 1, 1] : tensor<?x6x4xf32> -> tensor<?x1x4xf32>
    %f0 = nn.reshape %f : tensor<?x1x4xf32> -> tensor<?x4xf32>
    %h0 = nn.broadcast %z dims = [] like %f0 : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %h, %ys = nn.scan carry(%h0) sequences(%t) closed(%r) mask(%mt) reverse {
    ^bb0(%h_in: tensor<?x4xf32>, %xt: tensor<?x4xf32>, %w: tensor<4x4xf32>):
      %d = nn.dot %h_in, %w contract = [1] * [0] : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
      %s = nn.binary add %xt, %d : tensor<?x4xf32>
      %y = nn.unary tanh %s : tensor<?x4xf32>
      nn.yield carry(%y) outputs(%y) : tensor<?x4xf32> outputs tensor<?x4xf32>
    } : (tensor<?x4xf32>, tensor<6x?x4xf32>, tensor<4x4xf32>, tensor<6x?xi1>) -> (tensor<?x4xf32>, tensor<6x?x4xf32>)
    %yt = nn.transpose %ys perm = [1, 0, 2] : tensor<6x?x4xf32> -> tensor<?x6x4xf32>
    tower.yield %h, %yt concat = [0, 0] : tensor<?x4xf32>, tensor<?x6x4xf32>
  }
  return %o#0, %o#1 : tensor<?x4xf32>, tensor<?x6x4xf32>
}

func.func @carried(%a0: tensor<?x3xf32> {nn.role = #nn.role<input>, nn.name = "a"},
                   %b0: tensor<?x3xf32> {nn.role = #nn.role<input>, nn.name = "b"},
                   %c0: tensor<?x3xf32> {nn.role = #nn.role<input>, nn.name = "c"})
    -> (tensor<?x3xf32> {nn.role = #nn.role<output>, nn.name = "a1"},
        tensor<?x3xf32> {nn.role = #nn.role<output>, nn.name = "b1"},
        tensor<?x3xf32> {nn.role = #nn.role<output>, nn.name = "c1"},
        tensor<5x?x3xf32> {nn.role = #nn.role<gradient>, nn.name = "olds"},
        tensor<5x?x9xf32> {nn.role = #nn.role<gradient>, nn.name = "cats"}) {
  // a and b change places, c sums a reversed copy of itself; old values go out.
  %a, %b, %c, %olds, %cats = nn.scan carry(%a0, %b0, %c0) length = 5 {
  ^bb0(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>, %s: tensor<?x3xf32>):
    %n = nn.binary add %s, %x : tensor<?x3xf32>
    %q = nn.reverse %s dims = [1] : tensor<?x3xf32>
    %n2 = nn.binary mul %n, %n : tensor<?x3xf32>
    %u = nn.binary sub %n2, %q : tensor<?x3xf32>
    %v = nn.unary tanh %u : tensor<?x3xf32>
    %k = nn.concat %v, %x, %q dim = 1 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x9xf32>
    nn.yield carry(%y, %x, %v) outputs(%s, %k) : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32> outputs tensor<?x3xf32>, tensor<?x9xf32>
  } : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>)
    -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<5x?x3xf32>, tensor<5x?x9xf32>)
  return %a, %b, %c, %olds, %cats : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<5x?x3xf32>, tensor<5x?x9xf32>
}
