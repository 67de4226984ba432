// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/slots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "models/assembly/plan.h"
#include "models/base/suggest.h"
#include "platform/base/input/printable.h"
#include "platform/machine/soc/block.h"
#include "platform/machine/soc/plugin_consent.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::soc {

namespace {

using assembly::PlanError;

/// The end of a link exists: a socket of one of the blocks, or one of the machine's own.
bool has(const assembly::Plan& plan, const std::string& end) { return !plan.end(end).slot.empty(); }

bool has_link(const assembly::Plan& plan, const std::string& from, const std::string& to) {
  const std::vector<std::string> linked = plan.linked_to(from);
  return std::find(linked.begin(), linked.end(), to) != linked.end();
}

std::string name_in_box(const std::string& block) { return block.substr(block.rfind('.') + 1); }

/// Changes one plan by one slot.
class SlotAdder {
 public:
  SlotAdder(assembly::Plan& plan, const SlotParams& slot, const SocParams& params)
      : plan_(plan), slot_(slot), params_(params), name_(name_in_box(slot.name)) {
    const std::size_t dot = slot.name.rfind('.');
    if (dot != std::string::npos) {
      boxes_.push_back(slot.name.substr(0, dot + 1));
      return;
    }
    boxes_.emplace_back();
    for (std::size_t i = 0; i < params.clusters; ++i) boxes_.push_back(fmt::format("cluster_{}.", i));
  }

  void add() {
    bool added = false;
    for (const std::string& box : boxes_) {
      if (!belongs_into(box)) continue;
      add_in(box);
      added = true;
      if (box.empty()) return;  // it is one of the machine's own
    }
    if (!added) refuse();
  }

 private:
  bool belongs_into(const std::string& box) const {
    if (!slot_.between.empty())
      return has_link(plan_, end_in(box, slot_.between[0]), end_in(box, slot_.between[1]));
    if (plan_.find(box + name_) != nullptr) return true;
    if (slot_.registers.bytes != 0) return has(plan_, box + "peripheral_bus");
    return std::any_of(slot_.links.begin(), slot_.links.end(),
                       [&](const SlotLink& link) { return has(plan_, box + other_end(link)); });
  }
  /// An end as seen from a box: of a block in it, else of the machine.
  std::string end_in(const std::string& box, const std::string& end) const {
    return has(plan_, box + end) ? box + end : end;
  }
  /// The end that is not of the new block.
  const std::string& other_end(const SlotLink& link) const {
    return link.from.compare(0, name_.size() + 1, name_ + ".") == 0 ? link.to : link.from;
  }

  void add_in(const std::string& box) {
    const std::string name = box + name_;
    if (!slot_.between.empty())
      plan_.insert(name, slot_.kind, slot_.params->value(), end_in(box, slot_.between[0]),
                   end_in(box, slot_.between[1]));
    else if (plan_.find(name) != nullptr) plan_.replace(name, slot_.kind, slot_.params->value());
    else plan_.add(name, slot_.kind, slot_.params->value());
    if (slot_.clock_mhz != 0) plan_.set_clock(name, slot_.clock_mhz);
    if (slot_.registers.bytes != 0)
      plan_.link(fmt::format("{}peripheral_bus.out_{}", box, target()), name + "." + slot_.registers.socket);
    for (const SlotLink& link : slot_.links) plan_.link(end_in(box, link.from), end_in(box, link.to));
  }

  /// Of the peripheral bus: the socket that leads to the registers by the address map.
  unsigned target() const {
    const protocol::AddressMap map = address_map(params_);
    for (const protocol::Region& region : map.regions())
      if (region.name == slot_.name && region.base == slot_.registers.base) return region.target;
    throw PlanError(fmt::format("the registers of '{}' are not in the address map", slot_.name));
  }

