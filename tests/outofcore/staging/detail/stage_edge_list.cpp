// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/sanitized.hpp"
#include "support/scratch.hpp"
#include "support/staging.hpp"

#include <glt/comm/serial.hpp>
#include <glt/core/random.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/text/edge_list.hpp>
#include <glt/outofcore/staging/detail/stage_text.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

void check(std::string const& text, io::edge_list_options const& options = {}, int threads = 1) {
  io::read_options const reading{.threads = threads, .on_progress = {}};
  check_staging(
      text, [&](std::filesystem::path const& file) { return io::read_edge_list(file, options, reading); },
      [&](auto comm, std::filesystem::path const& file, std::filesystem::path const& folder) {
        io::detail::stage_edge_list(comm, file, folder, options, reading);
      });
}

// Edges with comments and empty lines between them, of lines of very different lengths.
std::string random_text(std::int64_t num_edges, bool weights) {
  random_stream draws(random_key(5), static_cast<std::uint64_t>(num_edges));
  std::string text = "# a head\n";
  for (std::int64_t e = 0; e < num_edges; ++e) {
    text += std::to_string(draws.below(50)) + std::string(1 + draws.below(4), '\t') + std::to_string(draws.below(1000));
    text += weights ? " " + std::to_string(draws.below(9)) + ".25" : "";
    text += draws.below(5) == 0 ? "\r\n" : "\n";
    if (draws.below(10) == 0) {
      text += "% " + std::string(draws.below(80), 'x') + "\n\n";
    }
  }
  return text;
}

} // namespace

TEST_CASE("any number of ranks make the folder of what one reads") {
  for (std::int64_t const num_edges : {0, 1, 2, 3, 7, 300}) {
    check(random_text(num_edges, false));
    check(random_text(num_edges, true), {}, 2);
  }
  auto text = random_text(20, false);
  text.pop_back(); // a last line without an end
  check(text);
  check("");
  check("\xEF\xBB\xBF"
        "1 2\n3 4\n");
}

TEST_CASE("options mean what they mean to the reader") {
  check("head\nhead\n1 2 7 x 3\n4 5 8 y 1\n2 2 9 z 2\n",
        {.columns = {io::edge_list_options::column::time, io::edge_list_options::column::ignored,
                     io::edge_list_options::column::weight},
         .header_lines = 2,
         .first_vertex = 1,
         .num_vertices = 9});
}

TEST_CASE("faults are those of the reader, with the line in the whole file") {
  for (std::int64_t const before : {0, 1, 50}) {
    for (std::int64_t const after : {0, 90}) {
      check(random_text(before, false) + "1 x\n" + random_text(after, false) + "y 2\n");
      check(random_text(before, false) + "1 2 3\n" + random_text(after, false));
    }
  }
  io::edge_list_options limited;
  limited.num_vertices = 1000;
  check(random_text(30, false) + "1 2000\n" + random_text(30, false), limited);
  check("1 2 3 4\n");
  check("1 4000000000\n");
  check("1 2\n", {.columns = {}, .header_lines = -1});
  check("1 2\n", {.columns = {}, .header_lines = 0, .first_vertex = -1});
}

TEST_CASE("what cannot be staged is refused on all ranks") {
  scratch_folder const scratch;
  write_bytes(scratch / "a.txt", "1 2\n");
  std::filesystem::create_directories(scratch / "full/inside");
  on_ranks([&](auto comm) {
    auto const fault_of = [&](std::string const& file, std::string const& folder,
                              io::edge_list_options const& options) {
      return thrown<collective_error>(
          [&] { io::detail::stage_edge_list(comm, scratch / file, scratch / folder, options); });
    };
    CHECK(names(fault_of("a.txt", "relabelled" + std::to_string(comm.size()), {.columns = {}, .relabel = true}),
                "relabelling needs all edges"));
    CHECK(names(fault_of("missing.txt", "none" + std::to_string(comm.size()), {}), "missing.txt", "no such file"));
    CHECK(names(fault_of("a.txt", "full", {}), "full", "not empty"));
    CHECK(names(fault_of("a.txt", "a.txt", {}), "a.txt"));
  });
}

#if defined(__linux__) && !defined(GLT_TEST_SANITIZED)

namespace {

// Memory of this process that is no mapped file, in bytes.
std::int64_t own_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "RssAnon:") {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  }
  return 0;
}

} // namespace

TEST_CASE("memory is for a piece of the text, however many edges there are") {
  scratch_folder const scratch;
  constexpr std::int64_t num_edges = 1 << 20; // 16 MB in memory
  {
    std::ofstream file(scratch / "a.txt");
    for (std::int64_t e = 0; e < num_edges; ++e) {
      file << e % 65536 << ' ' << e * 7 % 65536 << '\n';
    }
  }
  auto const before = own_memory();
  auto most = before;
  int looks = 0;
  auto const look = [&](io::task_progress const&) {
    most = std::max(most, own_memory());
    ++looks;
  };
  io::detail::stage_edge_list(serial_comm(), scratch / "a.txt", scratch / "made", {},
                              {.threads = 1, .on_progress = look});
  most = std::max(most, own_memory());
  CHECK(looks > 5);
  CHECK(io::detail::read_npy_header(scratch / "made/edge_index.npy").shape == std::vector<std::int64_t>{2, num_edges});
  CHECK(most - before < 8 << 20);
}

#endif
