// The real pi, taped behind the gateway with a client of each protocol on its session, and behind the Agent SDK; then the same clients
// in front of the tape, which is taped again.
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { knownFrame, likeness } from '../../src/tape/frame-kind.ts';
import { readTape, type Tape } from '../../src/tape/reader.ts';
import { talk } from '../support/agent-sdk.ts';
import type { Address, Kind } from '../support/faults/observers.ts';
import { withRig } from '../support/faults/row.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-live-clients-'));
// ACP speaks last: it alone does not hear when the run of another client is over.
const frontends: readonly Kind[] = [
  ...['claude', 'rpc-message', 'pi', 'pi-legacy', 'pi-server', 'eca', 'canonical', 'acp'].map(
    (frontend): Kind => ({ frontend, transport: 'ws' }),
  ),
];
const prompts = ['[[text]]', '[[tools]]', '[[thinking]]'];

let fake: FakeAnthropic;
let home: PiHome;
beforeAll(async () => {
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url });
});
afterAll(async () => {
  await fake.close();
  home.remove();
  rmSync(folder, { recursive: true });
});

const recorded = (file: string, command: readonly string[]) => [
  ...[process.execPath, main, 'record', '-o', file, '--'],
  ...command,
];
const replayed = (file: string) => [process.execPath, main, 'replay', file, '--speed', 'max'];

interface Taped {
  readonly file: string;
  readonly agent: object;
}

/** pi with a tape, and the tape with another tape. */
function agents(name: string): { readonly live: Taped; readonly again: Taped } {
  const [live, again] = [join(folder, `${name}-live.jsonl`), join(folder, `${name}-again.jsonl`)];
  const { argv, env } = piCommand(home);
  return {
    live: { file: live, agent: { protocol: 'pi', command: recorded(live, argv), env } },
    again: { file: again, agent: { protocol: 'pi', command: recorded(again, replayed(live)) } },
  };
}

/** The tape, as soon as it fits: looked at whenever the file changes. */
function tapeWhen(file: string, fits: (tape: Tape) => boolean): Promise<Tape> {
  return new Promise((resolve) => {
    const look = () => {
      const tape = readTape(existsSync(file) ? readFileSync(file, 'utf8') : '');
      if (!fits(tape)) return;
      watcher.close();
      resolve(tape);
    };
    const watcher = watch(folder, look);
    look();
  });
}

const said = ({ frames }: Tape, dir: 'in' | 'out') => frames.filter((one) => one.dir === dir).map(({ text }) => text);

/** A session whose name is the same in both conversations. */
async function open({ url, token }: Address): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const made = await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body: '{"id":"one"}' });
  expect(made.status).toBe(201);
  return 'one';
}

/** Frames that an agent's words became. What is told of its settings comes as soon as it has started, before any words or between them. */
const isSpoken = (frame: string) => /delta|_chunk|contentReceived|"assistant"/u.test(frame);

/** Only the model's own wire tells the time of each event. */
const withoutTime = (frame: string) => frame.replace(/"at":[\d.]+/u, '"at":0');

interface Update {
  readonly type?: unknown;
  readonly assistantMessageEvent?: {
    readonly type?: unknown;
    readonly contentIndex?: unknown;
    readonly delta?: unknown;
  };
}

/** The delta in a frame of pi or pi-server that holds the message as well; null for all others. */
function deltaIn(frame: string): { readonly of: string; readonly delta: string } | null {
  const { event, ...whole } = JSON.parse(frame) as Update & { readonly event?: Update };
  const { type, assistantMessageEvent: { type: kind, contentIndex, delta } = {} } = event ?? whole;
  return type === 'message_update' && typeof delta === 'string' ? { of: `${kind} ${contentIndex}`, delta } : null;
}

/**
 * A frame with a snapshot of the message takes the place of the one before it that its reader has not taken yet, so how many
 * there are depends on the time between deltas: those of one block count as one.
 */
function withoutReplaced(frames: readonly string[]): string[] {
  const kept: string[] = [];
  let [of, joined] = ['', ''];
  for (const frame of frames) {
    const next = deltaIn(frame);
    const isSame = next !== null && next.of === of;
    if (isSame) kept.pop();
    of = next?.of ?? '';
    joined = `${isSame ? joined : ''}${next?.delta ?? ''}`;
    const words = (delta: string) => `"delta":${JSON.stringify(delta)}`;
    kept.push(next === null ? frame : frame.replace(words(next.delta), () => words(joined)));
  }
  return kept;
}

/** What differs beyond ids, times, places and versions. */
function differences(one: readonly string[], other: readonly string[]): string[] {
  const wrong = one.flatMap((text, at) => {
    const [a, b] = [knownFrame(text), knownFrame(other[at] ?? '')];
    if (a.kind.replace(/\S*\d\S*$/u, '') !== b.kind.replace(/\S*\d\S*$/u, '')) return [`${at}: ${a.kind} is ${b.kind}`];
    const how = likeness(a, b);
    return how.level === 'equal' ? [] : [`${at}: ${a.kind}: ${how.path}`];
  });
  return one.length === other.length ? wrong : [...wrong, `${one.length} frames are ${other.length}`];
}

async function expectSameTape(tapes: ReturnType<typeof agents>): Promise<void> {
  const isWhole = ({ exit }: Tape) => exit !== null;
  const [live, again] = [await tapeWhen(tapes.live.file, isWhole), await tapeWhen(tapes.again.file, isWhole)];
  expect(said(live, 'out').length).toBeGreaterThan(20);
  for (const dir of ['in', 'out'] as const) expect(differences(said(live, dir), said(again, dir))).toEqual([]);
}

test('a client of each protocol on one session, which ask in turn', async () => {
  const tapes = agents('frontends');
  /** What each client heard. */
  const converse = ({ agent }: Taped) =>
    withRig({ config: { agents: { cast: agent } }, clients: frontends, open }, async ({ observers }) => {
      for (const [at, asker] of observers.entries()) {
        const from = asker.frames.length;
        asker.say(asker.dialect.role.prompt(`${prompts[at % prompts.length]} ${at}`, asker.frames));
        await asker.waitFor('an end', asker.dialect.role.isOver, from);
        const told = observers.filter((one) => one !== asker && one.dialect.tellsAllEnds);
        await Promise.all(told.map((one) => one.until('an end', () => one.endings.length > at)));
      }
      return observers.map(({ name, frames }) => ({
        name,
        frames: withoutReplaced(frames.filter(isSpoken).map(withoutTime)),
      }));
    });
  const live = await converse(tapes.live);
  const again = await converse(tapes.again);
  for (const [at, { name, frames }] of live.entries()) {
    expect([name, differences(frames, again[at]?.frames ?? [])]).toEqual([name, []]);
  }
  await expectSameTape(tapes);
});

test('the Agent SDK', async () => {
  const tapes = agents('sdk');
  const converse = async (agent: object) => {
    const config = join(folder, 'patchbay.json');
    writeFileSync(config, JSON.stringify({ agents: { pi: agent } }));
    const options = { includePartialMessages: true };
    const { messages, thrown, code } = await talk({ prompt: '[[tools]] sdk', cwd: home.project, config, options });
    expect({ thrown, code }).toEqual({ thrown: null, code: 0 });
    return messages.map((message) => JSON.stringify(message));
  };
  const live = await converse(tapes.live.agent);
  expect(live.length).toBeGreaterThan(10);
  expect(differences(live, await converse(tapes.again.agent))).toEqual([]);
  await expectSameTape(tapes);
});
