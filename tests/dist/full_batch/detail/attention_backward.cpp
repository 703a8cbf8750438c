// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/attention.hpp>

#include <glt/comm/guard.hpp>
#include <glt/comm/threads.hpp>
#include <glt/dist/full_batch/detail/out_degrees.hpp>

#include "support/allocations.hpp"
#include "support/boundary_sizes.hpp"
#include "support/device_parts.hpp"
#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

using glt::detail::push_choice;
using glt::device::cpu;
using glt_test::boundary_sizes;
using glt_test::divided_graph;
using glt_test::names;
using glt_test::on_ranks;
using glt_test::thrown;

namespace {

constexpr auto host = glt::memory_space::host;

// All matrices of an attention, with ones for inputs.
template <class T>
struct matrices_of {
  std::int64_t vertices;
  std::int64_t heads;
  std::int64_t columns;
  std::vector<T> wide = std::vector<T>(static_cast<std::size_t>(vertices * columns), T(1));
  std::vector<T> narrow = std::vector<T>(static_cast<std::size_t>(vertices * heads), T(1));
  std::vector<T> dx = wide;
  std::vector<T> dkeys = narrow;
  std::vector<T> dqueries = narrow;
  std::vector<T> output = wide;
  std::vector<T> softmax = std::vector<T>(2 * narrow.size());

  glt::host_matrix<T> of(std::vector<T>& values) {
    bool const is_wide = &values == &wide || &values == &dx || &values == &output;
    return {values.data(), vertices, is_wide ? columns : &values == &softmax ? 2 * heads : heads};
  }
  template <class Graph>
  void forward(Graph& graph, glt::detail::attention_options<host> options) {
    glt::detail::attend(graph, {of(wide), of(narrow), of(narrow)}, of(output), of(softmax), options);
  }
  template <class Graph>
  void backward(Graph& graph, glt::detail::attention_options<host> options,
                glt::dist::pushed_edges<cpu> const* pushed = nullptr) {
    glt::detail::attend_backward(graph, {of(wide), of(narrow), of(narrow)}, {of(output), of(softmax)}, {of(wide)},
                                 glt::detail::attention_rows{of(dx), of(dkeys), of(dqueries)}, options, pushed);
  }
};

using ones = matrices_of<float>;

// Without pushed edges, or with some or all.
constexpr std::optional<push_choice> all_forms[] = {std::nullopt, push_choice::useful, push_choice::all};

template <class Comm>
auto shard_graph(Comm comm, divided_graph const& divided, std::int64_t depth, cpu policy = {}) {
  glt::dist::graph const graph(comm, glt_test::device_part<cpu, glt::global_id>(divided, comm.rank(), policy));
  return glt::dist::sharded_graph<Comm, cpu>(comm, graph, {.depth = depth}, policy);
}

} // namespace

