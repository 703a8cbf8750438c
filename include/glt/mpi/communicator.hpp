// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/mpi/detail/alarm.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/handle.hpp>
#include <glt/mpi/detail/mailbox.hpp>
#include <glt/mpi/detail/process.hpp>
#include <glt/mpi/detail/replies.hpp>

#include <chrono>

namespace glt::detail {

/// Returns MPI's type of a number that can be reduced.
template <reducible T>
[[nodiscard]] MPI_Datatype mpi_type_of() noexcept {
  if constexpr (std::same_as<T, std::int32_t>) {
    return MPI_INT32_T;
  } else if constexpr (std::same_as<T, std::int64_t>) {
    return MPI_INT64_T;
  } else if constexpr (std::same_as<T, float>) {
    return MPI_FLOAT;
  } else {
    static_assert(std::same_as<T, double>);
    return MPI_DOUBLE;
  }
}

/// Options of an `mpi_comm`.
struct mpi_options {
  /// Largest piece that is handed to MPI, 1 to 2^31 − 1; larger messages are sent in pieces.
  std::int64_t block_bytes = std::int64_t{1} << 30;
  /// Seconds that a call may wait for the other ranks; 0 for ever. After that, the rank prints which call it waits in
  /// and where each rank is, and ends the job. The limit also holds for making communicators and shared memory, for
  /// MPI_Finalize, and for servers and clients that wait for messages. Servers drop a silent client of another job
  /// instead. Set it well above the longest time between two calls of a rank; for a server, between two messages of its
  /// clients.
  std::chrono::duration<double> time_limit{0};
};

} // namespace glt::detail

namespace glt {

/// Ranks that are MPI processes.
///
/// A handle: copies share one private MPI communicator, apart from all other traffic; the last copy frees it. Every MPI
/// return code is checked. A failed MPI call throws `library_error` on the rank that notices it, which is lost then (see
/// `losable`).
///
/// Concurrent calls: none on a handle and its copies; another thread works on a `duplicate()`. `mpi_threads` limits all
/// calls of a process.
class mpi_comm {
public:
  using request = detail::mpi_request;
  using options_type = detail::mpi_options; ///< size of pieces and time limit

  /// Returns the communicator of all processes of the program; see `duplicate_of`.
  ///
  /// @comm   collective over all processes
  /// @throws precondition_error  if MPI is not running, or an option is out of its range
  [[nodiscard]] static mpi_comm world(options_type options = {}) { return duplicate_of(MPI_COMM_WORLD, options); }

  /// Returns a communicator of the processes of an MPI communicator, which stays the caller's. If that fails on a rank,
  /// it ends the job, since the other ranks already wait for it. A last line names rank and cause.
  ///
  /// @comm   collective over `comm`
  /// @throws precondition_error  if MPI is not running, or an option is out of its range
  [[nodiscard]] static mpi_comm duplicate_of(MPI_Comm comm, options_type options = {}) {
    if (!detail::mpi_is_running()) {
      throw precondition_error("mpi_comm: MPI is not running; make an mpi_environment first and keep it");
    }
    if (options.block_bytes < 1 || options.block_bytes > std::numeric_limits<int>::max()) {
      throw precondition_error(detail::message("mpi_comm: block_bytes is ", options.block_bytes, "; pass 1 to ",
                                               std::numeric_limits<int>::max()));
    }
    if (!(options.time_limit.count() >= 0)) {
      throw precondition_error(
          detail::message("mpi_comm: time_limit is ", options.time_limit.count(), " s; pass 0 or more"));
    }
    std::optional<detail::mpi_deadline> deadline; // no other rank can be asked yet
    try {                                         // the other ranks wait from now on, and no message can reach them
      if (auto const limit = options.time_limit; limit.count() > 0) {
        auto const [rank, ranks] = detail::place_in(comm);
        deadline.emplace(limit, rank, ranks, detail::waited_in("mpi_comm", limit, rank, ranks));
      }
      detail::serial_guard::ask();
      auto const family = std::make_shared<detail::mpi_family>(comm, options.time_limit);
      return mpi_comm(copy_of(comm), options, family);
    } catch (std::exception const& failure) {
      detail::abort_job(comm, failure.what());
    }
  }

