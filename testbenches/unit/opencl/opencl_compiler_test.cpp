// SPDX-License-Identifier: Apache-2.0
// Compiles with the tools of this build.
#include "platform/workloads/opencl/opencl_compiler.h"

#include <fmt/format.h>

#include <fstream>

#include "platform/base/input/user_error.h"
#include "platform/machine/loader/kernels.h"
#include "platform/machine/loader/program.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using opencl::OpenClCompiler;
using opencl::Result;
using opencl::Source;
using opencl::Status;

namespace {

/// With a cache of its own.
class Setup {
 public:
  Setup() { setenv("SPICA_CACHE", cache_.root().c_str(), 1); }
  ~Setup() { unsetenv("SPICA_CACHE"); }

  OpenClCompiler compiler{{SPICA_SOURCE_DIR, SPICA_RUNTIME, SPICA_PLUGIN, SPICA_MODULE}};

 private:
  testbench::TemporaryFolder cache_;
};

loader::Kernels kernels_in(const Result& result) {
  INFO(result.log);
  REQUIRE(result.status == Status::kSuccess);
  return loader::kernels_of(loader::load_elf(result.file.string()));
}

}  // namespace

TEST_CASE("the table of kernels has arguments, their places and types") {
  Setup setup;
  const Result result = setup.compiler.build(
      {"typedef struct { char c; double d; } Pair;\n"
       "kernel void one(global const float* restrict a, constant int4* b, local uchar* c, Pair pair, float3 v,\n"
       "                volatile global unsigned int* n, char last) {\n"
       "  local long own[5];\n"
       "  own[get_local_id(0)] = n[0];\n"
       "  barrier(CLK_LOCAL_MEM_FENCE);\n"
       "  n[0] = own[c[0]] + a[0] + b->x + pair.d + v.z + last;\n"
       "}\n"
       "kernel __attribute__((reqd_work_group_size(8, 4, 2))) void two() {}\n"},
      {});
  const loader::Kernels kernels = kernels_in(result);
  REQUIRE(kernels.all.size() == 2);
  const loader::Kernel& one = kernels.find("one", "");
  CHECK(one.head_bytes == 32);
  CHECK(one.threads == 0);
  CHECK(one.shared_bytes == 48);  // 40, and the next multiple of 16
  CHECK(one.open_shared);
  CHECK_FALSE(kernels.has_main);
  struct Row {
    const char *name, *type;
    unsigned offset, bytes;
    const char *space, *qualifiers;
  };
  const Row rows[] = {{"a", "float*", 32, 4, "global", "restrict const"},
                      {"b", "int4*", 36, 4, "constant", "const"},
                      {"c", "uchar*", 40, 4, "local", ""},
                      {"pair", "Pair", 48, 16, "private", ""},
                      {"v", "float3", 64, 16, "private", ""},
                      {"n", "uint*", 80, 4, "global", "volatile"},
                      {"last", "char", 84, 1, "private", ""}};
  REQUIRE(one.parameters.size() == std::size(rows));
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const loader::KernelParameter& parameter = one.parameters[i];
    INFO(rows[i].name);
    CHECK(parameter.name == rows[i].name);
    CHECK(parameter.type == rows[i].type);
    CHECK(parameter.offset == rows[i].offset);
    CHECK(parameter.bytes == rows[i].bytes);
    CHECK(parameter.address_space == rows[i].space);
    CHECK(parameter.qualifiers == rows[i].qualifiers);
    CHECK(parameter.access == "none");
    CHECK(parameter.is_local() == (i == 2));
  }
  const loader::Kernel& two = kernels.find("two", "");
  CHECK(two.parameters.empty());
  CHECK(two.threads == 64);
  CHECK(two.required_block == std::array<std::uint32_t, 3>{8, 4, 2});
  CHECK(two.attributes == "reqd_work_group_size(8,4,2)");
  CHECK(two.shared_bytes == 0);
}

