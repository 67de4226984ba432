// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/stream/stream_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "platform/base/input/file.h"
#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/memory_image.h"
#include "platform/observe/report/terminal.h"
#include "platform/workloads/stream/cluster_text.h"

namespace spica::stream {

namespace {

constexpr std::size_t kMostSteps = 1'000'000;  // of a stream, all repeats

const KernelEntry* entry_of(const StreamFile& file, const std::string& name) {
  for (const KernelEntry& entry : file.kernels)
    if (entry.name == name) return &entry;
  return nullptr;
}

const std::string& first_of(const std::string& a, const std::string& b) { return a.empty() ? b : a; }

std::string cycle_text(base::Cycle cycle) { return cycle == base::kNever ? "-" : text::grouped(cycle); }

}  // namespace

StreamJob::StreamJob(job::Job& job, StreamFile file, const config::Source& source)
    : job_(job), file_(std::move(file)) {
  for (std::size_t i = 0; i < file_.streams.size(); ++i) add_stream(i, source);
  plan_ = session::plan_streams(streams_, job.program(), job.params());
  job.run_streams(plan_);
}

void StreamJob::add_stream(std::size_t number, const config::Source& source) {
  const StreamEntry& entry = file_.streams[number];
  session::Stream stream{
      entry.name,
      {},
      parse_clusters(entry.clusters, job_.params().clusters,
                     config::place_of(source.root, fmt::format("streams.{}.clusters", number)).text())};
  std::vector<Origin> origins;
  std::vector<session::StreamStep> steps;
  for (std::size_t n = 0; n < entry.steps.size(); ++n) {
    const StepEntry& step = entry.steps[n];
    const std::string place =
        config::place_of(source.root, fmt::format("streams.{}.steps.{}", number, n)).text();
    const char* const what = !step.launch.empty() ? "launch" : !step.record.empty() ? "record" : "wait";
    const std::string name = input::printable(step.launch + step.record + step.wait);
    const session::StreamStep made = step_of(step, place);
    if (steps.size() + step.repeat > kMostSteps)
      throw input::UserError(
          fmt::format("{}: a stream has at most {} steps, repeats counted", place, kMostSteps));
    for (std::uint64_t i = 0; i < step.repeat; ++i) {
      steps.push_back(made);
      origins.push_back(
          {step.launch.empty() ? "" : input::printable(made.label), fmt::format("{} {}", what, name), place});
    }
  }
  if (steps.size() * entry.repeat > kMostSteps)
    throw input::UserError(fmt::format("stream '{}': a stream has at most {} steps, repeats counted",
                                       input::printable(entry.name), kMostSteps));
  origins_.emplace_back();
  for (std::uint64_t i = 0; i < entry.repeat; ++i) {
    stream.steps.insert(stream.steps.end(), steps.begin(), steps.end());
    origins_.back().insert(origins_.back().end(), origins.begin(), origins.end());
  }
  streams_.push_back(std::move(stream));
}

session::StreamStep StreamJob::step_of(const StepEntry& entry, const std::string& place) const {
  session::StreamStep step;
  step.event = entry.record + entry.wait;
  if (!entry.record.empty()) step.kind = session::StreamStep::Kind::kRecord;
  if (!entry.wait.empty()) step.kind = session::StreamStep::Kind::kWait;
  if (entry.launch.empty()) return step;
  static const KernelEntry none;
  const KernelEntry* const found = entry_of(file_, entry.launch);
  const KernelEntry& kernel = found != nullptr ? *found : none;
  step.kernel.kernel = first_of(kernel.kernel, entry.launch);
  step.kernel.grid = first_of(entry.grid, kernel.grid);
  step.kernel.block = first_of(entry.block, kernel.block);
  step.label = first_of(entry.name, entry.launch);
  step.argument_text = first_of(entry.args, kernel.args);
  try {
    const auto launch = session::grid_launch(step.kernel, job_.program(), job_.params());
    if (!step.argument_text.empty())
      step.arguments =
          loader::parse_arguments(step.argument_text, job_.sources(), "args", launch ? launch->entry : 0);
  } catch (const input::UserError& error) {
    throw input::UserError(fmt::format("{}: {}", place, error.what()));
  }
  return step;
}

/// Not those that kernels have put into other queues.
std::vector<protocol::KernelRun> StreamJob::own_runs() const {
  std::vector<protocol::KernelRun> runs = job_.kernel_runs();
  const auto foreign = [this](const protocol::KernelRun& run) {
    return run.queue >= streams_.size() || run.packet >= origins_[run.queue].size();
  };
  runs.erase(std::remove_if(runs.begin(), runs.end(), foreign), runs.end());
  return runs;
}

std::uint64_t StreamJob::groups_of(const protocol::KernelRun& run) const {
  return plan_.launches[run.queue][run.packet].of(run).groups;
}

std::string StreamJob::table(std::size_t most) const {
  std::size_t stream_width = 6, kernel_width = 6;
  const auto runs = own_runs();
  const auto origin = [this](const protocol::KernelRun& run) { return origins_[run.queue][run.packet]; };
  for (const protocol::KernelRun& run : runs) {
    stream_width = std::max(stream_width, streams_[run.queue].name.size());
    kernel_width = std::max(kernel_width, origin(run).kernel.size());
  }
  std::string text =
      fmt::format("  {:<{}}  {:<{}}  {:>8}  {:>12}  {:>12}  {:>12}  {:>12}\n", "stream", stream_width,
                  "kernel", kernel_width, "groups", "launched", "begun", "ended", "cycles");
  std::size_t shown = 0;
  for (const protocol::KernelRun& run : runs) {
    if (shown++ == most) break;
    text += fmt::format("  {:<{}}  {:<{}}  {:>8}  {:>12}  {:>12}  {:>12}  {:>12}\n",
                        input::printable(streams_[run.queue].name), stream_width, origin(run).kernel,
                        kernel_width, text::grouped(groups_of(run)), cycle_text(run.launched),
                        cycle_text(run.begun), cycle_text(run.ended),
                        run.ended == base::kNever ? "-" : text::grouped(run.ended - run.launched));
  }
  if (runs.size() > most)
    text += fmt::format("  ... and {} more; stats.json (--out) has all\n", runs.size() - most);
  return text;
}

std::string StreamJob::unfinished() const {
  std::string text;
  const auto states = job_.queue_states();
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const protocol::QueueState& state = states[i];
    if (state.written == state.read && state.running == 0) continue;
    text += fmt::format("  stream {}: {} of {} steps are done", input::printable(streams_[i].name),
                        state.read, state.written);
    if (state.running != 0)
      text += fmt::format(", {} kernel{} running", state.running, state.running == 1 ? " is" : "s are");
    if (state.read < state.written && state.read < origins_[i].size()) {
      const Origin& next = origins_[i][state.read];
      text += fmt::format("; next: {} ({})", next.text, next.place);
    }
    for (const std::uint32_t signal : state.waits) {
      const auto event = plan_.events.find(signal);
      if (event != plan_.events.end())
        text += fmt::format(", which has not occurred: {}", input::printable(event->second));
    }
    text += "\n";
  }
  return text;
}

