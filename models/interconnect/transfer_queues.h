// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/invariant.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::interconnect {

/// A transfer through a switch.
struct Transfer {
  protocol::Payload* payload = nullptr;
  std::uint32_t requester = 0;
  std::uint16_t output = 0;
  std::uint16_t packets = 1;
};

/// Lists of transfers: `lists` for each of `inputs`. They share one pool, so empty lists cost a few bytes.
class TransferQueues {
 public:
  TransferQueues(std::size_t inputs, std::size_t lists)
      : lists_(lists), ends_(inputs * lists), counts_(inputs, 0) {}

  /// Transfers of all lists of an input.
  std::size_t count(unsigned input) const { return counts_[input]; }
  bool empty() const { return total_ == 0; }
  bool empty(unsigned input, unsigned list) const { return ends(input, list).first == kNone; }
  const Transfer& front(unsigned input, unsigned list) const {
    return nodes_[ends(input, list).first].transfer;
  }
  void push(unsigned input, unsigned list, const Transfer& transfer) {
    const std::uint32_t node = new_node(transfer);
    Ends& ends = ends_[input * lists_ + list];
    if (ends.first == kNone) ends.first = node;
    else nodes_[ends.last].next = node;
    ends.last = node;
    ++counts_[input];
    ++total_;
  }
  Transfer pop(unsigned input, unsigned list) {
    Ends& ends = ends_[input * lists_ + list];
    const std::uint32_t node = ends.first;
    SPICA_INVARIANT(node != kNone);
    ends.first = nodes_[node].next;
    nodes_[node].next = free_;
    free_ = node;
    --counts_[input];
    --total_;
    return nodes_[node].transfer;
  }
  void clear() {
    ends_.assign(ends_.size(), {});
    counts_.assign(counts_.size(), 0);
    nodes_.clear();
    free_ = kNone;
    total_ = 0;
  }
  /// Not saved: lists_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(ends_, counts_, nodes_, free_, total_);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Ends {
    std::uint32_t first = kNone, last = kNone;  // last: valid where first is
    template <class Archive>
    void serialize(Archive& archive) {
      archive(first, last);
    }
  };
  struct Node {
    Transfer transfer;
    std::uint32_t next = kNone;  // in its list, or free
    template <class Archive>
    void serialize(Archive& archive) {
      archive(transfer, next);
    }
  };

  const Ends& ends(unsigned input, unsigned list) const { return ends_[input * lists_ + list]; }
  std::uint32_t new_node(const Transfer& transfer) {
    const std::uint32_t node = free_;
    if (node == kNone) {
      nodes_.push_back({transfer, kNone});
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    free_ = nodes_[node].next;
    nodes_[node] = {transfer, kNone};
    return node;
  }

  std::size_t lists_;
  std::vector<Ends> ends_;  // by input and list
  std::vector<std::uint32_t> counts_;  // by input
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::size_t total_ = 0;
};

}  // namespace spica::interconnect
