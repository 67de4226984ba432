// SPDX-License-Identifier: Apache-2.0
// What matrix units and their DMAs do.
#include <fmt/format.h>

#include <algorithm>

#include "models/matrix_unit/matrix_unit_regs.h"
#include "platform/observe/check/hazard_checker.h"

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

unsigned HazardChecker::unit_at(unsigned core, std::uint32_t address) const {
  const protocol::Region* region = map_.find(address);
  if (region == nullptr || region->unit == protocol::Region::kNoUnit) return kNoUnit;
  return core / cores_of_cluster_ * units_of_cluster_ + region->unit;
}

/// Registers and commands of a unit are for one driver at a time.
void HazardChecker::touch_port(const protocol::InstructionEvent& event, unsigned warp, unsigned unit) {
  Mark& last = units_[unit].last_command;
  cycle_ = event.cycle;
  ++event_;
  if (last.agent != Agents::kNobody && last.agent != warp &&
      order_.clock(warp).of(last.agent, Access::kRead) < last.epoch &&
      units_[unit].rivals.insert(std::minmax<unsigned>(last.agent, warp)).second) {
    Finding f;
    f.kind = Kind::kCommandOrder;
    f.cycle = event.cycle;
    f.first = party(last, true);
    f.first.what = Party::What::kCommand;
    f.second = {Party::What::kCommand, event.origin.core, event.origin.warp, static_cast<std::uint16_t>(unit),
                event.origin.lanes,    event.origin.pc};
    f.detail =
        "two warps write registers or commands of the same unit: they may interleave, and commands may be lost";
    f.advice = "let one warp drive the unit, or put a barrier (simt_barrier) between the two";
    findings_.add(std::move(f), event_);
  }
  last = {order_.now(warp), event.origin.pc, static_cast<std::uint16_t>(warp), 0, 0};
}

/// A unit without a queue loses a command that arrives while another one cannot proceed. It keeps two loops, and a
/// third command waits in front of them.
void HazardChecker::check_queue(const protocol::InstructionEvent& event, unsigned warp, unsigned unit) {
  constexpr std::size_t kKept = 3;
  if (params_.cluster.matrix_units[unit % units_of_cluster_].command_queue != 0) return;
  std::vector<Mark>& open = units_[unit].open;
  if (open.size() >= kKept) {
    Finding f;
    f.kind = Kind::kCommandBusy;
    f.cycle = event.cycle;
    f.first = party(open.front(), true);
    f.second = {Party::What::kCommand, event.origin.core, event.origin.warp, static_cast<std::uint16_t>(unit),
                event.origin.lanes,    event.origin.pc};
    f.first.what = Party::What::kCommand;
    f.first.unit = f.second.unit;
    f.detail = fmt::format(
        "{} commands since the first have not been waited for; with two loops under way the unit "
        "loses commands written to CSR 0xACC",
        open.size());
    f.advice = "wait until the unit is idle (matrix_unit_fence) between the two";
    findings_.add(std::move(f), ++event_);
    open.erase(open.begin());
  }
  open.push_back({order_.now(warp), event.origin.pc, static_cast<std::uint16_t>(warp), 0, 0});
}

void HazardChecker::see_idle(unsigned warp, unsigned unit) {
  order_.see_idle(warp, unit);
  units_[unit].open.clear();
}

void HazardChecker::give_command(const protocol::InstructionEvent& event, unsigned warp, unsigned unit,
                                 bool csr) {
  warps_[warp].commands.push_back(
      {event.origin.pc, csr, unit, warps_[warp].issued_loops[unit], order_.publish(warp)});
}

void HazardChecker::on_command(base::Cycle, unsigned source, const protocol::Origin& origin,
                               std::uint32_t word) {
  const unsigned unit = unit_of_source_(source);
  if (unit == kNoUnit) return;
  const unsigned warp = order_.agents().warp(origin.core, origin.warp);
  // Commands of a warp come in its program order; those before this one were lost or refused.
  auto& given = warps_[warp].commands;
  while (!given.empty() && (given.front().pc != origin.pc || given.front().unit != unit)) given.pop_front();
  Party party{Party::What::kCommand,
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
    party.through_csr = given.front().csr;
    party.issued_loops = given.front().issued_loops;
    order_.command(unit, origin.command, warp, given.front().published);
    given.pop_front();
  }
  auto& commands = units_[unit].commands;
  commands.insert_or_assign(origin.command, party);
  if (commands.size() > 128) commands.erase(commands.begin());
}

