// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/view.hpp>
#include <glt/io/pickle_value.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace glt::io {

/// What a pickle may name beyond plain values, and what becomes of it; all else in a pickle is refused.
///
/// - `o.knows(name)`: true if a pickle may name it;
/// - `o.call(values, name, args)`: the value for what Python would make by calling the name;
/// - `o.persistent(values, id)`: the value that stands outside of the pickle under this id.
///
/// The last two throw `precondition_error` for what they do not accept.
template <class O>
concept pickle_objects =
    requires(O& objects, pickle_values& values, pickle_name const& name, pickle_value const& id,
             std::span<pickle_value const* const> args) {
      { objects.knows(name) } -> std::same_as<bool>;
      { objects.call(values, name, args) } -> std::same_as<pickle_value>;
      { objects.persistent(values, id) } -> std::same_as<pickle_value>;
    };

/// The dictionaries of Python's `collections`, and nothing else.
struct plain_pickle_objects {
  [[nodiscard]] bool knows(pickle_name const& name) const noexcept {
    auto const factory = name.name == "dict" || name.name == "list" || name.name == "int";
    return (name.module == "collections" && (name.name == "OrderedDict" || name.name == "defaultdict")) ||
           ((name.module == "builtins" || name.module == "__builtin__") && factory);
  }

  /// An empty dictionary; what a `defaultdict` would make of missing keys is dropped.
  ///
  /// @throws precondition_error  if the call is none of an empty dictionary
  [[nodiscard]] pickle_value call(pickle_values&, pickle_name const& name,
                                  std::span<pickle_value const* const> args) const {
    bool const by_factory = args.size() == 1 && name.name == "defaultdict" &&
                            (args[0]->get_if<pickle_none>() != nullptr || args[0]->get_if<pickle_name>() != nullptr);
    if (name.module != "collections" || !(args.empty() || by_factory)) {
      throw precondition_error(
          glt::detail::message("makes ", name.module, ".", name.name,
                               " of arguments that make no plain container; save tensors, lists and dicts"));
    }
    return {pickle_dict()};
  }

  /// @throws precondition_error  always
  [[nodiscard]] pickle_value persistent(pickle_values&, pickle_value const&) const {
    throw precondition_error("refers to data outside of the pickle; save it with torch.save to a file of its own");
  }
};

/// Reads the values of Python pickles one after the other and executes nothing: names other than those of
/// `objects`, classes, and every opcode that only they need are refused.
///
/// Accepts the binary protocols, 2 to 5. Memory grows with the number of values, at most one for each byte,
/// and is limited; text and bytes are not copied.
///
/// @source Python's Lib/pickletools.py, the opcodes and what they do
template <pickle_objects Objects>
class pickle_reader {
public:
  /// @pre    path and bytes outlive the reader, bytes and objects the values
  pickle_reader(std::string_view path, host_view<std::byte const> bytes, std::int64_t position, pickle_values& values,
                Objects& objects)
      : path_(path), bytes_(bytes), position_(position), values_(values), objects_(objects) {}

  /// Where the next pickle begins.
  [[nodiscard]] std::int64_t position() const noexcept { return position_; }
  [[nodiscard]] bool at_end() const noexcept { return position_ == bytes_.size(); }

  /// Reads one pickle.
  ///
  /// @throws io_error  if the bytes are no pickle, end early, or hold anything but plain data
  [[nodiscard]] pickle_value const& read() {
    stack_.clear();
    marks_.clear();
    memo_.clear();
    for (std::int64_t opcodes = 0;; ++opcodes) {
      opcode_at_ = position_;
      if (opcodes == opcode_limit) { // bounds the stack, the marks, the memo and the items of containers
        fail(glt::detail::message("the pickle has more than ", opcode_limit,
                                  " steps, which no partition needs; save tensors, not numbers"));
      }
      auto const code = number<std::uint8_t>();
      try {
        if (code == '.') {
          auto const& result = pop();
          if (!stack_.empty() || !marks_.empty()) {
            fail("the pickle ends with values left over; make the file again");
          }
          return result;
        }
        if (!constant(code) && !container(code) && !bookkeeping(code) && !object(code)) {
          refuse(code);
        }
      } catch (precondition_error const& fault) {
        fail(fault.what());
      }
    }
  }

private:
  static constexpr std::int64_t opcode_limit = 4 * pickle_values::limit;

