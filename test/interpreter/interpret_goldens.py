#!/usr/bin/env python3
"""Runs golden cases through the reference interpreter and compares with Keras's numbers.

    interpret_goldens.py CASE… --bin DIR [--precision f32|f64] [--jobs 2] [--verbose]

CASE is a case folder, or a folder of case folders (test/goldens/*.tar.xz unpacked). --bin holds belfry-import and
belfry-opt. Per case: import, --nn-build-train-step, then predict, evaluate and every training step as one run of
--interpret, each step on what the step before it wrote. Needs numpy and h5py. Cases of bad input are passed over.
A number e agrees with x if |x-e| <= atol*clip(max|e|, 1, 100) + rtol*|e|.
"""
import argparse, concurrent.futures as cf, json, os, re, shutil, subprocess, sys, tempfile
import h5py
import numpy as np


class Wrong(Exception):
    pass


def file_name(*parts):
    """As --interpret names files: a byte that is no letter, digit or one of -_. becomes % and its two digits."""
    name = ".".join(p for p in parts if p).encode()
    return re.sub(rb"[^A-Za-z0-9._-]", lambda m: b"%%%02X" % m.group()[0], name).decode() + ".npy"


class Case:
    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.case = json.load(open(os.path.join(folder, "case.json"), encoding="utf-8"))
        self.tmp = tempfile.mkdtemp(prefix="belfry-golden-")

    def path(self, *parts):
        return os.path.join(self.tmp, *parts)

    def tool(self, name, *arguments):
        p = subprocess.run([os.path.join(self.options.bin, name), *arguments], capture_output=True, text=True, timeout=600)
        if p.returncode:
            lines = (p.stderr or p.stdout).strip().splitlines()
            raise Wrong("%s: exit %d: %s" % (name, p.returncode, " / ".join(lines[:2])))
        return p.stdout

    def array(self, name):
        file, _, member = name.partition(":")
        a = np.load(os.path.join(self.folder, file))
        return a if isinstance(a, np.ndarray) else a[member or a.files[0]]

    def signature(self, function, side):
        """Type and attributes of a function's arguments (side 0) or results (side 1), as text."""
        line = next((l for l in self.program.splitlines() if "func.func @%s(" % function in l), None)
        if line is None:
            raise Wrong("there is no function '%s'" % function)
        part = (line.split(") -> ") + [""])[side]
        return re.findall(r"tensor<([^>]*)> \{((?:[^{}\"]|\"[^\"]*\")*)\}", part)

    def names(self, function, side, role):
        """The user's names of arguments or results of a role, in order."""
        found = []
        for _, attributes in self.signature(function, side):
            if "#nn.role<%s>" % role in attributes:
                name = re.search(r'nn\.name = "([^"]*)"', attributes).group(1)
                # MLIR writes bytes that are no printable ASCII as \XX.
                raw = re.sub(rb"\\([0-9A-F]{2})", lambda m: bytes([int(m.group(1), 16)]), name.encode())
                found.append(raw.decode())
        return found

    def weight_shapes(self, function):
        """The shape of each sample weight without its rows, by name."""
        shapes = [[int(d) for d in t.split("x")[1:-1]] for t, a in self.signature(function, 0) if "#nn.role<sample_weight>" in a]
        return dict(zip(self.names(function, 0, "sample_weight"), shapes))

    def put(self, folder, role, arrays, names, rows=None):
        """Writes a dictionary of arrays under the names of arguments: by name, else in order."""
        os.makedirs(folder, exist_ok=True)
        for i, name in enumerate(names):
            if name in arrays:
                a = arrays[name]
            elif len(arrays) == len(names):
                a = list(arrays.values())[i]
            else:
                raise Wrong("no array for %s '%s'" % (role, name))
            a = a if rows is None else a[rows]
            if a.dtype == np.float16:
                a = a.astype(np.float32)
            np.save(os.path.join(folder, file_name(role, name)), np.ascontiguousarray(a.astype(a.dtype.newbyteorder("="))))

    def weights(self):
        folder = self.path("weights")
        os.makedirs(folder, exist_ok=True)
        file = os.path.join(self.folder, self.case["weights"]) if self.case.get("weights") else self.path("m.weights.h5")
        if not os.path.exists(file):
            return folder
        with h5py.File(file) as h5:
            for name, path in re.findall(r'nn\.parameter @"?([^" ]*)"? :.*?path = "([^"]*)"', self.program):
                if path not in h5:
                    raise Wrong("no '%s' in the weights for '%s'" % (path, name))
                np.save(os.path.join(folder, file_name("parameter", name)), h5[path][()])
        return folder

    def run(self, function, inputs, outputs, batch):
        self.tool("belfry-opt", self.path("t.mlir"),
                  "--interpret=function=%s precision=%s batch=%d inputs=%s outputs=%s" % (
                      function, self.options.precision, batch, ",".join(inputs), outputs))

    def got(self, folder, *parts):
        return np.load(os.path.join(folder, file_name(*parts)))

    def compare(self, what, got, expected, rtol, atol):
        got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
        if got.shape != expected.shape:
            if got.size != expected.size:
                raise Wrong("%s: shape %s, expected %s" % (what, got.shape, expected.shape))
            got = got.reshape(expected.shape)
        if not expected.size:
            return
        bound = atol * np.clip(np.nanmax(np.abs(expected)), 1, 100) + rtol * np.abs(expected)
        bad = ~((np.abs(got - expected) <= bound) | (np.isnan(got) & np.isnan(expected)) | (got == expected))
        if bad.any():
            i = np.unravel_index(np.argmax(np.where(bad, np.abs(got - expected) - bound, -1)), expected.shape)
            raise Wrong("%s: %d of %d differ, e.g. %s: %.9g, expected %.9g" % (
                what, bad.sum(), bad.size, list(map(int, i)), got[i], expected[i]))

    def run_all(self):
        c = self.case
        if c.get("error"):
            return "passed over"
        model = os.path.join(self.folder, c["model"])
        self.tool("belfry-import", model, "-o", self.path("m.mlir"), *c.get("compile_flags", []))
        self.program = self.tool("belfry-opt", self.path("m.mlir"), "--nn-build-train-step")
        open(self.path("t.mlir"), "w").write(self.program)
        weights = self.weights()
        inputs = {k: self.array(v) for k, v in c["inputs"].items()}
        names = self.names("predict", 0, "input")
        self.rows = len(next(iter(inputs.values())))
        self.put(self.path("x"), "input", inputs, names)
        self.predict([weights, self.path("x")], c.get("predict") or {}, "predict", c["rtol"], c["atol"])
        if c.get("evaluate"):
            self.evaluate([weights], c["evaluate"], "evaluate", c["rtol"], c["atol"])
        if c.get("train"):
            self.train(weights, inputs)
        return "ok"

    def predict(self, folders, expected, what, rtol, atol):
        if not expected:
            return
        self.run("predict", folders, self.path(what), self.rows)
        outputs = self.names("predict", 1, "output")
        for i, (name, file) in enumerate(expected.items()):
            out = name if name in outputs else outputs[i]
            self.compare("%s '%s'" % (what, name), self.got(self.path(what), "output", out), self.array(file), rtol, atol)

    def batch(self, function, where, rows, section):
        """Writes inputs, targets and sample weights of some rows; returns the folder."""
        folder = self.path(where)
        shutil.rmtree(folder, ignore_errors=True)
        arrays = lambda key: {k: self.array(v) for k, v in (section.get(key) or {}).items()} if isinstance(section.get(key), dict) \
            else {"": self.array(section[key])} if section.get(key) else {}
        self.put(folder, "input", {k: self.array(v) for k, v in self.case["inputs"].items()}, self.names(function, 0, "input"), rows)
        self.put(folder, "target", arrays("targets"), self.names(function, 0, "target"), rows)
        weights = arrays("sample_weight")
        count = len(range(*rows.indices(self.rows)))
        for i, (name, shape) in enumerate(self.weight_shapes(function).items()):
            w = weights.get(name)
            if w is None and len(weights) == len(self.weight_shapes(function)):
                w = list(weights.values())[i]
            w = np.ones(count, np.float32) if w is None else w[rows]
            # One weight a row counts for all of the row.
            w = np.broadcast_to(w.reshape(w.shape + (1,) * (1 + len(shape) - w.ndim)), [count] + shape)
            np.save(os.path.join(folder, file_name("sample_weight", name)), np.ascontiguousarray(w))
        return folder

    def evaluate(self, folders, expected, what, rtol, atol):
        totals, counts, loss, steps = {}, {}, {}, 0
        for first in range(0, self.rows, 32):
            rows = slice(first, min(first + 32, self.rows))
            folder = self.batch("evaluate", "e", rows, self.case)
            self.run("evaluate", folders + [folder], self.path("eo"), 1)
            n = rows.stop - rows.start
            steps += n
            for name in self.names("evaluate", 1, "loss"):
                loss[name] = loss.get(name, 0) + n * self.got(self.path("eo"), "loss", name)
            for name in self.names("evaluate", 1, "metric_total"):
                totals[name] = totals.get(name, 0) + self.got(self.path("eo"), "metric_total", name)
                counts[name] = counts.get(name, 0) + self.got(self.path("eo"), "metric_count", name)
        for key, value in expected.items():
            if key in loss or key == "loss":
                got = loss["" if key == "loss" else key] / steps
            elif key in totals:
                got = totals[key] / max(counts[key], 1e-30)
            else:
                raise Wrong("%s: no '%s' among %s" % (what, key, sorted(totals) + sorted(loss)))
            self.compare("%s '%s'" % (what, key), got, value, rtol, atol)

    def train(self, weights, inputs):
        t = self.case["train"]
        rtol, atol = self.case.get("train_rtol", 1e-3), self.case.get("train_atol", 1e-4)
        state, step, history = [weights], 0, []
        for epoch in range(t["epochs"]):
            for first in range(0, self.rows, t["batch_size"]):
                rows = slice(first, min(first + t["batch_size"], self.rows))
                folder = self.batch("train", "t", rows, t)
                np.save(os.path.join(folder, file_name("step", "")), np.array(step, np.int32))
                out = self.path("s%d" % (step % 2))
                self.run("train", [folder] + state, out, 1)
                history.append(float(self.got(out, "loss", "")))
                if t.get("step_loss") and step < len(t["step_loss"]):
                    self.compare("loss of step %d" % step, history[-1], t["step_loss"][step], rtol, atol)
                state = [out, weights]
                step += 1
        self.predict(state + [self.path("x")], t.get("final_pred") or {}, "final_pred", rtol, atol)


