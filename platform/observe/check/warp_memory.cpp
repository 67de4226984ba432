// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/warp_memory.h"

#include <fmt/format.h>

#include <utility>

#include "models/isa/instruction.h"
#include "models/isa/stacks.h"
#include "models/protocol/payload/fragment_access.h"
#include "models/protocol/payload/tensor_shape.h"
#include "platform/observe/report/fault_report.h"

namespace spica::check {

namespace {

using isa::kStackPointer;

bool is_access(const isa::Instruction& i) {
  return i.unit == isa::Unit::kLoad || i.unit == isa::Unit::kStore || i.unit == isa::Unit::kAtomic;
}

bool writes(const isa::Instruction& i) {
  return i.unit == isa::Unit::kStore || i.unit == isa::Unit::kAtomic ||
         i.format == isa::Format::kFragmentStore;
}

Accessor::What what_of(const isa::Instruction& i) {
  if (writes(i) && i.unit != isa::Unit::kAtomic) return Accessor::What::kStore;
  return i.unit == isa::Unit::kAtomic ? Accessor::What::kAtomic : Accessor::What::kLoad;
}

/// Which object an access outside another one lands in, where it does.
std::string in_text(const Objects::Range* in) {
  return in == nullptr ? "" : fmt::format(", in `{}`", in->name);
}

std::string bytes_text(std::uint64_t count) { return fmt::format("{} byte{}", count, count == 1 ? "" : "s"); }

}  // namespace

WarpMemory::WarpMemory(const soc::SocParams& params, const protocol::AddressMap& map,
                       const loader::Program& program, const loader::SourceMap& sources,
                       HeapBlocks::ReadMemory read, const Objects& objects, const GroupParts& groups,
                       Written& written, UnitMemory& units, Moment& moment, Findings& findings)
    : map_(map),
      shape_(params),
      objects_(objects),
      groups_(groups),
      written_(written),
      units_(units),
      moment_(moment),
      findings_(findings),
      code_(params, program, sources, read),
      spills_(program, sources),
      pointers_(objects),
      heap_(program, std::move(read)),
      exchange_(program, static_cast<unsigned>(params.cluster.core.warps),
                static_cast<unsigned>(params.cluster.core.lanes)) {}

void WarpMemory::issue(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  if (is_access(i)) access(event);
  else if (event.fragment != nullptr) move_fragment(event);
  else if (i.format == isa::Format::kAsyncCopy) copy(event);
  else if (i.rd == kStackPointer && i.rs1 == kStackPointer && i.opcode == isa::Opcode::kAddi && i.imm > 0)
    leave_frame(event);
  if (i.unit == isa::Unit::kTensor) tensor(event);
  pointers_.issued(event);
}

/// The next function should not read what another one left on the stack.
void WarpMemory::leave_frame(const protocol::InstructionEvent& event) {
  const std::uint32_t* sp = event.registers.row(kStackPointer);
  const auto bytes = static_cast<std::uint32_t>(event.instruction.imm);
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t end = sp[__builtin_ctz(rest)];
    if (code_.in_stacks(end - 1) && code_.in_stacks(end - bytes)) written_.set(end - bytes, bytes, false);
  }
}

void WarpMemory::access(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  ++moment_.event;
  const UserCode::Code code = code_.at(event.origin.pc);
  if (code == UserCode::Code::kHeap && i.unit == isa::Unit::kAtomic)
    heap_.read_blocks();  // it takes the lock
  if (code == UserCode::Code::kHeap && i.unit != isa::Unit::kLoad) heap_.changed();
  const std::uint32_t* base = event.registers.row(i.rs1);
  const auto offset = static_cast<std::uint32_t>(i.unit == isa::Unit::kAtomic ? 0 : i.imm);
  Addresses addresses{};
  bool global = true;
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t address = addresses[lane] = base[lane] + offset;
    const protocol::Region* region = map_.find(address);
    if (region == nullptr || region->route != protocol::Route::kGlobal) {
      global = false;
      if (region != nullptr && i.unit == isa::Unit::kStore) units_.store(event, lane, address, *region);
      check_group(event, lane, address, i.access_bytes);
      continue;
    }
    check_place(event, lane, address, offset, i.access_bytes);
    if (i.unit == isa::Unit::kLoad && exchange_.contains(address)) check_exchange(event, lane, address);
  }
  if (i.unit == isa::Unit::kStore && exchange_.contains(addresses[__builtin_ctz(event.origin.lanes)]))
    exchange_.publish(event.origin);
  if (global && i.unit != isa::Unit::kStore && code == UserCode::Code::kUser) check_written(event, addresses);
  if (i.unit == isa::Unit::kLoad) return;
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1)
    written_.set(addresses[static_cast<unsigned>(__builtin_ctz(rest))], i.access_bytes);
}

