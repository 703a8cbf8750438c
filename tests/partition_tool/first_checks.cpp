// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/parts/parts_folder.hpp>

#include "support/archives.hpp"
#include "support/partition_tool.hpp"
#include "support/scratch.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace glt_test;

namespace {

// A data set of 20 vertices, and runs on it that must fail and leave nothing.
struct failing_runs {
  failing_runs() { write_folder(scratch / "set", 20, 50, 2); }
  void check(std::string const& arguments, int status, std::vector<char const*> const& words) const {
    for (std::string const limit : {"", " --memory 100MB"}) {
      auto const run =
          run_tool(scratch, (scratch / "set").string() + limit + " --out " + (scratch / "out").string() + arguments);
      CAPTURE(arguments);
      CAPTURE(run.errors);
      CHECK(run.status == status);
      for (auto const* const word : words) {
        CHECK(has(run.errors, word));
      }
      CHECK(run.errors.size() < 500);
      CHECK(scratch.num_entries() <= 3); // the input and what the run printed
    }
  }

  scratch_folder scratch;
};

} // namespace

TEST_CASE("numbers of the command line are in range, and long ones are cut in messages") {
  failing_runs const runs;
  for (char const* const number : {"-1", "''", "2x", "1e3", "18446744073709551616"}) {
    runs.check(std::string(" --parts 2 --key ") + number, 2, {"--key: '", "no whole number from 0 to"});
  }
  for (char const* const size : {"-1", "0", "''", "4 GBs", "9999EB", "GB", "nan"}) {
    runs.check(std::string(" --parts 2 --memory '") + size + "'", 2, {});
  }
  runs.check(" --parts 2 --slack -0.5", 2, {"--slack: '-0.5' is no number from 0 to"});
  runs.check(" --parts 2 --slack inf", 2, {"--slack: 'inf'"});
  runs.check(" --parts 2 --fanout 5,99999999999999999999", 2, {"--fanout: '9999", "no whole number from -1 to"});
  runs.check(" --parts 2 --cache-ratio 1.5", 2, {"--cache-ratio: '1.5' is no number from 0 to 1"});
  runs.check(" --parts " + std::string(300, '9'), 2, {"9999...' is no whole number from 1 to 2147483647"});
  runs.check(" --parts 2 --cache-ratio 0.1 --fanout 0,2", 1, {"--fanout of 0, which reaches no vertex"});
  CHECK(run_tool(runs.scratch, (runs.scratch / "set").string() + " --parts 2 --memory '20 mib' --out " +
                                   (runs.scratch / "out").string())
            .status == 0);
}

TEST_CASE("outputs that have no place are refused before the work") {
  failing_runs const runs;
  auto const out = [&](fs::path const& path) { return " --parts 2 --out " + path.string(); };
  auto const fault = [&](std::string const& arguments) {
    auto const run = run_tool(runs.scratch, (runs.scratch / "set").string() + arguments);
    CHECK(run.status == 1);
    CHECK(run.out.empty());
    return run.errors;
  };
  CHECK(has(fault(" --parts 2 --out ''"), "the name is empty"));
  CHECK(has(fault(out(runs.scratch / "no" / "out")), "no is no folder; make it"));
  CHECK(has(fault(out(runs.scratch / std::string(300, 'a'))), "a name of 300 bytes"));
  runs.check(" --parts 2 --report " + (runs.scratch / "no" / "r.json").string(), 1, {"no/r.json", "no is no folder"});
  for (char const* const out_of_reach : {".", "..", "./", "/", "/proc"}) {
    CHECK(has(fault(out(out_of_reach)), "cannot be created: it is"));
  }
  if (fs::exists("/proc/self")) { // writable for root by its permissions
    CHECK(has(fault(out("/proc/parts")), "/proc/parts: cannot be created: "));
    CHECK_FALSE(has(fault(out("/proc/parts")), "partitioning"));
  }
  fs::create_symlink(runs.scratch / "nowhere", runs.scratch / "dangling");
  CHECK(has(fault(out(runs.scratch / "dangling")), "symbolic link, which is not followed"));
  CHECK(has(fault(out(runs.scratch / "dangling" / "")), "symbolic link, which is not followed"));
  fs::create_symlink(runs.scratch / "nowhere", runs.scratch / "link.json");
  CHECK(has(fault(out(runs.scratch / "new") + " --report " + (runs.scratch / "link.json").string()), "symbolic link"));
  CHECK_FALSE(fs::exists(runs.scratch / "nowhere"));
}

