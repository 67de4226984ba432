// SPDX-License-Identifier: Apache-2.0
#include "models/mma_offload/mma_offload.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"

namespace spica::mma_offload {

namespace {
constexpr unsigned kLanes = 32;
constexpr unsigned kRowsRead = 3, kRowsWritten = 1;  // of a multiply-add
}  // namespace

MmaOffload::MmaOffload(const sc_core::sc_module_name& name, const OffloadParams& params,
                       const base::ClockDomain& clock)
    : Component(name, clock), params_(params), rule_(params) {
  in.bind(*this);
  lanes.bind(stream_);
}

void MmaOffload::begin(const Operation& operation, base::Cycle now) {
  Warp& warp = warps_[operation.warp];
  const isa::MmaForm& form = isa::kMmaForms[operation.form];
  warp.c = operation.c;
  warp.d = operation.d;
  warp.instructions = OffloadRule::instructions(form.m, form.n, form.k, kLanes);
  const bool free = stream_.free(now), turn = rule_.count() + 1 >= rule_.rate(warp.instructions);
  warp.on_lanes = rule_.next(warp.instructions, free);
  if (!warp.on_lanes) {
    if (turn && !free) ++stats_.lanes_busy;
    ++stats_.mma_on_tensor;
    return out->begin(operation, now);
  }
  warp.begin = std::max(now, warp.by_any[warp.c]) + params_.operand_cycles;
  stream_.stream(warp.begin, warp.instructions, static_cast<unsigned>(params_.mac_interval));
  ++stats_.mma_on_lanes;
  stats_.macs += warp.instructions;
  stats_.mac_lanes += std::uint64_t{warp.instructions} * kLanes;
}

/// The tensor core does not know of results that come from the lanes.
base::Cycle MmaOffload::ready(unsigned w) const {
  const Warp& warp = warps_[w];
  if (warp.on_lanes) return 0;
  return std::max({out->ready(w), warp.by_lanes[warp.c], warp.by_lanes[warp.d]});
}

MmaOffload::Step MmaOffload::issue(unsigned w, base::Cycle now) {
  Warp& warp = warps_[w];
  if (!warp.on_lanes) {
    const Step step = out->issue(w, now);
    if (step.last) warp.by_any[warp.d] = std::max(warp.by_any[warp.d], step.result);
    return step;
  }
  const base::Cycle last = warp.begin + (warp.instructions - 1) * params_.mac_interval;  // instruction
  // It may issue late, when the ways of the operands were taken.
  const base::Cycle end = std::max<base::Cycle>(last + params_.mac_latency, now);
  warp.by_lanes[warp.d] = end;
  warp.by_any[warp.d] = std::max(warp.by_any[warp.d], end);
  warp.on_lanes = false;
  first_ = std::min(first_, warp.begin);
  last_ = std::max(last_, end);
  held_ += end - warp.begin;
  const base::Cycle operands = params_.operands_at_issue ? 0 : last + 1;
  return {true,    kRowsRead * warp.instructions, kRowsWritten * warp.instructions, 0, end, 0, now + 1,
          operands};
}

void MmaOffload::catch_up() {
  const LaneStream::Use& own = stream_.own_use();
  const base::Cycle end = std::min(last_, now());
  std::uint64_t occupied = own.cycles + held_;
  if (last_ > now()) occupied -= last_ - now();
  stats_.fpu_occupied += occupied - stats_.fpu_occupied.value();
  const base::Cycle first = std::min(first_, own.cycles != 0 ? own.first : base::kNever);
  const base::Cycle last = std::max(end, own.last);
  stats_.fpu_online += (first < last ? last - first : 0) - stats_.fpu_online.value();
}

void MmaOffload::reset() {
  rule_.reset();
  stream_.reset();
  warps_.fill({});
  last_ = 0;
}

void MmaOffload::dump_state(std::ostream& to) const {
  fmt::print(to, "{}: {} operations since the last one on the lanes; lanes busy until cycle {}\n", name(),
             rule_.count(), last_);
}

bool MmaOffload::timing(base::Checkpoint& checkpoint) {
  checkpoint(rule_, stream_, warps_, first_, last_, held_, stats_);
  return true;
}

}  // namespace spica::mma_offload
