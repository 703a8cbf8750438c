// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/folder/detail/npy_folder_files.hpp>
#include <glt/io/parts/open_data_set.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include <nlohmann/json.hpp>

#include "support/partition_tool.hpp"
#include "support/places.hpp"
#include "support/sanitized.hpp"
#include "support/scratch.hpp"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using namespace glt_test;

TEST_CASE("an edge list in text becomes parts that load, are verified and described") {
  scratch_folder const scratch;
  std::ofstream(scratch / "graph.txt") << "# a comment\n0 1\n1\t2\n2 0\n3 3\n";
  auto const out = (scratch / "parts").string();
  auto const made = run_tool(scratch, (scratch / "graph.txt").string() + " --parts 2 --method contiguous --out " + out);
  CHECK(made.status == 0);
  CHECK(made.errors.empty());
  CHECK(has(made.out, "4 vertices, 4 edges"));
  auto const part = glt::io::parts_folder(out).load(0);
  CHECK(part.graph.books[0].num_vertices() == 4);
  CHECK(part.graph.relations[0].view().num_edges() == 2);

  for (auto const* const limit : {"", " --memory 100MB"}) { // before anything is done
    auto const again = run_tool(scratch, (scratch / "graph.txt").string() + limit + " --parts 2 --out " + out);
    CHECK(again.status == 1);
    CHECK(again.out.empty());
    CHECK(has(again.errors, "is there already and not an empty folder; remove it or choose another"));
  }

  CHECK(has(run_tool(scratch, "--verify " + out).out, "as they were written"));
  CHECK(has(run_tool(scratch, "--info " + out).out, "contiguous"));
  auto const object = nlohmann::json::parse(run_tool(scratch, "--json --info " + out).out);
  CHECK(object["manifest"]["partitioner"]["name"] == "contiguous");

  std::ofstream(fs::path(out) / "part-1" / "node" / "original.npy", std::ios::app) << "x";
  auto const damaged = run_tool(scratch, "--verify " + out);
  CHECK(damaged.status == 1);
  CHECK(has(damaged.errors, "part-1/node/original.npy"));
}

TEST_CASE("columns of an edge list are what the options say, with and without a limit") {
  scratch_folder const scratch;
  std::ofstream(scratch / "graph.csv") << "time|from|to|note|cost\n5|0|1|\"a|b\"|0.5\n7|\"1\"|2||2 # last\n";
  for (std::string const limit : {"", " --memory 100MB"}) {
    auto const out = scratch / ("parts" + limit);
    auto const made =
        run_tool(scratch, (scratch / "graph.csv").string() + limit + " --header 1 --delimiter '|' " +
                              "--columns time,src,dst,ignored,weight --parts 1 --out '" + out.string() + "'");
    REQUIRE(made.status == 0);
    auto const part = glt::io::parts_folder(out).load(0);
    CHECK(std::ranges::equal(part.edges[0].weights, std::vector{0.5F, 2.0F}));
    CHECK(std::ranges::equal(part.edges[0].times, std::vector<std::int64_t>{5, 7}));
  }
}

TEST_CASE("every method divides a folder of arrays, and reports are written") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 300, 4000, 3);
  std::string const input = (scratch / "set").string();
  std::ofstream(scratch / "given.txt") << [] {
    std::string lines;
    for (int v = 0; v < 300; ++v) {
      lines += std::to_string(v % 3) + "\n";
    }
    return lines;
  }();
  std::vector<std::string> methods{
      "ldg",  "fennel",     "multilevel", "random",
      "hash", "contiguous", "frequency",  "file --assignment " + (scratch / "given.txt").string()};
  for (auto const& method : methods) {
    CAPTURE(method);
    auto const out = scratch / ("parts-" + method.substr(0, 4));
    bool const looks_at_edges = method != "random" && method != "hash" && !method.starts_with("file");
    auto const made = run_tool(scratch, input + " --parts 3 --method " + method +
                                            (looks_at_edges ? " --balance vertices,edges,seeds" : "") +
                                            " --cache-ratio 0.1" + " --halo --report " +
                                            (scratch / "report.json").string() + " --json --out " + out.string());
    CAPTURE(made.errors);
    CHECK(made.status == 0);
    CHECK(made.errors.empty());
    std::istringstream lines(made.out);
    std::string last;
    for (std::string line; std::getline(lines, line);) {
      last = line;
      CHECK(nlohmann::json::parse(line).contains("event"));
    }
    CHECK(nlohmann::json::parse(last)["event"] == "done");
    auto const quality = nlohmann::json::parse(read_bytes(scratch / "report.json"));
    std::int64_t vertices = 0;
    glt::io::parts_folder const folder(out);
    folder.verify();
    for (int part = 0; part < 3; ++part) {
      auto const loaded = folder.load(part);
      vertices += loaded.graph.relations[0].view().num_rows();
      CHECK(loaded.nodes[0].features[0].values.columns() == 3);
      CHECK(loaded.nodes[0].hot.ids.size() > 0);
    }
    CHECK(vertices == 300);
  }
}

