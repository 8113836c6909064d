// The tool calls of a session, from announcement to result: one `tool_call` each, changes of it, and an end
// (docs/protocols/acp.md 4.35 to 4.42).
import type { Content, Dictionary } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { NewestMap } from '../../../core/model/newest.ts';
import { acpExtraIn, contentItems, diffItems, kindByName, locationsOf, metaOf, titleOf } from './encode-values.ts';

type Shown = Partial<Pick<EventOf<'tool-start'>, 'title' | 'kind' | 'locations' | 'change' | 'extra'>>;

/** A call in a message of the past. */
type PastCall = Extract<Content, { type: 'tool-call' }>;

interface WireCall {
  readonly id: string;
  readonly name: string;
  shown: Shown;
  input: Dictionary;
  /** UTF-16 units of the output that were sent last. */
  said: number;
}

/** The calls of one session. */
export interface CallWriter {
  /** The model begins to write a call. */
  announce(call: string, name: string, shown?: Shown): void;
  /** The arguments are complete. */
  written(call: string, input: Dictionary): void;
  start(event: EventOf<'tool-start'>): void;
  /** `whole`: all output so far. */
  update(event: EventOf<'tool-update'>, whole: readonly Content[]): void;
  end(event: EventOf<'tool-end'>): void;
  /** A call of the past, with its result to come. */
  past(call: PastCall): void;
  /** The result of a call of the past. */
  pastResult(call: string, result: EventOf<'message-added'>): void;
  /** The call in a question; announces a call that nobody knows. */
  asked(event: EventOf<'approval-request'>): object;
  /** The question is answered: ends a call that only the question knows. */
  answered(event: EventOf<'approval-end'>): void;
  /** A call that stands for a dialog. */
  dialog(id: string, title: string): object;
  /** Ends all calls: no result follows (docs/protocols/acp.md 4.42). */
  closeAll(): void;
}

/** Calls whose ids are remembered, so that a repeated id names another call. */
const memory = 1024;
const useSuffix = /#\d+$/u;
/** An output that grows is sent again when it has grown by this factor: items are replaced whole. */
const growth = 1.25;

