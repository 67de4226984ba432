// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/conflicts.h"

#include <fmt/format.h>

#include "platform/machine/soc/keys.h"

namespace spica::check {

Accessor Conflicts::accessor(const Mark& mark, bool write) const {
  const Agents& agents = precedence_.order().agents();
  if (agents.is_engine(mark.agent)) return sites_.accessor(mark.site);
  Accessor result;
  result.core = static_cast<std::uint16_t>(agents.core_of(mark.agent));
  result.warp = static_cast<std::uint8_t>(agents.warp_of(mark.agent));
  result.pc = mark.site & ~3u;
  result.lanes = 1u << mark.lane;
  if (agents.is_tensor(mark.agent)) {
    result.what = (mark.site & 1) == 0 ? Accessor::What::kTensorTileA : Accessor::What::kTensorTileB;
    result.lanes = 0;
  } else if (agents.is_copies(mark.agent)) {
    result.what = Accessor::What::kCopy;
  } else {
    result.what = mark.has(Mark::kAtomic) ? Accessor::What::kAtomic
                  : write                 ? Accessor::What::kStore
                                          : Accessor::What::kLoad;
  }
  return result;
}

Finding Conflicts::finding(Kind kind, const Place& place) const {
  Finding f;
  f.kind = kind;
  f.cycle = moment_.cycle;
  f.memory = place.memory;
  f.address = place.address;
  return f;
}

void Conflicts::lane_order(const Actor& actor, const Mark& store, const Place& place) {
  Finding f = finding(Kind::kLaneOrder, place);
  f.first = accessor(store, true);
  f.second = accessor(actor.mark(), false);
  if (findings_.known(f, moment_.event)) return;
  f.detail = fmt::format("lanes leave the load/store unit one by one ({}: independent)", soc::keys::kLanes);
  f.advice = "a fence (simt_fence) between the two";
  findings_.add(std::move(f), moment_.event);
}

/// The two sides in the order in which the program has them, as far as it has one: a unit may do its work before
/// or after what a warp does after the command.
Relation Conflicts::relate(Finding& f, const Actor& actor, const Mark& before, Access access,
                           bool write) const {
  const Order& order = precedence_.order();
  const auto issued = [&] {
    return precedence_.known(actor.agent, order.issued(actor.agent), before, access);
  };
  if (f.first.is_unit() == f.second.is_unit() || f.first.is_tensor() || f.second.is_tensor())
    return issued() ? Relation::kFenceMissing : Relation::kNone;
  const bool unit_first = f.first.is_unit();
  const Accessor& unit = unit_first ? f.first : f.second;
  const unsigned warp = unit_first ? actor.agent : before.agent;
  if (!unit_first && issued()) return Relation::kFenceMissing;
  if (!order.behind_command(warp, unit.unit, unit.command)) return Relation::kNone;
  const bool unit_wrote = unit_first ? access == Access::kWrite : write;
  const bool warp_wrote = unit_first ? write : access == Access::kWrite;
  if (!unit_first) std::swap(f.first, f.second);
  f.kind = unit_wrote && !warp_wrote ? Kind::kEarlyRead : Kind::kOverwrittenInUse;
  return Relation::kBehindCommand;
}

void Conflicts::unordered(const Actor& actor, const Mark& before, Access access, bool write,
                          const Place& place) {
  const Order& order = precedence_.order();
  Finding f = finding(Kind::kRace, place);
  f.first = accessor(before, access == Access::kWrite);
  f.second = accessor(actor.mark(), write);
  if (f.first.is_unit() && f.second.is_unit()) f.kind = Kind::kUnitOrder;
  else if (f.second.is_tensor() && f.first.is_unit()) f.kind = Kind::kEarlyRead;
  else if (f.first.is_tensor()) f.kind = Kind::kOverwrittenInUse;
  else if (f.first.is_copy()) f.kind = write ? Kind::kOverwrittenInUse : Kind::kEarlyRead;
  const bool ordered_here = precedence_.known(actor.agent, order.waited(actor.agent), before, access);
  if (ordered_here) f.kind = Kind::kFenceMissing;
  if (findings_.known(f, moment_.event)) return;
  const Relation relation = relate(f, actor, before, access, write);
  if (ordered_here) {
    f.kind = Kind::kFenceMissing;
    f.detail = fmt::format(
        "this machine orders them, because its barriers wait for memory accesses ({}); the published hardware does not",
        soc::keys::kBarrierWaits);
  } else if (const std::string kernels = relation == Relation::kNone ? kernels_text(actor, before) : "";
             !kernels.empty()) {
    f.detail = kernels;
    f.advice =
        is_opencl_
            ? "enqueue both kernels in one in-order queue, or pass the event of the first to the second in its "
              "list of events to wait for"
            : "put both kernels in one stream, or order them by an event: recorded in the first stream after its "
              "kernel, and awaited in the second before its kernel";
    findings_.add(std::move(f), moment_.event);
    return;
  }
  if (is_opencl_) f.advice = opencl_advice(f, relation);
  else f.advice = advice(f, access == Access::kWrite, relation, order.barrier_waits(), sites_.rules().wait());
  findings_.add(std::move(f), moment_.event);
}

void Conflicts::uninitialised(const Actor& actor, const Place& place) {
  Finding f = finding(Kind::kUninitialised, place);
  f.second = accessor(actor.mark(), false);
  if (findings_.known(f, moment_.event)) return;
  f.advice = is_opencl_
                 ? "store it first; if another work item stores it, put barrier(CLK_LOCAL_MEM_FENCE) between"
                 : "write it first, with a barrier or a wait in between";
  findings_.add(std::move(f), moment_.event);
}

/// Of the kernels of an access and the one before it; "" where they are of one queue, or not of kernels.
std::string Conflicts::kernels_text(const Actor& actor, const Mark& before) const {
  const KernelOrder& kernels = precedence_.kernels();
  const std::uint32_t first = kernels.queue_of(kernels.kernel(before.agent, before.epoch));
  const std::uint32_t second = kernels.queue_of(kernels.kernel(actor.agent, actor.epoch));
  if (first == KernelOrder::kNone || second == KernelOrder::kNone || first == second) return "";
  const auto name = [this](std::uint32_t queue) {
    return queue < queue_names_.size() ? fmt::format("stream '{}'", queue_names_[queue])
                                       : fmt::format("queue {}", queue);
  };
  return fmt::format("kernels of {} and {}, which no event and no barrier packet orders", name(first),
                     name(second));
}

}  // namespace spica::check
