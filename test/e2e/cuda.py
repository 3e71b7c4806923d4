"""Programs for CUDA, unchanged, on the fake devices of test/fake-cuda: they compute what cuda-emulated does, to the bit, on any number of devices; and what
they say where something is missing, too small, or fails."""
import json
import os
import re

import bench_data
import h5py
import harness as h
import numpy as np
from dataclasses import replace

MODEL = replace(bench_data.A, name="model", steps=6, units=12)
ROWS, BATCH, STEPS = 37, 16, 6  # two epochs of 16, 16 and 5 rows


def run(ctx, only=None):
    folder = ctx.folder("cuda")
    programs = compiled(ctx, folder)
    if not programs:
        return
    for part in (same_bits, results, graphs, images, without, devices, memory, faults):
        if not only or only in part.__name__:
            part(ctx, programs)


def compiled(ctx, folder):
    """The program for CUDA, its kernels as a library, and the one that is emulated."""
    model = os.path.join(folder, "model.json")
    with open(model, "w", encoding="utf-8") as f:
        json.dump(bench_data.architecture(MODEL), f)
    r = np.random.default_rng(5)
    x = r.normal(size=(ROWS, MODEL.steps, 3)).astype("f4")
    x[:, 4:] = x[3, 1:] = x[7] = -5  # what the mask takes out
    y = (r.random((ROWS, MODEL.steps, 1)) > 0.5).astype("f4")
    np.save(os.path.join(folder, "x.npy"), x)
    np.save(os.path.join(folder, "y.npy"), y)
    tool = ctx.tool("belfryc")
    r = ctx.run([tool, model, "--target", "cuda", "--towers", 4, "--cuda-arch", "80,90", "-o", os.path.join(folder, "cuda")])
    if r.rc and "'ptxas' of the CUDA toolkit is missing" in r.err:
        print("cuda: no ptxas on this machine: no programs for CUDA")
        return None
    ok = ctx.ran("cuda: compile", r)
    r = ctx.run([tool, model, "--target", "cuda", "--towers", 4, "--cuda-arch", "80,90", "--emit", "emulated", "-o", os.path.join(folder, "kernels.so")])
    ok = ctx.ran("cuda: kernels as a library", r) and ok
    r = ctx.run([tool, model, "--target", "cuda-emulated", "--towers", 4, "-o", os.path.join(folder, "emulated")])
    ok = ctx.ran("cuda: compile for cuda-emulated", r) and ok
    return folder if ok else None


def start(ctx, folder, *argv, env=None, driver=True, timeout=None):
    """The program for CUDA on fake devices, with variables of fake-cuda without their common name."""
    settings = {"DEVICES": 4, "ARCH": 90, **(env or {})}
    variables = [f"{k if k.startswith('CUDA_') else 'BELFRY_FAKE_CUDA_' + k}={v}" for k, v in settings.items()]
    if driver:
        libraries = os.path.join(os.path.dirname(ctx.bin), "lib", "fake-cuda")
        variables += [f"LD_LIBRARY_PATH={libraries}", f"BELFRY_FAKE_CUDA_KERNELS={os.path.join(folder, 'kernels.so')}"]
    return ctx.run(["env", *variables, os.path.join(folder, "cuda"), *argv], cwd=folder, timeout=timeout)


FIT = ["fit", "--x", "x.npy", "--y", "y.npy", "--batch-size", BATCH, "--epochs", 2, "--seed", 3]


def weights(file):
    found = {}
    with h5py.File(file, "r") as f:
        f.visititems(lambda name, o: found.__setitem__(name, o[()].tobytes()) if isinstance(o, h5py.Dataset) else None)
    return found


def gpus(n):
    return ",".join(f"gpu:{i}" for i in range(n))