std::uint32_t HazardChecker::unit_site(unsigned unit, const protocol::UnitWork& work, Party::What what) {
  Unit::Site& site =
      units_[unit].sites[static_cast<unsigned>(what) - static_cast<unsigned>(Party::What::kUnitLoad)];
  if (site.command == work.origin.command && site.command != 0) return site.index;
  const auto& commands = units_[unit].commands;
  const auto found = commands.find(work.origin.command);
  Party party = found != commands.end() ? found->second : Party{};
  if (found == commands.end()) {
    party.core = work.origin.core;
    party.warp = work.origin.warp;
    party.lanes = work.origin.lanes;
    party.pc = work.origin.pc;
    party.unit = static_cast<std::uint16_t>(unit);
    party.command = work.origin.command;
  }
  party.what = what;
  site = {work.origin.command, static_cast<std::uint32_t>(unit_sites_.size())};
  unit_sites_.push_back(party);
  site_loops_.push_back(work.loop);
  return site.index;
}

void HazardChecker::on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) {
  const unsigned unit = unit_of_source_(source);
  if (unit == kNoUnit) return;
  using What = Party::What;
  const Engine engine = engine_for(work.kind);
  const std::uint16_t agent = order_.agents().engine(unit, engine);
  order_.begin_work(agent, work.id, work.origin.command);
  units_[unit].last_loop = std::max(units_[unit].last_loop, work.loop);
  cycle_ = cycle;
  ++event_;
  cluster_ = unit / units_of_cluster_;
  const What from = engine == Engine::kLoad    ? What::kUnitLoad
                    : engine == Engine::kStore ? What::kUnitStore
                                               : What::kUnitOperand;
  const What to = engine == Engine::kExecute ? What::kUnitResult : from;
  actor_ = {agent, order_.now(agent), unit_site(unit, work, from), 0, 0, Waits::kNo, &order_.clock(agent)};
  piece(work.from, unit);
  if (to != from) actor_.site = unit_site(unit, work, to);
  piece(work.to, unit);
  check_sums(work, unit);
  check_tile(work.from, unit, work);
  check_tile(work.to, unit, work);
}

void HazardChecker::on_work_end(base::Cycle, unsigned source, std::uint32_t id) {
  if (const unsigned unit = unit_of_source_(source); unit != kNoUnit) order_.end_work(unit, id);
}

void HazardChecker::piece(const protocol::Piece& piece, unsigned unit) {
  if (piece.space == Space::kNone) return;
  for (std::uint32_t block = 0; block < piece.blocks; ++block) {
    for (std::uint32_t row = 0; row < piece.rows; ++row) {
      const std::uint32_t at = piece.address + block * piece.block_stride + row * piece.stride;
      switch (piece.space) {
        case Space::kGlobal:
          memory_ = Memory::kGlobal;
          if (map_.route(at) == protocol::Route::kGlobal)
            access_bytes(global_, at, piece.row_bytes, at, piece.write);
          break;
        case Space::kShared:
          memory_ = Memory::kShared;
          if (at + piece.row_bytes <= shared_bytes_)
            access_bytes(shared_[cluster_], at, piece.row_bytes, shared_base_ + at, piece.write);
          break;
        case Space::kAccumulator: {
          memory_ = Memory::kAccumulator;
          Shadow& rows = accumulators_[unit];
          if (!rows.holds(at)) break;
          if (piece.write) write(rows, rows.word(at), at);
          else read(rows, rows.word(at), at);
          break;
        }
        case Space::kNone: break;
      }
    }
  }
}

/// Whether what a unit adds to is what the product has added up so far: the unit has room for one product's sums at a
/// time in each row. Two ways to go wrong show in the commands: a product goes on behind another one that has overwritten
/// its sums, or begins by adding to sums that are stored already.
void HazardChecker::check_sums(const protocol::UnitWork& work, unsigned unit) {
  const bool reads = work.from.space == Space::kAccumulator;
  const protocol::Piece& rows = reads ? work.from : work.to;
  if (rows.space != Space::kAccumulator) return;
  auto& all = units_[unit].sums;
  for (std::uint32_t block = 0; block < rows.blocks; ++block)
    for (std::uint32_t i = 0; i < rows.rows; ++i) {
      const std::uint32_t row = rows.address + block * rows.block_stride + i * rows.stride;
      if (row >= all.size()) continue;
      Unit::Sums& sums = all[row];
      if (reads) {
        sums.stored = true;
        continue;
      }
      const bool same = sums.command == work.origin.command;
      if (work.accumulate && !same && sums.command != 0) {
        if (sums.stored)
          foreign_sums(sums.begin, row,
                       "the sums of the first have been stored, and the second does not begin with new ones");
        else if (sums.overwrote)
          foreign_sums(
              sums.begin, row,
              "the first has overwritten the sums of a product before it, which nothing had stored, and the second "
              "adds to what it left");
      } else if (!work.accumulate && !same) {
        sums.overwrote = sums.command != 0 && !sums.stored && work.kind == WorkKind::kCompute;
        sums.begin = actor_.site;
      }
      sums.command = work.origin.command;
      sums.stored = false;
    }
}

