//===- FakeProgram.cpp - a program written by hand ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/FakeProgram.h"

#include "runtime/core/Random.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <list>
#include <string>
#include <vector>

using namespace belfry::rt;

namespace {

using Json = nlohmann::ordered_json;

// Rows of the buffer table of train and evaluate. Row kScratch is the tower's
// own errors; kPartial what it contributes: D gradients of the kernel, one of
// the bias, Σ w·e², Σ w, Σ |e|, rows.
enum Row {
  kInput,
  kTarget,
  kWeight,
  kKernel,
  kBias,
  kMomentumKernel,
  kMomentumBias,
  kRate,
  kMomentum,
  kNoise,
  kSeed,
  kStep,
  kScratch,
  kPartial,
  kSum,
  kLoss,
  kTotal,
  kCount,
  kGradKernel,
  kGradBias,
  kGradScale,
};

template <typename T> T *at(const belfry_phase_args *args, Row row) {
  return static_cast<T *>(args->buffers[row]);
}

/// The number of features stands in no argument, so there is a copy of each
/// phase for each.
template <int D> void partial(const belfry_phase_args *args, bool training) {
  const float *x = at<float>(args, kInput), *y = at<float>(args, kTarget);
  const float *weight = at<float>(args, kWeight);
  const float *kernel = at<float>(args, kKernel),
              *bias = at<float>(args, kBias);
  float *error = at<float>(args, kScratch), *sum = at<float>(args, kPartial);
  for (int i = 0; i < D + 5; ++i)
    sum[i] = 0;
  const int32_t *seed = at<int32_t>(args, kSeed);
  Philox philox(uint32_t(seed[0]) | uint64_t(uint32_t(seed[1])) << 32);
  float noise = training ? *at<float>(args, kNoise) : 0;
  for (int64_t r = 0; r < args->rows; ++r) {
    float p = *bias;
    for (int i = 0; i < D; ++i)
      p += x[r * D + i] * kernel[i];
    if (noise != 0)
      p += noise *
           float(uniformOf(philox(0, uint32_t(args->row_offset + r),
                                  uint32_t(*at<int32_t>(args, kStep)), 7)[0]));
    error[r] = p - y[r];
  }
  for (int64_t r = 0; r < args->rows; ++r) {
    float e = error[r], w = weight[r];
    for (int i = 0; i < D; ++i)
      sum[i] += 2 * w * e * x[r * D + i];
    sum[D] += 2 * w * e;
    sum[D + 1] += w * e * e;
    sum[D + 2] += w;
    sum[D + 3] += std::abs(e);
    sum[D + 4] += 1;
  }
}

template <int D> void trainPartial(const belfry_phase_args *args) {
  partial<D>(args, true);
}
template <int D> void evaluatePartial(const belfry_phase_args *args) {
  partial<D>(args, false);
}

template <int D> void finish(const belfry_phase_args *args) {
  const float *sum = at<float>(args, kSum);
  *at<float>(args, kLoss) = sum[D + 2] != 0 ? sum[D + 1] / sum[D + 2] : 0;
  *at<float>(args, kTotal) = sum[D + 3];
  *at<float>(args, kCount) = sum[D + 4];
}

/// The update of the elements [first, last) of the kernel, and, with `rest`, of
/// everything else.
template <int D>
void updatePart(const belfry_phase_args *args, int64_t first, int64_t last,
                bool rest) {
  const float *sum = at<float>(args, kSum);
  float scale = sum[D + 2] != 0 ? 1 / sum[D + 2] : 0;
  float rate = *at<float>(args, kRate), momentum = *at<float>(args, kMomentum);
  float *kernel = at<float>(args, kKernel), *bias = at<float>(args, kBias);
  float *mk = at<float>(args, kMomentumKernel);
  float *mb = at<float>(args, kMomentumBias);
  for (int64_t i = first; i < last; ++i) {
    at<float>(args, kGradKernel)[i] = sum[i];
    mk[i] = momentum * mk[i] - rate * sum[i] * scale;
    kernel[i] += mk[i];
  }
  if (!rest)
    return;
  finish<D>(args);
  *at<float>(args, kGradScale) = scale;
  *at<float>(args, kGradBias) = sum[D];
  *mb = momentum * *mb - rate * sum[D] * scale;
  *bias += *mb;
}

template <int D> void update(const belfry_phase_args *args) {
  updatePart<D>(args, 0, D, true);
}

/// The same in loops that say they are costly, so that threads share them: one
/// over the elements of the kernel, one of a single iteration for the rest.
template <int D> void updateShared(const belfry_phase_args *args) {
  auto elements = [](const void *arg, int64_t begin, int64_t end) {
    updatePart<D>(static_cast<const belfry_phase_args *>(arg), begin, end,
                  false);
  };
  auto rest = [](const void *arg, int64_t begin, int64_t end) {
    if (begin < end)
      updatePart<D>(static_cast<const belfry_phase_args *>(arg), 0, 0, true);
  };
  constexpr int64_t cost = 100 * BELFRY_LOOP_COST_OF_MICROSECOND;
  const belfry_loop loops[] = {{elements, args, D, cost, 1},
                               {rest, args, 1, cost, 1}};
  belfry_parallel_for(args->context, 2, loops);
}

/// predict has a table of its own: input, kernel, bias, output.
template <int D> void predict(const belfry_phase_args *args) {
  auto *x = static_cast<const float *>(args->buffers[0]);
  auto *kernel = static_cast<const float *>(args->buffers[1]);
  auto *bias = static_cast<const float *>(args->buffers[2]);
  auto *y = static_cast<float *>(args->buffers[3]);
  for (int64_t r = 0; r < args->rows; ++r) {
    y[r] = *bias;
    for (int i = 0; i < D; ++i)
      y[r] += x[r * D + i] * kernel[i];
  }
}

template <int D>
constexpr belfry_phase_fn kPhases[] = {trainPartial<D>,    update<D>,
                                       evaluatePartial<D>, finish<D>,
                                       predict<D>,         updateShared<D>};

Json buffer(const char *kind, int64_t index, const char *scope, int64_t perRow,
            int64_t fixed) {
  return {{"kind", kind},
          {"index", index},
          {"scope", scope},
          {"bytes", {perRow, fixed}}};
}

Json live(Json row, int64_t first, int64_t last) {
  row["live"] = {first, last};
  return row;
}

Json trainFunction(int64_t d, int first, int second) {
  Json function;
  int64_t partialBytes = 4 * (d + 5);
  function["buffers"] =
      Json::array({buffer("input", 0, "tower", 4 * d, 0),
                   buffer("target", 0, "tower", 4, 0),
                   buffer("sample_weight", 0, "tower", 4, 0),
                   buffer("parameter", 0, "shared", 0, 4 * d),
                   buffer("parameter", 1, "shared", 0, 4),
                   buffer("slot", 0, "shared", 0, 4 * d),
                   buffer("slot", 1, "shared", 0, 4),
                   buffer("hyper", 0, "shared", 0, 4),
                   buffer("hyper", 1, "shared", 0, 4),
                   buffer("hyper", 2, "shared", 0, 4),
                   buffer("seed", 0, "shared", 0, 8),
                   buffer("step", 0, "shared", 0, 4),
                   live(buffer("scratch", 0, "tower", 4, 0), 0, 1),
                   live(buffer("cross", 0, "tower", 0, partialBytes), 1, 2),
                   live(buffer("cross", 0, "shared", 0, partialBytes), 2, 9),
                   buffer("loss", 0, "shared", 0, 4),
                   buffer("metric_total", 0, "shared", 0, 4),
                   buffer("metric_count", 0, "shared", 0, 4),
                   buffer("gradient", 0, "shared", 0, 4 * d),
                   buffer("gradient", 1, "shared", 0, 4),
                   buffer("gradient_scale", 0, "shared", 0, 4)});
  function["schedule"] = Json::array({{{"phase", first}, {"run", "per_tower"}},
                                      {{"all_reduce", "sum"},
                                       {"dtype", "f32"},
                                       {"from", int(kPartial)},
                                       {"to", int(kSum)},
                                       {"count", {0, d + 5}}},
                                      {{"phase", second}, {"run", "once"}}});
  return function;
}

Json predictFunction(int64_t d) {
  Json function;
  function["buffers"] = Json::array({buffer("input", 0, "tower", 4 * d, 0),
                                     buffer("parameter", 0, "shared", 0, 4 * d),
                                     buffer("parameter", 1, "shared", 0, 4),
                                     buffer("output", 0, "tower", 4, 0)});
  function["schedule"] = Json::array({{{"phase", 4}, {"run", "per_tower"}}});
  return function;
}

std::string manifestText(const test::FakeOptions &options) {
  int64_t d = options.features;
  Json json = {
      {"abi", 2},
      {"model", "linear"},
      {"keras_version", "3.15.1"},
      {"target", "host"},
      {"mcpu", "x86-64"},
      {"numerics", "host/x86-64/1"},
      {"towers", options.towers},
      {"slicing", options.slicing},
  };
  json["inputs"] = {{{"name", "x"}, {"dtype", "f32"}, {"shape", {nullptr, d}}}};
  json["outputs"] = {
      {{"name", "dense"}, {"dtype", "f32"}, {"shape", {nullptr, 1}}}};
  json["targets"] = {{{"name", "dense"},
                      {"dtype", "f32"},
                      {"shape", {nullptr, 1}},
                      {"loss", "mean_squared_error"}}};
  json["sample_weights"] = {
      {{"name", "dense"}, {"dtype", "f32"}, {"shape", Json::array({nullptr})}}};
  json["parameters"] = {{{"name", "dense/kernel"},
                         {"path", "layers/dense/vars/0"},
                         {"dtype", "f32"},
                         {"shape", {d, 1}},
                         {"layer", "dense"},
                         {"initializer", {{"name", "glorot_uniform"}}},
                         {"stream", 11}},
                        {{"name", "dense/bias"},
                         {"path", "layers/dense/vars/1"},
                         {"dtype", "f32"},
                         {"shape", Json::array({1})},
                         {"layer", "dense"},
                         {"initializer", {{"name", "zeros"}}},
                         {"stream", 12}}};
  json["optimizer"] = {
      {"name", "sgd"},
      {"hypers",
       {{"learning_rate", double(0.05f)}, {"momentum", 0.9}, {"noise", 0.0}}},
      {"limits",
       {{"learning_rate", {{"least", 0.0}}},
        {"momentum", {{"least", 0.0}, {"most", 1.0}}},
        {"noise", {{"least", 0.0}, {"below", 1.0}}}}},
      {"slots",
       {{{"name", "momentum"}, {"parameter", "dense/kernel"}, {"init", 0.0}},
        {{"name", "momentum"}, {"parameter", "dense/bias"}, {"init", 0.0}}}}};
  json["losses"] = Json::array({""});
  json["metrics"] = {{{"name", "mae"}, {"weighted", false}}};
  json["layers"] = {{{"name", "x"},
                     {"class", "InputLayer"},
                     {"output_shape", {nullptr, d}},
                     {"parameters", 0}},
                    {{"name", "dense"},
                     {"class", "Dense"},
                     {"output_shape", {nullptr, 1}},
                     {"parameters", d + 1}}};
  Json functions = Json::object();
  if (options.withLoss) {
    functions["train"] = trainFunction(d, 0, options.shared ? 5 : 1);
    functions["evaluate"] = trainFunction(d, 2, 3);
  }
  functions["predict"] = predictFunction(d);
  json["functions"] = functions;
  return json.dump();
}

const belfry_phase_fn *phasesFor(int64_t features) {
  static const belfry_phase_fn *const tables[] = {
      kPhases<1>, kPhases<2>, kPhases<3>, kPhases<4>, kPhases<5>,
      kPhases<6>, kPhases<7>, kPhases<8>, kPhases<9>};
  return tables[features - 1];
}

struct Program {
  std::string manifest;
  std::vector<float> weights;
  belfry_program_v2 program;
};

} // namespace

const belfry_program_v2 &test::fakeProgram(const FakeOptions &options) {
  static std::list<Program> programs;
  Program &one = programs.emplace_back();
  one.manifest = manifestText(options);
  // The bias begins at the next multiple of 64 bytes.
  size_t begin = (size_t(options.features) * 4 + 63) / 64 * 16;
  one.weights.assign(begin + 1, 0.5f);
  one.weights[begin] = 0.25f;
  one.program = {BELFRY_ABI_VERSION,
                 6,
                 one.manifest.data(),
                 one.manifest.size(),
                 phasesFor(options.features),
                 options.embedded ? reinterpret_cast<const unsigned char *>(
                                        one.weights.data())
                                  : nullptr,
                 options.embedded ? one.weights.size() * 4 : 0,
                 nullptr};
  return one.program;
}
