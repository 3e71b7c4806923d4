"""Bad input: exit status 1, a line that begins `error:`, at most 20 lines, the user's words in it, nothing left behind.

Each case is a row: what it is, the arguments, what the message has to mention (regular expressions), and optionally files that may not be
there afterwards. The golden suite has more of them; here are those about devices, sliced arrays, outputs and numbers that go wrong.
"""
import gzip
import json
import os
import re
import warnings
import zipfile

import numpy as np

import cases
import harness as h


def judge(ctx, name, r, mention, left=()):
    """A good refusal, as one check."""
    problems = []
    if r.timed_out or r.rc != 1:
        problems.append(f"{r.how()}, wanted exit status 1")
    if not any(l.startswith("error:") for l in r.err.splitlines()):
        problems.append(f"no line on stderr begins 'error:' ({r.err.strip()[:160]!r})")
    missing = [m for m in mention if not re.search(m, r.err, re.I)]
    if missing:
        problems.append(f"stderr does not mention {missing} ({r.err.strip()[:200]!r})")
    if len(r.err.strip().splitlines()) > 20:
        problems.append(f"{len(r.err.strip().splitlines())} lines on stderr")
    if r.rss > 2000:
        problems.append(f"used {r.rss:.0f} MB")
    problems += [f"left {os.path.basename(f)} behind" for f in left if os.path.lexists(f)]
    ctx.check(f"bad input: {name}", "; ".join(problems))


def run(ctx, only=None):
    folder = ctx.folder("bad")
    at = lambda f: os.path.join(folder, f)
    if not only or only in "compiler":
        compiler(ctx, folder, at)
    if not only or only in "binary":
        binary(ctx, folder, at)
    if not only or only in "numbers":
        numbers(ctx, folder, at)


def edited(source, path, change):
    with open(source, encoding="utf-8") as f:
        j = json.load(f)
    change(j)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(j, f)
    return path


def layer(j, name):
    return next(l for l in j["config"]["layers"] if l["config"].get("name") == name)


