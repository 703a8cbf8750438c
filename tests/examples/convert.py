#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: convert.py CONVERT PARTITION_PROGRAM [OGBL_DDI]

Writes folders as Python libraries write them, converts them with CONVERT (examples/convert.py), partitions them, and
compares ids, features, labels and splits with the graph. OGBL_DDI is the folder of that public set. Skipped (status 77)
where Python lacks a library.
"""
import collections
import contextlib
import gzip
import importlib.util
import io
import json
import os
import pathlib
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import types

try:
    import numpy as np
    import scipy.sparse
    import torch
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

CONVERT, TOOL = sys.argv[1:3]
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("script", CONVERT)
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


def call(*words):
    """What the script does in this process, where torch is loaded already."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = script.main([str(w) for w in words])
    return subprocess.CompletedProcess(words, status, out.getvalue(), errors.getvalue())


def convert(*words):
    made = call(*words)
    assert made.returncode == 0, made.stderr
    return made.stdout


def refused(path, *texts, options=()):
    out = path.with_name("refused")
    made = call(path, out, *options)
    assert made.returncode == 1 and made.stderr.startswith("convert.py: ") and made.stderr.count("\n") == 1, made.stderr
    assert all(t in made.stderr for t in texts), (texts, made.stderr)
    assert not list(out.parent.glob("refused*"))


