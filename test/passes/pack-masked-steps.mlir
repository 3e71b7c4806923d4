// RUN: belfry-opt %s --pack-masked-steps --cse | FileCheck %s

// The product before the loop, the loop and the sums after it have the rows
// that the mask selects; what needs all steps gets them with zeros.

// CHECK-LABEL: func.func @layer
// CHECK-DAG: %[[XP:.*]] = nn.pack_steps %[[X:.*]] mask %[[M:.*]] : tensor<5x?x3xf32>, tensor<5x?xi1> -> tensor<?x3xf32>
// CHECK-DAG: %[[P:.*]] = nn.dot %[[XP]], %{{.*}} contract = [1] * [0] : tensor<?x3xf32>, tensor<3x4xf32> -> tensor<?x4xf32>
// CHECK-DAG: %[[PS:.*]] = nn.unpack_steps %[[P]] mask %[[M]] : tensor<?x4xf32>, tensor<5x?xi1> -> tensor<5x?x4xf32>
// CHECK: %{{.*}}, %[[O:.*]] = nn.scan carry(%{{.*}}) sequences(%[[PS]]) mask(%[[M]])
// CHECK: %[[OP:.*]] = nn.pack_steps %[[O]] mask %[[M]]
// CHECK: %[[OS:.*]] = nn.unpack_steps %[[OP]] mask %[[M]]
// CHECK: nn.reduce sum %[[OP]] dims = [0] : tensor<?x4xf32> -> tensor<4xf32>
// CHECK: nn.dot %[[XP]], %[[OP]] contract = [0] * [0] : tensor<?x3xf32>, tensor<?x4xf32> -> tensor<3x4xf32>
// CHECK: %[[D:.*]] = nn.dot %[[OP]], %{{.*}} contract = [1] * [1] : tensor<?x4xf32>, tensor<3x4xf32> -> tensor<?x3xf32>
// CHECK: %[[DS:.*]] = nn.unpack_steps %[[D]] mask %[[M]]
// CHECK: return %[[OS]], %{{.*}}, %{{.*}}, %[[DS]]
func.func @layer(%h: tensor<?x4xf32>, %x: tensor<5x?x3xf32>, %w: tensor<3x4xf32>, %m: tensor<5x?xi1>)
    -> (tensor<5x?x4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<5x?x3xf32>) attributes {belfry.function = "f"} {
  %p = nn.dot %x, %w contract = [2] * [0] : tensor<5x?x3xf32>, tensor<3x4xf32> -> tensor<5x?x4xf32>
  %f, %o = nn.scan carry(%h) sequences(%p) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %y = nn.binary add %a, %b : tensor<?x4xf32>
    nn.yield carry(%y) outputs(%y) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  %s = nn.reduce sum %o dims = [0, 1] : tensor<5x?x4xf32> -> tensor<4xf32>
  %g = nn.dot %x, %o contract = [0, 1] * [0, 1] : tensor<5x?x3xf32>, tensor<5x?x4xf32> -> tensor<3x4xf32>
  %d = nn.dot %o, %w contract = [2] * [1] : tensor<5x?x4xf32>, tensor<3x4xf32> -> tensor<5x?x3xf32>
  return %o, %s, %g, %d : tensor<5x?x4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<5x?x3xf32>
}

// What mixes rows needs them all.

