// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/element_type.hpp>
#include <glt/io/peers/detail/numpy_pickle.hpp>
#include <glt/io/peers/detail/pickle.hpp>
#include <glt/io/peers/detail/pickle_objects.hpp>
#include <glt/io/peers/detail/pickle_value.hpp>

#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::io::detail {

/// True if the bytes begin like files of torch.save before PyTorch 1.6, or like tensors inside a pickle.
[[nodiscard]] inline bool is_torch_stream(host_view<std::byte const> bytes) noexcept {
  constexpr std::string_view magic{"\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8P\x19.", 15};
  return bytes.size() >= std::ssize(magic) && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

struct torch_elements {
  std::string_view storage;
  std::string_view dtype;
  element_type type;
};

// The bytes of bool are 0 and 1.
inline constexpr std::array<torch_elements, 10> torch_element_table{
    {{"CharStorage", "int8", element_type::int8},
     {"ByteStorage", "uint8", element_type::uint8},
     {"BoolStorage", "bool", element_type::uint8},
     {"ShortStorage", "int16", element_type::int16},
     {"IntStorage", "int32", element_type::int32},
     {"LongStorage", "int64", element_type::int64},
     {"HalfStorage", "float16", element_type::float16},
     {"BFloat16Storage", "bfloat16", element_type::bfloat16},
     {"FloatStorage", "float32", element_type::float32},
     {"DoubleStorage", "float64", element_type::float64}}};

inline std::optional<element_type> torch_storage_type(pickle_name const& name) {
  if (name.name == "UntypedStorage" && (name.module == "torch" || name.module == "torch.storage")) {
    return element_type::uint8;
  }
  for (auto const& row : torch_element_table) {
    if (name.module == "torch" && row.storage == name.name) {
      return row.type;
    }
  }
  return std::nullopt;
}

inline std::optional<element_type> torch_dtype(pickle_name const& name) {
  for (auto const& row : torch_element_table) {
    if (name.module == "torch" && row.dtype == name.name) {
      return row.type;
    }
  }
  return std::nullopt;
}

template <class T>
T const& torch_argument(pickle_value const& value, std::string_view what) {
  auto const* const content = value.get_if<T>();
  if (content == nullptr) {
    throw precondition_error(glt::detail::message("has ", value.kind(), " as the ", what,
                                                  " of a tensor; make the file again with torch.save"));
  }
  return *content;
}

inline std::vector<std::int64_t> torch_integers(pickle_value const& value, std::string_view what) {
  std::vector<std::int64_t> numbers;
  for (auto const* item : torch_argument<pickle_tuple>(value, what).items) {
    numbers.push_back(torch_argument<std::int64_t>(*item, what));
  }
  return numbers;
}

/// Names of torch.save in a pickle: storages, element types, and constructors of tensors; NumPy's arrays as well.
class torch_pickle_objects {
public:
  /// @param path    named in errors
  /// @param nested  the pickle is inside another pickle, and its tensors contain no further pickles
  explicit torch_pickle_objects(std::string_view path, bool nested = false) : path_(path), nested_(nested) {}

  [[nodiscard]] bool knows(pickle_name const& name) const {
    bool const rebuild =
        name.module == "torch._utils" && (name.name == "_rebuild_tensor_v2" || name.name == "_rebuild_tensor_v3" ||
                                          name.name == "_rebuild_tensor" || name.name == "_rebuild_parameter");
    return plain_.knows(name) || numpy_pickle_objects::knows(name) || rebuild ||
           (name.module == "torch" && name.name == "Size") ||
           (name.module == "torch.storage" && name.name == "_load_from_bytes") ||
           torch_storage_type(name).has_value() || torch_dtype(name).has_value();
  }

  [[nodiscard]] inline pickle_value call(pickle_values& values, pickle_name const& name,
                                         std::span<pickle_value const* const> args);

  void build(pickle_values& values, pickle_value& object, pickle_value const& state) {
    if (!numpy_pickle_objects::builds(object)) {
      plain_.build(values, object, state);
    }
    numpy_pickle_objects::build(values, object, state);
  }

  [[nodiscard]] pickle_value persistent(pickle_values& values, pickle_value const& id) {
    auto const& parts = torch_argument<pickle_tuple>(id, "storage").items;
    auto const* const kind = parts.empty() ? nullptr : parts[0]->get_if<std::string_view>();
    if (kind == nullptr || *kind != "storage" || parts.size() < 5) {
      throw precondition_error("refers to something that is no storage of a tensor; torch.save tensors, not modules");
    }
    if (parts.size() > 5 && parts[5]->get_if<pickle_none>() == nullptr) {
      throw precondition_error("has a view of a storage; torch.save a clone of the tensor");
    }
    auto const& type_name = torch_argument<pickle_name>(*parts[1], "storage type");
    auto const type = torch_storage_type(type_name);
    if (!type) {
      throw precondition_error("has a storage of an unknown type; make the file again with torch.save");
    }
    pickle_storage storage{*type,
                           torch_argument<std::string_view>(*parts[2], "storage key"),
                           torch_argument<std::int64_t>(*parts[4], "storage size"),
                           {},
                           type_name.name == "BoolStorage"};
    if (storage.count < 0) {
      throw precondition_error(glt::detail::message("has a storage of ", storage.count, " elements; make it again"));
    }
    // Streams name a storage several times but hold its elements once, after the pickle.
    auto const [place, added] = storages_.try_emplace(storage.key, nullptr);
    if (added) {
      place->second = &values.add({std::move(storage)});
    } else if (auto const& first = *place->second->get_if<pickle_storage>();
               first.type != storage.type || first.count != storage.count) {
      throw precondition_error(
          glt::detail::message("has two storages with the key ", storage.key, "; make the file again"));
    }
    return {pickle_tuple{{place->second}}};
  }

  /// Returns the storages by their keys.
  [[nodiscard]] std::map<std::string_view, pickle_value*> const& storages() const noexcept { return storages_; }

private:
  // A storage is on the stack as a tuple of itself, so that all its names stay one object.
  static pickle_storage const& storage_of(pickle_value const& value) {
    auto const& items = torch_argument<pickle_tuple>(value, "storage").items;
    if (items.size() != 1) {
      throw precondition_error("has a tuple as the storage of a tensor; make the file again with torch.save");
    }
    return torch_argument<pickle_storage>(*items[0], "storage");
  }

  static pickle_value tensor(std::span<pickle_value const* const> args, bool by_dtype) {
    std::size_t const required = by_dtype ? 7 : 4;
    if (args.size() < required || args.size() > required + (by_dtype ? 1 : 3)) {
      throw precondition_error(glt::detail::message("makes a tensor of ", args.size(),
                                                    " arguments; make the file again with a released PyTorch"));
    }
    auto const& storage = storage_of(*args[0]);
    pickle_tensor made{storage.type,
                       &storage,
                       torch_argument<std::int64_t>(*args[1], "offset"),
                       torch_integers(*args[2], "size"),
                       torch_integers(*args[3], "stride"),
                       storage.is_bool};
    if (by_dtype) {
      auto const& name = torch_argument<pickle_name>(*args[6], "type");
      auto const type = torch_dtype(name);
      if (!type) {
        throw precondition_error(glt::detail::message("has a tensor of ", name.module, ".", name.name,
                                                      "; convert it to one of the types that glt has"));
      }
      made.type = *type;
      made.is_bool = name.name == "bool";
    }
    std::size_t const metadata = by_dtype ? 7 : 6;
    auto const* const extra = args.size() > metadata ? args[metadata]->get_if<pickle_dict>() : nullptr;
    if (extra != nullptr && !extra->entries.empty()) {
      throw precondition_error("has a tensor that is negated or conjugated lazily; torch.save its resolve_neg()");
    }
    return {std::move(made)};
  }

  std::string_view path_;
  bool nested_;
  plain_pickle_objects plain_{};
  numpy_pickle_objects numpy_{};
  std::map<std::string_view, pickle_value*> storages_{};
};

/// Reads files of torch.save before PyTorch 1.6, or with `_use_new_zipfile_serialization=False`: pickles, then the
/// elements of the storages. Executes nothing.
///
/// @pre    the bytes outlive the values; `objects` has read nothing before
/// @throws io_error  if the bytes are not such a stream, were written on a big-endian machine, or hold more than
///                   tensors and plain containers
/// @source pytorch/pytorch, torch/serialization.py, _legacy_save and _legacy_load
[[nodiscard]] inline pickle_value const& read_torch_stream(std::string_view path, host_view<std::byte const> bytes,
                                                           pickle_values& values, torch_pickle_objects& objects) {
  constexpr std::int64_t magic_size = 15;
  auto const fail = [&](std::int64_t at, std::string const& what) { throw io_error(std::string(path), at, what); };
  if (!is_torch_stream(bytes)) {
    fail(0, "is no stream of torch.save; make the file again");
  }
  pickle_reader<torch_pickle_objects> reader(path, bytes, magic_size, values, objects);
  auto const* const version = reader.read().template get_if<std::int64_t>();
  if (version == nullptr || *version != 1001) {
    fail(magic_size, "is of a version of torch.save that is not known; save it with PyTorch 1.6 or newer");
  }
  auto const system_at = reader.position();
  auto const* const system = reader.read().template get_if<pickle_dict>();
  auto const* const order = system == nullptr ? nullptr : system->find("little_endian");
  auto const* const little = order == nullptr ? nullptr : order->get_if<bool>();
  if (little == nullptr || !*little) {
    fail(system_at, "was written on a big-endian machine; save it again on another");
  }
  auto const& root = reader.read();
  auto const keys_at = reader.position();
  auto const* const keys = reader.read().template get_if<pickle_list>();
  if (keys == nullptr || keys->items.size() != objects.storages().size()) {
    fail(keys_at, "does not list its storages; make the file again");
  }
  auto at = reader.position();
  auto const left = [&] { return bytes.size() - at; };
  for (auto const* item : keys->items) {
    auto const* const key = item->template get_if<std::string_view>();
    auto const found = key == nullptr ? objects.storages().end() : objects.storages().find(*key);
    if (found == objects.storages().end()) {
      fail(keys_at, "lists a storage that no tensor has; make the file again");
    }
    auto& storage = *found->second->template get_if<pickle_storage>();
    std::int64_t count = 0;
    if (left() < 8) {
      fail(bytes.size(), "ends before the elements of its tensors; make the file again");
    }
    std::memcpy(&count, bytes.data() + at, 8);
    at += 8;
    if (count != storage.count || count > left() / glt::detail::size_of(storage.type)) {
      fail(at - 8, glt::detail::message("has ", count, " elements in a storage of ", storage.count, " and ", left(),
                                        " bytes; make the file again"));
    }
    storage.bytes = {bytes.data() + at, count * glt::detail::size_of(storage.type)};
    at += storage.bytes.size();
  }
  return root;
}

inline pickle_value torch_pickle_objects::call(pickle_values& values, pickle_name const& name,
                                               std::span<pickle_value const* const> args) {
  if (name.module == "torch._utils" && name.name == "_rebuild_parameter" && !args.empty()) {
    return {torch_argument<pickle_tensor>(*args[0], "content")};
  }
  if (name.module == "torch._utils") {
    return tensor(args, name.name == "_rebuild_tensor_v3");
  }
  if (name.module == "torch" && name.name == "Size" && args.size() == 1) {
    return {torch_argument<pickle_tuple>(*args[0], "size")};
  }
  if (name.module == "torch.storage" && name.name == "_load_from_bytes" && args.size() == 1 && !nested_) {
    auto const& content = torch_argument<pickle_bytes>(*args[0], "storage").content;
    torch_pickle_objects inner(path_, true);
    auto const& root = read_torch_stream(
        path_, {reinterpret_cast<std::byte const*>(content.data()), std::ssize(content)}, values, inner);
    static_cast<void>(storage_of(root));
    return root;
  }
  return numpy_pickle_objects::knows(name) ? numpy_.call(values, name, args) : plain_.call(values, name, args);
}

} // namespace glt::io::detail
