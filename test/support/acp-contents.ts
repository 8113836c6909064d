// The contents of what an ACP agent says of one session, to compare two connections: words, calls as they stand at the end,
// questions, settings, plans, figures, what vendors add. Ids of the envelope, the cuts between chunks, and whether nothing is said
// as null, as an empty list or not at all do not count.
import { at, isJson, type Json } from './acp-traces.ts';

/** Facts by their names, such as `call c1 title`; values as JSON. */
export type Contents = ReadonlyMap<string, string>;

const callFields = ['title', 'name', 'kind', 'status', 'locations', 'rawInput', 'rawOutput', 'content'];
const speakers: ReadonlyMap<unknown, string> = new Map([
  ['agent_message_chunk', 'text'],
  ['agent_thought_chunk', 'thinking'],
  ['user_message_chunk', 'user'],
  ['notice', 'text'],
]);
const settings = new Set(['config_option_update', 'current_mode_update']);

/** Without what says nothing. */
function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence);
  if (!isJson(value)) return value;
  const said = Object.entries(value).flatMap(([name, inner]) =>
    inner === null || (Array.isArray(inner) && inner.length === 0) ? [] : [[name, essence(inner)] as const],
  );
  return Object.fromEntries(said.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The contents of the messages of one session. */
export function contentsOf(messages: readonly Json[]): Contents {
  const words = new Map<string, string>();
  const calls = new Map<string, Json>();
  const listed = new Map<string, unknown[]>();
  const list = (name: string, value: unknown) => void listed.set(name, [...(listed.get(name) ?? []), value]);
  const vendors = (name: string, { _meta }: Json) => {
    if (isJson(_meta)) for (const [key, value] of Object.entries(_meta)) list(`${name} _meta.${key}`, value);
  };

  function speak(speaker: string, { content, title, description, _meta }: Json): void {
    vendors(speaker, { _meta });
    // A remark is told as a notice; its white space is lost, and its first line may be repeated as the title.
    const said = at(content, 'text') ?? description ?? title;
    if (typeof said !== 'string') return list(`blocks of ${speaker}`, content);
    words.set(speaker, (words.get(speaker) ?? '') + said.replaceAll(/\s/gu, ''));
  }

  function change(fields: Json): void {
    const id = String(fields.toolCallId);
    vendors(`call ${id}`, fields);
    const told = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
    calls.set(id, { ...calls.get(id), ...Object.fromEntries(told) });
  }

  function ask(params: unknown): void {
    const { toolCallId, _meta, status: _, ...fields } = at(params, 'toolCall') as Json;
    change({ toolCallId, ...fields });
    const { title, kind, content, rawInput } = calls.get(String(toolCallId)) ?? {};
    list(`question of ${toolCallId}`, { options: at(params, 'options'), title, kind, content, rawInput, _meta });
  }

  function take(update: Json): void {
    const { sessionUpdate, ...fields } = update;
    const speaker = speakers.get(sessionUpdate);
    if (speaker !== undefined) speak(speaker, fields);
    else if (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update') change(fields);
    else if (sessionUpdate === 'usage_update') {
      const { used, size, cost } = fields;
      list('figures', { used, size });
      vendors('figures', fields);
      // The cost is of the whole session: the last one counts.
      if (cost) listed.set('cost', [cost]);
    } else if (!settings.has(String(sessionUpdate))) {
      const { _meta, ...rest } = fields;
      vendors(String(sessionUpdate), fields);
      if (Object.keys(essence(rest) as Json).length > 0) list(String(sessionUpdate), rest);
    }
  }

  for (const { method, id, params } of messages) {
    const update = at(params, 'update');
    if (method === 'session/request_permission') ask(params);
    else if (method === 'session/update' && isJson(update)) take(update);
    else if (method !== undefined && id === undefined) list(String(method), { ...(params as Json), sessionId: null });
  }

  const facts = new Map<string, string>();
  const fact = (name: string, value: unknown) => {
    const said = essence({ value });
    if (at(said, 'value') !== undefined) facts.set(name, JSON.stringify(at(said, 'value')));
  };
  for (const [speaker, said] of words) fact(speaker, said);
  for (const [id, call] of calls) for (const field of callFields) fact(`call ${id} ${field}`, call[field]);
  for (const [name, values] of listed) fact(name, values);
  return facts;
}

/** The settings that a client was last told: the lists of options and of modes. */
export function settingsOf(answers: readonly unknown[]): Contents {
  const facts = new Map<string, string>();
  for (const answer of answers) {
    for (const name of ['configOptions', 'modes']) {
      const all = at(answer, name);
      const said = isJson(all) ? { ...all, currentModeId: null } : all;
      if (Array.isArray(said) || isJson(said)) facts.set(name, JSON.stringify(essence(said)));
    }
  }
  return facts;
}
