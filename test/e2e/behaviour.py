"""What a training binary does besides numbers: saving, interrupts, validation, data files, its own limits."""
import gzip
import os
import re
import struct
import time

import h5py
import numpy as np

import cases
import harness as h


def run(ctx, only=None):
    for suite in (saving, resuming, soft_targets, seeds, validation, data_files, unusual_rows, limits, memory):
        if not only or only in suite.__name__:
            suite(ctx, ctx.folder("behaviour-" + suite.__name__))


SIZES = {"K": 1e-3, "M": 1.0}  # in MB

SOFT = """
nn.parameter @"d/kernel" : tensor<2x3xf32> {path = "layers/dense/vars/0", layer = "d", trainable = true, stream = 1 : i32, initializer = {name = "zeros"}}
nn.model @soft(%x: tensor<?x2xf32> {nn.name = "x"}) -> (tensor<?x3xf32> {nn.name = "d"}) {
  %k = nn.get_parameter @"d/kernel" : tensor<2x3xf32>
  %y = nn.dense %x, %k : tensor<?x2xf32>, tensor<2x3xf32> -> tensor<?x3xf32>
  nn.return %y : tensor<?x3xf32>
}
nn.compile @soft {
  nn.loss "categorical_crossentropy" of "d" target tensor<?x3xf32> {weight = 1.0, from_logits}
  nn.optimizer "sgd" {learning_rate = 0.5}
}
"""


def soft_targets(ctx, folder):
    """TensorFlow's gradient of a cross-entropy of logits is softmax - t, also where targets do not sum to 1."""
    model, exe, out = (os.path.join(folder, n) for n in ("soft.mlir", "soft", "g.h5"))
    with open(model, "w", encoding="utf-8") as f:
        f.write(SOFT)
    if not ctx.compile("behaviour: soft targets", model, exe):
        return
    x = np.array([[1, 2], [3, -1], [0, 4]], np.float32)
    t = np.array([[0, 0, 0], [1, 1, 0], [.25, .25, 0]], np.float32)
    want = x.T @ (np.full((3, 3), 1 / 3) - t) / 3  # all logits are 0
    for towers in ("1", "2"):
        ctx.run([exe, "fit", *h.flags("--x", h.put(folder, "x", {"x": x})), *h.flags("--y", h.put(folder, "y", {"d": t})),
                 "--initialize", "--no-save", "--towers", towers, "--dump-gradients", out])
        got = next(iter(h.read_weights(out, "").values()), None) if os.path.exists(out) else None
        ctx.check(f"behaviour: gradient of soft targets on {towers} towers", "no gradient" if got is None else h.off(got, want, atol=1e-6))


def resuming(ctx, folder):
    made = mlp(ctx, folder)
    if not made:
        return
    exe, data = made
    files = [os.path.join(folder, n + ".weights.h5") for n in ("half", "whole", "straight")]
    rate = ["--set", "learning_rate=0.01"]
    ctx.run([exe, "fit", *data, *rate, "--epochs", "2", "--save", files[0]])
    ctx.run([exe, "fit", *data, "--resume", files[0], "--epochs", "2", "--save", files[1]])
    ctx.run([exe, "fit", *data, *rate, "--epochs", "4", "--save", files[2]])
    a, b = (h.digest(f) if os.path.exists(f) else None for f in files[1:])
    ctx.check("behaviour: a resumed run goes on with its learning rate, to the same bits", None if a and a == b else "other weights than those of one run")


def mlp(ctx, folder):
    """(executable, data flags) of a small classifier, or None."""
    exe = os.path.join(folder, "mlp")
    if not ctx.compile("behaviour", h.dropout_on(h.family_model("fashion_mnist"), os.path.join(folder, "mlp.json")), exe):
        return None
    x, y, _ = cases.data("fashion_mnist")
    return exe, h.flags("--x", h.put(folder, "x", x)) + h.flags("--y", h.put(folder, "y", y))


