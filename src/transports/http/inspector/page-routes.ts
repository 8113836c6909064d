// What a page that is logged in may ask.
import type { GatewayApi } from '../../../core/contract/gateway/gateway-api.ts';
import type {
  CellRequest,
  InspectorApi,
  LossRequest,
  TapeOptions,
  WireRequest,
} from '../../../core/contract/gateway/inspector-api.ts';
import type { Principal } from '../../../core/contract/principal.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { contentType, readBody, stringFields } from '../body.ts';
import { checkedSessionId } from '../client-request.ts';
import { jsonAnswer } from './answers.ts';

/** Longest tape that a page may bring, bytes (docs/limits.md 12.2). */
export const mostTapeBytes = 32 * 1024 * 1024;
/** Most rows of one answer. */
const mostRows = 1000;
/** Most faults of one tape. */
const mostFaults = 32;
/** Most dialects of one answer. */
const mostDialects = 16;

/** What the routes ask. */
export interface PagePorts {
  readonly api: InspectorApi;
  readonly board: GatewayApi;
}

/** The answer to a route; null: there is none. Throws a GatewayError to refuse. */
export async function answerPage(
  route: string,
  request: Request,
  principal: Principal,
  { api, board }: PagePorts,
): Promise<Response | null> {
  const query = new URL(request.url).searchParams;
  switch (`${request.method} ${route}`) {
    case 'GET state':
      return jsonAnswer(JSON.stringify(api.state(principal)));
    case 'GET kept':
      return jsonAnswer(JSON.stringify({ sessions: await api.kept(principal) }));
    case 'GET wire':
      return jsonAnswer(JSON.stringify(api.wire(wireRequest(query), principal)));
    case 'GET wire/losses':
      return jsonAnswer(JSON.stringify(api.losses(lossRequest(query), principal)));
    case 'GET wire/cell':
      return jsonAnswer(JSON.stringify(api.cell(cellRequest(query), principal)));
    case 'GET tape': {
      const session = checkedSessionId(query.get('session') ?? '');
      const name = `attachment; filename="${session}.jsonl"`;
      const headers = { 'content-type': 'application/x-ndjson', 'content-disposition': name };
      return new Response(api.tapeOf(session, principal), { headers });
    }
    case 'POST tape': {
      const session = api.openTape(await readBody(request, mostTapeBytes), tapeOptions(query), principal);
      return jsonAnswer(JSON.stringify({ session }), {}, 201);
    }
    case 'DELETE tape':
      api.closeTape(checkedSessionId(query.get('session') ?? ''), principal);
      return new Response(null, { status: 204 });
    case 'POST sessions':
      return jsonAnswer(JSON.stringify({ session: await opened(request, principal, board) }), {}, 201);
    default:
      return null;
  }
}

async function opened(request: Request, principal: Principal, board: GatewayApi): Promise<string> {
  if (contentType(request) !== 'application/json')
    throw new GatewayError('invalid', 'the content type must be application/json');
  const text = Buffer.from(await readBody(request, 4096)).toString();
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {}
  const { resume, ...fields } = stringFields(json, ['agent', 'resume']);
  if (resume === undefined) return board.createSession(fields, principal).id;
  return (await board.resumeSession({ ...fields, resume }, principal)).id;
}

function tapeOptions(query: URLSearchParams): TapeOptions {
  const faults = query.getAll('fault');
  if (faults.length > mostFaults) throw new GatewayError('invalid', `at most ${mostFaults} faults`);
  const seed = numberIn(query, 'seed');
  if (seed >= 2 ** 32) throw new GatewayError('invalid', `seed must be below ${2 ** 32}`);
  const speed = query.get('speed') ?? '1';
  if (speed !== 'max' && !/^(?!0+$)\d{1,4}$/u.test(speed))
    throw new GatewayError('invalid', 'speed must be a whole number from 1 to 9999, or max');
  return { faults, seed, speed: speed === 'max' ? speed : Number(speed) };
}

function wireRequest(query: URLSearchParams): WireRequest {
  const from = numberIn(query, 'from');
  const to = query.has('to') ? numberIn(query, 'to') : from + mostRows;
  const dialects = (query.get('dialects') ?? '').split(',').filter((word) => word !== '');
  if (dialects.length > mostDialects) throw new GatewayError('invalid', `at most ${mostDialects} dialects`);
  const session = checkedSessionId(query.get('session') ?? '');
  return { session, from, to: Math.min(to, from + mostRows), dialects };
}

function lossRequest(query: URLSearchParams): LossRequest {
  const session = checkedSessionId(query.get('session') ?? '');
  return { session, dialect: query.get('dialect') ?? '', from: numberIn(query, 'from') };
}

function cellRequest(query: URLSearchParams): CellRequest {
  return {
    session: checkedSessionId(query.get('session') ?? ''),
    row: numberIn(query, 'row'),
    part: numberIn(query, 'part'),
    column: query.get('column') ?? '',
    index: numberIn(query, 'index'),
    at: numberIn(query, 'at'),
  };
}

function numberIn(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '0';
  if (!/^\d{1,15}$/u.test(text)) throw new GatewayError('invalid', `${name} must be a number`);
  return Number(text);
}
