// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/checkpoint.hpp>

#include <glt/comm/threads.hpp>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using glt::device::cpu;
using table_type = glt::dist::sparse_embedding<glt::threads_comm>;

namespace {

constexpr int num_ranks = 2;

// Original ids are those of the vertices, and `shift` more.
table_type make_table(glt::threads_comm comm, glt::dist::embedding_options const& options,
                      glt::partition_book const& book, glt::global_id shift) {
  std::vector<glt::global_id> original;
  for (auto v = book.begin(comm.rank()); v < book.end(comm.rank()); ++v) {
    original.push_back((v + shift) % 6);
  }
  return {comm, book, glt::host_view<glt::global_id const>(original), options};
}
table_type make_table(glt::threads_comm comm, glt::dist::embedding_options const& options, std::int64_t split = 3) {
  return make_table(comm, options, glt::partition_book({0, split, 6}), 0);
}

void train(table_type& table, std::int64_t steps) {
  std::vector<glt::global_id> const vertices{5, 0, 3};
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<float> const gradients{1, 2, -3, 4, 5, 0.5F + static_cast<float>(table.num_updates())};
    table.update(glt::host_view<glt::global_id const>(vertices), glt::host_matrix<float const>(gradients.data(), 3, 2),
                 1);
  }
}

// The same on any number of ranks: rank 0 has all gradients.
void train_on_first(table_type& table, int rank, std::int64_t steps) {
  std::vector<glt::global_id> const vertices{5, 0, 3};
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<float> const gradients{1, 2, -3, 4, 5, 0.5F + static_cast<float>(table.num_updates())};
    auto const count = rank == 0 ? 3 : 0;
    table.update(glt::host_view<glt::global_id const>(vertices.data(), count),
                 glt::host_matrix<float const>(gradients.data(), count, 2), count);
  }
}

// Of 6 vertices of a folder of parts; more ranks than vertices have some without any.
glt::partition_book book_of(int ranks, std::int64_t partitioning = 7) {
  std::vector<glt::global_id> offsets;
  for (int rank = 0; rank <= ranks; ++rank) {
    offsets.push_back(6 * rank / ranks);
  }
  return glt::partition_book(std::move(offsets), partitioning);
}

std::vector<float> rows_of(table_type const& table) {
  return glt::to_vector(cpu(), table.store().local().features.flat());
}

} // namespace

TEST_CASE("an embedding that is restored goes on to the same bits") {
  for (glt::detail::sparse_optimizer const& optimizer :
       {glt::detail::sparse_optimizer(glt::dist::embedding_options::sgd{}),
        glt::detail::sparse_optimizer(glt::dist::embedding_options::adagrad{}),
        glt::detail::sparse_optimizer(glt::dist::embedding_options::adam{})}) {
    glt_test::scratch_folder const scratch;
    glt::run_threads(num_ranks, [&](auto comm) {
      auto const path = scratch / std::to_string(comm.rank());
      auto table = make_table(comm, {.columns = 2, .optimizer = optimizer});
      train(table, 3);
      table.set_learning_rate(0.25);
      glt::io::save_checkpoint(path, table);
      train(table, 2);
      auto restored = make_table(comm, {.columns = 2, .optimizer = optimizer, .seed = 9});
      glt::io::load_checkpoint(path, restored);
      CHECK(restored.num_updates() == 3);
      CHECK(restored.learning_rate() == 0.25);
      CHECK(rows_of(restored) != rows_of(table));
      train(restored, 2);
      CHECK(rows_of(restored) == rows_of(table));
    });
    CHECK(scratch.num_entries() == num_ranks);
  }
}

