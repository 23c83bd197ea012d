#include "tests/support/postgres_server.h"

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <thread>

#include "tests/support/patience.h"

namespace hearsay::tests {
namespace {

// Returns the directory of the server's programs: that of Debian's newest version, or the one that pg_config prints.
std::string find_programs() {
  namespace fs = std::filesystem;
  int newest = 0;
  std::error_code none;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", none)) {
    if (fs::exists(version.path() / "bin/initdb"))
      newest = std::max(newest, std::atoi(version.path().filename().c_str()));
  }
  if (newest > 0) return "/usr/lib/postgresql/" + std::to_string(newest) + "/bin/";
  std::string line(4096, '\0');
  FILE* const out = popen("pg_config --bindir", "r");
  const bool read = out != nullptr && fgets(line.data(), static_cast<int>(line.size()), out) != nullptr;
  if (out != nullptr) pclose(out);
  if (!read) throw std::runtime_error("no PostgreSQL server is installed");
  return line.substr(0, line.find('\n')) + "/";
}

const std::string& programs() {
  static const std::string found = find_programs();
  return found;
}

// Returns the user under whom the server's programs run, or null for the current user. The programs refuse to run as
// root.
const passwd* user() {
  if (geteuid() != 0) return nullptr;
  const passwd* const found = getpwnam("postgres");
  if (found == nullptr) throw std::runtime_error("there is no user `postgres`: is PostgreSQL installed?");
  return found;
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Starts a program in `directory`, which the program's user may read. The output goes to `log`.
pid_t spawn(const std::vector<std::string>& arguments, const std::filesystem::path& directory) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const passwd* const as = user();
  const std::string log = directory / "log";
  const pid_t child = fork();
  if (child != 0) return child;
  if (as != nullptr && (setgroups(0, nullptr) != 0 || setgid(as->pw_gid) != 0 || setuid(as->pw_uid) != 0)) _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);  // the server ends if the test crashes
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || chdir(directory.c_str()) != 0) _exit(126);
  execv(pointers[0], pointers.data());
  _exit(127);
}

}  // namespace

PostgresServer::PostgresServer(std::vector<std::string> settings)
    : PostgresServer(std::move(settings), {"initdb", "-U", "hearsay", "-A", "trust", "-E", "UTF8", "--locale=C",
                                           "--no-sync", "--no-instructions"}) {
  run("postgres", "CREATE ROLE owner LOGIN");
}

std::unique_ptr<PostgresServer> PostgresServer::standby_of(const PostgresServer& primary) {
  return std::unique_ptr<PostgresServer>(new PostgresServer(
      primary.settings_,
      {"pg_basebackup", "-h", primary.directory(), "-U", "hearsay", "-R", "--checkpoint=fast", "--no-sync"}));
}

PostgresServer::PostgresServer(std::vector<std::string> settings, std::vector<std::string> program)
    : settings_(std::move(settings)) {
  const passwd* const as = user();
  if (as != nullptr && chown(directory().c_str(), as->pw_uid, as->pw_gid) != 0) {
    throw std::runtime_error("cannot give the directory to PostgreSQL's user");
  }
  const std::string name = program.front();
  program.front() = programs() + name;
  program.insert(program.end(), {"-D", directory_ / "data"});
  const pid_t child = spawn(program, directory());
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) {
    throw std::runtime_error(name + " failed: " + contents(directory_ / "log"));
  }
  start();
}

PostgresServer::~PostgresServer() {
  if (pid_ > 0) thaw();
  stop(SIGQUIT);
}

PostgresServer& PostgresServer::shared() {
  static PostgresServer server;
  return server;
}

void PostgresServer::start() {
  std::vector<std::string> arguments{programs() + "postgres", "-D", directory_ / "data", "-k", directory().string()};
  for (const std::string setting : {"listen_addresses=", "fsync=off", "shared_buffers=32MB", "max_connections=60"}) {
    arguments.insert(arguments.end(), {"-c", setting});
  }
  for (const std::string& setting : settings_) arguments.insert(arguments.end(), {"-c", setting});
  pid_ = spawn(arguments, directory());
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (PQping(uri("postgres").c_str()) != PQPING_OK) {
    if (std::chrono::steady_clock::now() > deadline || waitpid(pid_, nullptr, WNOHANG) != 0) {
      throw std::runtime_error("PostgreSQL does not start: " + contents(directory_ / "log"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void PostgresServer::stop(int signal) {
  if (pid_ <= 0) return;
  kill(pid_, signal);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
  if (signal != SIGKILL) return;
  // The next server cannot start until the child processes of this server have ended.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void PostgresServer::signal_all(int signal) const {
  kill(pid_, signal);  // the parent goes first, since it starts the others
  const std::string pid = std::to_string(pid_);
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  for (pid_t child = 0; children >> child;) kill(child, signal);
}

void PostgresServer::freeze() const { signal_all(SIGSTOP); }

void PostgresServer::thaw() const { signal_all(SIGCONT); }

void PostgresServer::promote() const {
  run("postgres", "SELECT pg_promote()");
  while (run("postgres", "SHOW transaction_read_only") == "on") {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::string PostgresServer::create_database() {
  const std::string name = "test" + std::to_string(++databases_);
  run("postgres", "CREATE DATABASE " + name + " OWNER owner");
  return name;
}

std::string PostgresServer::uri(const std::string& database) const {
  return "postgresql://owner@/" + database + "?host=" + directory().string();
}

std::string PostgresServer::socket() const { return directory_ / ".s.PGSQL.5432"; }

std::string PostgresServer::run(const std::string& database, const std::string& sql) const {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb((uri(database) + "&user=hearsay").c_str()),
                                                                &PQfinish);
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), &PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    throw std::runtime_error(sql + ": " + PQerrorMessage(connection.get()));
  }
  std::string lines;
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    lines += (row == 0 ? "" : "\n") + std::string(PQgetvalue(result.get(), row, 0));
  }
  return lines;
}

}  // namespace hearsay::tests
