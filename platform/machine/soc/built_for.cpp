// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/built_for.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "models/protocol/payload/address_map.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/loader/stack_layout.h"
#include "platform/machine/soc/soc_config.h"

namespace spica::soc {

namespace {

using loader::ElfNotes;

std::string size_text(std::uint64_t bytes) {
  return bytes % 1024 == 0 ? fmt::format("{} KB", bytes / 1024) : fmt::format("{} bytes", bytes);
}

const protocol::Region* region(const protocol::AddressMap& map, std::string_view name) {
  for (const protocol::Region& candidate : map.regions())
    if (candidate.name == name && candidate.size != 0) return &candidate;
  return nullptr;
}

/// Whether it holds for one of the alternatives of "a|b|c".
template <class Condition>
bool any_of(std::string_view alternatives, Condition condition) {
  for (std::size_t begin = 0; begin <= alternatives.size();) {
    const std::size_t end = std::min(alternatives.find('|', begin), alternatives.size());
    if (condition(alternatives.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

/// One comparison per key; `facts` may have several values of a key, all are compared.
class NoteComparison {
 public:
  NoteComparison(const loader::Program& program, const SocParams& params)
      : program_(program), notes_(program.notes), params_(params), map_(address_map(params)) {}

  std::vector<Mismatch> run() {
    find_unit();
    for (const ElfNotes::Fact& fact : notes_.facts()) compare(fact);
    compare_stacks();
    for (std::size_t i = 0; i < params_.slots.size(); ++i) compare_registers(i);
    if (notes_.unknown_versions() != 0)
      add({"it has notes from a later version of Spica, which are not compared with the machine", "", "",
           false});
    return std::move(found_);
  }

 private:
  void compare(const ElfNotes::Fact& fact) {
    if (fact.key == "matrix_unit.command_set") return compare_command_set(fact.value);
    if (fact.key == "tensor_core.style") return compare_tensor_core(fact.value);
    const auto number = loader::note_number(fact.value);
    if (!number) return;
    if (fact.key == "print_buffer") compare_address(*number, "print_buffer", "its print buffer", 0);
    else if (fact.key == "matrix_units")
      compare_address(*number, "matrix_unit_0", "the registers of matrix unit 0",
                      params_.cluster.memory_map.registers_offset);
    else if (fact.key == "shared_memory.size") compare_shared_size(*number);
    else if (fact.key == "matrix_unit.dim") compare_dim(*number);
    else if (fact.key == "matrix_unit.element_bytes") compare_element(*number);
    else if (fact.key == "clusters") compare_clusters(*number);
    else if (fact.key == "cores") compare_cores(*number);
    else if (fact.key == "lanes") compare_lanes(*number);
    else if (fact.key == "async_copy") compare_async_copy();
  }

  /// Addresses after shared memory move with its size.
  void compare_address(std::uint64_t built_for, const char* name, const char* what, std::uint64_t offset) {
    const protocol::Region* here = region(map_, name);
    if (here == nullptr)
      return add(
          {fmt::format("it was built for {} at {:#010x}; this machine has none", what, built_for), "", ""});
    if (here->base == built_for) return;
    const std::uint64_t end = built_for - offset, base = params_.cluster.memory_map.shared_base;
    const bool by_size = end > base && end - base <= std::uint64_t{16} << 20;
    add({fmt::format("it was built for {} at {:#010x}{}; this machine has it at {:#010x} ({})", what,
                     built_for, by_size ? fmt::format(" ({} of shared memory)", size_text(end - base)) : "",
                     here->base, size_text(params_.cluster.shared_memory.size)),
         by_size ? fmt::format("cluster.shared_memory.size={}", end - base) : "",
         fmt::format("-DPLATFORM_SHARED_SIZE={:#x}", params_.cluster.shared_memory.size)});
  }

  /// More does no harm, except to what follows it (compare_address).
  void compare_shared_size(std::uint64_t built_for) {
    const std::uint64_t here = params_.cluster.shared_memory.size;
    if (here >= built_for) return;
    add({fmt::format("it was built for {} of shared memory; this machine has {}", size_text(built_for),
                     size_text(here)),
         fmt::format("cluster.shared_memory.size={}", built_for),
         fmt::format("-DPLATFORM_SHARED_SIZE={:#x}", here), false});
  }

  /// The matrix unit that the program commands, if the machine has it.
  auto unit() const {
    return unit_ < params_.cluster.matrix_units.size() ? &params_.cluster.matrix_units[unit_] : nullptr;
  }

  void find_unit() {
    for (const ElfNotes::Fact& fact : notes_.facts())
      if (fact.key == "matrix_unit.number") unit_ = loader::note_number(fact.value).value_or(0);
    if (const std::size_t units = params_.cluster.matrix_units.size(); unit_ != 0 && unit_ >= units)
      add({fmt::format("it was built for matrix unit {}; the clusters of this machine have {} units", unit_,
                       units),
           "", ""});
  }

  void compare_dim(std::uint64_t built_for) {
    if (unit() == nullptr || unit()->dim == built_for) return;
    add({fmt::format("it was built for a matrix unit of {0}x{0}; this machine's unit {2} has {1}x{1}",
                     built_for, unit()->dim, unit_),
         fmt::format("cluster.matrix_units.{}.dim={}", unit_, built_for),
         fmt::format("-DMATRIX_UNIT_DIM={}", unit()->dim)});
  }

  void compare_element(std::uint64_t built_for) {
    if (unit() == nullptr || unit()->element_bytes() == built_for) return;
    const auto name = [](std::uint64_t bytes) {
      return bytes == 2 ? "fp16" : bytes == 4 ? "fp32" : "unknown";
    };
    add({fmt::format(
             "it was built for {} elements ({} bytes); this machine's matrix unit {} has {} ({} bytes)",
             name(built_for), built_for, unit_, numeric::info(unit()->operand).key, unit()->element_bytes()),
         fmt::format("cluster.matrix_units.{}.operand={}", unit_, name(built_for)),
         fmt::format("-DMATRIX_UNIT_ELEMENT_BYTES={}", unit()->element_bytes())});
  }

  void compare_command_set(const std::string& built_for) {
    if (unit() == nullptr) return;
    const std::string_view here = unit()->command_set_name();
    if (any_of(built_for, [&](std::string_view word) { return word == here; })) return;
    const std::string first = built_for.substr(0, built_for.find('|'));
    add({fmt::format("it was built for {} commands; this machine's matrix unit {} has {} commands", first,
                     unit_, here),
         fmt::format("cluster.matrix_units.{}.command_set={}", unit_, first), ""});
  }

  void compare_tensor_core(const std::string& built_for) {
    const auto& core = params_.cluster.tensor_core;
    if (any_of(built_for, [&](std::string_view style) { return core.is(style); })) return;
    const bool fragments = built_for.find('|') != std::string::npos;
    add({fmt::format(
             "it uses {}; this machine {}",
             fragments ? "fragments of warp matrices (wmma.h)" : fmt::format("{} tensor cores", built_for),
             core.present ? "has tensor cores of another style" : "has no tensor cores"),
         fmt::format("cluster.tensor_core.style={}", built_for.substr(0, built_for.find('|'))), ""});
  }

  void compare_lanes(std::uint64_t built_for) {
    const std::uint64_t here = params_.cluster.core.lanes;
    if (here == built_for) return;
    add({fmt::format("it relies on warps of {} lanes; warps of this machine have {}", built_for, here),
         fmt::format("cluster.core.lanes={}", built_for), ""});
  }

  void compare_async_copy() {
    if (params_.cluster.core.async_copy) return;
    add({"it copies asynchronously from global to shared memory (pipeline.h); cores of this machine cannot",
         "cluster.core.async_copy=true", ""});
  }

  void compare_clusters(std::uint64_t most) {
    if (params_.clusters <= most) return;
    add({fmt::format("it uses {} cluster{}; this machine has {}", most, most == 1 ? "" : "s",
                     params_.clusters),
         fmt::format("clusters={}", most), ""});
  }

  void compare_cores(std::uint64_t most) {
    const std::uint64_t cores = params_.clusters * params_.cluster.cores;
    if (cores <= most) return;
    add({fmt::format("its spawn_tasks() has room for {} cores; this machine has {}", most, cores),
         fmt::format("cluster.cores={}", most / params_.clusters),
         fmt::format("-DPLATFORM_MAX_CORES={}", cores)});
  }

  /// The stacks of all harts must be memory, must not reach what the program loads, and must be where caches interleave.
  void compare_stacks() {
    const auto stack = notes_.stack() ? loader::stack_layout(program_) : std::nullopt;
    if (!stack) return;
    const std::uint64_t interleaved = params_.cluster.coalescer.local_stride;
    if (interleaved != 0 && interleaved != stack->stride)
      add({fmt::format("its stacks are {} bytes apart; this machine interleaves stacks {} bytes apart "
                       "(cluster.coalescer.local_stride: {} + 16 with n from 8 to 13)",
                       stack->stride, interleaved, "2^n"),
           fmt::format("cluster.coalescer.local_stride={}", stack->stride), "",
           loader::uses_stack(program_)});
    const std::uint64_t bytes = harts() * stack->stride;
    const std::string built = fmt::format("its stacks, {} for each of {} harts, end at {:#010x}",
                                          size_text(stack->bytes), harts(), stack->top);
    const protocol::AddressMap::Range memory = map_.range(stack->top - 1);
    if (memory.region == nullptr || memory.region->route != protocol::Route::kGlobal)
      return add({fmt::format("{}, where this machine has {}", built,
                              memory.region != nullptr ? memory.region->name : "nothing"),
                  "", ""});
    if (bytes > stack->top - memory.begin)
      return add({fmt::format("{}; this machine has only {} of memory below", built,
                              size_text(stack->top - memory.begin)),
                  "", ""});
    for (const loader::Segment& segment : program_.segments)
      if (segment.address < stack->top && segment.address + segment.size() > stack->top - bytes)
        return add({fmt::format("{} and reach down to {:#010x}, into its '{}'", built, stack->top - bytes,
                                segment.name),
                    "", ""});
  }

  /// Registers of a slot shadow memory: not that of the program.
  void compare_registers(std::size_t number) {
    const SlotParams& slot = params_.slots[number];
    const auto compare_range = [&](const std::string& name, std::uint64_t base, std::uint64_t end) {
      if (slot.registers.base >= end || base >= slot.registers.base + slot.registers.bytes) return;
      const std::uint64_t free = free_address(params_, slot);
      add({fmt::format("the registers of the slot '{}', {}, overlap its {}, {}{}", slot.name,
                       loader::range_text(slot.registers.base, slot.registers.bytes), name,
                       loader::range_text(base, end - base), is_free(free)),
           free != 0 ? fmt::format("slots.{}.registers.base={:#x}", number, free) : "", ""});
    };
    if (slot.registers.bytes == 0) return;
    for (const loader::Segment& segment : program_.segments)
      compare_range(fmt::format("'{}'", segment.name), segment.address, segment.address + segment.size());
    const loader::Symbol *const heap = program_.find("__heap_start"), *const end =
                                                                          program_.find("__heap_end");
    if (heap != nullptr && end != nullptr) compare_range("heap", heap->address, end->address);
    if (const auto stacks = loader::stack_layout(program_))
      compare_range("stacks", stacks->begin(harts() - 1), stacks->top);
  }

  std::uint64_t harts() const { return params_.harts(); }

  void add(Mismatch mismatch) { found_.push_back(std::move(mismatch)); }

  const loader::Program& program_;
  const ElfNotes& notes_;
  const SocParams& params_;
  const protocol::AddressMap map_;
  std::uint64_t unit_ = 0;  // number of the matrix unit
  std::vector<Mismatch> found_;
};

bool fatal(const Mismatch& mismatch) { return mismatch.fatal; }

bool fits(const loader::Program& program, const std::string& config,
          const std::vector<std::string>& overrides, const std::filesystem::path& configs_dir) {
  try {
    return mismatches(program, config::read<SocParams>(config::load(config, overrides, configs_dir))).empty();
  } catch (const config::ConfigError&) {
    return false;
  }
}

std::vector<std::string> unique(std::vector<std::string> texts) {
  std::vector<std::string> result;
  for (std::string& text : texts)
    if (!text.empty() && std::find(result.begin(), result.end(), text) == result.end())
      result.push_back(std::move(text));
  return result;
}

}  // namespace

loader::Program load_program(const std::string& path, const SocParams& params) {
  loader::Program program = loader::load_elf(path);
  const auto layout = loader::stack_layout(program);
  const std::uint64_t stride = params.cluster.coalescer.local_stride;
  if (stride != 0 && layout && layout->stride != stride) loader::place_stacks(program, stride);
  return program;
}

loader::StackLayout own_stacks(const SocParams& params) {
  const auto& coalescer = params.cluster.coalescer;
  if (coalescer.local_stride == 0) return loader::kOwnStacks;
  return {coalescer.local_top, coalescer.local_stride, coalescer.local_stride};
}

StackRegion::StackRegion(const loader::Program& program, const SocParams& params) : threads(params.harts()) {
  std::optional<loader::StackLayout> stacks;
  if (params.cluster.coalescer.local_stride != 0) stacks = own_stacks(params);
  else if (loader::uses_stack(program)) stacks = loader::stack_layout(program);
  if (!stacks) return;
  begin = stacks->lowest(threads);
  end = stacks->top;
}

void StackRegion::check_outside(std::uint64_t address, std::uint64_t bytes) const {
  if (address >= end || address + bytes <= begin) return;
  throw input::UserError(fmt::format(
      "data at {} overlaps the stacks of the {} threads of this machine, {}: place it below {:#x}",
      loader::range_text(address, bytes), threads, loader::range_text(begin, end - begin), begin));
}

std::vector<Mismatch> mismatches(const loader::Program& program, const SocParams& params) {
  return NoteComparison(program, params).run();
}

std::string check_built_for(const loader::Program& program, const SocParams& params,
                            const std::string& config, const std::vector<std::string>& overrides,
                            const std::filesystem::path& configs_dir) {
  const std::vector<Mismatch> found = mismatches(program, params);
  if (std::none_of(found.begin(), found.end(), fatal)) {
    std::string warnings;
    for (const Mismatch& mismatch : found)
      warnings += fmt::format("warning: '{}': {}.\n", input::printable(program.path), mismatch.what);
    if (loader::uses_stack(program) && !loader::stack_layout(program))
      warnings +=
          fmt::format("note: '{}' has no information about its stacks: stack overflows are not detected.\n",
                      input::printable(program.path));
    return warnings;
  }
  std::string text = fmt::format("'{}' was not built for this machine ({})", input::printable(program.path),
                                 input::printable(config));
  std::vector<std::string> sets, builds, names;
  for (const Mismatch& mismatch : found) {
    text += "\n  " + mismatch.what;
    sets.push_back(mismatch.set);
    builds.push_back(mismatch.build);
  }
  sets = unique(std::move(sets));
  builds = unique(std::move(builds));
  std::vector<std::string> with = overrides;
  with.insert(with.end(), sets.begin(), sets.end());
  if (!sets.empty() && fits(program, config, with, configs_dir))
    text += fmt::format("\nIt would fit with: --set {}", fmt::join(sets, " --set "));
  if (!builds.empty())
    text += fmt::format("\nFor this machine, compile all of it with {}", fmt::join(builds, " "));
  for (const std::string& name : config::names(configs_dir))
    if (fits(program, name, {}, configs_dir)) names.push_back(name);
  if (!names.empty()) text += fmt::format("\nConfigurations it fits: {}", fmt::join(names, ", "));
  throw input::UserError(text);
}

}  // namespace spica::soc
