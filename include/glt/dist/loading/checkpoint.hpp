// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/members.hpp>
#include <glt/dist/detail/exchange/agree.hpp>

namespace glt::detail {

/// Adds numbers, lists and structures with `members` to the fingerprint, element by element.
template <class X>
void add_to_fingerprint(fingerprint& print, X const& x) {
  if constexpr (requires { x.for_each_in_fingerprint([](auto const&) {}); }) {
    x.for_each_in_fingerprint([&](auto const& list) { add_to_fingerprint(print, list); });
  } else if constexpr (has_members<X>) {
    std::apply([&](auto const&... members) { (add_to_fingerprint(print, members), ...); }, member_access::of(x));
  } else if constexpr (requires {
                         x.size();
                         x.begin();
                       }) {
    print.add(static_cast<std::int64_t>(x.size()));
    for (auto const& element : x) {
      add_to_fingerprint(print, element);
    }
  } else if constexpr (std::is_floating_point_v<X>) {
    static_assert(std::numeric_limits<X>::digits <= std::numeric_limits<double>::digits);
    print.add(std::bit_cast<std::int64_t>(static_cast<double>(x)));
  } else {
    static_assert(std::is_integral_v<X> || std::is_enum_v<X>, "give numbers, lists, or structures with `members`");
    print.add(static_cast<std::int64_t>(x));
  }
}

template <class... X>
[[nodiscard]] std::int64_t fingerprint_of(X const&... x) {
  fingerprint print;
  (add_to_fingerprint(print, x), ...);
  return print.value();
}

/// Calls `visit(name, pointer to member)` for members that must be equal when a checkpoint is resumed.
template <class Checkpoint, class Visit>
void visit_conditions(Visit visit) {
  visit("batch_size", &Checkpoint::batch_size);
  visit("shuffle", &Checkpoint::shuffle);
  visit("drop_last", &Checkpoint::drop_last);
  visit("seed", &Checkpoint::seed);
  visit("num_steps", &Checkpoint::num_steps);
  visit("num_seeds", &Checkpoint::num_seeds);
  visit("seeds_fingerprint", &Checkpoint::seeds_fingerprint);
  visit("partition_fingerprint", &Checkpoint::partition_fingerprint);
  visit("options_fingerprint", &Checkpoint::options_fingerprint);
}

/// Calls `visit` for all members of a checkpoint.
template <class Checkpoint, class Visit>
void visit_checkpoint(Visit visit) {
  visit_conditions<Checkpoint>(visit);
  visit("epoch", &Checkpoint::epoch);
  visit("step", &Checkpoint::step);
}

} // namespace glt::detail

namespace glt::dist {

/// Position of a rank in the epochs of a loader, and fingerprints of everything its batches depend on. Another run
/// resumes from it with the same batches.
///
///     auto checkpoint = glt::dist::make_checkpoint(loader, seeds, graph.book(), neighbors);
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
/// use another `prefetch`, `bulk` and deployment.
///
/// Concurrent calls: none on one object; const members may run concurrently.
struct loader_checkpoint {
  std::int64_t batch_size = 0;
  bool shuffle = false;
  bool drop_last = false;
  std::uint64_t seed = 0;
  std::int64_t num_steps = 0; ///< of an epoch
  std::int64_t num_seeds = 0;
  std::int64_t seeds_fingerprint = 0;
  std::int64_t partition_fingerprint = 0; ///< of the book
  std::int64_t options_fingerprint = 0;   ///< of everything else that batches depend on
  std::int64_t epoch = 0;
  std::int64_t step = 0; ///< first step that is not done

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
    std::string differences;
    detail::visit_conditions<loader_checkpoint>([&](char const* name, auto member) {
      if (saved.*member != this->*member) {
        differences +=
            detail::message(differences.empty() ? "" : ", ", name, ' ', saved.*member, " instead of ", this->*member);
      }
    });
    if (!differences.empty()) {
      throw precondition_error("checkpoint of other batches than the loader's: " + differences +
                               "; resume with the options, seeds and data that it was made with");
    }
    if (saved.step < 0 || saved.step > num_steps) {
      throw precondition_error(
          detail::message("checkpoint at step ", saved.step, "; steps are in [0, ", num_steps, "]"));
    }
    *this = saved;
  }

  friend bool operator==(loader_checkpoint const&, loader_checkpoint const&) = default;
};

/// Returns the checkpoint of a loader, or remote loader, at the beginning of epoch 0.
///
/// @param  options  everything else that batches depend on, such as `neighbor_options`: numbers, lists, or structures
///                  with `members`
/// @comm   none
/// @cost   O(seeds)
template <class Loader, class... Options>
[[nodiscard]] loader_checkpoint make_checkpoint(Loader const& loader, typename Loader::seeds_type const& seeds,
                                                partition_book const& book, Options const&... options) {
  return {.batch_size = loader.options().batch_size,
          .shuffle = loader.options().shuffle,
          .drop_last = loader.options().drop_last,
          .seed = loader.options().seed,
          .num_steps = loader.num_steps(),
          .num_seeds = static_cast<std::int64_t>(seeds.size()),
          .seeds_fingerprint = detail::fingerprint_of(seeds),
          .partition_fingerprint = detail::book_fingerprint(book),
          .options_fingerprint = detail::fingerprint_of(options...)};
}

} // namespace glt::dist
