// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/known_sets.hpp"
#include "support/ranks.hpp"
#include "support/raw_data.hpp"
#include "support/sanitized.hpp"
#include "support/scratch.hpp"

#include <glt/comm/serial.hpp>
#include <glt/core/random.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/folder/detail/mapped_raw_data.hpp>
#include <glt/io/folder/detail/npy_folder.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/parts.hpp>

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using glt::global_id;
namespace io = glt::io;

namespace {

// A random data set with everything that a graph without types may have.
io::raw_data random_set(std::int64_t num_vertices, std::int64_t num_edges) {
  glt::random_stream draws(glt::random_key(4), static_cast<std::uint64_t>(num_vertices));
  auto const below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(bound)));
  };
  io::raw_data made{.name = "random"};
  auto& nodes = made.nodes.emplace_back();
  auto& edges = made.edges.emplace_back();
  nodes.num_nodes = num_vertices;
  std::vector<float> features;
  std::vector<std::int16_t> codes;
  std::vector<std::int64_t> labels;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    for (int c = 0; c < 3; ++c) {
      features.push_back(static_cast<float>(below(1000)));
    }
    codes.push_back(static_cast<std::int16_t>(v));
    labels.push_back(below(5));
    nodes.times.push_back(below(100));
    (v % 3 == 0 ? nodes.train : v % 3 == 1 ? nodes.valid : nodes.test).push_back(num_vertices - 1 - v);
  }
  nodes.features.push_back({"feat", io::array::of<float>(features, {num_vertices, 3})});
  nodes.features.push_back({"code", io::array::of<std::int16_t>(codes, {num_vertices, 1})});
  nodes.labels = io::array::of<std::int64_t>(labels);
  for (std::int64_t e = 0; e < num_edges; ++e) {
    edges.sources.push_back(below(num_vertices));
    edges.destinations.push_back(std::min(below(num_vertices), below(num_vertices)));
    edges.weights.push_back(static_cast<float>(below(50)));
    edges.times.push_back(below(1000));
  }
  return made;
}

// The scratch folder of rank 0, for all ranks, which may be processes.
template <class Comm>
std::filesystem::path shared(Comm& comm, glt_test::scratch_folder const& scratch) {
  auto path = scratch.path().string();
  glt::detail::broadcast_text(comm, path);
  return path;
}

// Number of files and folders that are left in a folder when all ranks are done with it.
template <class Comm>
std::ptrdiff_t num_left(Comm& comm, std::filesystem::path const& folder) {
  comm.barrier();
  auto const count = std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
  comm.barrier();
  return count;
}

} // namespace

TEST_CASE("ranks write together what one process writes alone, byte for byte") {
  glt_test::scratch_folder const scratch;
  int case_number = 0;
  auto const check = [&](io::raw_data const& set, int parts, std::vector<std::int64_t> const& memory,
                         std::vector<int> const& ranks, std::vector<io::write_options::hot_vertices> const& hot = {}) {
    auto const labels = glt_test::random_labels(set, parts);
    auto const alone = scratch / ("alone" + std::to_string(case_number));
    io::manifest::partitioner_note const note{.name = "random", .options = {{"slack", "0"}}, .key = 6};
    bool const halo = parts != 2;
    io::write_parts(alone, set, labels, {.partitioner = note, .hot = hot, .halo = halo});
    auto const expected = glt_test::files_of(alone);
    for (auto const for_edges : memory) {
      auto const together = scratch / ("together" + std::to_string(case_number++));
      auto const body = [&](auto comm) {
        auto const folder = std::filesystem::path(together.string() + "-" + std::to_string(comm.size()));
        io::detail::write_parts_collective(
            comm, folder, set.view(), labels,
            {.partitioner = note, .hot = hot, .halo = halo, .plan = {.for_vertices = 0, .for_edges = for_edges}});
        if (comm.rank() == 0) {
          CHECK(glt_test::files_of(folder) == expected);
        }
      };
      glt_test::on_ranks(body, ranks);
    }
  };
  auto const hot_lists = [](std::int64_t num_vertices, int parts) {
    std::vector<std::vector<global_id>> lists(static_cast<std::size_t>(parts));
    for (global_id v = 0; v < num_vertices; v += 2) {
      lists[static_cast<std::size_t>(v % parts)].push_back(num_vertices - 1 - v);
      lists[0].push_back(v);
    }
    return lists;
  };
  check(random_set(1, 0), 1, {0}, {2});
  check(random_set(1, 2), 3, {2000}, {1, 2});
  check(random_set(90, 1500), 4, {0, 1 << 24}, {1, 3, 5},
        {{.node_type = 0, .by_part = hot_lists(90, 4), .features = {"code"}}});
  auto const types = glt_test::hetero_known_set();
  check(types, 3, {0, 3000, 1 << 24}, {1, 2, 4},
        {{.node_type = 1, .by_part = hot_lists(11, 3)}, {.node_type = 0, .by_part = hot_lists(23, 3)}});
  check(types, 2, {2000}, {5});
  auto edgeless = random_set(20, 0);
  edgeless.edges.clear();
  check(edgeless, 3, {1000}, {2});
  check(types, 7, {2000}, {2, 3});
}

