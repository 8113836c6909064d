import { owner } from '../../../src/core/contract/principal.ts';
import { permission, words } from '../approval-clients.ts';
import { type Kind, type Observer, observe } from './observers.ts';
import { everybody, type FaultRig } from './rig.ts';
import { type FaultRow, must, outcomeOf, withRig } from './row.ts';

const demo = (limits: object = {}, paceMs = 0) => ({
  agents: { demo: { protocol: 'demo', options: { paceMs } } },
  limits,
});
/** How a client of two protocols is asked, and answers. */
const wordsOf = ({ frontend }: Observer) => (frontend === 'pi' ? words.pi : words.claude);
const canAnswer = ({ frontend }: Kind): boolean => frontend === 'claude' || frontend === 'pi';

/** The questions that a client was asked, by id. */
function questionsOf(one: Observer): string[] {
  return one.frames.flatMap((frame) => wordsOf(one).questionIn(JSON.parse(frame))?.id ?? []);
}

/** Resolves with the id of the latest question as soon as each of these has so many. */
async function asked(some: readonly Observer[], times = 1): Promise<string[]> {
  return Promise.all(
    some.map(async (one) => {
      await one.until(`question ${times}`, () => questionsOf(one).length >= times);
      return questionsOf(one).at(-1) ?? '';
    }),
  );
}

const say = (one: Observer, frame: object): void => one.say(JSON.stringify(frame));
const allow = (one: Observer, id: string): void => say(one, wordsOf(one).allow(id));

/** Resolves when a client has heard a frame with these words. */
const hears = (one: Observer, said: string): Promise<unknown> => one.waitFor(said, (frame) => frame.includes(said));

/** The first of these clients that speaks the protocol. */
function firstOf(rig: FaultRig, frontend: string): Observer {
  const found = rig.observers.find((one) => one.frontend === frontend && one !== rig.observers[0]);
  if (found === undefined) throw new Error(`no client of ${frontend}`);
  return found;
}

const questions: readonly FaultRow[] = [
  {
    fault: 'F15',
    what: 'all clients gone with an open question (questionMs 400)',
    run: () =>
      withRig({ config: demo({ questionMs: 400 }) }, async (rig) => {
        rig.prompt('ask');
        await asked(rig.observers.filter(canAnswer));
        for (const one of [...rig.observers]) {
          one.close();
          rig.dismiss(one);
        }
        await rig.hasClients(0);
        await rig.hasState('idle');
        for (const kind of everybody) await rig.join(kind, { isLate: true });
        const late = rig.observers.filter(({ frontend }) => frontend === 'claude' || frontend === 'eca');
        await Promise.all(late.map((one) => hears(one, 'nobody answered in time')));
        rig.prompt('think');
        await Promise.all(rig.observers.map((one) => hears(one, 'think')));
        await rig.hasState('idle');
        return {
          clients: everybody,
          toldMs: null,
          lost: null,
          repeated: null,
          verdict: 'denied at its deadline, late clients see that',
        };
      }),
  },
  {
    fault: 'F16',
    what: 'three clients allow the same call at once',
    run: () =>
      withRig({ config: demo() }, async (rig) => {
        rig.prompt('ask');
        const able = rig.observers.filter(canAnswer);
        const ids = await asked(able);
        rig.cause();
        for (const [at, one] of able.entries()) allow(one, ids[at] ?? '');
        const toldMs = await rig.told();
        const claude = able.filter(({ frontend }) => frontend === 'claude');
        const withdrawn = claude.filter(({ frames }) =>
          frames.some((frame) => frame.includes('control_cancel_request')),
        );
        must(withdrawn.length >= claude.length - 1, 'the question was not withdrawn from those who were late');
        return outcomeOf(rig, toldMs, 'one answer counts, the others hear that the question has ended');
      }),
  },
  {
    fault: 'F17',
    what: 'an answer that is none, and one that is none of the options',
    run: () =>
      withRig({ config: demo() }, async (rig) => {
        const [claude, pi] = [firstOf(rig, 'claude'), firstOf(rig, 'pi')];
        rig.prompt('ask');
        const [id = ''] = await asked([claude]);
        rig.cause();
        say(claude, permission(id, { behavior: 'perhaps' }));
        await hears(claude, 'is not a permission result');
        allow(claude, id);
        await rig.told();
        rig.prompt('select');
        const isSelect = (frame: string) => frame.includes('"method":"select"');
        const dialog = JSON.parse(await pi.waitFor('a dialog', isSelect));
        const answer = { type: 'extension_ui_response', id: dialog.id };
        say(pi, { ...answer, value: 'Nonsense' });
        await hears(pi, 'none of the options');
        say(pi, { ...answer, value: dialog.options[0] });
        const toldMs = await rig.told();
        return outcomeOf(rig, toldMs, 'an error for each, the questions stay open');
      }),
  },
  {
    fault: 'F18',
    what: 'a late answer to an old question, an answer to a question of another session',
    run: () =>
      withRig({ config: demo() }, async (rig) => {
        const one = firstOf(rig, 'claude');
        rig.prompt('ask');
        const [old = ''] = await asked([one]);
        allow(one, old);
        await rig.told();
        const other = rig.gateway.board.createSession({}, owner);
        const stranger = await observe(rig.address, other.id, { frontend: 'claude', transport: 'ws' });
        say(stranger, words.claude.prompt('ask'));
        const [foreign = ''] = await asked([stranger]);
        rig.prompt('ask');
        const [open = ''] = await asked([one], 2);
        must(open !== old, 'the second question has the id of the first');
        rig.cause();
        allow(one, old);
        if (foreign !== open) allow(one, foreign);
        // The gateway takes the frames of a client in order: what it does to these is done when it has answered the next one.
        say(one, { type: 'control_request', request_id: 'behind', request: { subtype: 'nosuch' } });
        await hears(one, '"behind"');
        must(
          rig.gateway.board.session(other.id, owner).state === 'running',
          'the question of the other session has ended',
        );
        must(rig.gateway.board.session(rig.session, owner).state === 'running', 'the new question has ended');
        allow(one, open);
        const toldMs = await rig.told();
        allow(stranger, foreign);
        await stranger.until('its end', () => stranger.endings.length === 1);
        stranger.close();
        await stranger.cut();
        return outcomeOf(rig, toldMs, 'nothing runs, both questions stay open until they are answered');
      }),
  },
];

export const questionFaults: readonly FaultRow[] = questions;
