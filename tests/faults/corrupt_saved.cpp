// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damages files of networks, trainings, embeddings and places in an epoch in many ways and loads them, in a process of
// its own. Every change of a number is noticed.
#include "jobs/saved.hpp"

#include "support/scratch.hpp"
#include "support/settings.hpp"
#include "support/tally.hpp"

#include <glt/comm/serial.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>

using namespace glt_fault;

namespace {

// 0 and a sum if the file of a kind is loaded, else 1 and the error.
int load(char const* folder, std::string const& kind) {
  try {
    saved_training training(glt::serial_comm(), 3);
    result_sum sum;
    training.load(folder, kind, sum);
    std::printf("result %016llx\n", static_cast<unsigned long long>(sum.value()));
    return 0;
  } catch (std::exception const& fault) {
    std::printf("error: %s\n", fault.what());
    return 1;
  }
}

// Changes a file; says what. `others` are the bytes of files of other kinds.
std::string damage(std::filesystem::path const& file, std::vector<std::string> const& others,
                   glt::random_stream& draws) {
  auto bytes = text_of(file);
  auto const at = draws.below(bytes.size());
  auto const length = std::min(1 + draws.below(64), bytes.size() - at);
  auto const write = [&](std::string what) {
    std::ofstream(file, std::ios::binary) << bytes;
    return what + " at byte " + std::to_string(at) + " of " + std::to_string(bytes.size());
  };
  switch (draws.below(12)) {
  case 0:
  case 1:
  case 2:
  case 3:
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << draws.below(8)));
    return write("a bit");
  case 4:
    bytes.resize(at);
    return write("an end");
  case 5:
    bytes.append(1 + draws.below(5000), '\2');
    return write("more at the end");
  case 6:
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, '\0');
    return write(std::to_string(length) + " zeros");
  case 7:
    bytes.erase(at, length);
    return write(std::to_string(length) + " bytes less");
  case 8: {
    auto const to = draws.below(bytes.size() - length + 1);
    std::memmove(bytes.data() + to, bytes.data() + at, length);
    return write(std::to_string(length) + " bytes also at byte " + std::to_string(to) + ",");
  }
  case 9: {
    constexpr std::array<std::uint64_t, 4> numbers{~std::uint64_t{0}, std::uint64_t{1} << 40, 0x7fffffff, 0};
    auto const number = numbers[draws.below(numbers.size())];
    std::memcpy(bytes.data() + std::min(at, bytes.size() - sizeof number), &number, sizeof number);
    return write("the number " + std::to_string(number));
  }
  case 10:
    bytes = others[draws.below(others.size())];
    return write("another file");
  default:
    std::filesystem::remove(file);
    switch (draws.below(4)) {
    case 0:
      std::filesystem::create_directory(file);
      return "a folder";
    case 1:
      static_cast<void>(mkfifo(file.c_str(), 0600));
      return "a pipe";
    case 2:
      std::filesystem::create_symlink("/dev/zero", file);
      return "a link to /dev/zero";
    default:
      return "no file";
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  at::set_num_threads(1);
  if (argc == 4 && std::string(argv[1]) == "load") {
    return load(argv[2], argv[3]);
  }
  auto const chosen = parse(argc, argv);
  glt_test::scratch_folder const scratch;
  tally counts("corrupt saved");
  saved_training training(glt::serial_comm(), 1);
  std::map<std::string, std::string> files;
  for (auto const name : saved_kinds) {
    std::string const kind(name);
    training.save(scratch.path(), kind);
    files[kind] = training.file(scratch.path(), kind);
  }
  int const cases = chosen.cases > 0 ? chosen.cases : chosen.full ? 600 : 20;
  int series = 0;
  for (auto const name : saved_kinds) {
    std::string const kind(name);
    ++series;
    if (kind.find(chosen.only) == std::string::npos) {
      continue;
    }
    auto const whole = text_of(files[kind]);
    std::vector<std::string> others;
    for (auto const& [other, file] : files) {
      if (other != kind) {
        others.push_back(text_of(file));
      }
    }
    std::string right;
    for (int i = -1; i < cases; ++i) {
      std::filesystem::remove_all(files[kind]);
      glt_test::write_bytes(files[kind], whole);
      glt::random_stream draws(glt::random_key(chosen.seed).fold(static_cast<std::uint64_t>(series)),
                               static_cast<std::uint64_t>(i + 1));
      auto const what = kind + ", " + (i < 0 ? "nothing" : damage(files[kind], others, draws));
      child loading({{"/proc/self/exe", "load", scratch.path().string(), kind}}, scratch / "output");
      if (!loading.wait(chosen.limit)) {
        counts.add(verdict::hang, what);
        continue;
      }
      auto const text = loading.text();
      if (i < 0) {
        right = text;
      }
      bool const clear = loading.status() == 1 && text.starts_with("error: ") &&
                         text.find("bad_alloc") == std::string::npos && text.find(files[kind]) != std::string::npos;
      counts.add(loading.status() == 0 ? (text == right ? verdict::right : verdict::wrong)
                 : clear               ? verdict::same_error
                                       : verdict::crash,
                 what, text);
    }
    std::filesystem::remove_all(files[kind]);
    glt_test::write_bytes(files[kind], whole);
  }
  return counts.finish();
}
