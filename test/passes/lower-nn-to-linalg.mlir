// RUN: belfry-opt %s --lower-nn-to-linalg | FileCheck %s

// Elementwise ops share a loop, which stores the values that are read elsewhere
// straight into their places: here a result and a part of a concatenation.

// CHECK-LABEL: func.func private @fused(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<?x4xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64}
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<?x8xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}
// CHECK-NOT: memref.alloc
// CHECK: %[[PART:.*]] = memref.reinterpret_cast %[[C]] to offset: [0], sizes: [%{{.*}}, 4], strides: [8, 1]
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]] : memref<?x4xf32>) outs(%[[Y]], %[[PART]] :
// CHECK: math.exp
// CHECK: math.sqrt
// CHECK: %[[REST:.*]] = memref.reinterpret_cast %[[C]] to offset: [4]
// CHECK: linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[REST]] :
func.func private @fused(%r: index, %o: index, %g: index, %t: index, %n: index, %x: tensor<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64})
    -> (tensor<?x4xf32> {belfry.buffer = 1 : i64}, tensor<?x8xf32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
  %e = nn.unary exp %x : tensor<?x4xf32>
  %s = nn.unary sqrt %e : tensor<?x4xf32>
  %c = nn.concat %s, %x dim = 1 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x8xf32>
  return %e, %c : tensor<?x4xf32>, tensor<?x8xf32>
}

// A parameter is updated where it is.
// CHECK-LABEL: func.func private @update(
// CHECK-SAME: %[[P:[a-z0-9]+]]: memref<4xf32>
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}} : {{.*}}) outs(%[[P]] : memref<4xf32>)
func.func private @update(%r: index, %o: index, %g: index, %t: index, %n: index, %p: tensor<4xf32> {belfry.buffer = 0 : i64},
    %d: tensor<4xf32> {belfry.buffer = 1 : i64}) -> (tensor<4xf32> {belfry.buffer = 0 : i64}) attributes {belfry.function = "f"} {
  %s = nn.binary sub %p, %d : tensor<4xf32>
  return %s : tensor<4xf32>
}

// One that is still read in another order is not.
// CHECK-LABEL: func.func private @reversed(
// CHECK-SAME: %[[P:[a-z0-9]+]]: memref<4xf32>
// CHECK: %[[TEMP:.*]] = memref.alloc
// CHECK: outs(%[[TEMP]] : memref<4xf32>)
// CHECK: ins(%[[TEMP]] : memref<4xf32>) outs(%[[P]] : memref<4xf32>)
func.func private @reversed(%r: index, %o: index, %g: index, %t: index, %n: index, %p: tensor<4xf32> {belfry.buffer = 0 : i64})
    -> (tensor<4xf32> {belfry.buffer = 0 : i64}) attributes {belfry.function = "f"} {
  %q = nn.reverse %p dims = [0] : tensor<4xf32>
  %s = nn.binary sub %p, %q : tensor<4xf32>
  return %s : tensor<4xf32>
}

// The carried value of a loop has one buffer; the steps of an output are
// written where they belong. All steps of 64 rows are done, then those of the
// next: what a step needs for itself is apart for each block, and the matrix is
// packed before all of them.
// CHECK-LABEL: func.func private @loop(
// CHECK: %[[PACKED:.*]] = memref.alloc() : memref<80xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} {belfry.pack}
// CHECK: %[[SUM:.*]] = memref.alloc(%arg0) : memref<?x4xf32>
// CHECK: scf.for %[[FIRST:.*]] = %c0{{.*}} to %arg0 step %c64
// CHECK: %[[LEFT:.*]] = arith.subi %arg0, %[[FIRST]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c64{{.*}} {belfry.block_rows}
// CHECK: scf.for
// CHECK: memref.reinterpret_cast %[[SUM]] to offset: [%{{.*}}], sizes: [%[[COUNT]], 4]
// CHECK: linalg.matmul
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : memref<?x4xf32, strided<[4, 1], offset: ?>>, memref<?x4xf32, strided<[4, 1], offset: ?>>)
// CHECK-NOT: linalg.generic
// CHECK: belfry.row_blocks =
// CHECK: return
func.func private @loop(%r: index, %o: index, %g: index, %t: index, %n: index, %h: tensor<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64},
    %x: tensor<5x?x4xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64}, %w: tensor<4x4xf32> {belfry.buffer = 2 : i64})
    -> (tensor<?x4xf32> {belfry.buffer = 3 : i64}, tensor<5x?x4xf32> {belfry.buffer = 4 : i64}) attributes {belfry.function = "f"} {
  %f, %ys = nn.scan carry(%h) sequences(%x) closed(%w) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>, %k: tensor<4x4xf32>):
    %d = nn.dot %a, %k contract = [1] * [0] : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %s = nn.binary add %d, %b : tensor<?x4xf32>
    nn.yield carry(%s) outputs(%s) : tensor<?x4xf32> outputs tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<4x4xf32>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>)
  return %f, %ys : tensor<?x4xf32>, tensor<5x?x4xf32>
}

