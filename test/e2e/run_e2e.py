#!/usr/bin/env python3
"""End-to-end tests on whole models: builds training binaries with belfryc and compares with Keras's numbers and with itself.

    run_e2e.py --bin build/bin [--suite fidelity,single,towers,bits,switches,bad,behaviour,accuracy,bench,gpu,cuda] [--only WORD] [--keras-check PYTHON]

fidelity   one tower against Keras (goldens/, made by make_goldens.py)
single     N = 1, 2, 3, 4, 8 towers against one in the reference interpreter, in f64
towers     N = 2, 3, 4, 8 against one at batch 1, 5, 7, 128: predictions, loss, metrics, first gradients, 20 steps
bits       the same bytes on any number of devices and threads
switches   the same numbers without one optimisation after the other, and in every memory mode
bad        bad input
behaviour  saving, seeds, validation, data files, limits of size and time
accuracy   what examples reach on real data
bench      the scripts of test/bench run
gpu        kernels for GPUs: run by the host, they compute what programs for the host do; PTX, cubins, certificates
cuda       programs for CUDA on fake devices: the bits of cuda-emulated on any number of them; what they say where something is missing, too small, or fails

Prints a line for each check that fails, a line for each suite, and last `N passed, M failed`. Exit status 0, or 3 where a check failed.
Needs Python, numpy and h5py; --keras-check PYTHON (an interpreter with Keras) also loads the saved weights with Keras.
"""
import argparse
import os
import sys
import time
import traceback

import accuracy
import bad_input
import behaviour
import bench
import cuda
import fidelity
import gpu
import harness
import single
import switches
import towers

SUITES = {"fidelity": fidelity.run, "single": single.run, "towers": towers.run, "bits": towers.bits, "switches": switches.run, "bad": bad_input.run, "behaviour": behaviour.run,
          "accuracy": accuracy.run, "bench": bench.run, "gpu": gpu.run, "cuda": cuda.run}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, help="folder of the tools")
    ap.add_argument("--suite", default=",".join(SUITES), help="which suites (default: all)")
    ap.add_argument("--only", help="only families or parts with this word in their name")
    ap.add_argument("--target", default="host")
    ap.add_argument("--keras-check", metavar="PYTHON")
    ap.add_argument("--timeout", type=float, default=120, help="seconds a command")
    ap.add_argument("--verbose", action="store_true", help="print each command")
    o = ap.parse_args()
    suites = o.suite.split(",")
    unknown = [s for s in suites if s not in SUITES]
    if unknown:
        sys.exit(f"error: unknown suite '{unknown[0]}', there are {', '.join(SUITES)}")
    for tool in ("belfry-import", "belfry-opt", "belfryc"):
        if not os.access(os.path.join(o.bin, tool), os.X_OK):
            sys.exit(f"error: no {tool} in {o.bin}")
    ctx = harness.Context(o.bin, o.target, o.keras_check, o.timeout, o.verbose)
    try:
        for suite in suites:
            start, passed, failed = time.time(), ctx.passed, ctx.failed
            try:
                SUITES[suite](ctx, o.only)
            except Exception as e:  # a result that the suite can't read is a failure, and no end of the other suites
                traceback.print_exc()
                ctx.check(suite, f"stopped by {e!r}")
            print(f"{suite}: {ctx.passed - passed} hold, {ctx.failed - failed} fail, {time.time() - start:.0f} s", flush=True)
    finally:
        ctx.close()
    print(f"{ctx.passed} passed, {ctx.failed} failed")
    return 3 if ctx.failed else 0


if __name__ == "__main__":
    sys.exit(main())
