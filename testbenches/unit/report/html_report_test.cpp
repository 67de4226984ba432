// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/html_report.h"
#include "platform/base/json/parse.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using report::script_text;
using Json = json::Value;

namespace {

/// A folder that goes away with the test.
struct Folder {
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
  testbench::TemporaryFolder folder;
  std::filesystem::path path = folder.root();
};

report::ReportedRun run_called(const std::string& name) {
  return {name, Json{{"cycles", 1}, {"stats", Json::object()}}, "clock_mhz: 400\n", nullptr};
}

}  // namespace

TEST_CASE("the end of a script element in a program is broken up, whatever its case") {
  CHECK(script_text(std::string("a('</script>'+\"</SCRIPT >\")")) == "a('<\\/script>'+\"<\\/SCRIPT >\")");
  CHECK(script_text(std::string("a < b; '</scrip'; x</y/.test(z)")) == "a < b; '</scrip'; x</y/.test(z)");
  CHECK(script_text(std::string("</scrip</script")) == "</scrip<\\/script");
}

TEST_CASE("a document in a script element has no less-than sign and stays the same document") {
  const Json document{{"a</script><!--", "<b>"}, {"n", 1}};
  const std::string text = script_text(document);
  CHECK(text.find('<') == std::string::npos);
  CHECK(json::parse(text).value() == document);
}

TEST_CASE("text that is not UTF-8 does not stop a report") {
  CHECK(script_text(Json("a\xFF")) == "\"a\\\\xff\"");
}

TEST_CASE("text in an element has no marks of HTML") {
  CHECK(report::html_text("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

TEST_CASE("a page holds its library, its runs and nothing from elsewhere") {
  const std::string page =
      report::html_report({run_called("one <1>"), run_called("two {{style}}")}, "library_text();");
  CHECK(page.find("library_text();") != std::string::npos);
  CHECK(page.find("<title>Spica report: one &lt;1&gt;, two {{style}}</title>") != std::string::npos);
  CHECK(page.find("{\"name\":\"one \\u003c1>\"") != std::string::npos);
  for (const char* load : {"http:", "https:", "src=", "@import", "url("}) {
    INFO(load);
    CHECK(page.find(load) == std::string::npos);
  }
}

TEST_CASE("a run is read from the folder that --out wrote, energy when there is some") {
  const Folder folder;
  folder.write("stats.json", R"({"cycles": 7, "stats": {}})");
  folder.write("config.yaml", "clusters: 1\n");
  const std::string path = folder.path.string();
  const report::ReportedRun run = report::read_run(path + "/");
  CHECK(run.name == folder.path.filename().string());
  CHECK(run.document["cycles"] == 7);
  CHECK(run.config_text == "clusters: 1\n");
  CHECK(run.energy.is_null());
  folder.write("energy.json", R"({"window": {}})");
  CHECK(report::read_run(path).energy.contains("window"));
}

TEST_CASE("a folder without a run is a user error") {
  const Folder folder;
  const std::string path = folder.path.string();
  CHECK_THROWS_AS(report::read_run(path), input::UserError);
  folder.write("stats.json", "{");
  CHECK_THROWS_AS(report::read_run(path), input::UserError);
  folder.write("stats.json", "{}");
  CHECK_THROWS_AS(report::read_run(path), input::UserError);
}

TEST_CASE("without the chart library a report is refused with the package to install") {
  const Folder folder;
  const std::string file = (folder.path / "out.html").string();
  CHECK_THROWS_WITH(report::check_html_report(file, (folder.path / "chart.min.js").string()),
                    Catch::Contains("libjs-chart.js"));
  folder.write("chart.min.js", "");
  CHECK_NOTHROW(report::check_html_report(file, (folder.path / "chart.min.js").string()));
}
