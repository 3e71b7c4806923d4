"""Whole models for test/gpu/prepare: the benchmark's, trained some steps, and small ones for each optimizer. Needs numpy."""
import os
import sys
from dataclasses import dataclass, replace

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import bench_data
from bench_data import A, B, MLP

# What a step's loss may differ by from the host's, of the largest; and what is computed from trained weights.
MOST, MOST_TRAINED = 1e-5, 1e-3


@dataclass(frozen=True)
class Model:
    name: str
    model: object  # of bench_data
    batch: int
    batches: tuple = ()  # that its step is timed at; a model that is timed is a program of its own
    optimizer: str = ""  # of belfryc's command line

    def data(self):
        """Rows for five steps, the last one shorter; of sequences also what masks take out: the end, the start, steps between, whole rows."""
        rows = 5 * self.batch - self.batch // 3
        x, y = self.model.data(rows)
        if isinstance(self.model, bench_data.Recurrent):
            r, steps = np.random.default_rng(3), self.model.steps
            lengths = r.integers(1, steps + 1, rows)
            live = np.arange(steps)[None, :] < lengths[:, None]
            live[1::4] = live[1::4, ::-1]
            live[2::4] |= r.random((len(live[2::4]), steps)) < 0.3
            live[5] = False
            x[~live] = bench_data.MASK
        return x, y


GRU = replace(A, name="quickdraw_gru", cell="GRU")
BOTH = replace(A, name="quickdraw_bidirectional", bidirectional=True)
SMALL_MLP = bench_data.Mlp(name="mlp_small", widths=(40, 70, 33, 10))
OPTIMIZERS = {"sgd": "sgd(learning_rate=0.05)", "momentum": "sgd(learning_rate=0.05, momentum=0.9, nesterov=true)", "rmsprop": "rmsprop(learning_rate=0.01)", "adamw": "adamw(learning_rate=0.01)"}


def models(small):
    """Small ones are for tests of the scripts, where a GPU is emulated."""
    if small:
        return [Model("quickdraw", replace(A, steps=7, units=12), 8, (8,)), Model("mlp_small-momentum", SMALL_MLP, 16, (), OPTIMIZERS["momentum"])]
    return [Model("quickdraw", A, 32, (32, 128, 512)), Model("vowels", B, 32, (32, 128)), Model("mlp", MLP, 64, (16, 128, 1024)), Model("quickdraw_gru", GRU, 32, (128,)), Model("quickdraw_bidirectional", BOTH, 32, (128,)),
            *(Model("mlp_small-" + name, SMALL_MLP, 32, (), text) for name, text in OPTIMIZERS.items())]


def shapes(model):
    """What the data of a batch is, for a machine that makes it without numpy."""
    if isinstance(model, bench_data.Mlp):
        return {"shape": [model.widths[0]], "kind": "normal"}, {"shape": [], "kind": "classes", "below": model.widths[-1]}
    x = {"shape": [model.steps, model.features], "kind": "normal"}
    return x, {"shape": [model.steps, 1], "kind": "bits"} if model.sequences else {"shape": [], "kind": "classes", "below": 9}
