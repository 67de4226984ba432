// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/html_report.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/base/json/parse.h"
#include "platform/observe/report/difference.h"
#include "platform/observe/report/html_page.h"
#include "platform/observe/report/provenance.h"
#include "platform/observe/report/sensitivity.h"
#include "platform/observe/report/statistics.h"

namespace spica::report {

namespace fs = std::filesystem;

namespace {

using Json = json::Value;

// More than any run writes.
constexpr std::uint64_t kMaxFileBytes = 256 * input::kMiB;
constexpr std::size_t kMaxLevels = 64;

std::string file_text(const fs::path& path) {
  const std::vector<unsigned char> bytes = input::read_file(path.string(), kMaxFileBytes);
  return {bytes.begin(), bytes.end()};
}

Json file_json(const fs::path& path) {
  bool too_deep = false;
  std::optional<Json> document;
  try {
    document = json::parse(file_text(path), kMaxLevels, &too_deep);
  } catch (const std::bad_alloc&) {
    throw input::UserError(fmt::format("not enough memory to read {}", path.string()));
  }
  if (too_deep) throw input::UserError(fmt::format("{} has more than {} levels", path.string(), kMaxLevels));
  if (!document || !document->is_object())
    throw input::UserError(fmt::format("{} is not a JSON document of Spica", path.string()));
  return *std::move(document);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// What readers of stats.json rely on.
void check_figures(const Json& document, const fs::path& path) {
  std::string wrong;
  const auto check = [&](const char* key, bool required, const char* kind, auto is_kind) {
    const auto found = document.find(key);
    const bool absent = found == document.end() || found->is_null();
    if (absent ? !required : is_kind(*found)) return;
    wrong += fmt::format("{}{} is not {}", wrong.empty() ? "" : ", ", key, kind);
  };
  const auto is_count = [](const Json& value) { return value.is_number_unsigned(); };
  const auto is_number = [](const Json& value) { return value.is_number(); };
  const auto is_text = [](const Json& value) { return value.is_string(); };
  const auto is_group = [](const Json& value) { return value.is_object(); };
  check("cycles", true, "a count", is_count);
  check("stats", true, "a group", is_group);
  check("instructions", false, "a count", is_count);
  check("utilisation", false, "a number", is_number);
  check("verified", false, "true or false", [](const Json& value) { return value.is_boolean(); });
  check("end", false, "a text", is_text);
  check("limiter", false, "a text", is_text);
  check("numerics", false, "a text", is_text);
  check("energy", false, "a group", is_group);
  if (!wrong.empty())
    throw input::UserError(fmt::format("{} holds no statistics of a run: {}", path.string(), wrong));
}

Json energy_of(const ReportedRun& run) {
  return run.energy.is_null() ? run.document.value("energy", Json()) : run.energy;
}

/// What else readers look at has the types that --out writes: they are tried.
void check_uses(const ReportedRun& run, const fs::path& folder) {
  const char* file = run.energy.is_null() ? "stats.json" : "energy.json";
  try {
    for (const EnergyKind kind : kEnergyKinds) sensitivity(energy_of(run), energy_of(run), kind);
    file = "stats.json";
    difference(run, run);
  } catch (const Json::exception& error) {
    const std::string what = error.what();  // "[json.exception.NAME.NUMBER] text"
    throw input::UserError(fmt::format("{} was not written by --out: {}", (folder / file).string(),
                                       input::printable(what.substr(what.find("] ") + 2))));
  }
}

/// The file's text with each {{name}} replaced; what is put in is not looked at again.
std::string filled(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at; (at = text.find("{{", done)) != std::string::npos;) {
    const std::size_t end = text.find("}}", at);
    result += text.substr(done, at - done) + values.at(text.substr(at + 2, end - at - 2));
    done = end + 2;
  }
  return result + text.substr(done);
}

/// {base, active_energy: {ratio, rows}, total_energy: ...}; null for a run that is not compared.
Json sensitivity_of(const ReportedRun& run, const std::vector<ReportedRun>& runs) {
  if (!run.compared_with || *run.compared_with >= runs.size()) return {};
  const ReportedRun& base = runs[*run.compared_with];
  Json result;
  for (const EnergyKind kind : kEnergyKinds)
    if (const auto found = sensitivity(energy_of(run), energy_of(base), kind))
      result[std::string(name_of(kind))] = {{"ratio", found->ratio}, {"rows", sensitivity_json(*found)}};
  if (!result.is_null()) result["base"] = base.name;
  return result;
}

std::string title_of(const std::vector<ReportedRun>& runs) {
  constexpr std::size_t kMostNames = 3;
  if (runs.size() > kMostNames) return fmt::format("Spica report: {} runs", runs.size());
  std::string title = "Spica report:";
  for (const ReportedRun& run : runs) title += (&run == &runs.front() ? " " : ", ") + run.name;
  return title;
}

}  // namespace

ReportedRun read_run(const std::string& folder) {
  const fs::path path(folder);
  if (!is_there(path / "stats.json"))
    throw input::UserError(
        fmt::format("{} has no stats.json; a folder that --out wrote is expected", folder));
  ReportedRun run;
  run.name = input::printable((path.filename().empty() ? path.parent_path() : path).filename().string());
  run.document = file_json(path / "stats.json");
  check_figures(run.document, path / "stats.json");
  if (is_there(path / "config.yaml")) run.config_text = file_text(path / "config.yaml");
  if (is_there(path / "energy.json")) run.energy = file_json(path / "energy.json");
  check_uses(run, path);
  return run;
}

std::string chart_library() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path shipped = program.parent_path() / SPICA_SHARE_FROM_PROGRAM / "chart.min.js";
  return fs::exists(shipped, ignored) ? shipped.lexically_normal().string() : SPICA_CHART_JS;
}

