//===- Manifest.h - what the compiler says about a program ------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_RUNTIME_CORE_MANIFEST_H
#define BELFRY_RUNTIME_CORE_MANIFEST_H

#include "belfry/NumberRange.h"
#include "runtime/core/DType.h"
#include "runtime/core/Planner.h"
#include "runtime/core/Slicing.h"
#include "runtime/core/Status.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belfry::rt {

/// An input, output, target or sample weight of the model.
struct TensorInfo {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;                  ///< first dimension -1: the rows of the batch
  std::optional<int64_t> limit; ///< values have to be in [0, limit)
  /// A value that `limit` lets pass (the class that a loss ignores).
  std::optional<int64_t> ignore;
  std::string layer; ///< of the layer that `limit` comes from
  std::string loss;  ///< of a target
  /// Elements of one row.
  int64_t rowElements() const { return numElements(shape, 1); }
};

/// How a parameter is filled when there are no weights. `name` is Keras's, in
/// either spelling, or `lstm_bias` (zeros, ones for the forget gate).
struct InitializerInfo {
  std::string name;
  std::map<std::string, double> numbers;    ///< scale, stddev, gain, …
  std::map<std::string, std::string> words; ///< mode, distribution
};

struct ParameterInfo {
  std::string name;
  std::string path; ///< in a .weights.h5 file
  DType dtype = DType::F32;
  Shape shape;
  bool trainable = true;
  std::string layer;
  InitializerInfo initializer;
  uint32_t stream = 0;
  size_t bytes() const { return sizeOf(dtype) * numElements(shape); }
};

struct SlotInfo {
  std::string name;
  int64_t parameter = -1; ///< index, -1 for a slot of the optimizer itself
  DType dtype = DType::F32;
  Shape shape;
  double init = 0;
  size_t bytes() const { return sizeOf(dtype) * numElements(shape); }
};

struct OptimizerInfo {
  std::string name;
  std::map<std::string, NumberRange> limits; ///< of hypers that have some
  std::vector<std::pair<std::string, double>> hypers;
  std::vector<SlotInfo> slots;
};

struct MetricInfo {
  std::string name;
  bool weighted = false;
};

struct LayerInfo {
  std::string name, className;
  std::vector<Shape> outputs;
  int64_t parameters = 0;
};

/// What an array of a function is to the runtime.
enum class BufferKind {
  Input,
  Target,
  SampleWeight,
  Parameter,
  Slot,
  Hyper,
  Seed,
  Step,
  Output,
  Loss,
  MetricTotal,
  MetricCount,
  Gradient,
  GradientScale,
  Scratch,
  Cross,
};

/// A row of a function's buffer table.
struct BufferInfo {
  BufferKind kind = BufferKind::Scratch;
  int64_t index = 0;   ///< into the manifest's list of that kind
  bool shared = false; ///< one a host, not one a tower
  AffineSize bytes;    ///< of the tower's rows; of all rows where shared
  DType dtype = DType::F32;
  std::optional<std::pair<int64_t, int64_t>> live;
  /// The shared array whose rows of the tower this is, a row of the table, or
  /// -1.
  int64_t rowsOf = -1;
};

enum class ReduceKind { Sum, Max, Min };

/// A phase to run, or a collective between two phases.
struct ScheduleItem {
  enum Kind { Phase, AllReduce, AllGather } kind = Phase;
  int64_t phase = 0; ///< index into the table of phase functions
  /// For each tower, or once for all towers.
  enum Run { PerTower, Once } run = PerTower;
  ReduceKind reduce = ReduceKind::Sum;
  DType dtype = DType::F32;
  int64_t from = 0, to = 0; ///< rows of the buffer table
  int64_t count = 0;        ///< elements to reduce
  /// `to` has no place of its own: it is the first tower's `from`.
  bool inPlace = false;
  /// A gather's `from` is (outer, perRow · rows, inner) elements, its `to`
  /// (outer, perRow · global rows, inner), towers in order along the middle.
  int64_t outer = 1, inner = 1, perRow = 0;
};

struct FunctionInfo {
  std::vector<BufferInfo> buffers;
  std::vector<ScheduleItem> schedule;
};

/// A call of a phase that the program can measure.
struct OpInfo {
  std::string function, layer, kind;
  int64_t phase = -1; ///< index into the table of phase functions, or unknown
  std::vector<AffineSize> extents;
  std::optional<AffineSize> flops, bytes; ///< of one call
};

/// The manifest of docs/architecture.md, checked: every index is in range.
struct Manifest {
  std::string model, kerasVersion, target, mcpu, numerics;
  std::string memory;                ///< low, balanced or fast
  std::vector<std::string> disabled; ///< optimisations that were left out
  int64_t towers = 1;
  SlicingMode slicing = SlicingMode::Balanced;
  std::vector<TensorInfo> inputs, outputs, targets, sampleWeights;
  std::vector<ParameterInfo> parameters;
  OptimizerInfo optimizer;
  std::vector<std::string> losses; ///< keys in logs; the total's is empty
  std::vector<MetricInfo> metrics;
  std::vector<LayerInfo> layers;
  std::map<std::string, FunctionInfo> functions;
  std::vector<OpInfo> ops; ///< empty unless compiled with --profile-ops

  /// Null where the program has no such function.
  const FunctionInfo *function(const std::string &name) const;
  /// The key of a loss in logs: its name, or `loss` for the total.
  std::string lossKey(size_t index) const;
};

/// Reads a manifest for a program with `numPhases` phase functions. A failure
/// is internal: the compiler wrote it.
Expected<Manifest> parseManifest(std::string_view json, uint32_t numPhases);

} // namespace belfry::rt

#endif // BELFRY_RUNTIME_CORE_MANIFEST_H
