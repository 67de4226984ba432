// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/warp_hazards.h"

#include <algorithm>

#include "models/isa/control_flow.h"
#include "models/isa/csr.h"
#include "models/isa/fragment_use.h"
#include "models/isa/registers.h"
#include "models/protocol/payload/fragment_access.h"
#include "models/protocol/payload/tensor_shape.h"

namespace spica::check {

namespace {

constexpr std::uint64_t kFloatRows = ~std::uint64_t{0} << isa::kFloatRow;

}  // namespace

WarpHazards::WarpHazards(const soc::SocParams& params, const protocol::AddressMap& map,
                         const loader::Program& program, Order& order, MemoryHazards& memory,
                         UnitHazards& units, QueueHazards& queues, Moment& moment, Findings& findings)
    : map_(map),
      shape_(params),
      lanes_(static_cast<unsigned>(params.cluster.core.lanes)),
      csr_lanes_(static_cast<unsigned>(params.cluster.core.sfu_lanes)),
      parts_at_any_branch_(params.cluster.core.reconvergence ==
                           decltype(params.cluster.core.reconvergence)::kMinPc),
      order_(order),
      memory_(memory),
      units_(units),
      queues_(queues),
      moment_(moment),
      findings_(findings),
      code_(program),
      barriers_(findings, order.agents().warps()),
      warps_(order.agents().warps()) {}

Accessor WarpHazards::instruction(const protocol::InstructionEvent& event) {
  return {Accessor::What::kInstruction, event.origin.core, event.origin.warp, 0,
          event.origin.lanes,           event.origin.pc};
}

void WarpHazards::issue(const protocol::InstructionEvent& event) {
  const isa::Instruction& instruction = event.instruction;
  const unsigned warp = order_.agents().warp(event.origin.core, event.origin.warp);
  order_.use(warp, instruction.reads | instruction.writes());
  const Warp& state = warps_[warp];
  if (state.products && ((instruction.reads | instruction.writes()) & kFloatRows) != 0) {
    Finding f;
    f.kind = Kind::kRegisters;
    f.cycle = event.cycle;
    f.first = {Accessor::What::kInstruction, event.origin.core, event.origin.warp, 0, 0, state.product_pc};
    f.second = WarpHazards::instruction(event);
    f.detail = "the tensor core still reads and writes f0 to f31";
    f.advice = "decoupled_tensor_wait() between the two";
    findings_.add(std::move(f), ++moment_.event);
  }
  switch (instruction.unit) {
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kAtomic: return access(event, warp);
    case isa::Unit::kFence: return order_.fence(warp);
    case isa::Unit::kSystem: return order_.drain(warp);
    case isa::Unit::kTensor: return tensor(event, warp);
    case isa::Unit::kAsync: return copy(event, warp);
    case isa::Unit::kWarpControl: return part_lanes(event, warp);
    default: return;
  }
}

/// Where lanes diverge at any branch, a barrier refuses to be reached by some of them.
void WarpHazards::part_lanes(const protocol::InstructionEvent& event, unsigned warp) {
  if (parts_at_any_branch_) return;
  const isa::Instruction& instruction = event.instruction;
  if (instruction.opcode == isa::Opcode::kSplit) {
    const std::uint32_t* row = event.registers.row(instruction.rs1 == isa::kNoRegister ? 0 : instruction.rs1);
    std::uint32_t chosen = 0;
    for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1)
      chosen |= (row[__builtin_ctz(rest)] & 1) << __builtin_ctz(rest);
    if (chosen != 0 && chosen != event.origin.lanes) barriers_.split(warp);
  } else if (instruction.opcode == isa::Opcode::kJoin && event.origin.lanes != 0 &&
             instruction.rs1 != isa::kNoRegister) {
    if ((event.registers.row(instruction.rs1)[isa::scalar_lane(event.origin.lanes)] & 1) != 0)
      barriers_.join(warp);
  }
}

/// A warp that accesses memory with this instruction.
Actor WarpHazards::begin(const protocol::InstructionEvent& event, unsigned warp) {
  moment_.next(event.cycle);
  return {static_cast<std::uint16_t>(warp),
          order_.now(warp),
          event.origin.pc,
          0,
          0,
          Waits::kNo,
          &order_.clock(warp)};
}

