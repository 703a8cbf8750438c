// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded, makes an MPI call of a program return MPI_ERR_OTHER instead of doing anything: see plan.hpp. Through the
// profiling interface, so built with the headers of the MPI that the program uses. Starting, ending, and asking whether
// MPI runs do not fail.
#include "plan.hpp"

#include <mpi.h>

namespace {

glt_fault::plan events;

__attribute__((constructor)) void start() {
  events.prepare();
}
__attribute__((destructor)) void finish() {
  events.finish();
}

} // namespace

extern "C" {

void glt_fault_arm() {
  events.arm();
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int const code = PMPI_Init_thread(argc, argv, required, provided);
  events.arm_after_mpi();
  return code;
}

#define GLT_FAULT_CALL(name, parameters, arguments)                                                          \
  int MPI_##name parameters {                                                                                \
    return events.fails() ? MPI_ERR_OTHER : PMPI_##name arguments;                                           \
  }

#define GLT_FAULT_POLLING(name, parameters, arguments)                                                       \
  int MPI_##name parameters {                                                                                \
    return events.fails_polling() ? MPI_ERR_OTHER : PMPI_##name arguments;                                   \
  }

GLT_FAULT_CALL(Allgather,
               (void const* s, int ns, MPI_Datatype ts, void* r, int nr, MPI_Datatype tr, MPI_Comm c),
               (s, ns, ts, r, nr, tr, c))
GLT_FAULT_CALL(Allreduce, (void const* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
               (s, r, n, t, o, c))
GLT_FAULT_CALL(Alltoall,
               (void const* s, int ns, MPI_Datatype ts, void* r, int nr, MPI_Datatype tr, MPI_Comm c),
               (s, ns, ts, r, nr, tr, c))
GLT_FAULT_CALL(Alltoallw,
               (void const* s, int const* ns, int const* ds, MPI_Datatype const* ts, void* r, int const* nr,
                int const* dr, MPI_Datatype const* tr, MPI_Comm c),
               (s, ns, ds, ts, r, nr, dr, tr, c))
GLT_FAULT_CALL(Ialltoallw,
               (void const* s, int const* ns, int const* ds, MPI_Datatype const* ts, void* r, int const* nr,
                int const* dr, MPI_Datatype const* tr, MPI_Comm c, MPI_Request* q),
               (s, ns, ds, ts, r, nr, dr, tr, c, q))
GLT_FAULT_CALL(Barrier, (MPI_Comm c), (c))
GLT_FAULT_CALL(Bcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
GLT_FAULT_CALL(Comm_create_keyval,
               (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* drop, int* key,
                void* state),
               (copy, drop, key, state))
GLT_FAULT_CALL(Comm_dup, (MPI_Comm c, MPI_Comm* made), (c, made))
GLT_FAULT_CALL(Comm_free, (MPI_Comm * c), (c))
GLT_FAULT_CALL(Comm_free_keyval, (int* key), (key))
GLT_FAULT_CALL(Comm_rank, (MPI_Comm c, int* rank), (c, rank))
GLT_FAULT_CALL(Comm_set_attr, (MPI_Comm c, int key, void* value), (c, key, value))
GLT_FAULT_CALL(Comm_set_errhandler, (MPI_Comm c, MPI_Errhandler h), (c, h))
GLT_FAULT_CALL(Comm_size, (MPI_Comm c, int* size), (c, size))
GLT_FAULT_CALL(Comm_split, (MPI_Comm c, int color, int key, MPI_Comm* made), (c, color, key, made))
GLT_FAULT_CALL(Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info i, MPI_Comm* made),
               (c, type, key, i, made))
GLT_FAULT_CALL(Get_count, (MPI_Status const* s, MPI_Datatype t, int* n), (s, t, n))
GLT_FAULT_CALL(Iallreduce,
               (void const* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request* q),
               (s, r, n, t, o, c, q))
GLT_FAULT_CALL(Ibarrier, (MPI_Comm c, MPI_Request* q), (c, q))
GLT_FAULT_CALL(Info_create, (MPI_Info * i), (i))
GLT_FAULT_CALL(Info_free, (MPI_Info * i), (i))
GLT_FAULT_CALL(Info_set, (MPI_Info i, char const* key, char const* value), (i, key, value))
GLT_FAULT_POLLING(Iprobe, (int from, int tag, MPI_Comm c, int* found, MPI_Status* s), (from, tag, c, found, s))
GLT_FAULT_CALL(Irecv, (void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* q),
               (b, n, t, from, tag, c, q))
GLT_FAULT_CALL(Isend, (void const* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q),
               (b, n, t, to, tag, c, q))
GLT_FAULT_CALL(Mprobe, (int from, int tag, MPI_Comm c, MPI_Message* m, MPI_Status* s), (from, tag, c, m, s))
GLT_FAULT_CALL(Mrecv, (void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Status* s), (b, n, t, m, s))
GLT_FAULT_CALL(Recv, (void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status* s),
               (b, n, t, from, tag, c, s))
GLT_FAULT_CALL(Request_free, (MPI_Request * q), (q))
GLT_FAULT_CALL(Send, (void const* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c),
               (b, n, t, to, tag, c))
GLT_FAULT_POLLING(Test, (MPI_Request * q, int* done, MPI_Status* s), (q, done, s))
GLT_FAULT_CALL(Type_commit, (MPI_Datatype * t), (t))
GLT_FAULT_CALL(Type_create_hindexed,
               (int n, int const* lengths, MPI_Aint const* starts, MPI_Datatype of, MPI_Datatype* made),
               (n, lengths, starts, of, made))
GLT_FAULT_CALL(Type_free, (MPI_Datatype * t), (t))
GLT_FAULT_CALL(Wait, (MPI_Request * q, MPI_Status* s), (q, s))
GLT_FAULT_CALL(Waitall, (int n, MPI_Request* q, MPI_Status* s), (n, q, s))
GLT_FAULT_CALL(Win_allocate_shared,
               (MPI_Aint bytes, int unit, MPI_Info i, MPI_Comm c, void* base, MPI_Win* w),
               (bytes, unit, i, c, base, w))
GLT_FAULT_CALL(Win_free, (MPI_Win * w), (w))
GLT_FAULT_CALL(Win_lock_all, (int assertion, MPI_Win w), (assertion, w))
GLT_FAULT_CALL(Win_set_errhandler, (MPI_Win w, MPI_Errhandler h), (w, h))
GLT_FAULT_CALL(Win_shared_query, (MPI_Win w, int rank, MPI_Aint* bytes, int* unit, void* base),
               (w, rank, bytes, unit, base))
GLT_FAULT_CALL(Win_sync, (MPI_Win w), (w))
GLT_FAULT_CALL(Win_unlock_all, (MPI_Win w), (w))

} // extern "C"
