// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/protocol/ports/probe_if.h"

namespace spica::profile {

/// Chains of calls, each stored once: a node is a call site below its parent node. Node 0 has no call.
class CallTree {
 public:
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t site = 0;  // pc of the call
  };
  CallTree() : nodes_(1) {}
  std::uint32_t child(std::uint32_t parent, std::uint32_t site);
  const Node& node(std::uint32_t index) const { return nodes_[index]; }
  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<Node> nodes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> children_;
};

/// The open calls of a warp, from its calls and returns (ra and t0 are link registers, as in the RISC-V calling
/// convention). A return that matches no open call changes nothing; code that uses the link registers for other
/// purposes loses some callers at worst.
class CallStack {
 public:
  explicit CallStack(CallTree& tree) : tree_(&tree) {}

  /// The warp starts or ends.
  void clear();
  /// The warp issues an instruction.
  void issue(const protocol::InstructionEvent& event);
  /// The open calls when the warp is at `pc`: a call is open from the time its target is reached.
  std::uint32_t at(std::uint32_t pc) {
    if (pending_ != Pending::kNone && pc != pending_pc_) settle();
    return node_;
  }

  static constexpr std::size_t kDeepest = 256;

 private:
  enum class Pending : std::uint8_t { kNone, kCall, kReturn };
  struct Call {
    std::uint32_t returns_to;
    std::uint32_t caller;  // node
  };
  void settle();

  CallTree* tree_;
  std::vector<Call> calls_;
  std::uint32_t node_ = 0;
  Pending pending_ = Pending::kNone;
  std::uint32_t pending_pc_ = 0;  // of the call or return
  std::uint32_t returns_to_ = 0;
};

}  // namespace spica::profile
