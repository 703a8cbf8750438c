// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>

namespace glt::io::detail {

/// Range of the labels of a type, if they are whole numbers. `lowest` is 0 unless some labels are negative, such as -1
/// for "unlabelled"; the highest label is `classes` - 1.
struct label_range {
  std::int64_t lowest = 0;
  std::uint64_t classes = 0; ///< unsigned, so that the highest label of all has a count as well

  [[nodiscard]] bool contains(std::int64_t label) const noexcept {
    return label < 0 ? label >= lowest : static_cast<std::uint64_t>(label) < classes;
  }
  /// Extends this range to contain the other one.
  void add(label_range const& more) noexcept {
    lowest = std::min(lowest, more.lowest);
    classes = std::max(classes, more.classes);
  }

  friend bool operator==(label_range const&, label_range const&) = default;
};

/// Returns the range of labels; nothing if they are not whole numbers.
[[nodiscard]] inline std::optional<label_range> range_of(array const& labels) {
  return visit_values(labels, []<class T>(host_view<T const> elements) -> std::optional<label_range> {
    if constexpr (std::integral<T>) {
      label_range made;
      for (auto const label : elements) {
        made.lowest = std::min(made.lowest, static_cast<std::int64_t>(label));
        made.classes = std::max(made.classes, label < 0 ? 0 : static_cast<std::uint64_t>(label) + 1);
      }
      return made;
    } else {
      return std::nullopt;
    }
  });
}

/// Label that is out of range.
struct stray_label {
  std::int64_t place;
  std::int64_t value;
};

/// Finds the first label out of range, if there is one; labels that are not whole numbers are in every range.
[[nodiscard]] inline std::optional<stray_label> find_outside(array const& labels, label_range const& range) {
  return visit_values(labels, [&]<class T>(host_view<T const> elements) -> std::optional<stray_label> {
    if constexpr (std::integral<T>) {
      for (std::int64_t i = 0; i < elements.size(); ++i) {
        if (!range.contains(elements[i])) {
          return stray_label{i, elements[i]};
        }
      }
    }
    return std::nullopt;
  });
}

} // namespace glt::io::detail
