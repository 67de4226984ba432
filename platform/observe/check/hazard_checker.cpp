// SPDX-License-Identifier: Apache-2.0
// What warps do: accesses, fences, barriers, and what else they synchronise with.
#include "platform/observe/check/hazard_checker.h"

#include <algorithm>

#include "models/isa/control_flow.h"
#include "models/isa/csr.h"
#include "models/isa/fragment_use.h"
#include "models/isa/registers.h"
#include "models/matrix_unit/matrix_unit_regs.h"
#include "models/protocol/fragment_access.h"
#include "models/protocol/tensor_shape.h"

namespace spica::check {

namespace {

constexpr std::uint64_t kFloatRows = ~std::uint64_t{0} << isa::kFloatRow;

unsigned units(const soc::SocParams& p) {
  return static_cast<unsigned>(p.clusters * p.cluster.matrix_units.size());
}

}  // namespace

HazardChecker::HazardChecker(const soc::SocParams& params, const protocol::AddressMap& map,
                             const loader::Program& program, UnitOfSource unit_of_source)
    : params_(params),
      map_(map),
      unit_of_source_(std::move(unit_of_source)),
      cores_of_cluster_(static_cast<unsigned>(params.cluster.cores)),
      units_of_cluster_(static_cast<unsigned>(params.cluster.matrix_units.size())),
      shared_base_(static_cast<std::uint32_t>(params.cluster.memory_map.shared_base)),
      shared_bytes_(static_cast<std::uint32_t>(params.cluster.shared_memory.size)),
      lanes_are_independent_(params.cluster.core.load_store.lanes ==
                             decltype(params.cluster.core.load_store.lanes)::kIndependent),
      order_({static_cast<unsigned>(params.clusters) * cores_of_cluster_,
              static_cast<unsigned>(params.cluster.core.warps), units(params),
              params.cluster.tensor_core.is_decoupled(), params.cluster.core.async_copy},
             cores_of_cluster_, params.cluster.core.barrier_waits_for_memory),
      kernels_(static_cast<unsigned>(params.command_processor.queues), order_.agents().count()),
      code_(program),
      buffers_(program),
      stacks_(loader::stack_layout(program)),
      barriers_(findings_, order_.agents().warps()),
      warps_(order_.agents().warps()),
      units_(units(params)) {
  for (WarpState& state : warps_) state.issued_loops.resize(units_.size(), 0);
  for (unsigned cluster = 0; cluster < params.clusters; ++cluster) shared_.emplace_back(shared_bytes_ / 4);
  for (unsigned unit = 0; unit < units_.size(); ++unit) {
    const auto rows = params.cluster.matrix_units[unit % units_of_cluster_].accumulator_rows();
    accumulators_.emplace_back(rows);
    units_[unit].sums.resize(rows);
  }
}

void HazardChecker::initialised(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t at = address; at < address + bytes; ++at) {
    const std::uint64_t offset = at - shared_base_;
    if (offset >= shared_bytes_) continue;
    Cell& word = shared_[0].word(static_cast<std::uint32_t>(offset / 4));
    const bool whole = offset % 4 == 0 && at + 4 <= address + bytes;
    if (whole && !word.write.has(Mark::kSplit)) {
      word.write.flags |= Mark::kInitialised;
      at += 3;
    } else {
      shared_[0].divide(word)[offset % 4].write.flags |= Mark::kInitialised;
    }
  }
}

