// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/npy.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// A folder with everything that a folder may hold, for tests that spoil it.
struct whole_folder {
  explicit whole_folder(int parts = 2) : data(hetero_known_set()), labels(random_labels(data, parts)) {
    std::vector<std::vector<global_id>> hot(static_cast<std::size_t>(parts), {0, 1, 2, 3, 4, 5, 6, 7});
    io::write_parts(path, data, labels, {.hot = {{.node_type = 0, .by_part = hot}}, .halo = true});
  }
  [[nodiscard]] std::string fault(io::parts_folder::load_options const& options = {}) const {
    return thrown<io_error>([&] {
      io::parts_folder const folder(path);
      for (int part = 0; part < folder.num_parts(); ++part) {
        static_cast<void>(folder.load(part, options));
      }
    });
  }
  [[nodiscard]] std::string opening_fault() const {
    return thrown<io_error>([&] { io::parts_folder const folder(path); });
  }
  [[nodiscard]] std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) {
        all.push_back(entry.path());
      }
    }
    return all;
  }
  // Writes a folder like this with another manifest, which has the right checksum.
  void change(auto what) const {
    auto manifest = io::detail::read_manifest(path);
    what(manifest);
    write_bytes(path / "manifest.json", io::detail::to_json(manifest));
  }

  scratch_folder scratch;
  std::filesystem::path path = scratch / "parts";
  io::raw_data data;
  std::vector<relabelling> labels;
};

// Whoever spoils it makes it good again.
whole_folder const& shared_folder() {
  static whole_folder const made;
  return made;
}

} // namespace

TEST_CASE("a folder says what it holds") {
  whole_folder const whole(3);
  io::parts_folder const folder(whole.path);
  CHECK(folder.path() == whole.path);
  CHECK(folder.num_parts() == 3);
  CHECK(folder.book(1).matches(whole.labels[1].book));
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(folder.book(3)); }), "node type 3"));
  auto const& paper = folder.info().nodes[0];
  CHECK(paper.num_vertices() == 23);
  CHECK(paper.features.size() == 3);
  CHECK(paper.features[2] == io::detail::manifest_array{"../x/y", element_type::float32, {1, 2}});
  CHECK(paper.labels == io::detail::manifest_array{"", element_type::int32, {}});
  CHECK(paper.times);
  CHECK(paper.train.size() == 3);
  auto const& cites = folder.info().edges[0];
  CHECK(cites.num_edges() == 120);
  CHECK(cites.weights);
  CHECK(cites.features[0] == io::detail::manifest_array{"weights", element_type::bfloat16, {2}});
  CHECK_FALSE(folder.info().is_homogeneous());
}

TEST_CASE("a part that does not exist is told so") {
  auto const& whole = shared_folder();
  io::parts_folder const folder(whole.path);
  for (int const part : {-1, 2}) {
    auto const wanted = "no part " + std::to_string(part);
    CHECK(names(thrown<precondition_error>([&] { static_cast<void>(folder.load(part)); }), "into 2 parts", wanted));
    CHECK(names(thrown<precondition_error>([&] { folder.verify(part); }), "into 2 parts", wanted));
  }
}

TEST_CASE("one flipped bit anywhere is found, and the file named") {
  auto const& whole = shared_folder();
  random_stream draws(random_key(9), 0);
  for (auto const& file : whole.files()) {
    CAPTURE(file);
    auto const bytes = read_bytes(file);
    for (int trial = 0; trial < 2; ++trial) {
      auto flipped = bytes;
      auto const bit = draws.below(bytes.size() * 8);
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      write_bytes(file, flipped);
      auto const fault = thrown<io_error>([&] { io::parts_folder(whole.path).verify(); });
      CAPTURE(fault);
      REQUIRE(names(fault, file.string()));
      bool const of_first = names(file.string(), "part-0");
      if (of_first || names(file.string(), "part-1")) {
        CHECK(names(whole.fault({.verify = true}), file.string(), "checksum"));
        CHECK_NOTHROW(io::parts_folder(whole.path).verify(of_first ? 1 : 0));
      }
    }
    write_bytes(file, bytes);
  }
  CHECK_NOTHROW(io::parts_folder(whole.path).verify());
}

