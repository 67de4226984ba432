// SPDX-License-Identifier: Apache-2.0
// The mapping file of a network: kernels and formats by operator or node (docs/howto/networks.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "platform/base/config/source.h"
#include "platform/workloads/network/operators.h"
#include "platform/workloads/network_run/kernel_choice.h"

namespace spica::network {

/// Formats in which floating-point tensors of 32 bits are in memory.
inline constexpr base::Choices kFormats{base::Choice<ElementType>{"fp32", ElementType::kFp32},
                                        base::Choice<ElementType>{"fp16", ElementType::kFp16},
                                        base::Choice<ElementType>{"bf16", ElementType::kBf16}};

/// Formats of a rule. kUnknown: no rule of formats.
inline constexpr base::Choices kRuleFormats{base::Choice<ElementType>{"default", ElementType::kUnknown},
                                            base::Choice<ElementType>{"fp32", ElementType::kFp32},
                                            base::Choice<ElementType>{"fp16", ElementType::kFp16},
                                            base::Choice<ElementType>{"bf16", ElementType::kBf16}};

/// For the operators whose type and name match.
struct MapRule {
  std::string type, node, design, kernel;
  ElementType format = ElementType::kUnknown;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("operator", p.type, "pattern of operator types, as --list shows them: product, gelu*");
    field("node", p.node, "pattern of node names, as --list shows them: */lm_head/*");
    field("design", p.design, "file of configs/network-kernels with the kernel: products");
    field("kernel", p.kernel, "pattern of kernel names in these files, without a format: softmax*");
    field("format", p.format, kRuleFormats,
          "format in memory of weights and results; default: that of --format");
  }
};

struct MapFile {
  std::string title;
  std::vector<MapRule> rules;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("title", p.title, "one line");
    field.list("rules", p.rules,
               "rules by operator type and node name; of several that match, the last one decides");
  }
};

extern const config::FileKind kMapFiles;

/// Reads the file. Throws ConfigError with all errors: unknown keys, designs, kernels, operator types and formats, and
/// rules without a condition or without an effect.
MapFile map_file_of(const config::Source& source, const std::filesystem::path& configs);

/// What a mapping file says of each operator of a network.
struct OperatorChoices {
  explicit OperatorChoices(std::size_t operators = 0) : formats(operators), kernels(operators) {}

  std::vector<std::optional<ElementType>> formats;
  std::vector<KernelChoice> kernels;
};

/// Throws ConfigError as map_file_of() does, and for rules that decide nothing in this network.
OperatorChoices choices_of(const config::Source& source, const std::filesystem::path& configs,
                           const Network& network);

}  // namespace spica::network