TEST_CASE("folders of others beside the output stay, whatever their names") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 20, 50, 2);
  fs::create_directories(scratch / "work" / "out.glt-partial0" / "thesis");
  fs::create_directories(scratch / "work" / "out.partial0" / "thesis");
  fs::create_directory(scratch / "work" / "out.partial1");
  fs::create_directory(scratch / "work" / "out.glt-partial-mine"); // empty, like one whose mark is not made yet
  fs::create_directories(scratch / "work" / "out.partial0.scratch-0" / "mine");
  fs::create_directories(scratch / "work" / "out.partial7.removed" / "mine");
  write_bytes(scratch / "work" / "out.glt-partial2", "a file");
  auto const number = std::distance(fs::directory_iterator(scratch / "work"), {});
  for (std::string const limit : {"", " --memory 100MB"}) {
    auto const run = run_tool(scratch, (scratch / "set").string() + limit + " --parts 2 --out " +
                                           (scratch / "work" / "out").string());
    CHECK(run.status == 0);
    CHECK_FALSE(has(run.out, "removed"));
    fs::remove_all(scratch / "work" / "out");
    CHECK(std::distance(fs::directory_iterator(scratch / "work"), {}) == number);
    CHECK(fs::exists(scratch / "work" / "out.glt-partial0" / "thesis"));
    CHECK(fs::exists(scratch / "work" / "out.partial0" / "thesis"));
  }
}

TEST_CASE("output that is lost is an error") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 20, 50, 2);
  auto const out = (scratch / "out").string();
  auto const run = [&](std::string const& arguments) {
    auto const command =
        glt_test::places::partition_program + std::string(" ") + arguments + " 2> " + (scratch / "stderr").string();
    int const status = std::system(command.c_str());
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
  };
  for (std::string const format : {"", " --json", " --json --memory 100MB"}) {
    CAPTURE(format);
    CHECK(run((scratch / "set").string() + format + " --parts 2 --out " + out + " > /dev/full") == 1);
    CHECK(has(read_bytes(scratch / "stderr"), "standard output"));
    CHECK(has(read_bytes(scratch / "stderr"), "No space left on device"));
    fs::remove_all(out);
  }
  CHECK(run((scratch / "set").string() + " --parts 2 --out " + out + " > /dev/null") == 0);
  for (std::string const what : {"--info ", "--verify ", "--json --info "}) {
    CHECK(run(what + out + " > /dev/full") == 1);
    CHECK(run(what + out + " > /dev/null") == 0);
  }
  CHECK(run("--help > /dev/full") == 1);
}

TEST_CASE("a report that cannot be written is an error that names it, and costs no parts") {
  scratch_folder const scratch;
  auto const ring = scratch / "ring.txt";
  auto const out = scratch / "out";
  constexpr int parts = 60;
  std::string edges;
  for (int v = 0; v < parts; ++v) {
    edges += std::to_string(v) + " " + std::to_string((v + 1) % parts) + "\n";
  }
  write_bytes(ring, edges);
  // Files of 36 KiB or less: those of 60 parts are shorter, the numbers of their report are longer.
  std::string const limit = "ulimit -f 72 &&";
  auto const dividing = ring.string() + " --parts 60 --method contiguous --out " + out.string();
  auto const looking = "--info " + out.string();
  auto const check = [&](std::string const& arguments, char const* name) {
    auto const report = scratch / name;
    write_bytes(report, "an older one");
    auto const run = run_tool(scratch, arguments + " --report " + report.string(), limit);
    CAPTURE(arguments);
    CAPTURE(run.errors);
    CHECK(run.status == 1);
    CHECK(has(run.errors, report.c_str()));
    CHECK(has(run.errors, "cannot be written: File too large"));
    CHECK(read_bytes(report) == "an older one");
    CHECK(scratch.num_entries() == 5); // the input, what the run printed, the parts and the older report
    glt::io::parts_folder const made(out);
    CHECK(made.num_parts() == parts);
    CHECK_NOTHROW(made.verify());
    fs::remove(report);
  };
  check(dividing, "report.json");
  check(looking, "report.json");
  check(looking, "report.svg"); // the numbers that are drawn
  fs::remove_all(out);
  check(dividing + " --memory 100MB", "report.json");
}

TEST_CASE("as many parts as vertices are the most, and an empty graph is noted") {
  failing_runs const runs;
  for (char const* const parts : {"21", "100000", "2147483647"}) {
    runs.check(std::string(" --parts ") + parts, 1, {"of 20 vertices; ask for 20 or fewer"});
  }
  auto const run = [&](std::string const& input, char const* out) {
    return run_tool(runs.scratch,
                    (runs.scratch / input).string() + " --parts 20 --out " + (runs.scratch / out).string());
  };
  CHECK(run("set", "single").status == 0);
  std::ofstream(runs.scratch / "empty.txt") << "# nothing\n";
  CHECK(has(run("empty.txt", "none").out, "note: "));
}

