// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/measures.hpp>
#include <glt/dist/device_comm.hpp>
#include <glt/dist/loading/detail/batch_producer.hpp>
#include <glt/dist/loading/detail/batch_range.hpp>
#include <glt/dist/loading/detail/concurrent_loading.hpp>
#include <glt/dist/loading/loader_options.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>

#include <deque>

namespace glt::detail {

/// Source of batches that the consumer's thread makes on request. Memory of batches is reused.
template <class Producer>
class direct_loading final : public batch_source<typename Producer::batch_type> {
public:
  using batch_type = typename Producer::batch_type;

  /// Borrows the producer.
  explicit direct_loading(Producer& producer)
      : producer_(&producer), made_(static_cast<std::size_t>(producer.options().bulk)) {}

  void start(std::int64_t epoch, std::int64_t first_step) override {
    producer_->begin(epoch);
    next_step_ = first_step;
    current_ = num_made_ = 0;
    make();
  }
  void advance() override {
    if (++current_ == num_made_) {
      make();
    }
  }
  void leave() noexcept override {} // ranks notice when this one makes another call
  [[nodiscard]] batch_type const* current() const noexcept override {
    return current_ < num_made_ ? &made_[static_cast<std::size_t>(current_)] : nullptr;
  }
  [[nodiscard]] dist::loader_report report() const override { return producer_->report(); }

private:
  void make() {
    current_ = num_made_ = 0;
    auto const batches = std::min(producer_->options().bulk, producer_->num_steps() - next_step_);
    producer_->produce(next_step_, std::span(made_).first(static_cast<std::size_t>(batches)));
    next_step_ += batches;
    num_made_ = batches;
  }

  Producer* producer_;
  std::vector<batch_type> made_; // [bulk]
  std::int64_t num_made_ = 0;
  std::int64_t current_ = 0;
  std::int64_t next_step_ = 0;
};

} // namespace glt::detail

namespace glt::dist {

/// Batches of this rank's seeds: a range per epoch. A recipe defines the batches: `neighbor_batches`, `typed_batches`,
/// `link_batches`, `induced_batches`, `walk_batches`.
///
///     for (auto const& batch : loader.epoch(3)) { … }
///
/// All ranks take the same number of steps, agreed once. A rank that runs out of seeds joins with empty batches, and no
/// seed is repeated. A batch is a pure function of (recipe, options, epoch, step). So an epoch can be repeated or
/// resumed, also with other `prefetch` and `bulk`.
///
/// With `prefetch`, a thread of the loader prepares that many batches in advance, on a duplicate of the communicator.
/// Meanwhile the program may run other collectives. With MPI it needs `mpi_threads::multiple`, or `serialized`, where
/// the threads take turns (see `mpi_comm::allows_threads`). The thread also needs a core. A launcher that binds each
/// rank to one core leaves none: use `mpiexec --bind-to none`. Ranks may leave an epoch early (`break`), all or some of
/// them: the other ranks get the batches that are ready, and then a `collective_error`. Destroying a loader ends it for
/// all ranks. Batches on a GPU are then made on a stream of the loader, beside work enqueued on the policy.
///
/// With `concurrency`, several threads make those batches in turns, for a consumer that is faster than one thread. Each
/// thread needs a core and a duplicate of the communicator, and has a sampler, collectors and a list of the seeds. The
/// order of the batches stays.
///
/// Concurrent calls: none on one object, nor on objects that use the same communicator. With `prefetch`, also none that
/// change an object borrowed by the recipe.
///
/// @where  batches are in memory of `Policy`, seeds in ordinary memory. Unless `Policy` is a host policy, graph and
///         features may be in other spaces that its executor reaches, and the contents of a batch may still be enqueued
///         on it
/// @comm   collective, every step, as the samplers and collectors
template <communicator Comm, class Recipe, device_policy Policy = typename Recipe::policy_type>
class loader {
  using producer_type = detail::batch_producer<Comm, Recipe, Policy>;

public:
  static constexpr memory_space space = Policy::space;
  using batch_type = typename Recipe::template batch_on<Policy>;
  using seeds_type = typename Recipe::seeds_type;
  using range_type = detail::batch_range<loader>; ///< batches of an epoch, for a loop

  /// Keeps this rank's seeds, and borrows the objects that the recipe borrows.
  ///
  /// @comm   collective; two header exchanges, the communication of the samplers and collectors, and with `prefetch` a
  ///         duplicate; all except the first header exchange for each of the threads
  /// @throws collective_error  on every rank, if options, recipe or seeds of a rank are invalid, if ranks differ in
  ///                           `prefetch`, `concurrency`, `bulk` or `steps_before`, or if the communicator does not
  ///                           let threads prepare batches
  loader(Comm comm, Recipe const& recipe, seeds_type seeds, loader_options options = {}, Policy policy = {});
  loader(loader&&) noexcept;
  loader& operator=(loader&&) noexcept;
  ~loader();

