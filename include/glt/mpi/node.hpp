// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/memory/memory.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/handle.hpp>

#include <cerrno>
#include <fstream>
#include <unistd.h>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace glt::detail {

/// Name by which other processes of a machine find a memory file and check its identity.
struct memory_file_name {
  std::int64_t process = 0;
  std::int64_t descriptor = -1;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
};

/// Memory that processes of one user map together. It is in no folder, so that it is freed with the last of them,
/// however that process ends.
///
/// Once mapped it need not stay open; other processes find it while its maker has it open.
class memory_file {
public:
  /// Makes a file of zero bytes.
  ///
  /// @throws error  if the system refuses, has no such memory, or limits the size of files to less
  [[nodiscard]] static memory_file create(std::int64_t bytes) {
#if defined(__linux__)
    memory_file made(::memfd_create("glt", MFD_CLOEXEC), bytes, "be made");
    struct ::rlimit limit{}; // ftruncate beyond it ends the process by SIGXFSZ
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && static_cast<::rlim_t>(bytes) > limit.rlim_cur) {
      errno = EFBIG;
      made.fail("be made, by the limit of file sizes (ulimit -f)");
    }
    if (::ftruncate(made.descriptor_, bytes) != 0) {
      made.fail("be made");
    }
    return made;
#else
    throw error(message("memory of ", bytes, " bytes for several processes cannot be made: this system is not Linux"));
#endif
  }

  /// Opens a memory file of another process, or of this one.
  ///
  /// @throws error  if the system refuses, or it is not open any more
  [[nodiscard]] static memory_file open([[maybe_unused]] memory_file_name const& name) {
#if defined(__linux__)
    auto const path = message("/proc/", name.process, "/fd/", name.descriptor);
    memory_file opened(::open(path.c_str(), O_RDWR | O_CLOEXEC), name.bytes, "be opened");
    auto const found = opened.name();
    if (found.device != name.device || found.inode != name.inode) { // of a process of another container
      errno = ESRCH;
      opened.fail("be opened");
    }
    return opened;
#else
    return create(name.bytes);
#endif
  }

  memory_file(memory_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(other.bytes_) {}
  memory_file& operator=(memory_file&&) = delete;
  ~memory_file() {
#if defined(__linux__)
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
#endif
  }

  [[nodiscard]] memory_file_name name() const {
    memory_file_name made{.descriptor = descriptor_, .bytes = bytes_};
#if defined(__linux__)
    struct ::stat status{};
    if (::fstat(descriptor_, &status) != 0) {
      fail("be found");
    }
    made.process = ::getpid();
    made.device = status.st_dev;
    made.inode = status.st_ino;
#endif
    return made;
  }

  /// Maps it at an address that allows huge pages.
  ///
  /// @throws error  if the system refuses
  [[nodiscard]] std::shared_ptr<std::byte> map() const {
#if defined(__linux__)
    if (bytes_ == 0) {
      return std::make_shared<std::byte>();
    }
    auto const bytes = static_cast<std::size_t>(bytes_);
    // Reserves only addresses, enough of them to begin at a huge page.
    auto const reserved = bytes + huge_page_bytes;
    void* const room = ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
      fail("be mapped");
    }
    std::shared_ptr<void> const keeper(room, [reserved](void* addresses) { ::munmap(addresses, reserved); });
    auto const past = reinterpret_cast<std::uintptr_t>(room) % huge_page_bytes;
    auto* const first = static_cast<std::byte*>(room) + (past == 0 ? 0 : huge_page_bytes - past);
    if (::mmap(first, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor_, 0) == MAP_FAILED) {
      fail("be mapped");
    }
    return {keeper, first};
#else
    fail("be mapped");
#endif
  }

private:
  memory_file(int descriptor, std::int64_t bytes, std::string_view what) : descriptor_(descriptor), bytes_(bytes) {
    if (descriptor_ < 0) {
      fail(what);
    }
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw error(
        message("memory of ", bytes_, " bytes for several processes cannot ", what, ": ", std::strerror(errno)));
  }

  int descriptor_;
  std::int64_t bytes_;
};

// Returns the first whole number after `name` in a file of the system; `other` if there is none.
[[nodiscard]] inline std::int64_t number_in(std::string const& path, std::string_view name, std::int64_t other) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) {
      auto const digits = std::min(line.find_first_of("0123456789", name.size()), line.size());
      std::from_chars(line.data() + digits, line.data() + line.size(), other);
      break;
    }
  }
  return other;
}

