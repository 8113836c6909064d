// The tool calls of one chat: the state of each, and its arguments as two kinds of readers see them.
import { isDeepStrictEqual } from 'node:util';
import type { EcaReport } from './rules.ts';

/** How clients read `argumentsText`: those of the first era replace the text, newer ones append to it. */
export type ArgumentsReader = 'replaces' | 'appends';

/** The calls of one chat. */
export interface Calls {
  /** Records a content about a call; the content has the fields of its type. */
  content(content: Readonly<Record<string, unknown>>, at: number): void;
  /** Whether the call with that id is open. */
  isOpen(id: unknown): boolean;
  /** Every open call should have ended by now. */
  settle(at: number): void;
  /** The chat begins anew. */
  forget(): void;
}

interface Call {
  readonly at: number;
  readonly head: readonly unknown[];
  readonly texts: Map<ArgumentsReader, string>;
  state: 'prepared' | 'run' | 'running' | 'ended';
  /** Whether the user was asked for approval. */
  isAsked?: boolean;
}

const isSubAgent = (details: unknown): boolean =>
  typeof details === 'object' && details !== null && 'type' in details && details.type === 'subagent';

const headOf = ({ name, origin, server }: Readonly<Record<string, unknown>>) => [name, origin, server];

/** Parses a JSON text; an empty text means no arguments. */
function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Starts without calls. */
export function createCalls(report: EcaReport, readers: readonly ArgumentsReader[]): Calls {
  const calls = new Map<unknown, Call>();

  function prepare(content: Readonly<Record<string, unknown>>, at: number): void {
    const piece = String(content.argumentsText);
    const known = calls.get(content.id);
    if (known === undefined) {
      const texts = new Map(readers.map((reader) => [reader, piece]));
      calls.set(content.id, { at, head: headOf(content), texts, state: 'prepared' });
      return;
    }
    if (known.state !== 'prepared') return report('call-id', at, `${String(content.id)} is prepared again`);
    for (const [reader, text] of known.texts) known.texts.set(reader, reader === 'appends' ? text + piece : piece);
    checkHead(known, content, at);
  }

  function checkHead(known: Call, content: Readonly<Record<string, unknown>>, at: number): void {
    const head = headOf(content);
    if (!isDeepStrictEqual(head, known.head)) {
      report('call-name', at, `${String(content.id)} is ${JSON.stringify(head)}, was ${JSON.stringify(known.head)}`);
    }
  }

  function run(known: Call, content: Readonly<Record<string, unknown>>, at: number): void {
    for (const [reader, text] of known.texts) {
      if (!isDeepStrictEqual(parsed(text), content.arguments)) {
        const says = `who ${reader} has ${text}, the call is run with ${JSON.stringify(content.arguments)}`;
        return report('arguments', at, says);
      }
    }
  }

  return {
    content(content, at) {
      if (content.type === 'toolCallPrepare') return prepare(content, at);
      const name = `${String(content.type)} of ${String(content.id)}`;
      const known = calls.get(content.id);
      if (known === undefined) {
        report('call-unprepared', at, name);
        const texts = new Map<ArgumentsReader, string>();
        const state = content.type === 'toolCallRun' ? 'run' : content.type === 'toolCallRunning' ? 'running' : 'ended';
        calls.set(content.id, { at, head: headOf(content), texts, state });
        return;
      }
      const { state } = known;
      checkHead(known, content, at);
      switch (content.type) {
        case 'toolCallRun':
          // Some agents ask only when the tool is about to run; known clients accept a second `toolCallRun` that asks.
          if (state === 'prepared') run(known, content, at);
          else if (known.isAsked || content.manualApproval !== true || state === 'ended')
            report('call-id', at, `${name}, which is ${state}`);
          if (content.manualApproval === true) known.isAsked = true;
          if (state !== 'ended') known.state = 'run';
          break;
        case 'toolCallRunning':
          // The call of a sub-agent repeats `toolCallRunning` with new details, as servers do at each step.
          if (state !== 'run' && !(state === 'running' && isSubAgent(content.details)))
            report('call-order', at, `${name}, which is ${state}`);
          if (state !== 'ended') known.state = 'running';
          break;
        case 'toolCalled':
          if (state === 'ended') report('call-twice', at, name);
          // A call that failed while it was written never ran (docs/faults.md 1.5).
          else if (state === 'prepared' && content.error !== true)
            report('call-order', at, `${name}, which is ${state}`);
          known.state = 'ended';
          break;
        default:
          if (state === 'ended') report('call-twice', at, name);
          known.state = 'ended';
      }
    },
    isOpen: (id) => calls.has(id) && calls.get(id)?.state !== 'ended',
    settle(at) {
      for (const [id, call] of calls) {
        if (call.state === 'ended') continue;
        report('call-unended', at, `${String(id)} of message ${call.at} is ${call.state}`);
        call.state = 'ended';
      }
    },
    forget: () => calls.clear(),
  };
}
