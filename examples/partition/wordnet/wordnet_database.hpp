// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wordnet_line.hpp"

#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/io/detail/input_file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glt_partition {

/// WordNet's database in memory: synsets in the order noun, verb, adjective, adverb, and of their offsets.
struct wordnet_database {
  /// Number of lexicographer files, the classes of the synsets (see lexnames(5)).
  static constexpr std::int64_t num_classes = 45;

  std::vector<std::int64_t> classes;  ///< lexicographer file by synset
  std::vector<std::string> texts;     ///< lemmas and gloss by synset, in words
  std::vector<glt::local_id> sources; ///< of every pointer
  std::vector<glt::local_id> targets; ///< of every pointer

  [[nodiscard]] std::int64_t num_synsets() const { return static_cast<std::int64_t>(classes.size()); }
};

namespace detail {

// A data file and the parts of speech that its synsets have.
struct wordnet_file {
  char const* name;
  std::string_view types;
};
inline constexpr std::array<wordnet_file, 4> wordnet_files{
    {{"data.noun", "n"}, {"data.verb", "v"}, {"data.adj", "as"}, {"data.adv", "r"}}};

class wordnet_reader {
public:
  [[nodiscard]] static wordnet_database read(std::filesystem::path const& folder) {
    wordnet_reader made;
    for (std::size_t file = 0; file < wordnet_files.size(); ++file) {
      made.read_file(folder / wordnet_files[file].name, file);
    }
    made.resolve_pointers();
    return std::move(made.database_);
  }

private:
  struct pointer {
    glt::local_id source;
    std::size_t target_file;
    std::int64_t target_offset;
    std::int64_t position; // of the pointer's text, for error messages
  };

  // Where a file's synsets are: their offsets ascend, so that a binary search finds one.
  struct synset_range {
    std::filesystem::path path;
    std::vector<std::int64_t> offsets;
    std::int64_t first = 0;
    std::vector<pointer> pointers;
  };

  void read_file(std::filesystem::path const& path, std::size_t file) {
    glt::io::detail::input_file input(path);
    std::string text(static_cast<std::size_t>(input.size()), '\0');
    input.read(text.data(), input.size());
    ranges_[file].path = path;
    ranges_[file].first = database_.num_synsets();
    for (std::size_t start = 0; start < text.size();) {
      auto const end = text.find('\n', start);
      if (end == std::string::npos) {
        input.fail(input.size(), "the file ends in the middle of a line; install wordnet-base again");
      }
      auto const line = std::string_view(text).substr(start, end - start);
      if (!line.starts_with("  ")) { // the licence
        read_synset(wordnet_line(input, line, static_cast<std::int64_t>(start)), file);
      }
      start = end + 1;
    }
    if (ranges_[file].offsets.empty()) {
      input.fail(input.size(), "the file holds no synset; install wordnet-base again");
    }
  }

  void read_synset(wordnet_line line, std::size_t file) {
    auto& range = ranges_[file];
    auto const start = line.position();
    auto const offset = line.number("synset offset", 8, 10);
    if (offset != start) {
      line.fail(start, "the synset says that it stands at byte " + std::to_string(offset) +
                           "; the file was cut or edited, install wordnet-base again");
    }
    auto const category_position = line.position();
    auto const category = line.number("lexicographer file", 2, 10);
    if (category >= wordnet_database::num_classes) {
      line.fail(category_position, "lexicographer file " + std::to_string(category) + " is none of 0 to 44");
    }
    auto const type_position = line.position();
    auto const type = line.word("synset type");
    if (type.size() != 1 || wordnet_files[file].types.find(type) == std::string_view::npos) {
      line.fail(type_position, "synset type " + std::string(type) + " does not belong into this file");
    }
    std::string words;
    for (auto lemmas = line.number("number of words", 2, 16); lemmas > 0; --lemmas) {
      auto const lemma = line.word("word");
      words += lemma.substr(0, lemma.find('(')); // without the syntactic marker of adjectives
      words += ' ';
      line.number("lexical id", 1, 16);
    }
    auto const synset = static_cast<glt::local_id>(database_.num_synsets());
    for (auto pointers = line.number("number of pointers", 3, 10); pointers > 0; --pointers) {
      auto const position = line.position();
      line.word("pointer symbol");
      auto const target = line.number("pointer offset", 8, 10);
      auto const target_file = file_of(line);
      line.number("source and target word", 4, 16);
      range.pointers.push_back({synset, target_file, target, position});
    }
    words += line.gloss(type == "v");
    range.offsets.push_back(offset);
    database_.classes.push_back(category);
    database_.texts.push_back(std::move(words));
  }

  static std::size_t file_of(wordnet_line& line) {
    auto const position = line.position();
    auto const type = line.word("pointer's part of speech");
    for (std::size_t file = 0; file < wordnet_files.size(); ++file) {
      if (type.size() == 1 && wordnet_files[file].types.find(type) != std::string_view::npos) {
        return file;
      }
    }
    line.fail(position, "part of speech " + std::string(type) + " is none of n, v, a, s, r");
  }

  void resolve_pointers() {
    for (auto const& range : ranges_) {
      for (auto const& link : range.pointers) {
        auto const& target = ranges_[link.target_file];
        auto const found = std::ranges::lower_bound(target.offsets, link.target_offset);
        if (found == target.offsets.end() || *found != link.target_offset) {
          throw glt::io_error(range.path.string(), link.position,
                              "points to a synset at byte " + std::to_string(link.target_offset) + " of " +
                                  target.path.string() + ", where there is none; install wordnet-base again");
        }
        database_.sources.push_back(link.source);
        database_.targets.push_back(static_cast<glt::local_id>(target.first + (found - target.offsets.begin())));
      }
    }
  }

  wordnet_database database_;
  std::array<synset_range, wordnet_files.size()> ranges_;
};

} // namespace detail

/// Reads data.noun, data.verb, data.adj and data.adv of a folder such as /usr/share/wordnet.
///
/// @throws glt::io_error  naming file and byte of what is missing, cut off or contradictory
/// @source wndb(5), the format of the database files of WordNet 3.0
[[nodiscard]] inline wordnet_database read_wordnet_database(std::filesystem::path const& folder) {
  return detail::wordnet_reader::read(folder);
}

} // namespace glt_partition
