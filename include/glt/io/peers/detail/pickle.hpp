// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/io/peers/detail/pickle_objects.hpp>
#include <glt/io/peers/detail/pickle_source.hpp>
#include <glt/io/peers/detail/pickle_stack.hpp>
#include <glt/io/peers/detail/pickle_value.hpp>

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace glt::io::detail {

/// Reader of Python pickles, one value after the other, which executes nothing. Refuses all names but the names that
/// `objects` knows, classes, and every opcode that only classes need.
///
/// Accepts the binary protocols, 2 to 5. Memory grows with the number of values, at most one for each byte,
/// and is limited; text and bytes are not copied.
///
/// @source Python's Lib/pickletools.py, opcodes and their meaning
template <pickle_objects Objects>
class pickle_reader {
public:
  /// @pre    the path and the bytes outlive the reader; the bytes and the objects outlive the values
  pickle_reader(std::string_view path, host_view<std::byte const> bytes, std::int64_t position, pickle_values& values,
                Objects& objects)
      : source_(path, bytes, position), values_(values), objects_(objects) {}

  /// Returns the byte offset of the next pickle.
  [[nodiscard]] std::int64_t position() const noexcept { return source_.position(); }
  [[nodiscard]] bool at_end() const noexcept { return source_.at_end(); }

  /// Reads one pickle.
  ///
  /// @throws io_error  if the bytes are not a pickle, end early, or hold more than plain data
  [[nodiscard]] pickle_value const& read() {
    stack_.clear();
    for (std::int64_t opcodes = 0;; ++opcodes) {
      auto const opcode_at = source_.position();
      try {
        if (opcodes == opcode_limit) { // bounds the stack, the kept values and the items of containers
          fail("the pickle has more than ", opcode_limit,
               " steps, which no partition needs; save tensors, not numbers");
        }
        auto const code = source_.number<std::uint8_t>();
        if (code == '.') {
          auto const& result = stack_.pop();
          if (!stack_.empty()) {
            fail("the pickle ends with values left over; make the file again");
          }
          return result;
        }
        if (!constant(code) && !container(code) && !bookkeeping(code) && !object(code)) {
          refuse(code);
        }
      } catch (precondition_error const& fault) {
        throw io_error(std::string(source_.path()), opcode_at, fault.what());
      }
    }
  }

private:
  static constexpr std::int64_t opcode_limit = 4 * pickle_values::limit;

  template <class... Parts>
  [[noreturn]] static void fail(Parts const&... parts) {
    throw precondition_error(glt::detail::message(parts...));
  }

  // Throws for a text opcode or one that makes instances of classes.
  [[noreturn]] static void refuse(std::uint8_t code) {
    if (std::string_view("o\x81\x92i\x82\x83\x84").find(static_cast<char>(code)) != std::string_view::npos) {
      plain_pickle_objects::refuse_instance();
    }
    fail("byte ", int{code},
         " is no opcode of a binary pickle of tensors and plain containers; "
         "make the file again with torch.save or pickle protocol 2 or newer");
  }

  void make(pickle_value::variant content) { stack_.push(values_.add(std::move(content))); }

  bool constant(std::uint8_t code) {
    auto& in = source_;
    switch (code) {
    case 'N':
      make(pickle_none());
      return true;
    case 0x88:
      make(true);
      return true;
    case 0x89:
      make(false);
      return true;
    case 'K':
      make(std::int64_t{in.number<std::uint8_t>()});
      return true;
    case 'M':
      make(std::int64_t{in.number<std::uint16_t>()});
      return true;
    case 'J':
      make(std::int64_t{in.number<std::int32_t>()});
      return true;
    case 0x8a:
      make(long_integer(in.take(in.number<std::uint8_t>())));
      return true;
    case 'G':
      make(std::bit_cast<double>(__builtin_bswap64(in.number<std::uint64_t>())));
      return true;
    case 'X':
      make(in.take(in.number<std::uint32_t>()));
      return true;
    case 0x8c:
      make(in.take(in.number<std::uint8_t>()));
      return true;
    case 0x8d:
      make(in.take(in.number<std::uint64_t>()));
      return true;
    case 'B':
      make(pickle_bytes{in.take(in.number<std::uint32_t>())});
      return true;
    case 'C':
      make(pickle_bytes{in.take(in.number<std::uint8_t>())});
      return true;
    case 0x8e:
      make(pickle_bytes{in.take(in.number<std::uint64_t>())});
      return true;
    default:
      return false;
    }
  }

  static std::int64_t long_integer(std::string_view digits) {
    if (digits.size() > 8) {
      fail("the pickle holds an integer that does not fit 64 bits; save such numbers as floats");
    }
    std::uint64_t value = !digits.empty() && (digits.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    std::memcpy(&value, digits.data(), digits.size());
    return static_cast<std::int64_t>(value);
  }

  bool container(std::uint8_t code) {
    switch (code) {
    case ']':
      make(pickle_list());
      return true;
    case ')':
      make(pickle_tuple());
      return true;
    case '}':
      make(pickle_dict());
      return true;
    case 'l':
      make(pickle_list{stack_.pop_group()});
      return true;
    case 't':
      make(pickle_tuple{stack_.pop_group()});
      return true;
    case 0x85:
      make(pickle_tuple{stack_.pop(1)});
      return true;
    case 0x86:
      make(pickle_tuple{stack_.pop(2)});
      return true;
    case 0x87:
      make(pickle_tuple{stack_.pop(3)});
      return true;
    case 'a':
      stack_.append(stack_.pop(1));
      return true;
    case 'e':
      stack_.append(stack_.pop_group());
      return true;
    case 's':
      stack_.set_items(stack_.pop(2));
      return true;
    case 'u':
      stack_.set_items(stack_.pop_group());
      return true;
    case 'd': {
      auto const items = stack_.pop_group();
      make(pickle_dict());
      stack_.set_items(items);
      return true;
    }
    default:
      return false;
    }
  }

  bool bookkeeping(std::uint8_t code) {
    switch (code) {
    case 0x80:
      if (auto const protocol = source_.number<std::uint8_t>(); protocol < 2 || protocol > 5) {
        fail("is a pickle of protocol ", int{protocol}, "; save it with one from 2 to 5");
      }
      return true;
    case 0x95:
      static_cast<void>(source_.take(8));
      return true;
    case '(':
      stack_.mark();
      return true;
    case '0':
      static_cast<void>(stack_.pop());
      return true;
    case '1':
      static_cast<void>(stack_.pop_group());
      return true;
    case '2':
      stack_.push(stack_.top());
      return true;
    case 'q':
      stack_.keep(source_.number<std::uint8_t>());
      return true;
    case 'r':
      stack_.keep(source_.number<std::uint32_t>());
      return true;
    case 0x94:
      stack_.keep();
      return true;
    case 'h':
      stack_.push_kept(source_.number<std::uint8_t>());
      return true;
    case 'j':
      stack_.push_kept(source_.number<std::uint32_t>());
      return true;
    default:
      return false;
    }
  }

  bool object(std::uint8_t code) {
    switch (code) {
    case 'c': {
      auto const module = source_.line();
      push_name({module, source_.line()});
      return true;
    }
    case 0x93: {
      auto const* name = stack_.pop().template get_if<std::string_view>();
      auto const* module = stack_.pop().template get_if<std::string_view>();
      if (name == nullptr || module == nullptr) {
        fail("the pickle has a name that is no text; make the file again");
      }
      push_name({*module, *name});
      return true;
    }
    case 'R': {
      auto const* args = stack_.pop().template get_if<pickle_tuple>();
      auto const* name = stack_.pop().template get_if<pickle_name>();
      if (args == nullptr || name == nullptr) {
        fail("the pickle calls what is no name; make the file again");
      }
      auto made = objects_.call(values_, *name, args->items);
      stack_.push(values_.add(std::move(made)));
      return true;
    }
    case 'b': {
      auto const& state = stack_.pop();
      objects_.build(values_, stack_.last(), state);
      return true;
    }
    case 'Q': {
      auto const& id = stack_.pop();
      auto made = objects_.persistent(values_, id);
      stack_.push(values_.add(std::move(made)));
      return true;
    }
    default:
      return false;
    }
  }

  void push_name(pickle_name name) {
    if (!objects_.knows(name)) {
      fail("names ", name.module, ".", name.name,
           ", and only tensors and plain containers are read: nothing in a file is executed; "
           "load it in Python where that name is known, and torch.save its tensors");
    }
    make(name);
  }

  pickle_source source_;
  pickle_values& values_;
  Objects& objects_;
  pickle_stack stack_{};
};

} // namespace glt::io::detail
