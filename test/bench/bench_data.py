"""The benchmark's models and data, the same for Belfry and its peers. Needs numpy only.

A model is a `Recurrent` or an `Mlp`; `ROWS` and `PREDICT_ROWS` are the rows of the tables of `run`. `architecture` writes a model as Keras 3
does (`model.to_json()`), so that belfryc needs no Keras for any of them and Keras's peers load the very same file.
"""
from dataclasses import dataclass, replace

import numpy as np

MASK = -5.0


@dataclass(frozen=True)
class Recurrent:
    """Masking, `layers` recurrent layers with sequences, each followed by dropout, and a label for every step."""
    name: str = "quickdraw"
    cell: str = "LSTM"
    units: int = 100
    bidirectional: bool = False
    steps: int = 100
    features: int = 3
    layers: int = 2
    ragged: bool = False  # lengths uniform in steps/5 … steps
    sequences: bool = True  # False: the last layer gives its last step only, for nine classes

    loss = property(lambda self: "binary_crossentropy" if self.sequences else "sparse_categorical_crossentropy")

    @property
    def what(self):
        cell = ("bidirectional " if self.bidirectional else "") + self.cell
        return f"{self.layers} masked {cell}({self.units}), T {self.steps}, F {self.features}" + (", ragged" if self.ragged else "")

    def flops(self, rows, train):
        """Of the products of a step: forward, and twice that backward, but for the gradient of the input. Ragged rows count their own steps only."""
        gates = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}[self.cell]
        ways = 2 if self.bidirectional else 1
        width, forward, first = self.features, 0, 0
        for _ in range(self.layers):
            forward += ways * gates * self.units * (width + self.units)
            first = first or ways * gates * self.units * width
            width = ways * self.units
        per_row = 0
        for units in ((25, 1) if self.sequences else ()):
            forward += width * units
            width = units
        if not self.sequences:
            per_row = width * 9
        steps = self.steps * (0.6 if self.ragged else 1)
        return 2 * rows * ((3 * forward - first if train else forward) * steps + (3 if train else 1) * per_row)

    def data(self, rows):
        rng = np.random.RandomState(1)
        x = rng.randn(rows, self.steps, self.features).astype(np.float32)
        if self.ragged:
            lengths = rng.randint(self.steps // 5, self.steps + 1, rows)
            x[np.arange(self.steps)[None, :] >= lengths[:, None]] = MASK
        if not self.sequences:
            return x, rng.randint(0, 9, rows).astype(np.int32)
        return x, rng.randint(0, 2, (rows, self.steps, 1)).astype(np.float32)


@dataclass(frozen=True)
class Mlp:
    """Dense layers with ReLU and dropout, softmax at the end."""
    name: str = "mlp"
    widths: tuple = (784, 512, 256, 10)

    loss = "sparse_categorical_crossentropy"
    what = property(lambda self: "-".join(map(str, self.widths)))

    def flops(self, rows, train):
        forward = sum(a * b for a, b in zip(self.widths, self.widths[1:]))
        return 2 * rows * (3 * forward - self.widths[0] * self.widths[1] if train else forward)

    def data(self, rows):
        rng = np.random.RandomState(1)
        return rng.rand(rows, self.widths[0]).astype(np.float32), rng.randint(0, self.widths[-1], rows).astype(np.int32)


@dataclass(frozen=True)
class Row:
    """A row of a table: a model at a batch; `steps` of an epoch, enough to be measured."""
    name: str
    model: object
    batch: int
    steps: int


A, MLP = Recurrent(), Mlp()
# Model (b): the last step only, nine classes.
B = Recurrent(name="vowels", steps=29, features=12, sequences=False)

ROWS = [
    Row("quickdraw", A, 128, 8),
    Row("quickdraw-ragged", replace(A, name="quickdraw_ragged", ragged=True), 128, 8),
    # Few enough steps that the moments of dead units, which random labels make, don't decay into denormals (some 830).
    Row("mlp-16", MLP, 16, 200),
    Row("mlp-128", MLP, 128, 200),
    Row("mlp-1024", MLP, 1024, 30),
    Row("quickdraw-h32", replace(A, name="quickdraw_h32", units=32), 128, 20),
    Row("quickdraw-h256", replace(A, name="quickdraw_h256", units=256), 128, 3),
    Row("quickdraw-h512", replace(A, name="quickdraw_h512", units=512), 128, 2),
    Row("quickdraw-gru", replace(A, name="quickdraw_gru", cell="GRU"), 128, 8),
    Row("quickdraw-bidirectional", replace(A, name="quickdraw_bidirectional", bidirectional=True), 128, 4),
]
PREDICT_ROWS = [Row(f"{name}-predict-{batch}", model, batch, steps) for name, model, sizes in (("quickdraw", A, ((1, 60), (32, 20), (1024, 3))), ("mlp", MLP, ((1, 3000), (32, 1500), (1024, 60))))
                for batch, steps in sizes]


def find(name):
    """The row of that name, and whether it predicts. Raises KeyError."""
    for rows, predicts in ((ROWS, False), (PREDICT_ROWS, True)):
        for row in rows:
            if row.name == name:
                return row, predicts
    raise KeyError(name)


# ------------------------------------------------------------------ architectures
def layer(kind, name, **config):
    return {"module": "keras.layers", "class_name": kind, "registered_name": None, "config": {"name": name, **({} if kind == "InputLayer" else {"trainable": True, "dtype": "float32"}), **config}}


def initializer(kind):
    config = {"Zeros": {}, "GlorotUniform": {"seed": None}, "Orthogonal": {"seed": None, "gain": 1.0}}[kind]
    return {"module": "keras.initializers", "class_name": kind, "registered_name": None, "config": config}


def dense(name, units, activation):
    return layer("Dense", name, units=units, activation=activation, use_bias=True, kernel_initializer=initializer("GlorotUniform"), bias_initializer=initializer("Zeros"))


def recurrent(kind, name, units, sequences, backwards=False):
    more = {"LSTM": {"unit_forget_bias": True}, "GRU": {"reset_after": True}}.get(kind, {})
    return layer(kind, name, units=units, activation="tanh", **({} if kind == "SimpleRNN" else {"recurrent_activation": "sigmoid"}), use_bias=True,
                 kernel_initializer=initializer("GlorotUniform"), recurrent_initializer=initializer("Orthogonal"), bias_initializer=initializer("Zeros"),
                 return_sequences=sequences, return_state=False, go_backwards=backwards, stateful=False, unroll=False, dropout=0.0, recurrent_dropout=0.0, **more)


def architecture(model):
    """What `model.to_json()` writes for a Sequential model, compiled with Adam(0.001) and accuracy."""
    if isinstance(model, Mlp):
        layers = [layer("InputLayer", "x", batch_shape=[None, model.widths[0]], dtype="float32")]
        for i, units in enumerate(model.widths[1:-1]):
            layers += [dense(f"dense_{i + 1}", units, "relu"), layer("Dropout", f"dropout_{i + 1}", rate=0.2, seed=None, noise_shape=None)]
        layers.append(dense("kind", model.widths[-1], "softmax"))
    else:
        layers = [layer("InputLayer", "x", batch_shape=[None, model.steps, model.features], dtype="float32"), layer("Masking", "masking", mask_value=MASK)]
        for i in range(model.layers):
            name, sequences = f"{model.cell.lower()}_{i + 1}", model.sequences or i + 1 < model.layers
            one = recurrent(model.cell, name, model.units, sequences)
            if model.bidirectional:
                one = layer("Bidirectional", f"both_{i + 1}", merge_mode="concat", layer=recurrent(model.cell, "forward_" + name, model.units, sequences),
                            backward_layer=recurrent(model.cell, "backward_" + name, model.units, sequences, True))
            layers += [one, layer("Dropout", f"dropout_{i + 1}", rate=0.2, seed=None, noise_shape=None)]
        if model.sequences:
            layers += [layer("TimeDistributed", "hidden", layer=dense("hidden_dense", 25, "relu")), layer("TimeDistributed", "label", layer=dense("label_dense", 1, "sigmoid"))]
        else:
            layers.append(dense("speaker", 9, "softmax"))
    adam = {"name": "adam", "learning_rate": 0.001, "beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-07, "amsgrad": False}
    shape = layers[0]["config"]["batch_shape"]
    return {"module": "keras", "class_name": "Sequential", "registered_name": None, "config": {"name": model.name, "trainable": True, "dtype": "float32", "layers": layers, "build_input_shape": shape},
            "build_config": {"input_shape": shape},
            "compile_config": {"optimizer": {"module": "keras.optimizers", "class_name": "Adam", "registered_name": None, "config": adam}, "loss": model.loss, "loss_weights": None,
                               "metrics": ["accuracy"], "weighted_metrics": None, "run_eagerly": False, "steps_per_execution": 1, "jit_compile": False}}
