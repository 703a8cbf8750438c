// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/failure.hpp>
#include <glt/comm/detail/mailbox.hpp>
#include <glt/core/detail/name_list.hpp>
#include <glt/dist/loading/detail/packed.hpp>
#include <glt/dist/roles/detail/service_messages.hpp>

#include <functional>
#include <map>

namespace glt::detail {

/// Functions that a server calls for its clients, by name.
class services {
public:
  /// @throws precondition_error  if there is a service of this name
  template <class Reply, class Request>
  void add(std::string name, std::function<Reply(Request)> serve) {
    auto const packed = [serve = std::move(serve)](unpacker& reader) {
      std::remove_cvref_t<Request> request{};
      reader.get(request);
      if (!reader.at_end()) {
        throw error("request of another type than the service takes");
      }
      return packed_bytes(serve(std::as_const(request)));
    };
    if (!by_name_.emplace(name, packed).second) {
      throw precondition_error(message("service \"", name, "\" is registered twice; give each service a name"));
    }
  }

  /// Answers a request with the result of the service, or with its failure.
  template <mailbox Box>
  void serve(Box& box, int client, request_message const& head, unpacker& reader) {
    std::vector<std::byte> bytes;
    auto const failure = failure_of([&] {
      auto const found = by_name_.find(head.service);
      if (found == by_name_.end()) {
        throw precondition_error(message("no service \"", head.service, "\"; there are ",
                                         name_list(by_name_, &by_name_type::value_type::first),
                                         "; register services before the server runs"));
      }
      bytes = found->second(reader);
    });
    send_packed(box, client, service_message::reply, reply_message{head.number, failure}, bytes);
  }

private:
  using by_name_type = std::map<std::string, std::function<std::vector<std::byte>(unpacker&)>, std::less<>>;

  by_name_type by_name_;
};

} // namespace glt::detail
