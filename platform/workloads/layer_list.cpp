// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/layer_list.h"

#include "platform/base/config/config.h"

namespace spica::config {

template Field describe(workloads::LayerList& list, std::string_view name, std::string_view doc,
                        std::string_view source);

}  // namespace spica::config

namespace spica::workloads {

const config::FileKind kLayerLists{"layer list", "layers"};

LayerList layer_list_of(const config::Source& source) {
  LayerList list;
  config::apply(source, list);
  return list;
}

LayerList read_layer_list(const std::string& name, const std::filesystem::path& configs_dir) {
  return layer_list_of(config::load(name, {}, configs_dir, kLayerLists));
}

}  // namespace spica::workloads
