# Completion of tare for fish. Commands and options are those that the installed command names.

function __tare_commands # [COMMAND]: the commands, or those below one, with what they do
    tare $argv --help 2>/dev/null | string replace -rf '^  ([a-z][a-z-]*) +(.*)' '$1\t$2' | string match -v 'tare*'
end

function __tare_options
    set -l words (commandline -opc)[2..]
    set -l command $words[1]
    test "$command" = debug; and set command $words[1..2]
    tare $command --usage 2>/dev/null | string match -ra -- '\[--[A-Za-z0-9-]*=?' | string trim -c '['
end

complete -c tare -n 'test (count (commandline -opc)) -eq 1' -f -a '(__tare_commands)'
complete -c tare -n '__fish_seen_subcommand_from help' -f -a '(__tare_commands)'
complete -c tare -n '__fish_seen_subcommand_from debug; and test (count (commandline -opc)) -eq 2' -f -a '(__tare_commands debug)'
complete -c tare -n 'test (count (commandline -opc)) -gt 1; and string match -q -- "-*" (commandline -ct)' -f -a '(__tare_options)'
