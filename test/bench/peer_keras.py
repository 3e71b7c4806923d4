"""peer_keras.py ROW EPOCHS THREADS BACKEND JIT: Keras on TensorFlow or JAX (bench_peers.py says how it is asked).

The model is the file that belfryc gets too. Training is `fit`, a step being an epoch divided by its steps; prediction is a compiled call of the model on
one batch, with its result on the host. JIT 1 has TensorFlow compile by XLA; JAX always does.
"""
import json
import os
import statistics
import sys
import time

name, epochs, threads, backend, jit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], int(sys.argv[5])
os.environ["KERAS_BACKEND"] = backend
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np

import bench_data
import bench_peers

if backend == "tensorflow":
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    version = f"Keras {keras.__version__}, TensorFlow {tf.__version__}"
else:
    import jax

    version = f"Keras {keras.__version__}, JAX {jax.__version__}"

row, predicts = bench_data.find(name)
keras.utils.set_random_seed(1)
model = keras.models.model_from_json(json.dumps(bench_data.architecture(row.model)))
model.compile(optimizer=keras.optimizers.Adam(0.001, epsilon=1e-7), loss=row.model.loss, metrics=["accuracy"], jit_compile=bool(jit) or backend == "jax")


class Clock(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seconds = []

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        self.seconds.append((time.perf_counter() - self.start) / row.steps)


def train():
    # From the start, as Belfry's programs do.
    model.set_weights(initial)
    for variable in model.optimizer.variables:
        if not variable.path.endswith("learning_rate"):
            variable.assign(np.zeros(variable.shape, variable.dtype))
    clock = Clock()
    model.fit(x, y, batch_size=row.batch, epochs=epochs, shuffle=False, verbose=0, callbacks=[clock])
    return statistics.median(clock.seconds)


if predicts:
    x, _ = row.model.data(row.batch)
    if backend == "tensorflow":
        compiled = tf.function(lambda x: model(x, training=False), jit_compile=bool(jit))
        call = lambda: compiled(tf.constant(x)).numpy()
    else:
        state = [v.value for v in model.trainable_variables], [v.value for v in model.non_trainable_variables]
        compiled = jax.jit(lambda x: model.stateless_call(*state, x, training=False)[0])
        call = lambda: np.asarray(compiled(x))
    measure = lambda: bench_peers.time_calls(call, row.steps)
else:
    initial = model.get_weights()
    x, y = row.model.data(row.batch * row.steps)
    measure = train
measure()
bench_peers.serve(version, measure)
