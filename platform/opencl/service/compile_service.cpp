// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/service/compile_service.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/input/file.h"
#include "platform/base/input/temporary_folder.h"
#include "platform/base/input/user_error.h"
#include "platform/bindings/client/channel.h"
#include "platform/machine/loader/kernels.h"
#include "platform/machine/loader/program.h"
#include "platform/workloads/opencl/opencl_compiler.h"

namespace spica::opencl {

namespace fs = std::filesystem;

namespace {

/// The value for a word of the kernel table. Words of another version of the table are internal errors.
template <class T>
T value_of(const std::map<std::string, T>& values, const std::string& word) {
  return values.at(word);
}

KernelArgument argument_of(const loader::KernelParameter& parameter) {
  static const std::map<std::string, cl_kernel_arg_address_qualifier> spaces = {
      {"private", CL_KERNEL_ARG_ADDRESS_PRIVATE},
      {"global", CL_KERNEL_ARG_ADDRESS_GLOBAL},
      {"constant", CL_KERNEL_ARG_ADDRESS_CONSTANT},
      {"local", CL_KERNEL_ARG_ADDRESS_LOCAL}};
  static const std::map<std::string, cl_kernel_arg_access_qualifier> accesses = {
      {"none", CL_KERNEL_ARG_ACCESS_NONE},
      {"read_only", CL_KERNEL_ARG_ACCESS_READ_ONLY},
      {"write_only", CL_KERNEL_ARG_ACCESS_WRITE_ONLY},
      {"read_write", CL_KERNEL_ARG_ACCESS_READ_WRITE}};
  static const std::map<std::string, cl_kernel_arg_type_qualifier> qualifiers = {
      {"const", CL_KERNEL_ARG_TYPE_CONST},
      {"restrict", CL_KERNEL_ARG_TYPE_RESTRICT},
      {"volatile", CL_KERNEL_ARG_TYPE_VOLATILE},
      {"pipe", CL_KERNEL_ARG_TYPE_PIPE}};
  KernelArgument argument;
  argument.name = parameter.name;
  argument.type = parameter.type;
  argument.space = value_of(spaces, parameter.address_space);
  argument.access = value_of(accesses, parameter.access);
  argument.offset = parameter.offset;
  argument.bytes = parameter.bytes;
  std::istringstream words(parameter.qualifiers);
  for (std::string word; words >> word;) argument.qualifiers |= value_of(qualifiers, word);
  return argument;
}

KernelDescription description_of(const loader::Kernel& kernel) {
  KernelDescription description;
  description.name = kernel.name;
  for (const loader::KernelParameter& parameter : kernel.parameters)
    description.arguments.push_back(argument_of(parameter));
  description.required_local = kernel.required_block;
  description.local_bytes = kernel.shared_bytes;
  description.private_bytes = kernel.private_bytes;
  description.attributes = kernel.attributes;
  return description;
}

std::string contents(const fs::path& file) {
  const std::vector<unsigned char> bytes = input::read_file(file.string());
  return {bytes.begin(), bytes.end()};
}

/// The codes of a request as files.
class CodeFiles {
 public:
  explicit CodeFiles(const std::vector<std::string>& codes)
      : folder_((fs::temp_directory_path() / "spica-opencl").string()) {
    if (!folder_.problem().empty()) throw input::UserError("no temporary folder: " + folder_.problem());
    for (const std::string& code : codes) {
      files_.push_back(folder_.path() / (std::to_string(files_.size()) + ".bc"));
      input::write_text(files_.back().string(), code);
    }
  }
  const std::vector<fs::path>& files() const { return files_; }

 private:
  input::TemporaryFolder folder_;
  std::vector<fs::path> files_;
};

Result run(const CompilerRequest& request, const OpenClCompiler& compiler) {
  if (request.step == CompilerRequest::Step::kCompile) {
    Source source;
    source.text = request.source;
    source.options = request.options;
    for (const auto& [name, text] : request.headers) source.headers.push_back({name, text});
    return compiler.compile(source);
  }
  const bool combines = request.step == CompilerRequest::Step::kCombine;
  const CodeFiles codes(request.codes);
  return compiler.link(codes.files(), request.options + (combines ? " -create-library" : ""),
                       {request.local_bytes, request.base});
}

void describe(BuildResult& result, std::uint32_t base, const std::string& file) {
  const loader::Program program = loader::load_elf(file);
  for (const loader::Kernel& kernel : loader::kernels_of(program).all)
    result.kernels.push_back(description_of(kernel));
  for (const loader::Segment& segment : program.segments)
    result.image_bytes = std::max(result.image_bytes, segment.address + segment.size() - base);
}

}  // namespace

CompilerAnswer answer_of(const CompilerRequest& request, const compiler::KernelHome& home) try {
  const Result made = run(request, OpenClCompiler(home));
  CompilerAnswer answer;
  answer.result.log = made.log;
  answer.result.status = made.status == Status::kSuccess          ? CL_SUCCESS
                         : made.status == Status::kInvalidOptions ? CL_INVALID_BUILD_OPTIONS
                                                                  : CL_BUILD_PROGRAM_FAILURE;
  if (made.status != Status::kSuccess) return answer;
  answer.result.code = contents(made.file);
  if (request.step == CompilerRequest::Step::kLink) describe(answer.result, request.base, made.file.string());
  return answer;
} catch (const input::UserError& error) {
  CompilerAnswer answer;
  answer.error = error.what();
  return answer;
}

void serve_compiler(int socket, const compiler::KernelHome& home) {
  std::optional<std::string> message = client::receive_message(socket);
  if (!message) return;  // the driver has ended
  client::Reader from(std::move(*message));
  CompilerRequest request;
  from >> request;
  client::Writer to;
  to << answer_of(request, home);
  client::send_message(socket, to.bytes());
}

}  // namespace spica::opencl
