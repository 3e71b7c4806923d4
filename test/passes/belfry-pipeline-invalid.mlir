// RUN: not %raw-belfry-opt %s --belfry-pipeline=target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not %raw-belfry-opt %s --belfry-pipeline=towers=0 2>&1 | FileCheck %s --check-prefix=TOWERS
// RUN: not %raw-belfry-opt %s --belfry-pipeline=slicing=thin 2>&1 | FileCheck %s --check-prefix=SLICING
// RUN: not %raw-belfry-opt %s --belfry-pipeline=stop-after=never 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not %raw-belfry-opt %s --belfry-pipeline='start-from=placed stop-after=parallel' 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not %raw-belfry-opt %s --print-pipeline --belfry-pipeline=towers=-1 2>&1 | FileCheck %s --check-prefix=PRINT
// RUN: not %raw-belfry-opt %s --belfry-pipeline=disable=pack-mask-steps 2>&1 | FileCheck %s --check-prefix=DISABLE
// RUN: not %raw-belfry-opt %s --belfry-host=disable=llvm,group-loop 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not %raw-belfry-opt %s --plan-buffers=disable=nothing 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not %raw-belfry-opt %s --belfry-lower=memory=little 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not %raw-belfry-opt %s --belfry-pipeline=memory=little 2>&1 | FileCheck %s --check-prefix=MEMORY

// MEMORY: unknown mode 'little' of 'memory'; known are low, balanced, fast
// DISABLE: 'disable': unknown optimisation 'pack-mask-steps'; did you mean 'pack-masked-steps'?
// HOST: 'disable': unknown optimisation 'group-loop'; did you mean 'group-loops'?
// PASS: error: 'disable': unknown optimisation 'nothing'; known are all, elide-all-reduce, gather-rows, recompute-small
// TARGET: target 'abacus' is not in this version; known are host, cuda, cuda-emulated
// TOWERS: expected at least 1 tower, got 0
// SLICING: unknown slicing 'thin'; known are balanced, drop-remainder, last-takes-rest, strict
// STAGE: unknown stage 'never' of 'stop-after'; known are import, train-step, parallel, placed, lowered, bufferized, target
// ORDER: stage 'parallel' of 'stop-after' comes before 'placed' of 'start-from'
// PRINT: expected at least 1 tower, got -1
module {
}
