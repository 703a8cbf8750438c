# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""W1 as bench_peers has written it, for the libraries that glt is measured beside, and how they are measured."""
import json
import math
import pathlib
import sys
import time

import numpy as np

FANOUTS = [15, 10, 5]
BATCH = 1024
COLUMNS = 128


class Workload:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.indptr = self.read("indptr")
        self.indices = self.read("indices")
        self.num_vertices = len(self.indptr) - 1
        self.connected = np.flatnonzero(np.diff(self.indptr) > 0)

    def read(self, name):
        return np.load(self.folder / f"{name}.npy").astype(np.int64)

    def batches(self, count, vertices=None):
        """The seeds of glt_bench::batch_of: as far apart as a stride without a common factor takes them."""
        vertices = self.connected if vertices is None else vertices
        stride = 7919
        while math.gcd(stride, len(vertices)) != 1:
            stride += 1
        steps = np.arange(count * BATCH, dtype=np.int64) % len(vertices) * stride % len(vertices)
        return vertices[steps].reshape(count, BATCH)

    def rows_of_batches(self):
        return np.split(self.read("batch_vertices"), self.read("batch_ends")[:-1])

    def typed(self):
        """Counts of vertices by type, and (offsets, sources) by (source type, name, destination type)."""
        lines = [line.split() for line in (self.folder / "typed.txt").read_text().splitlines()]
        types = {words[0]: int(words[1]) for words in lines if len(words) == 2}
        names = [tuple(words) for words in lines if len(words) == 3]
        return types, {name: (self.read(f"typed_{e}_indptr"), self.read(f"typed_{e}_indices")) for e, name in enumerate(names)}

    def features(self, rows, columns=COLUMNS):
        return (np.arange(rows * columns, dtype=np.int64) % 1021).astype(np.float32).reshape(rows, columns)


def features_and_classes(rows, num_classes):
    """Rows that tell the class of a vertex; as in bench/torch/training.cpp."""
    numbers = np.arange(rows, dtype=np.int64) * COLUMNS % 1021
    values = np.empty((rows, COLUMNS), np.float32)
    for column in range(COLUMNS):
        values[:, column] = ((numbers + column) % 1021).astype(np.float32) / np.float32(1021) - np.float32(0.5)
    return values, numbers * num_classes // 1021


def rate(work, items, seconds=2.0):
    """Items a second: `work(item)` returns a tuple of counts; items come in turn for `seconds`, the first two unmeasured."""
    for item in items[:2]:
        work(item)
    totals, step, start = None, 0, time.perf_counter()
    while step == 0 or time.perf_counter() - start < seconds:
        counts = work(items[step % len(items)])
        totals = counts if totals is None else tuple(a + b for a, b in zip(totals, counts))
        step += 1
    spent = time.perf_counter() - start
    return tuple(total / spent for total in totals)


def report(**figure):
    print("figure " + json.dumps(figure), flush=True)


def arguments():
    """task and folder of the command line."""
    if len(sys.argv) < 3:
        raise SystemExit(f"usage: {sys.argv[0]} TASK FOLDER")
    return sys.argv[1], Workload(sys.argv[2])
