//===- HostCheck.cpp - the host target against the interpreter ------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   belfry-host-check FILE.mlir [--batch 0,1,5] [--towers 1,2] [--tolerance t]
//     [--target host|cuda-emulated] [--units u] [--extremes]
//
// Compiles each function that has roles for the host, or as a GPU's kernels
// that the host runs, runs it on given numbers of rows and towers and compares
// every result with the interpreter's: relative to the largest element, or by
// units in the last place of each. --extremes makes inputs of zeros,
// infinities, NaN, denormal numbers and the ends of ranges. Scratch memory is
// shared by lifetimes, as in a training binary, and filled with NaN before each
// phase, so a wrong lifetime shows.
//
//===----------------------------------------------------------------------===//

#include "belfry/InitAll.h"
#include "belfry/Runtime.h"
#include "lib/interpreter/GenerateData.h"
#include "lib/interpreter/Interpreter.h"
#include "passes/StagePipeline.h"
#include "runtime/host/Context.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <ctime>

using namespace mlir;
using namespace belfry;
using nn::HostTensor;

namespace cl = llvm::cl;
static cl::opt<std::string> inputFile(cl::Positional, cl::Required);
static cl::list<long> batches("batch", cl::CommaSeparated);
static cl::list<long> towerCounts("towers", cl::CommaSeparated);
static cl::opt<double> tolerance("tolerance", cl::init(1e-5));
static cl::opt<double> units(
    "units", cl::init(-1),
    cl::desc("of the last place that floats may differ by; others equal"));
static cl::opt<bool> extremes("extremes", cl::init(false));
static cl::opt<nn::Precision>
    precision("precision", cl::init(nn::Precision::F32),
              cl::desc("of the interpreter"),
              cl::values(clEnumValN(nn::Precision::F32, "f32", ""),
                         clEnumValN(nn::Precision::F64, "f64", "")));
static cl::opt<std::string> target("target", cl::init("host"));
static cl::opt<unsigned long> seed("seed", cl::init(1));
static cl::opt<int> threads("threads-per-device", cl::init(1));
static cl::opt<int>
    repeat("measure", cl::init(0),
           cl::desc("also run so often and print milliseconds"));
static cl::opt<bool> interpretToo("compare", cl::init(true));

namespace {

std::optional<nn::Role> resultRole(func::FuncOp function, unsigned index) {
  auto role = function.getResultAttrOfType<nn::RoleAttr>(index, nn::kRoleAttr);
  return role ? std::optional(role.getValue()) : std::nullopt;
}
std::string resultName(func::FuncOp function, unsigned index) {
  auto name = function.getResultAttrOfType<StringAttr>(index, nn::kNameAttr);
  return name ? name.str() : "";
}
int64_t integer(DictionaryAttr d, StringRef key) {
  return d.getAs<IntegerAttr>(key).getInt();
}
std::string text(DictionaryAttr d, StringRef key) {
  auto attr = d.getAs<StringAttr>(key);
  return attr ? attr.str() : "";
}
int64_t element(DictionaryAttr d, StringRef key, unsigned i) {
  return cast<IntegerAttr>(d.getAs<ArrayAttr>(key)[i]).getInt();
}
nn::HostType hostType(Type type) {
  if (type.isF64())
    return nn::HostType::F64;
  return nn::InterpretContext(nn::Precision::F32).getHostType(type);
}
nn::HostType hostType(StringRef name) {
  for (unsigned i = 0;; ++i)
    if (auto type = static_cast<nn::HostType>(i); hostTypeName(type) == name)
      return type;
}

/// One function, ready to run.
struct Program {
  func::FuncOp function; ///< as given
  DictionaryAttr table;
  std::vector<belfry_phase_fn> phases;
};

struct Row {
  DictionaryAttr attributes;
  std::string kind;
  bool shared;
  int64_t perRow, fixed;
  int64_t first = 0, last = 0, offset = 0;
  HostTensor *tensor = nullptr;
};

/// Gives rows of one arena their places.
int64_t place(std::vector<Row *> &rows, int64_t count) {
  std::vector<Row *> placed;
  int64_t total = 0;
  for (Row *row : rows) {
    int64_t size = row->perRow * count + row->fixed;
    bool moved = true;
    row->offset = 0;
    while (moved) {
      moved = false;
      for (Row *other : placed) {
        int64_t otherSize = other->perRow * count + other->fixed;
        bool live = row->first <= other->last && other->first <= row->last;
        bool overlap = row->offset < other->offset + otherSize &&
                       other->offset < row->offset + size;
        if (live && overlap) {
          row->offset = (other->offset + otherSize + 63) / 64 * 64;
          moved = true;
        }
      }
    }
    placed.push_back(row);
    total = std::max(total, row->offset + size);
  }
  return total + 64;
}

struct Arena {
  std::vector<char> bytes;
  char *base = nullptr;
  void resize(int64_t size) {
    bytes.assign(size + 64, char(0xff));
    base = reinterpret_cast<char *>(
        (reinterpret_cast<uintptr_t>(bytes.data()) + 63) / 64 * 64);
  }
};

HostTensor make(Type type, int64_t batch) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape;
  for (int64_t extent : tensor.getShape())
    shape.push_back(ShapedType::isDynamic(extent) ? batch : extent);
  return HostTensor(hostType(tensor.getElementType()), shape);
}