// Random numbers are made by blocks of four, with what is computed from them
// alone; the mask of a dropout is read from memory. 70 blocks a row: a loop over
// rows and one over blocks.
// CHECK-LABEL: func.func private @dropout(
// CHECK: %[[MASK:.*]] = memref.alloc(%{{.*}}) : memref<?x280xi1>
// CHECK: %[[BLOCKS:.*]] = memref.reinterpret_cast %[[MASK]] {{.*}} to memref<?x4xi1, strided<[4, 1]>>
// CHECK: scf.for %{{.*}} to %arg0
// CHECK: scf.for %{{.*}} to %c70
// CHECK-COUNT-20: arith.muli {{.*}} : i64
// CHECK-NOT: arith.muli {{.*}} : i64
// CHECK-COUNT-4: memref.store {{.*}} %[[BLOCKS]]
// CHECK: belfry.kernel
// CHECK: linalg.generic {{.*}} ins(%[[MASK]], %arg5
func.func private @dropout(%r: index, %o: index, %g: index, %t: index, %n: index, %x: tensor<?x280xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64},
    %seed: tensor<2xi32> {belfry.buffer = 1 : i64}, %step: tensor<i32> {belfry.buffer = 2 : i64})
    -> (tensor<?x280xf32> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  %rate = nn.constant dense<0.25> : tensor<f32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %b = nn.broadcast %rate dims = [] like %x : tensor<f32>, tensor<?x280xf32> -> tensor<?x280xf32>
  %z = nn.broadcast %zero dims = [] like %x : tensor<f32>, tensor<?x280xf32> -> tensor<?x280xf32>
  %u = nn.random uniform seed %seed step %step stream = 3 like %x : tensor<?x280xf32> -> tensor<?x280xf32>
  %keep = nn.compare ge %u, %b : tensor<?x280xf32>
  %y = nn.select %keep, %x, %z : tensor<?x280xf32>
  return %y : tensor<?x280xf32>
}