  template <class Seeds, class Options = loader_options, class... Others,
            class Reason = typename decltype(detail::reason_of_recipe_seeds<Seeds, seeds_type>())::type>
    requires(!std::convertible_to<Seeds const&, seeds_type>)
  loader(Comm, Recipe const&, Seeds const&, Options const& = {}, Others const&...) = delete;

  /// Returns the number of steps of an epoch, the same on all ranks.
  [[nodiscard]] std::int64_t num_steps() const noexcept;
  /// Returns the rank in the communicator of the loader.
  [[nodiscard]] int rank() const noexcept;
  /// Returns the number of ranks of that communicator.
  [[nodiscard]] int num_ranks() const noexcept;
  [[nodiscard]] loader_options const& options() const noexcept;
  /// Returns an account of the work so far: seconds by phase, batches, rows by source, and messages over a
  /// `counting_comm`. `gather_over_ranks` brings the reports of all ranks together.
  [[nodiscard]] loader_report report() const;

  /// Reads rows of other ranks in place from now on, where there are views of them; see `neighbor_sampler` and
  /// `feature_collector`. Batches are the same. Call it between epochs. Give the views alone, or, for
  /// named tensors of one type of vertices or edges, the type and the views.
  ///
  /// @comm   none
  /// @throws precondition_error  if the views are not of the graph's parts, or not of the features' parts
  template <class... Views>
  void read_in_place(Views const&... views)
    requires detail::reads_in_place<typename producer_type::maker_type, Views...>
  {
    for (auto& producer : state_->producers) {
      producer.maker().read_in_place(views...);
    }
  }

  /// Borrows hot rows from now on, which must outlive the loader, or a `tiered_store` of this rank's rows; see
  /// `feature_collector`. Batches are the same; the report has the hit ratio of hot rows. Call it between epochs. Give
  /// the rows alone, or, for named tensors of one type of vertices, the type and the rows.
  ///
  /// @comm   none; ranks may have different hot rows, or none
  /// @throws precondition_error  if the hot rows have other columns than the features
  template <class... Rows>
  void use(Rows const&... hot)
    requires detail::uses_rows<typename producer_type::maker_type, Rows...>
  {
    for (auto& producer : state_->producers) {
      producer.maker().use(hot...);
    }
  }

  /// Returns the batches of an epoch from a step on; a batch is valid until the next one is requested.
  ///
  /// @throws precondition_error  if first_step is not in [options().steps_before, num_steps()]
  [[nodiscard]] range_type epoch(std::int64_t number, std::int64_t first_step = 0) {
    detail::check_first_step(first_step, options(), num_steps());
    return {*this, number, first_step};
  }

private:
  friend class detail::batch_range<loader>;
  using host_comm_type = std::remove_reference_t<decltype(detail::host_comm(std::declval<Comm&>()))>;

  struct state; // does not move, since threads may refer to it

  static std::vector<Comm> own_comms(Comm& comm, loader_options const& options);
  void start(std::int64_t epoch, std::int64_t first_step);
  void advance();
  void leave() noexcept;
  [[nodiscard]] batch_type const* current() const noexcept;

  std::unique_ptr<state> state_;
};

// Outside of the class, so that `extern template` (glt/instances/) spares programs the code behind it.
/// @cond

template <communicator Comm, class Recipe, device_policy Policy>
struct loader<Comm, Recipe, Policy>::state {
  state(std::vector<Comm> comms, Recipe const& recipe, seeds_type seeds, loader_options options, Policy policy) {
    std::vector<host_comm_type> host_comms;
    for (std::size_t i = 0; i < comms.size(); ++i) {
      producers.emplace_back(comms[i], recipe, i + 1 < comms.size() ? seeds : std::move(seeds), options, policy);
      host_comms.push_back(detail::host_comm(comms[i]));
    }
    if constexpr (detail::alarming<host_comm_type>) {
      if (options.prefetch > 0) {
        using threads = detail::concurrent_loading<host_comm_type, producer_type>;
        source = std::make_unique<threads>(host_comms, producers);
        return;
      }
    }
    source = std::make_unique<detail::direct_loading<producer_type>>(producers.front());
  }
  ~state() {
    for (auto& producer : producers) {
      producer.order_frees();
    }
  }

  template <class Work>
  void wait(Work work) {
    detail::stopwatch watch;
    work(*source);
    watch.lap(waiting);
  }

