// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/watchpoints.h"

#include <algorithm>

#include "models/isa/instruction.h"
#include "models/isa/registers.h"

namespace spica::debug {

namespace {

using protocol::Piece;
using Watch = Watchpoints::Watch;
using Hit = Watchpoints::Hit;

bool sees(const Watch& watch, bool write) { return watch.kind == '4' || (watch.kind == '2') == write; }

/// Adds what a watchpoint found. Not when gdb gives an earlier hit of the same access to this
/// watchpoint as well: then it has been notified. A read watchpoint is not notified of a value that has
/// changed, so a read that is also a write (an atomic operation) comes once more.
void add(std::vector<Hit>& hits, const Watch& watch, const Hit& hit) {
  for (const Hit& earlier : hits)
    if (watch.contains(earlier.address) && (hit.write || !earlier.write)) return;
  hits.push_back(hit);
}

/// The first byte of [begin, begin + bytes) that is watched.
bool touches(const Watch& watch, std::uint64_t begin, std::uint64_t bytes, std::uint32_t& address) {
  if (begin >= std::uint64_t{watch.address} + watch.bytes || watch.address >= begin + bytes) return false;
  address = std::max(static_cast<std::uint32_t>(begin), watch.address);
  return true;
}

}  // namespace

bool Watchpoints::wants(char kind, std::uint32_t address) const {
  return std::any_of(watches_.begin(), watches_.end(),
                     [=](const Watch& watch) { return watch.kind == kind && watch.contains(address); });
}

std::vector<Hit> Watchpoints::of_access(const protocol::InstructionEvent& event) const {
  std::vector<Hit> hits;
  if (watches_.empty()) return hits;
  const isa::Instruction& instruction = event.instruction;
  const bool atomic = instruction.unit == isa::Unit::kAtomic;
  const bool copies = instruction.format == isa::Format::kAsyncCopy;  // reads at rs1, writes at rs2
  const bool reads = instruction.unit == isa::Unit::kLoad || atomic || copies;
  const bool writes =
      instruction.unit == isa::Unit::kStore || copies || (atomic && instruction.opcode != isa::Opcode::kLrW);
  if (!reads && !writes) return hits;
  const std::uint32_t offset = atomic ? 0 : static_cast<std::uint32_t>(instruction.imm);
  // Writes first, and watchpoints in the order of their kinds.
  for (const bool write : {true, false}) {
    if (!(write ? writes : reads)) continue;
    const std::uint8_t row = copies && write ? instruction.rs2 : instruction.rs1;
    const std::uint32_t* const base = event.registers.row(row == isa::kNoRegister ? 0 : row);
    for (const Watch& watch : watches_) {
      if (!sees(watch, write) || (atomic && writes && !write && watch.kind != '3')) continue;
      Hit hit{watch.kind, 0, 0, write};
      for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
        std::uint32_t address = 0;
        if (!touches(watch, base[lane] + offset, instruction.access_bytes, address)) continue;
        if (hit.lanes == 0) hit.address = address;
        hit.lanes |= 1u << lane;
      }
      if (hit.lanes != 0) add(hits, watch, hit);
    }
  }
  return hits;
}

std::vector<Hit> Watchpoints::of_piece(const Piece& piece, std::uint32_t shared_base) const {
  std::vector<Hit> hits;
  if (piece.space != Piece::Space::kGlobal && piece.space != Piece::Space::kShared) return hits;
  const std::uint32_t first =
      piece.space == Piece::Space::kShared ? shared_base + piece.address : piece.address;
  for (const Watch& watch : watches_) {
    if (!sees(watch, piece.write)) continue;
    Hit hit{watch.kind, 0, 0, piece.write};
    bool found = false;
    for (std::uint32_t row = 0; row < piece.rows && !found; ++row)
      for (std::uint32_t block = 0; block < piece.blocks && !found; ++block)
        found = touches(watch, first + row * piece.stride + block * piece.block_stride, piece.row_bytes,
                        hit.address);
    if (found) add(hits, watch, hit);
  }
  return hits;
}

}  // namespace spica::debug
