"""Products of f16 and bf16 by tensor cores, from module to program: check_tensor_cores.py FOLDER BELFRYC

A row is predicted to the same bits on any number of towers and with any others beside it; a step has the same bits on any number of devices. What tensor
cores give is near to what multiply-adds give, and without them it does not matter whether products read 16 bits. PTX has the instructions that its
architecture has, is assembled for every one without spills where there is a ptxas, and the program for CUDA computes on fake devices what the emulated
one does.
"""
import array
import json
import os
import re
import shutil
import subprocess
import sys

FOLDER, BELFRYC = sys.argv[1:]
# What a step's loss may differ by from that without tensor cores.
TYPES = {"f16": 2e-3, "bf16": 1e-2}
ROWS, WIDTH, HIDDEN, KINDS = 130, 17, 130, 7
MODEL = """module {{
  nn.parameter @"a/kernel" : tensor<{w}x{h}x{t}> {{path = "layers/a/vars/0", layer = "a", trainable = true, stream = 1 : i32, initializer = {{name = "glorot_uniform"}}}}
  nn.parameter @"a/bias" : tensor<{h}x{t}> {{path = "layers/a/vars/1", layer = "a", trainable = true, stream = 2 : i32, initializer = {{name = "zeros"}}}}
  nn.parameter @"b/kernel" : tensor<{h}x{k}x{t}> {{path = "layers/b/vars/0", layer = "b", trainable = true, stream = 3 : i32, initializer = {{name = "glorot_uniform"}}}}
  nn.parameter @"b/bias" : tensor<{k}x{t}> {{path = "layers/b/vars/1", layer = "b", trainable = true, stream = 4 : i32, initializer = {{name = "zeros"}}}}
  nn.model @model(%x: tensor<?x{w}x{t}> {{nn.name = "x"}}) -> (tensor<?x{k}x{t}> {{nn.name = "b"}}) {{
    %0 = nn.get_parameter @"a/kernel" : tensor<{w}x{h}x{t}>
    %1 = nn.get_parameter @"a/bias" : tensor<{h}x{t}>
    %2 = nn.get_parameter @"b/kernel" : tensor<{h}x{k}x{t}>
    %3 = nn.get_parameter @"b/bias" : tensor<{k}x{t}>
    %4 = nn.dense %x, %0 bias %1 activation = relu : tensor<?x{w}x{t}>, tensor<{w}x{h}x{t}>, tensor<{h}x{t}> -> tensor<?x{h}x{t}> loc("a")
    %5 = nn.dense %4, %2 bias %3 activation = softmax : tensor<?x{h}x{t}>, tensor<{h}x{k}x{t}>, tensor<{k}x{t}> -> tensor<?x{k}x{t}> loc("b")
    nn.return %5 : tensor<?x{k}x{t}>
  }}
  nn.compile @model {{
    nn.loss "sparse_categorical_crossentropy" of "b" target tensor<?x1xi32> {{weight = 1.0}}
    nn.optimizer "sgd" {{learning_rate = 0.05}}
  }}
}}
"""


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


def content(path):
    with open(path, "rb") as file:
        return file.read()


def check(good, what):
    if not good:
        sys.exit(what)


def save(path, code, shape, numbers):
    text = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + numbers.tobytes())


def data():
    state, numbers = 1, []
    for _ in range(ROWS * WIDTH):
        state = state * 1103515245 + 12345 & 0x7fffffff
        numbers.append(state / 0x40000000 - 1)
    save("x.npy", "<f4", (ROWS, WIDTH), array.array("f", numbers))
    save("y.npy", "<i4", (ROWS, 1), array.array("i", [i * i % KINDS for i in range(ROWS)]))


def compiled(model, name, *flags):
    run(BELFRYC, model, "-o", name, *flags)
    return "./" + name


def fit(program, *flags, **environment):
    run(program, "fit", "--x", "x.npy", "--y", "y.npy", "--epochs", "1", "--batch-size", "33", "--seed", "5", "--initialize", "--history", "h.json", "--log-steps",
        "--save", "w.weights.h5", *flags, **environment)
    with open("h.json", encoding="utf-8") as file:
        return json.load(file)["step_loss"]


def predict(program, batch, rows=ROWS, weights="first.weights.h5", **environment):
    run(program, "predict", "--x", f"x.npy[:{rows}]", "--weights", weights, "-o", "p.npy", "--batch-size", str(batch), **environment)
    data = content("p.npy")
    return data[10 + int.from_bytes(data[8:10], "little"):]


def near(what, got, want, tolerance):
    check(len(got) == len(want) and all(abs(g - w) <= tolerance * max(map(abs, want)) for g, w in zip(got, want)), f"{what}: {got} and {want}")


