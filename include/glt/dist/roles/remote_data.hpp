// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/roles/client.hpp>
#include <glt/dist/roles/detail/data_description.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/owner_buckets.hpp>
#include <glt/sample/detail/arguments.hpp>

namespace glt::dist {

/// View of a client on a data set that servers show (`serve_data`): its description, rows of its tensors by global id,
/// and splits.
///
///     glt::dist::remote_data data(client, "papers");
///     auto const seeds = data.split("train");              // this client's share
///     auto const x = data.gather(seeds);                   // x.view().features is [seeds, F]
///     auto const y = data.labels(seeds);
///
/// Concurrent calls: none on one object, nor on its client.
///
/// @comm  one message to every server that holds requested rows or vertices, and one back; all at once
template <communicator Comm>
class remote_data {
public:
  using description_type = detail::data_description; ///< number of vertices, tensors, splits and classes

  /// Borrows the client, which must outlive this object. Requests the description from a server and keeps it.
  ///
  /// @throws collective_error  if servers show no data of this name
  remote_data(client<Comm>& of, std::string name)
      : client_(&of), name_(std::move(name)),
        description_(of.template request<detail::data_description>(
            of.assigned_servers().front(), detail::name_of_service(name_, detail::describe_service), std::int64_t{0})),
        buckets_(partition_book(description_.offsets, description_.partitioning)) {
    check_size(std::ssize(description_.ranks), book().num_parts());
  }

  [[nodiscard]] description_type const& description() const noexcept { return description_; }
  /// Returns the partition book; `description().ranks` gives the world rank of each part's owner.
  [[nodiscard]] partition_book const& book() const noexcept { return buckets_.book(); }

  /// Gathers rows of the features, or of another tensor, in the order of the ids, which may repeat. Elements of a type
  /// other than T are converted as by `gather_rows`.
  ///
  /// @shape  ids [n] global ids → [n, F]
  /// @throws precondition_error  if an id is not a vertex, the tensor does not exist, or its elements cannot become T
  template <detail::element T = float>
  [[nodiscard]] glt::feature_store<device::cpu, T> gather(host_view<global_id const> ids) {
    return gather<T>(detail::data_description::features, ids);
  }
  template <detail::element T = float>
  [[nodiscard]] glt::feature_store<device::cpu, T> gather(std::string_view tensor, host_view<global_id const> ids) {
    auto const& what = description_.tensor(tensor);
    buffer<device::cpu, T> rows(ids.size() * what.num_columns);
    fetch(what, ids, rows.data());
    return {ids.size(), what.num_columns, std::move(rows)};
  }

  /// Gathers the labels of vertices.
  ///
  /// @shape  ids [n] global ids → [n]
  /// @throws precondition_error  if an id is not a vertex, or there are no labels of one whole number a vertex
  [[nodiscard]] std::vector<std::int64_t> labels(host_view<global_id const> ids) {
    return list(detail::data_description::labels, ids);
  }
  /// Gathers the original ids of vertices.
  ///
  /// @shape  ids [n] global ids → [n]
  /// @throws precondition_error  if an id is not a vertex
  [[nodiscard]] std::vector<global_id> originals(host_view<global_id const> ids) {
    return list(detail::data_description::originals, ids);
  }

  /// Returns this client's share of a split. All shares together are the whole; their sizes differ by one at most.
  ///
  /// @throws precondition_error  if no split has this name; the text lists the names
  [[nodiscard]] std::vector<global_id> split(std::string_view name) {
    auto& roles = client_->roles();
    auto const clients = roles.ranks_of(roles.role());
    auto const own = std::ranges::find(clients, roles.world_rank()) - clients.begin();
    auto const size = description_.split(name).size();
    auto const first_of = [&](std::int64_t client) {
      return size / std::ssize(clients) * client + std::min(size % std::ssize(clients), client);
    };
    return range_of(name, first_of(own), first_of(own + 1));
  }
  /// Returns the whole split: the pieces of all servers, one after the other.
  ///
  /// @throws precondition_error  if no split has this name; the text lists the names
  [[nodiscard]] std::vector<global_id> whole_split(std::string_view name) {
    return range_of(name, 0, description_.split(name).size());
  }

private:
  template <class Reply>
  struct pending {
    typename client<Comm>::template pending_reply<Reply> reply;
    std::int64_t first; // place of the first requested element
    std::int64_t count;
  };

