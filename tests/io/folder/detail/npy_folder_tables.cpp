// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/folder/detail/npy_folder_files.hpp>
#include <glt/io/folder/detail/npy_folder_tables.hpp>

#include <string>

using namespace glt;
using namespace glt_test;
using io::detail::npy_folder_tables;

namespace {

npy_folder_tables const some{.nodes = {{.name = "b", .features = {"x", "node_feat"}}, {.name = "a"}},
                             .edges = {{.source = "b", .name = "to__or_to", .destination = "a", .features = {"w"}}}};

std::string fault_of(std::string const& meta) {
  scratch_folder const scratch;
  write_bytes(scratch / "meta.json", meta);
  return thrown<io_error>([&] { static_cast<void>(io::detail::read_npy_folder_tables(scratch / "meta.json")); });
}

} // namespace

TEST_CASE("tables are read as they were written, and other files have none") {
  scratch_folder const scratch;
  CHECK(!io::detail::read_npy_folder_tables(scratch / "meta.json"));
  write_bytes(scratch / "meta.json", R"({"nodes": 3, "edges": [1]})");
  CHECK(!io::detail::read_npy_folder_tables(scratch / "meta.json"));
  for (auto const& tables : {some, npy_folder_tables{}}) {
    write_bytes(scratch / "meta.json", io::detail::tables_text(tables));
    CHECK(io::detail::read_npy_folder_tables(scratch / "meta.json") == tables);
  }
  CHECK(names(thrown<precondition_error>(
                  [] { static_cast<void>(io::detail::tables_text({.nodes = {{.name = "\xff"}}, .edges = {}})); }),
              "not UTF-8"));
}

TEST_CASE("tables of another form are refused") {
  CHECK(names(fault_of("{"), "no JSON"));
  CHECK(names(fault_of(R"({"tables": 3})"), "another form"));
  CHECK(names(fault_of(R"({"tables": {"nodes": [], "edges": [{"type": ["a", "b"], "features": []}]}})"),
              "[source, relation, destination]"));
  CHECK(names(fault_of(R"({"tables": {"nodes": [{"type": 3, "features": []}], "edges": []}})"), "another form"));
  CHECK(names(fault_of(R"({"tables": {"nodes": [{"type": "a"}], "edges": []}})"), "another form"));
}

TEST_CASE("files are those that the tables name") {
  scratch_folder const scratch;
  write_bytes(scratch / "meta.json", io::detail::tables_text(some));
  auto const fault = [&] {
    return thrown<io_error>([&] { io::detail::npy_folder_files const files(scratch.path()); });
  };
  CHECK(names(fault(), "node_feat@x.b.npy", "meta.json beside it names it"));
  for (char const* const name : {"node_feat@x.b.npy", "node_feat.b.npy", "edge_feat@w.b__to__or_to__a.npy"}) {
    write_bytes(scratch / name, "");
  }
  CHECK(names(fault(), "edge_index.b__to__or_to__a.npy"));
  write_bytes(scratch / "edge_index.b__to__or_to__a.npy", "");
  io::detail::npy_folder_files const files(scratch.path());
  CHECK(files.num_files() == 4);
  REQUIRE(files.node_types().size() == 2);
  CHECK(files.node_types()[0].name == "b");
  REQUIRE(files.node_types()[0].features.size() == 2);
  CHECK(files.node_types()[0].features[0].name == "x");
  CHECK(files.node_types()[0].features[0].path == scratch / "node_feat@x.b.npy");
  CHECK(files.node_types()[0].features[1].path == scratch / "node_feat.b.npy");
  CHECK(files.edge_types()[0].name == "to__or_to");
  CHECK(files.edge_types()[0].features[0].name == "w");
  write_bytes(scratch / "meta.json", io::detail::tables_text({.nodes = {}, .edges = some.edges}));
  CHECK(names(fault(), "meta.json", "vertex type 'b', which it does not list"));
  write_bytes(scratch / "meta.json", io::detail::tables_text({}));
  CHECK(names(fault(), "lists no edges"));
}
