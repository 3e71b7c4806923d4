"""Compiling and running the benchmark's models with Belfry."""
import json
import os
import statistics
import subprocess
import sys

import numpy as np

import bench_data

HERE = os.path.dirname(os.path.abspath(__file__))

launcher = None


def run(argv):
    """Seconds and largest resident MB of a process, and what it wrote to stderr; ends with its error where it fails. Less than the 10 MB of the launcher is not seen."""
    global launcher
    if not launcher:
        # Without site packages: small.
        launcher = subprocess.Popen([sys.executable, "-S", "-E", os.path.join(HERE, "launch.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    argv = [str(a) for a in argv]
    launcher.stdin.write(json.dumps(argv) + "\n")
    launcher.stdin.flush()
    answer = launcher.stdout.readline()
    if not answer:
        sys.exit(f"error: cannot start {argv[0]}")
    got = json.loads(answer)
    if got["status"]:
        sys.exit(f"error: {' '.join(argv)}: exit status {got['status']}: {got['error'].strip()[-400:]}")
    return got["seconds"], got["memory"], got["error"]


def compile_model(bin_dir, model, tmp, *flags, name=None):
    """The executable, and the seconds of each part of belfryc with their total."""
    source, exe = os.path.join(tmp, (name or model.name) + ".json"), os.path.join(tmp, name or model.name)
    with open(source, "w", encoding="utf-8") as f:
        json.dump(bench_data.architecture(model), f)
    seconds, memory, error = run([os.path.join(bin_dir, "belfryc"), source, "-o", exe, "--timing", *flags])
    parts = {}
    for line in error.splitlines():
        words = line.split()
        # Passes within a part begin with dashes.
        if len(words) >= 3 and words[1] == "s" and not words[2].startswith("-"):
            parts[words[2].rstrip(";")] = float(words[0])
    return exe, {"seconds": seconds, "memory": memory, "parts": parts}


class Belfry:
    """A program and its data; `towers` and `devices` as of its command line."""

    def __init__(self, exe, row, tmp, towers, devices, threads_per_device=None):
        self.exe, self.row, self.tmp = exe, row, tmp
        self.flags = ["--batch-size", row.batch, "--towers", towers, "--devices", f"cpu:{devices}", *(["--threads-per-device", threads_per_device] if threads_per_device else [])]

    def save(self, rows):
        files = [os.path.join(self.tmp, f"{self.row.name}.{k}.npy") for k in "xy"]
        for f, a in zip(files, self.row.model.data(rows)):
            np.save(f, a)
        return files

    def profile(self):
        with open(os.path.join(self.tmp, "profile.json"), encoding="utf-8") as f:
            return json.load(f)


class Training(Belfry):
    """Seconds of a step: a long run of `fit` less a short one, so that start and reading do not count, and everything else does."""

    def __init__(self, *arguments, epochs=3, **more):
        super().__init__(*arguments, **more)
        self.epochs, self.memory = epochs, 0
        self.files = self.save(self.row.batch * self.row.steps)

    def fit(self, epochs, *flags):
        seconds, self.memory, _ = run([self.exe, "fit", "--x", self.files[0], "--y", self.files[1], "--epochs", epochs, "--no-shuffle", "--no-save", *self.flags, *flags])
        return seconds

    def measure(self):
        short, long = self.fit(1), self.fit(1 + self.epochs)
        return (long - short) / (self.epochs * self.row.steps)


class Predicting(Belfry):
    """Seconds of a step of `predict`, the median that the program itself gives: gathering the batch and computing."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        # The same rows again and again, as the peers have them.
        x = np.concatenate([self.row.model.data(self.row.batch)[0]] * self.row.steps)
        self.x = os.path.join(self.tmp, self.row.name + ".x.npy")
        np.save(self.x, x)

    def measure(self):
        run([self.exe, "predict", "--initialize", "--x", self.x, "-o", os.path.join(self.tmp, "out.npy"), "--profile", os.path.join(self.tmp, "profile.json"), *self.flags])
        return self.profile()["functions"]["predict"]["median_step"]


def median_of(measure, rounds):
    return statistics.median(measure() for _ in range(rounds))
