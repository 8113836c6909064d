// Steps in which something goes wrong: fail, retry, hang, die, unknown, badorder.
import type { Failure } from '../../../core/model/content.ts';
import { type Play, say } from '../play.ts';
import type { PlayState } from '../play-state.ts';
import { endMessage, freshTurn, nextTurn, sayText, startBlock } from '../speech.ts';

const overloaded: Failure = { kind: 'provider', message: 'the model is overloaded', status: 529 };

/** Delay before the first retry, ms. Each later delay is longer by the same amount. */
const retryDelayMs = 100;

function* startSentence(stage: PlayState): Play {
  const index = yield* startBlock(stage, { kind: 'text' });
  yield say({ type: 'block-delta', index, delta: 'I was about to' });
}

/** The model call fails in the middle of a sentence. */
export function* fail(stage: PlayState): Play {
  yield* startSentence(stage);
  yield { events: [], pause: { for: 'closing', cause: { outcome: 'failed', failure: overloaded } } };
}

/** The model refuses before its first word, `rounds` times. Aborting the delay makes the refusal final. */
export function* retry(stage: PlayState, rounds: number): Play {
  yield* freshTurn(stage);
  if (!stage.settings.autoRetry)
    yield { events: [], pause: { for: 'closing', cause: { outcome: 'failed', failure: overloaded } } };
  for (let attempt = 1; attempt <= rounds; attempt += 1) {
    const ms = retryDelayMs * attempt;
    const signal = yield {
      events: [{ type: 'retry-start', attempt, maxAttempts: rounds, delayMs: ms, failure: overloaded }],
      pause: { for: 'time', ms, cut: 'retry' },
    };
    const success = signal !== 'cut' && attempt === rounds;
    // All attempts have one end, as in real agents. An end without success means that no attempt follows.
    if (success) yield say({ type: 'retry-end', attempt, success });
    if (signal !== 'cut') continue;
    yield say({ type: 'retry-end', attempt, success, failure: overloaded });
    yield { events: [], pause: { for: 'closing', cause: { outcome: 'failed', failure: overloaded } } };
  }
  yield* sayText(stage, `The model answered after ${rounds} retries.`);
}

/** Starts a sentence and never continues. */
export function* hang(stage: PlayState): Play {
  yield* startSentence(stage);
  yield { events: [], pause: { for: 'ever' } };
}

/** Starts a sentence and dies. */
export function* die(stage: PlayState): Play {
  yield* startSentence(stage);
  yield { events: [], pause: { for: 'death' } };
}

/** An event without a canonical form, which clients may drop. */
export function* unknown(stage: PlayState): Play {
  yield say({ type: 'unknown', protocol: 'demo', payload: { kind: 'novelty', note: 'from a future version' } });
  yield* sayText(stage, 'I sent an event that nobody knows.');
}

/** Breaks the event grammar as real agents do: a delta without a start, duplicate ends. */
export function* badorder(stage: PlayState): Play {
  yield* sayText(stage, 'Now I get it wrong.');
  const index = stage.transcript.open.get('')?.blocks.length ?? 0;
  yield say(
    { type: 'block-delta', index, delta: 'This delta had no start.' },
    { type: 'block-end', index },
    { type: 'block-end', index },
  );
  yield* endMessage(stage, 'end');
  yield say({ type: 'message-end', stop: { reason: 'end' } });
  yield* nextTurn(stage);
  yield* sayText(stage, 'That was wrong on purpose.');
}
