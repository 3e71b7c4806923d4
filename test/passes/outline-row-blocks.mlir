// RUN: belfry-opt %s --outline-row-blocks | FileCheck %s

// Two equal loops are one function of the rows that it is to do. What they read
// from outside goes through one frame, a word each; constants are made anew. The
// rows of the last block end with those that are handed over.

// CHECK-LABEL: func.func private @f_p0(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index, %[[P:[a-z0-9]+]]: !llvm.ptr, %[[Q:[a-z0-9]+]]: !llvm.ptr
// CHECK: %[[CONTEXT:.*]] = llvm.load
// CHECK: %[[WORDS:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[FRAME:.*]] = llvm.alloca %[[WORDS]] x i64
// CHECK-NOT: scf.for
// CHECK: %[[ROWS64:.*]] = arith.index_cast %[[ROWS]] : index to i64
// CHECK: %[[W0:.*]] = llvm.getelementptr %[[FRAME]][0]
// CHECK: llvm.store %[[ROWS64]], %[[W0]]
// CHECK: %[[W1:.*]] = llvm.getelementptr %[[FRAME]][1]
// CHECK: llvm.store %[[P]], %[[W1]]
// CHECK: %[[F:.*]] = constant @rows_0
// CHECK: %[[FN:.*]] = builtin.unrealized_conversion_cast %[[F]]
// CHECK: %[[ALL:.*]] = arith.index_cast %[[ROWS]] : index to i64
// CHECK: %[[COST:.*]] = arith.constant 120 : i64
// CHECK: call @belfry_parallel_rows(%[[CONTEXT]], %[[FN]], %[[FRAME]], %[[ALL]], %[[COST]])
// CHECK: llvm.store %[[Q]], %{{.*}}
// CHECK: constant @rows_0
// CHECK: %[[COST:.*]] = arith.constant 77 : i64
// CHECK: call @belfry_parallel_rows(%[[CONTEXT]], %{{.*}}, %[[FRAME]], %{{.*}}, %[[COST]])
// CHECK: return
// CHECK: func.func private @rows_0(%[[ARG:.*]]: !llvm.ptr, %[[B:.*]]: i64, %[[E:.*]]: i64) attributes {belfry.part}
// CHECK: %[[WORD:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[TOTAL:.*]] = arith.index_cast %[[WORD]] : i64 to index
// CHECK: %[[POINTER:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[SIZE:.*]] = arith.constant 64 : index
// CHECK: %[[BEGIN:.*]] = arith.index_cast %[[B]]
// CHECK: %[[END:.*]] = arith.index_cast %[[E]]
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]] step %[[SIZE]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[END]], %[[I]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %[[SIZE]] : index
// CHECK-NEXT: func.call @steps(%[[POINTER]], %[[I]], %[[COUNT]], %[[TOTAL]])
// CHECK-NOT: belfry.row_blocks
// CHECK-NOT: func.func private @rows_1
func.func private @steps(%p: !llvm.ptr, %first: index, %count: index, %all: index)
func.func private @f_p0(%args: !llvm.ptr, %rows: index, %p: !llvm.ptr, %q: !llvm.ptr) attributes {belfry.function = "f"} {
  %zero = arith.constant 0 : index
  %size = arith.constant 64 : index
  scf.for %i = %zero to %rows step %size {
    %left = arith.subi %rows, %i : index
    %count = arith.minsi %left, %size {belfry.block_rows} : index
    func.call @steps(%p, %i, %count, %rows) : (!llvm.ptr, index, index, index) -> ()
  } {belfry.row_blocks = 120 : i64}
  scf.for %i = %zero to %rows step %size {
    %left = arith.subi %rows, %i : index
    %count = arith.minsi %left, %size {belfry.block_rows} : index
    func.call @steps(%q, %i, %count, %rows) : (!llvm.ptr, index, index, index) -> ()
  } {belfry.row_blocks = 77 : i64}
  return
}