TEST_CASE("the table of kernels has the private memory of a work item") {
  Setup setup;
  const loader::Kernels kernels = kernels_in(setup.compiler.build(
      {"kernel void k(global int* out, int n) { volatile int a[100]; a[n] = 1; out[0] = a[n + 1]; }\n"
       "kernel void none() {}"},
      {}));
  CHECK(kernels.find("k", "").private_bytes == 400);
  CHECK(kernels.find("none", "").private_bytes == 0);
}

TEST_CASE("a program is linked at the given address") {
  Setup setup;
  const Source source{"kernel void k(global int* out) { out[0] = 1; }"};
  for (const std::uint32_t base : {0x80000000u, 0x84000000u}) {
    const loader::Kernels kernels = kernels_in(setup.compiler.build(source, {0x10000, base}));
    CHECK(kernels.all.front().entry - base < 0x10000);
    CHECK(kernels.startup - base < 0x10000);
  }
}

TEST_CASE("the second build comes from the cache, with its log") {
  Setup setup;
  const Source source{"#warning once\nkernel void k(global int* out) { out[0] = 1; }"};
  const Result first = setup.compiler.build(source, {}), second = setup.compiler.build(source, {});
  CHECK(second.file == first.file);
  CHECK(first.log.rfind("program.cl:1:2: warning: once", 0) == 0);
  CHECK(second.log == first.log);
  CHECK(std::filesystem::last_write_time(second.file) == std::filesystem::last_write_time(first.file));
  Source other = source;
  other.options = "-DX";
  CHECK(setup.compiler.build(other, {}).file != first.file);
}

TEST_CASE("what is wrong with a program is in its log, with the name that the host gave") {
  Setup setup;
  const Result error = setup.compiler.build({"kernel void k() {\n  int x = y;\n}", "mine.cl"}, {});
  CHECK(error.status == Status::kCompileError);
  CHECK(error.log.rfind("mine.cl:2:11: error: use of undeclared identifier 'y'", 0) == 0);
  CHECK(error.file.empty());

  const Result options = setup.compiler.build({"kernel void k() {}", "mine.cl", "-fplugin=x -DA"}, {});
  CHECK(options.status == Status::kInvalidOptions);
  CHECK(options.log == "unknown options: -fplugin=x\n");

  const Result image = setup.compiler.build({"kernel void k(write_only image3d_t i, sampler_t s) {}"}, {});
  CHECK(image.status == Status::kCompileError);  // clang's: no image can be written in 3 dimensions

  const Result missing = setup.compiler.build({"void f(int);\nkernel void k() { f(1); }"}, {});
  CHECK(missing.status == Status::kLinkError);
  CHECK(missing.log.rfind("program.cl:2: error: undefined function 'f'", 0) == 0);
}

TEST_CASE("kernels with images, samplers and pipes are refused in one sentence each") {
  Setup setup;
  const Result result = setup.compiler.build(
      {"kernel void a(read_only image2d_t i) {}\nkernel void b(sampler_t s) {}\nkernel void c(global int* p) {}"},
      {});
  CHECK(result.status == Status::kLinkError);
  CHECK(result.log ==
        "program.cl:1: error: kernel 'a' uses images, which are unsupported: use buffers instead\n"
        "program.cl:2: error: kernel 'b' uses samplers, which are unsupported: use buffers instead\n");
}

