// SPDX-License-Identifier: Apache-2.0
#include "platform/run/other_configurations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "models/isa/instruction.h"
#include "platform/config/config.h"

namespace spica::run {

namespace {

using protocol::Route;

/// Names by what they share, in order: "a in x, y; b in z".
using Groups = std::map<std::string, std::vector<std::string>>;
std::string text_of(const Groups& groups) {
  std::string text;
  for (const auto& [what, names] : groups)
    text += fmt::format("{}{} in {}", text.empty() ? "" : "; ", what, fmt::join(names, ", "));
  return text;
}

bool overlaps(std::uint64_t begin, std::uint64_t bytes, const loader::MemoryRange& range) {
  return begin < range.address + range.bytes && range.address < begin + bytes;
}

/// The machine takes the whole region for plain memory.
bool plain_memory_here(const protocol::AddressMap& map, const protocol::Region& region) {
  const protocol::Region* here = map.find(region.base);
  return here != nullptr && here->route == Route::kGlobal &&
         map.find(region.base + region.size - 1) == here;
}

constexpr std::uint64_t kPage = 0xFFFF'F000;

bool is_matrix_unit(const protocol::Region& region) { return region.name.rfind("matrix_unit", 0) == 0; }

std::string name_here(const protocol::AddressMap& map, std::uint64_t address) {
  const protocol::Region* region = map.find(address);
  return region != nullptr ? region->name : "nothing";
}

/// The constants that lui instructions of the program load, each with the first place.
std::map<std::uint64_t, std::uint64_t> constants_of(const loader::Program& program) {
  std::map<std::uint64_t, std::uint64_t> pages;
  for (const loader::Segment& segment : program.segments) {
    if (!segment.executable) continue;
    for (std::size_t at = 0; at + 4 <= segment.bytes.size(); at += 4) {
      const isa::Instruction instruction = isa::decode(
          segment.bytes[at] | static_cast<std::uint32_t>(segment.bytes[at + 1]) << 8 |
          static_cast<std::uint32_t>(segment.bytes[at + 2]) << 16 |
          static_cast<std::uint32_t>(segment.bytes[at + 3]) << 24);
      if (instruction.opcode == isa::Opcode::kLui)
        pages.emplace(static_cast<std::uint32_t>(instruction.imm), segment.address + at);
    }
  }
  return pages;
}

}  // namespace

OtherConfigurations::OtherConfigurations(const std::filesystem::path& configs_dir) {
  for (const std::string& name : config::names(configs_dir)) {
    Configuration configuration;
    configuration.name = name;
    try {
      config::apply(config::load(name, {}, configs_dir), configuration.params);
    } catch (const config::ConfigError&) {
      continue;
    }
    configuration.map = soc::address_map(configuration.params);
    all_.push_back(std::move(configuration));
  }
}

std::string OtherConfigurations::on_fault(const protocol::GuestFault& fault, const protocol::AddressMap& map) const {
  using protocol::FaultKind;
  // A word that this machine has no tensor core for, or not the kind that its compiler meant.
  const isa::Instruction meant = isa::decode(fault.instruction);
  const bool synchronous = meant.opcode == isa::Opcode::kWmma;
  if (meant.unit == isa::Unit::kTensor &&
      (fault.kind == FaultKind::kIllegalInstruction || fault.kind == FaultKind::kOtherTensorCore ||
       (fault.kind == FaultKind::kUnmappedAccess && synchronous))) {
    std::vector<std::string> names;
    for (const Configuration& other : all_) {
      const tensor_core::TensorCoreParams& tensor = other.params.cluster.tensor_core;
      if (synchronous ? tensor.synchronous() : tensor.is_decoupled()) names.push_back(other.name);
    }
    return names.empty() ? "" : fmt::format("  elsewhere    its tensor cores are in {}\n", fmt::join(names, ", "));
  }
  const bool about_place = fault.kind == FaultKind::kUnmappedAccess || fault.kind == FaultKind::kUnmappedFetch ||
                           fault.kind == FaultKind::kAccessError;
  if (!about_place || !fault.has_address) return {};
  const protocol::Region* here = map.find(fault.address);
  Groups groups;
  for (const Configuration& other : all_) {
    const protocol::Region* there = other.map.find(fault.address);
    if (there == nullptr || there->route == Route::kUnmapped) continue;
    if (here != nullptr && here->name == there->name && here->base == there->base) continue;
    groups[there->name].push_back(other.name);
  }
  if (groups.empty()) return "  elsewhere    no configuration in configs/ has anything at this address\n";
  return fmt::format("  elsewhere    at this address is {}\n", text_of(groups));
}

std::string OtherConfigurations::on_stores(const protocol::AddressMap& map, const Read& read,
                                           const std::vector<loader::MemoryRange>& filled) const {
  std::map<std::uint64_t, Groups> found;  // by the first address that was stored to
  for (const Configuration& other : all_) {
    for (const protocol::Region& region : other.map.regions()) {
      if (region.route != Route::kPeripheral || region.size == 0 || !plain_memory_here(map, region)) continue;
      if (std::any_of(filled.begin(), filled.end(), [&](const loader::MemoryRange& range) {
            return overlaps(region.base, region.size, range);
          }))
        continue;
      std::vector<unsigned char> bytes(region.size);
      if (!read(region.base, bytes.data(), bytes.size())) continue;
      const auto first = std::find_if(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte != 0; });
      if (first == bytes.end()) continue;
      const std::uint64_t address = region.base + static_cast<std::uint64_t>(first - bytes.begin());
      found[address & ~std::uint64_t{3}][region.name].push_back(other.name);
    }
  }
  std::string text;
  for (const auto& [address, groups] : found)
    text += fmt::format(
        "warning: the program stored to {:#010x}, which is plain memory here; at this address is {}.\n"
        "  It may have been built for one of those configurations.\n",
        address, text_of(groups));
  return text;
}

std::string OtherConfigurations::on_code(const loader::Program& program, const protocol::AddressMap& map) const {
  const std::map<std::uint64_t, std::uint64_t> pages = constants_of(program);
  for (const protocol::Region& region : map.regions())
    if (is_matrix_unit(region) && pages.count(region.base & kPage) != 0) return {};
  std::map<std::uint64_t, Groups> found;
  for (const Configuration& other : all_)
    for (const protocol::Region& region : other.map.regions())
      if (is_matrix_unit(region) && pages.count(region.base & kPage) != 0)
        found[region.base][region.name].push_back(other.name);
  std::string text;
  for (const auto& [address, groups] : found)
    text += fmt::format(
        "warning: the code of the program names {:#010x} (first at pc {:#010x}); at this address is {}; here it is "
        "{}, and the code never names this machine's matrix unit.\n  It may have been built for one of those configurations.\n",
        address, pages.at(address & kPage), text_of(groups), name_here(map, address));
  return text;
}

std::string OtherConfigurations::on_hang(const soc::SocParams& params) const {
  const auto shape = [](const soc::SocParams& p) {
    return fmt::format("{} cores of {} warps", p.clusters * p.cluster.cores, p.cluster.core.warps);
  };
  const std::string here = shape(params);
  Groups groups;
  for (const Configuration& other : all_)
    if (const std::string there = shape(other.params); there != here) groups[there].push_back(other.name);
  if (groups.empty()) return {};
  return fmt::format("\nThis machine has {}. A program that waits for others may have been built for: {}.\n",
                     here, text_of(groups));
}

}  // namespace spica::run
