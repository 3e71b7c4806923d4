"""Kernels for GPUs: programs that the host runs for one compute what programs for the host do, and kernels are compiled and assembled for every architecture."""
import json
import os
import re
import shutil

import bench_data
import harness as h
import switches
from dataclasses import replace

ARCHITECTURES = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"]
TOWERS = (1, 4)
MOST_BYTES = 3e6  # of a cubin
MOST_SPILLED = 16  # bytes
MOST_LAUNCHES = 40  # of a training step of the masked LSTM


def run(ctx, only=None):
    for part in (against_host, without_rows, certificate, options):
        if not only or only in part.__name__:
            part(ctx, ctx.folder("gpu-" + part.__name__))


def against_host(ctx, _):
    """Losses, first gradients, weights and predictions of some steps, under every mask, for one tower and several; the same bits where each op is a launch."""
    own = ctx.target
    for family in switches.MODELS:
        folder, model, data = switches.prepare(ctx, family)
        found = {}
        for ctx.target in ("host", "cuda-emulated"):
            found[ctx.target] = switches.numbers(ctx, f"gpu {family}, {ctx.target}", family, folder, model, data, ctx.target, tower_counts=TOWERS)
        ungrouped = switches.numbers(ctx, f"gpu {family}, a launch an op", family, folder, model, data, "ungrouped", "--disable", "group-launches", tower_counts=TOWERS)
        ctx.target = own
        if found["cuda-emulated"] and ungrouped:
            switches.compare(ctx, f"gpu {family}, a launch an op", ungrouped, found["cuda-emulated"], "group-launches", True)
        for key, want in (found["host"] or {}).items():
            for what, tensors in want.items():
                got = found["cuda-emulated"] and found["cuda-emulated"][key][what]
                # Sums are cut in another way. Adam divides a gradient by its size: where that is next to nothing, what rounding leaves becomes up to a hundredth of a step.
                atol = 1e-5 if what == "weights" else 1e-8
                ctx.check(f"gpu {family}, mask {key[0]}, towers {key[1]}: {what}", switches.difference(got, tensors, False, atol) if got else "no numbers of cuda-emulated")


def without_rows(ctx, folder):
    """A last batch that leaves towers without rows, whose launches have no blocks: the same bits in groups and alone."""
    own, ctx.target = ctx.target, "cuda-emulated"
    model = quickdraw(folder, steps=7, units=5)
    x, y = replace(bench_data.A, steps=7).data(5)
    X, Y = h.flags("--x", h.put(folder, "x", {"x": x})), h.flags("--y", h.put(folder, "y", {"label": y}))
    found = []
    for tag, flags in (("groups", ()), ("alone", ("--disable", "group-launches"))):
        name, exe, saved = f"gpu without rows, {tag}", os.path.join(folder, tag), os.path.join(folder, tag + ".weights.h5")
        if ctx.compile(name, model, exe, *flags) and ctx.ran(name, ctx.run([exe, "fit", *X, *Y, "--batch-size", 4, "--towers", 4, "--devices", "cpu:4", "--epochs", 2, "--seed", 3, "--save", saved])):
            found.append(h.read_weights(saved))
    ctx.target = own
    if len(found) == 2:
        ctx.check("gpu without rows", switches.difference(*found, True))


