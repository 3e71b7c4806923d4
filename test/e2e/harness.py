"""What the end-to-end suites share: running the tools, comparing arrays, reading and writing weight files."""
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import h5py
import numpy as np

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.normpath(os.path.join(HERE, "..", "..", "docs", "examples"))
GOLDENS = os.path.join(HERE, "goldens")
BENCH = os.path.normpath(os.path.join(HERE, "..", "bench"))
sys.path.append(BENCH)  # suites import the benchmarks' models, bench_data


class Result:
    """A finished process: rc, out, err, seconds, rss (MB, largest), timed_out."""

    def last_error(self):
        lines = [l for l in self.err.splitlines() if l.startswith("error:")] or self.err.strip().splitlines()[-1:]
        return lines[0][:300] if lines else ""

    def how(self):
        if self.timed_out:
            return "timeout"
        if self.rc < 0:
            return "killed by " + signal.Signals(-self.rc).name
        return f"exit status {self.rc}"


class Context:
    """Counts checks, prints the failing ones, and knows where the tools are."""

    def __init__(self, bin_dir, target="host", keras=None, timeout=120, verbose=False):
        self.bin, self.target, self.keras, self.timeout, self.verbose = os.path.abspath(bin_dir), target, keras, timeout, verbose
        self.passed = self.failed = 0
        self.lock = threading.Lock()  # suites may check side by side
        self.tmp = tempfile.mkdtemp(prefix="belfry-e2e-")

    def close(self):
        shutil.rmtree(self.tmp, ignore_errors=True)

    def folder(self, name):
        d = os.path.join(self.tmp, name)
        shutil.rmtree(d, ignore_errors=True)
        os.makedirs(d)
        return d

    def check(self, name, problem):
        """One check: problem is None or "" where it holds, else what is wrong."""
        with self.lock:
            if problem:
                self.failed += 1
                print(f"FAIL {name}: {problem}", flush=True)
            else:
                self.passed += 1
        return not problem

    def run(self, argv, cwd=None, timeout=None, interrupt_after=None):
        """Runs a process in cwd. interrupt_after: seconds after which it gets a SIGINT."""
        r = Result()
        cwd = cwd or self.tmp
        own = f"{threading.get_ident()}"  # suites may run commands side by side
        out, err = os.path.join(self.tmp, ".out" + own), os.path.join(self.tmp, ".err" + own)
        start = time.time()
        with open(out, "wb") as fo, open(err, "wb") as fe:
            try:
                p = subprocess.Popen([str(a) for a in argv], stdin=subprocess.DEVNULL, stdout=fo, stderr=fe, cwd=cwd, start_new_session=True)
            except OSError as e:
                r.rc, r.out, r.err, r.seconds, r.rss, r.timed_out = 127, "", f"cannot start: {e}", 0, 0, False
                return r
            r.timed_out, wait, sent = False, 0.002, False
            while True:
                pid, status, usage = os.wait4(p.pid, os.WNOHANG)
                if pid:
                    break
                if interrupt_after is not None and not sent and time.time() - start > interrupt_after:
                    os.kill(p.pid, signal.SIGINT)
                    sent = True
                if time.time() - start > (timeout or self.timeout):
                    r.timed_out = True
                    os.killpg(p.pid, signal.SIGKILL)
                    pid, status, usage = os.wait4(p.pid, 0)
                    break
                time.sleep(wait)
                wait = min(wait * 1.5, 0.02)
        r.seconds, r.rss = time.time() - start, usage.ru_maxrss / 1024
        r.rc = p.returncode = os.waitstatus_to_exitcode(status)
        with open(out, "rb") as f:
            r.out = f.read(4 << 20).decode("utf-8", "replace")
        with open(err, "rb") as f:
            r.err = f.read(4 << 20).decode("utf-8", "replace")
        if self.verbose:
            print(f"   $ {' '.join(map(str, argv))} -> {r.rc} in {r.seconds:.2f} s")
        return r

    def ran(self, name, r):
        """A check that a process ended with status 0."""
        return self.check(name, None if r.rc == 0 and not r.timed_out else f"{r.how()}: {r.last_error()}")

    def tool(self, name):
        return os.path.join(self.bin, name)

    def compile(self, name, model, exe, *flags):
        """belfryc as a check; true if there is an executable."""
        r = self.run([self.tool("belfryc"), model, "-o", exe, "--target", self.target, *flags])
        if not self.ran(name + ": compile", r):
            return False
        return os.access(exe, os.X_OK) or self.check(name + ": compile", "status 0, but no executable")


