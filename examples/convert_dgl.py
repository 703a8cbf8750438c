#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a partition made by dgl.distributed.partition_graph as a folder that convert.py reads.

    python3 convert_dgl.py NAME.json OUT [--node-ids nodes.pt] [--edge-ids edges.pt]

Run it with the Python that has DGL. DGL renumbers vertices and edges when it partitions; nodes.pt and edges.pt are
what partition_graph(..., return_mapping=True) returned, saved with torch.save, and give the numbers before that.
Without them the numbers are DGL's own. Labels and masks stay what they are in DGL: features of their names.
"""
import argparse
import json
import pathlib

import torch

import dgl
from dgl.distributed import load_partition


def original_ids(path, types, counts):
    """The id before partitioning of every id of DGL, by type."""
    if path is None:
        return {t: torch.arange(counts[t]) for t in types}
    ids = torch.load(path)
    if not isinstance(ids, dict):
        ids = {types[0]: ids}
    if set(ids) != set(types) or any(torch.bincount(ids[t], minlength=counts[t]).ne(1).any() for t in types):
        raise SystemExit(f"{path} does not number all of {types} from 0; save what partition_graph returned")
    return ids


def features_of(tensors, prefix):
    return {name[len(prefix):]: values for name, values in tensors.items() if name.startswith(prefix)}


def convert(config, out, node_ids=None, edge_ids=None):
    out = pathlib.Path(out)
    num_parts = json.loads(pathlib.Path(config).read_text())["num_parts"]
    book, _, node_types, edge_types = dgl.distributed.partition.load_partition_book(config, 0)
    node_types, edge_types = list(node_types), list(edge_types)
    num_nodes = {t: int(sum(len(book.partid2nids(p, t)) for p in range(num_parts))) for t in node_types}
    num_edges = {t: int(sum(len(book.partid2eids(p, t)) for p in range(num_parts))) for t in edge_types}
    nodes = original_ids(node_ids, node_types, num_nodes)
    edges = original_ids(edge_ids, edge_types, num_edges)
    typed = len(node_types) > 1 or len(edge_types) > 1
    node_map = {t: torch.empty(num_nodes[t], dtype=torch.int64) for t in node_types}
    edge_map = {t: torch.empty(num_edges[t], dtype=torch.int64) for t in edge_types}
    first_edge = dict(zip(edge_types, [0] + torch.tensor(list(num_edges.values())).cumsum(0).tolist()))

    out.mkdir(parents=True)
    for part in range(num_parts):
        graph, node_feats, edge_feats, book, *_ = load_partition(config, part)
        sources, destinations = graph.edges()
        edge_type, edge_id = book.map_to_per_etype(graph.edata[dgl.EID])
        _, source_id = book.map_to_per_ntype(graph.ndata[dgl.NID][sources])
        _, destination_id = book.map_to_per_ntype(graph.ndata[dgl.NID][destinations])
        tables, attributes, vertices = {}, {}, {}
        for i, triple in enumerate(edge_types):
            own = graph.edata["inner_edge"].bool() & (edge_type == i)
            order = edge_id[own].argsort()
            ids = edges[triple][edge_id[own][order]]
            edge_map[triple][ids] = part
            tables[triple] = {
                "edge_id": ids + first_edge[triple],
                "row": nodes[triple[0]][source_id[own][order]],
                "col": nodes[triple[2]][destination_id[own][order]],
                "size": (num_nodes[triple[0]], num_nodes[triple[2]]),
            }
            attributes[triple] = {"global_id": ids, "feats": features_of(edge_feats, ":".join(triple) + "/")}
        for name in node_types:
            ids = nodes[name][book.partid2nids(part, name)]
            node_map[name][ids] = part
            vertices[name] = {"global_id": ids, "id": ids, "feats": features_of(node_feats, name + "/")}
        folder = out / f"part_{part}"
        folder.mkdir()
        for file, content in (("graph", tables), ("edge_feats", attributes), ("node_feats", vertices)):
            torch.save(content if typed else next(iter(content.values())), folder / f"{file}.pt")

    for stem, maps in (("node_map", node_map), ("edge_map", {"__".join(t): m for t, m in edge_map.items()})):
        if typed:
            (out / stem).mkdir()
        for name, parts in maps.items():
            torch.save(parts, out / stem / f"{name}.pt" if typed else out / f"{stem}.pt")
    offsets = [0] + torch.tensor(list(num_nodes.values())).cumsum(0).tolist()[:-1]
    (out / "META.json").write_text(json.dumps({
        "num_parts": num_parts, "is_hetero": typed, "node_offset": offsets if typed else None,
        "node_types": node_types if typed else None, "edge_types": edge_types if typed else None}))


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("config")
    arguments.add_argument("out")
    arguments.add_argument("--node-ids")
    arguments.add_argument("--edge-ids")
    convert(**vars(arguments.parse_args()))
