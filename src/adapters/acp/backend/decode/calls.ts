// The tool calls of a run, from announcement to result. Agents differ in what they say of a call, and when: the arguments
// are complete when the user is asked or when the call leaves `pending` (docs/protocols/acp.md 4.35 to 4.42).
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Content, Dictionary } from '../../../../core/model/content.ts';
import { isDictionary } from '../../../../core/model/dictionary.ts';
import { NewestSet } from '../../../../core/model/newest.ts';
import type { CallUpdate } from '../../wire/agent.ts';
import type { CallContent } from '../../wire/content.ts';
import type { MessageDecoder } from './message.ts';
import {
  acpExtra,
  arePlain,
  contentsIn,
  kindOf,
  nameOf,
  shownOf,
  terminalOutputIn,
  textOfRaw,
  withoutFence,
} from './values.ts';

/**
 * `announced`: its arguments are to come. `written`: its block is open. `complete`: its arguments are known. `denied`: the
 * user has rejected it. `running`: it was started.
 */
type Stage = 'announced' | 'written' | 'complete' | 'denied' | 'running';

interface Call {
  readonly id: string;
  readonly name: string;
  stage: Stage;
  /** All that is known of it: what an update leaves out stays (docs/protocols/acp.md 4.35). */
  known: CallUpdate;
  /** What vendors have said of it and no client has been told. The pieces of a terminal must not come twice. */
  metas: readonly Dictionary[];
  /** The items that show its output; those from before its start only describe it. */
  output: readonly CallContent[] | null;
  terminal: string;
}

/** The calls of the open run. */
export interface Calls {
  /** Whether a call has no result. */
  readonly owed: boolean;
  /** Reads the creation or a change of a call. False: the call is one of the past. */
  update(fields: CallUpdate): boolean;
  /** The user is asked about the call: creates it if nobody did, and completes its arguments. */
  asked(fields: CallUpdate): AskedCall;
  /** The user has answered. */
  answered(id: string, decision: 'allow' | 'deny'): void;
  /** The model goes on: no result follows of a call that the user has rejected (docs/protocols/acp.md 4.36). */
  modelSpeaks(): void;
  /** The message of a call ends: its arguments are what is known of them. */
  written(id: string): Dictionary;
  /** Ends all calls, because no result will follow. */
  closeAll(isCancelled: boolean): void;
}

/** A call as a question shows it. */
export interface AskedCall {
  readonly name: string;
  readonly input: Dictionary;
  readonly shown: ReturnType<typeof shownOf>;
  /** What only ACP clients show. */
  readonly extra: Dictionary;
}

/** Remembered calls of the past. */
const memory = 256;
/** What vendors say of a call before it starts. */
const mostMetas = 64;
/** UTF-16 units of the output of a terminal that are kept for the result of a call. */
const longestTerminal = 4 * 1024 * 1024;

const words = (text: string): Content[] => (text === '' ? [] : [{ type: 'text', text }]);