TEST_CASE("parts are made of mapped files as of arrays in memory") {
  glt_test::scratch_folder const scratch;
  auto const set = random_set(70, 900);
  auto const raw_pairs = [](std::vector<global_id> all, std::vector<global_id> const& more) {
    auto const columns = std::to_string(all.size());
    all.insert(all.end(), more.begin(), more.end());
    return glt_test::npy_bytes("<i8", "(2, " + columns + ")", glt_test::raw(all));
  };
  std::filesystem::create_directories(scratch / "set");
  auto const write = [&](std::string const& name, std::string const& bytes) {
    glt_test::write_bytes(scratch / "set" / (name + ".npy"), bytes);
  };
  write("edge_index", raw_pairs(set.edges[0].sources, set.edges[0].destinations));
  write("edge_weight", glt_test::npy_floats(set.edges[0].weights));
  write("edge_feat", glt_test::npy_bytes("<f4", "(900, 1)", glt_test::raw(set.edges[0].weights)));
  write("node_label", glt_test::npy_longs(set.nodes[0].times));
  write("train_idx", glt_test::npy_longs(set.nodes[0].train));
  write("test_edge", raw_pairs({0, 1, 2}, {69, 3, 3}));
  io::detail::mapped_raw_data const mapped(scratch / "set");
  auto const data = io::detail::read_npy_folder(scratch / "set");
  auto const labels = glt_test::random_labels(data, 3);
  io::write_parts(scratch / "alone", data, labels);
  glt_test::on_ranks([&](auto comm) {
    auto const folder = scratch / ("together-" + std::to_string(comm.size()));
    io::detail::write_parts_collective(comm, folder, mapped.view(), labels,
                                       {.plan = {.for_vertices = 0, .for_edges = 5000}});
    if (comm.rank() == 0) {
      CHECK(glt_test::files_of(folder) == glt_test::files_of(scratch / "alone"));
    }
  });
}

TEST_CASE("a mapped file that is changed before the parts are complete fails all ranks, and nothing appears") {
  using file_change = void (*)(std::filesystem::path const&);
  auto const write_first = [](std::filesystem::path const& file) { // an id that no vertex has, in place
    std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
    bytes.seekp(128 + 7);
    bytes.put('\x40');
  };
  auto const shorten = [](std::filesystem::path const& file) { std::filesystem::resize_file(file, 200); };
  auto const replace = [](std::filesystem::path const& file) {
    auto const other = file.string() + ".other"; // at once, as other ranks look at it
    glt_test::write_bytes(other, glt_test::read_bytes(file));
    std::filesystem::rename(other, file);
  };
  auto const set = random_set(60, 500);
  auto const labels = glt_test::random_labels(set, 2);
  for (auto const& [change, what] : {std::pair<file_change, char const*>{write_first, "written to"},
                                     {shorten, "200 bytes instead of"},
                                     {replace, "another file has its name"}}) {
    for (char const* const name : {"edge_index.npy", "node_label.npy", "edge_weight.npy"}) {
      glt_test::on_ranks([&](auto comm) {
        glt_test::scratch_folder const own;
        auto const scratch = shared(comm, own);
        if (comm.rank() == 0) {
          io::write_npy_folder(scratch / "input", set);
        }
        comm.barrier();
        io::detail::mapped_raw_data const mapped(scratch / "input");
        comm.barrier();
        auto const failed = [&](auto work) { return glt_test::thrown<glt::collective_error>(work); };
        auto const text = failed([&] {
          io::detail::write_parts_collective(comm, scratch / "parts", mapped.view(), labels,
                                             {.on_progress = [&, done = false](io::task_progress const& now) mutable {
                                               if (comm.rank() == 0 && !done &&
                                                   std::string(now.what) == "moving edges to their parts") {
                                                 done = true;
                                                 change(scratch / "input" / name);
                                               }
                                             }});
        });
        CAPTURE(text);
        CHECK(glt_test::names(text, name, "was changed while it was read", what));
        CHECK(num_left(comm, scratch) == 1);
      });
    }
  }
}

