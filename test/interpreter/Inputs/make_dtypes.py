"""make_dtypes.py > interpret-dtypes.mlir: what ops give on i8, i64, f16 and bf16, by NumPy and ml_dtypes.

Needs numpy and ml_dtypes; the file that it writes is kept, so that a test needs neither."""

import ml_dtypes
import numpy as np

FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
INTEGERS = {"i8": np.int8, "i64": np.int64}
ELEMENTS = 16


def bits(x):
    return x.view(np.uint16) if x.dtype.itemsize == 2 else x


def dense(x, name):
    values = ", ".join(f"0x{b:04X}" for b in bits(x)) if name in FLOATS else ", ".join(str(int(v)) for v in x)
    return f"nn.constant dense<[{values}]> : tensor<{len(x)}x{name}>"


def shown(x):
    """As --interpret prints it."""
    if x.dtype == bool or np.issubdtype(x.dtype, np.integer):
        return ", ".join(str(int(v)) for v in x)
    return ", ".join("{{-?}}nan" if np.isnan(v) else "%.9g" % float(v) for v in x)


class Function:
    def __init__(self, name):
        self.name, self.lines, self.results = name, [], []

    def op(self, text, dtype, value):
        name = f"%r{len(self.results)}"
        self.lines.append(f"  {name} = {text}")
        self.results.append((name, f"tensor<{len(value)}x{dtype}>" if value.ndim else f"tensor<{dtype}>", value, dtype))
        return name

    def print(self):
        label = self.name.upper().replace("_", "-")
        print(f"\n// {label}-LABEL: func @{self.name}")
        for i, (_, _, value, dtype) in enumerate(self.results):
            print(f"// {label}-NEXT: result {i}: {f'{len(value)}x' if value.ndim else ''}{dtype} values = [{shown(np.atleast_1d(value))}]")
        names, types = ", ".join(r[0] for r in self.results), ", ".join(r[1] for r in self.results)
        print(f"func.func @{self.name}() -> ({types}) {{")
        print("\n".join(self.lines))
        print(f"  return {names} : {types}\n}}")


def saturated(x, dtype):
    """Truncated toward zero, kept within the type, NaN as 0."""
    info = np.iinfo(dtype)
    return np.array([0 if np.isnan(v) else info.max if v >= 2.0 ** (info.bits - 1) else info.min if v <= -(2.0 ** (info.bits - 1)) else int(v) for v in x.astype(np.float64)], dtype)


def floats(name, dtype):
    info = ml_dtypes.finfo(dtype)
    x = np.array([0.0, -0.0, 1.0, -1.5, 0.1, 3.1415926, 100.25, -7e-6, float(info.max), float(info.smallest_subnormal), float(info.smallest_normal), np.inf, -np.inf, np.nan, 0.333333, 11.0], dtype)
    y = np.roll(x, 5)
    f = Function(f"floats_{name}")
    t = f"tensor<{ELEMENTS}x{name}>"
    f.lines += [f"  %x = {dense(x, name)}", f"  %y = {dense(y, name)}"]
    a, b = x.astype(np.float32), y.astype(np.float32)
    for kind, value in {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b, "max": np.maximum(a, b), "min": np.minimum(a, b), "rem": np.fmod(a, b)}.items():
        f.op(f"nn.binary {kind} %x, %y : {t}", name, value.astype(dtype))
    wide = a.astype(np.float64)
    for kind, value in {"neg": -wide, "exp": np.exp(wide), "log": np.log(wide), "tanh": np.tanh(wide), "sqrt": np.sqrt(wide), "rsqrt": 1 / np.sqrt(wide), "sin": np.sin(wide), "floor": np.floor(wide)}.items():
        f.op(f"nn.unary {kind} %x : {t}", name, value.astype(np.float32).astype(dtype))
    f.op(f"nn.compare lt %x, %y : {t}", "i1", a < b)
    f.op(f"nn.convert %x : {t} -> tensor<{ELEMENTS}xi8>", "i8", saturated(x, np.int8))
    f.op(f"nn.convert %x : {t} -> tensor<{ELEMENTS}xi64>", "i64", saturated(x, np.int64))
    other, kind = ("bf16", ml_dtypes.bfloat16) if name == "f16" else ("f16", np.float16)
    f.op(f"nn.convert %x : {t} -> tensor<{ELEMENTS}x{other}>", other, a.astype(kind))
    # Numbers whose sum in 16 bits would stop growing.
    many = np.full(4096, 1.0, dtype)
    f.lines.append(f"  %many = nn.constant dense<1.0> : tensor<4096x{name}>")
    f.op(f"nn.reduce sum %many dims = [0] : tensor<4096x{name}> -> tensor<{name}>", name, many.astype(np.float32).sum().astype(dtype))
    f.op(f"nn.dot %many, %many contract = [0] * [0] : tensor<4096x{name}>, tensor<4096x{name}> -> tensor<{name}>", name, np.float32(4096).astype(dtype))
    f.print()


