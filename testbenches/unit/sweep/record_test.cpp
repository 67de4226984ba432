// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/run/record.h"
#include "platform/studies/sweep/store.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using namespace spica::sweep;
using Catch::Contains;

namespace {

Record good(char key = 'a', const std::string& values = "[1,0.5,\"x\",null]") {
  Record record;
  record.key = std::string(32, key);
  record.model = "m1";
  record.index = 17;
  record.state = State::kOk;
  record.columns = "0123456789abcdef";
  record.values = values;
  record.cpu_seconds = 0.25;
  return record;
}

void put(const testbench::TemporaryFolder& folder, const std::string& name, const std::string& text) {
  std::filesystem::create_directories(folder.path("records"));
  std::ofstream(folder.path("records/" + name), std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a record is read as it was written") {
  Record record = good();
  record.state = State::kFault;
  record.reason = "a \"reason\"\n\xff";
  const auto read = record_of(line_of(record));
  REQUIRE(read);
  CHECK(read->key == record.key);
  CHECK(read->index == 17);
  CHECK(read->state == State::kFault);
  CHECK(read->values == record.values);
  CHECK(read->reason == "a \"reason\"\n\xef\xbf\xbd");  // what is no UTF-8 is replaced
  CHECK(read->cpu_seconds == 0.25);
}

TEST_CASE("every state but ok and missing is without a result") {
  CHECK(recorded_states().size() == 9);
  for (const State state : recorded_states()) CHECK(state_of(state_name(state)) == state);
  const std::vector<State> without = states_without_result();
  CHECK(without.size() == 8);
  CHECK(std::find(without.begin(), without.end(), State::kOk) == without.end());
  CHECK(std::find(without.begin(), without.end(), State::kMissing) == without.end());
}

TEST_CASE("an answer that is cut anywhere is no row") {
  const std::string text = "finished\n[\"cycles\"]\n[7]\n[\"cycles\",\"end\"]\n";
  const auto row = job::row_of(text);
  REQUIRE(row);
  CHECK(row->end == "finished");
  CHECK(row->names == "[\"cycles\"]");
  CHECK(row->values == "[7]");
  for (std::size_t i = 0; i < text.size(); ++i) CHECK_FALSE(job::row_of(text.substr(0, i)));
}

TEST_CASE("names and values of a record are stored as they came, and read by name") {
  const testbench::TemporaryFolder folder;
  ColumnNames columns(folder.path(""));
  Record record = good();
  record.columns = columns.put(R"(["a","b","c","d"])");
  CHECK(columns.put(std::vector<std::string>{"a", "b", "c", "d"}) == record.columns);
  const json::Value values = values_of(record, columns);
  CHECK(values.at("a") == 1);
  CHECK(values.at("c") == "x");
  CHECK(values.at("d").is_null());
  record.values = "[1]";
  CHECK(values_of(record, columns).is_null());
}

TEST_CASE("a record of a version before the schema is read") {
  std::string line = line_of(good());
  const std::string schema = R"("schema":"spica-record-1")";
  line.replace(line.find(schema), schema.size(), R"("v":1)");
  const std::string body = line.substr(0, line.find(R"(,"crc")"));
  boost::crc_32_type crc;
  crc.process_bytes(body.data(), body.size());
  const auto read = record_of(fmt::format(R"({},"crc":"{:08x}"}})", body, crc.checksum()));
  REQUIRE(read);
  CHECK(read->values == good().values);
}

TEST_CASE("a record with any byte changed, or cut anywhere, is none") {
  const std::string line = line_of(good());
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::string changed = line;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    CHECK_FALSE(record_of(changed));
    CHECK_FALSE(record_of(line.substr(0, i)));
  }
}

TEST_CASE("damaged, doubled and foreign lines never make a wrong row") {
  const testbench::TemporaryFolder folder;
  Record other = good('b');
  other.model = "m0";
  const std::string line = line_of(good());
  put(folder, "1.jsonl", line + "\n" + line + "\nrubbish\n\n" + line_of(other) + "\n");
  put(folder, "2.jsonl",
      line_of(good('c')) + "\n" + line_of(good('d')));  // no line end: not written to its end
  put(folder, "3.txt", line_of(good('e')) + "\n");
  const Records records(folder.root(), "m1");
  CHECK(records.size() == 2);
  CHECK(records.damaged() == 3);
  CHECK(records.of_other_models() == std::map<std::string, std::uint64_t>{{"m0", 1}});
  CHECK(records.state(std::string(32, 'a')) == State::kOk);
  CHECK(records.state(std::string(32, 'd')) == State::kMissing);
  CHECK(records.find(std::string(32, 'c'))->values == "[1,0.5,\"x\",null]");
}

TEST_CASE("two different results of one run are an error with both of them") {
  const testbench::TemporaryFolder folder;
  put(folder, "1.jsonl", line_of(good('a', "[1]")) + "\n" + line_of(good('a', "[2]")) + "\n");
  CHECK_THROWS_WITH(Records(folder.root(), "m1"),
                    Contains("two different results") && Contains("[1]") && Contains("[2]"));
}

TEST_CASE("what a host did to a run gives way to a result, in any order") {
  Record timeout = good();
  timeout.state = State::kTimeout;
  for (const bool first : {false, true}) {
    const testbench::TemporaryFolder folder;
    put(folder, "1.jsonl",
        line_of(first ? timeout : good()) + "\n" + line_of(first ? good() : timeout) + "\n");
    CHECK(Records(folder.root(), "m1").state(std::string(32, 'a')) == State::kOk);
  }
}

TEST_CASE("a writer has a file of its own, and none when it wrote nothing") {
  const testbench::TemporaryFolder folder;
  {
    const RecordWriter nothing(folder.root(), "0of1");
  }
  CHECK(std::filesystem::is_empty(folder.path("records")));
  {
    RecordWriter one(folder.root(), "0of1"), other(folder.root(), "0of1");
    one.write(good('a'));
    other.write(good('b'));
  }
  CHECK(Records(folder.root(), "m1").size() == 2);
}
