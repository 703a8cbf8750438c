// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done to a data set in memory is done to one on disk.
#include <doctest/doctest.h>

#include "partition/prepared_folder.hpp"

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/core/element_type.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/folder/detail/mapped_raw_data.hpp>
#include <glt/io/folder/detail/npy_folder.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/raw_data.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using namespace glt;
using namespace glt_test;
using glt_partition::options;

namespace {

// Both results of preparing a folder; an error where there is none.
struct prepared {
  io::raw_data in_memory;
  io::raw_data on_disk;
};

prepared prepare_both(scratch_folder const& scratch, fs::path const& folder, options chosen, std::string const& name) {
  chosen.input = folder;
  glt_partition::console out(false, true);
  prepared made{io::detail::read_npy_folder(folder), {}};
  glt_partition::prepare(made.in_memory, chosen, out);
  io::detail::mapped_raw_data const mapped(folder);
  fs::create_directory(scratch / name);
  auto const prepared_folder = glt_partition::prepare_folder(folder, mapped.view(), chosen, scratch / name, out);
  static_cast<void>(io::detail::mapped_raw_data(prepared_folder)); // accepts the rows
  made.on_disk = io::detail::read_npy_folder(prepared_folder);
  return made;
}

void check_equal_arrays(io::array const& a, io::array const& b) {
  CHECK(a.type() == b.type());
  CHECK(a.shape() == b.shape());
  CHECK(std::ranges::equal(a.bytes(), b.bytes()));
}

template <class T>
io::array rows_of(std::vector<float> const& numbers) {
  std::vector<T> values;
  for (auto const number : numbers) {
    values.push_back(T(number));
  }
  return io::array::of(host_view<T const>(values), {std::ssize(values) / 2, 2});
}

} // namespace

TEST_CASE("rows of every float type are divided by their sums, rows of sum 0 and integers stay") {
  scratch_folder const scratch;
  std::vector<float> const given{1, 3, 2, 2, 1, -1};
  std::vector<float> const divided{.25F, .75F, .5F, .5F, 1, -1};
  io::raw_data data{.name = "set", .nodes = {}, .edges = {}};
  data.nodes.push_back({.num_nodes = 3});
  data.edges.push_back({.sources = {0}, .destinations = {1}});
  auto& features = data.nodes[0].features;
  features.push_back({"double", rows_of<double>(given)});
  features.push_back({"half", rows_of<float16>(given)});
  features.push_back({"brain", rows_of<bfloat16>(given)});
  features.push_back({"single", rows_of<float>(given)});
  features.push_back({"whole", rows_of<std::int64_t>(given)});
  std::vector<double> const huge(6, 1.7e308);
  features.push_back({"huge", io::array::of(host_view<double const>(huge), {3, 2})});
  io::write_npy_folder(scratch / "set", data);
  auto const made = prepare_both(scratch, scratch / "set", {.normalize = true}, "made");
  auto const& found = made.in_memory.nodes[0].features;
  REQUIRE(found.size() == 6);
  REQUIRE(made.on_disk.nodes[0].features.size() == 6);
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const& [name, values] = found[i];
    CAPTURE(name);
    check_equal_arrays(values, made.on_disk.nodes[0].features[i].values);
    check_equal_arrays(values, name == "double"   ? rows_of<double>(divided)
                               : name == "half"   ? rows_of<float16>(divided)
                               : name == "brain"  ? rows_of<bfloat16>(divided)
                               : name == "single" ? rows_of<float>(divided)
                               : name == "whole"  ? rows_of<std::int64_t>(given)
                                                  : rows_of<double>(std::vector<float>(6, .5F)));
  }
}

