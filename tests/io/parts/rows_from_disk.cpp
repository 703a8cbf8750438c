// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/parts/open_data_set.hpp>

#include <glt/dist/loader.hpp>
#include <glt/dist/loading/typed_batches.hpp>
#include <glt/dist/roles/remote_data.hpp>
#include <glt/dist/roles/serve_data.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/ranks.hpp"
#include "support/remote_kinds.hpp"
#include "support/roles.hpp"
#include "support/scratch.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace glt_test;
namespace io = glt::io;
namespace dist = glt::dist;

namespace {

constexpr std::int64_t num_vertices = 97;
constexpr int num_parts = 4; // ranks have one of them, several, or shares of them

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

// Batches of papers of `hetero_known_set`, with rows of vertices and edges.
struct typed_recipe {
  explicit typed_recipe(dist::data_set<glt::device::cpu> const& from) : data(&from) {}
  [[nodiscard]] glt::hetero_options options() const {
    return {.fanouts = glt::same_fanouts(data->schema(), {3, 2}), .edge_ids = true};
  }
  [[nodiscard]] auto recipe() const {
    auto const cites = data->schema().find_edge_type("cites");
    dist::typed_batches made(*data, options());
    return made.with(cites, data->edge_tensors(cites));
  }
  [[nodiscard]] dist::typed_seeds<> seeds(int client) const {
    return {data->schema().find_node_type("paper"), client_seeds(client, num_vertices)};
  }

  dist::data_set<glt::device::cpu> const* data;
};

// Data of servers on disk: a share of one part.
template <class Comm>
struct served_from_disk {
  explicit served_from_disk(Comm& comm) : data(opened(comm, scratch / "parts")) {}
  [[nodiscard]] auto recipe() const { return typed_recipe(data).recipe(); }
  [[nodiscard]] auto options() const { return typed_recipe(data).options(); }
  [[nodiscard]] auto seeds(int client) const { return typed_recipe(data).seeds(client); }

  scratch_folder scratch;
  dist::data_set<glt::device::cpu> data;

private:
  static dist::data_set<glt::device::cpu> opened(Comm& comm, std::filesystem::path const& folder) {
    auto const set = hetero_known_set(num_vertices, 31);
    io::write_parts(folder, set, random_labels(set, 1));
    return io::open_data_set(
        comm, folder, {.edge_tensors = true, .disk = io::disk_rows::options{.cache_bytes = 500, .queue_depth = 4}});
  }
};

// Cuts off the rows of all files of that name below a folder; returns their sizes before.
std::vector<std::pair<std::filesystem::path, std::uintmax_t>> cut_rows(std::filesystem::path const& folder,
                                                                       std::string const& name) {
  std::vector<std::pair<std::filesystem::path, std::uintmax_t>> cut;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == name) {
      cut.emplace_back(entry.path(), entry.file_size());
      std::filesystem::resize_file(entry.path(), 128);
    }
  }
  return cut;
}

} // namespace

TEST_CASE("batches with features from disk are those with features in memory") {
  on_ranks([](auto comm) {
    scratch_folder const scratch; // of every rank
    auto const set = known_set(random_graph(num_vertices, 800));
    io::write_parts(scratch / "parts", set, random_labels(set, num_parts));
    auto const expected = prints(comm, io::open_data_set(comm, scratch / "parts"));
    CHECK(!expected.empty());
    for (std::int64_t const cache_bytes :
         {std::int64_t{0}, std::int64_t{300}, std::numeric_limits<std::int64_t>::max()}) {
      for (bool const io_uring : {false, true}) {
        io::disk_rows::options const disk{.cache_bytes = cache_bytes, .queue_depth = 4, .io_uring = io_uring};
        auto const data = io::open_data_set(comm, scratch / "parts", {.disk = disk});
        CHECK(data.features().local().storage != nullptr);
        CHECK(prints(comm, data) == expected);
      }
    }
    auto const replicated = dist::topology::replicated;
    io::disk_rows::options const disk{.cache_bytes = 300, .queue_depth = 4};
    CHECK(prints(comm, io::open_data_set(comm, scratch / "parts", {.topology = replicated})) == expected);
    CHECK(prints(comm, io::open_data_set(comm, scratch / "parts", {.disk = disk, .topology = replicated})) == expected);
  });
}

TEST_CASE("batches with rows of vertices and edges from disk are those with rows in memory") {
  on_ranks([](auto comm) {
    scratch_folder const scratch;
    auto const set = hetero_known_set(num_vertices, 31);
    io::write_parts(scratch / "parts", set, random_labels(set, num_parts));
    auto const prints_with = [&](io::parts_folder::load_options const& options) {
      auto const data = io::open_data_set(comm, scratch / "parts", options);
      typed_recipe const made(data);
      dist::loader loader(comm, made.recipe(), made.seeds(0), {.batch_size = 6, .bulk = 3});
      return prints_of(loader, 1);
    };
    auto const expected = prints_with({.edge_tensors = true});
    CHECK(!expected.empty());
    for (bool const balance_edges : {false, true}) {
      io::disk_rows::options const disk{.cache_bytes = 900, .queue_depth = 4};
      CHECK(prints_with({.balance_edges = balance_edges, .edge_tensors = true, .disk = disk}) ==
            (balance_edges ? prints_with({.balance_edges = true, .edge_tensors = true}) : expected));
    }
  });
}

