// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/machine/soc/blocks.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/observe/area/area_report.h"
#include "platform/observe/area/area_text.h"
#include "platform/observe/energy/energy_report.h"
#include "platform/observe/energy/energy_text.h"
#include "platform/observe/energy/line_table.h"
#include "platform/observe/report/terminal.h"
#include "platform/run/job.h"
#include "platform/run/limiter.h"
#include "platform/run/measurements.h"
#include "platform/run/results.h"
#include "platform/run/run_facts.h"
#include "platform/run/sampled_run.h"

namespace spica::workloads {

namespace {

/// A chart of a type of block, and the accounts in it.
struct Chart {
  std::string title;
  std::vector<const base::CycleAccount*> accounts;
};

/// `which` replaces {} in it.
std::string title(const base::TimeChart& chart, const std::string& which) {
  std::string text(chart.title);
  const std::size_t place = text.find("{}");
  return place == std::string::npos ? text : text.replace(place, 2, which);
}

/// Of all blocks of a type at once: in the order of the types.
std::vector<Chart> charts_of_types(const std::vector<soc::PlacedBlock>& blocks) {
  std::vector<Chart> charts;
  for (const base::BlockType* type : base::block_types())
    for (const base::TimeChart& chart : type->charts) {
      std::vector<const base::CycleAccount*> accounts;
      for (const soc::PlacedBlock& one : blocks)
        if (chart.together && &one.type() == type)
          accounts.push_back(&soc::account(*one.block, chart.account));
      if (!accounts.empty())
        charts.push_back({title(chart, std::to_string(accounts.size())), std::move(accounts)});
    }
  return charts;
}

constexpr unsigned kMostClusters = 8;  // whose blocks have charts of their own

/// Of single blocks: by cluster, number and type. Of many clusters, one for all blocks with the same number.
std::vector<Chart> charts_of_blocks(const std::vector<soc::PlacedBlock>& blocks, unsigned clusters,
                                    const base::StatWindow& window) {
  std::vector<std::string> boxes;
  for (const soc::PlacedBlock& one : blocks)
    if (!one.box.empty() && std::find(boxes.begin(), boxes.end(), one.box) == boxes.end())
      boxes.push_back(one.box);
  std::vector<const soc::PlacedBlock*> sorted;
  for (const soc::PlacedBlock& one : blocks) sorted.push_back(&one);
  const auto place = [&](const soc::PlacedBlock* one) {
    const auto box = std::find(boxes.begin(), boxes.end(), one->box) - boxes.begin();
    return std::make_tuple(box, one->number, one->type().order, one->type().name);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto* a, const auto* b) { return place(a) < place(b); });
  std::vector<Chart> charts;
  for (const soc::PlacedBlock* one : sorted)
    for (const base::TimeChart& chart : one->type().charts) {
      base::StatGroup& stats = one->block->stats();
      if (chart.together || (!chart.shown_for.empty() && soc::counted(window, stats, chart.shown_for) == 0))
        continue;
      const auto box = std::find(boxes.begin(), boxes.end(), one->box) - boxes.begin();
      const std::string which = clusters == 1 || one->box.empty() ? fmt::format("{}", one->number)
                                : clusters > kMostClusters
                                    ? fmt::format("{} of {} clusters", one->number, clusters)
                                    : fmt::format("{} of cluster {}", one->number, box);
      Chart next{title(chart, which), {&soc::account(*one->block, chart.account)}};
      const auto same = std::find_if(charts.begin(), charts.end(),
                                     [&](const Chart& known) { return known.title == next.title; });
      if (same == charts.end()) charts.push_back(std::move(next));
      else same->accounts.push_back(next.accounts.front());
    }
  return charts;
}

/// Cycles of the timed region by reason, summed over accounts of one kind.
std::vector<report::Share> sum_accounts(const base::StatWindow& window,
                                        const std::vector<const base::CycleAccount*>& accounts) {
  std::vector<report::Share> shares;
  for (const base::CycleAccount* account : accounts) {
    const std::vector<std::uint64_t> cycles = window.cycles(*account);
    shares.resize(account->size());
    for (std::size_t i = 0; i < account->size(); ++i) {
      shares[i].name = account->reason(i);
      shares[i].value += cycles[i];
    }
  }
  return shares;
}

void print_where_time_went(const soc::MeasuredMachine& soc, const report::Terminal& terminal) {
  const base::StatWindow window = soc.region().window();
  const std::vector<soc::PlacedBlock> blocks = soc::placed_blocks(soc);
  std::vector<Chart> charts = charts_of_types(blocks);
  for (Chart& chart :
       charts_of_blocks(blocks, static_cast<unsigned>(soc.machine().params().clusters), window))
    charts.push_back(std::move(chart));
  if (!charts.empty() && soc.region().complete()) charts.front().title += ", timed region";
  for (const Chart& chart : charts)
    report::print_shares(std::cout, chart.title, sum_accounts(window, chart.accounts), terminal);
}

/// "1 hazard and 2 memory errors".
std::string findings_text(const job::JobOutcome& outcome) {
  const auto some = [](std::uint64_t count, const char* what) {
    return count == 0 ? "" : fmt::format("{} {}{}", count, what, count > 1 ? "s" : "");
  };
  const std::string hazards = some(outcome.hazards, "hazard"),
                    errors = some(outcome.memory_errors, "memory error");
  return hazards.empty() || errors.empty() ? hazards + errors : hazards + " and " + errors;
}

std::string verdict(const job::JobOutcome& outcome, const Summary& gemm) {
  if (outcome.end != session::End::kFinished)
    return fmt::format("NOT FINISHED ({})", session::end_name(outcome.end));
  if (outcome.through_tohost)
    return outcome.guest_exit_code == 0
               ? "passed (tohost)"
               : fmt::format("FAILED: test or exit code {} (tohost)", outcome.guest_exit_code);
  if (outcome.guest_exit_code == 0 && !outcome.clean())
    return fmt::format("{}, but {}",
                       !gemm.check           ? "finished"
                       : gemm.check->correct ? "verified"
                                             : "WRONG RESULT",
                       findings_text(outcome));
  if (outcome.guest_exit_code != 0) return fmt::format("program returned {}", outcome.guest_exit_code);
  if (outcome.is_projected) return "sampled";
  if (!gemm.check) return "finished";
  if (!gemm.comparable && gemm.check->wrong == 0) return "NOT CHECKED";
  return gemm.check->correct ? "verified" : "WRONG RESULT";
}

}  // namespace

