"""keras_reads.py MODEL.json WEIGHTS.h5 OUT.npz NAME=X.npy…: predicts with Keras, for run_e2e.py --keras-check."""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np

model_file, weights, out, *inputs = sys.argv[1:]
with open(model_file, encoding="utf-8") as f:
    model = keras.models.model_from_json(f.read())
model.load_weights(weights)
x = {name: np.load(path) for name, path in (i.split("=", 1) for i in inputs)}
names = [t.name.split(":")[0] for t in model.inputs]
p = model.predict([x[n] for n in names] if len(names) > 1 else x[names[0]], batch_size=64, verbose=0)
np.savez(out, **(p if isinstance(p, dict) else {model.layers[-1].name: p}))
