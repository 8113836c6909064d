// The past of a session that the agent loads: updates before the answer, as whole messages (docs/protocols/acp.md 3.16).
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Content } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { type CallUpdate, Chunk } from '../wire/agent.ts';
import {
  acpExtra,
  arePlain,
  contentOf,
  contentsIn,
  nameOf,
  terminalOutputIn,
  textOfRaw,
  withoutFence,
} from './decode/values.ts';

/** The history of one session, while it is told. */
export interface History {
  /** Reads an update. False: it is no part of the past. */
  take(kind: string, update: unknown, call: CallUpdate | undefined): boolean;
  /** Delivers what was told. */
  finish(): void;
}

interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: Content[];
  readonly id: string | undefined;
}

interface PastCall {
  known: CallUpdate;
  terminal: string;
}

const roles: ReadonlyMap<string, Said['role']> = new Map([
  ['user_message_chunk', 'user'],
  ['agent_message_chunk', 'assistant'],
  ['agent_thought_chunk', 'assistant'],
]);

export function createHistory(out: Outbox): History {
  /** Messages in their order, and ids of calls in the place of their results. */
  const told: (Said | string)[] = [];
  const calls = new Map<string, PastCall>();

  function say(role: Said['role'], part: Content, id: string | undefined): void {
    const last = told.at(-1);
    const isSame = typeof last === 'object' && last.role === role && (last.id === id || id === undefined);
    const into: Said = isSame ? last : { role, content: [], id };
    if (!isSame) told.push(into);
    const before = into.content.at(-1);
    const isMore =
      before !== undefined && (part.type === 'text' || part.type === 'thinking') && before.type === part.type;
    if (isMore) into.content[into.content.length - 1] = { ...before, text: before.text + part.text };
    else into.content.push(part);
  }

  function take(update: CallUpdate): void {
    const { toolCallId } = update;
    const call = calls.get(toolCallId) ?? { known: update, terminal: '' };
    const changes = Object.entries(update).filter(([, value]) => value !== undefined && value !== null);
    const _meta = update._meta ? { ...call.known._meta, ...update._meta } : call.known._meta;
    call.known = { ...call.known, ...Object.fromEntries(changes), _meta };
    call.terminal += terminalOutputIn(update._meta);
    if (calls.has(toolCallId)) return;
    calls.set(toolCallId, call);
    say('assistant', { type: 'tool-call', id: toolCallId, name: nameOf(update), input: {} }, undefined);
    told.push(toolCallId);
  }

  /** The call as it stands at the end of the past. */
  function finished(part: Content): Content {
    const known = part.type === 'tool-call' ? calls.get(part.id)?.known : undefined;
    if (part.type !== 'tool-call' || known === undefined) return part;
    const { rawInput, title, kind, locations, _meta } = known;
    const input = isDictionary(rawInput) ? rawInput : {};
    const said = { title, kind, locations, _meta, rawInput: isDictionary(rawInput) ? undefined : rawInput };
    const told = Object.entries(said).filter(([, value]) => value !== undefined && value !== null);
    return { ...part, input, ...acpExtra(Object.fromEntries(told)) };
  }

  function addResult(id: string): void {
    const call = calls.get(id);
    if (call === undefined) return;
    const { known, terminal } = call;
    const items = known.content ?? [];
    const contents = withoutFence(contentsIn(items), known.rawOutput);
    const text = terminal === '' ? textOfRaw(known.rawOutput) : terminal;
    const content: Content[] = contents.length > 0 ? contents : text === '' ? [] : [{ type: 'text', text }];
    const isError = known.status === 'failed';
    out.deliver({
      type: 'message-added',
      role: 'tool',
      origin: 'replay',
      call: id,
      name: nameOf(known),
      content,
      isError,
      ...(known.rawOutput === undefined ? {} : { details: known.rawOutput }),
      ...acpExtra({ content: arePlain(items, content) ? undefined : items }),
    });
  }

  return {
    take(kind, update, call) {
      if (call !== undefined) {
        take(call);
        return true;
      }
      const role = roles.get(kind);
      if (role === undefined) return false;
      const { data } = Chunk.safeParse(update);
      if (data === undefined) return true;
      const part = contentOf(data.content);
      const isThought = kind === 'agent_thought_chunk' && part.type === 'text';
      if (part.type !== 'text' || part.text !== '') {
        say(role, isThought ? { type: 'thinking', text: part.text } : part, data.messageId ?? undefined);
      }
      return true;
    },
    finish() {
      for (const one of told) {
        if (typeof one === 'string') addResult(one);
        else {
          const content = one.content.map(finished);
          out.deliver({ type: 'message-added', role: one.role, origin: 'replay', content });
        }
      }
    },
  };
}
