// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/known_sets.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"

#include <glt/io/parts/detail/manifest_json.hpp>
#include <glt/io/parts/detail/parts_write.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/outofcore/detail/parts.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("a rank makes the parts that are cut in memory, and keeps no file of what it handed over") {
  glt_test::scratch_folder const scratch;
  auto const data = hetero_known_set();
  auto const labels = random_labels(data, 5);
  io::write_options const options{.hot = {{.node_type = 0, .by_part = {{1, 2, 22}, {}, {3, 3}, {0}, {7}}}},
                                  .halo = true};
  std::filesystem::create_directory(scratch / "memory");
  std::vector<std::string> expected; // with the checksum of every file
  io::detail::raw_data_cutter cutter(data.view(), labels, options);
  for (int part = 0; part < 5; ++part) {
    expected.push_back(io::detail::to_json(io::detail::write_part(scratch / "memory", cutter.cut(part))));
  }
  on_ranks([&](auto comm) {
    io::detail::parts_input const input(data.view(), labels, options.hot, options.halo);
    auto const own = scratch / (std::to_string(comm.size()) + "-" + std::to_string(comm.rank()));
    std::filesystem::create_directories(own / "scratch");
    io::detail::part_builder parts(input, comm.size(), comm.rank(), {.for_edges = 4000}, own / "scratch");
    parts.gather(comm, {});
    for (auto part = parts.parts().first; part < parts.parts().last; ++part) {
      CHECK(io::detail::to_json(io::detail::write_part(own, parts.make(static_cast<int>(part)))) ==
            expected[static_cast<std::size_t>(part)]);
    }
    for (auto const& left : std::filesystem::recursive_directory_iterator(own / "scratch")) {
      CHECK(left.is_directory());
    }
  });
}
