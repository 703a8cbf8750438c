// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/distant_policy.hpp"
#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
#include "support/ranks.hpp"

#include <doctest/doctest.h>

#include <glt/comm/counting.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/comm/serial.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/device_comm.hpp>
#include <glt/memory/buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;
using glt::detail::make_payload_comm;
using glt::detail::payload_comm;
using glt::dist::device_comm;

namespace {

using remote = distant_policy<>;
using pinned = distant_policy<memory_space::pinned>;

static_assert(communicator<device_comm<serial_comm, remote>>);
static_assert(carries<device_comm<serial_comm, remote>, memory_space::device>);
static_assert(!carries<device_comm<serial_comm, remote>, memory_space::host>);
static_assert(carries<serial_comm, memory_space::host> && carries<serial_comm, memory_space::pinned>);
static_assert(!carries<serial_comm, memory_space::device>);
static_assert(!carries<int, memory_space::host>);
static_assert(std::same_as<payload_comm<serial_comm, device::cpu>, serial_comm>);
static_assert(std::same_as<payload_comm<serial_comm, remote>, device_comm<serial_comm, remote>>);
static_assert(std::same_as<payload_comm<serial_comm, pinned>, device_comm<serial_comm, pinned>>);

// Memory that a communicator can open to other processes; that of `pooled` is not such.
using mappable_blocks = std::vector<std::pair<std::byte const*, std::size_t>>;

class mappable_resource : public distant_resource {
public:
  explicit mappable_resource(std::shared_ptr<mappable_blocks> blocks)
      : distant_resource(nullptr), blocks_(std::move(blocks)) {}
  [[nodiscard]] void* allocate(std::size_t bytes) const {
    auto* const made = host_resource::allocate(bytes);
    if (blocks_) {
      blocks_->emplace_back(static_cast<std::byte const*>(made), bytes);
    }
    return made;
  }

private:
  std::shared_ptr<mappable_blocks> blocks_;
};

class mappable : public remote {
public:
  mappable() = default;
  explicit mappable(std::shared_ptr<mappable_blocks> blocks) : blocks_(std::move(blocks)) {}
  [[nodiscard]] mappable_resource resource() const { return mappable_resource(blocks_); }

private:
  std::shared_ptr<mappable_blocks> blocks_;
};

class pooled : public remote {
public:
  pooled() = default;
  explicit pooled(std::shared_ptr<mappable_blocks> blocks) : blocks_(std::move(blocks)) {}
  [[nodiscard]] mappable exchange() const { return mappable(blocks_); }

private:
  std::shared_ptr<mappable_blocks> blocks_;
};

// A communicator that says whether it takes memory of GPUs, if it comes from blocks that it can open.
template <communicator C>
class aware_comm : public minimal_communicator<C> {
public:
  aware_comm(C inner, bool aware, std::shared_ptr<mappable_blocks> blocks = nullptr)
      : minimal_communicator<C>(std::move(inner)), aware_(aware), blocks_(std::move(blocks)) {}
  [[nodiscard]] bool device_aware() const noexcept { return aware_; }
  [[nodiscard]] auto start_all_to_all_v(outgoing out, incoming in) {
    for (std::byte const* const data : {out.data, static_cast<std::byte const*>(in.data)}) {
      CHECK((blocks_ == nullptr || std::ranges::any_of(*blocks_, [&](auto const& block) {
               return block.first <= data && data < block.first + block.second;
             })));
    }
    return minimal_communicator<C>::start_all_to_all_v(out, in);
  }
  [[nodiscard]] aware_comm split(int color, int order) {
    return aware_comm(minimal_communicator<C>::split(color, order), aware_, blocks_);
  }
  [[nodiscard]] aware_comm duplicate() { return split(0, this->rank()); }
  using minimal_communicator<C>::split;

private:
  bool aware_;
  std::shared_ptr<mappable_blocks> blocks_;
};

std::int64_t rows_of(int from, int to, int round) {
  if (from == to || (from + 2 * to + round) % 4 == 0) {
    return 0;
  }
  return (from * 7 + to * 5 + round * 11) % 23 + (round == 2 && from == 0 && to == 1 ? 500 : 0);
}

std::int32_t value_of(int from, int to, std::int64_t i) {
  return static_cast<std::int32_t>(from * 100000 + to * 10000 + i);
}

// An exchange of uneven slices, some of them empty, through views of the policy's memory.
template <class Comm, class Policy>
void exchange(Comm& comm, Policy const& policy, int round) {
  std::vector<std::int64_t> send_counts;
  std::vector<std::int64_t> receive_counts;
  std::vector<std::int32_t> sent;
  std::vector<std::int32_t> expected;
  for (int peer = 0; peer < comm.size(); ++peer) {
    send_counts.push_back(rows_of(comm.rank(), peer, round));
    receive_counts.push_back(rows_of(peer, comm.rank(), round));
    for (std::int64_t i = 0; i < 3 * send_counts.back(); ++i) {
      sent.push_back(value_of(comm.rank(), peer, i));
    }
    for (std::int64_t i = 0; i < 3 * receive_counts.back(); ++i) {
      expected.push_back(value_of(peer, comm.rank(), i));
    }
  }
  auto const out = make_buffer<Policy>(sent, policy);
  auto in = make_buffer<Policy>(std::vector<std::int32_t>(expected.size(), -1), policy);
  detail::exchange_rows(comm, out.view(), send_counts, in.view(), receive_counts, 3);
  CHECK(to_vector(policy, in.view()) == expected);
}

} // namespace

