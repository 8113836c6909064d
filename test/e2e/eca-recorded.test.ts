// Real ECA clients, as they were recorded, speak to our frontend: with their ids, in their order, each message when its time
// has come. Every request is answered, nothing is refused, and the judge has no complaint.
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { readersOf, speakAgain } from '../support/eca-replay.ts';
import { ecaTraces } from '../support/eca-traces.ts';
import { ecaFaults } from '../support/judged-eca.ts';
import { obliging } from '../support/obliging.ts';
import { register } from '../support/register.ts';

register(obliging);

/** Those who say wrong things on purpose. */
const isTrying = (name: string): boolean => /error/u.test(name);

test.skipIf(ecaTraces.length === 0)(
  'there are recordings (skipped where PATCHBAY_CORPUS and ../shared/corpus are absent)',
  () => expect(ecaTraces.length).toBeGreaterThan(2),
);

test.each(ecaTraces)('$name', async ({ name, rows }) => {
  const faults: string[] = [];
  const config = parseConfig({ agents: { it: { protocol: 'obliging', options: { paceMs: 0 } } } });
  const gateway = createGateway(config, {
    log: (level, message, details) => {
      if (details?.level === 'violation' || level === 'error') faults.push(`${message} ${JSON.stringify(details)}`);
    },
  });
  const [near, channel] = memoryPair();
  const served = gateway.serveClient(near, { frontend: 'eca', agent: 'it', options: {} });
  try {
    const talk = await speakAgain(rows, channel);
    const judgement = { complete: !isTrying(name), readers: readersOf(talk) };
    expect(ecaFaults(talk, judgement)).toEqual([]);
    const errors = talk.filter(({ by, message }) => by === 'server' && JSON.stringify(message).includes('"error":{'));
    if (!isTrying(name)) expect(errors).toEqual([]);
    if (!isTrying(name)) expect(faults).toEqual([]);
  } finally {
    channel.close('normal', 'the test is over');
    gateway.close('the test is over');
    await served;
  }
});
