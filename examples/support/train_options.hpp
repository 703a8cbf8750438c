// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace example {

/// Where batches are made.
enum class deployment { collocated, pipelined, workers, servers };

/// The command line of `train`.
struct train_options {
  std::string parts;
  std::int64_t epochs = 10;
  std::vector<std::int64_t> fanout{15, 10};
  std::int64_t batch = 1024;
  std::int64_t hidden = 256;
  double lr = 0.003;
  double dropout = 0.3;
  double input_dropout = 0.0;
  double weight_decay = 0.0;
  std::uint64_t seed = 1;
  double timeout = 0; ///< seconds a call may wait for the other ranks; 0 for ever
  example::deployment deployment = example::deployment::collocated;
  std::int64_t prefetch = 2;             ///< batches in advance, but for collocated ranks
  std::int64_t workers = 1;              ///< ranks that make the batches of a trainer of their machine
  std::int64_t servers = 1;              ///< ranks that make the batches of all others
  std::int64_t shared_megabytes = 256;   ///< of a worker, where its batches lie
  bool hot_rows = false;
  bool progress = false;
};

inline constexpr std::string_view train_usage =
    "usage: train PARTS_DIR [--epochs 10] [--fanout 15,10] [--batch 1024] [--hidden 256] [--lr 0.003] "
    "[--dropout 0.3]"
    " [--input-dropout 0] [--weight-decay 0] [--seed 1] [--timeout 0] [--hot-rows] [--progress]"
    " [--deployment collocated|pipelined|workers|servers] [--prefetch 2] [--workers 1] [--servers 1]"
    " [--shared-megabytes 256]; -1 as fanout takes all"
    " neighbours; --hot-rows keeps the rows that glt-partition --cache-ratio chose, and reports how often they are hit;"
    " --progress draws a bar while an epoch runs; --timeout ends the job where a rank waits longer than so many seconds";

namespace detail {

template <class T>
T parse_number(std::string_view option, std::string_view text, T lowest) {
  T value{};
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !(value >= lowest)) {
    throw glt::precondition_error(
        glt::detail::message(option, " ", text, ": give a number of ", lowest, " or more"));
  }
  return value;
}

inline std::vector<std::int64_t> parse_list(std::string_view option, std::string_view text) {
  std::vector<std::int64_t> values;
  for (std::size_t first = 0; first <= text.size();) {
    auto const last = std::min(text.find(',', first), text.size());
    values.push_back(parse_number<std::int64_t>(option, text.substr(first, last - first), -1));
    first = last + 1;
  }
  return values;
}

inline deployment parse_deployment(std::string_view text) {
  constexpr std::array<std::string_view, 4> names{"collocated", "pipelined", "workers", "servers"};
  auto const found = std::ranges::find(names, text);
  if (found == names.end()) {
    throw glt::precondition_error(glt::detail::message(
        "--deployment ", text, ": give collocated, pipelined, workers or servers"));
  }
  return static_cast<deployment>(found - names.begin());
}

} // namespace detail

/// @throws glt::precondition_error  naming the first argument that makes no sense
inline train_options parse_train_options(std::span<char const* const> arguments) {
  using detail::parse_number;
  train_options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view const name = arguments[i];
    if (name == "--progress") {
      options.progress = true;
      continue;
    }
    if (name == "--hot-rows") {
      options.hot_rows = true;
      continue;
    }
    if (!name.starts_with("--")) {
      if (!options.parts.empty()) {
        throw glt::precondition_error(glt::detail::message("second folder ", name, "; give one"));
      }
      options.parts = name;
      continue;
    }
    if (i + 1 == arguments.size()) {
      throw glt::precondition_error(glt::detail::message(name, " without a value; give one after it"));
    }
    std::string_view const text = arguments[++i];
    if (name == "--epochs") {
      options.epochs = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--fanout") {
      options.fanout = detail::parse_list(name, text);
    } else if (name == "--batch") {
      options.batch = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--hidden") {
      options.hidden = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--lr") {
      options.lr = parse_number<double>(name, text, 0);
    } else if (name == "--dropout") {
      options.dropout = parse_number<double>(name, text, 0);
    } else if (name == "--input-dropout") {
      options.input_dropout = parse_number<double>(name, text, 0);
    } else if (name == "--weight-decay") {
      options.weight_decay = parse_number<double>(name, text, 0);
    } else if (name == "--seed") {
      options.seed = parse_number<std::uint64_t>(name, text, 0);
    } else if (name == "--deployment") {
      options.deployment = detail::parse_deployment(text);
    } else if (name == "--prefetch") {
      options.prefetch = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--workers") {
      options.workers = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--servers") {
      options.servers = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--shared-megabytes") {
      options.shared_megabytes = parse_number<std::int64_t>(name, text, 1);
    } else if (name == "--timeout") {
      options.timeout = parse_number<double>(name, text, 0);
    } else {
      throw glt::precondition_error(glt::detail::message("unknown option ", name, "; ", train_usage));
    }
  }
  if (options.parts.empty()) {
    throw glt::precondition_error(glt::detail::message("no folder with parts; ", train_usage));
  }
  if (options.fanout.size() != 2) {
    throw glt::precondition_error(glt::detail::message("--fanout with ", options.fanout.size(),
                                                       " numbers; the network has 2 layers, give 2"));
  }
  if (options.dropout >= 1 || options.input_dropout >= 1) {
    throw glt::precondition_error("--dropout and --input-dropout are probabilities below 1");
  }
  return options;
}

} // namespace example
