// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ATen/Parallel.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include "job.hpp"

#include <glt/dist/embedding/sparse_embedding.hpp>
#include <glt/dist/loader.hpp>
#include <glt/io/checkpoint.hpp>
#include <glt/torch/checkpoint.hpp>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace glt_fault {

/// The kinds of files that a training saves.
inline constexpr std::string_view saved_kinds[] = {"model", "training", "embedding", "checkpoint"};

/// A training with numbers that are the same in every run, except where `seed` says otherwise.
template <class Comm>
struct saved_training {
  Comm comm;
  torch::nn::Linear network{40, 30};
  torch::optim::SGD optimizer{network->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9)};
  glt::dist::sparse_embedding<Comm, glt::device::cpu> table;

  saved_training(Comm world, float seed)
      : comm(world), table(world, book(world.size()), own(world), {.columns = 4, .seed = 1}) {
    torch::NoGradGuard const no_gradients;
    float start = seed;
    for (auto& parameter : network->parameters()) {
      parameter.copy_(at::arange(start, start + static_cast<float>(parameter.numel())).view(parameter.sizes()).sin());
      parameter.mutable_grad() = parameter.cos();
      start += 0.5F;
    }
    optimizer.step();
    std::vector<float> const gradients(static_cast<std::size_t>(8), seed);
    std::vector<glt::global_id> const vertices{3, 50};
    table.update(glt::host_view<glt::global_id const>(vertices), glt::host_matrix<float const>(gradients.data(), 2, 4),
                 world.size());
  }

  static glt::partition_book book(int ranks) {
    std::vector<glt::global_id> offsets;
    for (int rank = 0; rank <= ranks; ++rank) {
      offsets.push_back(60 * rank / ranks);
    }
    return glt::partition_book(offsets);
  }
  static std::vector<glt::global_id> own(Comm const& world) {
    auto const of = book(world.size());
    std::vector<glt::global_id> ids(static_cast<std::size_t>(of.size(world.rank())));
    std::iota(ids.begin(), ids.end(), of.begin(world.rank()));
    return ids;
  }
  [[nodiscard]] std::string file(std::filesystem::path const& folder, std::string_view kind) const {
    auto const name = std::string(kind) + (kind == "embedding" ? "-" + std::to_string(comm.rank()) : "");
    return (folder / name).string();
  }

  void save(std::filesystem::path const& folder, std::string_view kind) {
    auto const path = file(folder, kind);
    if (kind == "model") {
      glt::save_model(comm, path, *network);
    } else if (kind == "training") {
      glt::save_training(comm, path, "this one", *network, optimizer, {{"epoch", std::int64_t{7}}});
    } else if (kind == "embedding") {
      glt::io::save_checkpoint(path, table);
    } else if (comm.rank() == 0) {
      glt::dist::loader_checkpoint place;
      place.batch_size = 32;
      place.seed = 77;
      place.num_steps = 900;
      place.epoch = 3;
      place.step = 12;
      glt::io::save_checkpoint(path, place);
    }
  }
  /// Loads what `save` has written; adds the numbers to a sum.
  void load(std::filesystem::path const& folder, std::string_view kind, result_sum& sum) {
    auto const path = file(folder, kind);
    if (kind == "model") {
      glt::load_model(comm, path, *network);
    } else if (kind == "training") {
      auto const values = glt::load_training(comm, path, "this one", *network, optimizer);
      sum.add(std::vector{values.at("epoch").toInt()});
      for (auto& parameter : network->parameters()) { // the momentum shows in the next step
        parameter.mutable_grad() = at::ones_like(parameter);
      }
      optimizer.step();
    } else if (kind == "embedding") {
      glt::io::load_checkpoint(path, table);
      sum.add(std::vector{table.num_updates()});
      sum.add(table.store().local().features.flat());
    } else {
      auto const read = glt::io::load_checkpoint(path);
      sum.add(
          std::vector{read.batch_size, read.num_steps, read.epoch, read.step, static_cast<std::int64_t>(read.seed)});
    }
    for (auto const& parameter : network->parameters()) {
      sum.add(std::span(parameter.template data_ptr<float>(), static_cast<std::size_t>(parameter.numel())));
    }
  }
};

} // namespace glt_fault
