// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/unit_memory.h"

#include <fmt/format.h>

#include "models/isa/instruction.h"
#include "models/isa/registers.h"

namespace spica::check {

namespace {

/// Commands of a unit whose work may still begin.
constexpr std::size_t kOpenCommands = 128;

}  // namespace

UnitMemory::UnitMemory(const soc::SocParams& params, UnitOfSource unit_of_source,
                       const protocol::UnitRules& rules, const Objects& objects, const GroupParts& groups,
                       Written& written, Moment& moment, Findings& findings)
    : shape_(params),
      needs_configuration_(!params.cluster.matrix_units.empty() &&
                           !params.cluster.matrix_units.front().loads_are_fixed()),
      unit_of_source_(std::move(unit_of_source)),
      rules_(rules),
      objects_(objects),
      groups_(groups),
      written_(written),
      moment_(moment),
      findings_(findings) {}

/// Which command configures loads?
void UnitMemory::store(const protocol::InstructionEvent& event, unsigned lane, std::uint32_t address,
                       const protocol::Region& region) {
  using Register = protocol::UnitRules::Register;
  if (region.unit == protocol::Region::kNoUnit || event.instruction.rs2 == isa::kNoRegister) return;
  std::uint32_t& operand = operands_[{event.origin.core / shape_.cores_of_cluster, region.name}];
  const std::uint32_t value = event.registers.row(event.instruction.rs2)[lane];
  const Register at = rules_.register_at(static_cast<std::uint32_t>(address - region.base));
  if (at == Register::kOperand) operand = value;
  if (at == Register::kCommand && rules_.configures_loads(value, operand))
    configuring_.insert({event.origin.core, event.origin.pc});
}

void UnitMemory::take(unsigned source, const protocol::Origin& origin, std::uint32_t word) {
  if (rules_.configures_loads(word) || configuring_.count({origin.core, origin.pc}) != 0)
    configured_.insert(source);
  if (!groups_.any()) return;
  auto& commands = commands_[source];
  commands[origin.command] = groups_.of(origin.core, origin.warp);
  if (commands.size() > kOpenCommands) commands.erase(commands.begin());
}

Accessor UnitMemory::accessor(unsigned source, const protocol::UnitWork& work, bool stores) const {
  const unsigned unit = unit_of_source_(source);
  Accessor result;
  result.what = work.kind == protocol::UnitWork::Kind::kLoad || work.kind == protocol::UnitWork::Kind::kStore
                    ? (stores ? Accessor::What::kUnitStore : Accessor::What::kUnitLoad)
                    : Accessor::What::kUnitOperand;
  result.core = work.origin.core;
  result.warp = work.origin.warp;
  result.unit = static_cast<std::uint16_t>(unit == protocol::Region::kNoUnit ? 0 : unit);
  result.lanes = work.origin.lanes;
  result.pc = work.origin.pc;
  return result;
}

/// Each load of a unit uses what was configured last.
void UnitMemory::check_configured(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) {
  if (work.kind != protocol::UnitWork::Kind::kLoad || configured_.count(source) != 0) return;
  Finding f;
  f.kind = Kind::kUnconfigured;
  f.cycle = cycle;
  f.second = accessor(source, work, false);
  f.detail = fmt::format("no command has configured the loads of this unit: {}", rules_.configured());
  f.advice = fmt::format("configure them first ({})", rules_.configure());
  findings_.add(std::move(f), moment_.event);
}

/// What a unit does for a work group stays in that group's part of shared memory.
void UnitMemory::check_group(base::Cycle cycle, unsigned source, const protocol::UnitWork& work,
                             const protocol::Piece& piece) {
  const auto& commands = commands_[source];
  const auto command = commands.find(work.origin.command);
  if (command == commands.end() || command->second == nullptr) return;
  for (std::uint32_t block = 0; block < piece.blocks; ++block)
    for (std::uint32_t row = 0; row < piece.rows; ++row) {
      const std::uint32_t address =
          shape_.shared_base + piece.address + block * piece.block_stride + row * piece.stride;
      const std::string wrong = groups_.wrong(*command->second, address, piece.row_bytes);
      if (wrong.empty()) continue;
      Finding f;
      f.kind = Kind::kOutsideGroup;
      f.cycle = cycle;
      f.second = accessor(source, work, work.kind == protocol::UnitWork::Kind::kStore);
      f.memory = Memory::kShared;
      f.address = address;
      f.detail = wrong;
      f.advice = kGroupAdvice;
      findings_.add(std::move(f), moment_.event);
      return;
    }
}

void UnitMemory::begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) {
  ++moment_.event;
  if (needs_configuration_) check_configured(cycle, source, work);
  for (const protocol::Piece* piece : {&work.from, &work.to}) {
    if (groups_.any() && piece->space == protocol::Piece::Space::kShared)
      check_group(cycle, source, work, *piece);
    if (piece->space != protocol::Piece::Space::kGlobal) continue;
    check_transfer(cycle, source, work, *piece);
    if (!piece->write) continue;
    for (std::uint32_t block = 0; block < piece->blocks; ++block)
      for (std::uint32_t row = 0; row < piece->rows; ++row)
        written_.set(piece->address + block * piece->block_stride + row * piece->stride, piece->row_bytes);
  }
}

void UnitMemory::check_transfer(base::Cycle cycle, unsigned source, const protocol::UnitWork& work,
                                const protocol::Piece& piece) {
  const std::uint32_t element = piece.word_bytes;
  Finding f;
  f.cycle = cycle;
  f.second = accessor(source, work, piece.write);
  f.memory = Memory::kGlobal;
  f.address = piece.address;
  if (const Objects::Range* section = objects_.read_only(piece.address); section != nullptr && piece.write) {
    f.kind = Kind::kReadOnly;
    f.detail = fmt::format("section {} is read-only", section->name);
    f.advice = "check the address of the tile";
    findings_.add(f, moment_.event);
  }
  if (piece.address % element == 0 && (piece.rows < 2 || piece.stride % element == 0)) return;
  f.kind = Kind::kAlignment;
  f.detail = fmt::format("elements have {} bytes; row 0 is at {:#010x}, and rows are {} bytes apart", element,
                         piece.address, piece.stride);
  f.advice = "make the address and the row length multiples of the element size";
  findings_.add(std::move(f), moment_.event);
}

}  // namespace spica::check
