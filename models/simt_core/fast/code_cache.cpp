// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/fast/code_cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "models/isa/csr.h"
#include "models/isa/execute.h"
#include "models/simt_core/warp/checks.h"
#include "models/simt_core/warp/stack_guard.h"

namespace spica::simt_core::fast {

namespace {
/// Of the registers that every program may read (isa::csr::of_simt_extension); -1: none of them.
int identity_row(std::uint32_t number) {
  switch (number) {
    case isa::csr::kLaneId: return kLaneIdRow;
    case isa::csr::kWarpId: return kWarpIdRow;
    case isa::csr::kCoreId: return kCoreIdRow;
    case isa::csr::kLanes: return kLanesRow;
    case isa::csr::kWarps: return kWarpsRow;
    case isa::csr::kCores: return kCoresRow;
    case isa::csr::kThreadMask: return kThreadMaskRow;
    default: return -1;
  }
}

constexpr std::size_t kPages = (std::uint64_t{1} << 32) / kPageBytes;
}  // namespace

CodeCache::CodeCache(const protocol::AddressMap& map, const unsigned char* memory, std::uint64_t base,
                     unsigned row_words, const Params& params)
    : map_(map),
      memory_(memory),
      base_(base),
      row_words_(row_words),
      decoder_(params),
      pages_(static_cast<Page**>(std::calloc(kPages, sizeof(Page*)))) {
  if (pages_ == nullptr) throw std::bad_alloc();
}

CodeCache::~CodeCache() { std::free(static_cast<void*>(pages_)); }

void CodeCache::FreePage::operator()(Page* page) const { std::free(page); }

Page* CodeCache::add_page(std::uint32_t number) {
  static_assert(sizeof(Page) <= kAlignment);
  auto* page = static_cast<Page*>(std::aligned_alloc(kAlignment, kAlignment));
  if (page == nullptr) throw std::bad_alloc();
  in_use_.emplace_back(page);
  std::memset(static_cast<void*>(page), 0, sizeof(Page));
  page->base = number * kPageBytes;
  page->ops[kPageOps].code = kPageEnd;
  return pages_[number] = page;
}

std::uint32_t CodeCache::word_at(std::uint32_t pc) const {
  std::uint32_t word = 0;
  if (map_.route(pc) == protocol::Route::kGlobal) std::memcpy(&word, memory_ + (pc - base_), sizeof word);
  return word;
}

/// What the loops do with the instruction at `pc`; kOther: nothing, a step does.
void CodeCache::choose_code(Op& op, std::uint32_t pc) {
  const isa::Instruction& in = *op.instruction;
  const auto offset = static_cast<std::uint32_t>(in.imm);
  switch (in.unit) {
    case isa::Unit::kAlu:
      if (in.opcode == isa::Opcode::kAuipc) op.imm = static_cast<std::int32_t>(pc + offset);
      if (protocol::is_marker(in.word) && !protocol::marks_units(in.word)) op.code = kOther;
      break;
    case isa::Unit::kBranch:
      if (in.opcode != isa::Opcode::kJalr) {
        if ((pc + offset) % 4 != 0) op.code = kOther;
        else op.target = at(pc + offset);
      }
      if (in.opcode == isa::Opcode::kJalr) op.link = pc + 4;
      if (in.opcode == isa::Opcode::kJal) op.imm = static_cast<std::int32_t>(pc + 4);
      break;
    case isa::Unit::kMul:
    case isa::Unit::kDiv:
    case isa::Unit::kLoad:
    case isa::Unit::kStore:
    case isa::Unit::kFpuMisc: break;
    case isa::Unit::kFpuFma:
    case isa::Unit::kFpuConvert:
    case isa::Unit::kFpuDivide:
    case isa::Unit::kFpuSqrt:
      if (in.rounding != isa::kDyn && in.rounding > isa::kRmm) op.code = kOther;  // reserved
      break;
    case isa::Unit::kFence:
      if (in.opcode == isa::Opcode::kFenceI) op.code = kOther;
      break;
    case isa::Unit::kWarpControl: break;
    case isa::Unit::kCsr: {
      const int row = isa::csr_writes(in) ? -1 : identity_row(static_cast<std::uint32_t>(in.imm));
      op.code = row < 0 ? kOther : kReadIdentity;
      op.imm = row;
      break;
    }
    default: op.code = kOther;
  }
}

void CodeCache::decode(Op& op) {
  const std::uint32_t pc = pc_of(&op);
  const isa::Instruction& in = decoder_.get(word_at(pc));
  op.instruction = &in;
  op.rd = offset_of(in.rd == isa::kNoRegister ? isa::RegisterFile::kSinkRow : in.rd);
  const auto source = [this](std::uint8_t row) { return offset_of(row == isa::kNoRegister ? 0 : row); };
  op.rs1 = source(in.rs1);
  op.rs2 = source(in.rs2);
  op.rs3 = source(in.rs3);
  op.rounding = in.rounding;
  op.imm = in.imm;
  op.code = static_cast<std::uint16_t>(in.opcode);
  choose_code(op, pc);
  if (float_watchers_ != 0 && in.uses_floats) op.code = kOther;
  if (guards_stacks_ && moves_stack(in)) {
    if (in.opcode != isa::Opcode::kAddi) op.code = kOther;
    else if (in.rs1 != kStackPointer || in.imm < 0) op.code = kMoveStack;
  }
}

void CodeCache::watch_floats(bool more) {
  float_watchers_ += more ? 1u : ~0u;
  if (float_watchers_ > 1 || (float_watchers_ == 1 && !more)) return;  // nothing changes for the loops
  for (const auto& page : in_use_)
    for (unsigned i = 0; i < kPageOps; ++i)
      if (Op& op = page->ops[i]; op.code != kUndecoded && op.instruction->uses_floats) op.code = kUndecoded;
}

void CodeCache::clear() {
  for (const auto& page : in_use_) pages_[page->base / kPageBytes] = nullptr;
  in_use_.clear();
}

void CodeCache::refresh(Page& page, unsigned first, unsigned end) {
  for (unsigned i = first; i < end; ++i) {
    Op& op = page.ops[i];
    if (op.code != kUndecoded && op.instruction->word != word_at(page.base + 4 * i)) op.code = kUndecoded;
  }
}

void CodeCache::refresh() {
  for (const auto& page : in_use_) refresh(*page, 0, kPageOps);
}

void CodeCache::refresh(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = address + bytes;
  for (const auto& page : in_use_) {
    const std::uint64_t base = page->base;
    if (end <= base || address >= base + kPageBytes) continue;
    const std::uint64_t first = address > base ? address - base : 0;
    const std::uint64_t last = std::min<std::uint64_t>(end - base, kPageBytes);
    refresh(*page, static_cast<unsigned>(first / 4), static_cast<unsigned>((last + 3) / 4));
  }
}

}  // namespace spica::simt_core::fast
