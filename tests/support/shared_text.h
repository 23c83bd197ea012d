// Text that one thread writes while another thread reads it.
#pragma once

#include <mutex>
#include <streambuf>
#include <string>

namespace hearsay::tests {

// The buffer of a std::ostream. Thread-safe.
class SharedText final : public std::streambuf {
 public:
  std::string str() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    const std::lock_guard lock(mutex_);
    text_.append(bytes, static_cast<std::size_t>(count));
    return count;
  }
  int_type overflow(int_type byte) override {
    const char c = traits_type::to_char_type(byte);
    if (!traits_type::eq_int_type(byte, traits_type::eof())) xsputn(&c, 1);
    return traits_type::not_eof(byte);
  }

  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace hearsay::tests