void WarpHazards::access(const protocol::InstructionEvent& event, unsigned warp) {
  const isa::Instruction& i = event.instruction;
  const bool atomic = i.unit == isa::Unit::kAtomic, store = i.unit == isa::Unit::kStore;
  const bool writes = store || (atomic && i.opcode != isa::Opcode::kLrW);
  if (atomic && (i.word >> 25 & 1) != 0) order_.fence(warp);  // rl: everything before it is done first
  const std::uint32_t* base = event.registers.row(i.rs1 == isa::kNoRegister ? 0 : i.rs1);
  const auto offset = atomic ? 0u : static_cast<std::uint32_t>(i.imm);

  Actor actor = begin(event, warp);
  if (atomic) {
    actor.flags = Mark::kAtomic;
    actor.waits = Waits::kInLoop;
  } else {
    const SyncCode::Use use = code_.use(event.origin.pc);
    if (use == SyncCode::Use::kWaitsInLoop) actor.waits = Waits::kInLoop;
    if (use == SyncCode::Use::kBeforeFence) actor.waits = Waits::kFenced;
    if (use == SyncCode::Use::kBehindFence) actor.flags = Mark::kReleasing;
  }
  memory_.begin(actor, cluster(event));
  std::uint32_t peripheral = 0;
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t address = base[lane] + offset;
    memory_.actor().lane = static_cast<std::uint8_t>(lane);
    if (!memory_.access(address, i.access_bytes, writes)) peripheral |= 1u << lane;
  }
  if (store) check_lanes(event, base, offset);
  if (store)
    for (std::uint32_t rest = peripheral; rest != 0; rest &= rest - 1)
      queues_.store(warp, base[__builtin_ctz(rest)] + offset);
  if (peripheral != 0) access_peripheral(event, warp, base[__builtin_ctz(peripheral)] + offset, peripheral);
  if (memory_.waits())
    warps_[warp].waiting.push_back({event.origin.pc, memory_.take_waiting(), kNoUnit, false, 0, 0});
  if (!store && i.writes() != 0) order_.load(warp, i.writes());
}

/// Lanes of one store with the same address and different values: which one remains is undefined.
void WarpHazards::check_lanes(const protocol::InstructionEvent& event, const std::uint32_t* base,
                              std::uint32_t offset) {
  const isa::Instruction& i = event.instruction;
  const std::uint32_t* values = event.registers.row(i.rs2 == isa::kNoRegister ? 0 : i.rs2);
  const std::uint32_t mask = i.access_bytes == 4 ? ~0u : (1u << 8 * i.access_bytes) - 1;
  bool ascending = true;
  std::uint32_t last = 0;
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t address = base[__builtin_ctz(rest)];
    ascending &= rest == event.origin.lanes || address > last;
    last = address;
  }
  if (ascending || map_.route(last + offset) == protocol::Route::kPeripheral) return;
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const auto one = static_cast<unsigned>(__builtin_ctz(rest));
    for (std::uint32_t others = rest & (rest - 1); others != 0; others &= others - 1) {
      const auto other = static_cast<unsigned>(__builtin_ctz(others));
      if (base[one] != base[other] || ((values[one] ^ values[other]) & mask) == 0) continue;
      Finding f;
      f.kind = Kind::kLanes;
      f.cycle = event.cycle;
      f.memory = shape_.in_shared(base[one] + offset) ? Memory::kShared : Memory::kGlobal;
      f.address = base[one] + offset;
      f.first =
          f.second = {Accessor::What::kStore, event.origin.core, event.origin.warp, 0, 0, event.origin.pc};
      f.first.lanes = 1u << one;
      f.second.lanes = 1u << other;
      f.advice = "give each lane its own address, let one lane store (SIMT_IF), or use an atomic operation";
      findings_.add(std::move(f), moment_.event);
    }
  }
}

