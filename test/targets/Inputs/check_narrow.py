"""Trains a classifier of f16 and one of bf16: check_narrow.py FOLDER BELFRYC SOURCE

On the host and on the emulated device, with one tower and several, losses agree with those of the f32 model to what 16 bits allow, and with each
other closely; other numbers of devices give the same bytes. Weights and predictions go through files in their own types. The kernels for CUDA are
those that PTX for sm_75 has instructions for, and are assembled for every architecture where there is a ptxas. FOLDER has x.npy and y.npy of
test/tools/Inputs/arrays.py.
"""
import json
import os
import re
import subprocess
import sys

FOLDER, BELFRYC, SOURCE = sys.argv[1:]
MODEL = os.path.join(SOURCE, "test/tools/Inputs/mlp.mlir")
# In NumPy's words, and what losses of the type differ by from those of f32.
TYPES = {"f16": ("<f2", 5e-3), "bf16": ("<V2", 3e-2)}
PROGRAMS = {"host-1": ("host", 1), "host-3": ("host", 3), "emulated-2": ("cuda-emulated", 2)}
ARCHITECTURES = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}


def run(*command, fails=False):
    done = subprocess.run(command, capture_output=True, text=True)
    if bool(done.returncode) != fails:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


def content(path):
    with open(path, "rb") as file:
        return file.read()


def fit(program, tag, *flags):
    run(program, "fit", "--x", "x.npy", "--y", "y.npy", "--epochs", "3", "--batch-size", "13", "--seed", "5", "--initialize", "--history", tag + ".json",
        "--log-steps", "--save", tag + ".weights.h5", *flags)
    with open(tag + ".json", encoding="utf-8") as file:
        return json.load(file)["step_loss"]


def predict(program, tag, weights):
    run(program, "predict", "--x", "x.npy", "--weights", weights, "-o", tag + ".npy", "--batch-size", "7")
    return content(tag + ".npy")


def agree(what, got, want, tolerance):
    if len(got) != len(want) or not all(abs(g - w) <= tolerance * max(map(abs, want)) for g, w in zip(got, want)):
        sys.exit(f"{what}: {got} and {want}")


def kernels(dtype, model):
    ptx = f"{dtype}.ptx"
    run(BELFRYC, model, "--target", "cuda", "--cuda-arch", "75", "--emit", "ptx", "-o", ptx)
    text = content(ptx).decode()
    if ".target sm_75" not in text:
        sys.exit(f"{dtype}: PTX is not for sm_75")
    if found := re.search(r"^.*(?:\bcall\b|cvt\.\S*bf16|\.bf16x2|\bfma\.\S*\.bf16).*$", text, re.M):
        sys.exit(f"{dtype}: {found.group(0)}")
    run(BELFRYC, model, "--target", "cuda", "--emit", "ptx", "--cuda-arch", "all", "-o", ptx, "--certificate", "c.json")
    with open("c.json", encoding="utf-8") as file:
        certificate = json.load(file)
    if not any(dtype in op["dtype"].split(",") for op in certificate["ops"]):
        sys.exit(f"{dtype}: no op of the certificate has it")
    for kernel in certificate["kernels"]:
        if set(kernel["assembled"]) != ARCHITECTURES:
            sys.exit(f"{dtype}: {kernel['name']} is assembled for {sorted(kernel['assembled'])}")
    print(f"{dtype}: {len(certificate['kernels'])} kernels for {len(ARCHITECTURES)} architectures")


def main():
    os.chdir(FOLDER)
    with open(MODEL, encoding="utf-8") as file:
        text = file.read()
    # Adam's squares of gradients are below what f16 can hold.
    plain = re.sub(r'nn\.optimizer "adam" {.*}', 'nn.optimizer "sgd" {learning_rate = 0.05}', text)
    with open("f32.mlir", "w", encoding="utf-8") as file:
        file.write(plain)
    run(BELFRYC, "f32.mlir", "-o", "f32")
    wide = fit("./f32", "f32")
    for dtype, (npy, tolerance) in TYPES.items():
        model = f"{dtype}.mlir"
        with open(model, "w", encoding="utf-8") as file:
            file.write(plain.replace("xf32>", f"x{dtype}>"))
        losses = {}
        for name, (target, towers) in PROGRAMS.items():
            program = f"./{dtype}-{name}"
            run(BELFRYC, model, "-o", program, "--target", target, "--towers", str(towers))
            losses[name] = fit(program, f"{dtype}-{name}")
            agree(f"{dtype} {name} and f32", losses[name], wide, tolerance)
            agree(f"{dtype} {name} and host-1", losses[name], losses["host-1"], tolerance)
            if towers > 1 and fit(program, "other", "--devices", "cpu:1", "--threads-per-device", "2") != losses[name]:
                sys.exit(f"{dtype} {name}: other losses on one device")
        # A processor that has no instructions for the formats, and a program that needs no library for them.
        run(BELFRYC, model, "-o", "plain", "--mcpu", "x86-64")
        agree(f"{dtype} on x86-64 and host-1", fit("./plain", "plain"), losses["host-1"], tolerance)
        weights = f"{dtype}-host-1.weights.h5"
        found = {name: predict(f"./{dtype}-{name}", f"{dtype}-{name}", weights) for name in PROGRAMS}
        if npy.encode() not in found["host-1"][:80]:
            sys.exit(f"{dtype}: predictions are {found['host-1'][:80]}")
        if found["host-1"] != found["host-3"]:
            sys.exit(f"{dtype}: three towers predict something else than one")
        again = predict("./f32", "again", weights)  # weights of 16 bits in a program of f32
        if b"<f4" not in again[:80]:
            sys.exit(f"{dtype}: {again[:80]}")
        info = run(f"./{dtype}-host-1", "info")
        if f"x: {dtype} (?, 3)" not in info:
            sys.exit(info)
        print(f"{dtype}: {losses['host-1'][-1]:.4f}, f32 {wide[-1]:.4f}")
        if os.path.exists("/usr/local/cuda/bin/ptxas"):
            kernels(dtype, model)


main()
