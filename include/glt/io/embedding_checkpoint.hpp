// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/core/detail/atomic_file.hpp>
#include <glt/dist/embedding/sparse_embedding.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/parts/detail/checksum.hpp>
#include <glt/memory/memory.hpp>

#include <filesystem>

namespace glt::io {

namespace detail {

inline constexpr std::string_view embedding_magic = "glt-embedding 2\n";

/// Header before the arrays, in the byte order of the machine.
struct embedding_header {
  std::int64_t fingerprint = 0;
  std::int64_t part_elements = 0; ///< of each array
  std::int64_t num_updates = 0;
  std::int64_t learning_rate = 0; ///< its bits
  std::int64_t history = 0;

  friend bool operator==(embedding_header const&, embedding_header const&) = default;
};

/// Calls `visit(data, bytes)` for the rows and the moments of a state.
template <class State, class Visit>
void visit_arrays(State const& state, Visit visit) {
  for (auto const& array : {state.arrays.rows, state.arrays.first, state.arrays.second}) {
    visit(array.data(), array.size() * static_cast<std::int64_t>(sizeof(array[0])));
  }
}

/// Reads into a state the file that `save_embedding` wrote.
template <class State>
void read_embedding(std::filesystem::path const& path, State& state) {
  input_file file(path);
  std::string magic(embedding_magic.size(), '\0');
  file.read(magic.data(), file.size() < std::ssize(magic) ? 0 : std::ssize(magic));
  if (magic != embedding_magic) {
    file.fail(0, "is no checkpoint of an embedding of version 2; give the path of one that save_embedding "
                 "has written");
  }
  embedding_header header;
  file.read(&header, sizeof header);
  if (header.fingerprint != state.fingerprint || header.part_elements != state.arrays.rows.size()) {
    file.fail(file.position(), glt::detail::message("is of ", header.part_elements, " elements, and the embedding has ",
                                                    state.arrays.rows.size(),
                                                    " on this rank, of another partition, number of columns, "
                                                    "type or optimiser; restore it with those that it was saved with"));
  }
  checksum sum;
  sum.add(&header, sizeof header);
  visit_arrays(state, [&](auto* data, std::int64_t bytes) {
    file.read(data, bytes);
    sum.add(data, bytes);
  });
  std::uint64_t expected = 0;
  file.read(&expected, sizeof expected);
  if (expected != sum.value() || file.position() != file.size()) {
    file.fail(file.position(), "is damaged; restore an older checkpoint");
  }
  state.num_updates = header.num_updates;
  state.history = header.history;
  state.learning_rate = std::bit_cast<double>(header.learning_rate);
}

} // namespace detail

/// Writes this rank's rows, moments, number of updates and learning rate, with a checksum. Each rank writes one file,
/// all at the same step. An older file of the same name is replaced when the new one is complete.
///
/// @comm   none
/// @throws io_error  if the file cannot be written
/// @cost   O(V / R · columns); nothing is copied
template <communicator Comm, host_policy Policy, class T>
void save_embedding(std::filesystem::path const& path, dist::sparse_embedding<Comm, Policy, T> const& table) {
  auto const state = table.state();
  detail::embedding_header const header{.fingerprint = state.fingerprint,
                                        .part_elements = state.arrays.rows.size(),
                                        .num_updates = state.num_updates,
                                        .learning_rate = std::bit_cast<std::int64_t>(state.learning_rate),
                                        .history = state.history};
  glt::detail::atomic_file file(path);
  file.write(detail::embedding_magic.data(), std::ssize(detail::embedding_magic));
  detail::checksum sum;
  auto const write = [&](void const* data, std::int64_t bytes) {
    file.write(data, bytes);
    sum.add(data, bytes);
  };
  write(&header, sizeof header);
  detail::visit_arrays(state, write);
  auto const value = sum.value();
  file.write(&value, sizeof value);
  file.commit();
}

/// Reads this rank's file of `save_embedding`, so that training goes on as before. The embedding must have the same
/// partition, number of columns, element type and kind of optimiser. The learning rate comes from the file, all other
/// settings of the optimiser come from the options.
///
/// @comm   collective; one header exchange
/// @throws collective_error  on every rank, if the file of a rank is missing, damaged or of another embedding, or files are
///                           of different numbers of updates or of two trainings; the rows are of no use then, until
///                           they are read again
template <communicator Comm, host_policy Policy, class T>
void load_embedding(std::filesystem::path const& path, dist::sparse_embedding<Comm, Policy, T>& table) {
  table.restore([&](auto& state) { detail::read_embedding(path, state); });
}

} // namespace glt::io
