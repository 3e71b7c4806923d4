//===- FactsJson.cpp - facts as JSON, and back ----------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/report/Facts.h"

using namespace belfry;
using llvm::StringRef;
namespace json = llvm::json;

static json::Value toJson(const RowCount &count) {
  return json::Array{count.perRow, count.fixed};
}

json::Value belfry::toJson(const Facts &facts) {
  json::Array ops, collectives;
  for (const OpFact &op : facts.ops)
    ops.push_back(json::Object{{"function", op.function},
                               {"part", op.part},
                               {"layer", op.layer},
                               {"op", op.op},
                               {"type", op.type},
                               {"asked", op.asked},
                               {"given", op.given},
                               {"kernel", op.kernel},
                               {"reason", op.reason},
                               {"per_tower", op.perTower},
                               {"ops", op.ops},
                               {"runs", op.runs},
                               {"flops", ::toJson(op.flops)},
                               {"read", ::toJson(op.read)},
                               {"written", ::toJson(op.written)}});
  for (const CollectiveFact &fact : facts.collectives)
    collectives.push_back(json::Object{{"function", fact.function},
                                       {"kind", fact.kind},
                                       {"dtype", fact.dtype},
                                       {"members", json::Array(fact.members)},
                                       {"bytes", ::toJson(fact.bytes)}});
  return json::Object{{"ops", std::move(ops)},
                      {"collectives", std::move(collectives)}};
}

static bool fromJson(const json::Value &value, RowCount &count,
                     json::Path path) {
  std::vector<int64_t> pair;
  if (!json::fromJSON(value, pair, path))
    return false;
  if (pair.size() != 2) {
    path.report("expected two numbers");
    return false;
  }
  count = {pair[0], pair[1]};
  return true;
}

namespace {

/// Members of an object, each of which has to be there.
class Members {
public:
  Members(const json::Value &value, json::Path path)
      : object(value.getAsObject()), path(path), ok(object) {
    if (!object)
      path.report("expected an object");
  }
  template <typename T> Members &get(StringRef key, T &out) {
    if (!ok)
      return *this;
    const json::Value *value = object->get(key);
    if (!value) {
      path.field(key).report("missing");
      ok = false;
    } else if constexpr (std::is_same_v<T, RowCount>) {
      ok = ::fromJson(*value, out, path.field(key));
    } else {
      ok = json::fromJSON(*value, out, path.field(key));
    }
    return *this;
  }
  explicit operator bool() const { return ok; }

private:
  const json::Object *object;
  json::Path path;
  bool ok;
};

} // namespace

static bool fromJson(const json::Value &value, Facts &facts, json::Path path) {
  const json::Object *object = value.getAsObject();
  const json::Array *ops = object ? object->getArray("ops") : nullptr;
  const json::Array *collectives =
      object ? object->getArray("collectives") : nullptr;
  if (!ops || !collectives) {
    path.report("expected 'ops' and 'collectives'");
    return false;
  }
  for (auto [i, entry] : llvm::enumerate(*ops)) {
    OpFact op;
    if (!Members(entry, path.field("ops").index(i))
             .get("function", op.function)
             .get("part", op.part)
             .get("layer", op.layer)
             .get("op", op.op)
             .get("type", op.type)
             .get("asked", op.asked)
             .get("given", op.given)
             .get("kernel", op.kernel)
             .get("reason", op.reason)
             .get("per_tower", op.perTower)
             .get("ops", op.ops)
             .get("runs", op.runs)
             .get("flops", op.flops)
             .get("read", op.read)
             .get("written", op.written))
      return false;
    facts.ops.push_back(std::move(op));
  }
  for (auto [i, entry] : llvm::enumerate(*collectives)) {
    CollectiveFact fact;
    if (!Members(entry, path.field("collectives").index(i))
             .get("function", fact.function)
             .get("kind", fact.kind)
             .get("dtype", fact.dtype)
             .get("members", fact.members)
             .get("bytes", fact.bytes))
      return false;
    facts.collectives.push_back(std::move(fact));
  }
  return true;
}

llvm::Expected<Facts> belfry::factsFromJson(const json::Value &value) {
  json::Path::Root root("report");
  Facts facts;
  if (!::fromJson(value, facts, root))
    return root.getError();
  return facts;
}
