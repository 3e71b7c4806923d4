#!/usr/bin/env python3
"""Computes the golden numbers of the end-to-end tests with Keras 3.15.1 on TensorFlow. Run by hand; the results are committed.

    make_goldens.py [FAMILY…]

For each family of cases.py it writes to goldens/:
  FAMILY.json  the model as Keras writes it, compiled, dropout rates 0
  FAMILY.npz   structure: paths and shapes of the weights; for each kind of mask predictions in f32 and in f64; with and without
               sample weights the evaluation before training, the losses of 20 steps, the weights after them, and how far
               those f32 numbers are from Keras run in f64 (largest difference over largest value)
Inputs, targets and initial weights are not stored: cases.py makes them from seeds.
"""
import importlib.util
import json
import os
import sys
import tempfile

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import h5py
import keras
import numpy as np

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "docs", "examples")


def example(name):
    spec = importlib.util.spec_from_file_location("make_" + name, os.path.join(EXAMPLES, name, "make_model.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(family, precision):
    keras.backend.clear_session()
    keras.config.set_floatx(precision)
    f = cases.FAMILIES[family]
    return example(f["example"]).build(dropout=0.0, **f["size"])


def weight_sets(path):
    """[(path, array)] of the model's weights in a .weights.h5 file."""
    found = []
    with h5py.File(path, "r") as h:
        h.visititems(lambda name, o: found.append((name, o[()])) if isinstance(o, h5py.Dataset) and name.startswith("layers/") else None)
    return found


def load(model, values, tmp):
    path = os.path.join(tmp, "set.weights.h5")
    model.save_weights(path)
    with h5py.File(path, "r+") as h:
        for name, value in values.items():
            h[name][...] = value
    model.load_weights(path)


def saved(model, tmp):
    path = os.path.join(tmp, "get.weights.h5")
    model.save_weights(path)
    return dict(weight_sets(path))


def named(model, y):
    """Predictions by output name; the one output of the other examples is their last layer."""
    return dict(y) if isinstance(y, dict) else {model.layers[-1].name: y}


def shaped(model, d):
    """Named arrays the way the model takes them."""
    names = [t.name.split(":")[0] for t in model.inputs]
    return [d[n] for n in names] if len(names) > 1 else d[names[0]]


def targets(d):
    return d if len(d) > 1 else next(iter(d.values()))


def run(family, mask, weighted, precision, structure, tmp):
    """Predictions, evaluation, step losses and weights after training, in one precision."""
    f = cases.FAMILIES[family]
    model = build(family, precision)
    load(model, cases.weights(structure), tmp)
    x, y, w = cases.data(family, mask)
    cast = lambda d: {k: v.astype(precision) if v.dtype.kind == "f" else v for k, v in d.items()}
    x, y, w = cast(x), cast(y), cast(w)
    rows, batch = f["rows"], f["batch"]
    part = lambda d, a, b: {k: v[a:b] for k, v in d.items()}
    result = {"pred": named(model, model.predict(shaped(model, part(x, 0, cases.PREDICT_ROWS)), batch_size=batch, verbose=0))}
    sw = dict(sample_weight=targets(w)) if weighted else {}
    result["evaluate"] = model.evaluate(shaped(model, x), targets(y), batch_size=batch, verbose=0, return_dict=True, **sw)
    losses = []
    for _ in range(f["epochs"]):
        for a in range(0, rows, batch):
            model.reset_metrics()
            sw = dict(sample_weight=targets(part(w, a, a + batch))) if weighted else {}
            logs = model.train_on_batch(shaped(model, part(x, a, a + batch)), targets(part(y, a, a + batch)), return_dict=True, **sw)
            losses.append(float(logs["loss"]))
    result["losses"] = np.array(losses)
    result["weights"] = saved(model, tmp)
    return result


def distance(a, b):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30))


def main():
    out = os.path.join(HERE, "goldens")
    os.makedirs(out, exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        for family in sys.argv[1:] or cases.FAMILIES:
            f = cases.FAMILIES[family]
            model = build(family, "float32")
            with open(os.path.join(out, family + ".json"), "w", encoding="utf-8") as j:
                j.write(model.to_json(indent=1) + "\n")
            model.save_weights(os.path.join(tmp, "structure.weights.h5"))
            structure = [(n, v.shape) for n, v in weight_sets(os.path.join(tmp, "structure.weights.h5"))]
            z = {"structure": np.array([f"{n} {'x'.join(map(str, s))}" for n, s in structure]), "keras": np.array(keras.__version__)}
            for mask in f["masks"]:
                for weighted in f["weighted"]:
                    a = run(family, mask, weighted, "float32", structure, tmp)
                    b = run(family, mask, weighted, "float64", structure, tmp)
                    for name in a["pred"]:
                        z[f"{mask}/pred32/{name}"], z[f"{mask}/pred64/{name}"] = a["pred"][name], b["pred"][name]
                    key = f"{mask}/{'weighted' if weighted else 'plain'}"
                    z[key + "/evaluate"] = np.array(json.dumps({k: float(v) for k, v in a["evaluate"].items()}))
                    z[key + "/losses"] = a["losses"]
                    for name, value in a["weights"].items():
                        z[f"{key}/weights/{name}"] = cases.sample(value)
                    apart = max(distance(a["weights"][n], b["weights"][n]) for n in a["weights"])
                    loss_apart = float(np.abs(a["losses"] - b["losses"]).max())
                    z[key + "/apart"] = np.array([loss_apart, apart])
                    print(f"{family} {key}: loss {a['losses'][0]:.6f} -> {a['losses'][-1]:.6f}, f32 from f64: "
                          f"predictions {max(distance(a['pred'][n], b['pred'][n]) for n in a['pred']):.1e}, losses {loss_apart:.1e}, weights {apart:.1e}", flush=True)
            np.savez_compressed(os.path.join(out, family + ".npz"), **z)


if __name__ == "__main__":
    main()
