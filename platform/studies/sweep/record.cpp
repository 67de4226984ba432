// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <nlohmann/json.hpp>

#include "platform/base/json/parse.h"

namespace spica::sweep {

namespace {

constexpr const char* kNames[] = {"ok",     "wrong",   "refused", "fault", "hang",
                                  "cycles", "timeout", "memory",  "crash", "missing"};
constexpr const char* kSchema = "spica-record-1";
constexpr std::string_view kCrc = ",\"crc\":\"";

std::uint32_t crc_of(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return crc.checksum();
}

}  // namespace

const char* state_name(State state) { return kNames[static_cast<std::size_t>(state)]; }

std::optional<State> state_of(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<State>(i);
  return std::nullopt;
}

bool is_failure(State state) { return state != State::kOk && state != State::kRefused; }

const std::vector<State>& recorded_states() {
  static const std::vector<State> all = [] {
    std::vector<State> states;
    for (std::size_t i = 0; i < static_cast<std::size_t>(State::kMissing); ++i)
      states.push_back(static_cast<State>(i));
    return states;
  }();
  return all;
}

std::vector<State> states_without_result() {
  std::vector<State> states = recorded_states();
  states.erase(std::find(states.begin(), states.end(), State::kOk));
  return states;
}

std::string Record::result() const {
  return fmt::format("{} {} {} {}", state_name(state), columns, values, reason);
}

std::string line_of(const Record& record) {
  const json::Value reason = record.reason.empty() ? json::Value() : json::Value(record.reason);
  std::string line = fmt::format(
      R"({{"schema":"{}","k":"{}","i":{},"m":"{}","s":"{}","c":"{}","x":{},"r":{},"t":{{"cpu":{:.6f},"wall":{:.6f},"mb":{:.1f}}})",
      kSchema, record.key, record.index, record.model, state_name(record.state), record.columns,
      record.values.empty() ? "[]" : record.values,
      reason.dump(-1, ' ', false, json::Value::error_handler_t::replace), record.cpu_seconds,
      record.wall_seconds, record.megabytes);
  return line + std::string(kCrc) + fmt::format("{:08x}\"}}", crc_of(line));
}

std::optional<Record> record_of(std::string_view line) try {
  constexpr std::size_t kEnd = kCrc.size() + 8 + 2;
  if (line.size() < kEnd || line.substr(line.size() - kEnd, kCrc.size()) != kCrc) return std::nullopt;
  const std::string_view body = line.substr(0, line.size() - kEnd);
  if (line.substr(line.size() - 10) != fmt::format("{:08x}\"}}", crc_of(body))) return std::nullopt;
  const auto document = json::parse(std::string(body) + "}");
  if (!document) return std::nullopt;
  if (document->contains("v") ? document->at("v") != 1 : document->value("schema", "") != kSchema)
    return std::nullopt;  // "v": of versions before the schema
  Record record;
  record.key = document->value("k", "");
  record.model = document->value("m", "");
  record.index = document->value("i", std::uint64_t{0});
  const auto state = state_of(document->value("s", ""));
  if (!state || record.key.size() != 32) return std::nullopt;
  record.state = *state;
  record.columns = document->value("c", "");
  record.values = document->at("x").dump();
  if (document->at("r").is_string()) record.reason = document->at("r").get<std::string>();
  const json::Value& host = document->at("t");
  record.cpu_seconds = host.value("cpu", 0.0);
  record.wall_seconds = host.value("wall", 0.0);
  record.megabytes = host.value("mb", 0.0);
  if (!document->at("x").is_array()) return std::nullopt;
  return record;
} catch (const json::Value::exception&) {  // a value is missing or has another type
  return std::nullopt;
}

}  // namespace spica::sweep
