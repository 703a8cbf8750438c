// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/members.hpp>
#include <glt/dist/loading/checkpoint.hpp>
#include <glt/dist/loading/detail/epoch_plan.hpp>
#include <glt/dist/loading/loader_options.hpp>
#include <glt/dist/loading/seeds.hpp>

namespace glt::detail {

/// Appends the lists of seeds, member by member if they have no `append`; members that are no lists are copied.
template <class X>
void append_seeds(X& to, X const& from) {
  if constexpr (requires { to.append(from); }) {
    to.append(from);
  } else if constexpr (has_members<X>) {
    std::apply(
        [&](auto&... own) {
          std::apply([&](auto const&... others) { (append_seeds(own, others), ...); }, member_access::of(from));
        },
        member_access::of(to));
  } else if constexpr (requires { to.insert(to.end(), from.begin(), from.end()); }) {
    to.insert(to.end(), from.begin(), from.end());
  } else {
    to = from;
  }
}

/// Refuses checkpoints that are not of all ranks of one run, in their order and at one step.
inline void check_saved_together(std::span<dist::loader_checkpoint const> saved) {
  for (std::size_t r = 0; r < saved.size(); ++r) {
    auto expected = saved[0];
    expected.rank = static_cast<std::int64_t>(r);
    expected.num_ranks = std::ssize(saved);
    auto const differences = differences_of(saved[r], expected, [](auto visit) {
      using checkpoint = dist::loader_checkpoint;
      visit("rank", &checkpoint::rank);
      visit("num_ranks", &checkpoint::num_ranks);
      visit("epoch", &checkpoint::epoch);
      visit("step", &checkpoint::step);
      visit("steps_before", &checkpoint::steps_before);
      visit_shared_conditions<checkpoint>(visit);
    });
    if (!differences.empty()) {
      throw precondition_error(message("checkpoint ", r, " of ", saved.size(), " has ", differences,
                                       "; give the checkpoint of every rank that saved, by rank, all of one step"));
    }
    if (saved[r].batch_size < 1 || saved[r].steps_before < 0 || saved[r].step < saved[r].steps_before) {
      throw precondition_error(message("checkpoint ", r, " has batch_size ", saved[r].batch_size, " and step ",
                                       saved[r].step, " after ", saved[r].steps_before,
                                       " steps before it; give checkpoints that advanced with their loaders"));
    }
  }
  if (saved.empty()) {
    throw precondition_error("no checkpoints; give the checkpoint of every rank that saved, by rank");
  }
}

/// Order of the seeds that are not done, of all ranks that saved: step by step, and the ranks of a step in their order.
class remaining_order {
public:
  explicit remaining_order(std::span<dist::loader_checkpoint const> saved) {
    std::int64_t all = 1;
    for (auto const& of : saved) {
      all += of.num_seeds;
    }
    for (auto const& of : saved) {
      auto const batch_size = std::min(of.batch_size, all); // a larger batch has no more seeds
      auto const left_out = of.drop_last ? of.num_seeds % of.batch_size : 0;
      auto const done = (of.step - of.steps_before) * batch_size;
      ranks_.push_back({batch_size, std::max(of.num_seeds - left_out - done, std::int64_t{0})});
      batch_of_all_ += of.num_seeds > 0 ? batch_size : 0;
    }
    batch_of_all_ = std::max(batch_of_all_, std::int64_t{1});
  }

  /// Returns the number of seeds in a batch of all ranks together; at least 1.
  [[nodiscard]] std::int64_t batch_of_all() const noexcept { return batch_of_all_; }
  /// Returns the place of the first seed of a rank in a step; steps count from the first that is not done.
  [[nodiscard]] std::int64_t place(std::size_t rank, std::int64_t step) const noexcept {
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      auto const [batch_size, left] = ranks_[r];
      sum += std::min(left, (step + (r < rank ? 1 : 0)) * batch_size);
    }
    return sum;
  }

private:
  struct of_rank {
    std::int64_t batch_size;
    std::int64_t left;
  };
  std::vector<of_rank> ranks_;
  std::int64_t batch_of_all_ = 0;
};

} // namespace glt::detail

