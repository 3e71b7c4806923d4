// RUN: belfry-opt %s --plan-buffers | FileCheck %s

// Allocations become rows with sizes and lifetimes; one in a loop lives within a
// step, one from outside as long as the loop. What crosses lives from the phase
// that writes it to the one that reads it.

// CHECK: belfry.functions = {f = {buffers = [
// CHECK-SAME: kind = "cross", live = [{{[0-9]+}}, {{[0-9]+}}], scope = "tower"}
// CHECK-SAME: {bytes = [16, 0], dtype = "f32", kind = "scratch", live = [{{[0-9]+}}, {{[0-9]+}}], scope = "tower"}
// CHECK-SAME: {bytes = [0, 12], dtype = "i1", kind = "scratch", live = [{{[0-9]+}}, {{[0-9]+}}], scope = "tower"}
// CHECK: func.func private @f_p0
// CHECK-SAME: memref<?x4xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64}
// CHECK-SAME: memref<12xi1> {belfry.buffer = 2 : i64}
// CHECK-NOT: memref.alloc
module attributes {
  belfry.functions = {f = {
    buffers = [{kind = "cross", scope = "tower", dtype = "f32", bytes = [16, 0]}],
    schedule = [{phase = 0 : i64, run = "per_tower"}, {phase = 1 : i64, run = "per_tower"}]}},
  belfry.phases = [@f_p0, @f_p1]} {
  func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
      %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
    %z = arith.constant 0.0 : f32
    %false = arith.constant false
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.alloc(%rows) : memref<?x4xf32>
    scf.for %i = %c0 to %c1 step %c1 {
      %b = memref.alloc() : memref<12xi1>
      linalg.fill ins(%false : i1) outs(%b : memref<12xi1>)
      linalg.fill ins(%z : f32) outs(%a : memref<?x4xf32>)
    }
    linalg.fill ins(%z : f32) outs(%x : memref<?x4xf32>)
    return
  }
  func.func private @f_p1(%rows: index, %o: index, %g: index, %t: index, %n: index,
      %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "f"} {
    %z = arith.constant 0.0 : f32
    linalg.fill ins(%z : f32) outs(%x : memref<?x4xf32>)
    return
  }
}
