// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/io/peers/detail/pickle_value.hpp>

#include <ranges>
#include <span>
#include <unordered_map>
#include <vector>

namespace glt::io::detail {

/// Stack of a pickle: values, marks at which groups begin, and kept values by number. A request of the pickle for a
/// missing value throws `precondition_error`.
class pickle_stack {
public:
  void clear() {
    values_.clear();
    marks_.clear();
    kept_.clear();
  }
  /// True if there is neither a value nor a mark.
  [[nodiscard]] bool empty() const noexcept { return values_.empty() && marks_.empty(); }

  void push(pickle_value const& value) { values_.push_back(&value); }
  /// Begins a group.
  void mark() { marks_.push_back(values_.size()); }

  /// Returns the last value of the group.
  ///
  /// @throws precondition_error  if the group is empty
  [[nodiscard]] pickle_value const& top() const {
    if (values_.size() <= (marks_.empty() ? 0 : marks_.back())) {
      throw precondition_error("the pickle takes a value where there is none; make the file again");
    }
    return *values_.back();
  }
  /// Returns the last value for changes: the values belong to the pickle until it has been read.
  [[nodiscard]] pickle_value& last() const { return const_cast<pickle_value&>(top()); }
  /// Removes the last value and returns it; several come in the order in which they were pushed.
  [[nodiscard]] pickle_value const& pop() {
    auto const& value = top();
    values_.pop_back();
    return value;
  }
  [[nodiscard]] std::vector<pickle_value const*> pop(std::size_t count) {
    std::vector<pickle_value const*> items(count);
    for (auto& item : items | std::views::reverse) {
      item = &pop();
    }
    return items;
  }
  /// Removes the values of the group and its mark.
  ///
  /// @throws precondition_error  if no group was begun
  [[nodiscard]] std::vector<pickle_value const*> pop_group() {
    if (marks_.empty()) {
      throw precondition_error("the pickle ends a group that it did not begin; make the file again");
    }
    auto items = pop(values_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }

  /// Appends to the list on top.
  ///
  /// @throws precondition_error  if there is no list on top
  void append(std::span<pickle_value const* const> items) {
    auto& list = container<pickle_list>();
    list.items.insert(list.items.end(), items.begin(), items.end());
  }
  /// Adds keys, each followed by its value, to the dictionary on top.
  ///
  /// @throws precondition_error  if there is no dictionary on top, or a key has no value
  void set_items(std::span<pickle_value const* const> items) {
    auto& dict = container<pickle_dict>();
    if (items.size() % 2 != 0) {
      throw precondition_error("the pickle has a key without a value; make the file again");
    }
    for (std::size_t i = 0; i < items.size(); i += 2) {
      dict.entries.emplace_back(items[i], items[i + 1]);
    }
  }

  /// Keeps the value on top under a number; without one, under the count of kept values.
  void keep(std::uint32_t key) { kept_[key] = &top(); }
  void keep() { keep(static_cast<std::uint32_t>(kept_.size())); }
  /// Pushes a kept value.
  ///
  /// @throws precondition_error  if no value was kept under that number
  void push_kept(std::uint32_t key) {
    auto const found = kept_.find(key);
    if (found == kept_.end()) {
      throw precondition_error(
          glt::detail::message("the pickle asks for its value ", key, ", which it never kept; make the file again"));
    }
    push(*found->second);
  }

private:
  template <class T>
  [[nodiscard]] T& container() {
    auto* const found = last().template get_if<T>();
    if (found == nullptr) {
      throw precondition_error(
          glt::detail::message("the pickle adds items to ", top().kind(), "; make the file again"));
    }
    return *found;
  }

  std::vector<pickle_value const*> values_{};
  std::vector<std::size_t> marks_{};
  std::unordered_map<std::uint32_t, pickle_value const*> kept_{};
};

} // namespace glt::io::detail
