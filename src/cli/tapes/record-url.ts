// Carries out `patchbay record --url`: a relay for WebSockets that tapes every message.
import { once } from 'node:events';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import { type Row, rowText, saidOf } from '../../tape/row.ts';
import { startRelay } from '../../transports/websocket/relay.ts';

/** What is recorded. */
export interface UrlOptions {
  /** 0: any. */
  readonly port: number;
  readonly protocol: string | undefined;
  /** Takes whole lines of the tape. */
  write(text: string): void;
}

/** Resolves when SIGINT, SIGTERM or SIGHUP has come and all connections are closed. Throws `invalid` for an address that is none. */
export async function recordUrl(url: string, { port, protocol, write }: UrlOptions): Promise<void> {
  const address = addressIn(url);
  const start = performance.now();
  const at = () => Math.round((performance.now() - start) * 1000) / 1000;
  const put = (row: Row) => write(rowText(row));
  const note = (words: string) => put({ dir: 'note', line: words, at: at() });
  put({
    ...{ dir: 'meta', v: 1, ...(protocol === undefined ? {} : { protocol }) },
    // The query may hold a token.
    ...{ url: `${address.protocol}//${address.host}${address.pathname}`, startedAt: new Date().toISOString() },
  });
  const relay = await startRelay({
    url,
    port,
    heard(conn, dir, bytes, isBinary) {
      put({ dir, ...saidOf(bytes), frame: isBinary ? 'binary' : 'text', conn, at: at() });
    },
    told(conn, words) {
      note(`connection ${conn}: ${words}`);
      process.stderr.write(`patchbay record: connection ${conn}: ${words}\n`);
    },
  }).catch((thrown: unknown) => {
    throw new GatewayError('invalid', `cannot listen on port ${port}: ${messageOf(thrown)}`, { cause: thrown });
  });
  const path = address.pathname === '/' ? '' : address.pathname;
  process.stderr.write(
    `patchbay record: ws://127.0.0.1:${relay.port}${path}${address.search} leads to ${address.host}\n`,
  );
  await Promise.race((['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => once(process, signal)));
  await relay.close();
  put({ dir: 'exit', code: 0, signal: null, at: at() });
}

function addressIn(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || (address.protocol !== 'ws:' && address.protocol !== 'wss:')) {
    throw new GatewayError('invalid', `${url} is no address of a WebSocket: it begins with ws:// or wss://`);
  }
  return address;
}