def emulated(dtype, model, tolerance):
    programs = {n: compiled(model, f"{dtype}-{n}", "--target", "cuda-emulated", "--towers", str(n)) for n in (1, 2, 4)}
    losses = fit(programs[4])
    shutil.copy("w.weights.h5", "first.weights.h5")
    trained = content("w.weights.h5")
    for devices in ("cpu:1", "cpu:2", "cpu:4"):
        check(fit(programs[4], "--devices", devices) == losses and content("w.weights.h5") == trained, f"{dtype}: other bits on {devices}")
    whole = predict(programs[1], ROWS)
    size = len(whole) // ROWS
    for towers, program in programs.items():
        for batch in (ROWS, 33, 16, 7):
            check(predict(program, batch) == whole, f"{dtype}: {towers} towers with batches of {batch} predict something else")
    for rows in (1, 7, 16, 17):
        check(predict(programs[2], ROWS, rows) == whole[:rows * size], f"{dtype}: the first {rows} rows are something else alone")
    without = {}
    for name in ("tensor-cores", "narrow-products"):
        program = compiled(model, name, "--target", "cuda-emulated", "--towers", "4", "--disable", name)
        without[name] = (fit(program), predict(program, 33))
    check(without["tensor-cores"] == without["narrow-products"], f"{dtype}: without tensor cores, products of 16 bits are others than those of f32")
    near(f"{dtype}: losses with tensor cores and without", losses, without["tensor-cores"][0], tolerance)
    host = compiled(model, "host", "--towers", "4")
    near(f"{dtype}: losses with tensor cores and on the host", losses, fit(host), tolerance)
    return losses, whole


def instructions(dtype, model):
    """What PTX has for one architecture."""
    for arch, version, wanted, others in (
            ("80", "7.0", rf"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.{dtype}\.{dtype}\.f32", r"shfl|m16n8k8"),
            ("75", "6.5", r"mma\.sync\.aligned\.m16n8k8\.row\.col\.f32\.f16\.f16\.f32", r"shfl|m16n8k16") if dtype == "f16" else
            ("75", "6.3", r"shfl\.sync\.idx\.b32", r"mma\.sync")):
        run(BELFRYC, model, "--target", "cuda", "--cuda-arch", arch, "--emit", "ptx", "-o", "k.ptx")
        text = content("k.ptx").decode()
        check(f".version {version}\n" in text and f".target sm_{arch}\n" in text, f"{dtype} sm_{arch}: {text[:400]}")
        check(re.search(wanted, text) and not re.search(others, text), f"{dtype} sm_{arch}: no {wanted}, or {others}")
    run(BELFRYC, model, "--target", "cuda", "--cuda-arch", "80", "--emit", "ptx", "-o", "k.ptx", "--disable", "tensor-cores")
    check("mma.sync" not in content("k.ptx").decode(), f"{dtype}: tensor cores that were left out")


def certificate(dtype, model, architectures):
    run(BELFRYC, model, "--target", "cuda", "--cuda-arch", architectures, "-o", "all", "--certificate", "c.json")
    with open("c.json", encoding="utf-8") as file:
        return [kernel for kernel in json.load(file)["kernels"] if any("tensor_cores" in own for own in kernel["assembled"].values())]


def cuda(dtype, model, losses, predictions):
    kernels = certificate(dtype, model, "all")
    check(kernels, f"{dtype}: no kernel has tensor cores")
    for kernel in kernels:
        check(kernel["least_architecture"] == "sm_75" and len(kernel["assembled"]) == 7, f"{dtype}: {kernel}")
        for arch, own in kernel["assembled"].items():
            check(own["tensor_cores"] == (arch != "sm_75" or dtype == "f16"), f"{dtype} {arch}: {own}")
            check(own["spill_stores"] == 0 and own["spill_loads"] == 0, f"{dtype}: {kernel['name']} spills on {arch}: {own}")
    check(all(kernel["least_architecture"] == "sm_80" for kernel in certificate(dtype, model, "80,90")), f"{dtype}: kernels for sm_80 are for others")
    program = compiled(model, "cuda", "--target", "cuda", "--towers", "4", "--cuda-arch", "75,90")
    run(BELFRYC, model, "--target", "cuda", "--towers", "4", "--cuda-arch", "75,90", "--emit", "emulated", "-o", "kernels.so")
    libraries = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(shutil.which(BELFRYC)))), "lib", "fake-cuda")
    for arch in ("75", "80", "90"):
        fake = {"LD_LIBRARY_PATH": libraries, "BELFRY_FAKE_CUDA_KERNELS": os.path.abspath("kernels.so"), "BELFRY_FAKE_CUDA_DEVICES": "2", "BELFRY_FAKE_CUDA_ARCH": arch}
        check(fit(program, "--devices", "gpu:0,gpu:1", **fake) == losses, f"{dtype}: other losses on fake devices of sm_{arch}")
        check(predict(program, 33, weights="w.weights.h5", **fake) == predictions, f"{dtype}: other predictions on fake devices of sm_{arch}")
    print(f"{dtype}: {len(kernels)} kernels with tensor cores")


def main():
    os.chdir(FOLDER)
    data()
    for dtype, tolerance in TYPES.items():
        model = f"{dtype}.mlir"
        with open(model, "w", encoding="utf-8") as file:
            file.write(MODEL.format(t=dtype, w=WIDTH, h=HIDDEN, k=KINDS))
        losses, predictions = emulated(dtype, model, tolerance)
        instructions(dtype, model)
        if os.path.exists("/usr/local/cuda/bin/ptxas"):
            cuda(dtype, model, losses, predictions)


main()
