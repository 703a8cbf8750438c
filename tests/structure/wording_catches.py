#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: wording_catches.py SCRATCH

wording.py finds each kind of fault, says where it is, and passes plain sentences.
"""
import pathlib
import shutil
import subprocess
import sys

scratch = pathlib.Path(sys.argv[1])
checker = pathlib.Path(__file__).with_name("wording.py")


def lines_of(header="", page="# Title\n"):
    """The exit status and the lines of wording.py for one header and one page."""
    shutil.rmtree(scratch, ignore_errors=True)
    for folder in ("include", "docs"):
        (scratch / folder).mkdir(parents=True)
    (scratch / "include/a.hpp").write_text("#pragma once\n" + header)
    (scratch / "README.md").write_text(page)
    run = subprocess.run([sys.executable, checker, scratch], capture_output=True, text=True)
    return run.returncode, run.stdout.splitlines()


def expect(fault, **text):
    status, lines = lines_of(**text)
    if fault is None:
        assert status == 0, lines
    else:
        assert status == 1 and len(lines) == 2 and lines[0].startswith(fault), (fault, lines)


expect(None, header="/// Sends rows to their owners.\nvoid send();\n")
expect(None, header="/// Says what to do: what is missing? Rows of `what it is`.\nvoid f();\n")
expect(None, page="# What does it cost?\n\n```sh\necho what is it\n```\n")
expect("include/a.hpp:2: first word", header="/// Where rows are.\nvoid f();\n")
expect("include/a.hpp:3: headless what", header="/// Sends rows\n/// and what these come to.\nvoid f();\n")
expect("include/a.hpp:2: people", header="int f(); // nobody waits\n")
expect("include/a.hpp:2: that of", header="/// Computes the gradient by x from that of y.\nvoid f();\n")
expect("include/a.hpp:2: has not", header="// a rank has not an edge\n")
expect("include/a.hpp:2: own", header="// reads own rows\n")
expect("include/a.hpp:2: long sentence", header="/// Sends" + " a row" * 10 + ".\nvoid f();\n")
expect("README.md:3: headless what", page="# Title\n\nSends what it has.\n")
