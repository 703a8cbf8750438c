#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes headers at random, one place at a time, and lists the changes that no test notices.

usage: mutation.py [--count N] [--seed S] [--timeout SECONDS] HEADER COMMAND [HEADER COMMAND]...

HEADER is a file of include/, such as glt/mpi/detail/replies.hpp. COMMAND is a shell line that compiles and runs its test,
with the place {include} for a copy of include/ in which a place is changed. The line must fail if the test does:

    mutation.py glt/mpi/detail/process.hpp 'g++ -std=c++20 -I{include} -Itests ... -o /tmp/t && mpiexec -n 2 /tmp/t'

A change that does not compile counts as noticed, by the compiler. Exit status: 1 if a change was not noticed.
"""
import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWAPS = [
    (r" < (?=[^>]*$)", " <= "), (r" <= ", " < "), (r" > (?=[^<]*$)", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ 1\b", ""), (r" - 1\b", ""), (r" \+ ", " - "), (r" - ", " + "), (r" \* (?=[a-z0-9])", " + "),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\bif \((.*)\) \{$", r"if (!(\1)) {"),
    (r"\+\+(?=[a-z])", "--"), (r"\b0\b", "1"), (r"\b1\b", "2"), (r" \+= ", " -= "),
]
CALL = re.compile(r"^\s+(?!return|throw|delete|static_assert|using|else)[a-z_][\w.\[\]>:-]*(\(.*\)| [+-]?= .*);$")


def places(text):
    """Lists (line, changed line) of all changes of a header."""
    for number, line in enumerate(text.splitlines()):
        code = line.partition(" //")[0]
        if not code.strip() or code.lstrip().startswith(("//", "#", "template", "requires", "static_assert")):
            continue
        for pattern, new in SWAPS:
            for match in re.finditer(pattern, code):
                yield number, code[: match.start()] + match.expand(new) + code[match.end():]
        if CALL.match(code):
            yield number, code[: len(code) - len(code.lstrip())] + ";"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("pairs", nargs="+", metavar="HEADER COMMAND")
    options = parser.parse_args()
    jobs = list(zip(options.pairs[::2], options.pairs[1::2], strict=True))
    draw = random.Random(options.seed)
    survivors = 0
    with tempfile.TemporaryDirectory() as scratch:
        include = pathlib.Path(scratch) / "include"
        shutil.copytree(ROOT / "include", include)

        def notices(command):
            line = command.replace("{include}", str(include))
            try:
                return subprocess.run(["bash", "-c", line], cwd=ROOT, timeout=options.timeout, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0
            except subprocess.TimeoutExpired:
                return True

        passing = set()
        changes = [(header, command, *place) for header, command in jobs
                   for place in places((include / header).read_text())]
        for header, command, number, changed in draw.sample(changes, min(options.count, len(changes))):
            if command not in passing and notices(command):
                sys.exit(f"{header}: the test fails without a change; mend the command")
            passing.add(command)
            path = include / header
            text = path.read_text()
            lines = text.splitlines()
            before, lines[number] = lines[number], changed
            path.write_text("\n".join(lines) + "\n")
            noticed = notices(command)
            path.write_text(text)
            survivors += not noticed
            outcome = "noticed " if noticed else "SURVIVED"
            print(f"{outcome} {header}:{number + 1}: {before.strip()} -> {changed.strip()}", flush=True)
    print(f"{survivors} changes were not noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