TEST_CASE("a picture is drawn where Python can; elsewhere its numbers stay, and a note says what to install") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 30, 200, 3);
  auto const picture = (scratch / "report.svg").string();
  auto const arguments = (scratch / "set").string() + " --parts 2 --report " + picture + " --out ";
  auto const without = run_tool(scratch, arguments + (scratch / "parts").string(), "env PATH=/nowhere");
  CHECK(without.status == 0);
  CHECK(has(without.out, "report.svg is not drawn, which needs python3 with matplotlib (apt-get install"));
  CHECK_FALSE(fs::exists(picture));
  CHECK(nlohmann::json::parse(read_bytes(picture + ".json")).at("num_parts") == 2);

  write_bytes(picture + ".json", "a file of the user");
  auto const drawn = run_tool(scratch, "--info " + (scratch / "parts").string() + " --report " + picture);
  CHECK(drawn.status == 0);
  if (has(drawn.out, "is not drawn")) {
    MESSAGE("skipped: python3 has no matplotlib");
  } else {
    CHECK(has(read_bytes(picture), "set: 2 parts by ldg"));
    CHECK_FALSE(fs::exists(picture + ".1.json"));
  }
  CHECK(read_bytes(picture + ".json") == "a file of the user");
}

TEST_CASE("a graph larger than the memory limit becomes the parts that it becomes in memory") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 500, 9000, 2);
  std::vector<float> weights(9000);
  std::vector<std::int64_t> times(9000);
  for (std::size_t e = 0; e < weights.size(); ++e) {
    weights[e] = static_cast<float>(e % 17);
    times[e] = static_cast<std::int64_t>(e % 101);
  }
  glt::io::write_npy(scratch / "set" / "edge_weight.npy", weights);
  glt::io::write_npy(scratch / "set" / "edge_time.npy", times);
  glt::io::write_npy(scratch / "set" / "node_time.npy", std::vector<std::int64_t>(500, 3));
  for (std::string const method : {"ldg", "hash"}) {
    auto const arguments = (scratch / "set").string() + " --parts 4 --passes 2 --halo --method " + method + " --out ";
    auto const alone = scratch / (method + "-alone");
    auto const report = scratch / (method + ".json");
    auto const reporting = " --report " + report.string();
    CHECK(run_tool(scratch, arguments + alone.string() + reporting).status == 0);
    auto const expected = files_of(alone);
    auto const quality = read_bytes(report);
    auto const says_the_same = [&] {
      auto const same = read_bytes(report) == quality;
      std::filesystem::remove(report);
      return same;
    };
    CHECK(says_the_same());
    CHECK(run_tool(scratch, "--info " + alone.string() + reporting).status == 0);
    CHECK(says_the_same());
    auto const limited = scratch / (method + "-limited");
    auto const made = run_tool(scratch, arguments + limited.string() + reporting + " --memory 20MB");
    CAPTURE(made.errors);
    CHECK(made.status == 0);
    CHECK(files_of(limited) == expected);
    CHECK(says_the_same());
#ifdef GLT_TEST_LAUNCHER
    for (auto const* const ranks : {"2", "3"}) {
      auto const together = scratch / (method + "-together" + ranks);
      auto const parallel = run_tool(scratch, arguments + together.string() + reporting,
                                     std::string(glt_test::places::launcher) + " -n " + ranks);
      CAPTURE(parallel.errors);
      CHECK(parallel.status == 0);
      CHECK(files_of(together) == expected);
      CHECK(says_the_same());
    }
#endif
  }
  auto const refused =
      run_tool(scratch, (scratch / "set").string() + " --parts 2 --memory 1MB --out " + (scratch / "refused").string());
  CHECK(refused.status == 1);
  CHECK(has(refused.errors, "memory limit of 1048576 bytes"));
  CHECK(!fs::exists(scratch / "refused"));
}

