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

/// The targets of all accesses through each upper part of an address. An upper part belongs to one symbol: one access
/// inside the object to which the registers point proves that all others are meant for that object, in any order.
class Landings {
 public:
  /// Maximum distance from an object, in bytes, at which an access through a pointer to it is an error. More distant
  /// addresses may have been computed by a compiler.
  static constexpr std::uint64_t kReach = 256;

  /// True if an access by the instruction at `pc`, in object `in` (nullptr: unknown), is new information: it is outside
  /// the proven object, and not another one of a kind that waits for proof.
  bool is_news(const Pointers::Target& pointer, const Objects::Range* in, std::uint64_t address,
               std::uint32_t pc);
  /// Adds such an access. Returns the accesses now known to be outside their object, with details.
  std::vector<Finding> add(const Pointers::Target& pointer, const Objects::Range* in, Finding access);

 private:
  struct Upper {
    const Objects::Range* object = nullptr;  // the proven one
    Finding first;  // the first access inside it
    std::map<std::uint32_t, Finding> others;  // undecided accesses: the first by pc
  };
  using Uppers = std::unordered_map<std::uint32_t, Upper>;
  /// Usually that of the last call, because each lane of an access asks.
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
