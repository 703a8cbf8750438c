// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/original_ids.hpp>

#include <glt/graph/hetero_graph.hpp>
#include <glt/partition/partitioner.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt_test;

namespace {

template <class Comm>
glt::dist::data_set<cpu> data_of(Comm& comm, divided_graph const& divided, std::int64_t scale = 1) {
  glt::dist::data_part<cpu> part(divided.part(comm.rank()));
  for (auto& id : part.graph.original[0]) { // ids of the program need not be 0 to V - 1
    id *= scale;
  }
  return {comm, std::move(part)};
}

std::int64_t count_files(std::filesystem::path const& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

} // namespace

TEST_CASE("rows and values are written in the order of original ids, in rounds of any size") {
  for (std::int64_t const num_vertices : {0, 1, 3, 31}) {
    for (auto const& partitioner : all_partitioners()) {
      for (std::int64_t const scale : {1, 1'000'000'007}) {
        scratch_folder const scratch; // of rank 0 under MPI, which alone writes and reads it
        on_ranks([&](auto comm) {
          divided_graph const divided(random_graph(num_vertices, 2 * num_vertices), partitioner, comm.size());
          auto const data = data_of(comm, divided, scale);
          std::vector<float> rows;
          std::vector<std::int64_t> values;
          for (auto const id : data.original()) {
            values.push_back(id);
            rows.push_back(static_cast<float>(id / scale));
            rows.push_back(static_cast<float>(id / scale) / 2);
          }
          for (std::int64_t const round_bytes : {1, 200, 1 << 20}) {
            glt::io::write_by_original_id(comm, data, scratch / "values.npy", values, 0, round_bytes);
            glt::io::write_by_original_id(comm, data, scratch / "rows.npy",
                                          glt::host_matrix<float const>(rows.data(), std::ssize(values), 2), 0,
                                          round_bytes);
            if (comm.rank() == 0) {
              auto const found = glt::io::read_npy<std::int64_t>(scratch / "values.npy", 1);
              auto const pairs = glt::io::read_npy<float>(scratch / "rows.npy", 2);
              CHECK(pairs.shape == std::vector<std::int64_t>{num_vertices, 2});
              REQUIRE(found.shape == std::vector{num_vertices});
              for (std::int64_t vertex = 0; vertex < num_vertices; ++vertex) {
                CHECK(found.data[vertex] == vertex * scale);
                CHECK(pairs.matrix()(vertex, 0) == static_cast<float>(vertex));
                CHECK(pairs.matrix()(vertex, 1) == static_cast<float>(vertex) / 2);
              }
              CHECK(count_files(scratch.path()) == 2);
            }
          }
        });
      }
    }
  }
}

TEST_CASE("wrong rows on one rank, and a file that cannot be written, are errors on every rank") {
  scratch_folder const scratch;
  on_ranks([&](auto comm) {
    divided_graph const divided(random_graph(31, 60), all_partitioners()[1], comm.size());
    auto const data = data_of(comm, divided);
    auto const count = data.original().size();
    auto const last = comm.rank() == comm.size() - 1;
    auto const fails = [&](auto const& values, std::filesystem::path const& file, auto const&... texts) {
      CHECK(names(thrown<glt::collective_error>([&] { glt::io::write_by_original_id(comm, data, file, values); }),
                  texts...));
    };
    std::vector<float> const values(static_cast<std::size_t>(2 * count + 3));
    auto const rows = [&](std::int64_t of, std::int64_t columns) {
      return glt::host_matrix<float const>(values.data(), of, columns);
    };
    fails(rows(count + (last ? 1 : 0), 2), scratch / "rows.npy", "rows.npy", " rows for ", "one for each, by local id");
    fails(std::vector<int>(static_cast<std::size_t>(count + (last ? 1 : 0))), scratch / "rows.npy", " rows for ");
    if (comm.size() > 1) {
      fails(rows(count, last ? 1 : 2), scratch / "rows.npy", "rows of 4 to 8 bytes", "rows of one length");
    }
    fails(rows(count, 2), scratch / "absent" / "rows.npy", "cannot be created");
    fails(rows(count, 2), scratch.path(), "a folder");
    CHECK(count_files(scratch.path()) == 0);
  });
}

TEST_CASE("each type of vertices has a file of its own") {
  scratch_folder const scratch;
  glt::hetero_schema const schema({{"a", 3}, {"b", 5}}, {{"a", "r", "b"}});
  std::vector<glt::global_id> const sources{0, 1, 2}, destinations{4, 2, 0};
  std::vector<glt::csr_graph<cpu, glt::global_id>> relations;
  relations.push_back(glt::make_relation<cpu, glt::global_id>(schema, 0, sources, destinations));
  glt::hetero_graph<cpu, glt::global_id> const whole(schema, std::move(relations));
  on_ranks([&](auto comm) {
    auto const parts = glt::partition_by_type(whole.view(), glt::random_partitioner{}, comm.size());
    glt::dist::data_set const data(comm, glt::dist::data_part<cpu>(glt::split_graph(whole.view(), parts, comm.rank())));
    glt::io::write_by_original_id(comm, data, scratch / "b.npy", data.original(1), 1);
    CHECK(names(thrown<glt::collective_error>(
                    [&] { glt::io::write_by_original_id(comm, data, scratch / "b.npy", data.original(1)); }),
                "without its number; pass it"));
    if (comm.rank() == 0) {
      auto const found = glt::io::read_npy<glt::global_id>(scratch / "b.npy", 1);
      CHECK(std::ranges::equal(found.data, std::vector<glt::global_id>{0, 1, 2, 3, 4}));
    }
  });
}