/// A load or store of a fragment of a tensor core.
void WarpMemory::move_fragment(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  ++moment_.event;
  const std::uint32_t base = event.registers.row(i.rs1)[0], stride = event.registers.row(i.rs2)[0];
  const protocol::Region* const region = map_.find(base);  // all of the matrix is in one
  const bool global = region != nullptr && region->route == protocol::Route::kGlobal;
  const unsigned bytes = event.fragment->bytes;
  for (const auto& phase : event.fragment->phases)
    for (const auto& piece : phase) {
      const std::uint32_t address = event.fragment->address(piece, base, stride);
      if (global) check_place(event, piece.lane, address, 0, bytes);
      else check_group(event, piece.lane, address, bytes);
      if (writes(i)) written_.set(address, bytes);
      else if (global && !written_.any(address, bytes))
        add_unwritten(event, piece.lane, address, bytes, "write it first, or load it (--load)");
    }
}

/// An asynchronous copy from global to shared memory.
void WarpMemory::copy(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  ++moment_.event;
  const std::uint32_t *const from = event.registers.row(i.rs1), *const to = event.registers.row(i.rs2);
  Addresses addresses{};
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    addresses[lane] = from[lane];
    check_place(event, lane, from[lane], 0, i.access_bytes);
    check_group(event, lane, to[lane], i.access_bytes);
    written_.set(to[lane], i.access_bytes);
  }
  check_written(event, addresses);
}

/// Whether the program has this memory, and may write it.
void WarpMemory::check_place(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                             std::uint32_t offset, unsigned bytes) {
  const isa::Instruction& i = event.instruction;
  const Objects::Range* const section = objects_.read_only(address);
  if (section != nullptr && writes(i))
    return add(Kind::kReadOnly, event, lane, address, fmt::format("section {} is read-only", section->name),
               "check the pointer or index; data that changes must not be const");
  if (heap_.contains(address)) {
    if (code_.at(event.origin.pc) == UserCode::Code::kHeap) return;
    const HeapBlocks::Wrong wrong = heap_.wrong(address, bytes);
    if (!wrong.detail.empty())
      add(Kind::kHeap, event, lane, address, wrong.detail,
          wrong.freed ? "free the block after its last use"
                      : "check the index and the size of the block, and that it is still allocated");
    return;
  }
  check_object(event, lane, address, offset, bytes);
}

/// Whether it is in the object that it is meant for.
void WarpMemory::check_object(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                              std::uint32_t offset, unsigned bytes) {
  if (address >= objects_.end() + Landings::kReach) return;
  constexpr const char* kAdvice = "check the index or pointer";
  const Objects::Place place = objects_.place(address);
  const Objects::Range* const in = place.inside ? place.before : nullptr;
  const Pointers::Target pointer = pointers_.target(event.origin, event.instruction.rs1, lane, offset);
  const Objects::Range* const meant = pointer.object;
  if (meant != nullptr && in != nullptr && in != meant && address >= meant->end &&
      address - meant->end < Landings::kReach && in->begin >= meant->end)
    return add(Kind::kOutside, event, lane, address, outside_text(*meant, address) + in_text(in), kAdvice);
  if (landings_.is_news(pointer, in, address, event.origin.pc))
    for (Finding& f : landings_.add(pointer, in, finding(Kind::kOutside, event, lane, address))) {
      const Objects::Place other = objects_.place(f.address);
      f.detail += in_text(other.inside ? other.before : nullptr);
      f.advice = kAdvice;
      findings_.add(std::move(f), moment_.event);
    }
  if (in == nullptr && place.before != nullptr)
    return add(Kind::kOutside, event, lane, address, outside_text(*place.before, address), kAdvice);
  const std::uint64_t last = std::uint64_t{address} + bytes - 1;
  if (in != nullptr && !in->contains(last) && !objects_.place(last).inside)
    return add(Kind::kOutside, event, lane, address,
               fmt::format("{} of it past the end of `{}` ({} at {:#010x})", bytes_text(last - in->end + 1),
                           in->name, bytes_text(in->end - in->begin), in->begin),
               kAdvice);
}

