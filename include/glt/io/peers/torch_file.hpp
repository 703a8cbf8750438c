// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/element_type.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/peers/detail/pickle.hpp>
#include <glt/io/peers/detail/pickle_value.hpp>
#include <glt/io/peers/detail/torch_archive.hpp>
#include <glt/io/peers/detail/torch_pickle.hpp>
#include <glt/memory/memory.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glt::io {

namespace detail {

// Returns the number of elements of a tensor that lies within `available` elements of its storage and is not larger;
// nothing for other tensors.
inline std::optional<std::int64_t> count_tensor(pickle_tensor const& tensor, std::int64_t available) {
  auto const count = count_elements(tensor.sizes);
  if (!count || *count > available || tensor.sizes.size() != tensor.strides.size() || tensor.offset < 0 ||
      tensor.offset > available || tensor.sizes.size() > 64) {
    return std::nullopt;
  }
  auto left = available - tensor.offset;
  for (std::size_t i = 0; *count > 0 && i < tensor.sizes.size(); ++i) {
    auto const steps = tensor.sizes[i] - 1;
    if (tensor.strides[i] < 0 || (steps > 0 && tensor.strides[i] > left / steps)) {
      return std::nullopt;
    }
    left -= steps * tensor.strides[i];
  }
  return *count == 0 || left > 0 ? count : std::nullopt;
}

inline bool is_contiguous(pickle_tensor const& tensor) {
  std::int64_t expected = 1;
  for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
    if (tensor.sizes[i] != 1 && tensor.strides[i] != expected) {
      return false;
    }
    expected *= tensor.sizes[i];
  }
  return true;
}

// Copies the elements in C order; the tensor was counted.
inline void copy_tensor(pickle_tensor const& tensor, std::int64_t count, std::byte const* storage, std::byte* out) {
  auto const element = glt::detail::size_of(tensor.type);
  if (count == 0) {
    return;
  }
  if (is_contiguous(tensor)) {
    std::memcpy(out, storage + tensor.offset * element, static_cast<std::size_t>(count * element));
    return;
  }
  std::vector<std::int64_t> index(tensor.sizes.size(), 0);
  auto from = tensor.offset;
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(out + i * element, storage + from * element, static_cast<std::size_t>(element));
    for (std::size_t d = index.size(); d-- > 0;) {
      from += tensor.strides[d];
      if (++index[d] < tensor.sizes[d]) {
        break;
      }
      from -= tensor.strides[d] * tensor.sizes[d];
      index[d] = 0;
    }
  }
}

/// File of torch.save, or Python's pickles of tensors; reading it executes nothing.
///
/// Tensors, and NumPy's arrays, are read on request; bool is an `array::of_bool`. Accepts archives of PyTorch 1.6 and
/// newer, the streams of older versions, and several pickles one after the other in a file.
///
/// @source pytorch/pytorch, torch/serialization.py and torch/_utils.py
class torch_file {
public:
  /// @throws io_error  if there is no such file, it is damaged, or it holds more than tensors and plain containers
  /// @cost   the file's length in memory for streams and pickles, the pickle alone for archives
  explicit torch_file(std::filesystem::path path) : path_(std::move(path)) {
    input_file file(path_);
    std::byte start[4]{};
    file.read(start, std::min<std::int64_t>(file.size(), 4));
    if (std::memcmp(start, "PK", 2) == 0) {
      archive_.emplace(path_);
      open_archive();
    } else {
      input_file whole(path_);
      bytes_ = buffer<device::cpu, std::byte>(whole.size());
      whole.read(bytes_.data(), whole.size());
      open_pickles();
    }
  }

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

  /// Returns the values of the pickles in the file; torch.save writes one pickle.
  [[nodiscard]] std::vector<pickle_value const*> const& roots() const noexcept { return roots_; }