def quickdraw(folder, **changes):
    model = replace(bench_data.A, name="model", **changes)
    path = os.path.join(folder, f"model{len(os.listdir(folder))}.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(bench_data.architecture(model), f)
    return path


def compiled(ctx, name, model, folder, *flags):
    """PTX, and the certificate or None."""
    ptx, certificate = os.path.join(folder, "kernels.ptx"), os.path.join(folder, "certificate.json")
    r = ctx.run([ctx.tool("belfryc"), model, "--target", "cuda", "--emit", "ptx", "-o", ptx, *(["--certificate", certificate] if flags else []), *flags])
    if not ctx.ran(name, r):
        return "", None
    with open(ptx, encoding="utf-8") as f:
        return f.read(), h.load_json(certificate) if flags else None


def certificate(ctx, folder):
    ptx, _ = compiled(ctx, "gpu: PTX of the masked LSTM", quickdraw(folder), folder)
    called = re.findall(r"^\s*(?:call.*|.*\.(?:ftz|approx)\..*)$", ptx, re.M)
    ctx.check("gpu: kernels call nothing, and approximate nothing", called[0] if called or not ptx else None)
    if not toolkit(ctx):
        print("gpu: no ptxas on this machine: nothing is assembled")
        return
    launches = []
    for steps in (40, 100):
        _, c = compiled(ctx, f"gpu: all architectures, {steps} steps", quickdraw(folder, steps=steps), folder, "--cuda-arch", "all")
        if not c:
            return
        launches.append(c["launches"])
    ctx.check("gpu: as many launches for 40 steps as for 100", None if launches[0] == launches[1] else f"{launches}")
    ctx.check(f"gpu: at most {MOST_LAUNCHES} launches for a step", None if launches[0]["train"] <= MOST_LAUNCHES else f"{launches[0]}")
    updates = {o["launch"] for o in c["ops"] if o["function"] == "train" and o["layer"] == "optimizer" and o["shape"]}
    ctx.check("gpu: one launch updates all parameters", None if len(updates) == 1 else f"{sorted(updates)}")
    ctx.check("gpu: launches are numbered", None if all({o["launch"] for o in c["ops"] if o["function"] == f} == set(range(n)) for f, n in launches[1].items()) else f"{launches[1]}")
    _, single = compiled(ctx, "gpu: a launch an op", quickdraw(folder, steps=100), folder, "--cuda-arch", "80", "--disable", "group-launches")
    named = lambda ops: sorted((o["function"], o["layer"], o["op"], o["dtype"], o["shape"]) for o in ops)
    ctx.check("gpu: ops are the same in groups and alone", None if single and named(single["ops"]) == named(c["ops"]) and sum(single["launches"].values()) == len(c["ops"]) else "they differ")
    ctx.check("gpu: the certificate's architectures", None if c["architectures"] == ARCHITECTURES else f"{c['architectures']}")
    kernels = {k["name"]: k for k in c["kernels"]}
    missing = [o for o in c["ops"] if o["kernel"] not in kernels or not o["dtype"] or o["source"] != "generated"]
    ctx.check("gpu: every op has a kernel", f"{missing[0]}" if missing or not c["ops"] else None)
    # Sums over towers are the runtime's, between phases.
    loose = [k for k, v in kernels.items() if v["family"] != "all_reduce" and k not in {o["kernel"] for o in c["ops"]}]
    ctx.check("gpu: every kernel has an op", f"{loose}" if loose else None)
    layers = {o["layer"] for o in c["ops"] if o["function"] == "train"}
    ctx.check("gpu: ops say their layers", None if {"lstm_1", "lstm_2", "dropout_1", "masking"} <= layers else f"{layers}")
    partly = [k for k, v in kernels.items() if sorted(v["assembled"]) != sorted(ARCHITECTURES) or not all(a["registers"] > 0 and 0 < a["occupancy"] <= 1 for a in v["assembled"].values())]
    ctx.check("gpu: every kernel is assembled for every architecture", f"{partly}" if partly else None)
    spills(ctx, "masked LSTM", c)
    mlp = os.path.join(folder, "mlp.json")
    with open(mlp, "w", encoding="utf-8") as f:
        json.dump(bench_data.architecture(bench_data.MLP), f)
    _, c = compiled(ctx, "gpu: all architectures, MLP", mlp, folder, "--cuda-arch", "all")
    if c:
        spills(ctx, "MLP", c)
    for arch in ("75", "120"):
        cubin = os.path.join(folder, "kernels.cubin")
        if ctx.ran(f"gpu: cubin for {arch}", ctx.run([ctx.tool("belfryc"), quickdraw(folder), "--target", "cuda", "--emit", "cubin", "--cuda-arch", arch, "-o", cubin])):
            with open(cubin, "rb") as f:
                data = f.read()
            ctx.check(f"gpu: cubin for {arch} is ELF of at most 3 MB", None if data[:4] == b"\x7fELF" and len(data) <= MOST_BYTES else f"{data[:4]}, {len(data)} bytes")


def spills(ctx, name, certificate):
    """None in a kernel of one op; a few bytes of a thread in one that several ops share (docs/roadmap.md)."""
    found = [(k["name"], a, use) for k in certificate["kernels"] for a, use in k["assembled"].items()
             if max(use["spill_loads"], use["spill_stores"]) > (MOST_SPILLED if k["name"].startswith("group") else 0)]
    ctx.check(f"gpu: kernels of the {name} spill no registers", f"{found}" if found else None)


def toolkit(ctx):
    """Whether belfryc finds ptxas, asked by a cubin of a small model."""
    folder = ctx.folder("gpu-toolkit")
    r = ctx.run([ctx.tool("belfryc"), quickdraw(folder, steps=2, units=4, layers=1), "--target", "cuda", "--emit", "cubin", "--cuda-arch", "80", "-o", os.path.join(folder, "x.cubin")])
    if r.rc == 0:
        return True
    ctx.check("gpu: what is said without ptxas", None if r.rc == 1 and "'ptxas' of the CUDA toolkit is missing" in r.err and "--cuda-path" in r.err else f"{r.how()}: {r.err[-300:]}")
    return False


def options(ctx, folder):
    model = quickdraw(folder, steps=2, units=4, layers=1)
    out, broken = os.path.join(folder, "out"), os.path.join(folder, "toolkit")
    os.makedirs(os.path.join(broken, "bin"))
    fake = os.path.join(broken, "bin", "ptxas")
    with open(fake, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\necho 'ptxas x.ptx, line 7; fatal : no such thing' >&2\nexit 255\n")
    os.chmod(fake, 0o755)
    cuda = ["--target", "cuda"]
    for what, flags, words in (("an unknown architecture", [*cuda, "--emit", "ptx", "--cuda-arch", "77"], ["'77'", "--cuda-arch", "75, 80, 86, 89, 90, 100, 120, all"]),
                               ("an architecture of the host", ["--cuda-arch", "90"], ["--cuda-arch", "'cuda'", "'host'"]),
                               ("a certificate of the host", ["--certificate", out + ".json"], ["--certificate", "'cuda'"]),
                               ("several cubins", [*cuda, "--emit", "cubin", "--cuda-arch", "80,90"], ["--cuda-arch"]),
                               ("a folder without a toolkit", [*cuda, "--emit", "cubin", "--cuda-arch", "80", "--cuda-path", folder], ["--cuda-path", "bin/ptxas"]),
                               ("a toolkit that fails", [*cuda, "--emit", "cubin", "--cuda-arch", "80", "--cuda-path", broken], ["sm_80", "line 7", "no such thing", ".ptx"]),
                               ("a profile of ops", ["--target", "cuda-emulated", "--profile-ops"], ["--profile-ops", "'cuda-emulated'"])):
        r = ctx.run([ctx.tool("belfryc"), model, "-o", out, *flags])
        left = [f for f in (out, out + ".json") if os.path.exists(f)]
        for kept in re.findall(r"PTX is kept: '(.*)'", r.err):
            os.remove(kept)
        ctx.check(f"gpu: {what} is refused", None if r.rc == 1 and r.err.startswith("error: ") and all(w in r.err for w in words) and not left else f"{r.how()}, left {left}: {r.err[-300:]}")
    shutil.rmtree(broken)
