// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/walk/detail/walk_inbox.hpp>

#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/policies.hpp"
#include "support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using glt_test::on_ranks;

namespace {

struct traveller {
  std::int32_t from;
  std::int32_t number;
};

struct note_traveller {
  std::int64_t* to;
  GLT_HOST_DEVICE void operator()(std::int64_t i, traveller walker) const {
    to[i] = 1000 * walker.from + walker.number;
  }
};

template <class Vertex>
struct note_visit {
  std::int64_t* to;
  GLT_HOST_DEVICE void operator()(std::int64_t, glt::detail::walk_visit<Vertex> const& made) const {
    to[made.walk] = -(made.vertex * 1000 + made.walk * 100 + made.step * 10 + made.edge);
  }
};

template <class Policy, class Comm, class Vertex>
class post {
public:
  using visit = glt::detail::walk_visit<Vertex>;
  post(Comm comm, bool ids) : inbox_(comm, ids, Policy()) {}

  auto& inbox() { return inbox_; }
  void add_walker(int to, traveller walker) { add(inbox_.walkers(), to, walker); }
  void add_visit(int to, visit made) { add(inbox_.visits(), to, made); }

  // The walkers, as 1000 · from + number; the visits, as negative sums by walk, are as expected.
  std::vector<std::int64_t> found(std::vector<std::int64_t> const& expected_visits) {
    auto walkers = glt::make_buffer<Policy>(std::vector<std::int64_t>(1000));
    auto visits = glt::make_buffer<Policy>(std::vector<std::int64_t>(expected_visits.size()));
    std::int64_t count = 0;
    inbox_.open(
        [&](std::int64_t more) {
          count += more;
          return note_traveller{walkers.data() + count - more};
        },
        note_visit<Vertex>{visits.data()});
    CHECK(glt::to_vector(Policy(), visits.view()) == expected_visits);
    return glt::to_vector(Policy(), walkers.view().subview(0, count));
  }

private:
  template <class Box, class Item>
  void add(Box& box, int to, Item item) {
    auto const size = box.size();
    box.resize(size + 1);
    glt::detail::copy_in(Policy(), glt::host_view<Item const>(&item, 1), box.items.view().subview(size, 1));
    glt::local_id const rank = to;
    glt::detail::copy_in(Policy(), glt::host_view<glt::local_id const>(&rank, 1), box.ranks.view().subview(size, 1));
  }

  glt::detail::walk_inbox<Comm, Policy, traveller, Vertex> inbox_;
};

} // namespace

TEST_CASE_TEMPLATE("walkers and visits arrive at their ranks, with and without edge ids", Policy, GLT_TEST_POLICIES) {
  on_ranks([](auto comm) {
    for (bool const ids : {false, true}) {
      post<Policy, decltype(comm), glt::local_id> mail(comm, ids);
      for (int round = 0; round < 3; ++round) {
        mail.add_visit(0, {1, 1, 1, 1}); // forgotten
        mail.inbox().clear();
        // Rank r sends r + p + round walkers and r + 2 visits to rank p, but nothing to itself and to rank 2.
        for (int to = 0; to < comm.size(); ++to) {
          for (int i = 0; to != comm.rank() && to != 2 && i < comm.rank() + to + round; ++i) {
            mail.add_walker(to, {comm.rank(), i});
          }
          for (int i = 0; to != comm.rank() && to != 2 && i < comm.rank() + 2; ++i) {
            mail.add_visit(to, {7 * i, 10 * comm.rank() + i, round, 100 * comm.rank() + i});
          }
        }
        auto const others = comm.size() - 1 - (comm.size() > 2 && comm.rank() != 2 ? 1 : 0);
        CHECK(mail.inbox().visits().size() == others * (comm.rank() + 2));
        mail.inbox().pack();
        CHECK(mail.inbox().visits().size() == 0);
        auto const headers = mail.inbox().send({.hop = round}, comm.rank(), {});
        CHECK(headers[0].value == 0);
        std::vector<std::int64_t> expected;
        for (int from = 0; comm.rank() != 2 && from < comm.size(); ++from) {
          for (int i = 0; from != comm.rank() && i < from + comm.rank() + round; ++i) {
            expected.push_back(1000 * from + i);
          }
        }
        std::vector<std::int64_t> visits(50, 0); // by walk
        for (int from = 0; comm.rank() != 2 && from < comm.size(); ++from) {
          for (int i = 0; from != comm.rank() && i < from + 2; ++i) {
            auto const walk = 10 * from + i;
            visits[static_cast<std::size_t>(walk)] =
                -((100 * from + i) * 1000 + walk * 100 + round * 10 + (ids ? 7 * i : 0));
          }
        }
        auto const found = mail.found(visits);
        CHECK(found == expected);
      }
    }
  });
}

TEST_CASE("a failure of one rank reaches all, and the inbox can be used again") {
  on_ranks([](auto comm) {
    post<glt::device::cpu, decltype(comm), glt::local_id> mail(comm, false);
    auto const last = comm.size() - 1;
    mail.add_walker(0, {1, 1});
    auto const text = glt_test::thrown<glt::collective_error>(
        [&] { static_cast<void>(mail.inbox().send({}, 0, comm.rank() == last ? "lost its way" : "")); });
    CHECK(glt_test::names(text, "rank " + std::to_string(last), "lost its way"));
    mail.inbox().clear();
    mail.inbox().pack();
    static_cast<void>(mail.inbox().send({}, 0, {}));
    CHECK(mail.found(std::vector<std::int64_t>(50, 0)).empty());
  });
}
