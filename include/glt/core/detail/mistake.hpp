// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// For overloads that only mistakes choose. Their static_assert is what a person reads first, instead of a list of
// candidates that do not fit.
namespace glt::detail {

/// False, whatever the types are.
template <class...>
inline constexpr bool never = false;

/// Stands for a member's or a constructor's argument where nothing will run; not defined.
template <class T>
T&& no_value() noexcept;

} // namespace glt::detail
