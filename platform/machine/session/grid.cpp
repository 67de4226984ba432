// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/kernels.h"
#include "platform/machine/soc/keys.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::session {

namespace {

const loader::Kernel& choose(const loader::Kernels& kernels, const std::string& name,
                             const std::string& path) {
  if (name.empty() && kernels.all.size() == 1) return kernels.all.front();
  if (!name.empty() || kernels.all.empty()) return kernels.find(name, path);
  std::string names;
  for (const loader::Kernel& kernel : kernels.all) names += (names.empty() ? "" : ", ") + kernel.name;
  throw input::UserError(fmt::format("{} has several kernels; choose with --kernel: {}", path, names));
}

loader::BlockExtent block_of(const loader::Kernel& kernel, const GridRequest& request) {
  loader::BlockExtent block;
  const bool is_required = kernel.required_block[0] != 0;
  block.threads = {kernel.threads, 1, 1};
  if (is_required) block.threads = kernel.required_block;
  if (!request.block.empty()) block = loader::parse_block("--block", request.block);
  if (block.threads[0] == 0)
    throw input::UserError(
        fmt::format("kernel '{}' has no fixed number of threads in a work group: add --block X, XxY or XxYxZ",
                    kernel.name));
  if (is_required && block.threads != kernel.required_block)
    throw input::UserError(fmt::format("kernel '{}' is for work groups of {} threads: --block {}",
                                       kernel.name, fmt::join(kernel.required_block, "x"),
                                       fmt::join(kernel.required_block, "x")));
  if (kernel.open_shared && !block.shared_bytes && request.shared_bytes == 0)
    throw input::UserError(fmt::format(
        "kernel '{}' has shared memory whose size the launch sets (extern __shared__, __local arguments): --block THREADS,BYTES, for example "
        "--block {},4096",
        kernel.name, block.threads[0]));
  if (!kernel.open_shared && block.shared_bytes)
    throw input::UserError(fmt::format(
        "kernel '{}' has no shared memory whose size the launch sets (extern __shared__, __local arguments): --block {}",
        kernel.name, request.block.substr(0, request.block.find(','))));
  return block;
}

}  // namespace

std::optional<protocol::GridLaunch> grid_launch(const GridRequest& request, const loader::Program& program,
                                                const soc::SocParams& params) {
  const loader::Kernels kernels = loader::kernels_of(program);
  if (request.empty() && (kernels.all.empty() || kernels.has_main)) return std::nullopt;
  const loader::Kernel& kernel = choose(kernels, request.kernel, program.path);
  if (request.grid.empty())
    throw input::UserError(
        fmt::format("kernel '{}' runs as a grid of work groups: add --grid X, XxY or XxYxZ", kernel.name));
  if (!params.dispatcher.present)
    throw input::UserError(
        fmt::format("the machine has no dispatcher, which grids of work groups need: --set {}=true",
                    soc::keys::kDispatcher));
  protocol::GridLaunch launch;
  launch.startup = kernels.startup;
  launch.entry = kernel.entry;
  launch.argument = static_cast<std::uint32_t>(loader::kArgumentBlockAddress);
  launch.grid = loader::parse_extent("--grid", request.grid);
  const loader::BlockExtent block = block_of(kernel, request);
  launch.block = block.threads;
  launch.shared_bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(kernel.shared_bytes + request.shared_bytes + block.shared_bytes.value_or(0),
                              std::numeric_limits<std::uint32_t>::max()));
  launch.registers = kernel.registers;
  launch.barriers = kernel.barriers;
  launch.matrix_unit = kernel.matrix_unit;
  std::string reasons;
  for (const std::string& reason : params.launch_problems(launch))
    reasons += fmt::format("{}kernel '{}': {}", reasons.empty() ? "" : "\n", kernel.name, reason);
  if (!reasons.empty()) throw input::UserError(reasons);
  return launch;
}

}  // namespace spica::session