TEST_CASE("a backward pass sends what its formula says, the less of its two forms between each two ranks") {
  on_ranks([](auto comm) {
    constexpr std::int64_t heads = 2;
    constexpr std::int64_t columns = 6;
    constexpr std::int64_t source_bytes = (columns + heads) * sizeof(float);
    constexpr std::int64_t key_bytes = heads * sizeof(float);
    constexpr std::int64_t pushed_bytes = (columns + 4 * heads) * sizeof(float);
    for (auto const& list : glt_test::graphs_to_divide()) {
      divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
      for (std::int64_t const depth : {0, 1, 3}) {
        for (auto const form : all_forms) {
          bool const is_exact = depth == 1; // whose sums are of 8 bytes, and whose keys travel first
          std::int64_t const returned_bytes = (columns + heads) * (is_exact ? 8 : 4);
          std::int64_t const sum_bytes = heads * (is_exact ? 8 : 4);
          glt::detail::attention_options<host> const options{.heads = heads, .reproducible = is_exact};
          INFO(list.name, ", rank ", comm.rank(), " of ", comm.size(), ", depth ", depth);
          auto sharded = shard_graph(comm, divided, depth);
          ones matrices{sharded.num_sources(), heads, columns};
          std::optional<glt::dist::pushed_edges<cpu>> pushed;
          if (form) {
            pushed.emplace(sharded, glt::host_view<glt::edge_id const>(), *form);
          }
          if (is_exact) {
            glt::detail::make_out_degrees(sharded); // as the first call does
          }
          sharded.report() = {};
          matrices.forward(sharded, options);
          auto const forward = sharded.report();
          matrices.backward(sharded, options, pushed ? &*pushed : nullptr);
          auto const total = sharded.report();

          std::int64_t fetched = 0;
          std::int64_t sent = 0;
          std::int64_t most_sources = 0;
          std::int64_t most_remote = 0;
          std::int64_t most_returned = 0;
          for (int k = 1; k < comm.size(); ++k) {
            boundary_sizes const next(list, divided, comm.rank(), (comm.rank() + k) % comm.size());
            boundary_sizes const previous(list, divided, (comm.rank() + comm.size() - k) % comm.size(), comm.rank());
            auto const is_pushed = [&](boundary_sizes const& sizes) {
              return form && (form == push_choice::all || sizes.destinations * (pushed_bytes + sum_bytes) <
                                                              sizes.sources * (source_bytes + returned_bytes));
            };
            fetched += previous.sources * (source_bytes + (is_exact ? key_bytes : 0));
            sent += is_pushed(next) ? next.destinations * pushed_bytes : next.sources * returned_bytes;
            sent += is_pushed(previous) ? previous.destinations * sum_bytes : previous.sources * source_bytes;
            most_sources = std::max(most_sources, next.sources * source_bytes);
            most_remote = std::max(most_remote, (is_pushed(next) ? 0 : next.sources * source_bytes) +
                                                    (is_pushed(previous) ? previous.destinations * pushed_bytes : 0));
            most_returned = std::max(most_returned, (is_pushed(next) ? next.destinations * sum_bytes : 0) +
                                                        (is_pushed(previous) ? 0 : previous.sources * returned_bytes));
          }
          CHECK(forward.bytes == fetched);
          CHECK(forward.messages <= (is_exact ? 2 : 1) * (comm.size() - 1));
          CHECK(total.bytes - forward.bytes == sent);
          CHECK(total.messages <= (is_exact ? 4 : 3) * (comm.size() - 1));
          auto const used_depth = std::min<std::int64_t>(depth, comm.size() - 1);
          CHECK(forward.peak_remote_bytes == (used_depth + 1) * most_sources);
          CHECK(total.peak_remote_bytes ==
                std::max(forward.peak_remote_bytes, (used_depth + 1) * most_remote + most_returned));
        }
      }
    }
  });
}

TEST_CASE("equal scores give equal coefficients and gradients, however large they are") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 999), glt_test::all_partitioners()[1], comm.size());
    auto sharded = shard_graph(comm, divided, 1);
    for (auto const score : {glt::detail::attention_score::additive, glt::detail::attention_score::dot_product}) {
      for (bool const is_exact : {false, true}) {
        for (auto const form : all_forms) {
          INFO((is_exact ? "reproducible, form " : "form "), (form ? static_cast<int>(*form) : -1));
          glt::detail::attention_options<host> const options{.heads = 2, .score = score, .reproducible = is_exact};
          std::optional<glt::dist::pushed_edges<cpu>> pushed;
          if (form) {
            pushed.emplace(sharded, glt::host_view<glt::edge_id const>(), *form);
          }
          auto const gradient = [&](float key) {
            ones matrices{sharded.num_sources(), 2, 6};
            std::fill(matrices.narrow.begin(), matrices.narrow.end(), key);
            matrices.forward(sharded, options);
            matrices.backward(sharded, options, pushed ? &*pushed : nullptr);
            return matrices.dx;
          };
          auto const expected = gradient(1);
          for (float const key : {1e5F, 1e7F, 1e8F}) { // which have no digits for the logarithm of a sum
            CHECK(gradient(key) == expected);
          }
        }
      }
    }
  });
}

