// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/detail/atomic_file.hpp>
#include <glt/torch/detail/archive_check.hpp>

#include <ATen/core/ivalue.h>
#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>
#include <torch/types.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>

namespace glt::detail {

/// Writes, on rank 0, an archive that `fill` fills there. Replaces a file of that name when the new one is complete.
///
/// @comm   collective
template <communicator Comm, std::invocable<::torch::serialize::OutputArchive&> Fill>
void write_archive(Comm& comm, std::string const& path, Fill fill) {
  run_together(comm, [&] {
    if (comm.rank() != 0) {
      return;
    }
    check_new_file(path);
    ::torch::serialize::OutputArchive archive;
    fill(archive);
    std::string bytes;
    bool is_whole = true;
    archive.save_to([&](void const* data, std::size_t size) {
      try {
        bytes.append(static_cast<char const*>(data), is_whole ? size : 0);
      } catch (std::bad_alloc const&) { // LibTorch would end the process: it writes again in a destructor
        is_whole = false;
      }
      return size;
    });
    if (!is_whole) {
      throw std::bad_alloc();
    }
    write_file(path, bytes);
  });
}

/// The bytes of a file.
///
/// @throws io_error  if it cannot be read, is no regular file, or is empty
[[nodiscard]] inline std::string read_file(std::string const& path) {
  std::error_code fault;
  auto const status = std::filesystem::status(path, fault);
  if (status.type() != std::filesystem::file_type::regular) {
    throw io_error(path, 0,
                   fault ? "cannot be read: " + fault.message() : "is not a regular file; give the path of one");
  }
  std::string bytes(std::filesystem::file_size(path), '\0');
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), std::ssize(bytes))) {
    throw io_error(path, static_cast<std::int64_t>(file.gcount()),
                   std::string("cannot be read: ") + (errno != 0 ? std::strerror(errno) : "it ends early"));
  }
  if (bytes.empty()) {
    throw io_error(path, 0, "is empty");
  }
  return bytes;
}

/// Reads an archive in rank 0, compares its bytes with its checksums, and gives it to all ranks: `read(archive)` on
/// each.
///
/// @comm   collective; two broadcasts
template <communicator Comm, std::invocable<::torch::serialize::InputArchive&> Read>
void read_archive(Comm& comm, std::string const& path, Read read) {
  std::string bytes;
  auto const of_torch = [&](auto work) {
    try {
      work();
    } catch (c10::Error const& fault) {
      std::string const text = fault.what_without_backtrace();
      throw io_error(path, 0, "is no archive of LibTorch, or damaged: " + text.substr(0, text.find('\n')));
    }
  };
  run_together(comm, [&] {
    if (comm.rank() == 0) {
      bytes = read_file(path);
      of_torch([&] { archive_check(bytes, path).run(); });
    }
  });
  broadcast_text(comm, bytes);
  run_together(comm, [&] {
    ::torch::serialize::InputArchive archive;
    of_torch([&] { archive.load_from(bytes.data(), bytes.size(), at::Device(at::kCPU)); });
    read(archive);
  });
}

/// Tensor of a module, and its value in an archive.
struct restored_tensor {
  at::Tensor own;
  at::Tensor saved;
};

[[nodiscard]] inline std::string shape_of(at::Tensor const& tensor) {
  return message(at::toString(tensor.scalar_type()), " ", shape_text({tensor.sizes().data(), tensor.sizes().size()}));
}

/// Adds the tensors of a module and of its submodules, each with its value in an archive of `module.save`.
inline void match_module(::torch::serialize::InputArchive& archive, ::torch::nn::Module const& module,
                         std::string const& path, std::string const& within, std::vector<restored_tensor>& tensors) {
  std::set<std::string> known;
  auto const match = [&](std::string const& name, at::Tensor const& own, bool is_buffer) {
    known.insert(name);
    at::Tensor saved;
    if (!archive.try_read(name, saved, is_buffer)) {
      throw precondition_error(message(within, name, " ", shape_of(own), " of the module is not in ", path,
                                       "; build the module that was saved"));
    }
    if (saved.sizes() != own.sizes() || saved.scalar_type() != own.scalar_type()) {
      throw precondition_error(message(within, name, " is ", shape_of(saved), " in ", path, " and ", shape_of(own),
                                       " in the module; build it with the widths that it was saved with"));
    }
    tensors.push_back({own, saved});
  };
  for (auto const& parameter : module.named_parameters(/*recurse=*/false)) {
    match(parameter.key(), parameter.value(), false);
  }
  for (auto const& buffer : module.named_buffers(/*recurse=*/false)) {
    match(buffer.key(), buffer.value(), true);
  }
  for (auto const& child : module.named_children()) {
    if (!child.value()->is_serializable()) {
      continue;
    }
    known.insert(child.key());
    ::torch::serialize::InputArchive of_child;
    if (!archive.try_read(child.key(), of_child)) {
      throw precondition_error(
          message(within, child.key(), " of the module is not in ", path, "; build the module that was saved"));
    }
    match_module(of_child, *child.value(), path, within + child.key() + ".", tensors);
  }
  for (auto const& name : archive.keys()) {
    if (!known.contains(name)) {
      throw precondition_error(
          message(within, name, " of ", path, " is not in the module; build the module that was saved"));
    }
  }
}

/// Returns the parameters and buffers of a module with their values in an archive; `restore` them after all other
/// checks.
///
/// @throws precondition_error  naming the tensor, if one is missing, is one too many, or has another shape or element
///         type
[[nodiscard]] inline std::vector<restored_tensor>
match_module(::torch::serialize::InputArchive& archive, ::torch::nn::Module const& module, std::string const& path) {
  std::vector<restored_tensor> tensors;
  match_module(archive, module, path, {}, tensors);
  return tensors;
}

inline void restore(std::vector<restored_tensor>& tensors) {
  for (auto& [own, saved] : tensors) {
    own.detach().copy_(saved);
  }
}

} // namespace glt::detail

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
