// Loops over the rows that a mask selects: packed products, outputs in the place of sequences, rows that come and go, weight gradients.
// RUN: belfry-host-check %s --batch=0,1,2,5,37 --towers=1,2 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}

// A layer of two gates, forward and back, as differentiation makes it.
func.func @layer(%x: tensor<?x6x3xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                 %m: tensor<?x6xi1> {nn.role = #nn.role<input>, nn.name = "m"},
                 %w: tensor<3x10xf32> {nn.role = #nn.role<parameter>, nn.name = "w"},
                 %u: tensor<5x10xf32> {nn.role = #nn.role<parameter>, nn.name = "u"},
                 %b: tensor<10xf32> {nn.role = #nn.role<parameter>, nn.name = "b"})
    -> (tensor<?x5xf32> {nn.role = #nn.role<output>, nn.name = "h"},
        tensor<?x6x5xf32> {nn.role = #nn.role<output>, nn.name = "ys"},
        tensor<?x6x3xf32> {nn.role = #nn.role<output>, nn.name = "dx"},
        tensor<3x10xf32> {nn.role = #nn.role<gradient>, nn.name = "dw"},
        tensor<5x10xf32> {nn.role = #nn.role<gradient>, nn.name = "du"},
        tensor<10xf32> {nn.role = #nn.role<gradient>, nn.name = "db"}) {
  %z = nn.constant dense<0.0> : tensor<f32>
  %xt = nn.transpose %x perm = [1, 0, 2] : tensor<?x6x3xf32> -> tensor<6x?x3xf32>
  %mt = nn.transpose %m perm = [1, 0] : tensor<?x6xi1> -> tensor<6x?xi1>
  %p = nn.dot %xt, %w contract = [2] * [0] : tensor<6x?x3xf32>, tensor<3x10xf32> -> tensor<6x?x10xf32>
  %bb = nn.broadcast %b dims = [2] like %p : tensor<10xf32>, tensor<6x?x10xf32> -> tensor<6x?x10xf32>
  %s = nn.binary add %p, %bb : tensor<6x?x10xf32>
  %f = nn.slice %x start = [0, 0, 0] limit = [-1, 1, 1] stride = [1, 1, 1] : tensor<?x6x3xf32> -> tensor<?x1x1xf32>
  %f0 = nn.reshape %f : tensor<?x1x1xf32> -> tensor<?xf32>
  %h0 = nn.broadcast %f0 dims = [0] : tensor<?xf32> -> tensor<?x5xf32>
  %h, %ys, %gs, %cs, %old = nn.scan carry(%h0) sequences(%s) closed(%u) mask(%mt) {
  ^bb0(%a: tensor<?x5xf32>, %t: tensor<?x10xf32>, %k: tensor<5x10xf32>):
    %d = nn.dot %a, %k contract = [1] * [0] : tensor<?x5xf32>, tensor<5x10xf32> -> tensor<?x10xf32>
    %q = nn.binary add %t, %d : tensor<?x10xf32>
    %q0 = nn.slice %q start = [0, 0] limit = [-1, 5] stride = [1, 1] : tensor<?x10xf32> -> tensor<?x5xf32>
    %q1 = nn.slice %q start = [0, 5] limit = [-1, 10] stride = [1, 1] : tensor<?x10xf32> -> tensor<?x5xf32>
    %g = nn.unary sigmoid %q0 : tensor<?x5xf32>
    %c = nn.unary tanh %q1 : tensor<?x5xf32>
    %gc = nn.binary mul %g, %c : tensor<?x5xf32>
    %n = nn.binary add %gc, %a : tensor<?x5xf32>
    nn.yield carry(%n) outputs(%n, %g, %c, %a) : tensor<?x5xf32> outputs tensor<?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>
  } : (tensor<?x5xf32>, tensor<6x?x10xf32>, tensor<5x10xf32>, tensor<6x?xi1>)
    -> (tensor<?x5xf32>, tensor<6x?x5xf32>, tensor<6x?x5xf32>, tensor<6x?x5xf32>, tensor<6x?x5xf32>)
  %dh0 = nn.broadcast %z dims = [] like %h0 : tensor<f32>, tensor<?x5xf32> -> tensor<?x5xf32>
  %dh, %dz = nn.scan carry(%dh0) sequences(%ys, %gs, %cs) closed(%u) mask(%mt) reverse {
  ^bb0(%a: tensor<?x5xf32>, %y: tensor<?x5xf32>, %g: tensor<?x5xf32>, %c: tensor<?x5xf32>, %k: tensor<5x10xf32>):
    %t = nn.binary add %a, %y : tensor<?x5xf32>
    %dg = nn.binary mul %t, %c : tensor<?x5xf32>
    %dc = nn.binary mul %t, %g : tensor<?x5xf32>
    %j = nn.concat %dg, %dc dim = 1 : tensor<?x5xf32>, tensor<?x5xf32> -> tensor<?x10xf32>
    %d = nn.dot %j, %k contract = [1] * [1] : tensor<?x10xf32>, tensor<5x10xf32> -> tensor<?x5xf32>
    nn.yield carry(%d) outputs(%j) : tensor<?x5xf32> outputs tensor<?x10xf32>
  } : (tensor<?x5xf32>, tensor<6x?x5xf32>, tensor<6x?x5xf32>, tensor<6x?x5xf32>, tensor<5x10xf32>, tensor<6x?xi1>) -> (tensor<?x5xf32>, tensor<6x?x10xf32>)
  %du = nn.dot %old, %dz contract = [0, 1] * [0, 1] : tensor<6x?x5xf32>, tensor<6x?x10xf32> -> tensor<5x10xf32>
  %dw = nn.dot %xt, %dz contract = [0, 1] * [0, 1] : tensor<6x?x3xf32>, tensor<6x?x10xf32> -> tensor<3x10xf32>
  %db = nn.reduce sum %dz dims = [0, 1] : tensor<6x?x10xf32> -> tensor<10xf32>
  %dx = nn.dot %dz, %w contract = [2] * [1] : tensor<6x?x10xf32>, tensor<3x10xf32> -> tensor<6x?x3xf32>
  %yt = nn.transpose %ys perm = [1, 0, 2] : tensor<6x?x5xf32> -> tensor<?x6x5xf32>
  %dxt = nn.transpose %dx perm = [1, 0, 2] : tensor<6x?x3xf32> -> tensor<?x6x3xf32>
  return %h, %yt, %dxt, %dw, %du, %db : tensor<?x5xf32>, tensor<?x6x5xf32>, tensor<?x6x3xf32>, tensor<3x10xf32>, tensor<5x10xf32>, tensor<10xf32>
}

// A closed value that has rows; a loop over steps that has a value of its own for each row.
func.func @closed(%x: tensor<?x4x2xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                  %m: tensor<?x4xi1> {nn.role = #nn.role<input>, nn.name = "m"},
                  %k: tensor<?x2xf32> {nn.role = #nn.role<input>, nn.name = "k"})
    -> (tensor<?x2xf32> {nn.role = #nn.role<output>, nn.name = "h"},
        tensor<?x4x2xf32> {nn.role = #nn.role<output>, nn.name = "ys"}) {
  %o:2 = tower.replicate towers = 2 slicing = balanced -> tensor<?x2xf32>, tensor<?x4x2xf32> {
    %xs = tower.slice %x dim = 0 : tensor<?x4x2xf32>
    %ms = tower.slice %m dim = 0 : tensor<?x4xi1>
    %ks = tower.slice %k dim = 0 : tensor<?x2xf32>
    %xt = nn.transpose %xs perm = [1, 0, 2] : tensor<?x4x2xf32> -> tensor<4x?x2xf32>
    %mt = nn.transpose %ms perm = [1, 0] : tensor<?x4xi1> -> tensor<4x?xi1>
    %h, %ys = nn.scan carry(%ks) sequences(%xt) closed(%ks) mask(%mt) {
    ^bb0(%a: tensor<?x2xf32>, %t: tensor<?x2xf32>, %c: tensor<?x2xf32>):
      %n = nn.binary mul %a, %c : tensor<?x2xf32>
      %y = nn.binary add %n, %t : tensor<?x2xf32>
      nn.yield carry(%y) outputs(%y) : tensor<?x2xf32> outputs tensor<?x2xf32>
    } : (tensor<?x2xf32>, tensor<4x?x2xf32>, tensor<?x2xf32>, tensor<4x?xi1>) -> (tensor<?x2xf32>, tensor<4x?x2xf32>)
    %yt = nn.transpose %ys perm = [1, 0, 2] : tensor<4x?x2xf32> -> tensor<?x4x2xf32>
    tower.yield %h, %yt concat = [0, 0] : tensor<?x2xf32>, tensor<?x4x2xf32>
  }
  return %o#0, %o#1 : tensor<?x2xf32>, tensor<?x4x2xf32>
}

func.func @rows(%x: tensor<?x5x4xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                %m: tensor<?x5xi1> {nn.role = #nn.role<input>, nn.name = "m"},
                %w: tensor<4x2xf32> {nn.role = #nn.role<parameter>, nn.name = "w"})
    -> (tensor<?x5x2xf32> {nn.role = #nn.role<output>, nn.name = "y"}) {
  %t = nn.transpose %x perm = [1, 0, 2] : tensor<?x5x4xf32> -> tensor<5x?x4xf32>
  %mt = nn.transpose %m perm = [1, 0] : tensor<?x5xi1> -> tensor<5x?xi1>
  %p = nn.pack_steps %t mask %mt : tensor<5x?x4xf32>, tensor<5x?xi1> -> tensor<?x4xf32>
  %q = nn.dot %p, %w contract = [1] * [0] : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32>
  %s = nn.unpack_steps %q mask %mt : tensor<?x2xf32>, tensor<5x?xi1> -> tensor<5x?x2xf32>
  %y = nn.transpose %s perm = [1, 0, 2] : tensor<5x?x2xf32> -> tensor<?x5x2xf32>
  return %y : tensor<?x5x2xf32>
}
