// Checks of the framing of pi's lines, which no trace shows: raw bytes, the end of the input, and unusual lines
// (docs/protocols/pi.md 3).
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import { CannotTell, NotApplicable, PeerWrong } from '../check/check.ts';
import type { PiCheck, PiClient } from './context.ts';

const line = { section: 'Core Protocol', level: 'MUST', basis: 'specification', covers: ['line:response'] } as const;

/** Functions that write raw bytes; the runner guarantees that the connection has them. */
function rawOf({ connection }: PiClient): { write(text: string): void; end(): void } {
  const { sendRaw, endInput } = connection;
  if (sendRaw === undefined || endInput === undefined) throw new NotApplicable('bytes cannot be sent as they stand');
  return { write: (text) => sendRaw(text), end: () => endInput() };
}

/**
 * Sends a well-formed command and returns its response. Without a response, nothing can be said about unusual lines.
 */
async function plain(pi: PiClient, type: string, fields: Dictionary = {}): Promise<Dictionary> {
  const from = pi.now;
  const id = pi.start({ type, ...fields });
  await pi.comes(`response to ${type}, sent as it should be`, from, (one) => one.type === 'response' && one.id === id);
  return pi.answered(id);
}

/**
 * Runs `write`, waits for a response of this type to each id, and returns the last one. Rules judge the ids themselves.
 */
async function responses(
  pi: PiClient,
  type: string,
  ids: readonly string[],
  write: () => unknown,
): Promise<Dictionary | undefined> {
  const from = pi.now;
  await write();
  const isNameless = (one: Dictionary) => one.type === 'response' && one.command === type && (one.id ?? null) === null;
  return pi.connection.until(`response to ${ids.join(', ')}`, () => {
    const lines = pi.received(from);
    const named = ids.flatMap((id): Dictionary[] => lines.filter((one) => one.id === id).slice(0, 1));
    const all = [...named, ...lines.filter(isNameless)];
    return all.length >= ids.length ? all.at(-1) : undefined;
  });
}

/** Like {@link responses} for get_state, which every agent answers. */
async function answers(pi: PiClient, ids: readonly string[], write: () => unknown): Promise<void> {
  await plain(pi, 'get_state');
  await responses(pi, 'get_state', ids, write);
}

const stateLine = (id: string, more: Dictionary = {}): string => JSON.stringify({ type: 'get_state', id, ...more });

/** Checks of raw bytes. */
const byteChecks: readonly PiCheck[] = [
  {
    ...line,
    id: 'pi/raw-crlf',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'A line that ends with CR LF is read as one that ends with LF.',
    input: 'get_state with CR LF at its end',
    expected: 'its response',
    needs: { raw: true },
    async run({ open, mint }) {
      const pi = await open();
      const id = mint('crlf');
      await answers(pi, [id], () => rawOf(pi).write(`${stateLine(id)}\r\n`));
    },
  },
  {
    ...line,
    id: 'pi/raw-joined',
    sentence: 'Several lines that come in one piece are several commands.',
    input: 'three commands in one write',
    expected: 'three responses',
    needs: { raw: true },
    async run({ open, mint }) {
      const pi = await open();
      const ids = [mint('joined'), mint('joined'), mint('joined')];
      await answers(pi, ids, () => rawOf(pi).write(ids.map((id) => `${stateLine(id)}\n`).join('')));
    },
  },
  {
    ...line,
    id: 'pi/raw-split',
    sentence: 'A line that comes in several pieces is one command.',
    input: 'get_state in three writes',
    expected: 'its response',
    needs: { raw: true },
    async run({ open, mint, tools }) {
      const pi = await open();
      const id = mint('split');
      const text = `${stateLine(id)}\n`;
      await answers(pi, [id], async () => {
        for (const part of [text.slice(0, 9), text.slice(9, -3), text.slice(-3)]) {
          rawOf(pi).write(part);
          // Pieces written together arrive together, so the check pauses between them.
          await tools.pause(30);
        }
      });
    },
  },
  {
    ...line,
    id: 'pi/raw-blank-line',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'A blank line ends nothing: what comes behind it is read.',
    input: 'a blank line, then get_state',
    expected: 'the response to get_state',
    needs: { raw: true },
    async run({ open, mint }) {
      const pi = await open();
      const id = mint('blank');
      await answers(pi, [id], () => rawOf(pi).write(`\n${stateLine(id)}\n`));
    },
  },
  {
    ...line,
    id: 'pi/raw-last-line',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'A last line without LF is read when the input ends.',
    input: 'get_state without LF, and the end of the input',
    expected: 'its response',
    needs: { raw: true, exclusive: true },
    async run({ open, mint }) {
      const pi = await open();
      const id = mint('last');
      await answers(pi, [id], () => {
        const { write, end } = rawOf(pi);
        write(stateLine(id));
        end();
      });
    },
  },
  {
    ...line,
    id: 'pi/input-ends',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'An idle agent whose input ends leaves, with code 0.',
    input: 'the end of the input',
    expected: 'the end of the program, with code 0',
    needs: { raw: true, exclusive: true },
    async run({ open, tools }) {
      const pi = await open();
      rawOf(pi).end();
      const reason = await tools.exit();
      if (!/code 0\b/u.test(reason)) throw new PeerWrong(`it must leave with code 0: ${reason}`);
    },
  },
];

/** Checks of unusual lines. */
const textChecks: readonly PiCheck[] = [
  {
    ...line,
    id: 'pi/separators',
    sentence: 'U+2028, U+2029 and U+0085 in a string end no line, on the way in and on the way out.',
    input: 'set_session_name with a name that holds them as they stand, then get_state',
    expected: 'get_state tells that name',
    async run({ open, mint }) {
      const pi = await open();
      const usual = mint('name');
      await plain(pi, 'set_session_name', { name: usual });
      if (dictionaryOf((await plain(pi, 'get_state')).data).sessionName !== usual)
        throw new CannotTell('a name without them is not told either');
      const name = `a\u2028b\u2029c\u0085d ${mint('name')}`;
      const ask = (type: string, id: string, fields: Dictionary = {}) =>
        responses(pi, type, [id], () => pi.say(JSON.stringify({ type, id, ...fields })));
      const set = await ask('set_session_name', mint('separators'), { name });
      if (set?.success !== true) throw new CannotTell(`the name was refused: ${String(set?.error)}`);
      const { sessionName } = dictionaryOf((await ask('get_state', mint('separators')))?.data);
      if (!isDeepStrictEqual(sessionName, name))
        throw new PeerWrong(`sessionName is ${JSON.stringify(sessionName)}, not ${JSON.stringify(name)}`);
    },
  },
  {
    ...line,
    id: 'pi/long-line',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'A command of a megabyte is read: images come in lines.',
    input: 'get_state with a field of a million characters that means nothing',
    expected: 'its response',
    async run({ open, mint }) {
      const pi = await open();
      const id = mint('long');
      await answers(pi, [id], () => pi.say(stateLine(id, { padding: 'x'.repeat(1_000_000) })));
    },
  },
];

/** All checks of framing. */
export const framingChecks: readonly PiCheck[] = [...byteChecks, ...textChecks];