  [[nodiscard]] int rank() const noexcept { return handle_->rank(); }
  [[nodiscard]] int size() const noexcept { return handle_->size(); }
  /// See `communicator`.
  [[nodiscard]] int world_rank(int rank) const noexcept { return handle_->world_rank(rank); }
  [[nodiscard]] std::string_view name() const noexcept { return name_ == nullptr ? std::string_view() : *name_; }
  void set_name(std::string name) { name_ = std::make_shared<std::string const>(std::move(name)); }
  [[nodiscard]] options_type options() const noexcept {
    return {.block_bytes = handle_->block_bytes(), .time_limit = handle_->watch().limit()};
  }

  /// Returns true for memory that the host can reach. GPU memory is carried only if `device_aware()`.
  [[nodiscard]] static constexpr bool carries(memory_space space) noexcept { return detail::host_accessible(space); }

  /// Returns true if the running MPI reports that it takes pointers into memory of CUDA GPUs.
  [[nodiscard]] bool device_aware() const noexcept { return detail::mpi_is_device_aware(); }

  /// Returns true if several threads of this process may call MPI, each on a separate communicator. With
  /// `mpi_threads::serialized` they take turns. Then make communicators and shared memory only while no thread of glt
  /// is at work, such as the thread of a loader. The same holds for calls of MPI outside glt.
  [[nodiscard]] bool allows_threads() const noexcept {
    int level = MPI_THREAD_SINGLE;
    return MPI_Query_thread(&level) == MPI_SUCCESS && level >= MPI_THREAD_SERIALIZED;
  }

  /// Returns the MPI communicator behind this handle, for other calls of the program.
  [[nodiscard]] MPI_Comm native() const noexcept { return handle_->comm(); }

  void all_to_all(std::byte const* send, std::byte* receive, std::int64_t bytes) {
    detail::check_bytes("all_to_all", bytes);
    detail::committed(*this, [&] {
      if (bytes <= handle_->block_bytes()) {
        auto const count = static_cast<int>(bytes);
        auto const comm = handle_->comm();
        call(
            "all_to_all", handle_->tests(),
            [&] { return MPI_Alltoall(send, count, MPI_BYTE, receive, count, MPI_BYTE, comm); },
            [&](MPI_Request* started) {
              return MPI_Ialltoall(send, count, MPI_BYTE, receive, count, MPI_BYTE, comm, started);
            });
        return;
      }
      std::vector<std::int64_t> const sizes(static_cast<std::size_t>(size()), bytes);
      std::vector<std::int64_t> offsets(sizes.size());
      for (std::size_t peer = 0; peer < offsets.size(); ++peer) {
        offsets[peer] = static_cast<std::int64_t>(peer) * bytes;
      }
      exchange({send, sizes, offsets}, {receive, sizes, offsets});
    });
  }

  void all_to_all_v(outgoing out, incoming in) {
    detail::check_exchange(out, in, rank(), size());
    detail::committed(*this, [&] { exchange(out, in); });
  }

  [[nodiscard]] request start_all_to_all_v(outgoing out, incoming in) {
    detail::check_exchange(out, in, rank(), size());
    return detail::committed(*this, [&] { return request(handle_, out, in); });
  }

  void all_to_all_replies(outgoing out, std::span<char const> asked, std::span<char const> answering,
                          reply_buffer& replies) {
    detail::check_replies(out, asked, answering, rank(), size());
    detail::committed(*this, [&] { detail::exchange_replies(*handle_, out, asked, answering, replies); });
  }

