// After a loop over the rows that a mask selects: a dense layer, softmax, loss, metric and gradients for those rows alone.
// RUN: belfry-host-check %s --batch=0,1,2,5,37 --towers=1,2 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}

func.func @tail(%x: tensor<?x6x5xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                %m: tensor<?x6xi1> {nn.role = #nn.role<input>, nn.name = "m"},
                %y: tensor<?x6x3xf32> {nn.role = #nn.role<input>, nn.name = "y"},
                %k: tensor<?x6xf32> {nn.role = #nn.role<input>, nn.name = "k"},
                %w: tensor<5x3xf32> {nn.role = #nn.role<parameter>, nn.name = "w"},
                %b: tensor<3xf32> {nn.role = #nn.role<parameter>, nn.name = "b"})
    -> (tensor<1xf32> {nn.role = #nn.role<gradient>, nn.name = "loss"},
        tensor<1xf32> {nn.role = #nn.role<gradient>, nn.name = "hits"},
        tensor<1xf32> {nn.role = #nn.role<gradient>, nn.name = "count"},
        tensor<5x3xf32> {nn.role = #nn.role<gradient>, nn.name = "dw"},
        tensor<3xf32> {nn.role = #nn.role<gradient>, nn.name = "db"},
        tensor<?x6x5xf32> {nn.role = #nn.role<output>, nn.name = "dx"}) {
  %0 = nn.constant dense<0.0> : tensor<f32>
  %1 = nn.constant dense<1.0> : tensor<f32>
  %xt = nn.transpose %x perm = [1, 0, 2] : tensor<?x6x5xf32> -> tensor<6x?x5xf32>
  %mt = nn.transpose %m perm = [1, 0] : tensor<?x6xi1> -> tensor<6x?xi1>
  %h0 = nn.broadcast %0 dims = [] like %x : tensor<f32>, tensor<?x6x5xf32> -> tensor<?x5xf32>
  %h, %o = nn.scan carry(%h0) sequences(%xt) mask(%mt) {
  ^bb0(%a: tensor<?x5xf32>, %t: tensor<?x5xf32>):
    %s = nn.binary add %a, %t : tensor<?x5xf32>
    %n = nn.unary tanh %s : tensor<?x5xf32>
    nn.yield carry(%n) outputs(%n) : tensor<?x5xf32> outputs tensor<?x5xf32>
  } : (tensor<?x5xf32>, tensor<6x?x5xf32>, tensor<6x?xi1>) -> (tensor<?x5xf32>, tensor<6x?x5xf32>)
  %ob = nn.transpose %o perm = [1, 0, 2] : tensor<6x?x5xf32> -> tensor<?x6x5xf32>
  %d = nn.dot %ob, %w contract = [2] * [0] : tensor<?x6x5xf32>, tensor<5x3xf32> -> tensor<?x6x3xf32>
  %bb = nn.broadcast %b dims = [2] like %d : tensor<3xf32>, tensor<?x6x3xf32> -> tensor<?x6x3xf32>
  %z = nn.binary add %d, %bb : tensor<?x6x3xf32>
  %top = nn.reduce max %z dims = [2] : tensor<?x6x3xf32> -> tensor<?x6xf32>
  %topb = nn.broadcast %top dims = [0, 1] : tensor<?x6xf32> -> tensor<?x6x3xf32>
  %low = nn.binary sub %z, %topb : tensor<?x6x3xf32>
  %e = nn.unary exp %low : tensor<?x6x3xf32>
  %es = nn.reduce sum %e dims = [2] : tensor<?x6x3xf32> -> tensor<?x6xf32>
  %esb = nn.broadcast %es dims = [0, 1] : tensor<?x6xf32> -> tensor<?x6x3xf32>
  %p = nn.binary div %e, %esb : tensor<?x6x3xf32>
  %off = nn.binary sub %p, %y : tensor<?x6x3xf32>
  %sq = nn.binary mul %off, %off : tensor<?x6x3xf32>
  %ls = nn.reduce sum %sq dims = [2] : tensor<?x6x3xf32> -> tensor<?x6xf32>
  %lk = nn.binary mul %ls, %k : tensor<?x6xf32>
  %zeros = nn.broadcast %0 dims = [] like %x : tensor<f32>, tensor<?x6x5xf32> -> tensor<?x6xf32>
  %ones = nn.broadcast %1 dims = [] like %x : tensor<f32>, tensor<?x6x5xf32> -> tensor<?x6xf32>
  %lm = nn.select %m, %lk, %zeros : tensor<?x6xf32>
  %loss = nn.reduce sum %lm dims = [0, 1] : tensor<?x6xf32> -> tensor<f32>
  %ip = nn.argmax %p dim = 2 : tensor<?x6x3xf32> -> tensor<?x6xi32>
  %iy = nn.argmax %y dim = 2 : tensor<?x6x3xf32> -> tensor<?x6xi32>
  %eq = nn.compare eq %ip, %iy : tensor<?x6xi32>
  %hit = nn.convert %eq : tensor<?x6xi1> -> tensor<?x6xf32>
  %mf = nn.convert %m : tensor<?x6xi1> -> tensor<?x6xf32>
  %hm = nn.binary mul %hit, %mf : tensor<?x6xf32>
  %hits = nn.reduce sum %hm dims = [0, 1] : tensor<?x6xf32> -> tensor<f32>
  %count = nn.reduce sum %mf dims = [0, 1] : tensor<?x6xf32> -> tensor<f32>
  %gm = nn.select %m, %ones, %zeros : tensor<?x6xf32>
  %gk = nn.binary mul %gm, %k : tensor<?x6xf32>
  %gb = nn.broadcast %gk dims = [0, 1] : tensor<?x6xf32> -> tensor<?x6x3xf32>
  %g = nn.binary mul %gb, %off : tensor<?x6x3xf32>
  %gf = nn.reshape %g : tensor<?x6x3xf32> -> tensor<?x3xf32>
  %db = nn.reduce sum %gf dims = [0] : tensor<?x3xf32> -> tensor<3xf32>
  %of = nn.reshape %ob : tensor<?x6x5xf32> -> tensor<?x5xf32>
  %dw = nn.dot %of, %gf contract = [0] * [0] : tensor<?x5xf32>, tensor<?x3xf32> -> tensor<5x3xf32>
  %do = nn.dot %g, %w contract = [2] * [1] : tensor<?x6x3xf32>, tensor<5x3xf32> -> tensor<?x6x5xf32>
  %dot = nn.transpose %do perm = [1, 0, 2] : tensor<?x6x5xf32> -> tensor<6x?x5xf32>
  %dh, %dx = nn.scan carry(%h0) sequences(%dot, %o) mask(%mt) reverse {
  ^bb0(%a: tensor<?x5xf32>, %t: tensor<?x5xf32>, %q: tensor<?x5xf32>):
    %s = nn.binary add %a, %t : tensor<?x5xf32>
    %n = nn.binary mul %s, %q : tensor<?x5xf32>
    nn.yield carry(%n) outputs(%n) : tensor<?x5xf32> outputs tensor<?x5xf32>
  } : (tensor<?x5xf32>, tensor<6x?x5xf32>, tensor<6x?x5xf32>, tensor<6x?xi1>) -> (tensor<?x5xf32>, tensor<6x?x5xf32>)
  %dxb = nn.transpose %dx perm = [1, 0, 2] : tensor<6x?x5xf32> -> tensor<?x6x5xf32>
  %l1 = nn.reshape %loss : tensor<f32> -> tensor<1xf32>
  %n1 = nn.reshape %hits : tensor<f32> -> tensor<1xf32>
  %c1 = nn.reshape %count : tensor<f32> -> tensor<1xf32>
  return %l1, %n1, %c1, %dw, %db, %dxb : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<5x3xf32>, tensor<3xf32>, tensor<?x6x5xf32>
}
