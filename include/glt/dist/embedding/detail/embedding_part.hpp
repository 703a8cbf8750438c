// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/embedding/detail/row_updates.hpp>
#include <glt/dist/embedding/embedding_options.hpp>
#include <glt/dist/loading/checkpoint.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

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

/// Returns a fingerprint of everything that must be the same when rows and moments are restored.
///
/// @shape  original: ids of the part's vertices, which differ between partitions into parts of the same sizes
template <memory_space Space>
[[nodiscard]] std::int64_t embedding_fingerprint(partition_book const& book, int rank,
                                                 array_view<Space, global_id const> original,
                                                 dist::embedding_options const& options, std::size_t element_bytes) {
  return fingerprint_of(book_fingerprint(book), rank, original, options.columns, options.optimizer.index(),
                        element_bytes);
}

/// State of a rank's embedding in a checkpoint.
template <memory_space Space, class T>
struct embedding_state {
  embedding_arrays<Space, T> arrays;
  std::int64_t num_updates;
  double learning_rate;
  std::int64_t fingerprint; ///< of partition, rank, columns, optimiser and element size
  std::int64_t history;     ///< of all updates: tells trainings apart; the same on all ranks
};

/// Rows of a part and their moments.
template <host_policy Policy, class T>
struct embedding_part {
  buffer<Policy, T> rows;
  buffer<Policy, T> first;
  buffer<Policy, T> second;
};

/// Functor that draws a row.
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
