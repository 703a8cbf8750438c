# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Medians of what bench/peers.sh has measured, as peers.json and peers.md: table.py FOLDER."""
import datetime
import json
import pathlib
import platform
import re
import statistics
import subprocess
import sys

TASKS = {
    "sample": "Sampling with relabelling, one process",
    "features": "Rows of 128 floats by the vertices of a batch, one process",
    "load": "Batches of two processes or ranks over two random parts, in all",
    "spmm": "Sums over all in-neighbours of a vertex, one process",
    "layers": "A layer over the whole graph, one process",
    "epoch": "Steps of training, one process",
    "infer": "Three layers of GraphSAGE over all vertices, one process",
}
UNITS = {"edges": "M edges/s", "rows": "M rows/s", "batches": "batches/s", "forward": "forward, s", "backward": "backward, s",
         "peak": "GB beside graph, input and gradient", "step_ms": "a step, ms", "data_ms": "data, ms", "forward_ms": "forward, ms",
         "backward_ms": "backward and Adam, ms", "loss": "mean loss", "most": "GB at most",
         "all": "all vertices, s"}
SCALES = {"edges": 1e-6, "rows": 1e-6, "peak": 1e-9, "most": 1e-9}
MODELS = {"sage": "GraphSAGE", "gat": "GAT", "rgcn": "R-GCN"}
PACKAGES = ("graphlearn-torch", "torch-geometric", "dgl", "torch", "numpy")


def figures_of_glt(report, task):
    for one in json.loads(report.read_text())["benchmarks"]:
        name = one["name"]
        threads = re.search(r"threads:(\d)|/(\d)_threads", name)
        count = int(threads[1] or threads[2]) if threads else 2 if "two_threads" in name else 1
        figure = {"task": task, "library": "glt", "threads": count}
        if task == "load":
            del figure["threads"]
            if name.startswith("sample_batches"):
                figure["library"] = "glt, sampling alone"
        if task == "spmm":
            figure["columns"] = int(re.search(r"columns:(\d+)", name)[1])
        if task == "layers":
            layer = "SAGE of 128 columns" if name.startswith("sage_conv") else "GAT of 4 heads of 32"
            yield {"task": task, "library": f"glt {layer}, threads: {count}"} | {unit: one[unit] for unit in UNITS if unit in one}
            continue
        if task == "infer":
            yield {"task": task, "library": f"glt, threads: {count}", "all": one["real_time"], "peak": one["peak"]}
            continue
        if task == "epoch":
            model = MODELS[name.split("/")[1]]
            parts = {unit: one[unit] for unit in ("data_ms", "forward_ms", "backward_ms", "loss")}
            yield {"task": task, "library": f"{model}, threads: {count}, glt", "step_ms": one["real_time"], "most": one["peak"]} | parts
            continue
        if "edges/batch" in one:
            figure["edges_per_batch"] = one["edges/batch"]
        if "rows/batch" in one:  # of the mean; its own rate is that of the best turns
            one["rows/s"] = 1e3 * one["rows/batch"] / one["real_time"]
        yield figure | {unit: one[f"{unit}/s"] for unit in UNITS if f"{unit}/s" in one}


def medians(figures):
    groups = {}
    for figure in figures:
        rates = {unit: figure.pop(unit) for unit in ("edges_per_batch", *UNITS) if unit in figure}
        groups.setdefault(json.dumps(figure, sort_keys=True), []).append(rates)
    for key, rounds in groups.items():
        row = json.loads(key)
        for unit in rounds[0]:
            values = sorted(rates[unit] for rates in rounds if unit in rates)
            row[unit] = {"median": statistics.median(values), "least": values[0], "most": values[-1]}
        yield row | {"rounds": len(rounds)}


def number(rates, unit):
    if unit not in rates:
        return ""
    return " to ".join(f"{rates[unit][which] * SCALES.get(unit, 1):.3g}" for which in ("least", "most"))


def markdown(rows, task):
    of_task = [row for row in rows if row["task"] == task]
    columns = sorted({(row.get("columns"), row.get("threads")) for row in of_task}, key=str)
    if task in ("load", "layers", "epoch", "infer"):
        units = [unit for unit in UNITS if any(unit in row for row in of_task)]
        heads = [UNITS[unit] for unit in units]
        cells = {row["library"]: [number(row, unit) for unit in units] for row in of_task}
    else:
        unit = "rows" if task == "features" else "edges"
        heads = [f"{UNITS[unit]}, {f'{width} columns, ' if width else ''}{count} thread{'s' * (count > 1)}"
                 for width, count in sorted(columns, key=lambda column: (column[0] or 0, column[1]))]
        cells = {}
        for row in of_task:
            place = sorted(columns, key=lambda column: (column[0] or 0, column[1])).index((row.get("columns"), row["threads"]))
            cells.setdefault(row["library"], [""] * len(columns))[place] = number(row, unit)
    lines = [f"| {TASKS[task]} | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    of_kinds = list(MODELS.values())
    for library in sorted(cells, key=lambda name: (of_kinds.index(name.split(",")[0]) if task == "epoch" else name.startswith("glt"), name)):
        lines.append(f"| {library} | " + " | ".join(cells[library]) + " |")
    return "\n".join(lines)


def command(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


def main():
    folder = pathlib.Path(sys.argv[1])
    runs = folder / "runs"
    figures = [json.loads(line.removeprefix("figure ")) for path in runs.glob("figures") for line in path.read_text().splitlines()]
    for report in sorted(runs.glob("*.json")):
        figures += figures_of_glt(report, report.stem.split(".")[0])
    rows = list(medians(figures))
    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    document = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "commit": command("git", "rev-parse", "HEAD"),
        "machine": {"processor": cpu[1] if cpu else platform.processor(), "cores": int(command("nproc")), "system": platform.platform()},
        "versions": {path.stem: {package["name"]: package["version"] for package in json.loads(path.read_text())
                                 if package["name"].replace("_", "-") in PACKAGES} for path in runs.glob("*.versions")},
        "left_out": (folder / "left_out").read_text().splitlines(),
        "figures": rows,
    }
    (folder / "peers.json").write_text(json.dumps(document, indent=1) + "\n")
    machine = document["machine"]
    versions = "; ".join(f"{environment}: " + ", ".join(f"{name} {version}" for name, version in names.items())
                         for environment, names in document["versions"].items())
    batches = ", ".join(f"{row['library']} {row['edges_per_batch']['median']:,.0f}" for row in rows
                        if "edges_per_batch" in row and row["threads"] == 1)
    parts = [f"{machine['cores']} cores of {machine['processor']}, {document['date']}, {max(row['rounds'] for row in rows)} rounds in "
             f"turns, least to most. {versions}.\nW1: fanout 15,10,5, batches of 1024 seeds" + (f"; edges a batch: {batches}." if batches else ".")]
    parts += [markdown(rows, task) for task in TASKS if any(row["task"] == task for row in rows)]
    parts += [f"Left out: {line}" for line in document["left_out"]]
    (folder / "peers.md").write_text("\n\n".join(parts) + "\n")
    print((folder / "peers.md").read_text())


main()
