// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/embedding/detail/gradients.hpp>
#include <glt/dist/embedding/embedding_options.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/loading/checkpoint.hpp>
#include <glt/feature/feature_store.hpp>

#include <variant>

namespace glt::detail {

/// Returns a fingerprint of the options that all ranks must share.
[[nodiscard]] inline std::int64_t embedding_options_fingerprint(dist::embedding_options const& options) {
  return std::visit(
      [&](auto const& how) {
        return fingerprint_of(options.columns, options.optimizer.index(), options.initial, options.seed, how);
      },
      options.optimizer);
}

/// Place and form of a rank's rows, which must be the same when they are restored.
struct embedding_layout {
  std::int64_t form = 0;         ///< fingerprint of columns, optimiser and element size
  std::int64_t part = 0;         ///< fingerprint of partition, rank and original ids
  std::int64_t partitioning = 0; ///< as `partition_book::partitioning`
  std::int64_t num_vertices = 0; ///< of all ranks
  global_id first_vertex = 0;    ///< of this rank
  std::int64_t num_rows = 0;

  friend bool operator==(embedding_layout const&, embedding_layout const&) = default;
};

/// Returns the layout of an embedding.
///
/// @shape  original: ids of the part's vertices, which differ between partitions into parts of the same sizes
template <memory_space Space>
[[nodiscard]] embedding_layout layout_of(partition_book const& book, int rank,
                                         array_view<Space, global_id const> original,
                                         dist::embedding_options const& options, std::size_t element_bytes) {
  return {.form = fingerprint_of(options.columns, options.optimizer.index(), element_bytes),
          .part = fingerprint_of(book_fingerprint(book), rank, original),
          .partitioning = book.partitioning(),
          .num_vertices = book.num_vertices(),
          .first_vertex = book.begin(rank),
          .num_rows = book.size(rank)};
}

/// State of a rank's embedding in a checkpoint.
template <memory_space Space, class T>
struct embedding_state {
  embedding_arrays<Space, T> arrays;
  std::int64_t num_updates;
  double learning_rate;
  embedding_layout layout;
  std::int64_t history; ///< of all updates: tells trainings apart; the same on all ranks
};

/// Rows of a part and their moments.
template <host_policy Policy, class T>
struct embedding_part {
  buffer<Policy, T> rows;
  buffer<Policy, T> first;
  buffer<Policy, T> second;
};

template <memory_space Space, class T>
struct draw_row {
  array_view<Space, global_id const> original;
  random_key key;
  double initial;
  std::int64_t columns;
  T* rows;

  void operator()(std::int64_t row) const {
    random_stream draws(key, static_cast<std::uint64_t>(original[row]));
    for (std::int64_t f = 0; f < columns; ++f) {
      rows[row * columns + f] = static_cast<T>(initial * (2 * draws.next_unit() - 1));
    }
  }
};

/// Makes the initial rows of a rank's part, and moments of 0.
///
/// @throws precondition_error  if options are invalid, the book has another number of parts than there are ranks, or
///                             there is not one original id for every vertex of the part
template <class T, host_policy Policy>
[[nodiscard]] embedding_part<Policy, T>
make_embedding_part(partition_book const& book, int rank, int size, array_view<Policy::space, global_id const> original,
                    dist::embedding_options const& options, Policy const& policy) {
  validate(options);
  if (book.num_parts() != size) {
    throw precondition_error(message("embedding of ", book.num_parts(), " parts on ", size,
                                     " ranks; start as many ranks as there are parts"));
  }
  if (original.size() != book.size(rank)) {
    throw precondition_error(message("embedding with ", original.size(), " original ids for ", book.size(rank),
                                     " vertices of its part; pass one per vertex, such as graph.original()"));
  }
  auto const size_of = [&](bool is_there) { return is_there ? original.size() * options.columns : 0; };
  embedding_part<Policy, T> made{buffer<Policy, T>(size_of(true), policy),
                                 buffer<Policy, T>(size_of(has_first_moments(options.optimizer)), policy),
                                 buffer<Policy, T>(size_of(has_second_moments(options.optimizer)), policy)};
  policy.executor().for_each(original.size(),
                             draw_row<Policy::space, T>{original, random_key(options.seed), options.initial,
                                                        options.columns, made.rows.data()});
  for (auto* const moments : {&made.first, &made.second}) {
    for (auto& moment : *moments) {
      moment = 0;
    }
  }
  return made;
}

} // namespace glt::detail

