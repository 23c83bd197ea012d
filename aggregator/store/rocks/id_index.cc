#include "aggregator/store/rocks/id_index.h"

#include "common/base/int128.h"

namespace hearsay::store::rocks {
namespace {

std::size_t shard_of(const HiddenId& id, unsigned bits) { return id.high >> (64U - bits); }

// At most 8 in 10 slots are taken, and a shard that grows gets room for a quarter more entries. So after insertions an
// entry takes at most 24 bytes / (0.8 / 1.25) = 37.5 bytes, beside a few slots for each shard.
bool is_full(std::size_t entries, std::size_t slots) { return entries * 10 > slots * 8; }
bool is_sparse(std::size_t entries, std::size_t slots) { return entries * 3 < slots; }
std::size_t slots_for(std::size_t entries) { return entries == 0 ? 0 : entries * 25 / 16 + 8; }

}  // namespace

std::size_t IdIndex::Shard::home(const HiddenId& id) const {
  return static_cast<std::size_t>(Uint128{id.high << kShardBits} * slots.size() >> 64U);
}

std::size_t IdIndex::Shard::search(const HiddenId& id) const {
  std::size_t slot = home(id);
  while (slots[slot].digest != 0 && slots[slot].id != id) slot = after(slot);
  return slot;
}

std::uint64_t IdIndex::find(const HiddenId& id) const {
  const Shard& shard = shards_[shard_of(id, kShardBits)];
  return shard.size == 0 ? 0 : shard.slots[shard.search(id)].digest;
}

void IdIndex::resize(Shard& shard, std::size_t entries) {
  std::vector<Entry> old(slots_for(entries));
  old.swap(shard.slots);
  for (const Entry& entry : old) {
    if (entry.digest != 0) shard.slots[shard.search(entry.id)] = entry;
  }
  usage_.bytes += shard.slots.size() * sizeof(Entry);
  usage_.bytes -= old.size() * sizeof(Entry);
}

void IdIndex::insert(const HiddenId& id, std::uint64_t digest) {
  Shard& shard = shards_[shard_of(id, kShardBits)];
  if (is_full(shard.size + 1, shard.slots.size())) resize(shard, shard.size + 1);
  shard.slots[shard.search(id)] = {id, digest};
  ++shard.size;
  ++usage_.ids;
}

void IdIndex::erase(const HiddenId& id) {
  Shard& shard = shards_[shard_of(id, kShardBits)];
  if (find(id) == 0) return;
  std::vector<Entry>& slots = shard.slots;
  std::size_t hole = shard.search(id);
  // An entry behind the hole moves into the hole, unless its home also lies behind the hole.
  for (std::size_t slot = shard.after(hole); slots[slot].digest != 0; slot = shard.after(slot)) {
    const std::size_t from_home = (slot + slots.size() - shard.home(slots[slot].id)) % slots.size();
    const std::size_t from_hole = (slot + slots.size() - hole) % slots.size();
    if (from_home < from_hole) continue;
    slots[hole] = slots[slot];
    hole = slot;
  }
  slots[hole].digest = 0;
  --shard.size;
  --usage_.ids;
  if (is_sparse(shard.size, slots.size())) resize(shard, shard.size);
}

void IdIndex::clear() {
  for (Shard& shard : shards_) {
    usage_.ids -= shard.size;
    usage_.bytes -= shard.slots.size() * sizeof(Entry);
    shard = {};
  }
}

}  // namespace hearsay::store::rocks
