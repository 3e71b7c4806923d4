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
MOST_LAUNCHES = 40  # of a training step of the masked LSTM


def run(ctx, only=None):
    for part in (against_host, without_rows, certificate, spills, registers, coverage, options):
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
    loose = [k for k, v in kernels.items() if v["family"] != "collective" and k not in {o["kernel"] for o in c["ops"]}]
    ctx.check("gpu: every kernel has an op", f"{loose}" if loose else None)
    layers = {o["layer"] for o in c["ops"] if o["function"] == "train"}
    ctx.check("gpu: ops say their layers", None if {"lstm_1", "lstm_2", "dropout_1", "masking"} <= layers else f"{layers}")
    partly = [k for k, v in kernels.items() if sorted(v["assembled"]) != sorted(ARCHITECTURES) or not all(a["registers"] > 0 and 0 < a["occupancy"] <= 1 for a in v["assembled"].values())]
    ctx.check("gpu: every kernel is assembled for every architecture", f"{partly}" if partly else None)
    hot = {k for k, v in kernels.items() if v["hot"]}
    launched = {o["kernel"] for o in c["ops"] if o["function"] == "train"} | {k for k, v in kernels.items() if v["family"] == "collective"}
    ctx.check("gpu: what a training step launches is hot, and nothing else", None if hot == launched and hot != set(kernels) else f"{sorted(hot ^ launched)}")
    for arch in ("75", "120"):
        cubin = os.path.join(folder, "kernels.cubin")
        if ctx.ran(f"gpu: cubin for {arch}", ctx.run([ctx.tool("belfryc"), quickdraw(folder), "--target", "cuda", "--emit", "cubin", "--cuda-arch", arch, "-o", cubin])):
            with open(cubin, "rb") as f:
                data = f.read()
            ctx.check(f"gpu: cubin for {arch} is ELF of at most 3 MB", None if data[:4] == b"\x7fELF" and len(data) <= MOST_BYTES else f"{data[:4]}, {len(data)} bytes")


def spills(ctx, folder):
    """No hot kernel of the examples keeps registers in memory, on any architecture."""
    if not toolkit(ctx):
        return
    for name in sorted(os.listdir(h.EXAMPLES)):
        model = next((p for p in (os.path.join(h.EXAMPLES, name, f) for f in ("model.keras", "model.json")) if os.path.exists(p)), None)
        if not model:
            continue
        _, c = compiled(ctx, f"gpu spills: {name}", model, folder, "--cuda-arch", "all")
        if c:
            uses = [(k["name"], a, use) for k in c["kernels"] if k["hot"] for a, use in k["assembled"].items()]
            found = [u for u in uses if u[2]["spill_loads"] or u[2]["spill_stores"]]
            ctx.check(f"gpu spills: none in a hot kernel of {name}", f"{found}" if found or len(uses) < 10 * len(ARCHITECTURES) else None)


# Spills in the first kernel of the PTX, on sm_90, until that may have all registers.
SPILLING = """#!/bin/sh
: > "$5"
first=$(sed -n 's/.visible .entry \\([a-z_0-9]*\\)(.*/\\1/p' "$3" | head -1)
bytes=0
if [ "$2" = -arch=sm_90 ] && ! grep -q minnctapersm "$3"; then bytes=8; fi
echo "$2 $(grep -c minnctapersm "$3")" >> "$(dirname "$0")/runs"
echo "ptxas info    : Compiling entry function '$first' for '$2'"
echo "    $bytes bytes stack frame, $bytes bytes spill stores, $bytes bytes spill loads"
echo "ptxas info    : Used $((64 - bytes)) registers"
"""


