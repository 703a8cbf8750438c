// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples batches of a graph with types whose edges and rows lie on ranks: mpirun -np 4 typed_in_memory
#include <glt/glt.hpp>
#include <glt/mpi/program.hpp>

#include <iostream>

void run(glt::mpi_comm comm) {
  // 3000 papers with ids 10 v, each written by two of 1000 authors, who have no rows.
  std::vector<std::int64_t> papers, years, authors, written; // this rank's papers, and who wrote them
  std::vector<float> x;
  glt::random_stream draws(glt::random_key(1), static_cast<std::uint64_t>(comm.rank()));
  for (std::int64_t v = comm.rank(); v < 3000; v += comm.size()) {
    papers.push_back(10 * v);
    years.push_back(1990 + v % 30);
    x.push_back(static_cast<float>(v));
    for (int i = 0; i < 2; ++i) {
      authors.push_back(static_cast<std::int64_t>(draws.below(1000)));
      written.push_back(10 * v);
    }
  }
  auto const data = glt::dist::make_data_set(
      comm,
      {.node_types = {{.name = "paper",
                       .rows = {.vertices = papers, .tensors = {{"x", x}, {"year", years}}},
                       .splits = {{"train", papers}}},
                      {.name = "author", .num_vertices = 1000}},
       .edge_types = {{"author", "writes", "paper", {.sources = authors, .destinations = written}}}},
      glt::ldg_partitioner{.order = glt::stream_order::natural},
      {.symmetric = true}); // adds (paper, rev_writes, author)

  auto const paper = data.schema().find_node_type("paper");
  glt::dist::typed_batches recipe(data, {.fanouts = glt::same_fanouts(data.schema(), {2, 5})});
  recipe.with(paper, data.tensors(paper)); // all tensors, also "id", instead of "x"
  glt::dist::loader loader(comm, recipe, glt::dist::typed_seeds<>(paper, {data.split("train", paper)}),
                           {.batch_size = 100, .shuffle = true});
  std::int64_t seeds = 0;
  for (auto const& batch : loader.epoch(0)) {
    auto const ids = batch.tensors[paper]["id"].as<std::int64_t>(); // of the program
    auto const rows = batch.tensors[paper]["x"].as<float>();
    for (std::int64_t i = 0; i < rows.rows(); ++i) {
      if (static_cast<float>(ids(i, 0)) != 10 * rows(i, 0)) {
        throw glt::precondition_error("a row of another paper");
      }
    }
    seeds += batch.num_seeds;
  }
  if (glt::reduce_over_ranks(comm, seeds, glt::reduction::sum) != 3000) {
    throw glt::precondition_error("papers are missing among the seeds of the batches");
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}