TEST_CASE("memory of a device goes through staging buffers, in as many rounds as the largest slice needs") {
  auto const body = [](auto host) {
    for (std::int64_t const round_bytes : {1, 5, 64, 4096, 1 << 22}) {
      remote const policy;
      device_comm comm(host, policy, {.round_bytes = round_bytes});
      CHECK(comm.direct() == false);
      CHECK(comm.rank() == host.rank());
      for (int round = 0; round < (round_bytes == 1 ? 2 : 5); ++round) {
        exchange(comm, policy, round);
      }
      auto copy = comm;
      exchange(copy, policy, 1);
    }
  };
  on_ranks(body);
  on_ranks_limited(body);
}

TEST_CASE("ranks without anything to send or receive stay in step with those that need many rounds") {
  on_ranks([](auto host) {
    counting_comm counted(host);
    remote const policy;
    device_comm comm(counted, policy, {.round_bytes = 8 * std::max(1, host.size() - 1)});
    std::vector<std::int64_t> out(static_cast<std::size_t>(comm.size()), 0);
    auto in = out;
    auto const offsets = out;
    bool const large = comm.size() > 1;
    if (large && comm.rank() == 0) {
      out[1] = 41;
    }
    if (large && comm.rank() == 1) {
      in[0] = 41;
    }
    auto const data = make_buffer<remote>(std::vector<std::byte>(41, std::byte{7}), policy);
    auto received = make_buffer<remote>(std::vector<std::byte>(41, std::byte{0}), policy);
    comm.all_to_all_v({data.data(), out, offsets}, {received.data(), in, offsets});
    bool const receives = large && comm.rank() == 1;
    CHECK(to_vector(policy, received.view()) == std::vector<std::byte>(41, receives ? std::byte{7} : std::byte{0}));
    auto const payload = counted.counts().payload;
    CHECK(payload.collectives == (large ? 6 : 0));
    CHECK(payload.bytes == (large ? 6 * 8 * (comm.size() - 1) + (comm.rank() == 0 ? 41 : 0) : 0));

    comm.all_to_all_v({nullptr, offsets, offsets}, {nullptr, offsets, offsets}); // nothing at all
    CHECK(counted.counts().payload.collectives == (large ? 7 : 0));
  });
}

