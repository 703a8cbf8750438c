// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/roles/detail/data_description.hpp>
#include <glt/dist/roles/server.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/arguments.hpp>

namespace glt::detail {

/// Function that copies stored rows of a tensor, in the order of a list.
using row_reader = std::function<std::vector<std::byte>(std::vector<local_id> const&)>;

/// Makes a reader of rows; borrows the rows.
///
/// @where  rows in memory of `Policy`; the copies in host memory
/// @pre    of the reader: the listed rows exist; not checked
template <device_policy Policy>
[[nodiscard]] row_reader make_row_reader(any_rows<Policy::space> rows, Policy policy) {
  return [rows, policy = std::move(policy)](std::vector<local_id> const& wanted) {
    auto const count = static_cast<std::int64_t>(wanted.size());
    auto const transfer = [&](local_id const* ids, std::byte* out) {
      transfer_any_rows<cached_writes, no_conversion>(policy.executor(), count, rows, rows_listed<local_id>{ids},
                                                      rows_in_order{}, rows.type, out);
    };
    if constexpr (host_policy<Policy>) {
      std::vector<std::byte> read(static_cast<std::size_t>(count * rows.row_bytes()));
      transfer(wanted.data(), read.data());
      return read;
    } else {
      auto const ids = make_buffer(wanted, policy);
      buffer<Policy, std::byte> read(count * rows.row_bytes(), policy);
      transfer(ids.data(), read.data());
      return to_vector(policy, std::as_const(read).view());
    }
  };
}

/// Vertices of one type of a data set that a server shows to clients: rows of tensors, splits. Borrows the data set.
class served_vertices {
public:
  template <device_policy Policy, vertex_id Vertex>
  served_vertices(dist::data_set<Policy, Vertex> const& data, int node_type)
      : book_(&data.book(node_type)), part_(data.hetero_graph().part()), splits_(data.splits(node_type)),
        classes_(num_classes_of(data.tensors(node_type).local())) {
    auto const& table = data.tensors(node_type).local();
    auto const originals = data.original(node_type);
    add(std::string(data_description::originals),
        without_type(feature_view<Policy::space, global_id>{.features = {originals.data(), originals.size(), 1}}),
        table.policy());
    for (auto const& [name, rows] : table.tensors()) {
      add(name, rows, table.policy());
    }
  }

  /// Describes this server's data; the data of all servers make the whole description.
  [[nodiscard]] data_description describe(int server, int num_servers) const {
    if (book_->num_parts() != num_servers) {
      throw precondition_error(message("data of ", book_->num_parts(), " parts on ", num_servers,
                                       " servers; start as many servers as there are parts"));
    }
    if (part_ != server) {
      throw precondition_error(message("part ", part_, " on server ", server,
                                       " of its group; make the data set over the group of the servers"));
    }
    data_description mine;
    mine.offsets.assign(book_->offsets().begin(), book_->offsets().end());
    mine.partitioning = book_->partitioning();
    for (auto const& [what, read] : tensors_) {
      if (mine.has(what.name)) {
        throw precondition_error(message("a tensor \"", what.name,
                                         "\", which is the name of the original ids; give it "
                                         "another name"));
      }
      mine.tensors.push_back(what);
    }
    for (auto const& [name, vertices] : splits_) {
      mine.splits.push_back({name, {std::ssize(vertices)}});
    }
    mine.classes = classes_;
    return mine;
  }

  /// Merges the descriptions of all servers and keeps the result.
  template <communicator Comm>
  void merge(Comm const& group, std::vector<data_description> const& of_server, std::vector<int> ranks) {
    auto& whole = description_;
    whole = of_server.front();
    whole.ranks = std::move(ranks);
    for (auto& split : whole.splits) {
      split.sizes.assign(of_server.size(), 0);
    }
    for (std::size_t part = 0; part < of_server.size(); ++part) {
      auto const& [offsets, partitioning, unknown, tensors, splits, classes] = of_server[part];
      bool const same_splits = std::ranges::equal(splits, whole.splits, {}, &data_description::split_entry::name,
                                                  &data_description::split_entry::name);
      if (offsets != whole.offsets || partitioning != whole.partitioning || tensors != whole.tensors || !same_splits) {
        throw agreed(group, static_cast<int>(part),
                     name_first_rank(group, "serves another partition, other tensors or other splits than rank 0; "
                                            "serve one data set on all ranks"));
      }
      for (std::size_t s = 0; s < splits.size(); ++s) {
        whole.splits[s].sizes[part] = splits[s].sizes.front();
      }
      whole.classes = std::max(whole.classes, classes);
    }
  }
  [[nodiscard]] data_description const& description() const noexcept { return description_; }