TEST_CASE("a file that is cut, longer or missing is found without reading it") {
  auto const& whole = shared_folder();
  for (auto const& file : whole.files()) {
    CAPTURE(file);
    auto const bytes = read_bytes(file);
    write_bytes(file, bytes.substr(0, bytes.size() / 2));
    REQUIRE(names(whole.opening_fault(), file.string()));
    write_bytes(file, bytes + "x");
    REQUIRE(names(whole.opening_fault(), file.string()));
    std::filesystem::remove(file);
    REQUIRE(names(whole.opening_fault(), file.string(), "no such file"));
    std::filesystem::create_directory(file);
    REQUIRE(names(whole.opening_fault(), file.string(), "not a regular file"));
    std::filesystem::remove(file);
    write_bytes(file, bytes);
  }
  CHECK_NOTHROW(io::parts_folder(whole.path).verify());
}

TEST_CASE("an array that contradicts the manifest is refused whatever its length and checksum") {
  auto const& whole = shared_folder();
  auto const files = io::detail::read_manifest(whole.path).files;
  for (auto const& [name, bytes, sum] : files) {
    CAPTURE(name);
    auto const path = whole.path / name;
    auto const before = read_bytes(path);
    io::write_npy(path, std::array<std::uint16_t, 1>{1}, std::array<std::int64_t, 4>{1, 1, 1, 1});
    whole.change([&](io::manifest& manifest) {
      auto const entry = std::ranges::find(manifest.files, name, &io::detail::manifest_file::path);
      entry->bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    });
    CHECK(names(whole.fault({.validate = false}), path.string()));
    write_bytes(path, before);
    whole.change([&](io::manifest& manifest) { manifest.files = files; });
  }
  CHECK_NOTHROW(io::parts_folder(whole.path).verify());
}

TEST_CASE("a file that the manifest does not list, or lists twice, is not read") {
  auto const& whole = shared_folder();
  auto const files = io::detail::read_manifest(whole.path).files;
  whole.change([](io::manifest& manifest) {
    std::erase_if(manifest.files, [](auto const& file) { return names(file.path, "original.npy"); });
  });
  CHECK(names(whole.fault(), "manifest.json", "lists no file part-0/paper/original.npy"));
  whole.change([&](io::manifest& manifest) {
    manifest.files = files;
    manifest.files.push_back(files[3]);
  });
  CHECK(names(whole.opening_fault(), "manifest.json", "lists " + files[3].path + " twice"));
  auto const nodes = io::detail::read_manifest(whole.path).nodes;
  whole.change([&](io::manifest& manifest) {
    manifest.files = files;
    manifest.nodes[0].train = {0, 0};
  });
  CHECK(names(whole.fault(), "lists the file part-0/paper/train.npy", "no elements"));
  whole.change([&](io::manifest& manifest) { manifest.nodes = nodes; });
  whole.change([&](io::manifest& manifest) { manifest.files = files; });
}