def memory(ctx, folder):
    """The arenas of every example are at most 3 % larger than what is live at one time, and in no mode larger than in the one after it."""
    examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/examples")
    for name in sorted(os.listdir(examples)):
        models = [os.path.join(examples, name, f) for f in ("model.keras", "model.json") if os.path.exists(os.path.join(examples, name, f))]
        exes = [os.path.join(folder, f"{name}-{mode}") for mode in ("low", "balanced", "fast")]
        if not models or not all(ctx.compile("behaviour: memory", models[0], exe, "--memory", exe.rsplit("-", 1)[1]) for exe in exes):
            continue
        for batch, towers in ((1, 1), (5, 2), (32, 1), (128, 2), (1000, 8)):
            what, arenas = f"behaviour: memory of {name} at batch {batch} on {towers} towers", []
            for exe in exes:
                r = ctx.run([exe, "info", "--batch-size", batch, "--towers", towers, "--devices", f"cpu:{min(towers, 2)}"])
                found = re.findall(r"^ *(\w+) +([\d.]+) ([KM])B +live set +([\d.]+) ([KM])B", r.out, re.M)
                rows = [(f, float(arena) * SIZES[a], float(live) * SIZES[l]) for f, arena, a, live, l in found]
                # Printed to two digits, and buffers begin at whole lines of the cache.
                over = [f"{f}: {arena} MB of {live} MB" for f, arena, live in rows if arena > 1.03 * live + .01]
                ctx.check(f"{what}, {exe.rsplit('-', 1)[1]}", None if len(rows) == 3 and not over else f"{r.how()}, {over or rows}")
                arenas.append({f: arena for f, arena, _ in rows})
            more = [f for f in arenas[0] if not arenas[0][f] <= arenas[1].get(f, 0) <= arenas[2].get(f, 0)]
            ctx.check(f"{what}: low, balanced, fast", f"{arenas}" if more else None)
            # The gradient's loops write where the forward ones' values were.
            if (name, batch, towers) == ("quickdraw", 128, 2):
                ctx.check(f"{what}: at most 92 MB", None if 0 < arenas[1].get("train", 0) <= 92 else f"{arenas[1]}")


def saving(ctx, folder):
    made = mlp(ctx, folder)
    if not made:
        return
    exe, data = made
    here = os.path.join(folder, "here")
    os.makedirs(here)
    r = ctx.run([exe, "fit", *data], cwd=here)
    files = os.listdir(here)
    ctx.check("behaviour: fit without --save writes NAME.weights.h5 where it runs and says so",
              None if r.rc == 0 and len(files) == 1 and files[0].endswith(".weights.h5") and files[0] in r.out + r.err else f"{r.how()}, files {files}")
    before = {f: h.digest(os.path.join(here, f)) for f in files}
    ctx.run([exe, "fit", *data, "--epochs", "2"], cwd=here)
    after = {f: h.digest(os.path.join(here, f)) for f in before}
    ctx.check("behaviour: fit without --save never writes over a file", None if files and before == after else f"files {os.listdir(here)}")
    bare = os.path.join(folder, "bare")
    os.makedirs(bare)
    r = ctx.run([exe, "fit", *data, "--no-save"], cwd=bare)
    ctx.check("behaviour: --no-save writes nothing", None if r.rc == 0 and not os.listdir(bare) else f"{r.how()}, files {os.listdir(bare)}")
    saved = os.path.join(folder, "interrupted.weights.h5")
    r = ctx.run([exe, "fit", *data, "--epochs", "10000000", "--save", saved], interrupt_after=1.0, timeout=30)
    whole = os.path.exists(saved) and len(h.read_weights(saved)) == 6
    ctx.check("behaviour: an interrupt finishes the step, saves, exits 130", None if r.rc == 130 and whole else f"{r.how()}, {'whole' if whole else 'no whole'} weights")
    left = [f for f in os.listdir(folder) if "interrupted" in f and f != os.path.basename(saved)]
    ctx.check("behaviour: no temporary file is left", f"left {left}" if left else None)
    r = ctx.run([exe, "fit", *data, "--weights", saved, "--save", os.path.join(folder, ".", os.path.basename(saved))])
    ctx.ran("behaviour: weights may be saved where they came from", r)
    # Killed at any time: the file is whole, the old one or the new one, and alone.
    for after in (0.05, 0.1, 0.2):
        r = ctx.run([exe, "fit", *data, "--epochs", "10000000", "--save", saved], timeout=after)
        left = [f for f in os.listdir(folder) if f.startswith(".")]
        ctx.check(f"behaviour: killed after {after} s, nothing half-written is left", None if r.timed_out and not left and len(h.read_weights(saved)) == 6 else f"{r.how()}, left {left}")
    r = ctx.run([exe, "info"])
    ctx.check("behaviour: info prints the learning rate as it was written", None if re.search(r"learning_rate=0\.\d{1,4}\b", r.out) else r.out[:200])
    out = [os.path.join(folder, f"p{i}.npy") for i in range(2)]
    x = data[:2]
    ctx.run([exe, "fit", *data, "--save", saved])
    for o, extra in zip(out, ([], ["--towers", "3"])):
        ctx.run([exe, "predict", *x, "--weights", saved, *extra, "-o", o])
    a, b = map(h.load, out)
    ctx.check("behaviour: weights saved by one tower count serve another", "cannot read" if a is None or b is None else h.off(b, a, of_largest=1e-6))


