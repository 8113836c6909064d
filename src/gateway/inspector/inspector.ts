// The gateway as the inspector's page asks for it.
import type { AdapterOf } from '../../adapters/protocols.ts';
import type { InspectorApi } from '../../core/contract/gateway/inspector-api.ts';
import { owner } from '../../core/contract/principal.ts';
import { firstWordsIn, messagesOf } from '../../core/log/messages.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { HubEntry } from '../../core/session/hub.ts';
import type { Session } from '../../core/session/session.ts';
import { type Row, rowText, saidOf } from '../../tape/row.ts';
import type { Agents } from '../agents.ts';
import { greetedReader } from '../clients/greeted-reader.ts';
import type { Frontends } from '../frontends.ts';
import { restSummaryOf } from '../sessions/session-summary.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { framesIn } from './kept-frames.ts';
import { type KeptSessionPorts, keptSessions } from './kept-sessions.ts';
import type { Taps } from './taps.ts';
import type { UploadedTapes } from './uploaded-tapes.ts';
import { WirePages } from './wire-pages.ts';
import type { WireTap } from './wire-tap.ts';

/** The parts that the inspector shows. */
export interface InspectorPorts extends KeptSessionPorts {
  readonly adapterOf: AdapterOf;
  /** Ids of all protocols. */
  readonly ids: readonly string[];
  readonly agents: Agents;
  readonly frontends: Frontends;
  readonly sessions: Sessions;
  readonly taps: Taps;
  readonly tapes: UploadedTapes;
  readonly version: string;
}

/** The inspector over these parts. */
export function createInspectorApi(ports: InspectorPorts): InspectorApi {
  const { adapterOf, agents, frontends, hub, sessions, taps, tapes, version } = ports;
  const pages = new WeakMap<Session, WirePages>();
  const words = new WeakMap<Session, string>();
  const dialects = ports.ids.filter((id) => adapterOf(id).client !== undefined);

  function checkDialect(dialect: string): void {
    if (!dialects.includes(dialect)) throw new GatewayError('invalid', 'one of the dialects is unknown');
  }

  function tapOf({ session }: HubEntry): WireTap {
    const tap = taps.of(session.id);
    if (tap === undefined) throw new GatewayError('not-found', 'the wire of this session is not kept');
    return tap;
  }

  function pagesOf(entry: HubEntry): WirePages {
    const { session } = entry;
    const known = pages.get(session);
    if (known !== undefined) return known;
    const made = new WirePages(tapOf(entry), session, (dialect) => frontends.sideOf(dialect, {}));
    pages.set(session, made);
    return made;
  }

  /** Found once: the list is asked for every few seconds. */
  function wordsOf(session: Session): string | undefined {
    const found = words.get(session) ?? firstWordsIn(messagesOf(session.transcript));
    if (found !== undefined) words.set(session, found);
    return found;
  }

  return {
    state: (principal) => ({
      version,
      agents: agents.summaries(principal),
      sessions: hub.list(principal).map((entry) => {
        const { dialects: used, transcript } = entry.session;
        const { name } = transcript.info;
        const firstWords = wordsOf(entry.session);
        const told = { ...(name && { name }), ...(firstWords && { firstWords }) };
        return { ...restSummaryOf(entry), dialects: used, ...told };
      }),
      dialects,
    }),
    kept: (principal) => keptSessions(principal, ports),
    wire(request, principal) {
      request.dialects.forEach(checkDialect);
      return pagesOf(sessions.find(request.session, principal)).page(request);
    },
    losses(request, principal) {
      checkDialect(request.dialect);
      return pagesOf(sessions.find(request.session, principal)).losses(request);
    },
    cell: (request, principal) => pagesOf(sessions.find(request.session, principal)).cell(request),
    openTape(bytes, options, principal) {
      const name = tapes.add(bytes, options, (id) => ports.ids.includes(id) && adapterOf(id).agent !== undefined);
      try {
        const { session } = sessions.open({ agent: name, id: name }, { principal, isOurs: false });
        // The tape speaks before the page has come.
        taps.watch(session.id)();
        session.start();
        return session.id;
      } catch (thrown) {
        tapes.forget(name);
        throw thrown;
      }
    },
    closeTape(id, principal) {
      const { session } = sessions.find(id, principal);
      if (tapes.of(id) === undefined) throw new GatewayError('not-found', 'this session is no tape of a page');
      sessions.remove(session.id, 'the tape was closed');
    },
    tapeOf(id, principal) {
      const entry = sessions.find(id, principal);
      const { protocol } = agents.named(entry.agent, owner)[1];
      return tapeText(tapOf(entry), protocol, entry);
    },
    watched: (session, reader) => greetedReader(reader, [], taps.watch(session)),
  };
}

/** The frames that are kept as rows of a tape; the clock begins with the first one. */
function tapeText(tap: WireTap, protocol: string, { agent, createdAt }: HubEntry): string {
  const rows: Row[] = [{ dir: 'meta', v: 1, protocol, agent, startedAt: createdAt }];
  if (tap.kept > 0) rows.push({ dir: 'note', line: `the first ${tap.kept} rows were not kept`, at: 0 });
  const frames = [];
  for (let number = tap.kept; number < tap.end; number += 1) {
    const row = tap.row(number);
    for (const kept of row?.from ?? [])
      for (const { at, bytes } of framesIn(kept)) frames.push({ dir: 'out' as const, at, bytes });
    for (const { at, bytes } of row?.to ?? []) frames.push({ dir: 'in' as const, at, bytes });
  }
  const start = frames[0]?.at ?? 0;
  for (const { dir, at, bytes } of frames)
    rows.push({ dir, ...saidOf(bytes), at: Math.round((at - start) * 1000) / 1000 });
  return rows.map(rowText).join('');
}
