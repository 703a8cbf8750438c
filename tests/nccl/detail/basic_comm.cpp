// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/distant_policy.hpp"
#include "support/errors.hpp"
#include "support/fake_nccl.hpp"

#include <glt/comm/counting.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/dist/device_comm.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/nccl/detail/basic_comm.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using fake_comm = detail::basic_nccl_comm<threads_comm, fake_nccl>;
using gpu = distant_policy<>;

static_assert(communicator<fake_comm>);
static_assert(carries<fake_comm, memory_space::device> && carries<fake_comm, memory_space::pinned>);
static_assert(!carries<fake_comm, memory_space::host>);
static_assert(std::same_as<detail::payload_comm<fake_comm, gpu>, fake_comm>);
static_assert(communicator<counting_comm<fake_comm>> && !carries<counting_comm<fake_comm>, memory_space::host>);

constexpr std::int64_t comm_step = 2;

std::int64_t rows_of(int from, int to, int round) {
  return from == to || (from + 2 * to + round) % 3 == 0 ? 0 : (from * 7 + to * 5 + round * 11) % 40;
}
std::int32_t value_of(int from, int to, std::int64_t i) {
  return static_cast<std::int32_t>(from * 10000 + to * 1000 + i);
}

template <class Comm>
void exchange(Comm& comm, int round) {
  std::vector<std::int64_t> send_counts;
  std::vector<std::int64_t> receive_counts;
  std::vector<std::int32_t> sent;
  std::vector<std::int32_t> expected;
  for (int peer = 0; peer < comm.size(); ++peer) {
    send_counts.push_back(rows_of(comm.rank(), peer, round));
    receive_counts.push_back(rows_of(peer, comm.rank(), round));
    for (std::int64_t i = 0; i < 2 * send_counts.back(); ++i) {
      sent.push_back(value_of(comm.rank(), peer, i));
    }
    for (std::int64_t i = 0; i < 2 * receive_counts.back(); ++i) {
      expected.push_back(value_of(peer, comm.rank(), i));
    }
  }
  auto const out = make_buffer<gpu>(sent);
  auto in = make_buffer<gpu>(std::vector<std::int32_t>(expected.size(), -1));
  detail::exchange_rows(comm, out.view(), send_counts, in.view(), receive_counts, 2);
  CHECK(to_vector(gpu(), in.view()) == expected);
}

// Every rank sends one byte to every other one.
struct full_exchange {
  explicit full_exchange(fake_comm const& comm)
      : sizes(static_cast<std::size_t>(comm.size()), 1), offsets(sizes.size(), 0),
        sent(make_buffer<gpu>(std::vector<std::byte>(1, std::byte(comm.rank() + 1)))),
        received(make_buffer<gpu>(std::vector<std::byte>(sizes.size()))) {
    sizes[static_cast<std::size_t>(comm.rank())] = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      places.push_back(static_cast<std::int64_t>(i));
    }
  }
  auto start(fake_comm& comm) {
    return comm.start_all_to_all_v({sent.data(), sizes, offsets}, {received.data(), sizes, places});
  }
  [[nodiscard]] bool arrived(fake_comm const& comm) const {
    auto const values = to_vector(gpu(), received.view());
    bool right = true;
    for (int rank = 0; rank < comm.size(); ++rank) {
      right = right && values[static_cast<std::size_t>(rank)] == std::byte(rank == comm.rank() ? 0 : rank + 1);
    }
    return right;
  }

  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> places;
  buffer<gpu, std::byte> sent;
  buffer<gpu, std::byte> received;
};

} // namespace

TEST_CASE("memory of GPUs travels in groups, and everything else with the communicator of the host") {
  for (int const ranks : {1, 2, 3, 4}) {
    auto const network = std::make_shared<fake_network>();
    run_threads(ranks, [&](threads_comm host) {
      fake_comm comm(host, fake_nccl(network));
      CHECK(comm.rank() == host.rank());
      CHECK(comm.size() == host.size());
      for (int round = 0; round < 5; ++round) {
        exchange(comm, round);
        std::vector<std::int64_t> sent(static_cast<std::size_t>(ranks), comm.rank());
        auto received = sent;
        detail::exchange_sizes(comm, sent, received);
        CHECK(received.back() == ranks - 1);
      }
      auto copy = comm;
      exchange(copy, 1);
      auto half = comm.split(comm.rank() % 2, 0);
      exchange(half, 2);
      auto twin = half.duplicate();
      exchange(twin, 3);
      exchange(comm, 4);
    });
    CHECK(network->alive == 0);
  }
}

TEST_CASE("empty messages are not sent, and a rank without any joins no group") {
  auto const network = std::make_shared<fake_network>();
  run_threads(3, [&](threads_comm host) {
    fake_comm comm(host, fake_nccl(network));
    std::vector<std::int64_t> const none(3, 0);
    auto out = none;
    auto in = none;
    if (comm.rank() == 0) {
      out[1] = 4;
    } else if (comm.rank() == 1) {
      in[0] = 4;
    }
    auto const sent = make_buffer<gpu>(std::vector<std::byte>(4, std::byte{9}));
    auto received = make_buffer<gpu>(std::vector<std::byte>(4));
    comm.all_to_all_v({sent.data(), out, none}, {received.data(), in, none});
    CHECK((to_vector(gpu(), received.view())[3] == std::byte{9}) == (comm.rank() == 1));
    comm.barrier();
    CHECK(network->groups == 2);
  });
}

