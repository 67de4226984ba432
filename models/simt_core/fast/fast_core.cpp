// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/fast/fast_core.h"

#include <algorithm>

#include "models/base/checkpoint.h"

namespace spica::simt_core::fast {

namespace {

// Instructions of a long slice after which it checks whether it is asked to end.
constexpr std::int64_t kPiece = 1 << 20;

/// `span`: bytes of a row of words of all lanes.
Window window_of(const protocol::PointedMemory& memory, std::uint64_t end, std::uint64_t span) {
  const std::uint64_t bytes = std::min(memory.base + memory.size, end) - memory.base;
  if (bytes < span) return {};
  return {static_cast<std::uint32_t>(memory.base), static_cast<std::uint32_t>(bytes - span + 1),
          static_cast<std::uint32_t>(bytes - 3), memory.data};
}

}  // namespace

FastCore::FastCore(const sc_core::sc_module_name& name, const Params& params, const CoreIdentity& identity,
                   const protocol::AddressMap& map, protocol::LooseTime& time,
                   const isa::ControlFlowMaker& control_flow)
    : sc_module(name),
      params_(params),
      identity_(identity),
      map_(map),
      time_(time),
      state_(params, control_flow),
      pcs_(params.warps, 0),
      loops_(loops(static_cast<unsigned>(params.lanes))) {
  for (unsigned w = 0; w < params.warps; ++w) turns_.push_back(static_cast<std::uint8_t>(w));
  mmio.attach(*this);
  release_port.bind(*this);
  groups.bind(*this);
  slice_.core = this;
  slice_.all_lanes = ~std::uint32_t{0} >> (32 - params.lanes);
  slice_.stride = state_[0].registers.stride();
  slice_.identity = identities_.data();
  slice_.stacks = stack_begins_.data();
  for (unsigned lane = 0; lane < slice_.stride; ++lane) {
    const auto set = [&](Identity row, std::uint64_t value) {
      identities_[slice_.stride * row + lane] = static_cast<std::uint32_t>(value);
    };
    set(kLaneIdRow, lane);
    set(kCoreIdRow, identity.core);
    set(kLanesRow, params.lanes);
    set(kWarpsRow, params.warps);
    set(kCoresRow, identity.cores);
  }
  slice_.step = [](Slice& slice) { return static_cast<FastCore*>(slice.core)->step(); };
}

void FastCore::end_of_elaboration() {
  if (accelerator.size() != 0) commands_.to = accelerator.operator->();
  executor_.connect(*fault.operator->(), accelerator.size() != 0 ? &commands_ : nullptr, marker.operator->());
}

void FastCore::connect(CodeCache& code) {
  code_ = &code;
  slice_.pages = code.pages();
  global_ = *gmem;
  shared_ = *smem;
  // Up to the first region that shadows it.
  std::uint64_t end = global_.base + global_.size;
  for (const protocol::Region& region : map_.regions())
    if (region.route != protocol::Route::kGlobal && region.base >= global_.base)
      end = std::min(end, region.base);
  global_window_ = window_of(global_, end, span());
  shared_window_ = window_of(shared_, shared_.base + shared_.size, span());
}

void FastCore::guard_stacks(const StackGuard& guard) {
  executor_.guard_stacks(guard);
  code_->guard_stacks();
}

void FastCore::watch_stores(std::uint64_t begin, std::uint64_t end) {
  slice_.watch_begin = static_cast<std::uint32_t>(begin) - span() + 1;
  slice_.watch_bytes = static_cast<std::uint32_t>(end - begin) + span() - 1;
}

void FastCore::launch(std::uint32_t entry) {
  state_.launch();
  pcs_[0] = entry;
  if (probe_ != nullptr) probe_->on_warp_start(time_.now, {}, identity_.core, 0, entry);
}

void FastCore::launch_warp(unsigned warp, std::uint32_t pc, std::uint32_t mask,
                           const protocol::WorkGroup& group) {
  state_.launch(warp, mask, group);
  pcs_[warp] = pc;
  if (probe_ != nullptr) probe_->on_warp_start(time_.now, {}, identity_.core, warp, pc);
}

void FastCore::reset() {
  state_.reset();
  executor_.reset();
  commands_.clear();
  std::fill(pcs_.begin(), pcs_.end(), 0u);
  turn_ = 0;
  in_round_ = cut_ = false;
}

void FastCore::architecture(base::Checkpoint& checkpoint) {
  checkpoint(state_, executor_, pcs_, lane_instructions_);
}

bool FastCore::timing(base::Checkpoint& checkpoint) {
  checkpoint(warp_instructions_, traps_, turns_, turn_, in_round_, cut_, left_, progress_);
  return true;
}

void FastCore::release(unsigned id) {
  if (probe_ != nullptr) probe_->on_barrier_release(time_.now, identity_.core, id);
  state_.release(id);
}

base::Cycle FastCore::run_round(base::Cycle start, std::int64_t quantum) {
  if (!in_round_) {
    time_.now = start;
    progress_ = false;
    turn_ = 0;
    in_round_ = true;
  }
  while (turn_ < params_.warps) {
    const unsigned w = turns_[turn_];
    if (!state_.halted() && (state_.running() >> w & 1) != 0) {
      if (!cut_) left_ = quantum;
      run_slice(w);
      if (cut_) return time_.now - start;
      if ((state_.active() >> w & 1) == 0 && state_[w].group.exists())
        group_ends->warp_ended(identity_.core, w);
    }
    cut_ = false;
    ++turn_;
    if (time_.stop) return time_.now - start;
  }
  in_round_ = false;
  return time_.now - start;
}

/// What is left of its slice, or until it is stopped.
void FastCore::run_slice(unsigned w) {
  w_ = w;
  warp_ = &state_[w];
  note_float_watch();  // a debugger may have written mstatus
  slice_.rows = warp_->registers.row(0);
  slice_.floating = &warp_->floating;
  if (code_->full()) code_->clear();
  slice_.op = slice_.start = code_->at(pcs_[w]);
  set_mask(warp_->mask());
  for (unsigned lane = 0; lane < params_.lanes; ++lane) {
    identities_[slice_.stride * kWarpIdRow + lane] = w;
    stack_begins_[lane] = executor_.stack_begin(w, lane);
  }
  refresh_windows();
  leave_ = false;
  time_.polled = false;
  loops_.begin(*slice_.floating);
  const bool slow = instrumented();
  do {
    const std::int64_t piece = std::min({left_, kPiece, time_.left});
    slice_.budget = accounted_ = piece;
    slice_.over = false;
    while (!slice_.over && !leave_ && !time_.stop) {
      if (slow || warp_->flow->parked()) step();
      else if (slice_.mask == slice_.all_lanes) loops_.all_lanes(slice_);
      else loops_.some_lanes(slice_);
    }
    account();
    left_ -= piece - slice_.budget;
    time_.left -= piece - slice_.budget;
    if (time_.interrupted || time_.left <= 0) time_.stop = true;
  } while (left_ > 0 && !leave_ && !time_.stop);
  pcs_[w] = CodeCache::pc_of(slice_.op);
  cut_ = time_.stop && !leave_ && (left_ > 0 || !slice_.over);
  if (!cut_) progress_ |= !time_.polled;
}

void FastCore::refresh_windows() {
  slice_.global = global_window_;
  slice_.shared = shared_window_;
  slice_.global_store = global_.reservations->size() == 0 ? global_window_ : Window{};
  slice_.shared_store = shared_.reservations->size() == 0 ? shared_window_ : Window{};
}

std::string FastCore::describe_warp(unsigned index) const {
  const std::string text = state_.describe(index);
  return text.empty() ? "runs" : text;
}

}  // namespace spica::simt_core::fast
