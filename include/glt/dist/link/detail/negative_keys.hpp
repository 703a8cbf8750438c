// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/vertex_directory.hpp>
#include <glt/graph/convert.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/negatives.hpp>

namespace glt::detail {

/// Random keys of the negatives of a bulk of batches, by original ids that the ranks look up together; reusable.
template <communicator Comm, device_policy Policy, vertex_id Vertex>
class negative_keys {
  static constexpr memory_space space = Policy::space;
  using directory_type = dist::vertex_directory<Comm, Policy, Vertex>;
  using batch_type = seed_edges_view<space, Vertex>;

public:
  negative_keys(of_both_ends<directory_type*> directories, link_types types, negative_mode mode, Policy policy)
      : directories_(directories), types_(types), mode_(mode), policy_(policy), ends_(0, policy), originals_(0, policy),
        keys_(0, policy) {}

  /// Looks up the ends of all batches.
  ///
  /// @comm   collective; one look-up, or two for ends of two types
  /// @throws collective_error  on every rank, if one has a failure
  void look_up(std::span<batch_type const> batches, call_site site, std::string const& failure) {
    std::int64_t num_sources = 0;
    std::int64_t num_destinations = 0;
    std::int64_t num_keys = 0;
    for (auto const& batch : batches) {
      num_sources += batch.sources.size();
      num_destinations += batch.size();
      num_keys += batch.num_groups(mode_);
    }
    ends_.resize(num_sources + num_destinations);
    originals_.resize(ends_.size());
    keys_.resize(num_keys);
    start(num_sources);
    for (auto const& batch : batches) {
      append(batch.sources, source_);
      append(batch.destinations, destination_);
    }
    start(num_sources);
    auto const ends = std::as_const(ends_).view();
    auto const originals = originals_.view();
    if (types_.one_vertex_type()) {
      directories_.sources->originals_of(ends, originals, site, failure);
      return;
    }
    directories_.sources->originals_of(ends.subview(0, num_sources), originals.subview(0, num_sources), site, failure);
    directories_.destinations->originals_of(ends.subview(num_sources, num_destinations),
                                            originals.subview(num_sources, num_destinations), site);
  }

  /// Returns the keys of the next of the batches, in the order of the look-up; valid until the next look-up.
  ///
  /// @shape  → [groups], as `key_of_group`
  /// @where  enqueues only
  array_view<space, random_key const> next(batch_type const& batch, sample_key key) {
    auto const originals = std::as_const(originals_).view();
    auto const keys = keys_.view().subview(key_, batch.num_groups(mode_));
    seed_edges_view<space, global_id> const original{.sources = originals.subview(source_, batch.sources.size()),
                                                     .destinations = originals.subview(destination_, batch.size()),
                                                     .occurrences = batch.occurrences,
                                                     .sorted_sources = {},
                                                     .sorted_destinations = {},
                                                     .offsets = batch.offsets};
    policy_.executor().for_each(keys.size(), key_of_group<space, space, global_id>{
                                                 negatives_key(key, types_.edge_type), original, mode_, {}, {}, keys});
    source_ += batch.sources.size();
    destination_ += batch.size();
    key_ += keys.size();
    return keys;
  }

private:
  void start(std::int64_t num_sources) noexcept {
    source_ = 0;
    destination_ = num_sources;
    key_ = 0;
  }
  void append(array_view<space, Vertex const> vertices, std::int64_t& place) {
    policy_.executor().for_each(vertices.size(),
                                copy_elements<space, Vertex>{vertices, ends_.view().subview(place, vertices.size())});
    place += vertices.size();
  }

  of_both_ends<directory_type*> directories_;
  link_types types_;
  negative_mode mode_;
  Policy policy_;
  buffer<Policy, Vertex> ends_; // the sources of all batches, then the destinations
  buffer<Policy, global_id> originals_;
  buffer<Policy, random_key> keys_;
  std::int64_t source_ = 0; // place of the next batch; likewise the next two
  std::int64_t destination_ = 0;
  std::int64_t key_ = 0;
};

} // namespace glt::detail
