// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/perfetto_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/isa/instruction.h"
#include "models/protocol/payload/issue_reason.h"
#include "models/protocol/payload/marker.h"
#include "platform/observe/trace/format.h"

namespace spica::trace {

namespace {

constexpr unsigned kProgramProcess = 900, kMemoryProcess = 999;
constexpr unsigned kMarkers = 1000;       // threads of cores: markers of warp 0
constexpr unsigned kCisc = 0, kRocc = 40;  // threads of units: commands; pieces of work follow from 100 on
constexpr std::uint32_t kLateCommands =
    16;  // after this many later ones, a command that has no work in flight is over
constexpr auto kIssued = static_cast<unsigned>(protocol::IssueReason::kIssued);
constexpr auto kNoWarp = static_cast<unsigned>(protocol::IssueReason::kNoWarp);

bool accesses_memory(const isa::Instruction& instruction) {
  return instruction.unit == isa::Unit::kLoad || instruction.unit == isa::Unit::kStore ||
         instruction.unit == isa::Unit::kAtomic;
}

}  // namespace

PerfettoWriter::PerfettoWriter(const Context& context, const std::string& path, std::uint64_t limit)
    : Writer(context, path, limit),
      slices_(std::size_t{context.cores} * context.warps),
      phases_(slices_.size(), Phases(kIssued)),
      regions_(slices_.size()),
      region_numbers_(slices_.size()),
      memory_(slices_.size()),
      in_flight_(context.cores) {
  file_.add("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"clock_mhz\":{}}},\"traceEvents\":[\n",
            context.clock_mhz);
  for (unsigned core = 0; core < context.cores; ++core) {
    if (!context.filter.accepts_core(core)) continue;
    name_process(process_of_core(core), fmt::format("core {}", core));
    for (unsigned warp = 0; warp < context.warps; ++warp)
      if (context.filter.accepts_warp(core, warp))
        name_thread(process_of_core(core), warp, fmt::format("warp {}", warp));
  }
  for (const unsigned source : context.units) name_unit(source);
  if (!context.meters.empty()) name_process(kMemoryProcess, "memory");
}

void PerfettoWriter::name_process(unsigned process, const std::string& name) {
  file_.add("{}{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":\"{}\"}}}}",
            separator_, process, json_escaped(name));
  separator_ = ",\n";
  file_.add(",\n{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{0}}}}}",
            process);
}

void PerfettoWriter::name_unit(unsigned source) {
  if (units_.insert(source).second) name_process(process_of_unit(source), context_.source_name(source));
}

void PerfettoWriter::name_thread(unsigned process, unsigned thread, const std::string& name) {
  file_.add(",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}}}",
            process, thread, json_escaped(name));
  // Markers of a warp are shown below the warp.
  const unsigned position = process >= kProgramProcess ? thread
                            : thread >= kMarkers       ? 2 * (thread - kMarkers) + 1
                                                       : 2 * thread;
  file_.add(
      ",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{}}}}}",
      process, thread, position);
}

/// Microseconds with as many digits as a cycle needs.
std::string PerfettoWriter::us(base::Cycle cycle) const {
  const auto picoseconds =
      static_cast<std::uint64_t>(std::llround(static_cast<double>(cycle) * 1e6 / context_.clock_mhz));
  char text[32];
  char* end = fmt::format_to(text, "{}.{:06}", picoseconds / 1'000'000, picoseconds % 1'000'000);
  while (end[-1] == '0') --end;
  return {text, end[-1] == '.' ? end - 1 : end};
}

/// ,"at":"function file:line" of an instruction; "" when nothing is known.
const std::string& PerfettoWriter::place_of(std::uint32_t pc) {
  const auto [found, is_new] = places_.try_emplace(pc);
  if (is_new) {
    const std::string& text = texts_.place(pc);
    if (!text.empty()) found->second = fmt::format(",\"at\":\"{}\"", json_escaped(text));
  }
  return found->second;
}

void PerfettoWriter::start(base::Cycle) {}

void PerfettoWriter::stop(base::Cycle cycle) {
  for (unsigned i = 0; i < slices_.size(); ++i) {
    close_slice(i, cycle);
    phases_[i].end([&](const Phases::Phase& phase) { close_phase(i, phase); });
    while (!regions_[i].empty()) close_region(i, cycle);
  }
  for (const auto& [key, work] : works_) {
    close_work(key.first, work, cycle);
    if (const auto command = commands_.find({key.first, work.command}); command != commands_.end())
      command->second.to = cycle;
  }
  works_.clear();
  for (const auto& [key, command] : commands_) close_command(key.first, command);
  commands_.clear();
  for (const auto& [number, kernel] : kernels_) close_kernel(kernel, cycle);
  kernels_.clear();
  taken_.clear();
  waiting_.clear();
  for (auto& instructions : memory_) instructions.clear();
  for (unsigned core = 0; core < in_flight_.size(); ++core) {
    if (in_flight_[core] == 0) continue;
    in_flight_[core] = 0;
    count_memory(core, cycle);
  }
}

void PerfettoWriter::finish(base::Cycle cycle, const std::string& why) {
  if (first_mark_ < last_mark_ && last_mark_ != base::kNever) {
    name_process(kProgramProcess, "program");
    name_thread(kProgramProcess, 0, "timed region");
    file_.add(
        ",\n{{\"ph\":\"X\",\"cat\":\"region\",\"pid\":{},\"tid\":0,\"ts\":{},\"dur\":{},\"name\":\"first MARK_BEG to last "
        "MARK_END\",\"args\":{{\"cycles\":{}}}}}",
        kProgramProcess, us(first_mark_), us(last_mark_ - first_mark_), last_mark_ - first_mark_);
  }
  if (!why.empty())
    file_.add("{}{{\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":0,\"ts\":{},\"name\":\"end of trace: {}\"}}",
              separator_, us(cycle), json_escaped(why));
  file_.add("\n]}}\n");
}

void PerfettoWriter::close_slice(unsigned warp, base::Cycle cycle) {
  Slice& slice = slices_[warp];
  if (!slice.open) return;
  slice.open = false;
  if (cycle <= slice.from) return;
  const bool runs = slice.reason == kIssued;
  file_.add(
      ",\n{{\"ph\":\"X\",\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"args\":{{\"pc\":"
      "\"{:#x}\"{}}}}}",
      runs ? "run" : "wait", process_of_core(warp / context_.warps), warp % context_.warps, us(slice.from),
      us(cycle - slice.from), runs ? "running" : context_.reasons[slice.reason], slice.pc,
      place_of(slice.pc));
  phases_[warp].add(slice.reason, slice.pc, slice.from, cycle,
                    [&](const Phases::Phase& phase) { close_phase(warp, phase); });
}

void PerfettoWriter::close_phase(unsigned warp, const Phases::Phase& phase) {
  const auto name = [&](unsigned reason) {
    return reason == kIssued ? "running" : context_.reasons[reason].c_str();
  };
  std::string cycles;
  for (const auto& [reason, count] : phase.cycles)
    cycles += fmt::format("{}\"{}\":{}", cycles.empty() ? "" : ",", name(reason), count);
  file_.add(
      ",\n{{\"ph\":\"X\",\"cat\":\"phase\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"args\":{{\"cycles\":"
      "{{{}}},\"pc\":\"{:#x}\"{}}}}}",
      process_of_core(warp / context_.warps), warp % context_.warps, us(phase.from),
      us(phase.to - phase.from), name(phase.reason), cycles, phase.pc, place_of(phase.pc));
}

/// Markers of a warp may be nested; each end closes the last begin.
void PerfettoWriter::mark(const protocol::InstructionEvent& event) {
  const protocol::Origin& origin = event.origin;
  if (!context_.filter.accepts_warp(origin.core, origin.warp)) return;
  const unsigned warp = warp_index(origin.core, origin.warp);
  if (event.instruction.word == protocol::kMarkBegin) {
    first_mark_ = std::min(first_mark_, event.cycle);
    regions_[warp].push_back({event.cycle, origin.pc, region_numbers_[warp]++});
    return;
  }
  last_mark_ = event.cycle;
  if (!regions_[warp].empty()) close_region(warp, event.cycle);
}

void PerfettoWriter::close_region(unsigned warp, base::Cycle cycle) {
  const Region region = regions_[warp].back();
  regions_[warp].pop_back();
  if (cycle <= region.from) return;
  const unsigned process = process_of_core(warp / context_.warps), number = warp % context_.warps;
  if (named_.insert({process, kMarkers + number}).second)
    name_thread(process, kMarkers + number, fmt::format("warp {} markers", number));
  file_.add(
      ",\n{{\"ph\":\"X\",\"cat\":\"region\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"region {}\",\"args\":"
      "{{\"cycles\":{},\"pc\":\"{:#x}\"{}}}}}",
      process, kMarkers + number, us(region.from), us(cycle - region.from), region.number + 1,
      cycle - region.from, region.pc, place_of(region.pc));
}

void PerfettoWriter::on_warp_state(base::Cycle cycle, const protocol::Origin& origin, unsigned reason) {
  if (!context_.filter.accepts_warp(origin.core, origin.warp)) return;
  const unsigned warp = warp_index(origin.core, origin.warp);
  Slice& slice = slices_[warp];
  const bool shown = reason != kNoWarp && context_.filter.accepts_pc(origin.pc);
  if (slice.open && shown && slice.reason == reason && (reason == kIssued || slice.pc == origin.pc)) return;
  close_slice(warp, cycle);
  if (shown) slice = {true, cycle, reason, origin.pc};
}

void PerfettoWriter::count_memory(unsigned core, base::Cycle cycle) {
  file_.add(
      ",\n{{\"ph\":\"C\",\"pid\":{},\"ts\":{},\"name\":\"memory instructions in flight\",\"args\":{{\"count\":{}}}}}",
      process_of_core(core), us(cycle), in_flight_[core]);
}

void PerfettoWriter::on_issue(const protocol::InstructionEvent& event) {
  const protocol::Origin& origin = event.origin;
  const std::uint32_t word = event.instruction.word;
  if (word == protocol::kMarkBegin || word == protocol::kMarkEnd) return mark(event);
  if (!accesses_memory(event.instruction) || !accepts(origin)) return;
  memory_[warp_index(origin.core, origin.warp)].push_back(origin.pc);
  ++in_flight_[origin.core];
  count_memory(origin.core, event.cycle);
}

void PerfettoWriter::on_commit(base::Cycle cycle, const protocol::Origin& origin, const isa::RegisterFile&) {
  std::vector<std::uint32_t>& pcs = memory_[warp_index(origin.core, origin.warp)];
  const auto found = std::find(pcs.begin(), pcs.end(), origin.pc);
  if (found == pcs.end()) return;
  pcs.erase(found);
  --in_flight_[origin.core];
  count_memory(origin.core, cycle);
}

void PerfettoWriter::flow(const std::string& name, const protocol::Origin& from, base::Cycle begin,
                          unsigned process, unsigned thread, base::Cycle end) {
  ++flows_;
  file_.add(
      ",\n{{\"ph\":\"s\",\"cat\":\"flow\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"{}\"}}"
      ",\n{{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"flow\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"{}\"}}",
      flows_, process_of_core(from.core), from.warp, us(begin), name, flows_, process, thread, us(end), name);
}

void PerfettoWriter::on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id,
                                        unsigned count) {
  if (!context_.filter.accepts_warp(origin.core, origin.warp)) return;
  waiting_[{origin.core, id}] |= 1u << origin.warp;
  last_arrival_[{origin.core / context_.cores_per_cluster, id}] = {origin, cycle};
  file_.add(
      ",\n{{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"barrier\",\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"arrives at barrier "
      "{}\",\"args\":{{\"id\":{},\"count\":{},\"pc\":\"{:#x}\"}}}}",
      process_of_core(origin.core), origin.warp, us(cycle), id, id, count, origin.pc);
}

