// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/design_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/base/suggest.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::config {

template Field describe(workloads::GemmDesign& design, std::string_view name, std::string_view doc,
                        std::string_view source);
template Field describe(workloads::AttentionDesign& design, std::string_view name, std::string_view doc,
                        std::string_view source);

}  // namespace spica::config

namespace spica::workloads {

namespace fs = std::filesystem;

const config::FileKind kGemmDesigns{"design", "designs"};
const config::FileKind kAttentionDesigns{"attention design", "designs/attention"};

namespace {

/// What a design file names, relative to the file that names it.
class References {
 public:
  References(const config::Source& source, const fs::path& configs_dir,
             std::vector<config::Problem>& problems)
      : source_(source), configs_dir_(configs_dir), problems_(problems) {}

  /// "mine": stays a name.
  void configuration(const std::string& key, std::string& config) {
    if (config.empty()) return;  // it is missing
    const fs::path beside = source_.folder_of(key) / config;
    std::error_code ignored;
    if (fs::is_regular_file(beside, ignored)) {
      config = beside.string();
    } else if (!config::find_file(config, configs_dir_)) {
      const std::vector<std::string> known = config::names(configs_dir_);
      report(key, "no such configuration" + base::did_you_mean(config, known),
             fmt::format("{}, or a path relative to this file", fmt::join(known, ", ")));
    }
  }

  /// The same for an attention design.
  void attention(const std::string& key, std::string& design) {
    if (design.empty()) return;
    const fs::path beside = source_.folder_of(key) / design;
    std::error_code ignored;
    const std::vector<std::string> known = config::names(configs_dir_, kAttentionDesigns);
    if (fs::is_regular_file(beside, ignored)) {
      design = beside.string();
    } else if (std::find(known.begin(), known.end(), design) == known.end()) {
      report(key, "no such attention design" + base::did_you_mean(design, known),
             fmt::format("{}, or a path relative to this file", fmt::join(known, ", ")));
    }
  }

  /// The file of a user's kernel; empty for the name of one that comes with the platform.
  std::string kernel(const std::string& key, const std::string& kernel,
                     const std::vector<std::string>& defines) {
    if (!is_path(kernel)) return {};
    const fs::path file = source_.folder_of(key) / kernel;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
      report(key,
             fmt::format("there is no file {}{}{}", file.string(),
                         defines.empty() ? "" : "; it is compiled with -D", fmt::join(defines, " -D")),
             "the path of an ELF file relative to this file, or the name of a kernel that comes with Spica");
    return file.string();
  }

  /// The first of the keys from which a kernel is compiled that a file sets which extends the file of `kernel`; nullptr:
  /// none. The ready kernel was compiled without that value.
  const char* outdates_kernel() const {
    for (const char* key : {"source", "compiler", "defines"})
      if (file_of(key) < file_of("kernel")) return key;
    return nullptr;
  }

  /// Reports a compiler for a kernel that comes with the platform and was compiled by another one.
  void check_compiler(const std::string& kernel, const config::FileKind& kind) {
    if (kernel.empty() || is_path(kernel) || file_of("compiler") == source_.files.size()) return;
    const fs::path folder = fs::absolute(source_.folder_of("compiler")).lexically_normal(),
                   shipped = fs::absolute(configs_dir_).lexically_normal();
    if (std::mismatch(shipped.begin(), shipped.end(), folder.begin(), folder.end()).first == shipped.end())
      return;
    const std::string usual(kToolchains.name_of(GemmDesign().toolchain)), given = scalar(source_, "compiler");
    std::set<std::string> own;  // of the designs that come with this kernel
    for (const std::string& name : config::names(configs_dir_, kind))
      if (const config::Source design = config::load(name, {}, configs_dir_, kind);
          scalar(design, "kernel") == kernel)
        own.insert(design.root.find("compiler") != nullptr ? scalar(design, "compiler") : usual);
    if (own.empty() || own.count(given) != 0) return;
    report("compiler", fmt::format("has no effect on {}, a compiled kernel that comes with Spica", kernel),
           "no kernel, so that the source is compiled");
  }

  /// Reports a key of outdates_kernel() that has no effect because nothing can be compiled.
  void report_effect(const char* key, const std::string& kernel) {
    report(key, fmt::format("has no effect on {}, which is compiled already", kernel),
           "a kernel in the same file, or a source");
  }

  /// A file next to the design.
  std::string file(const std::string& key, const std::string& name) {
    if (name.empty()) return {};
    const fs::path file = source_.folder_of(key) / name;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
      report(key, fmt::format("there is no file {}", file.string()), "a path relative to this file");
    return file.string();
  }

