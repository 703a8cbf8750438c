// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/sharded_graph.hpp>

#include <glt/dist/full_batch/aggregate.hpp>
#include <glt/dist/full_batch/aggregate_messages.hpp>
#include <glt/dist/full_batch/detail/attention.hpp>
#include <glt/dist/full_batch/detail/batch_norm.hpp>
#include <glt/dist/full_batch/detail/out_degrees.hpp>
#include <glt/dist/full_batch/mfg.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <cstdint>
#include <string>
#include <vector>

using glt::device::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

glt_test::edge_list const& list() {
  static auto const made = glt_test::random_graph(257, 999);
  return made;
}

// What a rank can call on a graph, each on all of one's own rows of two columns.
template <class Comm>
struct calls {
  Comm comm;
  glt::dist::graph<cpu> const& graph;
  glt::dist::sharded_graph<Comm, cpu> shards;
  std::vector<double> x = std::vector<double>(2 * static_cast<std::size_t>(shards.num_sources()), 1.0);
  std::vector<double> y = x;
  std::vector<float> narrow = std::vector<float>(x.size(), 1.0F);
  std::vector<float> narrow_y = narrow;

  template <class T>
  [[nodiscard]] auto rows(std::vector<T>& values) const {
    return glt::host_matrix<T>{values.data(), shards.num_sources(), 2};
  }
  void aggregate() { glt::dist::aggregate(shards, rows(x), rows(y)); }
  void reproducibly() { glt::dist::aggregate(shards, rows(x), rows(y), {.reproducible = true}); }
  void attend() { attend(x, y); }
  void attend_narrow() { attend(narrow, narrow_y); }
  template <class T>
  void attend(std::vector<T>& values, std::vector<T>& to) {
    std::vector<T> softmax(2 * to.size());
    glt::detail::attention_options<glt::memory_space::host> options;
    options.heads = 2;
    glt::detail::attend(shards, {rows(values), rows(values), rows(values)}, rows(to),
                        glt::host_matrix<T>{softmax.data(), shards.num_sources(), 4}, options);
  }
  void attend_backward() {
    std::vector<double> softmax(2 * x.size());
    glt::detail::attention_options<glt::memory_space::host> options;
    options.heads = 2;
    glt::detail::attend_backward(
        shards, {rows(x), rows(x), rows(x)},
        {rows(y), glt::host_matrix<double>{softmax.data(), shards.num_sources(), 4}}, {rows(x)},
        glt::detail::attention_rows<glt::memory_space::host, double>{rows(y), rows(y), rows(y)}, options);
  }
  struct halves {
    void message(double const* from, double const*, std::int64_t, double* sum) const { sum[0] += from[0] / 2; }
    void source_vjp(double const*, double const*, std::int64_t, double const* gradient, double* out) const {
      out[0] += gradient[0] / 2;
    }
  };
  void messages() { glt::dist::aggregate_messages(shards, halves{}, rows(x), {}, rows(y)); }
  void messages_backward() {
    glt::detail::aggregate_messages_backward(shards, halves{}, rows(x), {}, rows(x), rows(y));
  }
  void aggregate_backward() { glt::detail::aggregate_backward(shards, rows(x), rows(y)); }
  void degrees() { static_cast<void>(glt::detail::make_out_degrees(shards)); }
  void statistics() { static_cast<void>(glt::detail::gather_batch_statistics(comm, rows(x))); }
  void layers() { static_cast<void>(glt::dist::make_mfgs(comm, graph, std::vector<glt::local_id>{0}, 1)); }
  void divide() { static_cast<void>(glt::dist::sharded_graph(comm, graph)); }
};

} // namespace

TEST_CASE("ranks that divide a graph with different depths or covers, or a negative depth, all get the same "
          "error") {
  on_ranks([](auto comm) {
    divided_graph const divided(list(), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    auto const failure = [&](std::int64_t depth, std::int64_t last_depth) {
      return glt_test::thrown<glt::collective_error>([&] {
        glt::dist::sharding_options const options{.depth = comm.rank() == comm.size() - 1 ? last_depth : depth};
        static_cast<void>(glt::dist::sharded_graph(comm, graph, options));
      });
    };
    auto const last = "rank " + std::to_string(comm.size() - 1);
    CHECK(glt_test::names(failure(1, -1), last, "depth", "-1"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(failure(1, 2), last, "depth 2", "1"));
      CHECK(glt_test::names(failure(0, 1), last, "depth 1", "0"));
      auto const covered = glt_test::thrown<glt::collective_error>(
          [&] { static_cast<void>(glt::dist::sharded_graph(comm, graph, {.cover = comm.rank() == comm.size() - 1})); });
      CHECK(glt_test::names(covered, last, "depth 1 and a cover", "rank 0 asks for depth 1"));
    }
  });
}

TEST_CASE("ranks that make different calls at the same time all get the same error") {
  on_ranks([](auto comm) {
    if (comm.size() == 1) {
      return;
    }
    divided_graph const divided(list(), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    using c = calls<decltype(comm)>;
    auto const failure = [&](void (c::*call)(), void (c::*call_of_last)()) {
      c made{comm, graph, glt::dist::sharded_graph(comm, graph)};
      return glt_test::thrown<glt::collective_error>(
          [&] { (made.*(comm.rank() == comm.size() - 1 ? call_of_last : call))(); });
    };
    auto const last = "rank " + std::to_string(comm.size() - 1);
    CHECK(glt_test::names(failure(&c::aggregate, &c::reproducibly), last));
    CHECK(glt_test::names(failure(&c::reproducibly, &c::aggregate), last));
    CHECK(glt_test::names(failure(&c::attend, &c::aggregate), last, "attend", "aggregate"));
    CHECK(glt_test::names(failure(&c::attend, &c::attend_narrow), last));
    CHECK(glt_test::names(failure(&c::aggregate, &c::aggregate_backward), last,
                          "aggregates gradients of 2 double columns", "rank 0 aggregates 2 double columns by sum"));
    // the first backward pass makes a communicator
    CHECK(glt_test::names(failure(&c::attend, &c::attend_backward), last, "backward", "rank 0 attends forward"));
    CHECK(glt_test::names(failure(&c::messages_backward, &c::messages), last, "rank 0 passes gradients"));
    CHECK(glt_test::names(failure(&c::messages, &c::attend_backward), last, "attend", "pass_messages"));
    CHECK(failure(&c::attend_backward, &c::attend_backward) == "(nothing was thrown)");
    CHECK(failure(&c::messages_backward, &c::messages_backward) == "(nothing was thrown)");
    CHECK(glt_test::names(failure(&c::aggregate, &c::degrees), last, "aggregate", "count_degrees"));
    CHECK(glt_test::names(failure(&c::aggregate, &c::statistics), last, "aggregate", "normalize"));
    CHECK(glt_test::names(failure(&c::statistics, &c::attend), last, "normalize", "attend"));
    CHECK(glt_test::names(failure(&c::divide, &c::layers), last, "make_shards", "make_mfgs"));
    CHECK(glt_test::names(failure(&c::layers, &c::divide), last, "make_mfgs", "make_shards"));
  });
}
