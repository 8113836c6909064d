// The help text of `patchbay-claude`.

export { claudeCodeVersion } from '../../../adapters/claude/frontend/system-frames.ts';

/** The text for `--help`. */
export const claudeHelp = `patchbay-claude: a stand-in for claude, with any agent behind it

Usage:
  patchbay-claude --input-format stream-json --output-format stream-json [claude's own options]
  patchbay-claude -p [prompt] [--output-format text|json|stream-json] [claude's own options]

The Claude Agent SDK uses the first form: set pathToClaudeCodeExecutable to this program. The second form is for a terminal
or a script; text on stdin is added to the prompt. No other mode of claude is supported.

Which agent answers (the first of these that is given):
  --patchbay-agent <name>, PATCHBAY_AGENT     an agent of the configuration, or demo
  --patchbay-config <file>, PATCHBAY_CONFIG   the default agent of this configuration file
  the configuration of the user               its default agent
  a claude on the PATH that is not this program
  the demo agent

The configuration of the user is XDG_CONFIG_HOME/agent-patchbay/patchbay.json, by default
~/.config/agent-patchbay/patchbay.json. A patchbay.json in the working directory is not read: a project must not choose
which programs are started.

If the agent is a program with the protocol claude, claude's options are appended to its command; the last one of several
counts. For any other agent, --model, --permission-mode, --thinking, --max-thinking-tokens, --effort, --name, --resume,
--continue, --system-prompt and --append-system-prompt (also with -file) become requests if the agent supports them. Options
without effect are listed on stderr, which the SDK passes only to its option \`stderr\`.
PATCHBAY_VERBOSE=1 logs repairs and losses too.

--session-id sets the session id in all frames. --resume takes a session id, or the path of a conversation stored by the
agent. The map from ids to conversations is kept in XDG_STATE_HOME/agent-patchbay, unless --no-session-persistence is given.

Tools that need permission: the client is asked if --permission-prompt-tool=stdio is given, which the SDK does if a
canUseTool is set. Otherwise, and with -p, such tools are denied at once.

--version prints the version of Claude Code whose format is spoken. auth status always reports a logged-in user.

Exit codes: 0 success, 1 the last result was an error or the agent ended, 2 wrong usage, 128 plus the signal number after a
signal.

Examples:
  PATCHBAY_AGENT=demo patchbay-claude -p 'think tool'
  git diff | patchbay-claude -p 'Review this' --output-format json
`;
