// Steps that report something beside the messages of the conversation: notice, status, queue, usage, compact.
import { compaction } from '../compaction.ts';
import { type Play, say, sayAndWait } from '../play.ts';
import { type PlayState, queueChanged } from '../play-state.ts';
import { freshTurn, sayText } from '../speech.ts';

/** One notice of each level. */
export function* notice(stage: PlayState): Play {
  yield say(
    { type: 'notice', level: 'info', text: 'This is an information.', source: 'agent' },
    { type: 'notice', level: 'warning', text: 'This is a warning.', source: 'agent' },
    { type: 'notice', level: 'error', text: 'This is an error that ends nothing.', source: 'extension' },
  );
  yield* sayText(stage, 'I sent three notices.');
}

/** Shows something at each place. Temporary displays disappear after the text; the status line and the title stay. */
export function* status(stage: PlayState): Play {
  yield sayAndWait(
    stage.pace.ms,
    { type: 'display', place: 'status', key: 'demo', lines: ['demo: a status line'] },
    { type: 'display', place: 'widget', key: 'demo', lines: ['a widget', 'of two lines'], position: 'aboveEditor' },
    { type: 'display', place: 'title', lines: ['Patchbay demo'] },
    { type: 'activity', id: 'demo', text: 'Showing displays' },
  );
  yield* sayText(stage, 'I showed a status line, a widget, a title and an activity.');
  yield say(
    { type: 'display', place: 'widget', key: 'demo', lines: null },
    { type: 'activity', id: 'demo', text: null },
  );
}

/** Reports two waiting messages that do not exist, then the real queues. */
export function* queue(stage: PlayState): Play {
  const steering = ['a steering message'];
  yield sayAndWait(stage.pace.ms, { type: 'queue-changed', steering, followUp: ['a follow-up'] });
  yield say(queueChanged(stage.inbox));
  yield* sayText(stage, 'I showed a queue and emptied it.');
}

/** The figures of the messages that ended before this one. */
export function* usage(stage: PlayState): Play {
  const { usage, cost, context } = stage.meter;
  const sessionTokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  const { contextWindow } = stage.settings.model;
  yield say({
    type: 'usage-changed',
    usage,
    cost: { total: cost },
    sessionTokens,
    sessionCost: { total: cost },
    contextTokens: context,
    ...(contextWindow === undefined ? {} : { contextWindow }),
  });
  yield* sayText(stage, `So far this session used ${sessionTokens} tokens.`);
}

/** Compacts between two messages, as an agent with a full context does, unless compaction is off. */
export function* compact(stage: PlayState): Play {
  if (!stage.settings.autoCompaction) return yield* sayText(stage, 'I would compact now, but that is switched off.');
  yield* freshTurn(stage);
  const summary = yield* compaction(stage, 'threshold');
  yield* sayText(stage, summary === null ? 'The compaction was aborted.' : 'The conversation is shorter now.');
}