// At its start a step says what the next one touches: rows of at least 64 bytes
// that stand together, of a sequence and of the output. The narrow sequence has
// none.
// CHECK-LABEL: func.func private @ahead(
// CHECK: scf.for %[[STEP:.*]] = %c0{{.*}} to %c5
// CHECK: %[[BACK:.*]] = arith.subi %c4{{.*}}, %[[STEP]]
// CHECK: %[[BEFORE:.*]] = arith.subi %[[BACK]], %c1
// CHECK: arith.maxsi %[[BEFORE]], %c0
// CHECK-COUNT-2: memref.prefetch %{{.*}}[%c0{{.*}}, %c0{{.*}}], read, locality<2>, data : memref<?x16xf32
// CHECK-NOT: memref.prefetch
// CHECK: linalg.matmul
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func private @ahead(%r: index, %o: index, %g: index, %t: index, %n: index, %h: tensor<?x16xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64},
    %x: tensor<5x?x16xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64}, %y: tensor<5x?x1xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64},
    %w: tensor<16x16xf32> {belfry.buffer = 3 : i64}) -> (tensor<5x?x16xf32> {belfry.buffer = 4 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
  %z = nn.unary exp %x : tensor<5x?x16xf32>
  %f, %ys = nn.scan carry(%h) sequences(%z, %y) closed(%w) reverse {
  ^bb0(%a: tensor<?x16xf32>, %b: tensor<?x16xf32>, %c: tensor<?x1xf32>, %k: tensor<16x16xf32>):
    %d = nn.dot %a, %k contract = [1] * [0] : tensor<?x16xf32>, tensor<16x16xf32> -> tensor<?x16xf32>
    %s = nn.binary add %b, %d : tensor<?x16xf32>
    %e = nn.reshape %c : tensor<?x1xf32> -> tensor<?xf32>
    %q = nn.broadcast %e dims = [0] : tensor<?xf32> -> tensor<?x16xf32>
    %u = nn.binary mul %s, %q : tensor<?x16xf32>
    nn.yield carry(%u) outputs(%u) : tensor<?x16xf32> outputs tensor<?x16xf32>
  } : (tensor<?x16xf32>, tensor<5x?x16xf32>, tensor<5x?x1xf32>, tensor<16x16xf32>) -> (tensor<?x16xf32>, tensor<5x?x16xf32>)
  return %ys : tensor<5x?x16xf32>
}

// Short rows are walked together; where a row is no multiple of four, it ends
// in elements that nobody reads.
// CHECK-LABEL: func.func private @short(
// CHECK: %[[ROWS:.*]] = memref.alloc() : memref<10x4xf32>
// CHECK-COUNT-4: memref.store {{.*}} %[[ROWS]]
// CHECK: memref.reinterpret_cast %[[ROWS]] {{.*}} to memref<5x7xf32, strided<[8, 1]>>
func.func private @short(%r: index, %o: index, %g: index, %t: index, %n: index,
    %seed: tensor<2xi32> {belfry.buffer = 1 : i64}, %step: tensor<i32> {belfry.buffer = 2 : i64})
    -> (tensor<5x7xf32> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  %u = nn.random uniform seed %seed step %step stream = 3 -> tensor<5x7xf32>
  return %u : tensor<5x7xf32>
}

// What depends on the draw in another way too stays out: no unit reads itself.
// CHECK-LABEL: func.func private @centred(
// CHECK: belfry.kernel
// CHECK: linalg.generic {{.*}} iterator_types = [{{.*}}"reduction"
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
func.func private @centred(%r: index, %o: index, %g: index, %t: index, %n: index,
    %seed: tensor<2xi32> {belfry.buffer = 1 : i64}, %step: tensor<i32> {belfry.buffer = 2 : i64})
    -> (tensor<5x8xf32> {belfry.buffer = 3 : i64}) attributes {belfry.function = "f"} {
  %u = nn.random uniform seed %seed step %step stream = 3 -> tensor<5x8xf32>
  %s = nn.reduce sum %u dims = [0, 1] : tensor<5x8xf32> -> tensor<f32>
  %b = nn.broadcast %s dims = [] : tensor<f32> -> tensor<5x8xf32>
  %y = nn.binary sub %u, %b : tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}

// The gates of a loop, which its gradient reads, stand where the sums before
// them stood, though the state is the first output: it is read no more when the
// gradient begins, and has a buffer of its own. The gradients of the gates then
// take the same place.
// CHECK-LABEL: func.func private @gates(
// CHECK: memref.alloc(%{{.*}}) : memref<5x?x8xf32>
// CHECK: memref.alloc(%{{.*}}) : memref<5x?x4xf32>
// CHECK-NOT: memref.alloc(%{{.*}}) : memref<5x
// CHECK: linalg.matmul {{.*}} outs(%{{.*}} : memref<3x8xf32>)
// CHECK: return
func.func private @gates(%r: index, %o: index, %g: index, %t: index, %n: index, %x: tensor<5x?x3xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64},
    %w: tensor<3x8xf32> {belfry.buffer = 1 : i64}, %m: tensor<4x4xf32> {belfry.buffer = 2 : i64}, %h: tensor<?x4xf32> {belfry.buffer = 3 : i64, belfry.extent = 1 : i64})
    -> (tensor<5x?x4xf32> {belfry.buffer = 4 : i64, belfry.extent = 1 : i64}, tensor<3x8xf32> {belfry.buffer = 5 : i64}) attributes {belfry.function = "f"} {
  %z = nn.dot %x, %w contract = [2] * [0] : tensor<5x?x3xf32>, tensor<3x8xf32> -> tensor<5x?x8xf32>
  %f, %ys:3 = nn.scan carry(%h) sequences(%z) {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<?x8xf32>):
    %b0 = nn.slice %b start = [0, 0] limit = [-1, 4] stride = [1, 1] : tensor<?x8xf32> -> tensor<?x4xf32>
    %b1 = nn.slice %b start = [0, 4] limit = [-1, 8] stride = [1, 1] : tensor<?x8xf32> -> tensor<?x4xf32>
    %u = nn.unary tanh %b0 : tensor<?x4xf32>
    %v = nn.unary sigmoid %b1 : tensor<?x4xf32>
    %uv = nn.binary mul %u, %v : tensor<?x4xf32>
    %s = nn.binary add %a, %uv : tensor<?x4xf32>
    nn.yield carry(%s) outputs(%s, %u, %v) : tensor<?x4xf32> outputs tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
  } : (tensor<?x4xf32>, tensor<5x?x8xf32>) -> (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>)
  %q = nn.dot %ys#0, %m contract = [2] * [0] : tensor<5x?x4xf32>, tensor<4x4xf32> -> tensor<5x?x4xf32>
  %k, %d = nn.scan carry(%f) sequences(%q, %ys#1, %ys#2) reverse {
  ^bb0(%a: tensor<?x4xf32>, %e: tensor<?x4xf32>, %u: tensor<?x4xf32>, %v: tensor<?x4xf32>):
    %s = nn.binary add %a, %e : tensor<?x4xf32>
    %du = nn.binary mul %s, %v : tensor<?x4xf32>
    %dv = nn.binary mul %s, %u : tensor<?x4xf32>
    %dz = nn.concat %du, %dv dim = 1 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x8xf32>
    nn.yield carry(%s) outputs(%dz) : tensor<?x4xf32> outputs tensor<?x8xf32>
  } : (tensor<?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>, tensor<5x?x4xf32>) -> (tensor<?x4xf32>, tensor<5x?x8xf32>)
  %p = nn.dot %x, %d contract = [0, 1] * [0, 1] : tensor<5x?x3xf32>, tensor<5x?x8xf32> -> tensor<3x8xf32>
  return %q, %p : tensor<5x?x4xf32>, tensor<3x8xf32>
}

