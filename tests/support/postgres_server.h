// A PostgreSQL server in a temporary directory. Tests reach the server through a socket in this directory.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace hearsay::tests {

// Needs PostgreSQL's programs: `examples/dependencies.sh --tests` installs these programs. If the test runs as root,
// the programs run as the user `postgres`.
//
// Failures throw std::runtime_error with the server's message.
class PostgresServer {
 public:
  // Makes a database cluster and starts its server. `settings` are lines of postgresql.conf. Without "fsync=on" the
  // server does not wait for the disk.
  explicit PostgresServer(std::vector<std::string> settings = {});
  static std::unique_ptr<PostgresServer> standby_of(const PostgresServer& primary);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Returns the server of this process. The first call makes the server. The end of the process stops the server.
  static PostgresServer& shared();

  // Makes a new, empty database and returns its name.
  std::string create_database();
  // Returns the connection string for libpq. Its user is the database's owner, who is no superuser.
  std::string uri(const std::string& database) const;
  // Runs statements without parameters as the superuser. Returns the first column of the rows, line by line.
  std::string run(const std::string& database, const std::string& sql) const;

  std::string socket() const;
  pid_t pid() const { return pid_; }
  const std::filesystem::path& directory() const { return directory_.path(); }
  void promote() const;
  // Stops the server. SIGINT stops PostgreSQL in order. SIGQUIT and SIGKILL do not.
  void stop(int signal);
  void start();
  // Stops every process of the server with SIGSTOP. Connections stay open, and nothing answers.
  void freeze() const;
  void thaw() const;

 private:
  void signal_all(int signal) const;
  // Runs `program`, which fills the directory, and starts the server.
  PostgresServer(std::vector<std::string> settings, std::vector<std::string> program);

  TemporaryDirectory directory_;
  std::vector<std::string> settings_;
  pid_t pid_ = 0;
  int databases_ = 0;
};

}  // namespace hearsay::tests