/// Returns the bytes of the machine's memory that are free or can be freed, as the system estimates. Limits of control
/// groups count if they are of version 2 and visible.
[[nodiscard]] inline std::int64_t available_memory() {
  auto const all = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  auto available = number_in("/proc/meminfo", "MemAvailable:", all / 1024) * 1024;
  std::string group;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::/")) {
      group = line.substr(3);
    }
  }
  while (!group.empty()) {
    auto const folder = "/sys/fs/cgroup" + group + (group.back() == '/' ? "" : "/");
    constexpr auto none = std::numeric_limits<std::int64_t>::max();
    if (auto const limit = number_in(folder + "memory.max", "", none); limit != none) {
      auto const used = number_in(folder + "memory.current", "", 0);
      auto const cached =
          number_in(folder + "memory.stat", "inactive_file", 0) + number_in(folder + "memory.stat", "active_file", 0);
      available = std::min(available, std::max(std::int64_t{0}, limit - used + cached));
    }
    group.resize(group == "/" ? 0 : std::max<std::size_t>(group.find_last_of('/'), 1));
  }
  return std::min(available, all);
}

} // namespace glt::detail

namespace glt {

/// Node memory of ranks that are MPI processes: memory files that the ranks of a machine map, in huge pages if the
/// system has them.
///
/// A handle. A block is freed when the last rank that sees it has released it.
///
/// Concurrent calls: none on one object; blocks are read by all ranks at once.
class mpi_node {
public:
  /// Options of an `mpi_node`.
  struct options {
    /// Largest block that this rank shares; if it is larger, the ranks of its machine share nothing.
    std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
  };

  /// Finds the ranks that are on this machine.
  ///
  /// @comm   collective; one header exchange and two exchanges on the machine
  /// @throws collective_error  on every rank, if a rank is at another call
  /// @throws library_error  if MPI reports a failure
  explicit mpi_node(mpi_comm comm, options chosen) : comm_(std::move(comm)), options_(chosen) {
    agree({});
    comm_.without_start("mpi_node", [&] {
      MPI_Comm node = MPI_COMM_NULL;
      detail::check_mpi(MPI_Comm_split_type(comm_.native(), MPI_COMM_TYPE_SHARED, comm_.rank(), MPI_INFO_NULL, &node),
                        "MPI_Comm_split_type");
      node_ = std::make_shared<detail::mpi_handle const>(node, comm_.options().block_bytes, comm_.family());
      ranks_.resize(static_cast<std::size_t>(node_->size()));
      int const own = comm_.rank();
      detail::check_mpi(MPI_Allgather(&own, 1, MPI_INT, ranks_.data(), 1, MPI_INT, node), "MPI_Allgather");
    });
  }
  explicit mpi_node(mpi_comm comm) : mpi_node(std::move(comm), options{}) {}

  [[nodiscard]] int rank() const noexcept { return comm_.rank(); }
  [[nodiscard]] int size() const noexcept { return comm_.size(); }
  /// Returns the ranks of this machine, in ascending order.
  [[nodiscard]] std::span<int const> neighbors() const noexcept { return ranks_; }

  /// See `node_memory`.
  ///
  /// @comm   collective; two header exchanges and a few exchanges on the machine
  /// @throws collective_error  on every rank, if bytes is negative or `fill` throws on one
  /// @throws library_error  if MPI reports a failure
  template <class Fill>
  [[nodiscard]] node_blocks share(std::int64_t bytes, Fill fill) {
    agree(detail::failure_of([&] { detail::check_bytes("share", bytes); }));
    node_blocks made;
    comm_.without_start("share", [&] { made.reason = ranks_.size() > 1 ? share_memory(bytes, made) : std::string(); });
    auto const failure = detail::failure_of([&] {
      if (made.keeper == nullptr) {
        keep_private(bytes, made);
      }
      fill(made.own);
    });
    std::atomic_thread_fence(std::memory_order_seq_cst);
    agree(failure); // no rank passes before all have written
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (made.reason.empty() && comm_.size() > node_->size()) {
      made.reason = detail::message(comm_.size() - node_->size(), " of ", comm_.size(), " ranks are on other machines");
    }
    return made;
  }

private:
  // Maps the blocks of all ranks of the machine, or returns why not; all of them return the same.
  [[nodiscard]] std::string share_memory(std::int64_t bytes, node_blocks& made) {
    if (auto const refusal = first_of(refusal_of(bytes)); !refusal.empty()) {
      return refusal;
    }
    std::optional<detail::memory_file> own;
    detail::memory_file_name name;
    std::vector<detail::memory_file_name> names;
    auto const unmade = detail::failure_of([&] {
      names.resize(ranks_.size());
      own.emplace(detail::memory_file::create(bytes));
      name = own->name();
    });
    if (auto const refusal = first_of(unmade); !refusal.empty()) {
      return refusal;
    }
    detail::check_mpi(MPI_Allgather(&name, sizeof(name), MPI_BYTE, names.data(), sizeof(name), MPI_BYTE, node_->comm()),
                      "MPI_Allgather");
    node_blocks mapped;
    auto const failure = detail::failure_of([&] { mapped = map_all(*own, names); });
    auto const refusal = first_of(failure); // this rank's file is open until all have opened it
    if (refusal.empty()) {
      made = std::move(mapped);
    }
    return refusal;
  }