// The gradient of a weight comes before that of the layer's input: it is the
// last to read the input, whose memory then serves the other.
// CHECK-LABEL: func.func private @weight_first(
// CHECK: linalg.matmul {{.*}} outs(%{{.*}} : memref<8x4xf32>)
// CHECK: linalg.matmul {{.*}} outs(%{{.*}} : memref<?x8xf32>)
// CHECK: return
func.func private @weight_first(%r: index, %o: index, %g: index, %t: index, %n: index, %x: tensor<?x8xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64},
    %w: tensor<8x4xf32> {belfry.buffer = 1 : i64}, %d: tensor<?x4xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64})
    -> (tensor<8xf32> {belfry.buffer = 3 : i64}, tensor<8x4xf32> {belfry.buffer = 4 : i64}) attributes {belfry.function = "f"} {
  %h = nn.unary tanh %x : tensor<?x8xf32>
  %e = nn.unary exp %d : tensor<?x4xf32>
  %dx = nn.dot %e, %w contract = [1] * [1] : tensor<?x4xf32>, tensor<8x4xf32> -> tensor<?x8xf32>
  %dw = nn.dot %h, %e contract = [0] * [0] : tensor<?x8xf32>, tensor<?x4xf32> -> tensor<8x4xf32>
  %s = nn.reduce sum %dx dims = [0] : tensor<?x8xf32> -> tensor<8xf32>
  return %s, %dw : tensor<8xf32>, tensor<8x4xf32>
}
