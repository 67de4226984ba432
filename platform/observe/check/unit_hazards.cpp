// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/unit_hazards.h"

#include <fmt/format.h>

#include <algorithm>

namespace spica::check {

namespace {

using Space = protocol::Piece::Space;
using WorkKind = protocol::UnitWork::Kind;

Engine engine_for(WorkKind kind) {
  switch (kind) {
    case WorkKind::kLoad: return Engine::kLoad;
    case WorkKind::kStore: return Engine::kStore;
    default: return Engine::kExecute;
  }
}

}  // namespace

UnitHazards::UnitHazards(const soc::SocParams& params, Order& order, UnitSites& sites, MemoryHazards& memory,
                         const Conflicts& conflicts, const Buffers& buffers, Moment& moment,
                         Findings& findings)
    : shape_(params),
      order_(order),
      sites_(sites),
      memory_(memory),
      conflicts_(conflicts),
      buffers_(buffers),
      moment_(moment),
      findings_(findings),
      drivers_(order.agents().warps()) {
  for (Driver& driver : drivers_) driver.issued_loops.resize(shape_.units(), 0);
  for (unsigned cluster = 0; cluster < shape_.clusters; ++cluster)
    for (const auto& unit : params.cluster.matrix_units)
      units_.emplace_back(static_cast<std::uint32_t>(unit.accumulator_rows()), unit.command_queue != 0);
}

Mark UnitHazards::mark(const protocol::InstructionEvent& event, unsigned warp) const {
  return {order_.now(warp), event.origin.pc, static_cast<std::uint16_t>(warp), 0, 0};
}

/// Of two commands or accesses to the registers of a unit.
Finding UnitHazards::finding(Kind kind, const protocol::InstructionEvent& event, const Mark& first,
                             unsigned unit) const {
  Finding f;
  f.kind = kind;
  f.cycle = event.cycle;
  f.first = conflicts_.accessor(first, true);
  f.first.what = Accessor::What::kCommand;
  f.second = {Accessor::What::kCommand,         event.origin.core,  event.origin.warp,
              static_cast<std::uint16_t>(unit), event.origin.lanes, event.origin.pc};
  return f;
}

std::string UnitHazards::until_idle(const char* where) const {
  return fmt::format("wait until the unit is idle ({}) {}", rules().wait(), where);
}

void UnitHazards::touch(const protocol::InstructionEvent& event, unsigned warp, unsigned unit) {
  Mark& last = units_[unit].last_command;
  moment_.next(event.cycle);
  if (last.agent != Agents::kNone && !is_behind(warp, last) &&
      units_[unit].rivals.insert(std::minmax<unsigned>(last.agent, warp)).second) {
    Finding f = finding(Kind::kCommandOrder, event, last, unit);
    f.detail =
        "two warps write registers or commands of the same unit: they may interleave, and commands may be lost";
    f.advice = "let one warp drive the unit, or put a barrier (simt_barrier) between the two";
    findings_.add(std::move(f), moment_.event);
  }
  last = mark(event, warp);
}

/// A unit without a queue loses a command that arrives while another one cannot proceed.
void UnitHazards::check_queue(const protocol::InstructionEvent& event, unsigned warp, unsigned unit) {
  if (units_[unit].has_queue) return;
  std::vector<Mark>& open = units_[unit].open;
  if (open.size() >= rules().kept_commands()) {
    Finding f = finding(Kind::kCommandBusy, event, open.front(), unit);
    f.first.unit = f.second.unit;
    f.detail = fmt::format(
        "{} commands since the first have not been waited for; with two loops under way the unit "
        "loses commands written to {}",
        open.size(), rules().command_register());
    f.advice = until_idle("between the two");
    findings_.add(std::move(f), ++moment_.event);
    open.erase(open.begin());
  }
  open.push_back(mark(event, warp));
}

void UnitHazards::see_idle(unsigned warp, unsigned unit) {
  order_.see_idle(warp, unit);
  std::vector<Mark>& open = units_[unit].open;
  open.erase(std::remove_if(open.begin(), open.end(), [&](const Mark& one) { return is_behind(warp, one); }),
             open.end());
}

/// Whether what the warp does now comes after the access to the registers.
bool UnitHazards::is_behind(unsigned warp, const Mark& access) const {
  return access.agent == warp || order_.clock(warp).of(access.agent, Access::kRead) >= access.epoch;
}

void UnitHazards::see_loops(unsigned warp, unsigned unit, std::uint32_t loops) {
  std::uint32_t& issued = drivers_[warp].issued_loops[unit];
  const std::uint32_t begun = units_[unit].last_loop;
  issued = std::max(issued, begun - std::min(begun, loops));
}

void UnitHazards::give_by_csr(const protocol::InstructionEvent& event, unsigned warp, unsigned unit) {
  touch(event, warp, unit);
  check_queue(event, warp, unit);
  give(event, warp, unit, true);
}

void UnitHazards::give(const protocol::InstructionEvent& event, unsigned warp, unsigned unit, bool csr) {
  Driver& driver = drivers_[warp];
  driver.commands.push_back({event.origin.pc, csr, unit, driver.issued_loops[unit], order_.publish(warp)});
}

void UnitHazards::take(unsigned unit, const protocol::Origin& origin, std::uint32_t word) {
  const unsigned warp = order_.agents().warp(origin.core, origin.warp);
  // Commands of a warp come in its program order; those before this one were lost or refused.
  auto& given = drivers_[warp].commands;
  while (!given.empty() && (given.front().pc != origin.pc || given.front().unit != unit)) given.pop_front();
  Accessor accessor{Accessor::What::kCommand,
                    origin.core,
                    origin.warp,
                    static_cast<std::uint16_t>(unit),
                    origin.lanes,
                    origin.pc,
                    word,
                    origin.command,
                    0,
                    false};
  if (!given.empty()) {
    accessor.through_csr = given.front().csr;
    accessor.issued_loops = given.front().issued_loops;
    order_.command(unit, origin.command, warp, given.front().published);
    given.pop_front();
  }
  sites_.take(unit, accessor);
}

void UnitHazards::begin(base::Cycle cycle, unsigned unit, const protocol::UnitWork& work) {
  using What = Accessor::What;
  const Engine engine = engine_for(work.kind);
  const std::uint16_t agent = order_.agents().engine(unit, engine);
  order_.begin_work(agent, work.id, work.origin.command);
  units_[unit].last_loop = std::max(units_[unit].last_loop, work.loop);
  moment_.next(cycle);
  const What from = engine == Engine::kLoad    ? What::kUnitLoad
                    : engine == Engine::kStore ? What::kUnitStore
                                               : What::kUnitOperand;
  const What to = engine == Engine::kExecute ? What::kUnitResult : from;
  Actor actor;
  actor.agent = agent;
  actor.epoch = order_.now(agent);
  actor.site = sites_.site(unit, work, from);
  actor.clock = &order_.clock(agent);
  memory_.begin(actor, unit / shape_.units_of_cluster);
  access(work.from, unit);
  const std::uint32_t site = to == from ? actor.site : sites_.site(unit, work, to);
  memory_.actor().site = site;
  access(work.to, unit);
  for (const ProductSums::Foreign& foreign : units_[unit].sums.work(work, site)) {
    Finding f;
    f.kind = Kind::kForeignSums;
    f.cycle = moment_.cycle;
    f.first = sites_.accessor(foreign.begin);
    f.second = sites_.accessor(site);
    f.memory = Memory::kAccumulator;
    f.address = foreign.row;
    if (findings_.known(f, moment_.event)) continue;
    f.detail = foreign.detail;
    f.advice =
        "store the sums of a product before starting the next, and start each product without accumulation "
        "(section \"Accumulator: one at a time\"); or use another unit for the second product";
    findings_.add(std::move(f), moment_.event);
  }
  check_tile(work.from, unit, work);
  check_tile(work.to, unit, work);
}

void UnitHazards::access(const protocol::Piece& piece, unsigned unit) {
  if (piece.space == Space::kNone) return;
  for (std::uint32_t block = 0; block < piece.blocks; ++block)
    for (std::uint32_t row = 0; row < piece.rows; ++row) {
      const std::uint32_t at = piece.address + block * piece.block_stride + row * piece.stride;
      if (piece.space == Space::kAccumulator) {
        memory_.access_accumulator(unit, at, piece.write);
      } else if (piece.space == Space::kGlobal) {
        memory_.access_global(at, piece.row_bytes, piece.write);
      } else if (at + piece.row_bytes <= shape_.shared_bytes) {
        memory_.access_shared(at, piece.row_bytes, piece.write);
      }
    }
}

/// A tile in global memory that begins in a buffer must end there.
void UnitHazards::check_tile(const protocol::Piece& piece, unsigned unit, const protocol::UnitWork& work) {
  if (piece.space != Space::kGlobal || piece.rows == 0) return;
  const std::uint64_t last = std::uint64_t{piece.address} + std::uint64_t{piece.rows - 1} * piece.stride +
                             std::uint64_t{piece.blocks - 1} * piece.block_stride + piece.row_bytes - 1;
  Tile& tile = units_[unit].tiles[static_cast<unsigned>(work.stream)];
  if (tile.command != work.origin.command) tile = {work.origin.command, buffers_.find(piece.address)};
  const Buffers::Buffer* left = tile.home;
  if (left == nullptr || (left->contains(piece.address) && left->contains(last))) return;
  Finding f;
  f.kind = Kind::kTile;
  f.cycle = moment_.cycle;
  f.second = sites_.accessor(sites_.site(
      unit, work, work.kind == WorkKind::kLoad ? Accessor::What::kUnitLoad : Accessor::What::kUnitStore));
  f.memory = Memory::kGlobal;
  f.address =
      left->contains(piece.address) ? static_cast<std::uint32_t>(left->address + left->bytes) : piece.address;
  if (findings_.known(f, moment_.event)) return;
  f.detail = fmt::format("the tile extends outside {}, which is {} bytes at {:#010x}", left->name,
                         left->bytes, left->address);
  f.advice = "check the address, the row length and the size of the tile";
  findings_.add(std::move(f), moment_.event);
}

void UnitHazards::complain(const protocol::GuestFault& fault) {
  using protocol::FaultKind;
  if (fault.kind != FaultKind::kCommandLost && fault.kind != FaultKind::kBadMatrixCommand &&
      fault.kind != FaultKind::kUnitAccess)
    return;
  Finding f;
  f.kind = fault.kind == FaultKind::kCommandLost ? Kind::kCommandLost : Kind::kTile;
  f.cycle = fault.cycle;
  f.second = {Accessor::What::kCommand, fault.origin.core, fault.origin.warp, 0,
              fault.origin.lanes,       fault.origin.pc};
  f.detail = fault.detail;
  f.advice = f.kind == Kind::kCommandLost
                 ? until_idle("before the command; let one warp give all commands of a unit")
                 : "check the position and the size of the tile";
  findings_.add(std::move(f), ++moment_.event);
}

}  // namespace spica::check