def seeds(ctx, folder):
    made = mlp(ctx, folder)
    if not made:
        return
    exe, data = made
    digests = []
    for i, seed in enumerate((1, 1, 2)):
        saved = os.path.join(folder, f"s{i}.weights.h5")
        if ctx.ran("behaviour: fit with a seed", ctx.run([exe, "fit", *data, "--initialize", "--seed", seed, "--save", saved])):
            digests.append(h.digest(saved))
    ctx.check("behaviour: a seed fixes initial weights, order and noise", None if len(digests) == 3 and digests[0] == digests[1] != digests[2] else f"digests {[d[:8] for d in digests]}")
    r = ctx.run([exe, "predict", *data[:2], "-o", os.path.join(folder, "p.npy")])
    ctx.check("behaviour: predict without weights warns", None if r.rc == 0 and "warning" in r.err.lower() else f"{r.how()}, stderr {r.err.strip()[:100]!r}")


def validation(ctx, folder):
    made = mlp(ctx, folder)
    if not made:
        return
    exe, data = made
    x, y = data[1], data[3]
    histories = []
    for extra in (["--x", x, "--y", y, "--validation-split", "0.2"],
                  ["--x", x + "[:24]", "--y", y + "[:24]", "--validation-x", x + "[24:]", "--validation-y", y + "[24:]"]):
        path = os.path.join(folder, "history.json")
        r = ctx.run([exe, "fit", *extra, "--epochs", "3", "--seed", "4", "--no-save", "--history", path])
        if ctx.ran("behaviour: fit with validation", r):
            histories.append(h.load_json(path))
    ok = len(histories) == 2 and histories[0] == histories[1] and all(len(histories[0].get(k, [])) == 3 for k in ("loss", "accuracy", "val_loss", "val_accuracy"))
    ctx.check("behaviour: --validation-split takes the last rows, and the history has val_loss and val_accuracy", None if ok else f"histories {str(histories)[:300]}")
    saved = os.path.join(folder, "v.weights.h5")
    path = os.path.join(folder, "one.json")
    ctx.run([exe, "fit", *data, "--validation-x", x, "--validation-y", y, "--seed", "4", "--save", saved, "--history", path])
    r = ctx.run([exe, "evaluate", *data, "--weights", saved, "--json"])
    got, history = h.parse(r.out) or {}, h.load_json(path) or {}
    ctx.check("behaviour: validation is evaluate", h.off(got.get("loss", np.nan), (history.get("val_loss") or [np.nan])[-1], rtol=1e-6) if history else "no history")


def idx(path, a):
    """An IDX file (big-endian), gzipped where the name says so."""
    code = {"u1": 8, "i1": 9, "i2": 11, "i4": 12, "f4": 13, "f8": 14}[a.dtype.str[1:]]
    body = struct.pack(">BBBB", 0, 0, code, a.ndim) + struct.pack(f">{a.ndim}I", *a.shape) + a.astype(a.dtype.newbyteorder(">")).tobytes()
    with (gzip.open if path.endswith(".gz") else open)(path, "wb") as f:
        f.write(body)
    return path


