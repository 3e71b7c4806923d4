"""Small programs, one for each family of kernels and element type, and the data that they compute on. Needs numpy.

A case is a module with the function @predict alone, whose outputs each come from one op, so that what differs is named. Shapes are of several blocks of a
kernel, and no multiples of one. Constants take the place of parameters, which only models have; sums over rows are broadcast over the rows, since
whatever a program gives has rows. With more than one tower the compiler makes exchanges of those sums.
"""
import numpy as np

INTEGERS, FLOATS = ("i8", "i32", "i64"), ("f16", "bf16", "f32", "f64")
ALL = ("i1", *INTEGERS, *FLOATS)
NUMPY = {"i1": "|b1", "i8": "|i1", "i32": "<i4", "i64": "<i8", "f16": "<f2", "bf16": "<V2", "f32": "<f4", "f64": "<f8"}

EXACT = {"kind": "exact"}
UNITS = {"kind": "units", "most": 2}
# Sums and products, relative to the largest element of the result.
SUMS = {"f16": 2e-3, "bf16": 1e-2, "f32": 1e-6, "f64": 1e-12}


def elementwise(dtype):
    return EXACT if dtype in INTEGERS or dtype == "i1" else {"kind": "units", "most": 1} if dtype in ("f16", "bf16") else UNITS


def sums(dtype):
    return {"kind": "largest", "most": SUMS[dtype]} if dtype in SUMS else EXACT


# ------------------------------------------------------------------ numbers
def to_type(values, dtype):
    """Doubles as the element type; bf16 as the two bytes that NumPy writes of ml_dtypes' type."""
    values = np.asarray(values, np.float64)
    if dtype == "i1":
        return values != 0
    if dtype == "bf16":
        flat = values.reshape(-1)
        with np.errstate(over="ignore", invalid="ignore"):
            bits = flat.astype("<f4").view("<u4").astype("u8")
        rounded = ((bits + np.uint64(0x7FFF) + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16)).astype("<u2")
        rounded[np.isnan(flat)] = 0x7FC0
        return rounded.view("<V2").reshape(values.shape)
    if dtype in INTEGERS:
        ends = np.iinfo(NUMPY[dtype])
        # The greatest i64 is no double; the one below it is.
        most = np.nextafter(float(ends.max), 0) if dtype == "i64" else float(ends.max)
        return np.clip(np.nan_to_num(np.rint(values)), float(ends.min), most).astype(NUMPY[dtype])
    with np.errstate(over="ignore"):
        return values.astype(NUMPY[dtype])


def extremes(dtype):
    """16 numbers at which something changes."""
    if dtype == "i1":
        return [0, 1] * 8
    if dtype in INTEGERS:
        end = 2.0 ** (8 * np.dtype(NUMPY[dtype]).itemsize - 1)
        return [0, 1, -1, 2, -2, 3, 7, -7, end, -end, 100, -100, end / 2, 5, 11, 6]
    denormal, normal, largest = {"f16": (-24, -14, 65504.0), "bf16": (-133, -126, 255 * 2.0 ** 120), "f32": (-149, -126, float(np.finfo("f4").max)), "f64": (-1074, -1022, float(np.finfo("f8").max))}[dtype]
    return [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 2.0 ** denormal, -(2.0 ** denormal), largest, -largest, 2.0 ** normal, 3.0, -2.5, 1.0 / 3]


def numbers(rng, dtype, shape):
    if dtype == "i1":
        return rng.random(shape) < 0.5
    if dtype in INTEGERS:
        return to_type(rng.integers(-9, 10, shape), dtype)
    return to_type(rng.normal(size=shape), dtype)


