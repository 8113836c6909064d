// How the demo agent compacts: the events around it and its invented summary. Asked for by a prompt or a command.
import type { EventOf } from '../../core/model/event.ts';
import { tokens } from './meter.ts';
import { type Play, say } from './play.ts';
import type { Stage } from './stage.ts';

/** A compaction takes so many waits of the pace: long enough to be seen and aborted. */
const waitsOfACompaction = 20;

/** What a compaction came to. */
export interface Summary {
  readonly summary: string;
  /** Tokens. */
  readonly tokensBefore: number;
}

/** Compacts; null when it was aborted. Afterwards the conversation counts as the tokens of the summary. */
export function* compaction(
  stage: Stage,
  trigger: EventOf<'compaction-start'>['trigger'],
  instructions?: string,
): Play<Summary | null> {
  const signal = yield {
    events: [{ type: 'compaction-start', trigger }],
    pause: { for: 'time', ms: waitsOfACompaction * stage.pace.ms, cut: 'compaction' },
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
