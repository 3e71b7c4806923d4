"""Real data: what the examples reach, on two towers."""
import gzip
import os

import numpy as np

import harness as h

FASHION = "/usr/share/datasets/fashion-mnist"  # Debian's package dataset-fashion-mnist
# Keras reaches 0.870 to 0.882 after five epochs over seeds.
WANTED = 0.865


def run(ctx, only=None):
    if not only or only in "fashion_mnist":
        fashion_mnist(ctx)


def fashion_mnist(ctx):
    """Trained from gzipped IDX files; the accuracy that evaluate says is that of its predictions."""
    name, folder = "accuracy fashion_mnist", ctx.folder("accuracy-fashion_mnist")
    exe, saved = os.path.join(folder, "train"), os.path.join(folder, "trained.weights.h5")
    files = {k: os.path.join(FASHION, k + ".gz") for k in ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")}
    missing = [f for f in files.values() if not os.path.exists(f)]
    if not ctx.check(f"{name}: data", f"no {missing[0]}: install dataset-fashion-mnist" if missing else None):
        return
    if not ctx.compile(name, os.path.join(h.EXAMPLES, "fashion_mnist", "model.json"), exe, "--towers", "2", "--mcpu", "x86-64-v3"):
        return
    train, test = ([files[f"{k}-images-idx3-ubyte"], files[f"{k}-labels-idx1-ubyte"]] for k in ("train", "t10k"))
    r = ctx.run([exe, "fit", "--x", train[0] + "[:55000]", "--y", train[1] + "[:55000]", "--scale", "1/255", "--batch-size", "128", "--epochs", "5",
                 "--save", saved], timeout=600)
    if not ctx.ran(f"{name}: fit", r):
        return
    r = ctx.run([exe, "evaluate", "--x", test[0], "--y", test[1], "--scale", "1/255", "--weights", saved, "--json"])
    if not ctx.ran(f"{name}: evaluate", r):
        return
    said = (h.parse(r.out) or {}).get("accuracy", 0)
    ctx.check(f"{name}: at least {WANTED}", None if said >= WANTED else f"{said}")
    out = os.path.join(folder, "kinds.npy")
    if ctx.ran(f"{name}: predict", ctx.run([exe, "predict", "--x", test[0], "--scale", "1/255", "--weights", saved, "-o", out])):
        with gzip.open(test[1]) as f:
            labels = np.frombuffer(f.read(), np.uint8, offset=8)
        counted = (np.load(out).argmax(1) == labels).mean()
        ctx.check(f"{name}: evaluate and predict agree", h.off(said, counted, atol=1e-6))
