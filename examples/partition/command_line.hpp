// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "formats_text.hpp"
#include "options.hpp"
#include "validators.hpp"

#include <glt/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace glt_partition {

inline std::vector<std::string> const formats{"auto", "ogb", "npy", "snap", "mtx", "metis", "planetoid", "wordnet"};
/// In the order of `glt::io::edge_list_options::column`.
inline std::vector<std::string> const column_names{"src", "dst", "weight", "time", "ignored"};
inline std::vector<std::string> const methods{"multilevel", "metis",      "ldg",       "fennel", "random",
                                              "hash",       "contiguous", "frequency", "file"};
inline std::vector<std::string> const balances{"vertices", "edges", "seeds", "types"};

/// Declares the command line; values land in `chosen` when `app` has parsed.
inline void declare(CLI::App& app, options& chosen) {
  app.description("Divides a data set for graph learning into parts that ranks load on their own (glt-parts folders).");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "glt-partition " + glt::version(), "Print the version and exit");

  app.add_flag_callback(
      "--help-formats", [] { throw CLI::CallForVersion(formats_text, 0); },
      "Print what can be read and how files are named, and exit");

  auto* input = app.add_option("INPUT", chosen.input, "Folder or file of the data set");
  app.add_option("--format", chosen.format, "How INPUT is laid out")
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  app.add_option("--split", chosen.split, "Split of an OGB data set (default: the only one)");
  app.add_option("--header", chosen.lines.header_lines, "Lines to skip at the beginning of a list of edges")
      ->check(number_from<std::int64_t>(0, std::numeric_limits<std::int64_t>::max()));
  app.add_option_function<std::vector<std::string>>(
         "--columns",
         [&chosen](std::vector<std::string> const& names) {
           for (auto const& name : names) {
             auto const place = std::ranges::find(column_names, name) - column_names.begin();
             chosen.lines.columns.push_back(static_cast<glt::io::edge_list_options::column>(place));
           }
         },
         "Columns of a list of edges, in their order (default: src,dst or src,dst,weight)")
      ->delimiter(',')
      ->check(CLI::IsMember(column_names));
  app.add_option_function<std::string>(
         "--delimiter",
         [&chosen](std::string const& text) {
           chosen.lines.delimiter = text == "tab" ? '\t' : text == "space" ? ' ' : text[0];
         },
         "Separator of columns in a list of edges: one byte, tab or space (default: blanks , ;)")
      ->check(one_byte());
  auto* symmetrize =
      app.add_flag("--symmetrize", chosen.symmetrize,
                   "Add every edge of a graph without types in the other direction, and drop duplicates");
  app.add_flag("--add-reverse", chosen.add_reverse,
               "Add the other direction with features, weights and times: as relation rev_NAME between two "
               "types of "
               "vertices, to the same edges within one")
      ->excludes(symmetrize);
  app.add_flag("--add-self-loops", chosen.add_self_loops,
               "Add a self-loop at every vertex without one to edges within a type of vertices");
  app.add_flag("--normalize", chosen.normalize, "Divide every row of float features by its sum");
  app.add_flag(
      "--check-splits,!--no-check-splits", chosen.check_splits,
      "Note what validation and test share with training: vertices, edges, negatives that are edges (default)");
  app.add_flag("--strict", chosen.strict,
               "Fail where labels are not finite, parts fuller than --slack allows, or splits share something");

  auto* parts = app.add_option("--parts", chosen.parts, "Number of parts")
                    ->check(number_from(1, std::numeric_limits<int>::max()));
  app.add_option("--method", chosen.method, "Partitioner")->check(CLI::IsMember(methods))->capture_default_str();
  auto* assignment =
      app.add_option("--assignment", chosen.assignment, "File with the part of every vertex (--method file)");
  app.add_option("--key", chosen.key, "Key of all random choices")
      ->check(number_from<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
  app.add_option("--slack", chosen.slack, "How much fuller than its share a part may be")
      ->check(number_from(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--passes", chosen.passes, "Passes of ldg and fennel")
      ->check(number_from(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--balance", chosen.balance, "What parts share equally: vertices, edges, seeds, types")
      ->delimiter(',')
      ->check(CLI::IsMember(balances))
      ->capture_default_str();

  auto* out = app.add_option("--out", chosen.out, "Folder to make");
  app.add_option("--fanout", chosen.fanouts, "Fanouts of training, for frequency and --cache-ratio")
      ->delimiter(',')
      ->check(number_from<std::int64_t>(-1, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  app.add_option("--cache-ratio", chosen.cache_ratio,
                 "Keep that share of the vertices as hot remote rows in every part")
      ->check(number_from(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("--halo", chosen.halo, "Write the list of the remote vertices of every part");
  app.add_option("--memory", chosen.memory, "Memory a process may take, such as 4GB (default: no limit)")
      ->transform(size_in_bytes());
  app.add_option("--timeout", chosen.timeout,
                 "Seconds that a rank may wait for the others before it ends the job (0: for ever)")
      ->check(number_from(0.0, 1e9));
  app.add_option("--threads", chosen.threads, "Threads of a process")
      ->check(number_from(1, 4096))
      ->capture_default_str();

  app.add_option("--report", chosen.reports,
                 "File for the quality report: .json, .txt, or .svg, which Python draws (may be repeated)");
  app.add_flag("--json", chosen.json, "Print JSON, one object a line, instead of text");
  auto* verify = app.add_option("--verify", chosen.verify, "Check every file of a glt-parts folder, and nothing else");
  auto* info = app.add_option(
      "--info", chosen.info, "Say what a glt-parts folder holds (with --report also how good it is), and nothing else");
  info->excludes(verify);

  app.callback([=, &chosen] {
    for (auto const& report : chosen.reports) {
      auto const kind = report.extension();
      if (kind != ".svg" && kind != ".json" && kind != ".txt") {
        throw CLI::ValidationError("--report", report.string() + " ends in none of .svg, .json, .txt");
      }
    }
    if (!chosen.verify.empty() || !chosen.info.empty()) {
      return;
    }
    for (auto const* needed : {input, parts, out}) {
      if (needed->count() == 0) {
        throw CLI::RequiredError(needed->get_name());
      }
    }
    if ((chosen.method == "file") != (assignment->count() > 0)) {
      throw CLI::ValidationError("--assignment", "belongs to --method file, which needs it");
    }
    for (auto const& of : chosen.balance) {
      if (of != "vertices" && !keeps_balance(chosen.method)) {
        throw CLI::ValidationError(
            "--balance", of + " with --method " + chosen.method +
                             ", which does not look at them; contiguous, ldg, fennel, "
                             "multilevel, frequency and metis keep them, and --report shows how equal parts are");
      }
    }
  });
}

} // namespace glt_partition