def save(path, values, pickled=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    if pickled is None:
        torch.save(torch.as_tensor(values) if isinstance(values, (list, np.ndarray)) else values, path)
    else:
        with open(path, "wb") as file:
            for chunk in np.array_split(np.asarray(values), min(3, max(1, len(values)))):
                pickle.dump(torch.from_numpy(chunk) if pickled == "tensor" else chunk, file, pickled_protocol)


pickled_protocol = pickle.HIGHEST_PROTOCOL


class Graph:
    """Graph and where a library put its vertices and edges; ids of a part come in any order."""

    def __init__(self, typed, num_parts, count, num_edges, by_source, seed):
        draw = np.random.RandomState(seed)
        self.typed, self.num_parts, self.nodes, self.edges = typed, num_parts, {}, {}
        for name, n, wide in (("paper" if typed else "node", count, True), ("author", count // 2 + 1, False))[:1 + typed]:
            features = (100 * np.arange(n)[:, None] + np.arange(2)).astype(np.float32) if wide else None
            self.nodes[name] = (draw.randint(0, num_parts, n), features)
        kinds = [("author", "writes", "paper"), ("paper", "cites", "paper")] if typed else [("node", "edge", "node")]
        for kind in kinds:
            last = kind == kinds[-1]
            e = num_edges // (2 if typed and last else 1)
            source, target = (self.nodes[t][0] for t in (kind[0], kind[2]))
            rows, cols = draw.randint(0, len(source), e), draw.randint(0, len(target), e)
            self.edges[kind] = (rows, cols, source[rows] if by_source else target[cols],
                                np.arange(e, dtype=np.float32) / 2 if last else None)

    def of(self, parts, p):
        return np.flatnonzero(parts == p)[::-1].copy()


def write_graphlearn(path, graph, chunks):
    def place(folder, name):
        return folder / (name if isinstance(name, str) else "__".join(name)) if graph.typed else folder

    def book(stem, name, parts):
        save(place(path / stem, name).with_suffix(".pt") if graph.typed else path / f"{stem}.pt", parts)

    def rows(folder, ids, values):
        if chunks and len(ids):
            save(folder / "feats.pkl", values, "tensor")
            save(folder / "ids.pkl", ids, "array" if graph.typed else "tensor")
        elif not chunks:
            save(folder / "feats.pt", values)
            save(folder / "ids.pt", ids)

    for name, (parts, features) in graph.nodes.items():
        book("node_pb", name, parts)
        for p in range(graph.num_parts if features is not None else 0):
            ids = graph.of(parts, p)
            rows(place(path / f"part{p}" / "node_feat", name), ids, features[ids])
    for name, (sources, targets, parts, values) in graph.edges.items():
        book("edge_pb", name, parts)
        for p in range(graph.num_parts):
            ids = graph.of(parts, p)
            folder = place(path / f"part{p}" / "graph", name)
            for stem, of in (("rows", sources[ids]), ("cols", targets[ids]), ("eids", ids)):
                save(folder / f"{stem}.pt", of)
            if values is not None:
                save(folder / "weights.pt", values[ids])
                rows(place(path / f"part{p}" / "edge_feat", name), ids, values[ids][:, None])
    save_meta(path, num_parts=graph.num_parts, data_cls="hetero" if graph.typed else "homo",
              node_types=list(graph.nodes) if graph.typed else None, edge_types=list(graph.edges) if graph.typed else None)


def save_meta(path, **meta):
    with open(path / "META", "wb") as file:
        pickle.dump(meta, file, pickle.HIGHEST_PROTOCOL)


def write_pyg(path, graph, through, times=False):
    """As the Partitioner of PyG; through: ids count through all types, as release 2.4 did."""
    def book(stem, name, parts):
        save(path / stem / f"{name if isinstance(name, str) else '__'.join(name)}.pt" if graph.typed else
             path / f"{stem}.pt", parts)

    first, tables, attributes, vertices, total = {}, *([{} for _ in range(graph.num_parts)] for _ in range(3)), 0
    for name, (parts, features) in graph.nodes.items():
        book("node_map", name, parts)
        first[name] = total
        for p in range(graph.num_parts):
            ids = graph.of(parts, p)
            kept = torch.cat([torch.full((3,), -77), torch.from_numpy(ids) + total])  # a view of a larger storage
            vertices[p][name] = {"global_id": kept[3:],
                                 "feats": {"x": None if features is None else torch.from_numpy(features[ids])}}
            if graph.typed and not through:
                vertices[p][name]["id"] = torch.from_numpy(ids)
            if times:
                vertices[p][name]["time"] = 3 * torch.arange(len(parts))
        total += len(parts)
    total = 0
    for name, (sources, targets, parts, values) in graph.edges.items():
        book("edge_map", name, parts)
        for p in range(graph.num_parts):
            ids = graph.of(parts, p)
            shift = (first[name[0]], first[name[2]]) if through else (0, 0)
            tables[p][name] = {"edge_id": torch.from_numpy(ids) + total, "row": torch.from_numpy(sources[ids]) + shift[0],
                               "col": torch.from_numpy(targets[ids]) + shift[1], "size": (0, 0)}
            attributes[p][name] = collections.defaultdict(dict)
            if values is not None:
                attributes[p][name]["global_id"] = torch.from_numpy(ids) + (total if through else 0)
                attributes[p][name]["feats"] = {"edge_attr": torch.from_numpy(values[ids][:, None])}
            if times:
                attributes[p][name]["edge_time"] = torch.from_numpy(ids) + 1000
        total += len(parts)
    for p in range(graph.num_parts):
        for stem, content in (("graph", tables[p]), ("node_feats", vertices[p]), ("edge_feats", attributes[p])):
            save(path / f"part_{p}" / f"{stem}.pt", content if graph.typed else next(iter(content.values())))
    meta = {"num_parts": graph.num_parts, "is_hetero": graph.typed, "node_types": list(graph.nodes) if graph.typed else None,
            "edge_types": list(graph.edges) if graph.typed else None}
    (path / "META.json").write_text(json.dumps(meta if through else dict(meta, node_offset=None, is_sorted=True)))


def same(found, expected):
    assert (expected is None) == (not found.exists()), found
    if expected is not None:
        values = np.load(found)
        assert values.shape == np.shape(expected) and (values == expected).all(), (found, values, expected)


def check_folder(out, graph, node_feature, edge_feature, times=False):
    """The folder of arrays has the graph in its original ids."""
    assert [t["type"] for t in json.loads((out / "meta.json").read_text())["tables"]["nodes"]] == list(graph.nodes)
    for name, (parts, features) in graph.nodes.items():
        end = f".{name}.npy" if graph.typed else ".npy"
        same(out / f"num_nodes{end}", [len(parts)])
        same(out / f"node_feat@{node_feature}{end}", features)
        same(out / f"node_time{end}", 3 * np.arange(len(parts)) if times else None)
    for name, (sources, targets, parts, values) in graph.edges.items():
        end = f".{'__'.join(name)}.npy" if graph.typed else ".npy"
        same(out / f"edge_index{end}", np.stack([sources, targets]))
        same(out / f"edge_feat@{edge_feature}{end}", None if values is None else values[:, None])
        same(out / f"edge_weight{end}", values if node_feature == "feat" else None)
        same(out / f"edge_time{end}", 1000 + np.arange(len(parts)) if times else None)
    same(out / "part.npy", np.concatenate([parts for parts, _ in graph.nodes.values()]))


def check_parts(out, graph, node_feature, labels=None, splits=None):
    """glt-partition keeps the parts: vertices with features, labels and splits, and edges, in original ids."""
    parts = out.with_name("parts")
    made = run(TOOL, out, "--parts", graph.num_parts, "--method", "file", "--assignment", out / "part.npy", "--out", parts)
    assert made.returncode == 0 and "note:" not in made.stdout + made.stderr, made.stdout + made.stderr
    original = {}
    for name, (book, features) in graph.nodes.items():
        found = collections.defaultdict(list)
        original[name] = [np.load(parts / f"part-{p}" / name / "original.npy") for p in range(graph.num_parts)]
        offset = 0
        for p, ids in enumerate(original[name]):
            folder = parts / f"part-{p}" / name
            assert sorted(ids) == list(np.flatnonzero(book == p))
            same(folder / f"{node_feature}.npy", None if features is None else features[ids])
            if labels is not None and name in labels:
                same(folder / "labels.npy", labels[name][ids])
            for split in splits or ():
                if name in splits[split]:
                    # Lists of a part count from its first vertex, or from that of all parts.
                    list_of = np.load(folder / f"{split}.npy") if (folder / f"{split}.npy").exists() else []
                    found[split] += list(np.concatenate(original[name])[np.asarray(list_of, np.int64)]
                                         if len(list_of) and np.max(list_of) >= len(ids) else ids[np.asarray(list_of, np.int64)])
            offset += len(ids)
        for split in splits or ():
            if name in splits[split]:
                assert sorted(found[split]) == sorted(splits[split][name]), (split, found[split])
    for name, (sources, targets, _, _) in graph.edges.items():
        pairs, all_sources = [], np.concatenate(original[name[0]])
        for p, ids in enumerate(original[name[2]]):
            folder = parts / f"part-{p}" / ".".join(name)
            counts = np.diff(np.load(folder / "offsets.npy"))
            pairs += list(zip(all_sources[np.load(folder / "sources.npy")], ids[np.repeat(np.arange(len(ids)), counts)],
                              np.load(folder / "edge_ids.npy")))
        assert sorted((e, s, d) for s, d, e in pairs) == list(zip(range(len(sources)), sources, targets))
    shutil.rmtree(parts)


def test_partitions(work):
    for typed in (False, True):
        for other in (False, True):  # chunks of GraphLearn; numbers through all types of PyG
            for num_parts, count in ((1, 1), (2, 2), (3, 17)):
                for kind, write in (("graphlearn", write_graphlearn), ("pyg", write_pyg)):
                    graph = Graph(typed, num_parts, count, 3 * count, other, 7)
                    source, out = work / "set", work / "out"
                    source.mkdir()
                    write(source, graph, other and (typed or kind == "graphlearn"))
                    convert(source, out)
                    names = ("feat", "feat") if kind == "graphlearn" else ("x", "edge_attr")
                    check_folder(out, graph, *names)
                    check_parts(out, graph, names[0])
                    shutil.rmtree(source)
                    shutil.rmtree(out)


def test_times_and_missing_tables(work):
    for typed in (False, True):
        graph = Graph(typed, 3, 11, 30, False, 2)
        (work / f"times{typed}").mkdir()
        write_pyg(work / f"times{typed}", graph, False, times=True)
        convert(work / f"times{typed}", work / f"out{typed}")
        check_folder(work / f"out{typed}", graph, "x", "edge_attr", times=True)
    graph = Graph(False, 2, 6, 10, False, 2)
    graph.nodes["node"] = (graph.nodes["node"][0], None)
    graph.edges["node", "edge", "node"] = graph.edges["node", "edge", "node"][:3] + (None,)
    write_pyg(work / "bare", graph, False) if (work / "bare").mkdir() is None else None
    for p in range(2):
        (work / f"bare/part_{p}/edge_feats.pt").unlink()
    convert(work / "bare", work / "bare_out")
    check_folder(work / "bare_out", graph, "x", "edge_attr")


def test_graph_caching(work):
    graph = Graph(False, 2, 9, 20, True, 3)
    sources, targets, parts, _ = graph.edges["node", "edge", "node"]
    graph.edges["node", "edge", "node"] = (sources, targets, parts, None)
    (work / "set").mkdir()
    write_graphlearn(work / "set", graph, True)
    (work / "set/edge_pb.pt").unlink()
    for p in range(2):
        shutil.rmtree(work / f"set/part{p}/graph")
    save(work / "set/graph/rows.pt", sources)
    save(work / "set/graph/cols.pt", targets)
    convert(work / "set", work / "out")
    check_folder(work / "out", graph, "feat", "feat")


def test_labels_and_splits(work):
    """Found where the examples of the libraries write them, and given by options."""
    for typed in (False, True):
        for kind, write in (("graphlearn", write_graphlearn), ("pyg", write_pyg)):
            place = work / f"{kind}{typed}"
            graph, source = Graph(typed, 2, 21, 60, False, 4), place / "mag-partitions"
            source.mkdir(parents=True)
            write(source, graph, False)
            name = next(iter(graph.nodes))
            labels = {name: np.arange(21) % 5}
            splits = {"train": np.arange(12)[::-1], "valid": np.arange(12, 15), "test": np.arange(15, 21)}
            beside = source if kind == "pyg" and typed else place
            save(beside / "mag-label/label.pt", labels[name])
            for split, folder in (("train", "train"), ("valid", "val"), ("test", "test")):
                for p, ids in enumerate(np.array_split(splits[split], 2)):
                    save(beside / f"mag-{folder}-partitions/partition{p}.pt", ids.copy())
            splits = {split: {name: ids} for split, ids in splits.items()}
            convert(source, place / "out")
            check_parts(place / "out", graph, "feat" if kind == "graphlearn" else "x", labels, splits)
            if typed:
                labels["author"] = np.arange(11) * 2
                save(place / "labels.pt", {t: torch.from_numpy(v) for t, v in labels.items()})
                mask = np.zeros(11, bool)
                mask[[2, 7]] = True
                np.save(place / "mask.npy", mask)
                splits["train"] = {"author": [2, 7]}
                convert(source, place / "again", "--labels", place / "labels.pt", "--train", f"author={place}/mask.npy")
                check_parts(place / "again", graph, "feat" if kind == "graphlearn" else "x", labels, splits)
                save(place / "odd.pt", np.arange(3))
                refused(source, "is of no type of vertices among paper, author", options=("--labels", place / "odd.pt"))
            save(place / "odd.pt", np.arange(3))
            refused(source, "odd.pt: has 3 rows for 21", options=("--labels", f"{name}={place}/odd.pt"))
            save(place / "odd.pt", [1, 2, 1])
            refused(source, "twice in train", options=("--train", f"{name}={place}/odd.pt"))
            save(place / "odd.pt", [1, 21])
            refused(source, "id [21] is outside [0, 21)", options=("--test", f"{name}={place}/odd.pt"))


def test_refused_graphlearn(work):
    graph, path = Graph(False, 2, 9, 20, True, 3), work / "set"
    sources, targets, parts, _ = graph.edges["node", "edge", "node"]
    edges, nodes = graph.of(parts, 0), graph.of(graph.nodes["node"][0], 0)
    assert len(edges) > 2 and len(nodes) > 2
    path.mkdir()

    def fault(name, values, *texts):
        write_graphlearn(path, graph, False)
        (path / name).unlink() if values is None else save(path / name, values)
        refused(path, *texts)

    foreign = np.full(len(edges), np.flatnonzero(graph.nodes["node"][0])[0])
    fault("part0/graph/eids.pt", np.append(edges[:-1], edges[0]), "part0/graph/eids.pt", "listed before")
    fault("part0/graph/eids.pt", np.append(edges[:-1], 20), "part0/graph/eids.pt", "[20] is outside [0, 20)")
    fault("part0/graph/eids.pt", np.append(edges[:-1], -1), "[-1] is outside")
    fault("part0/graph/eids.pt", edges[:-1], "part0/graph/eids.pt", "ends")
    fault("part0/graph/rows.pt", np.full(len(edges), 9), "part0/graph/eids.pt", "[9] is outside [0, 9)")
    save(path / "part0/graph/cols.pt", foreign)
    save(path / "part0/graph/rows.pt", foreign)
    refused(path, "neither start nor end in this part")
    fault("edge_pb.pt", np.where(np.arange(20) == edges[0], 1, parts), "which another part has")
    fault("edge_pb.pt", np.where(np.arange(20) == 0, 2, parts), "edge_pb.pt", "[2] is outside [0, 2)")
    fault("edge_pb.pt", np.append(parts, 0), "have 20 edges")
    for name, count in (("graph/eids.pt", len(edges)), ("graph/rows.pt", len(edges)), ("node_feat/ids.pt", len(nodes))):
        fault(f"part0/{name}", np.zeros(count, bool), "bool of shape")
    fault("part0/node_feat/feats.pt", None, "list", "of 9")
    fault("part0/node_feat/feats.pt", np.zeros((1, 3), np.float32), "feats.pt", "wrong row count")
    fault("part0/node_feat/feats.pt", np.zeros((len(nodes), 3), np.float32), "another type or size")
    fault("part0/graph/cols.pt", None, "cols.pt", "no such file")
    write_graphlearn(path, graph, False)
    for p in range(2):
        (path / f"part{p}/graph/eids.pt").unlink()
    (path / "edge_pb.pt").unlink()
    refused(path, "edges without ids")
    for meta, *texts in ((dict(), "lacks num_parts"), (dict(num_parts=0), "lacks data_cls"),
                         (dict(num_parts=2, data_cls="else"), "neither 'homo' nor 'hetero'"),
                         (dict(num_parts=0, data_cls="homo"), "there are 0 parts"),
                         (dict(num_parts=2, data_cls="hetero"), "names no types"),
                         (dict(num_parts=2, data_cls="hetero", node_types=["../x"], edge_types=[]), "names no file"),
                         (dict(num_parts=2, data_cls="hetero", node_types=["a"], edge_types=[("a", "b")]), "three names"),
                         (dict(num_parts=2, data_cls="hetero", node_types=["a"], edge_types=[("b", "c", "a")]), "not list")):
        save_meta(path, **meta)
        refused(path, "META", *texts)


class Hostile:
    """Pickle that would make a folder."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


def test_pickles_run_no_code(work):
    graph, path, made = Graph(False, 2, 9, 20, True, 3), work / "set", str(work / "made")
    path.mkdir()
    write_graphlearn(path, graph, False)
    for save_it in (lambda: torch.save(Hostile(made), path / "node_pb.pt"),
                    lambda: torch.save(Hostile(made), path / "node_pb.pt", _use_new_zipfile_serialization=False),
                    lambda: (path / "META").write_bytes(pickle.dumps({"num_parts": Hostile(made)}))):
        save_it()
        refused(path, "mkdir, which may run code", "--trust")
        assert not os.path.exists(made)
    trusting = call(path, work / "out", "--trust")
    assert trusting.returncode == 1 and os.path.exists(made)
    os.rmdir(made)
    torch.jit.save(torch.jit.script(torch.nn.Linear(1, 1)), str(path / "node_pb.pt"))
    write_graphlearn(work / "fresh", graph, False) if (work / "fresh").mkdir() is None else None
    shutil.copy(path / "node_pb.pt", work / "fresh/node_pb.pt")
    refused(work / "fresh", "is a program of TorchScript")
    for content, *texts in ((b"no pickle", "is damaged"), (b"", "META: ")):
        (path / "META").write_bytes(content)
        refused(path, *texts)
    write_graphlearn(path, graph, False)
    whole = (path / "node_pb.pt").read_bytes()
    for cut in (0, 1, len(whole) // 2, len(whole) - 1):
        (path / "node_pb.pt").write_bytes(whole[:cut])
        refused(path, "node_pb.pt")
    torch.save(torch.from_numpy(graph.nodes["node"][0]), path / "node_pb.pt", _use_new_zipfile_serialization=False)
    convert(path, work / "old_stream")
    check_folder(work / "old_stream", graph, "feat", "feat")


def test_refused_pyg(work):
    graph, path = Graph(True, 2, 9, 20, False, 3), work / "set"
    path.mkdir()
    book = graph.nodes["paper"][0]

    def fault(name, values, *texts):
        write_pyg(path, graph, False)
        (path / name).unlink() if values is None else save(path / name, values)
        refused(path, *texts)

    fault("node_map/paper.pt", np.append(1 - book[:1], book[1:]), "node_feats.pt", "of type 'paper'", "another part has")
    fault("node_map/paper.pt", np.append(book, 0), "node_feats.pt", "list 9 of 10")
    fault("node_map/paper.pt", np.full(9, 5), "paper.pt", "[5] is outside [0, 2)")
    fault("node_map/paper.pt", np.zeros((3, 3), int), "paper.pt", "shape [3, 3]")
    fault("node_map/paper.pt", np.zeros(9, bool), "paper.pt", "bool of shape")
    write_pyg(path, graph, False)
    fault("edge_map/author__writes__paper.pt", np.zeros(19, int), "have 20 edges")
    fault("part_1/graph.pt", None, "part_1/graph.pt", "no such file")
    fault("part_1/graph.pt", {}, "part_1/graph.pt", "lacks edge_id")
    fault("part_1/graph.pt", (1,), "part_1/graph.pt", "tuple and no dict")
    fault("part_0/node_feats.pt", {}, "part_0/node_feats.pt", "lacks global_id")
    fault("part_0/node_feats.pt", {"paper": {"id": "x"}}, "str where a tensor belongs")
    for meta, *texts in (("{", "no JSON"), ("[]", "no dict"), ("{}", "num_parts"),
                         ('{"num_parts": 0, "is_hetero": false}', "0 parts"),
                         ('{"num_parts": 2, "is_hetero": true, "node_types": ["a"], "edge_types": [["b", "c", "a"]]}', "not list")):
        (path / "META.json").write_text(meta)
        refused(path, "META.json", *texts)
    shutil.rmtree(path)
    path.mkdir()
    plain = Graph(False, 2, 40, 80, False, 2)  # ids within parts, as versions before the release wrote them
    write_pyg(path, plain, False)
    for p in range(2):
        ids = torch.from_numpy(plain.of(plain.edges["node", "edge", "node"][2], p))
        save(path / f"part_{p}/graph.pt", {"edge_id": ids, "row": torch.arange(len(ids)) % 15, "col": torch.arange(len(ids)) % 15})
    refused(path, "neither start nor end")


def test_glt_partition_points_here(work):
    for name, file in (("gl", "META"), ("pyg", "META.json")):
        (work / name).mkdir()
        (work / name / file).write_text("")
        for options in ((), ("--memory", "100MB")):
            made = run(TOOL, work / name, "--parts", 2, "--out", work / "out", *options)
            assert made.returncode == 1 and made.stderr.count("\n") == 1, made.stderr
            assert f"python3 examples/convert.py {work / name} OUT" in made.stderr, made.stderr


def write_ogb(path, typed):
    raw = path / "raw"

    def write(name, text):
        (raw / name).parent.mkdir(parents=True, exist_ok=True)
        gzip.open(raw / f"{name}.csv.gz", "wt").write(text)

    if not typed:
        write("num-node-list", "4\n")
        write("edge", "0,1\n")
        return path / "split/target"
    write("num-node-dict", "drug,protein\n4,5\n")
    write("triplet-type-list", "drug,hits,protein\nprotein,near,protein\n")
    write("relations/drug___hits___protein/edge", "0,1\n2,3\n")
    write("relations/drug___hits___protein/edge_reltype", "1\n1\n")
    write("relations/protein___near___protein/edge", "0,4\n")
    write("relations/protein___near___protein/edge_reltype", "0\n")
    return path / "split/random"


def test_ogb(work):
    path = work / "set"
    split = write_ogb(path, False)
    save(split / "valid.pt", {"edge": torch.tensor([[2, 1]]), "edge_neg": np.array([[3, 0], [0, 2]]), "year": np.array([2018])})
    save(split / "train.pt", {"source_node": np.array([0, 1]), "target_node": np.array([1, 3])})
    made = run(TOOL, path, "--parts", 2, "--out", work / "parts")
    assert made.returncode == 1 and f"python3 examples/convert.py {path}" in made.stderr, made.stderr
    assert "'year' of valid is left out" in convert(path)
    same(split / "train_edge.npy", [[0, 1], [1, 3]])
    same(split / "valid_edge.npy", [[2], [1]])
    same(split / "valid_edge_neg.npy", [[3, 0], [0, 2]])
    made = run(TOOL, path, "--parts", 2, "--out", work / "parts")
    assert made.returncode == 0, made.stderr
    links = json.loads((work / "parts/manifest.json").read_text())["edge_types"][0]
    assert "train" in json.dumps(links) and "valid" in json.dumps(links)

    shutil.rmtree(split)
    save(split / "split_dict.pt", {"train": np.array([3, 1]), "valid": np.array([False, True, True, False]),
                                   "test": {"node": torch.tensor([0])}})
    convert(path)
    for name, ids in (("train", [3, 1]), ("valid", [1, 2]), ("test", [0])):
        assert np.loadtxt(split / f"{name}.csv", int, ndmin=1).tolist() == ids
    shutil.rmtree(work / "parts")
    assert run(TOOL, path, "--parts", 2, "--out", work / "parts").returncode == 0
    save(split / "split_dict.pt", {"train": {"mouse": np.array([3])}, "test": np.array([0])})
    assert "'mouse' of train is left out" in convert(path)
    save(split / "split_dict.pt", {"train": np.array([4])})
    made = call(path)
    assert made.returncode == 1 and "[4] is outside [0, 4)" in made.stderr

    split = write_ogb(work / "typed", True)
    save(split / "train.pt", {"head": np.array([0, 1, 2]), "tail": np.array([1, 4, 0]), "relation": np.array([1, 0, 1]),
                              "head_type": ["drug", "protein", "drug"], "tail_type": ["protein"] * 3})
    convert(work / "typed")
    same(split / "drug___hits___protein/train_edge.npy", [[0, 2], [1, 0]])
    same(split / "protein___near___protein/train_edge.npy", [[1], [4]])
    made = run(TOOL, work / "typed", "--parts", 2, "--out", work / "typed_parts")
    assert made.returncode == 0, made.stderr


def test_ogbl_ddi(work):
    if len(sys.argv) < 4 or not pathlib.Path(sys.argv[3], "raw/ogbl_ddi").is_dir():
        print("skipped: there is no data set ogbl-ddi")
        return
    public = pathlib.Path(sys.argv[3])
    shutil.copytree(public / "raw/ogbl_ddi", work / "ogbl_ddi")
    convert(work / "ogbl_ddi")
    for name in ("valid_edge", "valid_edge_neg", "test_edge", "test_edge_neg"):
        expected = np.load(public / f"{name}.npy")
        same(work / f"ogbl_ddi/split/target/{name}.npy", expected if expected.shape[0] == 2 else expected.T)


def write_tables(path, **tables):
    path.mkdir(exist_ok=True)
    for name, text in tables.items():
        (path / f"{name}.csv").write_text(text)
    return path


def test_tables(work):
    """Text ids, numbers, matrices, words, times, splits and missing values of CSV."""
    if importlib.util.find_spec("pandas") is None:
        print("skipped: tables need pandas")
        return
    source = write_tables(
        work / "set", nodes='user,country,age,x0,x1,label,split,time,note\nbob,AT,3,0.5,1,red,train,2024-05-31,\n'
        '"ann, b",DE,,1.5,2,blue,,2024-05-31 12:00:01,n\n007,AT,5,2.5,3,red,val,1970-01-01,m\nNA,DE,7,3.5,4,blue,test,1970-01-02,m\n',
        edges="from,to,cost,kind,time\nbob,007,1.5,b,7\n\"ann, b\",bob,2,a,8\nbob,bob,3,b,9\n")
    options = ("--column", "weight=cost", "--column", "nodes:ignore=note", "--missing", "age=-1")
    said = convert(source, work / "out", *options)
    assert "1 missing of age = -1" in said and "time in s since 1970 UTC" in said and "source = from" in said, said
    out, order = work / "out", [2, 3, 1, 0]  # 007, NA, ann, bob
    for name, values in (("node_label", [1, 0, 0, 1]), ("node_time", [0, 86400, 1717156801, 1717113600]),
                         ("node_feat@x", np.array([[0.5, 1], [1.5, 2], [2.5, 3], [3.5, 4]])[order]),
                         ("node_feat@age", [5, 7, -1, 3]), ("node_feat@country", [0, 1, 1, 0]), ("train_idx", [3]),
                         ("valid_idx", [0]), ("test_idx", [1]), ("edge_index", [[3, 2, 3], [0, 3, 3]]),
                         ("edge_weight", [1.5, 2, 3]), ("edge_time", [7, 8, 9]), ("edge_feat@kind", [1, 0, 1])):
        same(out / f"{name}.npy", values)
    assert np.load(out / "node_feat@x.npy").dtype == np.float32 and not (out / "node_feat@note.npy").exists()
    assert json.loads((out / "categories.json").read_text()) == {
        "nodes": {"country": ["AT", "DE"], "label": ["blue", "red"]}, "edges": {"kind": ["a", "b"]}}
    made = run(TOOL, out, "--parts", 2, "--out", work / "parts")
    assert made.returncode == 0 and "did you mean" not in made.stdout, made.stdout + made.stderr

    ids = next(out.glob("ids.*"))
    np.save(work / "scores.npy", np.array([[1, 2], [3, 4], [5, 6], [7, 8]]))
    convert("--results", work / "scores.npy", "--ids", ids, work / "scores.csv")
    assert (work / "scores.csv").read_text().splitlines() == ["user,value0,value1", "007,1,2", "NA,3,4", '"ann, b",5,6', "bob,7,8"]
    np.save(work / "scores.npy", np.arange(3))
    made = call("--results", work / "scores.npy", "--ids", ids, work / "scores.csv")
    assert made.returncode == 1 and "has 4 ids" in made.stderr
    np.save(work / "classes.npy", np.array([1, 0, -1, 1]))
    joined = ("--results", work / "classes.npy", "--ids", ids, "--categories")
    convert(*joined, out / "categories.json", work / "classes.csv")
    assert (work / "classes.csv").read_text().splitlines() == ["user,label", "007,red", "NA,blue", '"ann, b",', "bob,red"]
    convert(*joined, out / "categories.json", "--column", "label=country", work / "classes.csv")
    assert (work / "classes.csv").read_text().splitlines()[:3] == ["user,country", "007,DE", "NA,AT"]
    made = call(*joined, out / "categories.json", "--column", "label=age", work / "classes.csv")
    assert made.returncode == 1 and "no words of the column age of nodes; it has nodes: country, label; edges: kind" in made.stderr
    made = call(*joined, ids, work / "classes.csv")
    assert made.returncode == 1 and "holds no words of columns" in made.stderr, made.stderr
    np.save(work / "classes.npy", np.array([1, 0, 2, 1]))
    made = call(*joined, out / "categories.json", work / "classes.csv")
    assert made.returncode == 1 and "no codes of label, 0 to 1" in made.stderr

    nodes, edges = "id,a,time\n1,1,1\n2,2,2\n", "s,d\n1,2\n"
    for vertices, links, *texts in (("id\n1\n1\n", edges, "nodes.csv: row 2, column id: the id '1' was there before"),
                                 (nodes, "s,d\n1,2\n2,3\n", "edges.csv: row 2, column d: '3' is no id of nodes.csv"),
                                 (nodes, "s,d\n1,\n", "edges.csv: row 1, column d: the id is missing"),
                                 ("id,a\n1,2\n2,\n", edges, "row 2, column a: the value is missing", "--missing a=NUMBER"),
                                 ("id,time\n1,soon\n2,2024-01-01\n", edges, "row 1, column time: 'soon' is no time"),
                                 ("id,time\n1,2024-01-01\n2,5/6/2024\n", edges, "row 2, column time: '5/6/2024' is no time"),
                                 ("id,time\n1,2024-01-01 10:00:00.5\n2,2024-01-01 10:00:00.0\n", edges, "finer than s"),
                                 ("id,time\n1,True\n2,False\n", edges, "row 1, column time: 'True' is no time"),
                                 ("id,split\n1,new\n2,test\n", edges, "row 1, column split: 'new' is none of train"),
                                 ("id,a\n1,1e300\n2,1\n", edges, "row 1, column a: 1e+300 is too large"),
                                 ("id,a/b\n1,1\n2,1\n", edges, "column a/b names no file"),
                                 (nodes, "s\n1\n", "has no column for the destination"), (nodes, "", "is no table"),
                                 (nodes, "s,d\n1,2,3\n2,1,3\n", "edges.csv: is no table"),
                                 (nodes, "s,d\n1,2\n2,1,3\n", "edges.csv: is no table"),
                                 (nodes, "s,d\n1\n2,1\n", "row 1, column d: the id is missing")):
        refused(write_tables(work / "set", nodes=vertices, edges=links), *texts)
    refused(write_tables(work / "set", nodes=nodes, edges=edges), "no table has the column", options=("--column", "label=b"))
    refused(work / "set", "a column has two roles", options=("--column", "edges:source=d", "--column", "destination=d"))
    refused(work / "set", "nodes.csv: a column has two roles", options=("--column", "label=id"))
    write_tables(work / "some", nodes="id,word,time,x,x0,x1\n1,b,,1,2,3\n2,,2024-01-01,4,5,6\n3,a,1970-01-02,7,8,9\n",
                 edges="s,d\n1,2\n")
    convert(work / "some", work / "filled", "--missing", "time=5", "--missing", "-1")
    same(work / "filled/node_time.npy", [5, 1704067200, 86400])
    same(work / "filled/node_feat@word.npy", [1, -1, 0])
    same(work / "filled/node_feat@x.npy", [1, 4, 7])
    same(work / "filled/node_feat@x1.npy", [3, 6, 9])
    made = call("--results", work / "filled/node_time.npy", "--ids", work / "some/edges.csv", work / "joined.csv")
    assert made.returncode == 1 and "is no table with ids; give" in made.stderr, made.stderr
    made = call("--results", work / "filled/node_time.npy", "--ids", work / "filled/node_time.npy", work / "joined.csv")
    assert made.returncode == 1 and "is no table with ids; give" in made.stderr, made.stderr
    import pandas
    too_large = "inf is not finite" if int(pandas.__version__.split(".")[0]) > 2 else "is too large"  # pandas 3 reads inf
    for values, text in (("1e-60", "e-60 is too small for float32"), ("-2", "weight -2 is negative"),
                         ("inf", "inf is not finite"), ("1e400", too_large), ("heavy", "'heavy' is no number")):
        refused(write_tables(work / "set", nodes="id\n1\n2\n", edges=f"s,d,weight\n1,2,3\n2,1,{values}\n"),
                "edges.csv: row 2, column weight: ", text)
    for column, value, text in (("label", "1e30", "label 1e+30 does not fit int64"), ("x", "1e999", too_large),
                                ("time", "18446744073709551615", "does not fit int64"), ("x", "-inf", "is not finite")):
        refused(write_tables(work / "set", nodes=f"id,{column}\n1,{value}\n2,1\n", edges="s,d\n1,2\n"),
                f"nodes.csv: row 1, column {column}: ", text)
    ids = next((work / "filled").glob("ids.*"))
    convert("--results", work / "filled/node_time.npy", "--ids", ids, work / "joined.csv")
    whole = (work / "joined.csv").read_text()
    assert whole == "id,value\n1,5\n2,1704067200\n3,86400\n", whole
    (work / "damaged.npy").write_bytes((work / "filled/node_time.npy").read_bytes()[:-1])
    (work / "link.csv").symlink_to(work / "joined.csv")
    for values, out, text in (("damaged.npy", "joined.csv", "damaged.npy: is no whole .npy file"),
                              ("some/nodes.csv", "joined.csv", "nodes.csv: is no whole .npy file"),
                              ("filled/node_time.npy", "link.csv", "link.csv: is a link, a folder or a device"),
                              ("filled/node_time.npy", "/dev/null", "/dev/null: is a link, a folder or a device")):
        made = call("--results", work / values, "--ids", ids, work / out)
        assert made.returncode == 1 and text in made.stderr, made.stderr
    assert (work / "joined.csv").read_text() == whole and not list(work.glob("*.partial*"))
    for column, header in (("value", "id,value"), ("vertex", "id,value"), ("value0", "value0,value")):  # taken, or not
        convert(write_tables(work / "set", nodes=f"{column}\nb\na\n", edges="s,d\na,b\n"), work / column)
        np.save(work / "two.npy", np.arange(2))
        convert("--results", work / "two.npy", "--ids", next((work / column).glob("ids.*")), work / "joined.csv")
        assert (work / "joined.csv").read_text() == f"{header}\na,0\nb,1\n"
    write_tables(work / "set", nodes="id,time\n5,2024-01-01 10:00:00.5\n-3,2024-01-01\n", edges="s,d\n5,-3\n")
    convert(work / "set", work / "numbers", "--time-unit", "ms")
    same(work / "numbers/node_time.npy", [1704067200000, 1704103200500])
    same(work / "numbers/edge_index.npy", [[1], [0]])


def test_missing_values_of_tables(work):
    """Whole numbers keep all digits beside missing values; words have codes; bools are 0 and 1."""
    if importlib.util.find_spec("pandas") is None:
        print("skipped: tables need pandas")
        return
    edges, large = "s,d\n1,2\n2,3\n", 1717113600123456789
    write_tables(work / "set", nodes=f"id,time,label,f,vip,part,none\n1,{large},9007199254740993,16777217,True,1.5,\n"
                                     f"2,,,,,,\n3,5, -3 ,6,False,-2,\n", edges=edges)
    said = convert(work / "set", work / "out", "--missing", f" time ={large + 1}", "--missing", "0", "--missing", "label=-1.0")
    assert f"1 missing of time = {large + 1}" in said, said
    for name, values in (("node_time", [large, large + 1, 5]), ("node_label", [9007199254740993, -1, -3]),
                         ("node_feat@f", [16777217, 0, 6]), ("node_feat@vip", [1, 0, 0]), ("node_feat@part", [1.5, 0, -2]),
                         ("node_feat@none", [0, 0, 0])):
        same(work / f"out/{name}.npy", values)
    assert not (work / "out/categories.json").exists()
    convert(work / "set", work / "vip", "--missing", "-1", "--column", "label=vip", "--column", "ignore=label")
    same(work / "vip/node_label.npy", [1, -1, 0])
    convert(work / "set", work / "half", "--missing", "0", "--missing", "vip=5e-1")
    same(work / "half/node_feat@vip.npy", [1, 0.5, 0])
    refused(work / "set", "row 1, column f: 16777217 does not fit float32", options=("--missing", "0", "--missing", "f=0.5"))
    refused(work / "set", "row 2, column time: the time 0.5 of --missing is no whole", options=("--missing", "0.5"))
    refused(work / "set", "--missing typo=0: no table has the column; tables: nodes: id, time",
            options=("--missing", "typo=0", "--missing", "0"))
    for column, values, text in (("time", "9007199254740993.0", "the time 9007199254740992.0 is a fraction that has lost digits"),
                                 ("label", "1e17", "the label 1e+17 is a fraction that has lost digits"),
                                 ("f", "9223372036854775808", "9223372036854775808 does not fit int64")):
        refused(write_tables(work / "wrong", nodes=f"id,{column}\n2,\n1,{values}\n3,-4\n", edges=edges),
                f"row 2, column {column}: {text}", options=("--missing", "0"))
    refused(write_tables(work / "weight", edges="s,d,weight\n1,2,3\n2,1,\n"), "row 2, column weight: the weight -1 of --missing is",
            options=("--missing", "weight=-1"))
    refused(write_tables(work / "weight", edges="s,d,weight\n1,2,True\n2,1,\n"), "row 2, column weight: the weight -1",
            options=("--missing", "weight=-1"))
    refused(write_tables(work / "wrong", nodes="id,time\n1,2024-01-01\n2,\n3,\n", edges=edges), "row 2, column time: the time 0.5",
            options=("--missing", "0.5"))
    words = write_tables(work / "words", nodes="id,label\n1,red\n2,\n3,blue\n", edges=edges)
    for number, labels in (("-1", [1, -1, 0]), ("label=-1", [1, -1, 0]), ("label=0", [1, 0, 0]), ("label=2", [1, 2, 0])):
        convert(words, work / f"words{number}", "--missing", number)
        same(work / f"words{number}/node_label.npy", labels)
    for number in ("0", "label=0.5", "label=3", "label=-0.5", "label=1e30"):
        refused(words, "nodes.csv: row 2, column label: the word is missing", "give --missing label=-1",
                options=("--missing", number))


def test_refused_tables(work):
    """Headers, names of columns and files, times out of range, damaged files."""
    if importlib.util.find_spec("pandas") is None:
        print("skipped: tables need pandas")
        return
    refused(write_tables(work / "set", edges="1,2\n2,3\n"), "names the source column 1, a number; write a header line")
    convert(work / "set", work / "named", "--column", "source=1", "--column", "destination=2")
    same(work / "named/edge_index.npy", [[0], [1]])
    refused(write_tables(work / "set", edges="s,d\n1,2\n", nodes="1,red\n2,blue\n"), "nodes.csv: the first line names the id column 1")
    refused(write_tables(work / "set", edges="s,d,\n1,2,\n", nodes="id\n1\n2\n"), "edges.csv: the header has no name for column 3")
    refused(write_tables(work / "set", edges=",s,d\n0,1,2\n"), "edges.csv: the header has no name for column 1")
    convert(work / "set", work / "without", "--column", "ignore=Unnamed: 0")
    refused(write_tables(work / "set", edges="s,d,a, a\n1,2,3,4\n"), "edges.csv: has two columns a; rename one")
    write_tables(work / "short", edges="w,src , dst,weight \n7,1,2,3\n8,2,1,4\n", vertices="id\n1\n2\n")
    said = convert(work / "short", work / "out", "--column", "ignore= w")
    assert "vertices.csv is left out: vertices have the table nodes beside edges.csv; rename it" in said, said
    same(work / "out/edge_index.npy", [[0, 1], [1, 0]])
    same(work / "out/edge_weight.npy", [3, 4])
    convert(work / "short", work / "turned", "--column", "source=dst", "--column", "destination=src")
    same(work / "turned/edge_index.npy", [[1, 0], [0, 1]])
    for header in ("id,label,y", "id,label,y0,y1"):
        values = "\n".join(f"{i}," + ",".join("5" * header.count(",")) for i in (1, 2))
        refused(write_tables(work / "set", nodes=f"{header}\n{values}\n", edges="s,d\n1,2\n"),
                "nodes.csv: column y: has the name that glt gives to the label column label; rename it")
    convert(write_tables(work / "set", nodes="id,y\n1,5\n2,6\n"), work / "y", "--column", "label=y")
    refused(write_tables(work / "set", edges="s,d,time,when\n1,2,3,4\n"), "edges.csv: column time: has the name",
            options=("--column", "time=when"))
    for year in ("1500", "2300", "9999"):
        for others in ("", "\n3,2024-01-01"):
            refused(write_tables(work / "set", nodes=f"id,time\n1,2024-01-01\n2,{year}-01-01{others}\n", edges="s,d\n1,2\n"),
                    f"nodes.csv: row 2, column time: the time {year}-01-01 is outside of 1678 to 2262")
    (work / "zipped").mkdir()
    whole = gzip.compress(b"s,d\n" + b"".join(b"%d,%d\n" % (i * i, 7 * i) for i in range(5000)))
    for damaged in (whole[:-8], whole[:len(whole) // 2], whole[:12], b"no gzip", whole[:200] + b"\xff" * 100 + whole[300:]):
        (work / "zipped/edges.csv.gz").write_bytes(damaged)
        refused(work / "zipped", "edges.csv.gz: is no table, or damaged (")
    # The advice fits the source.
    save(work / "data.pt", {"edge_index": torch.tensor([[0, 5], [1, 1]]), "x": torch.rand(2, 2)})
    refused(work / "data.pt", "data.pt: id [5] is outside [0, 2); save the graph again")
    refused(write_tables(work / "pairs", a___b="s,d\n1,2\n"), "no list of three names; rename the tables")
    save(work / "labels.pt", np.arange(5))
    refused(work / "short", "has 5 rows for 2 node; give other labels or splits", options=("--labels", work / "labels.pt"))


def test_parquet(work):
    """Whole numbers, bools and decimals with missing values; lists with holes, and types that are no numbers."""
    if importlib.util.find_spec("pandas") is None or importlib.util.find_spec("pyarrow") is None:
        print("skipped: Parquet needs pandas and pyarrow")
        return
    import datetime
    import decimal
    import pyarrow
    import pyarrow.parquet
    source = write_tables(work / "set", edges="s,d\n1,2\n")

    def write(**columns):
        pyarrow.parquet.write_table(pyarrow.table({"id": [1, 2], **columns}), source / "nodes.parquet")

    large, money = 1717113600123456789, [decimal.Decimal("1.50"), decimal.Decimal("-2.25")]
    write(**{"time": [large, None], "label": [None, 9007199254740993], "f": [None, 16777217], "vip": [True, None],
             "none": pyarrow.array([None, None], pyarrow.int64()), "price": money, "count": [decimal.Decimal(16777217), None],
             " cost ": [money[0], None], "x0": [1, None], "x1": [2, 3], "word": ["a", None]})
    convert(source, work / "out", "--missing", "0", "--missing", "label=-1", "--missing", "word=-1")
    for name, values in (("node_time", [large, 0]), ("node_label", [-1, 9007199254740993]), ("node_feat@f", [0, 16777217]),
                         ("node_feat@vip", [1, 0]), ("node_feat@none", [0, 0]), ("node_feat@price", [1.5, -2.25]),
                         ("node_feat@count", [16777217, 0]), ("node_feat@cost", [1.5, 0]), ("node_feat@x", [[1, 2], [0, 3]]),
                         ("node_feat@word", [0, -1])):
        same(work / f"out/{name}.npy", values)
    write(price=[decimal.Decimal(10) ** 25, None])
    convert(source, work / "wide", "--missing", "0")
    same(work / "wide/node_feat@price.npy", np.array([1e25, 0], np.float32))
    write(id=pyarrow.array([1, 2], pyarrow.decimal128(20, 0)))
    convert(source, work / "keys")
    for v in ([[1., 2.], [3., None]], [[1, 2], [3, None]], [[1., 2.], [3., float("inf")]], [[1., 2.], [float("nan"), 1.]]):
        write(v=v)
        refused(source, "nodes.parquet: row 2, column v: the list has a value that is missing or not finite",
                options=("--missing", "0"))
    for v in ([datetime.timedelta(1), None], [datetime.time(1), None], [{"a": 1}, {"a": 2}]):
        write(v=v)
        refused(source, "nodes.parquet: column v: ", "is no number, text or date; give --column ignore=v")
        convert(source, work / "ignored", "--column", "ignore=v")
        shutil.rmtree(work / "ignored")
    write(id=[{"a": 1}, {"a": 2}])
    refused(source, "nodes.parquet: column id: ", "write it as text")
    (source / "nodes.parquet").write_bytes(b"PAR1" + b"x" * 50)
    refused(source, "nodes.parquet: is no table, or damaged (")
    import pandas
    if int(pandas.__version__.split(".")[0]) > 1:
        write(time=pyarrow.array([0, -10**12], pyarrow.timestamp("s")))
        refused(source, "nodes.parquet: row 2, column time: the time ", "is outside of 1678 to 2262")


def test_typed_tables(work):
    """CSV beside Parquet; vertices without a table are those that edges name."""
    if importlib.util.find_spec("pandas") is None:
        print("skipped: tables need pandas")
        return
    source = write_tables(work / "set", author___writes___paper="a,p,share\ny,10,1\nx,33,2\n",
                          paper___cites___paper="a,b\n10,2\n2,33\n", paper="pid,year,label\n10,2001,4\n2,,3\n33,2003,\n",
                          other="id\n1\n")
    options, end = ("--missing", "-1", "--column", "paper___cites___paper:source=b", "--column",
                    "paper___cites___paper:destination=a"), ".paper.npy"
    if importlib.util.find_spec("pyarrow") is None:
        print("skipped: pyarrow is missing; tables are CSV")
    else:
        import pandas
        import pyarrow
        import pyarrow.parquet
        stamps = pandas.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"])
        pyarrow.parquet.write_table(pyarrow.table({
            "pid": pyarrow.array([10, 2, 33]), "year": pyarrow.array([2001, None, 2003], pyarrow.int32()),
            "label": pyarrow.array([4, 3, None]), "seen": pyarrow.array(stamps, pyarrow.timestamp("us", "Europe/Vienna")),
            "vector": pyarrow.array([[1., 2.], [3., 4.], [5., 6.]], pyarrow.list_(pyarrow.float64())),
            "word": pyarrow.array(["b", "a", "b"]).dictionary_encode(), "good": [True, False, True],
            "split": ["train", "", "test"]}), source / "paper.parquet")
        refused(source, "one table twice")
        (source / "paper.csv").unlink()
    said = convert(source, work / "out", *options)
    assert "other.csv is left out" in said, said
    same(work / "out/node_feat@year.paper.npy", [-1, 2001, 2003])
    same(work / "out/node_label.paper.npy", [3, 4, -1])
    same(work / "out/num_nodes.author.npy", [2])
    same(work / "out/edge_index.author__writes__paper.npy", [[1, 0], [1, 2]])
    same(work / "out/edge_index.paper__cites__paper.npy", [[0, 2], [1, 0]])
    same(work / "out/edge_feat@share.author__writes__paper.npy", [1, 2])
    assert list(script.read_ids(next((work / "out").glob("ids.author.*")))) == ["x", "y"]
    if (source / "paper.parquet").exists():
        same(work / "out/node_feat@seen.paper.npy", [1609459200, 1577836800, 1640995200])
        same(work / "out/node_feat@vector.paper.npy", [[3, 4], [1, 2], [5, 6]])
        same(work / "out/node_feat@word.paper.npy", [0, 1, 1])
        same(work / "out/node_feat@good.paper.npy", [0, 1, 1])
        same(work / "out/train_idx.paper.npy", [1])
        assert not (work / "out/valid_idx.paper.npy").exists()
        np.save(work / "found.npy", np.array([7, 8, 9]))
        convert("--results", work / "found.npy", "--ids", work / "out/ids.paper.parquet", work / "found.parquet")
        assert pandas.read_parquet(work / "found.parquet").to_dict("list") == {"pid": [2, 10, 33], "value": [7, 8, 9]}
    made = run(TOOL, work / "out", "--parts", 2, "--out", work / "parts")
    assert made.returncode == 0, made.stderr


def test_link_splits_of_tables(work):
    """A column split of edges names pairs to be predicted, which are no edges; their rows have no values afterwards."""
    if importlib.util.find_spec("pandas") is None:
        print("skipped: tables need pandas")
        return
    rows = (("ann", "bob", "train", 1), ("bob", "cid", "val", 2), ("cid", "ann", "", 3), ("ann", "ann", "test_neg", 4),
            ("cid", "bob", "TEST", 5), ("bob", "ann", "train", 6), ("bob", "bob", "valid_neg", 7), ("cid", "cid", "test", 8),
            ("bob", "cid", "", 9))  # to be predicted, and an edge
    plain = "s,d,split,weight\n" + "".join(f"{s},{d},{split},{w}\n" for s, d, split, w in rows)
    said = convert(write_tables(work / "plain", edges=plain), work / "out")
    assert "4 edges; " in said and "5 pairs that are no edges" in said, said
    same(work / "out/edge_index.npy", [[0, 2, 1, 1], [1, 0, 0, 2]])
    same(work / "out/edge_weight.npy", [1, 3, 6, 9])
    for name, pairs in (("train_edge", [[0, 1], [1, 0]]), ("valid_edge", [[1], [2]]), ("test_edge", [[2, 2], [1, 2]]),
                        ("test_edge_neg", [[0], [0]]), ("valid_edge_neg", [[1], [1]])):
        same(work / f"out/{name}.npy", pairs)
    made = run(TOOL, work / "out", "--parts", 2, "--out", work / "parts")
    assert made.returncode == 0, made.stderr
    assert sum(np.load(path).size for path in (work / "parts").rglob("links-test.edges.npy")) == 4
    refused(write_tables(work / "set", edges=plain + "ann,bob,later,1\n"), "row 10, column split: 'later' is none of train")
    refused(write_tables(work / "set", edges=plain + "ann,bob,,x\n"), "row 10, column weight: 'x' is no number")
    write_tables(work / "typed", user___buys___book="u,b,set\n7,1,train\n8,1,test\n9,2,\n")
    convert(work / "typed", work / "typed_out", "--column", "split=set")
    same(work / "typed_out/edge_index.user__buys__book.npy", [[0, 2], [0, 1]])
    same(work / "typed_out/test_edge.user__buys__book.npy", [[1], [0]])
    convert(work / "typed", work / "ignored", "--column", "ignore=set")
    same(work / "ignored/edge_index.user__buys__book.npy", [[0, 1, 2], [0, 0, 1]])


def test_data(work):
    """Data and HeteroData, by classes of their names, and the dicts that data sets of PyG store."""
    classes = {}
    sys.modules.update((name, types.ModuleType(name)) for name in ("torch_geometric", "torch_geometric.data"))
    for module, name in (("data", "Data"), ("hetero_data", "HeteroData"), ("storage", "Store")):
        made = types.ModuleType(f"torch_geometric.data.{module}")
        classes[name] = type(name, (), {"__module__": made.__name__})
        setattr(made, name, classes[name])
        sys.modules[made.__name__] = made

    def instance(name, **attributes):
        value = classes[name]()
        vars(value).update(attributes)
        return value

    x, y, links = torch.rand(5, 3), torch.arange(5), torch.tensor([[0, 1, 2], [1, 2, 4]])
    plain = {"x": x, "edge_index": links, "y": y, "train_mask": y < 2, "val_mask": y == 2, "test_mask": y > 2,
             "edge_attr": torch.rand(3, 2), "edge_weight": torch.tensor([1., 2., 3.]), "more": "text"}
    typed = {"paper": {"x": x, "y": y, "train_mask": y > 3}, "author": {"num_nodes": 3},
             ("author", "writes", "paper"): {"edge_index": torch.tensor([[0, 2], [3, 1]]), "time": torch.tensor([7, 8])}}
    stores = [{k: instance("Store", _mapping=v, _key=k) for k, v in typed.items() if isinstance(k, str) == of_nodes}
              for of_nodes in (True, False)]
    for i, value in enumerate((instance("Data", _store=instance("Store", _mapping=plain)), (plain, None, classes["Data"]),
                               instance("HeteroData", _node_store_dict=stores[0], _edge_store_dict=stores[1]),
                               ({"_global_store": {}, **typed}, None, classes["HeteroData"]))):
        save(work / "data.pt", value)
        out = work / f"out{i}"
        said = convert(work / "data.pt", out)
        end = ".paper" if i > 1 else ""
        same(out / f"node_feat@x{end}.npy", x.numpy())
        same(out / f"node_label{end}.npy", y.numpy())
        same(out / f"train_idx{end}.npy", [4] if i > 1 else [0, 1])
        if i > 1:
            same(out / "edge_index.author__writes__paper.npy", [[0, 2], [3, 1]])
            same(out / "edge_time.author__writes__paper.npy", [7, 8])
            same(out / "num_nodes.author.npy", [3])
        else:
            assert "more of node is left out" in said
            same(out / "edge_index.npy", links.numpy())
            same(out / "valid_idx.npy", [2])
            same(out / "test_idx.npy", [3, 4])
            same(out / "edge_weight.npy", [1, 2, 3])
            same(out / "edge_feat@edge_attr.npy", plain["edge_attr"].numpy())
        made = run(TOOL, out, "--parts", 2, "--out", work / f"parts{i}")
        assert made.returncode == 0, made.stderr
    save(work / "data.pt", (plain, {"x": torch.tensor([0, 2, 5])}, classes["Data"]))
    refused(work / "data.pt", "has several graphs")
    save(work / "data.pt", {"x": x})
    refused(work / "data.pt", "lacks edge_index")
    save(work / "data.pt", x)
    refused(work / "data.pt", "no Data or HeteroData")


def dgl_graphs():
    """Ends and values of a graph without types and one with them: their ids, and halves of these."""
    e, f, v = np.arange(60), np.arange(25), np.arange(20)
    plain = {"nodes": {"node": (20, v)}, "edges": {("node", "edge", "node"): (7 * e % 20, (3 * e + e // 20) % 20)}}
    typed = {"nodes": {"a": (9, None), "b": (12, v[:12])},
             "edges": {("a", "r", "b"): (5 * e[:30] % 9, 7 * e[:30] % 12), ("b", "s", "b"): (f % 12, 5 * f % 12)}}
    return {"plain": plain, "typed": typed}


def write_dgl(folder):
    """What DGL writes of the graphs; dgl_1.1.3.tar.xz is such a folder."""
    import dgl
    folder.mkdir()
    for name, graph in dgl_graphs().items():
        ends = {k: tuple(map(torch.from_numpy, pair)) for k, pair in graph["edges"].items()}
        if name == "plain":
            made = dgl.graph(next(iter(ends.values())), num_nodes=20)
            made.ndata.update(train_mask=torch.arange(20) % 3 == 0, label=torch.arange(20) % 4)
        else:
            made = dgl.heterograph(ends, {k: count for k, (count, _) in graph["nodes"].items()})
        ids, halves = made.nodes(made.ntypes[-1]), torch.arange(made.num_edges(made.etypes[-1])) / 2
        made.nodes[made.ntypes[-1]].data["feat"] = torch.stack([ids, ids / 2], 1)
        made.edges[made.etypes[-1]].data["weight"] = halves
        for kind in ("coo", "csr", "csc"):
            dgl.save_graphs(str(folder / f"{name}.{kind}.bin"), [made.formats(kind)])
        dgl.save_graphs(str(folder / "two.bin"), [made, made])
        maps = dgl.distributed.partition_graph(made, name, 2, str(folder / name), part_method="random", return_mapping=True)
        for of, ids in zip(("nodes", "edges"), maps):
            torch.save(ids, folder / name / f"{of}.pt")


def test_dgl(work):
    """Files of DGL: as it writes them here, or else as release 1.1.3 wrote them."""
    path = work / "dgl"
    try:
        write_dgl(path)
    except Exception as missing:
        print(f"dgl_1.1.3.tar.xz, as DGL does not run here ({str(missing).splitlines()[0]})")
        shutil.rmtree(path, ignore_errors=True)
        shutil.unpack_archive(pathlib.Path(__file__).with_name("dgl_1.1.3.tar.xz"), path)
    for name, graph in dgl_graphs().items():
        for kind in ("coo", "csr", "csc", "partition", "own_ids"):
            out, partition = work / f"{name}_{kind}", path / name / f"{name}.json"
            options = [f"--{of}-ids={path / name / of}s.pt" for of in ("node", "edge")] if kind == "partition" else []
            convert(*([path / f"{name}.{kind}.bin"] if kind in ("coo", "csr", "csc") else [partition]), out, *options)
            originals = {}
            for node, (count, feat) in graph["nodes"].items():
                end = f".{node}.npy" if name == "typed" else ".npy"
                same(out / f"num_nodes{end}", [count])
                ids = torch.load(path / name / "nodes.pt") if kind == "own_ids" else np.arange(count)
                originals[node] = np.asarray(ids[node] if isinstance(ids, dict) else ids)
                same(out / f"node_feat@feat{end}",
                     None if feat is None else np.stack([originals[node], originals[node] / 2], 1))
                if name == "plain":
                    same(out / "node_label.npy", originals[node] % 4)
                    same(out / "train_idx.npy", np.flatnonzero(originals[node] % 3 == 0))
            for edge, (sources, targets) in graph["edges"].items():
                end = f".{'__'.join(edge)}.npy" if name == "typed" else ".npy"
                ids = torch.load(path / name / "edges.pt") if kind == "own_ids" else np.arange(len(sources))
                ids = np.asarray(ids[edge] if isinstance(ids, dict) else ids)
                found = np.load(out / f"edge_index{end}")
                assert (originals[edge[0]][found[0]] == sources[ids]).all(), (out, edge)
                assert (originals[edge[2]][found[1]] == targets[ids]).all(), (out, edge)
                same(out / f"edge_weight{end}", ids / 2 if edge[1] != "r" else None)
            if kind in ("partition", "own_ids"):
                meta, book = json.loads(partition.read_text()), np.load(out / "part.npy")
                assert np.bincount(book).tolist() == [sum(of[p][1] - of[p][0] for of in meta["node_map"].values())
                                                      for p in range(2)]
            options = ("--method", "file", "--assignment", out / "part.npy") if (out / "part.npy").exists() else ()
            made = run(TOOL, out, "--parts", 2, "--out", work / "parts", *options)
            assert made.returncode == 0, made.stderr
            shutil.rmtree(work / "parts")
    refused(path / "two.bin", "two.bin: has 2 graphs")
    whole = (path / "plain.coo.bin").read_bytes()
    for cut in (0, 7, 4100, 4500, len(whole) - 100):
        (path / "cut.bin").write_bytes(whole[:cut])
        refused(path / "cut.bin", "cut.bin: ")
    for i in range(4096, len(whole), 97):
        (path / "cut.bin").write_bytes(whole[:i] + bytes([whole[i] ^ 0xFF]) + whole[i + 1:])
        made = call(path / "cut.bin", work / "changed")
        assert made.returncode == 0 or made.stderr.startswith("convert.py: "), made.stderr
        shutil.rmtree(work / "changed", ignore_errors=True)
    (path / "cut.bin").write_bytes(b"x" * 5000)
    refused(path / "cut.bin", "is no file that DGL 0.5 or newer wrote", "pip install dgl")
    refused(partition, "lacks a", options=("--node-ids", path / "typed/edges.pt"))
    save(path / "twice.pt", {"a": np.zeros(9, int), "b": np.arange(12)})
    refused(partition, "twice.pt: lists ids of a 0 that was listed before", options=("--node-ids", path / "twice.pt"))
    shutil.copy(path / "typed/part1/graph.dgl", path / "typed/part0/graph.dgl")
    refused(partition, "graph.dgl: has edges that neither start nor end in this part")
    partition.write_text("{")
    refused(partition, "typed.json: is no JSON")


def test_planetoid(work):
    """Vertex 6 is an isolated one of the test, as some of Citeseer."""
    path, draw = work / "set", random.Random(1)
    path.mkdir()
    features = np.array([[draw.random() for _ in range(3)] for _ in range(8)], np.float32)
    labels = np.eye(2, dtype=np.int32)[[0, 1, 0, 1, 1, 0, 0, 1]]
    graph = collections.defaultdict(list, {0: [1, 2], 1: [0], 2: [0, 2], 3: [4], 4: [3, 3], 5: [7], 6: [], 7: [5]})
    order = [7, 5]
    for end, content in (("x", scipy.sparse.csr_matrix(features[:2])), ("allx", scipy.sparse.csr_matrix(features[:5])),
                         ("tx", scipy.sparse.csr_matrix(features[order])), ("y", labels[:2]), ("ally", labels[:5]),
                         ("ty", labels[order]), ("graph", graph)):
        (path / f"ind.tiny.{end}").write_bytes(pickle.dumps(content, 2))
    (path / "ind.tiny.test.index").write_text("7\n5\n")
    convert(path, work / "out")
    features[6] = 0
    same(work / "out/node_feat.npy", features)
    same(work / "out/node_label.npy", [0, 1, 0, 1, 1, 0, 0, 1])
    same(work / "out/train_idx.npy", [0, 1])
    same(work / "out/valid_idx.npy", [2, 3, 4])
    same(work / "out/test_idx.npy", [5, 7])
    same(work / "out/edge_index.npy", [[0, 0, 1, 2, 2, 3, 4, 5, 7], [1, 2, 0, 0, 2, 4, 3, 7, 5]])
    made = run(TOOL, work / "out", "--parts", 2, "--out", work / "parts")
    assert made.returncode == 0, made.stderr


def test_wrong_calls(work):
    refused(work / "nothing", "nothing: no such file or folder")
    refused(work / "nothing.pt", "nothing.pt: no such file or folder")
    (work / "empty").mkdir()
    refused(work / "empty", "has no META.json (PyG), META (GraphLearn)")
    graph = Graph(False, 1, 3, 4, True, 1)
    (work / "set").mkdir()
    write_graphlearn(work / "set", graph, False)
    (work / "full").mkdir()
    (work / "full/file").write_text("")
    made = call(work / "set", work / "full")
    assert made.returncode == 1 and "name a folder that is not there, or empty" in made.stderr
    assert "can run code" in run(sys.executable, CONVERT, "--help").stdout
    # Only complete folders get a name, and no other folder is touched.
    (work / "out.partial").mkdir()
    (work / "out.partial/mine").write_text("kept")
    (work / "elsewhere").mkdir()
    for name, target in (("link", work / "elsewhere"), ("dangling", work / "nothing")):
        (work / name).symlink_to(target)
        made = call(work / "set", work / name)
        assert made.returncode == 1 and "name a folder that is not there, or empty" in made.stderr, made.stderr
    convert(work / "set", work / "out")
    assert (work / "out.partial/mine").read_text() == "kept"
    assert [p.name for p in work.glob("*partial*")] == ["out.partial"] and not any((work / "elsewhere").iterdir())
    shutil.rmtree(work / "out")
    # Without torch, the message names the package.
    (work / "no").mkdir()
    (work / "no/torch.py").write_text("raise ImportError")
    environment = dict(os.environ, PYTHONPATH=str(work / "no"))
    made = subprocess.run([sys.executable, CONVERT, str(work / "set"), str(work / "out")], env=environment,
                          capture_output=True, text=True)
    assert made.returncode == 1 and "apt-get install python3-torch, or pip install torch" in made.stderr, made.stderr
    (work / "no/pandas.py").write_text("raise ImportError")
    made = subprocess.run([sys.executable, CONVERT, str(write_tables(work / "tables", edges="a,b\n1,2\n")), str(work / "out")],
                          env=environment, capture_output=True, text=True)
    assert made.returncode == 1 and "apt-get install python3-pandas, or pip install pandas" in made.stderr, made.stderr


for name, test in [(n, t) for n, t in globals().items() if n.startswith("test_")]:
    with tempfile.TemporaryDirectory() as scratch:
        test(pathlib.Path(scratch))
        print(f"{name}: passed")
