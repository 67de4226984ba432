// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/observe/check/finding.h"
#include "platform/observe/check/objects.h"
#include "platform/observe/check/pointers.h"

namespace spica::check {

/// Where the accesses through each upper part of an address have landed. An upper part belongs to one symbol: an
/// access in the object that the registers point to proves that all the others through it are meant for that object,
/// in whatever order they come.
class Landings {
 public:
  /// Bytes outside an object in which an access through a pointer to it is taken for an error. An address farther
  /// away may be one that a compiler has computed from there.
  static constexpr std::uint64_t kReach = 256;

  /// Whether an access by the instruction at `pc`, in `in` (null: in nothing known), says anything new: it is not in
  /// the proven object, and not one more of a kind that waits for a proof.
  bool is_news(const Pointers::Target& pointer, const Objects::Range* in, std::uint64_t address,
               std::uint32_t pc);
  /// Such an access. Returns the accesses that are now known to be outside their object, each with its detail.
  std::vector<Finding> add(const Pointers::Target& pointer, const Objects::Range* in, Finding access);

 private:
  struct Upper {
    const Objects::Range* object = nullptr;  // the proven one
    Finding first;  // in it
    std::map<std::uint32_t, Finding> others;  // not yet known to be right or wrong: the first by pc
  };
  using Uppers = std::unordered_map<std::uint32_t, Upper>;
  /// Mostly that of the last call: each lane of an access asks.
  Upper& upper_at(std::uint32_t pc) {
    if (last_ == nullptr || last_->first != pc) last_ = &*uppers_.try_emplace(pc).first;
    return last_->second;
  }
  Uppers uppers_;  // by pc of the upper part; never iterated
  Uppers::value_type* last_ = nullptr;
};

/// How far an address is outside an object: "4 bytes past the end of `x` (8 bytes at 0x80002000)".
std::string outside_text(const Objects::Range& object, std::uint64_t address);

}  // namespace spica::check
