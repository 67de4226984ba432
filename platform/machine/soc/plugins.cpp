// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/plugins.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "models/assembly/adapter_kinds.h"
#include "models/cluster/kinds.h"
#include "platform/base/input/printable.h"
#include "platform/machine/soc/block.h"
#include "platform/machine/soc/plugin_consent.h"
#include "platform/machine/soc/plugin_files.h"

namespace spica::soc {

template <>
const char ThisBuild::mark = 0;

namespace {

namespace fs = std::filesystem;

struct KnownKind {
  MakeBlockParams params;
  std::string library;  // as the configuration names it; empty: of this program
};

std::map<std::string, KnownKind>& known_kinds() {
  const auto none = [] { return std::make_shared<BlockParamsOf<NoParams>>(); };
  const auto widths = [] { return std::make_shared<BlockParamsOf<assembly::WidthBridgeParams>>(); };
  static std::map<std::string, KnownKind> all{{"tlm_monitor", {none, {}}},
                                              {"protocol_checker", {none, {}}},
                                              {"warp_to_base", {none, {}}},
                                              {"width_bridge", {widths, {}}}};
  return all;
}

/// What happens while libraries are loaded: nothing may be thrown then, or before main().
struct Loading {
  std::string library;
  std::size_t added = 0;
  std::vector<std::string> refused;
};
Loading& loading() {
  static Loading state;
  return state;
}

std::string twice(const std::string& kind) {
  const auto known = known_kinds().find(kind);
  const std::string owner = known == known_kinds().end() ? "one of Spica itself"
                            : !known->second.library.empty()
                                ? fmt::format("that of {}", known->second.library)
                                : "one of this program";
  return fmt::format(
      "there are two kinds of block '{}', this and {}: give one of them another name in SPICA_BLOCK", kind,
      owner);
}

/// What the loader says of a library that does not fit, in words that help.
std::string load_error(std::string_view error) {
  constexpr std::string_view kUndefined = "undefined symbol: ";
  const std::size_t found = error.find(kUndefined);
  if (found == std::string_view::npos) return fmt::format("the library cannot be loaded: {}", error);
  const std::string symbol(error.substr(found + kUndefined.size()));
  char* const plain = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr);
  const std::string name = plain != nullptr ? plain : symbol;
  std::free(plain);
  unsigned major = 0, minor = 0, patch = 0;
  std::string with = "another version of Spica";
  if (std::sscanf(name.c_str(), "spica::soc::BuiltWith<%uu, %uu, %uu", &major, &minor, &patch) == 3) {
    with = fmt::format("Spica {}.{}.{}", major, minor, patch);
    if (with == "Spica " SPICA_VERSION)
      with = "another state of Spica " SPICA_VERSION ", or other compiler options";
  } else if (name.compare(0, 7, "spica::") != 0) {
    return fmt::format("the library cannot be loaded: it needs {}, which is not defined anywhere", name);
  }
  return fmt::format(
      "the library was built with {}; this is Spica " SPICA_VERSION ": build it again with this one", with);
}

/// All libraries in this process.
std::set<std::string> libraries() {
  std::set<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* into) {
        if (library->dlpi_name != nullptr && *library->dlpi_name == '/')
          static_cast<std::set<std::string>*>(into)->insert(library->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

/// What loading a library has brought into the process, by its path.
std::map<std::string, std::set<std::string>>& brought() {
  static std::map<std::string, std::set<std::string>> all;
  return all;
}

/// The file of the plugin with this number; "" when there is none.
std::string path_of(const config::Source& source, std::size_t i) {
  const std::string path = plugin_path(source.folder_of(fmt::format("plugins.{}", i)).string(),
                                       source.root.find("plugins")->children[i].scalar);
  return path.empty() ? path : fs::absolute(path).string();
}

std::vector<std::string> load(const std::string& path, const std::string& shown) {
  const std::set<std::string> before = libraries();
  void* const known = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (known != nullptr) dlclose(known);
  loading() = {shown, 0, {}};
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  const Loading result = std::exchange(loading(), {});
  if (library == nullptr) return {load_error(dlerror())};
  for (const std::string& name : libraries())
    if (before.count(name) == 0) brought()[path].insert(name);
  if (known == nullptr && result.added == 0 && result.refused.empty())
    return {"the library defines no block; add SPICA_BLOCK after a class (docs/howto/own-block.md)"};
  return result.refused;
}

}  // namespace

void add_block(assembly::Kind kind, MakeBlockParams params) {
  cluster::add_kinds();
  if (assembly::kinds().find(kind.name) != nullptr) throw assembly::PlanError(twice(kind.name));
  kind.foreign = true;
  known_kinds()[kind.name] = {std::move(params), loading().library};
  assembly::kinds().add(std::move(kind));
  ++loading().added;
}

void detail::add_block_of(assembly::Kind kind, MakeBlockParams params, const char*) {
  try {
    add_block(std::move(kind), std::move(params));
  } catch (const assembly::PlanError& error) {
    loading().refused.emplace_back(error.what());
  }
}

std::shared_ptr<BlockParams> params_of_kind(const std::string& kind) {
  const auto found = known_kinds().find(kind);
  return found != known_kinds().end() ? found->second.params() : nullptr;
}

std::vector<std::pair<std::string, std::string>> kinds_for_configurations() {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const auto& [name, known] : known_kinds()) kinds.emplace_back(name, assembly::kinds().at(name).doc);
  return kinds;
}

namespace {

/// The keys of slots whose kind nothing here has: it may be in a library that was left out.
std::vector<std::string> keys_of_unknown_kinds(const config::Node& root) {
  std::vector<std::string> keys;
  const config::Node* const slots = root.find("slots");
  for (std::size_t i = 0; slots != nullptr && i < slots->children.size(); ++i) {
    const config::Node* const kind = slots->children[i].find("kind");
    if (kind == nullptr || known_kinds().count(kind->scalar) != 0) continue;
    keys.push_back(fmt::format("slots[{}].kind", i));
    if (slots->children[i].find("params") != nullptr) keys.push_back(fmt::format("slots[{}].params", i));
  }
  return keys;
}

/// The libraries that a configuration names, one after the other.
class PluginLoader {
 public:
  PluginLoader(const config::Source& source, std::vector<config::Problem>& problems)
      : source_(source), problems_(problems) {}

