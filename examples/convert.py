#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes data of Python libraries as a folder of .npy files for glt-partition.

    python3 convert.py SOURCE OUT [--labels FILE] [--train FILE] [--valid FILE] [--test FILE] [--trust]
    glt-partition OUT --parts P --method file --assignment OUT/part.npy --out parts   keeps the parts of SOURCE

SOURCE is one of:
    tables, CSV or Parquet                        a folder with edges.csv and nodes.csv; with types, a table
                                                  SRC___REL___DST.csv of each type of edges and TYPE.csv of vertices
    a partition of GraphLearn-for-PyTorch 0.2     part0/, META, node_pb.pt, ...
    a partition of PyTorch Geometric 2.4 or newer part_0/, META.json, node_map.pt, ...
    a graph of PyTorch Geometric                  a .pt file with Data or HeteroData, or processed/data.pt of a data set
    a graph of DGL, saved alone                   a .bin file of dgl.save_graphs
    a partition of DistDGL                        NAME.json of partition_graph; --node-ids FILE and --edge-ids FILE are what
                                                  return_mapping=True returned, saved by torch.save; else ids are DGL's
    the files of Planetoid                        the folder that has ind.NAME.x, ind.NAME.graph, ...
    a set of the Open Graph Benchmark             no OUT: splits of torch.save become arrays beside them, which
                                                  glt-partition reads from SOURCE

