// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/element_type.hpp>
#include <glt/core/error.hpp>
#include <glt/core/half.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace glt::dist {

/// The fingerprint of what rows are made of: their elements and scales.
///
/// @where  synchronises
template <class T, device_policy Policy>
[[nodiscard]] std::int64_t feature_fingerprint(feature_view<Policy::space, T> rows, Policy const& policy) {
  fingerprint print;
  print.add(static_cast<std::int64_t>(sizeof(T)));
  if constexpr (detail::element<T>) {
    print.add(static_cast<std::int64_t>(element_type_of<T>));
  }
  for (auto const scale : to_vector(policy, rows.scales)) {
    print.add(std::int64_t{detail::bits_of(scale)});
  }
  return print.value();
}

/// Features and labels of all vertices, of which every rank owns those of its part.
///
/// @shape  local() has one row per vertex of this part
template <device_policy Policy, bytes_copyable T>
class feature_store {
public:
  using policy_type = Policy;
  using value_type = T;

  /// Takes over this rank's rows and agrees with the other ranks on their shape.
  ///
  /// @comm   collective; two header exchanges and a reduction
  /// @throws collective_error  on every rank, if a rank has not one row per vertex of its part, or its
  ///                           columns, elements, scales, labels or book differ from those of rank 0
  template <communicator Comm>
  feature_store(Comm& comm, partition_book book, glt::feature_store<Policy, T> local)
      : book_(std::move(book)), local_(std::move(local)) {
    call_site const site{.what = operation::make_features};
    agree(detail::host_comm(comm), site, fault(comm), num_columns(), [](std::int64_t columns, std::int64_t first) {
      return detail::message("has ", columns, " feature columns, but rank 0 has ", first,
                             "; store the same columns on all ranks");
    });
    auto const rows = feature_fingerprint(local_.view(), local_.policy());
    auto const print = fingerprint().add(rows).add(book_fingerprint(book_)).value();
    agree(detail::host_comm(comm), site, {}, print, [](auto, auto) {
      return "has features of another element type, other scales or another partition than rank 0; load parts of one "
             "data set on all ranks";
    });
    agree_on_labels(comm);
  }

  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] feature_view<Policy::space, T> local() const { return local_.view(); }
  [[nodiscard]] std::int64_t num_columns() const { return local().num_columns(); }
  /// True if vertices have labels.
  [[nodiscard]] bool has_labels() const noexcept { return has_labels_; }

private:
  // What is wrong with this rank's rows; empty if nothing is.
  template <communicator Comm>
  [[nodiscard]] std::string fault(Comm const& comm) const {
    if (book_.num_parts() != comm.size()) {
      return detail::message("features of ", book_.num_parts(), " parts on ", comm.size(),
                             " ranks; start as many ranks as there are parts");
    }
    if (local().num_vertices() != book_.size(comm.rank())) {
      return detail::message("has ", local().num_vertices(), " feature rows for ", book_.size(comm.rank()),
                             " vertices of its part; give one row per vertex");
    }
    return {};
  }

  // A rank without vertices cannot tell whether there are labels; it goes by the others.
  template <communicator Comm>
  void agree_on_labels(Comm& comm) {
    bool const labelled = !local().labels.empty();
    bool const unlabelled = !labelled && local().num_vertices() > 0;
    std::array<std::int64_t, 2> first{labelled ? comm.rank() : comm.size(), unlabelled ? comm.rank() : comm.size()};
    detail::host_comm(comm).all_reduce(std::span<std::int64_t>(first), reduction::min);
    if (first[0] < comm.size() && first[1] < comm.size()) {
      bool const odd_one_lacks = first[0] < first[1];
      throw collective_error(static_cast<int>(std::max(first[0], first[1])),
                             detail::message("has ", odd_one_lacks ? "no labels" : "labels", ", unlike rank ",
                                             std::min(first[0], first[1]), "; give labels on all ranks or on none"));
    }
    has_labels_ = first[0] < comm.size();
  }

  partition_book book_;
  glt::feature_store<Policy, T> local_;
  bool has_labels_ = false;
};

} // namespace glt::dist
