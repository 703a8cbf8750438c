// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: fault_job_saved FOLDER
//
// Saves in a folder what a training needs to go on, over older files, and loads it into another training: a network, a
// training, an embedding and the place in an epoch.
#include "saved.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  at::set_num_threads(1);
  return glt_fault::run_job([folder = argv[1]](glt::mpi_comm comm) {
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
    return sum.value();
  });
}
