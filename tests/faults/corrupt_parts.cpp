// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damages a folder of parts in many ways and loads it, with checksums and without, in a process of its own. With
// checksums every change is noticed; without, whatever training relies on: ids, offsets, splits and labels in range.
#include "support/partition_run.hpp"

#include <glt/core/random.hpp>
#include <glt/io/parts/open_data_set.hpp>

#include <sys/stat.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <fstream>

using namespace glt_fault;

namespace {

constexpr std::int64_t num_classes = 7; // of write_partition_input
constexpr std::int64_t num_vertices = 300;

// Loads all parts; 0 and a sum if that works, 1 and the error, 3 and what is out of range.
int load(char const* folder, bool verify) {
  std::uint64_t sum = 0;
  std::string broken;
  auto const expect = [&](bool holds, char const* what) {
    if (!holds) {
      broken = what;
    }
  };
  try {
    glt::io::parts_folder const parts(folder);
    for (int p = 0; p < parts.num_parts(); ++p) {
      auto const part = parts.load_for_rank(p, parts.num_parts(), {.verify = verify});
      auto const& vertices = part.vertices.at(0);
      auto const graph = part.graph.relations.at(0).view();
      auto const add = [&](auto const& values) {
        sum = sum * 31 + XXH3_64bits(values.data(), static_cast<std::size_t>(values.size()) * sizeof(*values.data()));
      };
      add(graph.offsets());
      add(graph.sources());
      add(graph.edge_ids());
      add(part.graph.original[0]);
      for (auto const& [name, rows] : vertices.tensors.tensors()) {
        add(glt::host_view<std::byte const>(rows.data, rows.num_rows * rows.row_bytes()));
      }
      for (auto const& split : vertices.splits) {
        add(split.vertices);
        for (auto const vertex : split.vertices) {
          expect(vertex >= 0 && vertex < num_vertices, "a vertex of a split is out of range");
        }
      }
      std::int64_t before = 0;
      for (auto const offset : graph.offsets()) {
        expect(offset >= before, "an offset descends");
        before = offset;
      }
      expect(before == graph.num_edges(), "offsets do not end with the edges");
      for (auto const source : graph.sources()) {
        expect(source >= 0 && source < num_vertices, "a source is out of range");
      }
      for (auto const label : vertices.tensors.view<std::int64_t>("y").features.flat()) {
        expect(label >= 0 && label < num_classes, "a label is out of range");
      }
    }
  } catch (std::exception const& fault) {
    std::printf("error: %s\n", fault.what());
    return 1;
  }
  std::printf("result %016llx %s\n", static_cast<unsigned long long>(sum), broken.c_str());
  return broken.empty() ? 0 : 3;
}

std::string const& pick(std::vector<std::string> const& from, glt::random_stream& draws) {
  return from[draws.below(from.size())];
}

// Another number in the manifest, with its checksum made right again or not.
std::string edit_number(std::string text, glt::random_stream& draws, bool with_sum) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 1; i < text.size(); ++i) {
    bool const digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (digit && std::strchr(" [,:", text[i - 1]) != nullptr) {
      starts.push_back(i);
    }
  }
  constexpr std::array numbers{"0",
                               "1",
                               "-1",
                               "2147483648",
                               "4294967297",
                               "1000000000000000",
                               "9223372036854775807",
                               "18446744073709551616",
                               "1e300",
                               "null",
                               "\"7\"",
                               "3"};
  auto const at = starts[draws.below(starts.size())];
  auto const end = text.find_first_not_of("0123456789", at);
  text.replace(at, end - at, numbers[draws.below(numbers.size())]);
  if (with_sum) {
    auto const place = text.rfind("\"xxh3\": \"") + 9;
    text.replace(place, 16, std::string(16, '0'));
    std::array<char, 17> sum{};
    std::snprintf(sum.data(), sum.size(), "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
    text.replace(place, 16, sum.data());
  }
  return text;
}