namespace glt::dist {

/// Table with a trained row for every vertex. Each rank owns the rows of its part and their optimiser moments. It
/// fetches the rows of a batch, and sends their gradients to the owners.
///
///     using adam = glt::dist::embedding_options::adam;
///     glt::dist::sparse_embedding table(comm, graph.book(), graph.original(),
///                                       {.columns = 64, .optimizer = adam{.learning_rate = 0.01}});
///     table.collect(batch.subgraph.nodes(), rows); // or a loader that collects table.store()
///     … the gradients of the rows …
///     table.update(batch.subgraph.nodes(), gradients, batch.num_seeds);
///
/// Rows depend neither on the number of ranks nor on the partition, up to the rounding of sums. A step equals a step of
/// PyTorch's `Embedding` with sparse gradients and its SGD, Adagrad or SparseAdam on one process. Gradients of equal
/// vertices are added. Rows without a gradient, with their moments, stay as they are.
///
/// A loader that collects `store()` reads rows when it makes a batch. Use it without `prefetch` and `bulk`, so that
/// every step sees the updates before it. Hot rows and rows that are read in place do not follow updates.
///
/// Concurrent calls: none on one object, on collectors of its rows, or on the same communicator.
///
/// @where  memory of `Policy`: (1 + moments) · columns elements for every vertex of the part
template <communicator Comm, host_policy Policy = device::cpu, std::floating_point T = float>
class sparse_embedding {
  static constexpr memory_space space = Policy::space;

public:
  using policy_type = Policy;
  using value_type = T;
  using state_type = glt::detail::embedding_state<space, T const>; ///< rows and moments

  /// Makes the rows of this rank's part; they are the same under any partition.
  ///
  /// @shape  original [book.size(rank)], as `graph::original()`
  /// @comm   collective; three header exchanges and a reduction
  /// @throws collective_error  on every rank, if options are invalid or differ, there is not one original id for every
  ///                           vertex of a part, or the book of a rank differs from rank 0's book or has another number
  ///                           of parts than there are ranks
  /// @cost   O(V / R · columns)
  sparse_embedding(Comm comm, partition_book book, array_view<space, global_id const> original,
                   embedding_options const& options, Policy policy = {})
      : options_(options), gradients_(comm, policy) {
    glt::detail::embedding_part<Policy, T> part;
    glt::detail::agree(gradients_.host(), {.what = glt::detail::operation::make_features}, glt::detail::failure_of([&] {
                         part = glt::detail::make_embedding_part<T>(book, comm.rank(), comm.size(), original, options,
                                                                    policy);
                       }),
                       glt::detail::embedding_options_fingerprint(options),
                       "has other options of an embedding than rank 0; pass the same on all ranks");
    first_ = std::move(part.first);
    second_ = std::move(part.second);
    arrays_ = {part.rows.view(), first_.view(), second_.view()};
    layout_ = glt::detail::layout_of(book, comm.rank(), original, options, sizeof(T));
    history_ = glt::detail::embedding_options_fingerprint(options);
    auto const rows = book.size(comm.rank());
    store_ = std::make_unique<feature_store<Policy, T>>(
        comm, std::move(book), glt::feature_store<Policy, T>(rows, options.columns, std::move(part.rows)));
    collector_ = std::make_unique<feature_collector<Comm, Policy, T>>(std::move(comm), *store_, policy);
  }

  [[nodiscard]] partition_book const& book() const noexcept { return store_->book(); }
  [[nodiscard]] std::int64_t num_columns() const noexcept { return options_.columns; }
  [[nodiscard]] double learning_rate() const noexcept {
    return std::visit([](auto const& how) { return how.learning_rate; }, options_.optimizer);
  }
  /// Returns the number of updates so far.
  [[nodiscard]] std::int64_t num_updates() const noexcept { return num_updates_; }
  /// Returns the rows, which loaders can collect as features.
  [[nodiscard]] feature_store<Policy, T> const& store() const noexcept { return *store_; }

  /// Fetches the rows of vertices.
  ///
  /// @shape  vertices [N] global ids → out.features [N · columns]
  /// @comm   collective; as `feature_collector::collect`
  /// @throws collective_error  as `feature_collector::collect`
  template <vertex_id Vertex>
  void collect(array_view<space, Vertex const> vertices, collected_rows<Policy, T>& out) {
    collector_->collect(vertices, 0, num_updates_, out);
  }

