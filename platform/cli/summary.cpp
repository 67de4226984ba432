// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/summary.h"

#include <fmt/format.h>

#include <iostream>
#include <vector>

#include "platform/report/terminal.h"
#include "platform/run/limiter.h"

namespace spica::cli {

namespace {

/// Cycles by reason, summed over accounts of one kind.
std::vector<report::Share> sum_accounts(const std::vector<const base::CycleAccount*>& accounts) {
  std::vector<report::Share> shares;
  for (const base::CycleAccount* account : accounts) {
    shares.resize(account->size());
    for (std::size_t i = 0; i < account->size(); ++i) {
      shares[i].name = account->reason(i);
      shares[i].value += account->cycles(i);
    }
  }
  return shares;
}

void print_where_time_went(run::Job& job, const report::Terminal& terminal) {
  std::vector<const base::CycleAccount*> issue;
  for (simt_core::SimtCore* core : job.soc().cores()) issue.push_back(&core->stats().issue);
  report::print_shares(std::cout, fmt::format("issue slots of {} cores", issue.size()),
                       sum_accounts(issue), terminal);
  for (unsigned i = 0; i < job.soc().clusters(); ++i) {
    std::size_t number = 0;
    for (matrix_unit::MatrixUnit& unit : job.soc().cluster(i).matrix_units) {
      const std::size_t index = number++;
      if (unit.stats().loops.value() == 0) continue;
      report::print_shares(std::cout, fmt::format("matrix unit {}", index),
                           sum_accounts({&unit.stats().cycles}), terminal);
    }
  }
}

std::string verdict(const run::Outcome& outcome, const GemmSummary& gemm) {
  if (outcome.end != run::End::kFinished) return fmt::format("NOT FINISHED ({})", run::end_name(outcome.end));
  if (outcome.through_tohost)
    return outcome.guest_exit_code == 0 ? "passed (tohost)"
                                        : fmt::format("FAILED: test or exit code {} (tohost)", outcome.guest_exit_code);
  if (outcome.guest_exit_code != 0) return fmt::format("program returned {}", outcome.guest_exit_code);
  if (!gemm.check) return "finished";
  return gemm.check->correct ? "verified" : "WRONG RESULT";
}

}  // namespace

void print_summary(run::Job& job, const run::Outcome& outcome, const GemmSummary& gemm) {
  const report::Terminal terminal = report::detect_terminal(1);
  const bool good = outcome.good() && outcome.guest_exit_code == 0 && (!gemm.check || gemm.check->correct);
  fmt::print("\n{}{}{}\n", gemm.title, gemm.title.empty() ? "" : ": ",
             report::colored(verdict(outcome, gemm),
                              good ? report::Color::kGreen : report::Color::kRed, terminal));
  const double microseconds = static_cast<double>(outcome.kernel_cycles) / job.params().clock_mhz;
  fmt::print("  cycles         {} ({:.1f} us at {:g} MHz){}\n",
             report::grouped(outcome.kernel_cycles), microseconds, job.params().clock_mhz,
             outcome.has_markers ? fmt::format(", of {} simulated", report::grouped(outcome.cycles)) : "");
  if (!gemm.title.empty()) fmt::print("  utilisation    {:.1f} %\n", 100 * gemm.utilisation);
  fmt::print("  instructions   {} of warps, {} of lanes\n", report::grouped(job.warp_instructions()),
             report::grouped(job.thread_instructions()));
  if (gemm.check && gemm.check->correct)
    fmt::print("  largest error  {:.3g}, allowed there {:.3g} (against double precision); bit-exact\n",
               gemm.check->largest_error, gemm.check->allowed_at_largest);
  if (gemm.check && !gemm.check->correct)
    fmt::print("  wrong          {} elements, {} not bit-exact\n", report::grouped(gemm.check->wrong),
               report::grouped(gemm.check->different_bits));
  if (gemm.check && gemm.check->wrong != 0)
    fmt::print("  first wrong    C[{}][{}] = {:g}, expected {:g}\n",
               gemm.check->first_row, gemm.check->first_column, gemm.check->first_value,
               gemm.check->first_expected);
  if (outcome.good()) fmt::print("  limiter        {}\n", run::limiter(job.soc()));
  print_where_time_went(job, terminal);
  const double rate = outcome.host_seconds > 0 ? static_cast<double>(outcome.cycles) / outcome.host_seconds : 0;
  fmt::print("  simulated in   {:.2f} s, {}\n", outcome.host_seconds, report::scaled(rate, "cycles/s"));
}

}  // namespace spica::cli