TEST_CASE("a rank needs the lists of hot rows of its own parts alone") {
  glt_test::scratch_folder const scratch;
  auto const set = random_set(40, 300);
  auto const labels = glt_test::random_labels(set, 5);
  std::vector<io::write_options::hot_vertices> const hot{
      {.node_type = 0, .by_part = {{1, 2, 3}, {0}, {4, 5}, {}, {39, 1}}}};
  io::write_parts(scratch / "alone", set, labels, {.hot = hot});
  glt_test::on_ranks([&](auto comm) {
    auto own = hot;
    auto const parts = io::detail::part_owners(5, comm.size()).parts_of(comm.rank());
    for (std::int64_t part = 0; part < 5; ++part) {
      if (part < parts.first || part >= parts.last) {
        own[0].by_part[static_cast<std::size_t>(part)].clear();
      }
    }
    auto const folder = scratch / ("together-" + std::to_string(comm.size()));
    io::detail::write_parts_collective(comm, folder, set.view(), labels, {.hot = own, .plan = {.for_edges = 1 << 20}});
    if (comm.rank() == 0) {
      CHECK(glt_test::files_of(folder) == glt_test::files_of(scratch / "alone"));
    }
  });
}

TEST_CASE("folders of others beside the folder stay as they are, whatever their names") {
  glt_test::scratch_folder const scratch;
  std::filesystem::create_directories(scratch / "parts.glt-partial0/mine");
  std::filesystem::create_directories(scratch / "parts.partial0.scratch-0/edges-0");
  glt_test::write_bytes(scratch / "parts.partial0.scratch-0/edges-0/edges-0", "old");
  glt_test::write_bytes(scratch / "parts.glt-partial1", "a file");
  auto const set = random_set(10, 40);
  auto const labels = glt_test::random_labels(set, 2);
  io::detail::write_parts_collective(glt::serial_comm{}, scratch / "parts", set.view(), labels, {});
  io::parts_folder const folder(scratch / "parts");
  folder.verify();
  CHECK(folder.info().edges[0].num_edges() == 40);
  CHECK(scratch.num_entries() == 4);
  CHECK(std::filesystem::exists(scratch / "parts.glt-partial0/mine"));
  CHECK(glt_test::read_bytes(scratch / "parts.partial0.scratch-0/edges-0/edges-0") == "old");
}

TEST_CASE("what does not fit together is named on all ranks, and leaves nothing") {
  glt_test::scratch_folder const scratch;
  glt_test::on_ranks([&](auto comm) {
    auto const folder = shared(comm, scratch);
    auto const fault = [&](auto change) {
      auto set = glt_test::hetero_known_set();
      auto labels = glt_test::random_labels(set, 2);
      io::detail::together_options options{.plan = {.for_vertices = 0, .for_edges = 1 << 20}};
      change(set, labels, options);
      auto const text = glt_test::thrown<glt::collective_error>(
          [&] { io::detail::write_parts_collective(comm, folder / "parts", set.view(), labels, options); });
      CHECK(num_left(comm, folder) == 0);
      return text;
    };
    using glt_test::names;
    CHECK(names(fault([](auto& set, auto&, auto&) { set.edges[0].destinations[119] = -1; }),
                "destination of edge 119 of type (paper, cites, paper) is -1"));
    CHECK(names(fault([](auto& set, auto&, auto&) { set.edges[1].sources[3] = 11; }),
                "source of edge 3 of type (author.of ü, writes, paper) is 11"));
    CHECK(names(fault([](auto& set, auto&, auto&) { set.edges[1].sources.pop_back(); }), "60 rows for 59"));
    CHECK(names(fault([](auto& set, auto&, auto&) { set.edges[0].weights.pop_back(); }), "weights have 119 rows"));
    CHECK(names(fault([](auto& set, auto&, auto&) { set.edges[2].links[0].edges.destinations[3] = 11; }),
                "destination of pair 3 of link split 'train' of edges 'reviewed/by' is 11"));
    CHECK(names(fault([](auto& set, auto&, auto&) { set.edges[2].links[0].negatives.sources.pop_back(); }), "'train'",
                "2 rows for 1"));
    CHECK(names(fault([](auto& set, auto&, auto&) { set.edges[0].destination = "venue"; }), "no node type 'venue'"));
    CHECK(names(fault([](auto& set, auto&, auto&) {
                  set.nodes[0].features[1].values = io::array::of<float>(std::vector<float>(22));
                }),
                "features 'labels' have 22 rows for 23"));
    CHECK(names(fault([](auto&, auto& labels, auto&) { labels.pop_back(); }), "2 relabellings for 3 node types"));
    CHECK(names(fault([](auto&, auto& labels, auto&) { labels[1] = glt_test::random_labels(11, 3); }), "in 3 parts"));
    CHECK(names(fault([](auto&, auto&, auto& options) { options.hot = {{.node_type = 3, .by_part = {{}, {}}}}; }),
                "node type 3"));
    CHECK(names(fault([](auto&, auto&, auto& options) { options.hot = {{.node_type = 0, .by_part = {{}, {23}}}}; }),
                "is 23"));
    CHECK(names(fault([](auto& set, auto&, auto&) { set.nodes[0].name = ""; }), "node type ''"));
    if (comm.size() > 1) {
      bool const last = comm.rank() + 1 == comm.size();
      CHECK(names(fault([&](auto&, auto&, auto& options) { options.plan.for_edges += last ? 1 : 0; }),
                  "another data set, partition or memory plan"));
      CHECK(names(fault([&](auto& set, auto& labels, auto&) { labels = glt_test::random_labels(set, last ? 3 : 2); }),
                  "another data set, partition or memory plan"));
    }
    auto const set = random_set(10, 20);
    if (comm.rank() == 0) {
      std::filesystem::create_directories(folder / "taken/something");
    }
    auto const labels = glt_test::random_labels(set, 2);
    CHECK(names(glt_test::thrown<glt::collective_error>(
                    [&] { io::detail::write_parts_collective(comm, folder / "taken", set.view(), labels, {}); }),
                "is there already"));
    CHECK(num_left(comm, folder) == 1);
    if (comm.rank() == 0) {
      std::filesystem::remove_all(folder / "taken");
    }
    comm.barrier();
  });
}

