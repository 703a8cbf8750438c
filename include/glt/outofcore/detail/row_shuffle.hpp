// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/element_type.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/record_shuffle.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/progress.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/outofcore/detail/part_owners.hpp>
#include <glt/outofcore/detail/scratch_array.hpp>
#include <glt/outofcore/detail/shuffle_rounds.hpp>
#include <glt/partition/relabel.hpp>

#include <cstring>

namespace glt::io::detail {

/// Moves rows of vertices to the ranks that make their parts, each to its vertex's place in the part.
///
/// Every rank reads its slice of the rows.
///
/// @shape  values [V, …], the same on all ranks · of_parts: one array for every part of this rank
/// @comm   collective; as `shuffle_in_rounds`, and a header exchange
/// @throws collective_error  on every rank, if an array cannot be written
template <communicator Comm>
void shuffle_rows(Comm& comm, array const& values, relabelling const& labels, part_owners const& owners,
                  memory_plan const& plan, progress::callback const& on_progress,
                  std::span<scratch_array<std::byte>> of_parts) {
  auto const row_bytes = values.columns() * glt::detail::size_of(values.type());
  auto const first_part = owners.parts_of(comm.rank()).first;
  std::vector<std::byte> record(static_cast<std::size_t>(row_bytes) + sizeof(global_id));
  glt::detail::record_shuffle shuffle(comm, std::ssize(record));
  shuffle_in_rounds(
      comm, shuffle, values.rows(), plan.items_a_round(std::ssize(record)),
      {.what = "moving features to their parts", .unit = "rows"}, on_progress,
      [&](std::int64_t first, std::int64_t last) {
        for (auto v = first; v < last; ++v) {
          auto const id = labels.renumbered[v];
          std::memcpy(record.data(), &id, sizeof(id));
          glt::detail::copy_bytes(record.data() + sizeof(id), values.bytes().data() + v * row_bytes, row_bytes);
          shuffle.add(owners.rank_of(labels.book.owner(id)), record.data());
        }
      },
      [&](std::byte const* arrived) {
        global_id id = 0;
        std::memcpy(&id, arrived, sizeof(id));
        auto const part = labels.book.owner(id);
        of_parts[static_cast<std::size_t>(part - first_part)].write((id - labels.book.begin(part)) * row_bytes,
                                                                    {arrived + sizeof(id), row_bytes});
      });
  auto const failure = glt::detail::failure_of([&] {
    for (auto& rows : of_parts) {
      rows.flush();
    }
  });
  glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, failure);
}

} // namespace glt::io::detail