  /// The file of a kernel's source.
  std::string source(const std::string& key, const std::string& source) {
    if (source.empty()) return {};
    const fs::path shipped =
        fs::absolute(configs_dir_).lexically_normal().parent_path() / "sw/kernels" / source / "main.cpp";
    const fs::path file =
        is_path(source) ? fs::absolute(source_.folder_of(key) / source).lexically_normal() : shipped;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
      report(key, fmt::format("there is no file {}", file.string()),
             "a folder of sw/kernels of Spica, or the path of a C++ file relative to this file");
    return file.string();
  }

 private:
  /// A name of something that comes with the platform otherwise.
  static bool is_path(const std::string& given) {
    return given.find('/') != std::string::npos || fs::path(given).has_extension();
  }

  /// The value of a key as written; empty: it is not.
  static std::string scalar(const config::Source& source, const char* key) {
    const config::Node* const node = source.root.find(key);
    return node != nullptr ? node->scalar : std::string();
  }

  /// The number of the file that sets a key: a file has a lower one than those that it extends.
  std::size_t file_of(const std::string& key) const {
    const std::string file = config::place_of(source_.root, key).file;
    const auto found = std::find(source_.files.begin(), source_.files.end(), file);
    return static_cast<std::size_t>(found - source_.files.begin());
  }

  void report(const std::string& key, const std::string& what, const std::string& allowed) {
    problems_.push_back({config::place_of(source_.root, key), key, what, allowed});
  }

  const config::Source& source_;
  const fs::path& configs_dir_;
  std::vector<config::Problem>& problems_;
};

}  // namespace

std::string name_of(const config::Source& source) {
  const fs::path file = source.paths.empty() ? fs::path(source.name) : source.paths.front();
  return input::printable(file.stem().string());
}

GemmDesign gemm_design_of(const config::Source& source, const fs::path& configs_dir) {
  GemmDesign design;
  design.name = name_of(source);
  config::apply(source, design, [&](std::vector<config::Problem>& problems) {
    References references(source, configs_dir, problems);
    references.configuration("config", design.config);
    if (const char* key = references.outdates_kernel(); key != nullptr && !design.kernel.empty()) {
      if (design.source.empty()) references.report_effect(key, design.kernel);
      design.kernel.clear();
    }
    references.check_compiler(design.kernel, kGemmDesigns);
    design.kernel_file = references.kernel("kernel", design.kernel, design.defines);
    design.source_file = references.source("source", design.source);
    design.suppressions_file = references.file("suppressions", design.suppressions);
  });
  return design;
}

AttentionDesign attention_design_of(const config::Source& source, const fs::path& configs_dir) {
  AttentionDesign design;
  design.name = name_of(source);
  config::apply(source, design, [&](std::vector<config::Problem>& problems) {
    References references(source, configs_dir, problems);
    references.configuration("config", design.config);
    references.attention("fp16", design.fp16);
    if (const char* key = references.outdates_kernel()) references.report_effect(key, design.kernel);
    references.check_compiler(design.kernel, kAttentionDesigns);
    design.kernel_file = references.kernel("kernel", design.kernel, design.defines);
    design.polynomial_file = references.kernel("polynomial_kernel", design.polynomial_kernel, design.defines);
    design.source_file = references.source("source", design.source);
  });
  return design;
}

GemmDesign read_gemm_design(const std::string& name, const fs::path& configs_dir) {
  GemmDesign design = gemm_design_of(config::load(name, {}, configs_dir, kGemmDesigns), configs_dir);
  design.given = name;
  return design;
}

AttentionDesign read_attention_design(const std::string& name, const fs::path& configs_dir) {
  return attention_design_of(config::load(name, {}, configs_dir, kAttentionDesigns), configs_dir);
}

GemmDesign design_for(const std::string& config, const soc::SocParams& params, const fs::path& configs_dir) {
  std::vector<GemmDesign> designs;
  for (const std::string& name : config::names(configs_dir, kGemmDesigns))
    designs.push_back(read_gemm_design(name, configs_dir));
  std::stable_sort(designs.begin(), designs.end(),
                   [](const GemmDesign& a, const GemmDesign& b) { return a.order < b.order; });
  const std::string name = fs::path(config).stem().string();
  for (const GemmDesign& design : designs)
    if (std::find(design.standard.begin(), design.standard.end(), name) != design.standard.end())
      return design;
  for (const GemmDesign& design : designs)
    if (!design.standard.empty() && unfit(design, params).empty()) return design;
  std::vector<std::string> names;
  for (const GemmDesign& design : designs) names.push_back(design.name);
  throw input::UserError(fmt::format("no design fits configuration {}; choose one with --design: {}", config,
                                     fmt::join(names, ", ")));
}

}  // namespace spica::workloads