void HazardChecker::foreign_sums(std::uint32_t other, std::uint32_t row, const char* detail) {
  Finding f;
  f.kind = Kind::kForeignSums;
  f.cycle = cycle_;
  f.first = unit_sites_[other];
  f.second = unit_sites_[actor_.site];
  f.memory = Memory::kAccumulator;
  f.address = row;
  if (findings_.known(f, event_)) return;
  f.detail = detail;
  f.advice =
      "store the sums of a product before the next one begins, and begin each one without adding (Accumulator: one at a time); "
      "or give the second to another unit";
  findings_.add(std::move(f), event_);
}

/// A tile in global memory that begins in a buffer must end there.
void HazardChecker::check_tile(const protocol::Piece& piece, unsigned unit, const protocol::UnitWork& work) {
  if (piece.space != Space::kGlobal || piece.rows == 0) return;
  const std::uint64_t last = std::uint64_t{piece.address} + std::uint64_t{piece.rows - 1} * piece.stride +
                             std::uint64_t{piece.blocks - 1} * piece.block_stride + piece.row_bytes - 1;
  Unit::Tile& tile = units_[unit].tiles[static_cast<unsigned>(work.stream)];
  if (tile.command != work.origin.command) tile = {work.origin.command, buffers_.find(piece.address)};
  const Buffers::Buffer* left = tile.home;
  if (left == nullptr || (left->contains(piece.address) && left->contains(last))) return;
  const std::uint32_t where =
      left->contains(piece.address) ? static_cast<std::uint32_t>(left->address + left->bytes) : piece.address;
  Finding f;
  f.kind = Kind::kTile;
  f.cycle = cycle_;
  f.second = unit_sites_[unit_site(
      unit, work, work.kind == WorkKind::kLoad ? Party::What::kUnitLoad : Party::What::kUnitStore)];
  f.memory = Memory::kGlobal;
  f.address = where;
  if (findings_.known(f, event_)) return;
  f.detail = fmt::format("the tile extends outside {}, which is {} bytes at {:#010x}", left->name,
                         left->bytes, left->address);
  f.advice = "check the address, the row length and the size of the tile";
  findings_.add(std::move(f), event_);
}

/// A unit keeps some of its own work in order (gemmini LoopMatmul.scala, ReservationStation.scala;
/// models/matrix_unit/loop_unroller.h). If it does so for the actor and `before`, what was before
/// is known from here on.
bool HazardChecker::held_back(const Mark& before) {
  const Agents& agents = order_.agents();
  if (!agents.is_engine(actor_.agent) || !agents.is_engine(before.agent) ||
      agents.unit_of(actor_.agent) != agents.unit_of(before.agent))
    return false;
  const std::uint32_t mine = site_loops_[actor_.site], other = site_loops_[before.site];
  const Engine me = agents.engine_of(actor_.agent), him = agents.engine_of(before.agent);
  // Commands that are no loop wait until older ones have issued everything, and everything waits for them. Of
  // loops there are two at a time. In one loop, computing follows the loads and stores follow computing.
  const bool neighbours = mine != 0 && other != 0 && (mine == other + 1 || other == mine + 1);
  // Between neighbours, computing and storing wait for each other, loads of operands for nothing.
  // Parts that were issued when the younger command was given are waited for, too.
  const bool issued = mine > other ? unit_sites_[actor_.site].issued_loops >= other
                                   : unit_sites_[before.site].issued_loops >= mine;
  if (neighbours && !issued && (me == Engine::kLoad || him == Engine::kLoad)) return false;
  order_.hold_back(actor_.agent, before.agent, before.epoch);
  return true;
}

}  // namespace spica::check
