"""Compares every loss that can be imported with Keras, value and gradient, in f64.

    keras_losses.py BELFRY-OPT BELFRY-IMPORT MODEL

The names are those that belfry-import lists where it does not know one, so that no loss can be imported which the train step does not
build. The trained weight w is the identity, y = x w. Exits with 1 after naming each loss that differs.
"""

import os
import re
import subprocess
import sys
import tempfile

os.environ.update(CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3", KERAS_BACKEND="tensorflow")

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

keras.backend.set_floatx("float64")
OPT, IMPORT, MODEL = sys.argv[1:]
ROWS, CLASSES = 6, 4
# Keras keeps its epsilon and the constants of some losses in f32.
TOLERANCE = 1e-6

MODULE = """
nn.parameter @w : tensor<CLASSESxCLASSESxf64> {path = "w", layer = "l", trainable = true, stream = 1 : i32, initializer = {name = "zeros"}}
nn.model @m(%x: tensor<?xCLASSESxf64> {nn.name = "x"}) -> (tensor<?xCLASSESxf64> {nn.name = "y"}) {
  %w = nn.get_parameter @w : tensor<CLASSESxCLASSESxf64>
  %y = nn.dense %x, %w : tensor<?xCLASSESxf64>, tensor<CLASSESxCLASSESxf64> -> tensor<?xCLASSESxf64>
  nn.return %y : tensor<?xCLASSESxf64>
}
nn.compile @m {
  nn.loss "KIND" of "y" target TARGET {weight = 1.0}
  nn.optimizer "sgd" {learning_rate = 0.1}
}
"""


def belfry(kind, x, target):
    """Loss and gradient by the reference interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        text = MODULE.replace("KIND", kind).replace("CLASSES", str(CLASSES))
        text = text.replace("TARGET", f"tensor<?x{target.shape[1]}x{'i32' if target.dtype == np.int32 else 'f64'}>")
        with open(f"{folder}/m.mlir", "w") as file:
            file.write(text)

        def opt(*arguments):
            done = subprocess.run([OPT, *arguments], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{kind}: {done.stderr}")
            return done.stdout

        core = opt(f"{folder}/m.mlir", "--nn-build-train-step=functions=train", "--canonicalize")
        function = core[core.index("func.func @train"):]
        head = function[: function.index("{\n")]
        arguments = head.split("->", 1)[0]
        given = []
        for i, attrs in enumerate(re.findall(r"%\w+: tensor<[^>]*> \{(.*?)\}(?=[,)])", arguments)):
            role = re.search(r"nn.role = #nn.role<(\w+)>", attrs)[1]
            array = {"input": x, "target": target, "parameter": np.eye(CLASSES), "hyper": np.array(0.1), "sample_weight": np.ones(ROWS),
                     "seed": np.zeros(2, np.int32), "step": np.array(0, np.int32)}[role]
            np.save(f"{folder}/arg{i}.npy", array)
            given.append(f"{i}={folder}/arg{i}.npy")
        with open(f"{folder}/core.mlir", "w") as file:
            file.write(core)
        opt(f"{folder}/core.mlir",
            f"--pass-pipeline=builtin.module(interpret{{function=train precision=f64 outputs={folder}/results data={','.join(given)}}})")
        results = {file.split(".")[0]: file for file in os.listdir(f"{folder}/results")}
        values = {role: np.load(f"{folder}/results/{results[role]}") for role in ("loss", "gradient", "gradient_scale")}
        return values["loss"], values["gradient"] * values["gradient_scale"]


def main():
    rng = np.random.default_rng(3)
    failures = 0
    said = subprocess.run([IMPORT, MODEL, "--loss", "z" * 30], capture_output=True, text=True).stderr
    names = re.findall(r"'(\w+)'", said[said.index("known:"):])
    for kind in names:
        x = rng.random((ROWS, CLASSES)) * 0.9 + 0.05
        if kind == "cosine_similarity":
            x[0], x[1] = 0, x[1] * 1e-9  # no direction, and below epsilon
        if kind == "sparse_categorical_crossentropy":
            target = rng.integers(0, CLASSES, (ROWS, 1)).astype(np.int32)
        elif kind == "categorical_crossentropy":
            target = np.eye(CLASSES)[rng.integers(0, CLASSES, ROWS)]
        else:
            target = rng.random((ROWS, CLASSES))
        name = "".join(part.title() for part in kind.split("_"))
        loss = keras.losses.get({"KlDivergence": "KLDivergence"}.get(name, name))
        w = tf.Variable(np.eye(CLASSES))
        with tf.GradientTape() as tape:
            want = loss(target, tf.constant(x) @ w)
        pairs = zip(("loss", "gradient"), belfry(kind, x, target), (want, tape.gradient(want, w)))
        for name, got, expected in pairs:
            expected = np.asarray(expected)
            error = np.max(np.abs(got - expected) / np.maximum(1.0, np.abs(expected)))
            if not error <= TOLERANCE:
                failures += 1
                print(f"{kind}: {name} {got}, Keras has {expected}")
    print(f"{len(names)} losses, {failures} differences")
    sys.exit(failures > 0)


main()
