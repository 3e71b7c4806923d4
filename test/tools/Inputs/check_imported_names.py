"""Each loss and metric that belfry-import takes is built by the train step: check_imported_names.py BELFRY_IMPORT BELFRY_OPT MODEL FOLDER

The names are those that belfry-import lists where it does not know one.
"""
import os
import re
import subprocess
import sys


def main():
    tool, opt, model, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    module, problems, tried = os.path.join(folder, "m.mlir"), [], 0

    def run(*argv):
        return subprocess.run(argv, capture_output=True, text=True)

    for option in ("--loss", "--metrics"):
        said = run(tool, model, option, "z" * 30, "-o", module).stderr
        names = re.findall(r"'(\w+)'", said[said.index("known:"):])
        if len(names) < 6:
            problems.append(f"{option}: only {len(names)} names in: {said}")
        for name in names:
            # A metric of class numbers goes with a loss of class numbers.
            loss = [] if option == "--loss" else ["--loss", "sparse_categorical_crossentropy" if "sparse" in name else "categorical_crossentropy"]
            made = run(tool, model, option, name, *loss, "-o", module)
            built = made if made.returncode else run(opt, module, "--nn-build-train-step", "-o", os.path.join(folder, "t.mlir"))
            if built.returncode:
                problems.append(f"{option} {name}: {built.stderr}")
            tried += 1
    print("\n".join(problems + [f"{tried} names"]))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
