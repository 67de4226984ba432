// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spica::base {

/// How two of our sockets call each other if they are bound to each other in one clock domain. Time, data and
/// statistics do not depend on it.
enum class Links {
  kDirect,  // one block calls the other, without the transport calls in between
  kStandard,  // nb_transport, as with a module from outside
  kChecked,  // the same, and each call is checked against the rules of the base protocol (protocol::LinkRules)
};

/// Maximum number of requests in flight on a link between two clock domains (protocol/transport/crossing.h).
inline constexpr unsigned kCrossingDepth = 8;

}  // namespace spica::base