void print_annotation(const job::Job& job, const std::filesystem::path& root) {
  if (!job.options().annotate || job.energy() == nullptr) return;
  energy::AnnotateOptions options = job.options().annotation;
  options.root = root;
  const energy::LineTable table(*job.energy(), job.sources(), job.program());
  fmt::print("\n");
  std::fflush(stdout);
  energy::print_annotated(std::cout, *job.energy(), table, options);
  std::cout.flush();
}

namespace {

void print_times(job::Job& job, const job::JobOutcome& outcome, const Summary& gemm) {
  if (const auto cycle = job.resumed_at())
    fmt::print("  checkpoint     at cycle {} of the machine's clock\n", text::grouped(*cycle));
  if (job.fast()) {
    fmt::print("  mode           fast mode: not timed; {} cycles are an estimate\n",
               text::grouped(outcome.cycles));
    return;
  }
  const double microseconds = static_cast<double>(outcome.kernel_cycles) / job.params().core_mhz();
  fmt::print("  cycles         {} ({:.1f} us at {:g} MHz){}\n", text::grouped(outcome.kernel_cycles),
             microseconds, job.params().core_mhz(),
             outcome.has_markers
                 ? fmt::format(" in the timed region; {} in the whole run", text::grouped(outcome.cycles))
                 : "");
  if (!gemm.timed.empty()) fmt::print("  timed          {}\n", gemm.timed);
  if (!gemm.lead.empty()) fmt::print("  set-up         {}\n", gemm.lead);
  if (!gemm.title.empty() && outcome.good() && outcome.is_whole)
    fmt::print("  utilisation    {:.1f} %\n", 100 * gemm.utilisation);
  if (!gemm.padded.empty())
    fmt::print("  padded         with {} to {}: {:.0f} % of the multiply-adds that were computed\n",
               gemm.padded_with, gemm.padded, 100 * gemm.padded_share);
}

void print_sample(const job::SampledRun& sample) {
  const char* name = "sample";
  for (const std::string& line : sample.lines()) fmt::print("  {:<14} {}\n", std::exchange(name, ""), line);
}

/// "main memory 89 % full, level 2 cache 12 %".
void print_channels(const std::vector<job::ChannelUse>& channels) {
  std::string text;
  for (const job::ChannelUse& one : channels)
    if (one.full > 0)
      text += fmt::format("{}{} {:.0f} %{}", text.empty() ? "" : ", ", one.name, 100 * one.full,
                          text.empty() ? " full" : "");
  if (!text.empty()) fmt::print("  channels       {}\n", text);
}

/// Rounds of work groups: how many the machine holds at once, and how full the rounds are.
void print_waves(const job::Job& job) {
  const auto waves = job::waves_of(job.options().grid, job.program(), job.params());
  if (waves)
    fmt::print("  work groups    {} in {:.2f} waves of {}, which are {} full\n", text::grouped(waves->groups),
               waves->count(), text::grouped(waves->at_once), text::percent(waves->filled()));
}

void print_host_time(job::Job& job, const job::JobOutcome& outcome) {
  const auto done =
      job.fast() ? static_cast<double>(job.warp_instructions()) : static_cast<double>(outcome.cycles);
  const double rate = outcome.host_seconds > 0 ? done / outcome.host_seconds : 0;
  fmt::print("  simulated in   {:.2f} s, {}\n", outcome.host_seconds,
             text::scaled(rate, job.fast() ? "warp instr/s" : "cycles/s"));
}

}  // namespace

