// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/fragments.h"

#include <fmt/format.h>

#include <algorithm>

namespace spica::simt_core {

namespace {

using isa::Opcode;

GuestError illegal(std::string detail) {
  return {protocol::FaultKind::kIllegalInstruction, protocol::Severity::kFault, std::move(detail)};
}

/// Ones where a piece has bits.
std::uint32_t bits_of(const protocol::FragmentAccess& access) { return ~0u >> (32 - 8 * access.bytes); }

}  // namespace

bool check_fragments(const Ready& ready, const Params& params, const protocol::FunctionalWarpMmaIf* tensor,
                     GuestError& error) {
  const isa::Instruction& instruction = ready.instruction;
  if (tensor == nullptr || params.tensor_registers == 0) {
    error = illegal("this configuration has no tensor core with fragments in registers (tensor_core.style)");
    return false;
  }
  const std::uint32_t missing = ~ready.mask & ~std::uint32_t{0} >> (32 - params.lanes);
  if (missing != 0) {
    error = illegal("all lanes of the warp must be active");
    return false;
  }
  const unsigned number = isa::form_of(instruction);
  if (instruction.multiplies_fragments() ? !tensor->multiplies(number)
                                         : instruction.moves_fragment() && !tensor->has(number)) {
    const isa::MmaForm* const form = isa::mma_form(number);
    error = illegal(form == nullptr
                        ? "the form is reserved"
                        : "the tensor core of this configuration does not have this form: " +
                              isa::shape_name(*form) + " of " + numeric::info(form->operand).name +
                              (form->scale != numeric::ScaleFormat::kNone ? " with block scales" : "") +
                              " (tensor_core.style, tensor_core.warp.numerics)");
    return false;
  }
  return true;
}

bool find_move(const Ready& ready, const protocol::AddressMap& map,
               const protocol::FunctionalWarpMmaIf& tensor, FragmentMove& move, GuestError& error) {
  using protocol::FragmentMatrix;
  const isa::Instruction& instruction = ready.instruction;
  const FragmentMatrix matrix = instruction.opcode == Opcode::kWmma32LoadA   ? FragmentMatrix::kA
                                : instruction.opcode == Opcode::kWmma32LoadB ? FragmentMatrix::kB
                                                                             : FragmentMatrix::kC;
  move.access = &tensor.access(isa::form_of(instruction), matrix, isa::is_column_major(instruction.imm));
  move.fragment = isa::fragment_d(instruction.word);
  move.operand = matrix == FragmentMatrix::kA   ? protocol::Operand::kA
                 : matrix == FragmentMatrix::kB ? protocol::Operand::kB
                                                : protocol::Operand::kNone;
  const std::uint32_t* const base = ready.registers.row(instruction.rs1);
  const std::uint32_t* const stride = ready.registers.row(instruction.rs2);
  move.base = base[0];
  move.stride = stride[0];
  const auto wrong = [&](protocol::FaultKind kind, std::string detail, std::uint64_t address) {
    error = {kind, protocol::Severity::kFault, std::move(detail), true, address};
    return false;
  };
  for (unsigned lane = 1; lane < ready.registers.lanes(); ++lane)
    if (base[lane] != move.base || stride[lane] != move.stride) {
      error = illegal(fmt::format("lane {} has a different address or row distance than lane 0", lane));
      return false;
    }
  const protocol::FragmentAccess& access = *move.access;
  if (access.phases.empty()) {
    error = illegal("elements of 4 bits need A by rows and B by columns");
    return false;
  }
  if (move.base % access.lane_bytes != 0)
    return wrong(protocol::FaultKind::kMisalignedAccess,
                 fmt::format("the address must be a multiple of {}", access.lane_bytes), move.base);
  if (std::uint64_t{move.stride} * access.element_bits % (8u * access.lane_bytes) != 0)
    return wrong(
        protocol::FaultKind::kMisalignedAccess,
        fmt::format("rows {} elements apart: the distance must be a multiple of {} bytes, {} elements",
                    move.stride, access.lane_bytes, access.lane_bytes * 8 / access.element_bits),
        move.base);
  const protocol::Region* const region = map.find(move.base);
  const bool memory = region != nullptr && region->route < protocol::Route::kPeripheral;
  const std::uint64_t end = move.base + access.bytes_spanned(move.stride) - 1;
  if (!memory || !region->contains(end))
    return wrong(protocol::FaultKind::kUnmappedAccess, "the matrix does not lie in one memory",
                 memory ? end : move.base);
  move.route = region->route;
  return true;
}

std::uint32_t piece_of(const protocol::FragmentAccess& access, const protocol::FragmentAccess::Piece& piece,
                       const std::uint32_t* fragment) {
  return fragment[piece.row * isa::kMaxLanes + piece.lane] >> piece.shift & bits_of(access);
}

void set_piece(const protocol::FragmentAccess& access, const protocol::FragmentAccess::Piece& piece,
               std::uint32_t* fragment, std::uint32_t value) {
  std::uint32_t& word = fragment[piece.row * isa::kMaxLanes + piece.lane];
  const std::uint32_t mask = bits_of(access) << piece.shift;
  word = (word & ~mask) | (value << piece.shift & mask);
}

void execute_fragments(const isa::Instruction& instruction, FragmentFile& fragments,
                       isa::RegisterFile& registers, protocol::FunctionalWarpMmaIf& tensor) {
  const std::uint32_t word = instruction.word;
  const unsigned lanes = registers.lanes();
  const auto row = [&](unsigned fragment) {
    return fragments.fragment(fragment) + static_cast<std::size_t>(instruction.imm) * isa::kMaxLanes;
  };
  switch (instruction.opcode) {
    case Opcode::kWmma32Mma:
    case Opcode::kWmma32MmaNarrow:
      tensor.multiply(static_cast<unsigned>(instruction.imm), fragments.fragment(isa::fragment_a(word)),
                      fragments.fragment(isa::fragment_b(word)), fragments.fragment(isa::fragment_c(word)),
                      fragments.fragment(isa::fragment_d(word)));
      break;
    case Opcode::kWmma32Get:
      std::copy_n(row(isa::fragment_b(word)), lanes, registers.row(instruction.rd));
      break;
    case Opcode::kWmma32Set:
      std::copy_n(registers.row(instruction.rs1), lanes, row(isa::fragment_d(word)));
      break;
    case Opcode::kWmma32Fill:
      for (unsigned r = 0; r < isa::kFragmentRegisters; ++r)
        std::copy_n(registers.row(instruction.rs1), lanes,
                    fragments.fragment(isa::fragment_d(word)) + std::size_t{r} * isa::kMaxLanes);
      break;
    default: break;
  }
}

}  // namespace spica::simt_core
