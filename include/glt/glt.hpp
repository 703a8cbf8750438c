// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Everything that needs a C++20 compiler and nothing else.

#include <glt/core/bytes.hpp>
#include <glt/core/config.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/narrow.hpp>
#include <glt/core/random.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>

#include <glt/exec/executor.hpp>
#include <glt/exec/radix_sort.hpp>
#include <glt/exec/sequential.hpp>
#include <glt/exec/thread_pool.hpp>
#include <glt/exec/threaded.hpp>

#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/memory/resource.hpp>

#include <glt/comm/agreement.hpp>
#include <glt/comm/checks.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/counting.hpp>
#include <glt/comm/exchange.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/comm/threads_board.hpp>
#include <glt/comm/threads_call.hpp>
#include <glt/comm/threads_comm.hpp>

#include <glt/graph/convert.hpp>
#include <glt/graph/coo.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/dedupe.hpp>
#include <glt/graph/planted_communities.hpp>
#include <glt/graph/random_permutation.hpp>
#include <glt/graph/rmat.hpp>
#include <glt/graph/symmetrize.hpp>
#include <glt/graph/validate.hpp>

#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>

#include <glt/partition/book.hpp>
#include <glt/partition/contiguous.hpp>
#include <glt/partition/graph_part.hpp>
#include <glt/partition/ldg.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/quality.hpp>
#include <glt/partition/random.hpp>
#include <glt/partition/relabel.hpp>
#include <glt/partition/split.hpp>

#include <glt/sample/block.hpp>
#include <glt/sample/builder.hpp>
#include <glt/sample/draw.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/neighbors.hpp>
#include <glt/sample/numbering.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/pick.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/sample/validate.hpp>

#include <glt/dist/agree.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/feature_collector.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/neighbor_sampler.hpp>
#include <glt/dist/requests.hpp>
#include <glt/dist/sample_exchange.hpp>
#include <glt/dist/sample_reply.hpp>
#include <glt/dist/seed_order.hpp>
