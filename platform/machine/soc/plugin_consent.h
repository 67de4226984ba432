// SPDX-License-Identifier: Apache-2.0
// A library of blocks that a configuration names is code: loading it runs it, with the rights of the user. So it is
// loaded only if it was allowed.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace spica::soc {

/// The environment variable that carries the consent, to child processes too. "1" allows every library.
inline constexpr const char* kAllowPlugins = "SPICA_ALLOW_PLUGINS";

/// A library that a configuration names.
struct PluginFile {
  std::string path;  // of the file
  std::string place, shown;  // "machine.yaml:2: plugins[0]", and its name there, printable
};

/// Whether this process may load libraries that configurations name.
class PluginConsent {
 public:
  enum class Answer {
    kAllowed,
    kRefused,  // an error of the user
    kLeftOut,  // not loaded; what depends on it stays unchecked
  };
  using Judge = std::function<Answer(const PluginFile&)>;

  static PluginConsent& of_this_process();
  /// The value of the environment variable; "" without one.
  static std::string given();
  static void allow_all();

  /// Who decides. Without a judge, the environment variable alone does.
  void set_judge(Judge judge) { judge_ = std::move(judge); }
  Answer answer(const PluginFile& file);
  /// Whether a library was not loaded: kinds of blocks that nothing here has may be in it.
  bool has_not_loaded() const { return has_not_loaded_; }

  /// A sentence for each configuration of which something was left out.
  const std::vector<std::string>& unchecked() const { return unchecked_; }
  void add_unchecked(std::string sentence);

 private:
  Judge judge_;
  bool has_not_loaded_ = false;
  std::vector<std::string> unchecked_;
};

/// The file of a library: `given` relative to `folder`, or where the system looks for libraries; "" when there is none.
std::string plugin_path(const std::string& folder, const std::string& given);

}  // namespace spica::soc
