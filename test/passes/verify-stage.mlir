// RUN: belfry-opt %s --verify-stage=stage=train-step | FileCheck %s --check-prefix=TRAIN
// RUN: belfry-opt %s --make-parallel --verify-stage=stage=parallel | FileCheck %s --check-prefix=PARALLEL
// RUN: belfry-opt %s --make-parallel --nn-place --verify-stage=stage=placed | FileCheck %s --check-prefix=PLACED
// RUN: belfry-opt %S/../tools/Inputs/mlp.mlir --verify-stage=stage=import | FileCheck %s --check-prefix=IMPORT
// RUN: belfry-opt %S/../tools/Inputs/scale.mlir --verify-stage=stage=target | FileCheck %s --check-prefix=TARGET

// TRAIN: module attributes {belfry.stage = "train-step"}
// PARALLEL: module attributes {belfry.stage = "parallel"}
// PLACED: module attributes {belfry.stage = "placed"}
// IMPORT: belfry.stage = "import"
// TARGET: belfry.stage = "target"
func.func @predict(%x: tensor<?x3xf32> {nn.role = #nn.role<input>}) -> (tensor<?x3xf32> {nn.role = #nn.role<output>}) {
  %y = nn.unary tanh %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
