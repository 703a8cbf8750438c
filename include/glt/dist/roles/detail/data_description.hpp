// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/detail/usual_tensors.hpp>

namespace glt::detail {

/// Description of the vertices of a type of a data set on servers: their partition, the ranks that hold the parts,
/// tensors and splits.
///
/// @shape  offsets [P + 1] of the partition book · ranks [P]
struct data_description {
  /// A list of vertices whose pieces are on the servers.
  ///
  /// @shape  sizes [P]
  struct split_entry {
    std::string name;
    std::vector<std::int64_t> sizes; ///< of the pieces, by part

    [[nodiscard]] std::int64_t size() const noexcept {
      return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    }

    friend bool operator==(split_entry const&, split_entry const&) = default;
    template <class Self>
    [[nodiscard]] static auto members(Self& self) noexcept {
      return std::tie(self.name, self.sizes);
    }
  };

  /// A tensor with one row per vertex on the servers.
  ///
  /// @shape  scales [num_columns] or empty
  struct tensor_entry {
    std::string name;
    element_type type = element_type::float32;
    std::int64_t num_columns = 0;
    std::vector<float> scales; ///< of the columns of an integer tensor; see `feature_store`

    friend bool operator==(tensor_entry const&, tensor_entry const&) = default;
    template <class Self>
    [[nodiscard]] static auto members(Self& self) noexcept {
      return std::tie(self.name, self.type, self.num_columns, self.scales);
    }
  };

  std::vector<global_id> offsets;
  std::int64_t partitioning = 0; ///< of the partition book
  std::vector<int> ranks;        ///< of the world, that hold the parts
  std::vector<tensor_entry> tensors;
  std::vector<split_entry> splits;
  std::int64_t classes = 0; ///< one more than the largest label; see `num_classes`

  /// Names of the tensors of features, labels and original ids.
  static constexpr std::string_view features = "x";
  static constexpr std::string_view labels = "y";
  static constexpr std::string_view originals = "originals";

  [[nodiscard]] std::int64_t num_vertices() const noexcept { return offsets.empty() ? 0 : offsets.back(); }
  /// Returns the number of feature columns; 0 without features.
  [[nodiscard]] std::int64_t num_columns() const { return has(features) ? tensor(features).num_columns : 0; }
  [[nodiscard]] bool has_labels() const { return has(labels); }
  /// Returns one more than the largest label on all servers; 0 without labels.
  ///
  /// @throws precondition_error  as `dist::data_set::num_classes`
  /// @cost   O(1); `serve_data` reads all labels once
  [[nodiscard]] std::int64_t num_classes() const {
    check_num_classes(classes, num_vertices());
    return classes;
  }
  /// Returns true if there is a tensor of this name.
  [[nodiscard]] bool has(std::string_view name) const {
    return std::ranges::find(tensors, name, &tensor_entry::name) != tensors.end();
  }

  /// @throws precondition_error  if there is none of this name; the text lists the names
  [[nodiscard]] tensor_entry const& tensor(std::string_view name) const { return find("tensor", tensors, name); }
  [[nodiscard]] split_entry const& split(std::string_view name) const { return find("split", splits, name); }

  friend bool operator==(data_description const&, data_description const&) = default;
  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.offsets, self.partitioning, self.ranks, self.tensors, self.splits, self.classes);
  }

private:
  template <class Item>
  [[nodiscard]] static Item const& find(std::string_view what, std::vector<Item> const& list, std::string_view name) {
    auto const found = std::ranges::find(list, name, &Item::name);
    if (found == list.end()) {
      throw precondition_error(message("no ", what, " \"", name, "\"; there are ", name_list(list, &Item::name)));
    }
    return *found;
  }
};

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