void HazardChecker::on_issue(const protocol::InstructionEvent& event) {
  const isa::Instruction& instruction = event.instruction;
  const unsigned warp = order_.agents().warp(event.origin.core, event.origin.warp);
  order_.use(warp, instruction.reads | instruction.writes());
  WarpState& state = warps_[warp];
  if (state.products && ((instruction.reads | instruction.writes()) & kFloatRows) != 0) {
    Finding f;
    f.kind = Kind::kRegisters;
    f.cycle = event.cycle;
    f.first = {Party::What::kInstruction, event.origin.core, event.origin.warp, 0, 0, state.product_pc};
    f.second = {Party::What::kInstruction, event.origin.core, event.origin.warp, 0,
                event.origin.lanes,        event.origin.pc};
    f.detail = "the tensor core still reads and writes f0 to f31";
    f.advice = "decoupled_tensor_wait() between the two";
    findings_.add(std::move(f), ++event_);
  }
  switch (instruction.unit) {
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kAtomic: return access(event, warp);
    case isa::Unit::kFence: return order_.fence(warp);
    case isa::Unit::kSystem: return order_.drain(warp);
    case isa::Unit::kTensor: return tensor(event, warp);
    case isa::Unit::kAsync: return copy(event, warp);
    case isa::Unit::kWarpControl: break;
    default: return;
  }
  // Where lanes part at any branch, a barrier refuses to be reached by some of them.
  if (params_.cluster.core.reconvergence == decltype(params_.cluster.core.reconvergence)::kMinPc) return;
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
void HazardChecker::begin_actor(const protocol::InstructionEvent& event, unsigned warp) {
  cycle_ = event.cycle;
  ++event_;
  cluster_ = event.origin.core / cores_of_cluster_;
  actor_ = {static_cast<std::uint16_t>(warp),
            order_.now(warp),
            event.origin.pc,
            0,
            0,
            Waits::kNo,
            &order_.clock(warp)};
}

/// In shared or global memory; false: somewhere else.
bool HazardChecker::access_word(std::uint32_t address, unsigned bytes, bool writes) {
  if (address - shared_base_ < shared_bytes_) {
    memory_ = Memory::kShared;
    access_bytes(shared_[cluster_], address - shared_base_, bytes, address, writes);
    return true;
  }
  if (map_.route(address) != protocol::Route::kGlobal) return false;
  memory_ = Memory::kGlobal;
  access_bytes(global_, address, bytes, address, writes);
  return true;
}

void HazardChecker::access(const protocol::InstructionEvent& event, unsigned warp) {
  const isa::Instruction& i = event.instruction;
  const bool atomic = i.unit == isa::Unit::kAtomic, store = i.unit == isa::Unit::kStore;
  const bool writes = store || (atomic && i.opcode != isa::Opcode::kLrW);
  if (atomic && (i.word >> 25 & 1) != 0) order_.fence(warp);  // rl: everything before it is done first
  const std::uint32_t* base = event.registers.row(i.rs1 == isa::kNoRegister ? 0 : i.rs1);
  const auto offset = atomic ? 0u : static_cast<std::uint32_t>(i.imm);

  begin_actor(event, warp);
  if (atomic) {
    actor_.flags = Mark::kAtomic;
    actor_.waits = Waits::kInLoop;
  } else {
    const SyncCode::Use use = code_.use(event.origin.pc);
    if (use == SyncCode::Use::kWaitsInLoop) actor_.waits = Waits::kInLoop;
    if (use == SyncCode::Use::kBeforeFence) actor_.waits = Waits::kFenced;
    if (use == SyncCode::Use::kBehindFence) actor_.flags = Mark::kReleasing;
  }
  std::uint32_t peripheral = 0;
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t address = base[lane] + offset;
    actor_.lane = static_cast<std::uint8_t>(lane);
    if (!access_word(address, i.access_bytes, writes)) peripheral |= 1u << lane;
  }
  if (store) check_lanes(event, base, offset);
  if (store)
    for (std::uint32_t rest = peripheral; rest != 0; rest &= rest - 1)
      ring(warp, base[__builtin_ctz(rest)] + offset);
  if (peripheral != 0) access_peripheral(event, warp, base[__builtin_ctz(peripheral)] + offset, peripheral);
  if (!waiting_.empty()) {
    std::sort(waiting_.begin(), waiting_.end());
    waiting_.erase(std::unique(waiting_.begin(), waiting_.end()), waiting_.end());
    warps_[warp].waiting.push_back({event.origin.pc, waiting_, kNoUnit, false, 0, 0});
    waiting_.clear();
  }
  if (!store && i.writes() != 0) order_.load(warp, i.writes());
}

/// Lanes of one store with the same address and different values: which one remains is undefined.
void HazardChecker::check_lanes(const protocol::InstructionEvent& event, const std::uint32_t* base,
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
      f.memory = base[one] + offset - shared_base_ < shared_bytes_ ? Memory::kShared : Memory::kGlobal;
      f.address = base[one] + offset;
      f.first = f.second = {Party::What::kStore, event.origin.core, event.origin.warp, 0, 0, event.origin.pc};
      f.first.lanes = 1u << one;
      f.second.lanes = 1u << other;
      f.advice = "give each lane its own address, let one lane store (SIMT_IF), or use an atomic operation";
      findings_.add(std::move(f), event_);
    }
  }
}

/// Registers of matrix units; the other peripherals accept anything at any time.
void HazardChecker::access_peripheral(const protocol::InstructionEvent& event, unsigned warp,
                                      std::uint32_t address, std::uint32_t lanes) {
  const unsigned unit = unit_at(event.origin.core, address);
  if (unit == kNoUnit) return;
  const std::uint32_t offset = address % MATRIX_UNIT_BLOCK_BYTES;
  if (event.instruction.unit == isa::Unit::kLoad) {
    if ((offset == MATRIX_UNIT_BUSY || offset == MATRIX_UNIT_LOOPS) &&
        event.instruction.rd != isa::kNoRegister)
      warps_[warp].waiting.push_back(
          {event.origin.pc, {}, unit, offset == MATRIX_UNIT_LOOPS, event.instruction.rd, lanes});
    return;
  }
  touch_port(event, warp, unit);
  if (offset == MATRIX_UNIT_INSTRUCTION)
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) give_command(event, warp, unit, false);
}

