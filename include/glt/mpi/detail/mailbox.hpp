// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/mpi/detail/alarm.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/handle.hpp>
#include <glt/mpi/detail/mailbox_sends.hpp>
#include <glt/mpi/detail/process.hpp>

#include <chrono>
#include <list>
#include <thread>

namespace glt::detail {

/// Wait loop for MPI operations without a blocking call. At first it asks again at once, then it yields. After some
/// milliseconds it sleeps for up to 50 µs at a time.
class mpi_patience {
public:
  using seconds = std::chrono::duration<double>;

  [[nodiscard]] seconds waited() const noexcept { return clock::now() - start_; }
  /// Returns true if it sleeps between two attempts.
  [[nodiscard]] bool sleeps() const noexcept { return rounds_ > spins && waited() > awake; }

  void pause() {
    if (rounds_ < spins) {
      ++rounds_;
    } else if (!sleeps()) {
      ++rounds_;
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(nap_);
      nap_ = std::min(2 * nap_, longest_nap);
    }
  }

private:
  using clock = std::chrono::steady_clock;

  static constexpr int spins = 500;
  static constexpr seconds awake{0.003};
  static constexpr std::chrono::microseconds longest_nap{50};

  clock::time_point start_ = clock::now();
  int rounds_ = 0;
  std::chrono::microseconds nap_{2};
};

/// Returns for every rank whether it runs in another MPI job than this process.
///
/// @shape  → [R], 1 or 0
/// @comm   none
[[nodiscard]] inline std::vector<char> ranks_of_other_jobs(MPI_Comm comm) {
  MPI_Group ranks = MPI_GROUP_NULL;
  MPI_Group job = MPI_GROUP_NULL;
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  std::vector<int> numbers(static_cast<std::size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 0);
  auto places = numbers;
  std::vector<char> made(places.size());
  check_mpi(MPI_Comm_group(comm, &ranks), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &job), "MPI_Comm_group");
  check_mpi(MPI_Group_translate_ranks(ranks, size, numbers.data(), job, places.data()), "MPI_Group_translate_ranks");
  MPI_Group_free(&ranks);
  MPI_Group_free(&job);
  std::ranges::transform(places, made.begin(), [](int place) { return place == MPI_UNDEFINED ? 1 : 0; });
  return made;
}

/// Mailbox between MPI processes, on a communicator that is used for nothing else. See `mailbox`.
///
/// A message of up to 1000 bytes is one message of MPI, a larger one is two, of any size. Large messages of several
/// ranks arrive at the same time. A failed MPI call throws `library_error` on the rank that notices it, which is lost then
/// (see `losable`). The time limit of the communicator holds for `flush`, not for waiting for messages.
class mpi_mailbox {
public:
  /// Keeps the communicator until the end of the process, unless it is closed.
  ///
  /// @shape  processes [R], of the ranks · of_other_jobs [R], 1 for a rank of another job
  /// @comm   none
  mpi_mailbox(std::shared_ptr<mpi_handle> handle, std::vector<mpi_process> processes, std::vector<char> of_other_jobs)
      : handle_(std::move(handle)), processes_(std::move(processes)), of_other_jobs_(std::move(of_other_jobs)) {}
  mpi_mailbox(mpi_mailbox&&) noexcept = default;
  mpi_mailbox& operator=(mpi_mailbox&& other) noexcept {
    forget();
    handle_ = std::move(other.handle_);
    pool_ = std::move(other.pool_);
    sends_ = std::move(other.sends_);
    arrivals_ = std::move(other.arrivals_);
    bell_ = std::move(other.bell_);
    is_closed_ = other.is_closed_;
    processes_ = std::move(other.processes_);
    of_other_jobs_ = std::move(other.of_other_jobs_);
    return *this;
  }
  ~mpi_mailbox() { forget(); }

  /// Lets waits sleep until another rank rings, if all ranks ring: they share blocks of `doorbell::bytes` on one
  /// machine, and all agree on it before the first message. A sleeping rank still checks now and then, because MPI may
  /// be late.
  ///
  /// @comm   none
  void listen(node_blocks blocks) { bell_ = doorbell(std::move(blocks)); }
  /// Makes the blocks.
  ///
  /// @comm   as `share`
  template <node_memory Node>
  [[nodiscard]] static node_blocks make_bells(Node& node) {
    return node.share(doorbell::bytes, doorbell::clear);
  }

  [[nodiscard]] byte_block make_block(std::int64_t bytes) { return pool_.take(bytes); }

  /// @throws library_error  if MPI reports a failure
  void send(int to, std::int64_t kind, byte_block bytes) {
    check_peer("send", to, handle_->size());
    if (to == handle_->rank()) {
      arrivals_.push_back({{to, kind, std::move(bytes)}});
      return;
    }
    committed([&] {
      sends_.collect();
      sends_.post(*handle_, to, kind, std::move(bytes));
    });
    bell_.ring(to);
  }

  /// @throws library_error  if MPI reports a failure
  [[nodiscard]] std::optional<mailbox_message> receive(mailbox_limit limit) { return next(-1, limit, "receive"); }

  /// @throws library_error  if MPI reports a failure
  [[nodiscard]] std::optional<mailbox_message> receive_from(int source, mailbox_limit limit) {
    check_peer("receive_from", source, handle_->size());
    return next(source, limit, "receive_from");
  }

