"""Programs without one optimisation after the other, and in other memory modes, against the program with all of them (docs/optimizations.md)."""
import concurrent.futures
import itertools
import json
import os

import numpy as np

import cases
import harness as h
import bench_data

# family: masks, rows, batch. An odd batch gives two towers different numbers of rows.
MODELS = {
    "quickdraw": (("none", "leading", "inner", "complete"), 22, 11),
    "quickdraw_full": (("complete",), 14, 7),
    "fashion_mnist_full": (("none",), 150, 75),
    "gru": (("none", "complete"), 22, 11),
    "bidirectional": (("none", "complete"), 22, 11),
}
# In the true size only what depends on sizes.
ONLY = {"quickdraw_full": ("pack-masked-steps", "fuse-elementwise", "reuse-sequences", "row-blocks", "pack-weights", "look-ahead", "merge-sums", "share-memory", "split-loops", "group-loops", "all")}
EPOCHS = 2
TOWERS = (1, 2)
# Not the same bits, but for these.
SAME_PREDICTIONS = ("elide-all-reduce", "gather-rows", "pack-masked-steps")
SAME_ON_ONE_TOWER = ("elide-all-reduce", "gather-rows")
# The first decides where the others apply; without them it changes no bit.
DECIDES = {"sink-into-loops": ("products-first", "add-in-place")}


def run(ctx, only=None):
    names = optimizations(ctx)
    if not ctx.check("switches: names in --help", None if len(names) > 10 else f"{sorted(names)}"):
        return
    exact = [n for n, same in names.items() if same]
    without = {n: ([n], same) for n, same in names.items()}
    without["all that change no bit"] = (exact, True)
    without["all"] = (["all"], False)
    for name, others in DECIDES.items():
        without[and_list(others)] = (list(others), False)
        without[and_list((*others, name))] = ([*others, name], False)
    for family in MODELS:
        if only and only not in family and only not in names and only != "memory":
            continue
        folder, model, data = prepare(ctx, family)
        base = numbers(ctx, f"switches {family}", family, folder, model, data, "base")
        if not base:
            continue
        for mode in ("low", "fast") if not only or only == "memory" or only in family else ():
            got = numbers(ctx, f"switches {family} memory {mode}", family, folder, model, data, mode, "--memory", mode)
            if got:
                compare(ctx, f"switches {family} memory {mode}", got, base, mode, True)
        chosen = {n: w for n, w in without.items() if (n == only if only in names or only == "memory" else True) and n in ONLY.get(family, without)}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = {n: pool.submit(numbers, ctx, f"switches {family} without {n}", family, folder, model, data, n.replace(" ", "-"), "--disable", ",".join(off))
                    for n, (off, _) in chosen.items()}
            kept = {}
            for n, (_, same) in chosen.items():
                got = runs.pop(n).result()
                if got:
                    compare(ctx, f"switches {family} without {n}", got, base, n, same)
                if " and " in n:
                    kept[n] = got
            for name, others in DECIDES.items():
                few, more = and_list(others), and_list((*others, name))
                if kept.get(few) and kept.get(more):
                    compare(ctx, f"switches {family} without {more}, of that without {few}", kept[more], kept[few], more, True)
    if not only or only in ("denormals", "tiny-numbers"):
        denormals(ctx)
    if not only or only == "odd":
        odd(ctx, exact)


