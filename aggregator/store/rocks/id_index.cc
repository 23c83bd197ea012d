#include "aggregator/store/rocks/id_index.h"

#include <algorithm>

#include "common/base/int128.h"

namespace hearsay::store::rocks {
namespace {

// A shard is rebuilt when more than kFullest of its homes are taken, with room for a quarter more entries:
// 24 bytes / (0.8 / 1.25) = 37.5 bytes an entry, and the last slots. Each entry is so moved four times on average.
constexpr std::uint32_t kFullestOf10 = 8;

}  // namespace

std::size_t IdIndex::Shard::home(const HiddenId& id) const {
  return static_cast<std::size_t>(Uint128{id.high << depth} * homes >> 64U);
}

std::size_t IdIndex::Shard::slots_count() const { return homes == 0 ? 0 : homes + kOverhang; }

std::size_t IdIndex::Shard::search(const HiddenId& id) const {
  std::size_t slot = home(id);
  while (slot < slots_count() && slots[slot].digest != 0 && slots[slot].id < id) ++slot;
  return slot;
}

std::size_t IdIndex::shard_of(const HiddenId& id) const {
  return directory_[directory_bits_ == 0 ? 0 : id.high >> (64U - directory_bits_)];
}

void IdIndex::prefetch(const HiddenId& id) const {
  if (directory_.empty()) return;
  const Shard& shard = shards_[shard_of(id)];
  if (shard.homes == 0) return;
  const Entry* entry = shard.slots.get() + shard.home(id);
  __builtin_prefetch(entry, 1);
  __builtin_prefetch(reinterpret_cast<const char*>(entry) + 64, 1);
}

std::uint64_t IdIndex::find(const HiddenId& id) const {
  if (directory_.empty()) return 0;
  const Shard& shard = shards_[shard_of(id)];
  const std::size_t slot = shard.search(id);
  if (slot >= shard.slots_count() || shard.slots[slot].digest == 0) return 0;
  return shard.slots[slot].id == id ? shard.slots[slot].digest : 0;
}

// Puts the entry where the order wants it and moves those behind it up to the next empty slot. False if there is none.
bool IdIndex::place(Shard& shard, const Entry& entry) {
  const std::size_t slot = shard.search(entry.id);
  std::size_t empty = slot;
  while (empty < shard.slots_count() && shard.slots[empty].digest != 0) ++empty;
  if (empty >= shard.slots_count()) return false;
  Entry* const slots = shard.slots.get();
  std::move_backward(slots + slot, slots + empty, slots + empty + 1);
  slots[slot] = entry;
  ++shard.size;
  return true;
}

std::uint32_t IdIndex::homes_for(std::uint32_t size) {
  return std::max(kLeastHomes, (size + size / 4) * 10 / kFullestOf10 + 1);
}

void IdIndex::rebuild(Shard& shard, std::uint32_t homes) {
  while (true) {
    Shard larger;
    larger.homes = homes;
    larger.depth = shard.depth;
    larger.slots = std::make_unique_for_overwrite<Entry[]>(larger.slots_count());
    bool fits = true;
    // Ascending, so that each goes behind the one before it or to its home.
    Entry* const slots = larger.slots.get();
    std::size_t next = 0;
    for (std::size_t i = 0; i < shard.slots_count() && fits; ++i) {
      const Entry& entry = shard.slots[i];
      if (entry.digest == 0) continue;
      const std::size_t slot = std::max(next, larger.home(entry.id));
      fits = slot < larger.slots_count();
      if (!fits) break;
      while (next < slot) slots[next++].digest = 0;
      slots[next++] = entry;
    }
    while (next < larger.slots_count()) slots[next++].digest = 0;
    if (fits) {
      larger.size = shard.size;
      bytes_ += (larger.slots_count() - shard.slots_count()) * sizeof(Entry);
      shard = std::move(larger);
      return;
    }
    homes += homes / 8 + 1;
  }
}

void IdIndex::split(std::size_t number) {
  if (shards_[number].depth == directory_bits_) {
    std::vector<std::uint32_t> wider(directory_.size() * 2);
    for (std::size_t i = 0; i < wider.size(); ++i) wider[i] = directory_[i / 2];
    directory_ = std::move(wider);
    ++directory_bits_;
  }
  const auto upper = static_cast<std::uint32_t>(shards_.size());
  shards_.emplace_back();
  Shard old = std::move(shards_[number]);
  std::uint32_t sizes[2] = {};
  const unsigned bit = 63U - old.depth;
  for (std::size_t i = 0; i < old.slots_count(); ++i) {
    if (old.slots[i].digest != 0) ++sizes[old.slots[i].id.high >> bit & 1U];
  }
  Shard* const halves[2] = {&shards_[number], &shards_[upper]};
  for (unsigned half = 0; half < 2; ++half) {
    *halves[half] = Shard{nullptr, 0, 0, old.depth + 1};
    rebuild(*halves[half], homes_for(sizes[half]));
  }
  for (std::size_t i = 0; i < old.slots_count(); ++i) {
    if (old.slots[i].digest == 0) continue;
    Shard& half = *halves[old.slots[i].id.high >> bit & 1U];
    while (!place(half, old.slots[i])) rebuild(half, half.homes + half.homes / 8 + 1);
  }
  bytes_ -= old.slots_count() * sizeof(Entry);
  // The shard's stretch of the directory: its upper half points to the new one.
  const std::size_t stretch = std::size_t{1} << (directory_bits_ - old.depth);
  const auto begin = std::find(directory_.begin(), directory_.end(), static_cast<std::uint32_t>(number));
  std::fill(begin + static_cast<std::ptrdiff_t>(stretch / 2), begin + static_cast<std::ptrdiff_t>(stretch), upper);
}

void IdIndex::insert(const HiddenId& id, std::uint64_t digest) {
  if (directory_.empty()) {
    directory_.push_back(0);
    shards_.emplace_back();
  }
  std::size_t number = shard_of(id);
  if (shards_[number].size >= kMaxShard) {
    split(number);
    number = shard_of(id);
  }
  Shard& shard = shards_[number];
  if (std::uint64_t{shard.size} * 10 >= std::uint64_t{shard.homes} * kFullestOf10) {
    rebuild(shard, homes_for(shard.size + 1));
  }
  while (!place(shard, {id, digest})) rebuild(shard, shard.homes + shard.homes / 8 + 1);
  ++size_;
}

bool IdIndex::erase(const HiddenId& id) {
  if (directory_.empty()) return false;
  Shard& shard = shards_[shard_of(id)];
  std::size_t slot = shard.search(id);
  if (slot >= shard.slots_count() || shard.slots[slot].digest == 0 || shard.slots[slot].id != id) return false;
  // Those behind it that are not at home move up.
  for (; slot + 1 < shard.slots_count(); ++slot) {
    const Entry& next = shard.slots[slot + 1];
    if (next.digest == 0 || shard.home(next.id) == slot + 1) break;
    shard.slots[slot] = next;
  }
  shard.slots[slot].digest = 0;
  --shard.size;
  --size_;
  if (size_ == 0) {
    clear();
  } else if (shard.size == 0) {
    bytes_ -= shard.slots_count() * sizeof(Entry);
    shard = Shard{nullptr, 0, 0, shard.depth};
  } else if (shard.homes > kLeastHomes && std::uint64_t{shard.size} * 2 < shard.homes) {
    rebuild(shard, homes_for(shard.size));
  }
  return true;
}

}  // namespace hearsay::store::rocks
