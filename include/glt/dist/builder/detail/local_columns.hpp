// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/builder/local_data.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/graph/detail/orders.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Column of values of vertices or edges, as all ranks know it, and this rank's values.
struct local_column {
  std::string name;
  element_type type = element_type::float32;
  std::int64_t columns = 0;
  dist::local_data::row_list rows{}; ///< none if the rank follows another

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept { // that ranks tell each other
    return std::tie(self.name, self.type, self.columns);
  }
  [[nodiscard]] std::int64_t bytes() const noexcept { return columns * size_of(type); }
};

/// Returns a name without the NUL before it, for errors.
[[nodiscard]] inline std::string_view shown_name(std::string_view name) noexcept {
  return name.substr(name.starts_with('\0') ? 1 : 0);
}

/// Columns of this rank's vertices or edges. Weights and times are columns, too, whose names begin with a NUL.
class local_columns {
public:
  static constexpr std::string_view weights{"\0weights", 8};
  static constexpr std::string_view times{"\0times", 6};
  static constexpr std::string_view ids{"\0ids", 4};

  /// @param  what  "edges" or "rows", for errors
  local_columns(std::string what, std::int64_t size) : what_(std::move(what)), size_(size) {}

  /// Adds a column.
  ///
  /// @throws precondition_error  if it does not have one row per vertex or edge, or its name comes twice
  void add(std::string_view name, dist::local_data::row_list rows) {
    auto const shown = shown_name(name);
    if (rows.size() != size_) {
      throw precondition_error(
          message(rows.size(), " rows of \"", shown, "\" for ", size_, ' ', what_, "; give one for each"));
    }
    if (std::ranges::find(all_, name, &local_column::name) != all_.end()) {
      throw precondition_error(message("two tensors \"", shown, "\" of ", what_, "; give each a name"));
    }
    all_.push_back({std::string(name), rows.type(), rows.num_columns(), rows});
  }

  /// Agrees with the other ranks on names, types and widths. Ranks without vertices or edges follow the others; if all
  /// are without, they follow the first that names columns. Returns the failure of this rank if it differs from the
  /// first rank that has some, for the next collective.
  ///
  /// @comm   collective; one header exchange and one variable exchange
  /// @throws collective_error  on every rank, if a rank passes a failure
  template <communicator Comm>
  [[nodiscard]] std::string agree(Comm& comm, call_site site, std::string failure) {
    std::vector<std::byte> own;
    attempt(failure, [&] { own = packed_bytes(size_ > 0, all_); });
    auto const of_ranks = gather_lists(comm, site, failure, own);
    return failure_of([&] { follow(comm, of_ranks, own); });
  }

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<local_column const> all() const noexcept { return all_; }
  /// Returns the bytes of all columns of a vertex or edge.
  [[nodiscard]] std::int64_t bytes() const noexcept {
    std::int64_t sum = 0;
    for (auto const& column : all_) {
      sum += column.bytes();
    }
    return sum;
  }
  /// Copies the values of a vertex or edge, one column after the other.
  void copy_row(std::int64_t i, std::byte* to) const noexcept {
    for (auto const& column : all_) {
      copy_bytes(to, column.rows.row(i), column.bytes());
      to += column.bytes();
    }
  }

private:
  template <communicator Comm>
  void follow(Comm const& comm, std::vector<std::vector<std::byte>> const& of_ranks,
              std::vector<std::byte> const& own) {
    std::vector<local_column> followed; // by ranks without vertices or edges
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      bool has_some = false;
      std::vector<local_column> columns;
      unpacker(of_ranks[rank], nullptr).get(has_some).get(columns);
      if (has_some && size_ > 0 && of_ranks[rank] != own) {
        throw precondition_error(message(what_, " differ from rank ", world_rank(comm, static_cast<int>(rank)),
                                         " in tensors, element types, columns, weights, times or ",
                                         "ids; give the same on all ranks, in the same order"));
      }
      if (has_some || followed.empty()) {
        followed = std::move(columns);
      }
      if (has_some) {
        break;
      }
    }
    if (size_ == 0) {
      all_ = std::move(followed);
    }
  }

  std::string what_;
  std::int64_t size_;
  std::vector<local_column> all_;
};

/// Values of this rank's part in final order, a buffer for each column.
class part_columns {
public:
  part_columns() = default;
  part_columns(local_columns const& columns, std::int64_t size) : size_(size) {
    for (auto const& column : columns.all()) {
      all_.push_back({column.name, column.type, column.columns, buffer<device::cpu, std::byte>(size * column.bytes())});
    }
  }

