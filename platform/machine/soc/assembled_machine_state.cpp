// SPDX-License-Identifier: Apache-2.0
// The state of a machine between two cycles: of its blocks, one by one, and of its clocks.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <sstream>

#include "models/base/checkpoint.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/assembled_machine.h"

namespace spica::soc {

namespace {

constexpr const char* kPast = "past accesses";  // no name of a block

using Part = std::function<void(base::Checkpoint&)>;

std::string saved(base::Objects& objects, const Part& part) {
  std::ostringstream out;
  base::Checkpoint checkpoint(out, objects);
  part(checkpoint);
  return out.str();
}

void load(const std::string& text, base::Objects& objects, const Part& part) {
  std::istringstream in(text);
  base::Checkpoint checkpoint(in, objects);
  part(checkpoint);
}

}  // namespace

MachineState AssembledMachine::save() {
  MachineState state;
  base::Objects objects;
  state.fast = params_.run.mode == Mode::kFast;
  state.cycle = clock_.now();
  const auto modules = blocks_->all<sc_core::sc_module>();
  for (sc_core::sc_module* module : modules) {
    auto* const block = dynamic_cast<base::Block*>(module);
    MachineState::Block& entry = state.blocks.emplace_back();
    entry.name = short_name(*module);
    objects.add(dynamic_cast<void*>(module));
    if (block == nullptr) continue;
    entry.architecture = saved(objects, [&](base::Checkpoint& to) { block->architecture(to); });
    entry.objects = saved(objects, [&](base::Checkpoint& to) { block->objects(to); });
  }
  std::string cannot;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    auto* const block = dynamic_cast<base::Block*>(modules[i]);
    bool can = false;
    if (block != nullptr)
      state.blocks[i].timing = saved(objects, [&](base::Checkpoint& to) { can = block->timing(to); });
    if (!can) cannot += (cannot.empty() ? "" : ", ") + state.blocks[i].name;
  }
  if (!cannot.empty())
    throw input::UserError(fmt::format("the state of this machine cannot be saved, because of {}", cannot));
  state.own = saved(objects, [&](base::Checkpoint& to) {
    own_state(to);
    if (foreign_clock_) foreign_clock_->checkpoint(to);
  });
  state.blocks.push_back({kPast, past.save(), "", ""});
  if (state.fast) return state;
  state.time = saved(objects, [&](base::Checkpoint& to) { clock_.checkpoint_time(to); });
  state.plans = saved(objects, [&](base::Checkpoint& to) { clock_.checkpoint_plans(to); });
  return state;
}

void AssembledMachine::restore(const MachineState& state) {
  const bool same = state.fast == (params_.run.mode == Mode::kFast);
  base::Objects objects;
  reset();
  if (state.fast) clock_.set_now(state.cycle);
  else load(state.time, objects, [&](base::Checkpoint& from) { clock_.checkpoint_time(from); });
  std::map<std::string, const MachineState::Block*> by_name;
  for (const MachineState::Block& block : state.blocks) by_name[block.name] = &block;
  std::vector<std::pair<base::Block*, const MachineState::Block*>> found;
  for (sc_core::sc_module* module : blocks_->all<sc_core::sc_module>()) {
    auto* const block = dynamic_cast<base::Block*>(module);
    const auto entry = by_name.find(short_name(*module));
    objects.add(dynamic_cast<void*>(module));
    if (block == nullptr || entry == by_name.end()) continue;
    found.emplace_back(block, entry->second);
    load(entry->second->architecture, objects, [&](base::Checkpoint& from) { block->architecture(from); });
    if (same) load(entry->second->objects, objects, [&](base::Checkpoint& from) { block->objects(from); });
  }
  if (const auto entry = by_name.find(kPast); entry != by_name.end()) past.load(entry->second->architecture);
  if (!same) return begin_here();
  for (const auto& [block, entry] : found)
    load(entry->timing, objects, [one = block](base::Checkpoint& from) { one->timing(from); });
  load(state.own, objects, [&](base::Checkpoint& from) {
    own_state(from);
    if (foreign_clock_) foreign_clock_->checkpoint(from);
  });
  if (!state.fast) load(state.plans, objects, [&](base::Checkpoint& from) { clock_.checkpoint_plans(from); });
  continue_from_state();
}

}  // namespace spica::soc
