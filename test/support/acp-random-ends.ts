// Agents that are killed and clients that cancel at random moments: ACP clients before each agent that is a program, an ACP agent
// behind each client. Every prompt has an end, and no request stays open on either side.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { type AcpRow, at, isJson, rowsIn } from './acp-traces.ts';
import { agentRoles } from './agent-roles.ts';
import { clientRoles } from './client-roles.ts';
import { acpOrderFaults } from './judges/acp-order.ts';
import { acpSchemaFaults } from './judges/acp-schema.ts';
import { tapped } from './tapped-channel.ts';
import { startsIn, tellingCommand } from './telling-program.ts';

/** A frontend and a backend, one of them ACP's. */
export type AcpPair = readonly [frontend: string, backend: string];

const programs = ['pi', 'pi-legacy', 'claude', 'eca', 'pi-server'];
const others = ['claude', 'rpc-message', 'pi', 'pi-legacy', 'eca', 'pi-server', 'canonical'];
/** All of them. */
export const acpPairs: readonly AcpPair[] = [
  ['acp', 'acp'],
  ...programs.map((backend): AcpPair => ['acp', backend]),
  ...others.map((frontend): AcpPair => [frontend, 'acp']),
];

/** One prompt: what is asked, when something happens, what, and how the next prompt follows. */
const Round = fc.record({
  words: fc.constantFrom('endless', 'turn', 'ask'),
  moment: fc.constantFrom('sent', 'said', 'later'),
  act: fc.constantFrom('kill', 'cancel', 'cancel and kill', 'kill and cancel', 'nothing'),
  /** The next prompt does not wait until the gateway knows that the agent is dead, and may be given to the dead one. */
  isHasty: fc.constantFrom(true, false, false, false),
});

/** An agent that is killed is refused after a few times, and a client that prompts in a row as well. */
const settings = { 'pi-server': { breakerFailures: 100_000, commandsPerMinute: 100_000 } };

