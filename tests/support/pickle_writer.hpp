// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <zip.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "scratch.hpp"

// Opcodes of Python pickles of protocol 2, as torch.save writes them: every function gives the bytes that put one value
// on the stack.
namespace glt_test::pickled {

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

inline std::string none() {
  return "N";
}
inline std::string boolean(bool value) {
  return value ? "\x88" : "\x89";
}
inline std::string integer(std::int64_t value) {
  return "\x8a\x08" + bytes_of(value);
} // LONG1
inline std::string text(std::string_view value) { // BINUNICODE
  return "X" + bytes_of(static_cast<std::uint32_t>(value.size())) + std::string(value);
}
inline std::string bytes(std::string_view value) { // BINBYTES
  return "B" + bytes_of(static_cast<std::uint32_t>(value.size())) + std::string(value);
}

inline std::string joined(std::vector<std::string> const& values) {
  std::string all;
  for (auto const& value : values) {
    all += value;
  }
  return all;
}
inline std::string tuple(std::vector<std::string> const& values) {
  return "(" + joined(values) + "t";
}
inline std::string list(std::vector<std::string> const& values) {
  return "](" + joined(values) + "e";
}
inline std::string items(std::vector<std::pair<std::string, std::string>> const& entries) {
  std::string all = "(";
  for (auto const& [key, value] : entries) {
    all += key + value;
  }
  return all + "u";
}
inline std::string dict(std::vector<std::pair<std::string, std::string>> const& entries) {
  return "}" + items(entries);
}
inline std::string name(std::string const& module, std::string const& word) {
  return "c" + module + "\n" + word + "\n";
}
inline std::string call(std::string const& function, std::vector<std::string> const& args) {
  return function + tuple(args) + "R";
}
inline std::string ordered_dict() {
  return call(name("collections", "OrderedDict"), {});
}
inline std::string integers(std::vector<std::int64_t> const& values) {
  std::vector<std::string> all;
  for (auto const value : values) {
    all.push_back(integer(value));
  }
  return tuple(all);
}
/// An array of NumPy; its bytes are text, as in protocol 2, or bytes.
inline std::string numpy_array(std::string_view content, std::string const& type,
                               std::vector<std::int64_t> const& shape, bool columns_first = false,
                               bool as_text = true) {
  std::string latin;
  for (char const letter : content) {
    auto const code = static_cast<unsigned char>(letter);
    latin += code < 0x80
                 ? std::string(1, letter)
                 : std::string{static_cast<char>(0xC0U | code >> 6U), static_cast<char>(0x80U | (code & 0x3FU))};
  }
  auto const dtype = call(name("numpy", "dtype"), {text(type), boolean(false), boolean(true)}) +
                     tuple({integer(3), text("<"), none(), none(), none(), integer(-1), integer(-1), integer(0)}) + "b";
  auto const elements = as_text ? call(name("_codecs", "encode"), {text(latin), text("latin1")}) : bytes(content);
  return call(name("numpy.core.multiarray", "_reconstruct"), {name("numpy", "ndarray"), integers({0}), bytes("b")}) +
         tuple({integer(1), integers(shape), dtype, boolean(columns_first), elements}) + "b";
}
template <class T>
std::string numpy_array(std::vector<T> const& values, std::string const& type, std::vector<std::int64_t> const& shape,
                        bool columns_first = false, bool as_text = true) {
  return numpy_array({reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)}, type, shape,
                     columns_first, as_text);
}
inline std::string whole(std::string const& value) {
  return "\x80\x02" + value + ".";
}

} // namespace glt_test::pickled

