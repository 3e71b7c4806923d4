"""Checks that docs/command-line.md names every option that a tool's --help has, in the tool's own section.

    check_options.py COMMAND-LINE.md TOOL...
"""

import re
import subprocess
import sys

sections = dict(part.split("\n", 1) for part in open(sys.argv[1], encoding="utf-8").read().split("\n## ")[1:])
missing = []
for tool in sys.argv[2:]:
    text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    # Of an option with a short form the page has that.
    for short, name in re.findall(r"^ +(?:(-\w), *)?(--[a-z-]+)", text, re.MULTILINE):
        if name != "--help" and f"`{short or name}" not in sections[tool.split("/")[-1]]:
            missing.append(f"{tool} {name}")
print("not in the page:", ", ".join(missing) or "none")
sys.exit(bool(missing))
