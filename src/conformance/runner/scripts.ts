// What an agent is prompted so that it does what a check needs, by word. Every set uses these words. Knows no protocol.

/** For our demo agent. */
export const demoScript: ReadonlyMap<string, string> = new Map([
  ['text', 'hello there'],
  ['think', 'think'],
  // One call, then a turn that closes with text.
  ['tool', 'tool'],
  // Several calls in one message.
  ['tools', 'tools'],
  ['toolfail', 'toolfail'],
  // A call in which a sub-agent works.
  ['subagent', 'subagent'],
  // A call that waits for approval.
  ['approval', 'ask'],
  // Takes a while, and ends by itself.
  ['busy', 'slow 100'],
  // Goes on until it is stopped.
  ['endless', 'hang'],
  // The model fails, and the run with it.
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
  // Something is told to the user, and shown.
  ['notice', 'notice'],
  ['status', 'status'],
  // Commands for a shell, where the protocol has one.
  ['shell', 'echo hello'],
  ['endless shell', 'hang'],
]);

/** For agents whose model is ours (model/answers.ts). `{id}` becomes a word that comes once. */
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

/** For Claude Code with a model that is ours: its tools have names and arguments of their own (model/claude-answers.ts). */
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
