// SPDX-License-Identifier: Apache-2.0
#include "models/assembly/assembly.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>

#include "models/adapters/pointed_target.h"
#include "models/assembly/link_types.h"
#include "models/base/suggest.h"
#include "models/protocol/transport/pointer_ports.h"

namespace spica::assembly {

/// The module that contains the blocks of a part of the machine.
class Assembly::Box final : public sc_core::sc_module {
 public:
  Box(const sc_core::sc_module_name& name, Assembly& assembly, const std::string& path) : sc_module(name) {
    assembly.build(path);
  }
};

/// Created next to a user-supplied block: SystemC calls modules in creation order, and an exception in one of them does
/// not name the module.
class Assembly::Turn final : public sc_core::sc_module {
 public:
  /// `whose`: the block that is created next; nullptr: it has been created.
  Turn(const sc_core::sc_module_name& name, Assembly& assembly, const std::string* whose)
      : sc_module(name), assembly_(assembly), whose_(whose) {}

 private:
  void before_end_of_elaboration() override { assembly_.called_ = whose_; }
  void end_of_elaboration() override { assembly_.called_ = whose_; }
  void start_of_simulation() override { assembly_.called_ = whose_; }

  Assembly& assembly_;
  const std::string* const whose_;
};

namespace {

/// "cluster_0" for "cluster_0.core_1"; "" for a block outside all boxes.
std::string box_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

std::string last_of(const std::string& name) { return name.substr(name.rfind('.') + 1); }

/// The continuation of a link to `socket` of a block that the fast mode leaves out.
const std::string& wire_of(const Kind& kind, const std::string& socket) {
  for (const auto& [begin, wire] : kind.wires)
    if (socket.compare(0, begin.size(), begin) == 0) return wire;
  return kind.wire;
}

/// The possible ends of links of a block: "in_0", "in_1", "out".
std::vector<std::string> sockets_of(const sc_core::sc_object& block) {
  std::vector<std::string> names;
  for (sc_core::sc_object* child : block.get_child_objects()) {
    const std::string name = child->basename();
    if (dynamic_cast<sc_core::sc_module*>(child) == nullptr && can_be_linked(*child) &&
        name.find("_export") == std::string::npos && name.find("_port") == std::string::npos)
      names.push_back(name);
  }
  return names;
}

}  // namespace

Assembly::Assembly(const Plan& plan, Mode mode, const BuildContext& machine, sc_core::sc_module& root)
    : plan_(plan), mode_(mode), machine_(machine), root_(std::string(root.name()) + ".") {
  for (const Slot& slot : plan.slots()) blocks_.push_back({slot.name, nullptr});
  sort_into_boxes();
  build("");
  for (const Link& each : plan.links()) link(each);
}

/// Last block first: SystemC searches for the ports of a block from the last port on, of all blocks that are left.
Assembly::~Assembly() {
  while (!blocks_.empty()) blocks_.pop_back();
}

void Assembly::add_to(base::ClockDomain& clock) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    auto* const component = dynamic_cast<base::Component*>(blocks_[i].module.get());
    base::ClockDomain* const own = own_clock(plan_.slots()[i]);
    if (component != nullptr) (own != nullptr ? *own : clock).add(*component);
  }
}

base::ClockDomain* Assembly::own_clock(const Slot& slot) const {
  const auto found = machine_.clocks.find(slot.clock_mhz);
  return found != machine_.clocks.end() ? found->second : nullptr;
}

void Assembly::sort_into_boxes() {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    std::string box = box_of(blocks_[i].name);
    contents_[box].blocks.push_back(i);
    while (!box.empty() && !contents_[box].listed) {
      contents_[box].listed = true;
      const std::string outer = box_of(box);
      contents_[outer].boxes.push_back(box);
      box = outer;
    }
  }
}

/// Everything in `box`: first its boxes, then its blocks, then blocks between two others, which depend on one of them.
void Assembly::build(const std::string& box) {
  const Contents& contents = contents_[box];
  for (const std::string& inner : contents.boxes)
    boxes_.push_back(std::make_unique<Box>(last_of(inner).c_str(), *this, inner));
  for (const bool between : {false, true})
    for (const std::size_t i : contents.blocks)
      if (plan_.before(blocks_[i].name).empty() != between) build_block(i);
}

void Assembly::build_block(std::size_t index) {
  const Slot& slot = plan_.slots()[index];
  const Kind& kind = kinds().at(slot.kind);
  const std::string before = plan_.before(slot.name);
  const Factory& factory = mode_ == Mode::kCycle ? kind.cycle : kind.fast;
  if (!factory || blocks_[index].module != nullptr || is_wire(slot.name)) return;
  if (const std::string other = plan_.end(before).slot; !plan_.before(other).empty())  // in sequence
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (blocks_[i].name == other) build_block(i);
  const std::string name = last_of(slot.name);
  const base::ClockDomain* const own =
      kind.foreign && machine_.foreign != nullptr ? machine_.foreign : own_clock(slot);
  const base::ClockDomain& clock = own != nullptr ? *own : machine_.clock;
  const auto take_turn = [&](const std::string* whose) {
    if (kind.foreign)
      turns_.push_back(std::make_unique<Turn>(sc_core::sc_gen_unique_name("turn"), *this, whose));
  };
  take_turn(&slot.name);
  try {
    sc_core::sc_object* const from = before.empty() ? nullptr : &object(before);
    blocks_[index].module = factory({name.c_str(), slot.params, machine_, clock, from});
  } catch (const PlanError& error) {
    throw PlanError(error.what(), {slot.name});
  } catch (const std::bad_alloc&) {  // an error of the host, not of the block
    throw;
  } catch (const std::exception& error) {
    throw PlanError(fmt::format("the block '{}' of kind '{}': {}", slot.name, slot.kind, error.what()),
                    {slot.name});
  }
  take_turn(nullptr);
}

