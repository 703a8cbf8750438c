// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/parts/open_part.hpp>

#include <glt/io/parts/parts_writer.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"

#include <algorithm>
#include <string>

using namespace glt_test;
namespace io = glt::io;

TEST_CASE("a rank opens what it loads from a folder of parts, and all know the number of classes") {
  on_ranks([](auto comm) {
    scratch_folder scratch;
    auto const data = known_set(random_graph(97, 800));
    auto const folder = scratch / "parts";
    io::write_parts(folder, data, random_labels(data, 4));
    auto const part = io::open_part(comm, folder);
    auto const wanted = io::load_for_rank(io::parts_folder(folder), comm.rank(), comm.size());
    CHECK(std::ranges::equal(part.graph.original(), wanted.graph.original));
    CHECK(part.graph.local().num_edges() == wanted.graph.graph.view().num_edges());
    CHECK(std::ranges::equal(part.features.local().features.flat(), wanted.features.view().features.flat()));
    CHECK(std::ranges::equal(part.features.local().labels, wanted.features.view().labels));
    CHECK(part.train == wanted.train);
    CHECK(part.valid == wanted.valid);
    CHECK(part.test == wanted.test);
    CHECK(part.num_classes == 197); // labels are 100 to 196
  });
}

TEST_CASE("a folder that one rank cannot read is the same error on all") {
  on_ranks([](auto comm) {
    scratch_folder scratch;
    auto const data = known_set(random_graph(97, 800));
    auto const folder = scratch / "parts";
    auto const last = comm.size() - 1;
    if (comm.rank() != last) {
      io::write_parts(folder, data, random_labels(data, 4));
    }
    auto const error = thrown<glt::collective_error>([&] { static_cast<void>(io::open_part(comm, folder)); });
    CHECK(names(error, "rank " + std::to_string(last), folder.filename().string()));
  });
}
