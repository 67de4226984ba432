// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spica::base {

/// How two sockets of ours that are bound to each other in one clock domain talk. Time, data and statistics are the
/// same.
enum class Links {
  kDirect,  // one block calls the other, without the transport calls in between
  kStandard,  // nb_transport, as with a module from outside
  kChecked,  // the same, and each call is held against the rules of the base protocol (protocol::LinkRules)
};

/// Requests of a link between two clock domains that can be under way (protocol/crossing.h).
inline constexpr unsigned kCrossingDepth = 8;

}  // namespace spica::base
