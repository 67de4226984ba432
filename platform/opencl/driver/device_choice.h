// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spica::opencl {

/// The configuration of a device.
struct DeviceChoice {
  std::string configuration = "virgo";  // a shipped one by name, or a YAML file
  std::vector<std::string> settings;  // "run.mode=fast", "cluster.cores=2"
  std::vector<std::string> checks;  // "hazards", "memory"
  std::vector<std::string> traces;  // files
  bool energy = false;
  std::string out, report;  // folder of results, and page; empty: none
  std::uint64_t debugged_launch = 0;  // the launch that waits for gdb, from 1; 0: none
};

/// Reads the environment variable SPICA_OPENCL: devices separated by commas, each a configuration followed by
/// ":mode=fast|cycle", ":set=key=value", ":check=hazards|memory", ":energy", ":trace=FILE", ":out=FOLDER",
/// ":report=FILE" and ":gdb=LAUNCH". A backslash keeps the character after it. The default mode is
/// fast. An empty text is one device, virgo. Throws std::invalid_argument with all errors.
std::vector<DeviceChoice> device_choices(const std::string& text);

}  // namespace spica::opencl
