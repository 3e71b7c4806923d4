"""torch_steps.py MODEL BATCH: seconds of a training step in PyTorch on the first GPU, as JSON; torch_steps.py --version says which PyTorch.

The models are those of test/bench; the loop is the usual one with Adam, a step being its share of a loop that ends when the GPU has ended. --device cpu is
there to try the script without a GPU.
"""
import json
import sys
import time

import torch

import bench_data
import torch_models


def main():
    device = "cuda"
    if "--device" in sys.argv:
        device = sys.argv[sys.argv.index("--device") + 1]
    elif not torch.cuda.is_available():
        sys.exit(f"PyTorch {torch.__version__} sees no GPU")
    if sys.argv[1] == "--version":
        print(f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}")
        return
    known = {m.name: m for m in [bench_data.B, *(row.model for row in bench_data.ROWS)]}
    model, batch = known[sys.argv[1]], int(sys.argv[2])
    net = torch_models.build(model).to(device)
    x, y = (torch.from_numpy(a).to(device) for a in model.data(batch))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.001, eps=1e-7)

    def steps(count):
        start = time.perf_counter()
        for _ in range(count):
            optimizer.zero_grad()
            loss = net.loss(x, y)
            loss.backward()
            optimizer.step()
        loss.item()
        return time.perf_counter() - start
    steps(3)
    count = max(3, int(1.0 / (steps(5) / 5)))
    print(json.dumps({"step_seconds": steps(count) / count, "steps": count}))


main()