void HazardChecker::on_csr(const protocol::InstructionEvent& event) {
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
  const unsigned first = event.origin.core / cores_of_cluster_ * units_of_cluster_;
  if (i.rd != isa::kNoRegister && event.registers.row(i.rd)[isa::scalar_lane(event.origin.lanes)] == 0)
    for (unsigned unit = 0; unit < units_of_cluster_; ++unit) see_idle(warp, first + unit);
  if (!isa::csr_writes(i)) return;
  // The word comes from the first lane of each packet that has an active one (vortex
  // core/VX_sfu_unit.sv).
  const auto width = static_cast<unsigned>(params_.cluster.core.sfu_lanes);
  for (unsigned lane = 0; lane < params_.cluster.core.lanes; lane += width) {
    if ((event.origin.lanes >> lane & ((std::uint64_t{1} << width) - 1)) == 0) continue;
    const std::uint32_t word = i.format == isa::Format::kCsrImm ? isa::csr_constant(i)
                               : i.rs1 == isa::kNoRegister      ? 0
                                                                : event.registers.row(i.rs1)[lane];
    const unsigned unit = word >> MATRIX_UNIT_CISC_UNIT_SHIFT & MATRIX_UNIT_CISC_UNIT_MASK;
    if (unit >= units_of_cluster_) continue;
    touch_port(event, warp, first + unit);
    check_queue(event, warp, first + unit);
    give_command(event, warp, first + unit, true);
  }
}

/// A load or store of a fragment: each lane accesses its pieces.
void HazardChecker::move_fragment(const protocol::InstructionEvent& event, unsigned warp) {
  const isa::Instruction& i = event.instruction;
  const bool store = i.format == isa::Format::kFragmentStore;
  begin_actor(event, warp);
  const std::uint32_t base = event.registers.row(i.rs1)[0], stride = event.registers.row(i.rs2)[0];
  for (const auto& phase : event.fragment->phases)
    for (const auto& piece : phase) {
      actor_.lane = piece.lane;
      access_word(event.fragment->address(piece, base, stride), event.fragment->bytes, store);
    }
  if (!store) order_.load_fragment(warp, isa::fragments_of(i).writes);
}

void HazardChecker::tensor(const protocol::InstructionEvent& event, unsigned warp) {
  if (event.instruction.opcode >= isa::Opcode::kWmma32Mma) {  // it waits for loads into what it names
    const isa::FragmentUse use = isa::fragments_of(event.instruction);
    order_.use_fragments(warp, use.reads | use.writes);
    if (event.fragment != nullptr) move_fragment(event, warp);
    return;
  }
  if (event.instruction.opcode == isa::Opcode::kHgmmaWait) {
    if (order_.agents().tensor_tiles()) order_.tensor_wait(warp);
    warps_[warp].products = false;
    return;
  }
  if (event.instruction.opcode != isa::Opcode::kHgmma || !order_.agents().tensor_tiles()) return;
  cycle_ = event.cycle;
  ++event_;
  if ((order_.loading(warp) & kFloatRows) != 0) {
    Finding f;
    f.kind = Kind::kRegisters;
    f.cycle = event.cycle;
    f.second = {Party::What::kInstruction, event.origin.core, event.origin.warp, 0,
                event.origin.lanes,        event.origin.pc};
    f.detail = "loads into f0 to f31 are under way, and the product does not wait for them";
    f.advice = "decoupled_tensor_settle() between the loads and the product";
    findings_.add(std::move(f), event_);
  }
  warps_[warp].products = true;
  warps_[warp].product_pc = event.origin.pc;
  order_.tensor_begin(warp);
  const std::uint16_t agent = order_.agents().tensor(warp);
  memory_ = Memory::kShared;
  cluster_ = event.origin.core / cores_of_cluster_;
  for (unsigned tile = 0; tile < 2; ++tile) {
    const std::uint32_t address =
        event.registers.row(tile == 0 ? event.instruction.rs1 : event.instruction.rs2)[0];
    actor_ = {agent, order_.now(agent), event.origin.pc | tile, 0, 0, Waits::kNo, &order_.clock(agent)};
    access_bytes(shared_[cluster_], address - shared_base_, protocol::kTensorTileBytes, address, false);
  }
}