TEST_CASE("reductions of device memory are exact on every rank") {
  auto const network = std::make_shared<fake_network>();
  run_threads(3, [&](threads_comm host) {
    fake_comm comm(host, fake_nccl(network));
    auto values = make_buffer<gpu>(std::vector<float>{1, static_cast<float>(comm.rank()), -2});
    comm.all_reduce(values.view(), reduction::sum);
    CHECK(to_vector(gpu(), values.view()) == std::vector<float>{3, 3, -6});
    auto largest = make_buffer<gpu>(std::vector<std::int64_t>{comm.rank()});
    comm.all_reduce(largest.view(), reduction::max);
    CHECK(to_vector(gpu(), largest.view()) == std::vector<std::int64_t>{2});
    comm.all_reduce(array_view<memory_space::device, float>(), reduction::sum);
    double on_host = 1;
    comm.all_reduce(std::span(&on_host, 1), reduction::sum);
    CHECK(on_host == 3);
  });
}

TEST_CASE("one exchange at a time, waited for when its request goes") {
  auto const network = std::make_shared<fake_network>();
  run_threads(2, [&](threads_comm host) {
    fake_comm comm(host, fake_nccl(network));
    full_exchange first(comm);
    {
      auto const request = first.start(comm);
      CHECK(names(thrown<precondition_error>([&] { full_exchange(comm).start(comm).wait(); }), "is under way"));
    }
    CHECK(first.arrived(comm));
    full_exchange other(comm);
    auto request = other.start(comm);
    request.wait();
    request.wait();
    full_exchange second(comm);
    auto moved = second.start(comm);
    request = std::move(moved);
    request.wait();
    CHECK(second.arrived(comm));
    std::vector<std::int64_t> const wrong(3, 0);
    auto const send = [&] { comm.all_to_all_v({nullptr, wrong, wrong}, {nullptr, wrong, wrong}); };
    CHECK(names(thrown<precondition_error>(send), "one per rank, that is 2"));
  });
}

TEST_CASE("whatever call of NCCL fails on one rank, all ranks give up and none hangs") {
  struct failure {
    std::string call;
    int after;
    bool in_setup;
  };
  for (failure const& each : {failure{"make_id", 0, true}, failure{"start", 0, true}, failure{"ready", 0, true},
                              failure{"begin_group", 1, false}, failure{"send", 2, false}, failure{"receive", 3, false},
                              failure{"end_group", 1, false}, failure{"mark", 1, false}, failure{"done", 1, false},
                              failure{"ready", 12, false}}) {
    for (int const failing : {0, 2}) {
      if (each.call == "make_id" && failing != 0) {
        continue;
      }
      CAPTURE(each.call);
      CAPTURE(failing);
      auto const network = std::make_shared<fake_network>();
      auto const expected = "rank " + std::to_string(failing) + ": " + each.call + " failed";
      run_threads(3, [&](threads_comm host) {
        auto const layer = host.rank() == failing ? fake_nccl(network, each.call, each.after) : fake_nccl(network);
        std::optional<fake_comm> comm;
        auto const set_up = [&] { comm.emplace(host, layer); };
        if (each.in_setup) {
          CHECK(thrown<collective_error>(set_up) == expected);
          return;
        }
        set_up();
        auto const use = [&] {
          for (int step = 0; step < 20; ++step) {
            full_exchange(*comm).start(*comm).wait();
          }
        };
        CHECK(thrown<collective_error>(use) == expected);
        CHECK(thrown<collective_error>(use) == expected); // and for ever
        host.barrier();
        CHECK(network->alive == 0);                // before the handles go
        fake_comm again(host, fake_nccl(network)); // the host is as good as before
        exchange(again, 1);
      });
      CHECK(network->alive == 0);
    }
  }
}

TEST_CASE("a reduction that fails on one rank fails on all, also when two fail at a time") {
  auto const network = std::make_shared<fake_network>();
  run_threads(4, [&](threads_comm host) {
    fake_comm comm(host, host.rank() % 2 == 1 ? fake_nccl(network, "reduce", 0) : fake_nccl(network));
    auto values = make_buffer<gpu>(std::vector<float>{1});
    CHECK(thrown<collective_error>([&] { comm.all_reduce(values.view(), reduction::sum); }) == "rank 1: reduce failed");
  });
}

TEST_CASE("views of device memory are exchanged with it as with a staged communicator") {
  auto const network = std::make_shared<fake_network>();
  run_threads(3, [&](threads_comm host) {
    detail::slice_exchange<fake_comm, gpu> views(fake_comm(host, fake_nccl(network)));
    std::vector<std::int64_t> const counts(3, comm_step);
    views.exchange_counts({.step = 1}, counts);
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < 3 * comm_step; ++i) {
      values.push_back(views.rank() * 100 + i);
    }
    auto const out = make_buffer<gpu>(values);
    buffer<gpu, std::int64_t> in(3 * comm_step);
    views.start(out.view(), in.view());
    views.wait();
    auto const received = to_vector(gpu(), in.view());
    for (std::int64_t i = 0; i < 3 * comm_step; ++i) {
      CHECK(received[static_cast<std::size_t>(i)] == i / comm_step * 100 + views.rank() * comm_step + i % comm_step);
    }
  });
}