# ------------------------------------------------------------------ data
def put(folder, kind, arrays):
    """Writes arrays as .npy and returns {name: file}."""
    files = {}
    for name, a in arrays.items():
        files[name] = os.path.join(folder, f"{kind}.{name}.npy")
        np.save(files[name], a)
    return files


def flags(option, files, rows=None):
    """--x A or --x name=A …, with a slice of rows if asked."""
    part = "" if rows is None else f"[:{rows}]"
    if len(files) == 1:
        return [option, next(iter(files.values())) + part]
    return [a for name, f in files.items() for a in (option, f"{name}={f}{part}")]


def outputs(folder, tag, names):
    """The -o flags of predict and {name: file}."""
    files = {n: os.path.join(folder, f"{tag}.{n}.npy") for n in names}
    return flags("-o", files), files


def structure(golden):
    """[(path, shape)] of a golden file."""
    pairs = (s.rsplit(" ", 1) for s in golden["structure"].tolist())
    return [(path, tuple(int(n) for n in shape.split("x"))) for path, shape in pairs]


def write_weights(path, values):
    """A .weights.h5 file in Keras's layout."""
    with h5py.File(path, "w") as h:
        for name, value in values.items():
            h[name] = value


def read_weights(path, below="layers/"):
    """{path: array} of the datasets of an HDF5 file; of a weight file only the model's."""
    found = {}

    def visit(name, o):
        if isinstance(o, h5py.Dataset) and name.startswith(below):
            found[name] = o[()]
    with h5py.File(path, "r") as h:
        h.visititems(visit)
    return found


def digest(path):
    """SHA-256 over names, shapes and bytes of the model's weights in a file."""
    sha = hashlib.sha256()
    for name, a in sorted(read_weights(path).items()):
        sha.update(f"{name} {a.dtype} {a.shape}".encode())
        sha.update(np.ascontiguousarray(a).tobytes())
    return sha.hexdigest()


def dropout_on(model, path, rate=0.25):
    """Copies a model's JSON with every dropout rate set."""
    with open(model, encoding="utf-8") as f:
        j = json.load(f)

    def walk(o):
        if isinstance(o, dict):
            if o.get("class_name") == "Dropout":
                o["config"]["rate"] = rate
            for v in o.values():
                walk(v)
        elif isinstance(o, list):
            for v in o:
                walk(v)
    walk(j)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(j, f)
    return path


def family_model(family):
    return os.path.join(GOLDENS, family + ".json")


def family_golden(family):
    return np.load(os.path.join(GOLDENS, family + ".npz"), allow_pickle=False)


def family_weights(family, path):
    """Writes the initial weights of a family's goldens."""
    write_weights(path, cases.weights(structure(family_golden(family))))
    return path


# ------------------------------------------------------------------ comparing
def shape_problem(got, want):
    if got.dtype.kind not in "fiub":
        return f"dtype {got.dtype}"
    if got.shape != want.shape:
        return f"shape {got.shape}, wanted {want.shape}"
    if not np.isfinite(got).all():
        return f"{int((~np.isfinite(got)).sum())} values are not finite"
    return None


def off(got, want, rtol=0.0, atol=0.0, of_largest=0.0):
    """None, or how far got is from want beyond atol + rtol*|want| + of_largest*max|want|."""
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    problem = shape_problem(got, want)
    if problem or got.size == 0:
        return problem
    limit = atol + rtol * np.abs(want) + of_largest * np.abs(want).max()
    d = np.abs(got - want)
    if (d <= limit).all():
        return None
    i = np.unravel_index(int(np.argmax(d - limit)), d.shape)
    at = f" at {list(map(int, i))}" if d.ndim else ""
    lim = limit[i] if np.ndim(limit) else limit
    return f"{got[i]:.9g}, wanted {want[i]:.9g}{at} (off by {d[i]:.3g}, limit {lim:.3g}; {int((d > limit).sum())} of {d.size} values off)"


def load(path):
    """An array from a .npy file, or None."""
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError):
        return None


def load_json(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def parse(text):
    try:
        return json.loads(text)
    except ValueError:
        return None