std::vector<std::string> StreamJob::differences() {
  std::vector<std::string> found;
  for (const CheckEntry& check : file_.check) compare(check, found);
  return found;
}

void StreamJob::compare(const CheckEntry& check, std::vector<std::string>& found) {
  const std::vector<unsigned char> wanted = input::read_file(check.file);
  const loader::SaveImage image = loader::parse_save(
      fmt::format("{}@{}+{}", check.file, check.at, wanted.size()), job_.sources(), job_.memory());
  std::vector<unsigned char> is(wanted.size());
  job_.read(image.address, is.data(), is.size());
  const std::size_t step = check.tolerance > 0 ? sizeof(float) : 1;
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t at = 0; at + step <= is.size(); at += step) {
    bool equal = std::memcmp(&is[at], &wanted[at], step) == 0;
    std::string values = fmt::format("{:#04x} instead of {:#04x}", is[at], wanted[at]);
    if (check.tolerance > 0) {
      float a = 0, b = 0;
      std::memcpy(&a, &is[at], sizeof a);
      std::memcpy(&b, &wanted[at], sizeof b);
      equal |= std::abs(a - b) <= check.tolerance * std::max(1.0f, std::abs(b));
      values = fmt::format("{:g} instead of {:g}", a, b);
    }
    if (equal) continue;
    if (wrong++ == 0) first = fmt::format("the first one at byte {}: {}", at, values);
  }
  if (wrong != 0)
    found.push_back(fmt::format("{}: {} {} differ from {}, {}", check.at, wrong,
                                step == 1 ? "bytes" : "numbers", input::printable(check.file), first));
}

json::Value StreamJob::figures() const {
  json::Value result = json::Value::object();
  for (const session::Stream& stream : streams_)
    result[input::printable(stream.name)] = {
        {"kernels", 0}, {"cycles", 0}, {"launches", json::Value::array()}};
  for (const protocol::KernelRun& run : own_runs()) {
    json::Value& stream = result[input::printable(streams_[run.queue].name)];
    const auto number = [](base::Cycle cycle) {
      return cycle == base::kNever ? json::Value() : json::Value(cycle);
    };
    stream["launches"].push_back({{"kernel", origins_[run.queue][run.packet].kernel},
                                  {"groups", groups_of(run)},
                                  {"launched", number(run.launched)},
                                  {"begun", number(run.begun)},
                                  {"ended", number(run.ended)}});
    stream["kernels"] = stream["kernels"].get<std::uint64_t>() + 1;
    if (run.ended != base::kNever)
      stream["cycles"] = stream["cycles"].get<std::uint64_t>() + (run.ended - run.launched);
  }
  return result;
}

}  // namespace spica::stream
