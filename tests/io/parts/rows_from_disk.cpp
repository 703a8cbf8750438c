// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/parts/open_data_set.hpp>

#include <glt/dist/loader.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt_test;
namespace io = glt::io;
namespace dist = glt::dist;

namespace {

constexpr std::int64_t num_vertices = 97;

dist::vertex_seeds<> every_fourth() {
  dist::vertex_seeds<> seeds;
  for (glt::global_id v = 0; v < num_vertices; v += 4) {
    seeds.vertices.push_back(v);
  }
  return seeds;
}

// Fingerprints of the batches of an epoch, with features and labels.
template <class Comm>
std::vector<std::int64_t> prints(Comm comm, dist::data_set<glt::device::cpu> const& data) {
  dist::loader loader(comm, dist::neighbor_batches(data, {.fanouts = {3, 2}}), every_fourth(),
                      {.batch_size = 6, .shuffle = true, .seed = 3});
  return prints_of(loader, 1);
}

} // namespace

TEST_CASE("batches with features from disk are those with features in memory") {
  on_ranks([](auto comm) {
    scratch_folder const scratch; // of every rank
    auto const set = known_set(random_graph(num_vertices, 800));
    io::write_parts(scratch / "parts", set, random_labels(set, comm.size()));
    auto const expected = prints(comm, io::open_data_set(comm, scratch / "parts"));
    CHECK(!expected.empty());
    for (std::int64_t const cache_bytes : {0, 300, 1 << 20}) {
      for (bool const io_uring : {false, true}) {
        io::disk_rows::options const disk{.cache_bytes = cache_bytes, .queue_depth = 4, .io_uring = io_uring};
        auto const data = io::open_data_set(comm, scratch / "parts", {.disk = disk});
        CHECK(data.features().local().storage != nullptr);
        CHECK(prints(comm, data) == expected);
      }
    }
  });
}

TEST_CASE("a row that cannot be read is the same error on all ranks") {
  on_ranks([](auto comm) {
    scratch_folder const scratch;
    auto const set = known_set(random_graph(num_vertices, 800));
    auto const folder = scratch / "parts";
    io::write_parts(folder, set, random_labels(set, comm.size()));
    auto const data = io::open_data_set(comm, folder, {.disk = io::disk_rows::options{.queue_depth = 4}});
    auto const last = comm.size() - 1;
    if (comm.rank() == last) {
      for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().filename() == "feat.npy") {
          std::filesystem::resize_file(entry.path(), 128);
        }
      }
    }
    auto const error = thrown<glt::collective_error>([&] { static_cast<void>(prints(comm, data)); });
    CHECK(names(error, "rank " + std::to_string(last), "became shorter"));
  });
}