  void load_all(const config::Node& plugins) {
    for (std::size_t i = 0; i < plugins.children.size(); ++i) load_one(plugins.children[i], i);
    if (left_out_.empty()) return;
    const std::vector<std::string> keys = keys_of_unknown_kinds(source_.root);
    PluginConsent::of_this_process().add_unchecked(
        fmt::format("{} {} not loaded, because {} content was not allowed (--allow-plugins); unchecked: {}",
                    fmt::join(left_out_, ", "), left_out_.size() == 1 ? "was" : "were",
                    left_out_.size() == 1 ? "its" : "their",
                    keys.empty() ? "the library" : fmt::format("{}", fmt::join(keys, ", "))));
  }

 private:
  void load_one(const config::Node& plugin, std::size_t number) {
    const std::string key = fmt::format("plugins.{}", number);
    const auto report = [&](std::string what) {
      problems_.push_back({plugin.place, key, std::move(what), {}});
    };
    const std::string path = path_of(source_, number);
    if (path.empty())
      return report(
          load_error(plugin.scalar + ": cannot open shared object file: No such file or directory"));
    const PluginFile file{path, fmt::format("{}: plugins[{}]", plugin.place.text(), number),
                          input::printable(plugin.scalar)};
    switch (PluginConsent::of_this_process().answer(file)) {
      case PluginConsent::Answer::kRefused:
        return report(fmt::format(
            "'{}' is a library whose code would run with your rights, and its content was not allowed. If you trust it, "
            "use --allow-plugins, or {}=1 in the environment",
            file.shown, kAllowPlugins));
      case PluginConsent::Answer::kLeftOut:
        left_out_.push_back(fmt::format("{} '{}'", file.place, file.shown));
        return;
      case PluginConsent::Answer::kAllowed:
        for (std::string& sentence : load(path, plugin.scalar)) report(std::move(sentence));
    }
  }

  const config::Source& source_;
  std::vector<config::Problem>& problems_;
  std::vector<std::string> left_out_;
};

}  // namespace

void load_plugins(const config::Source& source, std::vector<config::Problem>& problems) {
  for (const std::string& sentence : loading().refused)  // of this program
    problems.push_back({config::Place{source.name}, {}, sentence, {}});
  if (const config::Node* const plugins = source.root.find("plugins"))
    PluginLoader(source, problems).load_all(*plugins);
}

std::vector<fs::path> plugin_files(const config::Source& source) {
  std::vector<fs::path> files;
  const config::Node* const plugins = source.root.find("plugins");
  for (std::size_t i = 0; plugins != nullptr && i < plugins->children.size(); ++i)
    for (const std::string& name : brought()[path_of(source, i)]) files.emplace_back(name);
  return files;
}

}  // namespace spica::soc
