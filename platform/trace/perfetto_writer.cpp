// SPDX-License-Identifier: Apache-2.0
#include "platform/trace/perfetto_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/isa/instruction.h"
#include "models/simt_core/stall_reason.h"
#include "platform/trace/format.h"

namespace spica::trace {

namespace {

constexpr unsigned kMemoryProcess = 999;
constexpr auto kIssued = static_cast<unsigned>(simt_core::IssueReason::kIssued);
constexpr auto kNoWarp = static_cast<unsigned>(simt_core::IssueReason::kNoWarp);

bool accesses_memory(const isa::Instruction& instruction) {
  return instruction.unit == isa::Unit::kLoad || instruction.unit == isa::Unit::kStore ||
         instruction.unit == isa::Unit::kAtomic;
}

}  // namespace

PerfettoWriter::PerfettoWriter(const Context& context, const std::string& path, std::uint64_t limit)
    : Writer(context, path, limit),
      slices_(std::size_t{context.cores} * context.warps),
      memory_(slices_.size()),
      in_flight_(context.cores) {
  file_.add("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"clock_mhz\":{}}},\"traceEvents\":[\n", context.clock_mhz);
  for (unsigned core = 0; core < context.cores; ++core) {
    if (!context.filter.accepts_core(core)) continue;
    name_process(process_of_core(core), fmt::format("core {}", core));
    for (unsigned warp = 0; warp < context.warps; ++warp)
      if (context.filter.accepts_warp(core, warp))
        name_thread(process_of_core(core), warp, fmt::format("warp {}", warp));
  }
  for (const unsigned source : context.units) name_process(process_of_unit(source), context.source_name(source));
  if (!context.meters.empty()) name_process(kMemoryProcess, "memory");
}

void PerfettoWriter::name_process(unsigned process, const std::string& name) {
  file_.add("{}{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":\"{}\"}}}}", separator_, process,
            json_escaped(name));
  separator_ = ",\n";
  file_.add(",\n{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{0}}}}}", process);
}

void PerfettoWriter::name_thread(unsigned process, unsigned thread, const std::string& name) {
  file_.add(",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}}}", process,
            thread, json_escaped(name));
  file_.add(",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{1}}}}}",
            process, thread);
}

/// Microseconds with as many digits as a cycle needs.
std::string PerfettoWriter::us(base::Cycle cycle) const {
  std::string text = fmt::format("{:.6f}", static_cast<double>(cycle) / context_.clock_mhz);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// ,"at":"function file:line" of an instruction; "" when nothing is known.
const std::string& PerfettoWriter::place_of(std::uint32_t pc) {
  const auto [found, is_new] = places_.try_emplace(pc);
  if (is_new) {
    const loader::Frame& frame = context_.sources->lookup(pc).frame;
    std::string text = frame.function;
    if (const std::string place = frame.place(false); !place.empty()) text += (text.empty() ? "" : " ") + place;
    if (!text.empty()) found->second = fmt::format(",\"at\":\"{}\"", json_escaped(text));
  }
  return found->second;
}

void PerfettoWriter::start(base::Cycle) {}

void PerfettoWriter::stop(base::Cycle cycle) {
  for (unsigned i = 0; i < slices_.size(); ++i) close_slice(i, cycle);
  for (const auto& [key, work] : works_) close_work(key.first, work, cycle);
  works_.clear();
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
  if (!why.empty())
    file_.add("{}{{\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":0,\"ts\":{},\"name\":\"end of trace: {}\"}}", separator_,
                   us(cycle), json_escaped(why));
  file_.add("\n]}}\n");
}

void PerfettoWriter::close_slice(unsigned warp, base::Cycle cycle) {
  Slice& slice = slices_[warp];
  if (!slice.open) return;
  slice.open = false;
  if (cycle <= slice.from) return;
  const bool runs = slice.reason == kIssued;
  file_.add(",\n{{\"ph\":\"X\",\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"args\":{{\"pc\":"
            "\"{:#x}\"{}}}}}",
            runs ? "run" : "wait", process_of_core(warp / context_.warps), warp % context_.warps, us(slice.from),
            us(cycle - slice.from), runs ? "running" : context_.reasons[slice.reason], slice.pc, place_of(slice.pc));
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
  file_.add(",\n{{\"ph\":\"C\",\"pid\":{},\"ts\":{},\"name\":\"memory instructions in flight\",\"args\":{{\"count\":{}}}}}",
            process_of_core(core), us(cycle), in_flight_[core]);
}

void PerfettoWriter::on_issue(const protocol::InstructionEvent& event) {
  const protocol::Origin& origin = event.origin;
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

void PerfettoWriter::flow(const std::string& name, const protocol::Origin& from, base::Cycle begin, unsigned process,
                          unsigned thread, base::Cycle end) {
  ++flows_;
  file_.add(",\n{{\"ph\":\"s\",\"cat\":\"flow\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"{}\"}}"
            ",\n{{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"flow\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"{}\"}}",
            flows_, process_of_core(from.core), from.warp, us(begin), name, flows_, process, thread, us(end), name);
}

void PerfettoWriter::on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id,
                                        unsigned count) {
  if (!context_.filter.accepts_warp(origin.core, origin.warp)) return;
  waiting_[{origin.core, id}] |= 1u << origin.warp;
  last_arrival_[{origin.core / context_.cores_per_cluster, id}] = {origin, cycle};
  file_.add(",\n{{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"barrier\",\"pid\":{},\"tid\":{},\"ts\":{},\"name\":\"arrives at barrier "
            "{}\",\"args\":{{\"id\":{},\"count\":{},\"pc\":\"{:#x}\"}}}}",
            process_of_core(origin.core), origin.warp, us(cycle), id, id, count, origin.pc);
}

/// An instant for the core, and an arrow from the warp that came last to those that waited in another core.
void PerfettoWriter::on_barrier_release(base::Cycle cycle, unsigned core, unsigned id) {
  if (!context_.filter.accepts_core(core)) return;
  file_.add(",\n{{\"ph\":\"i\",\"s\":\"p\",\"cat\":\"barrier\",\"pid\":{},\"tid\":0,\"ts\":{},\"name\":\"barrier {} "
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

void PerfettoWriter::on_command(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                                std::uint32_t word) {
  if (!accepts(origin)) return;
  if (named_.insert({source, 0}).second) name_thread(process_of_unit(source), 0, "commands");
  file_.add(",\n{{\"ph\":\"X\",\"cat\":\"command\",\"pid\":{},\"tid\":0,\"ts\":{},\"dur\":{},\"name\":\"command {:#x}\",\"args\":"
            "{{\"core\":{},\"warp\":{},\"pc\":\"{:#x}\"{}}}}}",
            process_of_unit(source), us(cycle), us(1), word, origin.core, unsigned{origin.warp}, origin.pc,
            place_of(origin.pc));
  flow("command", origin, cycle, process_of_unit(source), 0, cycle);
}

/// The first thread of the kind that has no work.
unsigned PerfettoWriter::free_thread(unsigned source, protocol::UnitWork::Kind kind) {
  const unsigned first = 100 * (static_cast<unsigned>(kind) + 1);
  unsigned thread = first;
  while (taken_.count({source, thread}) != 0) ++thread;
  taken_.insert({source, thread});
  if (named_.insert({source, thread}).second)
    name_thread(process_of_unit(source), thread, fmt::format("{} {}", work_name(kind), thread - first));
  return thread;
}

void PerfettoWriter::on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) {
  if (!accepts(work.origin)) return;
  std::string arguments;
  for (const auto& [name, piece] : {std::pair("from", &work.from), std::pair("to", &work.to)})
    if (piece->space != protocol::Piece::Space::kNone)
      arguments += fmt::format("\"{}\":\"{}\",", name, piece_text(*piece));
  arguments += fmt::format("\"core\":{},\"warp\":{},\"pc\":\"{:#x}\"{}", work.origin.core, unsigned{work.origin.warp},
                           work.origin.pc, place_of(work.origin.pc));
  works_.insert_or_assign({source, work.id}, Work{cycle, work_name(work.kind), arguments, free_thread(source, work.kind)});
}

void PerfettoWriter::close_work(unsigned source, const Work& work, base::Cycle cycle) {
  file_.add(",\n{{\"ph\":\"X\",\"cat\":\"unit\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"args\":{{{}}}}}",
            process_of_unit(source), work.thread, us(work.from), us(cycle - work.from), work.name, work.arguments);
}

void PerfettoWriter::on_work_end(base::Cycle cycle, unsigned source, std::uint32_t id) {
  const auto found = works_.find({source, id});
  if (found == works_.end()) return;
  close_work(source, found->second, cycle);
  taken_.erase({source, found->second.thread});
  works_.erase(found);
}

void PerfettoWriter::sample(base::Cycle from, base::Cycle, const std::vector<std::uint64_t>& counted) {
  for (std::size_t i = 0; i < counted.size(); ++i) {
    const Meter& meter = context_.meters[i];
    file_.add(",\n{{\"ph\":\"C\",\"pid\":{},\"ts\":{},\"name\":\"{}\",\"args\":{{\"{}\":{}}}}}", kMemoryProcess, us(from),
              json_escaped(meter.name), json_escaped(meter.unit), counted[i]);
  }
}

}  // namespace spica::trace
