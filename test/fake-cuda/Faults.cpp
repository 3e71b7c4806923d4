//===- Faults.cpp - errors that a test asks for ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Faults.h"

#include "test/fake-cuda/Settings.h"

#include <algorithm>
#include <charconv>

using namespace belfry::fake;

static std::string withoutVersion(const std::string &function) {
  return function.ends_with("_v2") ? function.substr(0, function.size() - 3)
                                   : function;
}

static bool readNumber(std::string_view text, uint64_t &number) {
  auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

Faults::Faults(const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    Entry entry;
    entry.text = text.substr(at, end - at);
    at = end + 1;

    std::string rest = entry.text;
    entry.fault.kind = Fault::Kind::Call;
    if (rest.starts_with("async:")) {
      entry.fault.kind = Fault::Kind::Async;
      rest = rest.substr(6);
    }
    size_t colon = rest.find(':'), equals = rest.find('=');
    bool good = colon != std::string::npos && equals != std::string::npos &&
                colon < equals;
    if (good) {
      entry.function = withoutVersion(rest.substr(0, colon));
      good = readNumber(rest.substr(colon + 1, equals - colon - 1),
                        entry.number) &&
             entry.number > 0;
      std::string code = rest.substr(equals + 1);
      uint64_t number = 0;
      if (code == "hang") {
        entry.fault.kind = Fault::Kind::Hang;
      } else {
        if (code.ends_with("*")) {
          entry.fault.sticky = true;
          code.pop_back();
        }
        good = good && readNumber(code, number) && number > 0 && number < 1000;
        entry.fault.code = int(number);
      }
    }
    if (!good)
      fatal("BELFRY_FAKE_CUDA_FAIL has '" + entry.text +
            "', expected [async:]FUNCTION:NUMBER=CODE[*] or "
            "FUNCTION:NUMBER=hang");
    entries.push_back(std::move(entry));
  }
}

Fault Faults::next(const std::string &function) {
  if (entries.empty())
    return {};
  std::string name = withoutVersion(function);
  uint64_t number = ++calls[name];
  for (Entry &entry : entries)
    if (entry.function == name && entry.number == number) {
      entry.met = true;
      ++count;
      return entry.fault;
    }
  return {};
}

std::vector<std::string> Faults::waiting() const {
  std::vector<std::string> texts;
  for (const Entry &entry : entries)
    if (!entry.met)
      texts.push_back(entry.text);
  return texts;
}
