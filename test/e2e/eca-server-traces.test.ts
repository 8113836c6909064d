// Recorded ECA servers of both eras told to clients of every protocol: the judge of each has no complaint, and each hears
// the words of the model.
import { describe, expect, test } from 'vitest';
import { adapters } from '../../src/adapters/index.ts';
import { clientRoles } from '../support/client-roles.ts';
import { stillEnv } from '../support/decoding.ts';
import { playEca } from '../support/eca-agent-replay.ts';
import { handMadeEca } from '../support/eca-agent-traces.ts';
import { ecaTraces } from '../support/eca-traces.ts';
import { tell } from '../support/telling.ts';
import { tells } from '../support/telltale.ts';

const clients = [...adapters.values()].filter(({ client }) => client !== undefined).map(({ id }) => id);
/** Contents that no judge knows (a hook, a list of jobs) or that a protocol has no place for are eca-corpus.test.ts's. */
const isJudged = (rows: readonly unknown[]): boolean => !/"(?:image|hookActionStarted)"/u.test(JSON.stringify(rows));
const traces = [...ecaTraces, ...handMadeEca].filter(({ rows }) => isJudged(rows));

/** What the model said in one breath, in each run that no other prompt fell into: two at once are never sent by us. */
function wordsOf(trace: (typeof traces)[number]): string[] {
  const runs: { prompts: number; readonly words: string[] }[] = [{ prompts: 0, words: [''] }];
  for (const { dir, msg } of trace.rows) {
    const { params } = Object(msg);
    const run = runs.at(-1);
    if (dir !== 'out' || params?.content === undefined || run === undefined) continue;
    const { role, content } = params;
    if (role === 'user') run.prompts += 1;
    if (role === 'assistant' && content.type === 'text') run.words.push(`${run.words.pop() ?? ''}${content.text}`);
    else if (content.type !== 'usage') run.words.push('');
    if (content.type === 'progress' && content.state === 'finished') runs.push({ prompts: 0, words: [''] });
  }
  return runs.flatMap(({ prompts, words }) => (prompts === 1 ? words.filter((one) => one !== '') : []));
}

describe.each(clients)('to a client of %s', (id) => {
  test.each(traces)('$name', (trace) => {
    const side = adapters.get(id)?.client?.frontend(stillEnv(), {});
    const role = clientRoles.get(id);
    if (side === undefined || role === undefined) throw new Error(`nobody plays a client of ${id}`);
    const { log } = playEca(trace);
    log.close();
    const { texts } = tell(side, log.logged);
    expect(role.judge(texts)).toEqual([]);
    for (const words of wordsOf(trace)) expect({ words, told: tells(texts, words) }).toEqual({ words, told: true });
  });
});