/** `say` sends an update. `cwd`: the working folder of the agent, if known. */
export function createCallWriter(say: (update: object) => void, cwd: () => string | undefined): CallWriter {
  const open = new Map<string, WireCall>();
  /** Calls of the past that wait for their result. */
  const past = new NewestMap<string, WireCall>(memory);
  const uses = new NewestMap<string, number>(memory);
  /** Calls that only a question has announced, by the question. */
  const made = new Map<string, string>();

  function newCall(call: string, name: string, shown: Shown = {}, input: Dictionary = {}): WireCall {
    const use = (uses.get(call) ?? 0) + 1;
    uses.set(call, use);
    return { id: use === 1 && !useSuffix.test(call) ? call : `${call}#${use}`, name, shown, input, said: 0 };
  }

  /** The items that are no output: diffs and terminals. */
  function diffsOf(shown: Shown): readonly unknown[] {
    const { content } = acpExtraIn(shown);
    if (Array.isArray(content)) return content.filter((item) => item?.type !== 'content');
    return shown.change === undefined ? [] : diffItems(shown.change, cwd());
  }

  /** What is shown of a call: its own words, and those of an ACP agent as they were. */
  function fieldsOf({ name, shown, input }: WireCall): Dictionary {
    const { title, kind, locations, change } = shown;
    const { rawInput, content, name: saidName, kind: saidKind, _meta } = acpExtraIn(shown);
    const places = locationsOf(locations, change, input, cwd());
    const items = Array.isArray(content) ? content : change === undefined ? [] : diffItems(change, cwd());
    return {
      title: titleOf(name, title, input),
      name: saidName ?? name,
      kind: saidKind ?? kind ?? kindByName(name),
      ...(places.length === 0 ? {} : { locations: places }),
      rawInput: rawInput ?? input,
      ...(items.length === 0 ? {} : { content: items }),
      ...metaOf(_meta),
    };
  }

  /** The items of a result. Those of an ACP agent are as they were; what a terminal has shown is there as a text, too. */
  function resultItems(shown: Shown, contents: readonly Content[]): readonly unknown[] {
    const { content } = acpExtraIn(shown);
    const isShown = Array.isArray(content) && (content.length === 0 || content.some(({ type }) => type !== 'terminal'));
    return isShown ? content : [...diffsOf(shown), ...contentItems(contents)];
  }

  function create(call: WireCall, status: string): void {
    say({ sessionUpdate: 'tool_call', toolCallId: call.id, ...fieldsOf(call), status });
  }

  function change(call: WireCall, fields: object): void {
    say({ sessionUpdate: 'tool_call_update', toolCallId: call.id, ...fields });
  }

  /** What vendors have said of a call: the last of it goes with the next update, the rest before. */
  function metaFor(call: WireCall, { extra }: Pick<Shown, 'extra'>): { _meta?: unknown } {
    const { metas } = acpExtraIn({ extra });
    const all: readonly unknown[] = Array.isArray(metas) ? metas : [];
    for (const _meta of all.slice(0, -1)) change(call, { _meta });
    return metaOf(all.at(-1));
  }

  function fail(key: string, call: WireCall): void {
    open.delete(key);
    change(call, { status: 'failed' });
  }

  function announce(key: string, name: string, shown: Shown = {}, input: Dictionary = {}): WireCall {
    const call = newCall(key, name, shown, input);
    open.set(key, call);
    create(call, 'pending');
    return call;
  }

  return {
    announce(key, name, shown) {
      const former = open.get(key);
      // The model writes a call of the same id: the former one was never run.
      if (former !== undefined) fail(key, former);
      announce(key, name, shown);
    },
    written(key, input) {
      const call = open.get(key);
      if (call === undefined) return;
      call.input = input;
      change(call, fieldsOf(call));
    },
    start({ call: key, name, input, title, kind, locations, change: edited, extra }) {
      const shown = { title, kind, locations, change: edited, extra };
      const known = open.get(key);
      const call = known ?? newCall(key, name, shown, input);
      open.set(key, call);
      call.shown = shown;
      call.input = input;
      if (known === undefined) create(call, 'in_progress');
      else change(call, { ...fieldsOf(call), status: 'in_progress', ...metaFor(call, { extra }) });
    },
    update(event, whole) {
      const call = open.get(event.call);
      if (call === undefined) return;
      const meta = metaFor(call, event);
      let size = 0;
      for (const content of whole) size += content.type === 'text' ? content.text.length : 1;
      const isGrown = event.mode === 'replace' || (size > 0 && size >= call.said * growth);
      if (!isGrown && meta._meta === undefined) return;
      if (isGrown) call.said = size;
      const content = isGrown ? { content: [...diffsOf(call.shown), ...contentItems(whole)] } : {};
      change(call, { ...content, ...meta });
    },
    end(event) {
      const { call: key, name, content, isError, details, title, kind, locations, change: edited, extra } = event;
      const known = open.get(key);
      const call = known ?? newCall(key, name);
      open.delete(key);
      const said = { title, kind, locations, change: edited };
      const told = Object.entries(said).filter(([, value]) => value !== undefined);
      // What only ACP clients show was told with the start.
      call.shown = { ...call.shown, ...Object.fromEntries(told), extra };
      const { title: shownTitle, kind: shownKind, locations: places } = fieldsOf(call);
      const all = resultItems(call.shown, content);
      const late = acpExtraIn({ extra });
      const fields = {
        ...(known !== undefined && title === undefined ? {} : { title: shownTitle }),
        ...(known !== undefined && kind === undefined ? {} : { kind: shownKind }),
        ...(locations === undefined ? {} : { locations: places }),
        ...(late.name === undefined ? {} : { name: late.name }),
        ...(late.rawInput === undefined ? {} : { rawInput: late.rawInput }),
        status: isError ? 'failed' : 'completed',
        ...(all.length === 0 && late.content === undefined ? {} : { content: all }),
        ...(details === undefined ? {} : { rawOutput: details }),
        ...(known === undefined ? {} : metaFor(call, { extra })),
      };
      if (known === undefined) say({ sessionUpdate: 'tool_call', toolCallId: call.id, name, ...fields });
      else change(call, fields);
    },
    past({ id, name, input, extra }) {
      const { title, kind, locations } = acpExtraIn({ extra });
      const call = newCall(id, name, { title, kind, locations, extra } as Shown, input);
      past.set(id, call);
      create(call, 'completed');
    },
    pastResult(key, { content, details, isError, extra }) {
      const call = past.get(key);
      if (call === undefined) return;
      past.delete(key);
      change(call, {
        status: isError === true ? 'failed' : 'completed',
        content: resultItems({ extra }, content),
        ...(details === undefined ? {} : { rawOutput: details }),
      });
    },
    asked(event) {
      const { id, call: key = `question-${id}`, name, input, title, kind, locations, change: edited, extra } = event;
      const shown = { title, kind, locations, change: edited, extra };
      let call = open.get(key);
      if (call === undefined) {
        call = announce(key, name, shown, input);
        made.set(id, key);
      }
      return { toolCallId: call.id, ...fieldsOf({ ...call, shown, input }), status: 'pending' };
    },
    answered({ id, outcome }) {
      const key = made.get(id);
      made.delete(id);
      const call = key === undefined || !key.startsWith('question-') ? undefined : open.get(key);
      if (key === undefined || call === undefined) return;
      open.delete(key);
      change(call, { status: outcome === 'allowed' ? 'completed' : 'failed' });
    },
    dialog: (id, title) => ({
      toolCallId: `question-${id}`,
      title: title === '' ? 'Question' : title,
      kind: 'other',
      status: 'pending',
    }),
    closeAll() {
      for (const [key, call] of [...open]) fail(key, call);
      made.clear();
    },
  };
}
