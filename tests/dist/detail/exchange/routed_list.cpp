// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/detail/exchange/routed_list.hpp>

#include <glt/comm/counting.hpp>

#include "support/errors.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

struct item {
  std::int64_t sender;
  std::int32_t place;
  std::int32_t row;
  bool operator==(item const&) const = default;
};

struct make_item {
  std::int64_t sender;
  GLT_HOST_DEVICE item operator()(std::int64_t i, glt::local_id row) const {
    return {sender, static_cast<std::int32_t>(i), row};
  }
};

// Four keys a rank.
std::int64_t key(std::int64_t place, int rank, int size) {
  return (place * 5 + rank) % (4 * size);
}

glt::partition_book book_of(int size) {
  std::vector<glt::global_id> offsets{0};
  for (int rank = 0; rank < size; ++rank) {
    offsets.push_back(offsets.back() + 4);
  }
  return glt::partition_book(offsets);
}

} // namespace

TEST_CASE_TEMPLATE("items reach the owners of their keys in list order, own ones without a message", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  glt_test::on_ranks([](auto plain) {
    glt::counting_comm comm(plain);
    Policy const policy;
    auto const book = book_of(comm.size());
    glt::detail::routed_list<decltype(comm), Policy, item> items(comm, policy);
    for (std::int64_t const count : {7, 0, 20}) {
      auto const size_of = [&](int rank) { return count == 0 ? 0 : count + 3 * rank; };
      std::vector<std::int64_t> keys;
      for (std::int64_t i = 0; i < size_of(comm.rank()); ++i) {
        keys.push_back(key(i, comm.rank(), comm.size()));
      }
      auto const there = glt::make_buffer<Policy>(keys, policy);
      comm.reset();
      items.route(book, there.view(), make_item{comm.rank()});
      auto const headers = items.send({.what = glt::detail::operation::user, .step = count}, 100 + comm.rank());
      std::int64_t remote = 0;
      for (int rank = 0; rank < comm.size(); ++rank) {
        std::vector<item> expected;
        for (std::int64_t i = 0; i < size_of(rank); ++i) {
          if (auto const k = key(i, rank, comm.size()); k / 4 == comm.rank()) {
            expected.push_back({rank, static_cast<std::int32_t>(i), static_cast<std::int32_t>(k % 4)});
          }
        }
        CHECK(glt::to_vector(policy, items.received_of(rank)) == expected);
        CHECK(headers[static_cast<std::size_t>(rank)].value == 100 + rank);
      }
      for (auto const k : keys) {
        remote += k / 4 != comm.rank() ? 1 : 0;
      }
      if constexpr (glt::host_policy<Policy>) { // others may stage what they send
        CHECK(comm.counts().payload.bytes == remote * static_cast<std::int64_t>(sizeof(item)));
        CHECK(comm.counts().total().collectives == (comm.size() == 1 ? 0 : count == 0 ? 1 : 2));
      }
      CHECK(items.anything() == (comm.size() > 1 && count > 0));
    }
  });
}

TEST_CASE("items that need no item of their own stay where they are sorted, and own ones apart if asked to") {
  glt_test::on_ranks([](auto comm) {
    auto const book = book_of(comm.size());
    glt::detail::routed_list requests(comm, glt::device::cpu(), glt::detail::own_rows::apart);
    for (std::int64_t const count : {9, 0, 20}) {
      std::vector<std::int64_t> list;
      for (std::int64_t i = 0; i < count; ++i) {
        list.push_back(key(i, comm.rank(), comm.size()));
      }
      requests.route(book, glt::host_view<std::int64_t const>(list));
      requests.agree({.what = glt::detail::operation::user, .step = count});
      requests.start();
      requests.finish();

      std::vector<std::int64_t> asked(list.size(), -1);
      for (int rank = 0; rank < comm.size(); ++rank) {
        auto const r = static_cast<std::size_t>(rank);
        CHECK(requests.offsets()[r + 1] - requests.offsets()[r] == requests.counts()[r]);
        for (auto i = requests.offsets()[r]; i < requests.offsets()[r + 1]; ++i) {
          asked[static_cast<std::size_t>(requests.places()[i])] = book.begin(rank) + requests.rows()[i];
        }
        std::vector<glt::local_id> expected;
        for (std::int64_t i = 0; i < count; ++i) {
          if (auto const k = key(i, rank, comm.size()); rank != comm.rank() && k / 4 == comm.rank()) {
            expected.push_back(static_cast<glt::local_id>(k % 4));
          }
        }
        CHECK(glt::to_vector(glt::device::cpu(), requests.received_of(rank)) == expected);
      }
      CHECK(asked == list);
      CHECK(requests.items().data() == requests.rows().data());
    }
  });
}