/** Plays so many prompts, one after the other; what is wrong. */
export async function playEnds([frontend, backend]: AcpPair, rounds: number, seed: number): Promise<string[]> {
  const client = clientRoles.get(frontend);
  const agent = agentRoles.get(backend);
  if (client === undefined || agent === undefined) throw new Error(`nobody plays ${frontend} or ${backend}`);
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-ends-'));
  const record = join(folder, 'record');
  const [, script = ''] = (agent.config.command ?? []) as string[];
  const running = new Set<number>();
  const killed = new Set<number>();
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const look of [...watchers]) look();
  };
  const register = {
    note: (pid: number) => void running.add(pid),
    forget(pid: number) {
      running.delete(pid);
      wake();
    },
  };
  const agents = { cast: { ...agent.config, command: tellingCommand(script, record, []) } };
  const config = parseConfig({ agents, roots: [process.cwd()], frontends: settings });
  const gateway = createGateway(config, { log: () => {}, register });
  const [near, channel] = memoryPair();
  /** In the order of the gateway, and in that of the client. */
  const judged: AcpRow[] = [];
  const rows: AcpRow[] = [];
  const rowIn = (dir: AcpRow['dir'], line: string): AcpRow => ({ dir, line, json: JSON.parse(line) });
  const tap = tapped(near, (dir, line) => void judged.push(rowIn(dir, line)));
  const served = gateway.serveClient(tap, { frontend, agent: 'cast', options: {} });
  const frames: string[] = [];
  channel.open({
    frame({ text }) {
      frames.push(text);
      rows.push(rowIn('out', text));
      wake();
    },
    fault: () => {},
    end: () => {},
  });
  const say = (text: string) => {
    rows.push(rowIn('in', text));
    channel.send(text);
  };
  const until = (label: string, holds: () => boolean) =>
    within(
      `${label} of ${frontend} before ${backend}, seed ${seed}`,
      watchers,
      () => (holds() ? true : undefined),
      () => `:\n${frames.slice(-12).join('\n')}`,
    );

  /** Questions to an ACP client that nobody has answered or withdrawn. */
  function questions(): unknown[] {
    const open = new Set<unknown>();
    for (const { dir, json } of rows) {
      if (!isJson(json)) continue;
      if (dir === 'out' && json.method !== undefined && json.id !== undefined) open.add(json.id);
      else if (dir === 'out' && json.method === '$/cancel_request') open.delete(at(json.params, 'requestId'));
      else if (dir === 'in' && json.method === undefined) open.delete(json.id);
    }
    return frontend === 'acp' ? [...open] : [];
  }
  const answer = (outcome: object) => {
    for (const id of questions()) say(JSON.stringify({ jsonrpc: '2.0', id, result: { outcome } }));
  };

  const faults: string[] = [];
  let mayMiss = false;
  async function play({ words, moment, act, isHasty }: typeof Round extends fc.Arbitrary<infer Value> ? Value : never) {
    const isAsking = words === 'ask' && backend === 'acp';
    const prompt = isAsking ? 'ask' : words === 'endless' ? agent?.endless.prompt : agent?.turn.prompt;
    const sign = isAsking ? 'drawer' : words === 'endless' ? agent?.endless.says : agent?.turn.says[0];
    // Someone must end what does not end by itself, or what begins with the agent behind the one that was killed.
    const isLeft = act === 'nothing' && (words === 'endless' || (isAsking && frontend !== 'acp'));
    const done = isLeft ? 'cancel' : act === 'kill' && moment === 'sent' ? 'kill and cancel' : act;
    const from = frames.length;
    const isOver = () => frames.slice(from).some((frame) => client?.isOver(frame));
    const beginning = (sign ?? '').slice(0, 9);
    const isHeard = () => frames.slice(from).some((frame) => frame.includes(beginning));
    const hasSaid = () => isOver() || isHeard();
    say(client?.prompt(prompt ?? '', frames) ?? '');
    // Other protocols answer a prompt that never began with a refusal, which is no end of a run.
    if (moment !== 'sent' || frontend !== 'acp') {
      await until('the first words', hasSaid);
      if (!isHeard() && !mayMiss) faults.push(`${words} never reached its agent: ${frames.at(-1)}`);
    }
    const heard = frames.length;
    if (moment === 'later') await until('more', () => isOver() || frames.length > heard || words !== 'turn');
    for (const one of done.split(' and ')) {
      if (one === 'cancel' && !isOver()) {
        say(client?.interrupt(frames) ?? '');
        answer({ outcome: 'cancelled' });
      } else if (one === 'kill') {
        for (const pid of running) killed.add(pid);
        for (const pid of running) process.kill(pid, 'SIGKILL');
      } else if (isAsking && frontend === 'acp') {
        await until('the question', () => isOver() || questions().length > 0);
        const [option] = (at(rows.findLast(({ json }) => at(json, 'params', 'options'))?.json, 'params', 'options') ??
          []) as object[];
        answer({ outcome: 'selected', optionId: at(option, 'optionId') });
      }
    }
    await until(`the end of ${words}, ${moment}, ${done}`, isOver);
    mayMiss = isHasty && done.includes('kill');
    if (!mayMiss) await until('the end of the agent', () => ![...running].some((pid) => killed.has(pid)));
  }

  try {
    await client.greet?.(say, async (label, isEnough) => {
      await until(label, () => isEnough(frames));
      return frames;
    });
    for (const round of fc.sample(Round, { numRuns: rounds, seed })) await play(round);
    await until('the answers to all commands', () => client.isAnswered?.(frames) ?? true);
    faults.push(...client.judge(frames));
    if (frontend === 'acp')
      faults.push(...acpOrderFaults(judged, { only: 'out' }), ...acpSchemaFaults(judged, { only: 'out' }));
    faults.push(...questions().map((id) => `the question ${id} is open`));
  } finally {
    channel.close('normal', 'the test is over');
    gateway.close('the test is over');
    await served;
    await until('the ends of all programs', () => running.size === 0);
  }
  if (backend === 'acp') {
    for (const { pid, sent } of startsIn(record)) {
      faults.push(...acpSchemaFaults(rowsIn('in', sent)));
      const count = (words: RegExp) => sent.match(words)?.length ?? 0;
      const [asked, answered] = [count(/"text":"ask"/gu), count(/"result":\{"outcome"/gu)];
      if (!killed.has(pid) && asked !== answered) faults.push(`${asked} questions of an agent, ${answered} answers`);
    }
  }
  rmSync(folder, { recursive: true });
  return faults;
}
