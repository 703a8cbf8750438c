// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/visit_element.hpp>
#include <glt/core/element_type.hpp>
#include <glt/core/space.hpp>
#include <glt/exec/executor.hpp>
#include <glt/feature/any_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/feature/feature_store.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace glt::detail {

/// True if rows of the first type can be gathered as the second: `gathers_as` of types that are known only when the
/// program runs.
[[nodiscard]] constexpr bool gathers(element_type from, element_type to) noexcept {
  return visit_element(from, [to]<class From>(std::type_identity<From>) {
    return visit_element(to, []<class To>(std::type_identity<To>) { return gathers_as<From, To>; });
  });
}

/// `transfer_rows` of elements whose types are known only when the program runs.
///
/// @pre    gathers(in.type, out_type); not checked: nothing is written then
template <class Writes = cached_writes, executor Executor, memory_space Space, class From, class To>
void transfer_any_rows(Executor const& ex, std::int64_t count, any_rows<Space> in, From from, To to, element_type out_type,
                  std::byte* out) {
  if (in.type == out_type) {
    feature_view<Space, std::byte> const bytes{.features = {in.data, in.num_rows, in.row_bytes()}};
    transfer_rows<Writes>(ex, count, bytes, from, to, out);
    return;
  }
  visit_element(in.type, [&]<class In>(std::type_identity<In>) {
    visit_element(out_type, [&]<class Out>(std::type_identity<Out>) {
      if constexpr (converts_to<In, Out>) {
        feature_view<Space, In> const rows{
            .features = {reinterpret_cast<In const*>(in.data), in.num_rows, in.num_columns}, .scales = in.scales};
        transfer_rows<Writes>(ex, count, rows, from, to, reinterpret_cast<Out*>(out));
      }
    });
  });
}

} // namespace glt::detail
