// Translates what a taped client asked, and what it was answered. A frontend of the tape's protocol reads the requests, and
// a backend of it reads the answers; a backend of the other protocol asks in the client's place, and a frontend of it
// answers. Pure: nothing is sent to anybody.
import type { Action, NoteLevel } from '../core/contract/adapter/action.ts';
import type { Backend } from '../core/contract/adapter/backend.ts';
import type { Frontend } from '../core/contract/adapter/frontend.ts';
import type { Frame, Out } from '../core/contract/channel.ts';
import type { Command } from '../core/model/command.ts';
import { dictionaryOf } from '../core/model/dictionary.ts';
import { type Outcome, refused } from '../core/model/errors.ts';
import type { Event } from '../core/model/event.ts';
import { type KnownFrame, knownFrame } from './frame-kind.ts';
import { createIdMap } from './id-map.ts';
import { refusalOf } from './protocol-guess.ts';

/** A frame that a translation gave. `in` is towards the agent. */
export interface Translated {
  readonly dir: 'in' | 'out';
  readonly text: string;
}

/** The machines, all fresh. */
export interface CommandPorts {
  /** Both sides of the tape's protocol, and its id. */
  readonly from: { readonly protocol: string; readonly frontend: Frontend; readonly backend: Backend };
  /** Both sides of the other protocol; no backend: it has no agents, so nobody knows how its clients ask. */
  readonly to: { readonly frontend: Frontend; readonly backend: Backend | null };
  frameOf(text: string): Frame;
  textOf(out: Out): string;
  note(level: NoteLevel, text: string): void;
  /** A command that the tape's client gave. */
  asked?(command: Command): void;
  /** An outcome that the tape's agent gave. */
  settled?(command: Command, outcome: Outcome): void;
}

/** Translates the commands of one conversation. */
export interface CommandTranslator {
  /** A frame of the tape towards the agent. */
  asked(text: string): Translated[];
  /** A frame of the tape's agent: gives the answers that it holds. */
  answered(text: string): Translated[];
  /** Frames that the translation gave for events: later commands may refer to them. */
  told(outs: readonly string[]): void;
}

/** A command that waits for its answer. */
interface Asked {
  readonly command: Command;
  /** The same command as the other protocol's client asks it, once for each of its requests. */
  readonly requests: readonly Command[];
}

/** A request of the target's client, as the target's frontend took it. */
interface Heard {
  readonly text: string;
  readonly answers: readonly string[];
  readonly commands: readonly Command[];
}

const notSaid = refused('unsupported', 'the tape does not say');

/** Handshakes are played among the machines. So many rounds are enough for any. */
const mostRounds = 20;