  [[noreturn]] void refuse() const {
    if (!slot_.between.empty()) {
      std::vector<std::string> linked;
      for (const std::string& box : boxes_)
        for (std::string& to : plan_.linked_to(box + slot_.between[0])) linked.push_back(std::move(to));
      throw assembly::no_link(slot_.between[0], slot_.between[1], linked, known(plan_.starts()));
    }
    if (!slot_.links.empty()) {
      const std::string& end = other_end(slot_.links.front());
      std::vector<std::string> ends = plan_.starts();
      for (const assembly::Link& link : plan_.links()) ends.push_back(link.to);
      throw PlanError(
          fmt::format("no block of the machine has '{}'{}", end, base::did_you_mean(end, known(ends))));
    }
    throw PlanError(fmt::format(
        "'{}' is linked to nothing: give it between, links or registers, or the name of the block "
        "that it replaces",
        slot_.name));
  }
  /// Names as the slot may say them: with the box in front, and without it.
  std::vector<std::string> known(std::vector<std::string> names) const {
    for (std::size_t i = 0, given = names.size(); i < given; ++i)
      for (const std::string& box : boxes_)
        if (!box.empty() && names[i].compare(0, box.size(), box) == 0)
          names.push_back(names[i].substr(box.size()));
    return names;
  }

  assembly::Plan& plan_;
  const SlotParams& slot_;
  const SocParams& params_;
  const std::string name_;  // without its box
  std::vector<std::string> boxes_;
};

}  // namespace

std::optional<std::vector<config::Field>> SlotParams::fields_of_kind() {
  if (kind != params_of) params = params_of_kind(kind), params_of = kind;
  if (params != nullptr) return params->describe().children;
  if (may_be_unknown()) return std::nullopt;
  return std::vector<config::Field>{};
}

bool SlotParams::may_be_unknown() { return PluginConsent::of_this_process().has_not_loaded(); }

std::string SlotParams::unknown_kind(const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& [name, doc] : kinds_for_configurations()) names.push_back(name);
  return fmt::format("unknown kind of block '{}'; known: {}, and those of plugins", input::printable(kind),
                     fmt::join(names, ", "));
}

void locate_slots(const config::Source& source, std::vector<SlotParams>& slots) {
  for (std::size_t i = 0; i < slots.size(); ++i)
    slots[i].place = config::place_of(source.root, fmt::format("slots.{}", i));
}

void add_slots(assembly::Plan& plan, const SocParams& params) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < params.slots.size(); ++i) {
    const SlotParams& slot = params.slots[i];
    try {
      if (!names.insert(slot.name).second)
        throw PlanError(fmt::format("two slots are called '{}'", slot.name));
      SlotAdder(plan, slot, params).add();
    } catch (const PlanError& error) {
      throw SlotError(i, error.what());
    }
  }
}

protocol::Region beneath(const SocParams& params, const SlotParams& slot, std::uint64_t base) {
  const protocol::AddressMap map = address_map(params);
  for (const protocol::Region& region : map.regions()) {
    const bool own = region.name == slot.name && region.base == slot.registers.base;
    const bool taken =
        region.route == protocol::Route::kPeripheral || region.route == protocol::Route::kShared;
    if (taken && !own && base < region.base + region.size && region.base < base + slot.registers.bytes)
      return region;
  }
  return {};
}

std::uint64_t free_address(const SocParams& params, const SlotParams& slot) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 32, kAlignment = 256;
  std::uint64_t base = params.cluster.memory_map.shared_base;
  while (base + slot.registers.bytes <= kEnd) {
    const protocol::Region other = beneath(params, slot, base);
    if (other.size == 0) return base;
    base = (other.base + other.size + kAlignment - 1) / kAlignment * kAlignment;
  }
  return 0;
}

std::string is_free(std::uint64_t address) {
  return address != 0 ? fmt::format("; {:#x} is free", address) : "";
}

std::optional<std::size_t> slot_of(const SocParams& params, const std::string& block) {
  for (std::size_t i = 0; i < params.slots.size(); ++i)
    if (params.slots[i].name == block || params.slots[i].name == name_in_box(block)) return i;
  return std::nullopt;
}

void refuse_slot(const SocParams& params, std::size_t number, const std::string& what) {
  throw config::ConfigError({{params.slots[number].place, fmt::format("slots[{}]", number), what, {}}});
}

}  // namespace spica::soc
