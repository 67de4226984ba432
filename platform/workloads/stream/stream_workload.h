// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/base/config/source.h"
#include "platform/workloads/stream/stream_file.h"
#include "platform/workloads/workload.h"

namespace spica::stream {
class StreamJob;
}

namespace spica::workloads {

/// The options of `spica stream`.
struct StreamOptions {
  std::string file;

  static constexpr std::string_view kFiles[] = {"file"};
  static constexpr std::string_view kRequired[] = {"file"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field("file", o.file, "streams of kernels, YAML (docs/howto/streams.md)");
  }
};

/// Kernels in streams, as described in a file.
class StreamWorkload final : public MachineWorkload {
 public:
  explicit StreamWorkload(Places places);
  ~StreamWorkload() override;

  config::Field options() override;
  std::string machine() const override;
  Dependencies depends_on(const std::function<soc::SocParams()>& machine) const override;
  void check_options() const override;

  void choose(job::JobOptions& job) override;
  void prepare(job::Job& job) override;
  void check(job::Job& job, const job::JobOutcome& outcome) override;
  Figures figures(job::Job& job, const job::JobOutcome& outcome) override;

  StreamOptions asked;

 private:
  config::Source source() const;

  Places places_;
  config::Source source_;  // as read by choose()
  std::unique_ptr<stream::StreamJob> streams_;
  std::size_t checks_ = 0;  // number of checks in the file
  bool is_checked_ = false;
  std::vector<std::string> wrong_;
};

}  // namespace spica::workloads