  /// Updates the rows of vertices by Σ_r gradient_r · num_seeds_r / Σ_r num_seeds_r, as `gather_grads` does with
  /// parameters: losses are means over a rank's seeds. Gradients of a rank without seeds do not count. If no rank has
  /// seeds, nothing changes, and the call does not count as an update.
  ///
  /// Gradients of equal vertices are added before they are sent; owners add them in the order of ranks.
  ///
  /// @param  fault  why this rank has no gradients, thrown on all ranks; empty if it has them
  /// @shape  vertices [N] global ids, equal ones allowed · gradients [N, columns]
  /// @comm   collective; one header exchange and, if a rank has gradients for another, two payload exchanges: 4 bytes
  ///         and columns · sizeof(T) for every remote vertex, nothing back
  /// @throws collective_error  on every rank, before a gradient is sent: if gradients of a rank have another shape, a
  ///                           sum is not finite, a vertex is not in [0, V), num_seeds is negative, or a rank has made
  ///                           another number of updates
  /// @cost   O(N log N + N · columns)
  template <vertex_id Vertex>
  void update(array_view<space, Vertex const> vertices, matrix_view<space, T const> gradients, std::int64_t num_seeds,
              std::string const& fault = {}) {
    if (gradients_.agree(site(0), book(), vertices, gradients, num_columns(), num_seeds, fault) == 0) {
      return;
    }
    glt::detail::committed(gradients_.host(), [&] {
      gradients_.exchange(num_columns());
      std::visit(
          [&](auto const& how) {
            gradients_.apply(num_columns(), arrays_, glt::detail::step_of(how, num_updates_ + 1));
          },
          options_.optimizer);
    });
    ++num_updates_;
    history_ = gradients_.add_to(history_);
  }

  /// Changes the learning rate of later updates.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the rate is negative, not finite, or not the same on all
  void set_learning_rate(double rate) {
    glt::detail::agree(gradients_.host(), site(1),
                       glt::detail::failure_of([&] { glt::detail::check_learning_rate(rate); }),
                       std::bit_cast<std::int64_t>(rate), [](std::int64_t own, std::int64_t first) {
                         return glt::detail::message("sets a learning rate of ", std::bit_cast<double>(own),
                                                     " while rank 0 sets one of ", std::bit_cast<double>(first),
                                                     "; set the same on all ranks");
                       });
    std::visit([&](auto& how) { how.learning_rate = rate; }, options_.optimizer);
    history_ = glt::detail::fingerprint_of(history_, rate);
  }

  /// Returns rows and moments of this rank, for files.
  [[nodiscard]] state_type state() const {
    return {{arrays_.rows, arrays_.first, arrays_.second}, num_updates_, learning_rate(), layout_, history_};
  }
  /// Lets `read(state)` write rows, moments, number of updates and learning rate of this rank.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if `read` throws on one, or ranks have read other numbers of updates, or of
  ///                           updates with other seeds or vertices; the rows are of no use then, until they are read
  ///                           again
  template <class Read>
  void restore(Read read) {
    glt::detail::embedding_state<space, T> state{arrays_, num_updates_, learning_rate(), layout_, history_};
    auto const failure = glt::detail::failure_of([&] { read(state); });
    std::vector<glt::detail::call_header> headers;
    std::vector<std::int64_t> const updates(static_cast<std::size_t>(gradients_.host().size()), state.num_updates);
    glt::detail::exchange_headers(gradients_.host(), site(2), updates, state.history, failure, headers);
    glt::detail::check_same(gradients_.host(), headers, &glt::detail::call_header::count,
                            [](std::int64_t own, std::int64_t first) {
                              return glt::detail::message("has read rows of ", own, " updates and rank 0 of ", first,
                                                          "; restore what was saved at one step");
                            });
    glt::detail::check_same(gradients_.host(), headers, &glt::detail::call_header::value,
                            "has read rows of another training than rank 0; restore what was saved together");
    num_updates_ = state.num_updates;
    history_ = state.history;
    std::visit([&](auto& how) { how.learning_rate = state.learning_rate; }, options_.optimizer);
  }

private:
  [[nodiscard]] glt::detail::call_site site(int call) const noexcept {
    return {.what = glt::detail::operation::update_embedding, .step = num_updates_, .hop = call};
  }

  embedding_options options_;
  glt::detail::embedding_layout layout_;
  std::int64_t history_ = 0;
  std::int64_t num_updates_ = 0;
  buffer<Policy, T> first_;
  buffer<Policy, T> second_;
  glt::detail::embedding_arrays<space, T> arrays_;  // rows of the store, and moments
  std::unique_ptr<feature_store<Policy, T>> store_; // does not move, since collectors refer to it
  std::unique_ptr<feature_collector<Comm, Policy, T>> collector_;
  glt::detail::gradient_exchange<Comm, Policy, T> gradients_;
};

} // namespace glt::dist