/// In place of belfry_parallel_for where results are looked at: the last loop
/// first, each in three pieces, of which the last runs first. What a program
/// computes must not depend on it.
void runContrarily(belfry_context *, int64_t loops, const belfry_loop *list) {
  for (int64_t i = loops; i-- > 0;)
    for (int64_t piece = 3; piece-- > 0;) {
      auto cutAt = [&](int64_t cut) {
        return cut == 3 ? list[i].count
                        : list[i].count * cut / 3 / list[i].multiple *
                              list[i].multiple;
      };
      int64_t begin = cutAt(piece), end = cutAt(piece + 1);
      if (begin < end)
        list[i].fn(list[i].arg, begin, end);
    }
}

/// Likewise in place of belfry_parallel_rows.
void runRowsContrarily(belfry_context *,
                       void (*fn)(const void *arg, int64_t begin, int64_t end),
                       const void *arg, int64_t rows, int64_t) {
  for (int64_t piece = 3; piece-- > 0;)
    if (int64_t begin = rows * piece / 3, end = rows * (piece + 1) / 3;
        begin < end)
      fn(arg, begin, end);
}

struct Run {
  Program &program;
  int64_t batch, towers;
  belfry_context &context;
  std::vector<HostTensor> arguments, results;

  void execute(int times);
};

