// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/detail/pickle.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/pickle_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace glt::io;
using namespace glt_test::pickled;
using glt_test::names;

namespace {

// Python's repr of a value, in short, to compare with what Python says.
std::string repr(glt::io::detail::pickle_value const& value) {
  auto const all = [](auto const& items) {
    std::string text;
    for (auto const* item : items) {
      text += (text.empty() ? "" : ", ") + repr(*item);
    }
    return text;
  };
  if (auto const* truth = value.get_if<bool>()) {
    return *truth ? "True" : "False";
  }
  if (auto const* number = value.get_if<std::int64_t>()) {
    return std::to_string(*number);
  }
  if (auto const* real = value.get_if<double>()) {
    return std::to_string(*real);
  }
  if (auto const* text = value.get_if<std::string_view>()) {
    return "'" + std::string(*text) + "'";
  }
  if (auto const* bytes = value.get_if<glt::io::detail::pickle_bytes>()) {
    return "b'" + std::string(bytes->content) + "'";
  }
  if (auto const* list = value.get_if<glt::io::detail::pickle_list>()) {
    return "[" + all(list->items) + "]";
  }
  if (auto const* tuple = value.get_if<glt::io::detail::pickle_tuple>()) {
    return "(" + all(tuple->items) + ")";
  }
  if (auto const* dict = value.get_if<glt::io::detail::pickle_dict>()) {
    std::string text;
    for (auto const& [key, entry] : dict->entries) {
      text += (text.empty() ? "" : ", ") + repr(*key) + ": " + repr(*entry);
    }
    return "{" + text + "}";
  }
  return std::string(value.kind());
}

std::string read(std::string const& bytes) {
  glt::io::detail::pickle_values values;
  glt::io::detail::plain_pickle_objects objects;
  glt::io::detail::pickle_reader<glt::io::detail::plain_pickle_objects> reader(
      "x.pkl", {reinterpret_cast<std::byte const*>(bytes.data()), std::ssize(bytes)}, 0, values, objects);
  auto const text = repr(reader.read());
  CHECK(reader.at_end());
  return text;
}

std::string refused(std::string const& bytes) {
  return glt_test::thrown<glt::io_error>([&] { static_cast<void>(read(bytes)); });
}

template <std::size_t Size>
std::string raw(char const (&text)[Size]) {
  return {text, Size - 1};
}

} // namespace

TEST_CASE("Plain values of every kind are what Python makes of them") {
  CHECK(read(whole(none())) == "None");
  CHECK(read(whole(boolean(true))) == "True");
  CHECK(read(whole(boolean(false))) == "False");
  CHECK(read(whole(integer(-5000000000))) == "-5000000000");
  CHECK(read(whole(raw("K\xff"))) == "255");
  CHECK(read(whole(raw("M\xff\xff"))) == "65535");
  CHECK(read(whole(raw("J\xfe\xff\xff\xff"))) == "-2");
  CHECK(read(whole(raw("\x8a\x00"))) == "0");
  CHECK(read(whole(raw("\x8a\x01\x80"))) == "-128");
  CHECK(read(whole(raw("\x8a\x02\x00\x01"))) == "256");
  CHECK(read(whole(raw("G\x3f\xf8\0\0\0\0\0\0"))) == "1.500000");
  CHECK(read(whole(text("a b"))) == "'a b'");
  CHECK(read(whole(raw("\x8c\x01z"))) == "'z'");
  CHECK(read(whole(raw("\x8d\x02\0\0\0\0\0\0\0zz"))) == "'zz'");
  CHECK(read(whole(bytes("q"))) == "b'q'");
  CHECK(read(whole(raw("C\x01q"))) == "b'q'");
  CHECK(read(whole(raw("\x8e\x01\0\0\0\0\0\0\0q"))) == "b'q'");
}

