"""check_dtypes.py INPUTS FOLDER HOST-CHECK: element types on both targets against the interpreter.

Modules in INPUTS have ELEM for a type of elements and ZERO for its zero."""

import pathlib
import subprocess
import sys

INTEGERS = ["i8", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
# File, types, options. Transcendental functions are within 2 units of the last place in f32 and 4 in f64; with precision f32 the interpreter holds f64 as f32.
EXTREMES = ["--extremes", "--batch=0,1,17"]
ROWS = ["--batch=0,1,2,5,33", "--towers=1,2,3"]
PRODUCTS = ["--batch=0,1,7,16,17,130", "--towers=1,2,4"]
CASES = [
    ("dtype-integers.mlir", INTEGERS, EXTREMES + ["--units=0", "--precision=f64"]),
    ("dtype-floats.mlir", ["f16", "bf16"], EXTREMES + ["--units=1"]),
    ("dtype-floats.mlir", ["f32"], EXTREMES + ["--units=2"]),
    ("dtype-floats.mlir", ["f64"], EXTREMES + ["--units=5", "--precision=f64"]),
    ("dtype-moves.mlir", ["i1"] + INTEGERS + FLOATS, ROWS + ["--units=0"]),
    ("dtype-sums.mlir", INTEGERS, ROWS + ["--units=0"]),
    ("dtype-sums.mlir", ["f16"], ROWS + ["--tolerance=2e-3"]),
    ("dtype-sums.mlir", ["bf16"], ROWS + ["--tolerance=1e-2"]),
    ("dtype-sums.mlir", ["f32", "f64"], ROWS + ["--tolerance=1e-5"]),
    ("dtype-products.mlir", ["f16"], PRODUCTS + ["--tolerance=2e-3"]),
    ("dtype-products.mlir", ["bf16"], PRODUCTS + ["--tolerance=1e-2"]),
    ("dtype-convolutions.mlir", ["f16"], ["--batch=0,1,3", "--tolerance=2e-3"]),
    ("dtype-convolutions.mlir", ["bf16"], ["--batch=0,1,3", "--tolerance=1e-2"]),
]


def zero_of(dtype):
    return "false" if dtype == "i1" else "0" if dtype in INTEGERS else "0.0"


def main():
    inputs, folder, check = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    failed = 0
    for name, dtypes, options in CASES:
        for dtype in dtypes:
            module = folder / f"{dtype}-{name}"
            text = (inputs / name).read_text()
            module.write_text(text.replace("ELEM", dtype).replace("ZERO", zero_of(dtype)))
            for target in ["host", "cuda-emulated"]:
                run = subprocess.run([check, module, f"--target={target}", *options], capture_output=True, text=True)
                last = run.stdout.strip().splitlines()[-1:] or ["nothing ran"]
                good = run.returncode == 0 and "results agree" in last[0] and not last[0].startswith("0 ")
                print(f"{name} {dtype} {target}: {last[0]}")
                if not good:
                    failed += 1
                    print(run.stdout[-4000:] + run.stderr[-4000:])
    sys.exit(failed != 0)


main()
