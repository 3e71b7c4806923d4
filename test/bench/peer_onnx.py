"""peer_onnx.py ROW EPOCHS THREADS: prediction by ONNX Runtime of the model that PyTorch exports (bench_peers.py says how it is asked)."""
import os
import sys
import tempfile

import onnxruntime
import torch

import bench_data
import bench_peers
import torch_models

name, threads = sys.argv[1], int(sys.argv[3])
row, predicts = bench_data.find(name)
if not predicts:
    sys.exit("ONNX Runtime is a peer of prediction only")
x = row.model.data(row.batch)[0]
with tempfile.TemporaryDirectory() as tmp:
    path = os.path.join(tmp, "model.onnx")
    # The exporter that keeps a recurrent layer as one op.
    torch.onnx.export(torch_models.build(row.model).eval(), (torch.from_numpy(x),), path, input_names=["x"], output_names=["y"], dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
measure = lambda: bench_peers.time_calls(lambda: session.run(["y"], {"x": x}), row.steps)
measure()
bench_peers.serve(f"ONNX Runtime {onnxruntime.__version__}", measure)
