// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

// Returns the policy for staged bytes between a policy's memory and the host: the recommended one, or ordinary memory.
template <device_policy Policy>
[[nodiscard]] auto staging_of(Policy const& policy) {
  if constexpr (requires { policy.staging(); }) {
    return policy.staging();
  } else {
    return device::cpu();
  }
}

// Returns the policy for GPU bytes that a communicator sends directly: the recommended one, or the policy itself.
template <device_policy Policy>
[[nodiscard]] auto exchange_of(Policy const& policy) {
  if constexpr (requires { policy.exchange(); }) {
    return policy.exchange();
  } else {
    return policy;
  }
}

/// Variable exchange of a policy's memory through memory that a communicator can send: staging memory, which the host
/// reaches, or, `on_device`, exchange buffers of the GPU.
///
/// It runs in rounds through two halves of its memory: while one round travels, the next one is copied. Every message
/// begins with a note that tells how many rounds its sender needs. So all ranks know the number of rounds when the
/// first has ended. A note also reports a failed copy, so that all ranks give up together. Reusable; it allocates
/// nothing after construction.
template <communicator Comm, device_policy Policy>
class staged_exchange {
  static_assert(host_accessible(decltype(staging_of(std::declval<Policy const&>()))::space),
                "bytes are staged in memory that the host can reach");

public:
  /// Takes `round_bytes`, roughly the bytes that a rank sends in a round, and `on_device`; both the same on all ranks.
  ///
  /// @pre    with `on_device` the communicator takes memory of GPUs; not checked
  /// @throws precondition_error  if round_bytes < 1
  staged_exchange(Comm comm, Policy policy, std::int64_t round_bytes, bool on_device = false)
      : comm_(std::move(comm)), policy_(std::move(policy)), ranks_(static_cast<std::size_t>(comm_.size())),
        piece_bytes_(largest_piece(comm_.size(), round_bytes)), on_device_(on_device) {
    auto const room = static_cast<std::int64_t>(ranks_) * (padded(piece_bytes_) + line_bytes);
    if (ranks_ > 1) {
      on_device_ ? allocate(exchange_of(policy_), 4 * room) : allocate(staging_of(policy_), 4 * room);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      halves_[i].out = side_of(static_cast<std::int64_t>(2 * i) * room);
      halves_[i].in = side_of(static_cast<std::int64_t>(2 * i + 1) * room);
    }
    out_sizes_.reserve(ranks_);
    out_offsets_.reserve(ranks_);
    in_sizes_.reserve(ranks_);
    in_offsets_.reserve(ranks_);
  }

  /// Copies the first round out and sends it.
  ///
  /// @comm   collective; as many variable exchanges as the largest slice of any rank has pieces, at least one; 8 bytes
  ///         more a message
  /// @throws precondition_error  if `all_to_all_v` would not accept the sizes, or an exchange is under way
  void start(outgoing const& out, incoming const& in) {
    check_exchange(out, in, comm_.rank(), comm_.size());
    if (active_) {
      throw precondition_error("an exchange is under way on this communicator; wait for it before the next one");
    }
    out_data_ = out.data;
    in_data_ = in.data;
    out_sizes_.assign(out.sizes.begin(), out.sizes.end());
    out_offsets_.assign(out.offsets.begin(), out.offsets.end());
    in_sizes_.assign(in.sizes.begin(), in.sizes.end());
    in_offsets_.assign(in.offsets.begin(), in.offsets.end());
    failure_ = nullptr;
    rounds_ = 1;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      auto const largest = std::max(out_sizes_[rank], in_sizes_[rank]);
      rounds_ = std::max(rounds_, largest / piece_bytes_ + (largest % piece_bytes_ != 0 ? 1 : 0));
    }
    if (ranks_ > 1) {
      stage(0);
      send(0);
      active_ = true;
    }
  }

  /// Takes part in all rounds; received bytes are in place for work enqueued from now on. A second call does nothing.
  ///
  /// @throws collective_error  on every rank, if one cannot copy its bytes out
  void wait() {
    if (!std::exchange(active_, false)) {
      return;
    }
    for (std::int64_t round = 0;; ++round) {
      stage(round + 1);
      travelling_->wait();
      travelling_.reset();
      read_notes(round);
      if (round + 1 < rounds_) {
        send(round + 1);
      }
      attempt([&] { unstage(round); });
      if (round + 1 >= rounds_) {
        break;
      }
    }
    if (failure_) { // in copies of the last rounds: all messages arrived, but this rank could not copy them
      std::rethrow_exception(failure_);
    }
  }

