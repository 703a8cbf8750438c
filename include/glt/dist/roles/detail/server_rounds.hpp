// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/roles/detail/served_kinds.hpp>
#include <glt/dist/roles/detail/served_stream.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

/// Rounds of collective work of the servers. First each server sends a wish. Then all make kinds of batches, or the
/// next batches of one kind: every server that has a loader of this kind with batches to make adds one bulk.
template <communicator Comm>
class server_rounds {
public:
  /// Wish of one server in a round. Values from `batch` on encode `batch + kind`.
  enum wish : std::int64_t { nothing, kind, end, batch };

  explicit server_rounds(Comm group) : group_(std::move(group)), end_(group_) {}
  server_rounds(server_rounds const&) = delete; // members refer to each other
  server_rounds& operator=(server_rounds const&) = delete;

  [[nodiscard]] Comm& group() noexcept { return group_; }
  /// Returns the number of the next round.
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }
  /// Returns true if all servers wished to end.
  [[nodiscard]] bool are_over() const noexcept { return are_over_; }

  /// Takes part in one round. `wanted_kind()` is the key of the kind that this server needs, if any. `refuse(key,
  /// failure)` is called for kinds that cannot be made. `done(stream, batches, failure)` is called with this server's
  /// loader, the number of batches made, and any failure of the next one.
  ///
  /// @comm   collective over the servers; one header exchange; if something is made, two more and the exchanges of its
  ///         maker
  template <class WantedKind, class Refuse, class Done>
  void make(std::int64_t mine, served_kinds<Comm>& kinds, WantedKind wanted_kind, Refuse refuse, Done done) {
    outcome made;
    // Without `committed`, other servers would take an error in here for the failure of a batch and go on.
    committed(group_, [&] {
      auto const wishes = exchange_values(group_, {.what = operation::produce, .step = number_}, {}, mine);
      ++number_;
      auto const any = [&](auto const& predicate) {
        return std::ranges::any_of(wishes, predicate, &call_header::value);
      };
      if (any([](auto wanted) { return wanted == kind; })) {
        make_kinds(kinds, wanted_kind(), refuse);
      } else if (auto const next = kinds.next([&](std::size_t of) {
                   return any([&](auto wanted) { return wanted == batch + static_cast<std::int64_t>(of); });
                 })) {
        make_batches(kinds.take(*next), made);
      } else {
        are_over_ = !any([](auto wanted) { return wanted != end; });
      }
    });
    if (made.stream != nullptr) {
      done(*made.stream, made.count, made.failure);
    }
  }

private:
  // The loader of this server whose batches were made, their number, and the failure of the next one.
  struct outcome {
    served_stream* stream = nullptr;
    std::int64_t count = 0;
    std::optional<collective_error> failure;
  };

  // The kinds that servers want and do not have, one per server; unused ones make room for them.
  template <class Refuse>
  void make_kinds(served_kinds<Comm>& kinds, std::string const& wanted, Refuse refuse) {
    auto const num_kinds = kinds.size();
    auto const of_server =
        gather_lists(group_, {.what = operation::produce, .step = number_}, {}, kinds.in_use() + wanted);
    kinds.forget_unused(of_server);
    for (auto const& words : of_server) {
      auto const key = words.substr(num_kinds);
      if (!key.empty() && !kinds.has(key)) {
        if (auto const failure = together([&] { kinds.make(group_, key); })) {
          kinds.drop(key); // on servers that made it
          refuse(key, *failure);
        }
      }
    }
  }

  void make_batches(typename served_kinds<Comm>::entry& of, outcome& made) {
    auto* const stream = of.due();
    std::vector<sample_key> own;
    stream_batches mine{.stream = stream};
    if (stream != nullptr) {
      mine.count = stream->num_due();
      stream->begin_sweep();
    }
    for (std::int64_t i = 0; i < mine.count; ++i) {
      own.push_back(stream->key(i));
    }
    auto const jobs = gather_lists(group_, {.what = operation::produce, .step = number_}, {}, own);
    for (std::size_t rank = 0; static_cast<int>(rank) < group_.rank(); ++rank) {
      mine.place += jobs[rank].size();
    }
    std::vector<sample_key> keys;
    made.failure = together([&] {
      for (auto const& list : jobs) {
        keys.insert(keys.end(), list.begin(), list.end());
      }
      of.kind->make(keys, mine);
    });
    made.count = made.failure ? 0 : mine.count;
    std::size_t num_jobs = 0;
    for (auto const& list : jobs) {
      num_jobs += list.size();
    }
    if (made.failure && num_jobs > 1) { // one of them fails; to find it, make them one by one
      made.failure.reset();
      for (std::size_t rank = 0; rank < jobs.size(); ++rank) {
        bool const is_own = static_cast<int>(rank) == group_.rank();
        for (std::size_t i = 0; i < jobs[rank].size(); ++i) {
          stream_batches const one{.stream = stream, .first = static_cast<std::int64_t>(i), .count = is_own ? 1 : 0};
          auto of_one = together([&] { of.kind->make(std::span(&jobs[rank][i], 1), one); });
          if (is_own && !made.failure) {
            made.failure = std::move(of_one);
            made.count += made.failure ? 0 : 1;
          }
        }
      }
    }
    if (stream != nullptr) {
      of.put_last(stream);
    }
    made.stream = stream;
  }

  // Runs collective work of all servers. Returns its failure on every server, also on servers whose work was done
  // before another server failed.
  template <class Work>
  std::optional<collective_error> together(Work work) {
    try {
      end_.guard(work);
      end_.leave();
      return std::nullopt;
    } catch (agreed_error const& failure) {
      return failure;
    }
  }

  Comm group_;
  departure<Comm> end_;
  std::int64_t number_ = 0;
  bool are_over_ = false;
};

} // namespace glt::detail
