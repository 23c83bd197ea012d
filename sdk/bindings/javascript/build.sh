#!/usr/bin/env bash
# Builds the package into dist/: hearsay.wasm, hearsay.js and the declarations of its types. The script needs
# Emscripten, CMake, Ninja, TypeScript, esbuild, npm and the headers of nlohmann/json. On Debian 12,
# examples/dependencies.sh --platforms installs them.
set -euo pipefail
cd "$(dirname "$0")"
build=../../../build/javascript

# Installs the package's only dependency outside the source tree, in the version that package.json names. The dependency
# becomes part of hearsay.js.
version=$(node -p 'JSON.parse(require("fs").readFileSync("package.json")).devDependencies["@noble/hashes"]')
[[ $version == $(node -p "require('$PWD/$build/node_modules/@noble/hashes/package.json').version" 2>/dev/null) ]] ||
  npm install --prefix "$build" --no-save --no-package-lock --no-audit --no-fund "@noble/hashes@$version"
emscripten=$(em-config EMSCRIPTEN_ROOT)
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=MinSizeRel \
  -DCMAKE_TOOLCHAIN_FILE="$emscripten/cmake/Modules/Platform/Emscripten.cmake"
cmake --build "$build"

rm -rf dist
tsc -p . --outDir dist
esbuild src/index.ts --bundle --format=esm --platform=neutral --target=es2022 --external:node:fs/promises \
  --outfile=dist/hearsay.js
cp "$build/hearsay.wasm" dist/
