// RUN: belfry-opt %s --host-entry-points --outline-kernels --split-input-file | FileCheck %s
// RUN: belfry-opt %s --host-entry-points --outline-kernels=disable=tiny-numbers --split-input-file | FileCheck %s --check-prefix=OFF

// An update of a slot asks block by block whether numbers are tiny, and then
// multiplies in f64; 260046847 is one less than the bits of 2^-96.

// CHECK-LABEL: func.func private @kernel_0
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.minui
// CHECK: %[[LIMIT:.*]] = arith.constant 260046847 : i32
// CHECK: %[[TINY:.*]] = arith.cmpi ult, %{{.*}}, %[[LIMIT]] : i32
// CHECK: scf.if %[[TINY]]
// CHECK: llvm.load volatile
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK: arith.truncf
// CHECK: } else {
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-NOT: f64

// OFF-NOT: scf.if
// OFF: arith.mulf %{{.*}}, %{{.*}} : f32
#id = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> ()>
module attributes {belfry.functions = {f = {buffers = [{kind = "slot", index = 0 : i64}, {kind = "cross", index = 1 : i64}, {kind = "hyper", index = 0 : i64}]}}} {
  func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %m: memref<512x256xf32> {belfry.buffer = 0 : i64}, %d: memref<512x256xf32> {belfry.buffer = 1 : i64}, %c: memref<f32> {belfry.buffer = 2 : i64}) attributes {belfry.function = "f"} {
    linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %c : memref<512x256xf32>, memref<f32>) outs(%m : memref<512x256xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %0 = arith.mulf %old, %b : f32
      %1 = arith.addf %0, %a : f32
      linalg.yield %1 : f32
    }
    return
  }
}

// -----

// What is no slot is multiplied as it is.

// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT: scf.if
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
#id = affine_map<(d0, d1) -> (d0, d1)>
module attributes {belfry.functions = {f = {buffers = [{kind = "cross", index = 0 : i64}]}}} {
  func.func private @f_p0(%rows: index, %o: index, %g: index, %t: index, %n: index, %m: memref<512x256xf32> {belfry.buffer = 0 : i64}) attributes {belfry.function = "f"} {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%m : memref<512x256xf32>) {
    ^bb0(%old: f32):
      %0 = arith.mulf %old, %old : f32
      linalg.yield %0 : f32
    }
    return
  }
}
