// RUN: belfry-opt %s -split-input-file -verify-diagnostics --outline-repeats | FileCheck %s

// Three layers, the last in another phase, and one that calls another kernel. Rows of the table, extents and
// constants that differ are words; what is the same everywhere is in the function. The stack and what a step gave are
// handed over, a result that is read later is given back. What differs in the same way is one word.

// CHECK-LABEL: func.func @f_p0(
// CHECK: %[[FRAME:.*]] = llvm.alloca
// CHECK: %[[COUNT:.*]] = llvm.load {{.*}} : !llvm.ptr -> i64
// CHECK: %[[TABLE:.*]] = llvm.mlir.addressof @belfry_words
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[TABLE]][4]
// CHECK: %[[GIVEN:.*]] = call @part_0(%arg0, %[[FIRST]], %[[FRAME]], %[[COUNT]])
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %{{.*}}[2]
// CHECK: call @part_0(%arg0, %[[SECOND]], %[[FRAME]], %[[GIVEN]])
// CHECK-NOT: call
// CHECK: call @kernel_2
// CHECK-NOT: call @part_0
// CHECK-LABEL: func.func @f_p1(
// CHECK: call @part_0(
// CHECK-NOT: call
// CHECK: return

// CHECK-LABEL: func.func private @part_0(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: i64) -> i64 attributes {belfry.part}
// CHECK: %[[END:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK: %[[ROW:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK: %[[BOUND:.*]] = arith.index_cast %[[END]] : i64 to index
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[ROW]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
// CHECK: %[[X:.*]] = llvm.load %[[AT]]
// CHECK: scf.for %{{.*}} = %c0 to %[[BOUND]] step %c1
// CHECK: call @kernel_0(%[[X]], %[[IN:.*]], %arg2, %arg3,
// CHECK: call @kernel_1(%[[X]], %[[IN]], %arg2, %arg3, %[[ROW]], %c7_i32)
// CHECK: %[[COUNT:.*]] = llvm.load %[[X]] : !llvm.ptr -> i64
// CHECK: call @kernel_1(%[[IN]], %[[IN]], %arg2, %[[COUNT]], %[[ROW]], %c7_i32)
// CHECK: return %[[COUNT]] : i64
// CHECK: llvm.mlir.global internal constant @belfry_words(dense<[10, 9, 20, 5, 10, 3]> : tensor<6xi64>)
func.func private @kernel_0(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, index, i32)
func.func private @kernel_1(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32)
func.func private @kernel_2(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32)

func.func @f_p0(%a: !llvm.ptr) attributes {belfry.function = "f"} {
  %n = llvm.mlir.constant(4 : i64) : i64
  %frame = llvm.alloca %n x i64 : (i64) -> !llvm.ptr
  %at = llvm.getelementptr %a[32] : (!llvm.ptr) -> !llvm.ptr, i8
  %rows = llvm.load %at : !llvm.ptr -> !llvm.ptr
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %in_at = llvm.getelementptr %rows[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %in = llvm.load %in_at : !llvm.ptr -> !llvm.ptr
  %count0 = llvm.load %in : !llvm.ptr -> i64

  %x0_at = llvm.getelementptr %rows[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %x0 = llvm.load %x0_at : !llvm.ptr -> !llvm.ptr
  %t0 = arith.constant 10 : index
  %w0 = arith.constant 3 : i64
  scf.for %i = %c0 to %t0 step %c1 {
    func.call @kernel_0(%x0, %in, %frame, %count0, %i, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, index, i32) -> ()
  }
  call @kernel_1(%x0, %in, %frame, %count0, %w0, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32) -> ()
  call @kernel_1(%in, %x0, %frame, %count0, %w0, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32) -> ()
  %count1 = llvm.load %x0 : !llvm.ptr -> i64
  call @kernel_1(%in, %in, %frame, %count1, %w0, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32) -> ()

  %x1_at = llvm.getelementptr %rows[5] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %x1 = llvm.load %x1_at : !llvm.ptr -> !llvm.ptr
  %t1 = arith.constant 20 : index
  %w1 = arith.constant 5 : i64
  scf.for %i = %c0 to %t1 step %c1 {
    func.call @kernel_0(%x1, %in, %frame, %count1, %i, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, index, i32) -> ()
  }
  call @kernel_1(%x1, %in, %frame, %count1, %w1, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32) -> ()
  call @kernel_1(%in, %x1, %frame, %count1, %w1, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32) -> ()
  %count2 = llvm.load %x1 : !llvm.ptr -> i64
  call @kernel_1(%in, %in, %frame, %count2, %w1, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32) -> ()

  call @kernel_2(%x1, %in, %frame, %count2, %w1, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32) -> ()
  return
}

func.func @f_p1(%a: !llvm.ptr) attributes {belfry.function = "f"} {
  %n = llvm.mlir.constant(4 : i64) : i64
  %frame = llvm.alloca %n x i64 : (i64) -> !llvm.ptr
  %at = llvm.getelementptr %a[32] : (!llvm.ptr) -> !llvm.ptr, i8
  %rows = llvm.load %at : !llvm.ptr -> !llvm.ptr
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %in_at = llvm.getelementptr %rows[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %in = llvm.load %in_at : !llvm.ptr -> !llvm.ptr
  %count0 = llvm.load %in : !llvm.ptr -> i64
  %x0_at = llvm.getelementptr %rows[9] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %x0 = llvm.load %x0_at : !llvm.ptr -> !llvm.ptr
  %t0 = arith.constant 10 : index
  %w0 = arith.constant 9 : i64
  scf.for %i = %c0 to %t0 step %c1 {
    func.call @kernel_0(%x0, %in, %frame, %count0, %i, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, index, i32) -> ()
  }
  call @kernel_1(%x0, %in, %frame, %count0, %w0, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32) -> ()
  call @kernel_1(%in, %x0, %frame, %count0, %w0, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32) -> ()
  %count1 = llvm.load %x0 : !llvm.ptr -> i64
  call @kernel_1(%in, %in, %frame, %count1, %w0, %seven) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32) -> ()
  return
}

// -----

// Little that is done twice stays where it is: a call would be no shorter. Numbers of floats are no words.
// CHECK-LABEL: func.func @g_p0(
// CHECK-NOT: @part_
// CHECK: return
// CHECK-NOT: belfry_words
func.func private @kernel_0(!llvm.ptr, f32)
func.func @g_p0(%a: !llvm.ptr) attributes {belfry.function = "g"} {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  call @kernel_0(%a, %one) : (!llvm.ptr, f32) -> ()
  call @kernel_0(%a, %two) : (!llvm.ptr, f32) -> ()
  call @kernel_0(%a, %one) : (!llvm.ptr, f32) -> ()
  return
}

// -----

// expected-error @+1 {{is no phase that the runtime can call; --host-entry-points runs first}}
func.func @h_p0(%a: !llvm.ptr, %b: index) attributes {belfry.function = "h"} {
  return
}
