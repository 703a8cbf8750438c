// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/sampling/detail/sampled_kind.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/dist/walk/detail/walk_inbox.hpp>
#include <glt/dist/walk/detail/walk_moves.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>
#include <glt/sample/walk/detail/walk_kernel.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt::detail {

/// One of the batches of walks that are made together.
///
/// @shape  starts [S] global ids
template <device_policy Policy, vertex_id Vertex>
struct walks_to_make {
  array_view<Policy::space, Vertex const> starts;
  sample_key key{};
  walks<Policy, Vertex>* out = nullptr;
};

/// Rounds of walkers that move between ranks. Each walker goes to the rank that holds the rows it needs. It makes as
/// many steps there as it can, and reports them to its home.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Walker>
class walk_rounds {
public:
  static constexpr memory_space space = Policy::space;

  walk_rounds(Comm comm, bool edge_ids, Policy policy)
      : policy_(policy), edge_ids_(edge_ids), inbox_(std::move(comm), edge_ids, policy), here_(0, policy),
        walkers_(0, policy), moves_(0, policy), visits_(0, policy), counts_(0, policy), before_(0, policy),
        keys_(0, policy), joined_(policy) {}

  /// Walks from this rank's starts of one or more batches, in as many rounds as one batch takes.
  ///
  /// `step` is a step for `walk_block` over `part_rows`; `name` gives walkers their keys, which are set here. If all
  /// ranks read all parts in place, they are `silent`: nothing is sent, and a rank fails alone.
  ///
  /// @comm   none if silent; else collective: one exchange to start and one per round, as `walk_inbox::send`; a walker
  ///         moves between ranks at most once per round
  /// @throws collective_error  on every rank, if a start of a rank is not in [0, V), the keys or their numbers differ,
  ///                           a rank has no batch, a batch without `out`, or no memory left
  template <class Step, class Options>
  void run(std::span<walks_to_make<Policy, Vertex> const> batches, partition_book const& book, Options const& options,
           Step const& step, name_walker<space, Vertex> name, bool silent = false) {
    call_site site{.what = operation::walk, .step = batches.empty() ? 0 : batches[0].key.step};
    walk_rows<space, Vertex> rows;
    auto const unable = failure_of([&] {
      check_batches(batches,
                    [&](auto const& batch) { validate_vertices(policy_, "start", batch.starts, book.num_vertices()); });
      rows = make_room(batches, options);
      name.keys = take_keys(batches);
      start(batches, options, step, name, rows);
      inbox_.pack();
    });
    if (silent) { // no walker has left
      if (!unable.empty()) {
        throw precondition_error(unable);
      }
      divide(batches);
      return;
    }
    check_same(inbox_.host(), inbox_.send(site, fingerprint_of(batches), unable), &call_header::value,
               "walks with another key than rank 0, or for another number of batches; pass the same seed, epoch and "
               "step on all ranks");
    for (bool walking = true; walking;) {
      std::int64_t num_left = 0;
      auto const failure = failure_of([&] {
        admit(name, rows);
        advance(step, static_cast<std::int32_t>(options.length), rows, name.rows.others);
        num_left = here_.size() + inbox_.walkers().size();
        inbox_.pack();
      });
      ++site.hop;
      walking = any_above_zero(inbox_.send(site, num_left, failure));
    }
    admit(name, rows);
    divide(batches);
  }

private:
  using visit = walk_visit<Vertex>;
  using others_type = rows_in_place<space, Vertex>;

  // Walkers moved together, and visits after which a round ends: limits on the memory beside walkers and walks.
  static constexpr std::int64_t most_walkers = host_policy<Policy> ? 1 << 14 : 1 << 17;
  static constexpr std::int64_t visits_of_round = 1 << 20;

  using batches_type = std::span<walks_to_make<Policy, Vertex> const>;

  static std::int64_t fingerprint_of(batches_type batches) {
    fingerprint print;
    for (auto const& [starts, key, out] : batches) {
      print.add(key.seed).add(key.epoch).add(key.step);
    }
    return print.value();
  }

  // Makes room for the walks of all batches: in `out` of the only batch, or in `joined_`.
  template <class Options>
  walk_rows<space, Vertex> make_room(batches_type batches, Options const& options) {
    std::int64_t num_starts = 0;
    for (auto const& [starts, key, out] : batches) {
      num_starts += starts.size();
      out->resize(policy_, starts.size(), options.walks_per_start, options.length, edge_ids_);
    }
    auto& all = batches.size() == 1 ? *batches[0].out : joined_;
    if (batches.size() > 1) {
      joined_.resize(policy_, num_starts, options.walks_per_start, options.length, edge_ids_);
    }
    static_cast<void>(narrow<std::int32_t>(all.num_walks(), "number of walks of a rank"));
    return {all.vertices(), all.edge_ids()};
  }

  array_view<space, random_key const> take_keys(batches_type batches) {
    key_list_.clear();
    for (auto const& [starts, key, out] : batches) {
      key_list_.push_back(walk_key(key));
    }
    keys_.resize(std::ssize(key_list_));
    copy_in(policy_, host_view<random_key const>(key_list_), keys_.view());
    return std::as_const(keys_).view();
  }

