# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ratios of the times of two builds from the reports that bench/compare.sh has collected."""
import argparse
import json
import os
import pathlib
import statistics
import sys

NOISE = 0.03


def write_whole(path, text):
    """Writes a file that appears when it is complete; follows no link, and replaces regular files only."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        sys.exit(f"{path} is there and no regular file; choose another name")
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    with open(partial, "x") as file:
        file.write(text)
    os.replace(partial, path)


def times_of(report, cpu):
    """Seconds of every benchmark of a report: of the CPU, or by the clock that its name asks for."""
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    for one in report["benchmarks"]:
        if not one.get("error_occurred") and one.get("run_type") != "aggregate":
            real = not cpu and one["name"].endswith(("real_time", "manual_time"))
            clock = "real_time" if real else "cpu_time"
            yield one["name"], one[clock] * units[one["time_unit"]]


def compare(folder, cpu):
    times = {}
    for report in sorted(folder.glob("*.json")):
        program, ranks, number, turn = report.stem.split(".")
        suffix = f"/ranks:{ranks}" if ranks != "0" else ""
        text = report.read_text()
        if text.rstrip().endswith("}"):  # complete
            for name, seconds in times_of(json.loads(text), cpu):
                times.setdefault(f"{program}/{name}{suffix}", {}).setdefault(number, {})[turn] = seconds
    for name, by_round in times.items():
        pairs = [(pair["0"], pair["1"]) for pair in by_round.values() if len(pair) == 2]
        if pairs:
            ratios = [old / new for old, new in pairs]
            low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
            yield {
                "name": name,
                "old_seconds": statistics.median(old for old, _ in pairs),
                "new_seconds": statistics.median(new for _, new in pairs),
                "ratio": middle,
                "quartiles": [low, high],
                "range": [min(ratios), max(ratios)],
                "of_best": min(old for old, _ in pairs) / min(new for _, new in pairs),
                "rounds": len(pairs),
                "beyond_noise": abs(middle - 1) >= NOISE and (low > 1 or high < 1),
            }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("old")
    parser.add_argument("new")
    options = parser.parse_args()
    rows = list(compare(options.results, options.cpu))
    if not rows:
        raise SystemExit("error: no benchmark of this filter ran in both builds")
    cells = [("benchmark", "old ms", "new ms", "new is faster by", "quartiles", "best", "")]
    for row in rows:
        low, high = row["quartiles"]
        cells.append((row["name"], f"{1e3 * row['old_seconds']:.4g}", f"{1e3 * row['new_seconds']:.4g}", f"{row['ratio']:.3f}",
                      f"{low:.3f} to {high:.3f}", f"{row['of_best']:.3f}", "*" if row["beyond_noise"] else ""))
    widths = [max(map(len, column)) for column in zip(*cells)]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    ratios = [row["ratio"] for row in rows]
    summary = (f"{len(rows)} benchmarks: geometric mean {statistics.geometric_mean(ratios):.3f}, least {min(ratios):.3f}, "
               f"{sum(row['beyond_noise'] and row['ratio'] < 1 for row in rows)} slower beyond noise")
    print(summary)
    if options.json:
        write_whole(options.json, json.dumps({"old": options.old, "new": options.new, "benchmarks": rows}, indent=1) + "\n")
    if options.markdown:
        lines = ["| " + " | ".join(line) + " |" for line in cells]
        lines.insert(1, "|---" * len(cells[0]) + "|")
        write_whole(options.markdown, f"Old: {options.old}; new: {options.new}. {summary}.\n\n" + "\n".join(lines) + "\n")


main()
