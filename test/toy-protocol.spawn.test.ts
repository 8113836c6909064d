// A protocol is one folder and one line in the registry. Here is the smallest one that has both sides: it passes the
// contract suite, pairs with every other protocol over every transport, and shows in every list, with no other change.
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { adapterOf, adapters } from '../src/adapters/index.ts';
import { agentsCommand } from '../src/cli/agents/agents.ts';
import type { Action } from '../src/core/contract/adapter/action.ts';
import type { Adapter } from '../src/core/contract/adapter/adapter.ts';
import type { FrontendSide } from '../src/core/contract/adapter/frontend.ts';
import type { Projection } from '../src/core/contract/adapter/projection.ts';
import type { Frame } from '../src/core/contract/channel.ts';
import type { Command } from '../src/core/model/command.ts';
import { GatewayError, messageOf, refused } from '../src/core/model/errors.ts';
import type { Event } from '../src/core/model/event.ts';
import { adapterContract } from './contract/adapter.ts';
import { describePairs, pairsOf } from './contract/pair.ts';
import { type AgentRole, agentRoles } from './support/agent-roles.ts';
import { type ClientRole, clientRoles } from './support/client-roles.ts';
import { fidelityPairs } from './support/fidelity.ts';
import { register } from './support/register.ts';

// ---- the protocol: a word and a JSON string on each line.
// To an agent:   say "…", stop.   From an agent: begin, word "…", end, cut.
// From a client: say "…", stop.   To a client:   begin, word "…", result "…", end, cut, sorry "…".

const Line = /^(say|stop|begin|word|end|cut)(?: (".*"))?$/u;

/** The two parts of a line; null for anything else. */
function lineIn(frame: Frame): { verb: string; words: string } | null {
  try {
    const match = Line.exec(frame.text);
    if (match === null) return null;
    return { verb: match[1] ?? '', words: match[2] === undefined ? '' : z.string().parse(JSON.parse(match[2])) };
  } catch {
    return null;
  }
}

const line = (verb: string, words: string): string => `${verb} ${JSON.stringify(words)}`;
const violation = (text: string) => ({ do: 'note', level: 'violation', text }) as const;

function noOptions(options: object): void {
  if (Object.keys(options).length > 0) throw new GatewayError('invalid', 'toy has no options');
}

function decodeAgent({ verb, words }: { verb: string; words: string }): Event[] {
  switch (verb) {
    case 'begin':
      return [
        { type: 'run-start' },
        { type: 'turn-start' },
        { type: 'message-start', id: 'toy' },
        { type: 'block-start', index: 0, block: { kind: 'text' } },
      ];
    case 'word':
      return [{ type: 'block-delta', index: 0, delta: words }];
    case 'end':
    case 'cut': {
      const outcome = verb === 'end' ? 'completed' : 'aborted';
      const stop = { reason: verb === 'end' ? 'end' : 'aborted' } as const;
      return [
        { type: 'block-end', index: 0 },
        { type: 'message-end', stop },
        { type: 'turn-end' },
        { type: 'run-end', outcome },
      ];
    }
    default:
      return [];
  }
}

function frontend(): FrontendSide {
  const complain = (text: string): Action<Command>[] => [violation(text), { do: 'send', frame: line('sorry', text) }];
  return {
    key: 'toy',
    connection: () => ({
      decode(frame) {
        const said = lineIn(frame);
        if (said?.verb === 'stop') return [{ do: 'deliver', message: { type: 'abort', target: 'run' } }];
        if (said?.verb !== 'say') return complain('say "…" or stop');
        return [{ do: 'deliver', message: { type: 'prompt', content: [{ type: 'text', text: said.words }] } }];
      },
      fault: (fault) => complain(fault.message),
      reply: (_, outcome) => (outcome.ok ? [] : [{ do: 'send', frame: line('sorry', outcome.error.message) }]),
    }),
    projection: (): Projection => {
      const notes: { level: 'loss'; text: string }[] = [];
      const lost = (text: string): string[] => {
        notes.push({ level: 'loss', text });
        return [];
      };
      return {
        event({ event }) {
          switch (event.type) {
            case 'run-start':
              return ['begin'];
            case 'block-delta':
              return [line('word', event.delta)];
            case 'tool-end':
              return event.content.flatMap((part) => (part.type === 'text' ? [line('result', part.text)] : []));
            case 'run-end':
              return [event.outcome === 'completed' ? 'end' : 'cut'];
            default:
              return lost(event.type);
          }
        },
        notes: () => notes.splice(0),
      };
    },
  };
}