# ------------------------------------------------------------------ modules
class Case:
    """A module in the making. Values are names; `op` gives the name of a new one."""

    def __init__(self, family, dtype, rows, towers=(1,)):
        self.name, self.family, self.dtype, self.rows, self.towers = f"{family}-{dtype}", family, dtype, rows, towers
        self.rng = np.random.default_rng(sum(map(ord, self.name)))
        self.arrays, self.arguments, self.lines, self.outputs, self.more, self.types = {}, [], [], [], [], {}

    def type(self, shape, dtype=None):
        return "tensor<" + "".join(f"{'?' if n is None else n}x" for n in shape) + (dtype or self.dtype) + ">"

    def input(self, name, shape, dtype=None, values=None):
        dtype = dtype or self.dtype
        full = (self.rows, *shape)
        self.arrays[name] = to_type(values(full), dtype) if values else numbers(self.rng, dtype, full)
        type = self.type((None, *shape), dtype)
        self.arguments.append(f'%{name}: {type} {{nn.role = #nn.role<input>, nn.name = "{name}"}}')
        self.types["%" + name] = type
        return "%" + name

    def argument(self, name, type):
        """Of the role of that name."""
        self.arguments.append(f"%{name}: {type} {{nn.role = #nn.role<{name}>}}")
        self.types["%" + name] = type
        return "%" + name

    def op(self, text, type):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        self.types[name] = type
        return name

    def of(self, op, operands, shape, dtype=None, attributes="", simple=False):
        """An op whose operands and result stand as types behind it; `simple`: they are all the first operand's."""
        type = self.type(shape, dtype)
        types = self.types[operands[0]] if simple else ", ".join(self.types[o] for o in operands) + " -> " + type
        return self.op(f"nn.{op} {', '.join(operands)} {attributes}: {types}", type)

    def constant(self, values, dtype=None):
        values, dtype = np.asarray(values), dtype or self.dtype
        if dtype == "i1":
            text = "true" if values.all() else "false"
        else:
            data = to_type(values, dtype)
            text = f'"0x{data.tobytes().hex().upper()}"' if data.size > 1 else ("0x" + data[()].tobytes()[::-1].hex().upper() if dtype in FLOATS else str(int(data)))
        return self.op(f"nn.constant dense<{text}> : {self.type(values.shape, dtype)}", self.type(values.shape, dtype))

    def spread(self, value, shape, like, dtype=None):
        """The value, which has no rows, for each row of `like`, and as many further dimensions as it has."""
        dims = list(range(1, len(shape) + 1))
        return self.op(f"nn.broadcast {value} dims = {dims} like {like} : {self.types[value]}, {self.types[like]} -> {self.type((None, *shape), dtype)}", self.type((None, *shape), dtype))

    def output(self, name, value, compare):
        self.outputs.append((name, value, compare))

    def text(self):
        results = ",\n        ".join(f'{self.types[v]} {{nn.role = #nn.role<output>, nn.name = "{n}"}}' for n, v, _ in self.outputs)
        values, types = ", ".join(v for _, v, _ in self.outputs), ", ".join(self.types[v] for _, v, _ in self.outputs)
        body = "\n  ".join(self.lines)
        return f"func.func @predict({', '.join(self.arguments)})\n    -> ({results}) {{\n  {body}\n  return {values} : {types}\n}}\n"


def unary_kinds(dtype):
    if dtype == "i1":
        return ["not"]
    return ["neg", "abs", "sign"] if dtype in INTEGERS else ["neg", "abs", "sign", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "tanh", "sigmoid", "erf", "sin", "cos", "floor", "ceil"]


def binary_kinds(dtype):
    if dtype == "i1":
        return ["and", "or", "xor"]
    return ["add", "sub", "mul", "div", "max", "min", "rem"] + (["and", "or", "xor"] if dtype in INTEGERS else ["pow"])


