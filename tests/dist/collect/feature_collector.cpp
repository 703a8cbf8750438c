// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/feature_collector.hpp>

#include <glt/comm/counting.hpp>
#include <glt/core/element_type.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/scarce.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using glt_test::divided_graph;
using glt_test::scarce_policy;
using glt_test::scarce_resource;

namespace {

void check_rows(auto& comm, glt_test::cpu const& policy = {}) {
  auto const list = glt_test::random_graph(257, 999);
  for (auto const& partitioner : glt_test::all_partitioners()) {
    divided_graph const divided(list, partitioner, comm.size());
    for (std::int64_t const columns : {0, 1, 7}) {
      glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), columns));
      glt::dist::feature_collector collector(comm, store, policy);
      glt::dist::collected_rows<glt_test::cpu, float> out;
      for (std::int64_t step = 0; step < 4; ++step) {
        auto const vertices = glt_test::seeds_of(comm.rank(), step, 257); // some twice, some lists empty
        auto const ids = divided.renumbered(vertices);
        auto const wanted_labels = static_cast<std::int64_t>(ids.size()) * step / 3; // none, some, all
        collector.collect(glt::host_view<glt::global_id const>(ids), wanted_labels, step, out);
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
        CHECK(glt_test::to_vector(out.features) == expected);
        CHECK(glt_test::to_vector(out.labels) == expected_labels);
      }
    }
  }
}

} // namespace

TEST_CASE("rows and labels are those of the vertices, wherever they live, in pieces of any size") {
  glt_test::on_ranks([](auto comm) { check_rows(comm); });
  glt_test::on_ranks_limited([](auto comm) { check_rows(comm); });
}

TEST_CASE("threads of a rank copy the same rows, and rows that are more than a round arrive as well") {
  glt_test::on_ranks(
      [](auto comm) {
        check_rows(comm, glt_test::cpu(3));
        constexpr std::int64_t columns = 3000; // 87 rows a round
        divided_graph const divided(glt_test::random_graph(997, 999), glt_test::all_partitioners()[1], comm.size());
        glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), columns));
        glt::counting_comm counted(comm);
        glt::dist::feature_collector collector(counted, store, glt_test::cpu(2));
        std::vector<std::int64_t> vertices;
        for (std::int64_t v = 0; v < 300 * comm.rank(); ++v) {
          vertices.push_back((v * 331 + comm.rank()) % 997);
        }
        auto const ids = divided.renumbered(vertices);
        glt::dist::collected_rows<glt_test::cpu, float> out;
        collector.collect(glt::host_view<glt::global_id const>(ids), 2 * comm.rank(), 0, out);
        std::int64_t wrong = 0;
        for (std::size_t i = 0; i < vertices.size(); ++i) {
          for (std::int64_t c = 0; c < columns; ++c) {
            auto const found = out.features[static_cast<std::int64_t>(i) * columns + c];
            wrong += found == divided_graph::feature(vertices[i], c) ? 0 : 1;
          }
        }
        CHECK(wrong == 0);
        REQUIRE(out.labels.size() == 2 * comm.rank());
        for (std::int64_t i = 0; i < out.labels.size(); ++i) {
          CHECK(out.labels[i] == divided_graph::label(vertices[static_cast<std::size_t>(i)]));
        }
        CHECK(counted.counts().payload.collectives > 2);
        auto const spent = collector.seconds();
        CHECK(spent.requesting > 0);
        CHECK(spent.own_rows + spent.packing + spent.exchanging + spent.unpacking > 0);
      },
      {2, 3});
}

