"""peer_torch.py MODEL BATCH STEPS EPOCHS THREADS: seconds a training step of PyTorch, a JSON line.

The same models written as one writes them in PyTorch: nn.LSTM, dropout, nn.Linear, Adam, a masked mean of the loss. A value
is one epoch divided by its steps; the first epoch is left out.
"""
import json
import sys
import time

import torch
from torch import nn

import bench_data

name, batch, steps, epochs, threads = sys.argv[1], *map(int, sys.argv[2:6])
torch.set_num_threads(threads)
torch.manual_seed(1)


class Quickdraw(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTM(3, 100, batch_first=True)
        self.lstm2 = nn.LSTM(100, 100, batch_first=True)
        self.dropout = nn.Dropout(0.2)
        self.hidden = nn.Linear(100, 25)
        self.label = nn.Linear(25, 1)

    def loss(self, x, y):
        mask = (x != -5.0).any(-1)
        h = self.dropout(self.lstm1(torch.where(mask[..., None], x, 0.0))[0])
        h = self.dropout(self.lstm2(h)[0])
        z = self.label(torch.relu(self.hidden(h)))
        each = nn.functional.binary_cross_entropy_with_logits(z, y, reduction="none")[..., 0]
        return (each * mask).sum() / mask.sum()


class FashionMnist(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Dropout(0.2), nn.Linear(512, 256), nn.ReLU(), nn.Dropout(0.2), nn.Linear(256, 10))

    def loss(self, x, y):
        return nn.functional.cross_entropy(self.layers(x), y.long())


model = {"quickdraw": Quickdraw, "fashion_mnist": FashionMnist}[name]()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001, eps=1e-7)
x, y = (torch.from_numpy(a) for a in bench_data.data(name, batch * steps))
seconds = []
for epoch in range(epochs + 1):
    start = time.perf_counter()
    for a in range(0, batch * steps, batch):
        optimizer.zero_grad()
        loss = model.loss(x[a:a + batch], y[a:a + batch])
        loss.backward()
        optimizer.step()
    loss.item()
    seconds.append((time.perf_counter() - start) / steps)
print(json.dumps({"version": f"PyTorch {torch.__version__}", "seconds": seconds[1:]}))