TEST_CASE("a report counts the rows that a rank read from disk for all ranks, and those that its cache had") {
  on_ranks([](auto comm) {
    scratch_folder const scratch;
    auto const set = known_set(random_graph(num_vertices, 800));
    io::write_parts(scratch / "parts", set, random_labels(set, num_parts));
    auto const report_of = [&](io::parts_folder::load_options const& options, std::int64_t epochs_before) {
      auto const data = io::open_data_set(comm, scratch / "parts", options);
      dist::loader loader(comm, dist::neighbor_batches(data, {.fanouts = {3, 2}}), every_fourth(), {.batch_size = 6});
      for (std::int64_t epoch = 0; epoch < epochs_before; ++epoch) {
        static_cast<void>(prints_of(loader, 0));
      }
      auto const before = loader.report();
      static_cast<void>(prints_of(loader, 0));
      auto const report = loader.report() - before;
      auto sum = report; // of all ranks
      for (auto const& each : glt::gather_over_ranks(comm, report)) {
        sum += each;
      }
      return sum - report;
    };
    auto const plain = report_of({}, 0);
    CHECK(plain.rows.disk == 0);
    CHECK(plain.rows.disk_hit_ratio() == 0);
    CHECK_FALSE(names(to_string(plain), "disk"));
    auto const disk = [](std::int64_t cache_bytes) {
      return io::parts_folder::load_options{
          .disk = io::disk_rows::options{.cache_bytes = cache_bytes, .queue_depth = 4, .io_uring = false}};
    };
    auto const cold = report_of(disk(0), 1);
    CHECK(cold.rows.disk == cold.rows.own + cold.rows.remote);
    CHECK(cold.rows.disk_cached == 0);
    auto everywhere = disk(0);
    everywhere.topology = dist::topology::replicated;
    auto const replicated = report_of(everywhere, 1);
    CHECK(replicated.sampled.remote == 0);
    CHECK(replicated.rows.remote == cold.rows.remote);
    CHECK(replicated.rows.disk == cold.rows.disk);
    auto const first = report_of(disk(1 << 20), 0);
    CHECK(first.rows.disk_cached > 0); // of batches before
    CHECK(first.rows.disk_hit_ratio() < 1);
    auto const second = report_of(disk(1 << 20), 1);
    CHECK(second.rows.disk == cold.rows.disk);
    CHECK(second.rows.disk_hit_ratio() == 1);
    CHECK(names(to_string(second), glt::detail::message("; ", second.rows.disk, " read from disk (hit ratio 1)")));
  });
}

TEST_CASE("a row of vertices or edges that cannot be read is the same error on all ranks") {
  on_ranks([](auto comm) {
    scratch_folder const scratch;
    auto set = hetero_known_set(97, 31);
    auto const folder = scratch / "parts";
    io::write_parts(folder, set, random_labels(set, num_parts));
    auto const last = comm.size() - 1;
    for (std::string const file : {"feat.npy", "feature-weights.npy"}) {
      std::vector<std::pair<std::filesystem::path, std::uintmax_t>> cut;
      auto const data =
          io::open_data_set(comm, folder, {.edge_tensors = true, .disk = io::disk_rows::options{.queue_depth = 4}});
      if (comm.rank() == last) {
        cut = cut_rows(folder, file);
        CHECK(!cut.empty());
      }
      typed_recipe const made(data);
      dist::loader loader(comm, made.recipe(), made.seeds(0), {.batch_size = 6});
      auto const error = thrown<glt::collective_error>([&] { static_cast<void>(prints_of(loader, 1)); });
      CHECK(names(error, "rank " + std::to_string(last), file + " (at byte ", "): row ", "became shorter",
                  "copy it again"));
      for (auto const& [path, size] : cut) {
        std::filesystem::resize_file(path, size);
      }
    }
  });
}

TEST_CASE("servers and workers make batches with rows of vertices and edges from disk") { // on_ranks
  check_remote_kind<served_from_disk>();
}

TEST_CASE("servers show rows from disk to clients, and a row that they cannot read is an error of the client") {
  on_ranks(
      [](auto comm) {
        scratch_folder const scratch;
        auto const servers = comm.size() - 1;
        auto const set = known_set(random_graph(num_vertices, 800));
        io::write_parts(scratch / "parts", set, random_labels(set, servers));
        on_roles(
            comm, servers,
            [&](auto& server) {
              auto const data = io::open_data_set(server.roles().group(), scratch / "parts",
                                                  {.disk = io::disk_rows::options{.cache_bytes = 300}});
              dist::serve_data(server, "all", data);
              if (server.roles().group_rank() == 0) {
                CHECK(!cut_rows(scratch.path(), "feat.npy").empty());
              }
              server.run();
            },
            [&](auto& client) {
              dist::remote_data data(client, "all");
              std::vector<glt::global_id> readable;
              for (glt::global_id v = data.book().begin(1); servers == 2 && v < data.book().end(1); ++v) {
                readable.insert(readable.end(), {v, data.book().begin(1)});
              }
              auto const originals = data.originals(readable);
              auto const rows = data.gather(readable);
              for (std::int64_t i = 0; i < std::ssize(readable); ++i) {
                CHECK(rows.view().features(i, 1) ==
                      static_cast<float>(originals[static_cast<std::size_t>(i)] * 10 + 1));
              }
              std::vector<glt::global_id> const cut{data.book().begin(0)};
              auto const error = thrown<glt::error>([&] { static_cast<void>(data.gather(cut)); });
              CHECK(names(error, "feat.npy (at byte 128): row 0 of ", "became shorter"));
            });
      },
      {2, 3});
}
