# Completion of tare for fish. Commands, options and values are those that the installed command names.

function __tare_commands # [COMMAND]: the commands, or those below one, with what they do
    tare $argv --help 2>/dev/null | string replace -rf '^  ([a-z][a-z-]*) +(.*)' '$1\t$2' | string match -v 'tare*'
end

function __tare_options
    set -l words (commandline -opc)[2..]
    set -l command $words[1]
    test "$command" = debug; and set command $words[1..2]
    tare $command --usage 2>/dev/null | string match -ra -- '\[--[A-Za-z0-9-]*=?' | string trim -c '['
end

# Values of the option before the cursor, or in its word; behind a comma, further ones.
function __tare_values
    set -l words (commandline -opc)[2..]
    set -l command $words[1]
    test "$command" = debug; and set command $words[1..2]
    set -l text (string split -m 1 = -- (commandline -ct))
    set -l before
    if string match -q -- '--*' $text[1]; and test (count $text) -eq 2
        set before "$text[1]="
    else if string match -q -- '--*' $words[-1]
        set text $words[-1] (commandline -ct)
    else
        return 1
    end
    set -l list (string match -r '.*,' -- $text[2])
    set before "$before$list"
    set -l values (tare complete $command "$text[1]=$text[2]" 2>/dev/null)
    test (count $values) -gt 0; and printf '%s\n' $before$values
end

complete -c tare -n 'test (count (commandline -opc)) -eq 1' -f -a '(__tare_commands)'
complete -c tare -n '__fish_seen_subcommand_from help' -f -a '(__tare_commands)'
complete -c tare -n '__fish_seen_subcommand_from debug; and test (count (commandline -opc)) -eq 2' -f -a '(__tare_commands debug)'
complete -c tare -n 'test (count (commandline -opc)) -gt 1; and string match -q -- "-*" (commandline -ct)' -f -a '(__tare_options)'
complete -c tare -n '__tare_values >/dev/null' -f -k -a '(__tare_values)'
