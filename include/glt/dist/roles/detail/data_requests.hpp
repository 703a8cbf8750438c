// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

// Services of a data set on servers.
inline constexpr std::string_view describe_service = "describe";
inline constexpr std::string_view rows_service = "rows";
inline constexpr std::string_view split_service = "split";

[[nodiscard]] inline std::string name_of_service(std::string_view data, std::string_view service) {
  std::string name(data);
  name += " / ";
  return name += service;
}

/// Request for rows of a tensor, as bytes.
///
/// @shape  rows [n], of the part of the server
struct rows_request {
  std::string tensor;
  std::vector<local_id> rows;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.tensor, self.rows);
  }
};

/// Request for some vertices of the server's piece of a split.
struct split_request {
  std::string split;
  std::int64_t first = 0;
  std::int64_t count = 0;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.split, self.first, self.count);
  }
};

} // namespace glt::detail