private:
  static constexpr std::int64_t line_bytes = 64;
  static constexpr std::int64_t note_bytes = sizeof(std::int64_t);
  static constexpr std::int64_t failed = -1; // a note instead of the number of rounds

  // The messages of one round, in one direction: [R] slices in staging memory, a note in front of each.
  struct side {
    std::int64_t begin = 0;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> offsets;
  };
  struct half {
    side out;
    side in;
  };
  template <device_policy Memory>
  void allocate(Memory const& policy, std::int64_t bytes) {
    auto const made = std::make_shared<buffer<Memory, std::byte>>(bytes, policy);
    memory_ = made->data();
    keeper_ = made;
  }

  // Other ranks wait for notes: a rank that cannot write or read a note cannot report it.
  void write_note(std::byte* to, std::int64_t note) {
    if (on_device_) {
      committed(comm_, [&] { policy_.resource().copy_in(to, &note, sizeof(note)); });
    } else {
      std::memcpy(to, &note, sizeof(note));
    }
  }
  [[nodiscard]] std::int64_t read_note(std::byte const* from) {
    std::int64_t note = 0;
    if (on_device_) {
      committed(comm_, [&] { policy_.resource().copy_out(&note, from, sizeof(note)); });
    } else {
      std::memcpy(&note, from, sizeof(note));
    }
    return note;
  }

  half& half_of(std::int64_t round) { return halves_[static_cast<std::size_t>(round % 2)]; }

  static std::int64_t largest_piece(int ranks, std::int64_t round_bytes) {
    if (round_bytes < 1) {
      throw precondition_error(message("rounds of ", round_bytes, " bytes; pass 1 or more"));
    }
    return std::max<std::int64_t>(1, round_bytes / std::max(1, ranks - 1));
  }
  static std::int64_t padded(std::int64_t bytes) { return (bytes + line_bytes - 1) / line_bytes * line_bytes; }

  side side_of(std::int64_t begin) const {
    return {begin, std::vector<std::int64_t>(ranks_), std::vector<std::int64_t>(ranks_)};
  }

  [[nodiscard]] std::int64_t piece(std::int64_t size, std::int64_t round) const {
    return round >= rounds_ ? 0 : std::clamp<std::int64_t>(size - round * piece_bytes_, 0, piece_bytes_);
  }

  // Lays out the messages of a round; payloads begin at multiples of line_bytes.
  void plan(side& to, std::vector<std::int64_t> const& sizes, std::int64_t round) const {
    auto end = to.begin;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      bool const self = static_cast<int>(rank) == comm_.rank();
      auto const bytes = piece(sizes[rank], round);
      to.offsets[rank] = end + line_bytes - note_bytes;
      to.sizes[rank] = self ? 0 : bytes + note_bytes;
      end += self ? 0 : line_bytes + padded(bytes);
    }
  }

  template <class Copies>
  void attempt(Copies copies) {
    try {
      copies();
    } catch (...) {
      if (!failure_) {
        failure_ = std::current_exception();
      }
    }
  }

  [[nodiscard]] std::string cause() const {
    return failure_of([this] {
      if (failure_) {
        std::rethrow_exception(failure_);
      }
    });
  }

  void stage(std::int64_t round) {
    auto& to = half_of(round).out;
    plan(to, out_sizes_, round);
    attempt([&] {
      for (std::size_t rank = 0; rank < ranks_ && !failure_; ++rank) {
        if (auto const bytes = piece(out_sizes_[rank], round); bytes > 0) {
          policy_.resource().copy_out(memory_ + to.offsets[rank] + note_bytes,
                                      out_data_ + out_offsets_[rank] + round * piece_bytes_,
                                      static_cast<std::size_t>(bytes));
        }
      }
    });
  }

  void send(std::int64_t round) {
    auto& [out, in] = half_of(round);
    plan(in, in_sizes_, round);
    std::int64_t const note = failure_ ? failed : rounds_;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      if (out.sizes[rank] > 0) {
        write_note(memory_ + out.offsets[rank], note);
      }
    }
    note_sent_ = note;
    travelling_.emplace(comm_.start_all_to_all_v({memory_, out.sizes, out.offsets}, {memory_, in.sizes, in.offsets}));
  }

  // Reads the number of rounds of all ranks; throws on all ranks if one gives up, naming the first.
  void read_notes(std::int64_t round) {
    auto const& in = half_of(round).in;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      auto note = note_sent_;
      if (in.sizes[rank] > 0) {
        note = read_note(memory_ + in.offsets[rank]);
      }
      if (note == failed) {
        throw_everywhere(comm_, static_cast<int>(rank), cause());
      }
      rounds_ = std::max(rounds_, note);
    }
  }

  void unstage(std::int64_t round) {
    auto const& from = half_of(round).in;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      if (auto const bytes = piece(in_sizes_[rank], round); bytes > 0) {
        policy_.resource().copy_in(in_data_ + in_offsets_[rank] + round * piece_bytes_,
                                   memory_ + from.offsets[rank] + note_bytes, static_cast<std::size_t>(bytes));
      }
    }
  }

  using request = decltype(std::declval<Comm&>().start_all_to_all_v(outgoing{}, incoming{}));

  Comm comm_;
  Policy policy_;
  std::size_t ranks_;
  std::int64_t piece_bytes_; // of a slice in a round
  bool on_device_;
  std::byte* memory_ = nullptr;
  std::shared_ptr<void> keeper_; // of the memory
  std::array<half, 2> halves_;
  std::byte const* out_data_ = nullptr;
  std::byte* in_data_ = nullptr;
  std::vector<std::int64_t> out_sizes_, out_offsets_, in_sizes_, in_offsets_; // [R] each
  std::int64_t rounds_ = 0;
  std::int64_t note_sent_ = 0;
  std::exception_ptr failure_; // the first one of this rank's copies
  bool active_ = false;
  std::optional<request> travelling_; // last: completed before the memory goes
};

} // namespace glt::detail
