// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/hazard_report.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/json/value.h"
#include "platform/machine/loader/nearest_line.h"
#include "platform/machine/loader/user_frame.h"
#include "platform/observe/report/fault_report.h"
#include "platform/observe/report/statistics.h"

namespace spica::check {

namespace {

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kRace: return "race";
    case Kind::kFenceMissing: return "fence_missing";
    case Kind::kEarlyRead: return "early_read";
    case Kind::kOverwrittenInUse: return "overwritten_in_use";
    case Kind::kUnitOrder: return "unit_order";
    case Kind::kLanes: return "lanes";
    case Kind::kUninitialised: return "uninitialised";
    case Kind::kBarrierCount: return "barrier_count";
    case Kind::kBarrierInSplit: return "barrier_in_split";
    case Kind::kCommandOrder: return "command_order";
    case Kind::kCommandBusy: return "command_busy";
    case Kind::kCommandLost: return "command_lost";
    case Kind::kTile: return "tile";
    case Kind::kRegisters: return "registers";
    case Kind::kForeignSums: return "foreign_sums";
    case Kind::kLaneOrder: return "lane_order";
    case Kind::kReadOnly: return "read_only";
    case Kind::kOutside: return "outside_object";
    case Kind::kHeap: return "heap_block";
    case Kind::kUnwritten: return "unwritten";
    case Kind::kAlignment: return "dma_alignment";
    case Kind::kUnconfigured: return "unconfigured";
    case Kind::kOutsideGroup: return "outside_group";
    case Kind::kUnloaded: return "unloaded_fragment";
    case Kind::kAbsentLane: return "absent_lane";
  }
  return "?";
}

const char* sentence(Kind kind) {
  switch (kind) {
    case Kind::kRace: return "two unordered accesses";
    case Kind::kFenceMissing: return "two accesses ordered on this machine only: a fence is missing";
    case Kind::kEarlyRead: return "a read that does not wait for the write by the unit or asynchronous copy";
    case Kind::kOverwrittenInUse:
      return "a write to memory that a unit or asynchronous copy may still read or write";
    case Kind::kUnitOrder: return "two unordered unit operations on the same memory";
    case Kind::kLanes: return "lanes of one store write different values to the same address";
    case Kind::kUninitialised: return "a read of shared memory that was never written";
    case Kind::kBarrierCount: return "a barrier with a wrong count";
    case Kind::kBarrierInSplit: return "a barrier inside a split";
    case Kind::kCommandOrder: return "two warps command one unit without ordering";
    case Kind::kCommandBusy: return "a command to a unit that may be busy and has no queue";
    case Kind::kCommandLost: return "a lost command";
    case Kind::kTile: return "a tile outside its buffer or memory";
    case Kind::kRegisters: return "use of the registers of a tensor product still under way";
    case Kind::kLaneOrder: return "a read of what another lane of the warp has stored, without a fence";
    case Kind::kForeignSums: return "sums of one product taken for those of another";
    case Kind::kReadOnly: return "a store to code or constants";
    case Kind::kOutside: return "an access outside its object";
    case Kind::kHeap: return "an access outside any heap block";
    case Kind::kUnwritten: return "a read of memory that was never written";
    case Kind::kAlignment: return "a transfer of misaligned elements by the DMA";
    case Kind::kUnconfigured: return "a load by a matrix unit whose loads are not configured";
    case Kind::kOutsideGroup: return "an access outside the work group's part of shared memory";
    case Kind::kUnloaded: return "use of a fragment that was never loaded";
    case Kind::kAbsentLane: return "a read of the value of a lane that is not there";
  }
  return "?";
}

const char* action(const Accessor& accessor) {
  using What = Accessor::What;
  switch (accessor.what) {
    case What::kNone: return "";
    case What::kLoad: return "load";
    case What::kStore: return "store";
    case What::kAtomic: return "atomic";
    case What::kBarrier: return "barrier";
    case What::kInstruction: return "instruction";
    case What::kCopy: return "asynchronous copy";
    case What::kTensorTileA: return "read of operand tile A by the tensor core";
    case What::kTensorTileB: return "read of operand tile B by the tensor core";
    case What::kUnitLoad: return "load by the DMA";
    case What::kUnitStore: return "store by the DMA";
    case What::kUnitOperand: return "operand read";
    case What::kUnitResult: return "result";
    case What::kCommand: return "command";
  }
  return "";
}

std::string unit_text(const Accessor& accessor, const ReportContext& context) {
  const soc::SocParams& params = *context.params;
  const auto units = static_cast<unsigned>(params.cluster.matrix_units.size());
  std::string text = fmt::format("{} {}", context.unit_rules->title(), accessor.unit % units);
  if (params.clusters > 1) text += fmt::format(" of cluster {}", accessor.unit / units);
  return text;
}

