// The help text of `patchbay-acp`.

/** The text for `--help`. */
export const acpHelp = `patchbay-acp: an ACP agent for editors and other clients, with any agent behind it

Usage:
  patchbay-acp [--agent <name>] [--config <file>] [--cwd <folder>] [--verbose]

Set this program as the command of an agent in a client of the Agent Client Protocol. It speaks version 1 on stdin and
stdout until the client leaves. Each session has an agent of its own, in the folder that the client names.

Which agent answers (the first of these that is given):
  --agent <name>, PATCHBAY_AGENT     an agent of the configuration, or demo
  --config <file>, PATCHBAY_CONFIG   the default agent of this configuration file
  the configuration of the user      its default agent
  the demo agent

The configuration of the user is XDG_CONFIG_HOME/agent-patchbay/patchbay.json, by default
~/.config/agent-patchbay/patchbay.json. Without --config, --agent names an agent of this file. A patchbay.json in the
working directory is not read: editors start agents in the project, and a project must not choose which programs are
started.

  --cwd <folder>     where this program runs, as if it was started there
  --verbose          log repairs and losses to stderr, as with PATCHBAY_VERBOSE=1
  --help, --version

Exit codes: 0 success, 1 failure while running, 2 wrong usage, 128 plus the signal number after a signal. If an agent ends
or cannot be started, this program goes on and the client gets the reason.

Examples:
  patchbay-acp --agent demo
  PATCHBAY_CONFIG=~/patchbay.json patchbay-acp --verbose
`;
