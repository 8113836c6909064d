// The count of runs on trial: what begins one, and what only continues it.
import { expect, test } from 'vitest';
import { runsOf } from '../support/judges/pi-runs.ts';

test.each<[what: string, runs: number, events: string[]]>([
  ['nothing', 0, ['response', 'not JSON']],
  ['one prompt', 1, ['response', 'agent_start', 'turn_end', 'agent_end']],
  ['two prompts', 2, ['agent_start', 'agent_end', 'agent_start', 'agent_end']],
  ['cut off', 1, ['agent_start', 'turn_start']],
  ['a retry', 1, ['agent_start', 'agent_end', 'auto_retry_start', 'agent_start', 'auto_retry_end', 'agent_end']],
  ['a retry that agent_end announces', 1, ['agent_start', 'agent_end+', 'agent_start', 'agent_end', 'agent_settled']],
  [
    'an overflow',
    1,
    ['agent_start', 'agent_end', 'auto_compaction_start', 'auto_compaction_end+', 'agent_start', 'agent_end'],
  ],
  [
    'a compaction between',
    2,
    ['agent_start', 'agent_end', 'compaction_start', 'compaction_end', 'agent_start', 'agent_end'],
  ],
  ['two at once', 1, ['agent_start', 'agent_start', 'agent_end', 'agent_end']],
])('%s: %i', (what, runs, events) => {
  const lines = events.map((type) => JSON.stringify({ type: type.replace('+', ''), willRetry: type.endsWith('+') }));
  expect(runsOf(lines)).toEqual({ count: runs, mixed: what === 'two at once' });
});
