// A stand-in for the Anthropic Messages API on loopback: POST /v1/messages, answered from answers.ts. Streams at full
// speed; only slow steps use a timer.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { within } from '../bounded-wait.ts';
import { type Prompt, type Scenario, type Step, scenarios } from './answers.ts';
import { claudeScenarios } from './claude-answers.ts';
import { brokenStreamOf, errorBody, messageOf, type NextId, type Stream, streamOf } from './wire.ts';

const ContentBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  source: z.looseObject({ media_type: z.string().optional() }).optional(),
});
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  tools: z.array(z.unknown()).optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(ContentBlock)]) })),
});
type Body = z.infer<typeof Body>;

/** One request and its outcome. */
export interface RecordedRequest {
  readonly path: string;
  readonly body: Body;
  /** `summary` for a request without tools: an agent that compacts its context. */
  readonly scenario: string;
  /** Rounds of tool results since the prompt, from 0. */
  readonly step: number;
  readonly prompt: Prompt;
  /** `gone`: the client disconnected before the end. */
  outcome: 'open' | 'finished' | 'refused' | 'gone';
  /** The response: events (endlessly repeated ones left out) or one JSON message; empty for a refusal. */
  answered: string;
}

/** Options of the fake model. */
export interface FakeOptions {
  /** Scenarios beside those of answers.ts, or in their place; `unmarked`: for prompts that name none. */
  readonly scenarios?: ReadonlyMap<string, Scenario>;
  /** Treats requests without tools as normal prompts. */
  readonly chat?: boolean;
}

/** A running fake model. */
export interface FakeAnthropic {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Resolves with the first matching request, past or future. */
  until(fits: (request: RecordedRequest) => boolean, label: string): Promise<RecordedRequest>;
  close(): Promise<void>;
}

const marker = /\[\[([\w-]+)\]\]/g;
const slowPaceMs = 20;
const summary: Scenario = () => [{ blocks: [{ type: 'text', deltas: ['## Goal\n', 'A summary of the talk.'] }] }];
const unmarked: Scenario = () => [{ blocks: [{ type: 'text', deltas: ['No scenario ', 'was named.'] }] }];

type Message = Body['messages'][number];

function isToolResults(message: Message): boolean {
  return (
    message.role === 'user' &&
    typeof message.content !== 'string' &&
    message.content.length > 0 &&
    message.content.every((block) => block.type === 'tool_result')
  );
}

function promptOf(message: Message | undefined): Prompt {
  if (message === undefined) return { text: '', images: [] };
  if (typeof message.content === 'string') return { text: message.content, images: [] };
  const images = message.content.filter((block) => block.type === 'image');
  return {
    text: message.content.map((block) => block.text ?? '').join(''),
    images: images.map((block) => block.source?.media_type ?? 'unknown'),
  };
}

/** Which scenario a request selects, and at which step it is; see {@link RecordedRequest}. */
function place(body: Body, isChat: boolean): Pick<RecordedRequest, 'scenario' | 'step' | 'prompt'> {
  const at = body.messages.findLastIndex((message) => message.role === 'user' && !isToolResults(message));
  const prompt = promptOf(body.messages[at]);
  const step = body.messages.slice(at + 1).filter(isToolResults).length;
  // The prompt names its scenario by a marker. Some agents join an unanswered prompt and the next prompt in one
  // message, so the last marker counts. A request for a summary quotes the markers of the whole conversation; it is
  // recognised by its lack of tools.
  const asked = [...prompt.text.matchAll(marker)].at(-1)?.[1];
  const scenario = body.tools === undefined && !isChat ? 'summary' : (asked ?? 'unmarked');
  return { scenario, step, prompt };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Starts a fake model on a free port of 127.0.0.1. */
export async function startFakeAnthropic(options: FakeOptions = {}): Promise<FakeAnthropic> {
  const known = new Map([
    ...scenarios,
    ...claudeScenarios,
    ['summary', summary],
    ['unmarked', unmarked],
    ...(options.scenarios ?? []),
  ]);
  const requests: RecordedRequest[] = [];
  const watchers = new Set<() => void>();
  const faultsShown = new Map<string, number>();
  let ids = 0;
  const nextId: NextId = (prefix) => `${prefix}_${String(++ids).padStart(4, '0')}`;

  function refuse(response: ServerResponse, status: number, kind: string): void {
    // The header keeps the official client's own retries from waiting half a second.
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
    response.end(JSON.stringify(errorBody(kind)));
  }

  function say(record: RecordedRequest, step: Step, response: ServerResponse): void {
    const key = `${record.prompt.text}#${record.step}`;
    const tried = faultsShown.get(key) ?? 0;
    const fault = step.faults?.[tried];
    faultsShown.set(key, tried + 1);
    if (fault !== undefined && 'status' in fault) {
      record.outcome = 'refused';
      refuse(response, fault.status, fault.error);
      return;
    }
    const model = record.body.model;
    if (record.body.stream !== true) {
      record.answered = JSON.stringify(messageOf(step, model, nextId));
      response.writeHead(200, { 'content-type': 'application/json' }).end(record.answered);
      return;
    }
    const stream = fault === undefined ? streamOf(step, model, nextId) : brokenStreamOf(fault, model, nextId);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    send(record, stream, response);
  }

  function send(
    record: RecordedRequest,
    { head, tail, closing = '', isCut = false }: Stream,
    response: ServerResponse,
  ) {
    record.answered = head;
    response.write(head);
    const end = (): void => {
      record.answered += closing;
      // The written bytes must leave before the connection breaks.
      if (isCut) response.write('', () => response.destroy());
      else response.end(closing);
    };
    if (tail === undefined) {
      end();
      return;
    }
    let left = tail.times;
    const timer = setInterval(() => {
      left -= 1;
      if (Number.isFinite(tail.times)) record.answered += tail.text;
      response.write(tail.text);
      if (left > 0) return;
      clearInterval(timer);
      end();
    }, slowPaceMs);
    response.on('close', () => clearInterval(timer));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    const path = request.url ?? '';
    if (request.method !== 'POST' || path.split('?')[0] !== '/v1/messages') {
      refuse(response, 404, 'not_found_error');
      return;
    }
    const body = Body.safeParse(JSON.parse(text));
    if (!body.success) {
      refuse(response, 400, 'invalid_request_error');
      return;
    }
    const record: RecordedRequest = {
      path,
      body: body.data,
      ...place(body.data, options.chat === true),
      outcome: 'open',
      answered: '',
    };
    requests.push(record);
    response.on('close', () => {
      if (record.outcome === 'open') record.outcome = response.writableFinished ? 'finished' : 'gone';
      for (const watcher of watchers) watcher();
    });
    for (const watcher of watchers) watcher();
    const step = known.get(record.scenario)?.(record.prompt)[record.step];
    if (step === undefined) refuse(response, 400, `no_step_${record.scenario}_${record.step}`);
    else say(record, step, response);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((thrown: unknown) =>
      response.destroy(thrown instanceof Error ? thrown : undefined),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the model listens on no port');

  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    until: (fits, label) => within(label, watchers, () => requests.find(fits)),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
