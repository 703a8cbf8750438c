// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/checkpoint.hpp>

#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>
#include <glt/core/random.hpp>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/serialize.h>

#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using glt_test::thrown;

namespace {

/// Modules within modules, with a buffer, a parameter that is not there, and one of its own.
struct small_net : torch::nn::Module {
  torch::nn::Linear linear{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
  at::Tensor table;

  explicit small_net(std::int64_t width = 3, at::ScalarType table_type = at::kFloat) {
    linear = register_module("linear", torch::nn::Linear(torch::nn::LinearOptions(4, width).bias(false)));
    norm = register_module("norm", torch::nn::BatchNorm1d(width));
    table = register_parameter("table", at::rand({2, 5}, table_type));
  }

  /// A step that changes every tensor.
  void step(torch::optim::Optimizer& optimizer) {
    optimizer.zero_grad();
    (norm(linear(at::arange(8, at::kFloat).view({2, 4}).sin())).pow(3).sum() + table.pow(2).sum()).backward();
    optimizer.step();
  }
};

bool same(torch::nn::Module const& a, torch::nn::Module const& b) {
  auto const equal = [](auto const& left, auto const& right) {
    bool all = left.size() == right.size();
    for (std::size_t i = 0; all && i < left.size(); ++i) {
      all = at::equal(left[i], right[i]);
    }
    return all;
  };
  return equal(a.parameters(), b.parameters()) && equal(a.buffers(), b.buffers());
}

} // namespace

TEST_CASE("a model comes back on all ranks, from what torch::save writes as well") {
  glt_test::scratch_folder const folder;
  auto const path = (folder / "net.pt").string();
  torch::nn::Linear written(3, 2);
  torch::save(written, path);
  glt::run_threads(3, [&](auto comm) {
    at::set_num_threads(1);
    torch::nn::Linear read(3, 2);
    auto const weight = read->weight;
    glt::load_model(comm, path, *read);
    bool const is_read = same(*written, *read) && read->weight.is_same(weight) && weight.requires_grad();
    glt::run_together(comm, [&] {
      if (!is_read) {
        throw glt::precondition_error("other tensors");
      }
    });
    glt::save_model(comm, path, *read); // of rank 0
  });
  CHECK(folder.num_entries() == 1);
  torch::nn::Linear again(3, 2);
  torch::load(again, path);
  CHECK(same(*written, *again));
}

TEST_CASE("what does not fit is named with both shapes, and changes nothing") {
  glt_test::scratch_folder const folder;
  auto const path = (folder / "net.pt").string();
  glt::serial_comm comm;
  glt::save_model(comm, path, small_net());

  auto const refusal = [&](auto&& net) {
    std::vector<at::Tensor> before;
    for (auto const& tensor : net.parameters()) {
      before.push_back(tensor.detach().clone());
    }
    auto const text = thrown<glt::collective_error>([&] { glt::load_model(comm, path, net); });
    for (std::size_t i = 0; i < before.size(); ++i) {
      CHECK(at::equal(net.parameters()[i], before[i]));
    }
    return text;
  };
  CHECK(refusal(small_net(7)).find("linear.weight is Float [3, 4] in " + path + " and Float [7, 4] in the module") !=
        std::string::npos);
  CHECK(refusal(small_net(3, at::kDouble)).find("table is Float [2, 5]") != std::string::npos);
  struct larger_net : small_net {
    torch::nn::Linear last{nullptr};
    larger_net() { last = register_module("last", torch::nn::Linear(1, 1)); }
  };
  CHECK(refusal(larger_net()).find("last of the module is not in " + path) != std::string::npos);
  CHECK(refusal(*torch::nn::Linear(3, 4)).find("weight Float [4, 3] of the module is not in") != std::string::npos);
  larger_net const larger;
  glt::save_model(comm, path, larger);
  CHECK(refusal(small_net()).find("last of " + path + " is not in the module") != std::string::npos);
}

TEST_CASE("a training goes on as if it had not ended") {
  glt_test::scratch_folder const folder;
  auto const path = (folder / "state").string();
  glt::serial_comm comm;
  small_net whole;
  torch::optim::Adam adam(whole.parameters(), 0.1);
  whole.step(adam);
  whole.step(adam);
  glt::save_training(comm, path, "a test", whole, adam,
                     {{"epoch", 3}, {"best", 0.25}, {"note", std::string("x")}, {"drawn", at::ones({2})}});
  CHECK(folder.num_entries() == 1);

  small_net other;
  torch::optim::Adam its_adam(other.parameters(), 0.1);
  auto const values = glt::load_training(comm, path, "a test", other, its_adam);
  CHECK(values.size() == 4);
  CHECK(values.at("epoch").toInt() == 3);
  CHECK(values.at("best").toDouble() == 0.25);
  CHECK(values.at("note").toStringRef() == "x");
  CHECK(at::equal(values.at("drawn").toTensor(), at::ones({2})));
  CHECK(same(whole, other));
  for (int step = 0; step < 3; ++step) {
    whole.step(adam);
    other.step(its_adam);
  }
  CHECK(same(whole, other)); // moments and steps of the optimiser were saved as well
}

TEST_CASE("files that cannot be used are refused on all ranks") {
  glt_test::scratch_folder const folder;
  auto const path = (folder / "state").string();
  auto const refusal = [&](std::string const& from, std::string const& what) {
    std::string text;
    glt::run_threads(2, [&](auto comm) {
      at::set_num_threads(1);
      small_net net;
      torch::optim::Adam adam(net.parameters(), 0.1);
      auto const own =
          thrown<glt::collective_error>([&] { static_cast<void>(glt::load_training(comm, from, what, net, adam)); });
      if (comm.rank() == 1) {
        text = own;
      }
    });
    return text;
  };
  glt::serial_comm comm;
  small_net net;
  torch::optim::Adam adam(net.parameters(), 0.1);
  glt::save_training(comm, path, "seed 1", net, adam, {});
  CHECK(refusal(path, "seed 2").find(path + " is of seed 1, not of seed 2") != std::string::npos);
  CHECK(refusal((folder / "none").string(), "seed 1").find("cannot be read: No such file") != std::string::npos);
  CHECK(refusal(folder.path().string(), "seed 1").find("is not a regular file") != std::string::npos);
  CHECK(refusal("/dev/zero", "seed 1").find("/dev/zero") != std::string::npos);

  auto const bytes = glt_test::read_bytes(path);
  auto const damaged = (folder / "damaged").string();
  glt_test::write_bytes(damaged, bytes.substr(0, bytes.size() / 2));
  CHECK(refusal(damaged, "seed 1").find("is no archive of LibTorch, or damaged") != std::string::npos);
  glt_test::write_bytes(damaged, "");
  CHECK(refusal(damaged, "seed 1").find("is empty") != std::string::npos);
  glt::save_model(comm, damaged, net);
  CHECK(refusal(damaged, "seed 1").find("is not of a training") != std::string::npos);

  auto const nowhere = (folder / "nowhere" / "net.pt").string();
  CHECK(thrown<glt::collective_error>([&] { glt::save_model(comm, nowhere, net); }).find("nowhere is no folder") !=
        std::string::npos);
}

TEST_CASE("only a regular file is replaced, and no link is followed") {
  glt_test::scratch_folder const folder;
  glt::serial_comm comm;
  small_net net;
  torch::optim::Adam adam(net.parameters(), 0.1);
  auto const path = (folder / "net.pt").string();
  auto const victim = folder / "victim";
  glt_test::write_bytes(victim, "theirs");
  std::filesystem::create_symlink(victim, path + ".partial");
  std::filesystem::create_symlink(victim, path + ".partial0");
  glt::save_model(comm, path, net);
  glt::save_training(comm, path, "seed 1", net, adam, {});
  CHECK(glt_test::read_bytes(victim) == "theirs");
  CHECK(folder.num_entries() == 4);

  std::filesystem::create_symlink(victim, folder / "link");
  auto const refusal = [&](std::string const& to) {
    auto const text = thrown<glt::collective_error>([&] { glt::save_model(comm, to, net); });
    CHECK(thrown<glt::collective_error>([&] { glt::save_training(comm, to, "seed 1", net, adam, {}); }) == text);
    return text;
  };
  CHECK(refusal((folder / "link").string()).find("symbolic link, which is not followed") != std::string::npos);
  CHECK(refusal("/dev/null").find("no regular file") != std::string::npos);
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK(refusal(folder.path().string()).find("it is a folder") != std::string::npos);
  CHECK(refusal("").find("the name is empty") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(".partial"));
  CHECK_FALSE(std::filesystem::exists(".partial0"));
  CHECK(glt_test::read_bytes(victim) == "theirs");
}

TEST_CASE("a damaged file is refused before a byte of it is used, or holds the same numbers") {
  glt_test::scratch_folder const folder;
  glt::serial_comm comm;
  small_net net;
  torch::optim::Adam adam(net.parameters(), 0.1);
  net.step(adam);
  auto const path = (folder / "net.pt").string();
  auto const by_torch = (folder / "torch.pt").string();
  auto const training = (folder / "state").string();
  auto const damaged = (folder / "damaged").string();
  glt::save_model(comm, path, net);
  torch::nn::Linear const linear(3, 2);
  torch::save(linear, by_torch);
  glt::save_training(comm, training, "seed 1", net, adam, {{"epoch", 3}});

  // Loads `bytes`; returns the text of the error, or nothing if the numbers are right.
  auto const load = [&](std::string const& bytes, std::string const& of) -> std::string {
    glt_test::write_bytes(damaged, bytes);
    try {
      if (of == by_torch) {
        torch::nn::Linear other(3, 2);
        glt::load_model(comm, damaged, *other);
        return same(*linear, *other) ? "" : "other numbers";
      }
      small_net other;
      if (of == path) {
        glt::load_model(comm, damaged, other);
      } else {
        torch::optim::Adam its_adam(other.parameters(), 0.1);
        auto const values = glt::load_training(comm, damaged, "seed 1", other, its_adam);
        if (values.at("epoch").toInt() != 3) {
          return "other numbers";
        }
      }
      return same(net, other) ? "" : "other numbers";
    } catch (glt::collective_error const& refused) {
      return refused.what();
    }
  };

  // One bit of a tensor, as the disk or the network may turn it.
  auto bytes = glt_test::read_bytes(path);
  auto const tensor = bytes.find(std::string(static_cast<char const*>(net.table.data_ptr()), net.table.nbytes()));
  REQUIRE(tensor != std::string::npos);
  bytes[tensor + 3] = static_cast<char>(bytes[tensor + 3] ^ 1);
  auto const text = load(bytes, path);
  CHECK(glt_test::names(text, damaged, "is damaged: the bytes of", "/data/", "are not those that were written"));

  std::int64_t refused = 0;
  for (auto const& of : {path, by_torch, training}) {
    auto const whole = glt_test::read_bytes(of);
    CHECK(load(whole, of).empty());
    glt::random_stream draws(glt::random_key(1), whole.size());
    for (std::size_t place = 0; place < whole.size(); place += 1 + draws.next64() % 8) {
      auto changed = whole;
      changed[place] = static_cast<char>(changed[place] ^ (1 << (draws.next64() % 8)));
      auto const answer = load(changed, of);
      CAPTURE(of);
      CAPTURE(place);
      CHECK(answer != "other numbers");
      refused += answer.empty() ? 0 : 1;
    }
    for (std::size_t size = 0; size < whole.size(); size += whole.size() / 16 + 1) {
      CHECK_FALSE(load(whole.substr(0, size), of).empty());                          // cut short
      CHECK_FALSE(load(whole.substr(0, size) + whole.substr(size + 1), of).empty()); // a byte is lost
    }
    CHECK_FALSE(load(whole + "x", of).empty());
  }
  CHECK(refused > 300);
}
