// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/link_assembly.hpp>

#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/builder.hpp>

#include "support/graphs.hpp"

#include <cstdint>
#include <vector>

namespace {

using glt::negative_mode;
using glt::device::cpu;
using ids = std::vector<glt::local_id>;

// Two positives, 5 -> 6 and 5 -> 7, and two negatives, the second of which was given up.
struct made {
  glt::link_sample<cpu> out;
  ids seeds;

  explicit made(glt::negative_options options, std::vector<std::int64_t> const& labels = {}) {
    glt::detail::seed_edges<cpu, glt::local_id> positives;
    ids const sources{5, 5};
    ids const destinations{6, 7};
    positives.assign(glt::host_view<glt::local_id const>(sources), glt::host_view<glt::local_id const>(destinations));
    bool const triplet = options.mode == negative_mode::triplet;
    glt::detail::negative_pairs<cpu, glt::local_id> const negatives{
        glt::make_buffer<cpu>(triplet ? ids{5, 5} : ids{8, 9}), glt::make_buffer<cpu>(ids{6, 4}),
        glt::make_buffer<cpu>(std::vector<std::uint8_t>{1, 0})};
    glt::detail::link_assembly<cpu, glt::local_id> assembly(options);
    auto const around = assembly.seeds(positives.view(), negatives);
    seeds = glt_test::to_vector(around);
    glt::detail::subgraph_builder<cpu, glt::local_id> builder;
    builder.begin(around, glt::frontier::fresh, assembly.subgraph_of(out));
    assembly.finish(positives.view(), negatives, glt::host_view<std::int64_t const>(labels), out);
  }
};

} // namespace

TEST_CASE("binary pairs: all sources, then all destinations, positives first, without what was given up") {
  made const sample({.mode = negative_mode::binary, .amount = 1}, {0, 3});
  CHECK(sample.seeds == ids{5, 5, 8, 6, 7, 6});
  auto const& out = sample.out;
  CHECK(out.num_positives() == 2);
  CHECK(out.num_negatives() == 1);
  CHECK(glt_test::to_vector(out.subgraph().nodes()) == ids{5, 8, 6, 7});
  CHECK(glt_test::to_vector(out.edge_label_index().row(0)) == ids{0, 0, 1});
  CHECK(glt_test::to_vector(out.edge_label_index().row(1)) == ids{2, 3, 2});
  CHECK(glt_test::to_vector(out.edge_label()) == std::vector<std::int64_t>{1, 4, 0});
  CHECK(glt_test::to_vector(out.verified()) == std::vector<std::uint8_t>{1});
  CHECK(out.src_index().empty());
}

TEST_CASE("padding keeps what was given up, marked") {
  made const sample({.mode = negative_mode::binary, .amount = 1, .padding = true});
  CHECK(sample.seeds == ids{5, 5, 8, 9, 6, 7, 6, 4});
  CHECK(sample.out.num_negatives() == 2);
  CHECK(glt_test::to_vector(sample.out.edge_label()) == std::vector<std::int64_t>{1, 1, 0, 0});
  CHECK(glt_test::to_vector(sample.out.verified()) == std::vector<std::uint8_t>{1, 0});
}

TEST_CASE("triplets share their sources and keep a gap where a negative was given up") {
  made const sample({.mode = negative_mode::triplet, .amount = 1});
  auto const& out = sample.out;
  CHECK(sample.seeds == ids{5, 5, 6, 7, 6});
  CHECK(glt_test::to_vector(out.src_index()) == ids{0, 0});
  CHECK(glt_test::to_vector(out.dst_pos_index()) == ids{1, 2});
  CHECK(glt_test::to_vector(out.dst_neg_index().flat()) == ids{1, -1});
  CHECK(out.dst_neg_index().rows() == 2);
  CHECK(out.edge_label().empty());
  CHECK(out.edge_label_index().columns() == 0);
  CHECK(glt_test::to_vector(out.verified()) == std::vector<std::uint8_t>{1, 0});
}