TEST_CASE("a call costs three exchanges and the bytes of the formula; own rows cost none") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 999);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::counting_comm counted(comm);
    glt::dist::feature_store const store(counted, divided.names.book, divided.features(comm.rank(), 7));
    glt::dist::feature_collector collector(counted, store);
    glt::dist::collected_rows<glt_test::cpu, float> out;
    std::vector<glt::global_id> own;
    std::vector<glt::global_id> all;
    std::int64_t remote = 0;
    std::int64_t remote_labels = 0;
    for (glt::global_id v = 0; v < 257; ++v) {
      all.push_back(v);
      bool const is_own = store.book().owner(v) == comm.rank();
      if (is_own) {
        own.push_back(v);
      } else {
        ++remote;
        remote_labels += v < 100 ? 1 : 0;
      }
    }
    auto const headers = glt::detail::header_bytes * (comm.size() - 1);
    counted.reset();
    collector.collect(glt::host_view<glt::global_id const>(own), 0, 0, out);
    CHECK(counted.counts().total().bytes == headers);
    counted.reset();
    collector.collect(glt::host_view<glt::global_id const>(all), 100, 1, out);
    auto const traffic = counted.counts().total();
    std::vector<std::int64_t> sums{traffic.bytes, headers + remote * (4 + 7 * 4) + remote_labels * 8};
    comm.all_reduce(std::span(sums), glt::reduction::sum);
    CHECK(sums[0] == sums[1]);
    if (comm.size() > 1) {
      CHECK(traffic.collectives == 3);
    }
  });
}

TEST_CASE("a bad vertex or label count of one rank is the same error on every rank, and nothing is half-written") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 2, false));
    glt::dist::feature_collector collector(comm, store);
    glt::dist::collected_rows<glt_test::cpu, float> out;
    std::vector<glt::global_id> ids{3, 100};
    collector.collect(glt::host_view<glt::global_id const>(ids), 0, 0, out);
    auto const before = glt_test::to_vector(out.features);
    auto const refused = [&](std::int64_t labels) {
      return glt_test::thrown<glt::collective_error>(
          [&] { collector.collect(glt::host_view<glt::global_id const>(ids), labels, 1, out); });
    };
    ids[0] = comm.rank() == last ? -5 : 3;
    CHECK(glt_test::names(refused(0), text, "vertex 0 is -5", "[0, 101)"));
    ids[0] = 3;
    CHECK(glt_test::names(refused(comm.rank() == last ? 1 : 0), text, "labels"));
    CHECK(glt_test::names(refused(comm.rank() == last ? 3 : 0), text, "3 labels of 2"));
    if (comm.rank() == last) {
      CHECK(glt_test::to_vector(out.features) == before);
    }
  });
}

TEST_CASE("a rank without memory for the rows is the same error on every rank, whichever allocation fails") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[1], comm.size());
    auto const rows = divided.names.book.size(comm.rank());
    glt::buffer<scarce_policy, float> values(rows * 3);
    for (std::int64_t i = 0; i < values.size(); ++i) {
      values[i] = divided_graph::feature(divided.names.original[divided.names.book.begin(comm.rank()) + i / 3], i % 3);
    }
    glt::dist::feature_store const store(comm, divided.names.book,
                                         glt::feature_store<scarce_policy, float>(rows, 3, std::move(values)));
    std::vector<std::int64_t> vertices;
    for (std::int64_t v = 0; v < 101; ++v) {
      vertices.push_back(v * 5 % 101);
    }
    auto const ids = divided.renumbered(vertices);
    // Room for the messages, if there are any, and for the rows.
    for (std::int64_t allocations = 0; allocations <= (comm.size() > 1 ? 2 : 1); ++allocations) {
      bool const is_enough = allocations == (comm.size() > 1 ? 2 : 1);
      glt::dist::feature_collector collector(comm, store);
      glt::dist::collected_rows<scarce_policy, float> out;
      scarce_resource::allocations_left = comm.rank() == 0 ? allocations : -1;
      auto const error = glt_test::thrown<glt::collective_error>(
          [&] { collector.collect(glt::host_view<glt::global_id const>(ids), 0, 0, out); });
      scarce_resource::allocations_left = -1;
      if (!is_enough) {
        CHECK(glt_test::names(error, "rank 0", "bad_alloc"));
        CHECK(out.features.empty());
        collector.collect(glt::host_view<glt::global_id const>(ids), 0, 1, out);
      }
      REQUIRE(out.features.size() == 303);
      scarce_resource::allocations_left = 0; // another batch that is not larger needs no memory
      collector.collect(glt::host_view<glt::global_id const>(ids), 0, 2, out);
      scarce_resource::allocations_left = -1;
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < 303; ++i) {
        wrong += out.features[i] == divided_graph::feature(vertices[static_cast<std::size_t>(i / 3)], i % 3) ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("a store made for other ranks is refused") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
        glt::dist::feature_store const store(comm, divided.names.book, divided.features(comm.rank(), 2));
        auto alone = comm.split(comm.rank(), 0);
        CHECK(glt_test::names(
            glt_test::thrown<glt::precondition_error>([&] { glt::dist::feature_collector(alone, store); }), "of 1",
            "communicator"));
      },
      {2, 3});
}

