// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/additions.h"

#include <fmt/format.h>

#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "platform/run/job.h"

namespace spica::workloads {

namespace {

constexpr std::uint64_t kBegin = 0xD000'0000, kEnd = 0xE000'0000;  // behind the results of products
constexpr std::uint32_t kThreads = 64;  // of a work group
constexpr auto kElement = Element::kFp32;

}  // namespace

ElementwiseAdditions::ElementwiseAdditions(const std::vector<GemmSize>& sizes, std::uint64_t seed) {
  std::uint64_t next = kBegin;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::uint64_t elements = std::uint64_t{sizes[i].m} * sizes[i].n;
    const std::uint64_t own_seed = seed + (std::uint64_t{i + 1} << 40);
    Addition one{
        sizes[i], 0, 0, 0, make_operand(elements, 2 * own_seed), make_operand(elements, 2 * own_seed + 1)};
    for (std::uint64_t* matrix : {&one.a, &one.b, &one.c}) {
      *matrix = next;
      next += (elements + 15) / 16 * 64;  // lines
    }
    if (elements % kThreads != 0 || next > kEnd)
      throw input::UserError(
          fmt::format("--additions: {}x{} elements are not a multiple of {}, or do not fit into memory",
                      sizes[i].m, sizes[i].n, kThreads));
    all_.push_back(std::move(one));
  }
}

void ElementwiseAdditions::write(job::Job& job) const {
  for (const Addition& one : all_)
    for (const auto& [address, values] : {std::pair{one.a, &one.of_a}, {one.b, &one.of_b}}) {
      const std::vector<unsigned char> bytes = encoded(*values, kElement);
      job.write(address, bytes.data(), bytes.size());
    }
}

std::vector<session::Stream> ElementwiseAdditions::streams(unsigned rounds) const {
  const loader::Program no_program;
  const loader::SourceMap no_symbols(no_program);
  std::vector<session::Stream> streams;
  for (const Addition& one : all_) {
    session::StreamStep step;
    step.kernel = {"add", fmt::format("{}", one.of_a.size() / kThreads), ""};
    step.arguments = loader::parse_arguments(fmt::format("u32:{},u32:{},u32:1,u32:0,u64:{},u64:{},u64:{}",
                                                         one.size.m, one.size.n, one.a, one.b, one.c),
                                             no_symbols, "arguments");
    session::Stream stream{fmt::format("addition {}", streams.size()), {}, {}};
    stream.steps.assign(rounds, step);
    streams.push_back(std::move(stream));
  }
  return streams;
}

bool ElementwiseAdditions::check(job::Job& job) const {
  for (const Addition& one : all_) {
    std::vector<unsigned char> bytes(one.of_a.size() * sizeof(float));
    job.read(one.c, bytes.data(), bytes.size());
    const std::vector<float> sums = decoded(bytes, kElement);
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (sums[i] != one.of_a[i] + one.of_b[i]) return false;
  }
  return true;
}

}  // namespace spica::workloads
