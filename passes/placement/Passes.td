//===- placement/Passes.td -----------------------------------------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_PASSES_PLACEMENT_TD
#define BELFRY_PASSES_PLACEMENT_TD

include "mlir/Pass/PassBase.td"

def DescribeProgram : Pass<"describe-program", "::mlir::ModuleOp"> {
  let summary = "notes inputs, outputs, parameters, optimizer and metrics in the module";
  let description = [{
    Training functions say by the roles and names of their arguments and results
    what they take and give. Lowering takes the functions apart; before, this
    pass writes it all into the module's `belfry.program`, a dictionary that has
    the form of the manifest (docs/architecture.md): its lists `inputs`,
    `outputs`, `targets`, `sample_weights`, `parameters`, `losses`, `metrics`,
    `layers`, and `optimizer`.

    ```mlir
    module @two attributes {belfry.program = {inputs = [{dtype = "f32", name = "x", shape = array<i64: -1, 3> } ], …
    ```
  }];
}

def NnPlace : Pass<"nn-place", "::mlir::ModuleOp"> {
  let summary = "gives every op a device and a kernel";
  let description = [{
    Annotates each core op and each collective of the training functions with
    `tower.placement`: the kind of device that was asked for and the one that the
    op gets, the kernel that computes it, and why. What has no kernel for its
    type is an error; all of them are listed, by layer. Nothing falls back
    silently. On `gpu` a kernel is a family of the registry of kernels.

    ```mlir
    %y = nn.dot %x, %k … {tower.placement = #tower.placement<asked = cpu, given = cpu, kernel = "gemm_f32",
                                                      reason = "a product of matrices">}
    ```
  }];
  let options = [
    Option<"device", "device", "::belfry::tower::DeviceKind",
           /*default=*/"::belfry::tower::DeviceKind::Cpu", "kind of device to place on",
           [{::llvm::cl::values(
              clEnumValN(::belfry::tower::DeviceKind::Cpu, "cpu", "contexts of the host"),
              clEnumValN(::belfry::tower::DeviceKind::Gpu, "gpu", "graphics processors"))}]>,
    ListOption<"disable", "disable", "std::string",
               "families of kernels for GPUs to go without, by name, to test what is refused">
  ];
  let statistics = [
    Statistic<"numPlaced", "placed", "ops that have a kernel">,
    Statistic<"numWithout", "without", "ops that have none">
  ];
  let dependentDialects = ["::belfry::tower::TowerDialect"];
}

#endif // BELFRY_PASSES_PLACEMENT_TD