namespace {

// A store of elements that are the small integers (vertex + column) % 100, and what is collected from it as floats.
template <class T>
void check_converted(auto& comm, std::vector<float> const& scales) {
  constexpr std::int64_t columns = 3;
  divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
  auto const& book = divided.names.book;
  auto const element = [](std::int64_t vertex, std::int64_t c) { return static_cast<float>((vertex + c) % 100); };
  std::vector<T> values;
  for (auto v = book.begin(comm.rank()); v < book.end(comm.rank()); ++v) {
    for (std::int64_t c = 0; c < columns; ++c) {
      values.push_back(static_cast<T>(element(divided.names.original[v], c)));
    }
  }
  glt::counting_comm counted(comm);
  glt::dist::feature_store const store(counted, book,
                                       glt::feature_store<glt_test::cpu, T>(book.size(comm.rank()), columns,
                                                                            glt::make_buffer<glt_test::cpu>(values), {},
                                                                            glt::make_buffer<glt_test::cpu>(scales)));
  glt::dist::feature_collector collector(counted, store);
  std::vector<std::int64_t> vertices;
  std::vector<float> expected;
  std::int64_t remote = 0;
  for (std::int64_t v = 0; v < 257; ++v) {
    vertices.push_back(v * 5 % 257);
    remote += book.owner(divided.names.renumbered[v]) != comm.rank() ? 1 : 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      auto const scale = scales.empty() ? 1 : scales[static_cast<std::size_t>(c)];
      expected.push_back(element(vertices.back(), c) * scale);
    }
  }
  auto const ids = divided.renumbered(vertices);
  glt::dist::collected_rows<glt_test::cpu, float> out;
  counted.reset();
  collector.collect(glt::host_view<glt::global_id const>(ids), 0, 0, out);
  CHECK(glt_test::to_vector(out.features) == expected);
  auto const headers = glt::detail::header_bytes * (comm.size() - 1);
  auto const row_bytes = columns * static_cast<std::int64_t>(sizeof(T));
  std::vector<std::int64_t> sums{counted.counts().total().bytes, headers + remote * (4 + row_bytes)};
  comm.all_reduce(std::span(sums), glt::reduction::sum);
  CHECK(sums[0] == sums[1]); // rows travel as they are stored
  glt::dist::collected_rows<glt_test::cpu, T> same;
  collector.collect(glt::host_view<glt::global_id const>(ids), 0, 1, same);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < same.features.size(); ++i) {
    auto const stored = static_cast<float>(same.features[i]);
    wrong += stored == element(vertices[static_cast<std::size_t>(i / columns)], i % columns) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

} // namespace

TEST_CASE("rows of other elements are converted where they arrive, own and remote ones alike") {
  glt_test::on_ranks([](auto comm) {
    check_converted<glt::float16>(comm, {});
    check_converted<glt::bfloat16>(comm, {});
    check_converted<std::int8_t>(comm, {});
    check_converted<std::int8_t>(comm, {0.5F, 3, 0.125F});
    check_converted<std::int64_t>(comm, {});
  });
}
