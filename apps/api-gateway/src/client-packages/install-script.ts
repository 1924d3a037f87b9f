/**
 * Installs the command of this installation for one user, without npm: `curl <url>/install.sh | sh`. A shell reads it while it
 * arrives, so everything runs in the last line.
 */
export const installScript = (baseUrl: string): string => `#!/bin/sh
# Installs the postern command of ${baseUrl} below ~/.local; POSTERN_INSTALL_DIR and POSTERN_BIN_DIR change the folders.
set -eu

url=${quoted(baseUrl)}
folder="\${POSTERN_INSTALL_DIR:-\${XDG_DATA_HOME:-$HOME/.local/share}/postern-command}"
bin="\${POSTERN_BIN_DIR:-$HOME/.local/bin}"

fail() {
  echo "$1" >&2
  exit 1
}

install() {
  command -v node > /dev/null || fail "The postern command needs Node.js 20 or newer: https://nodejs.org"
  major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 20 ] || fail "The postern command needs Node.js 20 or newer; this is $(node --version)."
  for tool in curl tar; do
    command -v "$tool" > /dev/null || fail "The installation needs $tool."
  done
  next="$folder.next.$$"
  rm -rf "$next"
  mkdir -p "$next" "$bin"
  trap 'rm -rf "$next"' EXIT
  curl -fsSL "$url/packages/command.tgz" -o "$next/command.tgz"
  tar -xzf "$next/command.tgz" -C "$next" --strip-components=1
  rm "$next/command.tgz"
  chmod 755 "$next/bin/postern.mjs"
  rm -rf "$folder"
  mv "$next" "$folder"
  ln -sf "$folder/bin/postern.mjs" "$bin/postern"
  echo "Installed postern $("$bin/postern" --version) in $bin"
  case ":$PATH:" in
    *":$bin:"*) ;;
    *) echo "Add it to your PATH: export PATH=\\"$bin:\\$PATH\\"" ;;
  esac
  echo "Next: postern login --url $url"
}

install
`;

/** Quotes the text as one shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
