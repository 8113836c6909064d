// A full disk under the exports: who asked is told in the own protocol, and the gateway is not ready for a while
// (docs/faults.md F24).
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import type { ClientRequest } from '../../src/core/contract/gateway/gateway-api.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { obstacleMs } from '../../src/gateway/stored/unwritten-exports.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';
import { createSteppedWork } from '../support/core/stepped-work.ts';
import { drain } from '../support/core/stream-rig.ts';
import { createVirtualClock, type VirtualClock } from '../support/core/virtual-clock.ts';
import { replaceFs } from '../support/our-fs.ts';

const disk = { error: '' };
replaceFs((real) => ({
  writeFileSync: (...[file, data, ...rest]: Parameters<typeof real.writeFileSync>) => {
    real.writeFileSync(file, disk.error === '' ? data : String(data).slice(0, 5), ...rest);
    if (disk.error !== '') throw Object.assign(new Error(`${disk.error}: write`), { code: disk.error });
  },
}));

let folder = '';
let clock: VirtualClock;
let gateway: Gateway;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-full-'));
  clock = createVirtualClock();
  gateway = createGateway(parseConfig({ exportDirectory: folder }), {
    log: () => {},
    clock,
    work: createSteppedWork({ ms: 1e9, bytes: 1e9 }),
  });
  gateway.board.createSession({ id: 's' }, owner);
});
afterEach(() => {
  disk.error = '';
  gateway.close('the test is over');
  rmSync(folder, { recursive: true, force: true });
});

/** Asks for an export in that protocol. Returns the answer. */
async function exported(frontend: string, outputPath?: string): Promise<unknown> {
  const request: ClientRequest & { session: string } = { frontend, session: 's', options: {}, principal: owner };
  const reader = gateway.board.stream(request, null);
  const asked = `export ${outputPath}`;
  const command = { type: 'export_html', id: asked, sessionId: 's', outputPath };
  const posted = gateway.board.post(request, [{ bytes: Buffer.from(JSON.stringify(command)) }]);
  clock.advance(0);
  await posted;
  clock.advance(0);
  const frames = drain(reader).flatMap((entry) =>
    entry.kind === 'frame' ? [JSON.parse(bytesOf(entry.out).toString())] : [],
  );
  reader.close();
  return frames.find(({ type, id }) => type === 'response' && id === asked);
}

const told = 'an export could not be written (ENOSPC)';

test.each(['pi', 'pi-server'])(
  '%s: the command fails with the reason, and a minute long the gateway is not ready',
  async (frontend) => {
    disk.error = 'ENOSPC';
    for (const path of [undefined, 'a.html'])
      expect(await exported(frontend, path)).toMatchObject({
        success: false,
        error: expect.stringContaining('the export could not be written (ENOSPC)'),
      });
    expect(readdirSync(folder)).toEqual([]);
    expect(gateway.board.obstacles()).toEqual([told]);
    clock.advance(obstacleMs - 1);
    expect(gateway.board.obstacles()).toEqual([told]);
    clock.advance(1);
    expect(gateway.board.obstacles()).toEqual([]);
  },
);

test('the next export that is written ends it', async () => {
  disk.error = 'ENOSPC';
  await exported('pi', 'a.html');
  expect(gateway.board.obstacles()).toEqual([told]);
  disk.error = '';
  expect(await exported('pi', 'a.html')).toMatchObject({ success: true });
  expect(gateway.board.obstacles()).toEqual([]);
});

test.each([
  ['the path of a client', '', '../a.html'],
  ['a right that is missing', 'EACCES', 'a.html'],
])('%s is no word about the disk', async (_name, error, path) => {
  disk.error = error;
  expect(await exported('pi', path)).toMatchObject({ success: false });
  expect(gateway.board.obstacles()).toEqual([]);
});
