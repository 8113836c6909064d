// Checks of the framing: headers, messages in pieces, encodings (docs/protocols/eca.md 5.1 to 5.5). The checks
// send raw bytes, because a trace of messages does not show the framing.
import { isDictionary } from '../../core/model/dictionary.ts';
import { NotApplicable, PeerWrong } from '../check/check.ts';
import { type CheckContext, type EcaCheck, type Editor, message } from './context.ts';

/** A request that every server answers, as one message. */
const query = (id: string): string => message({ id, method: 'chat/queryCommands', params: { query: '' } });
const bytes = (text: string): number => new TextEncoder().encode(text).length;
const header = (body: string): string => `Content-Length: ${bytes(body)}\r\n\r\n`;
const framed = (body: string): string => `${header(body)}${body}`;

/** A function that writes raw bytes. */
function rawOf({ connection }: Editor): (text: string) => void {
  const { sendRaw } = connection;
  if (sendRaw === undefined) throw new NotApplicable('bytes cannot be sent as they stand');
  return (text) => sendRaw.call(connection, text);
}

/** A pause after which a reader has received the earlier bytes separately, ms. */
const apartMs = 50;

/** Writes to a greeted server and waits until every request is answered. */
function writes(
  id: string,
  of: Pick<EcaCheck, 'level' | 'basis' | 'sentence' | 'input'> & { readonly section?: string },
  write: (context: CheckContext, raw: (text: string) => void) => Promise<readonly string[]>,
): EcaCheck {
  return {
    id,
    section: 'Header Part',
    expected: 'each request in it is answered under its id',
    needs: { raw: true, exclusive: true },
    ...of,
    async run(context) {
      const editor = await context.editor();
      const ids = await write(context, rawOf(editor));
      for (const one of ids) {
        const answer = await editor.answer(one);
        if (!('result' in answer)) throw new PeerWrong(`the answer is ${JSON.stringify(answer).slice(0, 300)}`);
      }
    },
  };
}

/** Checks on frames. */
export const framingChecks: readonly EcaCheck[] = [
  writes(
    'eca/frames-in-one-write',
    {
      level: 'MUST',
      basis: 'specification',
      sentence: 'Several messages may come at once.',
      input: 'three requests in one write',
    },
    async (_stage, raw) => {
      raw(['one', 'two', 'three'].map((id) => framed(query(id))).join(''));
      return ['one', 'two', 'three'];
    },
  ),
  writes(
    'eca/frame-in-pieces',
    {
      level: 'MUST',
      basis: 'specification',
      sentence: 'A message may come in pieces: within its header, between header and content, within its content.',
      input: 'a request in five writes, with pauses',
    },
    async ({ tools }, raw) => {
      const text = framed(query('pieces'));
      const at = [0, 5, text.indexOf('\r\n') + 1, text.indexOf('{'), text.indexOf('{') + 9, text.length];
      for (const [place, from] of at.slice(0, -1).entries()) {
        raw(text.slice(from, at[place + 1]));
        await tools.pause(apartMs);
      }
      return ['pieces'];
    },
  ),
  writes(
    'eca/length-in-bytes',
    {
      level: 'MUST',
      basis: 'specification',
      sentence: 'Content-Length counts bytes, and not letters.',
      input: 'a request with letters of two, three and four bytes, and another right behind it',
    },
    async (_stage, raw) => {
      const wide = message({ id: 'wide', method: 'chat/queryCommands', params: { query: 'äöü€–😀' } });
      raw(`${framed(wide)}${framed(query('behind'))}`);
      return ['wide', 'behind'];
    },
  ),
  writes(
    'eca/content-type',
    {
      level: 'MUST',
      basis: 'specification',
      sentence: 'A Content-Type of utf-8 is taken, before and behind the Content-Length.',
      input: 'two requests with Content-Type: application/vscode-jsonrpc; charset=utf-8',
    },
    async (_stage, raw) => {
      const type = 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n';
      const [first, second] = [query('behind'), query('before')];
      raw(`Content-Length: ${bytes(first)}\r\n${type}\r\n${first}`);
      raw(`${type}Content-Length: ${bytes(second)}\r\n\r\n${second}`);
      return ['behind', 'before'];
    },
  ),
  writes(
    'eca/header-case',
    {
      level: 'MAY',
      basis: 'specification',
      sentence: 'Names of header fields are those of HTTP, where upper and lower case are the same.',
      input: 'a request with content-length',
    },
    async (_stage, raw) => {
      raw(framed(query('case')).replace('Content-Length', 'content-length'));
      return ['case'];
    },
  ),
  writes(
    'eca/header-space',
    {
      level: 'MAY',
      basis: 'measured',
      sentence: 'A header field without the space behind its colon is read.',
      input: 'a request with Content-Length:n',
    },
    async (_stage, raw) => {
      raw(framed(query('space')).replace(': ', ':'));
      return ['space'];
    },
  ),
  {
    id: 'eca/other-charset',
    section: 'Content Part',
    level: 'SHOULD',
    basis: 'specification',
    sentence: 'A header with another encoding than utf-8 is answered with an error.',
    input: 'a request with Content-Type: …; charset=utf-16',
    expected: 'an error',
    needs: { raw: true, exclusive: true },
    async run(context) {
      const editor = await context.editor();
      const raw = rawOf(editor);
      const body = query('charset');
      raw(`Content-Length: ${bytes(body)}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-16\r\n\r\n${body}`);
      await editor.until('error', ({ id, error }) => (id === 'charset' || id === null) && isDictionary(error));
    },
  },
];