  /// Reads a tensor of this file.
  ///
  /// @throws io_error  if it is not a tensor, does not lie within its storage, is larger than its storage because it
  ///                   overlaps itself, or its bytes are damaged
  [[nodiscard]] array read(pickle_value const& value) const {
    auto const* const tensor = value.get_if<pickle_tensor>();
    if (tensor == nullptr || tensor->storage == nullptr) {
      fail(glt::detail::message("has ", tensor == nullptr ? value.kind() : "an array without elements",
                                " where a tensor belongs; torch.save a tensor"));
    }
    auto const& storage = *tensor->storage;
    bool const apart = archive_ && !storage.key.empty(); // NumPy's arrays are in the pickle
    auto const entry = apart ? "data/" + std::string(storage.key) : std::string();
    auto const stored = apart ? archive_->size(entry) : storage.bytes.size();
    auto const element = glt::detail::size_of(tensor->type);
    if (storage.count != stored / glt::detail::size_of(storage.type) || stored % element != 0) {
      fail(glt::detail::message("has ", stored, " bytes for a storage of ", storage.count, " elements; make it again"));
    }
    auto const count = detail::count_tensor(*tensor, stored / element);
    if (!count) {
      fail(glt::detail::message("has a tensor of shape ", detail::shape_text(tensor->sizes),
                                " that does not fit its storage of ", stored / element,
                                " elements; torch.save its contiguous()"));
    }
    auto const made = [tensor](buffer<device::cpu, std::byte> bytes) {
      return tensor->is_bool ? array::of_bool(tensor->sizes, std::move(bytes))
                             : array(tensor->type, tensor->sizes, std::move(bytes));
    };
    if (apart && tensor->offset == 0 && *count * element == stored && detail::is_contiguous(*tensor)) {
      return made(archive_->read(entry));
    }
    buffer<device::cpu, std::byte> out(*count * element);
    auto const own = apart ? archive_->read(entry) : buffer<device::cpu, std::byte>();
    detail::copy_tensor(*tensor, *count, apart ? own.data() : storage.bytes.data(), out.data());
    return made(std::move(out));
  }

  /// Returns the value of a text key of a dictionary; null if there is none or it is None.
  ///
  /// @throws io_error  if the value is not a dictionary
  [[nodiscard]] pickle_value const* find(pickle_value const& value, std::string_view key) const {
    auto const* const dict = value.get_if<pickle_dict>();
    if (dict == nullptr) {
      fail(glt::detail::message("has ", value.kind(), " where a dict with ", key, " belongs; make it again"));
    }
    auto const* const found = dict->find(key);
    return found == nullptr || found->get_if<pickle_none>() != nullptr ? nullptr : found;
  }

  [[noreturn]] void fail(std::string const& what) const { throw io_error(path_.string(), 0, what); }

private:
  void open_archive() {
    if (archive_->has("byteorder")) {
      auto const order = archive_->read("byteorder");
      if (std::string_view(reinterpret_cast<char const*>(order.data()), static_cast<std::size_t>(order.size())) !=
          "little") {
        fail("was written on a big-endian machine; save it again on another");
      }
    }
    bytes_ = archive_->read("data.pkl");
    auto const name = path_.string() + "/data.pkl";
    torch_pickle_objects objects(name);
    pickle_reader<torch_pickle_objects> reader(name, bytes_.view(), 0, values_, objects);
    roots_.push_back(&reader.read());
  }

  void open_pickles() {
    auto const name = path_.string();
    if (is_torch_stream(bytes_.view())) {
      torch_pickle_objects objects(name);
      roots_.push_back(&read_torch_stream(name, bytes_.view(), values_, objects));
      return;
    }
    std::int64_t at = 0;
    do {
      torch_pickle_objects objects(name);
      pickle_reader<torch_pickle_objects> reader(name, bytes_.view(), at, values_, objects);
      roots_.push_back(&reader.read());
      at = reader.position();
      if (!objects.storages().empty()) {
        fail("refers to storages that are not in it; make it again with torch.save");
      }
    } while (at < bytes_.size());
  }

  std::filesystem::path path_;
  std::optional<torch_archive> archive_{};
  buffer<device::cpu, std::byte> bytes_{};
  pickle_values values_{};
  std::vector<pickle_value const*> roots_{};
};

} // namespace detail

/// Reads a file whose pickles are all tensors; several are joined along the first dimension.
///
/// @throws io_error  as `torch_file`, and if they differ in type or in the size of a row
[[nodiscard]] inline array read_torch_tensor(std::filesystem::path const& path) {
  detail::torch_file const file(path);
  auto first = file.read(*file.roots().front());
  if (file.roots().size() == 1) {
    return first;
  }
  std::vector<array> chunks;
  chunks.push_back(std::move(first));
  for (std::size_t i = 1; i < file.roots().size(); ++i) {
    chunks.push_back(file.read(*file.roots()[i]));
  }
  auto shape = chunks.front().shape();
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  for (auto const& chunk : chunks) {
    if (chunk.shape().empty() || chunk.type() != chunks.front().type() || chunk.columns() != chunks.front().columns()) {
      file.fail("has tensors of different types or row sizes; make it again");
    }
    rows += chunk.rows();
    bytes += chunk.bytes().size();
  }
  shape.front() = rows;
  buffer<device::cpu, std::byte> joined(bytes);
  auto* out = joined.data();
  for (auto const& chunk : chunks) {
    out = std::copy(chunk.bytes().begin(), chunk.bytes().end(), out);
  }
  return chunks.front().is_bool() ? array::of_bool(std::move(shape), std::move(joined))
                                  : array(chunks.front().type(), std::move(shape), std::move(joined));
}

} // namespace glt::io
