// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "platform/base/json/value.h"

namespace spica::sweep {

/// How a run ended.
enum class State : std::uint8_t {
  kOk,       // finished, the result is right
  kWrong,    // finished, the result is wrong, or the program reports it as wrong
  kRefused,  // this combination cannot be built
  kFault,    // the program did something that is not possible
  kHang,     // it waits for ever
  kCycles,   // run.max_cycles reached
  kTimeout,  // limits.seconds reached
  kMemory,   // limits.memory_mib reached, or the host had no more
  kCrash,    // ended by a signal, or an internal error
  kMissing,  // no record
};
const char* state_name(State state);
std::optional<State> state_of(std::string_view name);
/// A state that is not a result: something needs attention.
bool is_failure(State state);

/// One run as one line of a file of records.
struct Record {
  std::string key, model;
  std::uint64_t index = 0;  // of the point in the plan that ran it
  State state = State::kMissing;
  std::string columns;  // hash of the names of the values
  std::string values;   // a JSON array
  std::string reason;   // of a state that is not good
  double cpu_seconds = 0, wall_seconds = 0, megabytes = 0;

  /// The part that two runs of one thing must have in common.
  std::string result() const;
};

/// {"schema":"spica-record-1","k":key,"i":index,"m":model,"s":state,"c":columns,"x":values,"r":reason,"t":{...},
/// "crc":"..."} in one line without a line end; the CRC-32 is that of everything before `,"crc"`.
std::string line_of(const Record& record);
/// Nothing: it is not a whole record.
std::optional<Record> record_of(std::string_view line);

}  // namespace spica::sweep
