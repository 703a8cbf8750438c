// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/serialize.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace example {

/// How far a training has come.
struct training_state {
  std::int64_t epoch = 0; ///< the last one that is done
  double best_valid = -1; ///< accuracy
  double test = 0;        ///< accuracy in the epoch of `best_valid`
};

/// Writes network, optimiser and state in rank 0. A file of that name is replaced when the new one is complete.
///
/// @comm   collective
/// @throws glt::collective_error  on every rank, if rank 0 cannot write it
template <glt::communicator Comm>
void save_training(Comm& comm, std::string const& path, std::string const& what, torch::nn::Module const& network,
                   torch::optim::Optimizer const& optimizer, training_state const& state) {
  glt::run_together(comm, [&] {
    if (comm.rank() != 0) {
      return;
    }
    torch::serialize::OutputArchive archive;
    torch::serialize::OutputArchive of_network;
    torch::serialize::OutputArchive of_optimizer;
    network.save(of_network);
    optimizer.save(of_optimizer);
    archive.write("what", c10::IValue(what));
    archive.write("epoch", c10::IValue(state.epoch));
    archive.write("best_valid", c10::IValue(state.best_valid));
    archive.write("test", c10::IValue(state.test));
    archive.write("network", of_network);
    archive.write("optimizer", of_optimizer);
    std::ostringstream bytes; // an archive that cannot write ends the process
    archive.save_to(bytes);
    auto const partial = path + ".partial";
    std::ofstream file(partial, std::ios::binary);
    file << bytes.str();
    file.close();
    if (!file) {
      throw glt::io_error(partial, 0, "cannot be written");
    }
    std::filesystem::rename(partial, path);
  });
}

/// Reads in rank 0 what `save_training` has written, and gives it to all ranks.
///
/// @comm   collective
/// @throws glt::collective_error  on every rank, if there is no such file, it is damaged, or of another training
template <glt::communicator Comm>
training_state load_training(Comm& comm, std::string const& path, std::string const& what, torch::nn::Module& network,
                             torch::optim::Optimizer& optimizer) {
  std::string bytes;
  glt::run_together(comm, [&] {
    if (comm.rank() == 0) {
      std::ifstream file(path, std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(file), {});
      if (bytes.empty()) {
        throw glt::io_error(path, 0, "cannot be read; leave --resume out to begin anew");
      }
    }
  });
  auto size = static_cast<std::int64_t>(bytes.size());
  comm.broadcast(reinterpret_cast<std::byte*>(&size), sizeof size, 0);
  bytes.resize(static_cast<std::size_t>(size));
  comm.broadcast(reinterpret_cast<std::byte*>(bytes.data()), size, 0);

  training_state state;
  glt::run_together(comm, [&] {
    std::istringstream file(bytes);
    torch::serialize::InputArchive archive;
    archive.load_from(file);
    c10::IValue value;
    archive.read("what", value);
    if (value.toStringRef() != what) {
      throw glt::precondition_error(glt::detail::message(path, " is of ", value.toStringRef(), ", not of ", what,
                                                         "; give the same options to go on"));
    }
    archive.read("epoch", value);
    state.epoch = value.toInt();
    archive.read("best_valid", value);
    state.best_valid = value.toDouble();
    archive.read("test", value);
    state.test = value.toDouble();
    torch::serialize::InputArchive of_network;
    torch::serialize::InputArchive of_optimizer;
    archive.read("network", of_network);
    archive.read("optimizer", of_optimizer);
    network.load(of_network);
    optimizer.load(of_optimizer);
  });
  return state;
}

} // namespace example
