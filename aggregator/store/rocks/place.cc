#include "aggregator/store/rocks/place.h"

#include <sys/stat.h>

#include "aggregator/store/rocks/newest.h"

namespace hearsay::store::rocks {

Place Place::of(const std::string& directory) {
  struct stat of_directory {};
  struct stat of_mark {};
  if (::stat(directory.c_str(), &of_directory) != 0) return {};
  const bool marked = ::stat(NewestMark::path_in(directory).c_str(), &of_mark) == 0;
  return {of_directory.st_dev, of_directory.st_ino, marked ? of_mark.st_ino : 0};
}

}  // namespace hearsay::store::rocks
