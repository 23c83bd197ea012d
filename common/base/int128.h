// 128-bit integers, an extension of both supported compilers.
#pragma once

namespace hearsay {

__extension__ typedef __int128 Int128;            // NOLINT(modernize-use-using)
__extension__ typedef unsigned __int128 Uint128;  // NOLINT(modernize-use-using)

}  // namespace hearsay