/// Registers of units; the other peripherals accept anything at any time, but for doorbells.
void WarpHazards::access_peripheral(const protocol::InstructionEvent& event, unsigned warp,
                                    std::uint32_t address, std::uint32_t lanes) {
  using Register = protocol::UnitRules::Register;
  const protocol::Region* region = map_.find(address);
  if (region == nullptr || region->unit == kNoUnit) return;
  const unsigned unit = cluster(event) * shape_.units_of_cluster + region->unit;
  const Register at = units_.rules().register_at(static_cast<std::uint32_t>(address - region->base));
  if (event.instruction.unit == isa::Unit::kLoad) {
    if ((at == Register::kBusy || at == Register::kLoops) && event.instruction.rd != isa::kNoRegister)
      warps_[warp].waiting.push_back(
          {event.origin.pc, {}, unit, at == Register::kLoops, event.instruction.rd, lanes});
    return;
  }
  units_.touch(event, warp, unit);
  if (at == Register::kCommand)
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) units_.give(event, warp, unit);
}

void WarpHazards::csr(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  const unsigned warp = order_.agents().warp(event.origin.core, event.origin.warp);
  order_.drain(warp);
  const auto number = static_cast<std::uint32_t>(i.imm);
  if (number == isa::csr::kActiveWarps && i.rd != isa::kNoRegister) {
    const std::uint32_t active = event.registers.row(i.rd)[isa::scalar_lane(event.origin.lanes)];
    const unsigned first = order_.agents().warp(event.origin.core, 0);
    for (unsigned other = 0; other < order_.agents().warps_of_core(); ++other)
      if ((active >> other & 1) == 0 && warps_[first + other].ended) order_.see_end(warp, first + other);
  }
  if (number != isa::csr::kAccelerator) return;
  const unsigned first = cluster(event) * shape_.units_of_cluster;
  if (i.rd != isa::kNoRegister && event.registers.row(i.rd)[isa::scalar_lane(event.origin.lanes)] == 0)
    for (unsigned unit = 0; unit < shape_.units_of_cluster; ++unit) units_.see_idle(warp, first + unit);
  if (!isa::csr_writes(i)) return;
  // The word comes from the first lane of each packet that has an active one (vortex
  // core/VX_sfu_unit.sv).
  for (unsigned lane = 0; lane < lanes_; lane += csr_lanes_) {
    if ((event.origin.lanes >> lane & ((std::uint64_t{1} << csr_lanes_) - 1)) == 0) continue;
    const std::uint32_t word = i.format == isa::Format::kCsrImm ? isa::csr_constant(i)
                               : i.rs1 == isa::kNoRegister      ? 0
                                                                : event.registers.row(i.rs1)[lane];
    const unsigned unit = units_.rules().unit_of(word);
    if (unit < shape_.units_of_cluster) units_.give_by_csr(event, warp, first + unit);
  }
}

/// A load or store of a fragment: each lane accesses its pieces.
void WarpHazards::move_fragment(const protocol::InstructionEvent& event, unsigned warp) {
  const isa::Instruction& i = event.instruction;
  const bool store = i.format == isa::Format::kFragmentStore;
  memory_.begin(begin(event, warp), cluster(event));
  const std::uint32_t base = event.registers.row(i.rs1)[0], stride = event.registers.row(i.rs2)[0];
  for (const auto& phase : event.fragment->phases)
    for (const auto& piece : phase) {
      memory_.actor().lane = piece.lane;
      memory_.access(event.fragment->address(piece, base, stride), event.fragment->bytes, store);
    }
  if (!store) order_.load_fragment(warp, isa::fragments_of(i).writes);
}

void WarpHazards::tensor(const protocol::InstructionEvent& event, unsigned warp) {
  if (event.instruction.opcode >= isa::Opcode::kWmma32Mma) {  // it waits for loads into what it names
    const isa::FragmentUse use = isa::fragments_of(event.instruction);
    order_.use_fragments(warp, use.reads | use.writes);
    if (event.fragment != nullptr) move_fragment(event, warp);
  } else if (event.instruction.opcode == isa::Opcode::kHgmmaWait) {
    if (order_.agents().tensor_tiles()) order_.tensor_wait(warp);
    warps_[warp].products = false;
  } else if (event.instruction.opcode == isa::Opcode::kHgmma && order_.agents().tensor_tiles()) {
    product(event, warp);
  }
}

