// What the clients of a storm send, by a seed: commands with duplicates, keys, dependencies and versions, spread over
// connections. The same seed gives the same words; when they arrive is left to the machine. Knows no transport.
import type { Sent } from './ledger-model.ts';

/** Numbers from 0 to below 1, the same for the same seed. */
export function createDice(seed: number) {
  let state = seed >>> 0;
  const roll = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const upTo = (limit: number): number => Math.floor(roll() * limit);
  return {
    upTo,
    chance: (share: number): boolean => roll() < share,
    pick<Value>(values: readonly Value[]): Value {
      const value = values[upTo(values.length)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
    /** One of these, as often as its weight. */
    weighted<Value>(values: readonly (readonly [number, Value])[]): Value {
      let left = upTo(values.reduce((sum, [weight]) => sum + weight, 0));
      for (const [weight, value] of values) {
        left -= weight;
        if (left < 0) return value;
      }
      throw new Error('nothing to pick from');
    },
  };
}
export type Dice = ReturnType<typeof createDice>;

/** A frame, and what the model is to know of it. */
export interface Attempt {
  readonly frame: Readonly<Record<string, unknown>>;
  readonly sent: Sent;
}

/** A storm. */
export interface Plan {
  readonly sessions: readonly string[];
  /** What each connection sends, in its order. */
  readonly clients: readonly (readonly Attempt[])[];
  /** Different ids. */
  readonly ids: number;
}

/** How much. */
export interface PlanSize {
  readonly commands: number;
  readonly sessions: number;
  readonly clients: number;
}

const pad = (number: number) => String(number).padStart(2, '0');

/** The frame as the model sees it: what a repetition must equal is all but the two names (docs/protocols/pi-server.md 8.3). */
export function attempt(
  frame: Readonly<Record<string, unknown>> & { readonly type: string },
  more: Pick<Sent, 'fails' | 'hangs'> = {},
): Attempt {
  const { id, idempotencyKey, ...payload } = frame;
  const ordered = Object.fromEntries(Object.entries(payload).sort(([one], [other]) => (one < other ? -1 : 1)));
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const sent: Sent = {
    id: text(id),
    key: text(idempotencyKey),
    type: frame.type,
    session: text(frame.sessionId),
    dependsOn: Array.isArray(frame.dependsOn) ? frame.dependsOn.map(String) : [],
    ifVersion: typeof frame.ifSessionVersion === 'number' ? frame.ifSessionVersion : undefined,
    payload: JSON.stringify(ordered),
    ...more,
  };
  return { frame, sent };
}

/** What shows in the course of a command: two attempts of which it is the same are the same in all else. */
export const visible = ({ id, key, type, session, dependsOn, ifVersion }: Omit<Sent, 'payload'>): string =>
  JSON.stringify([id ?? null, key ?? null, type, session ?? null, dependsOn, ifVersion ?? null]);

type Body = Readonly<Record<string, unknown>> & { readonly type: string };

/** `mark`: words that no other command has, and none of the demo agent's. */
function bodyOf(dice: Dice, mark: string, session: string): readonly [Body, Pick<Sent, 'fails'>?] {
  const about = (type: string, more: object = {}): Body => ({ type, sessionId: session, ...more });
  return dice.weighted<() => readonly [Body, Pick<Sent, 'fails'>?]>([
    [28, () => [about('set_session_name', { name: mark })]],
    [14, () => [about('prompt', { message: mark })]],
    [2, () => [about('prompt', { message: `slow 20 ${mark}` })]],
    [12, () => [about('bash', { command: `echo ${mark}` })]],
    [12, () => [about('get_state')]],
    [3, () => [about('get_messages')]],
    [3, () => [about('set_model', { provider: 'nobody', modelId: mark }), { fails: true }]],
    [5, () => [about('switch_session')]],
    [2, () => [{ type: 'list_sessions' }]],
    [2, () => [{ type: 'health_check' }]],
    [1, () => [{ type: 'get_metrics' }]],
    [3, () => [about('abort')]],
    [2, () => [about('abort_bash')]],
    [2, () => [about('steer', { message: mark })]],
    [1, () => [about('follow_up', { message: mark })]],
    [1, () => [{ type: 'set_session_name', sessionId: 'ghost', name: mark }]],
  ])();
}

/** All that is said in one storm. */
export function plan(seed: number, { commands, sessions: count, clients: connections }: PlanSize): Plan {
  const dice = createDice(seed);
  const sessions = Array.from({ length: count }, (_, at) => `s${pad(at)}`);
  const clients: Attempt[][] = Array.from({ length: connections }, () => []);
  const somebody = () => dice.pick(clients);
  const idsOf = new Map<string, string[]>();
  const ids: string[] = [];
  let tags = 0;

  /** Mostly what was sent before, by whomever; some of it is still to come, or never will. */
  function dependencies(lane: string): string[] {
    const one = () =>
      dice.weighted<() => string>([
        [45, () => dice.pick(idsOf.get(lane) ?? ['never'])],
        [15, () => dice.pick(ids.length > 0 ? ids : ['never'])],
        // What is likely to be under way, too.
        [30, () => dice.pick(ids.length > 0 ? ids.slice(-30) : ['never'])],
        [5, () => `i${ids.length + 1 + dice.upTo(40)}`],
        [2, () => `i${ids.length}`],
        [3, () => 'never'],
      ])();
    return Array.from({ length: 1 + dice.upTo(3) }, one);
  }

  // Sessions that come and go, each step behind the one before it, on one connection.
  for (const name of ['churn-1', 'churn-2', 'churn-3']) {
    const own = somebody();
    let before: string[] = [];
    for (const [round, type] of [
      'create_session',
      'set_session_name',
      'delete_session',
      'create_session',
      'get_state',
    ].entries()) {
      const id = `${name}-${round}`;
      const words = type === 'set_session_name' ? { name: id } : {};
      own.push(attempt({ id, type, sessionId: name, dependsOn: before, ...words }));
      before = [id];
    }
  }

  // What depends on what is behind it in its lane, while the lane is busy.
  for (const at of [0, 1, 2, 3, 4, 5]) {
    const sessionId = dice.pick(sessions);
    somebody().push(
      attempt({ id: `busy-${at}`, type: 'prompt', sessionId, message: `slow 60 m${seed}x9000${at}` }),
      attempt({ id: `before-${at}`, type: 'get_state', sessionId, dependsOn: [`behind-${at}`] }),
      attempt({ id: `behind-${at}`, type: 'set_session_name', sessionId, name: `behind-${at}` }),
    );
  }

  // What fails while another lane waits for it.
  for (const at of [0, 1, 2, 3]) {
    const [sessionId, other] = [dice.pick(sessions), dice.pick(sessions)];
    somebody().push(
      attempt({ id: `long-${at}`, type: 'prompt', sessionId, message: `slow 60 m${seed}x9100${at}` }),
      attempt(
        { id: `fails-${at}`, type: 'set_model', sessionId, provider: 'nobody', modelId: 'none' },
        { fails: true },
      ),
      attempt({
        id: `waits-${at}`,
        type: 'set_session_name',
        sessionId: other,
        name: `waits-${at}`,
        dependsOn: [`fails-${at}`],
      }),
    );
  }

  while (ids.length < commands) {
    const id = `i${ids.length}`;
    const mark = `m${seed}x${ids.length}`;
    const session = dice.pick(sessions);
    const [body, more] = bodyOf(dice, mark, session);
    const isServer = body.sessionId === undefined || body.type === 'switch_session';
    const lane = isServer ? 'server' : session;
    const frame: Body = {
      id,
      ...body,
      ...(dice.chance(0.2) ? { dependsOn: dependencies(lane) } : {}),
      ...(!isServer && dice.chance(0.08) ? { ifSessionVersion: dice.upTo(12) } : {}),
      ...(dice.chance(0.1) ? { idempotencyKey: `k${ids.length}` } : {}),
    };
    const own = somebody();
    own.push(attempt(frame, more));
    ids.push(id);
    idsOf.set(lane, [...(idsOf.get(lane) ?? []), id]);
    // A retry, by whomever.
    while (dice.chance(0.2)) (dice.chance(0.3) ? own : somebody()).push(attempt(frame, more));
    // A retry under a new id, which only the key makes known.
    if ('idempotencyKey' in frame && dice.chance(0.5)) {
      const again = `i${ids.length}`;
      ids.push(again);
      somebody().push(attempt({ ...frame, id: again }, more));
    }
    // A key that is somebody else's already.
    if ('idempotencyKey' in frame && dice.chance(0.3)) {
      const other = `i${ids.length}`;
      ids.push(other);
      somebody().push(attempt({ ...frame, id: other, extra: mark }, more));
    }
    // The same name for something else. Each has a key of its own, so that its course tells which it was.
    if (dice.chance(0.05)) {
      const other = { ...frame, ...(body.type === 'set_session_name' ? { name: `${mark}-other` } : { extra: mark }) };
      somebody().push(attempt({ ...other, idempotencyKey: `tag${++tags}` }, more));
    }
    // Without any name.
    if (dice.chance(0.03)) somebody().push(attempt({ type: 'get_state', sessionId: session }));
    if (dice.chance(0.02)) {
      const key = `anonymous${++tags}`;
      const words: Body = { type: 'bash', sessionId: session, command: `echo ${key}`, idempotencyKey: key };
      for (const _ of [1, 2]) somebody().push(attempt(words));
    }
  }
  return { sessions, clients, ids: ids.length };
}
