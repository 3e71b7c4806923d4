// RUN: belfry-opt %s --split-input-file --plan-buffers | FileCheck %s
// RUN: belfry-opt %s --split-input-file --plan-buffers=disable=share-memory | FileCheck %s --check-prefix=APART

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

// -----

// The sum of row 0 may stand in the first tower's array, which nothing reads
// later; row 1 is read again by the last phase, and row 4 when towers still run.

// CHECK: belfry.functions = {g = {
// CHECK-SAME: schedule = [
// CHECK-SAME: {all_reduce = "sum", count = [0, 4], dtype = "f32", from = 4 : i64, to = 5 : i64},
// CHECK-SAME: {all_reduce = "sum", count = [0, 4], dtype = "f32", from = 0 : i64, in_place = true, to = 2 : i64},
// CHECK-SAME: {all_reduce = "sum", count = [0, 4], dtype = "f32", from = 1 : i64, to = 3 : i64},
// APART-NOT: in_place
module attributes {
  belfry.functions = {g = {
    buffers = [{kind = "cross", scope = "tower", dtype = "f32", bytes = [0, 16]},
               {kind = "cross", scope = "tower", dtype = "f32", bytes = [0, 16]},
               {kind = "cross", scope = "shared", dtype = "f32", bytes = [0, 16]},
               {kind = "cross", scope = "shared", dtype = "f32", bytes = [0, 16]},
               {kind = "cross", scope = "tower", dtype = "f32", bytes = [0, 16]},
               {kind = "cross", scope = "shared", dtype = "f32", bytes = [0, 16]}],
    schedule = [{all_reduce = "sum", dtype = "f32", count = [0, 4], from = 4, to = 5},
                {phase = 0 : i64, run = "per_tower"},
                {all_reduce = "sum", dtype = "f32", count = [0, 4], from = 0, to = 2},
                {all_reduce = "sum", dtype = "f32", count = [0, 4], from = 1, to = 3},
                {phase = 1 : i64, run = "once"}]}},
  belfry.phases = [@g_p0, @g_p1]} {
  func.func private @g_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
      %x: memref<4xf32> {belfry.buffer = 0 : i64}, %y: memref<4xf32> {belfry.buffer = 1 : i64}) attributes {belfry.function = "g"} {
    %z = arith.constant 0.0 : f32
    linalg.fill ins(%z : f32) outs(%x : memref<4xf32>)
    linalg.fill ins(%z : f32) outs(%y : memref<4xf32>)
    return
  }
  func.func private @g_p1(%rows: index, %o: index, %g: index, %t: index, %n: index,
      %y: memref<4xf32> {belfry.buffer = 1 : i64}, %s: memref<4xf32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "g"} {
    linalg.copy ins(%y : memref<4xf32>) outs(%s : memref<4xf32>)
    return
  }
}

// -----

// Rows that are gathered stand in the whole array from the start. Not those of
// another dimension (row 2), nor what the caller gets (row 4), nor rows a second
// time (row 6).

// CHECK: belfry.functions = {h = {buffers = [
// CHECK-SAME: {bytes = [16, 0], dtype = "f32", kind = "cross", live = [1, 7], rows_of = 1 : i64, scope = "tower"},
// CHECK-SAME: {bytes = [16, 0], dtype = "f32", kind = "cross", live = [1, 9], scope = "shared"},
// CHECK-SAME: {bytes = [16, 0], dtype = "f32", kind = "cross", live = [{{[0-9]+, [0-9]+}}], scope = "tower"},
// CHECK-SAME: schedule = [{phase = 0 : i64, run = "per_tower"},
// CHECK-SAME: {all_gather = true, dtype = "f32", from = 2 : i64, inner = 1 : i64, outer = 4 : i64, to = 3 : i64},
// CHECK-SAME: {all_gather = true, dtype = "f32", from = 4 : i64, inner = 4 : i64, outer = 1 : i64, to = 5 : i64},
// CHECK-SAME: {all_gather = true, dtype = "f32", from = 0 : i64, inner = 4 : i64, outer = 1 : i64, to = 6 : i64},
// CHECK-SAME: {phase = 1 : i64, run = "once"}]
// APART-NOT: rows_of
// APART: schedule = [{phase = 0 : i64, run = "per_tower"}, {all_gather = true, dtype = "f32", from = 0 : i64, inner = 4 : i64, outer = 1 : i64, to = 1 : i64},
module attributes {
  belfry.functions = {h = {
    buffers = [{kind = "cross", scope = "tower", dtype = "f32", bytes = [16, 0]},
               {kind = "cross", scope = "shared", dtype = "f32", bytes = [16, 0]},
               {kind = "cross", scope = "tower", dtype = "f32", bytes = [16, 0]},
               {kind = "cross", scope = "shared", dtype = "f32", bytes = [16, 0]},
               {kind = "output", index = 0, scope = "tower", dtype = "f32", bytes = [16, 0]},
               {kind = "cross", scope = "shared", dtype = "f32", bytes = [16, 0]},
               {kind = "cross", scope = "shared", dtype = "f32", bytes = [16, 0]}],
    schedule = [{phase = 0 : i64, run = "per_tower"},
                {all_gather = true, dtype = "f32", outer = 1 : i64, inner = 4 : i64, from = 0, to = 1},
                {all_gather = true, dtype = "f32", outer = 4 : i64, inner = 1 : i64, from = 2, to = 3},
                {all_gather = true, dtype = "f32", outer = 1 : i64, inner = 4 : i64, from = 4, to = 5},
                {all_gather = true, dtype = "f32", outer = 1 : i64, inner = 4 : i64, from = 0, to = 6},
                {phase = 1 : i64, run = "once"}]}},
  belfry.phases = [@h_p0, @h_p1]} {
  func.func private @h_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
      %x: memref<?x4xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64}, %y: memref<4x?xf32> {belfry.buffer = 2 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "h"} {
    %z = arith.constant 0.0 : f32
    linalg.fill ins(%z : f32) outs(%x : memref<?x4xf32>)
    linalg.fill ins(%z : f32) outs(%y : memref<4x?xf32>)
    return
  }
  func.func private @h_p1(%rows: index, %o: index, %g: index, %t: index, %n: index,
      %x: memref<?x4xf32> {belfry.buffer = 1 : i64, belfry.extent = 1 : i64}, %y: memref<4x?xf32> {belfry.buffer = 3 : i64, belfry.extent = 1 : i64}) attributes {belfry.function = "h"} {
    %z = arith.constant 0.0 : f32
    linalg.fill ins(%z : f32) outs(%x : memref<?x4xf32>)
    linalg.fill ins(%z : f32) outs(%y : memref<4x?xf32>)
    return
  }
}
