// SPDX-License-Identifier: Apache-2.0
#include "platform/soc/slots.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "models/assembly/plan.h"
#include "platform/input/printable.h"
#include "platform/soc/block.h"
#include "platform/soc/soc_params.h"

namespace spica::soc {

namespace {

namespace fs = std::filesystem;
using assembly::PlanError;

std::map<std::string, MakeBlockParams>& params_by_kind() {
  const auto none = [] { return std::make_shared<BlockParamsOf<NoParams>>(); };
  static std::map<std::string, MakeBlockParams> all{{"tlm_monitor", none}, {"protocol_checker", none}};
  return all;
}

/// What stands at the end of a link exists: a socket of one of the blocks, or one of the machine's own.
bool has(const assembly::Plan& plan, const std::string& end) { return !plan.end(end).slot.empty(); }

bool has_link(const assembly::Plan& plan, const std::string& from, const std::string& to) {
  const std::vector<std::string> linked = plan.linked_to(from);
  return std::find(linked.begin(), linked.end(), to) != linked.end();
}

/// Changes one plan by one slot.
class SlotAdder {
 public:
  /// `target`: of the peripheral bus, for a block with registers.
  SlotAdder(assembly::Plan& plan, const SlotParams& slot, std::size_t clusters, unsigned target)
      : plan_(plan), slot_(slot), target_(target) {
    const std::size_t dot = slot.name.rfind('.');
    name_ = slot.name.substr(dot == std::string::npos ? 0 : dot + 1);
    if (dot != std::string::npos) {
      boxes_.push_back(slot.name.substr(0, dot + 1));
      return;
    }
    boxes_.emplace_back();
    for (std::size_t i = 0; i < clusters; ++i) boxes_.push_back(fmt::format("cluster_{}.", i));
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
      plan_.link(fmt::format("{}peripheral_bus.out_{}", box, target_), name + "." + slot_.registers.socket);
    for (const SlotLink& link : slot_.links) plan_.link(end_in(box, link.from), end_in(box, link.to));
  }

  [[noreturn]] void refuse() const {
    if (!slot_.between.empty()) {
      std::vector<std::string> linked;
      for (const std::string& box : boxes_)
        for (std::string& to : plan_.linked_to(box + slot_.between[0])) linked.push_back(std::move(to));
      throw assembly::no_link(slot_.between[0], slot_.between[1], linked);
    }
    throw PlanError(fmt::format(
        "'{}' is linked to nothing: give it between, links or registers, or the name of the block "
        "that it replaces",
        slot_.name));
  }

  assembly::Plan& plan_;
  const SlotParams& slot_;
  std::string name_;  // without its box
  const unsigned target_;
  std::vector<std::string> boxes_;
};

}  // namespace

void add_block(assembly::Kind kind, MakeBlockParams params) {
  const std::string name = kind.name;
  assembly::kinds().add(std::move(kind));
  params_by_kind()[name] = std::move(params);
}

std::shared_ptr<BlockParams> params_of_kind(const std::string& kind) {
  const auto found = params_by_kind().find(kind);
  return found != params_by_kind().end() ? found->second() : nullptr;
}

std::vector<std::pair<std::string, std::string>> kinds_for_configurations() {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const auto& [name, make] : params_by_kind()) kinds.emplace_back(name, assembly::kinds().at(name).doc);
  return kinds;
}

std::vector<config::Field> SlotParams::fields_of_kind() {
  if (kind != params_of) params = params_of_kind(kind), params_of = kind;
  return params != nullptr ? params->describe().children : std::vector<config::Field>{};
}

std::string SlotParams::unknown_kind(const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& [name, doc] : kinds_for_configurations()) names.push_back(name);
  return fmt::format("there is no kind of block '{}'; there are {}, and those of plugins",
                     input::printable(kind), fmt::join(names, ", "));
}

void load_plugins(const config::Source& source, std::vector<config::Problem>& problems) {
  const config::Node* const plugins = source.root.find("plugins");
  if (plugins == nullptr) return;
  for (std::size_t i = 0; i < plugins->children.size(); ++i) {
    const config::Node& plugin = plugins->children[i];
    const std::string key = fmt::format("plugins.{}", i);
    const fs::path beside = source.folder_of(key) / plugin.scalar;
    const std::string path = fs::exists(beside) ? beside.string() : plugin.scalar;
    try {
      if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
        problems.push_back(
            {plugin.place, key, fmt::format("the library cannot be loaded: {}", dlerror()), {}});
    } catch (const PlanError& error) {
      problems.push_back({plugin.place, key, error.what(), {}});
    }
  }
}

void add_slots(assembly::Plan& plan, const SocParams& params) {
  unsigned target = cluster::window_target(params.cluster.matrix_units.size(), 0);
  std::set<std::string> names;
  for (std::size_t i = 0; i < params.slots.size(); ++i) {
    const SlotParams& slot = params.slots[i];
    try {
      if (!names.insert(slot.name).second)
        throw PlanError(fmt::format("two slots are called '{}'", slot.name));
      SlotAdder(plan, slot, params.clusters, slot.registers.bytes != 0 ? target++ : 0).add();
    } catch (const PlanError& error) {
      throw SlotError(i, error.what());
    }
  }
}

}  // namespace spica::soc
