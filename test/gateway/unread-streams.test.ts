// Clients choose options, and each choice is a stream of its own that costs work for every event: those that nobody
// reads are let go (docs/limits.md 5.9).
import { afterEach, expect, test } from 'vitest';
import { adapters } from '../../src/adapters/index.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { Options } from '../../src/core/contract/adapter/launch.ts';
import type { Projection, SessionView } from '../../src/core/contract/adapter/projection.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { unreadStreamMs } from '../../src/core/session/session-streams.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { createSessionRig } from '../support/core/session-rig.ts';
import { drain } from '../support/core/stream-rig.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { samplesOf } from '../support/samples.ts';

const env = { now: () => 0, id: (kind: string) => kind };

/** Every choice that a client may make. */
function* choices(): Generator<readonly [frontend: string, options: Options]> {
  const flags = ['true', 'false'];
  for (const frontend of ['claude', 'rpc-message'])
    for (const dialect of ['claude', 'rpc-message'])
      for (const partialMessages of flags)
        for (const replayUserMessages of flags) yield [frontend, { dialect, partialMessages, replayUserMessages }];
  for (const dialect of ['growing', 'delta-only']) yield ['pi', { dialect }];
  for (const frontend of ['pi-legacy', 'pi-server', 'eca']) yield [frontend, {}];
}

test('42 streams that nobody reads are none after 60 s, and a run becomes frames in none of them', () => {
  const rig = createSessionRig();
  const { session, clock } = rig;
  rig.leave();
  let projected = 0;
  const keys = new Set<string>();
  for (const [frontend, options] of choices()) {
    const side = adapters.get(frontend)?.client?.frontend(env, options);
    const make = (view: SessionView): Projection => {
      const projection = side?.projection(view);
      return {
        event(logged) {
          projected += 1;
          return projection?.event(logged) ?? [];
        },
      };
    };
    for (const transport of ['websocket', 'sse']) {
      const key = `${frontend} ${side?.key} ${transport}`;
      keys.add(key);
      session.stream(key, make).attach(null).close();
    }
  }
  expect(keys.size).toBe(42);

  const run = () => {
    rig.prompt('hello');
    const before = projected;
    rig.agent.say({ type: 'run-start' }, { type: 'run-end', outcome: 'completed' });
    return projected - before;
  };
  expect(run()).toBe(2 * 42);
  expect(session.measure().windowBytes).toBeGreaterThan(0);
  clock.advance(unreadStreamMs);
  expect(run()).toBe(0);
  expect(session.measure().windowBytes).toBe(0);
});

let gateway: Gateway | undefined;
afterEach(() => gateway?.close('the test is over'));

test('a client that posts is there: its stream stays, and a post that is repeated later still counts once', async () => {
  const clock = createVirtualClock();
  gateway = createGateway(parseConfig({}), { log: () => {}, clock });
  const { board } = gateway;
  board.createSession({ id: 's' }, owner);
  const caller = { frontend: 'pi', session: 's', options: {}, principal: owner };
  const post = async (id: string) => {
    const bytes = Buffer.from(JSON.stringify({ type: 'get_state', id }));
    const taken = board.post(caller, [{ bytes, id, digest: id }]);
    clock.advance(0);
    await taken;
  };
  const windowBytes = () => samplesOf(board.metrics(), 'patchbay_window_bytes').get('');
  const answers = (cursor: string | null) => {
    const reader = board.stream(caller, cursor);
    const entries = drain(reader);
    reader.close();
    return entries;
  };
  const first = board.stream(caller, null);
  await post('a');
  const [answer] = drain(first);
  first.close();
  const cursor = answer?.kind === 'frame' ? answer.cursor : null;
  expect(cursor).not.toBeNull();

  clock.advance(unreadStreamMs - 1);
  await post('b');
  clock.advance(unreadStreamMs - 1);
  expect(answers(cursor)).toMatchObject([{ kind: 'frame', out: expect.stringContaining('"b"') }]);

  clock.advance(unreadStreamMs);
  expect(windowBytes()).toBe(0);
  await post('a');
  expect(windowBytes()).toBe(0);
  await post('c');
  expect(windowBytes()).toBeGreaterThan(0);
  expect(answers(cursor)[0]).toMatchObject({ kind: 'reset', reason: 'window' });
});
