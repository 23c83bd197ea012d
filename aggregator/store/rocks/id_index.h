// The ids of one task's reports in memory: a hash table that knows for each id which bytes came with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hearsay::store::rocks {

// Window and id of a report under a secret of this process (id_secret.h). Clients choose ids, but not these.
struct HiddenId {
  std::uint64_t high;
  std::uint64_t low;
  auto operator<=>(const HiddenId&) const = default;
};

// What several indexes hold together.
struct IndexUsage {
  std::size_t ids = 0;
  std::size_t bytes = 0;
};

// Open addressing with linear probing. The table is cut into shards that grow one by one, by a quarter, so that no
// insertion moves more than one shard and memory, growth included, stays within kMaxBytesPerEntry an entry beside
// kFixedBytes. Expected O(1). Not thread-safe.
class IdIndex {
 public:
  static constexpr std::size_t kMaxBytesPerEntry = 40;
  static constexpr std::size_t kFixedBytes = 64U << 10U;  // of an index, however few ids it has

  // Counts what the index holds in `usage` too, which must outlive the index.
  explicit IdIndex(IndexUsage& usage) : usage_(usage) {}
  ~IdIndex() { clear(); }
  IdIndex(const IdIndex&) = delete;
  IdIndex& operator=(const IdIndex&) = delete;

  // The digest that the id was inserted with; 0 if it is not in.
  std::uint64_t find(const HiddenId& id) const;
  // The id is not in; the digest is not 0.
  void insert(const HiddenId& id, std::uint64_t digest);
  // Does nothing if the id is not in.
  void erase(const HiddenId& id);
  void clear();

 private:
  struct Entry {
    HiddenId id;
    std::uint64_t digest;  // 0: the slot is empty, and its id nothing
  };
  struct Shard {
    std::vector<Entry> slots;
    std::size_t size = 0;

    std::size_t home(const HiddenId& id) const;
    std::size_t after(std::size_t slot) const { return slot + 1 == slots.size() ? 0 : slot + 1; }
    // The slot that holds the id, or the empty one where the id would go.
    std::size_t search(const HiddenId& id) const;
  };
  static constexpr unsigned kShardBits = 6;

  // Moves the shard's entries to slots for `entries`.
  void resize(Shard& shard, std::size_t entries);

  IndexUsage& usage_;
  std::array<Shard, std::size_t{1} << kShardBits> shards_;  // by the ids' leading bits
};

}  // namespace hearsay::store::rocks
