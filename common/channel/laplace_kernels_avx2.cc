#include "common/channel/laplace_kernels_avx2.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <cstring>

#define HEARSAY_AVX2 __attribute__((target("avx2")))

namespace hearsay {
namespace {

constexpr std::size_t kLanes = UnpackPlan::kLanes;
constexpr std::uint32_t kInt16Bound = (1U << 15U) - 1;
constexpr std::size_t kAhead = 1024;  // integers; prefetching past the end of the rows does no harm

HEARSAY_AVX2 inline __m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
HEARSAY_AVX2 inline void store(void* to, __m256i value) { _mm256_storeu_si256(static_cast<__m256i*>(to), value); }

// Codes and limits are below 2^25, so the signed comparison is right.
template <bool kStore>
HEARSAY_AVX2 bool take_apart(const UnpackPlan& plan, const std::uint8_t* payload, std::int32_t* out) {
  std::array<std::uint8_t, UnpackPlan::kLoadBytes> padded{};
  if (plan.payload_size < padded.size()) {
    std::memcpy(padded.data(), payload, plan.payload_size);
    payload = padded.data();
  }
  __m256i beyond = _mm256_setzero_si256();
  for (const UnpackPlan::Run& run : plan.runs) {
    const __m256i shuffle = load(run.shuffle.data());
    const __m256i shift = load(run.shift.data());
    const __m256i mask = load(run.mask.data());
    const __m256i limit = load(run.limit.data());
    const std::uint8_t* low = payload + run.low;
    const std::uint8_t* high = payload + run.high;
    for (std::uint32_t i = 0; i < run.groups; ++i, low += run.advance, high += run.advance) {
      const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(low));
      const __m128i second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(high));
      const __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
      const __m256i code = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(bytes, shuffle), shift), mask);
      beyond = _mm256_or_si256(beyond, _mm256_cmpgt_epi32(code, limit));
      if constexpr (kStore) {
        const __m256i sign = _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(code, _mm256_set1_epi32(1)));
        store(out, _mm256_xor_si256(_mm256_srli_epi32(code, 1), sign));
        out += kLanes;
      }
    }
  }
  return _mm256_testz_si256(beyond, beyond) != 0;
}

bool check(const UnpackPlan& plan, const std::uint8_t* payload) {
  return plan.runs.empty() ? laplace_kernels()[0].check(plan, payload) : take_apart<false>(plan, payload, nullptr);
}

bool unpack(const UnpackPlan& plan, const std::uint8_t* payload, std::int32_t* out) {
  return plan.runs.empty() ? laplace_kernels()[0].unpack(plan, payload, out) : take_apart<true>(plan, payload, out);
}

// Eight columns of some rows, by lane: sums in 32 bits, squares in 64, those of the even lanes and of the odd ones.
struct Columns {
  __m256i sums;
  __m256i even;
  __m256i odd;
};

HEARSAY_AVX2 inline void add_columns(const Columns& columns, std::int64_t* sums, std::uint64_t* squares) {
  const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(columns.sums));
  const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(columns.sums, 1));
  store(sums, _mm256_add_epi64(load(sums), low));
  store(sums + 4, _mm256_add_epi64(load(sums + 4), high));
  // Lanes 0 1 4 5 and 2 3 6 7.
  const __m256i first = _mm256_unpacklo_epi64(columns.even, columns.odd);
  const __m256i second = _mm256_unpackhi_epi64(columns.even, columns.odd);
  store(squares, _mm256_add_epi64(load(squares), _mm256_permute2x128_si256(first, second, 0x20)));
  store(squares + 4, _mm256_add_epi64(load(squares + 4), _mm256_permute2x128_si256(first, second, 0x31)));
}

HEARSAY_AVX2 inline Columns wide_columns(const Rows& rows, std::size_t column) {
  Columns columns{_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
  const std::int32_t* at = rows.first + column;
  for (std::size_t i = 0; i < rows.count; ++i, at += rows.pitch) {
    _mm_prefetch(reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(at) + 4 * kAhead), _MM_HINT_T0);
    const __m256i y = load(at);
    const __m256i odd = _mm256_srli_epi64(y, 32);
    columns.sums = _mm256_add_epi32(columns.sums, y);
    columns.even = _mm256_add_epi64(columns.even, _mm256_mul_epi32(y, y));
    columns.odd = _mm256_add_epi64(columns.odd, _mm256_mul_epi32(odd, odd));
  }
  return columns;
}

// Where count·bound² < 2^32 and |y| < 2^15. Two rows in the halves of a lane: the sum of the two squares is one
// instruction, and all squares of the column fit 32 bits.
HEARSAY_AVX2 inline Columns narrow_columns(const Rows& rows, std::size_t column) {
  __m256i sums = _mm256_setzero_si256();
  __m256i squares = _mm256_setzero_si256();
  const std::int32_t* at = rows.first + column;
  std::size_t i = 0;
  for (; i + 2 <= rows.count; i += 2, at += 2 * rows.pitch) {
    const __m256i y = load(at);
    const __m256i next = load(at + rows.pitch);
    _mm_prefetch(reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(at) + 4 * kAhead), _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(at + rows.pitch) + 4 * kAhead),
                 _MM_HINT_T0);
    const __m256i both = _mm256_blend_epi16(y, _mm256_slli_epi32(next, 16), 0xAA);
    sums = _mm256_add_epi32(sums, _mm256_add_epi32(y, next));
    squares = _mm256_add_epi32(squares, _mm256_madd_epi16(both, both));
  }
  if (i < rows.count) {
    const __m256i y = load(at);
    sums = _mm256_add_epi32(sums, y);
    squares = _mm256_add_epi32(squares, _mm256_mullo_epi32(y, y));
  }
  const __m256i low_halves = _mm256_set1_epi64x(0xffffffff);
  return {sums, _mm256_and_si256(squares, low_halves), _mm256_srli_epi64(squares, 32)};
}

HEARSAY_AVX2 void add(const Rows& rows, std::uint32_t bound, std::int64_t* sums, std::uint64_t* squares) {
  const bool narrow = bound <= kInt16Bound && rows.count * (std::uint64_t{bound} * bound) < (std::uint64_t{1} << 32U);
  const std::size_t whole = rows.columns / kLanes * kLanes;
  for (std::size_t j = 0; j < whole; j += kLanes) {
    add_columns(narrow ? narrow_columns(rows, j) : wide_columns(rows, j), sums + j, squares + j);
  }
  if (whole < rows.columns) {
    const Rows rest{rows.first + whole, rows.count, rows.pitch, rows.columns - whole};
    laplace_kernels()[0].add(rest, bound, sums + whole, squares + whole);
  }
}

constexpr LaplaceKernels kAvx2{"avx2", check, unpack, add};

}  // namespace

const LaplaceKernels* avx2_laplace_kernels() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") ? &kAvx2 : nullptr;
}

}  // namespace hearsay

#else

namespace hearsay {

const LaplaceKernels* avx2_laplace_kernels() { return nullptr; }

}  // namespace hearsay

#endif
