# The lit configuration. Run it from the build tree: `ninja check-lit`, or `lit build/test --filter nn`.

import os
import re
import sys

import lit.formats

config.name = "belfry"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "bench", "goldens", "Inputs", "CMakeLists.txt", "lit.cfg.py"]
config.test_source_root = os.path.join(config.belfry_source, "test")
config.test_exec_root = os.path.join(config.belfry_build, "test")

TOOLS = ["belfry-opt", "belfry-host-check", "belfry-import", "belfryc", "belfry-report"]


def command(directory, name):
    return os.path.join(directory, name)


def present(directory, name):
    return os.access(command(directory, name), os.X_OK)


# Every module that any test reads also has to survive printing and parsing, as text and as bytecode.
ALWAYS = {"belfry-opt": " --verify-roundtrip"}

# A tool's name is replaced where it stands as a command, not inside of a path or an option. `%raw-belfry-opt` is
# the tool without what ALWAYS adds.
for tool in TOOLS:
    if present(config.belfry_tools_dir, tool):
        path = command(config.belfry_tools_dir, tool)
        config.available_features.add(tool)
        config.substitutions.append(("%raw-" + tool, path))
        config.substitutions.append((r"(?<![\w./%-])" + re.escape(tool) + r"(?![\w./-])", path + ALWAYS.get(tool, "")))
for tool in ["FileCheck", "not", "count", "split-file"]:
    path = command(config.llvm_tools_dir, tool)
    config.substitutions.append((r"(?<![\w./%-])" + tool + r"(?= )", path))

# Features: the tools above by name, and
#   oracle      BELFRY_ORACLE_PYTHON names a Python with Keras (%oracle-python)
#   sanitize    the build is instrumented
for name in ["llc", "opt", "clang", "mlir-opt"]:
    if present(config.llvm_tools_dir, name):
        config.available_features.add(name)
if config.oracle_python and os.access(config.oracle_python, os.X_OK):
    config.available_features.add("oracle")
if config.sanitize:
    config.available_features.add("sanitize")

config.substitutions.append(("%oracle-python", config.oracle_python))
config.substitutions.append(("%python", '"%s"' % sys.executable))
config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%llvm-tools", config.llvm_tools_dir))
config.substitutions.append(("%source", config.belfry_source))
config.substitutions.append(("%build", config.belfry_build))

for variable in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"]:
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --allow-unused-prefixes=false"
