//===- Diagnostics.cpp - what an import has to say ------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/import/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace belfry;
using llvm::StringRef;

llvm::LogicalResult ImportDiagnostics::error(const llvm::Twine &message) {
  errors.push_back(message.str());
  return llvm::failure();
}

void ImportDiagnostics::warning(const llvm::Twine &message) {
  warnings.push_back(message.str());
}

void ImportDiagnostics::print(llvm::raw_ostream &os, bool all) const {
  size_t total = errors.size() + warnings.size();
  // The last line is kept for the count of what was left out.
  size_t room = all || total <= kMaxLines ? total : kMaxLines - 1;
  size_t shown = 0;
  auto list = [&](llvm::ArrayRef<std::string> messages, StringRef kind) {
    for (const std::string &message : messages) {
      if (shown == room)
        return;
      // User's names may hold line breaks; a message is one line.
      os << kind << ": ";
      for (char c : message)
        os << (c == '\n' || c == '\r' ? ' ' : c);
      os << '\n';
      ++shown;
    }
  };
  list(errors, "error");
  size_t shownErrors = shown;
  list(warnings, "warning");
  if (shown == total)
    return;
  os << (errors.empty() ? "warning: " : "error: ");
  size_t moreErrors = errors.size() - shownErrors;
  size_t moreWarnings = total - shown - moreErrors;
  if (moreErrors)
    os << moreErrors << " more errors";
  if (moreWarnings)
    os << (moreErrors ? " and " : "") << moreWarnings << " more warnings";
  os << "; --all-errors prints them\n";
}

std::string belfry::suggest(StringRef name, llvm::ArrayRef<StringRef> known,
                            llvm::ArrayRef<StringRef> listed) {
  unsigned limit = std::max<unsigned>(2, unsigned(name.size()) / 3);
  unsigned best = limit + 1;
  llvm::SmallVector<StringRef> nearest;
  for (StringRef candidate : known) {
    unsigned distance =
        name.edit_distance_insensitive(candidate, /*AllowReplacements=*/true);
    if (distance > limit || distance > best)
      continue;
    if (distance < best)
      nearest.clear();
    best = distance;
    // A class and its function differ in case only.
    bool isSaid = llvm::any_of(nearest, [&](StringRef other) {
      return other.equals_insensitive(candidate);
    });
    if (!isSaid && nearest.size() < 3)
      nearest.push_back(candidate);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  auto quoted = [&](StringRef one) { os << '\'' << one << '\''; };
  if (!nearest.empty()) {
    os << "did you mean ";
    llvm::interleave(nearest, quoted, [&] { os << " or "; });
    os << '?';
    return text;
  }
  os << "known: ";
  llvm::interleave(listed.empty() ? known : listed, quoted,
                   [&] { os << ", "; });
  return text;
}

std::string belfry::quotedList(llvm::ArrayRef<std::string> names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      names, [&](const std::string &one) { os << '\'' << one << '\''; },
      [&] { os << ", "; });
  return text;
}
