// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/group_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace spica::check {

namespace {

std::string name(const protocol::Index3& index) {
  return fmt::format("work group ({}, {}, {})", index[0], index[1], index[2]);
}

}  // namespace

void GroupParts::start(const protocol::WorkGroupStart& group) {
  any_ = true;
  auto part = std::make_shared<Part>();
  part->index = group.index;
  part->launch = group.grid;
  part->cluster = group.cluster;
  part->begin = group.shared_base;
  part->end = group.shared_base + group.shared_bytes;
  part->declared = group.declared_bytes;
  part->warps = group.warps.size();
  for (const auto& [core, warp] : group.warps) {
    leave({core, warp});
    owners_[{core, warp}] = part;
  }
  if (group.shared_bytes != 0) parts_[{group.cluster, part->begin}] = std::move(part);
}

void GroupParts::spawn(unsigned by_core, unsigned by_warp, unsigned core, unsigned warp) {
  const auto owner = owners_.find({by_core, by_warp});
  if (owner == owners_.end() || owners_.count({core, warp}) != 0) return;
  ++owner->second->warps;
  owners_[{core, warp}] = owner->second;
}

void GroupParts::end(unsigned core, unsigned warp) { leave({core, warp}); }

void GroupParts::leave(const WarpKey& warp) {
  const auto owner = owners_.find(warp);
  if (owner == owners_.end()) return;
  const std::shared_ptr<Part> part = owner->second;
  owners_.erase(owner);
  if (--part->warps != 0) return;
  const auto found = parts_.find({part->cluster, part->begin});
  if (found != parts_.end() && found->second == part) parts_.erase(found);
}

GroupParts::Owner GroupParts::of(unsigned core, unsigned warp) const {
  const auto owner = owners_.find({core, warp});
  return owner == owners_.end() ? nullptr : owner->second;
}

std::string GroupParts::wrong(const Part& own, std::uint32_t address, unsigned bytes) const {
  const std::uint64_t own_end = std::uint64_t{own.begin} + own.declared,
                      last = std::uint64_t{address} + bytes;
  if (address >= own.begin && last <= own_end) return "";
  const std::string declared =
      own.declared == 0 ? "its launch declares no shared memory"
                        : fmt::format("its launch declares {} bytes at {:#010x}", own.declared, own.begin);
  const std::string of = name(own.index);
  std::string distance;
  if (address < own.begin) distance = fmt::format("{} bytes before the part of {}", own.begin - address, of);
  else if (address < own_end) distance = fmt::format("across the end of the part of {}", of);
  else distance = fmt::format("{} bytes past the end of the part of {}", address - own_end, of);
  if (own.declared == 0) distance = "by " + of;
  const auto whose = [&]() -> std::string {
    const std::uint32_t at =
        address < own.begin ? address : std::max(address, static_cast<std::uint32_t>(own_end));
    if (at >= own.begin && at < own.end) return "beyond the declared size, in bytes that round up its part";
    for (const auto& [place, part] : parts_)
      if (place.first == own.cluster && at >= part->begin && at < part->end)
        return "in the part of " + name(part->index) +
               (part->launch != own.launch ? " of another launch" : "");
    return "in no work group's part";
  };
  return fmt::format("{}, {}; {}", distance, whose(), declared);
}

}  // namespace spica::check
