// Keeps the ids of one task's reports in memory, each with a digest of the report's time and payload.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hearsay::store::rocks {

// The window and the id of a report, encrypted with a secret of this process (id_secret.h). Clients choose ids, but
// cannot choose hidden ids.
struct HiddenId {
  std::uint64_t high;
  std::uint64_t low;
  auto operator<=>(const HiddenId&) const = default;
};

// The number of ids in several indexes together, and the memory of these indexes.
struct IndexUsage {
  std::size_t ids = 0;
  std::size_t bytes = 0;
};

// A hash table with open addressing and linear probing. The table is cut into shards, and each shard grows by a quarter
// at a time. So an insertion moves the entries of at most one shard. After insertions the memory is at most
// kMaxBytesPerEntry for each entry and kFixedBytes; after removals it is at most 72 bytes for each entry and
// kFixedBytes. Expected time: O(1). Not thread-safe.
class IdIndex {
 public:
  static constexpr std::size_t kMaxBytesPerEntry = 40;
  static constexpr std::size_t kFixedBytes = 64U << 10U;  // limit on the memory of an index without ids

  // The index also counts its contents in `usage`, which must outlive the index.
  explicit IdIndex(IndexUsage& usage) : usage_(usage) {}
  ~IdIndex() { clear(); }
  IdIndex(const IdIndex&) = delete;
  IdIndex& operator=(const IdIndex&) = delete;

  // Returns the digest that was inserted with the id; 0 if the id is not in the index.
  std::uint64_t find(const HiddenId& id) const;
  // Inserts an id. The id must not be in the index; the digest must not be 0.
  void insert(const HiddenId& id, std::uint64_t digest);
  // Removes an id. Does nothing if the id is not in the index.
  void erase(const HiddenId& id);
  void clear();

 private:
  struct Entry {
    HiddenId id;
    std::uint64_t digest;  // 0 if the slot is empty; `id` then means nothing
  };
  struct Shard {
    std::vector<Entry> slots;
    std::size_t size = 0;

    std::size_t home(const HiddenId& id) const;
    std::size_t after(std::size_t slot) const { return slot + 1 == slots.size() ? 0 : slot + 1; }
    // Returns the slot that holds the id, or the empty slot where the id would go.
    std::size_t search(const HiddenId& id) const;
  };
  static constexpr unsigned kShardBits = 6;

  // Moves the shard's entries to a new array of slots, with room for `entries` entries.
  void resize(Shard& shard, std::size_t entries);

  IndexUsage& usage_;
  std::array<Shard, std::size_t{1} << kShardBits> shards_;  // chosen by the ids' leading bits
};

}  // namespace hearsay::store::rocks
