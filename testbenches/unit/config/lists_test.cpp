// SPDX-License-Identifier: Apache-2.0
// Lists of values, keys that must be given, and kinds of files other than configurations.
#include <sstream>

#include "testbenches/support/catch.h"
#include "testbenches/unit/config/machine_params.h"

using namespace spica;
using config_test::ConfigFolder;

namespace {

struct RecipeParams {
  std::string title;
  std::string flour;
  std::vector<unsigned> minutes{20};
  std::vector<std::string> steps;

  static constexpr std::string_view kRequired[] = {"flour", "steps"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("title", p.title, "shown in lists");
    field("flour", p.flour, "which one");
    field.list("minutes", p.minutes, "min", base::Range{1, 60}, "in the oven, one for each turn");
    field.list("steps", p.steps, "what to do", "grandmother");
  }
  template <class Report>
  static void check(const RecipeParams& p, Report&& contradiction) {
    for (std::size_t i = 0; i < p.steps.size(); ++i)
      if (p.steps[i].empty()) contradiction({"steps." + std::to_string(i)}, "a step must say something");
  }
};

const config::FileKind kRecipes{"recipe", "recipes"};

class Kitchen {
 public:
  RecipeParams read(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    folder_.write("recipes/r.yaml", text);
    RecipeParams params;
    config::apply(config::load("r", overrides, folder_.configs(), kRecipes), params);
    return params;
  }
  std::string problems(const std::string& text) const {
    try {
      read(text);
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return {};
  }
  const ConfigFolder& folder() const { return folder_; }

 private:
  ConfigFolder folder_;
};

}  // namespace

TEST_CASE("a list of values is read, and replaced as a whole or by entry") {
  Kitchen kitchen;
  CHECK(kitchen.read("flour: rye\nsteps: [knead, wait]\n").minutes == std::vector<unsigned>{20});
  const RecipeParams params = kitchen.read("flour: rye\nsteps: [knead, wait]\nminutes: [5, 0x10]\n",
                                           {"steps[1]=bake", "minutes[0]=7"});
  CHECK(params.minutes == std::vector<unsigned>{7, 16});
  CHECK(params.steps == std::vector<std::string>{"knead", "bake"});
  CHECK(kitchen.read("flour: rye\nsteps: []\nminutes: []\n").minutes.empty());
}

TEST_CASE("what is wrong with an entry of a list of values is said of the entry") {
  Kitchen kitchen;
  CHECK(kitchen.problems("flour: rye\nsteps: [knead, {a: 1}]\nminutes:\n  - 5\n  - long\n  - 90\n  - ~\n") ==
        "configs/recipes/r.yaml:2: steps[1]: a group of keys is not a string; allowed: any text\n"
        "configs/recipes/r.yaml:5: minutes[1]: \"long\" is not a whole number; allowed: 1..60 min\n"
        "configs/recipes/r.yaml:6: minutes[2]: 90 is out of range; allowed: 1..60 min\n"
        "configs/recipes/r.yaml:7: minutes[3]: nothing is not a whole number; allowed: 1..60 min");
  CHECK(kitchen.problems("flour: rye\nsteps: knead\nminutes: 5\n") ==
        "configs/recipes/r.yaml:2: steps: \"knead\" is not a list; allowed: a list, each entry any text\n"
        "configs/recipes/r.yaml:3: minutes: \"5\" is not a list; allowed: a list, each entry 1..60 min");
  CHECK(kitchen.problems("flour: rye\nsteps: [knead, '']\n") ==
        "configs/recipes/r.yaml:2: steps[1]: a step must say something; "
        "steps[1] =  (configs/recipes/r.yaml:2)");
}

TEST_CASE("a key that must be given and is not is missing") {
  Kitchen kitchen;
  CHECK(kitchen.problems("title: bread\n") ==
        "configs/recipes/r.yaml:1: flour: is missing; allowed: any text\n"
        "configs/recipes/r.yaml:1: steps: is missing; allowed: a list, each entry any text");
  CHECK(kitchen.problems("") ==
        "configs/recipes/r.yaml: flour: is missing; allowed: any text\n"
        "configs/recipes/r.yaml: steps: is missing; allowed: a list, each entry any text");
  // of a file that cannot be read nothing is known
  CHECK(
      kitchen.problems("extends: none.yaml\n") ==
      "configs/recipes/r.yaml:1: extends: cannot read configs/recipes/none.yaml: No such file or directory; "
      "allowed: a path relative to this file, or the name of a file in configs");
}

TEST_CASE("files of another kind have a folder of their own, and are named after what they are") {
  Kitchen kitchen;
  kitchen.folder().write("recipes/bread.yaml", "title: Bread\norder: 20\n");
  kitchen.folder().write("recipes/cake.yaml", "title: Cake\norder: 10\n");
  kitchen.folder().write("recipes/aspic.yaml", "flour: none\n");
  kitchen.folder().write("recipes/broken.yaml", "title: [\n");
  RecipeParams params;
  CHECK_THROWS_WITH(
      config::apply(config::load("bred", {}, kitchen.folder().configs(), kRecipes), params),
      "bred: no such recipe, did you mean \"bread\"?; allowed: aspic, bread, broken, cake, or the path of a YAML "
      "file");
  std::string listed;
  for (const config::Entry& entry : config::entries(kitchen.folder().configs(), kRecipes))
    listed += entry.name + "(" + entry.title + ") ";
  CHECK(listed == "cake(Cake) bread(Bread) aspic() broken() ");
}

TEST_CASE("a value knows the folder of the file in which it stands") {
  Kitchen kitchen;
  const ConfigFolder& folder = kitchen.folder();
  folder.write("other/base.yaml", "flour: rye\n");
  folder.write("recipes/r.yaml", "extends: other/base\nsteps: [bake]\n");
  const config::Source source = config::load("r", {"title=x"}, folder.configs(), kRecipes);
  CHECK(source.folder_of("flour") == folder.configs() / "other");
  CHECK(source.folder_of("steps.0") == folder.configs() / "recipes");
  CHECK(source.folder_of("title").empty());
  CHECK(source.folder_of("minutes").empty());
}

TEST_CASE("lists of values and keys that must be given are listed, dumped and in the schema") {
  Kitchen kitchen;
  const auto all = config::list<RecipeParams>();
  REQUIRE(all.size() == 4);
  CHECK(all[1].default_value == "required");
  CHECK(all[2].kind == "list");
  CHECK(all[2].default_value == "[20]");
  CHECK(all[2].allowed == "a list, each entry 1..60 min");
  CHECK(all[3].default_value == "required");

  kitchen.folder().write("recipes/r.yaml", "flour: rye\nsteps: [knead, bake]\n");
  const config::Source source = config::load("r", {}, kitchen.folder().configs(), kRecipes);
  RecipeParams params;
  config::apply(source, params);
  std::ostringstream dump;
  config::dump(dump, params, source);
  CHECK(dump.str() ==
        "title: \"\"     # default\n"
        "flour: \"rye\"  # configs/recipes/r.yaml:1\n"
        "minutes:\n"
        "  - 20        # default\n"
        "steps:\n"
        "  - \"knead\"   # configs/recipes/r.yaml:2\n"
        "  - \"bake\"    # configs/recipes/r.yaml:2\n");
  CHECK(kitchen.read(dump.str()).steps == params.steps);

  std::ostringstream schema;
  config::schema<RecipeParams>(schema);
  CHECK(schema.str().find("\"minimum\": 1") != std::string::npos);
}
