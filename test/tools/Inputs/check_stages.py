"""check_stages.py same|lies FOLDER BELFRYC: goes on from modules of all stages.

same: FOLDER/mlp.mlir with its weights, dumped and stopped after each stage, makes programs with the same results.
lies: a module of each stage under the name of each other is an error that names it.
"""
import os
import re
import subprocess
import sys

STAGES = ["import", "train-step", "parallel", "placed", "lowered", "bufferized", "target"]
BELFRYC = sys.argv[3]
os.chdir(sys.argv[2])


def run(*command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def must(*command):
    done = run(*command)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")


def content(path):
    with open(path, "rb") as file:
        return file.read()


def results(module, program):
    must(BELFRYC, module, "-o", program, "--mcpu", "x86-64-v3")
    must("./" + program, "predict", "--x", "x.npy", "-o", "p.npy")
    must("./" + program, "fit", "--x", "x.npy", "--y", "y.npy", "--epochs", "2", "--batch-size", "7",
         "--save", "w.weights.h5")
    return content("p.npy"), content("w.weights.h5")


must(BELFRYC, "mlp.mlir", "-o", "direct", "--mcpu", "x86-64-v3", "--dump-stages", "stages")
if sys.argv[1] == "same":
    expected = results("mlp.mlir", "train")
    for number, stage in enumerate(STAGES):
        must(BELFRYC, "mlp.mlir", "--mcpu", "x86-64-v3", "--stop-after", stage, "-o", "stop.mlir")
        for module in (f"stages/{number}-{stage}.mlir", "stop.mlir"):
            if results(module, "again") != expected:
                sys.exit(f"{module} of stage '{stage}' gives other results")
else:
    for number, made in enumerate(STAGES):
        with open(f"stages/{number}-{made}.mlir") as file:
            text = file.read()
        for said in STAGES:
            if said == made:
                continue
            with open("lie.mlir", "w") as file:
                file.write(re.sub('belfry.stage = "[a-z-]*"', f'belfry.stage = "{said}"', text))
            done = run(BELFRYC, "lie.mlir", "-o", "train")
            says = f"lie.mlir: the module is inconsistent: 'belfry.stage' says '{said}', and it is not at that stage"
            if done.returncode != 1 or says not in done.stderr or os.path.exists("train"):
                sys.exit(f"'{made}' said to be '{said}': status {done.returncode}\n{done.stderr}")
