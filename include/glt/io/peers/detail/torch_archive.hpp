// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/npz.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/libraries.hpp>
#include <glt/memory/memory.hpp>

#include <zip.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace glt::io::detail {

/// Archive that torch.save writes since PyTorch 1.6: one folder with data.pkl and the elements of every storage, all
/// uncompressed.
///
/// @source pytorch/pytorch, caffe2/serialize/inline_container.h
class torch_archive {
public:
  /// @throws io_error  if there is no such file, or it is not such an archive
  explicit torch_archive(std::filesystem::path const& path) : path_(path.string()), length_(input_file(path).size()) {
    int code = 0;
    zip_.reset(zip_open(path_.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
    if (!zip_) {
      fail(glt::detail::message("is no whole archive of torch.save (libzip error ", code, "); make it again"));
    }
    constexpr std::string_view name = "/data.pkl";
    auto const count = zip_get_num_entries(zip_.get(), 0);
    for (zip_int64_t i = 0; i < count && folder_.empty(); ++i) {
      auto const* const entry = zip_get_name(zip_.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
      std::string_view const text = entry == nullptr ? "" : entry;
      if (text.ends_with(name) && text.find('/') == text.size() - name.size()) {
        folder_ = text.substr(0, text.size() - name.size() + 1);
      }
    }
    if (folder_.empty()) {
      fail("has no data.pkl in a folder; make it again with torch.save");
    }
  }

  [[nodiscard]] bool has(std::string const& name) const { return find(name) >= 0; }

  /// Returns the bytes of a file of the archive; never more than the archive has.
  ///
  /// @throws io_error  if there is no such file, or it is compressed
  [[nodiscard]] std::int64_t size(std::string const& name) const {
    auto const index = find(name);
    zip_stat_t about;
    if (index < 0 || zip_stat_index(zip_.get(), static_cast<zip_uint64_t>(index), 0, &about) != 0) {
      fail("has no file " + name + "; make it again with torch.save");
    }
    if ((about.valid & ZIP_STAT_COMP_METHOD) == 0 || about.comp_method != ZIP_CM_STORE) {
      fail("has the file " + name + " in compressed form; make it again with torch.save, which compresses nothing");
    }
    if ((about.valid & ZIP_STAT_SIZE) == 0 || about.size > static_cast<zip_uint64_t>(length_)) {
      fail("has the file " + name + ", longer than all of it; make it again with torch.save");
    }
    return static_cast<std::int64_t>(about.size);
  }

  /// Reads a file of the archive.
  ///
  /// @throws io_error  as `size`, and if the file's checksum does not match its bytes
  [[nodiscard]] buffer<device::cpu, std::byte> read(std::string const& name) const {
    buffer<device::cpu, std::byte> bytes(size(name));
    zip_member member(zip_.get(), static_cast<std::uint64_t>(find(name)), bytes.size(), path_ + "/" + name);
    member.read(bytes.data(), bytes.size());
    member.check_end();
    return bytes;
  }

private:
  struct discard {
    void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
  };

  [[noreturn]] void fail(std::string const& what) const { throw io_error(path_, 0, what); }

  [[nodiscard]] zip_int64_t find(std::string const& name) const {
    return zip_name_locate(zip_.get(), (folder_ + name).c_str(), ZIP_FL_ENC_RAW);
  }

  std::string path_;
  std::int64_t length_;
  std::unique_ptr<zip_t, discard> zip_{};
  std::string folder_{};
};

} // namespace glt::io::detail