  template <detail::reducible T>
  void all_reduce(std::span<T> values, reduction op) {
    auto const mpi_op = op == reduction::sum ? MPI_SUM : op == reduction::min ? MPI_MIN : MPI_MAX;
    auto const type = detail::mpi_type_of<T>();
    auto const block =
        static_cast<std::size_t>(std::max(std::int64_t{1}, handle_->block_bytes() / std::int64_t{sizeof(T)}));
    detail::committed(*this, [&] {
      for (std::size_t done = 0; done < values.size(); done += block) {
        auto const piece = values.subspan(done, std::min(block, values.size() - done));
        auto const count = static_cast<int>(piece.size());
        auto const comm = handle_->comm();
        // Sums by a started call take twice as long over shared memory.
        call(
            "all_reduce", handle_->watch().tests(),
            [&] { return MPI_Allreduce(MPI_IN_PLACE, piece.data(), count, type, mpi_op, comm); },
            [&](MPI_Request* started) {
              return MPI_Iallreduce(MPI_IN_PLACE, piece.data(), count, type, mpi_op, comm, started);
            });
      }
    });
  }

  void broadcast(std::byte* data, std::int64_t bytes, int root) {
    detail::check_bytes("broadcast", bytes);
    detail::check_root("broadcast", root, size());
    detail::committed(*this, [&] {
      auto const block = handle_->block_bytes();
      for (std::int64_t done = 0; done < bytes; done += block) {
        auto const piece = static_cast<int>(std::min(block, bytes - done));
        call(
            "broadcast", handle_->tests(),
            [&] { return MPI_Bcast(data + done, piece, MPI_BYTE, root, handle_->comm()); },
            [&](MPI_Request* started) {
              return MPI_Ibcast(data + done, piece, MPI_BYTE, root, handle_->comm(), started);
            });
      }
    });
  }

  void barrier() {
    detail::committed(*this, [&] { meet("barrier"); });
  }

  [[nodiscard]] mpi_comm split(int color, int order) {
    return without_start("split", [&] {
      // MPI takes no negative color: pass the first rank that has the color.
      std::vector<int> colors(static_cast<std::size_t>(size()));
      detail::check_mpi(MPI_Allgather(&color, 1, MPI_INT, colors.data(), 1, MPI_INT, handle_->comm()), "MPI_Allgather");
      auto const first = static_cast<int>(std::ranges::find(colors, color) - colors.begin());
      MPI_Comm part = MPI_COMM_NULL;
      detail::check_mpi(MPI_Comm_split(handle_->comm(), first, order, &part), "MPI_Comm_split");
      return mpi_comm(part, options(), handle_->family(), handle_->yields());
    });
  }

  /// See `communicator`. Threads of one process have a duplicate each: a wait on it yields, and after 3 ms it naps for
  /// 20 µs at a time. A wait of MPI keeps the core, which two threads that make batches need in turns. `all_reduce`
  /// alone waits within MPI, unless there is a time limit.
  [[nodiscard]] mpi_comm duplicate() {
    return without_start("duplicate", [&] {
      mpi_comm made(copy_of(native()), options(), handle_->family(), true);
      made.name_ = name_;
      return made;
    });
  }

  /// Records the place in the program, for ranks that wait too long; see the `time_limit` of `mpi_comm`.
  void note(detail::call_site site) noexcept { handle_->watch().note(site); }

  /// See `losable`.
  void mark_lost() noexcept { handle_->family()->lost = true; }
  [[nodiscard]] bool is_lost() const noexcept { return handle_->family()->lost; }

  /// Records that a rank has died and that the other ranks go on: guards of this communicator make no agreement any
  /// more. Communicators split from it are not affected.
  void mark_incomplete() noexcept { handle_->mark_incomplete(); }
  [[nodiscard]] bool is_incomplete() const noexcept { return handle_->is_incomplete(); }

