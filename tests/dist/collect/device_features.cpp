// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/feature_collector.hpp>

#include <glt/core/element_type.hpp>
#include <glt/feature/tier/tiered_store.hpp>

#include "support/device_parts.hpp"
#include "support/distant_policy.hpp"
#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_test::divided_graph;

namespace {

template <class Policy>
void check_rows(auto& comm) {
  Policy const policy;
  auto const list = glt_test::random_graph(257, 999);
  divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
  for (std::int64_t const columns : {0, 1, 7, 16}) {
    glt::dist::feature_store const store(comm, divided.names.book,
                                         glt_test::device_features(divided, comm.rank(), columns, true, policy));
    glt::dist::feature_collector collector(comm, store, policy);
    glt::dist::collected_rows<Policy, float> out;
    for (std::int64_t step = 0; step < 4; ++step) {
      auto const vertices = glt_test::seeds_of(comm.rank(), step, 257); // some twice, some lists empty
      auto const ids = glt::make_buffer<Policy>(divided.renumbered(vertices), policy);
      auto const wanted_labels = ids.size() * step / 3; // none, some, all
      collector.collect(ids.view(), wanted_labels, step, out);
      std::vector<float> expected;
      std::vector<glt::detail::label_type> expected_labels;
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        for (std::int64_t c = 0; c < columns; ++c) {
          expected.push_back(divided_graph::feature(vertices[i], c));
        }
        if (static_cast<std::int64_t>(i) < wanted_labels) {
          expected_labels.push_back(divided_graph::label(vertices[i]));
        }
      }
      CHECK(glt::to_vector(policy, out.features.view()) == expected);
      CHECK(glt::to_vector(policy, out.labels.view()) == expected_labels);
    }
    CHECK(collector.counts().own + collector.counts().remote == (5 * comm.rank()) % 12 + (5 * comm.rank() + 7) % 12 +
                                                                    (5 * comm.rank() + 14) % 12 +
                                                                    (5 * comm.rank() + 21) % 12);
  }
}

} // namespace

TEST_CASE_TEMPLATE("rows and labels are those of the vertices on any policy, wherever they live", Policy,
                   GLT_TEST_ONE_POLICY) {
  glt_test::on_ranks([](auto comm) { check_rows<Policy>(comm); });
}

TEST_CASE_TEMPLATE("elements are converted on arrival, with the scale of their column", Policy, GLT_TEST_ONE_POLICY) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    constexpr std::int64_t columns = 5;
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    auto const& book = divided.names.book;
    std::vector<std::int8_t> values;
    for (std::int64_t r = 0; r < book.size(comm.rank()); ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        values.push_back(static_cast<std::int8_t>(divided.names.original[book.begin(comm.rank()) + r] + c));
      }
    }
    std::vector<float> const scales{0.5F, 1, 2, -1, 0.25F};
    glt::dist::feature_store const store(comm, book,
                                         glt::feature_store<Policy, std::int8_t>(
                                             book.size(comm.rank()), columns, glt::make_buffer<Policy>(values, policy),
                                             glt::buffer<Policy, glt::detail::label_type>(0, policy),
                                             glt::make_buffer<Policy>(scales, policy)));
    glt::dist::feature_collector collector(comm, store, policy);
    std::vector<glt::global_id> all;
    std::vector<float> expected;
    for (glt::global_id v = 0; v < 101; ++v) {
      all.push_back((v * 7 + comm.rank()) % 101);
      for (std::int64_t c = 0; c < columns; ++c) {
        auto const stored = static_cast<std::int8_t>(divided.names.original[all.back()] + c);
        expected.push_back(static_cast<float>(stored) * scales[static_cast<std::size_t>(c)]);
      }
    }
    glt::dist::collected_rows<Policy, float> out;
    auto const ids = glt::make_buffer<Policy>(all, policy);
    collector.collect(ids.view(), 0, 0, out);
    CHECK(glt::to_vector(policy, out.features.view()) == expected);
  });
}

