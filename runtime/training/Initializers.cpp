//===- Initializers.cpp - Keras's initializers ----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/training/Initializers.h"

#include "runtime/core/Random.h"

#include <Eigen/QR>

#include <algorithm>
#include <cctype>
#include <functional>

using namespace belfry::rt;

namespace {

/// `GlorotUniform` and `glorot_uniform` both as the latter.
std::string snakeCase(const std::string &name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    if (std::isupper(static_cast<unsigned char>(name[i])) && i > 0)
      text += '_';
    text += char(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return text;
}

/// What stands for a name: the law and its default numbers.
struct Law {
  enum Kind {
    Constant,
    Identity,
    Orthogonal,
    Uniform,
    Normal,
    Truncated,
    Scaling,
    LstmBias,
    Unknown
  } kind = Unknown;
  double scale = 1;
  const char *mode = "fan_in", *distribution = "truncated_normal";
};

Law lawOf(const std::string &name) {
  static const struct {
    const char *name;
    Law law;
  } laws[] = {
      {"zeros", {Law::Constant, 0}},
      {"zero", {Law::Constant, 0}},
      {"ones", {Law::Constant, 1}},
      {"one", {Law::Constant, 1}},
      {"constant", {Law::Constant, 0}},
      {"identity", {Law::Identity}},
      {"identity_initializer", {Law::Identity}},
      {"orthogonal", {Law::Orthogonal}},
      {"orthogonal_initializer", {Law::Orthogonal}},
      {"random_uniform", {Law::Uniform}},
      {"uniform", {Law::Uniform}},
      {"random_normal", {Law::Normal}},
      {"truncated_normal", {Law::Truncated}},
      {"normal", {Law::Normal}},
      {"variance_scaling", {Law::Scaling}},
      {"glorot_uniform", {Law::Scaling, 1, "fan_avg", "uniform"}},
      {"glorot_normal", {Law::Scaling, 1, "fan_avg", "truncated_normal"}},
      {"he_uniform", {Law::Scaling, 2, "fan_in", "uniform"}},
      {"he_normal", {Law::Scaling, 2, "fan_in", "truncated_normal"}},
      {"lecun_uniform", {Law::Scaling, 1, "fan_in", "uniform"}},
      {"lecun_normal", {Law::Scaling, 1, "fan_in", "truncated_normal"}},
      {"lstm_bias", {Law::LstmBias}},
  };
  std::string snake = snakeCase(name);
  for (const auto &entry : laws)
    if (snake == entry.name)
      return entry.law;
  return {};
}

double number(const InitializerInfo &info, const char *key, double otherwise) {
  auto found = info.numbers.find(key);
  return found == info.numbers.end() ? otherwise : found->second;
}

std::string word(const InitializerInfo &info, const char *key,
                 const char *otherwise) {
  auto found = info.words.find(key);
  return found == info.words.end() ? otherwise : found->second;
}

/// Fan in and fan out of a shape (keras/src/initializers: compute_fans).
std::pair<double, double> fansOf(const Shape &shape) {
  if (shape.empty())
    return {1, 1};
  if (shape.size() == 1)
    return {shape[0], shape[0]};
  double field = 1;
  for (size_t i = 0; i + 2 < shape.size(); ++i)
    field *= double(shape[i]);
  return {field * double(shape[shape.size() - 2]),
          field * double(shape.back())};
}

/// The draws of one parameter.
class Draws {
public:
  Draws(uint64_t seed, uint32_t stream) : philox(seed), stream(stream) {}

  double uniform(int64_t element) const {
    return uniformOf(philox(uint32_t(element), 0, kInitialMark, stream)[0]);
  }
  double normal(int64_t element) const {
    Philox::Block block = philox(uint32_t(element), 0, kInitialMark, stream);
    return normalsOf(block[0], block[1])[0];
  }
  /// Drawn again outside of two standard deviations.
  double truncated(int64_t element) const {
    for (uint32_t attempt = 0;; ++attempt) {
      Philox::Block block =
          philox(uint32_t(element), attempt, kInitialMark, stream);
      for (size_t pair : {0, 2})
        for (double value : normalsOf(block[pair], block[pair + 1]))
          if (std::abs(value) <= 2)
            return value;
    }
  }

private:
  Philox philox;
  uint32_t stream;
};

using Element = std::function<double(int64_t)>;

Expected<Element> scalingElement(const ParameterInfo &parameter, const Law &law,
                                 const Draws &draws) {
  const InitializerInfo &info = parameter.initializer;
  auto [fanIn, fanOut] = fansOf(parameter.shape);
  std::string mode = word(info, "mode", law.mode);
  double fan = mode == "fan_in"    ? fanIn
               : mode == "fan_out" ? fanOut
                                   : (fanIn + fanOut) / 2;
  double variance = number(info, "scale", law.scale) / std::max(1.0, fan);
  std::string distribution = word(info, "distribution", law.distribution);
  if (distribution == "uniform") {
    double bound = std::sqrt(3 * variance);
    return Element(
        [=](int64_t e) { return bound * (2 * draws.uniform(e) - 1); });
  }
  if (distribution == "untruncated_normal") {
    double stddev = std::sqrt(variance);
    return Element([=](int64_t e) { return stddev * draws.normal(e); });
  }
  // The standard deviation of a normal law cut at two of its own.
  double stddev = std::sqrt(variance) / .87962566103423978;
  return Element([=](int64_t e) { return stddev * draws.truncated(e); });
}

/// The orthogonal factor of a normal matrix, with the signs that make its law
/// uniform (Mezzadri, "How to generate random matrices from the classical
/// compact groups", 2007).
Element orthogonalElement(const ParameterInfo &parameter, const Draws &draws) {
  const Shape &shape = parameter.shape;
  int64_t columns = shape.empty() ? 1 : shape.back();
  int64_t rows = columns ? numElements(shape) / columns : 0;
  int64_t tall = std::max(rows, columns), wide = std::min(rows, columns);
  Eigen::MatrixXd matrix(tall, wide);
  for (int64_t i = 0; i < tall; ++i)
    for (int64_t j = 0; j < wide; ++j)
      matrix(i, j) = draws.normal(i * wide + j);
  Eigen::HouseholderQR<Eigen::MatrixXd> qr(matrix);
  Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(tall, wide);
  for (int64_t j = 0; j < wide; ++j)
    if (qr.matrixQR()(j, j) < 0)
      q.col(j) = -q.col(j);
  double gain = number(parameter.initializer, "gain", 1);
  return [=, q = std::move(q)](int64_t e) {
    int64_t i = e / columns, j = e % columns;
    return gain * (rows < columns ? q(j, i) : q(i, j));
  };
}

Expected<Element> elementOf(const ParameterInfo &parameter,
                            const Draws &draws) {
  const InitializerInfo &info = parameter.initializer;
  const Shape &shape = parameter.shape;
  Law law = lawOf(info.name.empty() ? "zeros" : info.name);
  switch (law.kind) {
  case Law::Constant: {
    double value = number(info, "value", law.scale);
    return Element([=](int64_t) { return value; });
  }
  case Law::Identity: {
    int64_t columns = shape.empty() ? 1 : shape.back();
    double gain = number(info, "gain", 1);
    return Element(
        [=](int64_t e) { return e / columns == e % columns ? gain : 0; });
  }
  case Law::LstmBias: {
    auto units = int64_t(
        number(info, "units", shape.empty() ? 0 : double(shape.back()) / 4));
    int64_t columns = std::max<int64_t>(1, shape.empty() ? 1 : shape.back());
    return Element([=](int64_t e) {
      return e % columns / std::max<int64_t>(1, units) == 1 ? 1.0 : 0.0;
    });
  }
  case Law::Uniform: {
    double low = number(info, "minval", -0.05);
    double high = number(info, "maxval", 0.05);
    return Element(
        [=](int64_t e) { return low + (high - low) * draws.uniform(e); });
  }
  case Law::Normal:
  case Law::Truncated: {
    double mean = number(info, "mean", 0);
    double stddev = number(info, "stddev", 0.05);
    bool cut = law.kind == Law::Truncated;
    return Element([=](int64_t e) {
      return mean + stddev * (cut ? draws.truncated(e) : draws.normal(e));
    });
  }
  case Law::Scaling:
    return scalingElement(parameter, law, draws);
  case Law::Orthogonal:
    return orthogonalElement(parameter, draws);
  case Law::Unknown:
    break;
  }
  return Status::user("parameter '" + parameter.name +
                      "' has the unknown initializer '" + info.name + "'");
}

} // namespace

bool belfry::rt::isKnownInitializer(const std::string &name) {
  return lawOf(name).kind != Law::Unknown;
}

Status belfry::rt::initialize(const ParameterInfo &parameter, uint64_t seed,
                              std::byte *target) {
  Draws draws(seed, parameter.stream);
  Expected<Element> element = elementOf(parameter, draws);
  if (!element.ok())
    return element.status();
  int64_t count = numElements(parameter.shape);
  for (int64_t i = 0; i < count; ++i)
    storeElement(parameter.dtype, target, i, (*element)(i));
  return Status::success();
}
