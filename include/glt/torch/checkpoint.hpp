// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/torch/detail/archive_file.hpp>
#include <glt/torch/detail/archived_module.hpp>

#include <ATen/core/ivalue.h>
#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

#include <map>

namespace glt {

/// Writes the parameters and buffers of rank 0's module, as `torch::save` does. Replaces a regular file of that name
/// when the new one is complete.
///
/// @comm   collective
/// @throws collective_error  on every rank, if rank 0 cannot write the file, or the name is a link, a folder or a
///                           device
template <communicator Comm>
void save_model(Comm& comm, std::string const& path, ::torch::nn::Module const& module) {
  detail::write_archive(comm, path, [&](::torch::serialize::OutputArchive& archive) { module.save(archive); });
}

/// Loads the tensors that `save_model` or `torch::save` has written into the modules of all ranks. Rank 0 reads the
/// file and compares its bytes with the checksums in it before it uses them.
///
/// @comm   collective; two broadcasts
/// @throws collective_error  on every rank, if the file cannot be read or is damaged, or if a parameter or buffer is
///         missing, one too many, or of another shape or element type, with its name and both shapes; then nothing is
///         changed
template <communicator Comm>
void load_model(Comm& comm, std::string const& path, ::torch::nn::Module& module) {
  detail::read_archive(comm, path, [&](::torch::serialize::InputArchive& archive) {
    auto tensors = detail::match_module(archive, module, path);
    detail::restore(tensors);
  });
}

/// Writes, on rank 0, the state that a training needs to go on: network, optimiser, and values such as its epoch and
/// step. Replaces a regular file of that name when the new one is complete.
///
///     glt::save_training(comm, path, "seed 1 on 2 ranks", network, adam, {{"epoch", epoch}, {"step", step + 1}});
///
/// @param  what  identity of the training: all settings on which its numbers depend and that may differ when it goes on
/// @param  values  numbers, texts or tensors by name
/// @comm   collective
/// @throws collective_error  as `save_model`
template <communicator Comm>
void save_training(Comm& comm, std::string const& path, std::string const& what, ::torch::nn::Module const& network,
                   ::torch::optim::Optimizer const& optimizer, std::map<std::string, c10::IValue> const& values) {
  detail::write_archive(comm, path, [&](::torch::serialize::OutputArchive& archive) {
    ::torch::serialize::OutputArchive of_network;
    ::torch::serialize::OutputArchive of_optimizer;
    ::torch::serialize::OutputArchive of_values;
    network.save(of_network);
    optimizer.save(of_optimizer);
    for (auto const& [name, value] : values) {
      of_values.write(name, value);
    }
    archive.write("what", c10::IValue(what));
    archive.write("network", of_network);
    archive.write("optimizer", of_optimizer);
    archive.write("values", of_values);
  });
}

/// Loads on all ranks the state that `save_training` has written; returns the values.
///
///     auto const values = glt::load_training(comm, path, "seed 1 on 2 ranks", network, adam);
///     auto const epoch = values.at("epoch").toInt();
///
/// @comm   collective; two broadcasts
/// @throws collective_error  on every rank, if the file cannot be read or is damaged, is of another training, or of
///         another network, as `load_model`; then nothing is changed. An optimiser of another kind is an error of
///         LibTorch, and leaves the network as it was
template <communicator Comm>
[[nodiscard]] std::map<std::string, c10::IValue> load_training(Comm& comm, std::string const& path,
                                                               std::string const& what, ::torch::nn::Module& network,
                                                               ::torch::optim::Optimizer& optimizer) {
  std::map<std::string, c10::IValue> values;
  detail::read_archive(comm, path, [&](::torch::serialize::InputArchive& archive) {
    c10::IValue saved;
    if (!archive.try_read("what", saved) || !saved.isString()) {
      throw precondition_error(path + " is not of a training; give a file that save_training has written");
    }
    if (saved.toStringRef() != what) {
      throw precondition_error(
          detail::message(path, " is of ", saved.toStringRef(), ", not of ", what, "; give the same options to go on"));
    }
    ::torch::serialize::InputArchive of_network;
    ::torch::serialize::InputArchive of_optimizer;
    ::torch::serialize::InputArchive of_values;
    archive.read("network", of_network);
    archive.read("optimizer", of_optimizer);
    archive.read("values", of_values);
    auto tensors = detail::match_module(of_network, network, path);
    for (auto const& name : of_values.keys()) {
      of_values.read(name, values[name]);
    }
    optimizer.load(of_optimizer);
    detail::restore(tensors);
  });
  return values;
}

} // namespace glt