  // Starts walkers and moves each of them once.
  template <class Options, class Step>
  void start(batches_type batches, Options const& options, Step const& step, name_walker<space, Vertex> const& name,
             walk_rows<space, Vertex> rows) {
    here_.clear();
    inbox_.clear();
    std::int64_t first_of_batch = 0;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      auto const num_walks = batches[b].out->num_walks();
      for (std::int64_t first = 0; first < num_walks; first += most_walkers) {
        auto const count = std::min(num_walks - first, most_walkers);
        reserve(count);
        policy_.executor().for_each(
            count, start_walkers<Walker, space, Vertex>{batches[b].starts, options.walks_per_start, name,
                                                        static_cast<std::int64_t>(b), first_of_batch, first,
                                                        walkers_.view(), moves_.view(), rows});
        move(step, static_cast<std::int32_t>(options.length), rows, name.rows.others, true);
      }
      first_of_batch += num_walks;
    }
  }

  // Copies the walks of every batch to its `out`.
  void divide(batches_type batches) {
    if (batches.size() == 1) {
      return;
    }
    std::int64_t first = 0;
    auto const copy = [&](auto to, auto from) {
      if (auto const size = to.rows() * to.columns(); size > 0) {
        policy_.resource().copy(to.data(), from.data() + first * to.columns(),
                                static_cast<std::size_t>(size) * sizeof(*to.data()));
      }
    };
    for (auto const& [starts, key, out] : batches) {
      copy(out->vertices(), std::as_const(joined_).vertices());
      copy(out->edge_ids(), std::as_const(joined_).edge_ids());
      first += out->num_walks();
    }
  }

  void admit(name_walker<space, Vertex> const& name, walk_rows<space, Vertex> rows) {
    inbox_.open(
        [&](std::int64_t count) {
          auto const first = here_.size();
          here_.resize(first + count);
          return admit_walkers<Walker, space, Vertex>{name, here_.data() + first};
        },
        admit_visits<space, Vertex>{rows});
  }

  // Moves walkers until all have left or ended, or enough visits wait to be sent.
  template <class Step>
  void advance(Step const& step, std::int32_t length, walk_rows<space, Vertex> rows, others_type others) {
    while (!here_.empty() && inbox_.visits().size() < visits_of_round) {
      auto const count = std::min(here_.size(), most_walkers);
      auto const rest = here_.size() - count;
      reserve(count);
      policy_.resource().copy(walkers_.data(), here_.data() + rest, static_cast<std::size_t>(count) * sizeof(Walker));
      here_.resize(rest);
      move(step, length, rows, others, false);
    }
  }

  // Moves `walkers_` until they leave, pause or end.
  template <class Step>
  void move(Step const& step, std::int32_t length, walk_rows<space, Vertex> rows, others_type others, bool at_start) {
    move_walkers(policy_, walkers_.size(), step,
                 part_walkers<Walker, space, Vertex>{walkers_.view(), moves_.view(), visits_.view(), inbox_.rank(),
                                                     length, edge_ids_, rows, others, at_start});
    distribute();
  }

  void reserve(std::int64_t count) {
    auto const make = [](auto& buffer, std::int64_t size) {
      buffer.clear(); // drops the content, so that resize copies nothing
      buffer.resize(size);
    };
    make(walkers_, count);
    make(moves_, count);
    make(visits_, count * visits_at_once);
    make(counts_, count);
    make(before_, count + 1);
  }

  // Appends walkers that stay to `here_`, and walkers that leave, and visits, to the outboxes.
  void distribute() {
    auto const ex = policy_.executor();
    auto const count = walkers_.size();
    ex.for_each(count, count_moves<space>{moves_.view(), inbox_.rank(), counts_.view()});
    ex.exclusive_scan(std::as_const(counts_).view(), before_.view());
    auto const total = move_counts::unpacked(read_element(policy_, before_.view(), count));
    auto const append = [](auto& list, std::int64_t more) {
      auto const size = list.size();
      list.resize(size + more);
      return size;
    };
    auto& leaving = inbox_.walkers();
    auto& told = inbox_.visits();
    auto const stay = append(here_, total.stay);
    auto const leave = append(leaving, total.leave);
    auto const tell = append(told, total.visits);
    ex.for_each(count, distribute_moves<Walker, space, Vertex>{
                           walkers_.view(), moves_.view(), visits_.view(), before_.view(), inbox_.rank(),
                           here_.data() + stay, leaving.items.data() + leave, leaving.ranks.data() + leave,
                           told.items.data() + tell, told.ranks.data() + tell});
  }

  Policy policy_;
  bool edge_ids_;
  walk_inbox<Comm, Policy, Walker, Vertex> inbox_;
  buffer<Policy, Walker> here_;
  buffer<Policy, Walker> walkers_; // moved together
  buffer<Policy, walk_move> moves_;
  buffer<Policy, visit> visits_;
  buffer<Policy, std::int64_t> counts_;
  buffer<Policy, std::int64_t> before_;
  std::vector<random_key> key_list_; // of the batches
  buffer<Policy, random_key> keys_;  // the same for kernels
  walks<Policy, Vertex> joined_;     // of all batches, if there are several
};

} // namespace glt::detail
