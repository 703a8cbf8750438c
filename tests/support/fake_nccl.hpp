// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/nccl/detail/basic_comm.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace glt_test {

/// What the ranks of a `fake_nccl` share: threads of one process.
struct fake_network {
  std::mutex lock;
  int last_id = 0;
  int alive = 0;                                                                ///< communicators that nobody has freed
  int groups = 0;                                                               ///< of messages, by all ranks
  std::map<int, int> started;                                                   ///< ranks by id
  std::map<std::tuple<int, int, int>, std::deque<std::vector<std::byte>>> mail; ///< by id, sender and receiver
  std::map<std::pair<int, int>, std::vector<std::vector<double>>> sums;         ///< by id and number of the reduction
};

/// A layer under `basic_nccl_comm` that moves bytes between threads as NCCL does between GPUs: whoever waits for a rank
/// that does not come waits for ever. One of its calls may fail.
class fake_nccl {
public:
  using id_type = int;
  struct comm_type {
    int id;
    int rank;
    int ranks;
  };

  /// The call of that name fails when it was made `after` times.
  fake_nccl(std::shared_ptr<fake_network> network, std::string failing, int after)
      : network_(std::move(network)), failing_(std::move(failing)), calls_left_(std::make_shared<int>(after)) {}
  explicit fake_nccl(std::shared_ptr<fake_network> network) : fake_nccl(std::move(network), "", 0) {}

  id_type make_id() {
    may_fail("make_id");
    std::scoped_lock const hold(network_->lock);
    return ++network_->last_id;
  }

  comm_type start(int ranks, int rank, id_type id) {
    may_fail("start");
    std::scoped_lock const hold(network_->lock);
    ++network_->started[id];
    ++network_->alive;
    return {id, rank, ranks};
  }

  bool ready(comm_type const& comm) {
    std::scoped_lock const hold(network_->lock);
    if (network_->started[comm.id] < comm.ranks) {
      return false; // as often as the others let it wait
    }
    may_fail("ready");
    return ++polls_ % 3 != 0; // now and then it takes longer
  }

  void begin_group() {
    may_fail("begin_group");
    check(!in_group_, "group in a group");
    in_group_ = true;
  }
  void send(comm_type const& comm, std::byte const* data, std::int64_t bytes, int peer) {
    may_fail("send");
    check(in_group_ && peer != comm.rank && bytes > 0, "wrong send");
    outbox_.emplace_back(std::tuple(comm.id, comm.rank, peer), std::vector<std::byte>(data, data + bytes));
  }
  void receive(comm_type const& comm, std::byte* data, std::int64_t bytes, int peer) {
    may_fail("receive");
    check(in_group_ && peer != comm.rank && bytes > 0, "wrong receive");
    expected_.push_back({std::tuple(comm.id, peer, comm.rank), data, bytes});
  }
  void end_group() {
    may_fail("end_group");
    check(in_group_, "no group to end");
    in_group_ = false;
    std::scoped_lock const hold(network_->lock);
    ++network_->groups;
    for (auto& [route, bytes] : outbox_) {
      network_->mail[route].push_back(std::move(bytes));
    }
    outbox_.clear();
  }

  template <class T>
  void reduce(comm_type const& comm, T* values, std::int64_t count, glt::reduction op) {
    may_fail("reduce");
    std::scoped_lock const hold(network_->lock);
    auto const key = std::pair(comm.id, ++reductions_);
    network_->sums[key].emplace_back(values, values + count);
    finish_reduction_ = [this, key, comm, values, op]() {
      auto const& all = network_->sums[key];
      if (static_cast<int>(all.size()) < comm.ranks) {
        return false;
      }
      for (std::size_t i = 0; i < all[0].size(); ++i) {
        auto result = all[0][i];
        for (std::size_t rank = 1; rank < all.size(); ++rank) {
          auto const other = all[rank][i];
          result = op == glt::reduction::sum   ? result + other
                   : op == glt::reduction::min ? std::min(result, other)
                                               : std::max(result, other);
        }
        values[i] = static_cast<T>(result);
      }
      return true;
    };
  }

  void mark() { may_fail("mark"); }
  bool done() {
    may_fail("done");
    std::scoped_lock const hold(network_->lock);
    while (!expected_.empty()) {
      auto const& next = expected_.front();
      auto& box = network_->mail[next.route];
      if (box.empty()) {
        return false;
      }
      check(static_cast<std::int64_t>(box.front().size()) == next.bytes, "sizes differ");
      std::memcpy(next.data, box.front().data(), box.front().size());
      box.pop_front();
      expected_.pop_front();
    }
    if (finish_reduction_ && finish_reduction_()) {
      finish_reduction_ = nullptr;
    }
    return !finish_reduction_;
  }

  void abort(comm_type const&) noexcept {
    std::scoped_lock const hold(network_->lock);
    --network_->alive;
  }

private:
  struct message {
    std::tuple<int, int, int> route;
    std::byte* data;
    std::int64_t bytes;
  };

  void may_fail(std::string const& call) {
    if (call == failing_ && (*calls_left_)-- == 0) {
      throw std::runtime_error(call + " failed");
    }
  }
  static void check(bool right, char const* wrong) {
    if (!right) {
      throw std::logic_error(wrong);
    }
  }

  std::shared_ptr<fake_network> network_;
  std::string failing_;
  std::shared_ptr<int> calls_left_; // also of copies
  int polls_ = 0;
  int reductions_ = 0;
  bool in_group_ = false;
  std::vector<std::pair<std::tuple<int, int, int>, std::vector<std::byte>>> outbox_;
  std::deque<message> expected_;
  std::function<bool()> finish_reduction_;
};

static_assert(glt::detail::nccl_layer<fake_nccl>);

} // namespace glt_test
