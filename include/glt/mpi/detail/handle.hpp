// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/exchange.hpp>
#include <glt/mpi/detail/process.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace glt::detail {

/// Watch that ends a job if its ranks wait for each other too long, and prints where each rank waits.
///
/// A rank that has waited too long asks all others where they are. Ranks that wait in a call of the library answer from
/// there; those that do not within three seconds are stopped, cut off, or busy elsewhere. Questions and answers have a
/// communicator of their own, so that communicators made from each other share a watch.
class mpi_watch {
public:
  using seconds = std::chrono::duration<double>;

  /// @param limit  0 to wait for ever
  /// @comm   collective over `comm` if there is a limit, else none
  /// @throws library_error  if MPI reports a failure
  mpi_watch(MPI_Comm comm, seconds limit) : limit_(limit) {
    if (is_on()) {
      serial_guard const turn;
      check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
      check_mpi(MPI_Comm_size(comm, &ranks_), "MPI_Comm_size");
      answers_.resize(static_cast<std::size_t>(ranks_));
      processes_.resize(answers_.size());
      arrived_.resize(answers_.size(), 0);
      check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
      auto const own = own_process();
      check_mpi(MPI_Allgather(&own, sizeof(own), MPI_BYTE, processes_.data(), sizeof(own), MPI_BYTE, comm_),
                "MPI_Allgather");
      int is_world = MPI_UNEQUAL;
      check_mpi(MPI_Comm_compare(comm_, MPI_COMM_WORLD, &is_world), "MPI_Comm_compare");
      if (is_world == MPI_CONGRUENT) {
        world_processes = processes_;
      }
      longest_time_limit = std::max(longest_time_limit.load(), limit.count());
    }
  }
  mpi_watch(mpi_watch const&) = delete;
  mpi_watch& operator=(mpi_watch const&) = delete;
  ~mpi_watch() {
    if (comm_ != MPI_COMM_NULL && mpi_is_running()) {
      serial_guard const turn;
      MPI_Comm_free(&comm_);
    }
  }

  [[nodiscard]] seconds limit() const noexcept { return limit_; }
  [[nodiscard]] bool is_on() const noexcept { return limit_.count() > 0; }
  /// Returns true if a rank must not block within MPI: it could not answer others, or its other threads would block as
  /// well.
  [[nodiscard]] bool tests() const noexcept { return is_on() || serial_guard::is_needed(); }

  /// Records the place in the program, for the answer to other ranks.
  void note(call_site site) noexcept {
    std::scoped_lock const hold(site_lock_);
    site_ = site;
  }