def integers(name, dtype):
    info = np.iinfo(dtype)
    x = np.array([0, 1, -1, 2, -3, 7, info.max, info.min, info.max - 1, 100, -100, 5, 64, -64, 13, -13], dtype)
    if info.bits > 8:
        x[-1] = 2**30 + 2**22 + 1  # to bf16 in two steps it is 2^30
    y = np.roll(x, 3)
    f = Function(f"integers_{name}")
    t = f"tensor<{ELEMENTS}x{name}>"
    f.lines += [f"  %x = {dense(x, name)}", f"  %y = {dense(y, name)}"]

    def wrapped(values):
        return np.array([(int(v) - info.min) % (1 << info.bits) + info.min for v in values], dtype)

    def quotient(a, b):
        return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)

    pairs = [(int(a), int(b)) for a, b in zip(x, y)]
    rules = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": quotient,
        "rem": lambda a, b: a if b == 0 else a - b * quotient(a, b), "max": max, "min": min,
        "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    }
    for kind, rule in rules.items():
        f.op(f"nn.binary {kind} %x, %y : {t}", name, wrapped([rule(a, b) for a, b in pairs]))
    f.op(f"nn.unary neg %x : {t}", name, wrapped(-int(v) for v in x))
    f.op(f"nn.unary abs %x : {t}", name, wrapped(abs(int(v)) for v in x))
    f.op(f"nn.compare ge %x, %y : {t}", "i1", x >= y)
    for to, kind in (("i8", np.int8), ("i32", np.int32), ("i64", np.int64)):
        if to != name:
            f.op(f"nn.convert %x : {t} -> tensor<{ELEMENTS}x{to}>", to, x.astype(kind))
    for to, kind in FLOATS.items():
        f.op(f"nn.convert %x : {t} -> tensor<{ELEMENTS}x{to}>", to, x.astype(np.float32).astype(kind))
    f.op(f"nn.reduce sum %x dims = [0] : {t} -> tensor<{name}>", name, wrapped([sum(int(v) for v in x)])[0])
    f.op(f"nn.dot %x, %y contract = [0] * [0] : {t}, {t} -> tensor<{name}>", name, wrapped([sum(a * b for a, b in pairs)])[0])
    f.print()


def main():
    print("// Written by Inputs/make_dtypes.py: numbers of NumPy and ml_dtypes.")
    for name in ("floats_f16", "floats_bf16", "integers_i8", "integers_i64"):
        print(f"// RUN: belfry-opt %s --interpret='function={name}' | FileCheck %s --check-prefix={name.upper().replace('_', '-')}")
    with np.errstate(all="ignore"):
        for name, dtype in FLOATS.items():
            floats(name, dtype)
        for name, dtype in INTEGERS.items():
            integers(name, dtype)


main()
