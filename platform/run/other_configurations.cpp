// SPDX-License-Identifier: Apache-2.0
#include "platform/run/other_configurations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "models/isa/instruction.h"
#include "models/protocol/ports/unit_rules.h"
#include "platform/machine/soc/soc_config.h"

namespace spica::job {

namespace {

using protocol::Route;

/// True if the tensor cores of a machine have the instruction. Those that compute on fragments also have the
/// instructions that move fragments.
bool has_instruction(const soc::SocParams& params, isa::Opcode opcode) {
  if (opcode > isa::Opcode::kWmma32Mma) opcode = isa::Opcode::kWmma32Mma;
  const auto& words = isa::kTensorWords[static_cast<unsigned>(params.cluster.tensor_style())];
  return std::find(std::begin(words), std::end(words), opcode) != std::end(words);
}

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

/// What the machine takes the whole region for: global or shared memory; nullptr when it is anything else.
const protocol::Region* memory_here(const protocol::AddressMap& map, const protocol::Region& region) {
  const protocol::Region* here = map.find(region.base);
  const bool memory = here != nullptr && (here->route == Route::kGlobal || here->route == Route::kShared);
  return memory && map.find(region.base + region.size - 1) == here ? here : nullptr;
}

bool takes_commands(const protocol::Region& region) { return region.unit != protocol::Region::kNoUnit; }

/// Several characters, and nothing else.
bool holds_text(const std::vector<unsigned char>& bytes) {
  constexpr std::ptrdiff_t kLeast = 3;
  const auto other = [](unsigned char c) {
    return c != 0 && (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t';
  };
  return std::none_of(bytes.begin(), bytes.end(), other) &&
         std::count_if(bytes.begin(), bytes.end(), [](unsigned char c) { return c != 0; }) >= kLeast;
}

}  // namespace

const std::vector<OtherConfigurations::Configuration>& OtherConfigurations::all() const {
  if (all_) return *all_;
  all_.emplace();
  for (const std::string& name : config::names(configs_dir_)) {
    Configuration configuration;
    configuration.name = name;
    try {
      configuration.params = config::read<soc::SocParams>(config::load(name, {}, configs_dir_));
    } catch (const config::ConfigError&) {
      continue;
    }
    configuration.map = soc::address_map(configuration.params);
    all_->push_back(std::move(configuration));
  }
  return *all_;
}

std::string OtherConfigurations::on_fault(const protocol::GuestFault& fault,
                                          const protocol::AddressMap& map) const {
  using protocol::FaultKind;
  // A word that this machine has no tensor core for, or not the kind that its compiler meant.
  const isa::Instruction meant = isa::decode(fault.instruction);
  if (meant.unit == isa::Unit::kTensor &&
      (fault.kind == FaultKind::kIllegalInstruction || fault.kind == FaultKind::kOtherTensorCore ||
       (fault.kind == FaultKind::kTilePlace && meant.opcode == isa::Opcode::kWmma))) {
    std::vector<std::string> names;
    for (const Configuration& other : all())
      if (has_instruction(other.params, meant.opcode)) names.push_back(other.name);
    return names.empty() ? ""
                         : fmt::format(
                               "elsewhere    configurations with its tensor cores: "
                               "{}\n",
                               fmt::join(names, ", "));
  }
  const bool about_place = fault.kind == FaultKind::kUnmappedAccess ||
                           fault.kind == FaultKind::kUnmappedFetch || fault.kind == FaultKind::kAccessError ||
                           fault.kind == FaultKind::kTilePlace;
  if (!about_place || !fault.has_address) return {};
  const protocol::Region* here = map.find(fault.address);
  Groups groups;
  for (const Configuration& other : all()) {
    const protocol::Region* there = other.map.find(fault.address);
    if (there == nullptr || there->route == Route::kUnmapped) continue;
    if (here != nullptr && here->name == there->name && here->base == there->base) continue;
    groups[there->name].push_back(other.name);
  }
  if (groups.empty()) return "  elsewhere    no configuration in configs/ has anything at this address\n";
  return fmt::format("  elsewhere    this address is {}\n", text_of(groups));
}

std::string OtherConfigurations::on_stores(const protocol::AddressMap& map, const Read& read,
                                           const std::vector<loader::MemoryRange>& own, bool printed) const {
  struct Place {
    std::string here;
    Groups groups;
  };
  std::map<std::uint64_t, Place> found;  // by the first address that was stored to
  for (const Configuration& other : all()) {
    for (const protocol::Region& region : other.map.regions()) {
      if (region.route != Route::kPeripheral || region.size == 0) continue;
      if (!takes_commands(region) && printed) continue;
      const protocol::Region* here = memory_here(map, region);
      if (here == nullptr || std::any_of(own.begin(), own.end(), [&](const loader::MemoryRange& range) {
            return overlaps(region.base, region.size, range);
          }))
        continue;
      std::vector<unsigned char> bytes(region.size);
      if (!read(region.base, bytes.data(), bytes.size())) continue;
      if (!(takes_commands(region) ? protocol::unit_rules().holds_commands(bytes) : holds_text(bytes)))
        continue;
      const auto first =
          std::find_if(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte != 0; });
      const std::uint64_t address = region.base + static_cast<std::uint64_t>(first - bytes.begin());
      Place& place = found[address & ~std::uint64_t{3}];
      place.here = here->route == Route::kShared ? here->name : "plain memory";
      place.groups[region.name].push_back(other.name);
    }
  }
  std::string text;
  for (const auto& [address, place] : found)
    text += fmt::format(
        "warning: the program stored to {:#010x}, which is {} here, but {}.\n"
        "  It may have been built for one of those configurations.\n",
        address, place.here, text_of(place.groups));
  return text;
}

std::string OtherConfigurations::on_hang(const soc::SocParams& params,
                                         const watchdog::AskedShape& asked) const {
  const auto shape = [](const soc::SocParams& p) {
    return fmt::format("{} cores of {} warps", p.clusters * p.cluster.cores, p.cluster.core.warps);
  };
  Groups groups;
  for (const Configuration& other : all()) {
    const bool fits = (asked.warps != 0 && other.params.cluster.core.warps == asked.warps) ||
                      (asked.cores != 0 && other.params.cluster.cores == asked.cores);
    if (fits) groups[shape(other.params)].push_back(other.name);
  }
  if (groups.empty()) return {};
  return fmt::format(
      "\nThis machine has {}. The barrier would be complete with {}: the program may have been built "
      "for one of those configurations.\n",
      shape(params), text_of(groups));
}

}  // namespace spica::job
