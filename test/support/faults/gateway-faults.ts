import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { connectWebSocket } from '../../../src/transports/websocket/dial.ts';
import type { Address } from './observers.ts';
import * as lines from './pi-lines.ts';
import { startPuppets } from './puppets.ts';
import { everybody } from './rig.ts';
import { type FaultRow, must, outcomeOf, withRig } from './row.ts';

const demo = (limits: object = {}) => ({ agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } }, limits });
/** A folder that is removed again. */
async function inFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-fault-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A command of pi-server. */
type Command = { readonly type: string } & Readonly<Record<string, string>>;

/** Sends one command over a connection of pi-server that is bound to no session; its answer. */
async function ask({ url, token }: Address, command: Command): Promise<{ data?: Record<string, unknown> }> {
  const channel = connectWebSocket(`${url.replace('http', 'ws')}/v1/pi-server/ws`, { token });
  const answer = await new Promise<string>((resolve, reject) => {
    channel.open({
      frame: ({ text }) => text.includes('"type":"response"') && resolve(text),
      fault: () => {},
      end: ({ reason }) => reject(new Error(reason)),
    });
    channel.send(JSON.stringify({ id: 'ask', ...command }));
  });
  channel.close('normal', 'it was said');
  must(JSON.parse(answer).success === true, `${command.type}: ${answer}`);
  return JSON.parse(answer);
}

const sessionOf = async (address: Address, command: Command): Promise<string> =>
  String((await ask(address, command)).data?.sessionId);

const kept = (folder: string) => ({
  agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } },
  sessionDirectory: folder,
});

const files: readonly FaultRow[] = [
  {
    fault: 'F24',
    what: 'a kept session and an export that cannot be written',
    run: () =>
      inFolder((folder) => {
        const file = join(folder, 'file');
        writeFileSync(file, '');
        // What is below a file can never be written: a full disk for this test.
        const config = { ...kept(join(file, 'below')), exportDirectory: join(file, 'below') };
        const open = (address: Address) => sessionOf(address, { type: 'create_session' });
        return withRig({ config, open }, async (rig) => {
          rig.prompt('think');
          rig.cause();
          await rig.told();
          // Claude's clients hear it with the next run, and two protocols have no word for it.
          const able = rig.observers.filter(({ frontend }) => !/claude|rpc|legacy/u.test(frontend));
          const isWarning = (frame: string) => frame.includes('not kept any more');
          await Promise.all(able.map((one) => one.waitFor('the warning', isWarning)));
          const warned = able.map(({ frames, times }) => times[frames.findIndex(isWarning)] ?? 0);
          const toldMs = rig.since(warned);
          must(rig.gateway.board.obstacles().length === 1, 'the gateway says that it is ready');
          const pi = rig.observers.find(({ frontend }) => frontend === 'pi');
          pi?.say(JSON.stringify({ type: 'export_html', id: 'export' }));
          const answer = await pi?.waitFor('the export', (frame) => frame.includes('"id":"export"'));
          must(answer?.includes('"success":false') === true, `the export: ${answer}`);
          rig.prompt('think');
          await rig.told();
          for (const { name, frontend, frames } of rig.observers) {
            must(/rpc|legacy/u.test(frontend) || frames.some(isWarning), `${name} was not warned`);
          }
          return outcomeOf(
            rig,
            toldMs,
            'without a journal: all are warned but RpcMessage and pi 0.13, not ready, the export is refused, the next prompt ran',
          );
        });
      }),
  },
  {
    fault: 'F25',
    what: 'a stored session whose last line is torn',
    run: () =>
      inFolder(async (folder) => {
        const open = (address: Address) => sessionOf(address, { type: 'create_session' });
        await withRig({ config: kept(folder), open, clients: everybody.slice(0, 2) }, async (rig) => {
          rig.prompt('think first words');
          await rig.told();
        });
        const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.jsonl'));
        const path = join(folder, name);
        writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20));
        const load = (address: Address) => sessionOf(address, { type: 'load_session', sessionPath: path });
        return withRig({ config: kept(folder), open: load }, async (rig) => {
          rig.prompt('think');
          rig.cause();
          const toldMs = await rig.told();
          const heard = rig.observers.filter(({ frames }) => frames.some((frame) => frame.includes('first words')));
          must(heard.length > 0, 'what was whole is lost');
          return outcomeOf(rig, toldMs, 'the torn line is dropped, the rest is loaded, the next prompt ran');
        });
      }),
  },
];

