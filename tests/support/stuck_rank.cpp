// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stuck_rank <skip|stop|replies|split|none>: a program with a time limit of two seconds, of which rank 1 keeps the
// others waiting: by skipping a call, by being stopped before one, or not at all. It ends the job, but for `none`.
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/environment.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  std::string const mode = argc > 1 ? argv[1] : "none";
  glt::mpi_environment const mpi;
  auto comm = glt::mpi_comm::world({.time_limit = std::chrono::seconds(2)});
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
}