TEST_CASE("a file that is missing, damaged or of another embedding is the same error on all ranks") {
  glt_test::scratch_folder const scratch;
  glt::run_threads(num_ranks, [&](auto comm) {
    auto const path = scratch / std::to_string(comm.rank());
    auto table = make_table(comm, {.columns = 2});
    auto const refused = [&](std::filesystem::path const& of, table_type& into) {
      return glt_test::thrown<glt::collective_error>([&] { glt::io::load_checkpoint(of, into); });
    };
    bool const is_odd = comm.rank() == 1;
    glt::io::save_checkpoint(path, table);
    CHECK(glt_test::names(refused(is_odd ? scratch / "none" : path, table), "rank 1", "no such file"));
    comm.barrier();
    CHECK(glt_test::names(refused(is_odd ? scratch / "0" : path, table), "rank 1", "of another partition"));
    auto adam = make_table(comm, {.columns = 2, .optimizer = glt::dist::embedding_options::adam{}});
    CHECK(glt_test::names(refused(path, adam), "rank 0", "optimiser"));
    auto wide = make_table(comm, {.columns = 4});
    CHECK(glt_test::names(refused(path, wide), "rank 0", "is of 3 rows, and the embedding has 3"));
    auto uneven = make_table(comm, {.columns = 2}, 4);
    CHECK(glt_test::names(refused(path, uneven), "rank 0", "is of 3 rows, and the embedding has 4"));

    auto bytes = glt_test::read_bytes(path);
    bytes[92] = static_cast<char>(bytes[92] ^ 1);
    auto const damaged = scratch / ("damaged" + std::to_string(comm.rank()));
    glt_test::write_bytes(damaged, bytes);
    CHECK(glt_test::names(refused(is_odd ? damaged : path, table), "rank 1", "is damaged"));
    glt_test::write_bytes(damaged, bytes.substr(0, 70));
    CHECK(glt_test::names(refused(is_odd ? damaged : path, table), "rank 1", "ends"));
    glt_test::write_bytes(damaged, "glt-checkpoint 1");
    CHECK(glt_test::names(refused(is_odd ? damaged : path, table), "rank 1", "no checkpoint of an embedding"));

    train(table, 1);
    auto const later = scratch / ("later" + std::to_string(comm.rank()));
    glt::io::save_checkpoint(later, table);
    CHECK(glt_test::names(refused(is_odd ? later : path, table), "rank 1", "rows of 1 updates and rank 0 of 0"));
    glt::io::load_checkpoint(path, table);
    CHECK(table.num_updates() == 0);
  });
}

TEST_CASE("files of two trainings, or of two partitionings into parts of equal sizes, do not go together") {
  glt_test::scratch_folder const scratch;
  glt::run_threads(num_ranks, [&](auto comm) {
    bool const is_odd = comm.rank() == 1;
    auto const path = [&](char const* name) { return scratch / (name + std::to_string(comm.rank())); };
    auto const refused = [&](char const* name, table_type& into) {
      return glt_test::thrown<glt::collective_error>([&] { glt::io::load_checkpoint(path(name), into); });
    };
    auto first = make_table(comm, {.columns = 2, .seed = 1});
    auto second = make_table(comm, {.columns = 2, .seed = 2});
    auto third = make_table(comm, {.columns = 2, .seed = 1});
    train(first, 3);
    train(second, 3);
    std::vector<glt::global_id> const vertices{5, 0};
    std::vector<float> const gradients{1, 2, -3, 4};
    train(third, 2);
    third.update(glt::host_view<glt::global_id const>(vertices), glt::host_matrix<float const>(gradients.data(), 2, 2),
                 1);
    auto const other_rank_of = [&](table_type& odd) { // what rank 1 has is of another training
      glt::io::save_checkpoint(path("mixed"), is_odd ? odd : first);
      return refused("mixed", first);
    };
    CHECK(glt_test::names(other_rank_of(second), "rank 1", "of another training than rank 0"));
    CHECK(glt_test::names(other_rank_of(third), "rank 1", "of another training than rank 0"));
    glt::io::save_checkpoint(path("whole"), first);
    glt::io::load_checkpoint(path("whole"), second);
    CHECK(rows_of(second) == rows_of(first));

    auto shifted = make_table(comm, {.columns = 2}, glt::partition_book({0, 3, 6}), 1);
    CHECK(glt_test::names(refused("whole", shifted), "rank 0", "of another partition"));
    auto from_files = make_table(comm, {.columns = 2}, glt::partition_book({0, 3, 6}, 7), 0);
    CHECK(glt_test::names(refused("whole", from_files), "rank 0", "of another partition"));
  });
}