/// Of a tensor core that reads its operand tiles from shared memory.
void WarpHazards::product(const protocol::InstructionEvent& event, unsigned warp) {
  moment_.next(event.cycle);
  if ((order_.loading(warp) & kFloatRows) != 0) {
    Finding f;
    f.kind = Kind::kRegisters;
    f.cycle = event.cycle;
    f.second = instruction(event);
    f.detail = "loads into f0 to f31 are in flight, and the product does not wait for them";
    f.advice = "decoupled_tensor_settle() between the loads and the product";
    findings_.add(std::move(f), moment_.event);
  }
  warps_[warp].products = true;
  warps_[warp].product_pc = event.origin.pc;
  order_.tensor_begin(warp);
  const std::uint16_t agent = order_.agents().tensor(warp);
  for (unsigned tile = 0; tile < 2; ++tile) {
    const std::uint32_t address =
        event.registers.row(tile == 0 ? event.instruction.rs1 : event.instruction.rs2)[0];
    memory_.begin({agent, order_.now(agent), event.origin.pc | tile, 0, 0, Waits::kNo, &order_.clock(agent)},
                  cluster(event));
    memory_.access_shared(address - shape_.shared_base, protocol::kTensorTileBytes, false);
  }
}

/// An asynchronous copy, or the end of a group or a wait for groups. What a copy reads and writes comes behind what its
/// warp has done before, and is complete when the warp has waited for its group.
void WarpHazards::copy(const protocol::InstructionEvent& event, unsigned warp) {
  const isa::Instruction& i = event.instruction;
  if (i.opcode == isa::Opcode::kCpAsyncCommit) return order_.copies_commit(warp);
  if (i.opcode == isa::Opcode::kCpAsyncWait) return order_.copies_wait(warp, static_cast<unsigned>(i.imm));
  Actor actor = begin(event, warp);
  Clock before = order_.clock(warp);  // what its warp knows and did
  before.raise(warp, order_.now(warp));
  actor.agent = order_.agents().copies(warp);
  actor.epoch = order_.now(actor.agent);
  actor.clock = &before;
  memory_.begin(actor, cluster(event));
  for (const bool writes : {false, true}) {
    const std::uint32_t* const row = event.registers.row(writes ? i.rs2 : i.rs1);
    for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      memory_.actor().lane = static_cast<std::uint8_t>(lane);
      memory_.access(row[lane], i.access_bytes, writes);
    }
  }
}

void WarpHazards::commit(const protocol::Origin& origin, const isa::RegisterFile& registers) {
  const unsigned warp = order_.agents().warp(origin.core, origin.warp);
  auto& all = warps_[warp].waiting;
  if (all.empty()) return;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Waiting& w) { return w.pc == origin.pc; });
  if (found == all.end()) return;
  memory_.observe(warp, found->words);
  if (found->unit != kNoUnit) {
    std::uint32_t value = 0;
    for (std::uint32_t rest = found->lanes; rest != 0; rest &= rest - 1)
      value = std::max(value, registers.row(found->rd)[__builtin_ctz(rest)]);
    if (found->counter) units_.see_loops(warp, found->unit, value);
    else if (value == 0) units_.see_idle(warp, found->unit);
  }
  all.erase(found);
}

void WarpHazards::arrive(base::Cycle cycle, const protocol::Origin& origin, unsigned id, unsigned count) {
  const unsigned warp = order_.agents().warp(origin.core, origin.warp);
  barriers_.arrive(cycle, origin, warp, id, count);
  order_.arrive(warp, id);
}

void WarpHazards::release(unsigned core, unsigned id) {
  barriers_.release(core, id);
  order_.release(core, id);
}

void WarpHazards::start(unsigned warp) {
  warps_[warp].ended = false;
  barriers_.restart(warp);
}

void WarpHazards::end(unsigned warp) {
  warps_[warp].ended = true;
  barriers_.restart(warp);
  order_.end(warp);
}

}  // namespace spica::check