  [[nodiscard]] std::vector<std::byte> rows(rows_request const& wanted) const {
    auto const& description = description_.tensor(wanted.tensor);
    auto const& tensor = tensors_[static_cast<std::size_t>(&description - description_.tensors.data())];
    validate_vertices("row", host_view<local_id const>(wanted.rows), book_->size(part_));
    return tensor.read(wanted.rows);
  }
  [[nodiscard]] std::vector<global_id> piece(split_request const& wanted) const {
    auto const& description = description_.split(wanted.split);
    auto const& ids = splits_[static_cast<std::size_t>(&description - description_.splits.data())].vertices;
    auto const size = std::ssize(ids);
    if (wanted.first < 0 || wanted.count < 0 || wanted.first > size || wanted.count > size - wanted.first) {
      throw precondition_error(message(wanted.count, " vertices from ", wanted.first, " on of split \"", wanted.split,
                                       "\", of which there are ", size, " here"));
    }
    auto const first = ids.begin() + wanted.first;
    return {first, first + wanted.count};
  }

private:
  struct shown_tensor {
    data_description::tensor_entry description;
    row_reader read;
  };

  template <device_policy Policy>
  void add(std::string name, any_rows<Policy::space> rows, Policy const& policy) {
    data_description::tensor_entry what{std::move(name), rows.type, rows.num_columns, to_vector(policy, rows.scales)};
    tensors_.push_back({std::move(what), make_row_reader(rows, policy)});
  }

  partition_book const* book_;
  int part_;
  std::span<vertex_split const> splits_;
  std::int64_t classes_; // on this server
  std::vector<shown_tensor> tensors_;
  data_description description_;
};

} // namespace glt::detail

namespace glt::dist {

/// Shows the vertices of a type of a data set to clients, which make a `remote_data` of the same name: their tensors,
/// original ids and splits. Server r of the group shows part r. The data set is borrowed; it must outlive the server
/// and keep its splits.
///
///     auto const data = glt::io::open_data_set(roles.group(), "parts");
///     glt::dist::serve_data(server, "papers", data); // for clients: remote_data(client, "papers")
///
/// @comm   collective over the servers; one header exchange and one variable exchange. While the server runs, this rank
///         alone answers requests for its rows
/// @throws collective_error  on all servers, if the data set of a server does not fit its part or the other servers, a
///                           node type is missing, or a tensor is called "originals"
/// @throws precondition_error  if the server already serves data of this name
template <communicator Comm, device_policy Policy, vertex_id Vertex>
void serve_data(server<Comm>& by, std::string const& name, data_set<Policy, Vertex> const& data,
                int node_type = data_set<Policy, Vertex>::only_type) {
  auto& roles = by.roles();
  std::shared_ptr<detail::served_vertices> shown;
  std::vector<std::byte> mine;
  auto const failure = detail::failure_of([&] {
    shown = std::make_shared<detail::served_vertices>(data, node_type);
    mine = detail::packed_bytes(shown->describe(roles.group_rank(), roles.group_size()));
  });
  auto const packed = detail::gather_lists(detail::host_comm(roles.group()),
                                           {.what = detail::operation::join_roles, .hop = 2}, failure, mine);
  std::vector<detail::data_description> descriptions;
  for (auto const& of_server : packed) {
    detail::unpacker(of_server, nullptr).get(descriptions.emplace_back());
  }
  auto const ranks = roles.ranks_of(roles.group_name());
  shown->merge(roles.group(), descriptions, {ranks.begin(), ranks.end()});
  by.register_service(detail::name_of_service(name, detail::describe_service),
                      [shown](std::int64_t) { return shown->description(); });
  by.register_service(detail::name_of_service(name, detail::rows_service),
                      [shown](detail::rows_request const& wanted) { return shown->rows(wanted); });
  by.register_service(detail::name_of_service(name, detail::split_service),
                      [shown](detail::split_request const& wanted) { return shown->piece(wanted); });
}

} // namespace glt::dist