  /// Ends all processes of the job at once, if other ranks may wait for ever. Its last line on the standard error names
  /// this rank and the cause.
  [[noreturn]] void abort_job(char const* cause) noexcept {
    int ranks = size();
    MPI_Group_size(family()->world, &ranks);
    detail::abort_job(handle_->comm(), world_rank(rank()), ranks, cause);
  }

  /// Ends the job as a call does after the `time_limit` of `mpi_comm`: reports where each rank is, and the
  /// ranks that do not answer.
  ///
  /// @pre    there is a time limit
  [[noreturn]] void give_up(char const* call) noexcept { handle_->watch().give_up(call); }

  /// See `alarming`.
  [[nodiscard]] detail::mpi_alarm make_alarm() const { return detail::mpi_alarm(handle_); }

  /// See `mailing`.
  [[nodiscard]] detail::mpi_mailbox make_mailbox() {
    return detail::committed(*this, [&] {
      auto own = duplicate();
      std::vector<detail::mpi_process> processes(static_cast<std::size_t>(size()));
      auto const sent = detail::own_process();
      own.without_start("make_mailbox", [&] {
        detail::check_mpi(
            MPI_Allgather(&sent, sizeof(sent), MPI_BYTE, processes.data(), sizeof(sent), MPI_BYTE, own.native()),
            "MPI_Allgather");
      });
      return detail::mpi_mailbox(own.handle_, std::move(processes), detail::ranks_of_other_jobs(own.native()));
    });
  }

private:
  friend class mpi_node;

  [[nodiscard]] std::shared_ptr<detail::mpi_family> const& family() const noexcept { return handle_->family(); }

  mpi_comm(MPI_Comm comm, options_type options, std::shared_ptr<detail::mpi_family> family, bool yields = false)
      : handle_(std::make_shared<detail::mpi_handle>(comm, options.block_bytes, std::move(family), yields)) {}

  // Makes a collective call of MPI in one of two forms: blocking, or started and tested.
  template <class Waiting, class Starting>
  void call(std::string_view name, bool tests, Waiting waiting, Starting starting) {
    if (!tests) {
      detail::check_mpi(waiting(), name);
      return;
    }
    MPI_Request started = MPI_REQUEST_NULL;
    {
      detail::serial_guard const turn;
      detail::check_mpi(starting(&started), name);
    }
    detail::check_mpi(handle_->wait(started, name), name);
  }

  void meet(std::string_view name) {
    call(
        name, handle_->tests(), [&] { return MPI_Barrier(handle_->comm()); },
        [&](MPI_Request* started) { return MPI_Ibarrier(handle_->comm(), started); });
  }

  // Makes calls of MPI that have only a blocking form. With a time limit, a watched barrier comes first: it finds
  // missing ranks.
  template <class Work>
  std::invoke_result_t<Work&> without_start(std::string_view name, Work work) {
    return detail::committed(*this, [&] {
      if (handle_->watch().is_on()) {
        meet(name);
      }
      return handle_->watch().during(name, work);
    });
  }

  [[nodiscard]] static MPI_Comm copy_of(MPI_Comm comm) {
    detail::serial_guard const turn;
    MPI_Comm copy = MPI_COMM_NULL;
    detail::check_mpi(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
    return copy;
  }

  void exchange(outgoing const& out, incoming const& in) {
    if (handle_->tests()) {
      request(handle_, out, in).wait();
      return;
    }
    auto exchange = handle_->exchanges().take();
    exchange->run(handle_->comm(), handle_->block_bytes(), out, in);
    handle_->exchanges().give_back(std::move(exchange));
  }

  std::shared_ptr<detail::mpi_handle> handle_;
  std::shared_ptr<std::string const> name_; // null: none
};

static_assert(communicator<mpi_comm> && detail::alarming<mpi_comm> && detail::mailing<mpi_comm> &&
              detail::losable<mpi_comm>);

} // namespace glt

#include <glt/mpi/node.hpp> // node_memory_of(mpi_comm), wherever there is an mpi_comm