// CHECK-LABEL: func.func @mixes
// CHECK-NOT: nn.pack_steps
func.func @mixes(%h: tensor<?x4xf32>, %x: tensor<5x?x4xf32>, %m: tensor<5x?xi1>) -> tensor<?x4xf32> attributes {belfry.function = "g"} {
  %f = nn.scan carry(%h) sequences(%x) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %s = nn.reduce sum %b dims = [0] : tensor<?x4xf32> -> tensor<4xf32>
    %c = nn.broadcast %s dims = [1] like %a : tensor<4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %y = nn.binary add %a, %c : tensor<?x4xf32>
    nn.yield carry(%y) : tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> tensor<?x4xf32>
  %i = nn.scan carry(%h) sequences(%x) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %c = nn.reverse %b dims = [0] : tensor<?x4xf32>
    %y = nn.binary add %a, %c : tensor<?x4xf32>
    nn.yield carry(%y) : tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> tensor<?x4xf32>
  %r = nn.binary add %f, %i : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// Between two masked layers: what holds the last output while the mask does not
// select, dropout and the gradients of both are for the selected rows. Only the
// draws are by batch and time.

// CHECK-LABEL: func.func @between
// CHECK: %[[C:.*]] = nn.compare ge
// CHECK-NOT: nn.scan
// CHECK: %[[CT:.*]] = nn.transpose %[[C]] perm = [1, 0, 2]
// CHECK: %[[CP:.*]] = nn.pack_steps %[[CT]]
// CHECK: nn.select %[[CP]], %{{.*}}, %{{.*}} : tensor<?x4xf32>
// CHECK: %{{.*}}, %[[O:.*]] = nn.scan
// CHECK-SAME: mask(
// CHECK: nn.pack_steps %[[O]]
// CHECK-NOT: nn.scan
// CHECK: %[[G:.*]] = nn.select %[[CP]], %{{.*}}, %{{.*}} : tensor<?x4xf32>
// CHECK: %[[D:.*]] = nn.binary mul %[[G]],
// CHECK: nn.dot %{{.*}}, %[[D]] contract = [0] * [0]
func.func @between(%h: tensor<?x4xf32>, %q: tensor<?x4xf32>, %x: tensor<5x?x3xf32>, %w: tensor<4x4xf32>, %m: tensor<5x?xi1>, %seed: tensor<2xi32>, %step: tensor<i32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {belfry.function = "f"} {
  %0 = nn.constant dense<0.000000e+00> : tensor<f32>
  %two = nn.constant dense<2.000000e+00> : tensor<f32>
  %z = nn.broadcast %0 dims = [] like %h : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %s = nn.unpack_steps %q mask %m : tensor<?x4xf32>, tensor<5x?xi1> -> tensor<5x?x4xf32>
  %hf, %ho = nn.scan carry(%z) sequences(%s, %m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %k: tensor<?xi1>):
    %kb = nn.broadcast %k dims = [0] : tensor<?xi1> -> tensor<?x4xi1>
    %y = nn.select %kb, %b, %a : tensor<?x4xf32>
    nn.yield carry(%y) outputs(%y) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  %bt = nn.transpose %ho perm = [1, 0, 2] : tensor<5x?x4xf32> -> tensor<?x5x4xf32>
  %half = nn.broadcast %0 dims = [] like %bt : tensor<f32>, tensor<?x5x4xf32> -> tensor<?x5x4xf32>
  %r = nn.random uniform seed %seed step %step stream = 7 like %h : tensor<?x4xf32> -> tensor<?x5x4xf32>
  %c = nn.compare ge %r, %half : tensor<?x5x4xf32>
  %f2 = nn.broadcast %two dims = [] like %bt : tensor<f32>, tensor<?x5x4xf32> -> tensor<?x5x4xf32>
  %mul = nn.binary mul %bt, %f2 : tensor<?x5x4xf32>
  %d = nn.select %c, %mul, %half : tensor<?x5x4xf32>
  %tb = nn.transpose %d perm = [1, 0, 2] : tensor<?x5x4xf32> -> tensor<5x?x4xf32>
  %f, %o = nn.scan carry(%h) sequences(%tb) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %y = nn.binary add %a, %b : tensor<?x4xf32>
    nn.yield carry(%y) outputs(%y) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  %g1 = nn.dot %tb, %o contract = [0, 1] * [0, 1] : tensor<5x?x4xf32>, tensor<5x?x4xf32> -> tensor<4x4xf32>
  %dx = nn.dot %o, %w contract = [2] * [1] : tensor<5x?x4xf32>, tensor<4x4xf32> -> tensor<5x?x4xf32>
  %dt = nn.transpose %dx perm = [1, 0, 2] : tensor<5x?x4xf32> -> tensor<?x5x4xf32>
  %sel = nn.select %c, %dt, %half : tensor<?x5x4xf32>
  %sm = nn.binary mul %sel, %f2 : tensor<?x5x4xf32>
  %back = nn.transpose %sm perm = [1, 0, 2] : tensor<?x5x4xf32> -> tensor<5x?x4xf32>
  %bf, %bo = nn.scan carry(%z) sequences(%back, %m) reverse {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %k: tensor<?xi1>):
    %n = nn.constant dense<0.000000e+00> : tensor<f32>
    %kb = nn.broadcast %k dims = [0] : tensor<?xi1> -> tensor<?x4xi1>
    %y = nn.binary add %a, %b : tensor<?x4xf32>
    %nb = nn.broadcast %n dims = [] like %y : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %out = nn.select %kb, %y, %nb : tensor<?x4xf32>
    %on = nn.select %kb, %nb, %y : tensor<?x4xf32>
    nn.yield carry(%on) outputs(%out) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  %gp = nn.pack_steps %bo mask %m : tensor<5x?x4xf32>, tensor<5x?xi1> -> tensor<?x4xf32>
  %g2 = nn.dot %q, %gp contract = [0] * [0] : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<4x4xf32>
  return %g1, %g2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// What comes in at masked steps is handed to the step before them.

// CHECK-LABEL: func.func @comes_in
// CHECK: %{{.*}}, %[[O:.*]] = nn.scan
// CHECK: nn.pack_steps %[[O]]
func.func @comes_in(%x: tensor<5x?x4xf32>, %m: tensor<5x?xi1>) -> tensor<?x4xf32> attributes {belfry.function = "h"} {
  %0 = nn.constant dense<0.000000e+00> : tensor<f32>
  %z = nn.broadcast %0 dims = [] like %x : tensor<f32>, tensor<5x?x4xf32> -> tensor<?x4xf32>
  %bf, %bo = nn.scan carry(%z) sequences(%x, %m) reverse {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %k: tensor<?xi1>):
    %n = nn.constant dense<0.000000e+00> : tensor<f32>
    %kb = nn.broadcast %k dims = [0] : tensor<?xi1> -> tensor<?x4xi1>
    %y = nn.binary add %a, %b : tensor<?x4xf32>
    %nb = nn.broadcast %n dims = [] like %y : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %out = nn.select %kb, %y, %nb : tensor<?x4xf32>
    %on = nn.select %kb, %nb, %y : tensor<?x4xf32>
    nn.yield carry(%on) outputs(%out) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  %f, %gp = nn.scan carry(%z) sequences(%bo) mask(%m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>):
    %y = nn.binary add %a, %b : tensor<?x4xf32>
    nn.yield carry(%y) outputs(%y) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  return %f : tensor<?x4xf32>
}

// After the last masked layer: dense layers with a row a step, the loss and
// their gradients are for the rows that the loss does not ignore, and the
// gradient reaches the layer as it is. The products have packed rows, the sums
// are over them.

// CHECK-LABEL: func.func @after
// CHECK-NOT: nn.scan
// CHECK-NOT: tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x5
// CHECK: %[[Y:.*]] = nn.dot %[[Q:arg[0-9]+]], %{{.*}} contract = [1] * [0] : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32>
// CHECK-NOT: nn.scan
// CHECK-NOT: nn.unpack_steps
// CHECK: %[[TP:.*]] = nn.pack_steps %{{.*}} : tensor<5x?x2xf32>
// CHECK: nn.binary sub %[[Y]], %[[TP]] : tensor<?x2xf32>
// CHECK: nn.reduce sum %{{.*}} dims = [1] : tensor<?x2xf32> -> tensor<?xf32>
// CHECK: nn.reduce sum %{{.*}} dims = [0] : tensor<?xf32> -> tensor<f32>
// CHECK: %[[G:.*]] = nn.binary mul %{{.*}} : tensor<?x2xf32>
// CHECK: nn.reduce sum %[[G]] dims = [0] : tensor<?x2xf32> -> tensor<2xf32>
// CHECK: nn.dot %[[Q]], %[[G]] contract = [0] * [0] : tensor<?x4xf32>, tensor<?x2xf32> -> tensor<4x2xf32>
// CHECK: %[[D:.*]] = nn.dot %[[G]], %{{.*}} contract = [1] * [1] : tensor<?x2xf32>, tensor<4x2xf32> -> tensor<?x4xf32>
// CHECK: nn.dot %[[Q]], %[[D]] contract = [0] * [0]
// CHECK-NOT: nn.scan
// CHECK: return
func.func @after(%h: tensor<?x4xf32>, %q: tensor<?x4xf32>, %w: tensor<4x2xf32>, %mb: tensor<?x5xi1>, %target: tensor<?x5x2xf32>, %weight: tensor<?x5xf32>)
    -> (tensor<f32>, tensor<2xf32>, tensor<4x2xf32>, tensor<4x4xf32>) attributes {belfry.function = "i"} {
  %0 = nn.constant dense<0.000000e+00> : tensor<f32>
  %1 = nn.constant dense<1.000000e+00> : tensor<f32>
  %m = nn.transpose %mb perm = [1, 0] : tensor<?x5xi1> -> tensor<5x?xi1>
  %z = nn.broadcast %0 dims = [] like %h : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %s = nn.unpack_steps %q mask %m : tensor<?x4xf32>, tensor<5x?xi1> -> tensor<5x?x4xf32>
  %hf, %ho = nn.scan carry(%z) sequences(%s, %m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %k: tensor<?xi1>):
    %kb = nn.broadcast %k dims = [0] : tensor<?xi1> -> tensor<?x4xi1>
    %e = nn.select %kb, %b, %a : tensor<?x4xf32>
    nn.yield carry(%e) outputs(%e) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  %bt = nn.transpose %ho perm = [1, 0, 2] : tensor<5x?x4xf32> -> tensor<?x5x4xf32>
  %flat = nn.reshape %bt : tensor<?x5x4xf32> -> tensor<?x4xf32>
  %d = nn.dot %flat, %w contract = [1] * [0] : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32>
  %y = nn.reshape %d : tensor<?x2xf32> -> tensor<?x5x2xf32>
  %off = nn.binary sub %y, %target : tensor<?x5x2xf32>
  %sq = nn.binary mul %off, %off : tensor<?x5x2xf32>
  %l = nn.reduce sum %sq dims = [2] : tensor<?x5x2xf32> -> tensor<?x5xf32>
  %lw = nn.binary mul %l, %weight : tensor<?x5xf32>
  %none = nn.broadcast %0 dims = [] like %y : tensor<f32>, tensor<?x5x2xf32> -> tensor<?x5xf32>
  %lm = nn.select %mb, %lw, %none : tensor<?x5xf32>
  %loss = nn.reduce sum %lm dims = [0, 1] : tensor<?x5xf32> -> tensor<f32>
  %one = nn.broadcast %1 dims = [] like %y : tensor<f32>, tensor<?x5x2xf32> -> tensor<?x5xf32>
  %gm = nn.select %mb, %one, %none : tensor<?x5xf32>
  %gl = nn.binary mul %gm, %weight : tensor<?x5xf32>
  %gl2 = nn.broadcast %gl dims = [0, 1] : tensor<?x5xf32> -> tensor<?x5x2xf32>
  %gy = nn.binary mul %gl2, %off : tensor<?x5x2xf32>
  %gf = nn.reshape %gy : tensor<?x5x2xf32> -> tensor<?x2xf32>
  %gb = nn.reduce sum %gf dims = [0] : tensor<?x2xf32> -> tensor<2xf32>
  %gw = nn.dot %flat, %gf contract = [0] * [0] : tensor<?x4xf32>, tensor<?x2xf32> -> tensor<4x2xf32>
  %gx = nn.dot %gf, %w contract = [1] * [1] : tensor<?x2xf32>, tensor<4x2xf32> -> tensor<?x4xf32>
  %gx3 = nn.reshape %gx : tensor<?x4xf32> -> tensor<?x5x4xf32>
  %back = nn.transpose %gx3 perm = [1, 0, 2] : tensor<?x5x4xf32> -> tensor<5x?x4xf32>
  %bf, %bo = nn.scan carry(%z) sequences(%back, %m) reverse {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %k: tensor<?xi1>):
    %n = nn.constant dense<0.000000e+00> : tensor<f32>
    %kb = nn.broadcast %k dims = [0] : tensor<?xi1> -> tensor<?x4xi1>
    %e = nn.binary add %a, %b : tensor<?x4xf32>
    %nb = nn.broadcast %n dims = [] like %e : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %out = nn.select %kb, %e, %nb : tensor<?x4xf32>
    %on = nn.select %kb, %nb, %e : tensor<?x4xf32>
    nn.yield carry(%on) outputs(%out) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  %gp = nn.pack_steps %bo mask %m : tensor<5x?x4xf32>, tensor<5x?xi1> -> tensor<?x4xf32>
  %gq = nn.dot %q, %gp contract = [0] * [0] : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<4x4xf32>
  return %loss, %gb, %gw, %gq : tensor<f32>, tensor<2xf32>, tensor<4x2xf32>, tensor<4x4xf32>
}

// Where someone sees all steps, or the loss takes them all, they are computed.

// CHECK-LABEL: func.func @seen
// CHECK: %{{.*}}, %[[O:.*]] = nn.scan
// CHECK: nn.dot %{{.*}} : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32>
// CHECK: nn.reduce sum %{{.*}} dims = [0, 1] : tensor<?x5xf32> -> tensor<f32>
// CHECK: %{{.*}}, %[[B:.*]] = nn.scan
// CHECK-SAME: reverse
// CHECK: nn.pack_steps %[[B]]
func.func @seen(%h: tensor<?x4xf32>, %q: tensor<?x4xf32>, %w: tensor<4x2xf32>, %mb: tensor<?x5xi1>, %target: tensor<?x5x2xf32>, %weight: tensor<?x5xf32>)
    -> (tensor<f32>, tensor<2xf32>, tensor<4x2xf32>, tensor<4x4xf32>) attributes {belfry.function = "j"} {
  %0 = nn.constant dense<0.000000e+00> : tensor<f32>
  %1 = nn.constant dense<1.000000e+00> : tensor<f32>
  %m = nn.transpose %mb perm = [1, 0] : tensor<?x5xi1> -> tensor<5x?xi1>
  %z = nn.broadcast %0 dims = [] like %h : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %s = nn.unpack_steps %q mask %m : tensor<?x4xf32>, tensor<5x?xi1> -> tensor<5x?x4xf32>
  %hf, %ho = nn.scan carry(%z) sequences(%s, %m) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %k: tensor<?xi1>):
    %kb = nn.broadcast %k dims = [0] : tensor<?xi1> -> tensor<?x4xi1>
    %e = nn.select %kb, %b, %a : tensor<?x4xf32>
    nn.yield carry(%e) outputs(%e) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  %bt = nn.transpose %ho perm = [1, 0, 2] : tensor<5x?x4xf32> -> tensor<?x5x4xf32>
  %flat = nn.reshape %bt : tensor<?x5x4xf32> -> tensor<?x4xf32>
  %d = nn.dot %flat, %w contract = [1] * [0] : tensor<?x4xf32>, tensor<4x2xf32> -> tensor<?x2xf32>
  %y = nn.reshape %d : tensor<?x2xf32> -> tensor<?x5x2xf32>
  %off = nn.binary sub %y, %target : tensor<?x5x2xf32>
  %sq = nn.binary mul %off, %off : tensor<?x5x2xf32>
  %l = nn.reduce sum %sq dims = [2] : tensor<?x5x2xf32> -> tensor<?x5xf32>
  %lw = nn.binary mul %l, %weight : tensor<?x5xf32>
  %none = nn.broadcast %0 dims = [] like %y : tensor<f32>, tensor<?x5x2xf32> -> tensor<?x5xf32>
  %loss = nn.reduce sum %lw dims = [0, 1] : tensor<?x5xf32> -> tensor<f32>
  %gl2 = nn.broadcast %weight dims = [0, 1] : tensor<?x5xf32> -> tensor<?x5x2xf32>
  %gy = nn.binary mul %gl2, %off : tensor<?x5x2xf32>
  %gf = nn.reshape %gy : tensor<?x5x2xf32> -> tensor<?x2xf32>
  %gb = nn.reduce sum %gf dims = [0] : tensor<?x2xf32> -> tensor<2xf32>
  %gw = nn.dot %flat, %gf contract = [0] * [0] : tensor<?x4xf32>, tensor<?x2xf32> -> tensor<4x2xf32>
  %gx = nn.dot %gf, %w contract = [1] * [1] : tensor<?x2xf32>, tensor<4x2xf32> -> tensor<?x4xf32>
  %gx3 = nn.reshape %gx : tensor<?x4xf32> -> tensor<?x5x4xf32>
  %back = nn.transpose %gx3 perm = [1, 0, 2] : tensor<?x5x4xf32> -> tensor<5x?x4xf32>
  %bf, %bo = nn.scan carry(%z) sequences(%back, %m) reverse {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %k: tensor<?xi1>):
    %n = nn.constant dense<0.000000e+00> : tensor<f32>
    %kb = nn.broadcast %k dims = [0] : tensor<?xi1> -> tensor<?x4xi1>
    %e = nn.binary add %a, %b : tensor<?x4xf32>
    %nb = nn.broadcast %n dims = [] like %e : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %out = nn.select %kb, %e, %nb : tensor<?x4xf32>
    %on = nn.select %kb, %nb, %e : tensor<?x4xf32>
    nn.yield carry(%on) outputs(%out) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?xi1>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  %gp = nn.pack_steps %bo mask %m : tensor<5x?x4xf32>, tensor<5x?xi1> -> tensor<?x4xf32>
  %gq = nn.dot %q, %gp contract = [0] * [0] : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<4x4xf32>
  return %loss, %gb, %gw, %gq : tensor<f32>, tensor<2xf32>, tensor<4x2xf32>, tensor<4x4xf32>
}