  /// Calls `done()`, in turn with other threads, until it returns true; ends the job after the limit.
  template <class Done>
  void until(std::string_view call, Done done) noexcept {
    auto const start = clock::now();
    auto const in_turn = [&] {
      serial_guard const turn;
      return done();
    };
    while (!in_turn()) {
      auto const elapsed = clock::now() - start;
      if (elapsed < awake) {
        std::this_thread::yield();
        continue;
      }
      if (is_on()) {
        answer(call);
        if (elapsed > limit_) {
          give_up(call);
        }
      }
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  /// Tells the ranks that have asked where this rank waits.
  ///
  /// @pre    `is_on()`
  void answer(std::string_view call) noexcept {
    std::unique_lock const one(answering_, std::try_to_lock); // of the threads that wait
    if (!one) {
      return;
    }
    serial_guard const turn;
    MPI_Status status;
    for (int found = 1; found != 0;) {
      if (MPI_Iprobe(MPI_ANY_SOURCE, question_tag, comm_, &found, &status) != MPI_SUCCESS || found == 0) {
        return;
      }
      auto const peer = status.MPI_SOURCE;
      MPI_Recv(nullptr, 0, MPI_BYTE, peer, question_tag, comm_, MPI_STATUS_IGNORE);
      auto& sent = answers_[static_cast<std::size_t>(peer)];
      sent = {.call = {}, .site = site()};
      std::copy_n(call.begin(), std::min(call.size(), sent.call.size() - 1), sent.call.begin());
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(&sent, static_cast<int>(sizeof(place)), MPI_BYTE, peer, answer_tag, comm_, &request);
      MPI_Request_free(&request);
    }
  }

  /// Asks all ranks where they are, tells it, names those that do not answer, and ends the job: this rank has waited
  /// for longer than the limit in `call`, maybe for one that waits itself.
  ///
  /// @pre    `is_on()`
  [[noreturn]] void give_up(std::string_view call) noexcept {
    for (int peer = 0; peer < ranks_; ++peer) {
      if (peer != rank_) {
        serial_guard const turn;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(nullptr, 0, MPI_BYTE, peer, question_tag, comm_, &request);
        MPI_Request_free(&request);
      }
    }
    waited(call).write();
    int missing = ranks_ - 1;
    for (auto const end = clock::now() + std::chrono::seconds(3); missing > 0 && clock::now() < end;) {
      answer(call);
      missing -= hear_one() ? 1 : 0;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    last_line silent;
    for (int peer = 0; peer < ranks_; ++peer) {
      if (peer != rank_ && arrived_[static_cast<std::size_t>(peer)] == 0) {
        (last_line() << "glt: rank " << peer << " does not answer: it is stopped, cut off, or busy outside of glt")
            .write();
        silent << (silent.text().empty() ? "; no answer of rank " : ", ") << peer;
      }
    }
    last_line why;
    why << too_late << silent.text();
    abort_job(comm_, rank_, ranks_, why.text());
  }

  /// Calls `work`, in which MPI waits in a way that cannot be tested; ends the job after the limit, without asking the
  /// others. Ranks of this machine that are stopped are named.
  template <class Work>
  auto during(std::string_view call, Work work) const {
    std::optional<mpi_deadline> deadline;
    if (is_on()) {
      deadline.emplace(limit_, rank_, ranks_, waited(call), processes_);
    }
    serial_guard const turn;
    return work();
  }

private:
  using clock = std::chrono::steady_clock;

  static constexpr seconds awake{0.003}; // a number of attempts would take minutes where other work fills the machine
  static constexpr int question_tag = 1;
  static constexpr int answer_tag = 2;

  // Place where a rank waits.
  struct place {
    std::array<char, 64> call{};
    call_site site;
  };
  static_assert(std::is_trivially_copyable_v<place>);

  // Takes in one answer, if there is one, and prints it.
  bool hear_one() noexcept {
    serial_guard const turn;
    int found = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, answer_tag, comm_, &found, &status) != MPI_SUCCESS || found == 0) {
      return false;
    }
    place heard;
    MPI_Recv(&heard, static_cast<int>(sizeof heard), MPI_BYTE, status.MPI_SOURCE, answer_tag, comm_, MPI_STATUS_IGNORE);
    arrived_[static_cast<std::size_t>(status.MPI_SOURCE)] = 1;
    last_line text;
    text << "glt: rank " << status.MPI_SOURCE << " waits in " << heard.call.data();
    write_site(text, heard.site);
    text.write();
    return true;
  }

  [[nodiscard]] last_line waited(std::string_view call) const noexcept {
    auto text = waited_in(call, limit_, rank_, ranks_);
    write_site(text, site());
    return text;
  }

  // Returns the place that a thread of this rank recorded last.
  [[nodiscard]] call_site site() const noexcept {
    std::scoped_lock const hold(site_lock_);
    return site_;
  }

  static void write_site(last_line& text, call_site site) noexcept {
    text << ", last at " << name_of(site.what) << " step " << site.step << " hop " << site.hop;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
  seconds limit_;
  mutable std::mutex site_lock_;
  call_site site_;
  std::mutex answering_;
  std::vector<mpi_process> processes_; // [R]
  std::vector<place> answers_;         // [R], answers to send; each stays until the job ends
  std::vector<char> arrived_;          // [R]
};

/// State that communicators made from each other share.
struct mpi_family {
  mpi_family(MPI_Comm comm, mpi_watch::seconds limit) : watch(comm, limit) {
    check_mpi(MPI_Comm_group(comm, &world), "MPI_Comm_group");
  }
  mpi_family(mpi_family const&) = delete;
  mpi_family& operator=(mpi_family const&) = delete;
  ~mpi_family() {
    if (mpi_is_running()) {
      serial_guard const turn;
      MPI_Group_free(&world);
    }
  }

  mpi_watch watch;
  MPI_Group world = MPI_GROUP_NULL; ///< all ranks of the first of them
  std::atomic<bool> lost = false;   ///< see `losable`
  orphaned_requests leftovers;
};

/// Owner of an MPI communicator and of memory for reuse by its calls; copies of an `mpi_comm` share one.
class mpi_handle {
public:
  /// Takes over a communicator that MPI has just made.
  ///
  /// @param yields  true if its waits are to leave the core to other threads; the same on all ranks
  mpi_handle(MPI_Comm comm, std::int64_t block_bytes, std::shared_ptr<mpi_family> family, bool yields = false)
      : comm_(comm), block_bytes_(block_bytes), family_(std::move(family)), yields_(yields) {
    serial_guard const turn;
    try {
      check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
      check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
      check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    } catch (...) {
      MPI_Comm_free(&comm_);
      throw;
    }
  }
  mpi_handle(mpi_handle const&) = delete;
  mpi_handle& operator=(mpi_handle const&) = delete;
  ~mpi_handle() {
    if (mpi_is_running()) {
      serial_guard const turn;
      MPI_Comm_free(&comm_);
    }
  }

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Returns the number of a rank in the communicator from which this one was split; `rank` if MPI does not tell.
  [[nodiscard]] int world_rank(int rank) const noexcept {
    serial_guard const turn;
    MPI_Group group = MPI_GROUP_NULL;
    int found = MPI_UNDEFINED;
    if (MPI_Comm_group(comm_, &group) == MPI_SUCCESS) {
      MPI_Group_translate_ranks(group, 1, &rank, family_->world, &found);
      MPI_Group_free(&group);
    }
    return found == MPI_UNDEFINED ? rank : found;
  }
  [[nodiscard]] std::int64_t block_bytes() const noexcept { return block_bytes_; }
  [[nodiscard]] std::shared_ptr<mpi_family> const& family() const noexcept { return family_; }
  [[nodiscard]] mpi_watch& watch() const noexcept { return family_->watch; }
  [[nodiscard]] bool yields() const noexcept { return yields_; }
  /// Returns true if a rank must not block within MPI. A single rank never waits.
  [[nodiscard]] bool tests() const noexcept { return (yields_ && size_ > 1) || watch().tests(); }
  void mark_incomplete() noexcept { is_incomplete_ = true; }
  [[nodiscard]] bool is_incomplete() const noexcept { return is_incomplete_; }
  [[nodiscard]] mpi_exchange_pool& exchanges() noexcept { return exchanges_; }
  /// Returns scratch memory for the requests of one call.
  [[nodiscard]] std::vector<MPI_Request>& requests() noexcept { return requests_; }

  /// Waits for a request within the time limit; returns MPI's code.
  int wait(MPI_Request& request, std::string_view call) noexcept {
    if (!tests()) {
      return MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    int code = MPI_SUCCESS;
    watch().until(call, [&] {
      int done = 0;
      code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return code != MPI_SUCCESS || done != 0;
    });
    return code;
  }

private:
  MPI_Comm comm_;
  std::int64_t block_bytes_;
  std::shared_ptr<mpi_family> family_;
  bool yields_;
  int rank_ = 0;
  int size_ = 0;
  mpi_exchange_pool exchanges_;
  std::vector<MPI_Request> requests_;
  bool is_incomplete_ = false; // a rank has died
};

} // namespace glt::detail
