// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/device_comm.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/boundary.hpp>
#include <glt/memory/memory.hpp>

#include <chrono>

namespace glt::detail {

/// Direction of the rows of a pass: from the owners of sources to the owners of destinations, or back.
enum class row_flow { pull, push };

/// Bytes that rank r exchanges at step k with ranks r + k (next) and r − k (previous).
///
/// In memory, the block for the next rank comes first, and so does the block from the previous rank. Both peers may be
/// one rank.
struct step_bytes {
  std::int64_t to_next = 0;
  std::int64_t to_previous = 0;
  std::int64_t from_previous = 0;
  std::int64_t from_next = 0;
};

/// Exchange of blocks of rows with one peer after the other: at step k, rank r exchanges with ranks r + k and r − k.
///
/// If the computation of a step fails, messages go on, so that no other rank waits for this one. The failure is thrown
/// after the last step. Reusable; the memory is kept. Concurrent calls: none.
template <communicator Comm, device_policy Policy>
class rotation {
  static constexpr memory_space space = Policy::space;

public:
  /// @param  depth  number of steps under way besides the step whose rows are used
  /// @comm   collective; one `duplicate` for each of `depth` except the first
  rotation(Comm comm, std::int64_t depth, Policy policy)
      : policy_(std::move(policy)), depth_(std::clamp<std::int64_t>(depth, 0, std::max(comm.size() - 1, 0))),
        rank_(comm.rank()), size_(comm.size()), sizes_(static_cast<std::size_t>(size_), 0), in_sizes_(sizes_),
        offsets_(sizes_), in_offsets_(sizes_) {
    auto const lanes = std::max<std::int64_t>(depth_, 1);
    committed(comm, [&] { // other ranks wait in the next duplicate
      for (std::int64_t i = 0; i < lanes; ++i) {
        lanes_.emplace_back(make_payload_comm(i == 0 ? comm : comm.duplicate(), policy_));
      }
    });
    scratch_ = buffer<Policy, std::byte>(0, policy_);
    for (std::int64_t i = 0; i < depth_ + 1; ++i) {
      left_.emplace_back(0, policy_);
      right_.emplace_back(0, policy_);
    }
  }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t depth() const noexcept { return depth_; }
  [[nodiscard]] Policy const& policy() const noexcept { return policy_; }
  [[nodiscard]] auto& host() noexcept { return host_comm(lanes_.front().comm); }
  [[nodiscard]] full_batch_report& report() noexcept { return report_; }
  /// Returns the number of the next pass, for its header: the number of passes that all ranks have begun.
  [[nodiscard]] std::int64_t next_number() const noexcept { return number_; }

  [[nodiscard]] bool has_replies() const noexcept { return replies_ != nullptr; }
  /// Returns the rotation for the replies of round trips, one step at a time.
  ///
  /// @comm   collective the first time: one `duplicate`
  [[nodiscard]] rotation& replies() {
    if (!replies_) {
      replies_ = std::make_unique<rotation>(host().duplicate(), 0, policy_);
    }
    return *replies_;
  }

  /// Reserves memory for the blocks of a pass, so that no step can fail for lack of memory.
  ///
  /// @param  outgoing, incoming  the most bytes that a step sends and receives
  void reserve(std::int64_t outgoing, std::int64_t incoming) {
    for (std::size_t i = 0; i < left_.size(); ++i) {
      left_[i].clear();
      left_[i].resize(outgoing);
      right_[i].clear();
      right_[i].resize(incoming);
    }
    report_.peak_remote_bytes =
        std::max(report_.peak_remote_bytes, incoming * static_cast<std::int64_t>(right_.size()));
  }

  /// Returns memory for intermediate results of a pass, valid until the next call.
  template <class T>
  [[nodiscard]] T* scratch(std::int64_t size) {
    scratch_.clear();
    scratch_.resize(size * static_cast<std::int64_t>(sizeof(T)));
    return reinterpret_cast<T*>(scratch_.data());
  }