namespace glt::dist {

/// Seeds of one rank in the rest of an interrupted epoch, and options of the loader that takes them: the seeds that are
/// not done are dealt to another number of ranks, each seed once.
///
///     glt::dist::rest_of_epoch const rest(saved, seeds_of, comm.rank(), comm.size());
///     glt::dist::loader loader(comm, recipe, rest.seeds, rest.options);
///     glt::dist::loader_checkpoint checkpoint(loader, rest.seeds, graph.book(), neighbors);
///     checkpoint.resume(saved);
///     for (auto const& batch : loader.epoch(checkpoint.epoch, checkpoint.step)) { … }
///
/// Steps go on counting, and the batches of all ranks together keep their size. While every rank that saved still had
/// full batches, a step keeps its seeds and their random choices, and only their division over ranks is another. Later
/// seeds fill the steps, and so come in an earlier step, with other choices. Loaders of the next epoch are made as
/// usual. If the rest is interrupted too, its checkpoints and seeds can be dealt again. On as many ranks as saved, these
/// are the seeds and options of the loaders that saved, and all batches stay the same.
template <class Seeds = vertex_seeds<>>
struct rest_of_epoch {
  Seeds seeds;
  loader_options options; ///< order, batch size and first step; set `prefetch` and the like as you want

  /// Deals the seeds.
  ///
  /// @shape  saved [ranks that saved], by rank · seeds_of(rank) → the seeds of that rank's loader
  /// @comm   none; all ranks of the loader call it with the same checkpoints
  /// @throws precondition_error  if checkpoints are missing, in another order or of several steps, or a rank's seeds
  ///                             differ from its checkpoint
  /// @cost   O(all seeds) on each rank, and memory of the seeds of one rank that saved
  template <std::invocable<int> SeedsOf>
    requires detail::has_members<Seeds> && std::convertible_to<std::invoke_result_t<SeedsOf&, int>, Seeds>
  rest_of_epoch(std::span<loader_checkpoint const> saved, SeedsOf seeds_of, int rank, int num_ranks) {
    detail::check_saved_together(saved);
    if (rank < 0 || rank >= num_ranks) {
      throw precondition_error(detail::message("rank ", rank, " of ", num_ranks, "; ranks count from 0"));
    }
    auto const seeds_of_rank = [&](std::size_t r) {
      Seeds of = seeds_of(static_cast<int>(r));
      if (of.size() != saved[r].num_seeds || detail::fingerprint_of(of) != saved[r].seeds_fingerprint) {
        throw precondition_error(detail::message(of.size(), " seeds of rank ", r, " are not the ", saved[r].num_seeds,
                                                 " of its checkpoint; give the seeds of its loader, in their order"));
      }
      return of;
    };
    auto const options_of = [](loader_checkpoint const& of) {
      return loader_options{.batch_size = of.batch_size,
                            .shuffle = of.shuffle,
                            .drop_last = of.drop_last,
                            .seed = of.seed,
                            .steps_before = of.steps_before};
    };
    if (std::ssize(saved) == num_ranks) {
      seeds = seeds_of_rank(static_cast<std::size_t>(rank));
      options = options_of(saved[static_cast<std::size_t>(rank)]);
      return;
    }
    detail::remaining_order const order(saved);
    auto const size = order.batch_of_all();
    auto const first = size * rank / num_ranks; // of this rank, in a batch of all
    auto const last = size * (rank + 1) / num_ranks;
    Seeds all; // of this rank, by rank that saved
    std::vector<std::int64_t> all_places;
    for (std::size_t r = 0; r < saved.size(); ++r) {
      auto const& of = saved[r];
      auto const of_rank = seeds_of_rank(r);
      detail::epoch_plan plan(of_rank, options_of(of));
      plan.begin(of.epoch);
      std::vector<std::int64_t> taken;
      for (auto step = of.step; step < plan.num_steps(); ++step) {
        auto next = order.place(r, step - of.step);
        for (auto const place : plan.places(step)) {
          if (next % size >= first && next % size < last) {
            taken.push_back(place);
            all_places.push_back(next);
          }
          ++next;
        }
      }
      Seeds own;
      of_rank.gather(taken, own);
      detail::append_seeds(all, own);
    }
    std::vector<std::int64_t> by_place(all_places.size());
    std::iota(by_place.begin(), by_place.end(), std::int64_t{0});
    std::ranges::sort(by_place, {}, [&](std::int64_t i) { return all_places[static_cast<std::size_t>(i)]; });
    options = {
        .batch_size = std::max(last - first, std::int64_t{1}), .seed = saved[0].seed, .steps_before = saved[0].step};
    all.gather(by_place, seeds);
  }
};

template <std::invocable<int> SeedsOf>
  requires detail::has_members<std::remove_cvref_t<std::invoke_result_t<SeedsOf&, int>>>
rest_of_epoch(std::span<loader_checkpoint const>, SeedsOf, int, int)
    -> rest_of_epoch<std::remove_cvref_t<std::invoke_result_t<SeedsOf&, int>>>;

} // namespace glt::dist