TEST_CASE("a folder without features has the vertices that its meta.json states, with and without a limit") {
  scratch_folder const scratch;
  std::vector<std::int64_t> const edges{0, 1, 2, 1, 2, 0};
  fs::create_directory(scratch / "set");
  glt::io::write_npy(scratch / "set" / "edge_index.npy", glt::host_matrix<std::int64_t const>(edges.data(), 2, 3));
  std::ofstream(scratch / "set" / "meta.json") << R"({"num_nodes": 6})";
  auto const arguments = (scratch / "set").string() + " --parts 2 --method hash --out ";
  CHECK(run_tool(scratch, arguments + (scratch / "alone").string()).status == 0);
  CHECK(run_tool(scratch, arguments + (scratch / "limited").string() + " --memory 20MB").status == 0);
  CHECK(files_of(scratch / "alone") == files_of(scratch / "limited"));
  CHECK(glt::io::parts_folder(scratch / "alone").book().num_vertices() == 6);
  auto const usual = (scratch / "usual").string();
  CHECK(run_tool(scratch, (scratch / "set").string() + " --parts 2 --out " + usual).status == 0);
  CHECK(has(run_tool(scratch, "--info " + usual).out, "partitioned by multilevel"));
}

TEST_CASE("what is wrong with a graph on disk is named, and nothing is left") {
  scratch_folder const scratch;
  auto const set = scratch / "set";
  auto const fails = [&](std::string const& method, char const* text) {
    CAPTURE(method);
    auto const failed = run_tool(scratch, set.string() + " --parts 2 --memory 100MB --method " + method + " --out " +
                                              (scratch / "out").string());
    CAPTURE(failed.errors);
    CHECK(failed.status == 1);
    CHECK(has(failed.errors, text));
    for (auto const& entry : fs::directory_iterator(scratch.path())) {
      CHECK(!entry.path().filename().string().starts_with("out"));
    }
  };
  std::ofstream(scratch / "short.txt") << "0\n1\n";
  write_folder(set, 20, 50, 2);
  fails("file --assignment " + (scratch / "short.txt").string(), "parts of 2 vertices for a graph of 20");
  glt::io::write_npy(set / "train_idx.npy", std::vector<std::int64_t>{3, 20});
  fails("hash", "train_idx.npy: id 1 is 20");
  fs::remove(set / "train_idx.npy");
  glt::io::write_npy(set / "node_label.npy", std::vector<std::int64_t>(19));
  fails("hash", "19 rows for 20");
  fs::remove(set / "node_label.npy");
  std::vector<std::int64_t> edges(100, 0);
  edges[70] = 1 << 30;
  glt::io::write_npy(set / "edge_index.npy", glt::host_matrix<std::int64_t const>(edges.data(), 2, 50));
  for (std::string const method : {"hash", "random", "ldg"}) {
    fails(method, "destination of edge 20 is 1073741824");
  }
  glt::io::write_npy(set / "edge_feat.npy", glt::host_matrix<float const>(std::vector<float>(49).data(), 49, 1));
  fails("hash", "edge_feat.npy");
}

#if defined(__linux__) && !defined(GLT_TEST_SANITIZED)

namespace {

// Runs glt-partition and returns the most memory that was its own, files that it maps aside; 0 if it failed.
std::int64_t peak_bytes(std::vector<std::string> arguments) {
  std::fflush(stdout);
  auto const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    static_cast<void>(std::freopen("/dev/null", "w", stdout));
    std::vector<char*> words{const_cast<char*>("glt-partition")};
    for (auto& argument : arguments) {
      words.push_back(argument.data());
    }
    words.push_back(nullptr);
    execv(glt_test::places::partition_program, words.data());
    _exit(127);
  }
  std::int64_t peak = 0;
  int status = 0;
  auto const process = "/proc/" + std::to_string(child);
  auto const own = std::filesystem::read_symlink("/proc/self/exe");
  std::error_code gone;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::filesystem::read_symlink(process + "/exe", gone) == own) {
      continue; // until it runs the program, the memory is that of the tests
    }
    std::ifstream file(process + "/status");
    for (std::string word; file >> word;) {
      if (std::int64_t kilobytes = 0; word == "RssAnon:" && file >> kilobytes) {
        peak = std::max(peak, 1024 * kilobytes);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? peak : 0;
}

} // namespace

TEST_CASE("a graph four times as large as the memory limit is divided within the limit") {
  scratch_folder const scratch;
  constexpr std::int64_t limit = 18 << 20;
  constexpr std::int64_t num_edges = 4 * limit / 16;
  write_folder(scratch / "set", 20000, num_edges, 64);
  for (std::string const method : {"hash", "ldg"}) {
    auto const out = (scratch / method).string();
    auto const peak = peak_bytes({(scratch / "set").string(), "--parts", "4", "--passes", "1", "--method", method,
                                  "--memory", std::to_string(limit), "--out", out});
    MESSAGE(method << ": " << peak << " bytes at the peak, limit " << limit << ", edges of " << 16 * num_edges);
    CHECK(peak > 0);
    CHECK(peak <= limit);
    std::int64_t edges = 0;
    glt::io::parts_folder const folder(out);
    for (int part = 0; part < 4; ++part) {
      edges += folder.load(part).graph.relations[0].view().num_edges();
    }
    CHECK(edges == num_edges);
  }
}