  /// Sends a block at each step and uses the received block, in the order of the steps.
  ///
  /// `bytes_to(k)` and `bytes_from(k)` return the sizes of the blocks of step k. `fill(k, block)` writes the block to
  /// send; `use(k, block)` reads the received block. `own()` runs while the first blocks travel. A push sends to the
  /// rank from which a pull receives at the same step.
  ///
  /// @pre    `reserve` was called with the largest of the sizes
  /// @comm   collective; R − 1 exchanges with one peer each
  template <class BytesTo, class BytesFrom, class Fill, class Use, class Own>
  void run(row_flow flow, BytesTo bytes_to, BytesFrom bytes_from, Fill fill, Use use, Own own) {
    auto const start_step = [&](std::int64_t k) {
      auto const to = bytes_to(k);
      auto const from = bytes_from(k);
      start(k,
            flow == row_flow::push ? step_bytes{.to_next = to, .from_previous = from}
                                   : step_bytes{.to_previous = to, .from_next = from},
            [&](std::byte* block) { fill(k, block); });
    };
    run_steps(start_step, own, [&](std::int64_t k) { attempt([&] { use(k, received(k)); }); });
    rethrow();
  }

  /// Calls `start_step(k)` for all steps, `depth` of them ahead, and `use_step(k)` when the blocks of step k have
  /// arrived.
  template <class StartStep, class Own, class UseStep>
  void run_steps(StartStep start_step, Own own, UseStep use_step) {
    failure_ = nullptr;
    ++number_;
    ++report_.passes;
    for (std::int64_t k = 1; k <= std::min<std::int64_t>(depth_, size_ - 1); ++k) {
      start_step(k);
    }
    attempt(own);
    for (std::int64_t k = 1; k < size_; ++k) {
      if (depth_ == 0) {
        start_step(k);
      }
      finish(k);
      if (depth_ > 0 && k + depth_ < size_) {
        start_step(k + depth_);
      }
      use_step(k);
    }
  }

  /// Sends the blocks that `fill(block)` writes; blocks for two peers follow each other in the order of `step_bytes`.
  template <class Fill>
  void start(std::int64_t k, step_bytes bytes, Fill fill) {
    auto& used = lane_of(k);
    auto& block = left_[slot_of(k)];
    attempt([&] { fill(block.data()); });
    auto const next = static_cast<std::size_t>(peer_at(rank_, size_, k));
    auto const previous = static_cast<std::size_t>(peer_at(rank_, size_, size_ - k));
    offsets_[previous] = next == previous ? 0 : bytes.to_next;
    in_offsets_[next] = next == previous ? 0 : bytes.from_previous;
    sizes_[next] = bytes.to_next;
    sizes_[previous] += bytes.to_previous;
    in_sizes_[previous] = bytes.from_previous;
    in_sizes_[next] += bytes.from_next;
    used.under_way.emplace(used.comm.start_all_to_all_v({block.data(), sizes_, offsets_},
                                                        {right_[slot_of(k)].data(), in_sizes_, in_offsets_}));
    for (auto const peer : {next, previous}) {
      report_.messages += sizes_[peer] > 0 ? 1 : 0;
      report_.bytes += sizes_[peer];
      sizes_[peer] = 0;
      in_sizes_[peer] = 0;
      offsets_[peer] = 0;
      in_offsets_[peer] = 0;
    }
  }

  /// Waits for the blocks of step k.
  void finish(std::int64_t k) {
    auto const begun = clock::now();
    auto arriving = std::exchange(lane_of(k).under_way, std::nullopt);
    arriving->wait();
    report_.seconds_waiting += std::chrono::duration<double>(clock::now() - begun).count();
  }

  [[nodiscard]] std::byte const* received(std::int64_t k) const { return right_[slot_of(k)].data(); }

