#!/usr/bin/env bash
# Builds the documentation site. Sphinx makes pages of the guides and of all other Markdown files; Doxygen makes pages
# of the public headers. The script fails if there is a warning or a link that leads nowhere.
#
# usage: examples/site.sh [FOLDER]      (default build/site; begin with FOLDER/index.html)
set -euo pipefail
case "${1:-}" in -*) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2 ;; esac
site=${1:-$(dirname "$0")/../build/site}
mkdir -p "$site"
site=$(cd "$site" && pwd)
cd "$(dirname "$0")/.."

examples/dependencies.sh --site

# -E reads all pages anew, because Sphinx does not repeat the warnings of a page that it has read before. -d puts
# Sphinx's cache outside the site.
sphinx-build -b html -E -W --keep-going -q -j auto -d build/site.doctrees -c examples/site . "$site"
# Debian's theme expects this sheet at /javascript on the web server. The site brings its own copy.
cp /usr/share/javascript/normalize.css/normalize.css "$site/_static/styles/"
sed -i 's#/javascript/normalize.css/normalize.css#normalize.css#' "$site/_static/styles/furo.css"
(cat sdk/docs/Doxyfile examples/site/Doxyfile && echo "OUTPUT_DIRECTORY = $site") | doxygen -
# Checks that the pages load nothing from other hosts.
if grep -rEo --include='*.html' '<(script|link|img|iframe|object|source|embed)[^>]*(src|href|data)="?(https?:)?//[^>]*' "$site" ||
  grep -rEo --include='*.css' '(url\(|@import +(url\()?)["'"'"']?(https?:)?/[^;)]*' "$site"; then
  echo "the site loads the above from outside of its folder" >&2
  exit 1
fi
# Checks all links, and the anchors that links name. If root starts the link checker, the checker runs as the user
# "nobody". This user may be unable to read the site, so the checker reads a copy.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$site/." "$copy"
chmod -R a+rX "$copy"
linkchecker --config examples/site/linkchecker.ini "$copy/index.html"
