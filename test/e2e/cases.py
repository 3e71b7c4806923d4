"""Models and data of the end-to-end tests: made from seeds, so that neither has to be stored. Needs numpy only.

Every number is an integer of a fixed generator times a power of two (or rounded to f32 once), so that all versions of
numpy on all machines make the same bits. make_goldens.py gives Keras the same numbers and stores what Keras computes.
"""
import math

import numpy as np

MASKS = ("none", "leading", "inner", "complete")
PADDING = -5.0

# size: arguments of the example's build(); rows and batch give 20 steps in `epochs` with an uneven last batch.
FAMILIES = {
    "quickdraw": {"example": "quickdraw", "size": dict(steps=12, features=3, units=16)},
    "quickdraw_mask_input": {"example": "quickdraw_mask_input", "size": dict(steps=12, features=3, units=16)},
    "japanese_vowels": {"example": "japanese_vowels", "size": dict(steps=10, features=4, units=16)},
    "fashion_mnist": {"example": "fashion_mnist", "size": dict(widths=(20, 32, 16, 10)), "masks": ("none",)},
    "two_inputs": {"example": "two_inputs", "size": dict(steps=8, features=5, units=12)},
    "bidirectional": {"example": "bidirectional", "size": dict(steps=10, words=20, units=8)},
    "gru": {"example": "gru", "size": dict(steps=10, features=4, units=12)},
    "quickdraw_full": {"example": "quickdraw", "size": dict(steps=100, features=3, units=100), "masks": ("leading",),
                       "rows": 428, "batch": 128, "epochs": 5, "weighted": (False,)},
    "japanese_vowels_full": {"example": "japanese_vowels", "size": dict(steps=29, features=12, units=100), "masks": ("inner",),
                             "rows": 428, "batch": 128, "epochs": 5, "weighted": (False,)},
    "fashion_mnist_full": {"example": "fashion_mnist", "size": dict(widths=(784, 512, 256, 10)), "masks": ("none",),
                           "rows": 428, "batch": 128, "epochs": 5, "weighted": (False,)},
}
for _f in FAMILIES.values():
    for _k, _v in dict(masks=MASKS, rows=31, batch=7, epochs=4, weighted=(False, True)).items():
        _f.setdefault(_k, _v)

PREDICT_ROWS = 64      # predictions of the first rows are enough
SAMPLE = 2000          # values kept of a large weight


def sample(a):
    """A fixed choice of at most SAMPLE values of an array, in row-major order."""
    flat = np.asarray(a).reshape(-1)
    return flat[::max(1, -(-flat.size // SAMPLE))]


def grid(rng, shape, bits=12):
    """Values in [-1, 1) on a grid of 2^-bits."""
    return (rng.randint(-(1 << bits), 1 << bits, shape) / float(1 << bits)).astype(np.float32)


def valid_steps(rng, kind, rows, steps):
    """[rows, steps] bool: which steps count. Every kind has rows without a masked step; row 0 is one of them."""
    m = np.ones((rows, steps), bool)
    if kind == "leading":
        for r in range(rows):
            m[r, :rng.randint(0, steps - 1)] = False
    elif kind == "inner":
        m = rng.randint(0, 3, (rows, steps)) > 0
        m[:, 0] = m[:, -1] = True
    elif kind == "complete":  # padded behind, and every fourth row altogether
        for r in range(rows):
            m[r, rng.randint(1, steps + 1):] = False
        m[3::4] = False
    m[0] = True
    return m


def weights(structure, seed=5):
    """Initial weights for [(path, shape)]: uniform, scaled like Glorot's; biases are not zero, so that they are tested."""
    out = {}
    for i, (path, shape) in enumerate(structure):
        rng = np.random.RandomState(seed * 1000 + i)
        limit = math.sqrt(6.0 / (shape[-2] + shape[-1])) if len(shape) > 1 and shape[0] != 2 else 0.1
        out[path] = (rng.randint(-(1 << 20), 1 << 20, shape) / float(1 << 20) * limit).astype(np.float32)
    return out


def data(family, mask="none", rows=None, seed=1):
    """Inputs, targets and sample weights of a family as three dictionaries by the model's names."""
    f = FAMILIES[family]
    return example_data(f["example"], f["size"], mask, f["rows"] if rows is None else rows, seed)


def example_data(example, size, mask, rows, seed):
    """The same for an example's model in any size."""
    rng = np.random.RandomState(seed * 100 + MASKS.index(mask))

    def sequences(steps, features):
        x = grid(rng, (rows, steps, features))
        m = valid_steps(rng, mask, rows, steps)
        x[~m] = PADDING
        return x, m

    def per_row():
        return (rng.randint(0, 9, rows) / 4.0).astype(np.float32)

    def per_step(steps):
        return (rng.randint(0, 9, (rows, steps)) / 4.0).astype(np.float32)

    if example in ("quickdraw", "quickdraw_mask_input"):
        x, m = sequences(size["steps"], size["features"])
        inputs = {"strokes": x} if example == "quickdraw" else {"strokes": x, "valid": m}
        return inputs, {"label": rng.randint(0, 2, (rows, size["steps"], 1)).astype(np.float32)}, {"label": per_step(size["steps"])}
    if example == "japanese_vowels":
        x, _ = sequences(size["steps"], size["features"])
        return {"cepstra": x}, {"speaker": rng.randint(0, 9, rows).astype(np.int32)}, {"speaker": per_row()}
    if example == "fashion_mnist":
        x = np.abs(grid(rng, (rows, size["widths"][0])))
        return {"pixels": x}, {"kind": rng.randint(0, size["widths"][-1], rows).astype(np.int32)}, {"kind": per_row()}
    if example == "two_inputs":
        left, _ = sequences(size["steps"], size["features"])
        right, _ = sequences(size["steps"], size["features"])
        same = rng.randint(0, 2, (rows, 1)).astype(np.float32)
        kind = np.eye(5, dtype=np.float32)[rng.randint(0, 5, rows)]
        return {"left": left, "right": right}, {"same": same, "kind": kind}, {"same": per_row(), "kind": per_row()}
    if example == "bidirectional":
        ids = rng.randint(1, size["words"], (rows, size["steps"])).astype(np.int32)
        ids[~valid_steps(rng, mask, rows, size["steps"])] = 0
        return {"ids": ids}, {"tags": rng.randint(0, 6, (rows, size["steps"])).astype(np.int32)}, {"tags": per_step(size["steps"])}
    if example == "gru":
        x, _ = sequences(size["steps"], size["features"])
        return {"series": x}, {"next": grid(rng, (rows, 1))}, {"next": per_row()}
    raise ValueError(example)