void Run::execute(int times) {
  func::FuncOp function = program.function;
  for (Type type : function.getResultTypes())
    results.push_back(make(type, batch));
  std::vector<Row> rows;
  std::vector<Row *> arenas[4];
  auto find = [&](const Row &row) -> HostTensor * {
    int64_t index = integer(row.attributes, "index");
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (nn::stringifyRole(*argumentRole(function, i)) == row.kind &&
          index-- == 0)
        return &arguments[i];
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (nn::stringifyRole(*resultRole(function, i)) == row.kind &&
          index-- == 0)
        return &results[i];
    return nullptr;
  };
  for (Attribute attribute : program.table.getAs<ArrayAttr>("buffers")) {
    auto d = cast<DictionaryAttr>(attribute);
    Row row{d, text(d, "kind"), text(d, "scope") == "shared",
            element(d, "bytes", 0), element(d, "bytes", 1)};
    if (d.contains("live")) {
      row.first = element(d, "live", 0);
      row.last = element(d, "live", 1);
    }
    rows.push_back(row);
  }
  for (Row &row : rows) {
    if (row.kind == "scratch" || row.kind == "cross")
      arenas[(row.kind == "cross") * 2 + row.shared].push_back(&row);
    else
      row.tensor = find(row);
    if (!row.tensor && row.kind != "scratch" && row.kind != "cross")
      llvm::report_fatal_error(Twine("no tensor for ") + row.kind);
  }
  std::vector<RowBlock> blocks;
  std::string message;
  for (int64_t t = 0; t < towers; ++t)
    blocks.push_back(
        *cutRows(tower::Slicing::Balanced, batch, t, towers, message));
  // Scratch of towers, scratch of once phases, values that cross.
  int64_t most = blocks.empty() ? 0 : blocks[0].count;
  Arena scratch, sharedScratch, sharedCross;
  std::vector<Arena> cross(towers);
  scratch.resize(place(arenas[0], most));
  sharedScratch.resize(place(arenas[1], batch));
  int64_t crossSize = place(arenas[2], most);
  for (Arena &arena : cross)
    arena.resize(crossSize);
  sharedCross.resize(place(arenas[3], batch));
  auto pointers = [&](int64_t t) {
    std::vector<void *> list;
    for (Row &row : rows) {
      if (row.tensor) {
        auto *base = static_cast<char *>(row.tensor->mutableData());
        list.push_back(row.shared ? base : base + row.perRow * blocks[t].begin);
      } else if (row.kind == "scratch") {
        list.push_back((row.shared ? sharedScratch : scratch).base +
                       row.offset);
      } else {
        list.push_back((row.shared ? sharedCross : cross[t]).base + row.offset);
      }
    }
    return list;
  };
  for (int time = 0; time < times; ++time)
    for (Attribute attribute : program.table.getAs<ArrayAttr>("schedule")) {
      auto item = cast<DictionaryAttr>(attribute);
      if (item.contains("phase")) {
        bool once = text(item, "run") == "once";
        for (int64_t t = 0; t < (once ? 1 : towers); ++t) {
          if (times == 1) {
            llvm::fill(scratch.bytes, char(0xff));
            llvm::fill(sharedScratch.bytes, char(0xff));
          }
          std::vector<void *> list = pointers(t);
          belfry_phase_args args{once ? batch : blocks[t].count,
                                 once ? 0 : blocks[t].begin,
                                 batch,
                                 static_cast<int32_t>(t),
                                 static_cast<int32_t>(towers),
                                 list.data(),
                                 &context};
          program.phases[integer(item, "phase")](&args);
        }
        continue;
      }
      int64_t from = integer(item, "from"), to = integer(item, "to");
      nn::HostType type = hostType(text(item, "dtype"));
      std::vector<HostTensor> parts;
      for (int64_t t = 0; t < towers; ++t) {
        SmallVector<int64_t> shape;
        if (item.contains("all_reduce")) {
          shape = {element(item, "count", 1)};
        } else {
          int64_t outer = integer(item, "outer"),
                  inner = integer(item, "inner");
          int64_t multiple = rows[from].perRow / outer / inner /
                             static_cast<int64_t>(nn::hostTypeSize(type));
          shape = {outer, multiple * blocks[t].count, inner};
        }
        HostTensor part(type, shape);
        std::memcpy(part.mutableData(), pointers(t)[from], part.sizeInBytes());
        parts.push_back(part);
      }
      HostTensor result = item.contains("all_reduce")
                              ? combineTowers(*tower::symbolizeReduceKind(
                                                  text(item, "all_reduce")),
                                              parts)
                              : HostTensor::join(parts, 1);
      std::memcpy(pointers(0)[to], result.data(), result.sizeInBytes());
    }
  // Parameters and slots were updated where they are.
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    nn::Role role = *resultRole(function, i);
    if (role != nn::Role::Parameter && role != nn::Role::Slot)
      continue;
    for (unsigned k = 0; k < function.getNumArguments(); ++k)
      if (argumentRole(function, k) == role &&
          argumentName(function, k) == resultName(function, i) &&
          function.getArgAttr(k, "nn.of") == function.getResultAttr(i, "nn.of"))
        results[i] = arguments[k];
  }
}

/// Numbers of a format at which something changes, as doubles.
std::vector<double> extremesOf(nn::HostType type) {
  auto least = [](int exponent) { return std::ldexp(1.0, exponent); };
  auto ofFloat = [&](int denormal, int normal, double largest) {
    return std::vector<double>{0.0,
                               -0.0,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               1.0,
                               -1.0,
                               0.5,
                               least(denormal),
                               -least(denormal),
                               largest,
                               -largest,
                               least(normal),
                               3.0,
                               -2.5,
                               1.0 / 3};
  };
  switch (type) {
  case nn::HostType::Bool:
    return {0, 1};
  case nn::HostType::F16:
    return ofFloat(-24, -14, 65504);
  case nn::HostType::BF16:
    return ofFloat(-133, -126, std::ldexp(255, 120));
  case nn::HostType::F32:
    return ofFloat(-149, -126, std::numeric_limits<float>::max());
  case nn::HostType::F64:
    return ofFloat(-1074, -1022, std::numeric_limits<double>::max());
  default: {
    double end = std::ldexp(1.0, int(nn::hostTypeSize(type)) * 8 - 1);
    // Of i64 the end itself saturates; below it doubles are too far apart. Of
    // more than a byte there is one that rounds otherwise to bf16 at once than
    // by way of f32.
    double twice =
        end > 128 ? std::ldexp(1.0, 30) + std::ldexp(1.0, 22) + 1 : end / 2;
    return {0, 1, -1, 2, -2, 3, 7, -7, end, -end, 100, -100, twice, 5, 11, 6};
  }
  }
}