void check_html_report(const std::string& file, const std::string& library) {
  if (!is_there(library))
    throw input::UserError(
        fmt::format("reports need the chart library {}, which is not installed: apt-get install "
                    "--no-install-recommends libjs-chart.js",
                    library));
  const fs::path folder = fs::path(file).parent_path();
  if (!folder.empty() && !is_folder(folder))
    throw input::UserError(fmt::format("cannot write {}: there is no folder {}", file, folder.string()));
  if (is_folder(file)) throw input::UserError(fmt::format("cannot write {}: it is a folder", file));
}

void write_html_report(const std::string& file, const std::vector<ReportedRun>& runs) {
  check_html_report(file);
  const std::string text = html_report(runs, file_text(chart_library()));
  input::write_text(file, text);
}

std::string html_report(const std::vector<ReportedRun>& runs, const std::string& library) {
  Json data{{"version", version_text()}, {"runs", Json::array()}};
  for (const ReportedRun& run : runs)
    data["runs"].push_back({{"name", run.name},
                            {"document", run.document},
                            {"config", run.config_text},
                            {"energy", energy_of(run)},
                            {"measured", run.measured},
                            {"axes", run.axes},
                            {"sensitivity", sensitivity_of(run, runs)}});
  return html_page_of(title_of(runs), data,
                      {"theme.js", "charts.js", "axis_charts.js", "timeline.js", "network.js", "energy.js",
                       "accuracy.js", "operators.js", "runs.js", "sections.js"},
                      library);
}

std::string html_page_of(const std::string& title, const Json& data, const std::vector<std::string>& parts,
                         const std::string& library) {
  const std::map<std::string, std::string>& page = html_page();
  std::string program;
  for (const std::string& part : parts) program += page.at(part);
  return filled(page.at("page.html"), {{"title", html_text(title)},
                                       {"style", page.at("style.css")},
                                       {"library", script_text(library)},
                                       {"data", script_text(data)},
                                       {"program", script_text(program)}});
}

void write_html_page(const std::string& file, const std::string& title, const Json& data,
                     const std::vector<std::string>& parts) {
  check_html_report(file);
  input::write_text(file, html_page_of(title, data, parts, file_text(chart_library())));
}

std::string script_text(const std::string& program) {
  static const std::string kEnd = "</script";
  std::string result;
  for (std::size_t i = 0; i < program.size(); ++i) {
    std::size_t same = 0;
    while (same < kEnd.size() && i + same < program.size() &&
           std::tolower(static_cast<unsigned char>(program[i + same])) == kEnd[same])
      ++same;
    result += program[i];
    if (same == kEnd.size()) result += '\\';  // "<\/script" is the same string to the program
  }
  return result;
}

std::string script_text(const Json& document) {
  std::string result;
  for (const char c : printable_json(document).dump())
    if (c == '<') result += "\\u003c";  // occurs in strings only
    else result += c;
  return result;
}

std::string html_text(const std::string& text) {
  std::string result;
  for (const char c : input::printable_lines(text)) {
    switch (c) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace spica::report