TEST_CASE("objects are compiled with headers and linked, also by way of a library") {
  Setup setup;
  const Result one = setup.compiler.compile(
      {"#include \"deep/part.h\"\nkernel void k(global int* out) { out[0] = part(N); }",
       "one.cl",
       "-DN=4",
       {{"deep/part.h", "int part(int x);\n"}}});
  REQUIRE(one.status == Status::kSuccess);
  const Result two = setup.compiler.compile({"int part(int x) { return x + 1; }", "two.cl"});
  REQUIRE(two.status == Status::kSuccess);

  CHECK(kernels_in(setup.compiler.link({one.file, two.file}, "", {})).all.size() == 1);
  const Result library = setup.compiler.link({two.file}, "-create-library", {});
  REQUIRE(library.status == Status::kSuccess);
  CHECK(kernels_in(setup.compiler.link({one.file, library.file}, "", {})).all.size() == 1);

  const Result alone = setup.compiler.link({one.file}, "", {});
  CHECK(alone.status == Status::kLinkError);
  CHECK(alone.log.rfind("one.cl:2: error: undefined function 'part'", 0) == 0);
  const Result twice = setup.compiler.link({one.file, two.file, two.file}, "", {});
  CHECK(twice.status == Status::kLinkError);
  CHECK_THAT(twice.log, Catch::Contains("part") && Catch::Contains("multiply defined"));
}

TEST_CASE("a header that changes is noticed") {
  Setup setup;
  const testbench::TemporaryFolder folder;
  const auto build = [&](int value) {
    std::ofstream(folder.root() / "value.h") << "#define VALUE " << value << "\n";
    return setup.compiler.build({"#include \"value.h\"\nkernel void k(global int* out) { out[0] = VALUE; }",
                                 "program.cl", "-I " + folder.root().string()},
                                {});
  };
  const Result one = build(1), two = build(2), again = build(1);
  CHECK(one.status == Status::kSuccess);
  CHECK(two.file != one.file);
  CHECK(again.file == one.file);
}

TEST_CASE("a header that a host's header includes is noticed when it changes") {
  Setup setup;
  const testbench::TemporaryFolder folder;
  const auto compile = [&](int value) {
    std::ofstream(folder.root() / "value.h") << "#define VALUE " << value << "\n";
    return setup.compiler.compile({"#include <one.h>\nkernel void k(global int* out) { out[0] = VALUE; }",
                                   "program.cl",
                                   "-I " + folder.root().string(),
                                   {{"one.h", "#include \"value.h\"\n"}}});
  };
  const Result one = compile(1), two = compile(2);
  INFO(one.log);
  REQUIRE(one.status == Status::kSuccess);
  CHECK(two.file != one.file);
}

TEST_CASE("names of files that a host gives do not leave the folder of the build, nor become options") {
  Setup setup;
  const Result outside = setup.compiler.compile({"#include \"../x.h\"", "a.cl", "", {{"../x.h", ""}}});
  CHECK(outside.status == Status::kInvalidOptions);
  CHECK(outside.log == "the name '../x.h' of a header is not relative to its program\n");
  CHECK(setup.compiler.compile({"kernel void k() {}", "-fplugin=x.so"}).status == Status::kSuccess);
  const Result deep = setup.compiler.compile({"#error no", "/some/where/deep.cl"});
  CHECK(deep.log.rfind("deep.cl:1:2: error: no", 0) == 0);
}

TEST_CASE("an installation without the tool is named") {
  const OpenClCompiler compiler({SPICA_SOURCE_DIR, SPICA_RUNTIME, SPICA_PLUGIN, "/nowhere"});
  CHECK_THROWS_WITH(compiler.build({"kernel void k() {}"}, {}),
                    Catch::Contains("apt install llvm-19-dev libclc-19"));
}

TEST_CASE("a build that takes too long is ended") {
  Setup setup;
  setenv("SPICA_OPENCL_BUILD_SECONDS", "1", 1);
  // A sum of 2^30 numbers.
  std::string text = "#define A0 x\n";
  for (int i = 1; i <= 30; ++i) text += fmt::format("#define A{} A{} + A{}\n", i, i - 1, i - 1);
  const Result result =
      setup.compiler.build({text + "kernel void k(global int* out, int x) { out[0] = A30; }"}, {});
  unsetenv("SPICA_OPENCL_BUILD_SECONDS");
  CHECK(result.status == Status::kCompileError);
  CHECK(
      result.log ==
      "error: the compiler was ended after 1 seconds of processor time; SPICA_OPENCL_BUILD_SECONDS sets the limit\n");
}
