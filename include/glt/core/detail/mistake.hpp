// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// For overloads that only mistaken calls choose. Compilers print their static_assert first, instead of a list of
// candidates that do not fit.
namespace glt::detail {

/// False for all types.
template <class...>
inline constexpr bool never = false;

/// Stands for an argument in code that never runs; not defined.
template <class T>
T&& no_value() noexcept;

} // namespace glt::detail
