// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/exchange.hpp>
#include <glt/mpi/detail/handle.hpp>

namespace glt::detail {

inline constexpr int mpi_envelope_tag = 3; // not used elsewhere, should a message reach another communicator
inline constexpr int mpi_payload_tag = 4;

/// First message of MPI for a message of a mailbox: all of it, if it is small.
struct mpi_envelope {
  static constexpr std::int64_t small_bytes = 1000;

  std::int64_t kind;
  std::int64_t bytes;
  std::array<std::byte, small_bytes> small;

  static constexpr std::int64_t head_bytes = 2 * std::int64_t{sizeof(std::int64_t)};
};
static_assert(sizeof(mpi_envelope) == mpi_envelope::head_bytes + mpi_envelope::small_bytes);

/// Large block as MPI sends and receives it, of any size; MPI keeps the type until its request is complete.
struct mpi_payload {
  mpi_payload(byte_block const& block, std::int64_t block_bytes) : data(block.data()) {
    std::array const sizes{block.size()};
    std::array const offsets{std::int64_t{0}};
    plan.set(sizes, offsets, block_bytes);
  }
  [[nodiscard]] int count() const noexcept { return *plan.counts(); }
  [[nodiscard]] MPI_Datatype type() const noexcept { return *plan.types(); }

  std::byte* data;
  mpi_exchange_plan plan;
};

/// Messages of a mailbox on their way out.
class mpi_mailbox_sends {
public:
  /// Starts to send a message, and keeps its bytes until it has been sent.
  ///
  /// @throws library_error  if MPI reports a failure
  void post(mpi_handle const& handle, int to, std::int64_t kind, byte_block bytes) {
    if (idle_.empty()) {
      sent_.push_back(std::make_shared<sending>());
    } else {
      sent_.push_back(std::move(idle_.back()));
      idle_.pop_back();
    }
    auto& made = *sent_.back();
    made.bytes = std::move(bytes);
    made.envelope.kind = kind;
    made.envelope.bytes = made.bytes.size();
    auto const most = std::min(mpi_envelope::small_bytes, handle.block_bytes());
    auto const small = made.bytes.size() <= most ? made.bytes.size() : 0;
    move_bytes(made.envelope.small.data(), made.bytes.data(), small);
    serial_guard const turn;
    check_mpi(MPI_Isend(&made.envelope, static_cast<int>(mpi_envelope::head_bytes + small), MPI_BYTE, to,
                        mpi_envelope_tag, handle.comm(), &made.requests[0]),
              "MPI_Isend");
    if (small < made.bytes.size()) {
      mpi_payload const rest(made.bytes, handle.block_bytes());
      check_mpi(MPI_Isend(rest.data, rest.count(), rest.type(), to, mpi_payload_tag, handle.comm(), &made.requests[1]),
                "MPI_Isend");
    } else {
      made.bytes = {};
    }
  }

  /// Frees some of the messages that have been sent.
  ///
  /// @throws library_error  if MPI reports a failure
  void collect() {
    serial_guard const turn;
    for (auto left = std::min(sent_.size(), most_tests); left > 0; --left) {
      next_ = next_ < sent_.size() ? next_ : 0;
      auto& tested = sent_[next_];
      int done = 0;
      check_mpi(MPI_Testall(2, tested->requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done == 0) {
        ++next_;
        continue;
      }
      tested->bytes = {};
      if (idle_.size() < most_idle) {
        idle_.push_back(std::move(tested));
      }
      tested = std::move(sent_.back());
      sent_.pop_back();
    }
  }

  /// Returns true if all messages are known to have been sent.
  [[nodiscard]] bool empty() const noexcept { return sent_.empty(); }

  /// Leaves the memory that MPI still reads to `leftovers`.
  void leave_to(orphaned_requests& leftovers) noexcept {
    for (auto& one : sent_) {
      for (auto& request : one->requests) {
        if (request != MPI_REQUEST_NULL) {
          leftovers.keep(request, one);
        }
      }
    }
    sent_.clear();
  }

private:
  static constexpr std::size_t most_tests = 32; // messages tested in one call
  static constexpr std::size_t most_idle = 64;

  // Memory that MPI reads until a message has been sent.
  struct sending {
    mpi_envelope envelope;
    byte_block bytes;
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  };

  std::vector<std::shared_ptr<sending>> sent_; // not known to have been sent
  std::vector<std::shared_ptr<sending>> idle_; // for reuse
  std::size_t next_ = 0;                       // next element of sent_ to test
};

} // namespace glt::detail
