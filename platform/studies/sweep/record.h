// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/json/value.h"

namespace spica::sweep {

/// The outcome of a run.
enum class State : std::uint8_t {
  kOk,       // finished, the result is right
  kWrong,    // finished, but the result is wrong, or reported as wrong by the program
  kRefused,  // this combination cannot be built
  kFault,    // the program executed something invalid
  kHang,     // the program waits forever
  kCycles,   // run.max_cycles reached
  kTimeout,  // limits.seconds reached
  kMemory,   // limits.memory_mib reached, or the host is out of memory
  kCrash,    // ended by a signal, or by an internal error
  kMissing,  // no record
};
const char* state_name(State state);
std::optional<State> state_of(std::string_view name);
/// True for a state that is not a result and needs attention.
bool is_failure(State state);

/// The states that a run can end in, without kMissing, in order.
const std::vector<State>& recorded_states();
/// Those without a right result.
std::vector<State> states_without_result();

/// One run, as one line of a file of records.
struct Record {
  std::string key, model;
  std::uint64_t index = 0;  // of the point, in the plan that ran it
  State state = State::kMissing;
  std::string columns;  // hash of the names of the values
  std::string values;   // a JSON array
  std::string reason;   // for a state that is not good
  double cpu_seconds = 0, wall_seconds = 0, megabytes = 0;

  /// The part that must be equal in two runs of the same point.
  std::string result() const;
};

/// {"schema":"spica-record-1","k":key,"i":index,"m":model,"s":state,"c":columns,"x":values,"r":reason,"t":{...},
/// "crc":"..."} on one line without a newline; the CRC-32 covers everything before `,"crc"`.
std::string line_of(const Record& record);
/// Empty: not a complete record.
std::optional<Record> record_of(std::string_view line);

}  // namespace spica::sweep
