// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/file_kinds.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <utility>

#include "platform/base/config/find_field.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/paths.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/run/job_options.h"
#include "platform/studies/experiment/gpu_file.h"
#include "platform/studies/sweep/sweep_file.h"
#include "platform/studies/sweep/sweep_keys.h"
#include "platform/workloads/concurrent/tuning.h"
#include "platform/workloads/design_file.h"
#include "platform/workloads/layer_list.h"
#include "platform/workloads/network_run/network_map.h"
#include "platform/workloads/run_request.h"
#include "platform/workloads/stream/stream_file.h"

namespace spica::cli {

namespace {

/// `read(source)` gives the parameters that are in a file.
template <class Params, class Read>
KindOfFile kind(std::string name, config::FileKind files, const Read& read) {
  return {std::move(name), std::move(files), [] { return config::list<Params>(); },
          [](std::ostream& os) { config::schema<Params>(os); },
          [read](const config::Source& source, bool dump) {
            const Params params = read(source);
            if (dump) config::dump(std::cout, params, source);
          }};
}

std::vector<KindOfFile> kinds() {
  return {kind<soc::SocParams>("configuration", config::configuration(), config::read<soc::SocParams>),
          kind<workloads::GemmDesign>(
              "design", workloads::kGemmDesigns,
              [](const config::Source& source) { return workloads::gemm_design_of(source, configs_dir()); }),
          kind<workloads::AttentionDesign>("attention-design", workloads::kAttentionDesigns,
                                           [](const config::Source& source) {
                                             return workloads::attention_design_of(source, configs_dir());
                                           }),
          kind<workloads::LayerList>("layers", workloads::kLayerLists, workloads::layer_list_of),
          kind<experiment::Gpu>("gpu", experiment::kGpus, experiment::gpu_of),
          kind<concurrent::TuneList>("tune", concurrent::kTuneLists, concurrent::tune_list_of),
          kind<network::MapFile>(
              "network-map", network::kMapFiles,
              [](const config::Source& source) { return network::map_file_of(source, configs_dir()); }),
          kind<stream::StreamFile>("stream", stream::kStreamFiles, stream::stream_file_of),
          {"sweep", sweep::kSweeps, sweep::sweep_keys, sweep::write_sweep_schema,
           [](const config::Source& source, bool dump) {
             const sweep::Sweep sweep = sweep::sweep_of(source, configs_dir());
             if (dump) std::cout << sweep.text;
           }},
          {"job", workloads::kRunFiles, [] { return config::list_fields(workloads::AllOptions().root); },
           workloads::write_request_schema,
           [](config::Source source, bool dump) {
             const workloads::RunRequest request = workloads::read_request(source);
             job::JobOptions job;
             workloads::use_request(source, request, *request.kind->make(places()), job);
             if (dump) std::cout << workloads::request_text(request) << '\n';
           }}};
}

}  // namespace

std::vector<std::string> names_of_kinds() {
  std::vector<std::string> names;
  for (const KindOfFile& one : kinds()) names.push_back(one.name);
  return names;
}

KindOfFile kind_of_group(const std::string& key) {
  struct Group {
    soc::SocParams params;  // the field refers to it
    config::Field field;
  };
  const auto group = std::make_shared<Group>();
  bool is_there = false;
  const auto found = config::find_field(config::describe(group->params), key, is_there);
  if (!found || found->kind != config::Field::Kind::kGroup)
    throw input::UserError(
        fmt::format("'{}' is not a group of parameters; config --list shows them", input::printable(key)));
  group->field = *found;
  return {key, config::FileKind{"block file", "blocks"},
          [group] { return config::list_fields(group->field); },
          [group](std::ostream& os) { config::write_schema(os, group->field); },
          [group](const config::Source& source, bool dump) {
            if (std::vector<config::Problem> problems = config::apply_fields(source, group->field);
                !problems.empty())
              throw config::ConfigError(std::move(problems));
            if (dump) config::dump_fields(std::cout, group->field, source);
          }};
}

KindOfFile kind_of_file(const std::string& name) {
  for (const KindOfFile& one : kinds())
    if (one.name == name) return one;
  throw std::logic_error("no kind of file: " + name);
}

}  // namespace spica::cli
