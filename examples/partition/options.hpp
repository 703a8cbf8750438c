// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/text/edge_list.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace glt_partition {

/// What the command line asks for.
struct options {
  std::filesystem::path input{};
  std::string format = "auto";
  std::string split{};
  glt::io::edge_list_options lines{}; ///< of a list of edges
  bool symmetrize = false;
  bool add_reverse = false;
  bool add_self_loops = false;
  bool normalize = false;
  bool strict = false;
  bool check_splits = true;

  int parts = 0;
  std::string method = "multilevel";
  std::filesystem::path assignment{};
  std::uint64_t key = 1;
  double slack = 0.05;
  int passes = 5;
  std::vector<std::string> balance{"vertices"};

  std::filesystem::path out{};
  std::vector<std::int64_t> fanouts{15, 10, 5};
  double cache_ratio = 0;
  bool halo = false;
  std::int64_t memory = 0; ///< bytes a process may take; 0 without a limit
  int threads = 1;
  double timeout = 0; ///< seconds a call may wait for the other ranks; 0 for ever

  std::vector<std::filesystem::path> reports{};
  bool json = false;
  std::filesystem::path verify{};
  std::filesystem::path info{};
};

/// Whether a method can share out more than vertices; the others look neither at edges nor at seeds.
inline bool keeps_balance(std::string const& method) {
  return method == "contiguous" || method == "ldg" || method == "fennel" || method == "multilevel" ||
         method == "frequency" || method == "metis";
}

/// Whether vertices may leave a part that exceeds a limit; ranges of ids stay ranges, and multilevel does it by itself.
inline bool repairs_balance(std::string const& method) {
  return keeps_balance(method) && method != "contiguous" && method != "multilevel";
}

} // namespace glt_partition