def run_case(folder, options):
    case = None
    try:
        case = Case(folder, options)
        return folder, case.run_all()
    except Wrong as e:
        return folder, str(e)
    except Exception as e:  # a case that the script cannot read is a failure too
        return folder, "%s: %s" % (type(e).__name__, e)
    finally:
        if case and not options.keep:
            shutil.rmtree(case.tmp, ignore_errors=True)
        elif case:
            print("kept", case.tmp)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cases", nargs="+")
    p.add_argument("--bin", required=True)
    p.add_argument("--precision", default="f32", choices=["f32", "f64"])
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--keep", action="store_true")
    p.add_argument("--verbose", action="store_true")
    options = p.parse_args()
    folders = []
    for c in options.cases:
        if os.path.exists(os.path.join(c, "case.json")):
            folders.append(c)
        else:
            folders += [os.path.join(c, d) for d in sorted(os.listdir(c)) if os.path.exists(os.path.join(c, d, "case.json"))]
    failed = 0
    with cf.ThreadPoolExecutor(options.jobs) as pool:
        for folder, result in pool.map(lambda f: run_case(f, options), folders):
            bad = result not in ("ok", "passed over")
            failed += bad
            if bad or options.verbose:
                print("%-40s %s" % (os.path.basename(folder), result), flush=True)
    print("%d cases, %d differ" % (len(folders), failed))
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