/// All pairs of extremes for two arguments of enough elements.
HostTensor extremeArgument(const HostTensor &generated, unsigned index) {
  HostTensor wide(nn::HostType::F64, generated.getShape());
  std::vector<double> values = extremesOf(generated.getType());
  auto count = int64_t(values.size());
  for (int64_t i = 0; i < wide.size(); ++i)
    wide.mutableValues<double>()[i] =
        values[size_t((index % 2 ? i / count : i) % count)];
  return wide.convertTo(generated.getType());
}

/// The bits of a float, as integers in the order of the numbers.
template <typename T> int64_t ordered(T value) {
  if constexpr (std::is_same_v<T, double>) {
    auto bits = std::bit_cast<int64_t>(value);
    return bits < 0 ? std::numeric_limits<int64_t>::min() - bits : bits;
  } else if constexpr (sizeof(T) == 2) {
    return value.bits & 0x8000 ? -int64_t(value.bits & 0x7fff) : value.bits;
  } else {
    auto bits = std::bit_cast<int32_t>(static_cast<float>(value));
    return bits < 0 ? int64_t(std::numeric_limits<int32_t>::min()) - bits
                    : bits;
  }
}

/// The largest difference in units of the last place; infinite where integers
/// differ, or a NaN has no match.
double unitsApart(const HostTensor &a, const HostTensor &b) {
  if (a.getShape() != b.getShape() || a.getType() != b.getType())
    return INFINITY;
  if (!nn::isFloat(a.getType()))
    return a.isIdenticalTo(b) ? 0 : INFINITY;
  double largest = 0;
  nn::dispatch(a.getType(), [&]<typename T>() {
    for (auto [x, y] : llvm::zip(a.values<T>(), b.values<T>())) {
      bool isNaN = x != x, other = y != y;
      double d = isNaN || other
                     ? (isNaN == other ? 0.0 : INFINITY)
                     : std::fabs(double(ordered(x)) - double(ordered(y)));
      largest = std::max(largest, d);
    }
  });
  return largest;
}

