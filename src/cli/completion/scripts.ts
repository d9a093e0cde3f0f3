export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Each script asks hisab itself, so that a new flag needs no new script. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `_hisab() {
  local IFS=$'\\n'
  COMPREPLY=($(hisab complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _hisab hisab
`,
  zsh: `_hisab() {
  local -a found
  found=("\${(@f)$(hisab complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#found[1]} )); then compadd -a found; else _files; fi
}
(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
compdef _hisab hisab
`,
  fish: `function __hisab_complete
    set -l words (commandline -opc) (commandline -ct)
    hisab complete -- $words[2..-1] 2>/dev/null
end
complete -c hisab -f -n 'test -n "$(__hisab_complete)"' -a '(__hisab_complete)'
`,
}

interface Place {
  readonly script: string
  /** The file that the shell reads at its start, if it does not find the script by itself. */
  readonly startFile: string | null
}

export const places: Readonly<Record<Shell, Place>> = {
  bash: {script: '.local/share/hisab/completion.bash', startFile: '.bashrc'},
  zsh: {script: '.local/share/hisab/completion.zsh', startFile: '.zshrc'},
  fish: {script: '.config/fish/completions/hisab.fish', startFile: null},
}
