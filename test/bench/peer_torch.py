"""peer_torch.py ROW EPOCHS THREADS PACKED: PyTorch (bench_peers.py says how it is asked; torch_models.py has the models).

Training is the usual loop with Adam, a step being an epoch divided by its steps; prediction is a call in inference mode.
"""
import copy
import statistics
import sys
import time

import torch

import bench_data
import bench_peers
import torch_models

name, epochs, threads, packed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
torch.set_num_threads(threads)
row, predicts = bench_data.find(name)
model = torch_models.build(row.model, bool(packed))


def train():
    # From the start, as Belfry's programs do: long runs on random labels end in numbers that are slow (denormals).
    model.load_state_dict(initial)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001, eps=1e-7)
    seconds = []
    for _ in range(epochs):
        start = time.perf_counter()
        for a in range(0, row.batch * row.steps, row.batch):
            optimizer.zero_grad()
            loss = model.loss(x[a:a + row.batch], y[a:a + row.batch])
            loss.backward()
            optimizer.step()
        loss.item()
        seconds.append((time.perf_counter() - start) / row.steps)
    return statistics.median(seconds)


def predict():
    with torch.inference_mode():
        return bench_peers.time_calls(lambda: model(x).numpy(), row.steps)


if predicts:
    model.eval()
    x = torch.from_numpy(row.model.data(row.batch)[0])
    measure = predict
else:
    initial = copy.deepcopy(model.state_dict())
    x, y = (torch.from_numpy(a) for a in row.model.data(row.batch * row.steps))
    measure = train
measure()
bench_peers.serve(f"PyTorch {torch.__version__}", measure)
