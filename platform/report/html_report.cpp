// SPDX-License-Identifier: Apache-2.0
#include "platform/report/html_report.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <map>

#include "platform/loader/file.h"
#include "platform/loader/user_error.h"
#include "platform/report/html_page.h"
#include "platform/report/provenance.h"

namespace spica::report {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

std::string file_text(const fs::path& path) {
  const std::vector<unsigned char> bytes = loader::read_file(path.string());
  return {bytes.begin(), bytes.end()};
}

Json file_json(const fs::path& path) {
  Json document = Json::parse(file_text(path), nullptr, false);
  if (document.is_discarded() || !document.is_object())
    throw loader::UserError(fmt::format("{} is not a JSON document of Spica", path.string()));
  return document;
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

std::string title_of(const std::vector<ReportedRun>& runs) {
  std::string title = "Spica report:";
  for (const ReportedRun& run : runs) title += (&run == &runs.front() ? " " : ", ") + run.name;
  return title;
}

}  // namespace

ReportedRun read_run(const std::string& folder) {
  const fs::path path(folder);
  if (!fs::exists(path / "stats.json"))
    throw loader::UserError(fmt::format("{} has no stats.json; a folder that --out wrote is expected", folder));
  ReportedRun run;
  run.name = path.filename().empty() ? path.parent_path().filename().string() : path.filename().string();
  run.document = file_json(path / "stats.json");
  if (!run.document.contains("stats") || !run.document.contains("cycles"))
    throw loader::UserError(fmt::format("{} holds no statistics of a run", (path / "stats.json").string()));
  if (fs::exists(path / "config.yaml")) run.config_text = file_text(path / "config.yaml");
  if (fs::exists(path / "energy.json")) run.energy = file_json(path / "energy.json");
  return run;
}

std::string chart_library() { return SPICA_CHART_JS; }

void check_html_report(const std::string& file, const std::string& library) {
  if (!fs::exists(library))
    throw loader::UserError(fmt::format("reports need the chart library {}, which is not installed: apt-get install "
                                        "--no-install-recommends libjs-chart.js",
                                        library));
  const fs::path folder = fs::path(file).parent_path();
  if (!folder.empty() && !fs::is_directory(folder))
    throw loader::UserError(fmt::format("cannot write {}: there is no folder {}", file, folder.string()));
  if (fs::is_directory(file)) throw loader::UserError(fmt::format("cannot write {}: it is a folder", file));
}

void write_html_report(const std::string& file, const std::vector<ReportedRun>& runs) {
  check_html_report(file);
  const std::string text = html_report(runs, file_text(chart_library()));
  loader::write_file(file, {text.begin(), text.end()});
}

std::string html_report(const std::vector<ReportedRun>& runs, const std::string& library) {
  const std::map<std::string, std::string>& page = html_page();
  Json data{{"version", version_text()}, {"runs", Json::array()}};
  for (const ReportedRun& run : runs)
    data["runs"].push_back(
        {{"name", run.name},
         {"document", run.document},
         {"config", run.config_text},
         {"energy", run.energy.is_null() ? run.document.value("energy", Json()) : run.energy}});
  std::string program;
  for (const char* part : {"theme.js", "charts.js", "timeline.js", "energy.js", "sections.js"})
    program += page.at(part);
  return filled(page.at("page.html"), {{"title", html_text(title_of(runs))},
                                       {"style", page.at("style.css")},
                                       {"library", script_text(library)},
                                       {"data", script_text(data)},
                                       {"program", script_text(program)}});
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
  for (const char c : document.dump(-1, ' ', false, Json::error_handler_t::replace))
    if (c == '<') result += "\\u003c";  // stands in strings only
    else result += c;
  return result;
}

std::string html_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
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
