// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/comm/threads_node.hpp>

#ifdef GLT_TEST_MPI
#include <glt/mpi/node.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace glt_test {

#ifdef GLT_TEST_MPI

/// Node memory of the ranks of a test; those of which one refuses share nothing.
inline glt::mpi_node node_of(glt::mpi_comm comm, bool refuse = false) {
  glt::mpi_node::options options;
  if (refuse) {
    options.max_bytes = -1;
  }
  return glt::mpi_node(std::move(comm), std::move(options));
}

#else

template <class Comm>
glt::threads_node<Comm> node_of(Comm comm, bool refuse = false) {
  return glt::threads_node<Comm>(std::move(comm), {.refusal = refuse ? "more than it may share" : ""});
}

#endif

/// Acts as if every rank whose number differs from the own one in its lowest bit were on another machine.
template <class View>
void hide_every_other(glt::node_views<View>& views, int own) {
  for (std::size_t rank = 0; rank < views.of_rank.size(); ++rank) {
    if ((static_cast<int>(rank) - own) % 2 != 0) {
      views.of_rank[rank].reset();
      views.reason = "hidden";
    }
  }
}

/// Lets a reader have no views, the views of some ranks, and of all; calls check(all) each time.
template <class View, class Reader, class Check>
void for_each_neighborhood(glt::node_views<View> const& views, int own, Reader& reader, Check check) {
  check(false);
  auto some = views;
  hide_every_other(some, own);
  reader.read_in_place(some);
  check(false);
  reader.read_in_place(views);
  check(true);
}

} // namespace glt_test
