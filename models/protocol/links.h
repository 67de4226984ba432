// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace spica::protocol {

/// How two of our sockets that are bound to each other talk. Time, data and statistics are the same.
enum class Links {
  kDirect,  // one block calls the other, without the transport calls in between
  kStandard,  // nb_transport, as with a module of somebody else
  kChecked,  // the same, and each call is held against the rules of the base protocol (LinkRules)
};

/// For links that carry their first request from now on; kDirect until it is called.
void set_links(Links links);
Links links();

}  // namespace spica::protocol