TEST_CASE("a request is waited for when it goes, and only one is under way") {
  on_ranks([](auto host) {
    remote const policy;
    device_comm comm(host, policy, {.round_bytes = 8});
    auto const peer = (comm.rank() + 1) % comm.size();
    auto const from = (comm.rank() + comm.size() - 1) % comm.size();
    std::vector<std::int64_t> out(static_cast<std::size_t>(comm.size()), 0);
    auto in = out;
    auto const offsets = out;
    out[static_cast<std::size_t>(peer)] = comm.size() > 1 ? 40 : 0;
    in[static_cast<std::size_t>(from)] = comm.size() > 1 ? 40 : 0;
    auto const data = make_buffer<remote>(std::vector<std::byte>(40, std::byte(10 + comm.rank())), policy);
    auto received = make_buffer<remote>(std::vector<std::byte>(40, std::byte(10 + from)), policy);
    auto const expected = to_vector(policy, received.view());
    {
      auto const request = comm.start_all_to_all_v({data.data(), out, offsets}, {received.data(), in, offsets});
      if (comm.size() > 1) {
        CHECK(names(thrown<precondition_error>([&] {
                      comm.start_all_to_all_v({data.data(), out, offsets}, {received.data(), in, offsets}).wait();
                    }),
                    "an exchange is under way"));
      }
    }
    CHECK(to_vector(policy, received.view()) == expected);
    auto request = comm.start_all_to_all_v({data.data(), out, offsets}, {received.data(), in, offsets});
    auto moved = std::move(request);
    moved.wait();
    moved.wait();
    CHECK(to_vector(policy, received.view()) == expected);
  });
}

TEST_CASE("memory goes directly where the communicator takes it, behind what was enqueued") {
  on_ranks([](auto host) {
    auto const log = std::make_shared<distant_log>();
    pinned const policy(log);
    device_comm comm(host, policy);
    CHECK(comm.direct());
    exchange(comm, policy, 1);
    if (host.size() > 1) {
      CHECK(log->copies_out == 2); // that of the test, and one byte to wait for
    }
    CHECK(device_comm(host, policy, {.direct = false}).direct());

    device_comm counted(counting_comm{host}, policy); // whose requests must not be touched once they are moved
    std::vector<std::int64_t> const none(static_cast<std::size_t>(host.size()), 0);
    auto first = counted.start_all_to_all_v({nullptr, none, none}, {nullptr, none, none});
    auto second = std::move(first);
    first = std::move(second);
    first.wait();
    first = counted.start_all_to_all_v({nullptr, none, none}, {nullptr, none, none});
    first.wait();
    CHECK(counted.host().counts().payload.collectives == 2);

    auto const same = device_comm(host, device::cpu());
    CHECK(same.direct());
    auto plain = make_payload_comm(host, device::cpu());
    exchange(plain, device::cpu(), 1);
    CHECK(&detail::host_comm(plain) == &plain);
  });
}

TEST_CASE("device-aware communicators are asked at run time, on all ranks, if that is chosen") {
  on_ranks([](auto host) {
    auto const blocks = std::make_shared<mappable_blocks>();
    pooled const policy(blocks);
    for (std::int64_t const round_bytes : {16, 1 << 22}) {
      device_comm aware(aware_comm(host, true, host.size() > 1 ? blocks : nullptr), policy,
                        {.round_bytes = round_bytes, .direct = true});
      CHECK(aware.direct());
      for (int round = 0; round < 3; ++round) { // through exchange buffers, never the pool
        exchange(aware, policy, round);
      }
    }
    remote const plain; // its own memory is as good as any
    device_comm same(aware_comm(host, true), plain, {.direct = true});
    CHECK(same.direct());
    exchange(same, plain, 1);
    device_comm partly(aware_comm(host, host.rank() != host.size() - 1), policy, {.round_bytes = 16, .direct = true});
    CHECK(!partly.direct());
    exchange(partly, policy, 1);
    CHECK(!device_comm(aware_comm(host, true), policy).direct());
  });
}

TEST_CASE("headers, reductions and parts of a device communicator are those of the host") {
  on_ranks([](auto host) {
    remote const policy;
    device_comm comm(host, policy, {.round_bytes = 16});
    std::vector<std::int64_t> send(static_cast<std::size_t>(comm.size()), comm.rank());
    std::vector<std::int64_t> received(send.size(), -1);
    detail::exchange_sizes(detail::host_comm(comm), send, received);
    for (std::size_t rank = 0; rank < received.size(); ++rank) {
      CHECK(received[rank] == static_cast<std::int64_t>(rank));
    }
    double sum = 1;
    comm.all_reduce(std::span(&sum, 1), reduction::sum);
    CHECK(sum == comm.size());
    auto value = std::byte(comm.rank() + 1);
    comm.broadcast(&value, 1, comm.size() - 1);
    CHECK(value == std::byte(comm.size()));
    comm.barrier();
    reply_buffer replies;
    std::vector<std::int64_t> const none(send.size(), 0);
    std::vector<char> const nobody(send.size(), 0);
    comm.all_to_all_replies({nullptr, none, none}, nobody, nobody, replies);
    CHECK(replies.sizes == none);
    auto half = comm.split(comm.rank() % 2, comm.rank());
    CHECK(half.size() == (comm.size() + 1 - comm.rank() % 2) / 2);
    exchange(half, policy, 1);
    auto twin = comm.duplicate();
    exchange(twin, policy, 2);
  });
}