def odd(ctx, exact):
    """Recurrent layers of one unit, and with gates whose outputs take each other's places (what hard_sigmoid's gradient reads is made in another order): the same
    bits with other uses of memory and without what changes no bit, 1e-5 without everything."""
    folder = ctx.folder("switches-odd")
    for cell, units, activation in (("LSTM", 1, None), ("GRU", 1, None), ("SimpleRNN", 1, None), ("LSTM", 2, "hard_sigmoid"), ("LSTM", 33, "hard_sigmoid"), ("GRU", 17, "hard_sigmoid")):
        for layers in (1, 2):
            model = bench_data.Recurrent(name=f"{cell.lower()}_{units}_{layers}", cell=cell, units=units, layers=layers, steps=5, features=2, ragged=True)
            text = bench_data.architecture(model)
            if activation:  # without a mask, whose rows are copied
                text["config"]["layers"] = [l for l in text["config"]["layers"] if l["class_name"] != "Masking"]
            for layer in text["config"]["layers"]:
                if activation and layer["class_name"] == cell:
                    layer["config"]["recurrent_activation"] = activation
            at = os.path.join(folder, model.name)
            with open(at + ".json", "w", encoding="utf-8") as f:
                json.dump(text, f)
            x, y = model.data(20)
            X, Y = h.flags("--x", h.put(folder, model.name + ".x", {"x": x})), h.flags("--y", h.put(folder, model.name + ".y", {"label": y}))
            base = None
            for tag, flags, same in (("base", (), True), ("low", ("--memory", "low"), True), ("fast", ("--memory", "fast"), True), ("exact", ("--disable", ",".join(exact)), True),
                                     ("row-blocks", ("--disable", "row-blocks"), True), ("llvm", ("--disable", "llvm"), True), ("all", ("--disable", "all"), False)):
                name, saved, gradients = f"switches odd {model.name} {activation or ''} {tag}", at + tag + ".weights.h5", at + tag + ".h5"
                if not ctx.compile(name, at + ".json", at + tag, *flags):
                    break
                if not ctx.ran(name, ctx.run([at + tag, "fit", *X, *Y, "--batch-size", 7, "--towers", 2, "--epochs", 2, "--seed", 3, "--save", saved, "--dump-gradients", gradients])):
                    break
                got = {**h.read_weights(saved), **{"gradient " + k: g for k, g in h.read_weights(gradients, below="").items()}}
                if base is None:
                    base = got
                else:
                    ctx.check(name, difference(got, base, same))


