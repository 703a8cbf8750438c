// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/torch_file.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/pickle_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace glt::io;
using namespace glt_test::pickled;
using glt_test::names;
using glt_test::torch_writer;

namespace {

template <class T>
std::vector<T> elements(array const& values) {
  return {values.values<T>().begin(), values.values<T>().end()};
}

std::string refused(std::filesystem::path const& path) {
  return glt_test::thrown<glt::io_error>([&] { static_cast<void>(read_torch_tensor(path)); });
}

using shape = std::vector<std::int64_t>;
using floats = std::vector<float>;

} // namespace

TEST_CASE("Contiguous, transposed and cut-out tensors come out in C order") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  floats const values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  auto const read = [&](std::int64_t offset, shape const& sizes, shape const& strides) {
    torch_writer writer;
    auto const root = torch_writer::tensor(writer.storage(values), offset, sizes, strides);
    writer.save(path, root);
    auto made = read_torch_tensor(path);
    glt_test::write_bytes(path, writer.stream(root));
    auto const streamed = read_torch_tensor(path);
    CHECK(streamed.shape() == made.shape());
    CHECK(elements<float>(streamed) == elements<float>(made));
    CHECK(made.shape() == sizes);
    return elements<float>(made);
  };
  CHECK(read(0, {3, 4}, {4, 1}) == values);
  CHECK(read(0, {4, 3}, {1, 4}) == floats{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  CHECK(read(5, {2, 2}, {4, 1}) == floats{5, 6, 9, 10});
  CHECK(read(4, {4}, {1}) == floats{4, 5, 6, 7});
  CHECK(read(11, {}, {}) == floats{11});
  CHECK(read(0, {0, 5}, {5, 1}) == floats{});
  CHECK(read(12, {0}, {1}) == floats{});
  CHECK(read(1, {2, 3}, {0, 4}) == floats{1, 5, 9, 1, 5, 9}); // expanded, but no larger than the storage
  CHECK(read(0, {2, 1, 3, 2}, {6, 77, 1, 3}) == floats{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11});
}

TEST_CASE("Elements of 16 bits and truth values keep their bytes, and the latter are known") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  for (auto const& [type, expected] :
       std::vector<std::pair<std::string, glt::element_type>>{{"Half", glt::element_type::float16},
                                                              {"BFloat16", glt::element_type::bfloat16},
                                                              {"Short", glt::element_type::int16}}) {
    torch_writer writer;
    auto const root = torch_writer::tensor(writer.storage(type, "abcd", 2), 0, {2}, {1});
    writer.save(path, root);
    auto const values = read_torch_tensor(path);
    CHECK(values.type() == expected);
    CHECK(std::string(reinterpret_cast<char const*>(values.bytes().data()), 4) == "abcd");
  }
  torch_writer writer;
  auto const root = torch_writer::tensor(writer.storage("Bool", std::string("\0\1\1", 3), 3), 0, {3}, {1});
  writer.save(path, root);
  auto const read = read_torch_tensor(path);
  CHECK(elements<std::uint8_t>(read) == std::vector<std::uint8_t>{0, 1, 1});
  CHECK(read.is_bool());
  torch_writer bytes;
  auto const plain = torch_writer::tensor(bytes.storage("Byte", "abc", 3), 0, {3}, {1});
  bytes.save(path, plain);
  CHECK_FALSE(read_torch_tensor(path).is_bool());
  glt_test::write_bytes(path, whole(numpy_array(std::string("\0\1", 2), "b1", {2})));
  CHECK(read_torch_tensor(path).is_bool());
}

TEST_CASE("Arrays of NumPy are read as tensors are, from archives, streams and plain pickles") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  std::vector<std::int64_t> const values{1, -2, 300, std::int64_t{1} << 40, 0x80, 0xFF};
  for (bool const as_text : {true, false}) {
    for (bool const columns_first : {false, true}) {
      auto const root = numpy_array(values, "i8", {3, 2}, columns_first, as_text);
      auto const check = [&] {
        auto const made = read_torch_tensor(path);
        CHECK(made.shape() == shape{3, 2});
        CHECK(elements<std::int64_t>(made) ==
              (columns_first ? std::vector<std::int64_t>{1, std::int64_t{1} << 40, -2, 0x80, 300, 0xFF} : values));
      };
      torch_writer writer;
      writer.save(path, root);
      check();
      glt_test::write_bytes(path, writer.stream(root));
      check();
      glt_test::write_bytes(path, whole(root));
      check();
    }
  }
  glt_test::write_bytes(path, whole(numpy_array(floats{}, "f4", {0, 5})));
  CHECK(read_torch_tensor(path).shape() == shape{0, 5});
}

