# SPDX-License-Identifier: GPL-2.0-only
#
# Completion for fish. The command itself says which words there are.

function __taskacct_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and echo $words[2]
end

function __taskacct_is
    contains -- (__taskacct_verb) $argv
end

# What is behind -- belongs to the command.
function __taskacct_command
    set -l words (commandline -opc)
    test "$words[2]" = run; and contains -- -- $words
end

function __taskacct_wants_field
    contains -- (commandline -opc)[-1] -o -s --output --sort --by
end

complete -c taskacct -f
complete -c taskacct -n __taskacct_wants_field -a '(taskacct help words fields)'
complete -c taskacct -n 'not __taskacct_verb' -a '(taskacct help words)'
complete -c taskacct -n '__taskacct_is help' -a '(taskacct help words) fields'
complete -c taskacct -n '__taskacct_verb; and not __taskacct_command' \
    -a '(string match -q -- "-*" (commandline -ct); and taskacct help words (__taskacct_verb))'
complete -c taskacct -n '__taskacct_is exits report' -F
complete -c taskacct -n __taskacct_command -a '(__fish_complete_subcommand --fcs-skip=3)'
complete -c taskacct -n '__taskacct_is show' -a 'user: unit: cgroup:'
complete -c taskacct -n '__taskacct_is counters' \
    -a '(taskacct counters -H 2>/dev/null | string split -f 1 " ")'
