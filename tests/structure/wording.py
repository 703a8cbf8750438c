#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: wording.py ROOT [PATH]...

Checks the English of comments in ROOT/include, of ROOT/docs and of ROOT/README.md, or of the files and folders PATH in
ROOT: the rules of docs/CONTRIBUTING.md, "Plain English". Prints each fault as file:line: rule: text; status 1 if there is one.
"""
import pathlib
import re
import sys

MOST_WORDS = 20  # of the first sentence of a docstring

# Rule, pattern, and how to say it instead. Patterns are searched for in sentences without code.
RULES = [
    ("headless what", r"\bwhat\b(?! to\b)(?! if\b)", "name the thing"),
    ("people", r"\b(who|whom|whoever|nobody|somebody|anybody|everybody|no one|someone|anyone|everyone)\b",
     "name the part of the program"),
    ("that of", r"\b(that|those) of\b", "repeat the noun"),
    ("has not", r"\b(has|have|had) not (a|an|the|it|its|them|their|all|any|one|enough|every|each)\b|\b(has|have|had) not[.,;:)]",
     "'does not have'"),
    ("own", r"\b(?<!user's )(?<!users' )(?<!of its )(?<!of their )(?<!on its )(?<!on their )own (vertex|vertices|row|rows|edge|edges|id|ids|key|keys|part|parts|shard|"
            r"column|columns|seed|seeds|ones|destinations?|sources?|features?|values?)\b", "'local'"),
]
QUESTION_WORDS = re.compile(r"(What|Where|Which|Who|Whom|Whose|How|Whatever|Whichever|Whoever)\b")


def without_code(text):
    text = re.sub(r"```.*?```", " ", text, flags=re.S)
    text = re.sub(r"@t?param +\w+", "@param", text)
    return re.sub(r"`[^`]*`", "code", text)


def faults_of_prose(text):
    """Yields (offset, rule, advice) for a paragraph."""
    for rule, pattern, advice in RULES:
        for found in re.finditer(pattern, text, flags=re.I):
            # A question may ask what, and who.
            end = re.search(r"[.?!:;|]", text[found.start():])
            if end and end.group() == "?":
                continue
            yield found.start(), rule, advice


def paragraphs_of_header(lines):
    """Yields (number of the first line, is a docstring, text) of runs of comment lines."""
    run, first, kind = [], 0, None
    for number, line in enumerate(lines + [""], 1):
        found = re.match(r"\s*(///?)(?!<)(?: (.*))?$", line)
        trailing = None if found else re.search(r"\s///?<? (.*)$", line)
        this = found.group(1) if found else None
        text = (found.group(2) or "") if found else ""
        # A blank comment line and a line with @ begin a paragraph of their own.
        if run and (this != kind or not text or text.startswith("@") or text.startswith("- ")):
            yield first, kind == "///", run
            run = []
        if found and text:
            if not run:
                first, kind = number, this
            run.append(text)
        kind = this
        if trailing and "SPDX" not in trailing.group(1) and '"' not in line:
            yield number, False, [trailing.group(1)]


def check_header(path):
    lines = path.read_text().split("\n")
    for first, is_docstring, run in paragraphs_of_header(lines):
        begins = is_docstring and not re.match(r"\s*///", lines[first - 2] if first > 1 else "") and not run[0].startswith("@")
        text = without_code("\n".join(run))
        if begins and QUESTION_WORDS.match(text):
            yield first, "first word", "begin a function's docstring with a verb, a type's with a noun", run[0]
        if begins:
            sentence = re.split(r"(?<=[.!?:;])\s", text.replace("\n", " "))[0]
            if len(sentence.split()) > MOST_WORDS:
                yield first, "long sentence", f"{len(sentence.split())} words, at most {MOST_WORDS}", run[0]
        for offset, rule, advice in faults_of_prose(text):
            line = text.count("\n", 0, offset)
            yield first + line, rule, advice, run[line]


def check_page(path):
    text = path.read_text()
    # Code is blanked, so that numbers of lines stay.
    text = re.sub(r"```.*?```", lambda code: "\n" * code.group().count("\n"), text, flags=re.S)
    text = re.sub(r"`[^`\n]*`", "code", text)
    text = re.sub(r"^ {4}.*$", "", text, flags=re.M)
    lines = text.split("\n")
    for offset, rule, advice in faults_of_prose(text):
        number = text.count("\n", 0, offset) + 1
        yield number, rule, advice, lines[number - 1]


def main():
    root = pathlib.Path(sys.argv[1])
    paths = [root / path for path in sys.argv[2:]] or [root / "include", root / "docs", root / "README.md"]
    files = []
    for path in paths:
        files += sorted(path.rglob("*")) if path.is_dir() else [path]
    faults = checked = 0
    for file in files:
        if file.suffix in (".hpp", ".cuh"):
            found = check_header(file)
        elif file.suffix == ".md":
            found = check_page(file)
        else:
            continue
        checked += 1
        for number, rule, advice, line in found:
            print(f"{file.relative_to(root)}:{number}: {rule} ({advice}): {line.strip()}")
            faults += 1
    if checked == 0:
        sys.exit("there is no file to check")
    print(f"{checked} files, {faults} faults")
    sys.exit(1 if faults else 0)


main()
