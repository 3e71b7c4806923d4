//===- TowerDialect.td - towers: slices, replicas, collectives ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TOWER_DIALECT_TD
#define BELFRY_TOWER_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "dialects/nn/NnTypes.td"

def Tower_Dialect : Dialect {
  let name = "tower";
  let cppNamespace = "::belfry::tower";
  let summary = "one region, run by N towers on slices of the batch";
  let description = [{
    `tower.replicate` is a region with N instances, the towers. Each takes its
    rows of the batch with `tower.slice`; collectives combine values over all
    towers. N is a run-time value: the size of the program does not grow with it.
    Collectives are not pure: towers meet in them, so every tower has to issue
    the same sequence.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::belfry::nn::NnDialect"];
}

/// An enumerator and how it is written.
class Tower_Case<string symbol, string text> {
  string sym = symbol;
  string str = text;
}
class Tower_Enum<string name, string summary, list<Tower_Case> cases>
    : I32EnumAttr<name, summary,
        !foreach(i, !range(0, !size(cases)), I32EnumAttrCase<cases[i].sym, i, cases[i].str>)> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::belfry::tower";
}
class Tower_EnumAttr<Tower_Enum e, string mnemonic> : EnumAttr<Tower_Dialect, e, mnemonic>;

def Tower_Slicing : Tower_Enum<"Slicing", "how a batch is cut into towers",
  [
    Tower_Case<"Balanced", "balanced">, Tower_Case<"DropRemainder", "drop_remainder">,
    Tower_Case<"LastTakesRest", "last_takes_rest">, Tower_Case<"Strict", "strict">]>;
def Tower_SlicingAttr : Tower_EnumAttr<Tower_Slicing, "slicing">;

def Tower_ReduceKind : Tower_Enum<"ReduceKind", "reduction over towers", [
    Tower_Case<"Sum", "sum">, Tower_Case<"Max", "max">, Tower_Case<"Min", "min">]>;
def Tower_ReduceKindAttr : Tower_EnumAttr<Tower_ReduceKind, "reduce_kind">;

def Tower_DeviceKind : Tower_Enum<"DeviceKind", "kind of a device", [
    Tower_Case<"Cpu", "cpu">, Tower_Case<"Gpu", "gpu">]>;
def Tower_DeviceAttr : AttrDef<Tower_Dialect, "Device"> {
  let mnemonic = "device";
  let summary = "a device: #tower.device<gpu:0>";
  let parameters = (ins EnumParameter<Tower_DeviceKind>:$kind, "int64_t":$ordinal);
  let assemblyFormat = "`<` $kind `:` $ordinal `>`";
}

def Tower_PlacementAttr : AttrDef<Tower_Dialect, "Placement"> {
  let mnemonic = "placement";
  let summary = "the kind of device that an op was meant for, the one that it gets, the kernel and why";
  let parameters = (ins EnumParameter<Tower_DeviceKind>:$asked, EnumParameter<Tower_DeviceKind>:$given,
                        StringRefParameter<"name of the kernel">:$kernel, StringRefParameter<"why">:$reason);
  let assemblyFormat = [{
    `<` `asked` `=` $asked `,` `given` `=` $given `,` `kernel` `=` $kernel `,` `reason` `=` $reason `>`
  }];
}

#endif // BELFRY_TOWER_DIALECT_TD
