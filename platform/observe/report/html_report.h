// SPDX-License-Identifier: Apache-2.0
// One HTML file with charts of one or several runs. It loads nothing: page, chart library and data are inside.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::report {

/// What a report shows of one run.
struct ReportedRun {
  std::string name;  // above its column
  json::Value document;  // stats.json
  std::string config_text;  // config.yaml
  json::Value energy;  // energy.json; null: the document's "energy", if any
  /// What the program measured, with "histogram" if it left samples; null: nothing (spica experiment).
  json::Value measured = {};
  /// Labels of the axes of the sweep that it is a point of, by name; null: of none.
  json::Value axes = {};
  /// Index of the run whose energy this one's is divided by.
  std::optional<std::size_t> compared_with = {};
};

/// A run from the folder that --out wrote: stats.json, config.yaml, and energy.json when there is one. Throws
/// UserError when it is no such folder, or what is in the files is not what --out writes.
ReportedRun read_run(const std::string& folder);

/// Where the Debian package puts Chart.js, or where CMake was configured to find it.
std::string chart_library();

/// Throws UserError when a report could not be written to `file`: chart library not installed, folder missing.
/// To be called before a long run.
void check_html_report(const std::string& file, const std::string& library = chart_library());

/// Throws UserError.
void write_html_report(const std::string& file, const std::vector<ReportedRun>& runs);

/// The page around the data. `library` is the text of Chart.js.
std::string html_report(const std::vector<ReportedRun>& runs, const std::string& library);

/// A page of other data, whose program is made of `parts`, files of platform/observe/report/html. The first one reads
/// the data.
std::string html_page_of(const std::string& title, const json::Value& data,
                         const std::vector<std::string>& parts, const std::string& library);
/// The same as a file. Throws UserError.
void write_html_page(const std::string& file, const std::string& title, const json::Value& data,
                     const std::vector<std::string>& parts);

/// Text of a program as it can be put into a <script> element: a browser would end the element at any "</script",
/// be it in a string.
std::string script_text(const std::string& program);
/// A document as it can be put into a <script> element: no '<' in it.
std::string script_text(const json::Value& document);
/// Text as it can be put into an element or an attribute of HTML or XML, printable.
std::string html_text(const std::string& text);

}  // namespace spica::report
