"""The benchmark's models and data, the same for Belfry and its peers. Needs numpy only."""
import numpy as np

# gflop: floating-point operations of one step at batch 128 (products only: forward, and twice that backward); steps: an epoch.
MODELS = {
    "quickdraw": {"example": "quickdraw", "file": "model.keras", "gflop": 9.47, "steps": 6, "what": "masked LSTM, T 100, F 3"},
    "fashion_mnist": {"example": "fashion_mnist", "file": "model.json", "gflop": 0.308, "steps": 200, "what": "784-512-256-10"},
}


def data(name, rows):
    """Inputs and targets. No step is masked: every implementation does the whole work."""
    rng = np.random.RandomState(1)
    if name == "quickdraw":
        return rng.randn(rows, 100, 3).astype(np.float32), rng.randint(0, 2, (rows, 100, 1)).astype(np.float32)
    return rng.rand(rows, 784).astype(np.float32), rng.randint(0, 10, rows).astype(np.int32)