TEST_CASE("Arrays of NumPy that are no numbers, or not whole, are refused") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  auto const fault = [&](std::string const& root) {
    glt_test::write_bytes(path, whole(root));
    return refused(path);
  };
  CHECK(names(fault(numpy_array("abcd", "U1", {1})), "elements 'U1'", "astype"));
  CHECK(names(fault(numpy_array("abcd", "i4", {2})), "shape (2,) in 4 bytes"));
  CHECK(names(fault(numpy_array("abcde", "i4", {1})), "shape (1,) in 5 bytes"));
  CHECK(names(fault(numpy_array("abcd", "i4", {-1})), "shape (-1,)"));
  auto big = numpy_array("abcd", "i4", {1});
  CHECK(names(fault(big.replace(big.find(text("<")), text("<").size(), text(">"))), "big-endian"));
  auto const empty =
      call(name("numpy.core.multiarray", "_reconstruct"), {name("numpy", "ndarray"), integers({0}), bytes("b")});
  CHECK(names(fault(empty), "an array without elements"));
  CHECK(names(fault(empty + integer(1) + "b"), "form that is not known"));
  CHECK(names(fault(call(name("_codecs", "encode"), {text("\xE2\x82\xAC"), text("latin1")})), "no text of Latin-1"));
  CHECK(names(fault(name("numpy", "ndarray") + none() + "b"), "instance of a class"));
}

TEST_CASE("Tensors of a dictionary are read one by one and may share a storage") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  torch_writer writer;
  auto const storage = writer.storage(std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
  auto const root = dict({{text("a"), torch_writer::tensor(storage, 0, {3}, {1})},
                          {text("b"), torch_writer::tensor(storage, 3, {3}, {1})},
                          {text("none"), none()},
                          {text("size"), integers({3, 3})}});
  writer.save(path, root);
  glt::io::detail::torch_file file(path);
  glt::io::detail::torch_file const moved(std::move(file));
  REQUIRE(moved.roots().size() == 1);
  auto const& all = *moved.roots().front();
  CHECK(elements<std::int64_t>(moved.read(*moved.find(all, "a"))) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(elements<std::int64_t>(moved.read(*moved.find(all, "b"))) == std::vector<std::int64_t>{4, 5, 6});
  CHECK(moved.find(all, "none") == nullptr);
  CHECK(moved.find(all, "other") == nullptr);
  CHECK(names(glt_test::thrown<glt::io_error>([&] { static_cast<void>(moved.read(*moved.find(all, "size"))); }),
              "a tuple where a tensor belongs"));
  CHECK(names(glt_test::thrown<glt::io_error>([&] { static_cast<void>(moved.find(*moved.find(all, "size"), "k")); }),
              "a tuple where a dict with k belongs"));
}

TEST_CASE("Pickles of chunks are joined along the first dimension") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "feats.pkl";
  auto const first = glt_test::pickle_tensor(floats{1, 2, 3, 4}, {2, 2});
  auto const second = glt_test::pickle_tensor(floats{5, 6}, {1, 2});
  glt_test::write_bytes(path, first + second + glt_test::pickle_tensor(floats{}, {0, 2}));
  auto const joined = read_torch_tensor(path);
  CHECK(joined.shape() == shape{3, 2});
  CHECK(elements<float>(joined) == floats{1, 2, 3, 4, 5, 6});
  glt_test::write_bytes(path, first + glt_test::pickle_tensor(floats{5, 6, 7}, {1, 3}));
  CHECK(names(refused(path), "different types or row sizes"));
  glt_test::write_bytes(path, first + glt_test::pickle_tensor(std::vector<double>{5, 6}, {1, 2}));
  CHECK(names(refused(path), "different types or row sizes"));
  glt_test::write_bytes(path, first + second.substr(0, second.size() - 1));
  CHECK(names(refused(path), "ends 1 bytes early"));
  glt_test::write_bytes(path, first + "junk");
  CHECK(refused(path) != "(nothing was thrown)");
}

