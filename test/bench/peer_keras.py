"""peer_keras.py MODEL BATCH STEPS EPOCHS THREADS JIT: seconds a training step of Keras on TensorFlow, a JSON line.

The model comes from docs/examples; the data is the benchmark's (bench_data.py). A value is one epoch of fit divided by
its steps; the first epoch, which compiles, is left out.
"""
import importlib.util
import json
import os
import sys
import time

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
name, batch, steps, epochs, threads, jit = sys.argv[1], *map(int, sys.argv[2:7])
import keras
import tensorflow as tf

import bench_data

tf.config.threading.set_intra_op_parallelism_threads(threads)
tf.config.threading.set_inter_op_parallelism_threads(threads)
here = os.path.dirname(os.path.abspath(__file__))
path = os.path.join(here, "..", "..", "docs", "examples", bench_data.MODELS[name]["example"], "make_model.py")
spec = importlib.util.spec_from_file_location("make_model", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
keras.utils.set_random_seed(1)
model = module.build()
if jit:
    model.jit_compile = True


class Clock(keras.callbacks.Callback):
    seconds = []

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        self.seconds.append((time.perf_counter() - self.start) / steps)


x, y = bench_data.data(name, batch * steps)
model.fit(x, y, batch_size=batch, epochs=epochs + 1, shuffle=False, verbose=0, callbacks=[Clock()])
print(json.dumps({"version": f"Keras {keras.__version__}, TensorFlow {tf.__version__}", "seconds": Clock.seconds[1:]}))
