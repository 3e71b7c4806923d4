// RUN: belfry-opt %s --lower-nn-to-linalg --host-entry-points --outline-kernels | FileCheck %s

// Threads share the rows of a draw; rows that are walked together end where the part does. The draw of a parameter is
// no such loop: its rows are few and known. Draws that differ in their stream alone are one kernel. The loop of
// a draw's blocks is not rolled out, however few they are.
// CHECK-NOT: loop_unroll

// CHECK-LABEL: func.func private @f_p0(
// CHECK-DAG: call @kernel_1(%c4_i32,
// CHECK-DAG: call @kernel_1(%c5_i32,
// CHECK: call @belfry_parallel_for
// CHECK: func.func private @kernel_0(%[[BEGIN:.*]]: index, %[[END:.*]]: index,
// CHECK: scf.for %[[ROW:.*]] = %[[BEGIN]] to %[[END]] step %{{.*}} {
// CHECK: %[[LEFT:.*]] = arith.subi %[[END]], %[[ROW]]
// CHECK: arith.minui %[[LEFT]]
// CHECK: scf.for
// CHECK-COUNT-4: llvm.store {{.*}} : i8, !llvm.ptr
// CHECK: func.func private @kernel_0_loop(
// CHECK: func.func private @kernel_1(
// CHECK-NOT: kernel_1_loop
// CHECK-NOT: kernel_2
module attributes {belfry.functions = {f = {buffers = [{kind = "input", index = 0 : i64}, {kind = "seed", index = 0 : i64}, {kind = "step", index = 0 : i64},
    {kind = "output", index = 0 : i64}, {kind = "output", index = 1 : i64}, {kind = "output", index = 2 : i64}]}}} {
  func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %x: tensor<?x100xf32> {belfry.buffer = 0 : i64, belfry.extent = 1 : i64},
      %seed: tensor<2xi32> {belfry.buffer = 1 : i64}, %step: tensor<i32> {belfry.buffer = 2 : i64})
      -> (tensor<?x100xi1> {belfry.buffer = 3 : i64}, tensor<3x8xf32> {belfry.buffer = 4 : i64}, tensor<3x8xf32> {belfry.buffer = 5 : i64}) attributes {belfry.function = "f"} {
    %rate = nn.constant dense<0.25> : tensor<f32>
    %b = nn.broadcast %rate dims = [] like %x : tensor<f32>, tensor<?x100xf32> -> tensor<?x100xf32>
    %u = nn.random uniform seed %seed step %step stream = 3 like %x : tensor<?x100xf32> -> tensor<?x100xf32>
    %keep = nn.compare ge %u, %b : tensor<?x100xf32>
    %v = nn.random uniform seed %seed step %step stream = 4 -> tensor<3x8xf32>
    %w = nn.random uniform seed %seed step %step stream = 5 -> tensor<3x8xf32>
    return %keep, %v, %w : tensor<?x100xi1>, tensor<3x8xf32>, tensor<3x8xf32>
  }
}
