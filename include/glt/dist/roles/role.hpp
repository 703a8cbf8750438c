// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glt::dist {

/// What a rank does in a deployment.
enum class role : std::uint8_t {
  trainer, ///< owns a part and trains; it samples itself (other libraries call that a worker), or its workers do
  worker,  ///< an extra rank on the machine of a trainer that samples for it
  server,  ///< owns parts, and samples for clients
  client,  ///< trains on what servers sample, and owns no part
};

/// The ranks that do the same under one name.
struct role_group {
  dist::role role;
  std::string name;
  std::vector<int> ranks; ///< of the world, ascending
};

} // namespace glt::dist

namespace glt::detail {

inline constexpr std::array<std::string_view, 4> role_names{"trainer", "worker", "server", "client"};

} // namespace glt::detail

namespace glt::dist {

/// The name of a role, as in "server".
[[nodiscard]] constexpr std::string_view name_of(role what) noexcept {
  auto const i = static_cast<std::size_t>(what);
  return i < detail::role_names.size() ? detail::role_names[i] : "unknown role";
}

/// The role of that name, as a program reads it from its arguments.
///
/// @throws precondition_error  if no role has that name
[[nodiscard]] inline role role_named(std::string_view name) {
  auto const found = std::ranges::find(detail::role_names, name);
  if (found == detail::role_names.end()) {
    throw precondition_error(
        detail::message("role_named: \"", name, "\" is not a role; pass trainer, worker, server or client"));
  }
  return static_cast<role>(found - detail::role_names.begin());
}

} // namespace glt::dist