TEST_CASE("an id or offset that is out of range is named with its place, if that is asked for") {
  scratch_folder const scratch;
  auto const data = known_set(random_graph(41, 200));
  auto const labels = random_labels(data, 2);
  struct change {
    char const* name;
    std::int64_t place;
    std::int64_t value;
    char const* fault;
  };
  auto const begin = labels[0].book.begin(1);
  auto const dir = scratch / "parts";
  io::write_parts(dir, data, labels, {.halo = true});
  for (auto const& [name, place, value, fault] :
       {change{"node.edge.node/sources.npy", 3, 41, "element 3 is 41, outside [0, 41)"},
        change{"node.edge.node/sources.npy", 0, -1, "element 0 is -1"},
        change{"node.edge.node/edge_ids.npy", 2, -7, "element 2 is -7"},
        change{"node.edge.node/offsets.npy", 2, 100000, "row offset 3 is"},
        change{"node.edge.node/halo.npy", 1, 41, "element 1 is 41"},
        change{"node/original.npy", 5, 41, "element 5 is 41"}, change{"node/train.npy", 0, begin - 1, "element 0 is"},
        change{"node/valid.npy", 0, 41, "element 0 is 41"}, change{"node/test.npy", 1, INT64_MIN, "element 1 is"}}) {
    CAPTURE(name);
    auto const path = dir / "part-1" / name;
    auto const before = read_bytes(path);
    auto array = io::read_npy<std::int64_t>(path);
    array.data[place] = value;
    io::write_npy(path, array.data);
    io::parts_folder const folder(dir);
    auto const text = thrown<io_error>([&] { static_cast<void>(folder.load(1)); });
    CAPTURE(text);
    CHECK(names(text, std::string(name) + " (at byte " + std::to_string(128 + 8 * (place + names(fault, "offset"))),
                fault));
    std::vector<std::string> of_ranks; // rank 1 has rows of both parts, rank 2 the others of part 1
    for (int rank = 0; rank < 3; ++rank) {
      of_ranks.push_back(
          thrown<io_error>([&] { static_cast<void>(io::detail::load_content_for_rank(folder, rank, 3, {})); }));
    }
    CHECK(of_ranks[0] == "(nothing was thrown)");
    CHECK(of_ranks[1] == text);
    CHECK_NOTHROW(static_cast<void>(folder.load(1, {.validate = false})));
    CHECK_NOTHROW(static_cast<void>(folder.load(0)));
    write_bytes(path, before);
  }
}

TEST_CASE(
    "a label that the data set had not is named with its place, and an unlabelled vertex only where there was none") {
  scratch_folder const scratch;
  for (bool const unlabelled : {false, true}) {
    auto data = known_set(random_graph(41, 200));
    std::vector<std::int64_t> given(41, 4);
    given[7] = unlabelled ? -1 : 0;
    data.nodes[0].labels = io::array::of<std::int64_t>(host_view<std::int64_t const>(given));
    auto const dir = scratch / (unlabelled ? "some" : "none");
    io::write_parts(dir, data, random_labels(data, 2));
    CHECK(io::parts_folder(dir).info().nodes[0].label_values ==
          io::detail::label_range{.lowest = unlabelled ? -1 : 0, .classes = 5});
    auto const path = dir / "part-1" / "node" / "labels.npy";
    auto array = io::read_npy<std::int64_t>(path);
    for (std::int64_t const value : {std::int64_t{-1}, std::int64_t{-2}, std::int64_t{5}, std::int64_t{1} << 40}) {
      CAPTURE(value);
      array.data[3] = value;
      io::write_npy(path, array.data);
      io::parts_folder const folder(dir);
      auto const load = [&](io::parts_folder::load_options const& options) {
        return thrown<io_error>([&] { static_cast<void>(folder.load(1, options)); });
      };
      auto const text = load({});
      CAPTURE(text);
      CHECK(names(text, "part-1/node/labels.npy (at byte 152)", "element 3 is " + std::to_string(value), "outside [",
                  "copy the folder again") == !(unlabelled && value == -1));
      CHECK(load({.validate = false}) == "(nothing was thrown)");
      CHECK_NOTHROW(static_cast<void>(folder.load(0)));
    }
    auto manifest = io::detail::read_manifest(dir); // of an older version
    manifest.nodes[0].label_values.reset();
    write_bytes(dir / "manifest.json", io::detail::to_json(manifest));
    CHECK_NOTHROW(static_cast<void>(io::parts_folder(dir).load(1)));
  }
}

TEST_CASE("a feature that is not finite is named with its place, if that is asked for") {
  scratch_folder const scratch;
  auto data = known_set(random_graph(41, 200));
  auto const dir = scratch / "parts";
  std::vector<float> values(82, 1);
  data.nodes[0].features.clear();
  data.nodes[0].features.push_back({"x", io::array::of<float>(host_view<float const>(values), {41, 2})});
  io::write_parts(dir, data, random_labels(data, 2));
  CHECK_NOTHROW(static_cast<void>(io::parts_folder(dir).load(1, {.finite = true})));
  auto const file = io::detail::feature_file("x");
  auto const path = dir / "part-1" / "node" / file;
  auto const array = io::read_npy<float>(path);
  std::vector<float> changed(array.data.begin(), array.data.end());
  changed[7] = std::numeric_limits<float>::infinity();
  io::write_npy(path, host_matrix<float const>(changed.data(), static_cast<std::int64_t>(changed.size()) / 2, 2));
  io::parts_folder const folder(dir);
  CHECK_NOTHROW(static_cast<void>(folder.load(1)));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(folder.load(1, {.finite = true})); }), file + " (at byte 156)",
              "row 3, column 1 is not finite"));
}