def registers(ctx, folder):
    """A kernel that spills is assembled again with all registers, where it did; the PTX says so."""
    toolkit_bin = os.path.join(folder, "toolkit", "bin")
    os.makedirs(toolkit_bin)
    fake = os.path.join(toolkit_bin, "ptxas")
    with open(fake, "w", encoding="utf-8") as f:
        f.write(SPILLING)
    os.chmod(fake, 0o755)
    ptx, c = compiled(ctx, "gpu registers", quickdraw(folder, steps=2, units=4, layers=1), folder, "--cuda-arch", "80,90", "--cuda-path", os.path.dirname(toolkit_bin))
    if not c:
        return
    with open(os.path.join(toolkit_bin, "runs"), encoding="utf-8") as f:
        runs = sorted(f.read().splitlines())
    ctx.check("gpu registers: assembled again where it spilled", None if runs == ["-arch=sm_80 0", "-arch=sm_90 0", "-arch=sm_90 1"] else f"{runs}")
    first = re.search(r"^\.visible \.entry (\w+)\((?:.*\n)*?\.maxntid.*\n\.minnctapersm 1\n", ptx, re.M)
    ctx.check("gpu registers: the PTX gives them to this kernel", None if first and ptx.count("minnctapersm") == 1 and first[1] == re.search(r"\.entry (\w+)", ptx)[1] else "it does not")
    use = next(k["assembled"]["sm_90"] for k in c["kernels"] if k["assembled"])
    ctx.check("gpu registers: the certificate has the second run", None if (use["registers"], use["spill_loads"]) == (64, 0) else f"{use}")


def families_of(ctx):
    """The families of kernels, as belfryc lists them."""
    text = ctx.run([ctx.tool("belfryc"), "--help"]).out
    listed = text.split("FAMILIES OF KERNELS", 1)[-1].splitlines()[1:]
    return [line.split()[0] for line in listed if re.match(r"    \w", line)]


def proven(ctx, name, model, *flags):
    """Families and the line that --verify-gpu-coverage prints."""
    r = ctx.run([ctx.tool("belfryc"), model, "--verify-gpu-coverage", *flags])
    line = next((l for l in r.err.splitlines() if l.startswith("coverage: ")), "") if ctx.ran(name, r) else ""
    ctx.check(name + ": says what was proven", None if re.match(r"coverage: [1-9]\d* .* of \d+ families \(", line) else f"'{line}'")
    return set(re.findall(r"(\w+) \d+", line.partition("families (")[2].partition(")")[0])), line


