# Completion of tare for bash. Commands, options and values are those that the installed command names.

_tare_commands() { # [COMMAND]: the commands, or those below one
  tare "$@" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | grep -vx tare
}

_tare_options() { # COMMAND...
  tare "$@" --usage 2>/dev/null | grep -o -e '\[--[A-Za-z0-9-]*=\?' | tr -d '['
}

_tare_values() { # COMMAND... --OPTION=TEXT: values that begin so; behind a comma, the last one does
  tare complete "$@" 2>/dev/null | cut -f 1
}

# Completes the value of an option; fails if the word is none, or may be anything. Bash takes '=' for a word.
_tare_value() { # COMMAND...
  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} before=
  if [ "$word" = = ]; then
    word=
  elif [ "$option" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  [[ $option == --* ]] || return
  [[ $word == *,* ]] && before=${word%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$(_tare_values "$@" "$option=$word")")
  [ ${#COMPREPLY[@]} -gt 0 ]
}

_tare() {
  local word=${COMP_WORDS[COMP_CWORD]} command=("${COMP_WORDS[1]}")
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_tare_commands)" -- "$word")
    return
  fi
  if [ "${command[0]}" = debug ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      mapfile -t COMPREPLY < <(compgen -W "$(_tare_commands debug)" -- "$word")
      return
    fi
    command+=("${COMP_WORDS[2]}")
  elif [ "${command[0]}" = help ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_tare_commands)" -- "$word")
    return
  fi
  _tare_value "${command[@]}" && return
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_tare_options "${command[@]}")" -- "$word")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
    return
  fi
  [ "$word" != = ] || word=
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -F _tare tare
