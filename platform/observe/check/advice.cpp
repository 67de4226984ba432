// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/advice.h"

#include <fmt/format.h>

#include "platform/machine/soc/keys.h"

namespace spica::check {

namespace {

std::string between_warps(const Finding& f, bool first_wrote, bool fence_missing, bool barrier_waits) {
  if (fence_missing && !barrier_waits)
    return fmt::format(
        "a fence (simt_fence) after the first, before the barrier or flag that follows it; before a barrier, also a "
        "CSR access (simt_mask) after the fence: a barrier of this machine does not wait for memory ({} = false)",
        soc::keys::kBarrierWaits);
  if (fence_missing)
    return first_wrote
               ? "a fence (simt_fence) after the first, before the barrier or flag that follows it: a barrier "
                 "alone does not wait for stores"
               : "use the loaded value, or a fence (simt_fence), before the barrier that follows the first: a "
                 "barrier alone does not wait for loads";
  if (f.first.what == Accessor::What::kAtomic || f.second.what == Accessor::What::kAtomic)
    return "make both accesses atomic, or put a barrier (simt_barrier) between them";
  return "a barrier (simt_barrier) that both warps reach between the first and the second, or a flag: a fence and a "
         "store after the first, a loop that waits for it before the second";
}

std::string tensor_reads(bool fence_missing, const Finding& f, const std::string& until_idle) {
  if (f.first.is_unit()) return until_idle + ", then a barrier (simt_barrier), before the product begins";
  return fence_missing
             ? "decoupled_tensor_settle() after the store, before the barrier: only accesses through the "
               "load/store unit wait for a fence"
             : "decoupled_tensor_settle() after the store, then a barrier if the product is another "
               "warp's";
}

}  // namespace

std::string opencl_advice(const Finding& f, Relation relation) {
  const bool is_local = f.memory == Memory::kShared;
  const std::string barrier = is_local ? "barrier(CLK_LOCAL_MEM_FENCE)" : "barrier(CLK_GLOBAL_MEM_FENCE)";
  if (relation == Relation::kFenceMissing)
    return fmt::format(
        "{} instead of the barrier between them: its flag names the memory whose accesses it orders",
        barrier);
  const std::string between =
      fmt::format("{} that all work items of the group reach, between the first and the second", barrier);
  const bool is_atomic = f.first.what == Accessor::What::kAtomic || f.second.what == Accessor::What::kAtomic;
  if (is_atomic) return fmt::format("make both accesses atomic, or put {}", between);
  return is_local
             ? between
             : between +
                   "; a barrier does not order work items of different groups: use atomic operations, or two "
                   "launches";
}

std::string advice(const Finding& f, bool first_wrote, Relation relation, bool barrier_waits,
                   std::string_view unit_wait) {
  const std::string until_idle = fmt::format("wait until the unit is idle ({})", unit_wait);
  const bool fence_missing = relation == Relation::kFenceMissing;
  if (f.first.is_unit() && f.second.is_unit())
    return f.first.unit == f.second.unit
               ? until_idle + " between the two commands"
               : fmt::format(
                     "wait until the first unit is idle ({}) before the command to the second, with a "
                     "barrier between them if two warps drive them",
                     unit_wait);
  if (f.second.is_tensor()) return tensor_reads(fence_missing, f, until_idle);
  if (f.first.is_tensor())
    return f.second.is_unit() || f.second.core != f.first.core || f.second.warp != f.first.warp
               ? "decoupled_tensor_wait() after the product, then a barrier (simt_barrier), before the second"
               : "decoupled_tensor_wait() between the product and the second";
  if (f.first.is_copy())
    return f.second.core != f.first.core || f.second.warp != f.first.warp
               ? "pipeline_commit() after the copy, pipeline_wait_prior() for its group, then a barrier (simt_barrier), "
                 "before the second"
               : "pipeline_commit() after the copy, and pipeline_wait_prior() for its group, before the second";
  if (f.first.is_unit() || f.second.is_unit()) {
    if (relation == Relation::kBehindCommand)
      return until_idle +
             " after the command and before the second; if another warp waits, a barrier (simt_barrier) after that";
    if (fence_missing)
      return first_wrote ? "a fence (simt_fence) between the store and the command"
                         : "use the loaded value, or a fence (simt_fence), before the command";
    return fmt::format(
        "a barrier (simt_barrier) between the access and the command; if the command is to come first, {} before that "
        "barrier",
        until_idle);
  }
  return between_warps(f, first_wrote, fence_missing, barrier_waits);
}

}  // namespace spica::check
