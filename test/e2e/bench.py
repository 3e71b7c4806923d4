"""The scripts of test/bench run and give what docs/performance.md says. No number is judged: times are for quiet machines."""
import json
import os
import sys

import numpy as np

import harness as h
import bench_data


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def run(ctx, only=None):
    for part in (rows, scale, profile, options, devices_of_a_row):
        if not only or only in part.__name__:
            part(ctx, ctx.folder("bench-" + part.__name__))


def script(ctx, name, folder, *flags):
    """The script's JSON and markdown, or None."""
    json_file, markdown = os.path.join(folder, "out.json"), os.path.join(folder, "out.md")
    r = ctx.run([sys.executable, os.path.join(h.BENCH, name), *flags, "--bin", ctx.bin, "--json", json_file, "--markdown", markdown], timeout=600)
    if not ctx.ran(f"bench: {name} {' '.join(flags)}", r):
        return None
    with open(markdown, encoding="utf-8") as f:
        return load(json_file), f.read()


def cores():
    return str(min(2, len(os.sched_getaffinity(0))))


def rows(ctx, folder):
    names = ["mlp-16", "mlp-predict-1"]
    got = script(ctx, "run", folder, "--rows", ",".join(names), "--rounds", "1", "--epochs", "1", "--threads", cores())
    if got:
        results, table = got
        ok = list(results["rows"]) == names and all(isinstance(e["seconds"]["belfry"], float) and e["gflop"] > 0 for e in results["rows"].values())
        ctx.check("bench: run has a line for each row", None if ok and all(f"| {n} |" in table for n in names) else f"{results}")
    r = ctx.run([sys.executable, os.path.join(h.BENCH, "run"), "--rows", "mlp-17"])
    ctx.check("bench: run names the rows that there are", None if r.rc == 1 and "unknown row 'mlp-17', there are quickdraw, " in r.err else r.err[:200])


def scale(ctx, folder):
    got = script(ctx, "scale", folder, "--parts", "steps,start", "--quick", "--rounds", "1")
    if got:
        results, table = got
        ok = [r["T"] for r in results["steps"]] == [10, 200] and all(r["seconds"] > 0 for r in results["start"][:2])
        ctx.check("bench: scale has the ends of a range", None if ok and "**Time steps**" in table else f"{results}")


def profile(ctx, folder):
    got = script(ctx, "profile", folder, "quickdraw", "--steps", "1", "--epochs", "2", "--threads", cores())
    if got:
        results, _ = got
        layers = {op["layer"] for op in results["ops"]}
        products = [op for op in results["ops"] if op["product"]]
        ctx.check("bench: profile knows layers and products", None if {"lstm_1", "lstm_2"} <= layers and products and all(op["flops"] > 0 for op in products) else f"{results}")
        # Two towers of 64 rows: the recurrent products run once a time step and tower.
        rate = sum(op["flops"] for op in results["ops"] if op["product"]) / 2 * 1e-9
        ctx.check("bench: the products of a step have the flops of the model", None if 9.3 < rate < 9.8 else f"{rate:.3f} GFLOP a step, expected 9.47 (and what is made again)")


def options(ctx, folder):
    for flags, words in ((("run", "--rounds", "0"), ["--rounds", "'0'", "at least 1"]), (("run", "--epochs", "-1"), ["--epochs"]), (("run", "--python", "no/python"), ["--python", "no/python"]),
                         (("run", "--json", "no/file"), ["--json", "no folder"]), (("scale", "--markdown", folder), ["--markdown", "cannot be written"]), (("profile", "mlp-16", "--top", "-1"), ["--top"]),
                         (("profile", "mlp-16", "--steps", "0"), ["--steps"]), (("run", "--threads", "1000"), ["--threads 1000"]), (("run", "--towers", "1"), ["--devices 2", "--towers 1"])):
        r = ctx.run([sys.executable, os.path.join(h.BENCH, flags[0]), *flags[1:], "--bin", ctx.bin])
        said = r.rc in (1, 2) and "error: " in r.err and "Traceback" not in r.err and all(w in r.err for w in words)
        ctx.check(f"bench: {' '.join(flags).replace(folder, 'FOLDER')} is refused", None if said else f"{r.how()} {r.err[-300:]}")


def devices_of_a_row(ctx, folder):
    """A tower that has rows alone has all devices, one without rows does nothing; the profile tells both."""
    model = os.path.join(folder, "model.json")
    with open(model, "w", encoding="utf-8") as f:
        json.dump(bench_data.architecture(bench_data.MLP), f)
    program = os.path.join(folder, "mlp")
    if not ctx.compile("bench: a row", model, program, "--profile-ops"):
        return
    x, out, profile = (os.path.join(folder, n) for n in ("x.npy", "out.npy", "profile.json"))
    np.save(x, np.zeros((4, 784), np.float32))
    for batch, devices, calls in ((1, 2, 4), (4, 1, 2)):
        r = ctx.run([program, "predict", "--x", x, "-o", out, "--initialize", "--batch-size", batch, "--towers", 2, "--devices", "cpu:2", "--profile", profile])
        if ctx.ran(f"bench: predict {batch} rows", r):
            products = [op for op in load(profile)["functions"]["predict"]["ops"] if op["kind"] == "product"]
            got = [(op["devices"], op["calls"]) for op in products]
            ctx.check(f"bench: devices and calls of products of {batch} rows", None if got == [(devices, calls)] * 3 else f"{got}, expected {devices} devices, {calls} calls of each")
