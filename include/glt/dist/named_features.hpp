// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/detail/store_agreement.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

#include <utility>

namespace glt::dist {

/// Named feature tensors of all vertices; every rank owns the rows of its part. Labels may be one of the tensors.
///
///     table.add("title", std::move(halves)); // [rows of the part, 300] float16
///     table.add("label", std::move(classes)); // [rows of the part, 1] int64
///     glt::dist::named_features const features(comm, book, std::move(table));
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  local() has one row per vertex of this part
template <device_policy Policy>
class named_features {
public:
  using policy_type = Policy;

  /// Takes over this rank's rows and agrees with the other ranks on names, elements, columns and scales of the tensors.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if a rank does not have one row per vertex of its part, or if its book,
  ///                           or the names, order, elements, columns or scales of its tensors differ from rank 0
  template <communicator Comm>
  named_features(Comm& comm, partition_book book, feature_table<Policy> local)
      : book_(std::move(book)), local_(std::move(local)) {
    detail::agree_on_table(comm, detail::fault_of_rows(comm, book_, local_.num_vertices()), book_, local_.tensors(),
                           local_.policy());
  }

  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] feature_table<Policy> const& local() const noexcept { return local_; }

private:
  partition_book book_;
  feature_table<Policy> local_;
};

} // namespace glt::dist
