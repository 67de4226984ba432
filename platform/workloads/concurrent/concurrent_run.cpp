// SPDX-License-Identifier: Apache-2.0
// A run of ConcurrentWorkload: matrix products that are available at the same time, each in a stream of its own.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/run/job.h"
#include "platform/workloads/concurrent/concurrent_workload.h"
#include "platform/workloads/design_file.h"
#include "platform/workloads/figures.h"

namespace spica::workloads {

using concurrent::ProductName;
using concurrent::Schedule;

void ConcurrentWorkload::name_products() {
  const std::vector<ProductName> kinds = concurrent::parse_products(asked.products);
  std::optional<concurrent::KernelLibrary> library;
  if (asked.kernel.empty()) library = concurrent::read_library(places_.library(asked.library));
  else if (asked.library != concurrent::KernelLibrary::kShipped)
    throw input::UserError("--library has no effect with --kernel, which applies to all products");
  for (unsigned i = 0; i < asked.available; ++i) {
    const ProductName& name = kinds[i % kinds.size()];
    if (name.transposed_a != kinds.front().transposed_a || name.transposed_b != kinds.front().transposed_b)
      throw input::UserError("all products of a run must have the same transposes");
    names_.push_back(name);
    if (library) {
      tuned_.push_back(library->find(name));
    } else {
      tuned_.push_back({name, {}, {}, {}});
      tuned_.back().kernels.fill(asked.kernel);
    }
  }
}

std::vector<session::Stream> ConcurrentWorkload::streams(const soc::SocParams& params) const {
  std::vector<session::Stream> streams;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const GemmSize& size = products_->padded()[i];
    session::StreamStep step = concurrent::step_of(asked.schedule, tuned_[i], size, asked.available);
    step.arguments = argument_block(design_, {size}, {products_->layout(i)});
    session::Stream stream{fmt::format("stream {}", i), {}, {}};
    stream.steps.assign(asked.rounds, step);
    stream.clusters = concurrent::clusters_of(asked.schedule, i, names_.size(), params.clusters);
    streams.push_back(std::move(stream));
  }
  return streams;
}

/// The products that are alike, by the first of them, as text.
std::string ConcurrentWorkload::products_text() const {
  std::vector<std::string> names;
  for (const ProductName& name : names_)
    if (std::find(names.begin(), names.end(), name.text()) == names.end()) names.push_back(name.text());
  return fmt::format("{}", fmt::join(names, ","));
}

/// What was decided and what it means, of the first product.
void ConcurrentWorkload::describe(const job::Job& job, json::Value& details) const {
  const std::vector<protocol::KernelRun> runs = job.kernel_runs();
  unsigned degree = asked.schedule == Schedule::kSequential ? 1 : asked.available;
  if (!runs.empty() && runs.front().degree != 0) degree = runs.front().degree;
  const bool chooses = asked.schedule == Schedule::kGo || (!runs.empty() && runs.front().degree != 0);
  const std::string& kernel = tuned_.front().kernels[chooses ? protocol::degree_index(degree) : 0];
  const auto launch = *session::grid_launch(concurrent::request_of(products_->padded().front(), kernel),
                                            job.program(), job.params());
  const auto load = protocol::load_of(launch.groups(), job.params().occupancy(launch), job.params().clusters);
  details["gemm"] = products_text();
  details["schedule"] = concurrent::kSchedules.name_of(asked.schedule);
  details["available"] = asked.available;
  details["degree"] = degree;
  details["kernel"] = kernel;
  if (!runs.empty()) details["launched"] = runs.front().launched;  // the first one
  json::Value& launches = details["launches"] = json::Value::array();  // in their order
  for (const protocol::KernelRun& run : runs)
    launches.push_back({{"stream", run.queue}, {"degree", run.degree}, {"launched", run.launched}});
  details["groups"] = load.groups;
  details["occupancy"] = load.occupancy;
  details["waves"] = load.waves;
}

/// The design with the matrices as the products have them.
GemmDesign ConcurrentWorkload::design() const {
  GemmDesign design = read_gemm_design(kDesign, places_.configs);
  const bool across[] = {names_.front().transposed_a, names_.front().transposed_b};
  if (across[0]) design.operands.a.layout = OperandLayout::kAlongK;
  if (across[1]) design.operands.b.layout = OperandLayout::kAlongK;
  for (std::string& item : design.arguments)  // what gemm_tile takes in this place
    if (item == "u32:unit") item = fmt::format("u32:{}", across[0] + 2 * across[1]);
  return design;
}

void ConcurrentWorkload::choose(job::JobOptions& job) {
  name_products();
  if (asked.schedule == Schedule::kGoldyloc) model_ = concurrent::read_model(places_.library(asked.weights));
  design_ = design();
  job.seed = asked.seed;
  job.config = asked.config;
  const auto machine = config::read<soc::SocParams>(config::load(job.config, job.overrides, places_.configs));
  const std::vector<std::string> of_schedule = concurrent::overrides_of(
      asked.schedule, asked.available, {machine.clusters, machine.possible_partitions()});
  job.overrides.insert(job.overrides.begin(), of_schedule.begin(), of_schedule.end());
  choose_program(job, design_, places_);
  job.grid_later = true;
}

void ConcurrentWorkload::prepare(job::Job& job) {
  take_tile(design_, job.program());
  ProductsRequest request;
  request.seed = asked.seed;
  for (const ProductName& name : names_) request.sizes.push_back(name.size);
  products_.emplace(request, design_, job.params());
  products_->write(job);
  std::vector<GemmSize> of_additions;
  for (unsigned i = 0; i < asked.additions; ++i)
    of_additions.push_back(products_->padded()[i % products_->padded().size()]);
  additions_.emplace(of_additions, asked.seed);
  additions_->write(job);
  auto all = streams(job.params());
  for (session::Stream& stream : additions_->streams(asked.rounds)) all.push_back(std::move(stream));
  job.run_streams(session::plan_streams(all, job.program(), job.params(), model_));
}

void ConcurrentWorkload::check(job::Job& job, const job::JobOutcome&) {
  found_ = products_->check(job, wrong_matrix_);
  additions_correct_ = additions_->check(job);
}

Figures ConcurrentWorkload::figures(job::Job& job, const job::JobOutcome& outcome) {
  Figures figures;
  Summary& summary = figures.summary;
  json::Value& details = figures.run.details;
  describe(job, details);
  summary.title = fmt::format("{} of {}, {}, on {}", asked.available, products_text(),
                              concurrent::kSchedules.name_of(asked.schedule), asked.config);
  summary.bitwise = is_checked_bitwise(design_);
  std::uint64_t macs = 0;
  for (const ProductName& name : names_) macs += asked.rounds * name.size.macs();
  figures.add_work(macs, static_cast<double>(peak_macs(design_, job.params())), outcome);
  summary.check = found_;
  summary.matrix = wrong_matrix_;
  figures.run.verified = found_ && found_->correct && additions_correct_ && outcome.guest_exit_code == 0;
  figures.tables = fmt::format("  products at once: {} ({}, {:.3g} waves)\n", details["degree"].dump(),
                               details["kernel"].get<std::string>(), details["waves"].get<double>());
  return figures;
}

}  // namespace spica::workloads
