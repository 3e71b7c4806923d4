"""What the machine is and can do, and tables of results."""
import os
import platform
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))


def say(text):
    print(text, file=sys.stderr, flush=True)


def use_cores(count):
    """Keeps this process and its children on the first `count` of the cores that it may use."""
    cores = sorted(os.sched_getaffinity(0))
    if count > len(cores):
        sys.exit(f"error: --threads {count}, but there are {len(cores)} cores")
    os.sched_setaffinity(0, cores[:count])


class Speed:
    """The machine's limits, measured by programs that are compiled here: `peak()` in GFLOP/s, `memory()` in GB/s; None without a compiler."""

    def __init__(self, threads, tmp):
        self.exes = {}
        for name, header, call in (("peak", "FmaPeak.h", f"fmaPeak({threads})"), ("memory", "MemorySpeed.h", f"memorySpeed({threads}, 256 << 20)")):
            source = f'#include "test/bench/{header}"\n#include <cstdio>\nint main() {{ std::printf("%.1f\\n", belfry::bench::{call}); }}\n'
            exe = os.path.join(tmp, "speed-" + name)
            try:
                subprocess.run(["clang++-22", "-std=c++20", "-O3", "-march=native", "-x", "c++", "-", "-I", ROOT, "-pthread", "-o", exe], input=source, text=True, check=True, stderr=subprocess.PIPE)
                self.exes[name] = exe
            except (OSError, subprocess.CalledProcessError) as e:
                say(f"no {name}: {(getattr(e, 'stderr', None) or str(e)).strip()[:300]}")

    def measure(self, name):
        return float(subprocess.run([self.exes[name]], stdout=subprocess.PIPE, text=True, check=True).stdout) if name in self.exes else None

    def peak(self):
        return self.measure("peak")

    def memory(self):
        return self.measure("memory")


def facts():
    """Processor, cores, caches, memory, system: what a table needs beside it."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        info = f.read()
    find = lambda key: (re.search(rf"^{key}\s*:\s*(.*)$", info, re.M) or ["", "unknown"])[1]
    flags = find("flags").split()
    caches = []
    base = "/sys/devices/system/cpu/cpu0/cache"
    for index in sorted(os.listdir(base)) if os.path.isdir(base) else ():
        read = lambda name: open(os.path.join(base, index, name), encoding="utf-8").read().strip()
        try:
            if read("type") != "Instruction":
                caches.append(f"L{read('level')} {read('size')}")
        except OSError:
            pass
    with open("/proc/meminfo", encoding="utf-8") as f:
        memory = int(re.search(r"MemTotal:\s*(\d+)", f.read())[1]) / 2**20
    vectors = [name for name in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if name in flags]
    return {"processor": find("model name"), "family_model": f"{find('cpu family')}/{find('model')}", "cores": len(os.sched_getaffinity(0)), "vectors": " ".join(vectors),
            "caches": ", ".join(caches), "memory": f"{memory:.0f} GiB", "system": f"{platform.system()} {platform.machine()}" + (", virtual" if "hypervisor" in flags else "")}


def facts_line(machine):
    return f"{machine['processor']} (family/model {machine['family_model']}), {machine['cores']} cores, {machine['vectors']}; {machine['caches']}; {machine['memory']}; {machine['system']}"


# ------------------------------------------------------------------ tables
def markdown(header, rows, align=None):
    """A table; columns but the first are to the right unless `align` says otherwise."""
    align = align or "<" + ">" * (len(header) - 1)
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" if a == "<" else "---:" for a in align) + " |"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def plain(header, rows, align=None):
    align = align or "<" + ">" * (len(header) - 1)
    table = [list(map(str, r)) for r in [header, *rows]]
    widths = [max(len(r[i]) for r in table) for i in range(len(header))]
    return "\n".join("  ".join(cell.ljust(w) if a == "<" else cell.rjust(w) for cell, w, a in zip(r, widths, align)).rstrip() for r in table) + "\n"


def milliseconds(seconds):
    value = 1e3 * seconds
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"
