// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/summary.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <vector>

#include "models/dma/dma_stats.h"
#include "models/matrix_unit/matrix_unit_stats.h"
#include "models/simt_core/core_stats.h"
#include "models/tensor_core/decoupled_stats.h"
#include "platform/cli/paths.h"
#include "platform/energy/energy_report.h"
#include "platform/energy/energy_text.h"
#include "platform/energy/line_table.h"
#include "platform/job/job.h"
#include "platform/job/limiter.h"
#include "platform/report/terminal.h"
#include "platform/soc/soc.h"

namespace spica::cli {

namespace {

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

void print_where_time_went(job::Job& job, const report::Terminal& terminal) {
  const base::StatWindow window = job.soc().region().window();
  const auto print = [&](const std::string& title, const std::vector<const base::CycleAccount*>& accounts) {
    report::print_shares(std::cout, title, sum_accounts(window, accounts), terminal);
  };
  std::vector<soc::UnitStats> clusters;
  for (unsigned i = 0; i < job.soc().clusters(); ++i) clusters.push_back(job.soc().unit_stats(i));
  std::vector<const base::CycleAccount*> issue, tensors;
  for (const soc::UnitStats& cluster : clusters)
    for (const auto* core : cluster.cores) issue.push_back(&core->issue);
  print(fmt::format("issue slots of {} cores{}", issue.size(),
                    job.soc().region().complete() ? ", timed region" : ""),
        issue);
  for (const soc::UnitStats& cluster : clusters)
    for (const auto* tensor : cluster.decoupled_tensor_cores) tensors.push_back(&tensor->dot_product);
  if (!tensors.empty()) print(fmt::format("{} decoupled tensor cores", tensors.size()), tensors);
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const std::string of = clusters.size() == 1 ? "" : fmt::format(" of cluster {}", i);
    for (std::size_t unit = 0; unit < clusters[i].matrix_units.size(); ++unit) {
      const matrix_unit::MatrixUnitStats& matrix = *clusters[i].matrix_units[unit].unit;
      const dma::DmaStats& dma = *clusters[i].matrix_units[unit].dma;
      if (window.value(matrix.loops) != 0) print(fmt::format("matrix unit {}{}", unit, of), {&matrix.cycles});
      if (window.value(dma.bytes_a) + window.value(dma.bytes_b) + window.value(dma.bytes_d) != 0)
        print(fmt::format("DMA {}{}, reader", unit, of), {&dma.reader});
    }
  }
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

std::string verdict(const job::JobOutcome& outcome, const GemmSummary& gemm) {
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
  if (!gemm.check) return "finished";
  return gemm.check->correct ? "verified" : "WRONG RESULT";
}

}  // namespace

void print_annotation(const job::Job& job) {
  if (!job.options().annotate || job.energy() == nullptr) return;
  energy::AnnotateOptions options = job.options().annotation;
  options.root = root();
  const energy::LineTable table(*job.energy(), job.sources(), job.program());
  fmt::print("\n");
  std::fflush(stdout);
  energy::print_annotated(std::cout, *job.energy(), table, options);
  std::cout.flush();
}

namespace {

void print_times(job::Job& job, const job::JobOutcome& outcome, const GemmSummary& gemm) {
  if (job.fast()) {
    fmt::print("  mode           fast mode: not timed; {} cycles are an estimate\n",
               report::grouped(outcome.cycles));
    return;
  }
  const double microseconds = static_cast<double>(outcome.kernel_cycles) / job.params().clock_mhz;
  fmt::print("  cycles         {} ({:.1f} us at {:g} MHz){}\n", report::grouped(outcome.kernel_cycles),
             microseconds, job.params().clock_mhz,
             outcome.has_markers ? fmt::format(", of {} simulated", report::grouped(outcome.cycles)) : "");
  if (!gemm.title.empty() && outcome.good())
    fmt::print("  utilisation    {:.1f} %\n", 100 * gemm.utilisation);
}

void print_host_time(job::Job& job, const job::JobOutcome& outcome) {
  const auto done =
      job.fast() ? static_cast<double>(job.warp_instructions()) : static_cast<double>(outcome.cycles);
  const double rate = outcome.host_seconds > 0 ? done / outcome.host_seconds : 0;
  fmt::print("  simulated in   {:.2f} s, {}\n", outcome.host_seconds,
             report::scaled(rate, job.fast() ? "warp instr/s" : "cycles/s"));
}

}  // namespace

void print_summary(job::Job& job, const job::JobOutcome& outcome, const GemmSummary& gemm) {
  const report::Terminal terminal = report::detect_terminal(1);
  const bool good = outcome.good() && outcome.guest_exit_code == 0 && outcome.clean() &&
                    (!gemm.check || gemm.check->correct);
  fmt::print(
      "\n{}{}{}\n", gemm.title, gemm.title.empty() ? "" : ": ",
      report::colored(verdict(outcome, gemm), good ? report::Color::kGreen : report::Color::kRed, terminal));
  print_times(job, outcome, gemm);
  fmt::print("  instructions   {} by warps, {} by lanes\n", report::grouped(job.warp_instructions()),
             report::grouped(job.thread_instructions()));
  if (gemm.check && gemm.check->correct)
    fmt::print("  largest error  {:.3g}, tolerance there {:.3g} (against double precision){}\n",
               gemm.check->largest_error, gemm.check->allowed_at_largest, gemm.bitwise ? "; bit-exact" : "");
  if (gemm.check && !gemm.check->correct)
    fmt::print(
        "  wrong          {} elements{}\n", report::grouped(gemm.check->wrong),
        gemm.bitwise ? fmt::format(", {} not bit-exact", report::grouped(gemm.check->different_bits)) : "");
  if (gemm.check && gemm.check->wrong != 0)
    fmt::print("  first wrong    {}[{}][{}] = {:g}, expected {:g}\n", gemm.matrix, gemm.check->first_row,
               gemm.check->first_column, gemm.check->first_value, gemm.check->first_expected);
  if (gemm.check && !gemm.check->correct && job.options().checks.empty())
    fmt::print(
        "  next           --check hazards looks for accesses that nothing orders (docs/howto/find-a-race.md)\n");
  if (!gemm.note.empty()) fmt::print("  note           {}\n", gemm.note);
  if (!job.fast()) {
    if (outcome.good()) fmt::print("  limiter        {}\n", job::limiter(job.soc()));
    print_where_time_went(job, terminal);
  }
  if (job.energy() != nullptr && job.options().shows_energy())
    energy::print_energy(std::cout, *job.energy(), terminal);
  print_annotation(job);
  print_host_time(job, outcome);
}

}  // namespace spica::cli
