// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/vcd_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/protocol/payload/issue_reason.h"
#include "platform/observe/trace/format.h"

namespace spica::trace {

namespace {

constexpr unsigned kWorkKinds = static_cast<unsigned>(protocol::UnitWork::Kind::kTensor) + 1;

/// Short names of printable characters, as the format wants them.
std::string code_of(unsigned number) {
  std::string code;
  do {
    code += static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number != 0);
  return code;
}

}  // namespace

VcdWriter::VcdWriter(const Context& context, const std::string& path, std::uint64_t limit)
    : Writer(context, path, limit), cores_(context.cores) {
  file_.add("$version spica $end\n$timescale 1ps $end\n");
  for (unsigned c = 0; c < context.cores; ++c) {
    if (!context.filter.accepts_core(c)) continue;
    Core& core = cores_[c];
    file_.add("$scope module core_{} $end\n$scope module issue_slot $end\n", c);
    for (std::size_t i = 0; i < static_cast<std::size_t>(protocol::IssueReason::kCount); ++i)
      core.slot.push_back(declare(context.reasons[i], 1));
    file_.add("$upscope $end\n");
    core.running = declare("running_warps", context.warps);
    core.at_barrier = declare("warps_at_barrier", context.warps);
    core.barrier = declare("barrier_id", 8);
    file_.add("$upscope $end\n");
  }
  for (const unsigned source : context.units) {
    Unit& unit = units_[source];
    std::string name = context.source_name(source);
    std::replace(name.begin(), name.end(), '.', '_');
    file_.add("$scope module {} $end\n", name);
    unit.commands = declare("commands", 32);
    unit.busy = declare("busy", 1);
    for (unsigned kind = 0; kind < kWorkKinds; ++kind)
      unit.work.push_back(
          declare(fmt::format("{}s", work_name(static_cast<protocol::UnitWork::Kind>(kind))), 8));
    unit.under_way.resize(kWorkKinds);
    file_.add("$upscope $end\n");
  }
  if (context.queues != 0) {
    file_.add("$scope module {} $end\n", context.queues_block);
    busy_queues_ = declare("busy_queues", context.queues);
    file_.add("$upscope $end\n");
  }
  file_.add("$enddefinitions $end\n");
}

unsigned VcdWriter::declare(const std::string& name, unsigned width) {
  const auto number = static_cast<unsigned>(signals_.size());
  signals_.push_back({code_of(number), width, 0, 0, false, false});
  file_.add("$var wire {} {} {} $end\n", width, signals_.back().code, name);
  return number;
}

std::uint64_t VcdWriter::picoseconds(base::Cycle cycle) const {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(cycle) * 1e6 / context_.clock_mhz));
}

void VcdWriter::write_value(const Signal& signal) {
  if (!signal.known) {
    if (signal.width == 1) file_.add("x{}\n", signal.code);
    else file_.add("bx {}\n", signal.code);
  } else if (signal.width == 1) {
    file_.add("{}{}\n", signal.value, signal.code);
  } else {
    file_.add("b{:b} {}\n", signal.value, signal.code);
  }
}

void VcdWriter::write_changes() {
  std::sort(changed_.begin(), changed_.end());
  for (const unsigned number : changed_) {
    Signal& signal = signals_[number];
    signal.queued = false;
    if (signal.known && signal.value == signal.shown) continue;
    if (!time_written_) file_.add("#{}\n{}", picoseconds(now_), dump_ ? "$dumpvars\n" : "");
    time_written_ = true;
    signal.known = true;
    signal.shown = signal.value;
    write_value(signal);
  }
  if (dump_) file_.add("$end\n");
  dump_ = false;
  changed_.clear();
}

/// Values of a cycle are written when it is over: what changes and changes back is not a change.
void VcdWriter::go_to(base::Cycle cycle) {
  if (cycle <= now_) return;
  write_changes();
  now_ = cycle;
  time_written_ = false;
}

void VcdWriter::set(base::Cycle cycle, unsigned number, std::uint64_t value) {
  go_to(cycle);
  Signal& signal = signals_[number];
  signal.value = signal.width == 64 ? value : value & ((std::uint64_t{1} << signal.width) - 1);
  if (signal.queued) return;
  signal.queued = true;
  changed_.push_back(number);
}