/// An instant for the core, and an arrow from the warp that came last to those that waited in another core.
void PerfettoWriter::on_barrier_release(base::Cycle cycle, unsigned core, unsigned id) {
  if (!context_.filter.accepts_core(core)) return;
  file_.add(
      ",\n{{\"ph\":\"i\",\"s\":\"p\",\"cat\":\"barrier\",\"pid\":{},\"tid\":0,\"ts\":{},\"name\":\"barrier {} "
      "released\",\"args\":{{\"id\":{}}}}}",
      process_of_core(core), us(cycle), id, id);
  const auto waiting = waiting_.find({core, id});
  const auto last = last_arrival_.find({core / context_.cores_per_cluster, id});
  if (waiting == waiting_.end() || last == last_arrival_.end()) return;
  const Arrival& arrival = last->second;
  for (std::uint32_t rest = waiting->second; rest != 0; rest &= rest - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctz(rest));
    if (arrival.origin.core == core && arrival.origin.warp == warp) continue;
    flow("last arrival", arrival.origin, arrival.cycle, process_of_core(core), warp, cycle);
  }
  waiting_.erase(waiting);
}

/// Whether the instruction that gave a command is one of CSR 0xACC; else it is a store to the unit.
bool PerfettoWriter::is_csr(std::uint32_t pc) const {
  for (const loader::Segment& segment : context_.program->segments) {
    const std::uint64_t offset = pc - segment.address;
    if (offset >= segment.bytes.size() || segment.bytes.size() - offset < 4) continue;
    std::uint32_t word;
    std::memcpy(&word, &segment.bytes[offset], 4);
    return isa::decode(word).unit == isa::Unit::kCsr;
  }
  return false;
}

