// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with tests/support/fuzz_main.cpp, or with -fsanitize=fuzzer and without it. The first byte of an input chooses
// whether the others are a pickle of plain values or a file of tensors, of any of the forms that there are.
#include "support/fuzz.hpp"
#include "support/pickle_writer.hpp"
#include "support/scratch.hpp"

#include <glt/io/peers/detail/pickle.hpp>
#include <glt/io/peers/torch_file.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

void read_plain(std::string_view content) {
  glt::io::detail::pickle_values values;
  glt::io::detail::plain_pickle_objects objects;
  glt::io::detail::pickle_reader<glt::io::detail::plain_pickle_objects> reader(
      "input", {reinterpret_cast<std::byte const*>(content.data()), std::ssize(content)}, 0, values, objects);
  while (!reader.at_end()) {
    glt_test::insist(!reader.read().kind().empty(), "every value is of some kind");
  }
}

void read_tensor(glt::io::detail::torch_file const& file, glt::io::detail::pickle_value const& value,
                 std::size_t length) {
  if (value.get_if<glt::io::detail::pickle_tensor>() != nullptr) {
    auto const tensor = file.read(value);
    glt_test::insist(static_cast<std::size_t>(tensor.bytes().size()) <= length, "a tensor is no larger than its file");
  }
}

void read_file(std::string const& content) {
  static glt_test::scratch_folder const scratch;
  glt_test::write_bytes(scratch / "input", content);
  glt::io::detail::torch_file const file(scratch / "input");
  for (auto const* root : file.roots()) {
    read_tensor(file, *root, content.size());
    if (auto const* const dict = root->get_if<glt::io::detail::pickle_dict>()) {
      for (auto const& [key, value] : dict->entries) {
        read_tensor(file, *value, content.size());
      }
    }
  }
}

} // namespace

std::vector<std::string> glt_test::fuzz_seeds() {
  using namespace pickled;
  torch_writer writer;
  auto const storage = writer.storage(std::vector<float>{1, 2, 3, 4, 5, 6});
  auto const root = dict({{text("a"), torch_writer::tensor(storage, 0, {3, 2}, {1, 3})},
                          {text("b"), writer.tensor(std::vector<std::int64_t>{7, 8})},
                          {tuple({text("u"), text("to"), text("v")}), none()}});
  scratch_folder const scratch;
  writer.save(scratch / "seed", root);
  auto const protocol_5 = std::string("\x80\x05\x95\x20\0\0\0\0\0\0\0}\x94(\x8c\x01x\x94]\x94(K\x01\x88Nu.", 27);
  return {std::string("\0", 1) + whole(dict({{text("num_parts"), integer(2)}, {text("types"), list({text("a")})}})),
          std::string("\0", 1) + whole("]q\x01h\x01"
                                       "a"
                                       "2\x86"),
          std::string("\0", 1) + whole(call(name("collections", "defaultdict"), {name("builtins", "dict")})),
          std::string("\0", 1) + protocol_5,
          "\1" + writer.stream(root),
          "\1" + pickle_tensor(std::vector<float>{1, 2}, {2}) + pickle_tensor(std::vector<float>{3}, {1}),
          "\1" + whole(numpy_array(std::vector<std::int64_t>{-1, 2}, "i8", {2, 1})),
          "\1" + read_bytes(scratch / "seed")};
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::string const content(data + 1, data + size);
  try {
    if (data[0] % 2 == 0) {
      read_plain(content);
    } else {
      read_file(content);
    }
  } catch (glt::io_error const&) {
  }
  return 0;
}
