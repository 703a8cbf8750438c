// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>

#include <new>

namespace glt::detail {

/// Returns the text of the exception that `work` throws; empty if it returns. So a failed precondition becomes the
/// failure that a rank reports.
template <class Work>
[[nodiscard]] std::string failure_of(Work work) {
  try {
    work();
  } catch (std::exception const& failure) {
    return *failure.what() != '\0' ? failure.what() : "exception without a text";
  } catch (...) {
    return "unknown exception";
  }
  return {};
}

/// Runs `work` unless there is a failure already; the text of its exception becomes the failure.
template <class Work>
void attempt(std::string& failure, Work work) {
  if (failure.empty()) {
    failure = failure_of(std::move(work));
  }
}

/// The collective operations of the library, as ranks name them to each other.
enum class operation : std::uint16_t {
  leave, ///< the end of `run_collectively`
  make_graph,
  make_features,
  make_sampler,
  plan_epoch,
  sample,
  collect,
  sync_parameters,
  gather_gradients,
  estimate_hotness,
  make_source_values,
  make_directory,
  make_weights,
  make_times,
  look_up,
  test_edges,
  exclude,
  walk,
  shuffle,
  share,
  join_roles,
  produce, ///< a sweep of ranks that make batches for others
  make_shards,
  make_mfgs,
  push_edges,
  count_degrees,
  aggregate,
  attend,
  pass_messages,
  normalize,
  add_gradients,
  update_embedding,
  user,
};

[[nodiscard]] constexpr std::string_view name_of(operation what) noexcept {
  constexpr std::array<std::string_view, 33> names{"leave",
                                                   "make_graph",
                                                   "make_features",
                                                   "make_sampler",
                                                   "plan_epoch",
                                                   "sample",
                                                   "collect",
                                                   "sync_parameters",
                                                   "gather_gradients",
                                                   "estimate_hotness",
                                                   "make_source_values",
                                                   "make_directory",
                                                   "make_weights",
                                                   "make_times",
                                                   "look_up",
                                                   "test_edges",
                                                   "exclude",
                                                   "walk",
                                                   "shuffle",
                                                   "share",
                                                   "join_roles",
                                                   "produce",
                                                   "make_shards",
                                                   "make_mfgs",
                                                   "push_edges",
                                                   "count_degrees",
                                                   "aggregate",
                                                   "attend",
                                                   "pass_messages",
                                                   "normalize",
                                                   "add_gradients",
                                                   "update_embedding",
                                                   "user"};
  auto const i = static_cast<std::size_t>(what);
  return i < names.size() ? names[i] : "unknown operation";
}

/// Place in the program at which a rank is.
struct call_site {
  operation what = operation::user;
  std::int64_t step = 0;
  std::int32_t hop = 0;

  friend bool operator==(call_site const&, call_site const&) = default;
};

/// Failure of a rank: none, of this rank itself, or passed on from a group that has agreed on the failure of a rank.
enum class blame : std::uint16_t { none, own, passed_on };

/// Message that a rank sends to every other rank before any larger exchange.
struct call_header {
  std::int64_t count = 0; ///< items for the receiver
  std::int64_t total = 0; ///< items for all ranks together
  std::int64_t value = 0; ///< the same for all receivers; the operation gives it a meaning
  std::int64_t step = 0;
  std::int32_t hop = 0;
  std::uint16_t what = 0;
  std::uint16_t failed = 0; ///< a `blame`