def compiler(ctx, folder, at):
    keras = os.path.join(h.EXAMPLES, "gru", "model.keras")
    model = h.family_model("fashion_mnist")
    with open(keras, "rb") as f:
        whole = f.read()
    with open(at("cut.keras"), "wb") as f:
        f.write(whole[:len(whole) // 2])
    with open(at("picture.keras"), "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + bytes(64))
    with open(at("text.json"), "w") as f:
        f.write("not json\n")
    with open(at("empty.keras"), "wb"):
        pass
    with zipfile.ZipFile(at("no_config.keras"), "w") as z:
        z.writestr("metadata.json", "{}")
    with zipfile.ZipFile(keras) as z, zipfile.ZipFile(at("bad_weights.keras"), "w") as out:
        for n in z.namelist():
            out.writestr(n, z.read(n) if n != "model.weights.h5" else z.read(n)[:4096])

    def unsupported(j):
        layer(j, "dense_1")["class_name"] = "Swirl"
        layer(j, "dense_2")["class_name"] = "Twist"
        layer(j, "dropout_1")["class_name"] = "Swirl"

    def bytecode(j):
        l = layer(j, "dropout_1")
        l["class_name"] = "Lambda"
        l["config"] = {"name": "dropout_1", "function": {"class_name": "__lambda__", "config": {"code": "4wAAAA==", "defaults": None, "closure": None}}}

    edited(model, at("unsupported.json"), unsupported)
    edited(model, at("lambda.json"), bytecode)
    edited(model, at("units.json"), lambda j: layer(j, "dense_1")["config"].update(units=-3))
    exe = at("train")
    rows = [
        ("truncated .keras", [at("cut.keras")], ["cut.keras"]),
        ("a picture named .keras", [at("picture.keras")], ["picture.keras"]),
        ("empty .keras", [at("empty.keras")], ["empty.keras"]),
        (".keras without config.json", [at("no_config.keras")], ["config.json"]),
        (".keras with cut weights", [at("bad_weights.keras")], ["bad_weights.keras|weights"]),
        ("text named .json", [at("text.json")], ["text.json"]),
        ("no such file", [at("nowhere.json")], ["nowhere.json"]),
        ("unknown suffix", [__file__], ["bad_input.py"]),
        ("all unsupported layers are listed", [at("unsupported.json")], ["dense_1", "dense_2", "dropout_1", "Swirl", "Twist"]),
        ("lambda bytecode is not run", [at("lambda.json")], ["dropout_1", "lambda"]),
        ("negative units", [at("units.json")], ["dense_1", "-3"]),
        ("no towers", [model, "--towers", "0"], ["towers", "0"]),
        ("negative towers", [model, "--towers", "-2"], ["towers", "-2"]),
        ("towers not a number", [model, "--towers", "two"], ["towers", "two"]),
        ("unknown loss, nearest names", [model, "--loss", "binary_crossentropi"], ["binary_crossentropi'?", "binary_crossentropy"]),
        ("unknown optimizer, nearest names", [model, "--optimizer", "adamm"], ["adamm", "adam\\b"]),
        ("unknown optimizer argument", [model, "--optimizer", "sgd(learnin_rate=1)"], ["learnin_rate", "learning_rate"]),
        ("unknown metric, nearest names", [model, "--metrics", "acuracy"], ["acuracy", "accuracy"]),
        ("unknown target", [model, "--target", "abacus"], ["abacus", "host"]),
        ("unknown processor", [model, "--mcpu", "z80"], ["z80"]),
        ("unknown option", [model, "--towerz", "2"], ["towerz"]),
    ]
    for name, args, mention in rows:
        judge(ctx, name, ctx.run([ctx.tool("belfryc"), *args, "-o", exe]), mention, [exe])
    out = at("no/such/folder/train")
    judge(ctx, "output folder not there", ctx.run([ctx.tool("belfryc"), model, "-o", out]), ["no/such/folder"], [out])
    judge(ctx, "output is a folder", ctx.run([ctx.tool("belfryc"), model, "-o", folder]), [os.path.basename(folder)])
    mlir, weights = at("m.mlir"), at("m.weights.h5")
    judge(ctx, "import of a truncated .keras", ctx.run([ctx.tool("belfry-import"), at("cut.keras"), "-o", mlir]), ["cut.keras"], [mlir, weights])


def binary(ctx, folder, at):
    exe, other = at("mlp"), at("embedding")
    if not ctx.compile("bad input", h.family_model("fashion_mnist"), exe) or not ctx.compile("bad input", h.family_model("bidirectional"), other):
        return
    x, y, w = cases.data("fashion_mnist")
    x, y, w = x["pixels"], y["kind"], w["kind"]
    ids, tags, _ = (next(iter(d.values())) for d in cases.data("bidirectional"))
    arrays = {"x": x, "y": y, "w": w, "x3": np.zeros((31,4,4),np.float32), "wide": np.zeros((31, 21), np.float32), "short": y[:30], "none": x[:0], "y_none": y[:0],
              "label": np.where(np.arange(31) == 17, 10, y).astype(np.int32), "negative": np.where(np.arange(31) == 4, -1, y).astype(np.int32),
              "ids": ids, "tags": tags, "ids_out": np.where(np.arange(31)[:, None] == 9, 20, ids).astype(np.int32),
              "text": np.array(["a"] * 31), "complex": x.astype(np.complex64)}
    for k, a in arrays.items():
        np.save(at(k + ".npy"), a)
    np.save(at("pickle.npy"), np.array([{"a": 1}] * 31, dtype=object), allow_pickle=True)
    np.savez(at("two.npz"), a=x, b=x)
    with open(at("cut.npz"), "wb") as f, open(at("two.npz"), "rb") as g:
        f.write(g.read()[:1000])
    with open(at("cut.gz"), "wb") as f:
        f.write(gzip.compress(b"\x00\x00\x08\x03" + bytes(5000))[:40])
    with open(at("noise.h5"), "wb") as f:
        f.write(bytes(range(256)))
    good = h.family_weights("fashion_mnist", at("good.weights.h5"))
    values = h.read_weights(good)
    some = next(k for k, v in values.items() if v.ndim == 2)
    h.write_weights(at("shape.weights.h5"), {**values, some: np.zeros((3, 5), np.float32)})
    h.write_weights(at("fewer.weights.h5"), {k: v for k, v in values.items() if k != some})
    h.write_weights(at("nan.weights.h5"), {**values, some: np.full_like(values[some], np.nan)})
    saved, history = at("saved.weights.h5"), at("history.json")
    X, Y = ["--x", at("x.npy")], ["--y", at("y.npy")]
    both = [f"{values[some].shape[0]}\\D+{values[some].shape[1]}", "3\\D+5"]
    rows = [
        ("wrong rank", ["--x", at("x3.npy"), *Y], ["x3.npy", "pixels", "20"]),
        ("wrong feature size", ["--x", at("wide.npy"), *Y], ["wide.npy", "21", "20"]),
        ("pickled objects", ["--x", at("pickle.npy"), *Y], ["pickle.npy", "object|pickle"]),
        ("text", ["--x", at("text.npy"), *Y], ["text.npy"]),
        ("complex numbers", ["--x", at("complex.npy"), *Y], ["complex.npy"]),
        ("row counts differ", [*X, "--y", at("short.npy")], ["31", "30"]),
        ("zero rows", ["--x", at("none.npy"), "--y", at("y_none.npy")], ["row"]),
        ("an empty slice", ["--x", at("x.npy") + "[5:5]", "--y", at("y.npy") + "[5:5]"], ["row"]),
        ("a slice that is none", ["--x", at("x.npy") + "[a:b]", *Y], ["a:b"]),
        ("no such file", ["--x", at("gone.npy"), *Y], ["gone.npy"]),
        ("no such member", ["--x", at("two.npz") + ":c", *Y], ["two.npz", "'?c'?", "\\ba\\b", "\\bb\\b"]),
        ("several members, none named", ["--x", at("two.npz"), *Y], ["two.npz", "\\ba\\b", "\\bb\\b"]),
        ("truncated .npz", ["--x", at("cut.npz") + ":a", *Y], ["cut.npz"]),
        ("truncated gzip", ["--x", at("cut.gz"), *Y], ["cut.gz"]),
        ("not HDF5", ["--x", at("noise.h5") + ":/x", *Y], ["noise.h5"]),
        ("a label that is too large: row and output", [*X, "--y", at("label.npy")], ["17", "10", "kind"]),
        ("a negative label", [*X, "--y", at("negative.npy")], ["\\b4\\b", "-1", "kind"]),
        ("no target", [*X], ["--y"]),
        ("weights: wrong shape, both shapes", [*X, *Y, "--weights", at("shape.weights.h5")], ["shape.weights.h5|dense", *both]),
        ("weights: a tensor is missing", [*X, *Y, "--weights", at("fewer.weights.h5")], ["dense|" + re.escape(some)]),
        ("weights: not HDF5", [*X, *Y, "--weights", at("noise.h5")], ["noise.h5"]),
        ("batch size 0", [*X, *Y, "--batch-size", "0"], ["batch"]),
        ("negative epochs", [*X, *Y, "--epochs", "-1"], ["epochs"]),
        ("towers 0", [*X, *Y, "--towers", "0"], ["towers"]),
        ("towers -1", [*X, *Y, "--towers", "-1"], ["towers"]),
        ("a GPU that is not there", [*X, *Y, "--devices", "gpu:0"], ["gpu:0"]),
        ("unknown device", [*X, *Y, "--devices", "abacus:1"], ["abacus:1"]),
        ("no contexts", [*X, *Y, "--devices", "cpu:0"], ["cpu:0"]),
        ("more devices than towers", [*X, *Y, "--towers", "2", "--devices", "cpu:3"], ["2", "3"]),
        ("threads 0", [*X, *Y, "--threads-per-device", "0"], ["threads"]),
        ("unknown optimizer argument", [*X, *Y, "--set", "learnin_rate=1"], ["learnin_rate", "learning_rate"]),
        ("optimizer argument without a number", [*X, *Y, "--set", "learning_rate=fast"], ["learning_rate", "fast"]),
        ("validation split above 1", [*X, *Y, "--validation-split", "1.5"], ["validation", "1.5"]),
        ("validation x without y", [*X, *Y, "--validation-x", at("x.npy")], ["validation-y"]),
        ("weights for other rows", [*X, *Y, "--sample-weight", at("w.npy") + "[:7]"], ["7", "31"]),
        ("scale without a number", [*X, *Y, "--scale", "1/0"], ["scale|1/0"]),
        ("unknown option", [*X, *Y, "--epoch", "1x"], ["epoch"]),
    ]
    for name, args, mention in rows:
        r = ctx.run([exe, "fit", *args, "--save", saved, "--history", history])
        judge(ctx, "fit: " + name, r, mention, [saved, history])
    r = ctx.run([other, "fit", "--x", at("ids_out.npy"), "--y", at("tags.npy"), "--save", saved])
    judge(ctx, "fit: an id that is too large: row and input", r, ["\\b9\\b", "20", "ids"], [saved])
    judge(ctx, "predict: an id that is too large", ctx.run([other, "predict", "--x", at("ids_out.npy"), "-o", at("p.npy")]), ["\\b9\\b", "20", "ids"], [at("p.npy")])
    judge(ctx, "unknown command", ctx.run([exe, "frobnicate"]), ["frobnicate", "fit"])
    judge(ctx, "predict without -o", ctx.run([exe, "predict", *X]), ["-o"])
    judge(ctx, "predict into a folder that is not there", ctx.run([exe, "predict", *X, "-o", at("no/such/p.npy")]), ["no/such/p.npy"])
    outputs(ctx, exe, X, Y, at)
    # Outputs that cannot be written are found before training starts: 10,000 epochs would not end in time.
    for option in ("--save", "--history", "--dump-gradients"):
        bad = at("no/such/folder/out.weights.h5")
        args = [*X, *Y, "--epochs", "10000", option, bad] + ([] if option == "--save" else ["--save", saved])
        r = ctx.run([exe, "fit", *args], timeout=20)
        judge(ctx, f"fit: {option} cannot be written, found before training", r, ["no/such/folder"], [saved])


def outputs(ctx, exe, X, Y, at):
    """Outputs need places of their own; values are given once and are not empty. 10,000 epochs would not end in time."""
    os.makedirs(at("sub"), exist_ok=True)
    os.link(at("y.npy"), at("hard.npy"))
    os.symlink(at("x.npy"), at("soft.npy"))
    with zipfile.ZipFile(at("zstd.npz"), "w") as z, open(at("x.npy"), "rb") as f:
        z.writestr("a.npy", f.read())
    with open(at("zstd.npz"), "r+b") as f:
        whole = bytearray(f.read())
        whole[8] = whole[whole.rindex(b"PK\1\2") + 10] = 93
        f.seek(0)
        f.write(whole)
    with warnings.catch_warnings(), zipfile.ZipFile(at("twice.npz"), "w") as z:
        warnings.simplefilter("ignore")
        for value in (b"1", b"2"):
            z.writestr("a.npy", value)
    s, here = at("s.weights.h5"), at("sub/../s.weights.h5")
    fit = [exe, "fit", *X, *Y, "--epochs", "10000"]
    rows = [
        ("two outputs in one place", [*fit, "--save", s, "--history", here], ["--save", "--history", "one file"]),
        ("an output over a link to an input", [*fit, "--no-save", "--history", at("soft.npy")], ["--history", "--x"]),
        ("an output over a hard link to an input", [*fit, "--no-save", "--dump-gradients", at("hard.npy")], ["--dump-gradients", "--y"]),
        ("an output over the weights", [*fit, "--no-save", "--weights", at("good.weights.h5"), "--history", at("good.weights.h5")], ["--history", "--weights"]),
        ("an output over the program", [*fit, "--no-save", "--history", exe], ["this program"]),
        ("a name that is too long", [*fit, "--save", at("n" * 250 + ".weights.h5")], ["261", "255"]),
        ("an empty seed", [*fit, "--save", s, "--seed", ""], ["--seed", "empty"]),
        ("an empty name for the history", [*fit, "--save", s, "--history", ""], ["--history", "empty"]),
        ("an empty name for the weights", [*fit, "--save", ""], ["--save", "empty"]),
        ("a seed given twice", [*fit, "--save", s, "--seed", 1, "--seed", 2], ["--seed", "twice"]),
        ("compression that is not known", [exe, "fit", "--x", at("zstd.npz"), *Y, "--save", s], ["zstd"]),
        ("two members of one name", [exe, "fit", "--x", at("twice.npz"), *Y, "--save", s], ["two members", "a.npy"]),
        ("predict over its input", [exe, "predict", *X, "-o", at("sub/../x.npy")], ["-o", "--x"]),
        ("info of a batch beyond all memory", [exe, "info", "--batch-size", 2**63 - 1], ["--batch-size", "at most"]),
    ]
    before = {f: open(at(f), "rb").read() for f in ("x.npy", "y.npy", "good.weights.h5")}
    for name, args, mention in rows:
        judge(ctx, name, ctx.run(args, timeout=20), mention, [s])
    same = all(open(at(f), "rb").read() == b for f, b in before.items())
    left = [f for f in os.listdir(at("")) if f.startswith(".")]
    ctx.check("bad input: refused outputs leave the inputs alone", None if same and not left else f"inputs are other ones, or left {left}")


def numbers(ctx, folder, at):
    """A loss that is no number stops with the step and a suggestion; --allow-nan goes on."""
    exe = at("mlp_nan")
    if not ctx.compile("bad input", h.family_model("fashion_mnist"), exe):
        return
    x, y, _ = cases.data("fashion_mnist")
    for what, value in (("NaN", np.nan), ("infinite", np.inf)):
        bad = x["pixels"].copy()
        bad[20] = value  # the third batch of seven
        np.save(at("x_nan.npy"), bad)
        np.save(at("y_nan.npy"), y["kind"])
        saved = at("nan.out.weights.h5")
        args = [exe, "fit", "--x", at("x_nan.npy"), "--y", at("y_nan.npy"), "--batch-size", "7", "--no-shuffle", "--seed", "1", "--save", saved]
        judge(ctx, f"fit: {what} input makes a loss that is no number", ctx.run(args), ["step", "\\b[23]\\b", "allow-nan"], [saved])
        ctx.check(f"bad input: --allow-nan goes on with {what} input", None if ctx.run([*args, "--allow-nan"]).rc == 0 else "did not end with status 0")
        if os.path.exists(saved):
            os.remove(saved)
