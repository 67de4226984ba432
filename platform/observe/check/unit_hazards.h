// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/protocol/payload/guest_fault.h"
#include "models/protocol/ports/probe_if.h"
#include "platform/observe/check/actor.h"
#include "platform/observe/check/buffers.h"
#include "platform/observe/check/memory_hazards.h"
#include "platform/observe/check/product_sums.h"
#include "platform/observe/check/unit_sites.h"

namespace spica::check {

/// Checks commanded units and the warps that drive them: commands, their order and their work. Units are numbered
/// within the machine.
class UnitHazards {
 public:
  UnitHazards(const soc::SocParams& params, Order& order, UnitSites& sites, MemoryHazards& memory,
              const Conflicts& conflicts, const Buffers& buffers, Moment& moment, Findings& findings);

  const protocol::UnitRules& rules() const { return sites_.rules(); }

  // -- warps
  /// A warp writes a register or issues a command; only one driver may do so at a time.
  void touch(const protocol::InstructionEvent& event, unsigned warp, unsigned unit);
  /// A warp issues a command through the CSR, or through registers.
  void give_by_csr(const protocol::InstructionEvent& event, unsigned warp, unsigned unit);
  void give(const protocol::InstructionEvent& event, unsigned warp, unsigned unit) {
    give(event, warp, unit, false);
  }
  /// A warp has read that the unit is idle.
  void see_idle(unsigned warp, unsigned unit);
  /// A warp has read the number of loops in progress.
  void see_loops(unsigned warp, unsigned unit, std::uint32_t loops);
  /// The units belong to other warps from now on.
  void forget_driver(unsigned unit) { units_[unit].last_command = {}; }

  // -- the units
  void take(unsigned unit, const protocol::Origin& origin, std::uint32_t word);
  void begin(base::Cycle cycle, unsigned unit, const protocol::UnitWork& work);
  void end(unsigned unit, std::uint32_t id) { order_.end_work(unit, id); }
  /// A fault reported by a unit.
  void complain(const protocol::GuestFault& fault);

 private:
  struct Given {
    std::uint32_t pc;
    bool csr;
    unsigned unit;
    std::uint32_t issued_loops;
    Knowledge published;
  };
  struct Driver {
    std::deque<Given> commands;  // issued, not yet accepted by the unit
    std::vector<std::uint32_t> issued_loops;  // by unit: the loop up to which it knows all parts to be issued
  };
  struct Tile {  // in global memory, of one command and one matrix
    std::uint32_t command = 0;
    const Buffers::Buffer* home = nullptr;  // the buffer where it begins; nullptr: unknown
  };
  struct Unit {
    explicit Unit(std::uint32_t rows, bool queue) : has_queue(queue), sums(rows) {}
    bool has_queue;
    Mark last_command;  // requester of the last command
    std::set<std::pair<unsigned, unsigned>> rivals;  // warps that issued commands without order
    std::vector<Mark> open;  // commands through the CSR since a warp last saw the unit idle
    std::uint32_t last_loop = 0;  // the last loop that began
    std::array<Tile, 4> tiles;  // by Move::Stream
    ProductSums sums;
  };

  void give(const protocol::InstructionEvent& event, unsigned warp, unsigned unit, bool csr);
  void check_queue(const protocol::InstructionEvent& event, unsigned warp, unsigned unit);
  Mark mark(const protocol::InstructionEvent& event, unsigned warp) const;
  bool is_behind(unsigned warp, const Mark& access) const;
  Finding finding(Kind kind, const protocol::InstructionEvent& event, const Mark& first, unsigned unit) const;
  void access(const protocol::Piece& piece, unsigned unit);
  void check_tile(const protocol::Piece& piece, unsigned unit, const protocol::UnitWork& work);
  std::string until_idle(const char* where) const;

  const Shape shape_;
  Order& order_;
  UnitSites& sites_;
  MemoryHazards& memory_;
  const Conflicts& conflicts_;
  const Buffers& buffers_;
  Moment& moment_;
  Findings& findings_;
  std::vector<Driver> drivers_;  // by warp
  std::vector<Unit> units_;
};

}  // namespace spica::check