  [[noreturn]] void fail(std::string const& what) const { throw io_error(std::string(path_), opcode_at_, what); }

  // A text opcode or one that makes instances of classes.
  [[noreturn]] void refuse(std::uint8_t code) const {
    if (std::string_view("bo\x81\x92i\x82\x83\x84").find(static_cast<char>(code)) != std::string_view::npos) {
      fail("makes an instance of a class, and only tensors and plain containers are read; load it in Python "
           "where that class is installed, and torch.save its tensors");
    }
    fail(glt::detail::message("byte ", int{code}, " is no opcode of a binary pickle of tensors and plain containers; "
                              "make the file again with torch.save or pickle protocol 2 or newer"));
  }

  template <class T>
  T number() {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string_view take(std::uint64_t count) {
    auto const left = static_cast<std::uint64_t>(bytes_.size() - position_);
    if (count > left) {
      opcode_at_ = bytes_.size();
      fail(glt::detail::message("the pickle ends ", count - left, " bytes early; make the file again"));
    }
    std::string_view const taken(reinterpret_cast<char const*>(bytes_.data()) + position_, count);
    position_ += static_cast<std::int64_t>(count);
    return taken;
  }

  std::string_view line() {
    auto const left = std::string_view(reinterpret_cast<char const*>(bytes_.data()) + position_,
                                       static_cast<std::size_t>(bytes_.size() - position_));
    auto const end = left.find('\n');
    if (end == std::string_view::npos) {
      fail("the pickle ends within a name; make the file again");
    }
    return take(end + 1).substr(0, end);
  }

  void push(pickle_value const& value) { stack_.push_back(&value); }
  void make(pickle_value::variant content) { push(values_.add(std::move(content))); }

  pickle_value const& top() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
      fail("the pickle takes a value where there is none; make the file again");
    }
    return *stack_.back();
  }
  pickle_value const& pop() {
    auto const& value = top();
    stack_.pop_back();
    return value;
  }
  std::vector<pickle_value const*> pop_last(std::size_t count) {
    std::vector<pickle_value const*> items(count);
    for (auto& item : items | std::views::reverse) {
      item = &pop();
    }
    return items;
  }
  std::vector<pickle_value const*> pop_to_mark() {
    if (marks_.empty()) {
      fail("the pickle ends a group that it did not begin; make the file again");
    }
    auto items = pop_last(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }

  // The values belong to this reader's pickle until it has been read.
  template <class T>
  T& container_on_top() {
    auto* const container = const_cast<pickle_value&>(top()).template get_if<T>();
    if (container == nullptr) {
      fail(glt::detail::message("the pickle adds items to ", top().kind(), "; make the file again"));
    }
    return *container;
  }

  void set_items(std::span<pickle_value const* const> items) {
    auto& dict = container_on_top<pickle_dict>();
    if (items.size() % 2 != 0) {
      fail("the pickle has a key without a value; make the file again");
    }
    for (std::size_t i = 0; i < items.size(); i += 2) {
      dict.entries.emplace_back(items[i], items[i + 1]);
    }
  }

  bool constant(std::uint8_t code) {
    switch (code) {
    case 'N': make(pickle_none()); return true;
    case 0x88: make(true); return true;
    case 0x89: make(false); return true;
    case 'K': make(std::int64_t{number<std::uint8_t>()}); return true;
    case 'M': make(std::int64_t{number<std::uint16_t>()}); return true;
    case 'J': make(std::int64_t{number<std::int32_t>()}); return true;
    case 0x8a: make(long_integer(take(number<std::uint8_t>()))); return true;
    case 'G': make(std::bit_cast<double>(__builtin_bswap64(number<std::uint64_t>()))); return true;
    case 'X': make(take(number<std::uint32_t>())); return true;
    case 0x8c: make(take(number<std::uint8_t>())); return true;
    case 0x8d: make(take(number<std::uint64_t>())); return true;
    case 'B': make(pickle_bytes{take(number<std::uint32_t>())}); return true;
    case 'C': make(pickle_bytes{take(number<std::uint8_t>())}); return true;
    case 0x8e: make(pickle_bytes{take(number<std::uint64_t>())}); return true;
    default: return false;
    }
  }

  std::int64_t long_integer(std::string_view digits) const {
    if (digits.size() > 8) {
      fail("the pickle holds an integer that does not fit 64 bits; save such numbers as floats");
    }
    std::uint64_t value = !digits.empty() && (digits.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    std::memcpy(&value, digits.data(), digits.size());
    return static_cast<std::int64_t>(value);
  }

  bool container(std::uint8_t code) {
    switch (code) {
    case ']': make(pickle_list()); return true;
    case ')': make(pickle_tuple()); return true;
    case '}': make(pickle_dict()); return true;
    case 'l': make(pickle_list{pop_to_mark()}); return true;
    case 't': make(pickle_tuple{pop_to_mark()}); return true;
    case 0x85: make(pickle_tuple{pop_last(1)}); return true;
    case 0x86: make(pickle_tuple{pop_last(2)}); return true;
    case 0x87: make(pickle_tuple{pop_last(3)}); return true;
    case 'a': append(pop_last(1)); return true;
    case 'e': append(pop_to_mark()); return true;
    case 's': set_items(pop_last(2)); return true;
    case 'u': set_items(pop_to_mark()); return true;
    case 'd': {
      auto const items = pop_to_mark();
      make(pickle_dict());
      set_items(items);
      return true;
    }
    default: return false;
    }
  }

  void append(std::vector<pickle_value const*> const& items) {
    auto& list = container_on_top<pickle_list>();
    list.items.insert(list.items.end(), items.begin(), items.end());
  }

  bool bookkeeping(std::uint8_t code) {
    switch (code) {
    case 0x80:
      if (auto const protocol = number<std::uint8_t>(); protocol < 2 || protocol > 5) {
        fail(glt::detail::message("is a pickle of protocol ", int{protocol}, "; save it with one from 2 to 5"));
      }
      return true;
    case 0x95: static_cast<void>(take(8)); return true;
    case '(': marks_.push_back(stack_.size()); return true;
    case '0': static_cast<void>(pop()); return true;
    case '1': static_cast<void>(pop_to_mark()); return true;
    case '2': push(top()); return true;
    case 'q': memo_[number<std::uint8_t>()] = &top(); return true;
    case 'r': memo_[number<std::uint32_t>()] = &top(); return true;
    case 0x94: memo_[static_cast<std::uint32_t>(memo_.size())] = &top(); return true;
    case 'h': push(remembered(number<std::uint8_t>())); return true;
    case 'j': push(remembered(number<std::uint32_t>())); return true;
    default: return false;
    }
  }

  pickle_value const& remembered(std::uint32_t key) const {
    auto const found = memo_.find(key);
    if (found == memo_.end()) {
      fail(glt::detail::message("the pickle asks for its value ", key, ", which it never kept; make the file again"));
    }
    return *found->second;
  }

  bool object(std::uint8_t code) {
    switch (code) {
    case 'c': {
      auto const module = line();
      push_name({module, line()});
      return true;
    }
    case 0x93: {
      auto const* name = pop().template get_if<std::string_view>();
      auto const* module = pop().template get_if<std::string_view>();
      if (name == nullptr || module == nullptr) {
        fail("the pickle has a name that is no text; make the file again");
      }
      push_name({*module, *name});
      return true;
    }
    case 'R': {
      auto const* args = pop().template get_if<pickle_tuple>();
      auto const* name = pop().template get_if<pickle_name>();
      if (args == nullptr || name == nullptr) {
        fail("the pickle calls what is no name; make the file again");
      }
      auto made = objects_.call(values_, *name, args->items);
      push(values_.add(std::move(made)));
      return true;
    }
    case 'Q': {
      auto const& id = pop();
      auto made = objects_.persistent(values_, id);
      push(values_.add(std::move(made)));
      return true;
    }
    default: return false;
    }
  }

  void push_name(pickle_name name) {
    if (!objects_.knows(name)) {
      fail(glt::detail::message("names ", name.module, ".", name.name,
                                ", and only tensors and plain containers are read: nothing in a file is executed; "
                                "load it in Python where that name is known, and torch.save its tensors"));
    }
    make(name);
  }

  std::string_view path_;
  host_view<std::byte const> bytes_;
  std::int64_t position_;
  pickle_values& values_;
  Objects& objects_;
  std::int64_t opcode_at_ = 0;
  std::vector<pickle_value const*> stack_{};
  std::vector<std::size_t> marks_{};
  std::unordered_map<std::uint32_t, pickle_value const*> memo_{};
};

} // namespace glt::io
