// SPDX-License-Identifier: Apache-2.0
// The configuration reader: YAML files and overrides in, a checked parameter struct out.
//
//   config::Source source = config::load("virgo", {"cluster.cores=2"}, root / "configs");
//   Params params;
//   config::apply(source, params);             // throws ConfigError with everything that is wrong
//   config::dump(std::cout, params, source);   // every value and where it comes from
//
// A parameter struct declares itself as models/base/params.h shows; nothing here knows any
// hardware.
#pragma once

#include <ostream>
#include <utility>
#include <vector>

#include "platform/base/config/apply.h"
#include "platform/base/config/describe.h"
#include "platform/base/config/dump.h"
#include "platform/base/config/listing.h"
#include "platform/base/config/problem.h"
#include "platform/base/config/schema.h"
#include "platform/base/config/source.h"
#include "platform/base/config/yaml_bytes.h"

namespace spica::config {

/// Writes the source's values into `params` (which starts with its defaults); a struct may have a function prepare(),
/// which sees the source before, and one locate(), which sees it afterwards, to keep the places of its values. Lets
/// `check(problems)` add what is wrong beyond single values, such as files that do not exist. Throws ConfigError with
/// every problem; `params` is then unspecified but safe to destroy.
template <class Params, class Check>
void apply(const Source& source, Params& params, const Check& check) {
  std::vector<Problem> problems;
  if constexpr (detail::Has<detail::Prepare, Params>::value) Params::prepare(source, problems);
  Field root = describe(params);
  const std::vector<Problem> found = apply_fields(source, root);
  problems.insert(problems.begin(), found.begin(), found.end());
  if constexpr (detail::Has<detail::Locate, Params>::value) params.locate(source);
  check(problems);
  if (!problems.empty()) throw ConfigError(std::move(problems));
}

/// The same without more to check.
template <class Params>
void apply(const Source& source, Params& params) {
  apply(source, params, [](std::vector<Problem>&) {});
}

/// Params with a source's values. Throws as apply() does.
template <class Params>
Params read(const Source& source) {
  Params params;
  apply(source, params);
  return params;
}

/// Writes all values in effect as YAML, each with the place it was set at as a comment. Same inputs
/// give the same bytes; the result loads to the same values.
template <class Params>
void dump(std::ostream& os, Params params, const Source& source) {
  dump_fields(os, describe(params), source);
}

/// All values in effect, for reports.
template <class Params>
std::vector<EffectiveValue> effective(Params params, const Source& source) {
  return effective_fields(describe(params), source);
}

/// All parameters there are, with unit, range, default, meaning and source; see listing.h for
/// output.
template <class Params>
std::vector<ParameterInfo> list() {
  Params params{};
  return list_fields(describe(params));
}

/// JSON schema of a configuration file.
template <class Params>
void schema(std::ostream& os) {
  Params params{};
  write_schema(os, describe(params));
}

}  // namespace spica::config