  /// Writes the values of one vertex or edge, as `local_columns::copy_row` copied them.
  void write(std::int64_t i, std::byte const* from) noexcept {
    for (auto& column : all_) {
      copy_bytes(column.values.data() + i * column.bytes(), from, column.bytes());
      from += column.bytes();
    }
  }
  /// Writes the same number to all elements of one vertex.
  ///
  /// @throws precondition_error  if a column of integers cannot hold it
  void fill(std::int64_t i, double value) {
    for (auto& column : all_) {
      visit_element(column.type, [&]<class T>(std::type_identity<T>) {
        T element;
        if constexpr (std::integral<T>) {
          auto const lowest = static_cast<double>(std::numeric_limits<T>::min());
          if (!(value >= lowest && value < std::ldexp(1.0, std::numeric_limits<T>::digits)) ||
              value != std::trunc(value)) {
            throw precondition_error(message("value ", value, " of missing rows for \"", shown_name(column.name),
                                             "\" of ", name_of(column.type), "; give a number that fits all tensors"));
          }
          element = static_cast<T>(value);
        } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
          element = T(static_cast<float>(value));
        } else {
          element = static_cast<T>(value);
        }
        for (std::int64_t c = 0; c < column.columns; ++c) {
          copy_bytes(column.values.data() + i * column.bytes() + c * static_cast<std::int64_t>(sizeof(T)), &element,
                     sizeof(T));
        }
      });
    }
  }
  void move(std::int64_t from, std::int64_t to) noexcept {
    for (auto& column : all_) {
      copy_bytes(column.values.data() + to * column.bytes(), column.values.data() + from * column.bytes(),
                 from == to ? 0 : column.bytes());
    }
  }
  /// Keeps the first `size` vertices or edges.
  void shrink(std::int64_t size) {
    size_ = size;
    for (auto& column : all_) {
      column.values.resize(size * column.bytes());
      column.values = make_buffer<device::cpu>(column.values.cview());
    }
  }
  [[nodiscard]] std::vector<edge_bytes> bytes() {
    std::vector<edge_bytes> made;
    for (auto& column : all_) {
      made.push_back({column.values.data(), column.bytes()});
    }
    return made;
  }

  /// Borrows a column of one element each; empty if there is none of that name.
  template <class T>
  [[nodiscard]] host_view<T const> view(std::string_view name) const {
    auto const found = std::ranges::find(all_, name, &part_column::name);
    return {found == all_.end() ? nullptr : reinterpret_cast<T const*>(found->values.data()),
            found == all_.end() ? 0 : size_};
  }
  /// Takes a column of one element each; empty if there is none of that name.
  template <class T>
  [[nodiscard]] buffer<device::cpu, T> take(std::string_view name) {
    auto const found = std::ranges::find(all_, name, &part_column::name);
    if (found == all_.end()) {
      return {};
    }
    auto made = typed<T>(std::move(found->values));
    all_.erase(found);
    return made;
  }
  /// Takes all other columns as tensors.
  [[nodiscard]] feature_table<device::cpu> take_tensors() {
    feature_table<device::cpu> made(size_);
    for (auto& column : all_) {
      visit_element(column.type, [&]<class T>(std::type_identity<T>) {
        made.add(column.name, feature_store<device::cpu, T>(size_, column.columns, typed<T>(std::move(column.values))));
      });
    }
    all_.clear();
    return made;
  }

private:
  struct part_column {
    std::string name;
    element_type type;
    std::int64_t columns;
    buffer<device::cpu, std::byte> values;

    [[nodiscard]] std::int64_t bytes() const noexcept { return columns * size_of(type); }
  };

  template <class T>
  [[nodiscard]] static buffer<device::cpu, T> typed(buffer<device::cpu, std::byte> bytes) {
    auto const size = bytes.size() / static_cast<std::int64_t>(sizeof(T));
    if (size == 0) {
      return {};
    }
    auto keeper = std::make_shared<buffer<device::cpu, std::byte>>(std::move(bytes));
    return buffer<device::cpu, T>::adopt(reinterpret_cast<T*>(keeper->data()), size, keeper);
  }

  std::vector<part_column> all_;
  std::int64_t size_ = 0;
};

} // namespace glt::detail
