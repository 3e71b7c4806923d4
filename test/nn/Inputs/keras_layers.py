"""Compares decompositions of layers with Keras, number by number, in f64.

    keras_layers.py BELFRY-OPT activations|recurrent|dropout|others

Each case is a function of one layer. It is decomposed and run by the reference interpreter; Keras runs the same layer
with the same weights. Exits with 1 after naming every case that differs by more than the tolerance.
"""

import itertools
import os
import subprocess
import sys
import tempfile

os.environ.update(CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3", KERAS_BACKEND="tensorflow")

import keras  # noqa: E402
import numpy as np  # noqa: E402

keras.backend.set_floatx("float64")
rng = np.random.default_rng(1)
ELEMENTS = {"float64": "f64", "bool": "i1", "int32": "i32"}
TOLERANCE = 1e-12
# TensorFlow keeps some constants (slopes, √2) in f32 whatever the type of the tensors.
CONSTANTS_IN_F32 = 1e-7

failures = []
cases = 0


def type_of(array, rows):
    extents = list(array.shape)
    if rows:
        extents[0] = "?"
    return "tensor<" + "x".join([str(e) for e in extents] + [ELEMENTS[str(array.dtype)]]) + ">"


def run(op, arguments, results, before="", training=False):
    """Runs the lines `before`, then `%y:n = op`; arguments are a dictionary from name to (array, has rows)."""
    with tempfile.TemporaryDirectory() as folder:
        signature, data = [], []
        for name, (array, rows) in arguments.items():
            np.save(f"{folder}/{name}.npy", array)
            signature.append(f'%{name}: {type_of(array, rows)} {{nn.name = "{name}"}}')
            data.append(f"{name}={folder}/{name}.npy")
        values = ", ".join(f"%y#{i}" for i in range(len(results)))
        with open(f"{folder}/case.mlir", "w") as file:
            file.write(
                f"func.func @f({', '.join(signature)}) -> ({', '.join(results)}) {{\n"
                f"{before}  %y:{len(results)} = {op}\n  return {values} : {', '.join(results)}\n}}\n"
            )
        def opt(*arguments):
            done = subprocess.run([OPT, *arguments], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{op}\n{done.stderr}")
            return done.stdout

        core = opt(f"{folder}/case.mlir", f"--nn-decompose=training={str(training).lower()}", "--canonicalize", "--cse")
        core = core.replace("nn.seed : tensor<2xi32>", "nn.constant dense<[7, 9]> : tensor<2xi32>")
        core = core.replace("nn.step : tensor<i32>", "nn.constant dense<5> : tensor<i32>")
        with open(f"{folder}/core.mlir", "w") as file:
            file.write(core)
        interpret = f"interpret{{precision=f64 outputs={folder} data={','.join(data)}}}"
        opt(f"{folder}/core.mlir", f"--pass-pipeline=builtin.module({interpret})")
        return [np.load(f"{folder}/{i}.npy") for i in range(len(results))]


def check(name, got, want, tolerance=TOLERANCE):
    global cases
    cases += 1
    want = keras.ops.convert_to_numpy(want)
    if got.shape != want.shape:
        failures.append(f"{name}: shape {got.shape}, Keras has {want.shape}")
    elif not np.array_equal(np.isnan(got), np.isnan(want)):
        failures.append(f"{name}: NaN elsewhere than Keras")
    else:
        error = np.nanmax(np.abs(got - want) / np.maximum(1.0, np.abs(want)))
        if not error <= tolerance:
            failures.append(f"{name}: relative error {error:.3g}, tolerance {tolerance:.3g}")


def activations():
    act = keras.activations
    x = rng.standard_normal((40, 5)) * 3
    edges = np.array([[0, -0.0, 700, -700, 1], [3, -3, 6, -6, 2], [30, -30, 100, -100, np.nan]])
    x = np.concatenate([x, edges])

    def case(kind, attributes, function, values=x, tolerance=TOLERANCE):
        of = "x".join(["?"] + [str(e) for e in values.shape[1:]])
        tensor = f"tensor<{of}xf64>"
        got = run(f"nn.activation {kind} %x {attributes} : {tensor}", {"x": (values, True)}, [tensor])
        check(kind + attributes, got[0], function(keras.ops.convert_to_tensor(values)), tolerance)

    for kind in "linear relu tanh sigmoid hard_sigmoid elu selu softplus softsign silu exponential relu6 mish".split():
        case(kind, "", act.get(kind))
    for kind in ["softmax", "log_softmax"]:
        case(kind, "", act.get(kind), x[:-1])
    for kind in ["gelu", "leaky_relu"]:
        case(kind, "", act.get(kind), tolerance=CONSTANTS_IN_F32)
    case("gelu", "{approximate}", lambda v: act.gelu(v, approximate=True), tolerance=CONSTANTS_IN_F32)
    case("relu", "{alpha = 0.1, max_value = 4.0, threshold = 1.0}", lambda v: act.relu(v, 0.1, 4.0, 1.0))
    case("relu", "{max_value = 4.0, threshold = -1.0}", lambda v: act.relu(v, 0.0, 4.0, -1.0), x[:-1])
    case("relu", "{max_value = 6.0}", lambda v: act.relu(v, 0.0, 6.0, 0.0))
    case("relu", "{alpha = 0.3}", lambda v: act.relu(v, 0.3, None, 0.0), tolerance=CONSTANTS_IN_F32)
    case("elu", "{alpha = 0.7}", lambda v: act.elu(v, 0.7))
    case("softmax", "{axis = 1}", lambda v: act.softmax(v, axis=1), rng.standard_normal((4, 3, 5)))


def recurrent():
    rows, steps, features, units = 5, 6, 3, 4
    x = rng.standard_normal((rows, steps, features))
    mask = rng.random((rows, steps)) < 0.6
    mask[0] = [0, 0, 1, 0, 1, 0]  # begins and ends masked, with a hole
    mask[1] = 0  # no valid step
    mask[2] = 1
    mask[3] = [1, 1, 1, 0, 0, 0]  # right-padded
    state = f"tensor<?x{units}xf64>"
    layers = [
        ("lstm", keras.layers.LSTM, {}),
        ("gru", keras.layers.GRU, {"reset_after": True}),
        ("gru", keras.layers.GRU, {"reset_after": False}),
        ("simple_rnn", keras.layers.SimpleRNN, {}),
    ]
    for (op, cls, own), masked, sequences, backwards, zero, initial, states, unroll in itertools.product(
        layers, *[[False, True]] * 7
    ):
        if zero and not masked:
            continue
        if unroll and (not masked or initial or states):
            continue
        layer = cls(units, return_sequences=sequences, go_backwards=backwards, return_state=states, unroll=unroll,
                    bias_initializer="random_normal", **own)
        layer.zero_output_for_mask = zero
        count = 2 if op == "lstm" else 1
        given = [rng.standard_normal((rows, units)) for _ in range(count)] if initial else None
        want = layer(x, mask=mask if masked else None, initial_state=given, training=False)
        want = list(want) if isinstance(want, (list, tuple)) else [want]

        arguments = {"x": (x, True)}
        if masked:
            arguments["m"] = (mask, True)
        for name, weight in zip("krb", layer.get_weights()):
            arguments[name] = (weight, False)
        for i, value in enumerate(given or []):
            arguments[f"h{i}"] = (value, True)
        attributes = [
            name
            for name, on in [
                ("return_sequences", sequences), ("go_backwards", backwards), ("zero_output_for_mask", zero),
                ("return_state", states), ("unroll", unroll), ("reset_after", own.get("reset_after")),
            ]
            if on
        ]
        results = [f"tensor<?x{steps}x{units}xf64>" if sequences else state] + [state] * (count if states else 0)
        start = f" initial_state({', '.join(f'%h{i}' for i in range(count))})" if initial else ""
        types = ", ".join(type_of(*argument) for argument in arguments.values())
        text = (
            f"nn.{op} %x{' mask %m' if masked else ''} weights(%k, %r, %b){start} "
            f"{{{', '.join(attributes)}}} : ({types}) -> ({', '.join(results)})"
        )
        for i, got in enumerate(run(text, arguments, results)):
            check(f"{op} {attributes} mask={masked} initial_state={initial} result {i}", got, want[i])


def uniform(shape, stream):
    """The numbers that dropout draws for `shape`, whose first extent is the rows."""
    tensor = f"tensor<{'x'.join(str(e) for e in shape)}xf64>"
    text = f"nn.random uniform seed %seed step %step stream = {stream} -> {tensor}"
    before = "  %seed = nn.seed : tensor<2xi32>\n  %step = nn.step : tensor<i32>\n"
    return run(text, {}, [tensor], before)[0]


def dropout():
    """The masks are drawn here as the ops draw them, and given to Keras."""
    rows, steps, features, units = 5, 6, 3, 4
    x = rng.standard_normal((rows, steps, features))
    layers = [
        ("lstm", keras.layers.LSTM, 4, {}),
        ("gru", keras.layers.GRU, 3, {"reset_after": True}),
        ("gru", keras.layers.GRU, 3, {"reset_after": False}),
        ("simple_rnn", keras.layers.SimpleRNN, 1, {}),
    ]
    for (op, cls, gates, own), (rate, state_rate) in itertools.product(
        layers, [(0.3, 0.0), (0.0, 0.4), (0.3, 0.4), (1.0, 0.0)]
    ):
        layer = cls(units, dropout=rate, recurrent_dropout=state_rate, bias_initializer="random_normal", **own)
        layer.build((rows, steps, features))

        def factors(extent, of, stream):
            every = gates if state_rate else 1
            keep = uniform((rows, every, extent), stream) >= of
            masks = [keras.ops.convert_to_tensor(keep[:, g] / (1.0 - of)) for g in range(every)]
            return masks if state_rate and gates > 1 else masks[0]

        if 0.0 < rate < 1.0:
            layer.cell._dropout_mask = factors(features, rate, 11)
        if state_rate:
            layer.cell._recurrent_dropout_mask = factors(units, state_rate, 12)
        want = layer(x, training=True)
        arguments = {"x": (x, True), **{n: (w, False) for n, w in zip("krb", layer.get_weights())}}
        types = ", ".join(type_of(*argument) for argument in arguments.values())
        result = f"tensor<?x{units}xf64>"
        reset = "reset_after, " if own.get("reset_after") else ""
        text = (
            f"nn.{op} %x weights(%k, %r, %b) {{{reset}dropout = {rate:e}, recurrent_dropout = {state_rate:e}, "
            f"stream = 11 : i32}} : ({types}) -> {result}"
        )
        got = run(text, arguments, [result], training=True)
        check(f"{op} {own} dropout={rate} recurrent_dropout={state_rate}", got[0], want)

    flat = rng.standard_normal((5, 4))
    got = run("nn.dropout %x {rate = 0.3, stream = 3 : i32} : tensor<?x4xf64>", {"x": (flat, True)},
              ["tensor<?x4xf64>"], training=True)
    check("dropout", got[0], np.where(uniform((5, 4), 3) >= 0.3, flat / 0.7, 0.0))


def others():
    k = keras.layers
    x = rng.standard_normal((5, 6, 3))
    flat = rng.standard_normal((5, 4))

    dense = k.Dense(4, activation="softmax", bias_initializer="random_normal")
    want = dense(x)
    weights = {n: (w, False) for n, w in zip("kb", dense.get_weights())}
    got = run("nn.dense %x, %k bias %b activation = softmax : tensor<?x6x3xf64>, tensor<3x4xf64>, tensor<4xf64>"
              " -> tensor<?x6x4xf64>", {"x": (x, True), **weights}, ["tensor<?x6x4xf64>"])
    check("dense", got[0], want)

    # One step all of the value, one in part, one with NaN.
    y = x.copy()
    y[0, 1] = -5.0
    y[1, 2, 0] = -5.0
    y[2, 3, 1] = np.nan
    masking = k.Masking(-5.0)
    got = run("nn.masking %x {mask_value = -5.0} : tensor<?x6x3xf64> -> tensor<?x6x3xf64>, tensor<?x6xi1>",
              {"x": (y, True)}, ["tensor<?x6x3xf64>", "tensor<?x6xi1>"])
    check("masking", got[0], masking(y))
    check("masking's mask", got[1].astype("float64"), keras.ops.cast(masking.compute_mask(y), "float64"))

    ids = rng.integers(0, 7, (5, 6)).astype("int32")
    embedding = k.Embedding(7, 3, mask_zero=True)
    want = embedding(ids)
    got = run("nn.embedding %i, %t {mask_zero} : tensor<?x6xi32>, tensor<7x3xf64> -> tensor<?x6x3xf64>, tensor<?x6xi1>",
              {"i": (ids, True), "t": (embedding.get_weights()[0], False)}, ["tensor<?x6x3xf64>", "tensor<?x6xi1>"])
    check("embedding", got[0], want)
    check("embedding's mask", got[1].astype("float64"), keras.ops.cast(embedding.compute_mask(ids), "float64"))

    got = run("nn.flatten %x : tensor<?x6x3xf64> -> tensor<?x18xf64>", {"x": (x, True)}, ["tensor<?x18xf64>"])
    check("flatten", got[0], k.Flatten()(x))
    got = run("nn.repeat_vector %x : tensor<?x4xf64> -> tensor<?x7x4xf64>", {"x": (flat, True)}, ["tensor<?x7x4xf64>"])
    check("repeat_vector", got[0], k.RepeatVector(7)(flat))
    a, b = rng.standard_normal((5, 3, 4)), rng.standard_normal((5, 3, 1))
    got = run("nn.add %a, %x, %b : tensor<?x3x4xf64>, tensor<?x4xf64>, tensor<?x3x1xf64> -> tensor<?x3x4xf64>",
              {"a": (a, True), "x": (flat, True), "b": (b, True)}, ["tensor<?x3x4xf64>"])
    check("add", got[0], k.Add()([keras.ops.convert_to_tensor(v) for v in (a, flat, b)]))
    got = run("nn.concatenate %a, %b axis = 2 : tensor<?x3x4xf64>, tensor<?x3x1xf64> -> tensor<?x3x5xf64>",
              {"a": (a, True), "b": (b, True)}, ["tensor<?x3x5xf64>"])
    check("concatenate", got[0], k.Concatenate(axis=2)([keras.ops.convert_to_tensor(v) for v in (a, b)]))

    for mode, sequences in itertools.product(["concat", "sum", "ave", "mul"], [False, True]):
        layer = k.Bidirectional(k.GRU(4, return_sequences=sequences), merge_mode=mode)
        mask = rng.random((5, 6)) < 0.6
        want = layer(x, mask=mask)
        out, joined = ("6x4", "6x8") if sequences else ("4", "8")
        result = f"tensor<?x{joined if mode == 'concat' else out}xf64>"
        weights = dict(zip(["fk", "fr", "fb", "bk", "br", "bb"], layer.get_weights()))
        types = "(tensor<?x6x3xf64>, tensor<?x6xi1>, tensor<3x12xf64>, tensor<4x12xf64>, tensor<2x12xf64>)"
        # Keras gives both the inner layers zero_output_for_mask with return_sequences.
        own = "reset_after, return_sequences, zero_output_for_mask" if sequences else "reset_after"
        text = (
            f"nn.bidirectional {mode}(%f, %g) {{{'return_sequences' if sequences else ''}}} : tensor<?x{out}xf64>, "
            f"tensor<?x{out}xf64> -> {result}"
        )
        before = (
            f"  %f = nn.gru %x mask %m weights(%fk, %fr, %fb) {{{own}}} : {types} -> tensor<?x{out}xf64>\n"
            f"  %g = nn.gru %x mask %m weights(%bk, %br, %bb) {{{own}, go_backwards}} : {types} -> tensor<?x{out}xf64>\n"
        )
        arguments = {"x": (x, True), "m": (mask, True), **{n: (w, False) for n, w in weights.items()}}
        got = run(text, arguments, [result], before)[0]
        check(f"bidirectional {mode} return_sequences={sequences}", got, want)

    inner = k.Dense(4, activation="tanh", bias_initializer="random_normal")
    layer = k.TimeDistributed(inner)
    want = layer(x)
    weights = {n: (w, False) for n, w in zip("kb", inner.get_weights())}
    got = run("nn.time_distributed %x : tensor<?x6x3xf64> -> tensor<?x6x4xf64> {\n  ^bb0(%s: tensor<?x3xf64>):\n"
              "    %d = nn.dense %s, %k bias %b activation = tanh : tensor<?x3xf64>, tensor<3x4xf64>, tensor<4xf64>"
              " -> tensor<?x4xf64>\n    nn.layer_yield %d : tensor<?x4xf64>\n  }", {"x": (x, True), **weights},
              ["tensor<?x6x4xf64>"])
    check("time_distributed", got[0], want)


OPT = sys.argv[1]
{"activations": activations, "recurrent": recurrent, "dropout": dropout, "others": others}[sys.argv[2]]()
for failure in failures:
    print(failure, file=sys.stderr)
print(f"{cases} comparisons, {len(failures)} beyond the tolerance")
sys.exit(1 if failures else 0)
