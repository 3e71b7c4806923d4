//===- RepeatFinder.cpp - what stands in a sequence again -----------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Sort all suffixes of the sequence (by doubling), and find how much each
//      has in common with the one before it.
//   2. Suffixes that begin alike stand together then: each interval of them,
//      with what they have in common, is a repeat, whose places may overlap.
//   3. Weigh each at its full length and, where places overlap, at the distance
//      of the nearest two: of C C C C that is C, four times.
//
//===----------------------------------------------------------------------===//

#include "passes/host/RepeatFinder.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace belfry;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The suffixes of the sequence in lexicographic order, by where they start.
static SmallVector<unsigned> sortSuffixes(ArrayRef<unsigned> tokens) {
  unsigned n = tokens.size();
  SmallVector<unsigned> order(n), next(n);
  std::iota(order.begin(), order.end(), 0);
  SmallVector<int64_t> rank(tokens.begin(), tokens.end());
  for (unsigned known = 1;; known *= 2) {
    // Suffixes that are equal in `known` tokens have one rank.
    auto key = [&](unsigned i) {
      return std::pair(rank[i], i + known < n ? rank[i + known] : -1);
    };
    llvm::sort(order, [&](unsigned a, unsigned b) { return key(a) < key(b); });
    unsigned last = 0;
    for (unsigned i = 0; i < n; ++i) {
      last += i && key(order[i - 1]) != key(order[i]);
      next[order[i]] = last;
    }
    rank.assign(next.begin(), next.end());
    if (last + 1 >= n || known >= n)
      return order;
  }
}

/// What each suffix has in common with the one before it in `order`.
static SmallVector<unsigned> commonWithPrevious(ArrayRef<unsigned> tokens,
                                                ArrayRef<unsigned> order) {
  unsigned n = tokens.size(), common = 0;
  SmallVector<unsigned> place(n), result(n, 0);
  for (unsigned i = 0; i < n; ++i)
    place[order[i]] = i;
  for (unsigned i = 0; i < n; ++i) {
    if (place[i] == 0) {
      common = 0;
      continue;
    }
    unsigned other = order[place[i] - 1];
    while (i + common < n && other + common < n &&
           tokens[i + common] == tokens[other + common])
      ++common;
    result[place[i]] = common;
    common -= common > 0;
  }
  return result;
}

namespace {
struct Best {
  Repeat repeat;
  int64_t saving;
};
} // namespace

std::optional<Repeat> belfry::findRepeat(ArrayRef<unsigned> tokens,
                                         ArrayRef<int64_t> weights,
                                         int64_t callCost,
                                         int64_t leastSaving) {
  unsigned n = tokens.size();
  if (n < 2)
    return std::nullopt;
  SmallVector<unsigned> order = sortSuffixes(tokens),
                        common = commonWithPrevious(tokens, order);
  SmallVector<int64_t> before(n + 1, 0);
  for (unsigned i = 0; i < n; ++i)
    before[i + 1] = before[i] + weights[i];

  Best best = {{}, leastSaving - 1};
  auto weigh = [&](ArrayRef<unsigned> starts, unsigned length) {
    SmallVector<unsigned> taken;
    for (unsigned start : starts)
      if (taken.empty() || start >= taken.back() + length)
        taken.push_back(start);
    auto count = static_cast<int64_t>(taken.size());
    int64_t weight = before[taken[0] + length] - before[taken[0]];
    int64_t saving = (count - 1) * weight - count * callCost;
    auto rank = [](int64_t saving, const Repeat &r) {
      return std::tuple(saving, r.length,
                        r.starts.empty() ? 0 : -int64_t(r.starts[0]));
    };
    Repeat found = {length, std::move(taken)};
    if (count > 1 && saving > leastSaving - 1 &&
        rank(saving, found) > rank(best.saving, best.repeat))
      best = {std::move(found), saving};
  };
  auto consider = [&](unsigned length, unsigned from, unsigned to) {
    int64_t weight = before[order[from] + length] - before[order[from]];
    // Overlapping places may be more in a shorter length, of no more weight.
    if (int64_t(to - from) * weight - 2 * callCost < best.saving)
      return;
    SmallVector<unsigned> starts(order.begin() + from, order.begin() + to + 1);
    llvm::sort(starts);
    unsigned gap = length;
    for (unsigned i = 1; i < starts.size(); ++i)
      gap = std::min(gap, starts[i] - starts[i - 1]);
    weigh(starts, length);
    if (gap < length)
      weigh(starts, gap);
  };

  struct Interval {
    unsigned length, from;
  };
  SmallVector<Interval> open = {{0, 0}};
  for (unsigned i = 1; i <= n; ++i) {
    unsigned length = i < n ? common[i] : 0, from = i - 1;
    while (open.back().length > length) {
      consider(open.back().length, open.back().from, i - 1);
      from = open.pop_back_val().from;
    }
    if (open.back().length < length)
      open.push_back({length, from});
  }
  if (best.repeat.starts.empty())
    return std::nullopt;
  return std::move(best.repeat);
}
