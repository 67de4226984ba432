// SPDX-License-Identifier: Apache-2.0
// A library of blocks is code: loading it runs it with the rights of the user. A library named by a configuration is
// therefore loaded only with consent.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace spica::soc {

/// The environment variable that holds the consent, inherited by child processes. "1" allows every library.
inline constexpr const char* kAllowPlugins = "SPICA_ALLOW_PLUGINS";

/// A library that a configuration names.
struct PluginFile {
  std::string path;  // path of the file
  std::string place, shown;  // "machine.yaml:2: plugins[0]", and its printable name there
};

/// Decides whether this process may load libraries named by configurations.
class PluginConsent {
 public:
  enum class Answer {
    kAllowed,
    kRefused,  // refused: an error of the user
    kLeftOut,  // not loaded: everything that depends on it is left unchecked
  };
  using Judge = std::function<Answer(const PluginFile&)>;

  static PluginConsent& of_this_process();
  /// The value of the environment variable; "" if it is not set.
  static std::string given();
  static void allow_all();

  /// Sets the function that decides. Without one, only the environment variable decides.
  void set_judge(Judge judge) { judge_ = std::move(judge); }
  Answer answer(const PluginFile& file);
  /// True if a library was not loaded, so that it may define kinds of blocks that are unknown here.
  bool has_not_loaded() const { return has_not_loaded_; }

  /// One sentence for each configuration that was not fully checked.
  const std::vector<std::string>& unchecked() const { return unchecked_; }
  void add_unchecked(std::string sentence);

 private:
  Judge judge_;
  bool has_not_loaded_ = false;
  std::vector<std::string> unchecked_;
};

/// The path of a library: `given` relative to `folder`, or as the system finds libraries; "" if there is none.
std::string plugin_path(const std::string& folder, const std::string& given);

}  // namespace spica::soc
