// Where an open store lies: tells a directory that was moved, removed or replaced under the process.
#pragma once

#include <sys/types.h>

#include <string>

namespace hearsay::store::rocks {

// Identifies a directory and the mark in it by device and inode. Zeros: there is none.
struct Place {
  dev_t device = 0;
  ino_t directory = 0;
  ino_t mark = 0;

  static Place of(const std::string& directory);
  bool operator==(const Place&) const = default;
};

}  // namespace hearsay::store::rocks
