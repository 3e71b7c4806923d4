"""Checks that a pass is found by its name.

For each pass that a Passes.td defines with flag a-b-c there are a source file ABC.cpp and a test a-b-c.mlir. Prints
what is missing, and exits with 1 if something is.
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
missing = []
sources = {path.name for room in ["passes", "lib", "dialects"] for path in (root / room).rglob("*.cpp")}
tests = {path.name for path in (root / "test").rglob("*.mlir")}
flags = 0
for definition in sorted(path for room in ["passes", "lib"] for path in (root / room).rglob("Passes.td")):
    for flag in re.findall(r':\s*Pass<\s*"([^"]+)"', definition.read_text()):
        flags += 1
        camel = "".join(part.capitalize() for part in flag.split("-"))
        for have, name in [(sources, camel + ".cpp"), (tests, flag + ".mlir")]:
            if name not in have:
                missing.append(f"{definition.relative_to(root)}: pass '{flag}' has no {name}")
print(*missing, sep="\n")
print(f"{flags} passes, {len(missing)} files missing")
sys.exit(1 if missing or not flags else 0)
