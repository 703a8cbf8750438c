// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/io/peers/detail/pickle_value.hpp>

#include <concepts>
#include <span>

namespace glt::io::detail {

/// Names that a pickle may contain beyond plain values, and their values here; all other names are refused.
///
/// - `o.knows(name)`: true if a pickle may contain the name;
/// - `o.call(values, name, args)`: the value for the object that Python would make by calling the name;
/// - `o.persistent(values, id)`: the value with this id, which is stored outside the pickle;
/// - `o.build(values, object, state)`: gives an object that `call` made the state that Python would set.
///
/// The last three throw `precondition_error` for arguments that they do not accept.
template <class O>
concept pickle_objects = requires(O& objects, pickle_values& values, pickle_name const& name, pickle_value const& id,
                                  std::span<pickle_value const* const> args, pickle_value& object) {
  { objects.knows(name) } -> std::same_as<bool>;
  { objects.call(values, name, args) } -> std::same_as<pickle_value>;
  { objects.persistent(values, id) } -> std::same_as<pickle_value>;
  { objects.build(values, object, id) } -> std::same_as<void>;
};

/// Names of the dictionaries of Python's `collections` only.
struct plain_pickle_objects {
  [[nodiscard]] bool knows(pickle_name const& name) const noexcept {
    auto const factory = name.name == "dict" || name.name == "list" || name.name == "int";
    return (name.module == "collections" && (name.name == "OrderedDict" || name.name == "defaultdict")) ||
           ((name.module == "builtins" || name.module == "__builtin__") && factory);
  }

  /// Returns an empty dictionary; the default of a `defaultdict` is dropped.
  ///
  /// @throws precondition_error  if the call does not make an empty dictionary
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

  /// @throws precondition_error  always
  void build(pickle_values&, pickle_value&, pickle_value const&) const { refuse_instance(); }

  [[noreturn]] static void refuse_instance() {
    throw precondition_error(
        "makes an instance of a class, and only tensors, arrays and plain containers are read; load "
        "it in Python where that class is installed, and torch.save its tensors");
  }
};

} // namespace glt::io::detail
