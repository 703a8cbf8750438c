// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/detail/torch_pickle.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/pickle_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

using namespace glt::io;
using namespace glt_test::pickled;
using glt_test::names;
using glt_test::torch_writer;

namespace {

// What is read lives as long as this.
struct reading {
  explicit reading(std::string content, bool stream = false) : bytes(std::move(content)) {
    glt::host_view<std::byte const> const view{reinterpret_cast<std::byte const*>(bytes.data()), std::ssize(bytes)};
    if (stream) {
      root = &glt::io::detail::read_torch_stream("x.pt", view, values, objects);
    } else {
      glt::io::detail::pickle_reader<glt::io::detail::torch_pickle_objects> reader("x.pt", view, 0, values, objects);
      root = &reader.read();
    }
  }

  std::string bytes;
  glt::io::detail::pickle_values values{};
  glt::io::detail::torch_pickle_objects objects{"x.pt"};
  glt::io::detail::pickle_value const* root = nullptr;
};

std::string refused(std::string const& bytes, bool stream = false) {
  return glt_test::thrown<glt::io_error>([&] { reading const made(bytes, stream); });
}

std::string storage(std::string const& type, std::int64_t count, std::string const& key = "0",
                    std::string const& module = "torch") {
  return tuple({text("storage"), name(module, type), text(key), text("cpu"), integer(count)}) + "Q";
}

std::string rebuild(std::string const& function, std::vector<std::string> const& args) {
  return call(name("torch._utils", function), args);
}

} // namespace

TEST_CASE("A tensor of every element type has its storage, offset, sizes and strides") {
  for (auto const& [type, expected] :
       std::vector<std::pair<std::string, glt::element_type>>{{"Char", glt::element_type::int8},
                                                              {"Byte", glt::element_type::uint8},
                                                              {"Bool", glt::element_type::uint8},
                                                              {"Short", glt::element_type::int16},
                                                              {"Int", glt::element_type::int32},
                                                              {"Long", glt::element_type::int64},
                                                              {"Half", glt::element_type::float16},
                                                              {"BFloat16", glt::element_type::bfloat16},
                                                              {"Float", glt::element_type::float32},
                                                              {"Double", glt::element_type::float64}}) {
    reading const made(whole(torch_writer::tensor(storage(type + "Storage", 12), 2, {2, 3}, {1, 4})));
    auto const* const tensor = made.root->get_if<glt::io::detail::pickle_tensor>();
    REQUIRE(tensor != nullptr);
    CHECK(tensor->type == expected);
    CHECK(tensor->storage->count == 12);
    CHECK(tensor->storage->key == "0");
    CHECK(tensor->offset == 2);
    CHECK(tensor->sizes == std::vector<std::int64_t>{2, 3});
    CHECK(tensor->strides == std::vector<std::int64_t>{1, 4});
  }
}

TEST_CASE("Every form in which tensors are saved is read") {
  auto const of = [](std::string const& content) { return reading(whole(content)); };
  auto const ends = std::vector<std::string>{integers({2}), integers({1})};
  {
    auto const made = of(rebuild("_rebuild_tensor", {storage("FloatStorage", 2), integer(0), ends[0], ends[1]}));
    CHECK(made.root->get_if<glt::io::detail::pickle_tensor>() != nullptr);
  }
  {
    auto const made = of(rebuild("_rebuild_parameter", {torch_writer::tensor(storage("FloatStorage", 2), 0, {2}, {1}),
                                                        boolean(true), ordered_dict()}));
    CHECK(made.root->get_if<glt::io::detail::pickle_tensor>() != nullptr);
  }
  {
    auto const made =
        of(rebuild("_rebuild_tensor_v3", {storage("UntypedStorage", 16, "0", "torch.storage"), integer(0), ends[0],
                                          ends[1], boolean(false), ordered_dict(), name("torch", "int64")}));
    REQUIRE(made.root->get_if<glt::io::detail::pickle_tensor>() != nullptr);
    CHECK(made.root->get_if<glt::io::detail::pickle_tensor>()->type == glt::element_type::int64);
    CHECK(made.root->get_if<glt::io::detail::pickle_tensor>()->storage->type == glt::element_type::uint8);
  }
  CHECK(
      of(call(name("torch", "Size"), {integers({2, 3})})).root->get_if<glt::io::detail::pickle_tuple>()->items.size() ==
      2);
}

TEST_CASE("Tensors that share a storage share it after reading") {
  auto const first = torch_writer::tensor(storage("LongStorage", 6), 0, {3}, {1});
  auto const second = torch_writer::tensor(storage("LongStorage", 6), 3, {3}, {1});
  reading const made(whole(list({first, second})));
  auto const& items = made.root->get_if<glt::io::detail::pickle_list>()->items;
  CHECK(items[0]->get_if<glt::io::detail::pickle_tensor>()->storage ==
        items[1]->get_if<glt::io::detail::pickle_tensor>()->storage);
  CHECK(names(refused(whole(list({first, torch_writer::tensor(storage("LongStorage", 7), 0, {3}, {1})}))),
              "two storages with the key 0"));
}