/// "load by core 0, warp 1, lanes 0-7", "load by the DMA of matrix unit 0, commanded by core 0, warp 0".
std::string accessor_text(const Accessor& accessor, const ReportContext& context) {
  std::string who = fmt::format("core {}, warp {}", accessor.core, accessor.warp);
  if (accessor.lanes != 0)
    who += fmt::format(", lane{} {}", (accessor.lanes & (accessor.lanes - 1)) != 0 ? "s" : "",
                       report::lanes_text(accessor.lanes));
  if (accessor.is_unit())
    return fmt::format(
        "{} of {}, commanded by {}{}", action(accessor), unit_text(accessor, context), who,
        accessor.through_csr
            ? fmt::format(" ({}, word {:#010x})", context.unit_rules->command_register(), accessor.word)
        : accessor.word != 0 ? fmt::format(" (MMIO, function {})", accessor.word)
                             : "");
  if (accessor.is_tensor()) return fmt::format("{} for {}", action(accessor), who);
  return fmt::format("{} by {}", action(accessor), who);
}

/// "stack of core 0, warp 1, lane 2" as the runtime lays stacks out (runtime src/vx_start.S); ""
/// elsewhere.
std::string stack_text(std::uint32_t address, const soc::SocParams& params) {
  constexpr std::uint64_t kStride = 8192 + 16;
  const std::uint64_t top = params.cluster.memory_map.shared_base;
  const std::uint64_t lanes = params.cluster.core.lanes, warps = params.cluster.core.warps;
  if (address >= top) return {};
  const std::uint64_t hart = (top - address - 1) / kStride;
  if (hart >= lanes * warps * params.cluster.cores * params.clusters) return {};
  return fmt::format("stack of core {}, warp {}, lane {}", hart / lanes / warps, hart / lanes % warps,
                     hart % lanes);
}

std::string place_text(const Finding& f, const ReportContext& context) {
  if (f.memory == Memory::kAccumulator) return fmt::format("row {} of the accumulator", f.address);
  std::string text = fmt::format("{:#010x}", f.address);
  if (f.memory == Memory::kShared)
    return text +
           fmt::format(", shared memory + {:#x}", f.address - context.params->cluster.memory_map.shared_base);
  if (const Buffers::Buffer* buffer = context.buffers->find(f.address)) {
    const std::string element = element_text(buffer->matrix, f.address - buffer->address);
    return text + fmt::format(", {} + {:#x}{}{}", buffer->name, f.address - buffer->address,
                              element.empty() ? "" : ": ", element);
  }
  if (const std::string stack = stack_text(f.address, *context.params); !stack.empty())
    return text + ", " + stack;
  return text + ", global memory";
}

/// The line of the program that called the library.
const loader::Frame& call_of(const Accessor& accessor, const loader::SourceMap& sources) {
  return loader::user_frame(loader::nearest_line(sources, accessor.called_from).location);
}

void add_accessor(std::string& text, const char* title, const Accessor& accessor,
                  const ReportContext& context) {
  if (accessor.what == Accessor::What::kNone) return;
  const auto line = [&text](const char* name, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "  {:<12} {}\n", name, value);
  };
  line(title, accessor_text(accessor, context));
  const auto& [at, exact] = loader::nearest_line(*context.sources, accessor.pc);
  const std::string place = report::frame_text(at.frame);
  line("", fmt::format("{}{}{}pc {:#010x}", place.empty() ? "" : "in " + place,
                       exact ? "" : " or near it (the compiler gave no line)", place.empty() ? "" : ", ",
                       accessor.pc));
  for (const loader::Frame& caller : at.inlined_into) line("", "inlined into " + report::frame_text(caller));
  if (accessor.called_from != 0)
    line("", "called from " + report::frame_text(call_of(accessor, *context.sources)));
}

json::Value frame_json(const loader::Frame& frame) {
  return {{"function", frame.function}, {"file", frame.file}, {"line", frame.line}};
}

json::Value accessor_json(const Accessor& accessor, const ReportContext& context) {
  if (accessor.what == Accessor::What::kNone) return nullptr;
  json::Value json{{"does", action(accessor)}, {"core", accessor.core}, {"warp", accessor.warp}};
  json["lanes"] = json::Value::array();
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((accessor.lanes >> lane & 1) != 0) json["lanes"].push_back(lane);
  if (accessor.is_unit()) json["unit"] = unit_text(accessor, context);
  if (accessor.is_unit() && accessor.through_csr) json["command"] = accessor.word;
  json["pc"] = accessor.pc;
  const auto& [at, exact] = loader::nearest_line(*context.sources, accessor.pc);
  json["function"] = at.frame.function;
  json["file"] = at.frame.file;
  json["line"] = at.frame.line;
  json["line_is_exact"] = exact;
  json["inlined_into"] = json::Value::array();
  for (const loader::Frame& caller : at.inlined_into) json["inlined_into"].push_back(frame_json(caller));
  json["called_from"] =
      accessor.called_from == 0 ? json::Value() : frame_json(call_of(accessor, *context.sources));
  return json;
}

