// RUN: belfry-opt %S/../tools/Inputs/mlp.mlir --belfry-pipeline='towers=3 slicing=drop-remainder stop-after=parallel' --describe-program | FileCheck %s

// A dictionary in the form of the manifest; its keys are in alphabetical order.

// CHECK: module @mlp attributes
// CHECK-SAME: belfry.program = {
// CHECK-SAME: inputs = [{dtype = "f32", name = "x", shape = array<i64: -1, 3>}]
// CHECK-SAME: keras_version = "3.15.1"
// CHECK-SAME: layers = [{class = "Dense", name = "hidden"
// CHECK-SAME: losses = [""]
// CHECK-SAME: metrics = [{name = "accuracy", weighted = false}]
// CHECK-SAME: model = "mlp"
// CHECK-SAME: hypers = [{name = "learning_rate", value = 1.000000e-03 : f64}
// CHECK-SAME: name = "adam"
// CHECK-SAME: slots = [{dtype = "f32", name = "{{[a-z_]+}}", parameter = "hidden/kernel", shape = array<i64: 3, 5>}
// CHECK-SAME: outputs = [{dtype = "f32", name = "kind", shape = array<i64: -1, 4>}]
// CHECK-SAME: parameters = [{dtype = "f32", initializer = {name = "glorot_uniform"}, layer = "hidden", name = "hidden/kernel", path = "layers/dense/vars/0", shape = array<i64: 3, 5>, stream = 1 : i32, trainable = true}
// CHECK-SAME: sample_weights = [{dtype = "f32", name = "kind", shape = array<i64: -1>}]
// CHECK-SAME: slicing = "drop-remainder"
// CHECK-SAME: targets = [{dtype = "i32", limit = 4 : i64, loss = "sparse_categorical_crossentropy", name = "kind", shape = array<i64: -1, 1>}]
// CHECK-SAME: towers = 3 : i64
