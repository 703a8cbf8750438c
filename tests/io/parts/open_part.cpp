// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/parts/open_part.hpp>

#include <glt/dist/hetero_graph.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/partition/relabel.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

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

TEST_CASE("parts of two partitionings into parts of equal sizes do not go together") {
  on_ranks([](auto comm) {
    scratch_folder scratch;
    auto const data = known_set(random_graph(96, 800));
    std::vector<glt::local_id> part_of(96);
    for (std::size_t v = 0; v < part_of.size(); ++v) {
      part_of[v] = static_cast<glt::local_id>(comm.rank() == 0 ? v % 4 : v / 24);
    }
    std::vector<glt::relabelling> labels;
    labels.push_back(glt::make_relabelling(glt::host_view<glt::local_id const>(part_of), 4));
    auto const folder = scratch / "parts";
    io::write_parts(folder, data, labels);
    auto const open = [&] { static_cast<void>(io::open_part(comm, folder)); };
    auto part = io::load_for_rank(io::parts_folder(folder), comm.rank(), comm.size());
    auto typed = io::load_hetero_for_rank(io::parts_folder(folder), comm.rank(), comm.size());
    if (comm.size() == 1) {
      CHECK_NOTHROW(open());
      return;
    }
    CHECK(names(thrown<glt::collective_error>(open), "rank 1", "another partition book than rank 0"));
    // Whatever a rank does with its part first.
    CHECK(names(thrown<glt::collective_error>(
                    [&] { glt::dist::feature_store const store(comm, part.graph.book, std::move(part.features)); }),
                "rank 1", "partition"));
    CHECK(
        names(thrown<glt::collective_error>([&] { glt::dist::hetero_graph const graph(comm, std::move(typed.graph)); }),
              "rank 1", "load parts of one partition"));
  });
}

TEST_CASE("the same parts in two folders go together") {
  on_ranks([](auto comm) {
    scratch_folder scratch;
    auto const data = known_set(random_graph(97, 800));
    io::write_parts(scratch / std::to_string(comm.rank()), data, random_labels(data, 4));
    auto const part = io::open_part(comm, scratch / std::to_string(comm.rank()));
    CHECK(part.graph.num_vertices() == 97);
    // A book of the same parts that somebody made without a folder goes with it.
    glt::partition_book const made({part.graph.book().offsets().begin(), part.graph.book().offsets().end()});
    CHECK(made.matches(part.graph.book()));
    CHECK_FALSE(glt::partition_book({0, 97}, 1) == glt::partition_book({0, 97}, 2));
  });
}
