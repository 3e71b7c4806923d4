#!/usr/bin/env python3
"""Runs the golden suite and holds it against the list of expected failures.

    run_goldens.py --bin build/bin [--towers 1,2,3] [--sample N] [--only REGEX] [--jobs 2] [--keras-check PYTHON]

Every case has to hold, except those in expected-failures.txt, which have to fail: a listed case that holds is an
error too (take it off the list), so that the list only gets shorter. A name on the list that no suite holds is an error.
A sample is drawn from the cases that have to hold. Prints a line for each surprise, the count of expected failures,
and last `N passed, M failed`. Exit status 0, or 3 where something failed. Needs Python and numpy.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import run_case

HERE = os.path.dirname(os.path.abspath(__file__))


def read_expected(path):
    """The list as {case: reason}; a line is a name and a reason, # starts a comment."""
    expected = {}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) != 2:
                sys.exit(f"error: {path}:{number}: expected a case and a reason, got {line.strip()!r}")
            if words[0] in expected:
                sys.exit(f"error: {path}:{number}: {words[0]} is listed twice")
            expected[words[0]] = words[1]
    return expected


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, help="folder of belfry-import and belfryc")
    ap.add_argument("--towers", default="1,2,3")
    ap.add_argument("--target", default="host")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--sample", type=int, help="only so many of the cases that have to hold, drawn by --seed")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--only", help="regular expression on the case's name")
    ap.add_argument("--keras-check", metavar="PYTHON", help="an interpreter with Keras that loads the saved weights too")
    ap.add_argument("--timeout", type=float, default=120, help="seconds a case")
    o = ap.parse_args()

    expected = read_expected(os.path.join(HERE, "expected-failures.txt"))
    suites = sorted(f for f in os.listdir(HERE) if f.endswith(".tar.xz"))
    passed = failed = known = 0
    with tempfile.TemporaryDirectory(prefix="goldens-") as tmp:
        dirs = {}
        for suite in suites:
            folder = os.path.join(tmp, suite.split(".")[0])
            os.makedirs(folder)
            for d in run_case.unpack(os.path.join(HERE, suite), folder):
                dirs[os.path.basename(d)] = d
        for name in sorted(set(expected) - set(dirs)):
            print(f"FAIL {name}: listed in expected-failures.txt, but there is no such case")
            failed += 1
        names = sorted(n for n in dirs if not o.only or re.search(o.only, n))
        if o.sample is not None:
            names = [n for n in names if n not in expected]
            names = sorted(random.Random(o.seed).sample(names, min(o.sample, len(names))))
        if not names:
            sys.exit("error: no case is left to run")

        report = os.path.join(tmp, "report.json")
        command = [sys.executable, os.path.join(HERE, "run_case.py"), *(dirs[n] for n in names), "--bin", o.bin, "--towers", o.towers,
                   "--target", o.target, "--jobs", str(o.jobs), "--timeout", str(o.timeout), "--json", report]
        if o.keras_check:
            command += ["--keras-check", o.keras_check]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if not os.path.exists(report):
            sys.exit(f"error: the case runner stopped: {(run.stderr or run.stdout).strip()[-500:]}")
        with open(report, encoding="utf-8") as f:
            results = json.load(f)["results"]
    for r in sorted(results, key=lambda r: r["name"]):
        name = r["name"]
        if name in expected:
            if r["holds"]:
                print(f"FAIL {name}: holds, but is listed as an expected failure ({expected[name]}): take it off the list")
                failed += 1
            else:
                known += 1
        elif r["holds"]:
            passed += 1
        else:
            more = f" (+{len(r['fails']) - 1} more)" if len(r["fails"]) > 1 else ""
            print(f"FAIL {name}: {r['fails'][0]}{more}")
            failed += 1
    ran = {r["name"] for r in results}
    for name in sorted(set(names) - ran):  # cases that the runner leaves out by itself
        if name not in expected:
            print(f"FAIL {name}: was not run")
            failed += 1
    print(f"goldens on {o.towers} towers: {known} expected failures")
    print(f"{passed} passed, {failed} failed")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
