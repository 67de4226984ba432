// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/csv.h"

namespace spica::report {

std::string csv_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace spica::report
