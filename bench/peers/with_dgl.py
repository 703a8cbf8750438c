# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DGL, its GraphBolt and DistDGL: with_dgl.py sample|features|load|spmm|layers|epoch|infer FOLDER."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import dgl
import numpy as np
import torch

from workload import BATCH, COLUMNS, FANOUTS, Workload, arguments, features_and_classes, rate, report


def graph_of(work):
    return dgl.graph(("csc", (torch.from_numpy(work.indptr), torch.from_numpy(work.indices), [])))


def set_threads(threads):
    torch.set_num_threads(threads)
    dgl.utils.set_num_threads(threads)


def sample(work):
    import dgl.graphbolt as gb

    graph = graph_of(work)
    sampler = dgl.dataloading.NeighborSampler(FANOUTS[::-1])
    fused = gb.fused_csc_sampling_graph(torch.from_numpy(work.indptr), torch.from_numpy(work.indices))
    batches = [torch.from_numpy(seeds) for seeds in work.batches(40)]

    def blocks(seeds):
        _, _, blocks = sampler.sample_blocks(graph, seeds)
        return (sum(block.num_edges() for block in blocks), 1)

    def pipeline():
        items = gb.ItemSet(torch.cat(batches), names="seed_nodes")
        while True:
            yield from gb.ItemSampler(items, batch_size=BATCH).sample_neighbor(fused, FANOUTS[::-1])

    pipe = pipeline()

    def subgraphs(_):
        return (sum(len(subgraph.sampled_csc.indices) for subgraph in next(pipe).sampled_subgraphs), 1)

    for threads in (1, 2):
        set_threads(threads)
        for library, one in (("DGL NeighborSampler", blocks), ("GraphBolt", subgraphs)):
            edges, count = rate(one, batches)
            report(task="sample", library=library, threads=threads, edges=edges, edges_per_batch=edges / count)


def features(work):
    import dgl.graphbolt as gb

    table = torch.from_numpy(work.features(work.num_vertices))
    feature = gb.TorchBasedFeature(table)
    rows = [torch.from_numpy(rows) for rows in work.rows_of_batches()]
    for threads in (1, 2):
        set_threads(threads)
        for library, one in (("DGL gather_row", lambda ids: dgl.backend.gather_row(table, ids)), ("GraphBolt", feature.read)):
            (found,) = rate(lambda ids: (len(one(ids)),), rows)
            report(task="features", library=library, threads=threads, rows=found)


def spmm(work):
    graph = graph_of(work)
    for columns in (32, 128):
        x = torch.from_numpy(work.features(work.num_vertices, columns))
        for threads in (1, 2):
            set_threads(threads)
            (edges,) = rate(lambda _: (len(dgl.ops.copy_u_sum(graph, x)) and graph.num_edges(),), [None])
            report(task="spmm", library="DGL copy_u_sum", threads=threads, columns=columns, edges=edges)


def kilobytes(path, field):
    return int(next(line for line in path.read_text().splitlines() if line.startswith(field)).split()[1])