TEST_CASE("Containers of every form hold what was put into them") {
  auto const one = integer(1);
  auto const two = integer(2);
  CHECK(read(whole(tuple({}))) == "()");
  CHECK(read(whole(")")) == "()");
  CHECK(read(whole(tuple({one, text("x"), none()}))) == "(1, 'x', None)");
  CHECK(read(whole(one + "\x85")) == "(1)");
  CHECK(read(whole(one + two + "\x86")) == "(1, 2)");
  CHECK(read(whole(one + two + one + "\x87")) == "(1, 2, 1)");
  CHECK(read(whole(list({one, two}))) == "[1, 2]");
  CHECK(read(whole("]" + one + "a")) == "[1]");
  CHECK(read(whole("(" + one + two + "l")) == "[1, 2]");
  CHECK(read(whole(dict({{text("k"), list({})}, {tuple({one, two}), one}}))) == "{'k': [], (1, 2): 1}");
  CHECK(read(whole("}" + one + two + "s")) == "{1: 2}");
  CHECK(read(whole("(" + one + two + "d")) == "{1: 2}");
  CHECK(read(whole(ordered_dict() + items({{one, two}}))) == "{1: 2}");
  auto const defaults = name("collections", "defaultdict");
  CHECK(read(whole(call(defaults, {}))) == "{}");
  CHECK(read(whole(call(defaults, {name("__builtin__", "dict")}) + items({{one, two}}))) == "{1: 2}");
}

TEST_CASE("A dictionary that Python wrote with its newest protocol is read") {
  // pickle.dumps({'num_parts': 2, 'node_types': ['a', 'b'], 'edge_types': [('a', 'to', 'b')]}, 5)
  CHECK(read(raw("\x80\x05\x95G\0\0\0\0\0\0\0}\x94(\x8c\x09num_parts\x94K\x02\x8c\nnode_types\x94]\x94(\x8c\x01"
                 "a\x94\x8c\x01"
                 "b\x94"
                 "e\x8c\nedge_types\x94]\x94h\x04\x8c\x02to\x94h\x05\x87\x94"
                 "au.")) == "{'num_parts': 2, 'node_types': ['a', 'b'], 'edge_types': [('a', 'to', 'b')]}");
}

TEST_CASE("The memo, copies and things taken off the stack keep their meaning") {
  CHECK(read(whole("]q\x05h\x05\x86")) == "([], [])");
  CHECK(read(whole(raw("]r\x01\x02\x03\x04j\x01\x02\x03\x04\x86"))) == "([], [])");
  CHECK(read(whole(raw("]\x94}\x94h\x00h\x01\x86\x87"))) == "([], {}, ([], {}))");
  CHECK(read(whole(integer(3) + "2\x86")) == "(3, 3)");
  CHECK(read(whole(integer(3) + integer(4) + "0")) == "3");
  CHECK(read(whole(integer(3) + "(" + integer(4) + "1")) == "3");
}

TEST_CASE("Pickles may follow each other") {
  auto const bytes = whole(integer(1)) + whole(integer(2));
  glt::io::detail::pickle_values values;
  glt::io::detail::plain_pickle_objects objects;
  glt::io::detail::pickle_reader<glt::io::detail::plain_pickle_objects> reader(
      "x", {reinterpret_cast<std::byte const*>(bytes.data()), std::ssize(bytes)}, 0, values, objects);
  CHECK(repr(reader.read()) == "1");
  CHECK_FALSE(reader.at_end());
  CHECK(repr(reader.read()) == "2");
  CHECK(reader.at_end());
}

TEST_CASE("Names of code are refused before anything is called, with a way out") {
  for (auto const& [module, function] : std::vector<std::pair<std::string, std::string>>{
           {"os", "system"},
           {"posix", "system"},
           {"builtins", "eval"},
           {"__builtin__", "getattr"},
           {"graphlearn_torch.partition.partition_book", "RangePartitionBook"},
           {"collections", "Counter"}}) {
    auto const fault = refused(whole(call(name(module, function), {text("true")})));
    CHECK(names(fault, "x.pkl (at byte 2)", module + "." + function, "nothing in a file is executed", "torch.save"));
    CHECK(names(refused(whole(text(module) + text(function) + "\x93")), module + "." + function));
  }
  CHECK(names(refused(whole(call(name("builtins", "dict"), {}))), "builtins.dict", "no plain container"));
  CHECK(names(refused(whole(call(name("collections", "OrderedDict"), {list({})}))), "no plain container"));
  CHECK(names(refused(whole(call(name("collections", "defaultdict"), {integer(1)}))), "no plain container"));
}

TEST_CASE("Opcodes that make instances of classes are refused") {
  auto const ordered = name("collections", "OrderedDict");
  for (auto const& code : {ordered + ")\x81", ordered + ")}\x92", ordered + "}b", "(" + ordered + "o",
                           std::string("(ios\nsystem\n"), std::string("\x82\x01"), std::string("\x83\x01\x01")}) {
    CHECK(names(refused(whole(code)), "instance of a class"));
  }
  CHECK(names(refused(whole(text("x") + "Q")), "refers to data outside"));
  CHECK(names(refused(raw("\x80\x02I1\n.")), "byte 73 is no opcode"));
  CHECK(names(refused(raw("cos\nsystem\n(S'true'\ntR.")), "os.system"));
}

