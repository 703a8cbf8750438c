// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::dist {

/// Role of a rank in a deployment.
enum class role : std::uint8_t {
  trainer, ///< owns a part and trains; samples itself (a worker in other libraries), or has workers that do
  worker,  ///< an extra rank that samples for a trainer on its machine
  server,  ///< owns parts, and samples for clients
  client,  ///< trains on batches of servers, and owns no part
};

} // namespace glt::dist

namespace glt::detail {

/// Ranks with the same role and group name.
struct role_group {
  dist::role role;
  std::string name;
  std::vector<int> ranks; ///< of the world, ascending
};

inline constexpr std::array<std::string_view, 4> role_names{"trainer", "worker", "server", "client"};

} // namespace glt::detail

namespace glt::dist {

/// Returns the name of a role, as in "server".
[[nodiscard]] constexpr std::string_view to_string(role what) noexcept {
  auto const i = static_cast<std::size_t>(what);
  return i < detail::role_names.size() ? detail::role_names[i] : "unknown role";
}

} // namespace glt::dist

namespace glt::detail {

/// Returns the role of a name, such as a program's argument.
///
/// @throws precondition_error  if no role has this name
[[nodiscard]] inline dist::role role_named(std::string_view name) {
  auto const found = std::ranges::find(role_names, name);
  if (found == role_names.end()) {
    throw precondition_error(
        message("role_named: \"", name, "\" is not a role; pass trainer, worker, server or client"));
  }
  return static_cast<dist::role>(found - role_names.begin());
}

} // namespace glt::detail