TEST_CASE("the ends of the offsets are compared in any case") {
  auto const& whole = shared_folder();
  auto const path = whole.path / "part-0/paper.cites.paper/offsets.npy";
  auto const before = read_bytes(path);
  for (bool const last : {false, true}) {
    auto array = io::read_npy<std::int64_t>(path);
    ++array.data[last ? array.data.size() - 1 : 0];
    io::write_npy(path, array.data);
    CHECK(names(whole.fault({.validate = false}), "paper.cites.paper/offsets.npy", "edges"));
    write_bytes(path, before);
  }
}

TEST_CASE("pairs of a link split that a part cannot have are refused") {
  auto const& whole = shared_folder();
  auto const name = std::string("paper.reviewed%2Fby.author%2Eof%20%C3%BC/links-train.edges.npy");
  for (int const part : {0, 1}) {
    auto const path = whole.path / ("part-" + std::to_string(part)) / name;
    REQUIRE(std::filesystem::exists(path));
    auto array = io::read_npy<std::int64_t>(path);
    auto const kept = array.data[1];
    array.data[1] = whole.labels[1].book.begin(1 - part); // of the other part
    io::write_npy(path, array.data, array.shape);
    CHECK(names(whole.fault(), name + " (at byte 128)", "pair 0"));
    array.data[1] = kept;
    io::write_npy(path, array.data, array.shape);
  }
}

TEST_CASE("what is mapped belongs to the program alone, and outlives the folder") {
  whole_folder const whole;
  auto const path = whole.path / "part-0/paper/feat.npy";
  auto const before = read_bytes(path);
  auto loaded = io::parts_folder(whole.path).load(0);
  auto weights = std::move(loaded.edges[0].weights);
  REQUIRE(!weights.empty());
  weights[0] = 1234.0F;
  std::filesystem::remove_all(whole.path);
  CHECK(weights[0] == 1234.0F);
  CHECK(weights[weights.size() - 1] < 120);
  CHECK(loaded.nodes[0].features[0].values.matrix<float>()(0, 1) == -1.5F);
}

#ifdef __linux__
TEST_CASE("the system reads nothing ahead of features that stay in their files") {
  auto const& folder = shared_folder();
  std::vector<std::string> names;
  auto const note = [&](auto const& types) {
    for (auto const& type : types) {
      for (auto const& feature : type.features) {
        names.push_back("/" + io::detail::feature_file(feature.name));
      }
    }
  };
  note(folder.data.nodes);
  note(folder.data.edges);
  for (auto const reading : {dist::reading::in_place, dist::reading::by_messages}) {
    auto const part = io::parts_folder(folder.path).load(0, {.reading = reading});
    int features = 0;
    std::string file;
    std::ifstream maps("/proc/self/smaps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find(folder.path.string()) != std::string::npos) {
        file = line;
      } else if (line.starts_with("VmFlags:")) {
        bool const is_feature = std::ranges::any_of(names, [&](auto const& name) { return file.ends_with(name); });
        features += is_feature ? 1 : 0;
        CHECK((line.find(" rr") != std::string::npos) == (is_feature && reading == dist::reading::by_messages));
        file.clear();
      }
    }
    CHECK(features > 0);
  }
}
#endif

TEST_CASE("progress of a check counts the bytes of its files") {
  auto const& whole = shared_folder();
  io::parts_folder const folder(whole.path);
  std::int64_t last = 0;
  folder.verify([&](io::task_progress const& state) {
    CHECK(state.total == folder.info().num_bytes());
    CHECK(state.done > last);
    last = state.done;
  });
  CHECK(last == folder.info().num_bytes());
}
