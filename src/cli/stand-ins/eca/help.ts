// The help text of `patchbay-eca`, and the version of eca that `--version` prints.

/** The version of eca whose protocol is spoken. Clients of older versions work too. */
export const spokenVersion = '0.155.1';

/** The text for `--help`. */
export const ecaHelp = `patchbay-eca: a stand-in for eca, with any agent behind it

Usage:
  patchbay-eca server [eca's own options]

Set this program as the server path in the ECA plugin of an editor. It serves ECA's protocol on stdin and
stdout until the editor leaves. Each chat is a separate session with its own agent, in the editor's workspace.

Which agent answers (the first of these that is given):
  --patchbay-agent <name>, PATCHBAY_AGENT     an agent of the configuration, or demo
  --patchbay-config <file>, PATCHBAY_CONFIG   the default agent of this configuration file
  the configuration of the user               its default agent
  an eca on the PATH that is not this program, as \`eca server\`
  the demo agent

The configuration of the user is XDG_CONFIG_HOME/agent-patchbay/patchbay.json, by default
~/.config/agent-patchbay/patchbay.json. Without --patchbay-config, --patchbay-agent names an agent of this file. A
patchbay.json in the working directory is not read: editors start servers in the project, and a project must not choose
which programs are started.

Options of eca:
  --verbose, --log-level debug   log repairs and losses to stderr, as with PATCHBAY_VERBOSE=1
  --log-level error|warn|info    accepted
  --config-file <file>           passed to an eca agent, like all options of eca; other agents ignore it
  --help, -h, --version          --version prints the version of eca whose protocol is spoken

Exit codes: 0 success, 1 failure while running, 2 wrong usage, 128 plus the signal number after a signal. If an agent ends
or cannot be started, this program goes on and the editor shows the reason.

Examples:
  patchbay-eca server --patchbay-agent demo
  PATCHBAY_CONFIG=~/patchbay.json patchbay-eca server --verbose
`;
