"""Holds the kernels that --nn-place names against what the lowering makes: check_placement.py BELFRY_OPT SOURCE

For each function of test/targets/host-*.mlir: as many calls of a product as ops that are placed on it, as many collectives in the schedule as
ops placed on them, a loop kernel where an op is placed on one, and none of these where all is views and constants. Each core op of the
dialect has to be in one of the files.
"""
import collections
import glob
import os
import re
import subprocess
import sys

LOOPS = {"elementwise", "philox", "copy", "reduction", "gather", "scatter_add"}
NOTHING = {"view", "constant", "scalar", "loop"}
COLLECTIVES = {"tree_all_reduce": "all_reduce = ", "all_gather": "all_gather = "}


def run(tool, path, *flags):
    return subprocess.run([tool, path, *flags], check=True, capture_output=True, text=True).stdout


def functions(text):
    """{name: text} of a printed module."""
    parts = re.split(r"^  (?:llvm\.)?func(?:\.func)? (?:private |internal )?@", text, flags=re.M)[1:]
    return {re.match(r"[\w.]+", p).group(): p for p in parts}


def placed(text):
    return collections.Counter(re.findall(r'tower\.placement<[^>]*kernel = "(\w+)"', text))


def main():
    tool, source = sys.argv[1:]
    problems, seen, compared = [], set(), 0
    for path in sorted(glob.glob(os.path.join(source, "test/targets/host-*.mlir"))):
        before = run(tool, path, "--nn-place")
        seen |= set(re.findall(r"\b(nn\.\w+) ", before))
        after = run(tool, path, "--belfry-host")
        phases = functions(after)
        table = re.search(r"belfry\.functions = \{(.*)", after).group(1)
        for name, text in functions(before).items():
            kernels = placed(text)
            unknown = set(kernels) - LOOPS - NOTHING - set(COLLECTIVES) - {"gemm_f32", "gemm_f64", "gemm_i32"}
            bodies = "".join(t for n, t in phases.items() if re.fullmatch(re.escape(name) + r"_p\d+", n))
            # What a loop over rows does is in a function of its own.
            bodies += "".join(phases[n] for n in re.findall(r"@(rows_\d+) ", bodies))
            # From the function's entry in the table to the next one's.
            schedule = re.split(r"\}\]\}", table[table.index(name + " = "):], maxsplit=1)[0]
            where = f"{os.path.basename(path)} @{name}"
            if unknown:
                problems.append(f"{where}: kernels that this test does not know: {unknown}")
            for kind in ("f32", "f64", "i32"):
                # With a sum of B's rows, or B packed, where that pays.
                want, got = kernels[f"gemm_{kind}"], len(re.findall(rf"@belfry_gemm(?:_packed|_sums)?_{kind}\(", bodies))
                if want != got:
                    problems.append(f"{where}: {want} ops are placed on gemm_{kind}, the code has {got} calls of it")
            for kernel, text in COLLECTIVES.items():
                want, got = kernels[kernel], schedule.count(text)
                if want != got:
                    problems.append(f"{where}: {want} ops are placed on {kernel}, the schedule has {got}")
            calls = len(re.findall(r"@kernel_\d+\(", bodies))
            if not calls and any(kernels[k] for k in LOOPS):
                problems.append(f"{where}: placed on {dict(kernels)}, and no kernel is called")
            compared += 1
    declared = set()
    for path in glob.glob(os.path.join(source, "dialects/nn/Core*.td")):
        with open(path, encoding="utf-8") as f:
            declared |= {"nn." + n for n in re.findall(r'def Nn_\w+ : Nn_CoreOp<"(\w+)"', f.read())}
    if len(declared) < 20:
        problems.append(f"only {len(declared)} core ops found in the dialect's files")
    # nn.yield ends a region.
    problems += [f"no file of test/targets has {op}" for op in sorted(declared - seen - {"nn.yield"})]
    for problem in problems:
        print("error:", problem)
    print(f"{compared} functions, {len(declared)} core ops")
    return bool(problems) or not compared


if __name__ == "__main__":
    sys.exit(main())
