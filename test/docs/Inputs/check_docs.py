"""Checks the pages of docs/ against the tools.

check_docs.py SOURCE BELFRY_OPT MLIR_OPT

  1. Each pass that belfry-opt has and mlir-opt has not has a page docs/passes/FLAG.md that names all its options and is linked from
     docs/architecture.md; each pipeline has one, or stands with its options in docs/host-target.md. Each page is of a flag that exists.
  2. Each example of a page in docs/passes holds: a block ```mlir after: FLAGS has the lines that `belfry-opt FLAGS` gives for the block
     before it. Lines stand together but where a line is …; in a line … stands for any text.
  3. Options in command lines of the project's tools, in all pages, are in the tool's --help (of the tools that are built).
  4. Relative links of all pages lead to files, or to headings of them.

Prints what is wrong, and exits with 1 if something is.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

root, opt, mlir_opt = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
wrong = []
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```", re.M | re.S)


def help_of(tool):
    return subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout


def flags(text):
    """Of the help of an opt tool: kind and flag, with the flag's options."""
    found, kind, options = {}, None, None
    for line in text.splitlines():
        if heading := re.match(r"    (Passes|Pass Pipelines):$", line):
            kind = heading[1]
        elif kind and (flag := re.match(r"      --([\w-]+)", line)):
            options = found.setdefault((kind, flag[1]), [])
        elif kind and (option := re.match(r"        --([\w-]+)", line)):
            options.append(option[1])
        elif re.match(r"  -|\S", line):
            kind = None
    return found


def names(text, option):
    """Whether the page has the option as code."""
    code = [body for _, body in FENCE.findall(text)] + re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    return re.search(r"(?<![\w-])" + re.escape(option) + r"(?![\w-])", "\n".join(code))


def check_flags():
    theirs = flags(help_of(mlir_opt))
    ours = {key: options for key, options in flags(help_of(opt)).items() if key not in theirs}
    pages = {path.stem: path.read_text() for path in (root / "docs/passes").glob("*.md")}
    index = (root / "docs/architecture.md").read_text()
    target = (root / "docs/host-target.md").read_text()
    for (kind, flag), options in sorted(ours.items()):
        page = pages.get(flag)
        if page is None and kind == "Pass Pipelines" and names(target, "--" + flag):
            page = target
        if page is None:
            wrong.append(f"docs/passes/{flag}.md is missing: belfry-opt has --{flag}")
            continue
        wrong.extend(f"page of --{flag}: option '{o}' is not named" for o in options if not names(page, o))
    known = {flag for _, flag in ours}
    for name, page in sorted(pages.items()):
        if name not in known:
            wrong.append(f"docs/passes/{name}.md: belfry-opt has no --{name}")
        if page.split("\n")[0] != f"# --{name}":
            wrong.append(f"docs/passes/{name}.md: expected the heading '# --{name}'")
        if f"(passes/{name}.md)" not in index:
            wrong.append(f"docs/architecture.md: no link to passes/{name}.md")
    return len(ours)


def pattern(line):
    parts = [re.escape(" ".join(part.split())) for part in line.split("…")]
    return re.compile(".*".join(parts) + "$")


def follows(runs, lines):
    """Whether each run of patterns is in the lines, one run after the other."""
    at = 0
    for run in runs:
        while at + len(run) <= len(lines) and not all(p.match(l) for p, l in zip(run, lines[at:])):
            at += 1
        if at + len(run) > len(lines):
            return False
        at += len(run)
    return True


def check_examples():
    count = 0
    for path in sorted((root / "docs/passes").glob("*.md")):
        before = None
        for info, body in FENCE.findall(path.read_text()):
            if not info.startswith("mlir after:"):
                before = body
                continue
            count += 1
            command = shlex.split(info.removeprefix("mlir after:"))
            name = f"{path.relative_to(root)}: example of {' '.join(command)}"
            if before is None or not command:
                wrong.append(f"{name}: there is no block before it, or no flag")
                continue
            run = subprocess.run([opt, "-", *command], input=before, capture_output=True, text=True)
            if run.returncode:
                wrong.append(f"{name}: {run.stderr.splitlines()[0] if run.stderr else run.returncode}")
                continue
            runs = [[]]
            for line in body.splitlines():
                if line.strip() == "…":
                    runs.append([])
                else:
                    runs[-1].append(pattern(line))
            if not follows(runs, [" ".join(line.split()) for line in run.stdout.splitlines()]):
                wrong.append(f"{name}: belfry-opt gives other lines:\n{run.stdout}")
    return count


def pages():
    yield from root.glob("*.md")
    for room in ["docs", "dialects", "passes", "lib", "runtime", "include", "tools", "test"]:
        yield from (root / room).rglob("*.md")


def check_commands():
    folder, count, known = pathlib.Path(opt).parent, 0, {}
    for tool in ["belfry-opt", "belfry-import", "belfryc", "belfry-report"]:
        if os.access(folder / tool, os.X_OK):
            known[tool] = set(re.findall(r"--?([A-Za-z][\w-]*)", help_of(folder / tool)))
    for path in sorted(pages()):
        for _, body in FENCE.findall(path.read_text()):
            for line in body.replace("\\\n", " ").splitlines():
                words = re.sub(r"(^|\s)#.*| {3,}.*", "", line.strip()).split()
                if not words or pathlib.Path(words[0]).name not in known:
                    continue
                count += 1
                tool = pathlib.Path(words[0]).name
                for option in re.findall(r"(?<=[\s\[])--?([A-Za-z][\w-]*)", " " + re.sub(r"'[^']*'", "", " ".join(words[1:]))):
                    if option not in known[tool]:
                        wrong.append(f"{path.relative_to(root)}: {tool} has no option '{option}': {line.strip()}")
    return count


def anchors(text):
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links():
    count = 0
    for path in sorted(pages()):
        text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", path.read_text()))
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            name, _, anchor = link.partition("#")
            target = path.parent / name if name else path
            if not target.exists():
                wrong.append(f"{path.relative_to(root)}: link to '{link}', which is not there")
            elif anchor and anchor not in anchors(target.read_text()):
                wrong.append(f"{path.relative_to(root)}: link to '{link}', a heading which is not there")
    return count


counts = [check_flags(), check_examples(), check_commands(), check_links()]
print(*wrong, sep="\n")
print("{} flags, {} examples, {} command lines, {} links, {} wrong".format(*counts, len(wrong)))
sys.exit(1 if wrong or not all(counts) else 0)