def denormals(ctx):
    """Moments that decay through the denormal numbers to zero, those of words that only the first batches have: the same bits without `tiny-numbers`."""
    family, words, batch, steps, rho = "bidirectional", 20, 4, 60, 0.125
    folder = ctx.folder("switches-denormals")
    x, y, _ = cases.data(family, "none", rows=batch * steps, seed=6)
    ids = x["ids"] % (words // 2) + 1
    ids[:2 * batch] += words // 2 - 1
    X, Y = h.flags("--x", h.put(folder, "x", {"ids": ids})), h.flags("--y", h.put(folder, "y", y))
    found = {}
    for tag, flags in (("with", ()), ("without", ("--disable", "tiny-numbers")), ("all", ("--disable", "all"))):
        name, exe = f"switches denormals {tag}", os.path.join(folder, tag)
        if not ctx.compile(name, h.family_model(family), exe, *flags):
            return
        for steps_made in (steps - 20, steps):
            saved = os.path.join(folder, "saved.weights.h5")
            rows = f"[:{batch * steps_made}]"
            r = ctx.run([exe, "fit", *(a + rows if a.endswith(".npy") else a for a in (*X, *Y)), "--batch-size", batch, "--towers", 2, "--devices", "cpu:2", "--epochs", 1, "--no-shuffle", "--seed", 3,
                         "--set", f"rho={rho}", "--save", saved])
            if not ctx.ran(f"{name}, {steps_made} steps", r):
                return
            found[tag, steps_made] = h.read_weights(saved, below="")
    tiny = np.finfo(np.float32).tiny
    moments = [a for k, a in found["with", steps - 20].items() if a.dtype == np.float32 and k.startswith("optimizer/")]
    count = sum(int(((a != 0) & (np.abs(a) < tiny)).sum()) for a in moments)
    ctx.check("switches denormals: there are some", None if count >= 64 else f"{count} denormal moments after {steps - 20} steps")
    for steps_made in (steps - 20, steps):
        ctx.check(f"switches denormals without tiny-numbers, {steps_made} steps", difference(found["without", steps_made], found["with", steps_made], True))
        ctx.check(f"switches denormals without all, {steps_made} steps", difference(found["all", steps_made], found["with", steps_made], False))


def and_list(names):
    return " and ".join(names)


def optimizations(ctx):
    """{name: whether a program without it has the same bits}, as belfryc --help lists them."""
    listed = ctx.run([ctx.tool("belfryc"), "--help"]).out.split("OPTIMISATIONS")[-1].splitlines()[1:]
    lines = itertools.takewhile(lambda l: not l or l.startswith("  "), listed)
    return {l[4:].split()[0]: l[2] != "*" for l in lines if l.strip()}


def prepare(ctx, family):
    """The folder with the family's model, dropout on, and its data by mask."""
    folder = ctx.folder("switches-" + family)
    model = h.dropout_on(h.family_model(family), os.path.join(folder, "model.json"))
    masks, rows, _ = MODELS[family]
    data = {}
    for mask in masks:
        x, y, w = cases.data(family, mask, rows=rows, seed=4)
        files = os.path.join(folder, mask)
        os.makedirs(files)
        data[mask] = h.flags("--x", h.put(files, "x", x)), h.flags("--y", h.put(files, "y", y)) + h.flags("--sample-weight", h.put(files, "w", w)), list(y)
    return folder, model, data


def numbers(ctx, name, family, folder, model, data, tag, *flags, tower_counts=TOWERS):
    """{(mask, towers): {what: arrays}} of a program, or None where a command failed."""
    exe = os.path.join(folder, tag)
    if not ctx.compile(name, model, exe, *flags):
        return None
    results = {}
    for mask, (X, Y, outputs) in data.items():
        for towers in tower_counts:
            what, at = f"{name}, mask {mask}, towers {towers}", os.path.join(folder, f"{tag}-{mask}-{towers}")
            common = ["--batch-size", MODELS[family][2], "--towers", towers, "--devices", f"cpu:{towers}", "--threads-per-device", "2", "--seed", 3]
            saved, history, gradients = at + ".weights.h5", at + ".json", at + ".h5"
            r = ctx.run([exe, "fit", *X, *Y, *common, "--epochs", EPOCHS, "--save", saved, "--history", history, "--log-steps", "--dump-gradients", gradients])
            if not ctx.ran(what + ": fit", r):
                return None
            o, files = h.outputs(folder, os.path.basename(at), outputs)
            if not ctx.ran(what + ": predict", ctx.run([exe, "predict", *X, *common, *o])):
                return None
            results[mask, towers] = {
                "losses": {"step_loss": np.array((h.load_json(history) or {}).get("step_loss", []), np.float32)},
                "weights": h.read_weights(saved), "gradients": h.read_weights(gradients, below=""), "predictions": {k: h.load(f) for k, f in files.items()}}
            os.remove(saved)
            os.remove(gradients)
    os.remove(exe)
    return results


def compare(ctx, name, got, base, left_out, same):
    for (mask, towers), want in base.items():
        for what, tensors in want.items():
            exact = same or (what == "predictions" and left_out in SAME_PREDICTIONS) or (towers == 1 and left_out in SAME_ON_ONE_TOWER)
            ctx.check(f"{name}, mask {mask}, towers {towers}: {what}", difference(got[mask, towers][what], tensors, exact))


def difference(got, want, same, atol=1e-8):
    """None, or how two sets of arrays differ: in a bit, or by more than 1e-5 of a tensor's largest value and `atol`, which is 1e-5 of a step."""
    if not want or set(got) != set(want) or any(v is None for v in got.values()):
        return f"arrays {sorted(got)}, wanted {sorted(want)}"[:300]
    for k, v in want.items():
        problem = None
        if not same:
            problem = h.off(got[k], v, of_largest=1e-5, atol=atol)  # what a step changes is 1e-3
        elif got[k].shape != v.shape or got[k].tobytes() != v.tobytes():
            problem = h.off(got[k], v) or "signs of zeros differ"
        if problem:
            return f"{k}: {problem}"
    return None
