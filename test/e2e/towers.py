"""N towers against one, on the host: the same function up to rounding; and the same bits on any number of devices and threads."""
import os

import numpy as np

import cases
import harness as h

FAMILIES = ("quickdraw", "quickdraw_mask_input", "japanese_vowels", "fashion_mnist", "two_inputs", "bidirectional", "gru", "fashion_mnist_full")
TOWERS = (1, 2, 3, 4, 8)
BATCHES = (1, 5, 7, 128)


def run(ctx, only=None):
    for family in FAMILIES:
        if not only or only in family:
            one_family(ctx, family)


def one_family(ctx, family):
    """Dropout is on: its noise belongs to the global row, so that it is the same for every N."""
    name, folder = f"towers {family}", ctx.folder("towers-" + family)
    exe = os.path.join(folder, "train")
    if not ctx.compile(name, h.dropout_on(h.family_model(family), os.path.join(folder, "model.json")), exe):
        return
    init = h.family_weights(family, os.path.join(folder, "init.weights.h5"))
    mask = "complete" if "complete" in cases.FAMILIES[family]["masks"] else "none"
    for batch in BATCHES:
        x, y, w = cases.data(family, mask, rows=4 * batch - batch // 2, seed=2)
        data = [h.flags("--x", h.put(folder, "x", x)), h.flags("--y", h.put(folder, "y", y)), h.flags("--sample-weight", h.put(folder, "w", w))]
        one = None
        for n in TOWERS:
            got = numbers(ctx, f"{name} batch {batch} towers {n}", folder, exe, data, init, batch, n, list(y))
            if n == 1:
                one = got
            elif one and got:
                compare(ctx, f"{name} batch {batch} towers {n}", got, one)
            if not one:
                break
    many_rows(ctx, name, folder, exe, init, family, mask)


def many_rows(ctx, name, folder, exe, init, family, mask):
    """A tower predicts rows in parts where it has many; a row's bits are those that it has in a small batch."""
    x, y, _ = cases.data(family, mask, rows=3000, seed=3)
    X, found = h.flags("--x", h.put(folder, "many", x)), {}
    for batch in (3000, 50):
        o, files = h.outputs(folder, f"rows{batch}", list(y))
        if not ctx.ran(f"{name}: predict {batch} rows at once", ctx.run([exe, "predict", *X, "--weights", init, "--batch-size", batch, "--towers", 1, "--threads-per-device", 1, *o])):
            return
        found[batch] = {k: h.load(f) for k, f in files.items()}
    for k, few in found[50].items():
        many = found[3000][k]
        ctx.check(f"{name}: predictions {k} of many rows", "cannot read" if few is None or many is None else None if few.tobytes() == many.tobytes() else h.off(many, few) or "signs of zeros differ")


def numbers(ctx, name, folder, exe, data, init, batch, n, names):
    """All numbers of one tower count, or None where a command failed."""
    X, Y, W = data
    common = ["--weights", init, "--batch-size", batch, "--towers", n, "--seed", 7]
    o, files = h.outputs(folder, f"pred{n}", names)
    if not ctx.ran(f"{name}: predict", ctx.run([exe, "predict", *X, *common, *o])):
        return None
    result = {"prediction": {k: h.load(f) for k, f in files.items()}}
    r = ctx.run([exe, "evaluate", *X, *Y, *W, *common, "--json"])
    if not ctx.ran(f"{name}: evaluate", r):
        return None
    result["evaluate"] = h.parse(r.out) or {}
    saved, history, gradients = (os.path.join(folder, f) for f in (f"out{n}.weights.h5", f"history{n}.json", f"gradients{n}.h5"))
    r = ctx.run([exe, "fit", *X, *Y, *W, *common, "--epochs", 5, "--save", saved, "--history", history, "--log-steps", "--dump-gradients", gradients])
    if not ctx.ran(f"{name}: fit", r):
        return None
    if not all(os.path.exists(f) for f in (saved, history, gradients)):
        ctx.check(f"{name}: fit", "left out one of weights, history and gradients")
        return None
    result["step_loss"] = (h.load_json(history) or {}).get("step_loss", [])
    result["weights"] = h.read_weights(saved)
    result["gradients"] = h.read_weights(gradients, below="")
    return result


def compare(ctx, name, got, one):
    for k, p in one["prediction"].items():
        ctx.check(f"{name}: prediction {k}", "cannot read" if p is None or got["prediction"][k] is None else h.off(got["prediction"][k], p, of_largest=1e-6))
    ctx.check(f"{name}: evaluate", worst({k: h.off(got["evaluate"].get(k, np.nan), v, rtol=1e-6, atol=1e-9) for k, v in one["evaluate"].items()}) if one["evaluate"] else "no numbers")
    ctx.check(f"{name}: first gradients", tensors(got["gradients"], one["gradients"], 2e-5))
    # Of matrices of a dense layer that are worth it, gradients are one sum over the rows of all towers, in order (--gather-rows); GPUs share no
    # memory to gather them in.
    same = {k: None if g.tobytes() == got["gradients"][k].tobytes() else h.off(got["gradients"][k], g) or "signs of zeros differ"
            for k, g in one["gradients"].items() if g.ndim == 2 and g.size >= 1 << 14 and k in got["gradients"]}
    if ctx.target == "host" and (same or "_full" in name):
        ctx.check(f"{name}: first gradients of large matrices, bits", worst(same) if same else "there are none")
    if len(one["step_loss"]) != 20:
        ctx.check(f"{name}: step losses", f"{len(one['step_loss'])} losses, wanted 20")
    else:
        ctx.check(f"{name}: step losses", h.off(got["step_loss"], one["step_loss"], atol=1e-5, rtol=1e-5))
    ctx.check(f"{name}: weights after 20 steps", tensors(got["weights"], one["weights"], 1e-4))


def worst(problems):
    return next((f"{k}: {p}" for k, p in problems.items() if p), None)


def tensors(got, one, of_largest):
    if not one or set(got) != set(one):
        return f"tensors {sorted(got)}, wanted {sorted(one)}"[:300]
    return worst({k: h.off(got[k], v, of_largest=of_largest, atol=1e-12) for k, v in one.items()})


# ------------------------------------------------------------------ bits
DEVICES = [(d, t) for d in ("cpu:1", "cpu:2", "cpu:3", "cpu:8") for t in (1, 2)]


def bits(ctx, only=None):
    """The weights after 20 steps, dropout on, are the same bytes from run to run and on any number of devices and threads."""
    for example in ("japanese_vowels", "two_inputs", "bidirectional", "fashion_mnist"):
        if only and only not in example:
            continue
        name, folder = f"bits {example}", ctx.folder("bits-" + example)
        exe = os.path.join(folder, "train")
        model = "model.json" if example == "fashion_mnist" else "model.keras"
        if not ctx.compile(name, os.path.join(h.EXAMPLES, example, model), exe, "--towers", "8"):
            continue
        if example == "japanese_vowels":
            npz = os.path.join(h.EXAMPLES, example, "japanese_vowels.npz")
            data, batch, epochs = ["--x", npz + ":x_train[:155]", "--y", npz + ":y_train[:155]"], 32, 4
        elif example == "fashion_mnist":  # kernels large enough to be shared among threads
            rng = np.random.RandomState(5)
            x, y = cases.grid(rng, (600, 784)), rng.randint(0, 10, (600, 1)).astype(np.int32)
            data, batch, epochs = h.flags("--x", h.put(folder, "x", {"pixels": x})) + h.flags("--y", h.put(folder, "y", {"kind": y})), 300, 10
        else:
            make = {"two_inputs": dict(steps=20, features=6), "bidirectional": dict(steps=24, words=50)}[example]
            data, batch, epochs = example_data(folder, example, make), 13, 4
        first = None
        for devices, threads in [DEVICES[0], *DEVICES]:
            what = f"{name} {devices}, {threads} threads a device"
            saved = os.path.join(folder, "out.weights.h5")
            if os.path.exists(saved):
                os.remove(saved)
            r = ctx.run([exe, "fit", *data, "--batch-size", batch, "--epochs", epochs, "--seed", 11, "--towers", 8, "--devices", devices,
                         "--threads-per-device", threads, "--save", saved])
            if not ctx.ran(f"{what}: fit", r):
                continue
            d = h.digest(saved)
            if first is None:
                first = d
            else:
                ctx.check(f"{what}: weights", None if d == first else f"sha256 {d[:16]}, the first run's is {first[:16]}")


def example_data(folder, example, size):
    """Data for an example in its true size: 60 rows, so that 13 a batch makes 5 steps an epoch."""
    x, y, _ = cases.example_data(example, size, "complete", rows=60, seed=3)
    return h.flags("--x", h.put(folder, "x", x)) + h.flags("--y", h.put(folder, "y", y))
