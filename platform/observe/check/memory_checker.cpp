// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/memory_checker.h"

#include <fmt/format.h>

#include <cstring>

#include "models/isa/instruction.h"
#include "models/isa/registers.h"
#include "models/isa/stacks.h"
#include "models/matrix_unit/matrix_unit_regs.h"
#include "models/protocol/fragment_access.h"
#include "models/protocol/tensor_shape.h"
#include "platform/machine/loader/user_call.h"
#include "platform/machine/loader/user_frame.h"
#include "platform/observe/report/fault_report.h"

namespace spica::check {

namespace {

using isa::kStackPointer;
constexpr std::uint8_t kReturnAddress = 1;

bool is_access(const isa::Instruction& i) {
  return i.unit == isa::Unit::kLoad || i.unit == isa::Unit::kStore || i.unit == isa::Unit::kAtomic;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool writes(const isa::Instruction& i) {
  return i.unit == isa::Unit::kStore || i.unit == isa::Unit::kAtomic ||
         i.format == isa::Format::kFragmentStore;
}

Party::What what_of(const isa::Instruction& i) {
  if (writes(i) && i.unit != isa::Unit::kAtomic) return Party::What::kStore;
  return i.unit == isa::Unit::kAtomic ? Party::What::kAtomic : Party::What::kLoad;
}

/// Commands of a unit whose work may still begin.
constexpr std::size_t kOpenCommands = 128;
constexpr const char* kGroupAdvice =
    "check the index, and the shared memory that the kernel declares (SPICA_KERNEL) or its launch asks for";

/// Which object an access outside another one lands in, where it does.
std::string in_text(const Objects::Range* in) {
  return in == nullptr ? "" : fmt::format(", in `{}`", in->name);
}

std::string bytes_text(std::uint64_t count) { return fmt::format("{} byte{}", count, count == 1 ? "" : "s"); }

}  // namespace

MemoryChecker::MemoryChecker(const soc::SocParams& params, const protocol::AddressMap& map,
                             const loader::Program& program, const loader::SourceMap& sources,
                             HeapBlocks::ReadMemory read, UnitOfSource unit_of_source)
    : params_(params),
      map_(map),
      program_(program),
      sources_(sources),
      read_(std::move(read)),
      unit_of_source_(std::move(unit_of_source)),
      objects_(program),
      heap_(program, read_),
      buffers_(program),
      exchange_(program, static_cast<unsigned>(params.cluster.core.warps),
                static_cast<unsigned>(params.cluster.core.lanes)),
      stacks_(loader::stack_layout(program)) {
  if (stacks_) {
    const std::uint64_t harts =
        params.clusters * params.cluster.cores * params.cluster.core.warps * params.cluster.core.lanes;
    stacks_end_ = stacks_->top;
    stacks_begin_ = stacks_->top - harts * stacks_->stride;
  }
}

/// The allocator itself accesses memory outside blocks, and copies may move what was never written.
MemoryChecker::Code MemoryChecker::code_at(std::uint32_t pc) {
  const auto [found, fresh] = code_.try_emplace(pc, Code::kUser);
  if (!fresh) return found->second;
  const loader::Location& at = sources_.lookup(pc);
  std::vector<loader::Frame> frames = at.inlined_into;
  frames.insert(frames.begin(), at.frame);
  for (const loader::Frame& frame : frames) {
    if (ends_with(frame.file, "lib/heap.cpp")) found->second = Code::kHeap;
    else if (frame.function == "memcpy" || frame.function == "memmove") found->second = Code::kCopy;
  }
  return found->second;
}

void MemoryChecker::on_issue(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  if (is_access(i)) access(event);
  else if (event.fragment != nullptr) move_fragment(event);
  else if (i.format == isa::Format::kAsyncCopy) copy(event);
  else if (i.rd == kStackPointer && i.rs1 == kStackPointer && i.opcode == isa::Opcode::kAddi && i.imm > 0)
    leave_frame(event);
  if (i.unit == isa::Unit::kTensor) tensor(event);
  pointers_.issued(event);
}

void MemoryChecker::on_warp_start(base::Cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                                  std::uint32_t) {
  fragments_.forget(core, warp);
  if (by.unit == protocol::Origin::Unit::kCore) groups_.spawn(by.core, by.warp, core, warp);
}

/// The next function should not read what another one left on the stack.
void MemoryChecker::leave_frame(const protocol::InstructionEvent& event) {
  const std::uint32_t* sp = event.registers.row(kStackPointer);
  const auto bytes = static_cast<std::uint32_t>(event.instruction.imm);
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t end = sp[__builtin_ctz(rest)];
    if (in_stacks(end - 1) && in_stacks(end - bytes)) written_.set(end - bytes, bytes, false);
  }
}

void MemoryChecker::access(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  ++event_;
  const Code code = code_at(event.origin.pc);
  if (code == Code::kHeap && i.unit != isa::Unit::kLoad) heap_.changed();
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
      if (region != nullptr && i.unit == isa::Unit::kStore) write_register(event, lane, address, *region);
      check_group(event, lane, address, i.access_bytes);
      continue;
    }
    check_place(event, lane, address, offset, i.access_bytes);
    if (i.unit == isa::Unit::kLoad && exchange_.contains(address)) check_exchange(event, lane, address);
  }
  if (i.unit == isa::Unit::kStore && exchange_.contains(addresses[__builtin_ctz(event.origin.lanes)]))
    exchange_.publish(event.origin);
  if (global && i.unit != isa::Unit::kStore && code == Code::kUser) check_written(event, addresses);
  if (i.unit == isa::Unit::kLoad) return;
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1)
    written_.set(addresses[static_cast<unsigned>(__builtin_ctz(rest))], i.access_bytes);
}