TEST_CASE("items are routed by the book of each list, which may be another one than before") {
  glt_test::on_ranks([](auto comm) {
    auto const num_keys = 4 * comm.size();
    std::vector<glt::global_id> uneven{0}; // rank r has 2r + 1 keys, and the last one what is left
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const own = rank + 1 == comm.size() ? num_keys - uneven.back() : 2 * rank + 1;
      uneven.push_back(uneven.back() + own);
    }
    std::vector<std::int64_t> list;
    for (std::int64_t k = 0; k < num_keys; ++k) {
      list.push_back(k);
    }
    glt::detail::routed_list requests(comm);
    for (auto const& book : {book_of(comm.size()), glt::partition_book(uneven), book_of(comm.size())}) {
      requests.route(book, glt::host_view<std::int64_t const>(list));
      requests.send({.what = glt::detail::operation::user});
      std::vector<glt::local_id> expected;
      for (auto k = book.begin(comm.rank()); k < book.end(comm.rank()); ++k) {
        expected.push_back(static_cast<glt::local_id>(k - book.begin(comm.rank())));
      }
      for (int rank = 0; rank < comm.size(); ++rank) {
        CHECK(glt::to_vector(glt::device::cpu(), requests.received_of(rank)) == expected);
      }
    }
  });
}

TEST_CASE("items that are kept for a rank are routed, but not sent") {
  glt_test::on_ranks([](auto comm) {
    auto const book = book_of(comm.size());
    auto const kept = [&](int from, int to) { return from != to && (from + to) % 2 == 1; };
    std::vector<char> is_kept;
    for (int rank = 0; rank < comm.size(); ++rank) {
      is_kept.push_back(kept(comm.rank(), rank) ? 1 : 0);
    }
    glt::detail::routed_list requests(comm, glt::device::cpu(), glt::detail::own_rows::apart);
    requests.keep(is_kept);
    std::vector<std::int64_t> list;
    for (std::int64_t i = 0; i < 20; ++i) {
      list.push_back(key(i, comm.rank(), comm.size()));
    }
    requests.route(book, glt::host_view<std::int64_t const>(list));
    requests.send({.what = glt::detail::operation::user});
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const r = static_cast<std::size_t>(rank);
      CHECK((requests.counts()[r] == 0) == (is_kept[r] != 0 || requests.offsets()[r] == requests.offsets()[r + 1]));
      std::vector<glt::local_id> expected;
      for (std::int64_t i = 0; i < 20; ++i) {
        if (auto const k = key(i, rank, comm.size());
            rank != comm.rank() && !kept(rank, comm.rank()) && k / 4 == comm.rank()) {
          expected.push_back(static_cast<glt::local_id>(k % 4));
        }
      }
      CHECK(glt::to_vector(glt::device::cpu(), requests.received_of(rank)) == expected);
    }
  });
}

TEST_CASE_TEMPLATE("a failure, a foreign key or another call of one rank is the same error on every rank", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const name = "rank " + std::to_string(last);
    Policy const policy;
    auto const book = book_of(comm.size());
    glt::detail::routed_list<decltype(comm), Policy, item> items(comm, policy);
    auto const route = [&](std::vector<std::int64_t> const& keys) {
      auto const there = glt::make_buffer<Policy>(keys, policy);
      items.route(book, there.view(), make_item{comm.rank()});
    };
    auto const error = glt_test::thrown<glt::collective_error>([&] {
      route({0, 4 * last});
      items.send({}, 0, comm.rank() == last ? "no items here" : "");
    });
    CHECK(error == name + ": no items here");
    if (comm.rank() == last) {
      CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { route({0, 100}); }), "vertex 100"));
    }
    route({});
    items.send({}); // all ranks are still together
    if (comm.size() > 1) {
      CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                              route({});
                              items.send({.step = comm.rank() == last ? 5 : 4});
                            }),
                            name, "step 5", "step 4"));
    }
  });
}