/// True if the fast mode has no block there: its kind has none, or the block is between two others.
bool Assembly::is_wire(const std::string& slot) const {
  return mode_ == Mode::kFast &&
         (!kind_of(slot).fast || (!plan_.before(slot).empty() && !kind_of(slot).stays));
}

const Kind& Assembly::kind_of(const std::string& slot) const { return kinds().at(plan_.find(slot)->kind); }

bool Assembly::left_out(const std::string& name) const {
  if (mode_ == Mode::kCycle) return false;
  const End end = plan_.end(name);
  if (end.slot.empty()) return false;
  const Kind& kind = kind_of(end.slot);
  return is_wire(end.slot) ||
         std::find(kind.cycle_only.begin(), kind.cycle_only.end(), end.socket) != kind.cycle_only.end();
}

/// The end to which links to `name` lead; "" if it is linked to nothing.
std::string Assembly::behind_wires(std::string name) const {
  if (mode_ == Mode::kCycle) return name;
  for (;;) {
    const End end = plan_.end(name);
    if (end.slot.empty() || !is_wire(end.slot)) return name;
    const Kind& kind = kind_of(end.slot);
    const std::string& wire = plan_.before(end.slot).empty() ? wire_of(kind, end.socket) : kind.exit;
    if (wire.empty()) return "";
    const auto next = std::find_if(plan_.links().begin(), plan_.links().end(),
                                   [&](const Link& link) { return link.from == end.slot + "." + wire; });
    if (next == plan_.links().end()) return "";
    name = next->to;
  }
}

sc_core::sc_object& Assembly::object(const std::string& name) const {
  if (sc_core::sc_object* found = sc_core::sc_find_object((root_ + name).c_str())) return *found;
  const End end = plan_.end(name);
  if (end.slot.empty()) {
    std::vector<std::string> known;
    for (const Slot& slot : plan_.slots()) known.push_back(slot.name + "." + last_of(name));
    throw PlanError(
        fmt::format("'{}' is not a block of the machine{}", name, base::did_you_mean(name, known)));
  }
  const sc_core::sc_object* block = sc_core::sc_find_object((root_ + end.slot).c_str());
  const std::vector<std::string> sockets = block != nullptr ? sockets_of(*block) : std::vector<std::string>{};
  throw PlanError(fmt::format("the block '{}' has no socket '{}'{}{}", end.slot, end.socket,
                              sockets.empty() ? "" : fmt::format("; it has {}", fmt::join(sockets, ", ")),
                              base::did_you_mean(end.socket, sockets)));
}

/// For a link whose ends do not fit: the slot that joins them, if there is such a kind.
std::string Assembly::adapter_hint(const Link& link) const {
  sc_core::sc_object* const from = sc_core::sc_find_object((root_ + link.from).c_str());
  sc_core::sc_object* const to = sc_core::sc_find_object((root_ + behind_wires(link.to)).c_str());
  if (dynamic_cast<protocol::MemoryPort*>(from) != nullptr)
    return "; the fast mode reaches memory by pointers, with run.mode cycle any memory would do";
  const std::string keys = from != nullptr && to != nullptr ? adapter_between(*from, *to) : "";
  if (keys.empty()) return "";
  std::string first = link.from, last = link.to;
  const std::string box = first.substr(0, first.find('.') + 1);
  if (plan_.find(box.substr(0, box.size() - 1)) == nullptr && last.compare(0, box.size(), box) == 0)
    first.erase(0, box.size()), last.erase(0, box.size());  // in each cluster
  return fmt::format("; to join them, add a slot after this one: {{name: adapter, {}, between: [{}, {}]}}",
                     keys, first, last);
}

void Assembly::link(const Link& link) try {
  if (left_out(link.from)) return;
  const std::string to = behind_wires(link.to);
  if (to.empty() || left_out(to)) return;
  sc_core::sc_object &from = object(link.from), &end = object(to);
  auto* const memory = dynamic_cast<protocol::MemoryExport*>(&end);
  if (memory == nullptr || dynamic_cast<protocol::MemoryPort*>(&from) != nullptr) return connect(from, end);
  std::string name = link.from;
  std::replace(name.begin(), name.end(), '.', '_');
  auto front =
      std::make_unique<adapters::PointedTarget>(name.c_str(), memory->memory, memory->origin, machine_.clock);
  connect(from, front->in);
  fronts_.push_back(std::move(front));
} catch (const PlanError& error) {
  throw PlanError(error.what() + adapter_hint(link), {plan_.end(link.from).slot, plan_.end(link.to).slot,
                                                      plan_.end(behind_wires(link.to)).slot});
}

}  // namespace spica::assembly
