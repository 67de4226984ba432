// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/warp_values.h"

#include <algorithm>

#include "models/isa/mma_form.h"

namespace spica::check {

namespace {

using isa::Opcode;
constexpr std::uint8_t kAll = 0xFF;

/// Fewest registers of a lane that a matrix takes: some tensor cores hold elements twice.
unsigned registers_of(unsigned elements, numeric::Format format) {
  return std::max(1u, elements * numeric::info(format).stored_bits / (32 * 32));
}

/// The registers of a fragment that an instruction writes, one bit each.
std::uint8_t written_by(const isa::Instruction& i) {
  if (i.opcode == Opcode::kWmma32Set)
    return static_cast<std::uint8_t>(1u << (i.imm & (isa::kFragmentRegisters - 1)));
  const bool is_operand = i.opcode == Opcode::kWmma32LoadA || i.opcode == Opcode::kWmma32LoadB;
  const isa::MmaForm* const form = is_operand ? isa::mma_form(isa::form_of(i)) : nullptr;
  // Scales lie behind operands of these shapes, and other instructions write them.
  if (form == nullptr || form->m != 16 || form->n != 16 || form->k < 32) return kAll;
  return static_cast<std::uint8_t>((1u << registers_of(form->m * form->k, form->operand)) - 1);
}

}  // namespace

LoadedFragments::Missing LoadedFragments::missing(const Rows& rows, const isa::Instruction& i) {
  const auto look = [&rows](unsigned fragment, char matrix, unsigned needed) -> Missing {
    const auto loaded = static_cast<unsigned>(__builtin_popcount(rows[fragment]));
    if (loaded >= needed) return {};
    return {fragment, matrix, loaded, needed};
  };
  if (i.opcode == Opcode::kWmma32Get) {
    const unsigned fragment = isa::fragment_b(i.word);
    if ((rows[fragment] >> (i.imm & (isa::kFragmentRegisters - 1)) & 1) != 0) return {};
    return {fragment, 'C', static_cast<unsigned>(__builtin_popcount(rows[fragment])), 1};
  }
  if (!i.multiplies_fragments() && i.opcode != Opcode::kWmma32Store) return {};
  const isa::MmaForm* const form = isa::mma_form(isa::form_of(i));
  if (form == nullptr) return {};
  const unsigned sums = registers_of(form->m * form->n, form->accumulate);
  if (i.opcode == Opcode::kWmma32Store) return look(isa::fragment_d(i.word), 'C', sums);
  const unsigned scales = form->scale != numeric::ScaleFormat::kNone ? 1 : 0;
  for (const Missing& one :
       {look(isa::fragment_a(i.word), 'A', registers_of(form->m * form->k, form->operand) + scales),
        look(isa::fragment_b(i.word), 'B', registers_of(form->k * form->n, form->operand) + scales),
        look(isa::fragment_c(i.word), 'C', sums)})
    if (one.needed != 0) return one;
  return {};
}

LoadedFragments::Missing LoadedFragments::issued(const protocol::Origin& warp, const isa::Instruction& i) {
  Rows& rows = rows_[{warp.core, warp.warp}];
  const Missing result = missing(rows, i);
  const std::uint8_t written = written_by(i);
  for (std::uint32_t rest = isa::fragments_of(i).writes; rest != 0; rest &= rest - 1)
    rows[static_cast<unsigned>(__builtin_ctz(rest))] |= written;
  return result;
}

LaneExchange::LaneExchange(const loader::Program& program, unsigned warps, unsigned lanes)
    : warps_(warps), lanes_(lanes) {
  const loader::Symbol* const words = program.find("_ZN5spica6detail8exchangeE");
  if (words == nullptr) return;
  begin_ = static_cast<std::uint32_t>(words->address);
  bytes_ = static_cast<std::uint32_t>(words->bytes);
}

void LaneExchange::publish(const protocol::Origin& warp) {
  Lanes& lanes = took_part_[{warp.core, warp.warp}];
  for (std::uint32_t rest = warp.lanes; rest != 0; rest &= rest - 1)
    lanes[static_cast<unsigned>(__builtin_ctz(rest))] = warp.lanes;
}

int LaneExchange::absent(const protocol::Origin& warp, unsigned lane, std::uint32_t address,
                         std::uint32_t& took_part) const {
  const auto found = took_part_.find({warp.core, warp.warp});
  if (found == took_part_.end()) return -1;
  took_part = found->second[lane];
  const std::uint32_t asked = (address - begin_) / 4 - (warp.core * warps_ + warp.warp) * lanes_;
  if (took_part == 0 || asked >= lanes_ || (took_part >> asked & 1) != 0) return -1;
  return static_cast<int>(asked);
}

}  // namespace spica::check