TEST_CASE("an embedding of a folder of parts is restored on another number of ranks") {
  for (glt::detail::sparse_optimizer const& optimizer :
       {glt::detail::sparse_optimizer(glt::dist::embedding_options::sgd{}),
        glt::detail::sparse_optimizer(glt::dist::embedding_options::adagrad{}),
        glt::detail::sparse_optimizer(glt::dist::embedding_options::adam{})}) {
    for (int const before : {1, 2, 4, 8}) {
      glt_test::scratch_folder const scratch;
      std::vector<std::filesystem::path> paths;
      for (int rank = 0; rank < before; ++rank) {
        paths.push_back(scratch / std::to_string(rank));
      }
      std::vector<float> wanted(12);
      glt::run_threads(before, [&](auto comm) {
        auto table = make_table(comm, {.columns = 2, .optimizer = optimizer}, book_of(before), 0);
        train_on_first(table, comm.rank(), 3);
        glt::io::save_checkpoint(paths[static_cast<std::size_t>(comm.rank())], table);
        train_on_first(table, comm.rank(), 2);
        std::ranges::copy(rows_of(table), wanted.begin() + 2 * table.book().begin(comm.rank()));
      });
      for (int const ranks : {1, 2, 3, 4, 7}) {
        glt::run_threads(ranks, [&](auto comm) {
          auto table = make_table(comm, {.columns = 2, .optimizer = optimizer, .seed = 9}, book_of(ranks), 0);
          glt::io::load_checkpoint(paths, table);
          CHECK(table.num_updates() == 3);
          train_on_first(table, comm.rank(), 2);
          auto const* const first = wanted.data() + 2 * table.book().begin(comm.rank());
          CHECK(rows_of(table) == std::vector<float>(first, first + 2 * table.book().size(comm.rank())));
        });
      }
    }
  }
}

TEST_CASE("files that do not make one embedding are the same error on any number of ranks") {
  glt_test::scratch_folder const scratch;
  std::vector<std::filesystem::path> const paths{scratch / "0", scratch / "1"};
  std::vector<std::filesystem::path> const later{scratch / "0 later", scratch / "1 later"};
  glt::run_threads(2, [&](auto comm) {
    auto table = make_table(comm, {.columns = 2}, book_of(2), 0);
    glt::io::save_checkpoint(paths[static_cast<std::size_t>(comm.rank())], table);
    train_on_first(table, comm.rank(), 1);
    glt::io::save_checkpoint(later[static_cast<std::size_t>(comm.rank())], table);
  });
  auto bytes = glt_test::read_bytes(paths[1]);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  glt_test::write_bytes(scratch / "damaged", bytes);
  glt::run_threads(3, [&](auto comm) {
    auto const refused = [&](std::vector<std::filesystem::path> const& of, glt::partition_book const& book,
                             std::int64_t columns = 2) {
      auto table = make_table(comm, {.columns = columns}, book, 0);
      return glt_test::thrown<glt::collective_error>([&] { glt::io::load_checkpoint(of, table); });
    };
    CHECK(glt_test::names(refused({paths[0]}, book_of(3)), "1 files", "3 of 6 rows"));
    CHECK(glt_test::names(refused({paths[1], paths[0]}, book_of(3)), "from vertex 3 on, after 0"));
    CHECK(glt_test::names(refused({paths[0], paths[1], paths[1]}, book_of(3)), "from vertex 3 on, after 6"));
    CHECK(glt_test::names(refused({paths[0], later[1]}, book_of(3)), "another step"));
    CHECK(glt_test::names(refused({paths[0], scratch / "damaged"}, book_of(3)), "rank 1", "is damaged"));
    CHECK(glt_test::names(refused({paths[0], scratch / "none"}, book_of(3)), "no such file"));
    for (std::int64_t const partitioning : {0, 8}) {
      CHECK(glt_test::names(refused(paths, book_of(3, partitioning)), "another folder of parts"));
    }
    CHECK(glt_test::names(refused(paths, book_of(3), 4), "number of columns"));
  });
}
