// Prompts by script word, which make an agent do what a check needs. All check sets share these words.

/** For our demo agent. */
export const demoScript: ReadonlyMap<string, string> = new Map([
  ['text', 'hello there'],
  ['think', 'think'],
  // One tool call, then a turn that ends with text.
  ['tool', 'tool'],
  // Several tool calls in one message.
  ['tools', 'tools'],
  ['toolfail', 'toolfail'],
  // A tool call that changes a file, where the agent tells how.
  ['edit', 'edit'],
  // A tool call in which a sub-agent works.
  ['subagent', 'subagent'],
  // A tool call that waits for approval.
  ['approval', 'ask'],
  // Takes a while and ends by itself.
  ['busy', 'slow 100'],
  // Runs until it is stopped.
  ['endless', 'hang'],
  // The model fails, and the run ends with an error.
  ['fail', 'fail'],
  // The model fails and answers at a later attempt.
  ['retry', 'retry 2'],
  ['compaction', 'compact'],
  ['long', 'long 2000'],
  ['unicode', 'unicode'],
  ['image', 'image'],
  ['select', 'select'],
  ['confirm', 'confirm'],
  ['input', 'input'],
  ['editor', 'editor'],
  // The agent shows the user a notice, and a status.
  ['notice', 'notice'],
  ['status', 'status'],
  // Shell commands, where the protocol has a command for a shell.
  ['shell', 'echo hello'],
  ['endless shell', 'hang'],
]);

/** For agents whose model is our fake model (model/answers.ts). `{id}` becomes a unique word. */
export const modelScript: ReadonlyMap<string, string> = new Map([
  ['text', '[[text]] hello'],
  ['think', '[[think]]'],
  ['tool', '[[tools]]'],
  ['tools', '[[tools]]'],
  ['toolfail', '[[toolerr]]'],
  ['busy', '[[busy]]'],
  ['endless', '[[hold]]'],
  // A tool that runs until it is stopped.
  ['endless tool', '[[abort-tool]]'],
  ['fail', '[[bad-request]]'],
  ['retry', '[[twice]] {id}'],
  ['compaction', '[[compact]]'],
  ['long', '[[long]]'],
  ['unicode', '[[unicode]]'],
  ['image', '[[image]]'],
  ['shell', 'echo hello'],
  ['endless shell', 'sleep 20'],
]);

/**
 * For Claude Code with our fake model. Claude Code's tools have their own names and arguments
 * (model/claude-answers.ts).
 */
export const claudeScript: ReadonlyMap<string, string> = new Map([
  ...modelScript,
  ['tool', '[[claude-tool]]'],
  ['tools', '[[claude-tools]]'],
  ['toolfail', '[[claude-toolerr]]'],
  ['approval', '[[claude-write]]'],
  ['subagent', '[[claude-agent]]'],
  ['select', '[[claude-ask]]'],
  ['retry', '[[claude-once]] {id}'],
  ['compaction', '/compact'],
]);
