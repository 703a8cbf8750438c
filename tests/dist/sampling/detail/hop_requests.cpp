// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/hop_requests.hpp>

#include "support/errors.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"

#include <glt/memory/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

// Ranks that ask each other for vertices of some types, with a query for every one.
struct plan {
  int ranks;
  std::vector<glt::partition_book> books;

  // Of the first type every rank has 3 vertices, of the second one every other rank has 2, of the third none has any.
  plan(int num_ranks, int num_types) : ranks(num_ranks) {
    for (int type = 0; type < num_types; ++type) {
      std::vector<glt::global_id> offsets{0};
      for (int rank = 0; rank < ranks; ++rank) {
        offsets.push_back(offsets.back() + (type == 0 ? 3 : type == 1 ? 2 * ((rank + 1) % 2) : 0));
      }
      books.emplace_back(std::move(offsets));
    }
  }

  [[nodiscard]] std::vector<glt::global_id> frontier(int rank, std::size_t type) const {
    std::vector<glt::global_id> made;
    for (std::int64_t i = 0; books[type].num_vertices() > 0 && i < 4 + rank; ++i) {
      made.push_back((5 * i + rank) % books[type].num_vertices());
    }
    return made;
  }
  [[nodiscard]] std::vector<std::int64_t> queries(int rank, std::size_t type) const {
    std::vector<std::int64_t> made;
    for (std::size_t i = 0; i < frontier(rank, type).size(); ++i) {
      made.push_back(1000 * rank + 100 * static_cast<std::int64_t>(type) + static_cast<std::int64_t>(i));
    }
    return made;
  }

  // What `from` asks `owner` for.
  struct asked {
    std::vector<glt::local_id> rows;
    std::vector<std::int64_t> queries;
    std::vector<std::vector<std::int64_t>> places; // in the frontiers, by type
  };
  [[nodiscard]] asked between(int from, int owner) const {
    asked made;
    std::int64_t first_row = 0;
    for (std::size_t type = 0; type < books.size(); ++type) {
      auto const vertices = frontier(from, type);
      auto const of_type = queries(from, type);
      made.places.emplace_back();
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        if (books[type].owner(vertices[i]) == owner) {
          made.rows.push_back(static_cast<glt::local_id>(first_row + books[type].local(vertices[i])));
          made.queries.push_back(of_type[i]);
          made.places.back().push_back(static_cast<std::int64_t>(i));
        }
      }
      first_row += books[type].size(owner);
    }
    return made;
  }
};

// The frontiers and queries of a rank in memory of a policy.
template <class Policy>
struct lists {
  template <class T>
  using views = std::vector<glt::array_view<Policy::space, T const>>;

  lists(plan const& all, int rank, Policy policy) {
    for (std::size_t type = 0; type < all.books.size(); ++type) {
      vertices.push_back(glt::make_buffer<Policy>(all.frontier(rank, type), policy));
      queries.push_back(glt::make_buffer<Policy>(all.queries(rank, type), policy));
      frontiers.push_back(std::as_const(vertices.back()).view());
      query_views.push_back(std::as_const(queries.back()).view());
    }
  }

  std::vector<glt::buffer<Policy, glt::global_id>> vertices;
  std::vector<glt::buffer<Policy, std::int64_t>> queries;
  views<glt::global_id> frontiers;
  views<std::int64_t> query_views;
};

template <class Policy, class Query, class Comm>
void check_requests(Comm comm, int num_types, std::int64_t batches) {
  constexpr bool has_queries = !std::is_same_v<Query, glt::no_query>;
  using requests_type = glt::detail::hop_requests<Comm, Policy, Query>;
  Policy const policy;
  plan const all(comm.size(), num_types);
  lists<Policy> const own(all, comm.rank(), policy);
  requests_type requests(comm, policy);
  requests.set_books(all.books, batches);         // with room for more than the one that there is
  for (std::int64_t step = 0; step < 2; ++step) { // used again: nothing of the first step may shine through
    std::span<glt::array_view<Policy::space, glt::global_id const> const> const frontiers(own.frontiers);
    if constexpr (has_queries) {
      requests.route(frontiers, std::span<typename requests_type::queries_type const>(own.query_views));
    } else {
      requests.route(frontiers, {});
    }
    requests.start({.what = glt::detail::operation::sample, .step = step}, 7);
    if constexpr (requests_type::own_apart) {
      auto const expected = all.between(comm.rank(), comm.rank());
      auto const found = requests.here(static_cast<std::size_t>(comm.rank()));
      CHECK(glt::to_vector(policy, found.rows) == expected.rows);
      if constexpr (has_queries) {
        CHECK(glt::to_vector(policy, found.queries) == expected.queries);
      }
    }
    requests.finish();
    CHECK(requests.anything() == (comm.size() > 1));
    auto const received = requests.received();
    plan::asked expected;
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const at = static_cast<std::size_t>(rank);
      CHECK(requests.received_offsets()[at] == std::ssize(expected.rows));
      if (rank != comm.rank() || !requests_type::own_apart) {
        auto const from = all.between(rank, comm.rank());
        expected.rows.insert(expected.rows.end(), from.rows.begin(), from.rows.end());
        expected.queries.insert(expected.queries.end(), from.queries.begin(), from.queries.end());
      }
      auto const asked = all.between(comm.rank(), rank);
      CHECK(requests.counts()[at] == std::ssize(asked.rows));
      CHECK(glt::to_vector(policy, requests.rows_of(at)) == asked.rows);
      for (std::size_t type = 0; type < all.books.size(); ++type) {
        auto const places = requests.places_of(at, type);
        auto found =
            glt::to_vector(policy, glt::array_view<Policy::space, std::int64_t const>(places.places, places.size));
        for (auto& place : found) {
          place -= places.first_place;
        }
        CHECK(found == asked.places[type]);
      }
    }
    CHECK(glt::to_vector(policy, received.rows) == expected.rows);
    if constexpr (has_queries) {
      CHECK(glt::to_vector(policy, received.queries) == expected.queries);
    }
  }
}

} // namespace