/// Shared memory has an owner where work groups run.
void WarpMemory::check_group(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                             unsigned bytes) {
  if (!groups_.any() || !shape_.in_shared(address)) return;
  const GroupParts::Owner own = groups_.of(event.origin.core, event.origin.warp);
  if (own == nullptr) return;
  const std::string wrong = groups_.wrong(*own, address, bytes);
  if (!wrong.empty()) add(Kind::kOutsideGroup, event, lane, address, wrong, kGroupAdvice);
}

/// A word that lanes exchange: has the lane it comes from stored it?
void WarpMemory::check_exchange(const protocol::InstructionEvent& event, unsigned lane,
                                std::uint32_t address) {
  std::uint32_t took_part = 0;
  const int absent = exchange_.absent(event.origin, lane, address, took_part);
  if (absent < 0) return;
  add(Kind::kAbsentLane, event, lane, address,
      fmt::format("lane {} did not take part in this exchange, lane{} {} did: the value read belongs to "
                  "another exchange",
                  absent, (took_part & (took_part - 1)) != 0 ? "s" : "", report::lanes_text(took_part)),
      "let all lanes that are asked reach the exchange, in front of the branch or the end that some of them take");
}

/// Fragments without a value, and tiles of a decoupled tensor core.
void WarpMemory::tensor(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  ++moment_.event;
  if (i.opcode == isa::Opcode::kHgmma)
    for (const std::uint8_t row : {i.rs1, i.rs2})
      check_group(event, 0, event.registers.row(row)[0], protocol::kTensorTileBytes);
  if (i.opcode < isa::Opcode::kWmma32Mma) return;
  const LoadedFragments::Missing missing = fragments_.issued(event.origin, i);
  if (missing.needed == 0) return;
  Finding f;
  f.kind = Kind::kUnloaded;
  f.cycle = event.cycle;
  f.second = {writes(i) ? Accessor::What::kStore : Accessor::What::kInstruction,
              event.origin.core,
              event.origin.warp,
              0,
              event.origin.lanes,
              event.origin.pc};
  if (findings_.known(f, moment_.event)) return;
  const std::string which =
      fmt::format("fragment {} ({})", missing.fragment,
                  missing.matrix == 'C' ? "accumulator" : std::string(1, missing.matrix));
  f.detail =
      missing.loaded == 0
          ? fmt::format("{} has no value: this warp has neither loaded nor filled it", which)
          : fmt::format("{} of {} registers of {} have a value", missing.loaded, missing.needed, which);
  f.advice = missing.matrix == 'C' ? "fill_fragment() or load_matrix_sync() before the first product"
                                   : "load_matrix_sync() before the product";
  findings_.add(std::move(f), moment_.event);
}

void WarpMemory::check_written(const protocol::InstructionEvent& event, const Addresses& addresses) {
  std::uint32_t unwritten = 0;
  bool stack = false;
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    stack |= code_.in_stacks(addresses[lane]);
    if (!written_.any(addresses[lane], event.instruction.access_bytes)) unwritten |= 1u << lane;
  }
  // Code for diverging lanes loads what only some of them have stored, and uses it only there.
  if (unwritten == 0 || (stack && unwritten != event.origin.lanes)) return;
  if (stack && spills_.has(event.origin.pc)) return;
  for (std::uint32_t rest = unwritten; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    add_unwritten(event, lane, addresses[lane], event.instruction.access_bytes,
                  stack ? "initialise the variable" : "write it first, or load it (--load)");
  }
}

void WarpMemory::add_unwritten(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                               unsigned bytes, const char* advice) {
  add(Kind::kUnwritten, event, lane, address,
      fmt::format("none of the {} was written, by the program or at load time", bytes_text(bytes)), advice);
}

Finding WarpMemory::finding(Kind kind, const protocol::InstructionEvent& event, unsigned lane,
                            std::uint32_t address) const {
  Finding f;
  f.kind = kind;
  f.cycle = event.cycle;
  f.second = {
      what_of(event.instruction), event.origin.core, event.origin.warp, 0, 1u << lane, event.origin.pc};
  f.second.called_from = code_.called_from(event, lane);
  f.memory = shape_.in_shared(address) ? Memory::kShared : Memory::kGlobal;
  f.address = address;
  return f;
}

void WarpMemory::add(Kind kind, const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                     std::string detail, const char* advice) {
  Finding f = finding(kind, event, lane, address);
  if (findings_.known(f, moment_.event)) return;
  f.detail = std::move(detail);
  f.advice = advice;
  findings_.add(std::move(f), moment_.event);
}

}  // namespace spica::check