namespace glt_test {

/// Puts files into an archive, stored as they are unless `deflate`.
inline void write_archive(std::filesystem::path const& path,
                          std::vector<std::pair<std::string, std::string>> const& files, bool deflate = false) {
  int code = 0;
  auto* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (archive == nullptr) {
    throw std::runtime_error("no archive");
  }
  for (auto const& [name, content] : files) {
    auto* const source = zip_source_buffer(archive, content.data(), content.size(), 0);
    auto const index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  if (zip_close(archive) != 0) {
    throw std::runtime_error("archive not written");
  }
}

/// Writes what torch.save writes: in archives, and in streams as before PyTorch 1.6.
class torch_writer {
public:
  /// A storage of the elements of one type of torch, such as "Float".
  std::string storage(std::string const& type, std::string bytes, std::int64_t count) {
    storages_.emplace_back(std::move(bytes), count);
    auto const key = std::to_string(storages_.size() - 1);
    ids_.push_back(pickled::tuple({pickled::text("storage"), pickled::name("torch", type + "Storage"),
                                   pickled::text(key), pickled::text("cpu"), pickled::integer(count)}) +
                   "Q");
    return ids_.back();
  }

  template <class T>
  std::string storage(std::vector<T> const& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    if (!values.empty()) {
      std::memcpy(bytes.data(), values.data(), bytes.size());
    }
    return storage(type<T>(), std::move(bytes), std::ssize(values));
  }

  static std::string tensor(std::string const& storage, std::int64_t offset, std::vector<std::int64_t> const& sizes,
                            std::vector<std::int64_t> const& strides) {
    return pickled::call(pickled::name("torch._utils", "_rebuild_tensor_v2"),
                         {storage, pickled::integer(offset), pickled::integers(sizes), pickled::integers(strides),
                          pickled::boolean(false), pickled::ordered_dict()});
  }

  /// A tensor with a storage of its own.
  template <class T>
  std::string tensor(std::vector<T> const& values, std::vector<std::int64_t> const& sizes) {
    return tensor(storage(values), 0, sizes, contiguous(sizes));
  }
  template <class T>
  std::string tensor(std::vector<T> const& values) {
    return tensor(values, {std::ssize(values)});
  }

  static std::vector<std::int64_t> contiguous(std::vector<std::int64_t> const& sizes) {
    std::vector<std::int64_t> strides(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;) {
      strides[i - 1] = strides[i] * sizes[i];
    }
    return strides;
  }

  void save(std::filesystem::path const& path, std::string const& root) const {
    std::vector<std::pair<std::string, std::string>> files{{"archive/data.pkl", pickled::whole(root)}};
    for (std::size_t i = 0; i < storages_.size(); ++i) {
      files.emplace_back("archive/data/" + std::to_string(i), storages_[i].first);
    }
    files.emplace_back("archive/version", "3\n");
    write_archive(path, files);
  }

  [[nodiscard]] std::string stream(std::string root) const {
    using namespace pickled;
    // Streams have one more item in the ids of storages: None, or the view that a storage was.
    for (auto const& id : ids_) {
      for (auto i = root.find(id); i != std::string::npos; i = root.find(id, i + id.size())) {
        root.insert(i + id.size() - 2, "N");
      }
    }
    std::string all = std::string("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8P\x19.", 15) + whole(integer(1001)) +
                      whole(dict({{text("protocol_version"), integer(1001)}, {text("little_endian"), boolean(true)}})) +
                      whole(root);
    std::vector<std::string> keys;
    std::string elements;
    for (std::size_t i = 0; i < storages_.size(); ++i) {
      keys.push_back(text(std::to_string(i)));
      elements += bytes_of(storages_[i].second) + storages_[i].first;
    }
    return all + whole(list(keys)) + elements;
  }

private:
  template <class T>
  static std::string type() {
    if constexpr (std::is_same_v<T, float>) {
      return "Float";
    } else if constexpr (std::is_same_v<T, double>) {
      return "Double";
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
      return "Int";
    } else {
      static_assert(std::is_same_v<T, std::int64_t>);
      return "Long";
    }
  }

  std::vector<std::pair<std::string, std::int64_t>> storages_{};
  std::vector<std::string> ids_{};
};

/// Saves one tensor to an archive.
template <class T>
void save_tensor(std::filesystem::path const& path, std::vector<T> const& values,
                 std::vector<std::int64_t> const& sizes) {
  torch_writer writer;
  auto const root = writer.tensor(values, sizes);
  writer.save(path, root);
}
template <class T>
void save_tensor(std::filesystem::path const& path, std::vector<T> const& values) {
  save_tensor(path, values, {std::ssize(values)});
}

/// Saves a tensor of `count` elements of bool, which are true.
inline void save_bools(std::filesystem::path const& path, std::int64_t count) {
  torch_writer writer;
  auto const all = writer.storage("Bool", std::string(static_cast<std::size_t>(count), '\1'), count);
  auto const root = torch_writer::tensor(all, 0, {count}, {1});
  writer.save(path, root);
}

/// A tensor as Python's pickle writes it: its storage is a stream inside of the pickle.
template <class T>
std::string pickle_tensor(std::vector<T> const& values, std::vector<std::int64_t> const& sizes) {
  using namespace pickled;
  torch_writer inner;
  auto const content = inner.storage(values);
  auto const storage = call(name("torch.storage", "_load_from_bytes"), {bytes(inner.stream(content))});
  return whole(torch_writer::tensor(storage, 0, sizes, torch_writer::contiguous(sizes)));
}

} // namespace glt_test
