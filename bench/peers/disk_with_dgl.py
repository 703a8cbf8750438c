# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GraphBolt's features on disk, for bench/disk.sh: disk_with_dgl.py FILE of rows of 512 bytes; writes rows/s as JSON.

pip's DGL 2.1.0 has no DiskBasedFeature (io_uring, in later sources): its OnDiskDataset maps features that are not in memory.
"""
import json
import os
import sys
import time

import dgl.graphbolt as gb
import numpy as np
import torch

COLUMNS, ROWS = 128, 2_000
path = sys.argv[1]
file = os.open(path, os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
table = np.memmap(path, np.float32, "c").reshape(-1, COLUMNS)
feature = gb.TorchBasedFeature(torch.from_numpy(table))
ids = torch.from_numpy(np.random.default_rng(7).integers(0, len(table), ROWS))
start = time.perf_counter()
assert feature.read(ids).shape == (ROWS, COLUMNS)
print(json.dumps({"GraphBolt, mapped, cold": ROWS / (time.perf_counter() - start)}))
