// SPDX-License-Identifier: Apache-2.0
// Kernels of queues: a thread for each queue.
#include <fmt/format.h>

#include <utility>

#include "platform/observe/trace/format.h"
#include "platform/observe/trace/perfetto_writer.h"

namespace spica::trace {

namespace {

constexpr unsigned kStreamProcess = 950;
constexpr unsigned kThreads = 64;  // of a queue: kernels of one that run at the same time

std::string member(const char* name, const std::string& text) {
  return text.empty() ? "" : fmt::format("\"{}\":\"{}\",", name, json_escaped(text));
}

std::string member(const char* name, base::Cycle cycle) {
  return cycle == base::kNever ? "" : fmt::format("\"{}\":{},", name, cycle);
}

}  // namespace

/// The first thread of its queue on which no kernel runs.
unsigned PerfettoWriter::free_thread(const protocol::KernelRun& run) {
  const unsigned first = run.queue * kThreads;
  unsigned thread = first;
  while (!taken_.insert({kStreamProcess, thread}).second) ++thread;
  if (!std::exchange(streams_named_, true)) name_process(kStreamProcess, "streams");
  if (named_.insert({kStreamProcess, thread}).second) {
    std::string name = context_.kernel_text ? context_.kernel_text(run).stream : "";
    if (name.empty()) name = fmt::format("queue {}", run.queue);
    name_thread(kStreamProcess, thread,
                thread == first ? name : fmt::format("{} ({})", name, thread - first + 1));
  }
  return thread;
}

void PerfettoWriter::on_kernel_launch(base::Cycle cycle, unsigned, std::uint32_t kernel,
                                      const protocol::KernelRun& run) {
  kernels_.insert_or_assign(kernel, Kernel{cycle, run, free_thread(run)});
}

/// One that was launched before the checkpoint from which the run resumes also has its slice.
void PerfettoWriter::on_kernel_end(base::Cycle cycle, unsigned, std::uint32_t kernel,
                                   const protocol::KernelRun& run) {
  auto found = kernels_.find(kernel);
  if (found == kernels_.end()) found = kernels_.insert({kernel, {run.launched, run, free_thread(run)}}).first;
  found->second.run = run;
  close_kernel(found->second, cycle);
  taken_.erase({kStreamProcess, found->second.thread});
  kernels_.erase(found);
}

void PerfettoWriter::close_kernel(const Kernel& kernel, base::Cycle cycle) {
  if (cycle <= kernel.from) return;
  const protocol::KernelRun& run = kernel.run;
  const KernelText text = context_.kernel_text ? context_.kernel_text(run) : KernelText{};
  const std::string name = text.name.empty() ? fmt::format("packet {}", run.packet) : text.name;
  std::string arguments = member("kernel", text.kernel) + member("grid", text.grid) +
                          member("args", text.arguments) + member("launched", run.launched) +
                          member("begun", run.begun) + member("ended", run.ended);
  if (run.degree != 0) arguments += fmt::format("\"products at once\":{},", run.degree);
  file_.add(
      ",\n{{\"ph\":\"X\",\"cat\":\"kernel\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\",\"args\":{{{}"
      "\"queue\":{},\"packet\":{}}}}}",
      kStreamProcess, kernel.thread, us(kernel.from), us(cycle - kernel.from), json_escaped(name), arguments,
      run.queue, run.packet);
}

}  // namespace spica::trace
