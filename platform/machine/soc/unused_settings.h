// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/base/config/dump.h"
#include "platform/base/config/source.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::soc {

/// The parameters without effect on a machine: those of blocks and mechanisms that it has not (`present`, `enabled`, the
/// other one of bus and crossbar), and in the fast mode those that change only time.
class UnusedParameters {
 public:
  UnusedParameters(const SocParams& params, const std::vector<config::EffectiveValue>& values);

  /// The setting or mode because of which a value has no effect; empty: it has one.
  std::string why(const config::EffectiveValue& value) const;

 private:
  const SocParams& params_;
  std::map<std::string, std::string> switches_;  // that are off: the group with its dot -> the key
};

/// Warnings about settings without effect, one line each. `overrides`: all with which the source was loaded; `own`: those
/// that the user gave.
std::string unused_settings(const SocParams& params, const config::Source& source,
                            const std::vector<std::string>& overrides, const std::vector<std::string>& own);

}  // namespace spica::soc
