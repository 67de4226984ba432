// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/base/json/value.h"
#include "platform/machine/session/streams.h"
#include "platform/run/job.h"
#include "platform/workloads/stream/stream_file.h"

namespace spica::stream {

/// A stream file on a machine: makes its streams, runs them, checks memory, says when each kernel ran.
class StreamJob {
 public:
  /// `job`: of the file's program, with grid_later; it must outlive this. Throws ConfigError and UserError.
  StreamJob(job::Job& job, StreamFile file, const config::Source& source);

  /// A table of the kernels in the order of their launches, at most `most` of them, and the sums of each stream.
  std::string table(std::size_t most) const;
  /// The place of each stream that has not ended, and what it waits for; "": all have.
  std::string unfinished() const;
  /// The memory after the run is what the file says; otherwise what is not, a line each.
  std::vector<std::string> differences();
  /// {streams: {NAME: {kernels, cycles, launches: [...]}}} for stats.json.
  json::Value figures() const;

 private:
  /// Where a step of a stream comes from.
  struct Origin {
    std::string kernel;  // as the file calls it; empty: no launch
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
