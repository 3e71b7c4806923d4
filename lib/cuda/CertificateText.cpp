//===- CertificateText.cpp - a certificate as a document ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/cuda/Certificate.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace belfry;
namespace json = llvm::json;
using llvm::StringRef;

std::string belfry::certificateJson(const json::Value &certificate) {
  return llvm::formatv("{0:2}\n", certificate).str();
}

std::string belfry::certificateFor(StringRef file,
                                   const json::Value &certificate) {
  return llvm::sys::path::extension(file) == ".txt"
             ? certificateText(certificate)
             : certificateJson(certificate);
}

namespace {

/// Rows of cells; columns are as wide as their widest cell.
class Table {
public:
  using Row = std::vector<std::string>;

  explicit Table(Row header) { add(std::move(header)); }
  void add(Row row) { rows.push_back(std::move(row)); }
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<Row> rows;
};

} // namespace

void Table::print(llvm::raw_ostream &os) const {
  std::vector<size_t> widths(rows.front().size());
  for (const Row &row : rows)
    for (auto [width, cell] : llvm::zip(widths, row))
      width = std::max(width, cell.size());
  for (const Row &row : rows) {
    std::string line = " ";
    for (auto [width, cell] : llvm::zip(widths, row))
      line += " " + cell + std::string(width - cell.size() + 1, ' ');
    os << StringRef(line).rtrim() << '\n';
  }
}

static std::string textOf(const json::Object &object, StringRef key) {
  if (std::optional<StringRef> text = object.getString(key))
    return text->str();
  if (std::optional<int64_t> number = object.getInteger(key))
    return std::to_string(*number);
  return "";
}

template <typename Body>
static void forEach(const json::Object &object, StringRef key, Body body) {
  if (const json::Array *array = object.getArray(key))
    for (const json::Value &value : *array)
      if (const json::Object *entry = value.getAsObject())
        body(*entry);
}

static void printOps(const json::Object &all, llvm::raw_ostream &os) {
  const StringRef keys[] = {"function", "layer",  "role",  "tower",
                            "op",       "parts",  "dtype", "class",
                            "shape",    "kernel", "source"};
  llvm::MapVector<Table::Row, int64_t, std::map<Table::Row, unsigned>> kinds;
  forEach(all, "ops", [&](const json::Object &op) {
    Table::Row row;
    for (StringRef key : keys)
      row.push_back(textOf(op, key));
    ++kinds[row];
  });
  Table::Row header(std::begin(keys), std::end(keys));
  header.push_back("ops");
  Table table(std::move(header));
  for (auto &[row, count] : kinds) {
    Table::Row full = row;
    full.push_back(std::to_string(count));
    table.add(std::move(full));
  }
  table.print(os);
}

static void printKernels(const json::Object &all, llvm::raw_ostream &os) {
  Table table({"kernel", "family", "source", "least", "hot", "threads",
               "assembled", "registers", "stack", "spills", "shared",
               "occupancy"});
  forEach(all, "kernels", [&](const json::Object &kernel) {
    Table::Row row;
    for (StringRef key : {"name", "family", "source", "least_architecture"})
      row.push_back(textOf(kernel, key));
    row.push_back(kernel.getBoolean("hot").value_or(false) ? "hot" : "");
    row.push_back(textOf(kernel, "threads"));
    const json::Object *assembled = kernel.getObject("assembled");
    if (!assembled || assembled->empty()) {
      row.insert(row.end(), {"no", "", "", "", "", ""});
      return table.add(std::move(row));
    }
    // Architectures in the order of the document, not of their names.
    for (const json::Value &name : *all.getArray("architectures")) {
      const json::Object *use = assembled->getObject(*name.getAsString());
      if (!use)
        continue;
      Table::Row full = row;
      full.push_back(name.getAsString()->str());
      full.push_back(textOf(*use, "registers"));
      full.push_back(textOf(*use, "stack"));
      full.push_back(textOf(*use, "spill_stores") + "+" +
                     textOf(*use, "spill_loads"));
      full.push_back(textOf(*use, "shared"));
      full.push_back(llvm::formatv(
          "{0:f0} %", 100 * use->getNumber("occupancy").value_or(0)));
      table.add(std::move(full));
    }
  });
  table.print(os);
}

std::string belfry::certificateText(const json::Value &certificate) {
  const json::Object &all = *certificate.getAsObject();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "coverage certificate, version " << textOf(all, "version") << '\n';
  std::vector<std::string> names;
  for (const json::Value &name : *all.getArray("architectures"))
    names.push_back(name.getAsString()->str());
  os << "assembled for: "
     << (names.empty() ? "nothing yet" : llvm::join(names, ", ")) << '\n';
  os << "launches of a tower:";
  for (const auto &[function, count] : *all.getObject("launches"))
    os << ' ' << StringRef(function) << ' ' << count;
  os << "\n\nops\n";
  printOps(all, os);
  os << "\nkernels (bytes; spills are stores + loads)\n";
  printKernels(all, os);
  if (const json::Array *list = all.getArray("collectives");
      list && !list->empty()) {
    os << "\nbetween towers\n";
    Table table({"function", "op", "dtype", "source"});
    forEach(all, "collectives", [&](const json::Object &item) {
      table.add({textOf(item, "function"), textOf(item, "op"),
                 textOf(item, "dtype"), textOf(item, "source")});
    });
    table.print(os);
  }
  return text;
}
