// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/feature/edge_feature_table.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>

#include <string>
#include <utility>

namespace glt::dist {

/// Several feature tensors of all edges, by name, of which every rank owns the rows of the edges into the vertices of
/// its part.
template <host_policy Policy>
class named_edge_features {
public:
  using policy_type = Policy;

  /// Takes over this rank's rows and agrees with the other ranks on what they are made of. The book is that of
  /// the vertices.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if the book of a rank is for other ranks, or its book, or the names,
  ///                           order, elements, columns or scales of its tensors are not those of rank 0
  template <communicator Comm>
  named_edge_features(Comm& comm, partition_book book, edge_feature_table<Policy> local)
      : book_(std::move(book)), local_(std::move(local)) {
    auto const failure = book_.num_parts() == comm.size()
                             ? std::string()
                             : detail::message("edge features of ", book_.num_parts(), " parts on ", comm.size(),
                                               " ranks; start as many ranks as there are parts");
    detail::agree_on_tensors(comm, failure, book_, local_.rows().tensors());
  }

  /// Which rank owns which vertices, and so the edges into them.
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] edge_feature_table<Policy> const& local() const noexcept { return local_; }

private:
  partition_book book_;
  edge_feature_table<Policy> local_;
};

} // namespace glt::dist
