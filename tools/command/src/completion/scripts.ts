/** The shell function calls the command, so that the completion matches the installed version. */
export const COMPLETION_SCRIPTS = {
  bash: `_postern() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  local words
  words="$(postern __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _postern postern
`,
  zsh: `#compdef postern
_postern() {
  local -a found
  found=("\${(@f)$(postern __complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ -n "$found" ]]; then compadd -- $found; else _files; fi
}
compdef _postern postern
`,
  fish: `function __postern_complete
  set -l words (commandline -opc) (commandline -ct)
  postern __complete -- $words[2..-1] 2> /dev/null
end
complete -c postern -a '(__postern_complete)'
`,
} as const;

export type Shell = keyof typeof COMPLETION_SCRIPTS;
