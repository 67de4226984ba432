// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "platform/workloads/attention/attention_workload.h"
#include "platform/workloads/concurrent/concurrent_workload.h"
#include "platform/workloads/gemm/gemm_workload.h"
#include "platform/workloads/network_run/network_workload.h"
#include "platform/workloads/opencl_run/opencl_workload.h"
#include "platform/workloads/program/program_workload.h"
#include "platform/workloads/stream/stream_workload.h"
#include "platform/workloads/workload.h"

namespace spica::workloads {

namespace {

template <class W>
std::unique_ptr<Workload> make(const Places& places) {
  return std::make_unique<W>(places);
}

constexpr const char
    *kNoCheckpoint = "a checkpoint has the machine, not the host program",
    *kNoProfile =
        "programs come and go, so addresses do not name instructions; --report shows where time "
        "went";
const SupportedOptions kOpenClOptions{{"set", "divergence", "mode", "check", "trace", "energy", "only_used",
                                       "power", "out", "record", "record_form", "keep", "report", "quiet"},
                                      {{"checkpoint", kNoCheckpoint},
                                       {"checkpoint_dir", kNoCheckpoint},
                                       {"from", kNoCheckpoint},
                                       {"profile", kNoProfile}}};

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"gemm", "run and check a matrix product C = A * B", make<GemmWorkload>, false, {}, {}, true},
      {"attention",
       "run and check flash attention, O = softmax(Q K^T / sqrt(d)) V",
       make<AttentionWorkload>,
       false,
       {},
       {},
       true},
      {"run",
       "run an ELF program on a configuration",
       make<ProgramWorkload>,
       true,
       {"config", "elf"},
       {},
       true},
      {"stream",
       "run kernels in concurrent streams with events between them",
       make<StreamWorkload>,
       true,
       {"file"},
       "a stream file has a machine and parameters of its own, which no axis changes",
       true},
      {"concurrent",
       "run matrix products concurrently, each in its own stream",
       make<ConcurrentWorkload>,
       false,
       {},
       {},
       true},
      {"network",
       "run and check a neural network (ONNX), operator by operator",
       make<NetworkWorkload>,
       false,
       {"model"},
       {},
       true},
      {"opencl",
       "run an OpenCL program on a machine: spica opencl PROGRAM ARGUMENTS",
       make<OpenClWorkload>,
       true,
       {"program", "args"},
       {},
       false,
       true,
       &kOpenClOptions}};
  return all;
}

const Kind& kind(std::string_view name) {
  for (const Kind& one : kinds())
    if (one.name == name) return one;
  throw std::logic_error("no kind of workload: " + std::string(name));
}

bool Kind::supports(std::string_view option) const {
  return supported == nullptr ||
         std::find(supported->names.begin(), supported->names.end(), option) != supported->names.end();
}

config::Field* find_option(config::Field& options, std::string_view name) {
  for (config::Field& field : options.children)
    if (field.name == name) return &field;
  return nullptr;
}

void set_option(Workload& workload, std::string_view name, const config::Value& value) {
  config::Field options = workload.options();
  if (config::Field* const option = find_option(options, name)) option->set(value);
}

}  // namespace spica::workloads
