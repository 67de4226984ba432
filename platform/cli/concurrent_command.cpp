// SPDX-License-Identifier: Apache-2.0
// `spica concurrent`: matrix products that are available at the same time, each in a stream of its own.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/protocol/packets.h"
#include "platform/cli/additions.h"
#include "platform/cli/commands.h"
#include "platform/cli/described_options.h"
#include "platform/cli/gemm_products.h"
#include "platform/cli/job_options.h"
#include "platform/cli/paths.h"
#include "platform/cli/summary.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/user_error.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/run/job.h"
#include "platform/run/results.h"
#include "platform/workloads/concurrent/concurrent_workload.h"
#include "platform/workloads/concurrent/model_file.h"
#include "platform/workloads/concurrent/schedule.h"
#include "platform/workloads/design_file.h"

namespace spica::cli {

namespace {

using concurrent::ProductName;
using concurrent::Schedule;
using concurrent::TunedProduct;

struct ConcurrentOptions : workloads::ConcurrentOptions {
  job::JobOptions job;
};

/// The products and how they are to run.
struct Work {
  Schedule schedule = Schedule::kDefault;
  std::vector<ProductName> names;  // of each stream
  std::vector<TunedProduct> tuned;  // likewise
};

Work work_of(const ConcurrentOptions& options) {
  Work work;
  work.schedule = options.schedule;
  const std::vector<ProductName> kinds = concurrent::parse_products(options.products);
  std::optional<concurrent::KernelLibrary> library;
  if (options.kernel.empty()) library = concurrent::read_library(library_path(options.library));
  for (unsigned i = 0; i < options.available; ++i) {
    const ProductName& name = kinds[i % kinds.size()];
    if (name.transposed_a != kinds.front().transposed_a || name.transposed_b != kinds.front().transposed_b)
      throw loader::UserError("products of a run have the same transposes");
    work.names.push_back(name);
    if (library) {
      work.tuned.push_back(library->find(name));
    } else {
      work.tuned.push_back({name, {}, {}, {}});
      work.tuned.back().kernels.fill(options.kernel);
    }
  }
  return work;
}

std::vector<session::Stream> streams_of(const Work& work, const ConcurrentOptions& options,
                                        const Products& products, const workloads::GemmDesign& design,
                                        const soc::SocParams& params) {
  std::vector<session::Stream> streams;
  for (std::size_t i = 0; i < work.names.size(); ++i) {
    const workloads::GemmSize& size = products.padded()[i];
    session::StreamStep step = concurrent::step_of(work.schedule, work.tuned[i], size, options.available);
    step.arguments = workloads::argument_block(design, {size}, {products.layout(i)});
    session::Stream stream{fmt::format("stream {}", i), {}, 0};
    stream.steps.assign(options.rounds, step);
    stream.clusters = concurrent::clusters_of(work.schedule, i, work.names.size(), params.clusters);
    streams.push_back(std::move(stream));
  }
  return streams;
}

/// The products that are alike, by the first of them, as text.
std::string products_text(const Work& work) {
  std::vector<std::string> names;
  for (const ProductName& name : work.names)
    if (std::find(names.begin(), names.end(), name.text()) == names.end()) names.push_back(name.text());
  return fmt::format("{}", fmt::join(names, ","));
}

/// What was decided and what it means, of the first product.
void describe(const Work& work, const ConcurrentOptions& options, const job::Job& job,
              const Products& products, job::RunFigures& figures) {
  const std::vector<protocol::KernelRun> runs = job.kernel_runs();
  unsigned degree = work.schedule == Schedule::kSequential ? 1 : options.available;
  if (!runs.empty() && runs.front().degree != 0) degree = runs.front().degree;
  const bool chooses = work.schedule == Schedule::kGo || (!runs.empty() && runs.front().degree != 0);
  const std::string& kernel = work.tuned.front().kernels[chooses ? protocol::degree_index(degree) : 0];
  const auto launch = *session::grid_launch(concurrent::request_of(products.padded().front(), kernel),
                                            job.program(), job.params());
  const auto load = protocol::load_of(launch.groups(), job.params().occupancy(launch), job.params().clusters);
  figures.details["gemm"] = products_text(work);
  figures.details["schedule"] = concurrent::kSchedules.name_of(options.schedule);
  figures.details["available"] = options.available;
  figures.details["degree"] = degree;
  figures.details["kernel"] = kernel;
  if (!runs.empty()) figures.details["launched"] = runs.front().launched;  // the first one
  json::Value& launches = figures.details["launches"] = json::Value::array();  // in their order
  for (const protocol::KernelRun& run : runs)
    launches.push_back({{"stream", run.queue}, {"degree", run.degree}, {"launched", run.launched}});
  figures.details["groups"] = load.groups;
  figures.details["occupancy"] = load.occupancy;
  figures.details["waves"] = load.waves;
}

/// The design with the matrices as the products have them.
workloads::GemmDesign design_of(const Work& work) {
  workloads::GemmDesign design =
      workloads::read_gemm_design(workloads::ConcurrentWorkload::kDesign, configs_dir());
  const bool across[] = {work.names.front().transposed_a, work.names.front().transposed_b};
  if (across[0]) design.operands.a.layout = workloads::OperandLayout::kAlongK;
  if (across[1]) design.operands.b.layout = workloads::OperandLayout::kAlongK;
  for (std::string& item : design.arguments)  // what gemm_tile takes in this place
    if (item == "u32:unit") item = fmt::format("u32:{}", across[0] + 2 * across[1]);
  return design;
}

job::JobOptions job_options_of(const ConcurrentOptions& options, const Work& work,
                               const workloads::GemmDesign& design) {
  job::JobOptions job = options.job;
  job.config = options.config;
  const auto machine = config::read<soc::SocParams>(config::load(job.config, job.overrides, configs_dir()));
  const std::vector<std::string> of_schedule = concurrent::overrides_of(
      work.schedule, options.available, {machine.clusters, machine.possible_partitions()});
  job.overrides.insert(job.overrides.begin(), of_schedule.begin(), of_schedule.end());
  job.elf_for = [design, config = job.config, overrides = job.overrides](const soc::SocParams& params) {
    workloads::check_machine(design, params);
    return program_of(design, config, overrides, params);
  };
  if (!job.checks.empty() && !design.suppressions_file.empty())
    job.suppressions.push_back(design.suppressions_file);
  job.show_console = false;
  job.grid_later = true;
  return job;
}

int run_concurrent(const ConcurrentOptions& options) {
  const Work work = work_of(options);
  std::optional<protocol::ConcurrencyModel> model;
  if (work.schedule == Schedule::kGoldyloc) model = concurrent::read_model(library_path(options.weights));
  workloads::GemmDesign design = design_of(work);
  const job::JobOptions job_options = job_options_of(options, work, design);
  job::Job job(job_options, configs_dir());
  take_tile(design, job.program());
  ProductsRequest request;
  request.seed = options.job.seed;
  for (const ProductName& name : work.names) request.sizes.push_back(name.size);
  const Products products(request, design, job.params());
  products.write(job);
  auto streams = streams_of(work, options, products, design, job.params());
  std::vector<workloads::GemmSize> of_additions;
  for (unsigned i = 0; i < options.additions; ++i)
    of_additions.push_back(products.padded()[i % products.padded().size()]);
  const Additions additions(of_additions, options.job.seed);
  additions.write(job);
  for (session::Stream& stream : additions.streams(options.rounds)) streams.push_back(std::move(stream));
  job.run_streams(session::plan_streams(streams, job.program(), job.params(), model));
  const job::JobOutcome& outcome = job.run();
  job::RunFigures figures;
  GemmSummary summary;
  describe(work, options, job, products, figures);
  summary.title = fmt::format("{} of {}, {}, on {}", options.available, products_text(work),
                              concurrent::kSchedules.name_of(options.schedule), options.config);
  std::uint64_t macs = 0;
  for (const workloads::GemmSize& size : request.sizes) macs += options.rounds * size.macs();
  const auto peak = static_cast<double>(workloads::peak_macs(design, job.params()));
  summary.bitwise = workloads::is_checked_bitwise(design);
  summary.utilisation = static_cast<double>(macs) / peak / static_cast<double>(outcome.kernel_cycles);
  if (outcome.good()) {
    figures.utilisation = summary.utilisation;
    figures.multiply_adds = summary.multiply_adds = macs;
    summary.check = products.check(job, summary.matrix);
  }
  const bool verified =
      outcome.good() && outcome.guest_exit_code == 0 && summary.check->correct && additions.check(job);
  figures.verified = verified;
  job.write_results(figures);
  job.troubles().attempt([&] {
    print_summary(job, outcome, summary);
    fmt::print("  products at once: {} ({}, {:.3g} waves)\n", figures.details["degree"].dump(),
               figures.details["kernel"].get<std::string>(), figures.details["waves"].get<double>());
  });
  return job.troubles().exit_code(verified && outcome.clean() ? 0 : 1);
}

void options_of_concurrent(Command& command) {
  const auto workload = std::make_shared<workloads::ConcurrentWorkload>(places());
  const auto options = std::make_shared<ConcurrentOptions>();
  add_described(command, workload->options());
  add_job_options(command, options->job);
  command.action([workload, options](const std::vector<std::string>& command_line) {
    static_cast<workloads::ConcurrentOptions&>(*options) = workload->asked;
    options->job.seed = options->seed;
    options->job.command_line = command_line;
    return run_concurrent(*options);
  });
}

}  // namespace

void add_concurrent_command(CommandLine& line) {
  line.add("concurrent", "run matrix products at once, each in a stream of its own", options_of_concurrent);
}

}  // namespace spica::cli
