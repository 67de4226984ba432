// SPDX-License-Identifier: Apache-2.0
// Blocks of your own in a machine. One line behind the class makes it a kind of block that configurations can name:
//
//   class Counter : public sc_core::sc_module { ... };
//   SPICA_BLOCK(Counter, "counter", "counts accesses")
//
// The class is built from what it wants of these, in this order: its name, its parameters, the clock.
//
//   Counter(const sc_core::sc_module_name& name);
//   Counter(const sc_core::sc_module_name& name, const Counter::Params& params);
//   Counter(const sc_core::sc_module_name& name, const base::ClockDomain& clock);
//   Counter(const sc_core::sc_module_name& name, const Counter::Params& params, const base::ClockDomain& clock);
//
// Params is declared as models/base/params.h shows; its fields are the keys of `params` in the slot. A block that
// derives from base::Component gets ticks and has its statistics in all results; any other TLM module is bound and left
// alone.
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
#include "models/protocol/sockets.h"
#include "platform/base/config/describe.h"

namespace spica::soc {

/// The parameters of a kind of block, whatever their type.
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

/// What a library with blocks and the program that loads it must have in common: the version of Spica, and the sizes of
/// what they hand to each other. A library refers to `mark` of its own, and a program has only its own.
template <unsigned Major, unsigned Minor, unsigned Patch, std::size_t... Sizes>
struct BuiltWith {
  static const char mark;
};
using ThisBuild =
    BuiltWith<SPICA_VERSION_MAJOR, SPICA_VERSION_MINOR, SPICA_VERSION_PATCH, sizeof(assembly::Kind),
              sizeof(assembly::Site), sizeof(assembly::BuildContext), sizeof(base::Component),
              sizeof(base::ClockDomain), sizeof(base::StatGroup), sizeof(base::BlockType),
              sizeof(protocol::TargetSocket), sizeof(protocol::InitiatorSocket), sizeof(config::Field)>;
template <>
const char ThisBuild::mark;  // only of this one

/// Lets configurations name a kind of block. Before they are read; throws PlanError when there is one of that name.
void add_block(assembly::Kind kind, MakeBlockParams params);

/// Parameters of a kind with their defaults; null when configurations cannot name it.
std::shared_ptr<BlockParams> params_of_kind(const std::string& kind);

/// Kinds that configurations can name, and their line of explanation.
std::vector<std::pair<std::string, std::string>> kinds_for_configurations();

namespace detail {

/// add_block() of a static object: what is wrong is kept until a configuration is read. `mark`: that of ThisBuild.
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
std::unique_ptr<sc_core::sc_module> make_block(const assembly::Site& site) {
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
        {std::move(name), std::move(doc), detail::make_block<Block>, detail::make_block<Block>, "out"},
        [] { return std::make_shared<BlockParamsOf<Params>>(); }, &ThisBuild::mark);
  }
};

}  // namespace spica::soc

#define SPICA_JOIN_(a, b) a##b
#define SPICA_JOIN(a, b) SPICA_JOIN_(a, b)
#define SPICA_BLOCK(Block, name, doc) \
  static const ::spica::soc::AddBlock<Block> SPICA_JOIN(spica_block_, __LINE__)(name, doc);
