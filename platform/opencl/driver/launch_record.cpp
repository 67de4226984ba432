// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/launch_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "platform/opencl/driver/queue.h"

namespace spica::opencl {

namespace {

std::string text_of(const std::array<std::uint32_t, 3>& sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" + std::to_string(sizes[2]);
}

/// Appended by one call each, so processes and threads may share the file. Never closed: it serves to the
/// end.
int record_file() {
  static const int file = [] {
    const char* path = std::getenv("SPICA_OPENCL_RECORD");
    return path == nullptr ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  }();
  return file;
}

}  // namespace

void record_launch(const _cl_event& event, const Completion& completion) {
  const int file = record_file();
  if (file < 0) return;
  const Launch& launch = std::get<KernelWork>(event.work.action).launch;
  std::array<std::uint32_t, 3> global{};
  for (std::size_t axis = 0; axis < 3; ++axis) global[axis] = launch.groups[axis] * launch.local[axis];
  const std::string line = launch.kernel + "\t" + text_of(global) + "\t" + text_of(launch.local) + "\t" +
                           std::to_string(completion.cycles) + "\t" + std::to_string(completion.begin_ns) +
                           "\t" + std::to_string(completion.end_ns) + "\n";
  if (write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    report_error("cannot write the file in SPICA_OPENCL_RECORD");
}

}  // namespace spica::opencl
