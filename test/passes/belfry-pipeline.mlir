// RUN: belfry-opt %S/../tools/Inputs/mlp.mlir --belfry-pipeline='towers=4 stop-after=placed' | FileCheck %s --check-prefix=PLACED
// RUN: belfry-opt %S/../tools/Inputs/mlp.mlir --belfry-pipeline=stop-after=train-step -o %t.mlir
// RUN: belfry-opt %t.mlir --belfry-pipeline='start-from=train-step stop-after=parallel towers=2' | FileCheck %s --check-prefix=PARALLEL
// RUN: %raw-belfry-opt --print-pipeline --belfry-pipeline='towers=4 stop-after=placed' | FileCheck %s --check-prefix=PRINT
// RUN: %raw-belfry-opt --print-pipeline --belfry-pipeline='start-from=placed' | FileCheck %s --check-prefix=REST
// RUN: %raw-belfry-opt --print-pipeline --belfry-pipeline='start-from=train-step disable=elide-all-reduce,gather-rows,pack-masked-steps,reuse-sequences,pack-weights,llvm' | FileCheck %s --check-prefix=WITHOUT
// RUN: %raw-belfry-opt --print-pipeline --belfry-pipeline='memory=low' | FileCheck %s --check-prefix=LOW
// RUN: %raw-belfry-opt --print-pipeline --belfry-pipeline='memory=fast' | FileCheck %s --check-prefix=FAST
// RUN: %raw-belfry-opt --print-pipeline --belfry-pipeline='target=cuda-emulated start-from=parallel' | FileCheck %s --check-prefix=EMULATED

// Without what is for caches and threads of the host, or for a memory that towers share.
// EMULATED-NOT: gather-rows
// EMULATED: nn-place{{.*}}device=gpu
// EMULATED: simplify-scans{}
// EMULATED-NEXT: expand-scan-mask
// EMULATED: lower-nn-to-linalg{disable={{.}}pack-weights,look-ahead}
// EMULATED: target:
// EMULATED-NEXT: outline-gpu-kernels
// EMULATED-NEXT: gpu.module(expand-remainder)
// EMULATED-NEXT: canonicalize
// EMULATED-NEXT: cse
// EMULATED-NEXT: group-gpu-launches{share-memory=true}
// EMULATED-NEXT: add-tower-reductions
// EMULATED-NEXT: host-entry-points
// EMULATED-NEXT: flatten-kernel-arguments
// EMULATED-NEXT: canonicalize
// EMULATED-NEXT: cse
// EMULATED-NEXT: emulate-gpu-kernels
// EMULATED-NOT: outline-kernels
// EMULATED: finalize-memref-to-llvm
// EMULATED-NEXT: convert-scf-to-cf
// EMULATED-NEXT: expand-math
// EMULATED-NEXT: convert-vector-to-llvm
// EMULATED: finalize-host

// LOW: gather-rows
// LOW: split-phases{}
// LOW-NEXT: recompute-values
// FAST: split-phases{disable={{.}}recompute-small}
// FAST-NOT: recompute-values
// FAST: lower-nn-to-linalg{disable={{.}}order-units}
// WITHOUT: insert-all-reduce
// WITHOUT-NOT: elide-all-reduce
// WITHOUT-NOT: gather-rows
// WITHOUT: simplify-scans{}
// WITHOUT-NEXT: expand-scan-mask
// WITHOUT: lower-nn-to-linalg{disable={{.}}reuse-sequences,pack-weights

// PLACED: belfry.stage = "placed"
// PLACED: tower.replicate towers = 4 slicing = balanced
// PLACED: tower.placement

// PARALLEL: belfry.stage = "parallel"
// PARALLEL: tower.replicate towers = 2

// PRINT: import:
// PRINT-NEXT: verify-stage{stage=import}
// PRINT-NEXT: train-step:
// PRINT-NEXT: nn-build-train-step
// PRINT: verify-stage{stage=train-step}
// PRINT-NEXT: parallel:
// PRINT-NEXT: widen-narrow-floats
// PRINT-NEXT: make-parallel{slicing=balanced towers=4}
// PRINT-NEXT: insert-all-reduce
// PRINT-NEXT: elide-all-reduce
// PRINT: placed:
// PRINT-NEXT: gather-rows
// PRINT-NEXT: describe-program
// PRINT-NEXT: nn-place
// PRINT-NOT: lowered

// REST-NOT: placed:
// REST: lowered:
// REST: bufferized:
// REST: target:
// REST: verify-stage{stage=target}
