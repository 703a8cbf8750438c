// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/core/element_type.hpp>
#include <glt/dist/detail/exchange/gather_lists.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loading/detail/packed.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/dist/roles/data_description.hpp>
#include <glt/dist/roles/detail/data_requests.hpp>
#include <glt/dist/roles/detail/served_rows.hpp>
#include <glt/dist/roles/server.hpp>
#include <glt/feature/detail/any_rows.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/validate_vertices.hpp>

#include <functional>

namespace glt::dist {

/// Data of one part that a server shows to clients: rows of tensors, and lists of vertices. Tensors are borrowed and
/// must outlive the server.
///
///     glt::dist::served_data data(graph);
///     data.add(features);
///     data.add_split("train", part.train);
///     glt::dist::serve_data(server, "papers", std::move(data)); // for clients: remote_data(client, "papers")
///
/// Concurrent calls: none on one object.
class served_data {
public:
  /// Shows no tensors at first; from a graph, shows original ids as tensor "originals".
  explicit served_data(partition_book book) : book_(std::move(book)) {}
  template <device_policy Policy, vertex_id Vertex>
  explicit served_data(graph<Policy, Vertex> const& of) : served_data(of.book()) {
    add_list(data_description::originals, of.original(), Policy());
  }

  /// Shows tensors: the features of a store as "features", its labels as "labels", and named tensors by their names.
  template <device_policy Policy, class T>
  void add(feature_store<Policy, T> const& store) {
    add_rows(store.book(), std::string(data_description::features), detail::without_type(store.local()), Policy());
    if (store.has_labels()) {
      add_list(data_description::labels, store.local().labels, Policy());
    }
  }
  template <device_policy Policy>
  void add(named_features<Policy> const& features) {
    for (auto const& [name, rows] : features.local().tensors()) {
      add_rows(features.book(), name, rows, features.local().policy());
    }
  }

  /// Shows a list of vertices, or this server's piece of the list.
  ///
  /// @shape  ids: any global ids
  void add_split(std::string name, std::vector<global_id> ids) {
    add_split(std::move(name), [ids = std::move(ids)] { return ids; });
  }
  /// Shows the list that a function returns, such as a function that reads a file. `serve_data` calls it, so that an
  /// error reaches all servers.
  ///
  ///     data.add_split("train", [path] {
  ///       auto const ids = glt::io::read_npy<glt::global_id>(path, 1);
  ///       return std::vector<glt::global_id>(ids.data.begin(), ids.data.end());
  ///     });
  template <std::invocable Read>
  void add_split(std::string name, Read read) {
    splits_.emplace_back(std::move(name), std::move(read));
  }

private:
  template <communicator Comm>
  friend void serve_data(server<Comm>& by, std::string const& name, served_data data);

  struct shown_tensor {
    tensor_description description;
    std::int64_t num_rows;
    detail::row_reader read;
  };
  struct shown_split {
    std::string name;
    std::vector<global_id> ids;
  };

  template <memory_space Space, class T, device_policy Policy>
  void add_list(std::string_view name, array_view<Space, T const> values, Policy policy) {
    feature_view<Space, T> const column{.features = {values.data(), values.size(), 1}};
    add_rows(book_, std::string(name), detail::without_type(column), std::move(policy));
  }
  template <device_policy Policy>
  void add_rows(partition_book const& book, std::string name, detail::any_rows<Policy::space> rows, Policy policy) {
    is_of_one_partition_ &= book.matches(book_);
    tensor_description what{std::move(name), rows.type, rows.num_columns, to_vector(policy, rows.scales)};
    tensors_.push_back({std::move(what), rows.num_rows, detail::make_row_reader(rows, std::move(policy))});
  }

  // Describes this server's data to the others; checks the data and reads the splits.
  [[nodiscard]] data_description describe(int part, int num_parts) {
    if (book_.num_parts() != num_parts) {
      throw precondition_error(detail::message("data of ", book_.num_parts(), " parts on ", num_parts,
                                               " servers; start as many servers as there are parts"));
    }
    if (!is_of_one_partition_) {
      throw precondition_error("data of different partitions; serve the graph and the features of one");
    }
    data_description mine;
    mine.offsets.assign(book_.offsets().begin(), book_.offsets().end());
    mine.partitioning = book_.partitioning();
    for (auto const& [what, num_rows, read] : tensors_) {
      if (mine.has(what.name)) {
        throw precondition_error(detail::message("serves two tensors \"", what.name, "\"; give each a name"));
      }
      if (num_rows != book_.size(part)) {
        throw precondition_error(detail::message("serves ", num_rows, " rows of \"", what.name, "\" for ",
                                                 book_.size(part), " vertices; give one per vertex of the part"));
      }
      mine.tensors.push_back(what);
    }
    for (auto const& [name, read] : splits_) {
      if (std::ranges::find(lists_, name, &shown_split::name) != lists_.end()) {
        throw precondition_error(detail::message("serves two splits \"", name, "\"; give each a name"));
      }
      lists_.push_back({name, read()});
      auto const& ids = lists_.back().ids;
      detail::validate_vertices("id of a split", host_view<global_id const>(ids), book_.num_vertices());
      mine.splits.push_back({name, {std::ssize(ids)}});
    }
    splits_.clear();
    return mine;
  }