/// All values are written when the first cycle is over.
void VcdWriter::start(base::Cycle cycle) {
  go_to(cycle);
  now_ = cycle;
  time_written_ = false;
  dump_ = true;
  for (const Core& core : cores_) {
    if (core.slot.empty()) continue;
    for (const unsigned number : core.slot) signals_[number].value = 0;
    signals_[core.slot.back()].value = 1;  // no_warp, until set otherwise
  }
  for (auto& [source, unit] : units_) {
    unit.under_way.assign(kWorkKinds, 0);
    for (const unsigned number : unit.work) signals_[number].value = 0;
    signals_[unit.busy].value = 0;
  }
  if (context_.queues != 0) signals_[busy_queues_].value = 0;
  changed_.clear();
  for (unsigned number = 0; number < signals_.size(); ++number) {
    signals_[number].known = false;
    signals_[number].queued = true;
    changed_.push_back(number);
  }
}

/// Nothing is known until the next start.
void VcdWriter::stop(base::Cycle cycle) {
  go_to(cycle);
  if (dump_) write_changes();
  // A signal changes once at a time: what this cycle has changed is also unknown.
  for (const unsigned number : changed_) signals_[number].queued = false;
  changed_.clear();
  if (!time_written_) file_.add("#{}\n", picoseconds(now_));
  time_written_ = true;
  for (Signal& signal : signals_) {
    signal.known = false;
    write_value(signal);
  }
  kinds_.clear();
  queue_of_.clear();
}

void VcdWriter::finish(base::Cycle, const std::string& why) {
  if (!why.empty()) file_.add("$comment end of trace: {} $end\n", why);
}

void VcdWriter::on_issue_slot(base::Cycle cycle, unsigned c, const protocol::Origin&, unsigned reason) {
  const Core& core = cores_[c];
  for (unsigned i = 0; i < core.slot.size(); ++i)
    if (i == reason || signals_[core.slot[i]].value != 0) set(cycle, core.slot[i], i == reason);
}

void VcdWriter::on_warp_state(base::Cycle cycle, const protocol::Origin& origin, unsigned reason) {
  using Reason = protocol::IssueReason;
  Core& core = cores_[origin.core];
  if (core.slot.empty()) return;
  const std::uint64_t bit = std::uint64_t{1} << origin.warp;
  const auto with = [&](std::uint64_t warps, Reason state, bool is) {
    return (reason == static_cast<unsigned>(state)) == is ? warps | bit : warps & ~bit;
  };
  core.running_warps = with(core.running_warps, Reason::kNoWarp, false);
  core.waiting_warps = with(core.waiting_warps, Reason::kBarrier, true);
  set(cycle, core.running, core.running_warps);
  set(cycle, core.at_barrier, core.waiting_warps);
}

void VcdWriter::on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id, unsigned) {
  const Core& core = cores_[origin.core];
  if (!core.slot.empty()) set(cycle, core.barrier, id);
}

void VcdWriter::on_command(base::Cycle cycle, unsigned source, const protocol::Origin&, std::uint32_t) {
  const auto found = units_.find(source);
  if (found != units_.end()) set(cycle, found->second.commands, ++found->second.counted);
}

void VcdWriter::count(base::Cycle cycle, Unit& unit, unsigned kind, int change) {
  unit.under_way[kind] += static_cast<std::uint64_t>(change);
  set(cycle, unit.work[kind], unit.under_way[kind]);
  const bool busy =
      std::any_of(unit.under_way.begin(), unit.under_way.end(), [](std::uint64_t n) { return n != 0; });
  set(cycle, unit.busy, busy);
}

void VcdWriter::on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) {
  const auto found = units_.find(source);
  if (found == units_.end()) return;
  const auto kind = static_cast<unsigned>(work.kind);
  if (!kinds_.insert({{source, work.id}, kind}).second) return;
  count(cycle, found->second, kind, 1);
}

void VcdWriter::on_work_end(base::Cycle cycle, unsigned source, std::uint32_t id) {
  const auto found = kinds_.find({source, id});
  if (found == kinds_.end()) return;
  count(cycle, units_.at(source), found->second, -1);
  kinds_.erase(found);
}

void VcdWriter::set_busy(base::Cycle cycle) {
  std::uint64_t busy = 0;
  for (const auto& [kernel, queue] : queue_of_) busy |= std::uint64_t{1} << queue;
  set(cycle, busy_queues_, busy);
}

void VcdWriter::on_kernel_launch(base::Cycle cycle, unsigned, std::uint32_t kernel,
                                 const protocol::KernelRun& run) {
  queue_of_[kernel] = run.queue;
  set_busy(cycle);
}

void VcdWriter::on_kernel_end(base::Cycle cycle, unsigned, std::uint32_t kernel, const protocol::KernelRun&) {
  queue_of_.erase(kernel);
  set_busy(cycle);
}

}  // namespace spica::trace
