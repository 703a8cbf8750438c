# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GraphLearn-for-PyTorch, and what torch and PyG of its environment do: with_graphlearn.py sample|features|load|spmm FOLDER."""
import os
import time

import torch

from workload import BATCH, COLUMNS, FANOUTS, arguments, rate, report

LIBRARY = "GraphLearn"


def topology(work, own=None):
    """The rows of the vertices `own`, or all, at their global ids."""
    from graphlearn_torch.data import Graph, Topology

    indptr, indices = torch.from_numpy(work.indptr), torch.from_numpy(work.indices)
    if own is not None:
        degrees = indptr.diff() * own
        indices = indices[own.repeat_interleave(indptr.diff())]
        indptr = torch.cat([torch.zeros(1, dtype=torch.int64), degrees.cumsum(0)])
    return Graph(Topology((indptr, indices), input_layout="CSR", layout="CSR"), "CPU")


def sample(work):
    from graphlearn_torch.sampler import NeighborSampler, NodeSamplerInput

    sampler = NeighborSampler(topology(work), FANOUTS, device=torch.device("cpu"))
    batches = [torch.from_numpy(seeds) for seeds in work.batches(40)]
    for threads in (1, 2):
        torch.set_num_threads(threads)

        def one(seeds):
            out = sampler.sample_from_nodes(NodeSamplerInput(node=seeds))
            return (len(out.row), 1)

        edges, count = rate(one, batches, 4.0)
        report(task="sample", library=LIBRARY, threads=threads, edges=edges, edges_per_batch=edges / count)


def features(work):
    from graphlearn_torch.data import Feature

    table = torch.from_numpy(work.features(work.num_vertices))
    store = Feature(table, with_gpu=False)
    rows = [torch.from_numpy(rows) for rows in work.rows_of_batches()]
    out = torch.empty(max(map(len, rows)), COLUMNS)
    for threads in (1, 2):
        torch.set_num_threads(threads)
        (found,) = rate(lambda ids: (len(store[ids]),), rows)
        report(task="features", library=LIBRARY, threads=threads, rows=found)
        (found,) = rate(lambda ids: (len(torch.index_select(table, 0, ids, out=out[: len(ids)])),), rows)
        report(task="features", library="torch index_select", threads=threads, rows=found)


def spmm(work):
    from torch_geometric.utils import spmm as pyg_spmm

    size = (work.num_vertices, work.num_vertices)
    adjacency = torch.sparse_csr_tensor(torch.from_numpy(work.indptr), torch.from_numpy(work.indices),
                                        torch.ones(len(work.indices)), size)
    for columns in (32, 128):
        x = torch.from_numpy(work.features(work.num_vertices, columns))
        for threads in (1, 2):
            torch.set_num_threads(threads)
            (edges,) = rate(lambda _: (pyg_spmm(adjacency, x, "sum") is x, len(work.indices))[1:], [None])
            report(task="spmm", library="PyG spmm", threads=threads, columns=columns, edges=edges)


def load_rank(rank, folder, separate, ports, results):
    from graphlearn_torch import distributed
    from graphlearn_torch.data import Feature
    from workload import Workload

    torch.set_num_threads(1)
    work = Workload(folder)
    part_of = torch.from_numpy(work.read("part_of"))
    own = part_of == rank
    vertices = own.nonzero().flatten()
    places = torch.zeros(work.num_vertices, dtype=torch.int64)
    places[vertices] = torch.arange(len(vertices))
    rows = Feature(torch.from_numpy(work.features(len(vertices))), id2index=places, with_gpu=False)
    data = distributed.DistDataset(2, rank, topology(work, own), rows, whole_node_labels=torch.zeros(work.num_vertices),
                                   node_pb=part_of)
    distributed.init_worker_group(2, rank, "trainers")
    torch.distributed.init_process_group("gloo", f"tcp://127.0.0.1:{ports[0]}", rank=rank, world_size=2)
    where = {"master_addr": "127.0.0.1", "master_port": ports[1]}
    if separate:
        options = distributed.MpDistSamplingWorkerOptions(1, [torch.device("cpu")], channel_size="512MB", **where)
    else:
        options = distributed.CollocatedDistSamplingWorkerOptions(**where)
    seeds = work.batches(5, work.connected[part_of.numpy()[work.connected] == rank])
    loader = distributed.DistNeighborLoader(data, FANOUTS, torch.from_numpy(seeds.reshape(-1)), batch_size=BATCH,
                                            collect_features=True, to_device=torch.device("cpu"), worker_options=options)
    for epoch in range(2):  # the first one takes memory and connects
        torch.distributed.barrier()
        start, totals = time.perf_counter(), [0, 0, 0]
        for batch in loader:
            assert batch.x.shape == (len(batch.node), COLUMNS)
            for i, count in enumerate((batch.edge_index.shape[1], len(batch.node), 1)):
                totals[i] += count
        torch.distributed.barrier()
        spent = time.perf_counter() - start
    results.put([total / spent for total in totals])
    loader.shutdown()
    torch.distributed.barrier()
    os._exit(0)  # its own way to end waits for threads that do not


def load(work):
    import socket

    context = torch.multiprocessing.get_context("spawn")
    for separate in (False, True):
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0)), second.bind(("127.0.0.1", 0))
            ports = [first.getsockname()[1], second.getsockname()[1]]
        results = context.SimpleQueue()
        ranks = [context.Process(target=load_rank, args=(rank, work.folder, separate, ports, results)) for rank in range(2)]
        for rank in ranks:
            rank.start()
        edges, rows, batches = map(sum, zip(*[results.get() for _ in ranks]))
        for rank in ranks:
            rank.join()
        report(task="load", library=LIBRARY + (", one worker process each" if separate else ", collocated"), edges=edges,
               rows=rows, batches=batches)


if __name__ == "__main__":
    task, workload = arguments()
    {"sample": sample, "features": features, "spmm": spmm, "load": load}[task](workload)
