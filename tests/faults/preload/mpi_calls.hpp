// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of MPI that glt makes, for libraries that stand between: included once, in `extern "C"`, with two macros
// GLT_MPI_CALL(name, parameters, arguments) and GLT_MPI_POLLING, the latter for those that are made again and again.
#include <mpi.h>

GLT_MPI_CALL(Allgather, (void const* s, int ns, MPI_Datatype ts, void* r, int nr, MPI_Datatype tr, MPI_Comm c),
             (s, ns, ts, r, nr, tr, c))
GLT_MPI_CALL(Allreduce, (void const* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (s, r, n, t, o, c))
GLT_MPI_CALL(Alltoall, (void const* s, int ns, MPI_Datatype ts, void* r, int nr, MPI_Datatype tr, MPI_Comm c),
             (s, ns, ts, r, nr, tr, c))
GLT_MPI_CALL(Alltoallw,
             (void const* s, int const* ns, int const* ds, MPI_Datatype const* ts, void* r, int const* nr,
              int const* dr, MPI_Datatype const* tr, MPI_Comm c),
             (s, ns, ds, ts, r, nr, dr, tr, c))
GLT_MPI_CALL(Ialltoallw,
             (void const* s, int const* ns, int const* ds, MPI_Datatype const* ts, void* r, int const* nr,
              int const* dr, MPI_Datatype const* tr, MPI_Comm c, MPI_Request* q),
             (s, ns, ds, ts, r, nr, dr, tr, c, q))
GLT_MPI_CALL(Barrier, (MPI_Comm c), (c))
GLT_MPI_CALL(Bcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
GLT_MPI_CALL(Comm_dup, (MPI_Comm c, MPI_Comm* made), (c, made))
GLT_MPI_CALL(Comm_free, (MPI_Comm * c), (c))
GLT_MPI_CALL(Comm_rank, (MPI_Comm c, int* rank), (c, rank))
GLT_MPI_CALL(Comm_set_errhandler, (MPI_Comm c, MPI_Errhandler h), (c, h))
GLT_MPI_CALL(Comm_size, (MPI_Comm c, int* size), (c, size))
GLT_MPI_CALL(Comm_split, (MPI_Comm c, int color, int key, MPI_Comm* made), (c, color, key, made))
GLT_MPI_CALL(Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info i, MPI_Comm* made), (c, type, key, i, made))
GLT_MPI_CALL(Get_count, (MPI_Status const* s, MPI_Datatype t, int* n), (s, t, n))
GLT_MPI_CALL(Iallreduce, (void const* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request* q),
             (s, r, n, t, o, c, q))
GLT_MPI_CALL(Ibarrier, (MPI_Comm c, MPI_Request* q), (c, q))
GLT_MPI_POLLING(Iprobe, (int from, int tag, MPI_Comm c, int* found, MPI_Status* s), (from, tag, c, found, s))
GLT_MPI_CALL(Irecv, (void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* q),
             (b, n, t, from, tag, c, q))
GLT_MPI_CALL(Isend, (void const* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q),
             (b, n, t, to, tag, c, q))
GLT_MPI_CALL(Mprobe, (int from, int tag, MPI_Comm c, MPI_Message* m, MPI_Status* s), (from, tag, c, m, s))
GLT_MPI_CALL(Mrecv, (void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Status* s), (b, n, t, m, s))
GLT_MPI_CALL(Recv, (void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status* s),
             (b, n, t, from, tag, c, s))
GLT_MPI_CALL(Request_free, (MPI_Request * q), (q))
GLT_MPI_POLLING(Test, (MPI_Request * q, int* done, MPI_Status* s), (q, done, s))
GLT_MPI_CALL(Type_commit, (MPI_Datatype * t), (t))
GLT_MPI_CALL(Type_create_hindexed,
             (int n, int const* lengths, MPI_Aint const* starts, MPI_Datatype of, MPI_Datatype* made),
             (n, lengths, starts, of, made))
GLT_MPI_CALL(Type_free, (MPI_Datatype * t), (t))
GLT_MPI_CALL(Wait, (MPI_Request * q, MPI_Status* s), (q, s))
GLT_MPI_CALL(Waitall, (int n, MPI_Request* q, MPI_Status* s), (n, q, s))
GLT_MPI_CALL(Ialltoall,
             (void const* s, int ns, MPI_Datatype ts, void* r, int nr, MPI_Datatype tr, MPI_Comm c, MPI_Request* q),
             (s, ns, ts, r, nr, tr, c, q))
GLT_MPI_CALL(Ibcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request* q), (b, n, t, root, c, q))
GLT_MPI_POLLING(Improbe, (int from, int tag, MPI_Comm c, int* found, MPI_Message* m, MPI_Status* s),
                (from, tag, c, found, m, s))
GLT_MPI_CALL(Imrecv, (void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Request* q), (b, n, t, m, q))
GLT_MPI_POLLING(Testall, (int n, MPI_Request* q, int* done, MPI_Status* s), (n, q, done, s))