Libraries keep labels and splits outside of their partitions. The files that their examples write are found:
NAME-label/label.pt and NAME-train-partitions/*.pt beside NAME-partitions, or within it. Others are given: FILE is a
.pt or .npy file, or a folder of them, and holds a list or mask of vertices, or a dict of these by type. TYPE=FILE says
the type of vertices.

Tables have a header. The first column of vertices is the id, the first two of edges are source and destination, or
those called id, source or src, destination or dst; columns called label, split (train, valid, test), weight and time
are these; --column ROLE=NAME names others, and --column ignore=NAME leaves one out. Edges of the splits valid and test
are pairs to be predicted, train_neg, valid_neg and test_neg pairs that are no edges; none of them is in the graph. Ids
are numbers or texts; vertices get the numbers 0 to n - 1 in the order of their ids, which ids.parquet keeps (ids.csv
without pyarrow). Columns NAME0, NAME1, ... become a matrix; words become codes, in the order of categories.json; times
become whole seconds since 1970, or --time-unit. Missing values are refused, or become --missing.

    python3 convert.py --results PREDICTIONS.npy --ids OUT/ids.parquet PREDICTIONS.csv   joins results with the ids;
--categories OUT/categories.json writes the words of labels (of --column label=NAME) in place of their codes

CSV needs pandas, Parquet pyarrow, .pt files torch, Planetoid scipy; DGL is not needed. A pickle can run code when it
is loaded. Only tensors, arrays and plain containers are loaded; --trust loads any class, so use it for files that you
trust.
"""
import argparse
import contextlib
import functools
import glob
import gzip
import importlib.util
import io
import json
import os
import pathlib
import pickle
import re
import shutil
import signal
import sys
import tempfile
import types
import unittest.mock
import zipfile
import zlib

try:
    import numpy as np
except ImportError:
    raise SystemExit("convert.py needs numpy: apt-get install python3-numpy, or pip install numpy")

SPLITS = ("train", "valid", "test")
TRUST = False
ADVICE = "partition the graph again"  # about contradictions in SOURCE; convert sets it
UMASK = os.umask(0)
os.umask(UMASK)


class Fault(Exception):
    """File, and what is wrong with it."""


def require(name):
    try:
        return __import__(name)
    except ImportError:
        package = "" if name == "pyarrow" else f"apt-get install python3-{name}, or "  # Debian has no pyarrow
        raise Fault(f"needs {name}: {package}pip install {name}") from None


# Files and folders get their names when they are complete.

@contextlib.contextmanager
def new_file(path):
    """Path of a file that then replaces `path`, a regular file or nothing."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise Fault(f"{path}: is a link, a folder or a device, which is not replaced; choose another name")
    handle, scratch = tempfile.mkstemp(path.suffix, path.name + ".partial", path.parent)
    os.close(handle)
    try:
        yield pathlib.Path(scratch)
        os.chmod(scratch, 0o666 & ~UMASK)
        os.replace(scratch, path)
    finally:
        pathlib.Path(scratch).unlink(missing_ok=True)


@contextlib.contextmanager
def new_folder(path):
    """Path of a folder that then gets the name `path`, of an empty folder or of nothing."""
    if path.is_symlink() or (path.exists() and (not path.is_dir() or any(path.iterdir()))):
        raise Fault(f"{path}: name a folder that is not there, or empty")
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp("", path.name + ".partial", path.parent))
    try:
        yield scratch
        os.chmod(scratch, 0o777 & ~UMASK)
        os.rename(scratch, path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


# Pickles.

SAFE = {
    "builtins": {"object", "dict", "list", "set", "tuple", "int", "float", "bool", "str", "bytes", "complex", "slice"},
    "collections": {"OrderedDict", "defaultdict"},
    "copyreg": {"_reconstructor"},
    "_codecs": {"encode"},
    "numpy": {"ndarray", "dtype"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy.core.numeric": {"_frombuffer"},
    "torch": {"Size", "device"},
    "torch._utils": {"_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_parameter"},
    "torch.serialization": {"_get_layout"},
    "torch.storage": {"UntypedStorage", "TypedStorage", "_UntypedStorage", "_TypedStorage"},
    "scipy.sparse": {"csr_matrix"},
}


class State:
    """Attributes of an object of PyTorch Geometric, whose code is not run."""

    def __setstate__(self, state):
        self.__dict__.update(state)


class Unpickler(pickle.Unpickler):
    """Unpickler that knows tensors, arrays and plain containers alone."""

    def find_class(self, module, name):
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            return lambda data: load_torch(io.BytesIO(data))  # a pickle within the pickle
        module = {"__builtin__": "builtins", "copy_reg": "copyreg"}.get(module, module)  # as Python 2 called them
        if module.startswith("torch_geometric.") and not TRUST:
            return type(name, (State,), {})
        known = module.replace("numpy._core", "numpy.core")
        known = "scipy.sparse" if known in ("scipy.sparse.csr", "scipy.sparse._csr") else known
        if module == "torch" and isinstance(getattr(require("torch"), name, None), require("torch").dtype):
            return getattr(require("torch"), name)
        if not (TRUST or name in SAFE.get(known, ()) or (module == "torch" and name.endswith("Storage"))):
            raise Fault(f"holds {module}.{name}, which may run code; torch.save its tensors, or use --trust")
        return super().find_class("scipy.sparse" if known == "scipy.sparse" else module, name)


safe_pickle = types.ModuleType("pickle")
vars(safe_pickle).update(vars(pickle), Unpickler=Unpickler,
                         load=lambda file, **options: Unpickler(file, **options).load())


def load_torch(file):
    torch = require("torch")
    if zipfile.is_zipfile(file) and any(n.endswith("/constants.pkl") for n in zipfile.ZipFile(file).namelist()):
        raise Fault("is a program of TorchScript, which is not run; torch.save its tensors")
    file.seek(0)
    # Torch 1.13 ignores pickle_module, and calls the module that it has imported.
    with unittest.mock.patch.object(torch.serialization, "pickle", safe_pickle):
        return torch.load(file, map_location="cpu", pickle_module=safe_pickle, weights_only=False)


def load(path):
    """Content of a .pt, .npy or pickle file; pickles one after the other are a list of them, called chunks."""
    try:
        if path.suffix == ".npy":
            return np.load(path)
        with open(path, "rb") as file:
            if path.suffix == ".pt":
                return load_torch(file)
            found = []
            while file.peek(1):
                found.append(Unpickler(file, encoding="latin1").load())
            return Chunks(found) if path.suffix == ".pkl" else found[0]
    except FileNotFoundError:
        raise Fault(f"{path}: there is no such file; make the folder again") from None
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
    except Exception as fault:  # whatever a damaged pickle makes of the libraries
        text = f"{type(fault).__name__}: {fault}".splitlines()[0]
        raise Fault(f"{path}: is damaged, or no pickle ({text}); make it again") from None


class Chunks(list):
    """Tensors that are one after the other in a file."""


def array(value, path):
    """NumPy's array of a tensor; bfloat16 becomes two bytes without a type."""
    if isinstance(value, Chunks):
        return np.concatenate([array(chunk, path) for chunk in value])
    if "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
        torch, value = sys.modules["torch"], value.detach().contiguous()
        return value.view(torch.int16).numpy().view("V2") if value.dtype == torch.bfloat16 else value.numpy()
    if not isinstance(value, (np.ndarray, list)):
        raise Fault(f"{path}: holds {type(value).__name__} where a tensor belongs; torch.save the tensor")
    return np.asarray(value)


def numbers(value, path):
    values = array(value, path)
    if values.ndim != 1 or (values.dtype.kind not in "iu" and values.size):
        raise Fault(f"{path}: holds {values.dtype} of shape {list(values.shape)}; whole numbers in a line belong here")
    if values.dtype.kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
        raise Fault(f"{path}: holds {values.max()}, which does not fit int64; number the ids from 0")
    return values.astype(np.int64)


def entry(value, key, path):
    if not isinstance(value, dict):
        raise Fault(f"{path}: holds {type(value).__name__} and no dict with {key}; make it again")
    if value.get(key) is None:
        raise Fault(f"{path}: lacks {key}; make it again")
    return value[key]


# Checks, and rows in the order of their ids.

def check(good, path, what):
    if not good:
        raise Fault(f"{path}: {what}; {ADVICE}")


def check_ids(ids, count, path):
    bad = np.flatnonzero((ids < 0) | (ids >= count))
    check(not bad.size, path, f"id {ids[bad[:1]]} is outside [0, {count})")


def check_once(parts, count, book, what):
    """Checks that the ids of all parts, (path, ids), are 0 to count - 1, each once and where the book puts it."""
    times = np.zeros(count, np.int64)
    for part, (path, ids) in enumerate(parts):
        check_ids(ids, count, path)
        times += np.bincount(ids, minlength=count)
        check(times.max(initial=0) < 2, path, f"lists {what} {times.argmax() if count else 0} that was listed before")
        wrong = ids[book[ids] != part] if book is not None else ids[:0]
        check(not wrong.size, path, f"lists {what} {wrong[:1]}, which another part has")
    check(times.all(), parts[0][0], f"and the other parts list {int(times.sum())} of {count} {what}")


def place(parts, rows, count):
    """Rows of all parts in the order of their ids; parts without ids need none."""
    rows = [(path, ids, r) for (path, ids), r in zip(parts, rows) if r is not None or ids.size]
    out = None
    for path, ids, values in rows:
        check(values is not None, path, "has no rows where other parts have some")
        check(len(values) == len(ids), path, f"has the wrong row count: {len(values)} rows for {len(ids)} ids")
        out = np.empty((count,) + values.shape[1:], values.dtype) if out is None else out
        check(values.shape[1:] == out.shape[1:] and values.dtype == out.dtype, path, "has rows of another type or size")
        out[ids] = values
    return out


# The folder of arrays.

class Folder:
    """Folder of .npy files that is written; see docs/guides/formats.md."""

    def __init__(self, path):
        self.path, self.typed, self.nodes, self.edges, self.features, self.parts = path, False, {}, [], {}, []
        self.categories, self.labelled = {}, False

    def suffix(self, kind):
        return "" if not self.typed else "." + (kind if isinstance(kind, str) else "__".join(kind))

    def save(self, name, kind, values):
        if values is not None:
            self.labelled = self.labelled or name == "node_label" or name.endswith("_idx")
            np.save(self.path / f"{name}{self.suffix(kind)}.npy", np.ascontiguousarray(values))

    def feature(self, kind, name, values):
        if values is not None:
            usual = "node_feat" if isinstance(kind, str) else "edge_feat"
            self.features.setdefault(kind, []).append(name)
            self.save(usual if name == usual else f"{usual}@{name}", kind, values)

    def add_nodes(self, name, count, book=None):
        self.nodes[name] = count
        self.save("num_nodes", name, np.array([count], np.int64))
        self.parts += [] if book is None else [book.astype(np.int32)]

    def add_ids(self, name, ids, column):
        """Keeps the ids that vertices had before they were numbered, under the name of their column."""
        end = "parquet" if importlib.util.find_spec("pyarrow") else "csv"
        frame = require("pandas").DataFrame({"vertex": np.arange(len(ids)), "id" if column == "vertex" else column: ids})
        write_table(self.path / f"ids{self.suffix(name)}.{end}", frame)

    def add_edges(self, kind, sources, destinations):
        self.edges.append(kind)
        self.save("edge_index", kind, np.stack([sources, destinations]))

    def type_of(self, name, count, path):
        """The type of vertices of a file that says none, by its number of rows."""
        fits = [name] if name else [t for t in self.nodes if len(self.nodes) == 1 or self.nodes[t] == count]
        if len(fits) != 1 or fits[0] not in self.nodes:
            raise Fault(f"{path}: is of no type of vertices among {', '.join(self.nodes)}; say it by TYPE={path}")
        return fits[0]

    def add_given(self, files):
        """Labels and splits from files: what -> [(type or None, path)]."""
        labelled = None
        for what, paths in files.items():
            lists = {}
            for name, path in paths:
                value = load(path)
                for of, values in value.items() if isinstance(value, dict) else [(name, value)]:
                    values = array(values, path)
                    guess = values.size if what == "labels" or values.dtype == bool else -1
                    of = self.type_of(of or labelled, guess, path)
                    if what == "labels" or values.dtype == bool:
                        check(len(values) == self.nodes[of], path, f"has {len(values)} rows for {self.nodes[of]} {of}")
                    if what == "labels":
                        labelled = labelled or of
                    else:
                        values = np.flatnonzero(values) if values.dtype == bool else numbers(values, path)
                        check_ids(values, self.nodes[of], path)
                    lists.setdefault(of, []).append(values)
            for of, values in lists.items():
                values = np.concatenate(values)
                if what != "labels" and len(np.unique(values)) != len(values):
                    raise Fault(f"{paths[0][1]}: a vertex is twice in {what}; list each once")
                self.save("node_label" if what == "labels" else f"{what}_idx", of, values)

    def finish(self):
        if self.parts:
            np.save(self.path / "part.npy", np.concatenate(self.parts))
        if self.categories:
            (self.path / "categories.json").write_text(json.dumps(self.categories, indent=1) + "\n")
        tables = {"nodes": [{"type": t, "features": self.features.get(t, [])} for t in self.nodes],
                  "edges": [{"type": t, "features": self.features.get(t, [])} for t in self.edges]}
        (self.path / "meta.json").write_text(json.dumps({"tables": tables}, indent=1) + "\n")


NODE, EDGE = "node", ("node", "edge", "node")


def checked_types(nodes, edges, path):
    """Types of vertices and edges; their names become names of files."""
    nodes, edges = list(nodes or []), [tuple(e) for e in edges or []]
    for name in nodes + [n for e in edges for n in e]:
        if not isinstance(name, str) or not name or "/" in name or "\0" in name:
            raise Fault(f"{path}: has a type {name!r}, which names no file; rename the type")
    check(nodes and edges, path, "names no types of vertices or of edges")
    for e in edges:
        check(len(e) == 3, path, f"has the edge type {e}, which is no list of three names")
        check(e[0] in nodes and e[2] in nodes, path, f"has edges {e} of a vertex type that it does not list")
    return nodes, edges


def read_book(path, num_parts):
    book = numbers(load(path), path)
    check_ids(book, num_parts, path)
    return book


def add_peer_edges(folder, kind, parts, sources, destinations, books, book, owned):
    """Edges of all parts at the places of their ids; with owned, each starts or ends in its part."""
    for part, ((path, ids), s, d) in enumerate(zip(parts, sources, destinations)):
        check(len(s) == len(ids) and len(d) == len(ids), path, f"has {len(ids)} ids of {len(s)} and {len(d)} ends")
        check_ids(s, folder.nodes[kind[0]], path)
        check_ids(d, folder.nodes[kind[2]], path)
        check(not owned or (books[kind[0]][s] == part).all() or (books[kind[2]][d] == part).all(), path,
              "has edges that neither start nor end in this part")
    count = sum(len(ids) for _, ids in parts)
    check(book is None or count == len(book), parts[0][0], f"and the other parts have {count} edges, not the expected")
    check_once(parts, count, book if owned else None, "edge")
    folder.add_edges(kind, place(parts, sources, count), place(parts, destinations, count))
    return count


# GraphLearn-for-PyTorch: graphlearn_torch/python/partition/base.py, versions 0.2.0 to 0.2.4. Cached rows are copies.

def convert_graphlearn(source, folder):
    meta_path = source / "META"
    meta = load(meta_path)
    num_parts = entry(meta, "num_parts", meta_path)
    kind = entry(meta, "data_cls", meta_path)
    check(isinstance(num_parts, int) and num_parts > 0, meta_path, f"says that there are {num_parts} parts")
    check(kind in ("homo", "hetero"), meta_path, "says neither 'homo' nor 'hetero' under data_cls")
    folder.typed = kind == "hetero"
    nodes, edges = [NODE], [EDGE]
    if folder.typed:
        nodes, edges = checked_types(meta.get("node_types"), meta.get("edge_types"), meta_path)
    parts = [source / f"part{p}" for p in range(num_parts)]

    def of(path, name):
        return path if not folder.typed else path / (name if isinstance(name, str) else "__".join(name))

    def book(stem, name):
        path = of(source / stem, name)
        return path.with_name(path.name + ".pt")

    def either(path, stem):  # newer versions pickle the chunks of a tensor
        return path / (stem + ".pkl") if (path / (stem + ".pkl")).exists() else path / (stem + ".pt")

    def features(group, name, count, own):
        paths = [either(of(p / group, name), "feats") for p in parts]
        if not any(p.exists() for p in paths):
            return None
        ids = [(p, numbers(load(either(p.parent, "ids")), p) if p.exists() else np.empty(0, np.int64)) for p in paths]
        check_once(ids, count, own, "row")
        return place(ids, [array(load(p), p) if p.exists() else None for p in paths], count)

    books = {}
    for name in nodes:
        books[name] = read_book(book("node_pb", name), num_parts)
        folder.add_nodes(name, len(books[name]), books[name])
        folder.feature(name, "feat", features("node_feat", name, len(books[name]), books[name]))
    for name in edges:
        whole = (of(source / "graph", name) / "rows.pt").exists()  # graph_caching: all parts are in one folder
        paths = [of(p / "graph", name) for p in ([source] if whole else parts)]
        rows = [numbers(load(p / "rows.pt"), p / "rows.pt") for p in paths]
        cols = [numbers(load(p / "cols.pt"), p / "cols.pt") for p in paths]
        numbered = all((p / "eids.pt").exists() for p in paths)
        first = np.cumsum([0] + [len(r) for r in rows])
        ids = [(p / "eids.pt", numbers(load(p / "eids.pt"), p / "eids.pt") if numbered else f + np.arange(len(r)))
               for p, r, f in zip(paths, rows, first)]
        own = read_book(book("edge_pb", name), num_parts) if book("edge_pb", name).exists() else None
        count = add_peer_edges(folder, name, ids, rows, cols, books, own, not whole)
        weights = [p / "weights.pt" for p in paths]
        weights = place([(p, i) for p, (_, i) in zip(weights, ids)],
                        [array(load(p), p) if p.exists() else None for p in weights], count) \
            if any(p.exists() for p in weights) else None
        folder.save("edge_weight", name, weights)
        values = features("edge_feat", name, count, own)
        check(values is None or numbered, paths[0], "has features of edges without ids in eids.pt")
        folder.feature(name, "feat", values)


# PyTorch Geometric: torch_geometric/distributed/partition.py, releases 2.4.0 to 2.6.1.

def convert_pyg(source, folder):
    meta_path = source / "META.json"
    try:
        meta = json.loads(meta_path.read_text())
    except ValueError:
        raise Fault(f"{meta_path}: is no JSON; partition the graph again") from None
    num_parts = entry(meta, "num_parts", meta_path)
    folder.typed = entry(meta, "is_hetero", meta_path)
    check(isinstance(num_parts, int) and num_parts > 0, meta_path, f"says that there are {num_parts} parts")
    nodes, edges = [NODE], [EDGE]
    if folder.typed:
        nodes, edges = checked_types(meta.get("node_types"), meta.get("edge_types"), meta_path)
    # Version 2.4 numbers vertices and features through all types; later ones write the offsets and subtract them.
    through = folder.typed and "node_offset" not in meta
    parts = [source / f"part_{p}" for p in range(num_parts)]

    def files(stem):
        paths = [p / f"{stem}.pt" for p in parts]
        return [(p, load(p)) if p.exists() or stem != "edge_feats" else (p, {}) for p in paths]

    def of(value, name, path):
        check(isinstance(value, dict), path, f"holds {type(value).__name__} and no dict")
        return (value.get(name) if folder.typed else value) or {}

    def book(stem, name):
        name = name if isinstance(name, str) else "__".join(name)
        return read_book(source / stem / f"{name}.pt" if folder.typed else source / f"{stem}.pt", num_parts)

    def features(name, ids, found, count):
        all_names = dict.fromkeys(key for _, part in found for key in part.get("feats") or {})
        for key in all_names:
            rows = [(part.get("feats") or {}).get(key) for _, part in found]
            if any(r is not None for r in rows):
                folder.feature(name, key, place(ids, [None if r is None else array(r, p)
                                                      for r, (p, _) in zip(rows, found)], count))

    books, first_node, first_edge, loaded = {}, {}, 0, files("node_feats")
    for name in nodes:
        books[name] = book("node_map", name)
        count, first = len(books[name]), sum(folder.nodes.values())
        first_node[name] = first if through else 0
        found = [(p, of(value, name, p)) for p, value in loaded]
        ids = [(p, numbers(part["id"], p) if folder.typed and "id" in part
                else numbers(entry(part, "global_id", p), p) - first) for p, part in found]
        check_once(ids, count, books[name], f"vertices of type '{name}'")
        folder.add_nodes(name, count, books[name])
        features(name, ids, found, count)
        if found[0][1].get("time") is not None:  # of all vertices, in every part
            times = numbers(found[0][1]["time"], found[0][0])
            check(len(times) == count, found[0][0], f"has {len(times)} times for {count} vertices")
            folder.save("node_time", name, times)
    graphs, attributes = files("graph"), files("edge_feats")
    for name in edges:
        own = book("edge_map", name)
        found = [(p, of(value, name, p)) for p, value in graphs]
        lists = {key: [numbers(entry(part, key, p), p) for p, part in found] for key in ("edge_id", "row", "col")}
        ids = [(p, i - first_edge) for (p, _), i in zip(found, lists["edge_id"])]
        count = add_peer_edges(folder, name, ids, [r - first_node[name[0]] for r in lists["row"]],
                               [c - first_node[name[2]] for c in lists["col"]], books, own, True)
        found = [(p, of(value, name, p)) for p, value in attributes]
        if any(part.get("global_id") is not None for _, part in found):
            rows = [(p, numbers(part["global_id"], p) - (first_edge if through else 0)
                     if part.get("global_id") is not None else np.empty(0, np.int64)) for p, part in found]
            check_once(rows, count, None, "row of edges")
            features(name, rows, found, count)
        if any(part.get("edge_time") is not None for _, part in found):
            folder.save("edge_time", name, place(ids, [None if part.get("edge_time") is None
                                                       else numbers(part["edge_time"], p) for p, part in found], count))
        first_edge += count


def add_values(folder, kind, count, values, names, path):
    """Tensors with a row for each vertex or edge: masks, labels and others that have a name here, and features."""
    for key, of in values.items():
        rows = array(of, path) if hasattr(of, "shape") and key not in ("edge_index", "num_nodes") else None
        mask = key in names and key.endswith("_mask")
        if rows is not None and rows.ndim and len(rows) == count and (not mask or rows.ndim == 1):
            if key in names:
                folder.save(names[key], kind, np.flatnonzero(rows) if mask else rows)
            else:
                folder.feature(kind, key, rows)
        elif of is not None and key not in ("edge_index", "num_nodes"):
            print(f"note: {path}: {key} of {kind} is left out: it is no array with {count} rows")


# Data and HeteroData of PyTorch Geometric, or dicts of them as InMemoryDataset stores them: torch_geometric/data.

PYG_NAMES = {"y": "node_label", "time": "node_time", "edge_weight": "edge_weight", "edge_time": "edge_time",
             "train_mask": "train_idx", "val_mask": "valid_idx", "test_mask": "test_idx"}


def convert_data(source, folder):
    value = load(source)
    if isinstance(value, tuple):
        check(len(value) > 1 and all(len(s) == 2 for s in (value[1] or {}).values() if not isinstance(s, dict)), source,
              "has several graphs, and glt has one; torch.save one")
        value = value[0]
    state = {} if isinstance(value, dict) else getattr(value, "__dict__", {})
    if "_store" in state:
        value = vars(state["_store"])["_mapping"]
    elif "_node_store_dict" in state:
        value = {kind: vars(store)["_mapping"] for key in ("_node_store_dict", "_edge_store_dict")
                 for kind, store in state[key].items()}
    check(isinstance(value, dict), source, f"holds {type(value).__name__}, and no Data or HeteroData")
    folder.typed = any(isinstance(kind, tuple) for kind in value)
    stores = {k: dict(v) for k, v in value.items() if isinstance(v, dict) and k != "_global_store"}
    if not folder.typed:
        stores = {NODE: {k: v for k, v in value.items() if "edge" not in k},
                  EDGE: {k: v for k, v in value.items() if "edge" in k}}
    nodes, edges = checked_types([k for k in stores if isinstance(k, str)], [k for k in stores if not isinstance(k, str)],
                                 source)
    pairs = {}
    for kind in edges:
        pairs[kind] = array(entry(stores[kind], "edge_index", source), source)
        check(pairs[kind].ndim == 2 and len(pairs[kind]) == 2, source, f"has an edge_index of {pairs[kind].shape}")
    for kind in nodes:
        store = stores[kind]
        ends = [p[end // 2] for e, p in pairs.items() for end in (0, 2) if e[end] == kind and p.size]
        rows = [len(store[key]) for key in ("x", "y", "train_mask", "time") if store.get(key) is not None]
        folder.add_nodes(kind, int(store.get("num_nodes") or (rows or [max((e.max() + 1 for e in ends), default=0)])[0]))
    for kind in nodes:
        add_values(folder, kind, folder.nodes[kind], stores[kind], PYG_NAMES, source)
    for kind in edges:
        check_ids(pairs[kind][0], folder.nodes[kind[0]], source)
        check_ids(pairs[kind][1], folder.nodes[kind[2]], source)
        folder.add_edges(kind, *pairs[kind])
        of = {"edge_time" if key == "time" else key: value for key, value in stores[kind].items()}
        add_values(folder, kind, pairs[kind].shape[1], of, PYG_NAMES, source)


# Planetoid: github.com/kimiyoung/planetoid. Vertices of the test without features are isolated, in Citeseer.

def convert_planetoid(source, folder):
    require("scipy")
    prefix = next(source.glob("ind.*.graph")).name[:-len("graph")]
    x, y, allx, ally, tx, ty, graph = (load(source / (prefix + end)) for end in
                                       ("x", "y", "allx", "ally", "tx", "ty", "graph"))
    test = np.loadtxt(source / (prefix + "test.index"), np.int64, ndmin=1)
    count = max(int(test.max()) + 1, len(graph))
    features, labels = np.zeros((count, allx.shape[1]), np.float32), np.zeros((count, ally.shape[1]), np.int64)
    features[:allx.shape[0]], labels[:allx.shape[0]] = allx.toarray(), ally
    features[test], labels[test] = tx.toarray(), ty
    ends = np.array([(s, d) for s, all_d in graph.items() for d in all_d], np.int64).reshape(-1, 2)
    ends = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
    check_ids(ends.reshape(-1), count, source / (prefix + "graph"))
    folder.add_nodes(NODE, count)
    folder.add_edges(EDGE, ends[:, 0], ends[:, 1])
    folder.feature(NODE, "node_feat", features)
    folder.save("node_label", NODE, labels.argmax(1))
    folder.save("train_idx", NODE, np.arange(x.shape[0]))
    folder.save("valid_idx", NODE, np.arange(x.shape[0], min(x.shape[0] + 500, allx.shape[0])))
    folder.save("test_idx", NODE, np.sort(test))


# DGL: src/graph/serialize and python/dgl/distributed/partition.py, releases 1.0.1, 1.1.3 and 2.1.0. DGL is not needed.

class DglFile:
    """Numbers of 8 bytes, texts and arrays one after the other, as dgl.save_graphs and dgl's save_tensors write them."""

    def __init__(self, path):
        self.path, self.at = path, 0
        self.data = np.fromfile(path, np.uint8) if path.stat().st_size < 2**20 else np.memmap(path, np.uint8, "r")

    def take(self, count):
        self.at += count
        if self.at > len(self.data):
            raise Fault(f"{self.path}: ends early, or is damaged; copy it again")
        return self.data[self.at - count:self.at]

    def number(self):
        return int.from_bytes(self.take(8).tobytes(), "little")

    def magic(self, *values):
        """Which of the values stands here; they begin arrays, matrices and graphs."""
        found = self.number()
        if found not in values:
            raise Fault(f"{self.path}: is no file that DGL 0.5 or newer wrote, or is damaged; save it again (pip install dgl)")
        return values.index(found)

    def list(self, read):
        return [read() for _ in range(self.number())]

    def text(self):
        return self.take(self.number()).tobytes().decode()

    def array(self):
        self.magic(0xDD5E40F096B4A13F)
        self.take(16)  # reserved, and the device
        dimensions = int.from_bytes(self.take(4).tobytes(), "little")
        code, bits = self.take(4)[:2]
        shape = [self.number() for _ in range(dimensions)]
        kind = {0: "i", 1: "u", 2: "f", 4: "V", 6: "b"}.get(int(code))
        size = self.number()
        if kind is None or size != np.prod(shape, dtype=np.int64) * (bits // 8):
            raise Fault(f"{self.path}: has an array of an unknown type, or is damaged; save it again")
        return self.take(size).view(f"{kind}{bits // 8}").reshape(shape)

    def tensors(self):
        return dict(self.list(lambda: (self.text(), self.array())))

    def matrix(self):
        """Row and column of every edge, in the order of edge ids."""
        compressed = self.magic(0xDD61FFD305DFF127, 0xDD6CD31205DFF127) == 1  # COO or CSR
        self.take(16)  # numbers of rows and columns
        rows, columns, ids = self.array(), self.array(), self.array()
        self.take(1 if compressed else 2)  # whether it is sorted
        rows = np.repeat(np.arange(len(rows) - 1), np.diff(rows)) if compressed else rows
        if len(rows) != len(columns) or len(ids) not in (0, len(rows)):
            raise Fault(f"{self.path}: has {len(rows)} sources for {len(columns)} destinations; save it again")
        pairs = np.stack([rows, columns]).astype(np.int64)
        if len(ids):
            check_once([(self.path, ids.astype(np.int64))], len(ids), None, "edge")
            pairs[:, ids] = pairs.copy()
        return pairs

    def meta_graph(self):
        self.magic(0xDD3C5FFE20046ABF)
        return self.matrix()

    def relation(self):
        self.magic(0xDD2E60F0F6B4A127)
        code, _ = self.number(), self.number()
        code = code & 7 if code >> 32 else 1 << code >> 1  # older releases number COO, CSR and CSC
        for bit in (1, 2, 4):
            if code & bit:
                self.meta_graph()
                pairs = self.matrix()[::-1 if bit == 4 else 1]
        return pairs

    def graph(self):
        """Vertices (number, tensors) and edges (ends, tensors) by type."""
        try:
            return self.read_graph()
        except (ValueError, TypeError, IndexError, OverflowError, MemoryError) as fault:  # whatever damaged bytes lead to
            raise Fault(f"{self.path}: is damaged ({str(fault).splitlines()[0]}); save it again") from None

    def read_graph(self):
        self.magic(0xDD2E4FF046B4A13F)
        version, _, count = self.number(), self.number(), self.number()
        if version != 2 or count != 1:
            raise Fault(f"{self.path}: has {count} graphs in version {version} of the format; save one by DGL 0.5 or newer")
        self.at = 4096
        self.at = self.number()
        self.magic(0xDD589FBE35224ABF)
        joined, pairs = self.meta_graph(), self.list(self.relation)
        counts, of_nodes, of_edges = self.list(self.number), self.list(self.tensors), self.list(self.tensors)
        nodes, edges = self.list(self.text), self.list(self.text)
        return (dict(zip(nodes, zip(counts, of_nodes))),
                dict(zip([(nodes[s], name, nodes[d]) for name, s, d in zip(edges, *joined)], zip(pairs, of_edges))))


DGL_NAMES = {"label": "node_label", "weight": "edge_weight", "train_mask": "train_idx", "val_mask": "valid_idx",
             "test_mask": "test_idx"}


def convert_dgl(source, folder):
    nodes, edges = DglFile(source).graph()
    folder.typed = len(nodes) > 1 or len(edges) > 1
    checked_types(nodes, edges, source)
    for kind, (count, tensors) in nodes.items():
        folder.add_nodes(kind if folder.typed else NODE, count)
        add_values(folder, kind if folder.typed else NODE, count, tensors, DGL_NAMES, source)
    for kind, (pairs, tensors) in edges.items():
        for end, ids in zip((kind[0], kind[2]), pairs):
            check_ids(ids, nodes[end][0], source)
        folder.add_edges(kind if folder.typed else EDGE, *pairs)
        add_values(folder, kind if folder.typed else EDGE, pairs.shape[1], tensors, DGL_NAMES, source)


def dgl_ids(ranges, num_parts, given, path):
    """For types: their number, parts and original ids; and for ids through all types: type, and original id."""
    counts = {kind: [end - first for first, end in of] for kind, of in ranges.items()}
    total = sum(map(sum, counts.values()))
    kinds, ids, books, originals = np.full(total, -1), np.zeros(total, np.int64), {}, {}
    if given:
        value = load(given)
        value = {":".join(k) if isinstance(k, tuple) else k: v for k, v in value.items()} if isinstance(value, dict) \
            else {next(iter(ranges)): value}
    for number, (kind, of) in enumerate(ranges.items()):
        check(len(of) == num_parts, path, f"has {len(of)} ranges of {kind} for {num_parts} parts")
        count, before = sum(counts[kind]), 0
        originals[kind] = numbers(entry(value, kind, given), given) if given else np.arange(count)
        check_once([(given or path, originals[kind])], count, None, f"ids of {kind}")
        books[kind] = np.empty(count, np.int64)
        for part, (first, end) in enumerate(of):
            kinds[first:end] = number
            here = originals[kind][before:before + end - first]
            ids[first:end], books[kind][here] = here, part
            before += end - first
    check((kinds >= 0).all(), path, "has ranges with gaps")
    return counts, books, originals, kinds, ids


def convert_dgl_partition(source, folder, given):
    try:
        meta = json.loads(source.read_text())
    except ValueError:
        raise Fault(f"{source}: is no JSON; partition the graph again") from None
    num_parts, node_map, edge_map = (entry(meta, key, source) for key in ("num_parts", "node_map", "edge_map"))
    nodes, edges = (sorted(entry(meta, key, source), key=meta[key].get) for key in ("ntypes", "etypes"))
    folder.typed = len(nodes) > 1 or len(edges) > 1
    kinds = [tuple(kind.split(":")) if ":" in kind or folder.typed else (nodes[0], kind, nodes[0]) for kind in edges]
    checked_types(nodes, kinds, source)
    check(isinstance(node_map, dict) and isinstance(edge_map, dict), source, "is of DGL before 1.0")
    node_map, edge_map = {n: node_map[n] for n in nodes}, {e: edge_map[e] for e in edges}
    counts, books, originals, _, node_ids = dgl_ids(node_map, num_parts, given["node_ids"], source)
    edge_counts, edge_books, edge_originals, edge_kinds, edge_ids = dgl_ids(edge_map, num_parts, given["edge_ids"], source)
    parts = []
    for part in range(num_parts):
        files = {key: source.parent / name for key, name in entry(meta, f"part-{part}", source).items()}
        path = entry(files, "part_graph", source)
        part_nodes, part_edges = DglFile(path).graph()
        (_, of_nodes), (pairs, of_edges) = next(iter(part_nodes.values())), next(iter(part_edges.values()))
        ids, edge = (numbers(entry(of, "_ID", path), path) for of in (of_nodes, of_edges))
        check_ids(ids, len(node_ids), path)
        check_ids(edge, len(edge_ids), path)
        tensors = []
        for key in ("node_feats", "edge_feats"):
            file = DglFile(entry(files, key, source))
            file.magic(0xDD5A9FBE3FA2443F)
            file.number()
            tensors.append(file.tensors())
        parts.append((path, node_ids[ids[pairs]], edge, entry(of_edges, "inner_edge", path) != 0, *tensors))

    def add_tensors(kind, name, originals, counts, values):
        """Tensors of all parts; their rows have the order of DGL's ids."""
        ids = [(p[0], i) for p, i in zip(parts, np.split(originals, np.cumsum(counts)[:-1]))]
        start = name + "/"
        found = dict.fromkeys(key for of in values for key in of if key.startswith(start))
        add_values(folder, kind, len(originals), {key[len(start):]: place(ids, [of.get(key) for of in values], len(originals))
                                                  for key in found}, DGL_NAMES, source)

    of_kind = {}
    for name in nodes:
        kind = of_kind[name] = name if folder.typed else NODE
        folder.add_nodes(kind, len(books[name]), books[name])
        add_tensors(kind, name, originals[name], counts[name], [p[4] for p in parts])
    books = {of_kind[name]: book for name, book in books.items()}
    for number, (name, kind) in enumerate(zip(edges, kinds)):
        kind = (of_kind[kind[0]], kind[1] if folder.typed else EDGE[1], of_kind[kind[2]])
        inner = [p[3] & (edge_kinds[p[2]] == number) for p in parts]
        add_peer_edges(folder, kind, [(p[0], edge_ids[p[2][i]]) for p, i in zip(parts, inner)],
                       [p[1][0][i] for p, i in zip(parts, inner)], [p[1][1][i] for p, i in zip(parts, inner)],
                       books, edge_books[name], True)
        add_tensors(kind, name, edge_originals[name], edge_counts[name], [p[5] for p in parts])


# Tables: CSV by pandas, Parquet by pyarrow.

TABLE_ENDS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t", ".parquet": None}
MISSING = ["", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None"]
WHOLE = r"\s*[+-]?[0-9]+\s*"
SPLIT_WORDS = {"train": "train", "valid": "valid", "val": "valid", "validation": "valid", "test": "test"}
UNITS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
NODE_ROLES, EDGE_ROLES = ("id", "label", "split", "time"), ("source", "destination", "split", "weight", "time")
SHORT = {"source": "src", "destination": "dst"}


def tables_of(source):
    """Files of tables by the stems of their names."""
    found = {}
    for path in sorted(source.iterdir()) if source.is_dir() else []:
        ends = [end for end in TABLE_ENDS if path.name.endswith(end)]
        if ends:
            stem = path.name[:-len(ends[0])]
            if stem in found:
                raise Fault(f"{path}: and {found[stem].name} are one table twice; leave one of them")
            found[stem] = path
    return found if "edges" in found or any("___" in stem for stem in found) else {}


def is_word(value):
    try:
        float(value)
        return False
    except (TypeError, ValueError):
        return True


def is_too_large(value):
    """True for text such as 1e999, which pandas reads as a word."""
    return not is_word(value) and np.isinf(float(value)) and "inf" not in str(value).lower()


def is_doubtful(column):
    """True for numbers of CSV that may be whole ones which pandas reads as fractions or texts."""
    present = column.dropna()
    if column.dtype.kind == "f":
        return 0 < len(present) < len(column) and (present % 1 == 0).all()
    present = present[~present.isin(MISSING)]  # pandas keeps these beside numbers that do not fit 64 bits
    return column.dtype.kind == "O" and len(present) and bool(re.fullmatch(WHOLE, str(present.iloc[0])))


class Table:
    """Columns of a file, some of which have roles."""

    def __init__(self, path, stem, roles, given):
        self.path, self.stem, self.given, self.pandas, self.said = path, stem, given, require("pandas"), []
        separator = next(separator for end, separator in TABLE_ENDS.items() if path.name.endswith(end))
        try:
            (self.read_parquet if separator is None else self.read_text)(roles, separator)
            self.rows = np.arange(len(self.frame))
        except (ValueError, EOFError, OSError, zlib.error) as fault:  # of pandas, pyarrow and gzip
            if isinstance(fault, OSError) and fault.filename:
                raise
            text = f"{fault or type(fault).__name__}".splitlines()[0]
            raise Fault(f"{path}: is no table, or damaged ({text}); mend it") from None

    def read_text(self, roles, separator):
        """Reads CSV; whole numbers of which some are missing are Python's, as float64 has no room for all of them."""
        read = functools.partial(self.pandas.read_csv, self.path, sep=separator, keep_default_na=False,
                                 low_memory=False)
        top = read(header=None, nrows=2, dtype=str)  # refuses a short header
        header = list(read(nrows=0, dtype=str).columns)
        columns = [name.strip() for name in header]
        names = self.find_roles(columns, roles, [n for n, word in zip(columns, top.iloc[0]) if not str(word).strip()])
        types = {name: str for name, of in zip(header, columns) if of in self.keys}
        missing = {name: MISSING for name in header if name not in types}
        self.frame = read(dtype=types, na_values=missing).set_axis(columns, axis=1)[names]
        doubtful = [i for i, name in enumerate(columns) if name in names and name not in self.keys
                    and is_doubtful(self.frame[name])]
        texts = read(usecols=doubtful, dtype=str, na_values=MISSING) if doubtful else None  # in the order of the file
        for i, number in enumerate(doubtful):
            column = texts.iloc[:, i]
            if column.dropna().astype(str).str.fullmatch(WHOLE).all():
                whole = [None if missing else int(text) for text, missing in zip(column, column.isna())]
                self.frame[columns[number]] = self.pandas.Series(whole, self.frame.index, object)

    def read_parquet(self, roles, _):
        require("pyarrow")
        import pyarrow.parquet
        is_a, table = pyarrow.types, pyarrow.parquet.read_table(self.path)
        table = table.rename_columns([str(name).strip() for name in table.column_names])
        table = table.select(self.find_roles(table.column_names, roles))
        for i, (name, kind) in enumerate(zip(table.column_names, table.schema.types)):
            rows = is_a.is_list(kind) or is_a.is_large_list(kind) or is_a.is_fixed_size_list(kind)
            if (is_a.is_nested(kind) and (not rows or name in self.keys)) or is_a.is_duration(kind) or \
                    is_a.is_time(kind) or is_a.is_interval(kind):
                raise Fault(f"{self.path}: column {name}: {kind} is no number, text or date; "
                            + ("write it as text" if name in self.keys else f"give --column ignore={name}"))
            if is_a.is_decimal(kind) and name not in self.keys:
                column = table.column(i)
                try:
                    column = column.cast(pyarrow.int64() if kind.scale <= 0 else pyarrow.float64())
                except pyarrow.ArrowInvalid:
                    column = column.cast(pyarrow.float64())
                table = table.set_column(i, name, column)
        self.frame = table.to_pandas(ignore_metadata=True, date_as_object=False, integer_object_nulls=True)

    def find_roles(self, names, roles, empty=None):
        """Finds the roles of columns; returns those that are not ignored. `empty`: columns of CSV without a name."""
        for name in names:
            if names.count(name) > 1:
                raise Fault(f"{self.path}: has two columns {name}; rename one")
        chosen = [option for option in self.given["column"] if option["table"] in (None, self.stem)
                  and option["name"] in names and option["role"] in roles + ("ignore",)]
        for option in chosen:
            option["used"] = True
        ignored = [option["name"] for option in chosen if option["role"] == "ignore"]
        all_names, names = names, [name for name in names if name not in ignored]
        by_option = {option["role"]: option["name"] for option in chosen if option["role"] != "ignore"}
        found = {role: role for role in roles if role in names}
        found.update((role, name) for role, name in SHORT.items()
                     if role in roles and role not in found and name in names and name not in by_option.values())
        found.update(by_option)
        free = [name for name in names if name not in found.values()]
        for role in roles[:1] if "id" in roles else roles[:2]:
            if role not in found:
                if not free:
                    raise Fault(f"{self.path}: has no column for the {role}; give one by --column {role}=NAME")
                found[role] = free.pop(0)
                if empty is not None and not is_word(found[role]):
                    raise Fault(f"{self.path}: the first line names the {role} column {found[role]}, a number; write a "
                                f"header line above the rows, or give --column {role}={found[role]}")
        for name in empty or ():
            if name in names and name != found.get("id") and name not in by_option.values():
                raise Fault(f"{self.path}: the header has no name for column {all_names.index(name) + 1}, or a "
                            f"separator at its end; mend the header, or give --column 'ignore={name}'")
        if len(set(found.values())) < len(found) or not set(found.values()) <= set(names):
            raise Fault(f"{self.path}: a column has two roles; give others by --column")
        self.roles, self.keys = found, [name for role, name in found.items() if role in ("id", "source", "destination")]
        return names

    def refuse(self, bad, name, what):
        """Fault of the first of the rows that are bad."""
        rows = np.flatnonzero(bad)
        if rows.size:
            missing, value = (of.iloc[rows[0]] for of in (self.frame[name].isna(), self.frame[name]))
            text = f"{self.fill(name)} of --missing" if missing else " ".join(str(value).split())
            text = text if len(text) < 100 else text[:100] + "..."
            raise Fault(f"{self.path}: row {self.rows[rows[0]] + 1}, column {name}: {what.replace('{}', text)}")

    def fill(self, name):
        """The number in place of missing values, an int or a float; None if there is none."""
        return self.given["missing"].get(name, self.given["missing"].get(None))

    def kind(self, name):
        """Kind of a column's numbers, as of NumPy's types, also if some are missing; "O" for words and lists."""
        column = self.frame[name]
        if column.dtype.kind != "O":
            return column.dtype.kind
        found = self.pandas.api.types.infer_dtype(column, skipna=True) if len(column) else "string"
        return {"integer": "i", "empty": "i", "boolean": "b"}.get(found, "O")

    def ids(self, role):
        """Place of every id in the list of the distinct ones; and that list, of numbers or texts."""
        name = self.roles[role]
        column = self.frame[name]
        self.refuse(column.isna() | (column == ""), name, "the id is missing; give one, or remove the row")
        codes, distinct = self.pandas.factorize(column)
        return codes, [word if isinstance(word, (int, np.integer)) else str(word) for word in distinct.tolist()]

    def splits(self, ends=("",)):
        """Name of every row's split, with one of the ends, or a missing value."""
        name = self.roles["split"]
        named = {word + end: split + end for word, split in SPLIT_WORDS.items() for end in ends}
        column = self.frame[name]
        words = column.where(column != "").map(lambda word: named.get(str(word).lower(), ""), na_action="ignore")
        self.refuse(words == "", name, "'{}' is none of " + ", ".join(split + end for end in ends for split in SPLITS))
        return words

    def take_pairs(self, folder, kind, pairs):
        """Writes the pairs of link splits; the rows that are edges stay, without that column. Returns their pairs."""
        if "split" not in self.roles:
            return pairs
        words = self.splits(("", "_neg"))
        for split in sorted(set(words.dropna())):
            base, *negative = split.split("_")
            folder.save("_".join([base, "edge", *negative]), kind, pairs[:, np.flatnonzero(words == split)])
        kept = np.flatnonzero(words.isna() | (words == "train"))
        self.said.append(f"{len(words) - len(kept)} pairs that are no edges")
        self.frame = self.frame.iloc[kept].drop(columns=self.roles["split"]).reset_index(drop=True)
        self.rows = self.rows[kept]
        return pairs[:, kept]

    def filled(self, name):
        """A column without missing values; whole numbers stay so, if those in place of missing values are whole."""
        column, kind, fill = self.frame[name], self.kind(name), self.fill(name)
        missing = column.isna()
        if missing.any():
            if fill is None:
                self.refuse(missing, name, f"the value is missing; fill it in, or give --missing {name}=NUMBER")
            self.said.append(f"{int(missing.sum())} missing of {name} = {fill}")
            column = column.where(~missing, float(fill)) if kind == "f" else column.astype(object).where(~missing, fill)
        if kind not in "ib" or self.frame[name].dtype.kind != "O":
            return column
        if missing.any() and not isinstance(fill, int):
            lost = np.array([int(np.float32(value)) != value for value in column]) & ~missing
            self.refuse(lost, name, f"{{}} does not fit float32, which --missing {fill} needs; give a whole number")
            return column.astype(np.float64)
        self.refuse([not -2**63 <= value < 2**63 for value in column], name, "{} does not fit int64; scale the column")
        return column.astype(np.int64)

    def times(self, name):
        """Times in whole units since 1970; numbers are taken as they are."""
        unit, column, kind = self.given["time_unit"], self.frame[name], self.kind(name)
        missing = column.isna()
        if self.fill(name) is not None and not isinstance(self.fill(name), int):
            self.refuse(missing, name, "the time {} is no whole number; give a whole number")
        filled = self.filled(name)
        if kind in "iuf":
            self.refuse(filled % 1 != 0, name, "the time {} is no whole number; scale the column")
            self.refuse(filled.abs() >= 2.0**63, name, "the time {} does not fit int64; scale the column")
            self.refuse((filled.abs() >= 2.0**53) & (kind == "f"), name,
                        "the time {} is a fraction that has lost digits; write whole numbers without a point")
            return filled.to_numpy(np.int64)
        self.refuse(~missing & (kind == "b"), name, "'{}' is no time; give another column, or --column ignore=" + name)
        text = kind != "M"
        form = {"format": "ISO8601"} if text and int(self.pandas.__version__.split(".")[0]) > 1 else {}
        read = self.pandas.to_datetime(column, utc=True, errors="coerce", **form)
        first, last = (self.pandas.Timestamp(day, tz="UTC") for day in ("1677-09-22", "2262-04-11"))
        far = (read < first) | (read >= last)
        wrong = ~column.astype(str).str.match("[0-9]{4}-[0-9]{2}-[0-9]{2}") if text else False  # no day before a month
        if text:  # pandas 1 reads no times that are far
            years = self.pandas.to_numeric(column.astype(str).str[:4], errors="coerce")
            far |= ((years < 1677) | (years > 2262)) & ~wrong
        self.refuse(far, name, "the time {} is outside of 1678 to 2262; write it as a number")
        self.refuse((read.isna() | wrong) & ~missing, name,
                    "'{}' is no time; write it as 2024-05-31 12:00:00, or as a number")
        read = read.where(~missing, self.pandas.Timestamp(0, tz="UTC"))
        nanoseconds = read.astype("datetime64[ns, UTC]").astype(np.int64).to_numpy()
        self.refuse(nanoseconds % UNITS[unit], name, f"the time {{}} is finer than {unit}; give a finer --time-unit")
        self.said.append(f"{name} in {unit} since 1970 UTC")
        return np.where(missing, filled.where(missing, 0).astype(np.int64), nanoseconds // UNITS[unit])

    def to_float32(self, wide, name):
        """Numbers as float32, of which none may become infinite."""
        with np.errstate(over="ignore"):
            values = wide.astype(np.float32)
        lost = np.isinf(values) & np.isfinite(wide)
        self.refuse(lost.reshape(len(lost), -1).any(1), name, "{} is too large for float32; scale the column")
        return values

    def values(self, name, folder):
        """Array of a column: numbers, times, or codes of words."""
        role = next((role for role, of in self.roles.items() if of == name), None)
        column, kind = self.frame[name], self.kind(name)
        if kind == "M" or role == "time":
            return self.times(name)
        if kind in "biu" and role != "weight":
            whole = self.filled(name)
            if whole.dtype.kind in "iub":
                return whole.to_numpy(np.uint8) if kind == "b" and whole.isin((0, 1)).all() else whole.to_numpy()
            return whole.to_numpy(np.float32)
        if kind in "biuf":
            wide = self.filled(name).to_numpy(np.float64)
            self.refuse(~np.isfinite(wide), name, "{} is not finite; mend the value")
            if role == "label" and (wide % 1 == 0).all():
                self.refuse(np.abs(wide) >= 2.0**63, name, "the label {} does not fit int64; number labels from 0")
                self.refuse(np.abs(wide) >= 2.0**53, name,
                            "the label {} is a fraction that has lost digits; write whole numbers without a point")
                return wide.astype(np.int64)
            values = self.to_float32(wide, name)
            if role == "weight":
                self.refuse(wide < 0, name, "the weight {} is negative; weights are 0 or more")
                self.refuse((wide > 0) & (values < np.finfo(np.float32).tiny), name,
                            "the weight {} is too small for float32; multiply the column by a number, or make it 0")
            return values
        if any(isinstance(value, (list, np.ndarray)) for value in column[column.notna()].iloc[:1]):
            self.refuse(column.isna(), name, "the list is missing; fill it in")
            lengths = column.map(len)
            self.refuse(lengths != lengths.iloc[0], name, f"the list has not {lengths.iloc[0]} values as that of row 1")
            rows = np.stack(column.to_numpy())
            bad = ~np.isfinite(rows) if rows.dtype.kind in "iufb" else self.pandas.isna(rows)
            self.refuse(bad.reshape(len(rows), -1).any(1), name,
                        f"the list has a value that is missing or not finite; mend it, or give --column ignore={name}")
            if rows.dtype.kind not in "iufb":
                raise Fault(f"{self.path}: column {name}: lists of {rows.dtype} are no numbers; give --column ignore={name}")
            return self.to_float32(rows, name) if rows.dtype.kind == "f" else rows
        if role == "weight":
            self.refuse(column.map(is_word), name, "'{}' is no number; weights are finite numbers of 0 or more")
        self.refuse(column.map(is_too_large), name, "'{}' is too large for float32; scale the column")
        missing, fill = column.isna().to_numpy(), self.fill(name)
        filled = self.filled(name)
        words = sorted(set(column[~missing].astype(str)))
        if not isinstance(fill, int) or fill > len(words) or (fill >= 0 and name not in self.given["missing"]):
            self.refuse(missing, name, f"the word is missing, for which {fill} of --missing is no code; give "
                                       f"--missing {name}=-1 for none, or --missing {name}=CODE, 0 to {len(words)}")
        codes = self.pandas.Index(words, dtype=object).get_indexer(column.astype(str)).astype(np.int64)
        codes[missing] = filled[missing].astype(np.int64) if missing.any() else 0
        folder.categories.setdefault(self.stem, {})[name] = words
        self.said.append(f"{name} in {len(words)} categories")
        return codes

    def add_to(self, folder, kind, places=None):
        """Writes all columns but the ids, in the order of the places."""
        def in_order(values):
            ordered = values if places is None else np.empty_like(values)
            if places is not None:
                ordered[places] = values
            return ordered

        role_of = {name: role for role, name in self.roles.items()}
        names = [name for name in self.frame.columns if name not in self.keys]
        numbered = {}
        for name in names:
            if "/" in name or "\0" in name:
                raise Fault(f"{self.path}: column {name} names no file; rename it, or give --column ignore={name}")
            stem, digits = re.fullmatch("(.*?)([0-9]*)", name, re.DOTALL).groups()
            if digits and stem.rstrip("_.") and name not in role_of and self.kind(name) in "iufb":
                numbered.setdefault(stem, {})[int(digits)] = name
        groups = {stem.rstrip("_."): [of[i] for i in sorted(of)] for stem, of in numbered.items()
                  if len(of) > 1 and sorted(of) == list(range(len(of))) and stem.rstrip("_.") not in names}
        # The names that labels of vertices and times of edges get when they are loaded.
        for role, name in (("label", "y"),) if isinstance(kind, str) else (("time", "time"),):
            if role in self.roles and name not in role_of and name in [*names, *groups]:
                raise Fault(f"{self.path}: column {name}: has the name that glt gives to the {role} column "
                            f"{self.roles[role]}; rename it, or give --column ignore={name}")
        for name in names:
            if role_of.get(name) == "split":
                words = self.splits()
                for split in SPLITS:
                    if (words == split).any():
                        folder.save(f"{split}_idx", kind, np.sort(places[np.flatnonzero(words == split)]))
            elif not any(name in of for of in groups.values()):
                values = in_order(self.values(name, folder))
                role, of = role_of.get(name), "node" if isinstance(kind, str) else "edge"
                if role:
                    folder.save(f"{of}_{role}", kind, values)
                else:
                    folder.feature(kind, name, values)
        for stem, of in groups.items():
            rows = np.stack([self.values(name, folder) for name in of], 1)
            folder.feature(kind, stem, in_order(rows.astype(np.float32) if rows.dtype.kind == "f" else rows))
            self.said.append(f"{of[0]} to {of[-1]} = {stem}")
        roles = [f"{role} = {name}" for role, name in self.roles.items()]
        what = "vertices" if isinstance(kind, str) else "edges"
        print(f"{self.path.name}: {len(self.frame)} {what}; " + "; ".join(roles + self.said))


def number_ids(lists):
    """Distinct ids of several lists in ascending order, and for each list the places of its ids among them."""
    words = [word for of in lists for word in of]
    whole = all(not isinstance(word, str) or re.fullmatch("0|-?[1-9][0-9]*", word) for word in words)
    if whole and all(-2**63 <= int(w) < 2**63 for w in words):
        found, places = np.unique(np.array([int(w) for w in words], np.int64), return_inverse=True)
    else:
        found, places = np.unique(np.array([str(w) for w in words], object), return_inverse=True)
    return found, np.split(places, np.cumsum([len(of) for of in lists])[:-1])


def convert_tables(source, folder, given):
    files = tables_of(source)
    folder.typed = "edges" not in files
    kinds = {stem: tuple(stem.split("___")) for stem in files if "___" in stem} if folder.typed else {"edges": EDGE}
    if not folder.typed and any("___" in stem for stem in files):
        raise Fault(f"{source}: has edges with types beside {files['edges'].name}; name all tables SRC___REL___DST")
    names = list(dict.fromkeys(name for kind in kinds.values() for name in (kind[0], kind[-1])))
    checked_types(names, kinds.values(), source)
    stems = {name: name if folder.typed else "nodes" for name in names}
    for stem in files.keys() - kinds.keys() - set(stems.values()):
        why = f"no edges join vertices of that type; types are {', '.join(names)}" if folder.typed else \
            f"vertices have the table nodes beside {files['edges'].name}; rename it if it is that one"
        print(f"note: {files[stem]} is left out: {why}")
    edges = {stem: Table(files[stem], stem, EDGE_ROLES, given) for stem in kinds}
    nodes = {name: Table(files[stem], stem, NODE_ROLES, given) for name, stem in stems.items() if stem in files}
    tables = [*nodes.values(), *edges.values()]
    there = "; ".join(f"{t.stem}: {', '.join(t.frame.columns)}" for t in tables)
    for option in given["column"]:
        if not option.get("used"):
            raise Fault(f"--column {option['text']}: no table has the column, or it has no such role; tables: {there}")
    for name in given["missing"]:
        if name is not None and not any(name in t.frame.columns for t in tables):
            raise Fault(f"--missing {name}={given['missing'][name]}: no table has the column; tables: {there}")
    ends = {}
    for name in names:
        columns = [(nodes[name], "id")] if name in nodes else []
        columns += [(edges[stem], role) for stem, kind in kinds.items()
                    for role, of in (("source", kind[0]), ("destination", kind[2])) if of == name]
        coded = [table.ids(role) for table, role in columns]
        found, places = number_ids([distinct for _, distinct in coded])
        numbered = [place[codes] for place, (codes, _) in zip(places, coded)]
        for (table, role), of in zip(columns, numbered):
            ends[table.stem, role] = of
        if name in nodes:
            listed, first = np.unique(numbered[0], return_index=True)
            again = ~np.isin(np.arange(len(numbered[0])), first)
            nodes[name].refuse(again, nodes[name].roles["id"], "the id '{}' was there before; keep one row of it")
            for (table, role), of in zip(columns[1:], numbered[1:]):
                table.refuse(~np.isin(of, listed), table.roles[role],
                             f"'{{}}' is no id of {nodes[name].path.name}; add it there")
        folder.add_nodes(name, len(found))
        folder.add_ids(name, found, nodes[name].roles["id"] if name in nodes else "id")
        if name in nodes:
            nodes[name].add_to(folder, name, numbered[0])
    for stem, kind in kinds.items():
        folder.add_edges(kind, *edges[stem].take_pairs(folder, kind,
                                                       np.stack([ends[stem, "source"], ends[stem, "destination"]])))
        edges[stem].add_to(folder, kind)


def read_ids(path):
    """Column of a file ids.parquet or ids.csv."""
    pandas = require("pandas")
    if path.suffix == ".parquet":
        require("pyarrow")
    try:
        table = pandas.read_parquet(path) if path.suffix == ".parquet" else \
            pandas.read_csv(path, dtype=str, keep_default_na=False)
        if list(table.columns[:-1]) == ["vertex"]:
            return table.iloc[:, 1]
    except ValueError:
        pass
    raise Fault(f"{path}: is no table with ids; give the ids.parquet or ids.csv that convert.py wrote")


def write_table(path, frame):
    if path.suffix == ".parquet":
        require("pyarrow")
    with new_file(path) as scratch:
        (frame.to_parquet if path.suffix == ".parquet" else frame.to_csv)(scratch, index=False)


def read_words(path, stem, name):
    """Words of the codes in a column of a table, from categories.json."""
    try:
        known = json.loads(path.read_text())
        tables = {of: list(columns) for of, columns in known.items()}
    except (ValueError, AttributeError, TypeError):
        raise Fault(f"{path}: holds no words of columns; give the categories.json that convert.py wrote") from None
    if name not in tables.get(stem, ()):
        there = "; ".join(f"{of}: {', '.join(columns)}" for of, columns in tables.items())
        raise Fault(f"{path}: has no words of the column {name} of {stem}; it has {there}; give --column label=NAME")
    return known[stem][name]


def join_results(results, ids, out, categories=None, label="label"):
    """Table with the id of every row of an array, and words in place of codes if categories are given."""
    try:
        values = np.load(results, mmap_mode="r")
    except (ValueError, EOFError) as fault:
        raise Fault(f"{results}: is no whole .npy file ({str(fault).splitlines()[0]}); make it again") from None
    found = read_ids(ids)
    if values.ndim not in (1, 2) or len(values) != len(found):
        raise Fault(f"{results}: has the shape {list(values.shape)}, and {ids} has {len(found)} ids; give the file of "
                    f"ids that convert.py wrote beside these arrays")
    columns = {"value": values} if values.ndim == 1 else {f"value{i}": values[:, i] for i in range(values.shape[1])}
    if categories:
        words = read_words(categories, ids.stem.removeprefix("ids").lstrip(".") or "nodes", label)
        if values.ndim != 1 or values.dtype.kind not in "iu" or not all(-1 <= code < len(words) for code in values.tolist()):
            raise Fault(f"{results}: has values that are no codes of {label}, 0 to {len(words) - 1}, or -1 for none; "
                        f"give one class for every vertex, or leave --categories out")
        columns = {label: [words[code] if code >= 0 else None for code in values.tolist()]}
    write_table(out, require("pandas").DataFrame({"id" if found.name in columns else found.name: found, **columns}))
    print(f"wrote {out}: {len(found)} rows")


# The Open Graph Benchmark: splits of torch.save, as the arrays and tables that glt-partition reads instead.

def table(folder, name):
    for path, opened in ((folder / f"{name}.csv.gz", gzip.open), (folder / f"{name}.csv", open)):
        if path.exists():
            try:
                with opened(path, "rt") as file:
                    return [line.strip().split(",") for line in file]
            except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as fault:
                raise Fault(f"{path}: is damaged ({fault}); unpack the set again") from None
    return None


def convert_ogb(source):
    raw = source / "raw" if (source / "raw").is_dir() else source
    root = raw.parent if raw.name == "raw" else source
    names = table(raw, "num-node-dict")
    counts = dict(zip(*names[:2])) if names else {"": (table(raw, "num-node-list") or [["0"]])[0][0]}
    triples = [tuple(t) for t in (table(raw, "triplet-type-list") or [])] if names else []
    written = []

    def save(path, values):
        path.parent.mkdir(exist_ok=True)
        with new_file(path) as scratch:
            if path.suffix == ".npy":
                np.save(scratch, values)
            else:
                np.savetxt(scratch, values, "%d")
        written.append(path)

    def left_out(name, keys, path):
        for key in keys:
            print(f"note: {path}: {key!r} of {name} is left out: it is no type of vertices, and no pairs of them")

    def save_pairs(name, content, path, folder):
        pairs = {key: array(content[key], path) for key in ("edge", "edge_neg") if key in content}
        used = set(pairs)
        for first, second in (("source_node", "target_node"), ("head", "tail")):
            if not pairs and first in content and second in content:
                ends = [numbers(content[key], path) for key in (first, second)]
                check(len(ends[0]) == len(ends[1]), path, f"has {len(ends[0])} {first} and {len(ends[1])} {second}")
                pairs["edge"], used = np.stack(ends, 1), {first, second}
        for key, values in pairs.items():
            if values.ndim != 2 or values.shape[1] != 2:
                raise Fault(f"{path}: {key} has the shape {list(values.shape)}; pairs are [L, 2]")
            save(folder / f"{name}_{key}.npy", values.T)
        left_out(name, [key for key in content if pairs and key not in used], path)
        return bool(pairs)

    def save_typed(split, name, content, path):
        """Pairs of relations with numbers, as in ogbl-biokg: a table edge_reltype has the number of each."""
        numbers_of = {}
        for triple in triples:
            rows = table(raw / "relations" / "___".join(triple), "edge_reltype")
            if rows:
                numbers_of[int(rows[0][0])] = triple
        head, tail, relation = (numbers(content[key], path) for key in ("head", "tail", "relation"))
        for number in np.unique(relation):
            if number not in numbers_of:
                raise Fault(f"{path}: has relation {number}, which no edge_reltype names; unpack the set again")
            here = relation == number
            save_pairs(name, {"head": head[here], "tail": tail[here]}, path,
                       split / "___".join(numbers_of[number]))

    def save_split(split, name, content, path):
        if not isinstance(content, dict):
            content = {"": content}
        if triples and {"head", "tail", "relation"} <= set(content):
            return save_typed(split, name, content, path)
        if not triples and save_pairs(name, content, path, split):
            return None
        for key, values in content.items():
            key = "" if key == "node" and not triples else key
            if key not in counts:
                left_out(name, [key], path)
                continue
            values = array(values, path)
            values = np.flatnonzero(values) if values.dtype == bool else numbers(values, path)
            check_ids(values, int(counts[key]), path)
            save(split / key / f"{name}.csv", values)
        return None

    for path in sorted(root.glob("split/*/*.pt")):
        if path.stem in SPLITS:
            save_split(path.parent, path.stem, load(path), path)
        elif path.stem == "split_dict":
            content = load(path)
            for name in SPLITS:
                if isinstance(content, dict) and content.get(name) is not None:
                    save_split(path.parent, name, content[name], path)
    if not written:
        raise Fault(f"{source}: has no split/NAME/train.pt, valid.pt, test.pt or split_dict.pt to convert; "
                    f"glt-partition reads it as it is")
    print(f"wrote {', '.join(str(p) for p in written)}\n"
          f"next: glt-partition {source} --parts P --out parts")


