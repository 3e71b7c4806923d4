//===- Training.td - models, parameters, loss, metrics, optimizer ---------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_TRAINING_TD
#define BELFRY_NN_TRAINING_TD

include "dialects/nn/NnDialect.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

class Nn_TrainingOp<string mnemonic, list<Trait> traits = []> : Op<Nn_Dialect, mnemonic, traits>;

def Nn_ParameterOp : Nn_TrainingOp<"parameter", [Symbol]> {
  let summary = "a weight of the model";
  let description = [{
    A module-level symbol, named as the user's layer names it
    (`lstm_1/kernel`). `path` is where Keras's weight files keep it
    (`layers/lstm/cell/vars/0`), `layer` the layer's name, `initializer` a
    dictionary with Keras's snake-case name of the initializer under `name` and
    its arguments beside it; `stream` is the random stream that draws it. Values
    never stand in the module: the module's `nn.weights` attribute names the
    file that has them, if there is one. The order of the parameters in the
    module is Keras's.

    Constraints:
    - name, `path` and `layer` are not empty
    - the type is static
    - `initializer` has a string `name`

    ```mlir
    nn.parameter @"dense/kernel" : tensor<3x4xf32>
        {path = "layers/dense/vars/0", layer = "dense", trainable = true, stream = 1 : i32,
         initializer = {name = "glorot_uniform"}}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Nn_Tensor>:$type, StrAttr:$path,
                       StrAttr:$layer, BoolAttr:$trainable, DictionaryAttr:$initializer,
                       I32Attr:$stream);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

def Nn_GetParameterOp : Nn_TrainingOp<"get_parameter",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a parameter before the step";
  let description = [{
    The symbol names an nn.parameter of the module, of the result's type.

    ```mlir
    %k = nn.get_parameter @"dense/kernel" : tensor<3x4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$parameter attr-dict `:` type($result)";
}

def Nn_SeedOp : Nn_TrainingOp<"seed", [Pure]> {
  let summary = "the run's seed, as two words";
  let description = [{ --nn-build-train-step makes it an argument. }];
  let results = (outs Nn_SeedTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Nn_StepOp : Nn_TrainingOp<"step", [Pure]> {
  let summary = "the number of updates made before this step";
  let description = [{ --nn-build-train-step makes it an argument. }];
  let results = (outs Nn_ScalarI32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Nn_ModelOp : Nn_TrainingOp<"model",
    [FunctionOpInterface, IsolatedFromAbove, SymbolTable, Symbol, AutomaticAllocationScope]> {
  let summary = "a model, as its user defined it";
  let description = [{
    A function from inputs to outputs, written in layers. Arguments and results
    carry the user's names as `nn.name`. A model op is where a Keras file
    arrives; --nn-build-train-step consumes it.

    Constraints:
    - the body is one block, and ends with nn.return

    ```mlir
    nn.model @quickdraw(%strokes: tensor<?x100x3xf32> {nn.name = "strokes"})
        -> (tensor<?x100x1xf32> {nn.name = "out"}) { … nn.return … }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
  let hasVerifier = 1;
}

def Nn_ReturnOp : Nn_TrainingOp<"return", [Pure, Terminator, AttrSizedOperandSegments,
    HasParent<"::belfry::nn::ModelOp">]> {
  let summary = "ends an nn.model";
  let description = [{
    The outputs, and the masks that Keras would attach to them, which weight
    loss and metrics: mask i belongs to output `mask_of[i]`.

    Constraints:
    - outputs have the result types of the model
    - `mask_of` has an entry a mask: the index of an output, none of them
      twice
    - a mask's shape is that of its output's leading dimensions

    ```mlir
    nn.return %y : tensor<?x100x1xf32> masks(%m of [0] : tensor<?x100xi1>)
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$outputs, Variadic<Nn_BoolTensor>:$masks,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$mask_of);
  let assemblyFormat = [{
    ($outputs^ `:` type($outputs))? (`masks` `(` $masks^ `of` $mask_of `:` type($masks) `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Nn_CompileOp : Nn_TrainingOp<"compile", [NoTerminator, SingleBlock, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "how a model is trained: losses, metrics, optimizer";
  let description = [{
    What Keras's compile() says, resolved: every default is written out. At
    most one loss an output, one optimizer, any number of metrics.

    Constraints:
    - the symbol names an nn.model of the module
    - the body holds losses, metrics and optimizers only
    - at most one optimizer, and at most one loss an output
    - outputs are named as the model names its results

    ```mlir
    nn.compile @quickdraw {
      nn.loss "binary_crossentropy" of "out" target tensor<?x100x1xf32> {weight = 1.0}
      nn.metric "binary_accuracy" of "out" {name = "accuracy", weighted = false}
      nn.optimizer "adam" {learning_rate = 1.0e-3, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1.0e-7}
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$model);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$model attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Nn_LossOp : Nn_TrainingOp<"loss", [HasParent<"::belfry::nn::CompileOp">]> {
  let summary = "the loss of an output";
  let description = [{
    `kind` is Keras's snake-case name; further arguments (`from_logits`,
    `label_smoothing`, `delta`, `ignore_class` …) are attributes of their own name.
    `weight` is the loss weight. `reduction` is `sum_over_batch_size`, `sum`
    or `mean_with_sample_weight`. With `bypass_activation` the loss is computed from what
    goes into the output layer's softmax or sigmoid, as Keras on TensorFlow does
    where nothing stands between the activation and the loss. `target_type` is the
    type of the targets array, `name` the key under which an output's own loss is logged
    (empty: not logged).

    Constraints:
    - `kind` is a loss that Keras knows
    - `reduction` is one of the three
    - only a cross-entropy has `bypass_activation`
    - `delta` is above 0, `label_smoothing` from 0 to 1, every other number
      finite (Limits.h)
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$output, F64Attr:$weight,
                       DefaultValuedAttr<StrAttr, "\"sum_over_batch_size\"">:$reduction,
                       UnitAttr:$bypass_activation, TypeAttrOf<Nn_Tensor>:$target_type,
                       DefaultValuedAttr<StrAttr, "\"\"">:$name);
  let assemblyFormat = "$kind `of` $output `target` $target_type attr-dict";
  let hasVerifier = 1;
}

def Nn_MetricOp : Nn_TrainingOp<"metric", [HasParent<"::belfry::nn::CompileOp">]> {
  let summary = "a metric of an output";
  let description = [{
    `kind` is the resolved metric (`binary_accuracy`,
    `sparse_categorical_accuracy`, `mean_squared_error` …), `name` the key that
    it is logged under, `weighted` whether sample weights count.

    Constraints:
    - `kind` is a metric that Keras knows
    - `name` is not empty
    - its numbers are finite
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$output, StrAttr:$name, BoolAttr:$weighted);
  let assemblyFormat = "$kind `of` $output attr-dict";
  let hasVerifier = 1;
}

def Nn_OptimizerOp : Nn_TrainingOp<"optimizer", [HasParent<"::belfry::nn::CompileOp">]> {
  let summary = "the optimizer";
  let description = [{
    `kind` is `sgd`, `rmsprop`, `adam` or `adamw`; `hypers` are its numeric
    arguments, which become run-time scalars; the flags choose the update.

    Constraints:
    - `kind` is one of the four
    - `hypers` holds numbers, under names that the kind knows,
      `learning_rate` among them
    - `learning_rate`, `weight_decay` and `epsilon` are at least 0, `momentum` is
      from 0 to 1, `rho`, `beta_1` and `beta_2` are from 0 to below 1 (Limits.h)
    - only sgd has `nesterov`, only adam and adamw have `amsgrad`, only
      rmsprop has `centered`
  }];
  let arguments = (ins StrAttr:$kind, DictionaryAttr:$hypers, UnitAttr:$nesterov,
                       UnitAttr:$amsgrad, UnitAttr:$centered);
  let assemblyFormat = "$kind $hypers attr-dict";
  let hasVerifier = 1;
}

#endif // BELFRY_NN_TRAINING_TD
