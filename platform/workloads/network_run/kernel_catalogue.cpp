// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/kernel_catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fnmatch.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <iterator>
#include <optional>
#include <set>

#include "platform/base/config/config.h"
#include "platform/base/config/expression.h"
#include "platform/base/config/find_field.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/workloads/network_run/kernel_launch.h"

namespace spica::network {

const config::FileKind kKernelFiles{"network-kernels", "network-kernels"};

namespace {

template <class List>
bool contains(const List& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

/// Whether the operands are those of a kernel.
bool takes(const KernelEntry& entry, const std::vector<std::string>& operands) {
  return std::all_of(operands.begin(), operands.end(),
                     [&](const std::string& one) { return contains(entry.operands, one); }) &&
         std::all_of(entry.operands.begin(), entry.operands.end(), [&](const std::string& one) {
           return contains(operands, one) || contains(entry.optional, one);
         });
}

/// The kernel of an entry for an operator, without a format; empty: the entry has none.
std::string kernel_for(const KernelEntry& entry, const std::string& op) {
  const auto at = std::find(entry.operators.begin(), entry.operators.end(), op);
  if (at == entry.operators.end()) return {};
  return entry.names[std::min<std::size_t>(at - entry.operators.begin(), entry.names.size() - 1)];
}

bool is_chosen(const KernelChoice& choice, const KernelFile& file, const std::string& kernel) {
  return (choice.design.empty() || choice.design == file.name) &&
         (choice.kernel.empty() || fnmatch(choice.kernel.c_str(), kernel.c_str(), 0) == 0);
}

/// A machine whose values are looked up by key.
class Machine {
 public:
  explicit Machine(const soc::SocParams& params) : params_(params), root_(config::describe(params_)) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  config::Operand operator()(const std::string& key) const {
    bool is_there = false;
    const auto field = config::find_field(root_, key, is_there);
    return field && is_there && field->is_value() ? config::operand_of(*field) : config::Operand();
  }
  std::size_t units() const { return params_.cluster.matrix_units.size(); }

 private:
  soc::SocParams params_;  // the fields refer to it
  config::Field root_;
};

using Facts = std::map<std::string, double>;

/// The first condition that does not hold; empty: all do.
std::string unmet(const std::vector<std::string>& needs, unsigned unit, const std::string& format,
                  const Facts& facts, const Machine& machine) {
  for (const std::string& need : needs) {
    const std::string text = boost::replace_all_copy(
        boost::replace_all_copy(need, "{UNIT}", std::to_string(unit)), "{FORMAT}", format);
    const bool holds = config::Expression(text).holds([&](const std::string& name) -> config::Operand {
      if (const auto fact = facts.find(name); fact != facts.end()) return fact->second;
      // Words that no machine has as a key are values: fp32, true.
      return name.find('.') == std::string::npos ? config::Operand(name) : machine(name);
    });
    if (!holds) return text;
  }
  return {};
}

/// The first matrix unit that meets the conditions of a file for units; none: it has no such condition, or they fail.
std::optional<unsigned> unit_of(const KernelFile& file, const std::string& format, const Machine& machine) {
  std::vector<std::string> needs;
  std::copy_if(file.needs.begin(), file.needs.end(), std::back_inserter(needs),
               [](const std::string& need) { return need.find("{UNIT}") != std::string::npos; });
  for (unsigned unit = 0; !needs.empty() && unit < machine.units(); ++unit)
    if (unmet(needs, unit, format, {}, machine).empty()) return unit;
  return std::nullopt;
}

/// The condition of a kernel that does not hold; empty: all do.
std::string unmet(const KernelFile& file, const KernelEntry& entry, const KernelWish& wish,
                  const Machine& machine) {
  const unsigned unit = unit_of(file, wish.format, machine).value_or(0);
  const std::string of_file = unmet(file.needs, unit, wish.format, wish.facts, machine);
  return of_file.empty() ? unmet(entry.needs, unit, wish.format, wish.facts, machine) : of_file;
}

}  // namespace

KernelCatalogue::KernelCatalogue(const std::filesystem::path& configs) {
  for (const config::Entry& entry : config::entries(configs, kKernelFiles))
    files_.emplace_back(config::read<KernelFile>(config::load(entry.name, {}, configs, kKernelFiles))).name =
        entry.name;
}

std::vector<std::string> KernelCatalogue::kernel_names() const {
  std::set<std::string> names;
  for (const KernelFile& file : files_)
    for (const KernelEntry& entry : file.kernels) names.insert(entry.names.begin(), entry.names.end());
  return {names.begin(), names.end()};
}

bool KernelCatalogue::offers(const KernelChoice& choice, const std::string& op) const {
  return std::any_of(files_.begin(), files_.end(), [&](const KernelFile& file) {
    return std::any_of(file.kernels.begin(), file.kernels.end(), [&](const KernelEntry& entry) {
      const std::string kernel = kernel_for(entry, op);
      return !kernel.empty() && is_chosen(choice, file, kernel);
    });
  });
}

bool KernelCatalogue::has(const KernelWish& wish) const {
  return std::any_of(files_.begin(), files_.end(), [&](const KernelFile& file) {
    return contains(file.formats, wish.format) &&
           std::any_of(file.kernels.begin(), file.kernels.end(), [&](const KernelEntry& entry) {
             const std::string kernel = kernel_for(entry, wish.op);
             return !kernel.empty() && is_chosen(wish.choice, file, kernel);
           });
  });
}

KernelCatalogue::Found KernelCatalogue::find(const KernelWish& wish, const soc::SocParams& params) const {
  const Machine machine(params);
  const KernelChoice choice = offers(wish.choice, wish.op) ? wish.choice : KernelChoice();
  bool is_known = false, has_format = false;
  std::set<std::string> formats, operands, conditions;
  for (const KernelFile& file : files_)
    for (const KernelEntry& entry : file.kernels) {
      const std::string kernel = kernel_for(entry, wish.op);
      if (kernel.empty() || !is_chosen(choice, file, kernel)) continue;
      is_known = true;
      formats.insert(file.formats.begin(), file.formats.end());
      if (!contains(file.formats, wish.format)) continue;
      has_format = true;
      if (!takes(entry, wish.operands)) {
        operands.insert(fmt::format("{}", fmt::join(entry.operands, ", ")));
      } else if (const std::string condition = unmet(file, entry, wish, machine); !condition.empty()) {
        conditions.insert(condition);
      } else {
        return {fmt::format("{}_{}", kernel, wish.format), &file, &entry};
      }
    }
  if (!is_known) throw NoKernel("there is no kernel for this operator");
  if (!has_format)
    throw NoKernel(
        fmt::format("no kernel has elements of {}; there are {}", wish.format, fmt::join(formats, ", ")));
  if (conditions.empty())
    throw NoKernel(fmt::format("no kernel has the operands {}; there are {}", fmt::join(wish.operands, ", "),
                               fmt::join(operands, " or ")));
  throw NoKernel(fmt::format("a kernel needs {}", fmt::join(conditions, " or ")));
}

unsigned KernelCatalogue::unit_for(const KernelFile& file, const std::vector<std::string>& formats,
                                   const soc::SocParams& params) {
  const Machine machine(params);
  for (const std::string& format : formats)
    if (const auto unit = unit_of(file, format, machine)) return *unit;
  return 0;
}

const KernelFile& KernelCatalogue::program_of(const std::vector<const KernelFile*>& files) {
  const auto covers = [](const KernelFile& file, const KernelFile* other) {
    return file.kernel == other->kernel || contains(file.contains, other->kernel);
  };
  std::set<std::string> programs;
  for (const KernelFile* file : files) {
    programs.insert(file->kernel);
    if (std::all_of(files.begin(), files.end(),
                    [&](const KernelFile* other) { return covers(*file, other); }))
      return *file;
  }
  throw NoKernel(fmt::format("its kernels are in several programs, and none contains the others: {}",
                             fmt::join(programs, ", ")));
}

}  // namespace spica::network
