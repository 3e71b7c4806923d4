"""Holds programs for cuda-emulated against those for the host: check_emulated.py FOLDER BELFRYC SOURCE

Trained on the same data, losses of all steps agree to 1e-5, and so do predictions with the same weights. On other numbers of devices and threads
an emulated program gives the same bytes. FOLDER has x.npy and y.npy of test/tools/Inputs/arrays.py.
"""
import json
import os
import re
import struct
import subprocess
import sys

FOLDER, BELFRYC, SOURCE = sys.argv[1:]
VOWELS = os.path.join(SOURCE, "docs/examples/japanese_vowels/japanese_vowels.npz")
# Model, inputs, targets: dense layers with dropout; masked recurrent layers.
MODELS = {
    "mlp": ("test/tools/Inputs/mlp.mlir", "x.npy", "y.npy"),
    "vowels": ("docs/examples/japanese_vowels/model.keras", VOWELS + ":x_train[:26]", VOWELS + ":y_train[:26]"),
}
TOLERANCE = 1e-5
# Devices, and threads of each.
ELSEWHERE = [("cpu:1", "1"), ("cpu:2", "1"), ("cpu:1", "3")]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def content(path):
    with open(path, "rb") as file:
        return file.read()


def floats(path):
    """The numbers of a .npy file of f32."""
    data = content(path)
    start = 10 + struct.unpack("<H", data[8:10])[0]
    if b"'<f4'" not in data[:start]:
        sys.exit(f"{path} is not of f32")
    return struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


def losses(path):
    with open(path, encoding="utf-8") as file:
        history = json.load(file)
    return history["step_loss"]


def agree(what, got, want):
    largest = max(map(abs, want))
    if len(got) != len(want) or not all(abs(g - w) <= TOLERANCE * largest for g, w in zip(got, want)):
        sys.exit(f"{what}: {got[:8]} on the emulated device, {want[:8]} on the host")


def fit(program, tag, model, *flags):
    _, x, y = MODELS[model]
    run(program, "fit", "--x", x, "--y", y, "--epochs", "2", "--batch-size", "13", "--seed", "5", "--initialize", "--history", tag + ".json", "--log-steps",
        "--save", tag + ".weights.h5", *flags)


def predict(program, tag, model, weights, *flags):
    run(program, "predict", "--x", MODELS[model][1], "--batch-size", "13", "--weights", weights + ".weights.h5", "-o", tag + ".npy", *flags)
    return tag + ".npy"


def main():
    os.chdir(FOLDER)
    for model, (path, _, _) in MODELS.items():
        host, emulated = f"./{model}-host", f"./{model}-emulated"
        for program, target in ((host, "host"), (emulated, "cuda-emulated")):
            run(BELFRYC, os.path.join(SOURCE, path), "-o", program, "--target", target, "--towers", "2", "--mcpu", "x86-64-v3")
            if not re.search(rf"target +{target}, x86-64-v3\n *numerics +{target}/x86-64-v3/", run(program, "info")):
                sys.exit(f"{program} does not say that it is for {target}")
            fit(program, program, model)
        agree(f"{model}: losses of steps", losses(emulated + ".json"), losses(host + ".json"))
        want, got = (predict(program, program, model, host) for program in (host, emulated))
        agree(f"{model}: predictions", floats(got), floats(want))
        for devices, threads in ELSEWHERE:
            tag, flags = f"{model}-{devices[4:]}-{threads}", ("--devices", devices, "--threads-per-device", threads)
            fit(emulated, tag, model, *flags)
            predict(emulated, tag, model, host, *flags)
            for file in (".weights.h5", ".npy"):
                if content(tag + file) != content(emulated + file):
                    sys.exit(f"{model}: {file[1:]} has other bytes on {devices} with {threads} threads")


main()
