// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../partition/validators.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/detail/atomic_file.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace example {

/// What the command lines of all training programs have.
struct training_options {
  std::string parts;
  std::int64_t epochs = 10;
  std::vector<std::int64_t> fanout{15, 10}; ///< as many numbers as layers
  std::int64_t batch = 1024;
  std::int64_t hidden = 256;
  double lr = 0.003;
  double dropout = 0.3;
  double input_dropout = 0.0;
  double weight_decay = 0.0;
  std::uint64_t seed = 1;
  double timeout = 0; ///< seconds a call may wait for the other ranks; 0 for ever
  std::string log;    ///< figures of epochs as JSON; empty: none
  std::string save;   ///< where the network goes; empty: nowhere
  std::string load;   ///< where it comes from; empty: it begins at random
};

/// Accepts numbers of `least` or more.
template <class T = std::int64_t>
CLI::Validator at_least(std::type_identity_t<T> least) {
  return glt_partition::number_from<T>(least, std::numeric_limits<T>::max());
}

/// Accepts names of files; an empty one comes of a variable that is not set.
inline CLI::Validator file_name() {
  return {[](std::string& text) {
            return std::string(text.empty() ? "the name is empty; give one, or leave out the option" : "");
          },
          ""};
}

/// Declares an option that is one of the names of an enumeration's values, in their order.
template <class Enum, std::size_t N>
void add_choice(CLI::App& app, std::string const& name, Enum& value, std::array<std::string_view, N> names,
                std::string const& help) {
  app.add_option_function<std::string>(
         name,
         [&value, names](std::string const& chosen) {
           value = static_cast<Enum>(std::ranges::find(names, chosen) - names.begin());
         },
         help)
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
      ->default_str(std::string(names[static_cast<std::size_t>(value)]));
}

/// Declares the options of all training programs; values land in `options` when `app` has parsed.
inline void declare_training(CLI::App& app, training_options& options) {
  app.option_defaults()->always_capture_default();
  app.add_option("PARTS", options.parts, "Folder of parts, which glt-partition made")->required();
  app.add_option("--epochs", options.epochs, "0 evaluates the network of --load")->check(at_least(0));
  app.add_option("--fanout", options.fanout, "Neighbours of a batch's vertices, one number a layer; -1 takes all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(at_least(-1));
  app.add_option("--batch", options.batch, "Seeds of a batch")->check(at_least(1));
  app.add_option("--hidden", options.hidden, "Columns of hidden layers")->check(at_least(1));
  app.add_option("--lr", options.lr, "Step of Adam")->check(at_least<double>(0));
  app.add_option("--dropout", options.dropout, "Share of hidden values that are dropped")
      ->check(glt_partition::number_from(0.0, 0.999));
  app.add_option("--input-dropout", options.input_dropout, "The same of features")
      ->check(glt_partition::number_from(0.0, 0.999));
  app.add_option("--weight-decay", options.weight_decay, "Of Adam")->check(at_least<double>(0));
  app.add_option("--seed", options.seed, "Key of all random choices")->check(at_least<std::uint64_t>(0));
  app.add_option("--timeout", options.timeout, "Seconds that a rank may wait before it ends the job (0: for ever)")
      ->check(at_least<double>(0));
  app.add_option("--log", options.log, "File for figures, a JSON object a line for every epoch")->check(file_name());
  app.add_option("--save", options.save, "File for the network with the best validation accuracy")->check(file_name());
  app.add_option("--load", options.load, "File with the network to begin with; torch::load reads it as well")
      ->check(file_name());
  app.parse_complete_callback([&options] {
    if (options.epochs == 0 && options.load.empty()) {
      throw CLI::ValidationError("--epochs", "0 without --load; say which network to evaluate, or train one");
    }
  });
}

/// Refuses outputs that could not be written after the work.
///
/// @comm   collective
/// @throws glt::collective_error  on every rank, naming the first such file
template <glt::communicator Comm>
void check_outputs(Comm& comm, std::initializer_list<std::string_view> paths) {
  glt::run_together(comm, [&] {
    for (auto const path : paths) {
      if (comm.rank() == 0 && !path.empty()) {
        glt::detail::atomic_file const trial(path);
      }
    }
  });
}

} // namespace example