TEST_CASE("a row whose quotients are too large for its type is refused, in memory as on disk") {
  auto const refused = []<class T>(T, std::vector<double> const& row) {
    scratch_folder const scratch;
    std::vector<T> values(3, T(1.0F));
    for (auto const number : row) {
      values.push_back(T(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(number)));
    }
    io::raw_data data{.name = "set", .nodes = {}, .edges = {}};
    data.nodes.push_back({.num_nodes = 2});
    data.edges.push_back({.sources = {0}, .destinations = {1}});
    data.nodes[0].features.push_back({"x", io::array::of(host_view<T const>(values), {2, 3})});
    io::write_npy_folder(scratch / "set", data);
    options const chosen{.input = scratch / "set", .normalize = true};
    glt_partition::console out(false, true);
    auto const in_memory = thrown<precondition_error>([&] { glt_partition::prepare(data, chosen, out); });
    CHECK(names(in_memory, "--normalize of features 'x' of vertices 'node': row 1 has the sum "));
    io::detail::mapped_raw_data const mapped(scratch / "set");
    fs::create_directory(scratch / "made");
    CHECK(thrown<precondition_error>([&] {
            glt_partition::prepare_folder(scratch / "set", mapped.view(), chosen, scratch / "made", out);
          }) == in_memory);
  };
  refused(0.0F, {1e20, -1e20, 1e-20});
  refused(0.0, {1e300, -1e300, 1e-300});
  refused(float16(0.0F), {1000, -999.5, -0.4995});
  refused(bfloat16(0.0F), {1e30, -1e30, 1e-30});
}

TEST_CASE("weights, times and features of no edges: on disk as in memory, for every pair of options") {
  scratch_folder const scratch;
  std::vector<options> const choices{{.symmetrize = true},
                                     {.add_reverse = true},
                                     {.add_self_loops = true},
                                     {.symmetrize = true, .add_self_loops = true},
                                     {.add_reverse = true, .add_self_loops = true},
                                     {.symmetrize = true, .add_reverse = true},
                                     {}};
  int number = 0;
  for (int values = 0; values < 8; ++values) {
    auto const folder = scratch / ("set" + std::to_string(values));
    fs::create_directory(folder);
    std::int64_t const none = 0;
    float const no_weight = 0;
    io::write_npy(folder / "edge_index.npy", host_matrix<std::int64_t const>(&none, 2, 0));
    io::write_npy(folder / "num_nodes.npy", std::vector<std::int64_t>{3});
    if ((values & 1) != 0) {
      io::write_npy(folder / "edge_weight.npy", std::vector<float>());
    }
    if ((values & 2) != 0) {
      io::write_npy(folder / "edge_time.npy", std::vector<std::int64_t>());
    }
    if ((values & 4) != 0) {
      io::write_npy(folder / "edge_feat.npy", host_matrix<float const>(&no_weight, 0, 2));
    }
    for (auto chosen : choices) {
      ++number;
      CAPTURE(values);
      CAPTURE(number);
      chosen.input = folder;
      std::string refused;
      try {
        auto data = io::detail::read_npy_folder(folder);
        glt_partition::add_edges(data, chosen);
      } catch (precondition_error const& fault) {
        refused = fault.what();
      }
      if (!refused.empty()) {
        glt_partition::console out(false, true);
        io::detail::mapped_raw_data const mapped(folder);
        auto const made = scratch / ("made" + std::to_string(number));
        fs::create_directory(made);
        CHECK_THROWS_WITH(static_cast<void>(glt_partition::prepare_folder(folder, mapped.view(), chosen, made, out)),
                          refused.c_str());
        continue;
      }
      auto const made = prepare_both(scratch, folder, chosen, "made" + std::to_string(number));
      auto const& in_memory = made.in_memory.edges[0];
      auto const& on_disk = made.on_disk.edges[0];
      CHECK(in_memory.sources.size() == (chosen.add_self_loops ? 3 : 0));
      CHECK(in_memory.sources == on_disk.sources);
      CHECK(in_memory.destinations == on_disk.destinations);
      CHECK(in_memory.weights == on_disk.weights);
      CHECK(in_memory.times == on_disk.times);
      REQUIRE(in_memory.features.size() == on_disk.features.size());
      for (std::size_t i = 0; i < in_memory.features.size(); ++i) {
        check_equal_arrays(in_memory.features[i].values, on_disk.features[i].values);
      }
    }
  }
}
