// The bounds of the inspector.
import { expect, vi } from 'vitest';
import { owner } from '../../src/core/contract/principal.ts';
import { Taps } from '../../src/gateway/inspector/taps.ts';
import { UploadedTapes } from '../../src/gateway/inspector/uploaded-tapes.ts';
import { tapeChannel } from '../../src/gateway/tapes/tape-channel.ts';
import { loadTape } from '../../src/tape/loaded.ts';
import { createLogins, loginLimits } from '../../src/transports/http/inspector/logins.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { type Acts, counted } from './rig.ts';

/** The acts of the inspector. */
export const inspectorActs: Acts = {
  "rows of a session's wire"() {
    const taps = new Taps(createVirtualClock(), 64 * 1024, () => {});
    const tap = taps.made('s');
    taps.watch('s');
    for (const _ of counted(1000)) {
      tap.frame(new Uint8Array(1024));
      tap.taken();
    }
    expect(tap.end).toBe(1000);
    expect(tap.end - tap.kept).toBe(25);
    expect(tap.row(tap.kept - 1)).toBeUndefined();
  },

  'tapes of a page'() {
    const tapes = new UploadedTapes();
    const tape = Buffer.from('{"dir":"meta","v":1,"protocol":"pi"}\n{"dir":"out","line":"{}"}\n');
    const add = () => tapes.add(tape, { faults: [], seed: 0, speed: 1 }, () => true);
    const [first = ''] = counted(4).map(add);
    expect(add).toThrow('4 tapes are open');
    tapes.forget(first);
    add();
  },

  async 'places where a session leaves its tape'() {
    const tape = loadTape('{"dir":"in","line":"{\\"type\\":\\"a\\"}"}\n', { protocol: 'any', isByLength: () => false });
    const channel = tapeChannel('a tape', tape, { speed: 1 });
    const told: string[] = [];
    channel.open({ frame() {}, fault() {}, end() {}, remark: (words) => told.push(words) });
    for (const n of counted(1000)) channel.send(`{"type":"x${n}"}`);
    await vi.waitUntil(() => told.length > 0);
    channel.close('normal', 'over');
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toContain('there are more places');
  },

  'logins of the inspector'() {
    const logins = createLogins({ holderOf: () => owner, clock: createVirtualClock() });
    const opened = counted(loginLimits.logins + 1).map(() => logins.enter({ token: 't' }));
    const isThere = opened.map(
      (attempt) => attempt.is === 'in' && logins.find(attempt.login.id, attempt.secret) !== null,
    );
    expect(isThere.indexOf(true)).toBe(1);
  },

  'wrong attempts to log in'() {
    const logins = createLogins({ holderOf: () => null, clock: createVirtualClock() });
    const attempts = counted(1000).map(() => logins.enter({ token: 't' }).is);
    expect(attempts.lastIndexOf('wrong')).toBe(loginLimits.failures - 1);
  },
};