/// The largest difference, relative to the largest element.
double difference(const HostTensor &a, const HostTensor &b) {
  double scale = 0, largest = 0;
  if (a.getShape() != b.getShape() || a.getType() != b.getType())
    return INFINITY;
  for (int64_t i = 0; i < a.size(); ++i) {
    double x = a.getAsDouble(i), y = b.getAsDouble(i);
    if (std::isfinite(x))
      scale = std::max(scale, std::fabs(x));
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    double d = std::fabs(x - y);
    largest = std::max(largest, std::isnan(d) ? INFINITY : d);
  }
  return scale > 0 ? largest / scale : largest;
}

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "host target against interpreter\n");
  std::vector<int64_t> batchList(batches.begin(), batches.end());
  std::vector<int64_t> towerList(towerCounts.begin(), towerCounts.end());
  if (batchList.empty())
    batchList = {0, 1, 5};
  if (towerList.empty())
    towerList = {1, 2};
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllToLLVMIRTranslations(registry);
  MLIRContext mlirContext(registry);
  auto source = parseSourceFile<ModuleOp>(inputFile, &mlirContext);
  if (!source)
    return 1;

  auto clock = [] {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  double begin = clock();
  OwningOpRef<ModuleOp> compiled = source->clone();
  PassManager pm(&mlirContext);
  PipelineOptions options;
  options.target = target;
  options.host.cpu = llvm::sys::getHostCPUName().str();
  if (!llvm::is_contained(knownTargets(), StringRef(target)) ||
      target == "cuda") {
    llvm::errs() << "unknown target '" << target << "'\n";
    return 1;
  }
  if (target == "host")
    buildHostLoweringPipeline(pm, options.host);
  else
    for (Stage stage : {Stage::Lowered, Stage::Bufferized, Stage::Target})
      buildStage(pm, stage, options);
  if (failed(pm.run(*compiled)))
    return 1;
  double lowered = clock();
  auto phases = compiled.get()->getAttrOfType<ArrayAttr>("belfry.phases");
  auto tables =
      compiled.get()->getAttrOfType<DictionaryAttr>("belfry.functions");
  ExecutionEngineOptions engineOptions;
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  auto machine = llvm::cantFail(builder->createTargetMachine());
  auto optimize = makeOptimizingTransformer(3, 0, machine.get());
  engineOptions.transformer = optimize;
  auto engine =
      ExecutionEngine::create(*compiled, engineOptions, std::move(machine));
  if (!engine) {
    llvm::errs() << llvm::toString(engine.takeError()) << '\n';
    return 1;
  }
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap map;
    auto add = [&](const char *name, auto *function) {
      map[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
    };
    add("belfry_gemm_f32", &belfry_gemm_f32);
    add("belfry_gemm_f64", &belfry_gemm_f64);
    add("belfry_gemm_i32", &belfry_gemm_i32);
    add("belfry_parallel_for", repeat ? &belfry_parallel_for : &runContrarily);
    add("belfry_parallel_rows",
        repeat ? &belfry_parallel_rows : &runRowsContrarily);
    add("belfry_gemm_pack_f32", &belfry_gemm_pack_f32);
    add("belfry_gemm_packed_f32", &belfry_gemm_packed_f32);
    add("belfry_gemm_sums_f32", &belfry_gemm_sums_f32);
    add("belfry_gemm_sums_f64", &belfry_gemm_sums_f64);
    add("belfry_look_ahead", &belfry_look_ahead);
    add("belfry_gemm_pack_f64", &belfry_gemm_pack_f64);
    add("belfry_gemm_packed_f64", &belfry_gemm_packed_f64);
    return map;
  });
  std::vector<belfry_phase_fn> table;
  for (Attribute phase : phases) {
    auto address = (*engine)->lookup(cast<FlatSymbolRefAttr>(phase).getValue());
    if (!address) {
      llvm::errs() << llvm::toString(address.takeError()) << '\n';
      return 1;
    }
    table.push_back(reinterpret_cast<belfry_phase_fn>(*address));
  }
  if (repeat)
    llvm::outs() << llvm::format(
        "lowered in %.0f ms, machine code in %.0f ms\n", lowered - begin,
        clock() - lowered);

  belfry_context context(threads);
  int failures = 0, runs = 0;
  for (NamedAttribute entry : tables) {
    auto function = source->lookupSymbol<func::FuncOp>(entry.getName());
    Program program{function, cast<DictionaryAttr>(entry.getValue()), table};
    for (int64_t batch : batchList)
      for (int64_t towers : towerList) {
        std::vector<HostTensor> arguments;
        for (unsigned i = 0; i < function.getNumArguments(); ++i) {
          Type type = cast<RankedTensorType>(function.getArgumentTypes()[i])
                          .getElementType();
          arguments.push_back(generateArgument(function, i, batch, seed)
                                  .convertTo(hostType(type)));
          if (extremes && argumentRole(function, i) == nn::Role::Input)
            arguments[i] = extremeArgument(arguments[i], i);
        }
        Run run{program, batch, towers, context, arguments, {}};
        run.execute(1);
        if (repeat) {
          Run timed{program, batch, towers, context, arguments, {}};
          timed.execute(2);
          double start = clock();
          std::clock_t cpu = std::clock();
          timed.execute(repeat);
          llvm::outs() << llvm::format(
              "%s batch %ld towers %ld: %.2f ms, of the processor %.2f ms\n",
              entry.getName().data(), batch, towers, (clock() - start) / repeat,
              1e3 * double(std::clock() - cpu) / CLOCKS_PER_SEC / repeat);
        }
        if (!interpretToo)
          continue;
        SmallVector<HostTensor> expected;
        InterpreterOptions interpreter;
        interpreter.towers = towers;
        interpreter.precision = precision;
        if (failed(interpret(function, arguments, interpreter, expected)))
          return 1;
        for (unsigned i = 0; i < expected.size(); ++i) {
          // The interpreter computes f32 and f64 in its own precision.
          expected[i] = expected[i].convertTo(run.results[i].getType());
          double d = units >= 0 ? unitsApart(expected[i], run.results[i])
                                : difference(expected[i], run.results[i]);
          ++runs;
          if (d <= (units >= 0 ? units : tolerance))
            continue;
          ++failures;
          llvm::outs() << entry.getName().getValue() << " result " << i << " '"
                       << resultName(function, i) << "', batch " << batch
                       << ", towers " << towers << ": difference "
                       << llvm::format("%g", d) << '\n';
          int64_t shown = 0;
          for (int64_t e = 0; e < expected[i].size() && shown < 8; ++e) {
            double x = expected[i].getAsDouble(e),
                   y = run.results[i].getAsDouble(e);
            if (x == y || (x != x && y != y))
              continue;
            ++shown;
            llvm::outs() << "  element " << e << ": " << x << " got " << y
                         << '\n';
          }
        }
      }
  }
  llvm::outs() << runs - failures << " of " << runs << " results agree\n";
  return failures ? 3 : 0;
}