TEST_CASE_TEMPLATE("two equal scores share a gradient in halves, however large they are and if one is of a self-loop",
                   T, float, double) {
  on_ranks([](auto comm) {
    constexpr std::int64_t count = 23;
    constexpr std::int64_t heads = 2;
    constexpr std::int64_t columns = 6;
    glt_test::edge_list ring{"ring with self-loops", count, {}, {}};
    for (std::int64_t v = 0; v < count; ++v) {
      ring.add(v, v);
      ring.add(v, (v + 1) % count);
    }
    divided_graph const divided(ring, glt_test::all_partitioners()[1], comm.size());
    auto sharded = shard_graph(comm, divided, 1);
    auto const value = [](std::int64_t v) { return static_cast<double>((v + count) % count % 5 - 2); };
    std::vector<double> keys{1, 1e5, 1e7};
    if (std::is_same_v<T, double>) {
      keys.push_back(1e16);
    }
    for (auto const score : {glt::detail::attention_score::additive, glt::detail::attention_score::dot_product}) {
      for (bool const is_exact : {false, true}) {
        for (auto const form : all_forms) {
          std::optional<glt::dist::pushed_edges<cpu>> pushed;
          if (form) {
            pushed.emplace(sharded, glt::host_view<glt::edge_id const>(), *form);
          }
          for (double const key : keys) {
            INFO(std::string(is_exact ? "reproducible, form " : "form "), (form ? static_cast<int>(*form) : -1),
                 ", key ", key);
            matrices_of<T> matrices{sharded.num_sources(), heads, columns};
            std::vector<std::int64_t> original;
            for (std::int64_t i = 0; i < matrices.vertices; ++i) {
              original.push_back(divided.names.original[divided.names.book.begin(comm.rank()) + i]);
              auto const row = matrices.wide.begin() + i * columns;
              std::fill(row, row + columns, static_cast<T>(value(original.back())));
            }
            std::fill(matrices.narrow.begin(), matrices.narrow.end(), static_cast<T>(key));
            glt::detail::attention_options<host> const options{
                .heads = heads, .score = score, .reproducible = is_exact};
            matrices.forward(sharded, options);
            matrices.backward(sharded, options, pushed ? &*pushed : nullptr); // values are their gradients as well
            auto const by_score = score == glt::detail::attention_score::additive ? 1.0 : key;
            std::int64_t wrong = 0;
            auto const compare = [&](std::vector<T> const& made, std::size_t i, double right, double scale) {
              auto const width = made.size() / original.size();
              for (auto j = i * width; j < (i + 1) * width; ++j) {
                auto const difference = std::abs(static_cast<double>(made[j]) - right);
                wrong += difference <= 32 * scale * std::numeric_limits<T>::epsilon() ? 0 : 1;
              }
            };
            for (std::size_t i = 0; i < original.size(); ++i) {
              auto const x = value(original[i]);
              auto const before = value(original[i] - 1);
              auto const next = value(original[i] + 1);
              compare(matrices.output, i, (before + x) / 2, 1);
              compare(matrices.dx, i, (x + next) / 2, 1);
              compare(matrices.dkeys, i, 0.75 * (x * (x - before) + next * (x - next)) * by_score, by_score);
              compare(matrices.dqueries, i, 0, by_score);
            }
            CHECK(wrong == 0);
          }
        }
      }
    }
  });
}

