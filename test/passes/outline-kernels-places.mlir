// RUN: belfry-opt %s --host-entry-points --outline-kernels | FileCheck %s

// Offsets that are equal, however they are written, are one pointer: what the
// loop stores there is seen when the other operand is read. Other columns of the
// buffer are another one; of rows that may be the same nothing is said.

// CHECK-LABEL: func.func private @f_p0
// CHECK: call @[[P:kernel_[0-9]+]](
// CHECK: call @[[Q:kernel_[0-9]+]](
// CHECK: func.func private @[[P]](%{{[^:]*}}: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: index)
// CHECK: func.func private @[[Q]](%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: index)
func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index,
    %x: memref<?x8xf32> {belfry.buffer = 0 : i64, belfry.extent = 5 : i64}) attributes {belfry.function = "f"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %rows8 = arith.muli %rows, %c8 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %start = arith.muli %i, %rows8 : index
    %a = arith.addi %start, %c4 : index
    %rest = arith.muli %rows8, %i : index
    %less = arith.subi %rest, %c1 : index
    %b = arith.addi %c5, %less : index
    %next = arith.addi %i, %c1 : index
    %after = arith.muli %next, %rows8 : index
    %left = memref.reinterpret_cast %x to offset: [%start], sizes: [%rows, 4], strides: [8, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: ?>>
    %right = memref.reinterpret_cast %x to offset: [%a], sizes: [%rows, 4], strides: [8, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: ?>>
    %same = memref.reinterpret_cast %x to offset: [%b], sizes: [%rows, 4], strides: [8, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: ?>>
    %other = memref.reinterpret_cast %x to offset: [%after], sizes: [%rows, 4], strides: [8, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%left, %right : memref<?x4xf32, strided<[8, 1], offset: ?>>, memref<?x4xf32, strided<[8, 1], offset: ?>>)
        outs(%same, %left : memref<?x4xf32, strided<[8, 1], offset: ?>>, memref<?x4xf32, strided<[8, 1], offset: ?>>) {
    ^bb0(%p: f32, %q: f32, %r: f32, %s: f32):
      %e = arith.mulf %p, %p : f32
      %h = arith.addf %q, %q : f32
      linalg.yield %e, %h : f32, f32
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%left : memref<?x4xf32, strided<[8, 1], offset: ?>>) outs(%other : memref<?x4xf32, strided<[8, 1], offset: ?>>) {
    ^bb0(%p: f32, %q: f32):
      %e = arith.mulf %p, %p : f32
      linalg.yield %e : f32
    }
  }
  return
}