def same_bits(ctx, folder):
    r = ctx.run([os.path.join(folder, "emulated"), *FIT, "--save", "emulated.weights.h5"], cwd=folder)
    if not ctx.ran("cuda: fit of cuda-emulated", r):
        return
    want = weights(os.path.join(folder, "emulated.weights.h5"))
    for devices in ("gpu:0", "gpu:1,gpu:3", "gpu:2,gpu:0,gpu:1", gpus(4), "gpu:1,gpu:1", "gpu:0,gpu:0,gpu:2"):
        for seed in (0, 1, 2):  # in which order things run that do not wait for each other
            for peer in (0, 1) if seed == 0 else (1,):
                name = f"cuda: fit on {devices}, order {seed}, peer access {peer}"
                r = start(ctx, folder, *FIT, "--devices", devices, "--save", "cuda.weights.h5", env={"SEED": seed, "PEER": peer})
                if ctx.ran(name, r):
                    got = weights(os.path.join(folder, "cuda.weights.h5"))
                    odd = [k for k in want if got.get(k) != want[k]]
                    ctx.check(name + ": bits of cuda-emulated", f"{odd[0]} and {len(odd) - 1} more" if odd else None)


def results(ctx, folder):
    """evaluate, predict, gradients and validation."""
    made = {}
    for program in ("emulated", "cuda"):
        go = (lambda *a, e=None: ctx.run([os.path.join(folder, "emulated"), *a], cwd=folder)) if program == "emulated" else (lambda *a, e=None: start(ctx, folder, *a, "--devices", gpus(3), env=e))
        data = ["--x", "x.npy", "--y", "y.npy"]
        ok = ctx.ran(f"cuda: {program}: evaluate", r := go("evaluate", *data, "--initialize", "--batch-size", 10, "--json"))
        made[program] = [r.out]
        ok &= ctx.ran(f"cuda: {program}: predict", go("predict", "--x", "x.npy", "--initialize", "--batch-size", 10, "-o", program + ".npy"))
        ok &= ctx.ran(f"cuda: {program}: fit", go("fit", *data, "--epochs", 2, "--validation-split", "0.3", "--no-shuffle", "--history", program + ".json", "--dump-gradients", program + ".h5", "--no-save"))
        if not ok:
            return
        with open(os.path.join(folder, program + ".json"), encoding="utf-8") as f:
            made[program] += [np.load(os.path.join(folder, program + ".npy")).tobytes(), f.read(), weights(os.path.join(folder, program + ".h5"))]
    for i, what in enumerate(("evaluate", "predict", "history", "gradients")):
        ctx.check(f"cuda: {what} on 3 GPUs as cuda-emulated", None if made["cuda"][i] == made["emulated"][i] else "differs")
    for rows in (1, 2, 3):  # fewer than towers
        outs = []
        for program in ("emulated", "cuda"):
            out = os.path.join(folder, f"few-{program}.npy")
            argv = ["predict", "--x", f"x.npy[:{rows}]", "--initialize", "-o", out]
            r = ctx.run([os.path.join(folder, "emulated"), *argv], cwd=folder) if program == "emulated" else start(ctx, folder, *argv)
            outs.append(np.load(out).tobytes() if ctx.ran(f"cuda: predict {rows} rows, {program}", r) else None)
        ctx.check(f"cuda: {rows} rows on 4 towers and GPUs", None if outs[0] == outs[1] else "differs")


def summary(ctx, folder, *argv, env=None):
    file = os.path.join(folder, "summary.json")
    r = start(ctx, folder, *argv, env={"SUMMARY": file, **(env or {})})
    return r, h.load_json(file) if os.path.exists(file) else {}


def graphs(ctx, folder):
    """A step is one graph; one for full batches, one for the last. The host waits for an event; for all of a device once, at the end."""
    for devices in (1, 3):
        r, s = summary(ctx, folder, *FIT, "--devices", gpus(devices), "--no-save")
        if not ctx.ran(f"cuda: fit on {devices}, counted", r):
            continue
        calls = s.get("calls", {})
        for call, want in (("cuGraphLaunch", STEPS), ("cuGraphInstantiateWithFlags", 2), ("cuStreamBeginCapture_v2", 2), ("cuCtxSynchronize", devices), ("cuStreamSynchronize", 0)):
            ctx.check(f"cuda: {call} on {devices}", None if calls.get(call, 0) == want else f"{calls.get(call, 0)} times, expected {want}")
        ctx.check(f"cuda: nothing leaks on {devices}", f"{s['leaks']}" if s.get("leaks") else None)


