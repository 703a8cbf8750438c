// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saves what a training needs to go on, over older files, and loads it into another training: a network, a training, an
// embedding and the place in an epoch.
#include "saved.hpp"

#include "support/scratch.hpp"

#include <glt/comm/detail/broadcast_text.hpp>

int main() {
  at::set_num_threads(1);
  return glt_fault::run_job([](glt::mpi_comm comm) {
    glt_test::scratch_folder const own;
    auto folder = own.path().string();
    glt::detail::broadcast_text(comm, folder);
    glt_fault::saved_training training(comm, 1);
    glt_fault::saved_training older(comm, 2);
    glt_fault::saved_training other(comm, 3);
    glt_fault::result_sum sum;
    for (auto const kind : glt_fault::saved_kinds) {
      older.save(folder, kind);
      training.save(folder, kind);
      glt::run_together(comm, [] {}); // the files of all ranks are there
      other.load(folder, kind, sum);
    }
    glt::run_together(comm, [] {}); // then rank 0 removes the folder
    return sum.value();
  });
}
