"""Towers against one in the reference interpreter, in f64 (belfry-opt --check-against-single): the proof that the rewrite changes no number."""
import os

import cases
import harness as h

MASK = "complete"
ROWS = 32


def run(ctx, only=None):
    for family, f in cases.FAMILIES.items():
        if not family.endswith("_full") and (not only or only in family):
            small(ctx, family, f)
            example(ctx, f["example"])


def check(ctx, name, folder, model, *options):
    module = os.path.join(folder, "model.mlir")
    if ctx.ran(f"{name}: import", ctx.run([ctx.tool("belfry-import"), model, "-o", module])):
        r = ctx.run([ctx.tool("belfry-opt"), module, "--check-against-single=" + " ".join(options)], timeout=600)
        # Status 0 and the line that says what was compared; belfry-opt exits with 3 where a difference is beyond 1e-11.
        ctx.check(name, None if r.rc == 0 and "towers against one, precision = f64" in r.out else f"{r.how()}: {r.last_error()}")
        ctx.check(f"{name}: gradients were compared", None if "train gradient" in r.out else "no line of the table names one")


def small(ctx, family, f):
    """The example's structure in a small size, on data with masks: every number of towers, awkward batches and all rows."""
    folder = ctx.folder("single-" + family)
    x, y, w = cases.data(family, MASK if MASK in f["masks"] else "none", rows=ROWS, seed=3)
    arrays = {**{f"input.{k}": v for k, v in x.items()}, **{f"target.{k}": v for k, v in y.items()}, **{f"sample_weight.{k}": v for k, v in w.items()}}
    files = h.put(folder, "d", arrays)
    check(ctx, f"single {family}", folder, h.family_model(family), "data=" + ",".join(f"{k}={v}" for k, v in files.items()))


def example(ctx, name):
    """The file of docs/examples itself, on generated data: two towers of unequal rows, and more towers than rows."""
    folder = ctx.folder("single-example-" + name)
    model = next(p for p in (os.path.join(h.EXAMPLES, name, "model" + e) for e in (".keras", ".json")) if os.path.exists(p))
    check(ctx, f"single, example {name}", folder, model, "batch=3", "towers=2,8")
