// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "platform/run/job.h"

namespace spica::cli {

/// Options that every command that runs a program has.
inline void add_job_options(CLI::App& command, run::JobOptions& options) {
  command.add_option("--set", options.overrides,
                     "KEY=VALUE: override one parameter, may be repeated (spica config --list)")
      ->take_all()->allow_extra_args(false);
  command.add_option_function<std::string>(
      "--divergence",
      [&options](const std::string& choice) {
        options.overrides.push_back("cluster.core.divergence=" + choice);
      },
      "branches on which active lanes disagree: fault (default), warn (follow the highest lane like the "
      "hardware, report once per pc) or follow")
      ->check(CLI::IsMember({"fault", "warn", "follow"}));
  command.add_option_function<std::string>(
      "--mode", [&options](const std::string& mode) { options.overrides.push_back("run.mode=" + mode); },
      "cycle (default): timed; fast: for writing and debugging programs, same results, cycles are estimates")
      ->check(CLI::IsMember({"cycle", "fast"}));
  command.add_option("--check", options.checks,
                     "what to look for during the run: hazards (races, early reads, wrong barriers; exit code 1 when "
                     "there are any; hazards.json in --out)")
      ->check(CLI::IsMember({"hazards"}));
  command.add_flag("--energy", options.energy, "measure energy: a section of the summary, energy.json in --out (--report measures it, too)");
  command.add_option_function<std::string>(
      "--power",
      [&options](const std::string& table) {
        options.energy = true;
        options.overrides.push_back("power.table=" + table);
      },
      "energy table, a file or the name of one in configs/power/; with --energy");
  command.add_option_function<std::uint64_t>(
      "--power-window",
      [&options](std::uint64_t cycles) { options.overrides.push_back("power.window=" + std::to_string(cycles)); },
      "cycles per step of power over time in energy.json");
  command.add_option("--activity", options.activity,
                     "write how often every energy-relevant event happened to a file: action counts in YAML, or .json");
  command.add_flag("--lines", options.lines, "with --out: cycles and energy by source line and instruction in energy.json");
  command.add_option("--gdb", options.gdb_port,
                     "PORT: wait for gdb on 127.0.0.1:PORT, stopped at the program's entry; 0: any free port");
  command.add_option("--trace", options.trace.traces,
                     "write what happens during the run to a file, may be repeated: FILE.json (timeline for "
                     "ui.perfetto.dev), FILE.kanata (pipeline, for Konata), FILE.log (instructions), FILE.vcd (waves), "
                     "or KIND=FILE with perfetto, kanata, log or vcd")
      ->take_all()->allow_extra_args(false);
  command.add_option("--trace-filter", options.trace.filters,
                     "what traces show: core=0,warp=0-3,pc=0x80000000-0x800000ff,function=NAME,cycles=1000-5000 or "
                     "cycles=region (between the program's markers); values of one key add up, keys must all agree; "
                     "may be repeated")
      ->take_all()->allow_extra_args(false);
  command.add_option("--trace-limit", options.trace.limit, "bytes of each trace file, at least 64 KiB; then it ends")
      ->transform(CLI::AsSizeValue(false))->check(CLI::Range(std::uint64_t{65536}, std::uint64_t{1} << 50))
      ->capture_default_str();
  command.add_flag("--trace-no-cycles", options.trace.no_cycles,
                   "leave the cycles out of the instruction log, to compare two runs (sort both with sort -s -k1,1)");
  command.add_option("--profile", options.profile,
                     "folder for a profile of the run: profile.txt, profile.json, stacks.folded, flame.svg");
  command.add_option("--out", options.out, "folder for stats.json, config.yaml and console.txt");
  command.add_option("--report", options.report, "HTML file with charts of the run; opens without network");
}

/// How an annotated program is printed.
inline void add_annotation_options(CLI::App& command, run::JobOptions& options) {
  command.add_flag("--disassembly", options.annotation.disassembly, "annotate instructions instead of source lines");
  command.add_option("--top", options.annotation.top, "annotate only so many lines, those with most energy");
}

/// How a profile is printed.
inline void add_profile_options(CLI::App& command, run::JobOptions& options) {
  command.add_option("--by", options.profile_table.by, "rows of the table: function, line or instruction")
      ->check(CLI::IsMember({"function", "line", "instruction"}))->capture_default_str();
  command.add_option("--top", options.profile_table.top, "rows of the table, those with most cycles; 0: all")
      ->capture_default_str();
}

/// What is put into memory before a program runs, and what is taken out.
inline void add_memory_options(CLI::App& command, run::JobOptions& options) {
  command.add_option("--load", options.loads,
                     "FILE@ADDRESS: fill memory before the run; ADDRESS is a number or a symbol")
      ->take_all()->allow_extra_args(false);
  command.add_option("--save", options.saves, "FILE@ADDRESS+BYTES: write memory to a file after the run")
      ->take_all()->allow_extra_args(false);
  command.add_option("--args", options.arguments,
                     "argument block, e.g. gemm:256x256x256 or u32:1024,u64:0xA0000000");
}

}  // namespace spica::cli
