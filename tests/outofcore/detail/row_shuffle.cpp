// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"

#include <glt/io/parts/detail/parts_assembly.hpp>
#include <glt/outofcore/detail/parts.hpp>
#include <glt/partition/split.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("every row comes to its place in its part, whatever the size of a round and of a row") {
  glt_test::scratch_folder const scratch;
  int folders = 0;
  for (std::int64_t const num_vertices : {0, 1, 130}) {
    for (std::int64_t const columns : {0, 1, 7}) {
      std::vector<std::int16_t> values(static_cast<std::size_t>(num_vertices * columns));
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::int16_t>(i * 3);
      }
      auto const all = io::array::of<std::int16_t>(values, {num_vertices, columns});
      auto const labels = random_labels(num_vertices, 3);
      for (std::int64_t const memory : {0, 1000, 1 << 20}) {
        auto const folder = scratch / std::to_string(folders++);
        on_ranks([&](auto comm) {
          auto const own = folder / (std::to_string(comm.size()) + "-" + std::to_string(comm.rank()));
          std::filesystem::create_directories(own);
          io::detail::part_owners const owners(3, comm.size());
          auto const [first, last] = owners.parts_of(comm.rank());
          std::vector<io::detail::scratch_array<std::byte>> of_parts;
          for (auto part = first; part < last; ++part) {
            of_parts.emplace_back(own / std::to_string(part), memory);
          }
          io::detail::shuffle_rows(comm, all, labels, owners, {.for_edges = memory}, {}, std::span(of_parts));
          for (auto part = static_cast<int>(first); part < last; ++part) {
            auto const expected = io::detail::cut_rows(all, glt::detail::originals_of(labels, part));
            auto const made = std::move(of_parts[static_cast<std::size_t>(part - first)]).take();
            CHECK(to_vector(made) == to_vector(expected.bytes()));
          }
        });
      }
    }
  }
}

TEST_CASE("a rank that cannot write its rows fails all") {
  glt_test::scratch_folder const scratch;
  auto const labels = random_labels(40, 4);
  auto const all = io::array::of<float>(std::vector<float>(40));
  on_ranks([&](auto comm) {
    auto const own = scratch / (std::to_string(comm.size()) + "-" + std::to_string(comm.rank()));
    std::filesystem::create_directories(own);
    io::detail::part_owners const owners(4, comm.size());
    auto const [first, last] = owners.parts_of(comm.rank());
    std::vector<io::detail::scratch_array<std::byte>> of_parts;
    for (auto part = first; part < last; ++part) {
      of_parts.emplace_back(own / std::to_string(part));
    }
    if (comm.rank() + 1 == comm.size()) {
      std::filesystem::remove_all(own);
    }
    CHECK(names(thrown<collective_error>([&] {
                  io::detail::shuffle_rows(comm, all, labels, owners, {.for_edges = 1 << 20}, {}, std::span(of_parts));
                }),
                "cannot be written", "rank " + std::to_string(comm.size() - 1)));
  });
}