def found_files(source, given):
    """Labels and splits that were given, and those where the examples of the libraries write them."""
    files = {}
    name = source.name[:-len("-partitions")] if source.name.endswith("-partitions") else source.name
    places = [(source, "*"), (source.parent, glob.escape(name))]
    for what, folders in (("labels", ["label"]), ("train", ["train-partitions"]),
                          ("valid", ["val-partitions", "valid-partitions"]), ("test", ["test-partitions"])):
        paths = [(None, p) for place, stem in places for end in folders for p in sorted(place.glob(f"{stem}-{end}"))]
        for text in given[what] or []:
            kind, equals, rest = text.partition("=")
            typed = equals and not pathlib.Path(text).exists()
            paths = [] if text is given[what][0] else paths
            paths.append((kind, pathlib.Path(rest)) if typed else (None, pathlib.Path(text)))
        files[what] = []
        for kind, path in paths:
            inside = sorted(p for p in path.iterdir() if p.suffix in (".pt", ".npy")) if path.is_dir() else [path]
            files[what] += [(kind, p) for p in inside]
        if paths:
            print(f"{what}: {', '.join(str(p) for _, p in paths)}")
    return files


def convert(source, out, given):
    global ADVICE
    ADVICE = "partition the graph again"
    if not source.exists():
        raise Fault(f"{source}: no such file or folder; give one of those that --help names")
    if source.suffix == ".pt":
        reader, ADVICE = convert_data, "save the graph again"
    elif source.suffix in (".bin", ".dgl"):
        reader, ADVICE = convert_dgl, "save the graph again"
    elif source.suffix == ".json":
        reader = functools.partial(convert_dgl_partition, given=given)
    elif (source / "META.json").exists():
        reader = convert_pyg
    elif (source / "META").exists():
        reader = convert_graphlearn
    elif any(source.glob("ind.*.graph")):
        reader, ADVICE = convert_planetoid, "unpack the set again"
    elif any((p / f"num-node-{kind}.csv{end}").exists() for p in (source, source / "raw") for kind in ("list", "dict")
             for end in ("", ".gz")):
        if out is not None:
            raise Fault(f"{source}: is a set of OGB, whose splits are written into it; leave out {out}")
        ADVICE = "unpack the set again"
        return convert_ogb(source)
    elif tables_of(source):
        reader, ADVICE = functools.partial(convert_tables, given=given), "rename the tables"
    else:
        raise Fault(f"{source}: has no META.json (PyG), META (GraphLearn), ind.NAME.graph (Planetoid), "
                    f"num-node-list.csv.gz (OGB) or edges.csv, edges.parquet (tables); give the folder that has it, "
                    f"or a file .pt (PyG), .bin (DGL) or .json (DistDGL)")
    if out is None:
        raise Fault("OUT: name a folder that is not there, or empty")
    with new_folder(out) as scratch:
        folder = Folder(scratch)
        reader(source, folder)
        files, ADVICE = found_files(source.resolve(), given), "give other labels or splits"
        if folder.parts and not any(files.values()) and not folder.labelled:
            print("note: there are no labels and splits beside the partition; give them by --labels, --train, ...")
        folder.add_given(files)
        folder.finish()
    keep = f" --method file --assignment {out}/part.npy" if folder.parts else ""
    num_parts = max(int(p.max(initial=0)) for p in folder.parts) + 1 if folder.parts else "P"
    print(f"wrote {out}: {sum(folder.nodes.values())} vertices, {len(folder.edges)} type(s) of edges\n"
          f"next: glt-partition {out} --parts {num_parts}{keep} --out parts")
    return None