void PerfettoWriter::on_command(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                                std::uint32_t word) {
  if (!accepts(origin)) return;
  name_unit(source);
  const bool cisc = is_csr(origin.pc);
  std::string name =
      context_.command_name ? context_.command_name(source, word, cisc) : fmt::format("command {:#x}", word);
  std::string arguments =
      fmt::format("\"{}\":\"{:#x}\",\"core\":{},\"warp\":{},\"pc\":\"{:#x}\"{}", cisc ? "word" : "function",
                  word, origin.core, unsigned{origin.warp}, origin.pc, place_of(origin.pc));
  if (origin.command > kLateCommands) close_commands(source, origin.command - kLateCommands);
  commands_.insert_or_assign(
      {source, origin.command},
      Command{origin, cycle, cycle + 1, std::move(name), std::move(arguments), cisc ? kCisc : kRocc, 0});
}

/// Those of a unit with a smaller number that are over.
void PerfettoWriter::close_commands(unsigned source, std::uint32_t below) {
  for (auto at = commands_.lower_bound({source, 0});
       at != commands_.end() && at->first < std::pair(source, below);) {
    if (at->second.open != 0) {
      ++at;
      continue;
    }
    close_command(source, at->second);
    at = commands_.erase(at);
  }
}

/// On the first thread of its kind on which nothing is shown any more when it begins.
void PerfettoWriter::close_command(unsigned source, const Command& command) {
  unsigned thread = command.first_thread;
  while (ends_[{source, thread}] > command.from) ++thread;
  ends_[{source, thread}] = command.to;
  const unsigned process = process_of_unit(source);
  if (named_.insert({process, thread}).second) {
    const unsigned number = thread - command.first_thread;
    name_thread(process, thread,
                fmt::format("{} commands{}", command.first_thread == kCisc ? "CISC" : "RoCC",
                            number == 0 ? "" : fmt::format(" {}", number)));
  }
  file_.add(
      ",\n{{\"ph\":\"X\",\"cat\":\"command\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"args\":{{{}}}}}",
      process, thread, us(command.from), us(command.to - command.from), json_escaped(command.name),
      command.arguments);
  flow("command", command.origin, command.from, process, thread, command.from);
}