/// An asynchronous copy, or the end of a group or a wait for groups. What a copy reads and writes comes behind what its
/// warp has done before, and is complete when the warp has waited for its group.
void HazardChecker::copy(const protocol::InstructionEvent& event, unsigned warp) {
  const isa::Instruction& i = event.instruction;
  if (i.opcode == isa::Opcode::kCpAsyncCommit) return order_.copies_commit(warp);
  if (i.opcode == isa::Opcode::kCpAsyncWait) return order_.copies_wait(warp, static_cast<unsigned>(i.imm));
  begin_actor(event, warp);
  before_copy_ = order_.clock(warp);
  before_copy_.raise(warp, order_.now(warp));
  actor_.agent = order_.agents().copies(warp);
  actor_.epoch = order_.now(actor_.agent);
  actor_.clock = &before_copy_;
  for (const bool writes : {false, true}) {
    const std::uint32_t* const row = event.registers.row(writes ? i.rs2 : i.rs1);
    for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
      actor_.lane = static_cast<std::uint8_t>(__builtin_ctz(rest));
      access_word(row[actor_.lane], i.access_bytes, writes);
    }
  }
}

/// The value of a load has arrived: what it shows counts from here on.
void HazardChecker::on_commit(base::Cycle, const protocol::Origin& origin,
                              const isa::RegisterFile& registers) {
  const unsigned warp = order_.agents().warp(origin.core, origin.warp);
  auto& all = warps_[warp].waiting;
  if (all.empty()) return;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Waiting& w) { return w.pc == origin.pc; });
  if (found == all.end()) return;
  for (const std::uint64_t key : found->words) {
    SyncWord& word = sync_.at(key);
    if (word.seen[warp] > order_.since(warp)) continue;
    word.seen[warp] = order_.now(warp) + 1;
    order_.acquire_value(warp, word.published);
  }
  if (found->unit != kNoUnit) {
    std::uint32_t value = 0;
    for (std::uint32_t rest = found->lanes; rest != 0; rest &= rest - 1)
      value = std::max(value, registers.row(found->rd)[__builtin_ctz(rest)]);
    std::uint32_t& issued = warps_[warp].issued_loops[found->unit];
    const std::uint32_t begun = units_[found->unit].last_loop;
    if (found->counter) issued = std::max(issued, begun - std::min(begun, value));
    else if (value == 0) see_idle(warp, found->unit);
  }
  all.erase(found);
}

void HazardChecker::on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id,
                                       unsigned count) {
  const unsigned warp = order_.agents().warp(origin.core, origin.warp);
  barriers_.arrive(cycle, origin, warp, id, count);
  order_.arrive(warp, id);
}

void HazardChecker::on_barrier_release(base::Cycle, unsigned core, unsigned id) {
  barriers_.release(core, id);
  order_.release(core, id);
}

void HazardChecker::on_warp_start(base::Cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                                  std::uint32_t) {
  const unsigned child = order_.agents().warp(core, warp);
  warps_[child].ended = false;
  barriers_.restart(child);
  if (by.unit == protocol::Origin::Unit::kCore) order_.spawn(order_.agents().warp(by.core, by.warp), child);
  else if (const Knowledge* behind = kernels_.behind(child)) order_.acquire(child, *behind);
}

void HazardChecker::on_warp_end(base::Cycle, const protocol::Origin& origin) {
  const unsigned warp = order_.agents().warp(origin.core, origin.warp);
  warps_[warp].ended = true;
  barriers_.restart(warp);
  order_.end(warp);
  kernels_.leave(warp, order_.left(warp));
}

void HazardChecker::add_fault(const protocol::GuestFault& fault) {
  using protocol::FaultKind;
  if (fault.kind != FaultKind::kCommandLost && fault.kind != FaultKind::kBadMatrixCommand &&
      fault.kind != FaultKind::kUnitAccess)
    return;
  Finding f;
  f.kind = fault.kind == FaultKind::kCommandLost ? Kind::kCommandLost : Kind::kTile;
  f.cycle = fault.cycle;
  f.second = {Party::What::kCommand, fault.origin.core, fault.origin.warp, 0,
              fault.origin.lanes,    fault.origin.pc};
  f.detail = fault.detail;
  f.advice = f.kind == Kind::kCommandLost
                 ? "wait until the unit is idle (matrix_unit_fence) before the command; let "
                   "one warp give all commands of a unit"
                 : "check the position and the size of the tile";
  findings_.add(std::move(f), ++event_);
}

void HazardChecker::end(base::Cycle cycle) { barriers_.end(cycle); }

}  // namespace spica::check
