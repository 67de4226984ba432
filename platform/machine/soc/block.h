// SPDX-License-Identifier: Apache-2.0
// Blocks of your own in a machine. One line after the class makes it a kind of block that configurations can name:
//
//   class Counter : public sc_core::sc_module { ... };
//   SPICA_BLOCK(Counter, "counter", "counts accesses")
//
// The constructor takes some of these, in this order: name, parameters, clock.
//
//   Counter(const sc_core::sc_module_name& name);
//   Counter(const sc_core::sc_module_name& name, const Counter::Params& params);
//   Counter(const sc_core::sc_module_name& name, const base::ClockDomain& clock);
//   Counter(const sc_core::sc_module_name& name, const Counter::Params& params, const base::ClockDomain& clock);
//
// Params is declared as in models/base/params.h; its fields are the keys of `params` in the slot. A block derived from
// base::Component is ticked and has its statistics in all results. Any other TLM module is only bound.
#pragma once

#include <spica/version.h>

#include <any>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/assembly/kinds.h"
#include "models/base/component.h"
#include "models/protocol/transport/sockets.h"
#include "platform/base/config/describe.h"

namespace spica::soc {

/// The parameters of a kind of block, of any type.
class BlockParams {
 public:
  virtual ~BlockParams() = default;
  /// Fields that refer to these parameters.
  virtual config::Field describe() = 0;
  virtual std::any value() const = 0;
};

template <class Params>
class BlockParamsOf final : public BlockParams {
 public:
  config::Field describe() override { return config::describe(params_); }
  std::any value() const override { return params_; }

 private:
  Params params_;
};

/// For blocks without parameters.
struct NoParams {
  template <class Self, class Visit>
  static void describe(Self&, Visit&&) {}
};

using MakeBlockParams = std::function<std::shared_ptr<BlockParams>()>;

/// The version of Spica and the sizes of exchanged types, on which a library of blocks and the program that loads it
/// must agree. A library refers to `mark` of its own version, and a program defines only its own.
template <unsigned Major, unsigned Minor, unsigned Patch, std::size_t... Sizes>
struct BuiltWith {
  static const char mark;
};
using ThisBuild =
    BuiltWith<SPICA_VERSION_MAJOR, SPICA_VERSION_MINOR, SPICA_VERSION_PATCH, sizeof(assembly::Kind),
              sizeof(assembly::BuildSite), sizeof(assembly::BuildContext), sizeof(base::Component),
              sizeof(base::ClockDomain), sizeof(base::StatGroup), sizeof(base::BlockType),
              sizeof(protocol::TargetSocket), sizeof(protocol::InitiatorSocket), sizeof(config::Field)>;
template <>
const char ThisBuild::mark;  // defined for this version only

/// Makes a kind of block known to configurations. Call before they are read. Throws PlanError if the name exists.
void add_block(assembly::Kind kind, MakeBlockParams params);

/// Default parameters of a kind; nullptr if configurations cannot name it.
std::shared_ptr<BlockParams> params_of_kind(const std::string& kind);

/// Kinds that configurations can name, each with a line of explanation.
std::vector<std::pair<std::string, std::string>> kinds_for_configurations();

namespace detail {

/// add_block() for static objects: errors are kept until a configuration is read. `mark`: that of ThisBuild.
void add_block_of(assembly::Kind kind, MakeBlockParams params, const char* mark);

template <class Block, class = void>
struct ParamsOf {
  using Type = NoParams;
};
template <class Block>
struct ParamsOf<Block, std::void_t<typename Block::Params>> {
  using Type = typename Block::Params;
};

template <class Block>
std::unique_ptr<sc_core::sc_module> make_block(const assembly::BuildSite& site) {
  using Params = typename ParamsOf<Block>::Type;
  using Name = const sc_core::sc_module_name&;
  const auto& params = std::any_cast<const Params&>(site.params);
  if constexpr (std::is_constructible_v<Block, Name, const Params&, const base::ClockDomain&>)
    return std::make_unique<Block>(site.name, params, site.clock);
  else if constexpr (std::is_constructible_v<Block, Name, const base::ClockDomain&>)
    return std::make_unique<Block>(site.name, site.clock);
  else if constexpr (std::is_constructible_v<Block, Name, const Params&>)
    return std::make_unique<Block>(site.name, params);
  else return std::make_unique<Block>(site.name);
}

}  // namespace detail

template <class Block>
struct AddBlock {
  AddBlock(std::string name, std::string doc) {
    using Params = typename detail::ParamsOf<Block>::Type;
    detail::add_block_of(
        assembly::Kind{std::move(name), std::move(doc)}.with_both(detail::make_block<Block>).with_wire("out"),
        [] { return std::make_shared<BlockParamsOf<Params>>(); }, &ThisBuild::mark);
  }
};

}  // namespace spica::soc

#define SPICA_JOIN_(a, b) a##b
#define SPICA_JOIN(a, b) SPICA_JOIN_(a, b)
#define SPICA_BLOCK(Block, name, doc) \
  static const ::spica::soc::AddBlock<Block> SPICA_JOIN(spica_block_, __LINE__)(name, doc);