TEST_CASE("Tensors that do not lie within their storage are refused, however large they say they are") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  constexpr auto huge = std::int64_t{1} << 62;
  auto const fault = [&](std::int64_t offset, shape const& sizes, shape const& strides) {
    torch_writer writer;
    auto const root = torch_writer::tensor(writer.storage(floats{1, 2, 3, 4}), offset, sizes, strides);
    writer.save(path, root);
    return refused(path);
  };
  CHECK(names(fault(0, {5}, {1}), "x.pt", "shape (5,)", "storage of 4 elements"));
  CHECK(names(fault(1, {4}, {1}), "shape (4,)"));
  CHECK(names(fault(0, {2}, {4}), "does not fit"));
  CHECK(names(fault(0, {2, 2}, {3, 1}), "does not fit"));
  CHECK(names(fault(4, {}, {}), "does not fit"));
  CHECK(names(fault(-1, {1}, {1}), "does not fit"));
  CHECK(names(fault(0, {-1}, {1}), "does not fit"));
  CHECK(names(fault(0, {2}, {-1}), "does not fit"));
  CHECK(names(fault(0, {2, 2}, {1}), "does not fit"));
  CHECK(names(fault(0, {huge}, {0}), "does not fit"));
  CHECK(names(fault(0, {huge, huge, huge}, {0, 0, 0}), "does not fit"));
  CHECK(names(fault(0, {2, 2}, {huge, huge}), "does not fit"));
  CHECK(names(fault(huge, {1}, {1}), "does not fit"));
  CHECK(names(fault(0, {1000}, {0}), "contiguous()"));
}

TEST_CASE("Archives whose storages contradict the pickle are refused") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  torch_writer writer;
  auto const tensor = torch_writer::tensor(writer.storage("Float", "12345678", 3), 0, {2}, {1});
  writer.save(path, tensor);
  CHECK(names(refused(path), "8 bytes for a storage of 3 elements"));
  torch_writer const none_stored;
  none_stored.save(path, tensor);
  CHECK(names(refused(path), "no file data/0"));
  glt_test::write_archive(path, {{"a/data.pkl", whole(tensor)}, {"a/data/0", "123"}, {"a/byteorder", "big"}});
  CHECK(names(refused(path), "big-endian"));
  glt_test::write_archive(path,
                          {{"a/data.pkl", whole(tensor)}, {"a/data/0", "123456789abc"}, {"a/byteorder", "little"}});
  CHECK(read_torch_tensor(path).shape() == shape{2});
}

TEST_CASE("Code in a file is refused and not run") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  auto const proof = dir / "proof";
  auto const attack = call(name("posix", "system"), {text("touch " + proof.string())});
  torch_writer writer;
  auto const tensor = writer.tensor(floats{1});
  for (auto const& root : {attack, tuple({tensor, attack}), dict({{attack, tensor}})}) {
    writer.save(path, root);
    CHECK(names(refused(path), "x.pt/data.pkl", "posix.system", "nothing in a file is executed"));
    glt_test::write_bytes(path, writer.stream(root));
    CHECK(names(refused(path), "posix.system"));
    glt_test::write_bytes(path, whole(root));
    CHECK(refused(path) != "(nothing was thrown)");
  }
  CHECK_FALSE(std::filesystem::exists(proof));
}

TEST_CASE("Files that hold no tensors are refused") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  CHECK(names(refused(path), "no such file"));
  glt_test::write_bytes(path, "");
  CHECK(names(refused(path), "ends 1 bytes early"));
  glt_test::write_bytes(path, "P");
  CHECK(refused(path) != "(nothing was thrown)");
  glt_test::write_bytes(path, "PK");
  CHECK(names(refused(path), "no whole archive"));
  torch_writer writer;
  glt_test::write_bytes(path, whole(writer.tensor(floats{1})));
  CHECK(names(refused(path), "storages that are not in it"));
  glt_test::write_bytes(path, whole(integer(1)));
  CHECK(names(refused(path), "an integer where a tensor belongs"));
}
