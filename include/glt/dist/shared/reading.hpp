// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/memory/memory.hpp>

namespace glt::dist {

/// Way in which ranks of one machine read each other's rows and edges. Batches are the same.
enum class reading {
  in_place,   ///< in memory that they share; by messages where the system has none
  by_messages ///< as ranks of several machines do, edges of a replicated topology aside; rows are not copied
};

/// Place of the graph of a data set. Batches are the same.
enum class topology {
  divided,   ///< every rank has its part; see `reading` for the parts of others
  replicated ///< every machine has all parts, and draws send no message; rows stay with their owners
};

} // namespace glt::dist

namespace glt::detail {

// Returns the memory in which ranks read each other's parts; nothing if they read all by messages, or if each of them is
// alone on its machine. Collective: with several ranks two header exchanges and the exchanges of `node_memory_of`.
template <finds_node_memory Comm>
[[nodiscard]] auto memory_to_share(Comm& comm, dist::reading how, dist::topology where) {
  std::optional<decltype(node_memory_of(comm))> made;
  if (comm.size() == 1) {
    return made;
  }
  agree(comm, {.what = operation::share}, {}, 2 * static_cast<std::int64_t>(where) + static_cast<std::int64_t>(how),
        [](auto, auto) { return "reads in another way than rank 0; pass the same reading and topology on all ranks"; });
  if (how == dist::reading::by_messages && where == dist::topology::divided) {
    return made;
  }
  auto memory = node_memory_of(comm);
  if constexpr (requires { memory.neighbors(); }) {
    auto const headers =
        exchange_values(comm, {.what = operation::share, .hop = 1}, {}, std::ssize(memory.neighbors()));
    if (std::ranges::max(headers, {}, &call_header::value).value == 1) {
      return made;
    }
  }
  made.emplace(std::move(memory));
  return made;
}

// The same for a policy; `nullopt` if it or the communicator never has any.
template <device_policy Policy, communicator Comm>
[[nodiscard]] auto memory_to_share([[maybe_unused]] Comm& comm, [[maybe_unused]] dist::reading how,
                                   [[maybe_unused]] dist::topology where) {
  if constexpr (host_policy<Policy> && Policy::space == memory_space::host && finds_node_memory<Comm>) {
    return memory_to_share(comm, how, where);
  } else {
    return std::nullopt;
  }
}

} // namespace glt::detail
