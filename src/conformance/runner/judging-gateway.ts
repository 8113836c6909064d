// The GatewayApi of an HTTP server that judges clients. The server has the paths of a Patchbay server, but no sessions
// and agents behind them: the channel of each client goes to the agent that judges the client (client-runner.ts).
import type { FramingName } from '../../core/contract/adapter/adapter.ts';
import type { EventEnvelope } from '../../core/contract/adapter/event-envelope.ts';
import type { Options } from '../../core/contract/adapter/launch.ts';
import type { Channel } from '../../core/contract/channel.ts';
import type { ClientRequest, GatewayApi, OpenSession } from '../../core/contract/gateway/gateway-api.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { createStreamSession, type StreamSession } from './stream-session.ts';

/** Which clients are accepted, and where their channels go. */
export interface JudgingGatewayOptions {
  readonly protocol: string;
  readonly title: string;
  /** How WebSocket messages hold frames. */
  readonly messages: FramingName;
  /** How server-sent events hold frames, for a client with these options. */
  envelope?(options: Options): EventEnvelope | undefined;
  /** Receives the channel of each new client. */
  take(channel: Channel): void;
  /** How long a client of server-sent events may be away before it counts as gone, ms; default 2000. */
  readonly awayMs?: number;
}

/** A session for server-sent events is created by `POST /v1/sessions`, or by the first request that names it. */
export function createJudgingGateway(options: JudgingGatewayOptions): GatewayApi {
  const { protocol, title, messages, take, awayMs = 2000 } = options;
  const sessions = new Map<string, { readonly stream: StreamSession; readonly createdAt: string }>();
  let made = 0;

  function checked({ frontend }: ClientRequest): void {
    if (frontend !== protocol) throw new GatewayError('not-found', `only clients of ${protocol} are judged here`);
  }
  function open(id: string): StreamSession {
    const known = sessions.get(id);
    if (known !== undefined) return known.stream;
    const over = () => void sessions.delete(id);
    const stream = createStreamSession({ label: `event stream ${id}`, take, awayMs, over });
    sessions.set(id, { stream, createdAt: new Date().toISOString() });
    return stream;
  }
  function summary(id: string): OpenSession {
    const found = sessions.get(id);
    if (found === undefined) throw new GatewayError('not-found', `there is no session ${JSON.stringify(id)}`);
    return { id, agent: 'conformance', state: 'open', createdAt: found.createdAt, clients: 1 };
  }

  return {
    agents: () => [{ name: 'conformance', protocol, title }],
    sessions: () => [...sessions.keys()].map(summary),
    sessionPage: async () => ({ sessions: [...sessions.keys()].map(summary) }),
    session: summary,
    createSession({ id = `session-${++made}` }) {
      if (sessions.has(id)) throw new GatewayError('conflict', `there is a session ${JSON.stringify(id)} already`);
      open(id);
      return summary(id);
    },
    async resumeSession() {
      throw new GatewayError('unsupported', 'there are no stored sessions here');
    },
    async closeSession(id) {
      summary(id);
      sessions.get(id)?.stream.close();
    },
    check(request) {
      checked(request);
      return messages;
    },
    checkResumable(request) {
      checked(request);
      return false;
    },
    connect(channel, request) {
      checked(request);
      take(channel);
    },
    envelope: (request) => options.envelope?.(request.options),
    stream(request, cursor) {
      checked(request);
      return open(request.session).reader(cursor);
    },
    async post(request, frames) {
      checked(request);
      open(request.session).post(frames);
      return { ok: true };
    },
    refuse: () => [],
    metrics: () => '',
    obstacles: () => [],
    refused() {},
    limited() {},
  };
}
