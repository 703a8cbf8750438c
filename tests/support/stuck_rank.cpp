// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stuck_rank <skip|stop|replies|split|init|serve|flush|throw|late|negative|none>: a program with a time limit of two
// seconds, of which rank 1 keeps the others waiting: by skipping a call, by being stopped before one, before it starts
// MPI, as the server for which another one waits, or as the receiver of a long message, or not at all. With `throw` and
// `late` there is no limit: rank 1 throws before all ranks are guarded, or comes to the end eight seconds after the
// others. With `negative` all ranks ask for a limit of -1 s, which is refused. It ends the job, but for `none` and `late`.
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/context.hpp>
#include <glt/dist/roles/server.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>
#include <glt/mpi/program.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::chrono::seconds limit{2};

// The rank of this process, as launchers tell it.
bool is_rank_1() {
  for (char const* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (char const* const rank = std::getenv(name)) {
      return std::string_view(rank) == "1";
    }
  }
  return false;
}

// Rank 2 waits for rank 0, which waits for rank 1.
void serve(glt::mpi_comm comm) {
  namespace dist = glt::dist;
  dist::role_context roles(comm, comm.rank() < 2 ? dist::role::server : dist::role::client,
                           comm.rank() < 2 ? "servers" : "clients");
  if (comm.rank() < 2) {
    dist::server server(roles);
    server.register_service("double", [](std::int64_t number) { return 2 * number; });
    if (comm.rank() == 1) {
      std::raise(SIGSTOP);
    }
    server.run();
  } else {
    dist::client client(roles);
    static_cast<void>(client.request<std::int64_t>(0, "double", std::int64_t{1}));
    static_cast<void>(client.request<std::int64_t>(1, "double", std::int64_t{1}));
  }
}

// Rank 0 waits until rank 1 has taken in a message that is too long to be sent ahead.
void flush(glt::mpi_comm& comm) {
  auto box = comm.make_mailbox();
  if (comm.rank() == 1) {
    std::raise(SIGSTOP);
  } else if (comm.rank() == 0) {
    box.send(1, 7, box.make_block(std::int64_t{20} << 20));
    box.flush();
  }
  comm.barrier();
}

int come_late() {
  bool is_first = false;
  {
    glt::mpi_environment const mpi;
    auto const comm = glt::mpi_comm::world();
    is_first = comm.rank() == 0;
    if (comm.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::seconds(8));
    }
  }
  if (is_first) {
    std::cout << "all ranks came to the end\n";
  }
  return 0;
}

int throw_alone() {
  try {
    glt::mpi_environment const mpi;
    auto comm = glt::mpi_comm::world();
    if (comm.rank() == 1) {
      throw glt::error("its own");
    }
    comm.barrier();
    return 0;
  } catch (std::exception const& failure) {
    std::cerr << failure.what() << std::endl;
    return 1;
  }
}

int ask_for_negative_limit() {
  return glt::run_mpi_program([](glt::mpi_comm const&) { std::cout << "the work is done\n"; }, std::cerr,
                              {.name = "stuck_rank", .world = {.time_limit = std::chrono::seconds(-1)}});
}

} // namespace

int main(int argc, char** argv) {
  std::string const mode = argc > 1 ? argv[1] : "none";
  if (mode == "throw") {
    return throw_alone();
  }
  if (mode == "late") {
    return come_late();
  }
  if (mode == "negative") {
    return ask_for_negative_limit();
  }
  if (mode == "init" && is_rank_1()) {
    std::raise(SIGSTOP);
  }
  glt::mpi_environment const mpi(glt::mpi_threads::funneled, limit);
  auto comm = glt::mpi_comm::world({.time_limit = limit});
  if (mode == "serve") {
    serve(comm);
    return 0;
  }
  if (mode == "flush") {
    flush(comm);
    return 0;
  }
  auto const ranks = static_cast<std::size_t>(comm.size());
  auto const self = static_cast<std::size_t>(comm.rank());
  std::vector<std::int64_t> const counts(ranks, 0);
  std::vector<glt::detail::call_header> headers;
  bool const is_odd = comm.rank() == 1;
  auto other = comm.duplicate();
  for (std::int64_t step = 0; step < 3; ++step) {
    if (step == 2 && is_odd && mode == "skip") {
      other.barrier();
    }
    if (step == 2 && is_odd && mode == "stop") {
      std::raise(SIGSTOP);
    }
    glt::detail::exchange_headers(comm, {.what = glt::detail::operation::sample, .step = step}, counts, 0, {}, headers);
    std::vector<std::byte> const sent(100 * ranks);
    std::vector<std::byte> received(100 * ranks);
    std::vector<std::int64_t> sizes(ranks, 100);
    std::vector<std::int64_t> offsets(ranks);
    sizes[self] = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      offsets[rank] = static_cast<std::int64_t>(100 * rank);
    }
    comm.all_to_all_v({sent.data(), sizes, offsets}, {received.data(), sizes, offsets});
    std::vector<char> mask(ranks, 1);
    mask[self] = 0;
    glt::reply_buffer replies;
    if (step == 2 && is_odd && mode == "replies") {
      std::raise(SIGSTOP);
    }
    comm.all_to_all_replies({sent.data(), sizes, offsets}, mask, mask, replies);
    std::vector<double> sum{1.0};
    comm.all_reduce(std::span(sum), glt::reduction::sum);
    comm.broadcast(reinterpret_cast<std::byte*>(sum.data()), 8, 0);
    if (step == 2 && is_odd && mode == "split") {
      std::raise(SIGSTOP);
    }
    auto child = comm.split(0, comm.rank()).duplicate();
    child.barrier();
  }
  if (comm.rank() == 0) {
    std::cout << "all ranks came to the end\n";
  }
  return 0;
}
