// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/job_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "platform/base/config/yaml_bytes.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/machine/loader/user_error.h"

namespace spica::cli {

namespace {

/// "every=1M".
std::uint64_t checkpoint_interval(const std::string& text) {
  const std::string prefix = "every=";
  std::uint64_t count = 0, unit = 1;
  const char* const end = text.data() + text.size();
  const char* at = text.data() + std::min(prefix.size(), text.size());
  const auto [rest, error] = std::from_chars(at, end, count);
  if (rest != end && rest + 1 == end)
    unit = *rest == 'k' ? 1'000 : *rest == 'M' ? 1'000'000 : *rest == 'G' ? 1'000'000'000 : 0;
  const bool good = text.rfind(prefix, 0) == 0 && error == std::errc() && (rest == end || rest + 1 == end) &&
                    unit != 0 && count != 0 && count <= ~std::uint64_t{0} / unit;
  if (!good)
    throw loader::UserError(fmt::format(
        "--checkpoint {}: every=N is meant, N a number of cycles, in the fast mode of warp instructions, like 1000, 500k or 1M",
        text));
  return count * unit;
}

}  // namespace

void add_job_options(Command command, job::JobOptions& options) {
  options.find_program = [](const std::string& given) { return places().program(given); };
  command.group(kMachineOptions);
  add_plugin_option(command);
  command
      .option("--set", options.overrides,
              "KEY=VALUE: override one parameter, may be repeated (spica config --list)")
      .repeats();
  command
      .option_calls<std::string>(
          "--divergence",
          [&options](const std::string& choice) {
            options.overrides.push_back("cluster.core.divergence=" + choice);
          },
          "branches on which active lanes disagree: fault (default), warn (follow the highest active lane as the hardware does, report once per pc) or follow")
      .one_of({"fault", "warn", "follow"});
  command
      .option_calls<std::string>(
          "--mode", [&options](const std::string& mode) { options.overrides.push_back("run.mode=" + mode); },
          "cycle (default): timed; fast: for writing and debugging programs, with the same results, but estimated cycles")
      .one_of({"cycle", "fast"});
  command.group(kDebugOptions);
  command
      .option(
          "--check", options.checks,
          "what to check during the run: hazards (races, early reads, wrong barriers; hazards.json in --out), memory (accesses outside objects, reads of unwritten memory; memory.json); exit code 1 if there are any")
      .one_of({"hazards", "memory"});
  command
      .option(
          "--suppress", options.suppressions,
          "FILE: with --check, findings not to report, one per line (docs/howto/find-a-race.md); may be repeated")
      .repeats()
      .only_with({"--check"});
  command.group(kResultOptions);
  command.flag("--energy", options.energy,
               "measure energy: a section in the summary, energy.json in --out (implied by --report)");
  command.flag(
      "--area", options.area,
      "estimate the machine's area: a line in the summary, area_mm2 in the results (implied by --energy)");
  command
      .flag("--only-used", options.only_used,
            "idle power and area without units that the run did not use (power.only_used)")
      .only_with({"--energy", "--power", "--report"});
  command.option_calls<std::string>(
      "--power",
      [&options](const std::string& table) {
        options.energy = true;
        options.overrides.push_back("power.table=" + config::quoted_value(table));
      },
      "energy table, a file or the name of one in configs/power/; with --energy");
  Option window = command.option_calls<std::uint64_t>(
      "--power-window",
      [&options](std::uint64_t cycles) {
        options.overrides.push_back("power.window=" + std::to_string(cycles));
      },
      "length of a step of power over time in energy.json, in cycles");
  window.only_with({"--out", "--report"});
  if (!options.annotate) window.only_with({"--energy", "--power", "--lines", "--report", "--annotate"});
  command.option(
      "--activity", options.activity,
      "write how often each energy-relevant event happened to a file: action counts in YAML, or JSON if it ends in .json");
  command.option(
      "--accelergy", options.accelergy,
      "folder for the machine and its counts as files of Accelergy 0.4: architecture, classes, action counts, energies, areas");
  command
      .flag("--lines", options.lines,
            "with --out: cycles and energy per source line and per instruction in energy.json")
      .only_with({"--out", "--report"});
  command.group(kDebugOptions);
  command.option(
      "--gdb", options.gdb_port,
      "PORT: wait for gdb on 127.0.0.1:PORT, stopped at the program's entry point; 0: any free port");
  command
      .option(
          "--trace", options.trace.traces,
          "write a trace of the run to a file, may be repeated: FILE.json (timeline for "
          "ui.perfetto.dev), FILE.kanata (pipeline, for Konata), FILE.log (instructions), FILE.vcd (waves), "
          "or KIND=FILE with perfetto, kanata, log or vcd")
      .repeats();
  command
      .option(
          "--trace-filter", options.trace.filters,
          "what traces show: core=0,warp=0-3,pc=0x80000000-0x800000ff,function=NAME,cycles=1000-5000 or "
          "cycles=region (between the program's markers); values of one key are ORed, different keys are ANDed; may be repeated")
      .repeats()
      .only_with({"--trace"});
  command
      .option("--trace-limit", options.trace.limit,
              "size limit of each trace file in bytes, at least 64 KiB; the trace ends there")
      .bytes(65536, std::uint64_t{1} << 50)
      .shows_default()
      .only_with({"--trace"});
  command
      .flag("--trace-no-cycles", options.trace.no_cycles,
            "leave the cycles out of the instruction log, to compare two runs (sort both with sort -s -k1,1)")
      .only_with({"--trace"});
  command.group(kResultOptions);
  command.option("--profile", options.profile,
                 "folder for a profile of the run: profile.txt, profile.json, stacks.folded, flame.svg");
  command.option(
      "--save-memory", options.memory,
      "write all of memory to a file after the run, to compare two runs: each non-zero page of 4096 bytes, after its address");
  command.option("--out", options.out, "folder for stats.json, config.yaml and console.txt");
  command.option(
      "--record", options.record,
      "append the results as one line of JSON to this file: what stats.json says of the run as a whole");
  command
      .option(
          "--keep", options.keep,
          "with --record: a further value, stats.BLOCK.COUNTER as in stats.json, or sum(), min(), max() or mean() of several, "
          "e.g. \"sum(stats.cluster_*.core_*.warp_instructions)\"; may be repeated")
      .repeats()
      .only_with({"--record"});
  command.option("--report", options.report, "HTML file with charts of the run; opens without a network");
}

void add_annotation_options(Command command, job::JobOptions& options) {
  command.group(kResultOptions);
  Option disassembly = command.flag("--disassembly", options.annotation.disassembly,
                                    "annotate instructions instead of source lines");
  Option top = command.option("--top", options.annotation.top,
                              "annotate only this many lines, those with the most energy");
  if (options.annotate) return;
  disassembly.only_with({"--annotate"});
  top.only_with({"--annotate"});
}

void add_profile_options(Command command, job::JobOptions& options) {
  command.group(kResultOptions);
  command.option("--by", options.profile_table.by, "rows of the table: function, line or instruction")
      .one_of({"function", "line", "instruction"})
      .shows_default();
  command.option("--top", options.profile_table.top, "number of rows, those with the most cycles; 0: all")
      .shows_default();
}

void add_memory_options(Command command, job::JobOptions& options) {
  command.group("Memory and checkpoints");
  command
      .option("--load", options.loads,
              "FILE@ADDRESS: fill memory before the run; ADDRESS is a number or a symbol")
      .repeats();
  command
      .option(
          "--save", options.saves,
          "FILE@SYMBOL or FILE@ADDRESS+BYTES: write memory to a file after the run; a variable has its own size")
      .repeats();
  command.option_calls<std::string>(
      "--checkpoint",
      [&options](const std::string& text) { options.checkpoint_every = checkpoint_interval(text); },
      "every=N: write the state of the run every N cycles, in the fast mode every N warp instructions (1000, 500k, 1M), to a file in --checkpoint-dir");
  command.option("--checkpoint-dir", options.checkpoint_folder, "folder for checkpoints");
  command.option("--from", options.from,
                 "FILE: resume from a checkpoint, in the fast mode or in the cycle mode");
}

}  // namespace spica::cli