const toy: Adapter = {
  id: 'toy',
  title: 'a word and a string on each line',
  framing: { stdio: 'jsonl', websocket: 'text', sse: 'event-stream' },
  can: {
    events: [
      'run-start',
      'turn-start',
      'message-start',
      'block-start',
      'block-delta',
      'block-end',
      'message-end',
      'turn-end',
      'tool-end',
      'run-end',
    ],
    commands: ['prompt', 'abort'],
  },
  client: {
    frontend(_, options) {
      noOptions(options);
      return frontend();
    },
  },
  agent: {
    backend(_, options) {
      noOptions(options);
      return {
        decode(frame) {
          const said = lineIn(frame);
          if (said === null) return [violation('a line that toy does not have')];
          return decodeAgent(said).map((message) => ({ do: 'deliver', message }));
        },
        encode(command, id) {
          const text =
            command.type === 'prompt' ? command.content.map((part) => (part.type === 'text' ? part.text : '')) : [];
          switch (command.type) {
            case 'prompt':
              return [
                { do: 'send', frame: line('say', text.join('')) },
                { do: 'settle', id, outcome: { ok: true } },
              ];
            case 'abort':
              return [
                { do: 'send', frame: 'stop' },
                { do: 'settle', id, outcome: { ok: true } },
              ];
            default:
              return [{ do: 'settle', id, outcome: refused('unsupported', `toy cannot ${command.type}`) }];
          }
        },
      };
    },
  },
};

// ---- who speaks it

const client: ClientRole = {
  prompt: (words) => line('say', words),
  interrupt: () => 'stop',
  isOver: (frame) => frame === 'end' || frame === 'cut',
  isCutShort: (frame) => frame === 'cut',
  judge: (frames) => frames.filter((frame) => !/^(?:begin|end|cut|(?:word|result) ".*")$/u.test(frame)),
};

const program = `
  const say = (...lines) => process.stdout.write(lines.map((line) => line + '\\n').join(''));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    if (line === 'stop') say('cut');
    else if (line.includes('forever')) say('begin', 'word "I was about to"');
    else say('begin', 'word "Toys "', 'word "are fun."', 'end');
  });`;

const agent: AgentRole = {
  config: { protocol: 'toy', command: [process.execPath, '-e', program] },
  turn: { prompt: 'play', says: ['Toys are fun.'] },
  endless: { prompt: 'forever', says: 'I was about to' },
};

// ---- the registry, which a real protocol enters in src/adapters/protocols.ts and src/adapters/index.ts

register(toy);
const all = [...adapters.values()];
const others = all.filter((adapter) => adapter !== toy);

adapterContract(toy, { prompt: client.prompt });

describe('pairs with all others', () => {
  const cast = {
    clients: new Map([...clientRoles, ['toy', client]]),
    agents: new Map([...agentRoles, ['toy', agent]]),
  };
  const isNew = ({ frontend, backend }: { frontend: string; backend: string }) => [frontend, backend].includes('toy');

  test('as client and as agent', () => {
    expect(pairsOf(all).filter(isNew).length).toBe(pairsOf(all).length - pairsOf(others).length);
    expect(pairsOf(all).filter(isNew).length).toBeGreaterThan(12);
  });

  describePairs(all, cast, isNew);
});

describe('shows in every list', () => {
  test('`patchbay agents`', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      await agentsCommand().parseAsync(['--json'], { from: 'user' });
      const listed: unknown = JSON.parse(String(write.mock.calls[0]?.[0]));
      const { protocols } = z.looseObject({ protocols: z.array(z.unknown()) }).parse(listed);
      expect(protocols).toContainEqual({ id: 'toy', title: toy.title, asClient: true, asAgent: true });
    } finally {
      write.mockRestore();
    }
  });

  test('the names that an unknown protocol is answered with', () => {
    expect(adapterOf('toy')).toBe(toy);
    try {
      adapterOf('no such protocol');
      expect.unreachable();
    } catch (thrown) {
      expect(messageOf(thrown)).toContain('toy');
    }
  });

  test('the page of what crosses', () => {
    const agents = all.filter(({ agent }) => agent !== undefined).map(({ id }) => `## ${id} agent, toy client`);
    const clients = all.filter(({ client }) => client !== undefined).map(({ id }) => `## toy agent, ${id} client`);
    const isNew = (agent: Adapter, client: Adapter) => agent === toy || client === toy;
    const parts = fidelityPairs(all, isNew).map((part) => part.slice(0, part.indexOf('\n')));
    expect(new Set(parts)).toEqual(new Set([...agents, ...clients]));
  });
});
