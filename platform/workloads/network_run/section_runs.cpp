// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/section_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <set>
#include <sstream>

#include "models/base/checkpoint.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/run/forked.h"
#include "platform/run/job.h"
#include "platform/workloads/network_run/network_job.h"

namespace spica::network {

namespace {

struct PackedTensor {
  std::uint64_t tensor = 0;
  ElementType type = ElementType::kUnknown;
  Extents extents;
  std::string bytes;
};

/// What a child returns.
struct Packed {
  std::vector<PackedTensor> tensors, reference;
  std::map<std::size_t, Difference> differences;
};

PackedTensor packed(std::size_t tensor, const Constant& values) {
  return {tensor, values.type, values.extents,
          std::string(reinterpret_cast<const char*>(values.data), values.bytes())};
}

std::map<std::size_t, Constant> unpacked(std::vector<PackedTensor>&& all) {
  std::map<std::size_t, Constant> tensors;
  for (PackedTensor& one : all) {
    const auto bytes = std::make_shared<std::string>(std::move(one.bytes));
    tensors[one.tensor] = {one.type, std::move(one.extents),
                           reinterpret_cast<const unsigned char*>(bytes->data()), bytes};
  }
  return tensors;
}

/// The tensors that operators from `begin` on, and outputs, use.
std::set<std::size_t> used_from(const Network& network, std::size_t begin) {
  std::set<std::size_t> used;
  for (std::size_t i = begin; i < network.operators.size(); ++i)
    for (const Operand& input : network.operators[i].inputs) used.insert(input.tensor);
  for (const Port& port : network.outputs) used.insert(port.operand.tensor);
  return used;
}

/// In the child.
Packed run_section(const job::JobOptions& options, const std::filesystem::path& configs,
                   const Network& network, const KernelPlan& kernels,
                   const std::map<std::size_t, Constant>& given, const SectionResults& before,
                   const OperatorRange& section) {
  dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);  // notes on the machine come from the run itself
  job::Job job(options, configs);
  NetworkJob work(job, network, kernels, given, {section});
  if (const job::JobOutcome& outcome = job.run(); !outcome.good())
    throw input::UserError(
        fmt::format("{}: operators {} to {} did not end in the fast mode; --mode fast shows why",
                    input::printable(network.graph.file), section.begin, section.end - 1));
  work.check();
  Packed packed_all;
  for (std::size_t i = section.begin; i < section.end; ++i)
    if (const auto& found = work.differences()[i]) packed_all.differences[i] = *found;
  const std::set<std::size_t> used = used_from(network, section.end);
  std::set<std::size_t> written;
  for (std::size_t i = section.begin; i < section.end; ++i)
    for (const Operand& output : network.operators[i].outputs)
      if (output.given() && used.count(output.tensor) != 0) written.insert(output.tensor);
  for (const std::size_t tensor : written)
    packed_all.tensors.push_back(packed(tensor, work.in_memory(tensor)));
  ReferenceRun reference(
      network, [&work](std::size_t tensor) { return work.given(tensor); }, before.reference);
  reference.run(section);
  for (const auto& [tensor, values] : reference.computed())
    packed_all.reference.push_back(packed(tensor, values));
  return packed_all;
}

}  // namespace

SectionResults run_sections(const job::JobOptions& options, const std::filesystem::path& configs,
                            const Network& network, const KernelPlan& kernels,
                            const std::map<std::size_t, Constant>& inputs,
                            const std::vector<OperatorRange>& sections) {
  SectionResults results;
  for (const OperatorRange& section : sections) {
    std::map<std::size_t, Constant> given = inputs;
    given.insert(results.tensors.begin(), results.tensors.end());
    std::istringstream answer(job::run_forked([&] {
      Packed child = run_section(options, configs, network, kernels, given, results, section);
      std::ostringstream text;
      base::Checkpoint checkpoint(text);
      checkpoint(child);
      return text.str();
    }));
    Packed child;
    base::Checkpoint checkpoint(answer);
    checkpoint(child);
    for (auto& [tensor, values] : unpacked(std::move(child.tensors)))
      results.tensors[tensor] = std::move(values);
    results.reference = unpacked(std::move(child.reference));
    results.differences.insert(child.differences.begin(), child.differences.end());
    const std::set<std::size_t> used = used_from(network, section.end);
    for (auto at = results.tensors.begin(); at != results.tensors.end();)
      at = used.count(at->first) != 0 ? std::next(at) : results.tensors.erase(at);
  }
  return results;
}

}  // namespace spica::network
