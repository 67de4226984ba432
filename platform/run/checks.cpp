// SPDX-License-Identifier: Apache-2.0
#include "platform/run/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "platform/base/input/user_error.h"
#include "platform/machine/soc/machine.h"
#include "platform/observe/check/hazard_checker.h"
#include "platform/observe/check/hazard_report.h"
#include "platform/observe/check/memory_checker.h"
#include "platform/observe/check/suppressions.h"

namespace spica::job {

Checks::Checks(const std::vector<std::string>& kinds, const std::vector<std::string>& suppressions,
               const soc::SocParams& params, const loader::Program& program, const loader::SourceMap& sources,
               soc::Machine& machine)
    : params_(params), program_(program), sources_(sources) {
  if (!suppressions.empty() && kinds.empty())
    throw input::UserError("--suppress: needs --check, whose findings it suppresses");
  std::vector<std::string> all = check::hazard_kinds();
  for (std::string& kind : check::memory_kinds()) all.push_back(std::move(kind));
  suppressions_ = std::make_unique<check::Suppressions>(suppressions, std::move(all));
  const auto wanted = [&](const char* kind) { return std::count(kinds.begin(), kinds.end(), kind) != 0; };
  if (wanted("hazards")) watch_hazards(machine);
  if (wanted("memory")) watch_memory(machine);
}

Checks::~Checks() = default;

void Checks::watch_hazards(soc::Machine& machine) {
  constexpr std::uint64_t kMostWarps = 8192;  // what each warp knows of each other one takes 32 bytes
  const std::uint64_t warps_of_cluster = params_.cluster.cores * params_.cluster.core.warps;
  if (const std::uint64_t warps = params_.clusters * warps_of_cluster; warps > kMostWarps)
    throw input::UserError(fmt::format(
        "--check hazards: at most {} warps can be checked, and this machine has {}: --set clusters={}",
        kMostWarps, warps, kMostWarps / warps_of_cluster));
  hazards_ = std::make_unique<check::HazardChecker>(
      params_, machine.map(), program_,
      [&machine](unsigned source) { return machine.unit_of_source(source); });
  machine.watch(*hazards_);
  checked_kinds_ = check::hazard_kinds();
  for (const loader::Segment& segment : program_.segments)
    hazards_->initialised(segment.address, segment.size());
}

void Checks::watch_memory(soc::Machine& machine) {
  memory_errors_ = std::make_unique<check::MemoryChecker>(
      params_, machine.map(), program_, sources_,
      [&machine](std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
        return machine.read(address, to, bytes);
      },
      [&machine](unsigned source) { return machine.unit_of_source(source); });
  machine.watch(*memory_errors_);
  for (std::string& kind : check::memory_kinds()) checked_kinds_.push_back(std::move(kind));
  for (const loader::Segment& segment : program_.segments)
    memory_errors_->initialised(segment.address, segment.size());
}

void Checks::add(const loader::Program& program) {
  if (hazards_ != nullptr) hazards_->add(program);
  if (memory_errors_ != nullptr) memory_errors_->add(program);
  for (const loader::Segment& segment : program.segments) initialised(segment.address, segment.size());
}

void Checks::initialised(std::uint64_t address, std::uint64_t bytes) {
  if (hazards_ != nullptr) hazards_->initialised(address, bytes);
  if (memory_errors_ != nullptr) memory_errors_->initialised(address, bytes);
}

void Checks::name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes,
                         const check::MatrixLayout& matrix) {
  if (hazards_ != nullptr) hazards_->buffers().add(name, address, bytes, matrix);
  if (memory_errors_ != nullptr) memory_errors_->buffers().add(name, address, bytes, matrix);
}

void Checks::name_queues(const std::vector<std::string>& names) {
  if (hazards_ != nullptr) hazards_->name_queues(names);
}

void Checks::finish(JobOutcome& outcome, const Write& write, std::ostream& text) {
  if (memory_errors_ != nullptr)
    outcome.memory_errors = report(memory_errors_->findings(), memory_errors_->buffers(), "memory error",
                                   "memory.json", "memory_errors", write, text);
  if (hazards_ == nullptr) return;
  for (const protocol::GuestFault& fault : outcome.faults) hazards_->add_fault(fault);
  if (!outcome.good() && outcome.end != session::End::kFault) hazards_->end(outcome.cycles);
  outcome.hazards =
      report(hazards_->findings(), hazards_->buffers(), "hazard", "hazards.json", "hazards", write, text);
  if (const std::string note = hazards_->note(); !note.empty()) text << "spica: note: " << note << ".\n";
}

std::string Checks::summary() const { return suppressions_->summary(checked_kinds_); }

/// Returns the number of findings that are not suppressed.
std::uint64_t Checks::report(const check::Findings& found, const check::Buffers& buffers, const char* what,
                             const std::string& file, const std::string& key, const Write& write,
                             std::ostream& text) {
  constexpr std::size_t kShown = 20;
  const check::ReportContext context{&sources_, &buffers, &params_};
  std::vector<check::Finding> findings = check::by_line(found, sources_);
  findings.erase(std::remove_if(findings.begin(), findings.end(),
                                [&](const check::Finding& f) {
                                  return suppressions_->covers(signature_of(f, context));
                                }),
                 findings.end());
  text << check::finding_text(what, findings, context, kShown);
  if (write) write(file, check::finding_json(key, findings, context));
  return findings.size();
}

}  // namespace spica::job
