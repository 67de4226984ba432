// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/assembled_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "models/assembly/kinds.h"
#include "models/barrier/barrier_view.h"
#include "models/host_port/host_port.h"
#include "models/protocol/ports/commanded_if.h"
#include "models/simt_core/fast/hart.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/soc/blocks.h"
#include "platform/machine/soc/soc_plan.h"

namespace spica::soc {

namespace {

SocParams with_period(const SocParams& params, const sc_core::sc_time& period) {
  SocParams result = params;
  if (period != sc_core::SC_ZERO_TIME) result.clock_mhz = 1e-6 / period.to_seconds();
  return result;
}

sc_core::sc_time period_of(double mhz) { return {1000.0 / mhz, sc_core::SC_NS}; }

sc_core::sc_time clock_period(const SocParams& params, const sc_core::sc_time& period) {
  return period != sc_core::SC_ZERO_TIME && params.cluster.clock_mhz == 0 ? period
                                                                          : period_of(params.core_mhz());
}

bool has_foreign_blocks(const assembly::Plan& plan) {
  return std::any_of(plan.slots().begin(), plan.slots().end(),
                     [&](const assembly::Slot& slot) { return is_foreign(plan, slot.name); });
}

std::uint64_t total(const std::vector<simt_core::CoreView*>& cores,
                    std::uint64_t (simt_core::CoreView::*count)() const) {
  std::uint64_t sum = 0;
  for (const simt_core::CoreView* core : cores) sum += (core->*count)();
  return sum;
}

}  // namespace

AssembledMachine::AssembledMachine(const sc_core::sc_module_name& name, const SocParams& params,
                                   const sc_core::sc_time& period, protocol::LooseTime* time)
    : sc_module(name),
      params_(with_period(params, period)),
      map_(address_map(params)),
      clock_("clock", clock_period(params, period)),
      plan_(machine_plan(params_)),
      build_context_{clock_, map_, time} {
  clock_.set_links(params.run.links);
  clock_.set_crossing(params.crossing.cycles, static_cast<unsigned>(params.crossing.depth));
  hosted_.bind(*this);
}

/// One for each frequency that slots have and the cores do not.
void AssembledMachine::add_clocks() {
  build_context_.clocks[params_.core_mhz()] = &clock_;
  for (const assembly::Slot& slot : plan_.slots()) {
    if (slot.clock_mhz == 0) continue;  // that of the clusters
    base::ClockDomain*& clock = build_context_.clocks[slot.clock_mhz];
    if (clock != nullptr) continue;
    const std::string name = fmt::format("clock_{}", other_clocks_.size() + 1);
    clock = other_clocks_
                .emplace_back(std::make_unique<base::ClockDomain>(name.c_str(), period_of(slot.clock_mhz)))
                .get();
    clock->set_links(clock_.links());
    clock->set_crossing(clock_.crossing_cycles(), clock_.crossing_depth());
    clock_.lead(*clock);
  }
}

void AssembledMachine::assemble(assembly::Mode mode) {
  if (mode == assembly::Mode::kCycle) add_clocks();
  else if (has_foreign_blocks(plan_)) build_context_.foreign = &foreign_clock_.emplace(clock_).domain();
  try {
    blocks_.emplace(plan_, mode, build_context_, *this);
  } catch (const assembly::PlanError& error) {
    const std::string what = fmt::format("the machine cannot be built: {}", error.what());
    for (const std::string& block : error.blocks)
      if (const auto slot = slot_of(params_, block)) refuse_slot(params_, *slot, what);
    throw input::UserError(what);
  }
  if (foreign_clock_) foreign_clock_->add(foreign_components());
  cores_ = blocks_->all<simt_core::CoreView>();
  dispatcher_ = blocks_->find<protocol::GridLaunchIf>("dispatcher");
  command_processor_ = blocks_->find<protocol::CommandQueuesIf>("command_processor");
  hart_ = blocks_->find<simt_core::fast::Hart>("hart");
  views_ = cores_;
  if (hart_ != nullptr) views_.push_back(&hart_->core());
  host_port_ = blocks_->find<host_port::HostPort>("host_port");
  unsigned units = 0;
  for (sc_core::sc_module* block : blocks_->all<sc_core::sc_module>()) {
    auto* const probed = dynamic_cast<protocol::Probed*>(block);
    const bool commanded = dynamic_cast<protocol::CommandedIf*>(block) != nullptr;
    if (probed != nullptr || dynamic_cast<base::Block*>(block) != nullptr)
      sources_.push_back({short_name(*block), probed, commanded ? units++ : protocol::Region::kNoUnit});
  }
}

std::vector<base::Component*> AssembledMachine::foreign_components() const {
  std::vector<base::Component*> found;
  for (const assembly::Slot& slot : plan_.slots())
    if (is_foreign(plan_, slot.name))
      if (auto* component = blocks_->find<base::Component>(slot.name)) found.push_back(component);
  return found;
}

std::string AssembledMachine::short_name(const sc_core::sc_object& block) const {
  return name_within(*this, block);
}

WarpView AssembledMachine::warp_view(unsigned core, unsigned warp) {
  simt_core::CoreView& owner = *views_[core];
  simt_core::WarpState& state = owner.warp(warp);
  return {&state.registers,
          state.flow.get(),
          &state.floating,
          owner.next_pc(warp),
          (owner.running_warps() >> warp & 1) != 0,
          (owner.waiting_at_barrier() >> warp & 1) != 0,
          state.barrier_id,
          state.barrier_count,
          &state.machine,
          state.fragments.empty() ? nullptr : state.fragments.fragment(0),
          state.group.exists() ? &state.group : nullptr,
          &state.barrier_visits};
}

void AssembledMachine::set_pc(unsigned core, unsigned warp, std::uint32_t pc) {
  views_[core]->set_pc(warp, pc);
}

bool AssembledMachine::at_rest() const {
  return std::all_of(views_.begin(), views_.end(), [](const auto* core) { return core->at_rest(); });
}

std::uint32_t AssembledMachine::read_csr(unsigned core, unsigned warp, unsigned lane,
                                         std::uint32_t number) const {
  return views_[core]->read_csr(warp, number, lane);
}

bool AssembledMachine::write_csr(unsigned core, unsigned warp, std::uint32_t number, std::uint32_t value) {
  return views_[core]->set_csr(warp, number, value);
}

std::string AssembledMachine::describe_warp(unsigned core, unsigned warp) const {
  return views_[core]->describe_warp(warp);
}

void AssembledMachine::watch(protocol::ProbeIf& probe) {
  if (probes_.empty())
    for (unsigned i = 0; i < sources_.size(); ++i)
      if (sources_[i].block != nullptr) sources_[i].block->attach_probe(probes_, i);
  probes_.add(probe);
}

void AssembledMachine::unwatch(protocol::ProbeIf& probe) {
  probes_.remove(probe);
  if (!probes_.empty()) return;
  for (const Source& source : sources_)
    if (source.block != nullptr) source.block->detach_probe();
}

std::uint64_t AssembledMachine::work_done() const {
  std::uint64_t work = 0;
  for (const base::Block* block : blocks_->all<base::Block>()) work += block->work_done();
  return work;
}

bool AssembledMachine::units_idle() const {
  const auto blocks = blocks_->all<base::Block>();
  return std::none_of(blocks.begin(), blocks.end(), [](const auto* block) { return block->works(); });
}

std::vector<OpenBarrier> AssembledMachine::open_barriers() const {
  std::vector<OpenBarrier> open;
  unsigned cluster = 0;
  for (const barrier::BarrierView* barrier : blocks_->all<barrier::BarrierView>()) {
    for (unsigned id = 0; id < barrier->ids(); ++id)
      if (const std::uint32_t arrived = barrier->arrived(id); arrived != 0)
        open.push_back({cluster, id, arrived});
    ++cluster;
  }
  return open;
}

std::string AssembledMachine::describe_blocks(const std::string& kind) const {
  std::ostringstream text;
  for (const sc_core::sc_module* block : blocks_->all<sc_core::sc_module>())
    if (const auto* inspected = dynamic_cast<const base::Block*>(block))
      if (short_name(*block).find(kind) != std::string::npos) inspected->dump_state(text);
  return text.str();
}

std::string AssembledMachine::describe_work_groups() const {
  std::ostringstream text;
  if (const auto* block = dynamic_cast<const base::Block*>(command_processor_)) block->dump_state(text);
  if (const auto* block = dynamic_cast<const base::Block*>(dispatcher_)) block->dump_state(text);
  return text.str();
}

void AssembledMachine::set_gate(protocol::GateIf* gate) {
  for (simt_core::CoreView* core : cores_) core->set_gate(gate);
  if (hart_ != nullptr) hart_->set_debugger(gate);
}

void AssembledMachine::launch(std::uint32_t entry) {
  for (simt_core::CoreView* core : cores_) core->launch(entry);
}

void AssembledMachine::launch(const protocol::GridLaunch& grid) {
  if (dispatcher_ == nullptr) SC_REPORT_FATAL("/spica/soc", "the machine has no dispatcher of work groups");
  dispatcher_->launch(grid);
}

void AssembledMachine::launch(const std::vector<protocol::QueueSetup>& queues, std::uint32_t model) {
  if (command_processor_ == nullptr) SC_REPORT_FATAL("/spica/soc", "the machine has no command processor");
  if (model != 0) command_processor_->use_model(model);
  for (const protocol::QueueSetup& queue : queues) command_processor_->start(queue);
}

const std::vector<protocol::KernelRun>& AssembledMachine::kernel_runs() const {
  static const std::vector<protocol::KernelRun> none;
  return command_processor_ != nullptr ? command_processor_->runs() : none;
}

std::vector<protocol::QueueState> AssembledMachine::queue_states() const {
  std::vector<protocol::QueueState> states;
  for (unsigned i = 0; command_processor_ != nullptr && i < params_.command_processor.queues; ++i)
    states.push_back(command_processor_->state(i));
  return states;
}

protocol::Region AssembledMachine::firmware_memory() const {
  return hart_ != nullptr ? hart_->memory() : protocol::Region{};
}

unsigned char* AssembledMachine::firmware_place(std::uint64_t address, std::uint64_t bytes) const {
  return hart_ != nullptr ? hart_->at(address, bytes) : nullptr;
}

void AssembledMachine::firmware_written() const { hart_->refresh(); }

void AssembledMachine::load_firmware(const loader::Program& program) {
  if (hart_ == nullptr)
    SC_REPORT_FATAL("/spica/soc", "the machine has no firmware (command_processor.firmware)");
  const protocol::Region memory = hart_->memory();
  for (const loader::Segment& segment : program.segments)
    if (!hart_->load(segment.address, segment.bytes, segment.size()))
      throw input::UserError(fmt::format(
          "{}: {}, {}, is outside of the memory of a firmware, {}: link it with `spica cc --firmware`",
          input::printable(program.path), segment.name, loader::range_text(segment.address, segment.size()),
          loader::range_text(memory.base, memory.size)));
  hart_->start(static_cast<std::uint32_t>(program.entry));
}

/// All blocks but the host port, which resets the machine.
void AssembledMachine::reset() {
  for (base::Block* block : blocks_->all<base::Block>())
    if (block != host_port_) block->reset();
}

void AssembledMachine::halt() {
  for (simt_core::CoreView* core : views_) core->halt();
}

base::Component* AssembledMachine::host_port() const { return host_port_; }

HostSide AssembledMachine::host() {
  if (host_port_ == nullptr) SC_REPORT_FATAL("/spica/soc", "the machine has no host port; set host.present");
  return {host_port_->in, host_port_->done, host_port_->reset_line};
}

std::uint32_t AssembledMachine::exit_code() const { return cores_.front()->warp(0).registers.row(3)[0]; }

void AssembledMachine::guard_stacks(const isa::StackGuard& guard) {
  for (simt_core::CoreView* core : cores_) core->guard_stacks(guard);
}

bool AssembledMachine::any_warp_running() const {
  return std::any_of(cores_.begin(), cores_.end(),
                     [](const auto* core) { return core->running_warps() != 0; });
}

std::vector<CoreCounts> AssembledMachine::core_counts() const {
  std::vector<CoreCounts> counts;
  for (const simt_core::CoreView* core : cores_)
    counts.push_back({static_cast<unsigned>(counts.size()), core->warp_instructions(),
                      core->lane_instructions(), core->traps()});
  return counts;
}

std::uint64_t AssembledMachine::warp_instructions() const {
  return total(cores_, &simt_core::CoreView::warp_instructions);
}

std::uint64_t AssembledMachine::traps() const { return total(cores_, &simt_core::CoreView::traps); }

std::uint64_t AssembledMachine::lane_instructions() const {
  return total(cores_, &simt_core::CoreView::lane_instructions);
}

}  // namespace spica::soc