/// A load or store of a fragment of a tensor core.
void MemoryChecker::move_fragment(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  ++event_;
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
void MemoryChecker::copy(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  ++event_;
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
void MemoryChecker::check_place(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                                std::uint32_t offset, unsigned bytes) {
  const isa::Instruction& i = event.instruction;
  const Objects::Range* const section = objects_.read_only(address);
  if (section != nullptr && writes(i))
    return add(Kind::kReadOnly, event, lane, address, fmt::format("section {} is read-only", section->name),
               "check the pointer or index; data that changes must not be const");
  if (heap_.contains(address)) {
    if (code_at(event.origin.pc) == Code::kHeap) return;
    const std::string wrong = heap_.wrong(address, bytes);
    if (!wrong.empty())
      add(Kind::kHeap, event, lane, address, wrong,
          "check the index and the size of the block, and that it is still allocated");
    return;
  }
  check_object(event, lane, address, offset, bytes);
}

/// Whether it is in the object that it is meant for.
void MemoryChecker::check_object(const protocol::InstructionEvent& event, unsigned lane,
                                 std::uint32_t address, std::uint32_t offset, unsigned bytes) {
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
      findings_.add(std::move(f), event_);
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
void MemoryChecker::check_group(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                                unsigned bytes) {
  if (!has_groups_ || !in_shared(address)) return;
  const GroupParts::Owner own = groups_.of(event.origin.core, event.origin.warp);
  if (own == nullptr) return;
  const std::string wrong = groups_.wrong(*own, address, bytes);
  if (!wrong.empty()) add(Kind::kOutsideGroup, event, lane, address, wrong, kGroupAdvice);
}

/// A word that lanes exchange: has the lane it comes from stored it?
void MemoryChecker::check_exchange(const protocol::InstructionEvent& event, unsigned lane,
                                   std::uint32_t address) {
  std::uint32_t took_part = 0;
  const int absent = exchange_.absent(event.origin, lane, address, took_part);
  if (absent < 0) return;
  add(Kind::kAbsentLane, event, lane, address,
      fmt::format("lane {} took no part in this exchange, lane{} {} did: what is read is of another one",
                  absent, (took_part & (took_part - 1)) != 0 ? "s" : "", report::lanes_text(took_part)),
      "let all lanes that are asked reach the exchange, in front of the branch or the end that some of them take");
}

/// Fragments without a value, and tiles of a decoupled tensor core.
void MemoryChecker::tensor(const protocol::InstructionEvent& event) {
  const isa::Instruction& i = event.instruction;
  ++event_;
  if (i.opcode == isa::Opcode::kHgmma)
    for (const std::uint8_t row : {i.rs1, i.rs2})
      check_group(event, 0, event.registers.row(row)[0], protocol::kTensorTileBytes);
  if (i.opcode < isa::Opcode::kWmma32Mma) return;
  const LoadedFragments::Missing missing = fragments_.issued(event.origin, i);
  if (missing.needed == 0) return;
  Finding f;
  f.kind = Kind::kUnloaded;
  f.cycle = event.cycle;
  f.second = {writes(i) ? Party::What::kStore : Party::What::kInstruction,
              event.origin.core,
              event.origin.warp,
              0,
              event.origin.lanes,
              event.origin.pc};
  if (findings_.known(f, event_)) return;
  const std::string which =
      fmt::format("fragment {} ({})", missing.fragment,
                  missing.matrix == 'C' ? "accumulator" : std::string(1, missing.matrix));
  f.detail =
      missing.loaded == 0
          ? fmt::format("{} has no value: this warp has neither loaded nor filled it", which)
          : fmt::format("{} of {} registers of {} have a value", missing.loaded, missing.needed, which);
  f.advice = missing.matrix == 'C' ? "fill_fragment() or load_matrix_sync() before the first product"
                                   : "load_matrix_sync() before the product";
  findings_.add(std::move(f), event_);
}

void MemoryChecker::check_written(const protocol::InstructionEvent& event, const Addresses& addresses) {
  std::uint32_t unwritten = 0;
  bool stack = false;
  for (std::uint32_t rest = event.origin.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    stack |= in_stacks(addresses[lane]);
    if (!written_.any(addresses[lane], event.instruction.access_bytes)) unwritten |= 1u << lane;
  }
  // Code for diverging lanes loads what only some of them have stored, and uses it only there.
  if (unwritten == 0 || (stack && unwritten != event.origin.lanes)) return;
  for (std::uint32_t rest = unwritten; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    add_unwritten(event, lane, addresses[lane], event.instruction.access_bytes,
                  stack ? "initialise the variable" : "write it first, or load it (--load)");
  }
}

void MemoryChecker::add_unwritten(const protocol::InstructionEvent& event, unsigned lane,
                                  std::uint32_t address, unsigned bytes, const char* advice) {
  add(Kind::kUnwritten, event, lane, address,
      fmt::format("none of the {} was written, by the program or at load time", bytes_text(bytes)), advice);
}

/// Commands to a matrix unit through its registers: which one configures loads?
void MemoryChecker::write_register(const protocol::InstructionEvent& event, unsigned lane,
                                   std::uint32_t address, const protocol::Region& region) {
  if (region.unit == protocol::Region::kNoUnit || event.instruction.rs2 == isa::kNoRegister) return;
  std::uint32_t& operand =
      operands_[{event.origin.core / static_cast<unsigned>(params_.cluster.cores), region.name}];
  const std::uint32_t value = event.registers.row(event.instruction.rs2)[lane];
  const auto offset = static_cast<std::uint32_t>(address - region.base);
  if (offset == MATRIX_UNIT_RS1_LO) operand = value;
  if (offset == MATRIX_UNIT_INSTRUCTION &&
      (value >> MATRIX_UNIT_FUNCTION_SHIFT & MATRIX_UNIT_FUNCTION_MASK) == MATRIX_UNIT_CONFIG &&
      (operand & MATRIX_UNIT_CONFIG_KIND_MASK) == MATRIX_UNIT_CONFIG_LOAD)
    configuring_.insert({event.origin.core, event.origin.pc});
}

void MemoryChecker::on_command(base::Cycle, unsigned source, const protocol::Origin& origin,
                               std::uint32_t word) {
  const bool fixed = (word & MATRIX_UNIT_CISC_OPCODE_MASK) == MATRIX_UNIT_Q_CONFIG;
  if (fixed || configuring_.count({origin.core, origin.pc}) != 0) configured_.insert(source);
  if (!has_groups_) return;
  auto& commands = commands_[source];
  commands[origin.command] = groups_.of(origin.core, origin.warp);
  if (commands.size() > kOpenCommands) commands.erase(commands.begin());
}

Party MemoryChecker::unit_party(unsigned source, const protocol::UnitWork& work, bool stores) const {
  const unsigned unit = unit_of_source_(source);
  Party party;
  party.what = work.kind == protocol::UnitWork::Kind::kLoad || work.kind == protocol::UnitWork::Kind::kStore
                   ? (stores ? Party::What::kUnitStore : Party::What::kUnitLoad)
                   : Party::What::kUnitOperand;
  party.core = work.origin.core;
  party.warp = work.origin.warp;
  party.unit = static_cast<std::uint16_t>(unit == protocol::Region::kNoUnit ? 0 : unit);
  party.lanes = work.origin.lanes;
  party.pc = work.origin.pc;
  return party;
}

/// Each load of a unit uses what was configured last.
void MemoryChecker::check_configured(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) {
  if (work.kind != protocol::UnitWork::Kind::kLoad || configured_.count(source) != 0 ||
      params_.cluster.matrix_units.front().loads_are_fixed())
    return;
  Finding f;
  f.kind = Kind::kUnconfigured;
  f.cycle = cycle;
  f.second = unit_party(source, work, false);
  f.detail = "no command has configured the loads of this unit: row length, scale";
  f.advice = "configure them first (matrix_unit_config_load)";
  findings_.add(std::move(f), event_);
}

/// What a unit does for a work group stays in that group's part of shared memory.
void MemoryChecker::check_group_of_unit(base::Cycle cycle, unsigned source, const protocol::UnitWork& work,
                                        const protocol::Piece& piece) {
  const auto& commands = commands_[source];
  const auto command = commands.find(work.origin.command);
  if (command == commands.end() || command->second == nullptr) return;
  const auto base = static_cast<std::uint32_t>(params_.cluster.memory_map.shared_base);
  for (std::uint32_t block = 0; block < piece.blocks; ++block)
    for (std::uint32_t row = 0; row < piece.rows; ++row) {
      const std::uint32_t address = base + piece.address + block * piece.block_stride + row * piece.stride;
      const std::string wrong = groups_.wrong(*command->second, address, piece.row_bytes);
      if (wrong.empty()) continue;
      Finding f;
      f.kind = Kind::kOutsideGroup;
      f.cycle = cycle;
      f.second = unit_party(source, work, work.kind == protocol::UnitWork::Kind::kStore);
      f.memory = Memory::kShared;
      f.address = address;
      f.detail = wrong;
      f.advice = kGroupAdvice;
      findings_.add(std::move(f), event_);
      return;
    }
}

void MemoryChecker::on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) {
  ++event_;
  if (!params_.cluster.matrix_units.empty()) check_configured(cycle, source, work);
  for (const protocol::Piece* piece : {&work.from, &work.to}) {
    if (has_groups_ && piece->space == protocol::Piece::Space::kShared)
      check_group_of_unit(cycle, source, work, *piece);
    if (piece->space != protocol::Piece::Space::kGlobal) continue;
    check_transfer(cycle, source, work, *piece);
    if (!piece->write) continue;
    for (std::uint32_t block = 0; block < piece->blocks; ++block)
      for (std::uint32_t row = 0; row < piece->rows; ++row)
        written_.set(piece->address + block * piece->block_stride + row * piece->stride, piece->row_bytes);
  }
}

void MemoryChecker::check_transfer(base::Cycle cycle, unsigned source, const protocol::UnitWork& work,
                                   const protocol::Piece& piece) {
  const std::uint32_t element = piece.word_bytes;
  Finding f;
  f.cycle = cycle;
  f.second = unit_party(source, work, piece.write);
  f.memory = Memory::kGlobal;
  f.address = piece.address;
  if (const Objects::Range* section = objects_.read_only(piece.address); section != nullptr && piece.write) {
    f.kind = Kind::kReadOnly;
    f.detail = fmt::format("section {} is read-only", section->name);
    f.advice = "check the address of the tile";
    findings_.add(f, event_);
  }
  if (piece.address % element == 0 && (piece.rows < 2 || piece.stride % element == 0)) return;
  f.kind = Kind::kAlignment;
  f.detail = fmt::format("elements have {} bytes; row 0 is at {:#010x}, and rows are {} bytes apart", element,
                         piece.address, piece.stride);
  f.advice = "make the address and the row length multiples of the element size";
  findings_.add(std::move(f), event_);
}

/// Of an access in the library: the call of the program by which it was reached; 0: unknown.
std::uint32_t MemoryChecker::called_from(const protocol::InstructionEvent& event, unsigned lane) const {
  const std::uint32_t pc = event.origin.pc;
  if (!stacks_ || !loader::of_library(loader::user_frame(sources_.lookup(pc)).file)) return 0;
  const auto& core = params_.cluster.core;
  const std::uint64_t hart = (event.origin.core * core.warps + event.origin.warp) * core.lanes + lane;
  const std::uint64_t begin =
      (std::uint64_t{event.registers.row(kStackPointer)[lane]} + 3) & ~std::uint64_t{3};
  std::vector<std::uint32_t> words{event.registers.row(kReturnAddress)[lane]};
  if (begin >= stacks_->begin(hart) && begin < stacks_->end(hart)) {
    std::vector<unsigned char> bytes((stacks_->end(hart) - begin) & ~std::uint64_t{3});
    words.resize(1 + bytes.size() / 4);
    if (read_(begin, bytes.data(), bytes.size())) std::memcpy(&words[1], bytes.data(), bytes.size());
    else words.resize(1);
  }
  return loader::user_call(program_, sources_, pc, words).value_or(0);
}

Finding MemoryChecker::finding(Kind kind, const protocol::InstructionEvent& event, unsigned lane,
                               std::uint32_t address) const {
  Finding f;
  f.kind = kind;
  f.cycle = event.cycle;
  f.second = {
      what_of(event.instruction), event.origin.core, event.origin.warp, 0, 1u << lane, event.origin.pc};
  f.second.called_from = called_from(event, lane);
  f.memory = in_shared(address) ? Memory::kShared : Memory::kGlobal;
  f.address = address;
  return f;
}

void MemoryChecker::add(Kind kind, const protocol::InstructionEvent& event, unsigned lane,
                        std::uint32_t address, std::string detail, const char* advice) {
  Finding f = finding(kind, event, lane, address);
  if (findings_.known(f, event_)) return;
  f.detail = std::move(detail);
  f.advice = advice;
  findings_.add(std::move(f), event_);
}

}  // namespace spica::check