def data_files(ctx, folder):
    made = mlp(ctx, folder)
    if not made:
        return
    exe, data = made
    grey = (np.arange(31 * 20) * 37 % 256).astype(np.uint8).reshape(31, 4, 5)
    x = grey.reshape(31, 20).astype(np.float32) / np.float32(255)
    at = lambda f: os.path.join(folder, f)
    np.save(at("plain.npy"), x)
    np.savez_compressed(at("members.npz"), a=x, b=x * 2)
    with h5py.File(at("data.h5"), "w") as f:
        f["group/x"] = x
        f.create_dataset("packed", data=x, chunks=(8, 5), compression="gzip")
    np.save(at("fortran.npy"), np.asfortranarray(x))
    np.save(at("big.npy"), x.astype(">f8"))
    idx(at("grey.idx"), grey)
    idx(at("grey.idx.gz"), grey)
    init = h.family_weights("fashion_mnist", at("init.weights.h5"))
    want = None
    for a in (["plain.npy"], ["members.npz:a"], ["data.h5:/group/x"], ["data.h5:/packed"], ["fortran.npy"], ["big.npy"], ["grey.idx", "--scale", "1/255"],
              ["grey.idx.gz", "--scale", "1/255"]):
        o = at("p.npy")
        if os.path.exists(o):
            os.remove(o)
        name = f"behaviour: data from {a[0]}"
        if not ctx.ran(name, ctx.run([exe, "predict", "--x", at(a[0]), *a[1:], "--weights", init, "-o", o])):
            continue
        got = h.load(o)
        if want is None:
            want = got
        ctx.check(name, h.off(got, want, of_largest=1e-6))
    o = at("part.npy")
    ctx.run([exe, "predict", "--x", at("plain.npy") + "[-5:]", "--weights", init, "-o", o])
    got = h.load(o)
    ctx.check("behaviour: the last five rows of an array", "cannot read" if got is None or want is None else h.off(got, want[-5:], of_largest=1e-6))


def unusual_rows(ctx, folder):
    """Fewer rows than towers, and an order that has to stay."""
    made = mlp(ctx, folder)
    if not made:
        return
    exe, data = made
    init = h.family_weights("fashion_mnist", os.path.join(folder, "init.weights.h5"))
    whole = os.path.join(folder, "whole.npy")
    ctx.run([exe, "predict", *data[:2], "--weights", init, "-o", whole])
    want = h.load(whole)
    for rows in (1, 2, 3, 7):
        o = os.path.join(folder, f"p{rows}.npy")
        r = ctx.run([exe, "predict", "--x", f"{data[1]}[:{rows}]", "--weights", init, "--towers", "8", "--batch-size", "4", "-o", o])
        if ctx.ran(f"behaviour: {rows} rows on 8 towers", r):
            got = h.load(o)
            ctx.check(f"behaviour: {rows} rows on 8 towers", "cannot read" if got is None or want is None else h.off(got, want[:rows], of_largest=1e-6))


def interpreter_of(path):
    """Does an ELF file ask for a dynamic loader?"""
    with open(path, "rb") as f:
        head = f.read(64)
        offset, size, count = struct.unpack("<Q", head[32:40])[0], *struct.unpack("<HH", head[54:58])
        f.seek(offset)
        return any(struct.unpack("<I", f.read(size)[:4])[0] == 3 for _ in range(count))


def limits(ctx, folder):
    """Sizes and times of the masked LSTM in its true size; times are the best of three."""
    model, exe = os.path.join(h.EXAMPLES, "quickdraw", "model.keras"), os.path.join(folder, "quickdraw")
    times = []
    for _ in range(3):
        start = time.time()
        if not ctx.compile("limits quickdraw", model, exe, "--towers", "2"):
            return
        times.append(time.time() - start)
    ctx.check("limits: belfryc takes at most 3 s", None if min(times) <= 3 else f"took {min(times):.2f} s")
    ctx.check("limits: a binary of at most 8 MB", None if os.path.getsize(exe) <= 8e6 else f"{os.path.getsize(exe)} bytes")
    ctx.check("limits: a fully static binary", "asks for a dynamic loader" if interpreter_of(exe) else None)
    x, y, _ = cases.example_data("quickdraw", dict(steps=100, features=3), "leading", rows=128, seed=4)
    data = h.flags("--x", h.put(folder, "x", x)) + h.flags("--y", h.put(folder, "y", y))
    runs = [ctx.run([exe, "fit", *data, "--batch-size", 128, "--no-save"]) for _ in range(3)]
    if not ctx.ran("limits: one step of the true size", runs[0]):
        return
    ctx.check("limits: at most 150 MB at batch 128", None if min(r.rss for r in runs) <= 150 else f"{min(r.rss for r in runs):.0f} MB")
    small = [ctx.run([exe, "fit", *h.flags("--x", {"strokes": data[1]}, 1), *h.flags("--y", {"label": data[3]}, 1), "--batch-size", 1, "--no-save"]) for _ in range(5)]
    ctx.check("limits: start to first step done in 0.2 s", None if min(r.seconds for r in small) <= 0.2 else f"{min(r.seconds for r in small):.3f} s")