def images(ctx, folder):
    """A cubin where one fits, PTX for later GPUs, an error for older ones."""
    for arch, ok in ((80, True), (86, True), (90, True), (75, True), (100, True), (120, True), (70, False)):
        r = start(ctx, folder, "predict", "--x", "x.npy", "--initialize", "-o", "y1.npy", env={"ARCH": arch})
        if ok:
            ctx.ran(f"cuda: on sm_{arch}", r)
        else:
            ctx.check(f"cuda: on sm_{arch}", None if r.rc == 1 and "compute capability 7.0" in r.err and "--cuda-arch" in r.err else f"{r.how()}: {r.err[-300:]}")


def refused(ctx, name, r, *words):
    missing = [w for w in words if w not in r.err]
    ctx.check(name, f"{r.how()}: no {missing} in {r.err[-400:]}" if r.rc != 1 or r.timed_out or missing else None)


def without(ctx, folder):
    """A machine without a driver, or with an old one."""
    r = start(ctx, folder, "info", driver=False)
    ctx.check("cuda: info without a driver", None if r.rc == 0 and "CUDA 11.4 or later" in r.out and "sm_80, sm_90" in r.out else f"{r.how()}: {r.out[:300]}{r.err}")
    r = start(ctx, folder, "info", "--certificate", driver=False)
    found = json.loads(r.out) if r.rc == 0 else {}
    ctx.check("cuda: the certificate in the program", None if found.get("kernels") and found.get("ops") else f"{r.how()}: {r.err}")
    r = ctx.run([os.path.join(folder, "emulated"), "info", "--certificate"])
    refused(ctx, "cuda: no certificate in other programs", r, "--certificate", "'cuda-emulated'")
    refused(ctx, "cuda: fit without a driver", start(ctx, folder, *FIT, "--no-save", driver=False), "libcuda.so.1", "--target host")
    refused(ctx, "cuda: fit with an old driver", start(ctx, folder, *FIT, "--no-save", env={"DRIVER": 11030}), "CUDA 11.3", "CUDA 11.4 or later")
    refused(ctx, "cuda: fit without a GPU", start(ctx, folder, *FIT, "--no-save", env={"DEVICES": 0}), "GPU", "--target host")
    refused(ctx, "cuda: fit with no GPU visible", start(ctx, folder, *FIT, "--no-save", env={"CUDA_VISIBLE_DEVICES": ""}), "GPU", "CUDA_VISIBLE_DEVICES")


def devices(ctx, folder):
    for asked, words in (("gpu:4", ["gpu:4", "4 GPUs, gpu:0 to gpu:3"]), ("cpu:2", ["'cpu:2' is no GPU"]), ("gpu", ["'gpu' is no GPU"]), ("gpu:0,", ["'' is no GPU"]),
                         ("gpu:0,gpu:x", ["'gpu:x'"]), ("gpu:-1", ["'gpu:-1'"]), (gpus(4) + ",gpu:0", ["5 devices for 4 towers"])):
        refused(ctx, f"cuda: --devices {asked}", start(ctx, folder, *FIT, "--no-save", "--devices", asked), *words)
    refused(ctx, "cuda: a GPU that is hidden", start(ctx, folder, *FIT, "--no-save", "--devices", "gpu:1", env={"CUDA_VISIBLE_DEVICES": "2"}), "gpu:1", "1 GPU, gpu:0")
    for env, towers, words in (({}, 4, "4 towers on 4 devices: gpu:0 [0] gpu:1 [1] gpu:2 [2] gpu:3 [3]"), ({"DEVICES": 1}, 4, "4 towers on 1 device: gpu:0 [0-3]"),
                               ({"CUDA_VISIBLE_DEVICES": "3,1"}, 4, "4 towers on 2 devices: gpu:0 [0-1] gpu:1 [2-3]"), ({}, 2, "2 towers on 2 devices: gpu:0 [0] gpu:1 [1]")):
        r = start(ctx, folder, "predict", "--x", "x.npy", "--initialize", "-o", "y1.npy", "--towers", towers, env=env)
        ctx.check(f"cuda: which tower is where, {env}", None if r.rc == 0 and words in r.err else f"{r.how()}: {r.err}")