TEST_CASE("weights that are rounded are noted, with their number and file; those that are no float are refused") {
  failing_runs const runs;
  auto const file = runs.scratch / "set" / "edge_weight.npy";
  std::vector<std::int64_t> weights(50, (1 << 24) - 1);
  weights[7] = (1 << 24) + 1;
  weights[9] = (std::int64_t{1} << 40) + 1;
  glt::io::write_npy(file, weights);
  for (std::string const limit : {"", " --memory 100MB"}) {
    auto const run = run_tool(runs.scratch, (runs.scratch / "set").string() + limit + " --parts 2 --out " +
                                                (runs.scratch / ("out" + std::to_string(limit.size()))).string());
    CHECK(run.status == 0);
    auto const note = "note: 2 of 50 weights in " + file.string() + " are rounded";
    CHECK(has(run.out, note.c_str()));
    fs::remove_all(runs.scratch / ("out" + std::to_string(limit.size())));
  }
  std::vector<double> large(50, 1);
  large[3] = 1e300;
  glt::io::write_npy(file, large);
  runs.check(" --parts 2", 1, {"edge_weight.npy", "element 3 is 1e+300", "float32"});
}

TEST_CASE("what does not fit the memory is told with the bytes that it takes, before it is done") {
  failing_runs const runs;
  auto const set = runs.scratch / "set";
  for (auto const* const name : {"node_feat.npy", "node_label.npy"}) {
    fs::remove(set / name);
  }
  auto const meta = [&](char const* number) {
    std::ofstream(set / "meta.json") << R"({"num_nodes": )" << number << "}";
  };
  for (char const* const number : {"-3", "1000000000000000", "1e300"}) {
    meta(number);
    runs.check(" --parts 2", 1, {"meta.json", "give a whole number from 0 to"});
  }
  meta("200000000000000");
  auto const arguments = set.string() + " --parts 2 --out " + (runs.scratch / "out").string();
  CHECK(has(run_tool(runs.scratch, arguments + " --memory 100MB").errors, "memory limit of 104857600 bytes"));
  auto const run = run_tool(runs.scratch, arguments);
  CHECK(run.status == 1);
  CHECK(has(run.errors, "dividing 200000000000000 vertices and 50 edges takes about"));
  CHECK(has(run.errors, "of memory, and"));
  CHECK(has(run.errors, "numbered from 0"));
}

TEST_CASE("an archive is refused by the size that it has unpacked") {
  scratch_folder const scratch;
  constexpr std::int64_t columns = 4'000'000;
  write_zip(scratch / "graph.npz", {{"edges.npy", npy_bytes("<i8", "(1, 2)", std::string(16, '\0'))},
                                    {"x.npy", npy_bytes("<f4", "(3, 4000000)", std::string(12 * columns, '\0'))}});
  CHECK(fs::file_size(scratch / "graph.npz") < 1'000'000);
  auto const run = run_tool(scratch, (scratch / "graph.npz").string() + " --parts 1 --memory 100MB --out " +
                                         (scratch / "out").string());
  CHECK(run.status == 1);
  CHECK(has(run.errors, "takes about 1440"));
  CHECK(has(run.errors, "--memory allows 104857600"));
}

TEST_CASE("features and weights that cannot be trained with are named with their place") {
  failing_runs const runs;
  auto const set = runs.scratch / "set";
  std::vector<float> features(40, 0);
  for (float const bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    features[7] = bad;
    glt::io::write_npy(set / "node_feat.npy", glt::host_matrix<float const>(features.data(), 20, 2));
    runs.check(" --parts 2", 1, {"features 'node_feat' of vertices 'node': row 3, column 1 is not finite"});
  }
  fs::remove(set / "node_feat.npy");
  for (float const bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -0.5F}) {
    std::vector<float> weights(50, 1);
    weights[9] = bad;
    glt::io::write_npy(set / "edge_weight.npy", weights);
    runs.check(" --parts 2", 1, {"weight 9 of edges 'edge'", "finite numbers of 0 or more"});
  }
  fs::remove(set / "edge_weight.npy");
  std::vector<double> targets(20, std::numeric_limits<double>::quiet_NaN());
  glt::io::write_npy(set / "node_label.npy", targets);
  runs.check(" --parts 2 --strict", 1, {"20 labels of"});
  auto const noted = run_tool(runs.scratch, set.string() + " --parts 2 --out " + (runs.scratch / "out").string());
  CHECK(noted.status == 0);
  CHECK(has(noted.out, "20 labels are not finite"));
}

TEST_CASE("arrays that are nearly named right, and elements of other types, are noted with and without a limit") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 20, 50, 2);
  fs::rename(scratch / "set/node_label.npy", scratch / "set/node_labels.npy");
  fs::create_directory(scratch / "set/raw");
  std::ofstream(scratch / "set/raw/features.npz") << "what is not read may be anything";
  std::ofstream(scratch / "set/other.npz") << "here as well";
  glt::io::write_npy(scratch / "set/node_label.npy", std::vector<std::uint16_t>(20, 3));
  for (std::string const limit : {"", " --memory 100MB"}) {
    auto const made = run_tool(scratch, (scratch / "set").string() + " --parts 2 --out " +
                                            (scratch / ("out" + std::to_string(limit.size()))).string() + limit);
    CAPTURE(made.out);
    CHECK(made.status == 0);
    CHECK(has(made.out, "set/node_labels.npy is not read; did you mean node_label.npy?"));
    CHECK(has(made.out, "set/node_label.npy holds uint16, which is kept as int32"));
  }
}
