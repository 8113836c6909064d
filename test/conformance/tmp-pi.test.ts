// temporary
import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { piServerChecks } from '../../src/conformance/pi-server/index.ts';
import { runChecks } from '../../src/conformance/runner.ts';
import { ownPi } from './targets.ts';
test('pi', { timeout: 400_000 }, async () => {
  const own = await ownPi();
  const pattern = new RegExp(process.env.ONLY ?? '.');
  const results = await runChecks(piServerChecks, own.target, {
    patienceMs: Number(process.env.PATIENCE ?? 15000),
    atOnce: Number(process.env.ATONCE ?? 3),
    only: (c) => pattern.test(c.id) && c.needs?.script !== undefined && c.needs.transport !== 'stdio',
    progress: (p) =>
      p.phase === 'finished' &&
      writeFileSync('/tmp/cconf/progress.txt', `${p.done}/${p.of} ${p.id} ${p.verdict}\n`, { flag: 'a' }),
  });
  let text = '';
  for (const r of results) text += `${r.verdict} ${r.id} ${Math.round(r.ms)} ${r.reason?.slice(0, 1500) ?? ''}\n`;
  writeFileSync('/tmp/cconf/pi.txt', text);
  if (process.env.DUMP) writeFileSync('/tmp/cconf/dump.txt', JSON.stringify(results, null, 1));
  await own.remove();
});
