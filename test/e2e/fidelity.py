"""One tower against Keras's numbers: predictions, evaluation, the losses of 20 steps, the weights after them."""
import json
import os

import numpy as np

import cases
import harness as h


def run(ctx, only=None):
    for family in cases.FAMILIES:
        if only and only not in family:
            continue
        if not os.path.exists(os.path.join(h.GOLDENS, family + ".npz")):
            ctx.check(f"fidelity {family}", "there is no golden file")
            continue
        one_family(ctx, family)


def one_family(ctx, family):
    f, golden, name = cases.FAMILIES[family], h.family_golden(family), f"fidelity {family}"
    folder = ctx.folder("fidelity-" + family)
    exe = os.path.join(folder, "train")
    if not ctx.compile(name, h.family_model(family), exe):
        return
    init = h.family_weights(family, os.path.join(folder, "init.weights.h5"))
    for mask in f["masks"]:
        x, y, w = cases.data(family, mask)
        X, Y, W = h.put(folder, "x", x), h.put(folder, "y", y), h.put(folder, "w", w)
        predictions(ctx, f"{name} {mask}", f, golden, mask, folder, exe, X, init)
        for weighted in f["weighted"]:
            kind = "weighted" if weighted else "plain"
            sw = h.flags("--sample-weight", W) if weighted else []
            data = h.flags("--x", X) + h.flags("--y", Y) + sw
            saved = training(ctx, f"{name} {mask} {kind}", f, golden, f"{mask}/{kind}", folder, exe, data, init)
            if saved and ctx.keras and not weighted:
                keras_reads(ctx, f"{name} {mask}", family, folder, exe, X, saved, list(y))


def predictions(ctx, name, f, golden, mask, folder, exe, X, init):
    """Within 1e-5 relative and 1e-6 absolute of Keras in f32; no further from Keras in f64 than twice what Keras in f32 is."""
    names = [k.split("/")[2] for k in golden.files if k.startswith(mask + "/pred32/")]
    rows = min(cases.PREDICT_ROWS, f["rows"])
    o, files = h.outputs(folder, "pred", names)
    r = ctx.run([exe, "predict", *h.flags("--x", X, rows), "--weights", init, "--batch-size", f["batch"], *o])
    if not ctx.ran(f"{name}: predict", r):
        return
    for n in names:
        got, p32, p64 = h.load(files[n]), golden[f"{mask}/pred32/{n}"], golden[f"{mask}/pred64/{n}"]
        if got is None:
            ctx.check(f"{name}: prediction {n}", "cannot read the result")
            continue
        ctx.check(f"{name}: prediction {n}", h.off(got, p32, rtol=1e-5, atol=1e-6))
        if got.shape == p64.shape:
            limit = max(2 * np.abs(p32 - p64).max(), 1e-6 * np.abs(p64).max())
            ctx.check(f"{name}: prediction {n} against f64", h.off(got, p64, atol=limit))


def training(ctx, name, f, golden, key, folder, exe, data, init):
    """Evaluation and step losses within 1e-5, weights after 20 steps within 1e-4 of each tensor's largest value."""
    r = ctx.run([exe, "evaluate", *data, "--weights", init, "--batch-size", f["batch"], "--json"])
    if ctx.ran(f"{name}: evaluate", r):
        want, got = json.loads(str(golden[key + "/evaluate"])), h.parse(r.out)
        if got is None:
            ctx.check(f"{name}: evaluate", f"no JSON on stdout: {r.out[:100]!r}")
        else:
            for k, v in want.items():
                # Keras weighs the batches of an output's own loss by rows, but not where TensorFlow traced a batch of unknown size, as it
                # does for an uneven last one: then only the key is compared.
                uneven = k.endswith("_loss") and f["rows"] % f["batch"]
                ctx.check(f"{name}: evaluate {k}", f"no such key, there are {', '.join(got)}" if k not in got else
                          "" if uneven else h.off(got[k], v, atol=1e-5, rtol=1e-5))
    saved, history = os.path.join(folder, "out.weights.h5"), os.path.join(folder, "history.json")
    for path in (saved, history):
        if os.path.exists(path):
            os.remove(path)
    r = ctx.run([exe, "fit", *data, "--weights", init, "--batch-size", f["batch"], "--epochs", f["epochs"], "--no-shuffle",
                 "--save", saved, "--history", history, "--log-steps"])
    if not ctx.ran(f"{name}: fit", r):
        return None
    losses = (h.load_json(history) or {}).get("step_loss")
    want = golden[key + "/losses"]
    ctx.check(f"{name}: step losses", "no step_loss in the history" if losses is None else h.off(losses, want, atol=1e-5, rtol=1e-5))
    if not os.path.exists(saved):
        ctx.check(f"{name}: saved weights", "--save wrote nothing")
        return None
    got = h.read_weights(saved)
    for path, shape in h.structure(golden):
        a = got.get(path)
        problem = f"missing, there are {', '.join(got)}"[:300] if a is None else f"shape {a.shape}, wanted {shape}" if a.shape != shape else \
            h.off(cases.sample(a), golden[f"{key}/weights/{path}"], of_largest=1e-4)
        ctx.check(f"{name}: weights {path}", problem)
    return saved


def keras_reads(ctx, name, family, folder, exe, X, saved, names):
    """Keras loads the saved weights and predicts the same."""
    f = cases.FAMILIES[family]
    o, files = h.outputs(folder, "after", names)
    r = ctx.run([exe, "predict", *h.flags("--x", X), "--weights", saved, "--batch-size", f["batch"], *o])
    if not ctx.ran(f"{name}: predict with the saved weights", r):
        return
    out = os.path.join(folder, "keras.npz")
    r = ctx.run([ctx.keras, os.path.join(h.HERE, "keras_reads.py"), h.family_model(family), saved, out, *(f"{k}={v}" for k, v in X.items())], timeout=300)
    if not ctx.ran(f"{name}: Keras loads the saved weights", r):
        return
    z = np.load(out)
    for n in names:
        ctx.check(f"{name}: Keras's prediction {n}", h.off(h.load(files[n]), z[n], rtol=1e-5, atol=1e-6))
