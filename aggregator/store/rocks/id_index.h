// The ids of one task's reports in memory: a hash table that knows for each id which bytes came with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hearsay::store::rocks {

// An id under a secret permutation of this process (id_secret.h). Clients choose ids, but not these.
struct HiddenId {
  std::uint64_t high;
  std::uint64_t low;
  auto operator<=>(const HiddenId&) const = default;
};

// Open addressing in which entries lie in ascending order and each as near behind its home as the order allows, so that
// a search ends, found or not, after about as many steps; home = high bits of the id scaled to the capacity, so that
// growing moves entries without hashing anew. Shards of at most kMaxShard entries grow by a quarter, and split in two
// when full, so that no insertion moves more than one shard and memory, growth included, stays within
// kMaxBytesPerEntry an entry beside kFixedBytes. Expected O(1). Not thread-safe.
class IdIndex {
 public:
  static constexpr std::size_t kMaxBytesPerEntry = 40;
  static constexpr std::size_t kFixedBytes = 64U << 10U;  // the largest shard, while it is moved

  // Fetches what a search for the id will touch, ahead of it.
  void prefetch(const HiddenId& id) const;
  // The digest that the id was inserted with; 0 if it is not in.
  std::uint64_t find(const HiddenId& id) const;
  // The id is not in; the digest is not 0.
  void insert(const HiddenId& id, std::uint64_t digest);
  // Whether it was in.
  bool erase(const HiddenId& id);
  void clear() { *this = IdIndex(); }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    HiddenId id;
    std::uint64_t digest;  // 0: the slot is empty, and its id nothing
  };
  struct Shard {
    std::unique_ptr<Entry[]> slots;  // homes, and kOverhang more for what the last homes push out
    std::uint32_t homes = 0;
    std::uint32_t size = 0;
    std::uint32_t depth = 0;  // leading bits that all its ids share

    std::size_t home(const HiddenId& id) const;
    std::size_t slots_count() const;
    // The first slot that holds the id, or one behind which it cannot be.
    std::size_t search(const HiddenId& id) const;
  };
  static constexpr std::uint32_t kMaxShard = 2048;
  static constexpr std::uint32_t kOverhang = 24;
  static constexpr std::uint32_t kLeastHomes = 8;

  std::size_t shard_of(const HiddenId& id) const;
  void rebuild(Shard& shard, std::uint32_t homes);
  void split(std::size_t number);
  static bool place(Shard& shard, const Entry& entry);
  static std::uint32_t homes_for(std::uint32_t size);

  std::vector<std::uint32_t> directory_;  // by the ids' leading bits: the number of the shard; a power of two of them
  unsigned directory_bits_ = 0;
  std::vector<Shard> shards_;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace hearsay::store::rocks