/// The first thread of the kind that has no work.
unsigned PerfettoWriter::free_thread(unsigned source, protocol::UnitWork::Kind kind) {
  const unsigned first = 100 * (static_cast<unsigned>(kind) + 1);
  unsigned thread = first;
  while (taken_.count({source, thread}) != 0) ++thread;
  taken_.insert({source, thread});
  if (named_.insert({process_of_unit(source), thread}).second)
    name_thread(process_of_unit(source), thread, fmt::format("{} {}", work_name(kind), thread - first));
  return thread;
}

void PerfettoWriter::on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) {
  if (!accepts(work.origin)) return;
  name_unit(source);
  std::string arguments;
  for (const auto& [name, piece] : {std::pair("from", &work.from), std::pair("to", &work.to)})
    if (piece->space != protocol::Piece::Space::kNone)
      arguments += fmt::format("\"{}\":\"{}\",", name, piece_text(*piece));
  arguments += fmt::format("\"core\":{},\"warp\":{},\"pc\":\"{:#x}\"{}", work.origin.core,
                           unsigned{work.origin.warp}, work.origin.pc, place_of(work.origin.pc));
  const auto command = commands_.find({source, work.origin.command});
  if (command != commands_.end()) ++command->second.open;
  works_.insert_or_assign({source, work.id}, Work{cycle, work_name(work), arguments,
                                                  free_thread(source, work.kind), work.origin.command});
}

void PerfettoWriter::close_work(unsigned source, const Work& work, base::Cycle cycle) {
  file_.add(
      ",\n{{\"ph\":\"X\",\"cat\":\"unit\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"args\":{{{}}}}}",
      process_of_unit(source), work.thread, us(work.from), us(cycle - work.from), work.name, work.arguments);
}

void PerfettoWriter::on_work_end(base::Cycle cycle, unsigned source, std::uint32_t id) {
  const auto found = works_.find({source, id});
  if (found == works_.end()) return;
  close_work(source, found->second, cycle);
  if (const auto command = commands_.find({source, found->second.command}); command != commands_.end()) {
    --command->second.open;
    command->second.to = std::max(command->second.to, cycle);
  }
  taken_.erase({source, found->second.thread});
  works_.erase(found);
}

void PerfettoWriter::sample(base::Cycle from, base::Cycle, const std::vector<std::uint64_t>& counted) {
  for (std::size_t i = 0; i < counted.size(); ++i) {
    const Meter& meter = context_.meters[i];
    file_.add(",\n{{\"ph\":\"C\",\"pid\":{},\"ts\":{},\"name\":\"{}\",\"args\":{{\"{}\":{}}}}}",
              kMemoryProcess, us(from), json_escaped(meter.name), json_escaped(meter.unit), counted[i]);
  }
}

}  // namespace spica::trace