def coverage(ctx, folder):
    """Each family of kernels is taken out in turn: what needs it is refused, all of it in one list, and nothing else is."""
    families = families_of(ctx)
    ctx.check("gpu coverage: families are listed", None if len(families) >= 5 else f"{families}")
    out = os.path.join(folder, "kernels.ptx")
    ptx = ["--target", "cuda", "--emit", "ptx", "-o", out]
    lstm = quickdraw(folder, steps=3, units=4, layers=2)
    inputs = os.path.join(h.EXAMPLES, "..", "..", "test", "tools", "Inputs")
    dense, turned = os.path.join(inputs, "mlp.mlir"), os.path.join(inputs, "turned.mlir")
    used = set()
    for name, model in (("masked LSTM", lstm), ("MLP", dense), ("input with its axes changed over", turned)):
        at_placed, _ = proven(ctx, f"gpu coverage: {name}, placed", model, "--target", "cuda-emulated", "--stop-after", "placed", "-o", os.path.join(folder, "placed.mlir"))
        in_phases, line = proven(ctx, f"gpu coverage: {name}, kernels", model, *ptx)
        ctx.check(f"gpu coverage: {name}: kernels are counted", None if re.search(r"[1-9]\d* launches of [1-9]\d* kernels, all lowered to NVVM", line) else line)
        again, _ = proven(ctx, f"gpu coverage: {name}, bufferized", model, "--target", "cuda", "--stop-after", "bufferized", "-o", os.path.join(folder, "bufferized.mlir"))
        ctx.check(f"gpu coverage: {name}: a module needs what its kernels need", None if again == in_phases else f"{again} and {in_phases}")
        used |= at_placed | in_phases
        for family in families:
            if os.path.exists(out):
                os.remove(out)
            r = ctx.run([ctx.tool("belfryc"), model, *ptx, "--disable", "kernel-" + family])
            lines = r.err.splitlines()
            if family not in at_placed | in_phases:
                ctx.check(f"gpu coverage: {name} without '{family}', which it does not need", None if r.rc == 0 and os.path.exists(out) else f"{r.how()}: {r.err[-300:]}")
                continue
            refused = r.rc == 1 and not os.path.exists(out) and 1 <= len(lines) <= 20 and all(l.startswith("error: ") for l in lines)
            told = refused and (len(lines) == 1 or re.search(r"\d+ ops of \d+ kinds have no kernel for GPUs:$", lines[0]))
            each = [l for l in lines[len(lines) > 1:] if f"the family '{family}' is taken out" not in l or f"--disable kernel-{family}" not in l or "types with a kernel: " not in l or not re.search(r"; \d+ ops?[ ;]", l)]
            ctx.check(f"gpu coverage: {name} without '{family}' is refused", None if told and not each else f"{r.how()}: {r.err[:600]}")
            layer = any("of layer" in l for l in lines)
            ctx.check(f"gpu coverage: {name} without '{family}': layers are named", None if layer or family == "collective" else r.err[:600])
    ctx.check("gpu coverage: every family is needed by a model of this test", None if used == set(families) else f"{set(families) - used}, {used - set(families)}")
    r = ctx.run([ctx.tool("belfryc"), lstm, *ptx, "--disable", "kernel-dot,kernel-scan,kernel-reduce"])
    ctx.check("gpu coverage: a list of three kinds has at most 20 lines", None if r.rc == 1 and len(r.err.splitlines()) <= 20 and all(f"'{f}'" in r.err for f in ("dot", "scan", "reduce")) else f"{r.how()}: {r.err[:600]}")
    _, c = compiled(ctx, "gpu coverage: a certificate", lstm, folder, "--cuda-arch", "90") if toolkit(ctx) else ("", None)
    if c:
        parts = {p for o in c["ops"] for p in o["parts"].split(",")}
        ctx.check("gpu coverage: the certificate's families are those of the proof", None if parts == proven(ctx, "gpu coverage: again", lstm, *ptx)[0] else f"{parts}")
        roles = {r for o in c["ops"] for r in o["role"].split(",")}
        ctx.check("gpu coverage: all roles are in the certificate", None if roles == {"forward", "backward", "metrics", "optimizer", "random", "mask"} else f"{roles}")
        wrong = [o for o in c["ops"] if not o["class"] or o["tower"] not in ("each", "all") or (o["function"] == "predict") > ("forward" in o["role"]) or o["op"] not in o["parts"]]
        ctx.check("gpu coverage: ops have shape classes, towers and roles", f"{wrong[0]}" if wrong else None)
        ctx.check("gpu coverage: the certificate has its version and the exchanges", None if c["version"] == 2 and c["collectives"] else f"{c['version']}, {c['collectives']}")
        text = os.path.join(folder, "certificate.txt")
        if ctx.ran("gpu coverage: a certificate as text", ctx.run([ctx.tool("belfryc"), lstm, *ptx, "--cuda-arch", "90", "--certificate", text])):
            with open(text, encoding="utf-8") as f:
                told = f.read()
            absent = [w for w in ["version 2", "sm_90", *(k["name"] for k in c["kernels"]), *(o["layer"] for o in c["ops"])] if w not in told]
            ctx.check("gpu coverage: the text has what the JSON has", f"{absent}" if absent else None)


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
                               ("coverage of the host", ["--verify-gpu-coverage"], ["--verify-gpu-coverage", "'cuda'", "'host'"]),
                               ("coverage before placement", [*cuda, "--stop-after", "parallel", "--verify-gpu-coverage"], ["--verify-gpu-coverage", "'placed'", "'parallel'"]),
                               ("a fall back to the host", [*cuda, "--emit", "ptx", "--allow-cpu-fallback"], ["--allow-cpu-fallback", "not in this version"]),
                               ("a family of the host", ["--disable", "kernel-dot"], ["--disable kernel-", "'host'"]),
                               ("an unknown family", [*cuda, "--emit", "ptx", "--disable", "kernel-dots"], ["'dots'", "elementwise, transpose, reduce, dot, scan, loop"]),
                               ("a profile of ops", ["--target", "cuda-emulated", "--profile-ops"], ["--profile-ops", "'cuda-emulated'"])):
        r = ctx.run([ctx.tool("belfryc"), model, "-o", out, *flags])
        left = [f for f in (out, out + ".json") if os.path.exists(f)]
        for kept in re.findall(r"PTX is kept: '(.*)'", r.err):
            os.remove(kept)
        ctx.check(f"gpu: {what} is refused", None if r.rc == 1 and r.err.startswith("error: ") and all(w in r.err for w in words) and not left else f"{r.how()}, left {left}: {r.err[-300:]}")
    shutil.rmtree(broken)
