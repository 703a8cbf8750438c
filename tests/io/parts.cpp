// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../support/errors.hpp"
#include "../support/graphs.hpp"
#include "../support/scratch.hpp"

#include <glt/graph/convert.hpp>
#include <glt/io/parts.hpp>
#include <glt/partition/contiguous.hpp>
#include <glt/partition/random.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

constexpr std::int64_t width = 3;

// Data that says of which vertex it is.
struct known_data {
  explicit known_data(std::int64_t num_vertices) : n(num_vertices) {
    for (std::int64_t v = 0; v < n; ++v) {
      labels.push_back(100 + v);
      (v % 4 == 0 ? valid : v % 4 == 1 ? test : train).push_back(v);
      for (std::int64_t c = 0; c < width; ++c) {
        features.push_back(static_cast<float>(v * 10 + c));
      }
    }
    std::ranges::reverse(train);
  }
  [[nodiscard]] io::vertex_data view() const {
    return {{features.data(), n, width}, labels, train, valid, test};
  }

  std::int64_t n;
  std::vector<float> features;
  std::vector<label_type> labels;
  std::vector<global_id> train;
  std::vector<global_id> valid;
  std::vector<global_id> test;
};

relabelling write(std::filesystem::path const& dir, edge_list const& graph, int parts) {
  auto const csr = make_csr<device::cpu>(graph.view(), {.edge_ids = true});
  auto labels = make_relabelling(random_partitioner{}(csr.view(), parts).view(), parts);
  io::write_parts(dir, labels, csr.view(), known_data(graph.num_vertices).view());
  return labels;
}

// A folder with a small partition, of which a test spoils one file.
struct spoiled {
  spoiled() { labels = write(scratch / "parts", random_graph(41, 200), 2); }
  [[nodiscard]] std::filesystem::path file(std::string const& name) const {
    return scratch / "parts/part-1" / (name + ".npy");
  }
  [[nodiscard]] std::string fault() const {
    return thrown<io_error>([&] { static_cast<void>(io::read_part(scratch / "parts", 1)); });
  }
  scratch_folder scratch;
  relabelling labels;
};

} // namespace

TEST_CASE("every part comes back with its rows, data and lists") {
  for (auto const& graph : adversarial_graphs()) {
    for (int const parts : {1, 2, 5}) {
      CAPTURE(graph.name);
      CAPTURE(parts);
      scratch_folder const scratch;
      auto const labels = write(scratch / "parts", graph, parts);
      auto const expected = naive_rows(graph);
      auto const known = known_data(graph.num_vertices);
      CHECK(io::read_book(scratch / "parts") == labels.book);
      std::array<std::vector<global_id>, 3> lists;
      for (int part = 0; part < parts; ++part) {
        auto const loaded = io::read_part(scratch / "parts", part);
        auto const rows = rows_of(loaded.graph.graph.view());
        auto const data = loaded.features.view();
        REQUIRE(loaded.graph.book == labels.book);
        REQUIRE(loaded.graph.part == part);
        REQUIRE(static_cast<std::int64_t>(rows.size()) == labels.book.size(part));
        REQUIRE(data.num_vertices() == labels.book.size(part));
        REQUIRE(data.num_columns() == width);
        for (std::int64_t r = 0; r < labels.book.size(part); ++r) {
          auto const v = loaded.graph.original[r];
          REQUIRE(v == labels.original[labels.book.begin(part) + r]);
          auto row = rows[static_cast<std::size_t>(r)];
          for (auto& [source, edge] : row) {
            source = labels.original[source];
          }
          REQUIRE(row == expected[static_cast<std::size_t>(v)]);
          REQUIRE(data.labels[r] == 100 + v);
          REQUIRE(data.features(r, width - 1) == static_cast<float>(v * 10 + width - 1));
        }
        std::array const own{&loaded.train, &loaded.valid, &loaded.test};
        for (std::size_t i = 0; i < own.size(); ++i) {
          for (auto const id : *own[i]) {
            REQUIRE(labels.book.owner(id) == part);
            lists[i].push_back(labels.original[id]);
          }
        }
      }
      std::array const all{known.train, known.valid, known.test};
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::ranges::sort(lists[i]);
        auto wanted = all[i];
        std::ranges::sort(wanted);
        CHECK(lists[i] == wanted);
      }
    }
  }
}