TEST_CASE("A stream of before PyTorch 1.6 has the elements behind its pickles") {
  torch_writer writer;
  auto const a = writer.tensor(std::vector<float>{1, 2, 3});
  auto const b = writer.tensor(std::vector<std::int64_t>{});
  reading const made(writer.stream(dict({{text("a"), a}, {text("b"), b}})), true);
  auto const* const dict = made.root->get_if<glt::io::detail::pickle_dict>();
  REQUIRE(dict != nullptr);
  auto const& storage = *dict->find("a")->get_if<glt::io::detail::pickle_tensor>()->storage;
  REQUIRE(storage.bytes.size() == 12);
  float third = 0;
  std::memcpy(&third, storage.bytes.data() + 8, 4);
  CHECK(third == 3);
  CHECK(dict->find("b")->get_if<glt::io::detail::pickle_tensor>()->storage->bytes.empty());
}

TEST_CASE("Streams inside of pickles are read, and streams inside of those refused") {
  reading const made(glt_test::pickle_tensor(std::vector<std::int64_t>{4, 5}, {2}));
  REQUIRE(made.root->get_if<glt::io::detail::pickle_tensor>() != nullptr);
  CHECK(made.root->get_if<glt::io::detail::pickle_tensor>()->storage->bytes.size() == 16);

  torch_writer inner;
  auto const load = name("torch.storage", "_load_from_bytes");
  auto const innermost = call(load, {bytes(inner.stream(inner.storage(std::vector<float>{1})))});
  auto const nested = call(load, {bytes(torch_writer().stream(innermost))});
  CHECK(names(refused(whole(nested)), "torch.storage._load_from_bytes", "no plain container"));
  CHECK(names(refused(whole(call(load, {bytes("junk")}))), "no stream of torch.save"));
  CHECK(names(refused(whole(call(load, {bytes(torch_writer().stream(list({})))}))), "as the storage"));
}

TEST_CASE("Damaged streams are refused") {
  torch_writer writer;
  auto const root = writer.tensor(std::vector<float>{1, 2, 3});
  auto const good = writer.stream(root);
  CHECK(glt::io::detail::is_torch_stream({reinterpret_cast<std::byte const*>(good.data()), std::ssize(good)}));
  CHECK_FALSE(glt::io::detail::is_torch_stream({reinterpret_cast<std::byte const*>(good.data()), 14}));
  for (std::size_t length = 0; length < good.size(); ++length) {
    CHECK(refused(good.substr(0, length), true) != "(nothing was thrown)");
  }
  CHECK(names(refused(good.substr(0, good.size() - 1), true), "3 elements in a storage of 3"));
  auto const head = good.substr(0, 15);
  CHECK(names(refused(head + whole(integer(1002)), true), "version of torch.save"));
  CHECK(names(refused(head + whole(integer(1001)) + whole(dict({{text("little_endian"), boolean(false)}})), true),
              "big-endian"));
  auto const system = whole(integer(1001)) + whole(dict({{text("little_endian"), boolean(true)}}));
  CHECK(names(refused(head + system + whole(root) + whole(none()), true), "does not list its storages"));
  CHECK(names(refused(head + system + whole(root) + whole(list({text("7")})), true), "no tensor has"));
  CHECK(names(refused(head + system + whole(root) + whole(list({text("0")})) + bytes_of(std::int64_t{1} << 60), true),
              "in a storage of 3"));
}

TEST_CASE("Storages and tensors that nothing can be made of are refused") {
  auto const good = storage("FloatStorage", 2);
  auto const at = integers({0});
  CHECK(names(refused(whole(text("x") + "Q")), "has text as the storage"));
  CHECK(names(refused(whole(tuple({text("module"), none(), none(), none(), none()}) + "Q")), "no storage"));
  CHECK(names(refused(whole(tuple({}) + "Q")), "no storage"));
  CHECK(names(refused(whole(storage("ComplexFloatStorage", 2))), "torch.ComplexFloatStorage"));
  CHECK(names(refused(whole(storage("Size", 2))), "unknown type"));
  CHECK(names(refused(whole(storage("FloatStorage", -1))), "-1 elements"));
  CHECK(names(refused(whole(tuple({text("storage"), name("torch", "FloatStorage"), text("0"), text("cpu"), integer(2),
                                   tuple({text("v"), integer(0), integer(1)})}) +
                            "Q")),
              "view of a storage", "clone"));
  CHECK(names(refused(whole(rebuild("_rebuild_tensor_v2", {}))), "tensor of 0 arguments"));
  CHECK(names(refused(whole(rebuild("_rebuild_tensor_v2", {at, integer(0), at, at}))), "as the storage"));
  CHECK(names(refused(whole(rebuild("_rebuild_tensor_v2", {tuple({}), integer(0), at, at}))), "a tuple as the"));
  CHECK(names(refused(whole(rebuild("_rebuild_tensor_v2", {good, none(), at, at}))), "None as the offset"));
  CHECK(names(refused(whole(rebuild("_rebuild_tensor_v2", {good, integer(0), tuple({none()}), at}))), "the size"));
  CHECK(names(refused(whole(rebuild("_rebuild_tensor_v2", {good, integer(0), at, at, boolean(false), ordered_dict(),
                                                           dict({{text("neg"), boolean(true)}})}))),
              "resolve_neg"));
  CHECK(names(refused(whole(rebuild("_rebuild_tensor_v3", {good, integer(0), at, at, boolean(false), ordered_dict(),
                                                           name("torch", "FloatStorage")}))),
              "torch.FloatStorage"));
  CHECK(names(refused(whole(rebuild("_rebuild_sparse_tensor", {}))), "torch._utils._rebuild_sparse_tensor"));
}
