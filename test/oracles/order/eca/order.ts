// The order checker for ECA: what a client receives on one connection; chat.ts checks single chats. The checker judges
// our own output strictly, and shares no code with the product.
import type { ArgumentsReader } from './calls.ts';
import { type Chat, createChat } from './chat.ts';
import type { EcaReport, EcaViolation } from './rules.ts';
import {
  contents,
  Message,
  MessageId,
  notifications,
  problemIn,
  Received,
  RpcError,
  results,
  serverRequests,
  speakers,
} from './shapes.ts';

/** One message of a conversation. */
export interface Said {
  readonly by: 'client' | 'server';
  readonly message: unknown;
}

/** How to read a conversation. */
export interface EcaOrderOptions {
  /** False when a run or a request may be in progress at the end. Default true. */
  readonly complete?: boolean;
  /** The clients that read the arguments of calls. Default both, for an unknown client. */
  readonly readers?: readonly ArgumentsReader[];
}

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Fields whose content belongs to the tool or to the model. */
const opaque: ReadonlySet<string> = new Set(['arguments', 'parameters']);

/** The path of the first null, if any. */
function nullIn(value: unknown, place = ''): string | undefined {
  if (value === null) return place;
  if (typeof value !== 'object') return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = opaque.has(key) ? undefined : nullIn(member, `${place}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A field under any of its spellings: clients write camel case or dashes. */
const member = (params: unknown, ...names: string[]): unknown =>
  isJson(params) ? names.map((name) => params[name]).find((value) => value !== undefined) : undefined;

/** Only the server's messages: rules that need the client's requests do not apply. */
export const heard = (frames: readonly unknown[]): Said[] => frames.map((message) => ({ by: 'server', message }));

interface Asked {
  readonly method: string;
  readonly params: unknown;
  readonly at: number;
  /** The run that a prompt waits for; the prompt is dropped when that run is stopped. */
  readonly waitsFor: number | null;
  isStopped: boolean;
  answers: number;
  answer?: Json;
}

/** Checks a conversation against the strict grammar; an empty list means no violation. */
export function checkEcaOrder(talk: readonly Said[], options: EcaOrderOptions = {}): EcaViolation[] {
  const { complete = true, readers = ['replaces', 'appends'] } = options;
  const violations: EcaViolation[] = [];
  /** A message with a violation is still processed, without further reports, so that one fault counts once. */
  let isMuted = false;
  const report: EcaReport = (rule, at, says) => {
    if (!isMuted) violations.push({ rule, at, says });
  };
  const knowsClient = talk.some(({ by }) => by === 'client');
  const chats = new Map<string, { readonly chat: Chat; readonly at: number }>();
  const asked = new Map<unknown, Asked>();
  const everAsked: Asked[] = [];
  const serverIds = new Set<unknown>();
  /** Chats that the client has named or heard of. */
  const named = new Set<unknown>();
  let capabilities: unknown;
  let isListening = !knowsClient;

  function chatOf(id: string, at: number): Chat {
    const known = chats.get(id);
    if (known !== undefined) return known.chat;
    const chat = createChat(report, readers);
    chats.set(id, { chat, at });
    return chat;
  }

  function fromClient(message: unknown, at: number): void {
    if (!isJson(message) || typeof message.method !== 'string') return;
    const { method, params } = message;
    if (method === 'initialize') capabilities ??= member(params, 'capabilities');
    if (method === 'initialized' || method === 'chat/prompt') isListening = true;
    const chatId = member(params, 'chatId', 'chat-id');
    const chat = typeof chatId === 'string' ? chats.get(chatId)?.chat : undefined;
    if (method === 'chat/prompt') chat?.prompted();
    if (method === 'chat/promptStop') {
      const own = everAsked.filter((one) => member(one.params, 'chatId', 'chat-id') === chatId);
      for (const one of own) one.isStopped ||= one.waitsFor !== null && one.waitsFor === chat?.runs;
    }
    const { data: id } = MessageId.safeParse(message.id);
    if (id === undefined) return;
    const request: Asked = { method, params, at, waitsFor: chat?.openRun ?? null, isStopped: false, answers: 0 };
    asked.set(id, request);
    everAsked.push(request);
  }

  function answered(message: Json, at: number): void {
    const has = (key: string) => Object.hasOwn(message, key);
    if (has('result') === has('error')) report('answer', at, 'a result and an error, or neither');
    else if (has('error') && !RpcError.safeParse(message.error).success) report('answer', at, 'no error of JSON-RPC');
    const request = asked.get(message.id);
    if (request === undefined) {
      // A request that could not be parsed has no id to answer.
      if (knowsClient && !(message.id === null && has('error')))
        report('answer-unasked', at, JSON.stringify(message.id));
      return;
    }
    request.answers += 1;
    if (request.answers > 1) return report('answer-twice', at, `${request.method} ${JSON.stringify(message.id)}`);
    request.answer = message;
    if (!has('result')) return;
    const shape = results.get(request.method);
    const { error } = shape?.safeParse(message.result) ?? {};
    if (error !== undefined) report('result', at, `${request.method}: ${problemIn(error)}`);
    if (shape === undefined && !isJson(message.result)) report('result', at, `${request.method}: no object`);
    const chatId = member(request.params, 'chatId', 'chat-id');
    if (request.method === 'chat/delete' && typeof chatId === 'string') chats.get(chatId)?.chat.deleted();
  }

  function checkNulls(message: Json, at: number): void {
    const isShutdown = asked.get(message.id)?.method === 'shutdown' && message.result === null;
    const { id, ...rest } = message;
    const place = isShutdown ? undefined : nullIn(rest);
    if (place !== undefined) report('null', at, place);
  }

  function request(message: Json, method: string, at: number): void {
    if (serverIds.has(message.id) || !MessageId.safeParse(message.id).success) {
      report('request-id', at, JSON.stringify(message.id) ?? 'none');
    }
    serverIds.add(message.id);
    const path = serverRequests.get(method);
    if (path === undefined) return report('method', at, method);
    const isAble = path.reduce<unknown>((value, key) => member(value, key), capabilities) === true;
    if (knowsClient && !isAble) report('request-unable', at, method);
  }

  function notification(message: Json, method: string, at: number): void {
    if (!isListening) report('early', at, method);
    const shape = notifications.get(method);
    if (shape === undefined) return report('method', at, method);
    const { error } = shape.safeParse(message.params);
    if (error !== undefined) return report('shape', at, `${method}: ${problemIn(error)}`);
    const chatId = member(message.params, 'chatId');
    if (typeof chatId !== 'string') return;
    const chat = chatOf(chatId, at);
    // The chat of a sub-agent names its parent.
    if (typeof member(message.params, 'parentChatId') === 'string') named.add(chatId);
    switch (method) {
      case 'chat/contentReceived':
        content(chat, Received.parse(message.params), at, Buffer.byteLength(JSON.stringify(message)));
        break;
      case 'chat/statusChanged':
        chat.status(member(message.params, 'status'), at);
        break;
      case 'chat/opened':
        named.add(chatId);
        break;
      case 'chat/cleared':
        chat.clear();
        break;
      case 'chat/deleted':
        chat.deleted();
        break;
      default:
    }
  }

  function content(chat: Chat, received: Received, at: number, bytes: number): void {
    const { type } = received.content;
    const { error } = contents.get(type)?.safeParse(received.content) ?? {};
    const speaker = speakers.get(type);
    const isSpeaker = speaker === undefined ? type === 'text' : speaker === received.role;
    if (error !== undefined) report('shape', at, `${type}: ${problemIn(error)}`);
    else if (!isSpeaker) report('role', at, `${type} of the ${received.role}`);
    isMuted = error !== undefined || !isSpeaker;
    chat.content(received, at, bytes);
    isMuted = false;
  }

  /** Rules that apply to the end of the conversation. */
  function atTheEnd(): void {
    for (const { chat } of chats.values()) chat.end(talk.length, complete);
    if (!knowsClient || !complete) return;
    for (const { method, params, at, answer, answers, isStopped } of everAsked) {
      if (answers === 0) report('answer-missing', at, method);
      named.add(member(params, 'chatId', 'chat-id'));
      const chatId = member(answer?.result, 'chatId');
      named.add(chatId);
      const isTaken = ['success', 'prompting'].includes(String(member(answer?.result, 'status')));
      if (method !== 'chat/prompt' || !isTaken || typeof chatId !== 'string') continue;
      const chat = chats.get(chatId)?.chat;
      const echoes = chat?.echoes ?? [];
      const echo = echoes.indexOf(`${String(member(params, 'message'))}\n`);
      if (echo >= 0) echoes.splice(echo, 1);
      else if (!isStopped && chat?.wasDeleted !== true) report('echo', at, JSON.stringify(member(params, 'message')));
    }
    for (const [id, { at }] of chats) if (!named.has(id)) report('chat', at, id);
  }

  for (const [at, { by, message: raw }] of talk.entries()) {
    if (by === 'client') {
      fromClient(raw, at);
      continue;
    }
    const { data: message } = Message.safeParse(raw);
    const isSaid = typeof message?.method === 'string';
    if (message === undefined || (!isSaid && !Object.hasOwn(message, 'id'))) {
      report('frame', at, JSON.stringify(raw)?.slice(0, 200) ?? 'undefined');
      continue;
    }
    checkNulls(message, at);
    if (typeof message.method !== 'string') answered(message, at);
    else if (Object.hasOwn(message, 'id')) request(message, message.method, at);
    else notification(message, message.method, at);
  }
  atTheEnd();
  return violations;
}

/** The violations as lines for a test's message. */
export function describeEcaViolations(violations: readonly EcaViolation[], talk: readonly Said[]): string[] {
  return violations.map(
    ({ rule, at, says }) => `${rule} at ${at}: ${says} | ${JSON.stringify(talk[at]?.message)?.slice(0, 240)}`,
  );
}