def layers(work):
    status, cleared = pathlib.Path("/proc/self/status"), pathlib.Path("/proc/self/clear_refs")
    left = 1024 * kilobytes(pathlib.Path("/proc/meminfo"), "MemAvailable")
    resource.setrlimit(resource.RLIMIT_DATA, (left, left))  # with more, the system would end one program or another
    ids = torch.arange(len(work.indices))  # the gradient of its softmax refuses a graph without them
    graph = dgl.graph(("csc", (torch.from_numpy(work.indptr), torch.from_numpy(work.indices), ids)))
    graph.create_formats_()  # what the backward pass reads
    x = torch.randn(work.num_vertices, COLUMNS).requires_grad_()
    gradient = torch.randn(work.num_vertices, COLUMNS)
    for name, layer in (("SAGE of 128 columns", dgl.nn.SAGEConv(COLUMNS, COLUMNS, "mean")),
                        ("GAT of 4 heads of 32", dgl.nn.GATConv(COLUMNS, COLUMNS // 4, 4, allow_zero_in_degree=True))):
        for threads in (1, 2):
            set_threads(threads)
            cleared.write_text("5")  # VmHWM begins again
            before = kilobytes(status, "VmRSS")
            figure = {}
            for _ in range(2):  # the first pass takes memory
                begun = time.perf_counter()
                y = layer(graph, x).flatten(1)
                figure["forward"] = time.perf_counter() - begun
                try:
                    y.backward(gradient)
                    figure["backward"] = time.perf_counter() - begun - figure["forward"]
                except (RuntimeError, dgl.DGLError) as error:
                    print(f"{name} with {threads} threads has no backward pass: {error}")
                x.grad = None
            report(task="layers", library=f"DGL {name}, threads: {threads}", **figure,
                   peak=1024 * (kilobytes(status, "VmHWM") - before))


class Layers(torch.nn.Module):
    """Layers with ReLU between them, over the blocks of a batch."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)

    def forward(self, blocks, x):
        for layer, block in zip(self.layers, blocks):
            x = layer(block, x).flatten(1)
            x = torch.relu(x) if layer is not self.layers[-1] else x
        return x


class Relational(torch.nn.Module):
    """R-GCN of one map for each relation, and one for the rows of the vertices themselves."""

    def __init__(self, relations, *widths):
        super().__init__()
        pairs = list(zip(widths, widths[1:]))
        self.convs = torch.nn.ModuleList(dgl.nn.HeteroGraphConv(
            {"_".join(name): dgl.nn.GraphConv(a, b, norm="right", bias=False, allow_zero_in_degree=True) for name in relations})
            for a, b in pairs)
        self.own = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in pairs)

    def forward(self, blocks, x):
        for conv, own, block in zip(self.convs, self.own, blocks):
            rows = {kind: own(x[kind][: block.num_dst_nodes(kind)]) for kind in x}
            brought = conv(block, x)
            x = {kind: rows[kind] + brought[kind] if kind in brought else rows[kind] for kind in rows}
            x = {kind: torch.relu(rows) for kind, rows in x.items()} if own is not self.own[-1] else x
        return x["paper"]


def epoch(work):
    import dgl.graphbolt as gb

    status, cleared = pathlib.Path("/proc/self/status"), pathlib.Path("/proc/self/clear_refs")

    def train(model, batches):
        """Milliseconds of the parts of ten steps, after five; batches are (blocks, x, y)."""
        torch.manual_seed(1)
        model = model()
        adam = torch.optim.Adam(model.parameters(), 0.003)
        steps = []
        begun = time.perf_counter()
        for blocks, x, y in batches:
            times = [begun, time.perf_counter()]
            adam.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(blocks, x), y)
            value = loss.item()
            times.append(time.perf_counter())
            loss.backward()
            adam.step()
            times.append(time.perf_counter())
            steps.append([*(1e3 * (b - a) for a, b in zip(times, times[1:])), value])
            if len(steps) == 5:
                cleared.write_text("5")  # VmHWM begins again
            if len(steps) == 15:
                break
            begun = time.perf_counter()
        data, forward, backward, loss = (sum(part) / 10 for part in zip(*steps[5:]))
        return {"step_ms": data + forward + backward, "data_ms": data, "forward_ms": forward, "backward_ms": backward,
                "loss": loss, "most": 1024 * kilobytes(status, "VmHWM")}

    def compare(graph, fused, kinds, seeds, fanouts, features, classes, models):
        """`kinds`: the node types with features; without types, None."""
        of_seeds = kinds[0] if kinds else None
        seed_classes = torch.from_numpy(classes[seeds])
        seeds = torch.from_numpy(seeds)
        for kind, rows in features.items():
            graph.nodes[kind].data["x"] = rows
        sampler = dgl.dataloading.NeighborSampler(fanouts[::-1], prefetch_node_feats={kind: ["x"] for kind in kinds} if kinds else ["x"])
        places = torch.empty(graph.num_nodes(of_seeds), dtype=torch.int64)
        places[seeds] = torch.arange(len(seeds))

        def by_dgl():
            ids = {of_seeds: seeds} if kinds else seeds
            for _, output, blocks in dgl.dataloading.DataLoader(graph, ids, sampler, batch_size=BATCH, shuffle=False):
                yield blocks, blocks[0].srcdata["x"], seed_classes[places[output[of_seeds] if kinds else output]]

        def by_graphbolt():
            items = gb.ItemSet((seeds, seed_classes), names=("seed_nodes", "labels"))
            items = gb.ItemSetDict({of_seeds: items}) if kinds else items
            store = gb.BasicFeatureStore({("node", kind if kinds else None, "x"): gb.TorchBasedFeature(rows) for kind, rows in features.items()})
            counts = [torch.full((len(graph.etypes),), fanout) for fanout in fanouts] if kinds else fanouts
            pipe = gb.ItemSampler(items, batch_size=BATCH).sample_neighbor(fused, counts[::-1])
            pipe = pipe.fetch_feature(store, node_feature_keys={kind: ["x"] for kind in kinds} if kinds else ["x"])
            for batch in gb.DataLoader(pipe):
                x = {kind: batch.node_features[(kind, "x")] for kind in kinds} if kinds else batch.node_features["x"]
                yield batch.blocks, x, batch.labels[of_seeds] if kinds else batch.labels

        for name, model in models.items():
            for threads in (1, 2):
                set_threads(threads)
                for library, batches in (("DGL", by_dgl), ("GraphBolt", by_graphbolt)):
                    report(task="epoch", library=f"{name}, threads: {threads}, {library}", **train(model, batches()))

    sage, gat = dgl.nn.SAGEConv, dgl.nn.GATConv
    values, classes = features_and_classes(work.num_vertices, 47)
    compare(graph_of(work), gb.fused_csc_sampling_graph(torch.from_numpy(work.indptr), torch.from_numpy(work.indices)), None,
            work.batches(20).reshape(-1), FANOUTS, {"_N": torch.from_numpy(values)}, classes, {
                "GraphSAGE": lambda: Layers(sage(COLUMNS, 256, "mean"), sage(256, 256, "mean"), sage(256, 47, "mean")),
                "GAT": lambda: Layers(*(gat(*widths, allow_zero_in_degree=True) for widths in ((COLUMNS, 64, 4), (256, 64, 4), (256, 47, 1))))})
    types, relations = work.typed()
    rows = {kind: features_and_classes(count, 349) for kind, count in types.items()}
    edges = {(source, f"{source}_{name}_{to}", to): ("csc", (*map(torch.from_numpy, arrays), []))
             for (source, name, to), arrays in relations.items()}
    graph = dgl.heterograph(edges, types)
    compare(graph, gb.from_dglgraph(graph), list(types), work.batches(20, np.arange(types["paper"])).reshape(-1), [25, 20],
            {kind: torch.from_numpy(values) for kind, (values, _) in rows.items()}, rows["paper"][1],
            {"R-GCN": lambda: Relational(relations, COLUMNS, 64, 349)})


def infer(work):
    status, cleared = pathlib.Path("/proc/self/status"), pathlib.Path("/proc/self/clear_refs")
    graph = graph_of(work)
    x = torch.randn(work.num_vertices, COLUMNS)
    sampler = dgl.dataloading.MultiLayerFullNeighborSampler(1)
    convs = [dgl.nn.SAGEConv(*widths, "mean") for widths in ((COLUMNS, 256), (256, 256), (256, 47))]

    def whole(conv, rows):
        return conv(graph, rows)

    def in_batches(conv, rows):
        made = torch.empty(len(rows), conv._out_feats)
        for ids, to, blocks in dgl.dataloading.DataLoader(graph, graph.nodes(), sampler, batch_size=8 * BATCH):
            made[to] = conv(blocks[0], rows[ids])
        return made

    for threads in (1, 2):
        set_threads(threads)
        for name, layer in (("whole graph", whole), ("in batches", in_batches)):
            cleared.write_text("5")  # VmHWM begins again
            before = kilobytes(status, "VmRSS")
            begun = time.perf_counter()
            rows = x
            with torch.no_grad():
                for conv in convs:
                    rows = layer(conv, rows)
                    rows = torch.relu_(rows) if conv is not convs[-1] else rows
            report(task="infer", library=f"DGL, {name}, threads: {threads}", all=time.perf_counter() - begun,
                   peak=1024 * (kilobytes(status, "VmHWM") - before))


def partition(work):
    """The parts that glt has; the ids of DistDGL's vertices."""
    folder = work.folder / "dgl_parts"
    ids = folder / "ids.pt"
    if not ids.exists():
        graph = graph_of(work)
        graph.ndata["feat"] = torch.from_numpy(work.features(work.num_vertices))
        part_of = torch.from_numpy(work.read("part_of"))
        dgl.distributed.partition.random_choice = lambda *_: part_of
        originals, _ = dgl.distributed.partition_graph(graph, "w1", 2, str(folder), part_method="random", return_mapping=True)
        mapped = torch.empty_like(originals)
        mapped[originals] = torch.arange(len(originals))
        torch.save(mapped, ids)
    return folder


# A machine has a /dev/shm of its own, where a server and its clients share what the machine has.
MACHINE = """mount -t tmpfs -o size=8g tmpfs /dev/shm && cd "$1" && {
  DGL_ROLE=server "$2" "$3" load_rank "$4" & server=$!
  DGL_ROLE=client "$2" "$3" load_rank "$4"; status=$?
  wait $server; exit $status; }"""


def load(work):
    folder = partition(work)
    with tempfile.TemporaryDirectory() as scratch:
        addresses = pathlib.Path(scratch) / "addresses"
        spaces = os.environ.get("GLT_NAMESPACES")  # those of bench/network.sh, each with an address of its own
        addresses.write_text("".join(f"{f'10.213.77.{rank + 1}' if spaces else '127.0.0.1'} {30050 + rank}\n" for rank in range(2)))
        machines = []
        for rank in range(2):
            environment = os.environ | {
                "DGL_SERVER_ID": str(rank), "GLT_MACHINE": str(rank), "DGL_NUM_SERVER": "1", "DGL_NUM_CLIENT": "2",
                "DGL_NUM_SAMPLER": "0", "DGL_DIST_MODE": "distributed", "DGL_IP_CONFIG": str(addresses),
                "DGL_CONF_PATH": str(folder / "w1.json"), "OMP_NUM_THREADS": "1"}
            user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
            inside = ["ip", "netns", "exec", f"{spaces}-{rank + 1}"] if spaces else []
            machines.append(subprocess.Popen(
                [*inside, "unshare", *user, "--mount", "sh", "-c", MACHINE, "sh", scratch, sys.executable,
                 str(pathlib.Path(__file__).resolve()), str(work.folder.resolve())],
                env=environment, stdout=subprocess.PIPE, text=True))
        lines = [line for machine in machines for line in machine.communicate()[0].splitlines()]
    rates = [[float(value) for value in line.split()[1:]] for line in lines if line.startswith("rates ")]
    if len(rates) != 2:
        raise SystemExit("DistDGL did not run:\n" + "\n".join(lines[-10:]))
    edges, edges_alone, rows, batches = map(sum, zip(*rates))
    report(task="load", library="DistDGL", edges=edges, rows=rows, batches=batches)
    report(task="load", library="DistDGL, sampling alone", edges=edges_alone)


def load_rank(work):
    rank = int(os.environ["GLT_MACHINE"])
    dgl.distributed.rpc_client.get_local_machine_id = lambda _: rank  # both have the same address
    dgl.distributed.initialize(os.environ["DGL_IP_CONFIG"])  # a server stays in there
    graph = dgl.distributed.DistGraph("w1", part_config=os.environ["DGL_CONF_PATH"])
    own = work.connected[work.read("part_of")[work.connected] == rank]
    seeds = torch.load(work.folder / "dgl_parts" / "ids.pt")[torch.from_numpy(work.batches(12, own).reshape(-1))]
    sampler = dgl.dataloading.NeighborSampler(FANOUTS[::-1])
    loader = dgl.dataloading.DistNodeDataLoader(graph, seeds, sampler, batch_size=BATCH, shuffle=False)
    rates = []
    for with_features in (True, False, True):  # the first pass takes memory and connects
        dgl.distributed.client_barrier()
        start, edges, rows, batches = time.perf_counter(), 0, 0, 0
        for nodes, _, blocks in loader:
            if with_features:
                assert graph.ndata["feat"][nodes].shape[1] == COLUMNS
            edges += sum(block.num_edges() for block in blocks)
            rows += len(nodes)
            batches += 1
        dgl.distributed.client_barrier()
        spent = time.perf_counter() - start
        rates.append([edges / spent, rows / spent, batches / spent])
    print("rates", rates[2][0], rates[1][0], *rates[2][1:], flush=True)


if __name__ == "__main__":
    task, workload = arguments()
    {"sample": sample, "features": features, "spmm": spmm, "layers": layers, "epoch": epoch, "infer": infer,
     "load": load, "load_rank": load_rank}[task](workload)