TEST_CASE_TEMPLATE("a bad vertex or label count of one rank is the same error on every rank, on any policy", Policy,
                   GLT_TEST_ONE_POLICY) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::feature_store const store(comm, divided.names.book,
                                         glt_test::device_features(divided, comm.rank(), 2, false, policy));
    glt::dist::feature_collector collector(comm, store, policy);
    glt::dist::collected_rows<Policy, float> out;
    std::vector<glt::global_id> ids{3, 100};
    auto const collect = [&](std::int64_t labels) {
      auto const there = glt::make_buffer<Policy>(ids, policy);
      collector.collect(there.view(), labels, 0, out);
    };
    collect(0);
    auto const before = glt::to_vector(policy, out.features.view());
    auto const refused = [&](std::int64_t labels) {
      auto const error = glt_test::thrown<glt::collective_error>([&] { collect(comm.rank() == last ? labels : 0); });
      CHECK(glt::to_vector(policy, out.features.view()) == before);
      return error;
    };
    CHECK(glt_test::names(refused(1), text, "the feature store has none"));
    CHECK(glt_test::names(refused(3), text, "3 labels of 2 vertices"));
    CHECK(glt_test::names(refused(-1), text, "-1 labels"));
    if (comm.rank() == last) {
      ids[1] = 101;
    }
    CHECK(glt_test::names(refused(0), text, "vertex", "101"));
    ids[1] = 100;
    collect(0); // all ranks are still together
    CHECK(glt::to_vector(policy, out.features.view()) == before);
  });
}

TEST_CASE("own rows that are hot come from the faster memory, and so do those that others ask for") {
  using hot = glt_test::distant_policy<>;
  using cold = glt_test::distant_policy<glt::memory_space::pinned>;
  glt_test::on_ranks([](auto comm) {
    constexpr std::int64_t columns = 5;
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    auto const& book = divided.names.book;
    auto const num_rows = book.size(comm.rank());
    std::vector<std::int8_t> values;
    std::vector<glt::detail::label_type> labels;
    std::vector<glt::local_id> ranking;
    for (std::int64_t r = 0; r < num_rows; ++r) {
      labels.push_back(divided.names.original[book.begin(comm.rank()) + r]);
      ranking.push_back(static_cast<glt::local_id>(num_rows - 1 - r));
      for (std::int64_t c = 0; c < columns; ++c) {
        values.push_back(static_cast<std::int8_t>(labels.back() + c));
      }
    }
    std::vector<float> const scales{0.5F, 1, 2, -1, 0.25F};
    auto const stored = [&](std::vector<std::int8_t> const& rows) {
      return glt::feature_store<cold, std::int8_t>(num_rows, columns, glt::make_buffer<cold>(rows),
                                                   glt::make_buffer<cold>(labels), glt::make_buffer<cold>(scales));
    };
    glt::dist::feature_store const store(comm, book, stored(values));
    using tiers = glt::tiered_store<hot, cold, std::int8_t>;
    std::vector<hot> const devices(2);
    auto const borrowed = tiers::borrow(store.local(), ranking, {.ratio = 0.4}, devices);
    std::vector<std::int8_t> marked; // rows that tell where they were read: hot ones as they are, cold ones plus 10
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const row = static_cast<std::int64_t>(i) / columns;
      marked.push_back(static_cast<std::int8_t>(values[i] + (row < num_rows - borrowed.num_hot() ? 10 : 0)));
    }
    tiers other(stored(marked), ranking, {.ratio = 0}, devices);
    std::vector<glt::global_id> all;
    for (glt::global_id v = 0; v < 101; ++v) {
      all.push_back((v * 7 + comm.rank()) % 101);
    }
    glt::dist::feature_collector collector(comm, store, hot());
    auto const ids = glt::make_buffer<hot>(all);
    auto const collect = [&]<class T>(glt::dist::collected_rows<hot, T> out) {
      collector.collect(ids.view(), 7, 0, out);
      CHECK(out.labels.size() == 7);
      return std::pair(glt::to_vector(hot(), out.features.view()), glt::to_vector(hot(), out.labels.view()));
    };
    auto const expected = collect(glt::dist::collected_rows<hot, std::int8_t>());
    auto const converted = collect(glt::dist::collected_rows<hot, float>());
    for (int const device : {0, 1}) {
      collector.use(borrowed, device);
      CHECK(collect(glt::dist::collected_rows<hot, std::int8_t>()) == expected);
      CHECK(collect(glt::dist::collected_rows<hot, float>()) == converted);
    }
    collector.use(other); // really read: on every rank, also by the others
    auto changed = expected.first;
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto const owner = book.owner(all[i]);
      auto const size = book.size(owner);
      auto const num_hot = static_cast<std::int64_t>(std::llround(0.4 * static_cast<double>(size)));
      for (std::size_t c = 0; c < columns; ++c) {
        changed[i * columns + c] =
            static_cast<std::int8_t>(changed[i * columns + c] + (all[i] - book.begin(owner) < size - num_hot ? 10 : 0));
      }
    }
    CHECK(collect(glt::dist::collected_rows<hot, std::int8_t>()).first == changed);
    glt::feature_store<cold, std::int8_t> const narrow(num_rows, 1, glt::buffer<cold, std::int8_t>(num_rows));
    auto const misfit = tiers::borrow(narrow.view(), ranking, {.ratio = 0}, devices);
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { collector.use(misfit); }), "of 1 columns"));
  });
}