  /// @throws library_error  if MPI reports a failure
  void flush() {
    std::exception_ptr failure;
    auto const is_over = [&]() noexcept {
      try {
        sends_.collect();
        return sends_.empty() || (take_in(), false);
      } catch (...) {
        failure = std::current_exception();
        return true;
      }
    };
    committed([&] {
      if (handle_->watch().is_on()) {
        handle_->watch().until("flush", is_over);
      } else {
        for (mpi_patience patience; !is_over(); patience.pause()) {
        }
      }
      if (failure) {
        std::rethrow_exception(failure);
      }
    });
  }

  void close() noexcept { is_closed_ = true; }

  /// True if the process of another rank has died; one of another machine is not known to have.
  [[nodiscard]] bool has_died(int rank) const {
    return detail::has_died(processes_[static_cast<std::size_t>(rank)],
                            processes_[static_cast<std::size_t>(handle_->rank())]);
  }

  /// True if another rank was started by another launcher; see `mpi_attachment`.
  [[nodiscard]] bool is_of_another_job(int rank) const { return of_other_jobs_[static_cast<std::size_t>(rank)] != 0; }

private:
  static constexpr mailbox_limit longest_sleep{0.001};

  // Message that has arrived, or will have when its request is complete.
  struct arrival {
    mailbox_message message;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  // Runs work; if it fails, the rank is lost: others may wait for a message that it did not send or take in.
  template <class Work>
  std::invoke_result_t<Work&> committed(Work work) {
    try {
      return work();
    } catch (...) {
      handle_->family()->lost = true;
      throw;
    }
  }

  [[nodiscard]] std::optional<mailbox_message> next(int source, mailbox_limit limit, std::string_view call) {
    return committed([&]() -> std::optional<mailbox_message> {
      bool const is_alone = handle_->size() == 1 || source == handle_->rank();
      for (mpi_patience patience;;) {
        auto const heard = bell_.heard();
        sends_.collect();
        if (auto taken = take_complete(source)) {
          return taken;
        }
        if (take_in()) {
          continue;
        }
        if (is_alone || !(patience.waited() < limit)) {
          return std::nullopt;
        }
        if (patience.sleeps() && handle_->watch().is_on()) {
          handle_->watch().answer(call);
        }
        if (bell_.hears_all() && patience.sleeps() && sends_.empty() && late_.empty()) {
          bell_.wait(heard, std::min(longest_sleep, limit - patience.waited()));
        } else {
          patience.pause();
        }
      }
    });
  }

  // Takes in the header of the next message of any rank, and starts to receive its rest; false if there is none.
  bool take_in() {
    serial_guard const turn;
    int found = 0;
    MPI_Message announced = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, mpi_envelope_tag, handle_->comm(), &found, &announced, &status),
              "MPI_Improbe");
    if (found == 0) {
      return false;
    }
    mpi_envelope envelope;
    check_mpi(MPI_Mrecv(&envelope, static_cast<int>(sizeof envelope), MPI_BYTE, &announced, &status), "MPI_Mrecv");
    int length = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &length), "MPI_Get_count");
    // Kept here in all cases: MPI may still write to it.
    arrivals_.push_back({{status.MPI_SOURCE, envelope.kind, pool_.take(envelope.bytes)}});
    auto& block = arrivals_.back().message.bytes;
    if (length == mpi_envelope::head_bytes + envelope.bytes) {
      move_bytes(block.data(), envelope.small.data(), envelope.bytes);
    } else {
      mpi_payload const rest(block, handle_->block_bytes());
      check_mpi(MPI_Irecv(rest.data, rest.count(), rest.type(), status.MPI_SOURCE, mpi_payload_tag, handle_->comm(),
                          &arrivals_.back().request),
                "MPI_Irecv");
    }
    return true;
  }

  // Returns the first complete message of a rank, or of any rank if `source` is negative. Messages of one rank keep
  // their order.
  [[nodiscard]] std::optional<mailbox_message> take_complete(int source) {
    serial_guard const turn;
    late_.clear();
    for (auto at = arrivals_.begin(); at != arrivals_.end(); ++at) {
      auto const from = at->message.source;
      int done = 1;
      if (at->request != MPI_REQUEST_NULL) {
        check_mpi(MPI_Test(&at->request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      }
      if (done == 0) {
        late_.push_back(from);
      } else if ((source < 0 || source == from) && std::ranges::find(late_, from) == late_.end()) {
        std::optional<mailbox_message> taken(std::move(at->message));
        arrivals_.erase(at);
        return taken;
      }
    }
    return std::nullopt;
  }

  // Leaves the memory that MPI still reads or writes to the family of the communicator.
  void forget() noexcept {
    if (handle_ != nullptr && mpi_is_running()) {
      auto& leftovers = handle_->family()->leftovers;
      sends_.leave_to(leftovers);
      for (auto& one : arrivals_) {
        if (one.request != MPI_REQUEST_NULL) {
          leftovers.keep(one.request, one.message.bytes.keeper());
        }
      }
    }
    arrivals_.clear();
    if (handle_ != nullptr && !is_closed_) {
      keep_for_ever(std::move(handle_)); // late messages must not reach another communicator in its place
    }
  }

  std::shared_ptr<mpi_handle> handle_;
  block_pool pool_;
  mpi_mailbox_sends sends_;
  std::list<arrival> arrivals_; // moves without allocation, unlike a deque
  std::vector<int> late_;       // sources, scratch memory
  doorbell bell_;
  bool is_closed_ = false;
  std::vector<mpi_process> processes_; // [R]
  std::vector<char> of_other_jobs_;    // [R]
};

static_assert(mailbox<mpi_mailbox>);

} // namespace glt::detail
