// RUN: belfry-opt %S/nn-place.mlir --place -o %t.place.mlir
// RUN: belfry-opt %S/nn-place.mlir --nn-place -o %t.nn-place.mlir
// RUN: cmp %t.place.mlir %t.nn-place.mlir
// RUN: belfry-opt %S/nn-place.mlir --place=device=gpu --verify-gpu-coverage | FileCheck %s

// The same as --nn-place; and a program that was placed on GPUs is one whose coverage is proven.
// CHECK: nn.dot {{.*}}{tower.placement = #tower.placement<asked = gpu, given = gpu, kernel = "dot"