void print_summary(job::Job& job, const job::JobOutcome& outcome, const Summary& gemm,
                   const std::filesystem::path& root) {
  const report::Terminal terminal = report::detect_terminal(1);
  const bool good = outcome.good() && outcome.guest_exit_code == 0 && outcome.clean() &&
                    (!gemm.check || gemm.check->correct);
  fmt::print(
      "\n{}{}{}\n", gemm.title, gemm.title.empty() ? "" : ": ",
      report::colored(verdict(outcome, gemm), good ? report::Color::kGreen : report::Color::kRed, terminal));
  if (const job::SampledRun* sample = job.facts().measurements.sample()) print_sample(*sample);
  print_times(job, outcome, gemm);
  fmt::print("  instructions   {} by warps, {} by lanes\n", text::grouped(job.warp_instructions()),
             text::grouped(job.thread_instructions()));
  print_waves(job);
  if (gemm.check && gemm.check->correct)
    fmt::print("  largest error  {:.3g} against double precision; tolerance of that element {:.3g}{}\n",
               gemm.check->largest_error, gemm.check->allowed_at_largest, gemm.bitwise ? "; bit-exact" : "");
  if (!gemm.sums.empty()) fmt::print("  sums           {}\n", gemm.sums);
  if (gemm.check && gemm.check->wrong == 0 && gemm.check->different_bits != 0)
    fmt::print(
        "  not bit-exact  {} elements, each within its tolerance: rounded in another order than that of the design\n",
        text::grouped(gemm.check->different_bits));
  if (gemm.check && gemm.check->wrong != 0)
    fmt::print(
        "  wrong          {} elements{}\n", text::grouped(gemm.check->wrong),
        gemm.bitwise ? fmt::format(", {} not bit-exact", text::grouped(gemm.check->different_bits)) : "");
  if (gemm.check && gemm.check->wrong != 0)
    fmt::print("  first wrong    {}[{}][{}] = {:g}, expected {:g}\n", gemm.matrix, gemm.check->first_row,
               gemm.check->first_column, gemm.check->first_value, gemm.check->first_expected);
  if (gemm.check && gemm.check->between_rows != 0)
    fmt::print("  wrong          {} elements between the rows of {} were written\n",
               text::grouped(gemm.check->between_rows), gemm.matrix);
  if (gemm.check && gemm.check->wrong != 0 && job.options().checks.empty())
    fmt::print(
        "  next           --check hazards looks for accesses that nothing orders (docs/howto/find-a-race.md)\n");
  if (!gemm.note.empty()) fmt::print("  note           {}\n", gemm.note);
  if (!job.fast()) {
    if (outcome.good()) {
      fmt::print("  limiter        {}\n", job::limiter(job.measured()));
      print_channels(job::channel_use(job.measured()));
    }
    print_where_time_went(job.measured(), terminal);
  }
  if (job.energy() != nullptr && job.options().shows_energy())
    energy::print_energy(std::cout, *job.energy(), gemm.multiply_adds);
  if (job.area() != nullptr && job.options().area)
    fmt::print("  area           {} at {:g} nm, without what is off the chip\n",
               area::area_phrase(job.area()->mm2), job.area()->technology_nm);
  print_annotation(job, root);
  print_host_time(job, outcome);
}

}  // namespace spica::workloads
