// SPDX-License-Identifier: Apache-2.0
#include "platform/debug/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "models/isa/instruction.h"
#include "platform/report/fault_report.h"

namespace spica::debug {

namespace {

using protocol::Origin;
using protocol::Piece;
using protocol::UnitWork;

std::string who(const Origin& origin) {
  std::string text = report::origin_text(origin);
  if (origin.unit == Origin::Unit::kCore) text += fmt::format(", pc {:#010x}", origin.pc);
  return text;
}

const char* work_name(UnitWork::Kind kind) {
  switch (kind) {
    case UnitWork::Kind::kLoad: return "DMA load";
    case UnitWork::Kind::kStore: return "DMA store";
    case UnitWork::Kind::kPreload: return "preload";
    case UnitWork::Kind::kCompute: return "compute";
    case UnitWork::Kind::kTensor: return "tensor tile";
  }
  return "?";
}

const char* watch_name(bool writes) { return writes ? "write to" : "read of"; }

}  // namespace

Supervisor::Supervisor(soc::RunControl& control)
    : control_(control), warps_(static_cast<unsigned>(control.machine().params().cluster.core.warps)) {
  states_.resize(control.machine().core_count() * warps_);
}

void Supervisor::attach() {
  stop_ = {};
  control_.machine().watch(*this);
  control_.machine().set_gate(this);
}

void Supervisor::detach() {
  holds_some_ = false;
  breakpoints_.clear();
  watches_.clear();
  std::fill(std::begin(events_), std::end(events_), false);
  works_.clear();
  released_.clear();
  later_.clear();
  stop_ = {};
  states_.assign(states_.size(), {});
  control_.machine().set_gate(nullptr);
  control_.machine().unwatch(*this);
}

void Supervisor::insert(char kind, std::uint32_t address, std::uint32_t bytes) {
  if (kind < '2') breakpoints_.insert({address, kind});
  else watches_.insert({kind, address, bytes});
}

void Supervisor::remove(char kind, std::uint32_t address, std::uint32_t bytes) {
  if (kind < '2') breakpoints_.erase({address, kind});
  else watches_.erase({kind, address, bytes});
}

bool Supervisor::has_breakpoint(std::uint32_t address) const {
  const auto found = breakpoints_.lower_bound({address, '\0'});
  return found != breakpoints_.end() && found->first == address;
}

bool Supervisor::break_on(Event event, bool on) {
  bool& state = events_[static_cast<unsigned>(event)];
  const bool changes = state != on;
  state = on;
  // Those that came together with an earlier reason are not wanted any more, either.
  if (!on)
    later_.erase(std::remove_if(later_.begin(), later_.end(),
                                [event](const Stop& stop) { return stop.kind == Stop::Kind::kEvent && stop.event == event; }),
                 later_.end());
  return changes;
}

void Supervisor::go(const std::vector<Order>& orders) {
  holds_some_ = false;
  soc::Machine& machine = control_.machine();
  for (unsigned i = 0; i < states_.size(); ++i) {
    WarpState& state = states_[i];
    state.order = orders[i];
    state.asked = state.moved = false;
    state.first_pc = 0;
    const soc::WarpView view = machine.warp_view(i / warps_, i % warps_);
    const bool steps = orders[i].kind == Order::Kind::kStep || orders[i].kind == Order::Kind::kRange;
    const bool stopped = stop_.has_warp && stop_.warp == i;
    state.pass_breakpoint = steps || stopped;
    state.pass_watch = stopped && stop_.kind == Stop::Kind::kWatchpoint;
    state.pass_pc = view.pc;
    holds_some_ |= view.running && orders[i].kind == Order::Kind::kHold;
  }
  stop_ = {};
  machine.set_gate(this);  // the held ones ask again
}

void Supervisor::stop(Stop stop) { stop_ = std::move(stop); }

bool Supervisor::next_reason() {
  if (later_.empty()) return false;
  stop_ = std::move(later_.front());
  later_.pop_front();
  return true;
}

/// Something that will not come again is kept when the machine is already about to stop.
void Supervisor::note(Stop stop) {
  if (stop_.kind != Stop::Kind::kNone) {
    if (stop.kind == Stop::Kind::kWatchpoint || stop.kind == Stop::Kind::kEvent) later_.push_back(std::move(stop));
    return;
  }
  stop_ = std::move(stop);
  control_.halt();
}

bool Supervisor::may_issue(const protocol::InstructionEvent& event) {
  if (stop_.kind != Stop::Kind::kNone) return false;
  const unsigned warp = index(event.origin.core, event.origin.warp);
  WarpState& state = states_[warp];
  const Order& order = state.order;
  if (order.kind == Order::Kind::kHold) return false;

  const std::uint32_t pc = event.origin.pc;
  if (!state.asked) {
    state.asked = true;
    state.first_pc = pc;
  }
  const bool moved = state.moved || pc != state.first_pc;  // a trap moves without an instruction
  const bool done = order.kind == Order::Kind::kStep ||
                    (order.kind == Order::Kind::kRange && (pc < order.begin || pc >= order.end));
  const bool back = !moved && state.pass_pc == pc;  // still where it stopped
  Stop stop;
  stop.has_warp = true;
  stop.warp = warp;
  if (!(back && state.pass_breakpoint) && has_breakpoint(pc)) {
    stop.kind = Stop::Kind::kBreakpoint;
    stop.watch = breakpoints_.lower_bound({pc, '\0'})->second;
  } else if (moved && done) {
    stop.kind = Stop::Kind::kStepped;
  } else if ((back && state.pass_watch) || !find_access(event, stop)) {
    return true;
  }
  note(std::move(stop));
  return false;
}

void Supervisor::on_issue(const protocol::InstructionEvent& event) {
  states_[index(event.origin.core, event.origin.warp)].moved = true;
}

/// The instruction is about to touch watched memory. gdb expects a stop before it, as RISC-V triggers do:
/// it steps over the instruction and then looks at the memory.
bool Supervisor::find_access(const protocol::InstructionEvent& event, Stop& stop) const {
  if (watches_.empty()) return false;
  const isa::Instruction& instruction = event.instruction;
  const bool atomic = instruction.unit == isa::Unit::kAtomic;
  const bool reads = instruction.unit == isa::Unit::kLoad || atomic;
  const bool writes =
      instruction.unit == isa::Unit::kStore || (atomic && instruction.opcode != isa::Opcode::kLrW);
  if (!reads && !writes) return false;
  const std::uint32_t* base = event.registers.row(instruction.rs1 == isa::kNoRegister ? 0 : instruction.rs1);
  const std::uint32_t offset = atomic ? 0 : static_cast<std::uint32_t>(instruction.imm);
  const Watch* hit = nullptr;
  std::uint32_t lanes = 0;
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t address = base[lane] + offset;
    const Watch* watch = find_watch(address, instruction.access_bytes, reads, writes);
    if (watch == nullptr || (hit != nullptr && watch != hit)) continue;
    if (hit == nullptr) stop.address = std::max(address, watch->address);
    hit = watch;
    lanes |= 1u << lane;
  }
  if (hit == nullptr) return false;
  stop.kind = Stop::Kind::kWatchpoint;
  stop.watch = hit->kind;
  stop.text = fmt::format("{} {:#010x} by {}, lanes {}\n", watch_name(writes), stop.address, who(event.origin),
                          report::lanes_text(lanes));
  return true;
}

