// RUN: belfry-opt %s --split-phases --split-input-file | FileCheck %s

// One exchange: what towers compute from their rows, the sums, then the update,
// once. The parameter's new value has the row of the old one; the sum is stored
// straight to the loss.

// CHECK: belfry.functions = {train = {buffers = [
// CHECK-SAME: kind = "loss"
// CHECK-SAME: bytes = [0, 16], dtype = "f32", index = 0 : i64, kind = "parameter", name = "k", scope = "shared"
// CHECK-SAME: bytes = [16, 0], dtype = "f32", index = 0 : i64, kind = "input", name = "x", scope = "tower"
// CHECK-SAME: schedule = [{phase = 0 : i64, run = "per_tower"}
// CHECK-SAME: {all_reduce = "sum", count = [0, 1]
// CHECK-SAME: {phase = 1 : i64, run = "once"}]
// CHECK-SAME: belfry.phases = [@train_p0, @train_p1]
// CHECK: func.func private @train_p0(
// CHECK-SAME: tensor<?x4xf32> {belfry.buffer = [[X:[0-9]+]] : i64, belfry.extent = 1 : i64}
// CHECK: nn.reduce
// CHECK-NOT: nn.convert
// CHECK: func.func private @train_p1(
// CHECK-SAME: tensor<4xf32> {belfry.buffer = [[K:[0-9]+]] : i64}
// CHECK-SAME: -> (tensor<4xf32> {belfry.buffer = [[K]] : i64})
// CHECK: nn.binary sub
func.func @train(%x: tensor<?x4xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                 %k: tensor<4xf32> {nn.role = #nn.role<parameter>, nn.name = "k"})
   -> (tensor<f32> {nn.role = #nn.role<loss>}, tensor<4xf32> {nn.role = #nn.role<parameter>, nn.name = "k"}) {
  %l, %n = tower.replicate towers = 2 slicing = balanced -> tensor<f32>, tensor<4xf32> {
    %xs = tower.slice %x dim = 0 : tensor<?x4xf32>
    %s = nn.reduce sum %xs dims = [0, 1] : tensor<?x4xf32> -> tensor<f32>
    %a = tower.all_reduce sum %s : tensor<f32>
    %b = nn.broadcast %a dims = [] : tensor<f32> -> tensor<4xf32>
    %new = nn.binary sub %k, %b : tensor<4xf32>
    tower.yield %a, %new concat = [-1, -1] : tensor<f32>, tensor<4xf32>
  }
  return %l, %n : tensor<f32>, tensor<4xf32>
}

// -----

// Without towers there is one phase, which runs once on the whole batch.

// CHECK: scope = "shared"
// CHECK-NOT: scope = "tower"
// CHECK-SAME: schedule = [{phase = 0 : i64, run = "once"}]
// CHECK: func.func private @predict_p0(
func.func @predict(%x: tensor<?x4xf32> {nn.role = #nn.role<input>, nn.name = "x"})
   -> (tensor<?x4xf32> {nn.role = #nn.role<output>, nn.name = "y"}) {
  %y = nn.unary exp %x : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// A statistic of the batch: what follows it is a second phase of the towers,
// and what the first one keeps for it crosses. The divisor is made where it is
// needed.

// CHECK: kind = "cross", scope = "tower"
// CHECK-SAME: {phase = 0 : i64, run = "per_tower"}, {all_reduce = "sum"
// CHECK-SAME: {phase = 1 : i64, run = "per_tower"}
// CHECK: func.func private @predict_p0(
// CHECK: func.func private @predict_p1(%{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[ROWS:[a-z0-9]+]]: index
// CHECK: arith.index_cast %[[ROWS]] : index to i32
// CHECK: nn.binary div
// CHECK: nn.binary sub
func.func @predict(%x: tensor<?x4xf32> {nn.role = #nn.role<input>, nn.name = "x"})
   -> (tensor<?x4xf32> {nn.role = #nn.role<output>, nn.name = "y"}) {
  %o = tower.replicate towers = 2 slicing = balanced -> tensor<?x4xf32> {
    %xs = tower.slice %x dim = 0 : tensor<?x4xf32>
    %e = nn.unary exp %xs : tensor<?x4xf32>
    %s = nn.reduce sum %e dims = [0] : tensor<?x4xf32> -> tensor<4xf32>
    %a = tower.all_reduce sum %s : tensor<4xf32>
    %c = nn.dim_size %x dim = 0 : tensor<?x4xf32>
    %f = nn.convert %c : tensor<i32> -> tensor<f32>
    %fb = nn.broadcast %f dims = [] : tensor<f32> -> tensor<4xf32>
    %m = nn.binary div %a, %fb : tensor<4xf32>
    %mb = nn.broadcast %m dims = [1] like %e : tensor<4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %y = nn.binary sub %e, %mb : tensor<?x4xf32>
    tower.yield %y concat = [0] : tensor<?x4xf32>
  }
  return %o : tensor<?x4xf32>
}
