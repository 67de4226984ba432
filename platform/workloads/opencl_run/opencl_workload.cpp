// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/opencl_run/opencl_workload.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/base/config/config.h"
#include "platform/base/config/describe.h"
#include "platform/base/input/file.h"
#include "platform/base/input/regular_file.h"
#include "platform/base/input/temporary_folder.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/report/html_report.h"
#include "platform/observe/report/provenance.h"
#include "platform/observe/report/statistics.h"
#include "platform/run/files.h"
#include "platform/run/job_options.h"
#include "platform/run/record.h"
#include "platform/workloads/opencl_run/host_program.h"
#include "platform/workloads/opencl_run/opencl_results.h"

namespace spica::workloads {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSums = "opencl.json";

/// A word of SPICA_OPENCL, whose separators are commas and colons.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == ',' || letter == ':' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return safe;
}

/// The program may change its folder.
std::string absolute(const std::string& name) { return escaped(fs::absolute(name).string()); }

/// The same of [KIND=]FILE.
std::string absolute_trace(const std::string& text) {
  const std::size_t sign = text.find('=');
  const bool has_kind = sign != std::string::npos && text.find('/') > sign;
  return has_kind ? escaped(text.substr(0, sign + 1)) + absolute(text.substr(sign + 1)) : absolute(text);
}

/// What the checks of all machines have found; "": nothing.
std::string findings_in(const fs::path& file) {
  const std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Before the program runs, which may take long.
void check_results(const job::JobOptions& job, bool is_fast) {
  if (is_fast && (job.energy || !job.report.empty()))
    throw input::UserError(
        fmt::format("{}{}{}: needs the cycle mode; the fast mode (--mode fast) has no timing",
                    job.energy ? "--energy" : "", job.energy && !job.report.empty() ? ", " : "",
                    job.report.empty() ? "" : "--report"));
  if (!job.report.empty()) report::check_html_report(job.report);
  for (const std::string& trace : job.trace.traces) input::check_output(trace.substr(trace.find('=') + 1));
  job::make_folder(job.out);
  std::error_code ignored;  // of an earlier run
  if (!job.out.empty()) fs::remove(fs::path(job.out) / kSums, ignored);
}

/// The values of a run for a file of records: those of its machine, if it has one, then sums and kernels.
json::Value record_values(const job::RecordOptions& record, const OpenClResults& results, const fs::path& out,
                          int code) {
  json::Value values = json::Value::object();
  std::error_code ignored;
  if (const fs::path stats = out / "stats.json"; results.machines() == 1 && fs::exists(stats, ignored))
    if (const auto document = json::read_file(stats.string()))
      values = job::record_of_results(*document, job::statistics_of(record));
  values.update(results.values());
  if (!values.contains("end")) values["end"] = "finished";
  values["exit_code"] = code;
  return values;
}

/// `is_row`: for a sweep, which takes the reason of a failure from standard error.
void show_findings(const std::string& found, bool is_row) {
  if (found.empty()) fmt::print("\nThe checks have found nothing.\n");
  else fmt::print(is_row ? stderr : stdout, "\n{}", found);
}

/// The code for a sweep, which asks only whether the run is good: codes of host programs mean nothing to it.
int row_code(int code, const json::Value& values) {
  return code == 0 && values.at("end") == "finished" ? 0 : 1;
}

}  // namespace

config::Field OpenClWorkload::options() {
  return config::describe(asked, "opencl", "a program that uses OpenCL");
}

config::Field OpenClWorkload::outputs() { return config::describe(shown); }

Dependencies OpenClWorkload::depends_on(const std::function<soc::SocParams()>&) const {
  Dependencies all{{}, {{"program", find_host_program(asked.program).string()}}};
  std::error_code ignored;
  const auto add = [&](const std::string& name, const fs::path& file) {
    if (fs::is_regular_file(file, ignored)) all.files.emplace_back(name, file.string());
  };
  add("driver", places_.opencl_driver);
  add("compiler", places_.home.opencl_module);
  add("built-ins", places_.home.runtime / "opencl" / "opencl.bc");
  for (const std::string& word : report::shell_words(asked.arguments)) add("argument", word);
  for (const std::string& word : report::shell_words(asked.files)) all.files.emplace_back("file", word);
  return all;
}