const Supervisor::Watch* Supervisor::find_watch(std::uint64_t address, std::uint64_t bytes, bool reads,
                                                bool writes) const {
  for (const Watch& watch : watches_) {
    if (!(watch.kind == '4' || (watch.kind == '2' && writes) || (watch.kind == '3' && reads))) continue;
    if (address < std::uint64_t{watch.address} + watch.bytes && watch.address < address + bytes) return &watch;
  }
  return nullptr;
}

/// Guest address of the first byte of a rectangle in memory.
std::uint32_t Supervisor::address_of(const Piece& piece) const {
  const auto shared = static_cast<std::uint32_t>(control_.machine().params().cluster.memory_map.shared_base);
  return piece.space == Piece::Space::kShared ? shared + piece.address : piece.address;
}

const Supervisor::Watch* Supervisor::find_watch(const Piece& piece, std::uint32_t& address) const {
  if (piece.space != Piece::Space::kGlobal && piece.space != Piece::Space::kShared) return nullptr;
  for (std::uint32_t row = 0; row < piece.rows; ++row)
    for (std::uint32_t block = 0; block < piece.blocks; ++block) {
      const std::uint32_t begin = address_of(piece) + row * piece.stride + block * piece.block_stride;
      const Watch* watch = find_watch(begin, piece.row_bytes, !piece.write, piece.write);
      if (watch == nullptr) continue;
      address = std::max(begin, watch->address);
      return watch;
    }
  return nullptr;
}

