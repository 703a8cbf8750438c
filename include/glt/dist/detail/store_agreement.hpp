// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/feature_table.hpp>

namespace glt::detail {

/// Returns the fault of features that cannot be divided by a book; empty if there is none.
template <communicator Comm>
[[nodiscard]] std::string fault_of_parts(Comm const& comm, std::string_view what, partition_book const& book) {
  return book.num_parts() == comm.size() ? std::string()
                                         : message(what, " of ", book.num_parts(), " parts on ", comm.size(),
                                                   " ranks; start as many ranks as there are parts");
}

/// Returns the fault of vertex features, of which this rank has `rows` rows; empty if there is none.
template <communicator Comm>
[[nodiscard]] std::string fault_of_rows(Comm const& comm, partition_book const& book, std::int64_t rows) {
  auto const fault = fault_of_parts(comm, "features", book);
  return !fault.empty() || rows == book.size(comm.rank())
             ? fault
             : message("has ", rows, " feature rows for ", book.size(comm.rank()),
                       " vertices of its part; give one row per vertex");
}

template <device_policy Policy>
[[nodiscard]] std::int64_t fingerprint_of_scales(Policy const& policy, array_view<Policy::space, float const> scales) {
  fingerprint print;
  for (auto const scale : to_vector(policy, scales)) {
    print.add(std::int64_t{bits_of(scale)});
  }
  return print.value();
}

/// Agrees with the other ranks on the partition and on the columns, elements and scales of the rows.
///
/// @where  synchronises
/// @comm   collective; two header exchanges
/// @throws collective_error  on every rank, if `fault` is not empty on one, or its rows or partition differ from rank 0
template <communicator Comm, device_policy Policy, class T>
void agree_on_matrix(Comm& comm, std::string const& fault, partition_book const& book,
                     feature_view<Policy::space, T> rows, Policy const& policy) {
  call_site const site{.what = operation::make_features};
  agree(host_comm(comm), site, fault, rows.num_columns(), [&](std::int64_t columns, std::int64_t first) {
    return message("has ", columns, " feature columns, but rank 0 has ", first,
                   "; store the same columns on all ranks");
  });
  fingerprint print;
  print.add(static_cast<std::int64_t>(sizeof(T))).add(fingerprint_of_scales(policy, rows.scales));
  if constexpr (element<T>) {
    print.add(static_cast<std::int64_t>(element_type_of<T>));
  }
  print.add(book_fingerprint(book));
  if (rows.storage != nullptr) {
    print.add(1);
  }
  agree(host_comm(comm), site, {}, print.value(),
        "has features of another element type, other scales or another partition than rank 0, or they alone are read "
        "from disk; load parts of one data set on all ranks, with the same options");
}

/// Agrees with the other ranks on the partition and on several tensors by name, as above.
///
/// @comm   collective; two header exchanges and two broadcasts
template <communicator Comm, device_policy Policy>
void agree_on_table(Comm& comm, std::string const& fault, partition_book const& book,
                    feature_table<Policy> const& table) {
  std::vector<std::string> lines{message("the partition ", book_fingerprint(book)),
                                 table.of_edges() ? "rows of edges" : "rows of vertices"};
  for (auto const& [name, rows] : table.tensors()) {
    lines.push_back(message("\"", name, "\" (", name_of(rows.type), ", ", rows.num_columns, " columns"));
    lines.back() +=
        rows.scales.empty() ? std::string() : message(", scales ", fingerprint_of_scales(table.policy(), rows.scales));
    lines.back() += rows.storage == nullptr ? ")" : ", from disk)";
  }
  agree_on_text(host_comm(comm), {.what = operation::make_features}, fault, lines, "has features ",
                "; load parts of one data set on all ranks");
}

} // namespace glt::detail
