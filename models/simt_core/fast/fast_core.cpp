// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/fast/fast_core.h"

#include <algorithm>

#include "models/base/checkpoint.h"

namespace spica::simt_core::fast {

namespace {

// Instructions of a long slice after which it checks whether it is asked to end.
constexpr std::int64_t kPiece = 1 << 20;

}  // namespace

FastCore::FastCore(const sc_core::sc_module_name& name, const Params& params, const CoreIdentity& identity,
                   const protocol::AddressMap& map, protocol::LooseTime& time, const TensorUnitMaker& tensor,
                   const isa::ControlFlowMaker& control_flow)
    : FastCorePorts(name),
      params_(params),
      identity_(identity),
      map_(map),
      time_(time),
      state_(params, control_flow),
      pcs_(params.warps, 0),
      round_(static_cast<unsigned>(params.warps)),
      loops_(loops(static_cast<unsigned>(params.lanes))) {
  mmio.attach(*this);
  const TensorSite site{params_,
                        identity_,
                        map_,
                        state_,
                        executor_,
                        memories_,
                        [this](const isa::Instruction& instruction, std::uint32_t pc,
                               const protocol::FragmentAccess* fragment) {
                          if (probe_ != nullptr) notify_issue(instruction, pc, fragment);
                        }};
  tensor_ = tensor ? tensor(site) : std::make_unique<TensorUnit>(site);
  slice_.core = this;
  slice_.all_lanes = ~std::uint32_t{0} >> (32 - params.lanes);
  slice_.stride = state_[0].registers.stride();
  for (unsigned lane = 0; lane < slice_.stride; ++lane) {
    slice_.set_identity(kLaneIdRow, lane, lane);
    slice_.set_identity(kCoreIdRow, lane, identity.core);
    slice_.set_identity(kLanesRow, lane, params.lanes);
    slice_.set_identity(kWarpsRow, lane, params.warps);
    slice_.set_identity(kCoresRow, lane, identity.cores);
  }
  slice_.step = [](Slice& slice) { return static_cast<FastCore*>(slice.core)->step(); };
}

void FastCore::end_of_elaboration() {
  commands_.to = bound(accelerator);
  executor_.connect(*bound(fault), commands_.to != nullptr ? &commands_ : nullptr, bound(marker));
}

void FastCore::connect(CodeCache& code) {
  code_ = &code;
  slice_.pages = code.pages();
  memories_.connect(gmem, *smem, map_, slice_.row_bytes());
}

void FastCore::guard_stacks(const StackGuard& guard) {
  executor_.guard_stacks(guard);
  code_->guard_stacks();
}

void FastCore::watch_stores(std::uint64_t begin, std::uint64_t end) {
  slice_.watch_begin = static_cast<std::uint32_t>(begin) - slice_.row_bytes() + 1;
  slice_.watch_bytes = static_cast<std::uint32_t>(end - begin) + slice_.row_bytes() - 1;
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
  round_.reset();
}

void FastCore::architecture(base::Checkpoint& checkpoint) {
  checkpoint(state_, executor_, pcs_, counts_.lane_instructions);
}

bool FastCore::timing(base::Checkpoint& checkpoint) {
  checkpoint(counts_.warp_instructions, counts_.traps, round_);
  return true;
}

void FastCore::release(unsigned id, bool without_some) {
  if (probe_ != nullptr) probe_->on_barrier_release(time_.now, identity_.core, id);
  ended_warps_.check(state_, identity_, state_.release(id), without_some, time_.now, *bound(fault));
}

base::Cycle FastCore::run_round(base::Cycle start, std::int64_t quantum) {
  if (round_.begin()) time_.now = start;
  while (!round_.over()) {
    const unsigned w = round_.warp();
    if (!state_.halted() && (state_.running() >> w & 1) != 0) {
      round_.begin_slice(quantum);
      run_slice(w);
      if (round_.cut()) return time_.now - start;
      if ((state_.active() >> w & 1) == 0 && state_[w].group.exists())
        group_ends->warp_ended(identity_.core, w);
    }
    round_.next();
    if (time_.stop) return time_.now - start;
  }
  round_.end();
  return time_.now - start;
}

/// The rest of its slice, or until it is stopped.
void FastCore::run_slice(unsigned w) {
  slice_.index = w;
  slice_.warp = &state_[w];
  record_float_watch();  // a debugger may have written mstatus
  slice_.rows = slice_.warp->registers.row(0);
  slice_.floating = &slice_.warp->floating;
  if (code_->full()) code_->clear();
  slice_.go_to(code_->at(pcs_[w]));
  slice_.set_mask(slice_.warp->mask());
  for (unsigned lane = 0; lane < params_.lanes; ++lane) {
    slice_.set_identity(kWarpIdRow, lane, w);
    slice_.stack_begins[lane] = executor_.stack_begin(w, lane);
  }
  memories_.open_windows(slice_);
  slice_.leave = false;
  time_.polled = false;
  loops_.begin(*slice_.floating);
  const bool slow = instrumented();
  do {
    const std::int64_t piece = std::min({round_.left(), kPiece, time_.left});
    slice_.give(piece);
    while (!slice_.over && !slice_.leave && !time_.stop) {
      if (slow || slice_.warp->flow->parked()) step();
      else if (slice_.mask == slice_.all_lanes) loops_.all_lanes(slice_);
      else loops_.some_lanes(slice_);
    }
    account();
    round_.use(piece - slice_.budget);
    time_.left -= piece - slice_.budget;
    if (time_.interrupted || time_.left <= 0) time_.stop = true;
  } while (round_.left() > 0 && !slice_.leave && !time_.stop);
  pcs_[w] = CodeCache::pc_of(slice_.op);
  round_.end_slice(time_.stop && !slice_.leave && (round_.left() > 0 || !slice_.over), time_.polled);
}

std::string FastCore::describe_warp(unsigned index) const {
  const std::string text = state_.describe(index);
  return text.empty() ? "runs" : text;
}

}  // namespace spica::simt_core::fast
