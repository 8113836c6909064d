// The tool calls of one chat: how far each has come, and what two readers of its arguments have before them.
import { isDeepStrictEqual } from 'node:util';
import type { EcaReport } from './rules.ts';

/** How clients read `argumentsText`: those of the first era replace what they have, those of today append. */
export type ArgumentsReader = 'replaces' | 'appends';

/** The calls of one chat. */
export interface Calls {
  /** A content that names a call, which has the members of its kind. */
  content(content: Readonly<Record<string, unknown>>, at: number): void;
  /** Whether a call of that id waits for its end. */
  isOpen(id: unknown): boolean;
  /** All that is open should have been ended. */
  settle(at: number): void;
  /** The chat begins again. */
  forget(): void;
}

interface Call {
  readonly at: number;
  readonly head: readonly unknown[];
  readonly texts: Map<ArgumentsReader, string>;
  state: 'prepared' | 'run' | 'running' | 'ended';
  /** Whether the user was asked to let it run. */
  isAsked?: boolean;
}

const isSubAgent = (details: unknown): boolean =>
  typeof details === 'object' && details !== null && 'type' in details && details.type === 'subagent';

const headOf = ({ name, origin, server }: Readonly<Record<string, unknown>>) => [name, origin, server];

/** The value of a JSON text; no text at all is a call without arguments. */
function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An empty book. */
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
          // Some agents ask only when the tool is about to run: the clients read take a second one that asks.
          if (state === 'prepared') run(known, content, at);
          else if (known.isAsked || content.manualApproval !== true || state === 'ended')
            report('call-id', at, `${name}, which is ${state}`);
          if (content.manualApproval === true) known.isAsked = true;
          if (state !== 'ended') known.state = 'run';
          break;
        case 'toolCallRunning':
          // A call that a sub-agent works for runs on with other details (servers say so at each of its steps).
          if (state !== 'run' && !(state === 'running' && isSubAgent(content.details)))
            report('call-order', at, `${name}, which is ${state}`);
          if (state !== 'ended') known.state = 'running';
          break;
        case 'toolCalled':
          if (state === 'ended') report('call-twice', at, name);
          // What failed while it was written has never run (docs/faults.md 1.5).
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
