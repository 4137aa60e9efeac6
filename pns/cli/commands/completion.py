"""Completion of command lines for bash, zsh and fish, made from the parsers themselves.

The answer is a script that needs nothing else: pressing Tab does not start Python.
"""

from __future__ import annotations

import argparse
from typing import Iterator, List

from pns.cli.parser import Parser
from pns.cli.reference import Command, Option, commands

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = (
    ("bash > ~/.local/share/bash-completion/completions/pns", "for bash, from the next shell on"),
    ("zsh > ~/.zfunc/_pns", "for zsh, with ~/.zfunc in fpath"),
    ("fish > ~/.config/fish/completions/pns.fish", "for fish"),
)
STATUS = "exit status: 0; 2 for an unknown shell"


def completion_parser(prog: str) -> Parser:
    """The parser of `pns completion`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [-h] bash|zsh|fish",
        description="Print a script that completes the command lines of pns.",
        examples=EXAMPLES,
        status=STATUS,
    )
    group = parser.add_argument_group("shell")
    group.add_argument("shell", choices=SHELLS, help="the shell that reads the script")
    return parser


def main(args: argparse.Namespace) -> int:
    """Print the script; returns the exit status."""
    write = {"bash": bash, "zsh": zsh, "fish": fish}[args.shell]
    for line in write(commands()):
        print(line)
    return 0


def quoted(text: str) -> str:
    """A text in single quotes, for every shell.

    >>> print(quoted("the user's own"))
    'the user'"'"'s own'
    """
    return "'%s'" % text.replace("'", "'\"'\"'")


BASH_HEAD = """\
# Completion of pns for bash; written by `pns completion bash`.
_pns() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local command= word words= files=
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "$command/$word" in"""
BASH_TAIL = """\
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    if [[ $files && $current != -* ]]; then
        COMPREPLY+=($(compgen -f -- "$current"))
    fi
}
complete -o filenames -F _pns pns"""


def bash(found: List[Command]) -> Iterator[str]:
    """The lines of the script for bash."""
    yield BASH_HEAD
    for command in found:
        for verb in command.verbs:
            name = (command.name + " " + verb).strip()
            yield "            %s) command=%s ;;" % (
                quoted("%s/%s" % (command.name, verb)),
                quoted(name),
            )
    yield '        esac\n    done\n    case "$command/$before" in'
    for command in found:
        for option in command.options:
            if option.flags and option.value:
                cases = "|".join([quoted("%s/%s" % (command.name, flag)) for flag in option.flags])
                answer = ""
                if option.choices:
                    answer = 'COMPREPLY=($(compgen -W "%s" -- "$current")); ' % " ".join(
                        option.choices
                    )
                elif option.is_file:
                    answer = 'COMPREPLY=($(compgen -f -- "$current")); '
                yield "        %s) %sreturn ;;" % (cases, answer)
    yield '    esac\n    case "$command" in'
    for command in found:
        words = [*command.verbs]
        for option in command.options:
            words += option.flags or option.choices
        files = " files=yes" if command.takes_files else ""
        yield "        %s) words=%s%s ;;" % (quoted(command.name), quoted(" ".join(words)), files)
    yield "    esac\n" + BASH_TAIL


def zsh(found: List[Command]) -> Iterator[str]:
    """The lines of the script for zsh: a function for each command."""
    yield "#compdef pns\n# Completion of pns for zsh; written by `pns completion zsh`."
    for command in found:
        yield "%s() {" % _function(command.words)
        if command.verbs:
            yield "    local -a verbs=("
            for verb, text in command.verbs.items():
                yield "        %s" % quoted("%s:%s" % (verb, text.replace(":", "\\:")))
            yield "    )"
            yield "    if (( CURRENT > 2 )); then\n        case $words[2] in"
            for verb in command.verbs:
                function = _function((*command.words, verb))
                yield "            %s) shift words; (( CURRENT-- )); %s; return ;;" % (
                    verb,
                    function,
                )
            yield "        esac\n    else\n        _describe command verbs\n    fi"
        specs = [spec for option in command.options for spec in _zsh_specs(option)]
        yield "    _arguments -S \\\n        %s" % " \\\n        ".join(specs)
        yield "}"
    yield '%s "$@"' % _function(())


def _function(words: "tuple[str, ...]") -> str:
    return "_".join(["_pns", *words])


def _zsh_specs(option: Option) -> Iterator[str]:
    """The specifications of an option for _arguments."""
    text = option.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    action = "(%s)" % " ".join(option.choices) if option.choices else " "
    if option.is_file:
        action = "_files"
    value = ":%s:%s" % (option.value.replace(":", "\\:"), action) if option.value else ""
    for flag in option.flags:
        yield quoted("%s[%s]%s" % (flag, text, value))
    if not option.flags:
        yield quoted("*" + value)


def fish(found: List[Command]) -> Iterator[str]:
    """The lines of the script for fish."""
    yield "# Completion of pns for fish; written by `pns completion fish`.\ncomplete -c pns -f"
    for command in found:
        others = " ".join(command.verbs)
        seen = ["__fish_seen_subcommand_from " + word for word in command.words]
        alone = [*seen, "not __fish_seen_subcommand_from " + others] if others else seen
        for verb, text in command.verbs.items():
            yield "complete -c pns -n %s -a %s -d %s" % (
                quoted("; and ".join(alone)),
                verb,
                quoted(text),
            )
        for option in command.options:
            line = "complete -c pns -n %s" % quoted("; and ".join(alone) or "true")
            for flag in option.flags:
                line += " -l " + flag[2:] if flag.startswith("--") else " -s " + flag[1:]
            if option.choices:
                line += " -x -a " + quoted(" ".join(option.choices))
            elif option.is_file:
                line += " -r -F" if option.flags else " -F"
            elif option.value and option.flags:
                line += " -x"
            elif not option.flags:
                continue
            yield "%s -d %s" % (line, quoted(option.help))