TEST_CASE("a copy that fails on one rank ends the exchange on all of them, and the next one works") {
  for (int const failing : {0, 1, 3}) {
    on_ranks(
        [&](auto host) {
          auto const log = std::make_shared<distant_log>();
          remote const policy(log);
          device_comm comm(host, policy, {.round_bytes = 8 * (host.size() - 1)});
          std::vector<std::int64_t> sizes(static_cast<std::size_t>(comm.size()), 40);
          sizes[static_cast<std::size_t>(comm.rank())] = 0;
          std::vector<std::int64_t> offsets(sizes.size(), 0);
          for (std::size_t i = 0; i < offsets.size(); ++i) {
            offsets[i] = static_cast<std::int64_t>(40 * i);
          }
          auto const data = make_buffer<remote>(std::vector<std::byte>(40 * sizes.size(), std::byte{3}), policy);
          auto received = make_buffer<remote>(std::vector<std::byte>(40 * sizes.size()), policy);
          auto const run = [&] { comm.all_to_all_v({data.data(), sizes, offsets}, {received.data(), sizes, offsets}); };
          if (comm.rank() == 1) {
            log->copies_out = 0;
            log->failing_copy_out = failing;
          }
          CHECK(thrown<collective_error>(run) == "rank 1: no way out of device memory");
          run();
          CHECK(to_vector(policy, received.view().subview(comm.rank() == 0 ? 40 : 0, 40)) ==
                std::vector<std::byte>(40, std::byte{3}));
        },
        {2, 3, 4});
  }
}

TEST_CASE("bytes that cannot be brought in are told to the others as long as they listen") {
  on_ranks(
      [](auto host) {
        auto const log = std::make_shared<distant_log>();
        remote const policy(log);
        device_comm comm(host, policy, {.round_bytes = 8});
        std::vector<std::int64_t> sizes{40, 40};
        sizes[static_cast<std::size_t>(comm.rank())] = 0;
        std::vector<std::int64_t> const offsets{0, 0};
        auto const data = make_buffer<remote>(std::vector<std::byte>(40, std::byte{3}), policy);
        auto received = make_buffer<remote>(std::vector<std::byte>(40), policy);
        auto const run = [&] { comm.all_to_all_v({data.data(), sizes, offsets}, {received.data(), sizes, offsets}); };
        if (comm.rank() == 1) {
          log->copies_in = 0;
          log->failing_copy_in = 0;
        }
        CHECK(thrown<collective_error>(run) == "rank 1: no way into device memory");
        if (comm.rank() == 1) {
          log->copies_in = 0;
          log->failing_copy_in = 4; // of the last round
        }
        CHECK(thrown<std::runtime_error>(run) ==
              (comm.rank() == 1 ? "no way into device memory" : "(nothing was thrown)"));
        run();
        CHECK(to_vector(policy, received.view()) == std::vector<std::byte>(40, std::byte{3}));
      },
      {2});
}

TEST_CASE("wrong arguments are refused before anything is sent") {
  on_ranks([](auto host) {
    remote const policy;
    device_comm comm(host, policy);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(comm.size()), 0);
    auto const offsets = sizes;
    sizes[static_cast<std::size_t>(comm.rank())] = 1;
    auto const send = [&] { comm.all_to_all_v({nullptr, sizes, offsets}, {nullptr, offsets, offsets}); };
    CHECK(names(thrown<precondition_error>(send), "that is this rank itself"));
    CHECK(names(thrown<precondition_error>([&] { device_comm(host, policy, {.round_bytes = 0}); }), "0 bytes"));
    exchange(comm, policy, 1);
  });
}
