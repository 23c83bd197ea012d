// The loops for x86-64 processors with AVX2.
#pragma once

#include "common/channel/laplace_kernels.h"

namespace hearsay {

// Null where the processor, or the build, has no AVX2.
const LaplaceKernels* avx2_laplace_kernels();

}  // namespace hearsay