  /// Runs work that may fail, unless earlier work has failed.
  template <class Work>
  void attempt(Work const& work) {
    if (failure_) {
      return;
    }
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  /// Returns the text of the first failure since the last call; empty if there is none.
  [[nodiscard]] std::string take_failure() {
    return failure_of([&] { rethrow(); });
  }

  /// Throws the first failure since the last call.
  void rethrow() {
    if (failure_) {
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  }

private:
  using clock = std::chrono::steady_clock;
  using payload = payload_comm<Comm, Policy>;
  using request = decltype(std::declval<payload&>().start_all_to_all_v(outgoing{}, incoming{}));

  struct lane {
    payload comm;
    std::optional<request> under_way;
    explicit lane(payload of) : comm(std::move(of)) {}
  };

  [[nodiscard]] lane& lane_of(std::int64_t k) { return lanes_[static_cast<std::size_t>(k) % lanes_.size()]; }
  [[nodiscard]] std::size_t slot_of(std::int64_t k) const { return static_cast<std::size_t>(k) % left_.size(); }

  Policy policy_;
  std::int64_t depth_;
  int rank_;
  int size_;
  std::vector<std::int64_t> sizes_;      // [R], all 0 between calls
  std::vector<std::int64_t> in_sizes_;   // [R], likewise
  std::vector<std::int64_t> offsets_;    // [R], likewise
  std::vector<std::int64_t> in_offsets_; // [R], likewise
  std::int64_t number_ = 0;
  std::exception_ptr failure_;
  full_batch_report report_;
  std::vector<buffer<Policy, std::byte>> left_;  // [depth + 1], blocks to send
  std::vector<buffer<Policy, std::byte>> right_; // [depth + 1], blocks that arrive
  buffer<Policy, std::byte> scratch_;
  std::unique_ptr<rotation> replies_; // null until needed
  std::vector<lane> lanes_;           // last: they complete before the memory is freed
};

/// Sizes of the largest blocks of a rotation.
struct block_sizes {
  std::int64_t outgoing = 0;
  std::int64_t incoming = 0;

  void include(step_bytes const& bytes) noexcept {
    outgoing = std::max(outgoing, bytes.to_next + bytes.to_previous);
    incoming = std::max(incoming, bytes.from_next + bytes.from_previous);
  }
};

/// Reserves memory for the blocks of a round trip, so that no step can fail for lack of memory.
///
/// @pre    `has_replies`
template <class Rotation>
void reserve_round_trip(Rotation& passes, block_sizes sent, block_sizes returned) {
  passes.reserve(sent.outgoing, sent.incoming);
  passes.replies().reserve(returned.outgoing, returned.incoming);
  auto& peak = passes.report().peak_remote_bytes;
  peak = std::max(peak, sent.incoming * (passes.depth() + 1) + returned.incoming);
}

/// Runs a rotation in which every block gets a reply.
///
/// At step k, `fill(k, block)` writes the blocks for both peers. `serve(k, received, reply)` reads the blocks from the
/// peers and writes the replies; `use(k, reply)` reads the replies from the peers. Reply k travels while this rank
/// waits for block k + 1. `own()` runs while the first blocks travel. Returns the failure of this rank, on which all
/// ranks must agree.
///
/// @pre    both rotations have memory for the largest blocks; `has_replies`
/// @comm   collective; 2(R − 1) exchanges with two peers each
template <class Rotation, class Bytes, class ReplyBytes, class Fill, class Serve, class Use, class Own>
[[nodiscard]] std::string run_round_trip(Rotation& passes, Bytes bytes_of, ReplyBytes reply_bytes_of, Fill fill,
                                         Serve serve, Use use, Own own) {
  auto& replies = passes.replies();
  auto const end_reply = [&](std::int64_t k) {
    if (k > 0) {
      replies.finish(k);
      replies.attempt([&] { use(k, replies.received(k)); });
    }
  };
  passes.run_steps(
      [&](std::int64_t k) { passes.start(k, bytes_of(k), [&](std::byte* block) { fill(k, block); }); }, own,
      [&](std::int64_t k) {
        end_reply(k - 1);
        replies.start(k, reply_bytes_of(k), [&](std::byte* reply) { serve(k, passes.received(k), reply); });
      });
  end_reply(passes.size() - 1);
  auto& total = passes.report();
  auto const back = std::exchange(replies.report(), {});
  total.messages += back.messages;
  total.bytes += back.bytes;
  total.seconds_waiting += back.seconds_waiting;
  auto const failure = passes.take_failure();
  auto const reply_failure = replies.take_failure();
  return failure.empty() ? reply_failure : failure;
}

} // namespace glt::detail
