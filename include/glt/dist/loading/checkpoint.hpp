// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>

namespace glt::detail {

/// Calls `visit(name, pointer to member)` for members that are equal on all ranks, and on any number that go on.
template <class Checkpoint, class Visit>
void visit_shared_conditions(Visit visit) {
  visit("seed", &Checkpoint::seed);
  visit("partitioning", &Checkpoint::partitioning);
  visit("options_fingerprint", &Checkpoint::options_fingerprint);
}

/// Calls `visit(name, pointer to member)` for members that must be equal when a checkpoint is resumed.
template <class Checkpoint, class Visit>
void visit_conditions(Visit visit) {
  visit("rank", &Checkpoint::rank);
  visit("num_ranks", &Checkpoint::num_ranks);
  visit("batch_size", &Checkpoint::batch_size);
  visit("shuffle", &Checkpoint::shuffle);
  visit("drop_last", &Checkpoint::drop_last);
  visit("steps_before", &Checkpoint::steps_before);
  visit("num_steps", &Checkpoint::num_steps);
  visit("num_seeds", &Checkpoint::num_seeds);
  visit("seeds_fingerprint", &Checkpoint::seeds_fingerprint);
  visit("partition_fingerprint", &Checkpoint::partition_fingerprint);
  visit_shared_conditions<Checkpoint>(visit);
}

/// Calls `visit` for all members of a checkpoint.
template <class Checkpoint, class Visit>
void visit_checkpoint(Visit visit) {
  visit_conditions<Checkpoint>(visit);
  visit("epoch", &Checkpoint::epoch);
  visit("step", &Checkpoint::step);
}

/// Lists the members of two checkpoints that differ, of those that `each(visit)` visits; empty if none do.
template <class Checkpoint, class Each>
[[nodiscard]] std::string differences_of(Checkpoint const& saved, Checkpoint const& wanted, Each each) {
  std::string differences;
  each([&](char const* name, auto member) {
    if (saved.*member != wanted.*member) {
      differences += message(differences.empty() ? "" : ", ", name, ' ', saved.*member, " instead of ", wanted.*member);
    }
  });
  return differences;
}

} // namespace glt::detail

namespace glt::dist {

/// Position of a rank in the epochs of a loader, and fingerprints of everything its batches depend on. Another run
/// resumes from it with the same batches.
///
///     glt::dist::loader_checkpoint checkpoint(loader, seeds, graph.book(), neighbors);
///     if (std::filesystem::exists(path)) {
///       checkpoint.resume(glt::io::load_checkpoint(path));
///     }
///     for (auto epoch = checkpoint.epoch; epoch < num_epochs; ++epoch) {
///       for (auto const& batch : loader.epoch(epoch, checkpoint.first_step(epoch))) {
///         …
///         checkpoint.advance(batch);
///         glt::io::save_checkpoint(path, checkpoint); // now and then, with the model
///
/// A checkpoint belongs to one rank: each rank keeps its checkpoint, and all save at the same step. A resumed run may
/// use another `prefetch`, `bulk` and deployment. Another number of ranks goes on by `rest_of_epoch`.
///
/// Concurrent calls: none on one object; const members may run concurrently.
struct loader_checkpoint {
  std::int64_t rank = 0;
  std::int64_t num_ranks = 1;
  std::int64_t batch_size = 0;
  bool shuffle = false;
  bool drop_last = false;
  std::array<std::uint8_t, 6> padding{}; ///< zeros, so that equal checkpoints have equal bytes
  std::uint64_t seed = 0;
  std::int64_t steps_before = 0;
  std::int64_t num_steps = 0; ///< of an epoch
  std::int64_t num_seeds = 0;
  std::int64_t seeds_fingerprint = 0;
  std::int64_t partition_fingerprint = 0; ///< of the book
  std::int64_t partitioning = 0;          ///< as `partition_book::partitioning`
  std::int64_t options_fingerprint = 0;   ///< of everything else that batches depend on
  std::int64_t epoch = 0;
  std::int64_t step = 0; ///< first step that is not done

  loader_checkpoint() = default;
  /// Makes the checkpoint of a loader, or remote loader, at the beginning of epoch 0.
  ///
  /// @param  options  everything else that batches depend on, such as `neighbor_options`: numbers, lists, or structures
  ///                  with `members`
  /// @comm   none
  /// @cost   O(seeds)
  template <class Loader, class... Options>
  loader_checkpoint(Loader const& loader, typename Loader::seeds_type const& seeds, partition_book const& book,
                    Options const&... options)
      : rank(loader.rank()), num_ranks(loader.num_ranks()), batch_size(loader.options().batch_size),
        shuffle(loader.options().shuffle), drop_last(loader.options().drop_last), seed(loader.options().seed),
        steps_before(loader.options().steps_before), num_steps(loader.num_steps()),
        num_seeds(static_cast<std::int64_t>(seeds.size())), seeds_fingerprint(detail::fingerprint_of(seeds)),
        partition_fingerprint(detail::book_fingerprint(book)), partitioning(book.partitioning()),
        options_fingerprint(detail::fingerprint_of(options...)) {}

  /// Notes that a batch is done.
  template <class Batch>
  void advance(Batch const& batch) noexcept {
    epoch = batch.epoch;
    step = batch.step + 1;
  }

  /// Returns the step at which an epoch resumes: after the steps that are done, or 0 for another epoch.
  [[nodiscard]] std::int64_t first_step(std::int64_t of_epoch) const noexcept { return of_epoch == epoch ? step : 0; }

  /// Takes the position from the checkpoint of another run.
  ///
  /// @throws precondition_error  if its batches differ; the text lists every difference with both values
  void resume(loader_checkpoint const& saved) {
    auto const differences =
        detail::differences_of(saved, *this, [](auto visit) { detail::visit_conditions<loader_checkpoint>(visit); });
    if (!differences.empty()) {
      throw precondition_error("checkpoint of other batches than the loader's: " + differences +
                               (saved.num_ranks == num_ranks
                                    ? "; resume with the options, seeds and data that it was made with"
                                    : "; go on with another number of ranks by rest_of_epoch"));
    }
    if (saved.step < 0 || saved.step > num_steps) {
      throw precondition_error(
          detail::message("checkpoint at step ", saved.step, "; steps are in [0, ", num_steps, "]"));
    }
    *this = saved;
  }

  /// Takes the position from the checkpoints of all ranks that saved, for a loader of `rest_of_epoch`.
  ///
  /// @shape  saved [ranks that saved], by rank
  /// @throws precondition_error  if seed, partitioning or `options` differ, or the loader does not begin at their step
  void resume(std::span<loader_checkpoint const> saved) {
    if (std::ssize(saved) == num_ranks) {
      return resume(saved[static_cast<std::size_t>(rank)]);
    }
    for (auto const& of_rank : saved) {
      auto const differences = detail::differences_of(
          of_rank, *this, [](auto visit) { detail::visit_shared_conditions<loader_checkpoint>(visit); });
      if (!differences.empty()) {
        throw precondition_error("checkpoints of other samples than the loader's: " + differences +
                                 "; resume with the options and data that they were made with");
      }
      if (of_rank.step != steps_before) {
        throw precondition_error(detail::message("checkpoint of rank ", of_rank.rank, " at step ", of_rank.step,
                                                 " for a loader that begins at step ", steps_before,
                                                 "; make the loader of rest_of_epoch"));
      }
      epoch = of_rank.epoch;
      step = of_rank.step;
    }
  }

  friend bool operator==(loader_checkpoint const&, loader_checkpoint const&) = default;
};

} // namespace glt::dist