TEST_CASE("one rank that fails alone, whenever it does, fails all of them and leaves nothing") {
  glt_test::scratch_folder const scratch;
  auto const set = glt_test::hetero_known_set();
  auto const labels = glt_test::random_labels(set, 4);
  auto const body = [&](auto comm) {
    auto const around = shared(comm, scratch);
    bool const last = comm.rank() + 1 == comm.size();
    // Counts the reports of progress of the last rank, at one of which it fails; 0 is none.
    auto const run = [&](std::int64_t fails_at, bool loses_scratch) {
      std::int64_t reports = 0;
      auto const folder = around / "parts";
      auto const fail = [&](io::task_progress const&) {
        if (last && ++reports == fails_at) {
          if (!loses_scratch) {
            throw std::runtime_error("enough");
          }
          std::filesystem::remove_all(folder.string() + ".glt-partial0/scratch-" + std::to_string(comm.rank()));
        }
      };
      auto const text = glt_test::thrown<glt::collective_error>([&] {
        io::detail::write_parts_collective(comm, folder, set.view(), labels,
                                           {.plan = {.for_vertices = 0, .for_edges = 9000}, .on_progress = fail});
      });
      CHECK(num_left(comm, around) == (fails_at > 0 ? 0 : 1));
      if (fails_at > 0) {
        CHECK(glt_test::names(text, loses_scratch ? "scratch-" : "enough", "rank " + std::to_string(comm.size() - 1)));
      }
      if (comm.rank() == 0) {
        std::filesystem::remove_all(folder);
      }
      std::vector<std::int64_t> all{reports};
      comm.all_reduce(std::span<std::int64_t>(all), glt::reduction::sum);
      return all[0];
    };
    auto const reports = run(0, false);
    CHECK(reports > 6);
    for (std::int64_t at = 1; at <= reports; at += 2) {
      run(at, false);
    }
    run(1, true);
    run(reports, true);
  };
  glt_test::on_ranks(body, {1, 3});
}

TEST_CASE("a full disk is an error on all ranks and leaves nothing") {
  glt_test::scratch_folder const scratch;
  auto const set = random_set(500, 9000);
  auto const labels = glt_test::random_labels(set, 3);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto const signal_before = std::signal(SIGXFSZ, SIG_IGN);
  auto const body = [&](auto comm) {
    auto const folder = shared(comm, scratch);
    auto const text = glt_test::thrown<glt::collective_error>([&] {
      io::detail::write_parts_collective(comm, folder / "parts", set.view(), labels,
                                         {.plan = {.for_vertices = 0, .for_edges = 20000}});
    });
    CHECK(glt_test::names(text, "cannot be written"));
    CHECK(num_left(comm, folder) == 0);
  };
  for (rlim_t const bytes : {0, 200, 5000, 20000}) {
    rlimit small = before;
    small.rlim_cur = bytes;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    glt_test::on_ranks(body, {1, 2});
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  }
  std::signal(SIGXFSZ, signal_before);
}

