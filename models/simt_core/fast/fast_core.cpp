// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/fast/fast_core.h"

#include <fmt/format.h>

#include <algorithm>

namespace spica::simt_core::fast {

namespace {

// Instructions of a long slice after which it looks whether somebody wants it to end.
constexpr std::int64_t kPiece = 1 << 20;
constexpr std::uint32_t kSpan = 32;  // bytes a window promises behind each offset

Window window_of(const protocol::PointedMemory& memory, std::uint64_t end) {
  const std::uint64_t bytes = std::min(memory.base + memory.size, end) - memory.base;
  if (bytes < kSpan) return {};
  return {static_cast<std::uint32_t>(memory.base), static_cast<std::uint32_t>(bytes - kSpan + 1),
          memory.data};
}

}  // namespace

FastCore::FastCore(const sc_core::sc_module_name& name, const Params& params, const CoreIdentity& identity,
                   const protocol::AddressMap& map, protocol::LooseTime& time)
    : sc_module(name),
      params_(params),
      identity_(identity),
      map_(map),
      time_(time),
      barrier_arrivals_(params.barriers, 0) {
  for (unsigned w = 0; w < params.warps; ++w) {
    warps_.emplace_back(static_cast<unsigned>(params.lanes), static_cast<unsigned>(params.simt_stack_depth));
    turns_.push_back(static_cast<std::uint8_t>(w));
  }
  mmio.attach(*this);
  slice_.core = this;
  slice_.all_lanes = ~std::uint32_t{0} >> (32 - params.lanes);
  slice_.identity = identities_.data();
  slice_.stacks = stack_begins_.data();
  for (unsigned lane = 0; lane < 8; ++lane) {
    const auto set = [&](Identity row, std::uint64_t value) {
      identities_[8 * row + lane] = static_cast<std::uint32_t>(value);
    };
    set(kLaneIdRow, lane);
    set(kCoreIdRow, identity.core);
    set(kLanesRow, params.lanes);
    set(kWarpsRow, params.warps);
    set(kCoresRow, identity.cores);
  }
  slice_.step = [](Slice& slice) { return static_cast<FastCore*>(slice.core)->step(); };
}

void FastCore::connect(CodeCache& code, const protocol::PointedMemory& global,
                       const protocol::PointedMemory& shared) {
  code_ = &code;
  slice_.pages = code.pages();
  global_ = global;
  shared_ = shared;
  // Up to the first region that shadows it.
  std::uint64_t end = global.base + global.size;
  for (const protocol::Region& region : map_.regions())
    if (region.route != protocol::Route::kGlobal && region.base >= global.base)
      end = std::min(end, region.base);
  global_window_ = window_of(global, end);
  shared_window_ = window_of(shared, shared.base + shared.size);
}

void FastCore::guard_stacks(const StackGuard& guard) {
  stacks_ = guard;
  code_->guard_stacks();
}

void FastCore::watch_stores(std::uint64_t begin, std::uint64_t end) {
  slice_.watch_begin = static_cast<std::uint32_t>(begin) - kSpan + 1;
  slice_.watch_bytes = static_cast<std::uint32_t>(end - begin) + kSpan - 1;
}

void FastCore::launch(std::uint32_t entry) {
  warps_[0].simt.tmc(1);
  warps_[0].pc = entry;
  active_ |= 1;
  if (probe_ != nullptr) probe_->on_warp_start(time_.now, {}, identity_.core, 0, entry);
}

void FastCore::release(unsigned id) {
  if (probe_ != nullptr) probe_->on_barrier_release(time_.now, identity_.core, id);
  for (std::uint32_t rest = at_barrier_; rest != 0; rest &= rest - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(rest));
    if (warps_[w].barrier_id == id) at_barrier_ &= ~(1u << w);
  }
  barrier_arrivals_[id] = 0;
}

base::Cycle FastCore::run_round(base::Cycle start, std::int64_t quantum) {
  time_.now = start;
  progress_ = false;
  while (turn_ < params_.warps) {
    const unsigned w = turns_[turn_];
    if (!halted_ && ((active_ & ~at_barrier_) >> w & 1) != 0) {
      run_slice(w, quantum);
      if (time_.stop) return time_.now - start;
    }
    ++turn_;
  }
  turn_ = 0;
  return time_.now - start;
}