  std::deque<producer_type> producers; // of each thread
  std::unique_ptr<detail::batch_source<batch_type>> source;
  double waiting = 0;
};

template <communicator Comm, class Recipe, device_policy Policy>
loader<Comm, Recipe, Policy>::loader(Comm comm, Recipe const& recipe, seeds_type seeds, loader_options options,
                                     Policy policy)
    : state_(std::make_unique<state>(own_comms(comm, options), recipe, std::move(seeds), options, std::move(policy))) {}

template <communicator Comm, class Recipe, device_policy Policy>
loader<Comm, Recipe, Policy>::loader(loader&&) noexcept = default;

template <communicator Comm, class Recipe, device_policy Policy>
loader<Comm, Recipe, Policy>& loader<Comm, Recipe, Policy>::operator=(loader&&) noexcept = default;

template <communicator Comm, class Recipe, device_policy Policy>
loader<Comm, Recipe, Policy>::~loader() = default;

template <communicator Comm, class Recipe, device_policy Policy>
std::int64_t loader<Comm, Recipe, Policy>::num_steps() const noexcept {
  return state_->producers.front().num_steps();
}

template <communicator Comm, class Recipe, device_policy Policy>
int loader<Comm, Recipe, Policy>::rank() const noexcept {
  return state_->producers.front().rank();
}

template <communicator Comm, class Recipe, device_policy Policy>
int loader<Comm, Recipe, Policy>::num_ranks() const noexcept {
  return state_->producers.front().num_ranks();
}

template <communicator Comm, class Recipe, device_policy Policy>
loader_options const& loader<Comm, Recipe, Policy>::options() const noexcept {
  return state_->producers.front().options();
}

template <communicator Comm, class Recipe, device_policy Policy>
loader_report loader<Comm, Recipe, Policy>::report() const {
  auto report = state_->source->report();
  report.seconds.waiting = state_->waiting;
  report.peak_memory = detail::peak_memory();
  return report;
}

// Returns a duplicate for each thread, if there are threads.
template <communicator Comm, class Recipe, device_policy Policy>
std::vector<Comm> loader<Comm, Recipe, Policy>::own_comms(Comm& comm, loader_options const& options) {
  auto const check = [&] {
    if (options.concurrency != 1 && (options.concurrency < 1 || options.concurrency > options.prefetch)) {
      throw precondition_error(detail::message("concurrency ", options.concurrency, " with prefetch ", options.prefetch,
                                               "; give 1, or up to as many threads as batches in advance"));
    }
    if (options.concurrency > 1 && detail::keeps_stream_order<Comm>()) {
      throw precondition_error(
          "this communicator sends in the order of a GPU's stream, where several threads would wait "
          "for each other; set concurrency to 1");
    }
    if (options.prefetch > 0 && !detail::alarming<host_comm_type>) {
      throw precondition_error("batches cannot be prepared in advance on this communicator; set prefetch to 0");
    }
    if constexpr (requires { comm.allows_threads(); }) {
      if (options.prefetch > 0 && !comm.allows_threads()) {
        throw precondition_error(
            "prefetch needs threads that call MPI; start MPI by mpi_environment(mpi_threads::multiple) "
            "or (mpi_threads::serialized), or set prefetch to 0");
      }
    }
  };
  detail::agree(detail::host_comm(comm), {.what = detail::operation::plan_epoch}, detail::failure_of(check),
                detail::fingerprint_of(options.prefetch, options.concurrency, options.bulk, options.steps_before),
                "prepares batches in another way than rank 0; pass the same prefetch, concurrency, bulk and "
                "steps_before on all ranks");
  std::vector<Comm> made;
  for (std::int64_t thread = 0; thread < options.concurrency; ++thread) {
    made.push_back(options.prefetch > 0 ? comm.duplicate() : comm);
  }
  return made;
}

template <communicator Comm, class Recipe, device_policy Policy>
void loader<Comm, Recipe, Policy>::start(std::int64_t epoch, std::int64_t first_step) {
  state_->wait([&](auto& source) { source.start(epoch, first_step); });
}

template <communicator Comm, class Recipe, device_policy Policy>
void loader<Comm, Recipe, Policy>::advance() {
  state_->wait([](auto& source) { source.advance(); });
}

template <communicator Comm, class Recipe, device_policy Policy>
void loader<Comm, Recipe, Policy>::leave() noexcept {
  state_->source->leave();
}

template <communicator Comm, class Recipe, device_policy Policy>
typename loader<Comm, Recipe, Policy>::batch_type const* loader<Comm, Recipe, Policy>::current() const noexcept {
  return state_->source->current();
}

/// Loader of an object that is not a recipe.
template <communicator Comm, class Recipe, device_policy Policy>
  requires(!detail::recipe<Recipe>)
class loader<Comm, Recipe, Policy> {
public:
  template <class... Arguments,
            class Reason = detail::a_loader_takes_a_recipe_as_second_argument_such_as_neighbor_batches>
  loader(Comm, Recipe const&, Arguments const&...) = delete;
};

template <communicator Comm, class Recipe, class Seeds, class Options = loader_options, class... Others>
  requires(!detail::recipe<Recipe>)
loader(Comm, Recipe const&, Seeds const&, Options const& = {}, Others const&...) -> loader<Comm, Recipe, device::cpu>;
template <communicator Comm, detail::recipe Recipe, class Seeds, class Options = loader_options, class... Others>
  requires(!std::convertible_to<Seeds const&, typename Recipe::seeds_type>)
loader(Comm, Recipe const&, Seeds const&, Options const& = {}, Others const&...) -> loader<Comm, Recipe>;
/// @endcond

} // namespace glt::dist
