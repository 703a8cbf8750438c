// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/feature/edge_features.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace glt::dist {

/// Features of all edges, of which every rank owns those of the edges into the vertices of its part.
template <device_policy Policy, bytes_copyable T>
class edge_features {
public:
  using policy_type = Policy;
  using value_type = T;

  /// Takes over this rank's rows and agrees with the other ranks on what they are made of. The book is that of
  /// the vertices.
  ///
  /// @comm   collective; two header exchanges
  /// @throws collective_error  on every rank, if the book of a rank is for other ranks, or its columns,
  ///                           elements, scales or book differ from those of rank 0
  template <communicator Comm>
  edge_features(Comm& comm, partition_book book, glt::edge_features<Policy, T> local)
      : book_(std::move(book)), local_(std::move(local)) {
    call_site const site{.what = operation::make_features};
    auto const failure = book_.num_parts() == comm.size()
                             ? std::string()
                             : detail::message("edge features of ", book_.num_parts(), " parts on ", comm.size(),
                                               " ranks; start as many ranks as there are parts");
    agree(comm, site, failure, num_columns(), [](std::int64_t columns, std::int64_t first) {
      return detail::message("has ", columns, " columns of edges, but rank 0 has ", first,
                             "; store the same columns on all ranks");
    });
    auto const print =
        fingerprint().add(feature_fingerprint(local_.rows(), Policy{})).add(book_fingerprint(book_)).value();
    agree(comm, site, {}, print, [](auto, auto) {
      return "has edge features of another element type, other scales or another partition than rank 0; load parts of "
             "one data set on all ranks";
    });
  }

  /// Which rank owns which vertices, and so the edges into them.
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] glt::edge_features<Policy, T> const& local() const noexcept { return local_; }
  [[nodiscard]] std::int64_t num_columns() const { return local_.num_columns(); }

private:
  partition_book book_;
  glt::edge_features<Policy, T> local_;
};

} // namespace glt::dist
