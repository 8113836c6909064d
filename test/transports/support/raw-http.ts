// HTTP by hand: fetch repairs, merges and forbids just those headers that an attacker would send.
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** As much of the body as its length announced; '' for a stream. */
  readonly body: string;
}

/** Sends the lines as a request head, with a body if there is one, and reads one answer. */
export function exchange(port: number, lines: readonly string[], body = '', host = '127.0.0.1'): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const answer = parseAnswer(text);
      if (answer === undefined) return;
      resolve(answer);
      socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`no answer: ${JSON.stringify(text)}`)));
    socket.write([...lines, '', body].join('\r\n'));
  });
}

function parseAnswer(text: string): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...rest] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    rest.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const body = text.slice(end + 4);
  if (body.length < Number(headers.get('content-length') ?? 0)) return undefined;
  return { status: Number(first.split(' ')[1]), headers, body };
}
