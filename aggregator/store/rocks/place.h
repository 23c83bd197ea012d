// Notices that the directory of an open store was moved, removed or replaced.
#pragma once

#include <sys/types.h>

#include <string>

namespace hearsay::store::rocks {

// Identifies a directory and its mark by device and inode; 0 if it does not exist.
struct Place {
  dev_t device = 0;
  ino_t directory = 0;
  ino_t mark = 0;

  static Place of(const std::string& directory);
  bool operator==(const Place&) const = default;
};

}  // namespace hearsay::store::rocks