TEST_CASE("lists keep their order inside a part, and labels may be missing") {
  scratch_folder const scratch;
  auto const graph = random_graph(11, 30);
  auto const csr = make_csr<device::cpu>(graph.view());
  auto const labels = make_relabelling(contiguous_partitioner{}(csr.view(), 2).view(), 2);
  auto const known = known_data(11);
  std::vector<global_id> const train{9, 2, 7, 0, 10};
  auto data = known.view();
  data.labels = {};
  data.train = train;
  io::write_parts(scratch / "parts", labels, csr.view(), data);
  auto const second = io::read_part(scratch / "parts", 1);
  CHECK(second.train == std::vector<global_id>{9, 7, 10});
  CHECK(second.features.view().labels.empty());
}

TEST_CASE("a file that is missing, cut or contradicts the others is named") {
  for (char const* name :
       {"offsets", "sources", "edge_ids", "original", "features", "labels", "train", "valid", "test"}) {
    CAPTURE(name);
    spoiled const folder;
    auto const whole = read_bytes(folder.file(name));
    write_bytes(folder.file(name), whole.substr(0, whole.size() - 1));
    CHECK(names(folder.fault(), "part-1", name));
    std::filesystem::remove(folder.file(name));
    CHECK(names(folder.fault(), "part-1", name, "no such file"));
    // Of the wrong length or with an id that nothing has: a list of four numbers, no row of which exists.
    io::write_npy(folder.file(name), std::array<std::int64_t, 4>{0, 1, 2, 1000});
    auto const fault = folder.fault();
    CAPTURE(fault);
    CHECK(names(fault, "part-1", name));
  }
  spoiled const book;
  io::write_npy(book.scratch / "parts/book.npy", std::array<std::int64_t, 3>{0, 5, 3});
  CHECK(names(book.fault(), "book.npy", "offset 2", "partition the graph again"));
}

TEST_CASE("a value that is out of range is named with its place") {
  spoiled const folder;
  auto sources = io::read_npy<std::int64_t>(folder.file("sources"));
  sources.data[3] = 41;
  io::write_npy(folder.file("sources"), sources.data);
  CHECK(names(folder.fault(), "sources.npy (at byte 152)", "element 3 is 41", "[0, 41)"));

  spoiled const descending;
  auto offsets = io::read_npy<std::int64_t>(descending.file("offsets"));
  offsets.data[2] = 100000;
  io::write_npy(descending.file("offsets"), offsets.data);
  CHECK(names(descending.fault(), "offsets.npy", "row offset 3", "100000"));

  spoiled const foreign;
  io::write_npy(foreign.file("train"), std::array<std::int64_t, 1>{0}); // a vertex of part 0
  CHECK(names(foreign.fault(), "train.npy", "element 0 is 0"));
}

TEST_CASE("a part that does not exist") {
  spoiled const folder;
  for (int const part : {-1, 2}) {
    CHECK(names(
        thrown<precondition_error>([&] { static_cast<void>(io::read_part(folder.scratch / "parts", part)); }),
        "2 parts", "no part " + std::to_string(part)));
  }
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::read_part(folder.scratch / "elsewhere", 0)); }),
              "elsewhere/book.npy"));
}

TEST_CASE("wrong input to write_parts leaves nothing") {
  scratch_folder const scratch;
  auto const graph = random_graph(11, 30);
  auto const csr = make_csr<device::cpu>(graph.view());
  auto const labels = make_relabelling(contiguous_partitioner{}(csr.view(), 2).view(), 2);
  auto const known = known_data(11);
  auto const fault = [&](io::vertex_data const& data) {
    return thrown<precondition_error>([&] { io::write_parts(scratch / "parts", labels, csr.view(), data); });
  };
  auto data = known.view();
  data.features = {known.features.data(), 10, width};
  CHECK(names(fault(data), "10 rows", "11 vertices"));
  data = known.view();
  data.labels = data.labels.subview(0, 4);
  CHECK(names(fault(data), "4", "11 vertices"));
  data = known.view();
  std::array<global_id, 2> const wrong{3, 11};
  data.valid = wrong;
  CHECK(names(fault(data), "vertex 1 of the list valid is 11", "[0, 11)"));
  CHECK(scratch.num_entries() == 0);

  std::filesystem::create_directories(scratch / "parts/something");
  CHECK(names(thrown<io_error>([&] { io::write_parts(scratch / "parts", labels, csr.view(), known.view()); }),
              "is there already"));
  CHECK(scratch.num_entries() == 1);
}
