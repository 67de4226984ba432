// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/base/json/value.h"
#include "platform/machine/session/streams.h"
#include "platform/run/job.h"
#include "platform/workloads/stream/stream_file.h"

namespace spica::stream {

/// Runs a stream file on a machine: creates its streams, runs them, checks memory, reports the times of the kernels.
class StreamJob {
 public:
  /// `job`: of the file's program, with grid_later; must outlive this. Throws ConfigError and UserError.
  StreamJob(job::Job& job, StreamFile file, const config::Source& source);

  /// A table of at most `most` kernels in launch order, and the sums of each stream.
  std::string table(std::size_t most) const;
  /// The position of each stream that has not ended, and what it waits for; "": all have ended.
  std::string unfinished() const;
  /// Compares memory after the run with the file; returns the differences, one line each.
  std::vector<std::string> differences();
  /// {streams: {NAME: {kernels, cycles, launches: [...]}}} for stats.json.
  json::Value figures() const;

 private:
  /// The origin of a step of a stream.
  struct Origin {
    std::string kernel;  // name in the file; empty: not a launch
    std::string text;  // "launch scale", "wait done"
    std::string place;  // "streams.yaml:14"
  };

  std::vector<protocol::KernelRun> own_runs() const;
  std::uint64_t groups_of(const protocol::KernelRun& run) const;
  void add_stream(std::size_t number, const config::Source& source);
  session::StreamStep step_of(const StepEntry& entry, const std::string& place) const;
  void compare(const CheckEntry& check, std::vector<std::string>& found);

  job::Job& job_;
  const StreamFile file_;
  std::vector<session::Stream> streams_;
  std::vector<std::vector<Origin>> origins_;  // by stream and step
  session::StreamPlan plan_;
};

}  // namespace spica::stream