def column_option(text):
    found = re.fullmatch("(?:([^=]+):)?(" + "|".join({*NODE_ROLES, *EDGE_ROLES, "ignore"}) + ")=(.+)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text}: write ROLE=NAME; roles are {', '.join(dict.fromkeys(NODE_ROLES + EDGE_ROLES))}, ignore")
    return dict(zip(("table", "role", "name"), [word and word.strip() for word in found.groups()]), text=text)


def missing_option(text):
    """Column or None, and the number: an int if it is whole and fits int64."""
    column, _, number = text.rpartition("=")
    value = float(number)
    if not np.isfinite(value):
        raise argparse.ArgumentTypeError(f"{number} is not finite; give a number")
    whole = int(number) if re.fullmatch(WHOLE, number) else int(value) if value.is_integer() else None
    return column.strip() or None, whole if whole is not None and -2**63 <= whole < 2**63 else value


def main(words=None):
    global TRUST
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="SOURCE", type=pathlib.Path)
    parser.add_argument("out", metavar="OUT", type=pathlib.Path, nargs="?")
    for option in ("labels",) + SPLITS:
        parser.add_argument("--" + option, metavar="[TYPE=]FILE", action="append")
    parser.add_argument("--trust", action="store_true", help="load pickles of any class; they can run code")
    parser.add_argument("--column", metavar="[TABLE:]ROLE=NAME", action="append", type=column_option, default=[])
    parser.add_argument("--missing", metavar="[COLUMN=]NUMBER", action="append", type=missing_option, default=[])
    parser.add_argument("--node-ids", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--edge-ids", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--time-unit", choices=UNITS, default="s")
    parser.add_argument("--results", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--ids", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--categories", metavar="FILE", type=pathlib.Path)
    arguments = vars(parser.parse_args(words))
    TRUST = arguments.pop("trust")
    arguments["missing"] = dict(arguments["missing"])
    results, ids, categories = (arguments.pop(name) for name in ("results", "ids", "categories"))
    if (results is None) != (ids is None) or (results and arguments["out"]) or (categories and not results):
        parser.error("results are joined by: --results FILE --ids FILE [--categories FILE] OUT.csv")
    for ending in (signal.SIGTERM, signal.SIGHUP):  # as by Ctrl-C: what is not complete is removed
        if signal.getsignal(ending) == signal.SIG_DFL:
            signal.signal(ending, lambda number, _: sys.exit(128 + number))
    try:
        if results:
            names = [option["name"] for option in arguments["column"] if option["role"] == "label"]
            join_results(results, ids, arguments["source"], categories, *names[-1:])
            return 0
        convert(arguments.pop("source"), arguments.pop("out"), arguments)
    except (Fault, OSError) as wrong:
        print(f"convert.py: {wrong}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