std::string OpenClWorkload::device_text(const job::JobOptions& job, bool is_fast,
                                        const std::string& out) const {
  std::error_code ignored;
  std::string text =
      fs::is_regular_file(asked.config, ignored) ? absolute(asked.config) : escaped(asked.config);
  text += is_fast ? ":mode=fast" : ":mode=cycle";
  for (const std::string& setting : job.overrides) text += ":set=" + escaped(setting);
  for (const std::string& check : job.checks) text += ":check=" + check;
  for (const std::string& trace : job.trace.traces) text += ":trace=" + absolute_trace(trace);
  if (job.energy) text += ":energy";
  if (!out.empty()) text += ":out=" + absolute(out);
  if (!job.report.empty()) text += ":report=" + absolute(job.report);
  if (shown.gdb) text += fmt::format(":gdb={}", shown.launch);
  return text;
}

int OpenClWorkload::run(const job::JobOptions& job) {
  if (places_.opencl_driver.empty())
    throw input::UserError(
        "opencl: this Spica has no OpenCL driver (libspica-opencl.so.1): install the package spica-opencl, or "
        "opencl-headers (CL/cl_icd.h) and build");
  const auto params =
      config::read<soc::SocParams>(config::load(asked.config, job.overrides, places_.configs));
  const bool is_fast = params.run.mode == soc::Mode::kFast;
  check_results(job, is_fast);
  const input::TemporaryFolder folder((fs::temp_directory_path() / "spica-opencl").string());
  if (!folder.problem().empty()) throw input::UserError("opencl: no temporary folder: " + folder.problem());
  const fs::path record = folder.path() / "record", findings = folder.path() / "findings";
  const fs::path out =
      job.out.empty() && !job.record.file.empty() ? folder.path() / "out" : fs::path(job.out);
  const std::pair<const char*, std::string> variables[] = {
      {"OCL_ICD_VENDORS", places_.opencl_driver.string()},
      {"SPICA_PROGRAM", places_.executable.string()},
      {"SPICA_OPENCL", device_text(job, is_fast, out.string())},
      {"SPICA_OPENCL_RECORD", record.string()},
      {"SPICA_OPENCL_FINDINGS", findings.string()},
      {"SPICA_OPENCL_RESULTS", folder.path().string()}};
  for (const auto& [name, value] : variables)
    setenv(name, value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): before the first thread
  std::vector<std::string> words = report::shell_words(asked.arguments);
  words.insert(words.begin(), asked.program);
  const HostEnd end = run_host_program(words);
  const std::string found = findings_in(findings);
  const OpenClResults results(folder.path(), record, found);
  if (!results.empty() && !job.quiet) fmt::print("\n{}", results.table());
  if (!job.out.empty()) {
    json::Value document{{"schema", "spica-opencl-1"}, {"exit_code", end.code}};
    document.update(results.json());
    input::write_text((out / kSums).string(), report::json_text(document));
  }
  const bool is_row = job.record.form == job::RecordOptions::kRow;
  json::Value values{{"end", "finished"}};
  if (!job.record.file.empty()) {
    values = record_values(job.record, results, out, end.code);
    if (end.signal == 0 || !is_row) job::append_line(job.record.file, job::record_text(values, job.record));
  }
  if (is_row && end.signal != 0) return end.code;
  if (results.is_cut())
    fmt::print(stderr, "opencl: {}, so only launches, cycles and times are known\n", end.text());
  if (!results.empty() && !job.checks.empty()) {
    if (!fs::exists(findings))
      throw input::UserError(fmt::format("opencl: the checks have not been finished: {}", end.text()));
    show_findings(found, is_row);
  }
  const int code = end.code == 0 && !found.empty() ? 1 : end.code;
  return is_row ? row_code(code, values) : code;
}

}  // namespace spica::workloads
