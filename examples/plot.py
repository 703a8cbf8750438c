#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the JSON that programs of glt write, in the format that the name of OUT ends in (.svg, .pdf, .png).

    plot.py OUT report.json                    quality of parts: glt-partition --report report.json
    plot.py OUT run.jsonl [other.jsonl ...]    training curves: train --log run.jsonl
    plot.py OUT old.json [new.json ...]        times of benchmarks: bench/run.sh --json old.json
    plot.py OUT ratios.json                    two builds: bench/compare.sh --json ratios.json OLD NEW

Needs matplotlib: apt-get install python3-matplotlib, or pip install matplotlib.
"""
import argparse
import json
import os
import pathlib
import statistics
import tempfile

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError as missing:
    raise SystemExit(f"plot.py: {missing}: apt-get install python3-matplotlib, or pip install matplotlib") from None

# Eight colours that are told apart by people of any colour vision.
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"]
LOOK = {
    "axes.axisbelow": True, "axes.grid": True, "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "axes.spines.right": False, "axes.spines.top": False, "axes.titlelocation": "left", "axes.titleweight": "bold",
    "figure.constrained_layout.use": True, "font.size": 9, "grid.color": "#dddddd", "legend.frameon": False,
    "svg.fonttype": "none", "svg.hashsalt": "glt", "text.parse_math": False,
}
UMASK = os.umask(0)
os.umask(UMASK)
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


def text(name, length=60):
    """A name as matplotlib and XML take it, of at most so many characters."""
    name = "".join(c if c.isprintable() else "\ufffd" for c in name)
    name = name if len(name) <= length else name[:length - 1] + "…"
    return " " + name if name.startswith("_") else name  # matplotlib hides labels that begin with _


def legend(axes):
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=7)


def panels(count):
    """A figure with axes in two columns."""
    rows = (count + 1) // 2
    figure, axes = pyplot.subplots(rows, min(count, 2), figsize=(12, 3 * rows + 1), squeeze=False)
    for unused in axes.flat[count:]:
        unused.remove()
    return figure, axes.flat[:count]


def stacked(axes, title, unit, layers):
    """Bars of parts; layers are (name, number of every part), the first at the bottom."""
    axes.set(title=title, xlabel="part", ylabel=unit)
    sums = [0] * len(layers[0][1])
    for name, values in layers:
        balance = max(values) * len(values) / max(sum(values), 1) or 1
        axes.bar(range(len(values)), values, bottom=sums, label=f"{text(name, 24)}\nmax/mean {balance:.2f}")
        sums = [a + b for a, b in zip(sums, values)]
    axes.axhline(sum(sums) / len(sums), color="#333333", linestyle="--", linewidth=1)
    axes.locator_params(axis="x", integer=True)
    axes.grid(axis="x", visible=False)
    legend(axes)


def draw_quality(quality):
    total, parts = quality["total"], quality["parts"]
    column = lambda key, table=parts: [part[key] for part in table]
    rest = lambda key, without: [part[key] - part[without] for part in parts]
    charts = [
        ("Vertices", "vertices", [("inner", rest("num_vertices", "num_boundary_vertices")),
                                  ("at the boundary", column("num_boundary_vertices"))]),
        ("Edges into the part", "edges", [("from the part itself", rest("num_edges", "num_cut_edges")),
                                          ("from other parts (cut)", column("num_cut_edges"))]),
        ("Vertices needed of other parts", "vertices", [("halo", column("halo_size"))]),
        ("Rows sent to other parts", "rows", [("communication volume", column("communication_volume"))]),
    ]
    seeds = [(name, column("num_" + name)) for name in ("train", "valid", "test") if total["num_" + name] > 0]
    if seeds:
        charts.append(("Seeds", "seeds", seeds))
    types = sorted(quality["node_types"], key=lambda one: -one["total"]["num_vertices"])
    if types:
        shown = [(one["name"], column("num_vertices", one["parts"])) for one in types[:len(COLOURS) - 1]]
        others = [column("num_vertices", one["parts"]) for one in types[len(COLOURS) - 1:]]
        shown += [("other types", [sum(counts) for counts in zip(*others)])] if others else []
        charts.append(("Vertices by type", "vertices", shown))
    relations = sorted(quality["edge_types"], key=lambda one: -one["num_edges"])[:20]
    figure, axes = panels(len(charts) + 1 + bool(relations))
    for one, chart in zip(axes, charts):
        stacked(one, *chart)
    matrix = axes[len(charts)]
    matrix.set(title="Edges between parts", xlabel="to part", ylabel="from part")
    figure.colorbar(matrix.imshow(quality["edges_between"], cmap="Blues"), ax=matrix)
    matrix.locator_params(integer=True)
    matrix.grid(visible=False)
    if relations:
        names = [text(f"({one['source']}, {one['name']}, {one['destination']})", 40) for one in relations]
        cut = [one["num_cut_edges"] for one in relations]
        inside = [one["num_edges"] - one["num_cut_edges"] for one in relations]
        axes[-1].barh(names, inside, label="inside a part")
        axes[-1].barh(names, cut, left=inside, label="cut")
        axes[-1].set(title="Edges by type", xlabel="edges")
        axes[-1].invert_yaxis()
        legend(axes[-1])
    return figure, (f"{len(parts)} parts, {total['num_vertices']:,} vertices, {total['num_edges']:,} edges: "
                    f"{100 * quality['cut_fraction']:.1f} % cut, replication factor {quality['replication_factor']:.2f}")


def draw_training(logs):
    """Loss, accuracy and seconds by epoch, of (name, [object of an epoch]) each; a log may hold several runs."""
    runs = {}
    for name, epochs in logs:
        several = len({epoch.get("run") for epoch in epochs}) > 1
        for epoch in epochs:
            parts = [name] * (len(logs) > 1) + [str(epoch.get("run"))] * several
            runs.setdefault(" ".join(parts), []).append(epoch)
    curves = {}
    for run, epochs in runs.items():
        whole_alone = len(runs) > 1 and any("seconds" in epoch for epoch in epochs)
        for epoch in epochs:
            for key, value in epoch.items():
                title = next((t for t in ("Loss", "Accuracy", "Seconds") if t[:3].lower() in key.lower()), None)
                if title == "Seconds" and whole_alone and key != "seconds":
                    continue  # its parts would hide the runs
                if title and (value is None or isinstance(value, (int, float))):
                    points = curves.setdefault(title, {}).setdefault(f"{run} {key}".strip(), ([], []))
                    points[0].append(epoch["epoch"])
                    points[1].append(float("nan") if value is None else value)
    figure, axes = panels(len(curves))
    for one, title in zip(axes, sorted(curves, key=["Loss", "Accuracy", "Seconds"].index)):
        one.set(title=title, xlabel="epoch")
        one.xaxis.get_major_locator().set_params(integer=True)
        for label, points in curves[title].items():
            one.plot(*points, label=text(label, 40), marker="." if len(points[0]) < 40 else None)
        legend(one)
    return figure, ""


def time_text(seconds):
    unit = next((unit for unit in ("s", "ms", "us") if seconds >= SECONDS[unit]), "ns")
    return f"{seconds / SECONDS[unit]:.3g} {unit.replace('u', 'µ')}"


def draw_times(reports):
    """Bars of (name, {benchmark: seconds}) each, in proportion to the longest of the benchmark."""
    benchmarks = list(dict.fromkeys(benchmark for _, times in reports for benchmark in times))
    width = 0.8 / len(reports)
    figure, axes = pyplot.subplots(figsize=(12, 1.5 + len(benchmarks) * (0.15 + 0.2 * len(reports))))
    for number, (name, times) in enumerate(reports):
        places = [place for place, benchmark in enumerate(benchmarks) if benchmark in times]
        lengths, texts = [], []
        for benchmark in (benchmarks[place] for place in places):
            all_times = [one[benchmark] for _, one in reports if benchmark in one]
            lengths.append(times[benchmark] / (max(all_times) or 1))
            ratio = f" ({times[benchmark] / all_times[0]:.2f} times)" if number > 0 and all_times[0] > 0 else ""
            texts.append(time_text(times[benchmark]) + ratio)
        bars = axes.barh([place + number * width for place in places], lengths, width, label=text(name, 30))
        axes.bar_label(bars, texts, padding=3, fontsize=7)
    axes.set_yticks([place + 0.4 - width / 2 for place in range(len(benchmarks))], [text(one) for one in benchmarks])
    axes.set(xlim=(0, 1.25), xticks=[], xlabel="time, in proportion to the longest of the benchmark")
    axes.invert_yaxis()
    axes.grid(visible=False)
    legend(axes)
    return figure, ""


def draw_ratios(report):
    """Ratios of two builds with their quartiles; those beyond noise are filled."""
    rows = report["benchmarks"]
    figure, axes = pyplot.subplots(figsize=(12, 1.5 + 0.2 * len(rows)))
    for place, row in enumerate(rows):
        low, high = row["quartiles"]
        colour = COLOURS[0] if row["ratio"] >= 1 else COLOURS[5]
        axes.plot([low, high], [place, place], color=colour)
        axes.plot(row["ratio"], place, "o", color=colour, fillstyle="full" if row["beyond_noise"] else "none")
    axes.axvline(1, color="#333333", linewidth=1)
    axes.set_yticks(range(len(rows)), [text(row["name"]) for row in rows])
    axes.set(xlabel=text(f"{report['new']} is so many times as fast as {report['old']}"))
    axes.invert_yaxis()
    return figure, ""


def times_of(report):
    """Seconds of every benchmark of a report of Google Benchmark: medians of repetitions."""
    times = {}
    for one in report["benchmarks"]:
        if one.get("run_type", "iteration") == "iteration" and not one.get("error_occurred"):
            seconds = one["real_time"] * SECONDS[one.get("time_unit", "ns")]
            times.setdefault(one["name"], []).append(seconds)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def epochs_of(path, content):
    epochs = []
    for number, line in enumerate(content.splitlines(), 1):
        try:
            record = json.loads(line) if line.strip() else {}
            epochs += [record] if "epoch" in record else []
        except (ValueError, TypeError):
            raise SystemExit(f"plot.py: {path}: line {number} is no JSON object; give a file of --log, "
                             "--report or --json") from None
    if not epochs:
        raise SystemExit(f"plot.py: {path} has neither epochs, nor benchmarks, nor the quality of parts")
    return epochs


def draw(paths):
    names = [path.stem for path in paths]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    contents = [path.read_text() for path in paths]
    try:
        reports = [json.loads(content) for content in contents]
    except ValueError:
        reports = [None]  # lines of JSON
    if all(isinstance(one, dict) and "benchmarks" in one for one in reports):
        if "ratio" in (reports[0]["benchmarks"] or [{}])[0]:
            return draw_ratios(reports[0])
        return draw_times([(name, times_of(report)) for name, report in zip(names, reports)])
    if isinstance(reports[0], dict) and "edges_between" in reports[0]:
        return draw_quality(reports[0])
    return draw_training([(name, epochs_of(*log)) for name, log in zip(names, zip(paths, contents))])


def write(figure, path):
    """Writes the picture beside its place and renames it, so that it is whole; follows no link."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise SystemExit(f"plot.py: {path} cannot be written: it is a link, a folder or a device; choose another name")
    metadata = {"Date": None} if path.suffix == ".svg" else None
    scratch = None
    try:
        handle, scratch = tempfile.mkstemp(path.suffix, path.name, path.parent)
        os.close(handle)
        figure.savefig(scratch, metadata=metadata)
        os.chmod(scratch, 0o666 & ~UMASK)
        os.replace(scratch, path)
    except (OSError, ValueError) as fault:
        if scratch:
            os.unlink(scratch)
        raise SystemExit(f"plot.py: {path} cannot be written: {fault}") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--title", default="")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    pyplot.rcParams.update(LOOK)
    try:
        figure, subtitle = draw(options.files)
    except OSError as fault:
        raise SystemExit(f"plot.py: {fault}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        raise SystemExit(f"plot.py: {options.files[0]} has another form than expected: {fault!r}") from None
    title = "\n".join(filter(None, [text(options.title), subtitle]))
    if title:
        figure.suptitle(title, x=0.01, ha="left")
    write(figure, options.out)


if __name__ == "__main__":
    main()