  template <class Reply, class Request>
  [[nodiscard]] auto ask(std::size_t part, std::string_view service, Request const& request) {
    return client_->template request_async<Reply>(description_.ranks[part], detail::name_of_service(name_, service),
                                                  request);
  }

  // Waits for all replies and calls `take(reply, first, count)` for each; afterwards throws the first failure, if any.
  template <class Reply, class Take>
  static void take_all(std::vector<pending<Reply>>& all, Take take) {
    std::exception_ptr failure;
    for (auto& [pending, first, count] : all) {
      try {
        auto reply = pending.get();
        take(std::move(reply), first, count);
      } catch (error const&) {
        failure = failure ? failure : std::current_exception();
      }
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  [[nodiscard]] std::vector<std::int64_t> list(std::string_view tensor, host_view<global_id const> ids) {
    auto const& what = description_.tensor(tensor);
    if (what.num_columns != 1) {
      throw precondition_error(
          detail::message("tensor \"", tensor, "\" has ", what.num_columns, " columns; read it with gather"));
    }
    std::vector<std::int64_t> values(static_cast<std::size_t>(ids.size()));
    fetch(what, ids, values.data());
    return values;
  }

  template <class T>
  void fetch(detail::data_description::tensor_entry const& what, host_view<global_id const> ids, T* out) {
    constexpr auto type = detail::element_type_of<T>;
    if (!detail::gathers(what.type, type)) {
      throw precondition_error(detail::message("tensor \"", what.name, "\" of ", detail::name_of(what.type), " as ",
                                               detail::name_of(type), "; ask for ", detail::name_of(what.type),
                                               ", float32 or float64"));
    }
    detail::validate_vertices("id", ids, description_.num_vertices());
    auto const offsets = buckets_.sort(ids);
    auto const rows = buckets_.rows();
    std::vector<pending<std::vector<std::byte>>> replies;
    for (std::size_t part = 0; part + 1 < offsets.size(); ++part) {
      if (auto const count = offsets[part + 1] - offsets[part]; count > 0) {
        auto const of_part = rows.subview(offsets[part], count);
        detail::rows_request const request{what.name, {of_part.begin(), of_part.end()}};
        replies.push_back({ask<std::vector<std::byte>>(part, detail::rows_service, request), offsets[part], count});
      }
    }
    take_all(replies, [&](std::vector<std::byte> const& reply, std::int64_t first, std::int64_t count) {
      detail::any_rows<memory_space::host> const in{what.type, reply.data(), count, what.num_columns,
                                                    host_view<float const>(what.scales)};
      check_size(std::ssize(reply), count * in.row_bytes());
      detail::transfer_any_rows<detail::cached_writes, detail::conversions_to<T>>(
          device::cpu().executor(), count, in, detail::rows_in_order{},
          detail::rows_listed<std::int64_t>{buckets_.places().data() + first}, type, reinterpret_cast<std::byte*>(out));
    });
  }

  [[nodiscard]] std::vector<global_id> range_of(std::string_view name, std::int64_t first, std::int64_t last) {
    auto const& split = description_.split(name);
    std::vector<pending<std::vector<global_id>>> replies;
    std::int64_t begin = 0; // of the piece
    for (std::size_t part = 0; part < split.sizes.size(); ++part) {
      auto const end = begin + split.sizes[part];
      auto const from = std::max(first, begin);
      auto const to = std::min(last, end);
      if (from < to) {
        detail::split_request const request{split.name, from - begin, to - from};
        replies.push_back({ask<std::vector<global_id>>(part, detail::split_service, request), from, to - from});
      }
      begin = end;
    }
    std::vector<global_id> ids;
    take_all(replies, [&](std::vector<global_id> const& reply, std::int64_t, std::int64_t count) {
      check_size(std::ssize(reply), count);
      ids.insert(ids.end(), reply.begin(), reply.end());
    });
    return ids;
  }

  static void check_size(std::int64_t size, std::int64_t wanted) {
    if (size != wanted) {
      throw error(detail::message("reply of ", size, " instead of ", wanted,
                                  " elements; servers and clients must be the same program"));
    }
  }

  client<Comm>* client_;
  std::string name_;
  description_type description_;
  detail::owner_buckets<device::cpu> buckets_;
};

} // namespace glt::dist
