// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/transfer_any_rows.hpp>
#include <glt/memory/memory.hpp>

#include <functional>

namespace glt::detail {

/// Function that copies stored rows of a tensor, in the order of a list.
using row_reader = std::function<std::vector<std::byte>(std::vector<local_id> const&)>;

/// Makes a reader of rows; borrows the rows.
///
/// @where  rows in memory of `Policy`; the copies in host memory
/// @pre    of the reader: the listed rows exist; not checked
template <device_policy Policy>
[[nodiscard]] row_reader make_row_reader(any_rows<Policy::space> rows, Policy policy) {
  return [rows, policy = std::move(policy)](std::vector<local_id> const& wanted) {
    auto const count = static_cast<std::int64_t>(wanted.size());
    auto const transfer = [&](local_id const* ids, std::byte* out) {
      transfer_any_rows<cached_writes, no_conversion>(policy.executor(), count, rows, rows_listed<local_id>{ids},
                                                      rows_in_order{}, rows.type, out);
    };
    if constexpr (host_policy<Policy>) {
      std::vector<std::byte> read(static_cast<std::size_t>(count * rows.row_bytes()));
      transfer(wanted.data(), read.data());
      return read;
    } else {
      auto const ids = make_buffer(wanted, policy);
      buffer<Policy, std::byte> read(count * rows.row_bytes(), policy);
      transfer(ids.data(), read.data());
      return to_vector(policy, std::as_const(read).view());
    }
  };
}

} // namespace glt::detail
