// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/target.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/observe/report/fault_report.h"

namespace spica::debug {

using protocol::Region;
using protocol::Route;

Target::Target(soc::Machine& machine)
    : machine_(machine),
      warps_per_core_(static_cast<unsigned>(machine.params().cluster.core.warps)),
      cores_per_cluster_(static_cast<unsigned>(machine.params().cluster.cores)),
      lanes_(machine.view_count() * warps_per_core_) {}

void Target::forget_lanes() { std::fill(lanes_.begin(), lanes_.end(), LaneChoice{}); }

void Target::peek(unsigned warp, unsigned lane) {
  if (before_peek_ && before_peek_->first != warp) end_peek();
  if (!before_peek_) before_peek_.emplace(warp, lanes_[warp]);
  lanes_[warp] = {lane, false};
}

void Target::end_peek() {
  if (before_peek_) lanes_[before_peek_->first] = before_peek_->second;
  before_peek_.reset();
}

void Target::settle_lanes() {
  for (unsigned warp = 0; warp < warps(); ++warp)
    lanes_[warp].suspended = lanes_[warp].chosen != LaneChoice::kScalarLane &&
                             (view(warp).flow->mask() >> lanes_[warp].chosen & 1) == 0;
}

std::vector<unsigned> Target::threads(unsigned otherwise) {
  std::vector<unsigned> list;
  for (unsigned warp = 0; warp < warps(); ++warp)
    if (running(warp)) list.push_back(warp);
  if (list.empty()) list.push_back(otherwise);
  return list;
}

std::string Target::name(unsigned warp) const {
  if (core_of(warp) == machine_.core_count()) return "command processor";
  const std::string cluster =
      machine_.params().clusters > 1 ? fmt::format("cluster {} ", cluster_of(warp)) : std::string();
  return fmt::format("{}core {} warp {}", cluster, core_of(warp), warp_in_core(warp));
}

std::string Target::extra_info(unsigned warp) {
  return fmt::format("lanes {}; {}", report::lanes_text(view(warp).flow->mask()),
                     machine_.describe_warp(core_of(warp), warp_in_core(warp)));
}

std::string Target::thread_list(unsigned otherwise) {
  std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
  for (const unsigned warp : threads(otherwise))
    text += fmt::format("<thread id=\"{:x}\" core=\"{}\" name=\"{}\">{}</thread>\n", warp + 1, core_of(warp),
                        name(warp), extra_info(warp));
  return text + "</threads>\n";
}

bool Target::has_group_words(std::uint64_t address) const {
  return address >= kGroupWords && address < kGroupWordsEnd && machine_.map().find(address) == nullptr &&
         !machine_.firmware_memory().contains(address);
}

/// The first region that contains an address counts; gdb wants pieces that do not overlap.
std::uint64_t Target::extent(std::uint64_t address) const {
  if (const Region own = machine_.firmware_memory(); own.contains(address))
    return own.base + own.size - address;
  const protocol::AddressMap& map = machine_.map();
  const Region* region = map.find(address);
  if (has_group_words(address)) return kGroupWordsEnd - address;
  if (region == nullptr || (region->route != Route::kGlobal && region->route != Route::kShared)) return 0;
  std::uint64_t end = region->base + region->size;
  for (const Region& other : map.regions()) {
    if (&other == region) break;  // what comes behind it hides nothing of it
    if (other.base > address) end = std::min(end, other.base);
  }
  return end - address;
}

std::string Target::memory_map() const {
  std::vector<std::uint64_t> edges = {kGroupWords, kGroupWordsEnd};
  for (const Region& region : machine_.map().regions()) {
    edges.push_back(region.base);
    edges.push_back(region.base + region.size);
  }
  if (const Region own = machine_.firmware_memory(); own.size != 0)
    edges.insert(edges.end(), {own.base, own.base + own.size});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" "
      "\"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n";
  // gdb extends the sign of a pc it takes from a register; without the second entry it would not find memory there.
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{0xFFFF'FFFF'0000'0000}})
    for (std::size_t i = 0; i + 1 < edges.size(); ++i)
      if (extent(edges[i]) != 0 && (offset == 0 || edges[i] >> 31 != 0))
        text += fmt::format("<memory type=\"ram\" start=\"{:#x}\" length=\"{:#x}\"/>\n", edges[i] + offset,
                            edges[i + 1] - edges[i]);
  return text + "</memory-map>\n";
}

std::string Target::read(std::uint64_t address, std::uint64_t bytes, unsigned warp) {
  if (has_group_words(address)) return registers(warp).read_group_words(address, bytes);
  std::string data(std::min(bytes, extent(address)), '\0');
  if (data.empty()) return data;
  if (!machine_.read(address, reinterpret_cast<unsigned char*>(data.data()), data.size(), cluster_of(warp)))
    data.clear();
  return data;
}

bool Target::write(std::uint64_t address, std::string_view bytes, unsigned warp) {
  if (bytes.size() > extent(address) || has_group_words(address)) return false;
  if (bytes.empty()) return true;
  return machine_.write(address, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                        cluster_of(warp));
}

bool Target::executable(std::uint64_t address) const {
  const bool own = machine_.firmware_memory().contains(address);
  return (own || machine_.map().route(address) == Route::kGlobal) && address % 4 == 0;
}

}  // namespace spica::debug
