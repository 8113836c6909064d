// Steps with tool calls that need no approval: tool, tools, toolfail, edit.

import { type Play, say, sayAndWait } from '../play.ts';
import type { PlayState } from '../play-state.ts';
import { endMessage, sayText } from '../speech.ts';
import { afterTools, announce, begin, newCall, newLookup } from '../tool-calls.ts';

/** One successful call. Each update replaces the one before. */
export function* tool(stage: PlayState): Play {
  yield* sayText(stage, 'Let me look that up.');
  const call = newLookup(stage, 'patch bays');
  yield* announce(stage, call);
  yield* endMessage(stage, 'tool-use');
  const running = begin(stage, call);
  yield sayAndWait(stage.pace.ms, running.start);
  yield sayAndWait(stage.pace.ms, running.update('replace', 'searching'));
  yield sayAndWait(stage.pace.ms, running.update('replace', 'searching, 2 entries so far'));
  yield say(...running.end('found 3 entries'));
  yield* afterTools(stage);
  yield* sayText(stage, 'The lookup found 3 entries.');
}

/** Parallel calls: they start in order, and end in the opposite order. */
export function* tools(stage: PlayState, count: number): Play {
  yield* sayText(stage, `Let me look up ${count} things at once.`);
  const calls = Array.from({ length: count }, (_, at) => newLookup(stage, `thing ${at + 1}`));
  for (const call of calls) yield* announce(stage, call);
  yield* endMessage(stage, 'tool-use');
  const running = calls.map((call) => begin(stage, call));
  yield sayAndWait(stage.pace.ms, ...running.map(({ start }) => start));
  for (const [at, { end }] of [...running.entries()].reverse()) {
    yield sayAndWait(stage.pace.ms, ...end(`found thing ${at + 1}`));
  }
  yield* afterTools(stage);
  yield* sayText(stage, `All ${count} lookups are done.`);
}

/** One call that ends in an error. Each update appends to the one before. */
export function* toolfail(stage: PlayState): Play {
  yield* sayText(stage, 'Let me try that.');
  const call = newLookup(stage, 'the impossible');
  yield* announce(stage, call);
  yield* endMessage(stage, 'tool-use');
  const running = begin(stage, call);
  yield sayAndWait(stage.pace.ms, running.start);
  yield sayAndWait(stage.pace.ms, running.update('append', 'searching\n'));
  yield sayAndWait(stage.pace.ms, running.update('append', 'still searching\n'));
  yield say(...running.end('the list does not exist', true));
  yield* afterTools(stage);
  yield* sayText(stage, 'The lookup failed: the list does not exist.');
}

/** A call that would change a file. */
export function* edit(stage: PlayState): Play {
  yield* sayText(stage, 'I change a line of a file.');
  const call = newCall(stage, 'edit_file', {
    path: 'colours.txt',
    old_text: 'red\ngreen\nblue\n',
    new_text: 'red\nyellow\nblue\nblack\n',
  });
  yield* announce(stage, call);
  yield* endMessage(stage, 'tool-use');
  const running = begin(stage, call);
  yield sayAndWait(stage.pace.ms, running.start);
  yield say(...running.end('replaced 1 piece of colours.txt'));
  yield* afterTools(stage);
  yield* sayText(stage, 'I changed the file.');
}
