// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/api/errors.h"

#include <fmt/format.h>

#include <filesystem>

#include "platform/base/input/printable.h"
#include "platform/observe/report/fault_report.h"

namespace spica::api {

namespace {

Fault::Severity severity_of(protocol::Severity severity) {
  if (severity == protocol::Severity::kFault) return Fault::Severity::kFault;
  return severity == protocol::Severity::kWarning ? Fault::Severity::kWarning : Fault::Severity::kNote;
}

}  // namespace

void check_home(const Home& home, const std::string& configuration, const char* share) {
  std::error_code ignored;
  if (!home.configs.empty() || std::filesystem::exists(configuration, ignored)) return;
  throw Error(fmt::format(
      "there is no file '{}', and no folder of configurations at {}: set SPICA_ROOT to one that has configs/",
      input::printable(configuration), input::printable(share)));
}

Fault fault_of(const protocol::GuestFault& fault, const soc::SocParams& params,
               const loader::SourceMap& sources, bool compressed) {
  Fault result;
  result.severity = severity_of(fault.severity);
  result.what = report::fault_sentence(fault.kind);
  result.cycle = fault.cycle;
  result.core = fault.origin.core;
  result.warp = fault.origin.warp;
  result.pc = fault.origin.pc;
  result.lanes = fault.origin.lanes;
  if (fault.has_address) result.address = fault.address;
  const loader::Frame& frame = sources.lookup(fault.origin.pc).frame;
  result.function = frame.function;
  result.file = frame.file;
  result.line = frame.line;
  result.text =
      report::format_fault(fault, {&sources, params.core_mhz(), params.cluster.tensor_style(), compressed});
  return result;
}

}  // namespace spica::api
