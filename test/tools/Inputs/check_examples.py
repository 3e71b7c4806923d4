"""Checks that the examples of the op descriptions are tested.

Each line of each ```mlir block in dialects/**/*.td stands, but for white space, in a round-trip test. Lines with an
ellipsis, or put together by TableGen, are left out. Prints what is missing, and exits with 1 if something is.
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


tested = ""
for test in sorted((root / "test").rglob("roundtrip*.mlir")):
    lines = [line for line in test.read_text().splitlines() if not line.lstrip().startswith("//")]
    tested += plain(" ".join(lines)) + " "

missing, lines = [], 0
for definition in sorted((root / "dialects").rglob("*.td")):
    for block in re.findall(r"```mlir\n(.*?)```", definition.read_text(), re.S):
        for line in block.splitlines():
            # A name of a value is the test's own choice.
            pattern = re.sub(r"%\\?\w+", r"%[\\w:]+", re.escape(plain(line)))
            if not line.strip() or "…" in line or "}] #" in line:
                continue
            lines += 1
            if not re.search(pattern, tested):
                missing.append(f"{definition.relative_to(root)}: no test has '{plain(line)}'")
print(*missing, sep="\n")
print(f"{lines} lines of examples, {len(missing)} untested")
sys.exit(1 if missing or not lines else 0)
