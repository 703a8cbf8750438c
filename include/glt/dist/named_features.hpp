// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/element_type.hpp>
#include <glt/core/half.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/agree_on_text.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/feature/named_rows.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt::detail {

// What all ranks must have alike: a line for the partition and one for every tensor.
template <memory_space Space>
[[nodiscard]] std::vector<std::string> lines_of(partition_book const& book,
                                                std::vector<named_rows<Space>> const& tensors) {
  std::vector<std::string> lines{message("the partition ", dist::book_fingerprint(book))};
  for (auto const& [name, rows] : tensors) {
    lines.push_back(message("\"", name, "\" (", name_of(rows.type), ", ", rows.num_columns, " columns"));
    dist::fingerprint scales;
    for (auto const scale : rows.scales) {
      scales.add(std::int64_t{bits_of(scale)});
    }
    lines.back() += rows.scales.empty() ? ")" : message(", scales ", scales.value(), ")");
  }
  return lines;
}

// Agrees with the other ranks on the partition and on what the tensors are made of.
template <communicator Comm, memory_space Space>
void agree_on_tensors(Comm& comm, std::string const& failure, partition_book const& book,
                      std::vector<named_rows<Space>> const& tensors) {
  dist::agree_on_text(host_comm(comm), {.what = operation::make_features}, failure, lines_of(book, tensors),
                      "has features ", "; load parts of one data set on all ranks");
}

} // namespace glt::detail

namespace glt::dist {

/// Several feature tensors of all vertices, by name, of which every rank owns the rows of its part; labels may be one
/// of them.
///
///     table.add("title", std::move(halves)); // [rows of the part, 300] float16
///     table.add("label", std::move(classes)); // [rows of the part, 1] int64
///     glt::dist::named_features const features(comm, book, std::move(table));
///
/// @shape  local() has one row per vertex of this part
template <host_policy Policy>
class named_features {
public:
  using policy_type = Policy;

  /// Takes over this rank's rows and agrees with the other ranks on what they are made of.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if a rank has not one row per vertex of its part, or its book, or the
  ///                           names, order, elements, columns or scales of its tensors are not those of rank 0
  template <communicator Comm>
  named_features(Comm& comm, partition_book book, feature_table<Policy> local)
      : book_(std::move(book)), local_(std::move(local)) {
    detail::agree_on_tensors(comm, fault(comm), book_, local_.tensors());
  }

  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] feature_table<Policy> const& local() const noexcept { return local_; }

private:
  // What is wrong with this rank's rows; empty if nothing is.
  template <communicator Comm>
  [[nodiscard]] std::string fault(Comm const& comm) const {
    if (book_.num_parts() != comm.size()) {
      return detail::message("features of ", book_.num_parts(), " parts on ", comm.size(),
                             " ranks; start as many ranks as there are parts");
    }
    if (local_.num_vertices() != book_.size(comm.rank())) {
      return detail::message("has ", local_.num_vertices(), " feature rows for ", book_.size(comm.rank()),
                             " vertices of its part; give one row per vertex");
    }
    return {};
  }

  partition_book book_;
  feature_table<Policy> local_;
};

} // namespace glt::dist
