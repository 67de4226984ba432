// SPDX-License-Identifier: Apache-2.0
// One HTML file with charts of one or several runs. Self-contained: page, chart library and data are embedded.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::report {

/// The data of one run in a report.
struct ReportedRun {
  std::string name;  // title of its column
  json::Value document;  // stats.json
  std::string config_text;  // config.yaml
  json::Value energy;  // energy.json; null: "energy" of the document, if any
  /// The program's own measurements, with "histogram" if it left samples; null: none (spica experiment).
  json::Value measured = {};
  /// For a point of a sweep: labels of the axes, by name; null: not part of a sweep.
  json::Value axes = {};
  /// Index of the run that this one's energy is divided by.
  std::optional<std::size_t> compared_with = {};
};

/// Reads a run from a folder written with --out: stats.json, config.yaml, and energy.json if present. Throws UserError
/// if the folder or its files are not output of --out.
ReportedRun read_run(const std::string& folder);

/// The path of Chart.js in its Debian package, or the path given to CMake.
std::string chart_library();

/// Throws UserError if a report cannot be written to `file`: chart library not installed, folder missing. Call before a
/// long run.
void check_html_report(const std::string& file, const std::string& library = chart_library());

/// Throws UserError.
void write_html_report(const std::string& file, const std::vector<ReportedRun>& runs);

/// The page with its data. `library`: text of Chart.js.
std::string html_report(const std::vector<ReportedRun>& runs, const std::string& library);

/// A page for other data, with a program consisting of `parts`, files of platform/observe/report/html. The first part
/// reads the data.
std::string html_page_of(const std::string& title, const json::Value& data,
                         const std::vector<std::string>& parts, const std::string& library);
/// Writes it to a file. Throws UserError.
void write_html_page(const std::string& file, const std::string& title, const json::Value& data,
                     const std::vector<std::string>& parts);

/// Escapes a program for a <script> element: a browser ends the element at any "</script", even in a string.
std::string script_text(const std::string& program);
/// Escapes a document for a <script> element: no '<' in it.
std::string script_text(const json::Value& document);
/// Escapes text for an element or attribute of HTML or XML, without control characters.
std::string html_text(const std::string& text);

}  // namespace spica::report