def elementwise_case(dtype):
    c, shape = Case("elementwise", dtype, 71), (None, 17)
    some = np.array(extremes(dtype))

    def pairs(inner):
        def values(full):
            flat = np.arange(np.prod(full))
            made = some[(flat // 16 if inner else flat) % 16].astype(np.float64)
            made[256:] = c.rng.normal(size=made.size - 256) * 5
            return made.reshape(full)
        return values
    x, y = c.input("x", (17,), values=pairs(False)), c.input("y", (17,), values=pairs(True))
    same = elementwise(dtype)
    for kind in unary_kinds(dtype):
        c.output(kind, c.of(f"unary {kind}", [x], shape, simple=True), EXACT if kind in ("neg", "abs", "sign", "floor", "ceil") else same)
    if dtype in FLOATS:
        c.output("is_finite", c.of("unary is_finite", [x], shape, "i1"), EXACT)
    for kind in binary_kinds(dtype):
        c.output(kind, c.of(f"binary {kind}", [x, y], shape, simple=True), same)
    less = None
    for kind in ("eq", "ne", "lt", "le", "gt", "ge"):
        value = c.op(f"nn.compare {kind} {x}, {y} : {c.types[x]}", c.type(shape, "i1"))
        less = value if kind == "lt" else less
        c.output(kind, value, EXACT)
    c.output("select", c.op(f"nn.select {less}, {x}, {y} : {c.types[x]}", c.type(shape)), EXACT)
    for to in ALL:
        c.output("to_" + to, c.of("convert", [x], shape, to), EXACT)
    moves(c)
    return c


def moves(c):
    m = c.input("m", (9, 14))
    zero = c.constant(0)
    c.output("reshape", c.of("reshape", [m], (None, 126)), EXACT)
    c.output("slice", c.of("slice", [m], (None, 4, 6), attributes="start = [0, 0, 2] limit = [-1, 8, 14] stride = [1, 2, 2] "), EXACT)
    padded = c.type((None, 12, 14))
    c.output("pad", c.op(f"nn.pad {m}, {zero} low = [0, 1, 0] high = [0, 2, 0] interior = [0, 0, 0] : {c.types[m]} -> {padded}", padded), EXACT)
    turned = c.of("reverse", [m], (None, 9, 14), attributes="dims = [1] ", simple=True)
    c.output("reverse", turned, EXACT)
    c.output("concat", c.of("concat", [turned, m], (None, 18, 14), attributes="dim = 1 "), EXACT)
    row = c.of("reshape", [c.of("slice", [m], (None, 1, 14), attributes="start = [0, 3, 0] limit = [-1, 4, 14] stride = [1, 1, 1] ")], (None, 14))
    c.output("broadcast", c.of("broadcast", [row], (None, 9, 14), attributes="dims = [0, 2] "), EXACT)
    ids = c.input("ids", (5,), "i32", lambda full: c.rng.integers(0, 9, full))
    c.output("gather", c.of("gather", [m, ids], (None, 5, 14), attributes="batch_dims = 1 "), EXACT)
    if c.dtype != "i1":
        table = c.constant(c.rng.integers(-9, 10, (9, 6)))
        c.output("table", c.of("gather", [table, ids], (None, 5, 6), attributes="batch_dims = 0 "), EXACT)
        c.output("iota", c.op(f"nn.iota dim = 2 like {m} : {c.types[m]} -> {c.types[m]}", c.types[m]), EXACT)


def transpose_case(dtype):
    c = Case("transpose", dtype, 5)
    x, y, z = c.input("x", (70, 45)), c.input("y", (3, 40, 35)), c.input("z", (33,))
    c.output("matrices", c.of("transpose", [x], (None, 45, 70), attributes="perm = [0, 2, 1] "), EXACT)
    c.output("inner", c.of("transpose", [y], (None, 3, 35, 40), attributes="perm = [0, 1, 3, 2] "), EXACT)
    c.output("outer", c.of("transpose", [y], (None, 35, 40, 3), attributes="perm = [0, 3, 2, 1] "), EXACT)
    # Rows as the inner dimension, and back behind something that fusion can't undo.
    t = c.of("transpose", [z], (33, None), attributes="perm = [1, 0] ")
    t = c.of("reverse", [t], (33, None), attributes="dims = [0] ", simple=True)
    c.output("rows", c.of("transpose", [t], (None, 33), attributes="perm = [1, 0] "), EXACT)
    return c


def reduce_case(dtype):
    c = Case("reduce", dtype, 37)
    # Few enough of small numbers that i8 and 16 bits hold the sums.
    x, y = c.input("x", (5, 83)), c.input("y", (3, 1000))
    for kind in ("and", "or") if dtype == "i1" else ("sum", "max", "min"):
        how = sums(dtype) if kind == "sum" else EXACT
        for name, value, dims, shape in (("inner", x, [2], (None, 5)), ("outer", x, [1], (None, 83)), ("both", x, [1, 2], (None,)), ("long", y, [2], (None, 3))):
            c.output(f"{kind}_{name}", c.of(f"reduce {kind}", [value], shape, attributes=f"dims = {dims} "), how)
        rows = c.of(f"reduce {kind}", [x], (5, 83), attributes="dims = [0] ")
        c.output(f"{kind}_rows", c.spread(rows, (5, 83), c.of("slice", [x], (None, 5, 83), attributes="start = [0, 0, 0] limit = [-1, 5, 83] stride = [1, 1, 1] ")), how)
    return c


def dot_case(dtype):
    c = Case("dot", dtype, 75)
    how = sums(dtype)
    x, y, z = c.input("x", (300,)), c.input("y", (9, 33)), c.input("z", (21, 33))
    k, wide, one = (c.constant(c.rng.integers(-4, 5, shape) / (1 if dtype in INTEGERS else 8)) for shape in ((300, 100), (10, 300), (300, 1)))
    c.output("product", c.of("dot", [x, k], (None, 100), attributes="contract = [1] * [0] "), how)
    c.output("transposed", c.of("dot", [x, wide], (None, 10), attributes="contract = [1] * [1] "), how)
    c.output("column", c.of("dot", [x, one], (None, 1), attributes="contract = [1] * [0] "), how)
    c.output("batched", c.of("dot", [y, z], (None, 9, 21), attributes="batch = [0] * [0] contract = [2] * [2] "), how)
    gradient = c.of("dot", [y, x], (9, 33, 300), attributes="contract = [0] * [0] ")
    part = c.of("slice", [gradient], (9, 33, 70), attributes="start = [0, 0, 0] limit = [9, 33, 70] stride = [1, 1, 1] ")
    c.output("over_rows", c.spread(c.of("reduce sum", [part], (9, 33), attributes="dims = [2] "), (9, 33), y), how)
    if dtype not in FLOATS:
        return c
    image, gates = c.input("image", (7, 8, 3)), c.input("gates", (4, 8, 5))
    kernel = c.constant(c.rng.normal(size=(3, 2, 3, 5)))
    how_conv = "strides = [2, 1] dilations = [1, 1] padding = [1, 1, 0, 1] "
    c.output("conv2d", c.of("conv2d", [image, kernel], (None, 4, 8, 5), attributes=how_conv), how)
    c.output("conv2d_input_grad", c.of("conv2d_input_grad", [gates, kernel], (None, 7, 8, 3), attributes=how_conv), how)
    c.output("conv2d_kernel_grad", c.spread(c.of("conv2d_kernel_grad", [image, gates], (3, 2, 3, 5), attributes=how_conv), (3, 2, 3, 5), image), how)
    return c


def scan_case(dtype):
    """A recurrent layer's loop in each direction, without and with a mask; of i1 and integers, what they can carry."""
    c = Case("scan", dtype, 45)
    steps, units = 6, 20
    x = c.input("x", (steps, units))
    m = c.input("m", (steps,), "i1", lambda full: np.arange(steps)[None, :] < c.rng.integers(0, steps + 1, full[0])[:, None])
    xs = c.of("transpose", [x], (steps, None, units), attributes="perm = [1, 0, 2] ")
    mask = c.of("transpose", [m], (steps, None), "i1", attributes="perm = [1, 0] ")
    zero = c.constant(0)
    first = c.of("reshape", [c.of("slice", [x], (None, 1, units), attributes=f"start = [0, 0, 0] limit = [-1, 1, {units}] stride = [1, 1, 1] ")], (None, units))
    start = c.op(f"nn.broadcast {zero} dims = [] like {first} : {c.types[zero]}, {c.types[first]} -> {c.types[first]}", c.types[first])
    row, seq, kernel = c.types[start], c.types[xs], c.type((units, units))
    # The host has no product of i64 in a loop over time.
    weights = c.constant(c.rng.integers(-2, 3, (units, units)) / (1 if dtype in INTEGERS else 8)) if dtype not in ("i1", "i64") else None
    # Each step squashes, so that differences of sums don't grow.
    if dtype == "i1":
        body, how = f"%y = nn.binary xor %h, %e : {row}", EXACT
    elif not weights:
        body, how = f"%d = nn.binary mul %h, %e : {row}\n    %y = nn.binary add %d, %e : {row}", EXACT
    elif dtype in INTEGERS:
        body, how = f"%d = nn.dot %h, %w contract = [1] * [0] : {row}, {kernel} -> {row}\n    %y = nn.binary add %e, %d : {row}", EXACT
    else:
        body, how = f"%d = nn.dot %h, %w contract = [1] * [0] : {row}, {kernel} -> {row}\n    %s = nn.binary add %e, %d : {row}\n    %y = nn.unary tanh %s : {row}", {**sums(dtype), "most": 4 * SUMS[dtype]}
    closed, closed_argument, closed_type = (f" closed({weights})", f", %w: {kernel}", f", {kernel}") if weights else ("", "", "")
    for name, masked, reverse in (("forward", False, False), ("reverse", False, True), ("masked", True, False), ("masked_reverse", True, True)):
        value = f"%r{len(c.lines)}"
        c.lines.append(f"{value}:2 = nn.scan carry({start}) sequences({xs}){closed}{f' mask({mask})' if masked else ''}{' reverse' if reverse else ''} {{\n"
                       f"  ^bb0(%h: {row}, %e: {row}{closed_argument}):\n    {body}\n    nn.yield carry(%y) outputs(%y) : {row} outputs {row}\n"
                       f"  }} : ({row}, {seq}{closed_type}{f', {c.types[mask]}' if masked else ''}) -> ({row}, {seq})")
        c.types[value + "#0"], c.types[value + "#1"] = row, seq
        c.output(name + "_last", value + "#0", how)
        c.output(name + "_steps", c.of("transpose", [value + "#1"], (None, steps, units), attributes="perm = [1, 0, 2] "), how)
    return c


def loop_case(dtype):
    c = Case("loop", dtype, 67)
    x = c.input("x", (9, 14))
    if dtype != "i1":
        c.output("argmax", c.of("argmax", [x], (None, 9), "i32", "dim = 2 "), EXACT)
        ids, updates = c.input("ids", (5,), "i32", lambda full: c.rng.integers(0, 9, full)), c.input("updates", (5, 14))
        c.output("scatter_rows", c.op(f"nn.scatter_add {x}, {ids}, {updates} batch_dims = 1 : {c.types[x]}, {c.types[ids]}, {c.types[updates]}", c.types[x]), sums(dtype))
        table = c.constant(c.rng.integers(-2, 3, (9, 14)))
        total = c.op(f"nn.scatter_add {table}, {ids}, {updates} batch_dims = 0 : {c.types[table]}, {c.types[ids]}, {c.types[updates]}", c.types[table])
        c.output("scatter_table", c.spread(total, (9, 14), x), sums(dtype))
    if dtype in ("i32", "f32", "f64"):
        seed, step = c.argument("seed", "tensor<2xi32>"), c.argument("step", "tensor<i32>")
        offset = c.op("nn.constant dense<0> : tensor<i32>", "tensor<i32>")
        for stream, kind in enumerate(("bits",) if dtype == "i32" else ("uniform", "normal")):
            value = c.op(f"nn.random {kind} seed {seed} step {step} row_offset {offset} stream = {stream} like {x} : {c.types[x]} -> {c.types[x]}", c.types[x])
            c.output(kind, value, EXACT if kind != "normal" else {"kind": "largest", "most": 1e-6})
    return c if c.outputs else None


def collective_case(dtype):
    """Sums over rows on towers that are cut anywhere, and a gather of all rows."""
    c = Case("collective", dtype, 23, towers=(2, 3))
    x = c.input("x", (5, 30))
    for kind in ("and", "or") if dtype == "i1" else ("sum", "max", "min"):
        total = c.of(f"reduce {kind}", [x], (5, 30), attributes="dims = [0] ")
        c.output(kind, c.spread(total, (5, 30), x), sums(dtype) if kind == "sum" else EXACT)
    c.output("gather", c.of("reverse", [x], (None, 5, 30), attributes="dims = [0] ", simple=True), EXACT)
    return c


FAMILIES = {"elementwise": elementwise_case, "transpose": transpose_case, "reduce": reduce_case, "dot": dot_case, "scan": scan_case, "loop": loop_case, "collective": collective_case}


def cases(dtypes=ALL):
    """All cases of these element types; products are of numbers only, and no loop by itself is of i1."""
    made = [make(dtype) for family, make in FAMILIES.items() for dtype in dtypes if not (family == "dot" and dtype == "i1")]
    return [c for c in made if c]
