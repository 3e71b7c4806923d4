"""The benchmark's models as one writes them in PyTorch: nn.LSTM or nn.GRU, dropout, nn.Linear, a masked mean of the loss.

Masks: the padded form computes every step and leaves masked ones out of the loss; `packed` hands PyTorch the lengths, so that it computes the steps of each
row only. Weights are PyTorch's own initial ones: time does not depend on them.
"""
import torch
from torch import nn

import bench_data


class RecurrentModel(nn.Module):
    def __init__(self, model, packed=False):
        super().__init__()
        kind = {"LSTM": nn.LSTM, "GRU": nn.GRU}[model.cell]
        ways = 2 if model.bidirectional else 1
        widths = [model.features] + [ways * model.units] * (model.layers - 1)
        self.layers = nn.ModuleList(kind(width, model.units, batch_first=True, bidirectional=model.bidirectional) for width in widths)
        self.dropout = nn.Dropout(0.2)
        self.sequences, self.packed = model.sequences, packed
        width = ways * model.units
        self.head = nn.Sequential(nn.Linear(width, 25), nn.ReLU(), nn.Linear(25, 1)) if model.sequences else nn.Linear(width, 9)

    def logits(self, x):
        mask = (x != bench_data.MASK).any(-1)
        h = torch.where(mask[..., None], x, 0.0)
        lengths = mask.sum(1).cpu() if self.packed else None
        for layer in self.layers:
            if self.packed:
                h = nn.utils.rnn.pack_padded_sequence(h, lengths, batch_first=True, enforce_sorted=False)
                h = nn.utils.rnn.pad_packed_sequence(layer(h)[0], batch_first=True, total_length=x.shape[1])[0]
            else:
                h = layer(h)[0]
            h = self.dropout(h)
        return self.head(h if self.sequences else h[:, -1]), mask

    def forward(self, x):
        z = self.logits(x)[0]
        return torch.sigmoid(z) if self.sequences else torch.softmax(z, -1)

    def loss(self, x, y):
        z, mask = self.logits(x)
        if not self.sequences:
            return nn.functional.cross_entropy(z, y.long())
        each = nn.functional.binary_cross_entropy_with_logits(z, y, reduction="none")[..., 0]
        return (each * mask).sum() / mask.sum()


class MlpModel(nn.Module):
    def __init__(self, model):
        super().__init__()
        parts = []
        for a, b in zip(model.widths, model.widths[1:-1]):
            parts += [nn.Linear(a, b), nn.ReLU(), nn.Dropout(0.2)]
        self.layers = nn.Sequential(*parts, nn.Linear(*model.widths[-2:]))

    def forward(self, x):
        return torch.softmax(self.layers(x), -1)

    def loss(self, x, y):
        return nn.functional.cross_entropy(self.layers(x), y.long())


def build(model, packed=False):
    torch.manual_seed(1)
    return MlpModel(model) if isinstance(model, bench_data.Mlp) else RecurrentModel(model, packed)