  // Merges the descriptions of all servers.
  template <communicator Comm>
  [[nodiscard]] static data_description merge(Comm const& group, std::vector<data_description> const& of_server,
                                              std::vector<int> ranks) {
    auto whole = of_server.front();
    whole.splits.clear();
    whole.ranks = std::move(ranks);
    for (std::size_t part = 0; part < of_server.size(); ++part) {
      auto const& [offsets, partitioning, unknown, tensors, splits] = of_server[part];
      if (offsets != whole.offsets || partitioning != whole.partitioning || tensors != whole.tensors) {
        throw detail::agreed(group, static_cast<int>(part),
                             "serves another partition or other tensors than rank 0; serve the same on all ranks");
      }
      for (auto const& split : splits) {
        auto found = std::ranges::find(whole.splits, split.name, &split_description::name);
        if (found == whole.splits.end()) {
          found = whole.splits.insert(found, {split.name, std::vector<std::int64_t>(of_server.size(), 0)});
        }
        found->sizes[part] = split.sizes.front();
      }
    }
    return whole;
  }

  [[nodiscard]] std::vector<std::byte> rows(detail::rows_request const& wanted) const {
    auto const& description = description_.tensor(wanted.tensor);
    auto const& tensor = tensors_[static_cast<std::size_t>(&description - description_.tensors.data())];
    detail::validate_vertices("row", host_view<local_id const>(wanted.rows), tensor.num_rows);
    return tensor.read(wanted.rows);
  }
  [[nodiscard]] std::vector<global_id> piece(detail::split_request const& wanted) const {
    static_cast<void>(description_.split(wanted.split));
    auto const found = std::ranges::find(lists_, wanted.split, &shown_split::name);
    auto const size = found == lists_.end() ? 0 : std::ssize(found->ids);
    if (wanted.first < 0 || wanted.count < 0 || wanted.first > size || wanted.count > size - wanted.first) {
      throw precondition_error(detail::message(wanted.count, " vertices from ", wanted.first, " on of split \"",
                                               wanted.split, "\", of which there are ", size, " here"));
    }
    if (wanted.count == 0) {
      return {};
    }
    auto const first = found->ids.begin() + wanted.first;
    return {first, first + wanted.count};
  }

  partition_book book_;
  bool is_of_one_partition_ = true;
  std::vector<shown_tensor> tensors_;
  std::vector<std::pair<std::string, std::function<std::vector<global_id>()>>> splits_; // not read yet
  std::vector<shown_split> lists_;
  data_description description_;
};

/// Shows a data set to clients, which make a `remote_data` of the same name. Server r of the group shows part r.
///
/// @comm   collective over the servers; one header exchange and one variable exchange. While the server runs, this rank
///         alone answers requests for its rows
/// @throws collective_error  on all servers, if the data of a server do not fit its part or the other servers, two
///                           tensors or splits have one name, a split has an id that is not a vertex, or its function
///                           throws
/// @throws precondition_error  if the server already serves data of this name
template <communicator Comm>
void serve_data(server<Comm>& by, std::string const& name, served_data data) {
  auto& roles = by.roles();
  std::vector<std::byte> mine;
  auto const failure = detail::failure_of([&] {
    auto const description = data.describe(roles.group_rank(), roles.group_size());
    mine.resize(detail::packed_size(description));
    detail::packer(mine.data()).add(description);
  });
  auto const packed = detail::gather_lists(detail::host_comm(roles.group()),
                                           {.what = detail::operation::join_roles, .hop = 2}, failure, mine);
  std::vector<data_description> descriptions;
  for (auto const& of_server : packed) {
    detail::unpacker(of_server, nullptr).get(descriptions.emplace_back());
  }
  auto const ranks = roles.ranks_of(roles.group_name());
  data.description_ = served_data::merge(roles.group(), descriptions, {ranks.begin(), ranks.end()});
  auto const shown = std::make_shared<served_data const>(std::move(data));
  by.register_service(detail::name_of_service(name, detail::describe_service),
                      [shown](std::int64_t) { return shown->description_; });
  by.register_service(detail::name_of_service(name, detail::rows_service),
                      [shown](detail::rows_request const& wanted) { return shown->rows(wanted); });
  by.register_service(detail::name_of_service(name, detail::split_service),
                      [shown](detail::split_request const& wanted) { return shown->piece(wanted); });
}

} // namespace glt::dist