/// Names the line of an accessor and the calls through which it is reached; the pc where lines are unknown.
std::string line_key(const Accessor& accessor, const loader::SourceMap& sources) {
  if (accessor.what == Accessor::What::kNone) return {};
  const loader::Location& at = sources.lookup(accessor.pc);
  std::string key = fmt::format("{} {} ", static_cast<unsigned>(accessor.what), accessor.unit);
  if (at.frame.line == 0) return key + std::to_string(accessor.pc);
  key += report::frame_text(at.frame);
  for (const loader::Frame& caller : at.inlined_into) key += " < " + report::frame_text(caller);
  if (accessor.called_from != 0) key += " << " + report::frame_text(call_of(accessor, sources));
  return key;
}

}  // namespace

std::vector<Finding> by_line(const Findings& findings, const loader::SourceMap& sources) {
  std::vector<Finding> result;
  std::map<std::array<std::string, 3>, std::size_t> found;
  for (const Finding& f : findings.all()) {
    std::string one = line_key(f.first, sources), other = line_key(f.second, sources);
    if (other < one) std::swap(one, other);
    const auto [place, fresh] = found.try_emplace({kind_name(f.kind), one, other}, result.size());
    if (fresh) result.push_back(f);
    else result[place->second].times += f.times;
  }
  return result;
}

std::vector<std::string> hazard_kinds() {
  std::vector<std::string> names;
  for (unsigned i = 0; i <= static_cast<unsigned>(Kind::kLaneOrder); ++i)
    names.emplace_back(kind_name(static_cast<Kind>(i)));
  return names;
}

Signature signature_of(const Finding& finding, const ReportContext& context) {
  Signature signature;
  signature.kind = kind_name(finding.kind);
  for (const Accessor* accessor : {&finding.first, &finding.second}) {
    if (accessor->what == Accessor::What::kNone) continue;
    const loader::Location& at = loader::nearest_line(*context.sources, accessor->pc).location;
    Signature::Side side{at.frame};
    side.insert(side.end(), at.inlined_into.begin(), at.inlined_into.end());
    if (accessor->called_from != 0) side.push_back(call_of(*accessor, *context.sources));
    signature.sides.push_back(std::move(side));
  }
  if (finding.memory == Memory::kGlobal)
    if (const Buffers::Buffer* buffer = context.buffers->find(finding.address))
      signature.symbol = buffer->name;
  return signature;
}

std::vector<std::string> memory_kinds() {
  std::vector<std::string> names;
  for (unsigned i = static_cast<unsigned>(Kind::kReadOnly); i <= static_cast<unsigned>(Kind::kAbsentLane);
       ++i)
    names.emplace_back(kind_name(static_cast<Kind>(i)));
  return names;
}

std::string finding_text(const char* what, const std::vector<Finding>& all, const ReportContext& context,
                         std::size_t limit) {
  if (all.empty()) return fmt::format("{}s: none found\n", what);
  std::string text;
  for (std::size_t i = 0; i < all.size() && i < limit; ++i) {
    const Finding& f = all[i];
    const auto line = [&text](const char* name, const std::string& value) {
      fmt::format_to(std::back_inserter(text), "  {:<12} {}\n", name, value);
    };
    text += fmt::format("{} {}: {}\n", what, i + 1, sentence(f.kind));
    add_accessor(text, f.kind == Kind::kLanes ? "one" : "first", f.first, context);
    add_accessor(text,
                 f.first.what == Accessor::What::kNone ? "by"
                 : f.kind == Kind::kLanes              ? "other"
                                                       : "second",
                 f.second, context);
    if (f.memory != Memory::kNone) line("address", place_text(f, context));
    if (!f.detail.empty()) line("detail", f.detail);
    line("time",
         fmt::format("cycle {}{}", f.cycle, f.times > 1 ? fmt::format(", {} times in all", f.times) : ""));
    line("remedy", f.advice);
    text += '\n';
  }
  text += fmt::format("{}s: {} found{}\n", what, all.size(),
                      all.size() > limit ? fmt::format(", the first {} are shown", limit) : "");
  return text;
}

std::string finding_json(const std::string& key, const std::vector<Finding>& findings,
                         const ReportContext& context) {
  json::Value list = json::Value::array();
  for (const Finding& f : findings) {
    json::Value json{
        {"kind", kind_name(f.kind)}, {"what", sentence(f.kind)}, {"cycle", f.cycle}, {"times", f.times}};
    json["first"] = accessor_json(f.first, context);
    json["second"] = accessor_json(f.second, context);
    if (f.memory != Memory::kNone) {
      json["address"] = f.address;
      json["place"] = place_text(f, context);
    }
    if (!f.detail.empty()) json["detail"] = f.detail;
    json["advice"] = f.advice;
    json["suppression"] = suppression_line(signature_of(f, context));
    list.push_back(std::move(json));
  }
  return report::json_text({{key, std::move(list)}});
}

}  // namespace spica::check