/** `ending`: called with the id of a call before its end is told. */
export function createCalls(out: Outbox, messages: MessageDecoder, ending: (id: string) => void): Calls {
  const calls = new Map<string, Call>();
  const past = new NewestSet<string>(memory);

  const inputOf = ({ known: { rawInput } }: Call): Dictionary => (isDictionary(rawInput) ? rawInput : {});

  const closeMessage = () => messages.close({ reason: 'tool-use' });

  function create(fields: CallUpdate): Call {
    const call: Call = {
      id: fields.toolCallId,
      name: nameOf(fields),
      stage: 'announced',
      known: fields,
      metas: [],
      output: null,
      terminal: '',
    };
    calls.set(call.id, call);
    return call;
  }

  function write(call: Call): void {
    if (call.stage !== 'announced') return;
    modelSpeaks();
    call.stage = 'written';
    messages.beginCall(call.id, call.name);
  }

  function complete(call: Call): void {
    write(call);
    if (call.stage !== 'written') return;
    call.stage = 'complete';
    messages.endCall(call.id, inputOf(call));
  }

  function start(call: Call): void {
    complete(call);
    if (call.stage !== 'complete') return;
    closeMessage();
    call.stage = 'running';
    const { id, name, known } = call;
    const input = inputOf(call);
    const content = known.content?.length ? known.content : undefined;
    out.deliver({ type: 'tool-start', ...shownOf(known), call: id, name, input, ...acpExtra(restOf(call, content)) });
  }

  /** What only ACP clients show: the items as they came, arguments that are no object, a name that came late. */
  function restOf(call: Call, content: readonly CallContent[] | undefined): Dictionary {
    const { name, known } = call;
    const { rawInput, kind, name: told } = known;
    return {
      content,
      rawInput: isDictionary(rawInput) || rawInput === null ? undefined : rawInput,
      name: told === name ? undefined : (told ?? undefined),
      kind: kindOf(kind) === kind ? undefined : kind,
      ...metasOf(call),
    };
  }

  function metasOf(call: Call): { metas?: readonly Dictionary[] } {
    const { metas } = call;
    call.metas = [];
    return metas.length === 0 ? {} : { metas };
  }

  /** The result as other clients show it, and the items of which it is not made as they are. */
  function toldEnd(call: Call, content: readonly Content[]) {
    const { content: items } = call.known;
    const isTold = items?.length ? arePlain(items, content) : !items && content.length === 0;
    return { content: [...content], ...acpExtra(restOf(call, isTold ? undefined : (items ?? []))) };
  }

  /** Content blocks, else the terminal, else the raw output (docs/protocols/acp.md 4.41). */
  function resultOf({ output, terminal, known: { rawOutput } }: Call): Content[] {
    const contents = withoutFence(contentsIn(output ?? []), rawOutput);
    if (contents.length > 0) return contents;
    return words(
      terminal === '' && !(output ?? []).some(({ type }) => type === 'diff') ? textOfRaw(rawOutput) : terminal,
    );
  }

  function end(call: Call, isError: boolean): void {
    // A rejected call never runs.
    const isDenied = call.stage === 'denied' && isError;
    if (call.stage === 'denied') closeMessage();
    else start(call);
    ending(call.id);
    calls.delete(call.id);
    past.add(call.id);
    const { id, name, known } = call;
    const details = known.rawOutput === undefined || known.rawOutput === null ? {} : { details: known.rawOutput };
    out.deliver({
      type: 'tool-end',
      ...shownOf(known),
      call: id,
      name,
      isError,
      ...(isDenied ? { skipped: 'denied' as const } : {}),
      ...details,
      ...toldEnd(call, resultOf(call)),
    });
  }

  function merge(call: Call, fields: CallUpdate): void {
    const told = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
    call.known = { ...call.known, ...Object.fromEntries(told) };
    if (fields._meta) call.metas = [...call.metas, fields._meta].slice(-mostMetas);
  }

  function progress(call: Call, { content, _meta }: CallUpdate): void {
    const { status } = call.known;
    const isOver = status === 'completed' || status === 'failed';
    const said = terminalOutputIn(_meta);
    const piece = call.terminal.length < longestTerminal ? said : '';
    call.terminal += piece;
    if (call.stage === 'running' && (piece !== '' || (call.metas.length > 0 && !isOver))) {
      const extra = acpExtra(metasOf(call));
      out.deliver({ type: 'tool-update', call: call.id, mode: 'append', content: words(piece), ...extra });
    }
    if (!content) return;
    if (call.stage !== 'running' && !isOver) return;
    call.output = content;
    const contents = contentsIn(content);
    if (!isOver && contents.length > 0) {
      out.deliver({ type: 'tool-update', call: call.id, mode: 'replace', content: contents });
    }
  }

  function modelSpeaks(): void {
    for (const call of [...calls.values()]) if (call.stage === 'denied') end(call, true);
  }

  return {
    get owed() {
      return calls.size > 0;
    },
    update(fields) {
      const { toolCallId } = fields;
      const known = calls.get(toolCallId);
      if (known === undefined && past.has(toolCallId)) return false;
      const call = known ?? create(fields);
      merge(call, fields);
      const { status, rawInput } = call.known;
      // Empty arguments of a pending call are arguments to come.
      const isToCome = isDictionary(rawInput) && Object.keys(rawInput).length === 0;
      if (!isToCome) write(call);
      if (status === 'in_progress' && call.stage !== 'denied') start(call);
      progress(call, fields);
      if (status === 'completed' || status === 'failed') end(call, status === 'failed');
      return true;
    },
    asked(fields) {
      const call = calls.get(fields.toolCallId) ?? create(fields);
      const { status } = call.known;
      // The question repeats the call as pending, also a call that was started.
      merge(call, { ...fields, status, _meta: undefined });
      complete(call);
      if (!messages.isWriting) closeMessage();
      const { content, rawInput } = call.known;
      return {
        name: call.name,
        input: inputOf(call),
        shown: shownOf(call.known),
        extra: {
          content: content?.length ? content : undefined,
          rawInput: isDictionary(rawInput) ? undefined : (rawInput ?? undefined),
          _meta: fields._meta ?? undefined,
        },
      };
    },
    answered(id, decision) {
      const call = calls.get(id);
      if (call === undefined) return;
      if (decision === 'allow') start(call);
      else if (call.stage === 'complete') call.stage = 'denied';
    },
    modelSpeaks,
    written(id) {
      const call = calls.get(id);
      if (call?.stage === 'written') call.stage = 'complete';
      return call === undefined ? {} : inputOf(call);
    },
    closeAll(isCancelled) {
      const text = isCancelled ? 'interrupted: the run was stopped' : 'interrupted: the agent gave no result';
      for (const call of [...calls.values()]) {
        if (call.stage === 'denied') {
          end(call, true);
          continue;
        }
        complete(call);
        closeMessage();
        calls.delete(call.id);
        past.add(call.id);
        const { id, name, known, stage } = call;
        const result = resultOf(call);
        const content = result.length === 0 ? words(text) : result;
        const skipped = stage === 'running' ? {} : { skipped: 'aborted' as const };
        const told = toldEnd(call, content);
        out.deliver({ type: 'tool-end', ...shownOf(known), call: id, name, isError: true, ...skipped, ...told });
      }
    },
  };
}
