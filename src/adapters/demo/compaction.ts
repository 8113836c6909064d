// A compaction of the demo agent: its events and its invented summary. A prompt or a command requests it.
import type { EventOf } from '../../core/model/event.ts';
import { type Play, say } from './play.ts';
import type { PlayState } from './play-state.ts';
import { tokens } from './token-meter.ts';

/** How many delays of the pace a compaction takes: long enough to watch and abort it. */
const delaysPerCompaction = 20;

/** The result of a compaction. */
export interface Summary {
  readonly summary: string;
  /** Tokens. */
  readonly tokensBefore: number;
}

/** Compacts. Returns null if aborted. Afterwards the conversation has the tokens of the summary. */
export function* compaction(
  stage: PlayState,
  trigger: EventOf<'compaction-start'>['trigger'],
  instructions?: string,
): Play<Summary | null> {
  const signal = yield {
    events: [{ type: 'compaction-start', trigger }],
    pause: { for: 'time', ms: delaysPerCompaction * stage.pace.ms, cut: 'compaction' },
  };
  if (signal === 'cut') {
    yield say({ type: 'compaction-end', trigger, outcome: 'aborted' });
    return null;
  }
  const tokensBefore = stage.meter.context;
  const wish = instructions === undefined ? '' : ` You asked for: ${instructions}`;
  const summary = `A conversation of ${tokensBefore} tokens.${wish}`;
  const tokensAfter = tokens(summary.length);
  yield say({ type: 'compaction-end', trigger, outcome: 'completed', summary, tokensBefore, tokensAfter });
  return { summary, tokensBefore };
}
