// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/warp_mma/warp_tensor_core.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "models/base/checkpoint.h"

namespace spica::tensor_core::warp_mma {

namespace {

base::Counter WarpTensorCoreStats::* counter_of(numeric::Format operand) {
  switch (numeric::info(operand).mac) {
    case numeric::MacKind::kFp16: return &WarpTensorCoreStats::macs_fp16;
    case numeric::MacKind::kBf16: return &WarpTensorCoreStats::macs_bf16;
    case numeric::MacKind::kTf32: return &WarpTensorCoreStats::macs_tf32;
    case numeric::MacKind::kFp8: return &WarpTensorCoreStats::macs_fp8;
    case numeric::MacKind::kFp6: return &WarpTensorCoreStats::macs_fp6;
    case numeric::MacKind::kFp4: return &WarpTensorCoreStats::macs_fp4;
    case numeric::MacKind::kInt4: return &WarpTensorCoreStats::macs_int4;
    default: return &WarpTensorCoreStats::macs_int8;
  }
}

}  // namespace

WarpTensorCore::WarpTensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params,
                               const base::ClockDomain& clock)
    : Component(name, clock), WithSemantics(params), params_(params) {
  in.bind(*this);
  for (const warp_mma::Operation& operation : operations(generation(params))) {
    Form& form = forms_[operation.form];
    form = {operation.timing,
            operation.steps(),
            operation.parts(),
            operation.rows_written(),
            counter_of(operation.shape().operand),
            operation.step_macs(),
            0,
            {},
            {}};
    if (params.style == Style::kBlock) {
      form.timing.interval = static_cast<unsigned>(params.warp.interval);
      form.timing.chain = static_cast<unsigned>(params.warp.latency);
    }
    for (unsigned step = 0; step < form.steps; ++step) {
      form.rows_read[step] = static_cast<std::uint8_t>(operation.rows_read(step));
      form.all_rows_read += form.rows_read[step];
      form.part[step] = static_cast<std::uint8_t>(step % form.parts);
    }
  }
}

FastWarpTensorCore::FastWarpTensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params)
    : sc_module(name), WithSemantics(params) {
  in.bind(*this);
}

void WarpTensorCore::reset() {
  catch_up();
  warps_ = {};
  started_ = 0;
  free_ = 0;
  user_ = 0;
  computing_ = false;
  stats_.dot_product.charge(static_cast<unsigned>(UnitReason::kIdle), now());
}

void WarpTensorCore::begin(const Operation& operation, base::Cycle now) {
  Warp& warp = warps_[operation.warp];
  warp.form = &forms_[operation.form];
  warp.step = warp.counted = 0;
  warp.began = now;
  warp.c = operation.c;
  warp.d = operation.d;
  const base::Cycle startup = warp.form->timing.startup == 0 ? 0 : params_.warp.startup;
  const bool primed = warp.issued_any && warp.last + startup >= now;
  warp.first = primed ? now : now + startup;
  if (warp.form->timing.chain == 0) {  // measured as a whole: needs all of C
    const auto& c = warp.result[warp.c];
    warp.first = std::max(warp.first, *std::max_element(c.begin(), c.end()));
  }
  record_end(now);
  ++started_;
}

inline base::Cycle WarpTensorCore::ready(const Warp& warp, unsigned w) const {
  const Form& form = *warp.form;
  if (form.timing.chain == 0 && warp.step != 0) {
    const base::Cycle alone = warp.first + form.timing.ends[warp.step - 1] - form.timing.startup;
    return user_ == w ? alone : std::max(alone, free_);
  }
  const base::Cycle cycle = std::max(warp.first, free_);
  if (form.timing.chain == 0) return cycle;
  return std::max(cycle, warp.result[warp.step < form.parts ? warp.c : warp.d][form.part[warp.step]]);
}

WarpTensorCore::Step WarpTensorCore::issue(unsigned w, base::Cycle now) {
  Warp& warp = warps_[w];
  const Form& form = *warp.form;
  if (warp.step == 0) warp.first = now;
  else stats_.step_ends[warp.step - 1] += now - warp.began;
  record_end(now);
  if (!computing_) stats_.dot_product.charge(static_cast<unsigned>(UnitReason::kComputing), now);
  computing_ = true;
  free_ = std::max(now, free_) + form.timing.interval;
  Step step{warp.step + 1 == form.steps,
            form.rows_read[warp.step],
            form.rows_written,
            form.timing.operands,
            0,
            0,
            free_};
  auto& result = warp.result[warp.d];
  if (form.timing.chain != 0) {
    result[form.part[warp.step]] = step.result = now + form.timing.chain;
  } else if (step.last) {
    // Of a warp that was held up, the last step takes as long as that of one that was not.
    const unsigned before = form.steps == 1 ? form.timing.startup : form.timing.ends[form.steps - 2];
    step.result = now + form.timing.ends[form.steps - 1] - before;
    result.fill(step.result);
  }
  warp.last = now;
  warp.issued_any = true;
  user_ = w;
  ++warp.step;
  ++stats_.steps;
  if (step.last) {
    count(warp);
    ++stats_.instructions;
    stats_.step_ends[warp.step - 1] += step.result - warp.began;
    warp.form = nullptr;
    --started_;
  } else {
    step.next = std::max(ready(warp, w), now + 1);
  }
  return step;
}

/// The steps that the statistics do not have yet.
void WarpTensorCore::count(Warp& warp) {
  const Form& form = *warp.form;
  const unsigned steps = warp.step - warp.counted;
  unsigned rows_read = form.all_rows_read;
  if (steps != form.steps)
    rows_read = std::accumulate(&form.rows_read[warp.counted], &form.rows_read[warp.counted] + steps, 0u);
  stats_.rows_read += rows_read;
  stats_.rows_written += std::uint64_t{steps} * form.rows_written;
  stats_.*form.macs_of += steps * form.macs;
  warp.counted = warp.step;
}

void WarpTensorCore::catch_up() {
  record_end(now());
  for (Warp& warp : warps_)
    if (warp.form != nullptr && warp.counted != warp.step) count(warp);
}

void WarpTensorCore::dump_state(std::ostream& out) const {
  fmt::print(out, "{}: {} operations under way, free from cycle {}\n", name(), started_, free_);
  for (unsigned w = 0; w < warps_.size(); ++w)
    if (const Warp& warp = warps_[w]; warp.form != nullptr)
      fmt::print(out, "  warp {}: step {} of {}\n", w, warp.step, warp.form->steps);
}

bool FastWarpTensorCore::timing(base::Checkpoint& checkpoint) {
  checkpoint(macs_);
  return true;
}

}  // namespace spica::tensor_core::warp_mma
