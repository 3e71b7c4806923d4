// RUN: belfry-opt %s --mlir-print-local-scope --finalize-host="cpu=skylake-avx512 features=+avx512f,+avx512vl" | FileCheck %s

// The list of parameters stays: weights are read by it.
// CHECK: nn.parameter @k
// Phases are not searched for vectors.
// CHECK: llvm.func @f_p0(%{{.*}}: !llvm.ptr) attributes {{.*}}"noimplicitfloat"], target_cpu = "skylake-avx512", target_features = #llvm.target_features<["+avx512f", "+avx512vl"]>
// CHECK: llvm.func internal @kernel_0() attributes {no_inline
// CHECK-NOT: noimplicitfloat
nn.parameter @k : tensor<4xf32> {path = "p", layer = "l", trainable = true, stream = 1 : i32, initializer = {name = "zeros"}}
llvm.func @f_p0(%a: !llvm.ptr) attributes {belfry.function = "f"} {
  llvm.call @kernel_0() : () -> ()
  llvm.return
}
llvm.func @kernel_0() {
  llvm.return
}
// A part of phases is as they are, but a function of its own.
// CHECK: llvm.func internal @part_0() attributes {no_inline, {{.*}}"noimplicitfloat"]
// CHECK-NOT: belfry.part
llvm.func @part_0() attributes {belfry.part} {
  llvm.return
}
// What is noted at a loop is where the translation to LLVM IR reads it.
// CHECK: llvm.br ^{{.*}} {loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
llvm.func @kernel_1() {
  llvm.br ^bb1
^bb1:
  llvm.br ^bb1 {llvm.loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
}
