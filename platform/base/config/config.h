// SPDX-License-Identifier: Apache-2.0
// The configuration reader: turns YAML files and overrides into a checked parameter struct.
//
//   config::Source source = config::load("virgo", {"cluster.cores=2"}, root / "configs");
//   Params params;
//   config::apply(source, params);             // throws ConfigError with all problems
//   config::dump(std::cout, params, source);   // every value and where it comes from
//
// A parameter struct describes itself as shown in models/base/params.h; this folder is independent of any hardware.
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

namespace detail {

/// Writes the source's values into `params` and returns all problems.
template <class Params>
std::vector<Problem> fill(const Source& source, Params& params) {
  std::vector<Problem> of_source;
  if constexpr (Has<Prepare, Params>::value) Params::prepare(source, of_source);
  Field root = describe(params);
  std::vector<Problem> problems = apply_fields(source, root);
  problems.insert(problems.end(), of_source.begin(), of_source.end());
  if constexpr (Has<Locate, Params>::value) params.locate(source);
  return problems;
}

}  // namespace detail

/// Writes the source's values into `params`, which starts with its defaults. A struct may have a function prepare(),
/// called with the source before, and one locate(), called afterwards to record where its values were written.
/// `check(problems)` adds errors beyond single values, such as missing files. Throws ConfigError with every problem;
/// `params` is then unspecified but safe to destroy.
template <class Params, class Check>
void apply(const Source& source, Params& params, const Check& check) {
  std::vector<Problem> problems = detail::fill(source, params);
  check(problems);
  if (!problems.empty()) throw ConfigError(std::move(problems));
}

/// The same without further checks.
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

/// The same for a machine that still changes: values with a problem are defaults, and contradictions remain. Whoever
/// completes the source reads it again.
template <class Params>
Params read_unchecked(const Source& source) {
  Params params;
  detail::fill(source, params);
  return params;
}

/// Writes all effective values as YAML, each with its origin as a comment. Same inputs give the same bytes; the result
/// loads to the same values.
template <class Params>
void dump(std::ostream& os, Params params, const Source& source) {
  dump_fields(os, describe(params), source);
}

/// All effective values, for reports.
template <class Params>
std::vector<EffectiveValue> effective(Params params, const Source& source) {
  return effective_fields(describe(params), source);
}

/// All parameters, with unit, range, default, meaning and source; see listing.h for output.
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