def memory(ctx, folder):
    """What a batch takes is said before; what doesn't fit, with the batch that does, which then fits."""
    fit = [*FIT, "--no-save", "--devices", "gpu:0,gpu:1"]
    r = start(ctx, folder, *fit)
    ctx.check("cuda: memory is told", None if re.search(r"memory: [\d.]+ MiB of [\d.]+ GiB free on gpu:0, ", r.err) else r.err)
    most = {"MEMORY": 80000}
    r = start(ctx, folder, *fit, env=most)
    refused(ctx, "cuda: too little memory", r, "batches of 16 rows need", "gpu:0 has", "largest batch that fits: ")
    fits = re.search(r"batch that fits: (\d+)", r.err)
    if fits:
        n = int(fits.group(1))
        fit[fit.index("--batch-size") + 1] = n
        ctx.ran(f"cuda: a batch of {n} fits", start(ctx, folder, *fit, env=most))
        fit[fit.index("--batch-size") + 1] = n + 1
        refused(ctx, f"cuda: a batch of {n + 1} doesn't", start(ctx, folder, *fit, env=most), f"fits: {n}")
    refused(ctx, "cuda: no room for a row", start(ctx, folder, *fit, env={"MEMORY": 60000}), "gpu:0", "no batch fits")
    refused(ctx, "cuda: no room for parameters", start(ctx, folder, *fit, env={"MEMORY": 10000}), "gpu:0", "cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY")


def faults(ctx, folder):
    """Each call of the driver fails, the first time, the second and somewhere later: an error with the call, exit status 1, no hang, no leak."""
    r, s = summary(ctx, folder, *FIT, "--devices", gpus(2), "--no-save")
    if not ctx.ran("cuda: fit, counted", r):
        return
    # What is called to say or end things has nobody to tell.
    quiet = {"cuGetErrorName", "cuGetErrorString", "cuDriverGetVersion"}
    for call, times in sorted(s["calls"].items()):
        ends = re.search(r"Destroy|Free|Release|Unload|CtxSynchronize", call)
        for at in sorted({1, 2, times // 2, times}):
            if call in quiet or at < 1 or at > times or (ends and at > 2):
                continue
            r = start(ctx, folder, *FIT, "--devices", gpus(2), "--no-save", env={"FAIL": f"{call}:{at}=700"}, timeout=60)
            name = f"cuda: {call} fails, time {at} of {times}"
            plain = re.sub(r"_v\d$", "", call)
            if ends:  # the run is over, or the memory of a failed one is given back
                ctx.check(name, f"{r.how()}: {r.err[-300:]}" if r.timed_out or r.rc < 0 else None)
            elif at == times and r.rc == 0:  # a call of the end: there is nothing left to fail
                pass
            else:
                refused(ctx, name, r, plain, "CUDA_ERROR_ILLEGAL_ADDRESS")
                ctx.check(name + ": nothing leaks", r.err if "fake-cuda:" in r.err else None)
    # After a fault all that the device is asked for fails, too; some faults are seen when something is waited for.
    for fault, words in (("cuLaunchKernel:20=700*", ["cuLaunchKernel of kernel '", "gpu:", "at step 1 "]), ("async:cuGraphLaunch:3=700", ["gpu:", "CUDA_ERROR_ILLEGAL_ADDRESS", "at step 3 "]),
                         ("cuGraphLaunch:4=719*", ["cuGraphLaunch", "at step 4 "])):
        refused(ctx, f"cuda: {fault}", start(ctx, folder, *FIT, "--devices", gpus(2), "--no-save", env={"FAIL": fault}, timeout=60), *words)