TEST_CASE("a reproducible attention and its gradients are as exact in small columns as in large ones beside them") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 999), glt_test::all_partitioners()[1], comm.size());
    auto sharded = shard_graph(comm, divided, 1);
    for (auto const score : {glt::detail::attention_score::additive, glt::detail::attention_score::dot_product}) {
      auto const run = [&](bool is_exact) {
        glt::detail::attention_options<host> const options{.heads = 2, .score = score, .reproducible = is_exact};
        ones matrices{sharded.num_sources(), 2, 10};
        for (std::size_t i = 0; i < matrices.wide.size(); ++i) { // values and gradients from 1e-12 to 1e15
          auto const scale = std::pow(10.0, static_cast<double>(i % 10 * 3) - 12);
          matrices.wide[i] = static_cast<float>(scale * static_cast<double>(1 + i % 7));
        }
        for (std::size_t i = 0; i < matrices.narrow.size(); ++i) {
          matrices.narrow[i] = (i % 2 == 0 ? 1e-3F : 1.0F) * (static_cast<float>(i % 5) - 1.5F);
        }
        matrices.forward(sharded, options);
        auto const output = matrices.output;
        matrices.backward(sharded, options);
        return std::array{output, matrices.dx, matrices.dkeys, matrices.dqueries};
      };
      auto const made = run(true);
      auto const expected = run(false);
      for (std::size_t matrix = 0; matrix < made.size(); ++matrix) {
        bool const is_difference = matrix > 1; // of nearly equal numbers: near beside the largest of its column
        std::array<float, 2> largest{};
        for (std::size_t i = 0; is_difference && i < made[matrix].size(); ++i) {
          largest[i % 2] = std::max(largest[i % 2], std::abs(expected[matrix][i]));
        }
        std::int64_t wrong = 0;
        for (std::size_t i = 0; i < made[matrix].size(); ++i) {
          auto const right = expected[matrix][i];
          auto const size = is_difference ? largest[i % 2] : std::abs(right);
          wrong += std::abs(made[matrix][i] - right) <= 1e-4F * size ? 0 : 1;
        }
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE("a rank with matrices of another shape fails all ranks with the same error") {
  on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 999), glt_test::all_partitioners()[1], comm.size());
    auto sharded = shard_graph(comm, divided, 1);
    ones matrices{sharded.num_sources(), 2, 6};
    auto const last = comm.size() - 1;
    auto const rank = "rank " + std::to_string(last);
    auto const fails = [&](auto call) { return thrown<glt::collective_error>(call); };
    matrices.forward(sharded, {.heads = 2});
    matrices.backward(sharded, {.heads = 2});

    bool const is_last = comm.rank() == last;
    ones longer{sharded.num_sources() + (is_last ? 1 : 0), 2, 6};
    CHECK(names(fails([&] { longer.forward(sharded, {.heads = 2}); }), rank, "values [", "in an attention; pass ["));
    CHECK(names(fails([&] { longer.backward(sharded, {.heads = 2}); }), rank, "values [", "in an attention; pass ["));
    std::int64_t const heads = is_last ? 4 : 2;
    CHECK(names(fails([&] { matrices.forward(sharded, {.heads = heads}); }), rank, "4 heads of values of 6 columns"));
    ones halves{sharded.num_sources(), 3, 6};
    CHECK(names(fails([&] { halves.backward(sharded, {.heads = is_last ? 2 : 3}); }), rank,
                "keys of 3 columns for 2 heads"));
    CHECK(names(fails([&] { matrices.forward(sharded, {.heads = 2, .dropout = is_last ? 1.0 : 0.0}); }), rank,
                "dropout of 1"));
    CHECK(names(fails([&] { matrices.forward(sharded, {.heads = 2, .dropout = 0.5}); }), "rank 0", "ids of"));
    glt::dist::pushed_edges<cpu> const pushed(sharded);
    CHECK(names(fails([&] {
                  std::vector<glt::edge_id> const ids(static_cast<std::size_t>(sharded.num_edges()), 0);
                  matrices.backward(sharded, {.heads = 2, .dropout = 0.5, .edge_ids = ids}, &pushed);
                }),
                "pushed without ids"));
    if (comm.size() > 1) {
      ones other{sharded.num_sources(), is_last ? 3 : 2, 6};
      CHECK(names(fails([&] { other.forward(sharded, {.heads = is_last ? 3 : 2}); }), rank, "in 3 heads while rank 0",
                  "in 2 heads"));
      CHECK(names(fails([&] {
                    if (is_last) {
                      matrices.forward(sharded, {.heads = 2});
                    } else {
                      matrices.backward(sharded, {.heads = 2});
                    }
                  }),
                  rank, "attends forward", "rank 0 attends backward"));
      CHECK(names(fails([&] { matrices.backward(sharded, {.heads = 2}, is_last ? &pushed : nullptr); }), rank,
                  "useful edges pushed"));
    }
    matrices.forward(sharded, {.heads = 2}); // still usable
  });
}

TEST_CASE("wherever a rank runs out of memory in an attention, all ranks fail, in its steps with the same error") {
  divided_graph const divided(glt_test::random_graph(801, 1999), glt_test::all_partitioners()[1], 2);
  // threads need memory to add up what they found
  for (auto const& [is_exact, is_backward, num_threads, least] :
       {std::tuple(false, true, 1, 3), std::tuple(true, false, 3, 1), std::tuple(true, true, 3, 3)}) {
    glt::detail::attention_options<host> const options{.heads = 2, .reproducible = is_exact};
    std::int64_t same = 0;
    bool has_failed = true;
    for (std::int64_t number = 1; has_failed; ++number) {
      INFO("allocation ", number, is_exact ? ", reproducible" : "", is_backward ? ", backward" : "");
      std::array<std::string, 2> of_pass;
      std::array<std::string, 2> of_rank;
      glt::run_threads(2, [&](glt::threads_comm comm) {
        auto const rank = static_cast<std::size_t>(comm.rank());
        of_rank[rank] = thrown<std::exception>([&] {
          glt::run_collectively(comm, [&] {
            auto sharded = shard_graph(comm, divided, 1, cpu(num_threads));
            ones matrices{sharded.num_sources(), 2, 6};
            matrices.forward(sharded, options);
            matrices.backward(sharded, options); // makes room for blocks
            std::optional<glt_test::failing_allocation> armed;
            if (rank == 1) {
              armed.emplace(number);
            }
            try {
              is_backward ? matrices.backward(sharded, options) : matrices.forward(sharded, options);
              if (rank == 1) {
                has_failed = false;
              }
            } catch (glt::collective_error const& error) {
              of_pass[rank] = error.what();
              throw;
            }
          });
        });
      });
      if (has_failed) {
        CHECK(of_rank[0] != "(nothing was thrown)");
        CHECK(of_rank[1] != "(nothing was thrown)");
        same += !of_pass[0].empty() && of_pass[0] == of_pass[1] ? 1 : 0;
      }
    }
    CHECK(same >= least);
  }
}
