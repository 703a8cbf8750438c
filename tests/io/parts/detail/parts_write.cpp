// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/known_sets.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/npy.hpp>
#include <glt/io/parts/detail/parts_write.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

using namespace glt;
using namespace glt_test;

namespace {

io::detail::part_content part_of(io::raw_data const& data, std::vector<relabelling> const& labels, int part) {
  return io::detail::raw_data_cutter(data.view(), labels, {}).cut(part);
}

} // namespace

TEST_CASE("what is noted of a part are its files, their lengths and sums") {
  scratch_folder const scratch;
  auto const data = hetero_known_set();
  auto const labels = random_labels(data, 2);
  auto const noted = io::detail::write_part(scratch.path(), part_of(data, labels, 1));
  CHECK(noted.num_parts() == 2);
  CHECK(noted.nodes[0].train[0] == 0);
  CHECK(noted.edges[0].edges[0] == 0);
  CHECK(noted.edges[0].edges[1] > 0);
  std::size_t found = 0;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(scratch.path())) {
    found += entry.is_regular_file() ? 1 : 0;
  }
  CHECK(found == noted.files.size());
  for (auto const& file : noted.files) {
    CAPTURE(file.path);
    CHECK(file.path.starts_with("part-1/"));
    CHECK(std::filesystem::file_size(scratch / file.path) == static_cast<std::uintmax_t>(file.bytes));
    CHECK(io::detail::checksum_of_file(scratch / file.path) == file.xxh3);
    CHECK(io::detail::read_npy_header(scratch / file.path).data_offset % 64 == 0);
  }
}

TEST_CASE("the files are arrays for everybody") {
  scratch_folder const scratch;
  auto const data = hetero_known_set();
  auto const labels = random_labels(data, 1);
  static_cast<void>(io::detail::write_part(scratch.path(), part_of(data, labels, 0)));
  CHECK(io::read_npy<std::int64_t>(scratch / "part-0/paper/original.npy").data[22] == 22);
  CHECK(io::read_npy<float>(scratch / "part-0/paper/%2E%2E%2Fx%2Fy.npy").shape == std::vector<std::int64_t>{23, 1, 2});
  CHECK(io::read_npy<std::int32_t>(scratch / "part-0/paper/labels.npy").data[5] == 5);
  CHECK(io::detail::read_npy_header(scratch / "part-0/author%2Eof%20%C3%BC/feat.npy").type == "<f2");
  CHECK(io::detail::read_npy_header(scratch / "part-0/paper.cites.paper/feature-weights.npy").type == "<u2");
  CHECK(io::read_npy<float>(scratch / "part-0/paper.cites.paper/weights.npy", 1).shape[0] == 120);
  CHECK(io::read_npy<std::int64_t>(scratch / "part-0/paper.reviewed%2Fby.author%2Eof%20%C3%BC/links-train.edges.npy")
            .shape == std::vector<std::int64_t>{4, 2});
}

TEST_CASE("a part with too few or too many of anything is refused") {
  scratch_folder const scratch;
  auto const data = known_set(random_graph(9, 20));
  auto const labels = random_labels(data, 1);
  auto const fault = [&](auto change) {
    auto part = part_of(data, labels, 0);
    change(part);
    return thrown<precondition_error>([&] { static_cast<void>(io::detail::write_part(scratch.path(), part)); });
  };
  CHECK(names(fault([](auto& part) { part.nodes.clear(); }), "data of 0"));
  CHECK(names(fault([](auto& part) { part.edges.emplace_back(); }), "data of 2"));
  CHECK(names(fault([](auto& part) { part.graph.books.clear(); }), "0 books"));
  CHECK(names(fault([](auto& part) { part.graph.original[0].resize(8); }), "8 original ids for 9"));
  CHECK(names(fault([](auto& part) { part.nodes[0].times.resize(8); }), "8 times for 9"));
  CHECK(names(fault([](auto& part) { part.nodes[0].features[0].values = {}; }), "'feat' has 0 rows for 9"));
  CHECK(names(fault([](auto& part) { part.edges[0].weights.resize(3); }), "3 weights for 20"));
  CHECK(names(fault([](auto& part) { part.edges[0].links = {{"train", {{1}, {}}, {}}}; }),
              "'train' has 1 sources and 0"));
  CHECK(names(fault([](auto& part) {
                part.nodes[0].features.push_back({"feat", io::array::of<float>(std::vector<float>(9))});
              }),
              "'feat' come twice"));
  CHECK(names(fault([](auto& part) {
                std::vector<std::int64_t> shape(40'000, 1);
                shape[0] = 9;
                part.nodes[0].features[0].values = io::array::of<float>(std::vector<float>(9), shape);
              }),
              "40000 dimensions"));
}

TEST_CASE("a folder that cannot be written is named") {
  scratch_folder const scratch;
  write_bytes(scratch / "part-0", "in the way");
  auto const data = known_set(random_graph(9, 20));
  CHECK(names(thrown<io_error>([&] {
                static_cast<void>(io::detail::write_part(scratch.path(), part_of(data, random_labels(data, 1), 0)));
              }),
              "part-0", "cannot be created"));
}