TEST_CASE_TEMPLATE("every owner gets the rows it is asked for by type, with their queries, and the places stay known",
                   Policy, GLT_TEST_GLUE_POLICIES) {
  glt_test::on_ranks([](auto comm) {
    for (int const num_types : {1, 3}) {
      CAPTURE(num_types);
      for (std::int64_t const batches : {1, 3}) {
        check_requests<Policy, glt::no_query>(comm, num_types, batches);
        check_requests<Policy, std::int64_t>(comm, num_types, batches);
      }
    }
  });
}

TEST_CASE("requests to ranks that are kept are routed and never sent") {
  glt_test::on_ranks([](auto comm) {
    using cpu = glt::device::cpu;
    plan const all(comm.size(), 1);
    lists<cpu> const own(all, comm.rank(), {});
    glt::detail::hop_requests<decltype(comm), cpu, glt::no_query> requests(comm, cpu());
    requests.set_books(all.books);
    std::vector<char> kept(static_cast<std::size_t>(comm.size()), 0);
    kept[0] = 1;
    requests.keep(kept);
    requests.route(std::span<glt::host_view<glt::global_id const> const>(own.frontiers), {});
    requests.start({}, 0);
    requests.finish();
    CHECK(requests.counts()[0] == 0);
    CHECK(glt::to_vector(cpu(), requests.rows_of(0)) == all.between(comm.rank(), 0).rows);
    auto expected = std::int64_t{0};
    for (int rank = 0; comm.rank() > 0 && rank < comm.size(); ++rank) {
      expected += rank == comm.rank() ? 0 : std::ssize(all.between(rank, comm.rank()).rows);
    }
    CHECK(requests.received().rows.size() == expected);
  });
}

TEST_CASE("a vertex that its type has not is named when it is routed, and refused on all ranks") {
  glt_test::on_ranks([](auto comm) {
    using cpu = glt::device::cpu;
    for (int const num_types : {1, 3}) {
      plan const all(comm.size(), num_types);
      glt::detail::hop_requests<decltype(comm), cpu, glt::no_query> requests(comm, cpu());
      requests.set_books(all.books);
      auto const last = static_cast<std::size_t>(num_types) - 1;
      auto const wrong = all.books[last].num_vertices();
      std::vector<glt::global_id> const vertices(comm.rank() == 0 ? 1U : 0U, wrong);
      std::vector<glt::host_view<glt::global_id const>> frontiers(static_cast<std::size_t>(num_types));
      frontiers[last] = vertices;
      auto const fault = glt_test::thrown<glt::precondition_error>(
          [&] { requests.route(std::span<glt::host_view<glt::global_id const> const>(frontiers), {}); });
      auto const refused = glt_test::thrown<glt::collective_error>([&] {
        if (comm.rank() == 0) {
          requests.refuse({}, fault);
        }
        requests.start({}, 0);
      });
      CHECK(glt_test::names(refused, "rank 0", "vertex " + std::to_string(wrong) + " is outside"));
    }
  });
}

TEST_CASE("more batches than numbers of a part suffice for are refused with the number that is possible") {
  glt_test::on_ranks(
      [](auto comm) {
        using cpu = glt::device::cpu;
        constexpr std::int64_t most = std::numeric_limits<glt::local_id>::max();
        glt::detail::hop_requests<decltype(comm), cpu, glt::no_query> requests(comm, cpu());
        glt::partition_book const book({0, most / 3});
        requests.set_books(std::span(&book, 1), 3);
        auto const error =
            glt_test::thrown<glt::precondition_error>([&] { requests.set_books(std::span(&book, 1), 4); });
        CHECK(glt_test::names(error, "4 batches", std::to_string(most / 3), "for 3 batches"));
        CHECK(requests.first_rows().size() == 4); // as it was
      },
      {1});
}
