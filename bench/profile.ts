// Runs the pipeline of rows P1 (delta-only) or P2 (snapshot) and nothing else, for `node --cpu-prof`.
import { createPipeline } from './pipeline.ts';
import { timed } from './rounds.ts';
import { chunksOf, closingLines, deltaLine, deltasOf, openingLines, sampledDeltas } from './workloads.ts';

const [, , what = 'delta-only', rounds = '20', kilobytes = '200'] = process.argv;
const bytes = Number(kilobytes) * 1000;

function conversation(): { chunks: Buffer[]; events: number } {
  if (what === 'snapshot') {
    const { lines, deltas } = sampledDeltas('snapshot', bytes, 200);
    return { chunks: [...chunksOf([...openingLines('snapshot'), ...lines])], events: deltas.length };
  }
  const deltas = deltasOf(bytes);
  const lines = deltas.map((delta) => deltaLine('delta-only', delta, ''));
  const closing = closingLines('delta-only', deltas.join(''));
  return { chunks: [...chunksOf([...openingLines('delta-only'), ...lines, ...closing])], events: deltas.length };
}

const { chunks, events } = conversation();
for (let round = 0; round < Number(rounds); round += 1) {
  const pipeline = createPipeline();
  const ms = timed(() => {
    for (const chunk of chunks) pipeline.push(chunk);
  });
  process.stderr.write(`${((ms * 1000) / events).toFixed(3)} us/event\n`);
  if (pipeline.notes.length > 0) throw new Error(pipeline.notes.join('\n'));
}