#ifndef GLT_TEST_MPI
TEST_CASE("a folder whose ranks are killed at any time is complete or absent") {
  glt_test::scratch_folder const scratch;
  auto const set = random_set(60, 600);
  auto const labels = glt_test::random_labels(set, 3);
  glt::random_stream draws(glt::random_key(5), 0);
  int complete = 0;
  for (int trial = 0; trial < 14; ++trial) {
    auto const folder = scratch / ("parts-" + std::to_string(trial));
    auto const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      glt::run_threads(2, [&](auto comm) {
        io::detail::write_parts_collective(comm, folder, set.view(), labels, {.plan = {.for_edges = 4000}});
      });
      ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(draws.below(20000)));
    if (trial < 12) { // the last ones are left to end by themselves
      ::kill(child, SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (std::filesystem::exists(folder)) {
      io::parts_folder const parts(folder);
      parts.verify();
      CHECK(parts.num_parts() == 3);
      ++complete;
    }
  }
  CHECK(complete >= 2);
}
#endif

#if defined(__linux__) && !defined(GLT_TEST_MPI) && !defined(GLT_TEST_SANITIZED)
namespace {

// Runs work in a process of its own and returns how much memory of its own it took more than when it began, at most;
// 0 if it failed. Pages of mapped files do not count.
template <class Work>
std::int64_t peak_of(Work work) {
  auto const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    bool done = false;
    try {
      work();
      done = true;
    } catch (...) {
    }
    ::_exit(done ? 0 : 1);
  }
  std::int64_t first = 0;
  std::int64_t peak = 0;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    std::ifstream file("/proc/" + std::to_string(child) + "/status");
    for (std::string word; file >> word;) {
      if (std::int64_t kilobytes = 0; word == "RssAnon:" && file >> kilobytes) {
        first = first == 0 ? kilobytes : first;
        peak = std::max(peak, kilobytes);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  return status == 0 ? 1024 * (peak - first) : 0;
}

} // namespace

TEST_CASE("a data set with types, four times as large as the memory for it, is divided within the plan") {
  constexpr std::int64_t num_nodes = 60000;
  constexpr std::int64_t num_edges = 1200000;
  glt_test::scratch_folder const scratch;
  std::filesystem::create_directories(scratch / "set");
  CHECK(peak_of([&] {
          glt::random_stream draws(glt::random_key(8), 0);
          auto const write = [&](std::string const& name, auto const& values, std::int64_t rows) {
            auto const columns = std::ssize(values) / rows;
            io::write_npy(scratch / "set" / (name + ".npy"), glt::host_matrix(values.data(), rows, columns));
          };
          for (std::string const name : {"paper__cites__paper", "author__writes__paper"}) {
            std::vector<std::int64_t> pairs(2 * num_edges);
            for (auto& vertex : pairs) {
              vertex = static_cast<std::int64_t>(draws.below(num_nodes));
            }
            write("edge_index." + name, pairs, 2);
            write("edge_weight." + name, std::vector<float>(num_edges, 2), num_edges);
            write("edge_feat." + name, std::vector<float>(3 * num_edges, 1), num_edges);
          }
          write("node_feat.paper", std::vector<float>(64 * num_nodes, 3), num_nodes);
          write("node_label.author", std::vector<std::int64_t>(num_nodes, 3), num_nodes);
        }) > 0);
  constexpr std::int64_t limit = 24 << 20;
  auto const plan = io::detail::plan_memory(2 * num_nodes, limit);
  auto const peak = peak_of([&] {
    io::detail::mapped_raw_data const data(scratch / "set");
    std::vector<glt::relabelling> labels;
    for (int type = 0; type < 2; ++type) {
      labels.push_back(glt_test::random_labels(num_nodes, 2));
    }
    io::detail::write_parts_collective(glt::serial_comm{}, scratch / "parts", data.view(), labels, {.plan = plan});
  });
  MESSAGE(peak << " bytes at the peak, limit " << limit);
  CHECK(peak > 0);
  CHECK(peak <= limit);
  io::parts_folder const folder(scratch / "parts");
  CHECK(folder.info().edges[0].num_edges() == num_edges);
}
#endif
