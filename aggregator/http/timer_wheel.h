// Deadlines of many connections on one timer.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace hearsay::http {

// A hashed wheel of intrusive lists. One thread at a time. Moving a deadline costs a few stores and never allocates:
// an entry whose deadline moves back stays where it is and is looked at again when its old time comes.
class TimerWheel {
 public:
  using Clock = std::chrono::steady_clock;

  class Entry {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   protected:
    ~Entry() = default;
    // The deadline is over; it is not set any more.
    virtual void on_deadline() = 0;

   private:
    friend class TimerWheel;
    Entry* previous_ = nullptr;  // null: in no list
    Entry* next_ = nullptr;
    std::uint64_t due_ = 0;  // the tick at which the wheel looks at the entry
    Clock::time_point deadline_ = Clock::time_point::max();
  };

  // Deadlines are found at most one `tick` late.
  explicit TimerWheel(Clock::duration tick) : tick_(tick) {
    for (Slot& slot : slots_) slot.previous_ = slot.next_ = &slot;
  }
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;

  Clock::duration tick() const { return tick_; }

  void set(Entry& entry, Clock::time_point deadline) {
    entry.deadline_ = deadline;
    if (deadline == Clock::time_point::max()) return;
    const std::uint64_t due = tick_after(deadline);
    if (entry.previous_ != nullptr && entry.due_ <= due) return;
    unlink(entry);
    link(entry, due);
  }
  // Before an entry dies.
  void remove(Entry& entry) { unlink(entry); }

  // Calls on_deadline() of everything whose deadline is over. To be called about once a tick.
  void advance(Clock::time_point now) {
    const auto last = static_cast<std::uint64_t>((now - epoch_) / tick_);
    // After a long pause each slot is visited once.
    if (last >= current_ + kSlots) current_ = last - kSlots + 1;
    for (; current_ <= last; ++current_) expire(slots_[current_ % kSlots], last, now);
  }

 private:
  static constexpr std::size_t kSlots = 1024;

  struct Slot final : Entry {
    void on_deadline() override {}
  };

  std::uint64_t tick_after(Clock::time_point time) const {
    return time <= epoch_ ? 0 : static_cast<std::uint64_t>((time - epoch_) / tick_) + 1;
  }

  void link(Entry& entry, std::uint64_t due) {
    // Beyond the horizon the entry is looked at earlier, and moves on.
    entry.due_ = due < current_ ? current_ : due > current_ + kSlots - 1 ? current_ + kSlots - 1 : due;
    Slot& slot = slots_[entry.due_ % kSlots];
    entry.next_ = &slot;
    entry.previous_ = slot.previous_;
    slot.previous_->next_ = &entry;
    slot.previous_ = &entry;
  }

  static void unlink(Entry& entry) {
    if (entry.previous_ == nullptr) return;
    entry.previous_->next_ = entry.next_;
    entry.next_->previous_ = entry.previous_;
    entry.previous_ = entry.next_ = nullptr;
  }

  // on_deadline() may set and remove any entry, so that the list is taken from its front. Nothing comes back to this
  // slot: link() goes at most kSlots - 1 ticks ahead.
  void expire(Slot& slot, std::uint64_t last, Clock::time_point now) {
    while (slot.next_ != &slot) {
      Entry& entry = *slot.next_;
      unlink(entry);
      if (entry.deadline_ <= now) {
        entry.deadline_ = Clock::time_point::max();
        entry.on_deadline();
      } else if (entry.deadline_ != Clock::time_point::max()) {
        const std::uint64_t due = tick_after(entry.deadline_);
        link(entry, due <= last ? last + 1 : due);
      }
    }
  }

  const Clock::duration tick_;
  const Clock::time_point epoch_ = Clock::now();
  std::uint64_t current_ = 0;  // the next tick to visit
  std::array<Slot, kSlots> slots_;
};

}  // namespace hearsay::http