const day = 24 * 3_600_000;

/** Blocks the whole process for so long. */
const block = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const time: readonly FaultRow[] = [
  {
    fault: 'F26',
    what: 'the clock jumps a day ahead and two back in a run',
    run: () =>
      withRig({ config: demo() }, async (rig) => {
        try {
          rig.prompt('slow 2 long 60');
          const [one] = rig.observers;
          for (const days of [1, -1]) {
            const enough = (one?.frames.length ?? 0) + 10;
            await one?.until('ten frames', () => one.frames.length >= enough);
            vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * day });
            rig.cause();
          }
          const toldMs = await rig.told();
          const result = JSON.parse(one?.frames[one.endings[0] ?? 0] ?? '{}');
          must(result.duration_ms >= 0 && result.duration_ms < day / 2, `the run lasted ${result.duration_ms} ms`);
          return outcomeOf(rig, toldMs, 'order and durations as without the jumps');
        } finally {
          vi.useRealTimers();
        }
      }),
  },
  {
    fault: 'F30',
    what: 'the event loop is blocked for 900 ms (silenceMs 300)',
    run: async () => {
      const puppets = await startPuppets();
      const config = { agents: { puppet: { protocol: 'pi', command: puppets.command } }, limits: { silenceMs: 300 } };
      try {
        return await withRig({ config }, async (rig) => {
          rig.prompt('one');
          const puppet = await puppets.next();
          await puppet.told('prompt');
          puppet.say(...lines.halfText);
          await rig.allSee('Five sockets');
          rig.cause();
          puppet.say(...lines.otherHalf.slice(0, 1));
          // The order is with the agent before the loop stands still.
          await new Promise((resolve) => setImmediate(resolve));
          block(900);
          puppet.say(...lines.otherHalf.slice(1));
          const toldMs = await rig.told();
          const [one] = rig.observers;
          const end = one?.frames[one.endings[0] ?? 0] ?? '';
          must(end.includes('"is_error":false'), `the run did not end well: ${end}`);
          return outcomeOf(rig, toldMs, 'nobody counts as silent, the run is whole');
        });
      } finally {
        await puppets.allGone();
        puppets.close();
      }
    },
  },
];

const scarce: readonly FaultRow[] = [
  {
    fault: 'F31',
    what: 'one session too many (limits.sessions 1) in a run',
    run: () =>
      withRig({ config: demo({ sessions: 1 }) }, async (rig) => {
        rig.prompt('slow 2 long 60');
        rig.cause();
        const headers = { authorization: `Bearer ${rig.address.token}`, 'content-type': 'application/json' };
        const { status, body } = await fetch(`${rig.address.url}/v1/sessions`, { method: 'POST', headers, body: '{}' });
        await body?.cancel();
        must(status === 429, `it was answered with ${status}`);
        const toldMs = await rig.told();
        return outcomeOf(rig, toldMs, '429, the others go on');
      }),
  },
];

const late: readonly FaultRow[] = [
  {
    fault: 'F32',
    what: 'an event of a run that has ended',
    run: async () => {
      const puppets = await startPuppets();
      const config = { agents: { puppet: { protocol: 'pi', command: puppets.command } } };
      try {
        return await withRig({ config }, async (rig) => {
          rig.prompt('one');
          const puppet = await puppets.next();
          await puppet.told('prompt');
          puppet.say(...lines.wholeRun);
          rig.cause();
          const toldMs = await rig.told();
          puppet.say(...lines.otherHalf.slice(0, 1), lines.notice('behind it'));
          // The prompt would make it a run that lacks its start.
          await rig.observers
            .find(({ frontend }) => frontend === 'pi')
            ?.waitFor('the notice', (one) => one.includes('behind it'));
          rig.prompt('two');
          await puppet.told('prompt', 2);
          puppet.say(...lines.wholeRun);
          await rig.told();
          return outcomeOf(rig, toldMs, 'as documented: a late event opens no run');
        });
      } finally {
        await puppets.allGone();
        puppets.close();
      }
    },
  },
];

export const gatewayFaults: readonly FaultRow[] = [...files, ...time, ...scarce, ...late];
