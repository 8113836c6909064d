// A connection over a WebSocket that resumes (docs/protocols/resume.md).
import { headersOf, isFinalStatus, type OpenLine, type Place, queryOf, SendRefused, tokenProtocols } from './line.ts';
import { watchSilence } from './silence.ts';

/** Codes with which another connection would end too: 1000 the session is over, 1009 a frame is too large. */
const finalCodes: ReadonlySet<number> = new Set([1000, 1009, 4400, 4401, 4403, 4404]);

/** What the gateway says, with the fields of all its messages. */
interface Message {
  readonly type?: string;
  readonly frame?: unknown;
  readonly cursor?: string | null;
  readonly reason?: string;
  readonly id?: string;
  readonly code?: string;
  readonly message?: string;
  readonly frames?: readonly unknown[];
}

export const openWebSocketLine: OpenLine = (place, cursor, listener) => {
  const { frontend, session, WebSocket } = place;
  if (WebSocket === undefined) throw new Error('there is no WebSocket here: give one as an option, or choose sse');
  // Named here too: one gateway of several finds the one that has the session.
  const url = `${place.url.replace(/^http/u, 'ws')}/v1/${frontend}/ws${queryOf(place, { session })}`;
  const socket = new WebSocket(url, [`${frontend}.v1+resume`, ...tokenProtocols(place.token)]);
  const silence = watchSilence(() => {
    close();
    listener.lost('the gateway is silent', false);
  });
  let isOpen = false;

  function close(): void {
    silence.stop();
    socket.onclose = null;
    socket.close();
  }

  function take({ type, frame, cursor: at = null, reason = '', id, code, message, frames = [] }: Message): void {
    if (type === undefined) listener.heard(frame, at);
    else if (type === 'reset') listener.reset(reason);
    else if (type === 'closed') listener.closed(reason);
    else if (type === 'accepted' && id !== undefined) listener.accepted(id);
    else if (type === 'refused' && id !== undefined)
      listener.refused(id, new SendRefused(message ?? 'the frame was refused', code, frames));
  }

  socket.onopen = () => {
    isOpen = true;
    socket.send(JSON.stringify({ type: 'attach', session, cursor }));
    listener.opened();
  };
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    silence.heard();
    take(JSON.parse(String(data)));
  };
  // The close event follows, and says more.
  socket.onerror = () => {};
  socket.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) => {
    silence.stop();
    const words = reason === '' ? `the connection has ended (${code})` : reason;
    if (isOpen) listener.lost(words, finalCodes.has(code));
    else void isTurnedAway(place).then((isFinal) => listener.lost(words, isFinal));
  };
  return {
    send: ({ id, frame }) => socket.send(JSON.stringify({ type: 'send', session, id, frame })),
    close,
  };
};

/** Why a handshake failed is told to nobody: the same question as a request tells whether it always will. */
async function isTurnedAway(place: Place): Promise<boolean> {
  try {
    const answer = await place.fetch(`${place.url}/v1/sessions/${place.session}`, { headers: headersOf(place) });
    return isFinalStatus(answer.status);
  } catch {
    return false;
  }
}