#endif

TEST_CASE("wrong arguments and inputs say what is wrong, and leave nothing") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 20, 50, 2);
  auto const set = (scratch / "set").string();
  auto const out = " --out " + (scratch / "out").string();
  auto const fails = [&](std::string const& arguments, int status, char const* text) {
    CAPTURE(arguments);
    auto const failed = run_tool(scratch, arguments);
    CAPTURE(failed.errors);
    CHECK(failed.status == status);
    CHECK(has(failed.errors, text));
    CHECK(!fs::exists(scratch / "out"));
  };
  fails(set + out, 2, "--parts is required");
  fails(set + " --parts 2", 2, "--out is required");
  fails(set + " --parts 0" + out, 2, "--parts");
  fails(set + " --parts 2 --method magic" + out, 2, "magic");
  fails(set + " --parts 2 --report r.pdf" + out, 2, "r.pdf");
  fails(set + " --parts 2 --method file" + out, 2, "--assignment");
  for (std::string const method : {"random", "hash", "file --assignment given.txt"}) {
    fails(set + " --parts 2 --balance vertices,edges --method " + method + out, 2, "metis keep them");
  }
  for (auto const& [file, library] : {std::pair("META", "GraphLearn"), std::pair("META.json", "PyTorch Geometric")}) {
    auto const folder = scratch / (std::string("with-") + file);
    fs::create_directory(folder);
    std::ofstream(folder / file) << "{}";
    auto const text = "is a partition of " + std::string(library) + "; run python3 examples/convert.py " +
                      folder.string() + " OUT, and give OUT to glt-partition";
    fails(folder.string() + " --parts 2" + out, 1, text.c_str());
    fails(folder.string() + " --parts 2 --memory 100MB" + out, 1, text.c_str());
  }
  fails((scratch / "nothing").string() + " --parts 2" + out, 1, "nothing");
  fails(set + " --parts 2 --method metis --memory 100MB" + out, 1, "in one process");
  for (char const* const table : {"edges.csv", "a___r___b.parquet"}) {
    auto const folder = scratch / (std::string("with-") + table);
    fs::create_directory(folder);
    std::ofstream(folder / table) << "a,b\n";
    auto const text = " is a table; run python3 examples/convert.py " + folder.string() + " OUT";
    fails(folder.string() + " --parts 2" + out, 1, text.c_str());
  }
  fails(set + " --parts 2 --header 1" + out, 1, "--header, --columns and --delimiter are for lists of edges");
  fails(set + " --parts 2 --split time" + out, 1, "--split is for sets of the Open Graph Benchmark");
  std::ofstream(scratch / "four.txt") << "0 1 2 3\n";
  auto const four = (scratch / "four.txt").string() + " --parts 1" + out;
  fails(four, 1, "name them: glt-partition --columns src,dst,weight,time,ignored");
  fails(four + " --columns src,weight,ignored,ignored", 1, "one source and one destination");
  fails(four + " --columns src,dst,word", 2, "word not in {src,dst,weight,time,ignored}");
  fails(four + " --delimiter ab", 2, "no single byte");
  std::ofstream(scratch / "bad.txt") << "0 1\n1 two\n";
  fails((scratch / "bad.txt").string() + " --parts 2" + out, 1, "line 2");
}

TEST_CASE("a run that is killed leaves a complete folder or none") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 3000, 60000, 8);
  auto const set = (scratch / "set").string();
  glt::random_stream draws(glt::random_key(31), 0);
  int complete = 0;
  for (int attempt = 0; attempt < 25; ++attempt) {
    auto const out = (scratch / ("out" + std::to_string(attempt))).string();
    std::fflush(stdout);
    auto const child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      static_cast<void>(std::freopen("/dev/null", "w", stdout));
      execl(glt_test::places::partition_program, "glt-partition", set.c_str(), "--parts", "3", "--out", out.c_str(),
            nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(draws.below(700)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (fs::exists(out)) {
      ++complete;
      glt::io::parts_folder(out).verify();
    }
  }
  CHECK(complete >= 1);
}

TEST_CASE("the guide of formats is what the program prints, and names every array") {
  scratch_folder const scratch;
  auto const printed = run_tool(scratch, "--help-formats");
  CHECK(printed.status == 0);
  CHECK(printed.out == read_bytes(glt_test::places::formats_guide));
  for (auto const kind : glt::io::detail::npy_folder_files::kinds) {
    CHECK(has(printed.out, ("`" + std::string(kind) + ".npy`").c_str()));
  }
  auto const help = run_tool(scratch, "--help").out;
  for (auto const* const option : {"--add-reverse", "--symmetrize", "--add-self-loops"}) {
    CHECK(has(printed.out, option));
    CHECK(has(help, option));
  }
}
