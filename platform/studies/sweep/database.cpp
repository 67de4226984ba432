// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>

namespace spica::sweep {

namespace {
[[noreturn]] void fail(sqlite3* handle, const std::string& file) {
  throw DatabaseError(fmt::format("SQLite {}: {}", file, sqlite3_errmsg(handle)));
}
}  // namespace

Database::Database(const std::string& file, Access access) {
  const int flags =
      access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (sqlite3_open_v2(file.c_str(), &handle_, flags, nullptr) == SQLITE_OK) return;
  const std::string why = sqlite3_errmsg(handle_);
  sqlite3_close(handle_);
  throw DatabaseError(fmt::format("SQLite cannot open {}: {}", file, why));
}

Database::~Database() { sqlite3_close(handle_); }

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(handle_, sql);
}

Database::Statement::Statement(Database& database, const std::string& sql) : database_(database.handle_) {
  if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) fail(database_, sql);
}
Database::Statement::~Statement() { sqlite3_finalize(statement_); }

void Database::Statement::check(int result) const {
  if (result != SQLITE_OK) fail(database_, "value");
}

void Database::Statement::bind(int place, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, place, value));
}
void Database::Statement::bind(int place, double value) {
  constexpr double kWhole = 9.0e15;
  if (std::fabs(value) < kWhole && std::floor(value) == value) bind(place, static_cast<std::int64_t>(value));
  else check(sqlite3_bind_double(statement_, place, value));
}
void Database::Statement::bind(int place, std::string_view value) {
  check(sqlite3_bind_text(statement_, place, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
}
void Database::Statement::bind_nothing(int place) { check(sqlite3_bind_null(statement_, place)); }

void Database::Statement::bind(int place, const config::Operand& value) {
  if (const double* number = std::get_if<double>(&value)) bind(place, *number);
  else if (const std::string* text = std::get_if<std::string>(&value)) bind(place, std::string_view(*text));
  else bind_nothing(place);
}

bool Database::Statement::step() {
  const int result = sqlite3_step(statement_);
  if (result != SQLITE_ROW && result != SQLITE_DONE) fail(database_, "step");
  return result == SQLITE_ROW;
}

void Database::Statement::reset() { sqlite3_reset(statement_); }

config::Operand Database::Statement::column(int place) const {
  switch (sqlite3_column_type(statement_, place)) {
    case SQLITE_NULL: return {};
    case SQLITE_INTEGER:
    case SQLITE_FLOAT: return sqlite3_column_double(statement_, place);
    default: return std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement_, place)));
  }
}

std::string sql_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

}  // namespace spica::sweep