TEST_CASE("Bytes that are no whole pickle are refused and say where") {
  CHECK(names(refused(""), "at byte 0", "ends 1 bytes early"));
  CHECK(names(refused("\x80"), "ends 1 bytes early"));
  CHECK(names(refused(raw("\x80\x01N.")), "protocol 1"));
  CHECK(names(refused(raw("\x80\x06N.")), "protocol 6"));
  CHECK(names(refused(raw("\x80\x02.")), "takes a value where there is none"));
  CHECK(names(refused(whole("NN")), "values left over"));
  CHECK(names(refused(whole("(N")), "values left over"));
  CHECK(names(refused(whole("t")), "group that it did not begin"));
  CHECK(names(refused(whole("}(Nu")), "key without a value"));
  CHECK(names(refused(whole("}Na")), "adds items to a dict"));
  CHECK(names(refused(whole("]NNs")), "adds items to a list"));
  CHECK(names(refused(whole("h\x07")), "value 7"));
  CHECK(names(refused(whole("cos")), "within a name"));
  CHECK(names(refused(whole("NN\x93")), "no text"));
  CHECK(names(refused(whole("NNR")), "no name"));
  CHECK(names(refused(whole(raw("\x8a\x09\1\2\3\4\5\6\7\x08\x09"))), "64 bits"));
}

TEST_CASE("Lengths that the file does not have allocate nothing") {
  CHECK(names(refused(raw("\x80\x02X\xff\xff\xff\xff"
                          "ab")),
              "4294967293 bytes early"));
  CHECK(names(refused(raw("\x80\x02\x8e\xff\xff\xff\xff\xff\xff\xff\xff")), "bytes early"));
  CHECK(names(refused(raw("\x80\x02\x8d\xff\xff\xff\xff\xff\xff\xff\x7f")), "bytes early"));
}

TEST_CASE("Bombs of nesting, copies, circles and opcodes end without harm") {
  std::string nested(100000, '(');
  CHECK(names(refused(whole("N" + nested)), "takes a value"));
  CHECK(read(whole("]q\x01h\x01"
                   "0"))
            .starts_with("["));

  // Each list holds the one before twice: as a tree it would have 2^64 leaves.
  std::string doubling = "]q\x01";
  for (int i = 0; i < 64; ++i) {
    doubling += "0](h\x01h\x01"
                "eq\x01";
  }
  glt::io::detail::pickle_values values;
  glt::io::detail::plain_pickle_objects objects;
  auto const bytes = whole(doubling);
  glt::io::detail::pickle_reader<glt::io::detail::plain_pickle_objects> reader(
      "x", {reinterpret_cast<std::byte const*>(bytes.data()), std::ssize(bytes)}, 0, values, objects);
  auto const* const list = reader.read().get_if<glt::io::detail::pickle_list>();
  REQUIRE(list != nullptr);
  CHECK(list->items.size() == 2);
  CHECK(list->items[0] == list->items[1]);

  auto const circle = whole("]q\x01h\x01"
                            "a");
  glt::io::detail::pickle_reader<glt::io::detail::plain_pickle_objects> round(
      "x", {reinterpret_cast<std::byte const*>(circle.data()), std::ssize(circle)}, 0, values, objects);
  auto const& self = round.read();
  CHECK(self.get_if<glt::io::detail::pickle_list>()->items[0] == &self);

  std::string many(static_cast<std::size_t>(glt::io::detail::pickle_values::limit) + 5, 'N');
  CHECK(names(refused(whole(many)), "more than 1048576 values"));
  std::string copies = "N" + std::string(5'000'000, '2');
  CHECK(names(refused(whole(copies)), "steps"));
  auto const deep = whole("]" + std::string(500000, '\x85'));
  glt::io::detail::pickle_reader<glt::io::detail::plain_pickle_objects> tower(
      "x", {reinterpret_cast<std::byte const*>(deep.data()), std::ssize(deep)}, 0, values, objects);
  CHECK(tower.read().get_if<glt::io::detail::pickle_tuple>() != nullptr); // and goes without recursion
}