// Changes something; says what.
std::string damage(std::filesystem::path const& folder, std::vector<std::string> const& files,
                   glt::random_stream& draws) {
  auto const name = pick(files, draws);
  auto const file = folder / name;
  auto bytes = text_of(file);
  auto const write = [&](std::filesystem::path const& to) { std::ofstream(to, std::ios::binary) << bytes; };
  switch (draws.below(13)) {
  case 0:
  case 1: {
    auto const at = draws.below(bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << draws.below(8)));
    write(file);
    return "a bit of " + name + " at byte " + std::to_string(at);
  }
  case 2:
    std::filesystem::resize_file(file, draws.below(bytes.size()));
    return "truncated " + name;
  case 3:
    bytes.append(1 + draws.below(5000), '\2');
    write(file);
    return "extended " + name;
  case 4: {
    auto const other = pick(files, draws);
    std::filesystem::rename(folder / other, folder / "swapped");
    std::filesystem::rename(other == name ? folder / "swapped" : file, folder / other);
    if (other != name) {
      std::filesystem::rename(folder / "swapped", file);
    }
    return "swapped " + name + " and " + other;
  }
  case 5:
    std::filesystem::remove(file);
    std::filesystem::create_symlink(draws.below(2) == 0 ? file : folder / pick(files, draws), file);
    return "a link instead of " + name;
  case 6:
    std::filesystem::remove(file);
    std::filesystem::create_directory(file);
    return "a folder instead of " + name;
  case 7:
    std::filesystem::remove(file);
    static_cast<void>(mkfifo(file.c_str(), 0600));
    return "a pipe instead of " + name;
  case 8:
    std::filesystem::remove(file);
    return "removed " + name;
  case 9:
  case 10: {
    bool const with_sum = draws.below(2) == 0;
    bytes = edit_number(text_of(folder / "manifest.json"), draws, with_sum);
    write(folder / "manifest.json");
    return with_sum ? "a number of the manifest, with its checksum" : "a number of the manifest";
  }
  default: {
    constexpr std::array<std::int64_t, 4> numbers{-1, 1000000, std::int64_t{1} << 40, 0x7ff8000000000001};
    auto const number = numbers[draws.below(numbers.size())];
    auto const start = bytes.find('\n') + 1; // of the elements of an .npy file
    if (name == "manifest.json" || bytes.size() < start + 8) {
      bytes = "{}";
    } else {
      std::memcpy(bytes.data() + start + 8 * draws.below((bytes.size() - start) / 8), &number, sizeof number);
    }
    write(file);
    return "the number " + std::to_string(number) + " in " + name;
  }
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "load") {
    return load(argv[2], std::string(argv[3]) == "verify");
  }
  auto const chosen = parse(argc, argv);
  glt_test::scratch_folder const scratch;
  tally counts("corrupt parts");
  write_partition_input(scratch / "input", num_vertices, 2000);
  child make(partition_command({"", 0, {"--halo", "--cache-ratio", "0.1"}}, scratch / "input", scratch / "parts"),
             scratch / "output");
  if (!make.wait(60) || make.status() != 0) {
    std::printf("%s\n", make.text().c_str());
    return 1;
  }
  std::vector<std::string> files;
  for (auto const& [name, content] : glt_test::files_of(scratch / "parts")) {
    files.push_back(name);
  }
  auto const damaged = scratch / "damaged";
  std::string right;
  int values = 0;
  int const cases = chosen.cases > 0 ? chosen.cases : chosen.full ? 2500 : 150;
  for (int i = -1; i < cases; ++i) {
    std::filesystem::remove_all(damaged);
    std::filesystem::copy(scratch / "parts", damaged, std::filesystem::copy_options::recursive);
    glt::random_stream draws(glt::random_key(chosen.seed), static_cast<std::uint64_t>(i + 1));
    auto const what = i < 0 ? "nothing" : damage(damaged, files, draws);
    for (char const* how : {"verify", "default"}) {
      child loading({{"/proc/self/exe", "load", damaged.string(), how}}, scratch / "output");
      if (!loading.wait(chosen.limit)) {
        counts.add(verdict::hang, what + ", " + how);
        continue;
      }
      auto const text = loading.text();
      bool const verify = std::string(how) == "verify";
      if (i < 0) {
        right = text;
      } else if (loading.status() == 0) {
        bool const noticed_late = text != right && !verify;
        values += noticed_late ? 1 : 0; // other numbers, in range
        counts.add(text == right || noticed_late ? verdict::right : verdict::wrong, what + ", " + how, text);
      } else if (loading.status() == 3) {
        counts.add(verdict::wrong, what + ", " + how, text);
      } else {
        bool const clear = loading.status() == 1 && text.find("bad_alloc") == std::string::npos;
        counts.add(clear ? verdict::same_error : verdict::crash, what + ", " + how, text);
      }
    }
  }
  std::printf("corrupt parts: %d times other numbers in range were loaded, which checksums alone notice\n", values);
  return counts.finish();
}
