// SPDX-License-Identifier: Apache-2.0
// What --check looks for, and what it found.
#include <algorithm>
#include <iostream>

#include "platform/check/hazard_checker.h"
#include "platform/check/hazard_report.h"
#include "platform/check/memory_checker.h"
#include "platform/check/suppressions.h"
#include "platform/report/statistics.h"
#include "platform/run/job.h"
#include "platform/run/session.h"

namespace spica::run {

void Job::watch_checks() {
  std::vector<std::string> kinds = check::hazard_kinds();
  for (std::string& kind : check::memory_kinds()) kinds.push_back(std::move(kind));
  suppressions_ = std::make_unique<check::Suppressions>(options_.suppressions, std::move(kinds));
  watch_hazards();
  watch_memory();
}

void Job::watch_hazards() {
  if (std::count(options_.checks.begin(), options_.checks.end(), "hazards") == 0) return;
  hazards_ = std::make_unique<check::HazardChecker>(
      params_, map(), program_, [this](unsigned source) { return machine().source_name(source); });
  machine().watch(*hazards_);
  checked_kinds_ = check::hazard_kinds();
  for (const loader::Segment& segment : program_.segments)
    hazards_->initialised(segment.address, segment.size());
}

void Job::watch_memory() {
  if (std::count(options_.checks.begin(), options_.checks.end(), "memory") == 0) return;
  memory_errors_ = std::make_unique<check::MemoryChecker>(
      params_, map(), program_, sources_,
      [this](std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
        return machine().read(address, to, bytes);
      });
  machine().watch(*memory_errors_);
  for (std::string& kind : check::memory_kinds()) checked_kinds_.push_back(std::move(kind));
  for (const loader::Segment& segment : program_.segments)
    memory_errors_->initialised(segment.address, segment.size());
}

void Job::finish_checks() {
  if (memory_errors_ != nullptr)
    outcome_.memory_errors = report_findings(memory_errors_->findings(), memory_errors_->buffers(),
                                             "memory error", "memory.json", "memory_errors");
  if (hazards_ == nullptr) return;
  for (const protocol::GuestFault& fault : outcome_.faults) hazards_->add_fault(fault);
  if (!outcome_.good() && outcome_.end != End::kFault) hazards_->end(outcome_.cycles);
  outcome_.hazards =
      report_findings(hazards_->findings(), hazards_->buffers(), "hazard", "hazards.json", "hazards");
}

/// Returns how many there are that nobody suppressed.
std::uint64_t Job::report_findings(const check::Findings& found, const check::Buffers& buffers,
                                   const char* what, const std::string& file, const std::string& key) {
  constexpr std::size_t kShown = 20;
  const check::ReportContext context{&sources_, &buffers, &params_};
  std::vector<check::Finding> findings = check::by_line(found, sources_);
  findings.erase(std::remove_if(findings.begin(), findings.end(),
                                [&](const check::Finding& f) {
                                  return suppressions_->covers(signature_of(f, context));
                                }),
                 findings.end());
  std::cerr << check::finding_text(what, findings, context, kShown);
  if (!options_.out.empty())
    write_text(file, report::json_text({{key, check::finding_list(findings, context)}}));
  return findings.size();
}

}  // namespace spica::run