  [[nodiscard]] call_site site() const noexcept { return {static_cast<operation>(what), step, hop}; }
};

/// Bytes that one rank sends to each other one in `exchange_headers`.
inline constexpr std::int64_t header_bytes = sizeof(call_header);
static_assert(header_bytes == 40);

/// Bytes in which the cause of a failure travels; a longer text is cut.
inline constexpr std::size_t cause_bytes = 512;

[[nodiscard]] inline std::string place_of(call_site site) {
  if (site.what == operation::leave) {
    return "at the end of its work";
  }
  return message("at ", name_of(site.what), " step ", site.step, " hop ", site.hop);
}

/// Returns the error that all ranks of `comm` throw for one rank. It has the rank in the world and the name of the
/// group.
template <communicator C>
[[nodiscard]] agreed_error agreed(C const& comm, int rank, std::string_view cause) {
  return agreed_error(comm.size(), world_rank(comm, rank), group_prefix(comm, rank).append(cause));
}

/// Tells all ranks why `rank` failed, and throws the same error on each of them.
///
/// @comm   collective; one broadcast
template <communicator C>
[[noreturn]] void throw_everywhere(C& comm, int rank, std::string const& failure) {
  std::array<char, cause_bytes> cause{};
  if (comm.rank() == rank) {
    std::copy_n(failure.begin(), std::min(failure.size(), cause.size() - 1), cause.begin());
  }
  if (comm.size() > 1) {
    comm.broadcast(reinterpret_cast<std::byte*>(cause.data()), static_cast<std::int64_t>(cause.size()), rank);
  }
  try {
    throw agreed(comm, rank, cause.data());
  } catch (std::bad_alloc const&) { // the others leave with an error that this rank cannot make
    if constexpr (losable<C>) {
      comm.mark_lost();
    }
    throw;
  }
}

/// Tells every rank how many items to expect. Makes sure that no rank has failed and that all are at the same call.
///
/// A rank that cannot go on still calls it, and passes the reason as `failure`.
///
/// @shape  counts [R], items for every rank · headers [R], resized and written: the headers of all ranks, this one
///         included; reuse the vector to allocate nothing
/// @comm   collective; one all-to-all of 40 bytes a rank, and one broadcast of 512 bytes if a rank failed;
///         none on one rank
/// @throws collective_error  on every rank, the same one: if `failure` is not empty on a rank, or if a rank is at
///                           another `site` than rank 0. Names the lowest rank that failed by itself, else the lowest
///                           that passes a failure on
/// @throws precondition_error  if counts does not have R elements
template <communicator C>
void exchange_headers(C& comm, call_site site, std::span<std::int64_t const> counts, std::int64_t value,
                      std::string const& failure, std::vector<call_header>& headers, blame whose = blame::own) {
  auto const ranks = static_cast<std::size_t>(comm.size());
  check_length("exchange_headers", "counts", counts.size(), comm.size());
  if constexpr (requires { comm.note(site); }) { // for callers that report the place of this rank
    comm.note(site);
  }
  call_header const own{.count = 0,
                        .total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0}),
                        .value = value,
                        .step = site.step,
                        .hop = site.hop,
                        .what = static_cast<std::uint16_t>(site.what),
                        .failed = static_cast<std::uint16_t>(failure.empty() ? blame::none : whose)};
  headers.assign(2 * ranks, call_header{});
  std::span const received(headers.data(), ranks);
  std::span const sent(headers.data() + ranks, ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    sent[rank] = own;
    sent[rank].count = counts[rank];
  }
  if (ranks == 1) {
    received[0] = sent[0];
  } else {
    comm.all_to_all(reinterpret_cast<std::byte const*>(sent.data()), reinterpret_cast<std::byte*>(received.data()),
                    header_bytes);
  }
  headers.resize(ranks);
  for (auto const kind : {blame::own, blame::passed_on}) {
    auto const found = std::ranges::find(received, static_cast<std::uint16_t>(kind), &call_header::failed);
    if (found != received.end()) {
      throw_everywhere(comm, static_cast<int>(found - received.begin()), failure);
    }
  }
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    if (received[rank].site() != received[0].site()) {
      throw agreed(comm, static_cast<int>(rank),
                   message("is ", place_of(received[rank].site()), " while rank ", world_rank(comm, 0), " is ",
                           place_of(received[0].site()), "; make the same calls in the same order on all ranks"));
    }
  }
}

/// Tells all ranks the values of all, by `exchange_headers` without items.
///
/// @shape  returns [R]
/// @comm   collective; one header exchange
/// @throws collective_error  on every rank, if `failure` is not empty on one
template <communicator C>
std::vector<call_header> exchange_values(C& comm, call_site site, std::string const& failure, std::int64_t value = 0) {
  std::vector<call_header> headers;
  exchange_headers(comm, site, std::vector<std::int64_t>(static_cast<std::size_t>(comm.size()), 0), value, failure,
                   headers);
  return headers;
}

/// Returns a text about rank 0 of `comm` with its rank in the world.
template <communicator C>
[[nodiscard]] std::string name_first_rank(C const& comm, std::string text) {
  constexpr std::string_view rank_0 = "rank 0";
  if (auto const found = text.find(rank_0); found != std::string::npos) {
    text.replace(found, rank_0.size(), message("rank ", world_rank(comm, 0)));
  }
  return text;
}

/// Makes sure that all ranks passed the same number in a header exchange: the same count to this rank, or the same
/// value.
///
/// `difference`, or `difference(own, first)`, is the cause if a rank has `own` where rank 0 has `first`; "rank 0" in it
/// becomes that rank in the world.
///
/// @throws collective_error  if not; as every rank does, where counts are the same for all receivers
template <communicator C, class Difference>
void check_same(C const& comm, std::span<call_header const> headers, std::int64_t call_header::* number,
                Difference const& difference) {
  auto const cause = [&](std::int64_t own, std::int64_t first) -> std::string {
    if constexpr (std::invocable<Difference const&, std::int64_t, std::int64_t>) {
      return difference(own, first);
    } else {
      return difference;
    }
  };
  for (std::size_t rank = 1; rank < headers.size(); ++rank) {
    if (headers[rank].*number != headers[0].*number) {
      throw agreed(comm, static_cast<int>(rank),
                   name_first_rank(comm, cause(headers[rank].*number, headers[0].*number)));
    }
  }
}

[[nodiscard]] inline std::int64_t total_value(std::span<call_header const> headers) {
  return std::accumulate(headers.begin(), headers.end(), std::int64_t{0},
                         [](std::int64_t sum, call_header const& header) { return sum + header.value; });
}

/// Gives the text of rank 0, or its bytes, to all ranks. A rank without memory for it is lost, as the others go on.
///
/// @pre    nothing can fail on a rank since the last header exchange; not checked
/// @comm   collective; two broadcasts
template <communicator C>
void broadcast_text(C& comm, std::string& text) {
  committed(comm, [&] {
    auto size = std::ssize(text);
    comm.broadcast(reinterpret_cast<std::byte*>(&size), sizeof(size), 0);
    text.resize(static_cast<std::size_t>(size));
    if (size > 0) {
      comm.broadcast(reinterpret_cast<std::byte*>(text.data()), size, 0);
    }
  });
}

} // namespace glt::detail