void Supervisor::on_barrier_arrival(base::Cycle, const Origin& origin, unsigned, unsigned) {
  const unsigned warp = index(origin.core, origin.warp);
  if (states_[warp].order.kind != Order::Kind::kStep) return;
  Stop stop;  // the instruction is done, and the next one may be far away
  stop.kind = Stop::Kind::kStepped;
  stop.has_warp = true;
  stop.warp = warp;
  note(std::move(stop));
}

void Supervisor::on_barrier_release(base::Cycle, unsigned core, unsigned id) {
  // It opens once for all cores of the cluster: the first one tells.
  soc::Machine& machine = control_.machine();
  const auto cores = static_cast<unsigned>(machine.params().cluster.cores);
  const unsigned cluster = core / cores;
  std::set<unsigned>& gone = released_[{cluster, id}];
  const bool first = gone.empty() || !gone.insert(core).second;
  if (first) gone = {core};
  if (gone.size() == cores) gone.clear();
  if (!first || !breaks_on(Event::kBarrier)) return;
  Stop stop;
  stop.kind = Stop::Kind::kEvent;
  stop.event = Event::kBarrier;
  stop.signal = 0;
  for (unsigned w = 0; w < warps_ && !stop.has_warp; ++w) {
    const soc::WarpView view = machine.warp_view(core, w);
    stop.has_warp = view.running && view.at_barrier && view.barrier_id == id;
    stop.warp = index(core, w);
  }
  stop.text = fmt::format("barrier {} of cluster {} opens\n", id, cluster);
  note(std::move(stop));
}

void Supervisor::on_command(base::Cycle, unsigned source, const Origin& origin, std::uint32_t word) {
  if (!breaks_on(Event::kMatrix)) return;
  Stop stop;
  stop.kind = Stop::Kind::kEvent;
  stop.event = Event::kMatrix;
  stop.signal = 0;
  stop.has_warp = origin.unit == Origin::Unit::kCore;
  stop.warp = index(origin.core, origin.warp);
  stop.text = fmt::format("command {:#x} to {} by {}\n", word, control_.machine().source_name(source), who(origin));
  note(std::move(stop));
}

void Supervisor::on_work_begin(base::Cycle, unsigned source, const UnitWork& work) {
  works_[{source, work.id}] = {work.origin, work.kind, work.from, work.to};
}

void Supervisor::on_work_end(base::Cycle, unsigned source, std::uint32_t id) {
  const auto found = works_.find({source, id});
  if (found == works_.end()) return;  // it began before gdb came
  const Work work = found->second;
  works_.erase(found);
  Stop stop;
  stop.has_warp = work.origin.unit == Origin::Unit::kCore;
  stop.warp = index(work.origin.core, work.origin.warp);
  const std::string name = fmt::format("{} of {}, issued by {}", work_name(work.kind),
                                       control_.machine().source_name(source), who(work.origin));
  for (const Piece* piece : {&work.to, &work.from}) {
    const Watch* watch = find_watch(*piece, stop.address);
    if (watch == nullptr) continue;
    stop.kind = Stop::Kind::kWatchpoint;
    stop.watch = watch->kind;
    stop.text = fmt::format("{} {:#010x} by a {}\n", watch_name(piece->write), stop.address, name);
    note(stop);
    break;
  }
  if (!breaks_on(Event::kDma) || (work.kind != UnitWork::Kind::kLoad && work.kind != UnitWork::Kind::kStore)) return;
  stop.kind = Stop::Kind::kEvent;
  stop.event = Event::kDma;
  stop.signal = 0;
  stop.text = fmt::format("end of a {}\n", name);
  note(std::move(stop));
}

}  // namespace spica::debug