void FastCore::run_slice(unsigned w, std::int64_t quantum) {
  w_ = w;
  warp_ = &warps_[w];
  note_float_watch();  // a debugger may have written mstatus
  slice_.rows = warp_->registers.row(0);
  slice_.floating = &warp_->floating;
  if (code_->full()) code_->clear();
  slice_.op = slice_.start = code_->at(warp_->pc);
  set_mask(warp_->simt.mask());
  first_hart_ = static_cast<std::uint32_t>((identity_.core * params_.warps + w) * params_.lanes);
  for (unsigned lane = 0; lane < 8; ++lane) {
    identities_[8 * kWarpIdRow + lane] = w;
    stack_begins_[lane] = stacks_.begin(first_hart_ + lane);
  }
  refresh_windows();
  leave_ = false;
  time_.polled = false;
  const Loops& fast = loops();
  fast.begin(*slice_.floating);
  const bool slow = instrumented() || params_.lanes > 8;
  while (quantum > 0 && !leave_) {
    const std::int64_t piece = std::min(quantum, kPiece);
    slice_.budget = accounted_ = piece;
    slice_.over = false;
    while (!slice_.over && !leave_) {
      if (slow) step();
      else if (slice_.mask == 0xFF) fast.all_lanes(slice_);
      else fast.some_lanes(slice_);
    }
    account();
    quantum -= piece - slice_.budget;
    if (time_.interrupted) time_.stop = leave_ = true;
  }
  warp_->pc = CodeCache::pc_of(slice_.op);
  progress_ |= !time_.polled;
}

void FastCore::refresh_windows() {
  slice_.global = global_window_;
  slice_.shared = shared_window_;
  slice_.global_store = global_.reservations->size() == 0 ? global_window_ : Window{};
  slice_.shared_store = shared_.reservations->size() == 0 ? shared_window_ : Window{};
}

/// Once for each place.
void FastCore::warn(Oddity oddity, const isa::Instruction& instruction, std::uint32_t pc) {
  if (warned_.insert(pc).second)
    report(describe(oddity, {instruction, pc, warp_->registers, slice_.mask}, params_, active_, w_),
           instruction, pc);
}

void FastCore::report(const Mistake& mistake, const isa::Instruction& instruction, std::uint32_t pc) {
  protocol::GuestFault guest_fault;
  guest_fault.kind = mistake.kind;
  guest_fault.severity = mistake.severity;
  guest_fault.cycle = time_.now;
  guest_fault.origin = origin(pc);
  guest_fault.instruction = instruction.word;
  guest_fault.has_address = mistake.has_address;
  guest_fault.address = mistake.address;
  guest_fault.detail = mistake.detail;
  if (mistake.lanes != 0) guest_fault.origin.lanes = mistake.lanes;
  if (mistake.severity == protocol::Severity::kFault) {
    guest_fault.detail += why_no_trap(params_, warp_->machine, map_);
    halted_ = true;
    halted_warp_ = w_;
    leave_ = true;
  }
  fault->report(guest_fault);
}

std::string FastCore::describe_warp(unsigned index) const {
  const FastWarp& warp = warps_[index];
  if ((active_ >> index & 1) == 0) return "ended";
  if (halted_ && index == halted_warp_) return "stopped by the fault";
  if ((at_barrier_ >> index & 1) != 0)
    return fmt::format("waits at barrier {} ({} of {} warps of this core there)", warp.barrier_id,
                       barrier_arrivals_[warp.barrier_id], warp.barrier_count);
  return "runs";
}

CsrFile FastCore::csr_file(unsigned w) {
  return {params_,
          identity_,
          performance_,
          accelerator.size() != 0 ? accelerator.operator->() : nullptr,
          time_.now,
          lane_instructions_,
          counter_offsets_,
          active_,
          w,
          warps_[w].simt,
          warps_[w].floating,
          warps_[w].machine};
}

}  // namespace spica::simt_core::fast
