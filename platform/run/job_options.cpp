// SPDX-License-Identifier: Apache-2.0
#include "platform/run/job_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "platform/base/config/describe.h"
#include "platform/base/config/value_text.h"
#include "platform/base/config/yaml_bytes.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/run/checkpoints.h"

namespace spica::job {

namespace {

/// Of the parameter that an option is short for.
template <class Enum, std::size_t n>
std::vector<std::string> names_of(const base::Choices<Enum, n>& choices) {
  std::vector<std::string> names;
  for (const auto& item : choices.items) names.emplace_back(item.name);
  return names;
}

}  // namespace

template <class Self, class Visit>
void MachineOptions::describe(Self& o, Visit&& field) {
  field.list("set", o.overrides, "KEY=VALUE: override one parameter, may be repeated (spica config --list)");
  field("divergence", o.divergence, names_of(soc::kDivergences),
        "branches on which lanes disagree: stop (fault, default), follow the highest lane (warn, follow)");
  field("mode", o.mode, names_of(soc::kModes),
        "cycle (default): timed; fast: the same results with estimated cycles");
}

template <class Self, class Visit>
void DebugOptions::describe(Self& o, Visit&& field) {
  field.list("check", o.checks, std::vector<std::string>{"hazards", "memory"},
             "checks during the run, may be repeated; exit code 1 with findings (docs/checks.md)");
  field.list("suppress", o.suppressions,
             "FILE of findings not to report (docs/howto/find-a-race.md); may be repeated");
  field("gdb", o.gdb_port, "port", base::Range{0, 65535},
        "PORT: wait for gdb on 127.0.0.1:PORT at the entry point; 0: any free port");
  field.list("trace", o.trace.traces,
             "[KIND=]FILE.json, .kanata, .log or .vcd; may be repeated (docs/howto/trace.md)");
  field.list("trace_filter", o.trace.filters,
             "KEY=VALUE,... to show; keys: core, warp, pc, function, cycles; may be repeated");
  field("trace_limit", o.trace.limit, "B", base::Range{65536, 0x1p50},
        "size limit of each trace file, at least 64 KiB; the trace ends there");
  field("trace_no_cycles", o.trace.no_cycles, "omit cycles from the instruction log, to compare two runs");
}

template <class Self, class Visit>
void ResultOptions::describe(Self& o, Visit&& field) {
  field("energy", o.energy, "measure energy: in the summary, energy.json in --out (implied by --report)");
  field("area", o.area, "estimate the machine's area: in the summary, area_mm2 (implied by --energy)");
  field("only_used", o.only_used, "omit idle power and area of units that the run did not use");
  field("power", o.power, "energy table, a file or a name in configs/power/; implies --energy");
  field("power_window", o.power_window, "length of a step of power over time in energy.json, in cycles");
  field("activity", o.activity, "counts of energy-relevant events: action counts in YAML, or .json");
  field("accelergy", o.accelergy, "folder for the machine and its counts as Accelergy 0.4 files");
  field("lines", o.lines, "cycles and energy per source line and instruction in energy.json of --out");
  field("profile", o.profile, "folder for profile.txt, profile.json, stacks.folded and flame.svg");
  field("save_memory", o.memory, "write each non-zero memory page after the run, preceded by its address");
  field("out", o.out, "folder for stats.json, config.yaml and console.txt");
  field("record", o.record.file, "append the results of the whole run to a file, as one line of JSON");
  field("record_form", o.record.form, std::vector<std::string>{RecordOptions::kObject, RecordOptions::kRow},
        "object (default): values by name; row: arrays of names and values, as a sweep stores them");
  field.list("keep", o.record.keep,
             "stats.BLOCK.COUNTER, or sum, min, max, mean of several, for --record; may be repeated");
  field("report", o.report, "HTML file with charts of the run; opens without a network");
  field(
      "fidelity", o.fidelity,
      "print the limits of the results: known differences from hardware, uncertain parameters (docs/howto/fidelity.md)");
  field("annotate", o.annotate, "print the program's source with cycles and energy per line");
  field("disassembly", o.annotation.disassembly, "annotate instructions instead of source lines");
  field("top", o.annotation.top, "lines", base::Range{0, 1e9},
        "number of lines to annotate, those with the most energy; 0: all");
  field("quiet", o.quiet, "print the program's output only, no summary");
}

template <class Self, class Visit>
void MemoryOptions::describe(Self& o, Visit&& field) {
  field.list("load", o.loads, "FILE@ADDRESS: fill memory before the run; ADDRESS is a number or a symbol");
  field.list("save", o.saves, "FILE@SYMBOL or FILE@ADDRESS+BYTES: write memory to a file after the run");
}

template <class Self, class Visit>
void CheckpointOptions::describe(Self& o, Visit&& field) {
  field("checkpoint", o.checkpoint,
        "every=N[,warm]: write the state every N cycles; fast mode: warp instructions (500k, 1M)");
  field("checkpoint_dir", o.checkpoint_folder, "folder for checkpoints");
  field("from", o.from, "resume from a checkpoint, in the fast mode or in the cycle mode");
}

template <class Self, class Visit>
void SamplingOptions::describe(Self& o, Visit&& field) {
  field(
      "sample", o.sample,
      "simulate a sample of a grid: auto, or error=1%,confidence=95%,max=50%,seed=1 (docs/howto/sample.md)");
}

std::vector<config::Field> describe_options(JobOptions& options) {
  return {config::describe<MachineOptions>(options, kMachineOptions),
          config::describe<DebugOptions>(options, kDebugOptions),
          config::describe<ResultOptions>(options, kResultOptions),
          config::describe<MemoryOptions>(options, kMemoryOptions),
          config::describe<CheckpointOptions>(options, kCheckpointOptions),
          config::describe<SamplingOptions>(options, kSamplingOptions)};
}

void use_parameters(JobOptions& options) {
  for (const config::Field& group : describe_options(options))
    for (const config::Field& option : group.children) {
      if (option.parameter.empty()) continue;
      const std::string value = config::value_text(option, option.get());
      if (!value.empty() && value != "false")
        options.overrides.push_back(option.parameter + '=' + config::quoted_value(value));
    }
  options.energy = options.energy || !options.power.empty();
}

std::uint64_t checkpoint_interval(const std::string& given) {
  if (given.empty()) return 0;
  const std::string prefix = "every=";
  const std::string text = is_warm(given) ? given.substr(0, given.size() - kWarmCheckpoint.size()) : given;
  std::uint64_t count = 0, unit = 1;
  const char* const end = text.data() + text.size();
  const char* at = text.data() + std::min(prefix.size(), text.size());
  const auto [rest, error] = std::from_chars(at, end, count);
  if (rest != end && rest + 1 == end)
    unit = *rest == 'k' ? 1'000 : *rest == 'M' ? 1'000'000 : *rest == 'G' ? 1'000'000'000 : 0;
  const bool good = text.rfind(prefix, 0) == 0 && error == std::errc() && (rest == end || rest + 1 == end) &&
                    unit != 0 && count != 0 && count <= ~std::uint64_t{0} / unit;
  if (!good)
    throw input::UserError(fmt::format(
        "--checkpoint {}: expected every=N, N in cycles or, in the fast mode, in warp instructions, for "
        "example 1000, 500k or 1M; every=N,warm in the fast mode",
        given));
  return count * unit;
}

}  // namespace spica::job
