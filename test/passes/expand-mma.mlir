// RUN: belfry-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(gpu.module(expand-mma))' | FileCheck %s

// Products of f16 are two of half the depth, those of bf16 multiply-adds in rising order from C on.

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @f16
  // CHECK: %[[D:.*]] = nvvm.mma.sync A[%arg0, %arg1] B[%arg4] C[%arg6, %arg6, %arg6, %arg6] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>
  // CHECK-COUNT-4: llvm.extractvalue %[[D]]
  // CHECK: %[[E:.*]] = nvvm.mma.sync A[%arg2, %arg3] B[%arg5] C[%{{.*}}] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>
  // CHECK: llvm.return %[[E]]
  llvm.func @f16(%a0: vector<2xf16>, %a1: vector<2xf16>, %a2: vector<2xf16>, %a3: vector<2xf16>, %b0: vector<2xf16>, %b1: vector<2xf16>, %c: f32)
      -> !llvm.struct<(f32, f32, f32, f32)> {
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c, %c, %c, %c]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<f16>,
       multiplicandBPtxType = #nvvm.mma_type<f16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
      : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    llvm.return %d : !llvm.struct<(f32, f32, f32, f32)>
  }

  // Rows come from the four lanes of the own quad, columns from those of two others.
  // CHECK-LABEL: llvm.func @bf16
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: %[[LANE:.*]] = nvvm.read.ptx.sreg.laneid : i32
  // CHECK: %[[IN:.*]] = llvm.and %[[LANE]], %{{.*}} : i32
  // CHECK: %[[QUAD:.*]] = llvm.sub %[[LANE]], %[[IN]] : i32
  // CHECK-COUNT-32: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: %[[S:.*]] = llvm.intr.fma(%{{.*}}, %{{.*}}, %arg6) : (f32, f32, f32) -> f32
  // CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %[[S]])
  // CHECK-COUNT-62: llvm.intr.fma
  // CHECK-NOT: llvm.intr.fma
  // CHECK: llvm.return
  llvm.func @bf16(%a0: i32, %a1: i32, %a2: i32, %a3: i32, %b0: i32, %b1: i32, %c: f32) -> !llvm.struct<(f32, f32, f32, f32)> {
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c, %c, %c, %c]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>,
       multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
      : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    llvm.return %d : !llvm.struct<(f32, f32, f32, f32)>
  }
}

// -----

gpu.module @kernels {
  llvm.func @tf32(%a: i32, %b: i32, %c: f32) -> !llvm.struct<(f32, f32, f32, f32)> {
    // expected-error @+1 {{is no product of shape m16n8k16 of f16 or bf16}}
    %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%b, %b] C[%c, %c, %c, %c]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<tf32>,
       multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>}
      : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    llvm.return %d : !llvm.struct<(f32, f32, f32, f32)>
  }
}