  [[nodiscard]] node_blocks map_all(detail::memory_file const& own,
                                    std::vector<detail::memory_file_name> const& names) const {
    node_blocks mapped;
    mapped.of_rank.resize(static_cast<std::size_t>(comm_.size()));
    auto const keeper = std::make_shared<std::vector<std::shared_ptr<std::byte>>>();
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      bool const is_own = ranks_[i] == comm_.rank();
      auto const block = is_own ? own.map() : detail::memory_file::open(names[i]).map();
      std::span const bytes(block.get(), static_cast<std::size_t>(names[i].bytes));
      if (is_own) {
        detail::take_huge_pages(bytes.data(), bytes.size());
        mapped.own = bytes;
      }
      mapped.of_rank[static_cast<std::size_t>(ranks_[i])] = bytes;
      keeper->push_back(block);
    }
    mapped.keeper = keeper;
    return mapped;
  }

  // Returns why this rank cannot share a block of that size; empty if it may try. Refuses blocks that exceed the
  // memory that is left: otherwise the system would end a rank while the pages are taken.
  [[nodiscard]] std::string refusal_of(std::int64_t bytes) const {
    auto const limit = std::numeric_limits<std::int64_t>::max() / node_->size(); // keeps the sum in range
    auto wanted = std::min(bytes, limit);
    detail::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &wanted, 1, MPI_INT64_T, MPI_SUM, node_->comm()), "MPI_Allreduce");
    if (bytes > std::min(limit, options_.max_bytes)) {
      return detail::message("a block of ", bytes, " bytes is more than the ", std::min(limit, options_.max_bytes),
                             " that it may share");
    }
    if (auto const memory = detail::available_memory(); wanted > memory) {
      return detail::message("the blocks of its machine need ", wanted, " bytes, but it has ", memory, " available");
    }
    return {};
  }

  // Returns the text of the lowest rank of this machine that has one, with its number.
  [[nodiscard]] std::string first_of(std::string const& own) const {
    int const has_one = own.empty() ? 0 : 1;
    std::vector<int> all(ranks_.size());
    detail::check_mpi(MPI_Allgather(&has_one, 1, MPI_INT, all.data(), 1, MPI_INT, node_->comm()), "MPI_Allgather");
    auto const first = static_cast<int>(std::ranges::find(all, 1) - all.begin());
    if (first == node_->size()) {
      return {};
    }
    std::array<char, detail::cause_bytes> text{};
    std::copy_n(own.begin(), std::min(own.size(), text.size() - 1), text.begin());
    detail::check_mpi(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, node_->comm()),
                      "MPI_Bcast");
    return detail::message("rank ", comm_.world_rank(ranks_[static_cast<std::size_t>(first)]),
                           " cannot share memory: ", text.data());
  }

  void keep_private(std::int64_t bytes, node_blocks& made) const {
    auto const block = detail::make_node_block(bytes);
    made.own = {block.get(), static_cast<std::size_t>(bytes)};
    made.of_rank.resize(static_cast<std::size_t>(comm_.size()));
    made.of_rank[static_cast<std::size_t>(comm_.rank())] = made.own;
    made.keeper = block;
  }

  void agree(std::string const& failure) {
    detail::exchange_values(comm_, {.what = detail::operation::share}, failure);
  }

  mpi_comm comm_;
  options options_;
  std::shared_ptr<detail::mpi_handle const> node_;
  std::vector<int> ranks_; // of this machine
};

static_assert(node_memory<mpi_node>);

/// Returns the memory that the ranks of each machine share.
///
/// @comm   collective; as the constructor of `mpi_node`
/// @throws collective_error  as there
[[nodiscard]] inline mpi_node node_memory_of(mpi_comm comm) {
  return mpi_node(std::move(comm));
}

} // namespace glt
