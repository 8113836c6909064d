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
  ['fail', '[[bad-request]]'],
  ['retry', '[[twice]] {id}'],
  ['compaction', '[[compact]]'],
  ['long', '[[long]]'],
  ['unicode', '[[unicode]]'],
  ['image', '[[image]]'],
  ['shell', 'echo hello'],
  ['endless shell', 'sleep 20'],
]);
