#include "sdk/database/database.h"

#include <sqlite3.h>

#include "common/base/try.h"

namespace hearsay::sdk {
namespace {

// These settings make the database durable, private and free of temporary files. README.md gives the reason for each.
constexpr const char* kSettings =
    "PRAGMA page_size = 4096;"
    "PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA journal_mode = TRUNCATE;"
    "PRAGMA synchronous = EXTRA;"
    "PRAGMA fullfsync = ON;"
    "PRAGMA secure_delete = ON;"
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA cache_spill = OFF;"
    "PRAGMA mmap_size = 0;"
    "PRAGMA trusted_schema = OFF;"
    "PRAGMA cell_size_check = ON;";

// The SQL itself is right, so an error in the SQL means that the file's tables are damaged.
ErrorCode kind(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kInUse;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_ERROR:
      return ErrorCode::kLedgerDamaged;
    case SQLITE_TOOBIG:
      return ErrorCode::kLimitExceeded;
    case SQLITE_NOMEM:
    case SQLITE_MISUSE:
      return ErrorCode::kInternal;
    default:
      return ErrorCode::kIo;
  }
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* connection) const { sqlite3_close(connection); }

Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  code_ = sqlite3_prepare_v2(database.connection_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
}

Statement& Statement::bound(int code) {
  if (code_ == SQLITE_OK) code_ = code;
  ++next_;
  return *this;
}

Statement& Statement::bind(std::int64_t value) { return bound(sqlite3_bind_int64(statement_.get(), next_, value)); }

Statement& Statement::bind(std::optional<std::int64_t> value) {
  return value ? bind(*value) : bound(sqlite3_bind_null(statement_.get(), next_));
}

Statement& Statement::bind(std::string_view text) {
  return bound(sqlite3_bind_text64(statement_.get(), next_, text.data() == nullptr ? "" : text.data(), text.size(),
                                   SQLITE_STATIC, SQLITE_UTF8));
}

Statement& Statement::bind(std::span<const std::uint8_t> bytes) {
  return bound(sqlite3_bind_blob64(statement_.get(), next_, bytes.empty() ? "" : static_cast<const void*>(bytes.data()),
                                   bytes.size(), SQLITE_STATIC));
}

Result<bool> Statement::step() {
  if (code_ == SQLITE_OK) {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    code_ = code;
  }
  return database_->error(code_);
}

Result<void> Statement::run() {
  HEARSAY_TRY([[maybe_unused]] const bool row, step());
  return {};
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return std::nullopt;
  return integer(column);
}

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return text == nullptr ? std::string() : std::string(text, text + size);
}

std::vector<std::uint8_t> Statement::bytes(int column) const {
  const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::vector<std::uint8_t>() : std::vector<std::uint8_t>(bytes, bytes + size);
}

Result<Database> Database::connect(const char* file, bool may_be_new) {
  if (sqlite3_threadsafe() == 0) return Error{ErrorCode::kInternal, "SQLite was built without support for threads"};
  Database database;
  sqlite3* connection = nullptr;
  const int code =
      sqlite3_open_v2(file, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, nullptr);
  database.connection_.reset(connection);  // SQLite may make a connection even if opening fails
  if (code != SQLITE_OK) return database.error(code);
  sqlite3_extended_result_codes(connection, 1);
  HEARSAY_CHECK_OK(database.configure(may_be_new));
  return database;
}

Result<void> Database::configure(bool may_be_new) {
  HEARSAY_CHECK_OK(execute(kSettings));
  if (may_be_new) {
    HEARSAY_TRY(const std::int64_t pages, number("PRAGMA page_count"));
    if (pages == 0) {
      HEARSAY_CHECK_OK(execute("PRAGMA auto_vacuum = FULL"));
    }
  }
  HEARSAY_CHECK_OK(execute("BEGIN EXCLUSIVE; ROLLBACK;"));
  // Sets the mode again, because a file can ask for another journal, and SQLite has not read the file before.
  Statement mode = prepare("PRAGMA journal_mode = TRUNCATE");
  HEARSAY_TRY(const bool row, mode.step());
  if (!row || (mode.text(0) != "truncate" && mode.text(0) != "memory")) {
    return Error{ErrorCode::kIo,
                 "SQLite cannot keep a rollback journal beside the database file: put the file on another file system"};
  }
  return {};
}

Result<Database> Database::open(const std::string& file, bool may_be_new) { return connect(file.c_str(), may_be_new); }
Result<Database> Database::in_memory() { return connect(":memory:", true); }

Result<void> Database::execute(const char* sql) {
  const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return {};
}

Result<std::int64_t> Database::number(std::string_view sql) {
  Statement statement = prepare(sql);
  HEARSAY_TRY(const bool row, statement.step());
  if (!row) return Error{ErrorCode::kInternal, "a query returned nothing"};
  return statement.integer(0);
}

Result<void> Database::begin() {
  if (damage_) return *damage_;
  int moved = 0;
  if (sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0) {
    return Error{ErrorCode::kIo, "the ledger's file was moved or removed"};
  }
  return execute("BEGIN IMMEDIATE");
}

Result<void> Database::commit() { return execute("COMMIT"); }

void Database::rollback() {
  // After some errors SQLite rolls the transaction back by itself.
  if (sqlite3_get_autocommit(connection_.get()) == 0) {
    sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

Error Database::error(int code) {
  const std::string text = std::string(sqlite3_errstr(code)) + " (SQLite's code " + std::to_string(code) + ")";
  switch (kind(code)) {
    case ErrorCode::kInUse:
      return {ErrorCode::kInUse, "another process, or another ledger object of this process, has the file open"};
    case ErrorCode::kLedgerDamaged:
      return damaged(text);
    case ErrorCode::kIo:
      has_failed_ = true;
      return {ErrorCode::kIo, text};
    default:
      return {kind(code), text};
  }
}

Error Database::damaged(const std::string& what) {
  if (!damage_) {
    damage_ = Error{ErrorCode::kLedgerDamaged, "the ledger is damaged and pays for no more reports: " + what};
  }
  return *damage_;
}

void Database::abandon() { static_cast<void>(connection_.release()); }

}  // namespace hearsay::sdk