/** A translator that has made the handshakes. */
export function createCommandTranslator(ports: CommandPorts): CommandTranslator {
  const { from, to, frameOf, textOf, note } = ports;
  const open = new Map<string, Asked>();
  /** Ids of requests that carry the taped client's commands; ids of those that the backend makes by itself. */
  const ids = { carried: createIdMap(), own: createIdMap() };
  /** Requests of the backend by itself that no request of the tape stands for yet. */
  const unpaired: KnownFrame[] = [];
  /** Ids for the answers to requests that have none on the tape, by the kind of the answer. */
  const unnamed = new Map<string, unknown[]>();
  /** What a backend settled by itself, by the answer that the tape may hold: without that, nothing was answered. */
  const early = new Map<string, Action<Event>[]>();
  let count = 0;

  greet();
  keepRequests(from.backend.start?.() ?? []);
  from.frontend.start?.();

  /** The target's client says hello, so that its backend and frontend are ready for commands. */
  function greet(): void {
    const { backend, frontend } = to;
    frontend.start?.();
    if (backend === null) return;
    let asks = sentIn(backend.start?.() ?? []);
    for (let round = 0; asks.length > 0 && round < mostRounds; round += 1) {
      const answers = asks.flatMap((text) => answersTo(text, frontend));
      asks = answers.flatMap((text) => sentIn(backend.decode(frameOf(text))));
    }
  }

  function answersTo(text: string, frontend: Frontend): string[] {
    return frontend
      .decode(frameOf(text))
      .flatMap((action) =>
        action.do === 'deliver' ? sentIn(frontend.reply(action.message, notSaid)) : sentIn([action]),
      );
  }

  function sentIn(actions: readonly Action<unknown>[]): string[] {
    return actions.flatMap((action) => (action.do === 'send' ? [textOf(action.frame)] : []));
  }

  function keepRequests(actions: readonly Action<Event>[]): void {
    for (const text of sentIn(actions)) unpaired.push(knownFrame(text));
  }

  function asked(text: string): Translated[] {
    const taped = knownFrame(text);
    if (taped.isAnswer && taped.json?.method === undefined) from.backend.decode(frameOf(text));
    const result: Translated[] = [];
    let isCarried = false;
    for (const action of from.frontend.decode(frameOf(text))) {
      if (action.do !== 'deliver') continue;
      const command = action.message;
      ports.asked?.(command);
      count += 1;
      const id = `tape-${count}`;
      const requests = request(command, id, result);
      open.set(id, { command, requests });
      const actions = from.backend.encode(command, id);
      for (const sent of sentIn(actions)) {
        const mine = knownFrame(sent);
        if (mine.kind !== taped.kind) unpaired.push(mine);
        else pair(taped, mine);
        isCarried ||= mine.kind === taped.kind;
      }
      if (isAnswered(taped)) keepEarly(taped, actions);
      else settle(actions, result);
    }
    if (!isCarried) pairOwn(taped);
    return result;
  }

  /** Whether agents of the protocol answer such a frame. */
  function isAnswered(taped: KnownFrame): boolean {
    return from.protocol !== 'pi-legacy' && refusalOf(from.protocol, taped, '') !== null;
  }

  function keepEarly(taped: KnownFrame, actions: readonly Action<Event>[]): void {
    const settled = actions.filter((action) => action.do === 'settle');
    const key = answerKey(taped.json, `response ${taped.kind}`);
    if (settled.length > 0) early.set(key, [...(early.get(key) ?? []), ...settled]);
  }

  function pair(taped: KnownFrame, mine: KnownFrame): void {
    ids.carried.learn(taped, mine);
    if (taped.json?.id !== undefined || mine.json?.id === undefined) return;
    const kind = `response ${taped.kind}`;
    unnamed.set(kind, [...(unnamed.get(kind) ?? []), mine.json.id]);
  }

  /** The answer with the id that the backend waits for. */
  function named(text: string, known: KnownFrame): string {
    const { json, isAnswer, kind } = known;
    if (!isAnswer || json === null) return text;
    const id = json.id === undefined ? unnamed.get(kind)?.shift() : undefined;
    return id === undefined ? ids.carried.rewrite(text, known) : JSON.stringify({ ...json, id });
  }

  /** A request that the backend makes by itself, as every client of the protocol does at its start. */
  function pairOwn(taped: KnownFrame): void {
    const at = unpaired.findIndex(({ kind }) => kind === taped.kind);
    const [mine] = at === -1 ? [] : unpaired.splice(at, 1);
    if (mine !== undefined) ids.own.learn(taped, mine);
  }

  /** The other protocol's client asks the same. */
  function request(command: Command, id: string, result: Translated[]): readonly Command[] {
    if (to.backend === null) {
      note('loss', `nobody knows how clients of the protocol ask ${command.type}`);
      return [];
    }
    const actions = to.backend.encode(command, id);
    if (actions.length === 0)
      note('loss', `the command ${command.type} waits for a greeting that the tape does not hold`);
    for (const action of actions) {
      if (action.do === 'settle' && !action.outcome.ok) {
        note('loss', `the command ${command.type} did not cross: ${action.outcome.error.message}`);
      }
    }
    return carriersIn(sentIn(actions), command.type).flatMap(({ text, answers, commands }) => {
      result.push({ dir: 'in', text }, ...answers.map((answer): Translated => ({ dir: 'out', text: answer })));
      return commands;
    });
  }

  /** The target's frontend hears a request. The tape does not say what the frontend asks the agent before. */
  function heard(text: string, type: Command['type']): Heard {
    const answers: string[] = [];
    const commands: Command[] = [];
    let actions = to.frontend.decode(frameOf(text));
    for (let round = 0; actions.length > 0 && round < mostRounds; round += 1) {
      answers.push(...sentIn(actions));
      const asked = actions.flatMap((action) => (action.do === 'deliver' ? [action.message] : []));
      const queries = asked.filter((one) => one.type === 'query' && type !== 'query');
      commands.push(...asked.filter((one) => !queries.includes(one)));
      actions = queries.flatMap((one) => to.frontend.reply(one, notSaid));
    }
    return { text, answers, commands };
  }

  /**
   * The requests that carry the command. What a client asks before, to begin or to know more, is answered here, and in no
   * tape.
   */
  function carriersIn(texts: readonly string[], type: Command['type'], round = 0): readonly Heard[] {
    const all = texts.map((text) => heard(text, type));
    const same = all.filter(({ commands }) => commands.some((one) => one.type === type));
    const others = all.filter(({ commands }) => commands.some((one) => one.type !== 'query'));
    const carriers = same.length > 0 ? same : others.slice(-1);
    const next: string[] = [];
    for (const { answers, commands } of all.filter((one) => !carriers.includes(one))) {
      const refusals = commands.flatMap((one) => sentIn(to.frontend.reply(one, notSaid)));
      for (const text of [...answers, ...refusals]) next.push(...sentIn(to.backend?.decode(frameOf(text)) ?? []));
    }
    if (carriers.length > 0) return carriers;
    if (next.length > 0 && round < mostRounds) return carriersIn(next, type, round + 1);
    if (texts.length > 0) note('loss', `the command ${type} did not cross: the client asks for more first`);
    return [];
  }

  function settle(actions: readonly Action<Event>[], result: Translated[]): void {
    for (const action of actions) {
      if (action.do !== 'settle') continue;
      const waiting = open.get(action.id);
      if (waiting === undefined) continue;
      open.delete(action.id);
      ports.settled?.(waiting.command, action.outcome);
      for (const command of waiting.requests) {
        const answers = sentIn(to.frontend.reply(command, action.outcome));
        for (const text of answers) {
          // A frame without bytes only keeps a connection.
          if (text === '') continue;
          result.push({ dir: 'out', text });
          to.backend?.decode(frameOf(text));
        }
      }
    }
  }

  function answered(text: string): Translated[] {
    const result: Translated[] = [];
    const known = knownFrame(text);
    if (known.isAnswer) {
      const key = answerKey(known.json, known.kind);
      const [first, ...others] = early.get(key) ?? [];
      if (first !== undefined) settle([first], result);
      if (others.length > 0) early.set(key, others);
      else early.delete(key);
    }
    const carried = named(text, known);
    const own = ids.own.rewrite(text, known);
    // A backend must not hear an event twice: only an answer may be for both.
    for (const each of known.isAnswer && own !== text && own !== carried ? [own, carried] : [carried]) {
      const actions = from.backend.decode(frameOf(each));
      keepRequests(actions);
      settle(actions, result);
    }
    return result;
  }

  return {
    asked,
    answered,
    told(outs) {
      for (const out of outs) to.backend?.decode(frameOf(out));
    },
  };
}

/** What a request and its answer have in common. */
function answerKey(json: KnownFrame['json'], kind: string): string {
  const id = json?.request_id ?? json?.id ?? dictionaryOf(json?.response).request_id;
  return id === undefined ? kind : `id ${JSON.stringify(id)}`;
}
