// Writes tool calls in pi's order. The result of each call follows once, as a message of its own, from the agent or
// from the gateway (docs/protocols/pi.md 9.1, 9.2).
import type { Content, Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { encodeContents, piFields, present, textOf } from '../encode-values.ts';
import type { Dialect } from '../frontend/dialect.ts';
import { encodeResult } from '../frontend/encode-message.ts';
import type { Sink } from './run.ts';

/** The tools of one run. */
export interface ToolTeller {
  start(event: EventOf<'tool-start'>): void;
  update(event: EventOf<'tool-update'>): void;
  /** Ends a tool. `timestamp` is for the result message, if the agent sends none. */
  end(event: EventOf<'tool-end'>, timestamp: number): void;
  /** Marks the result of the call as sent. Returns false if the result was already sent. */
  claim(call: string): boolean;
  /** Sends the results that no message has carried. */
  flush(): void;
  /** Like `flush`, unless the agent sends result messages itself and they may still come. */
  settle(): void;
  /** From now on, waits for the agent's own result messages instead of writing them. */
  trust(): void;
  /** Drops the calls of a failed message: pi never mentions them again. */
  drop(calls: readonly string[]): void;
  /** Forgets all tools at the end of the run. */
  clear(): void;
}

interface Running {
  readonly name: string;
  readonly args: unknown;
  output: Content[];
}

/** The dependencies of the tools of a session. */
export interface ToolPorts {
  /** Writes a whole message. */
  tell(message: Dictionary): void;
  /** The arguments that the model gave to a call. */
  inputOf(call: string): Dictionary;
}

export function createToolTeller(sink: Sink, dialect: Dialect, ports: ToolPorts): ToolTeller {
  const running = new Map<string, Running>();
  const waiting = new Map<string, Dictionary>();
  const shownCalls = new Set<string>();
  const dropped = new Set<string>();
  let trusted = false;

  function flush(): void {
    const messages = [...waiting];
    waiting.clear();
    for (const [call, message] of messages) {
      shownCalls.add(call);
      ports.tell(message);
    }
  }

  function settle(): void {
    if (!trusted) flush();
  }

  function start({ call, name, input, extra }: Pick<EventOf<'tool-start'>, 'call' | 'name' | 'input' | 'extra'>): void {
    // Calls run one after the other. An agent that runs several at once sends their results when all are done.
    if (running.size === 0) settle();
    const { args = input, ...rest } = piFields(extra);
    running.set(call, { name, args, output: [] });
    shownCalls.delete(call);
    sink.say({ type: 'tool_execution_start', toolCallId: call, toolName: name, args, ...rest });
  }

  return {
    start,
    update(event) {
      const tool = running.get(event.call);
      if (tool === undefined) return;
      if (dialect === 'legacy') return sink.loss('tool-update');
      tool.output = event.mode === 'replace' ? event.content : joined([...tool.output, ...event.content]);
      const { plain, line, ...rest } = piFields(event.extra);
      const content = encodeContents(tool.output);
      sink.say({
        type: 'tool_execution_update',
        toolCallId: event.call,
        toolName: tool.name,
        args: tool.args,
        partialResult: plain === true ? textOf(tool.output) : { content, ...rest },
        ...dictionaryOf(line),
      });
    },
    end(event, timestamp) {
      const { call, name, content, isError, details, durationMs } = event;
      if (!running.has(call)) {
        if (dropped.delete(call)) return;
        start({ call, name, input: ports.inputOf(call), extra: undefined });
      }
      running.delete(call);
      const { result, plain, unsaid, ...rest } = piFields(event.extra);
      const isText = dialect === 'legacy' && (isError || plain === true);
      const whole = present({ content: encodeContents(content), details, ...(isDictionary(result) ? result : {}) });
      sink.say(
        present({
          type: 'tool_execution_end',
          toolCallId: call,
          toolName: name,
          result: isText ? textOf(content) : whole,
          isError,
          ...(dialect === 'legacy' ? {} : { durationMs, ...rest }),
        }),
      );
      if (!shownCalls.has(call)) waiting.set(call, encodeResult(event, timestamp));
    },
    claim(call) {
      waiting.delete(call);
      if (shownCalls.has(call)) return false;
      shownCalls.add(call);
      return true;
    },
    flush,
    settle,
    trust() {
      trusted = true;
    },
    drop(calls) {
      for (const call of calls) dropped.add(call);
    },
    clear() {
      flush();
      running.clear();
      shownCalls.clear();
      dropped.clear();
    },
  };
}

/** Joins adjacent texts into one: pi sends all output so far as one text. */
function joined(contents: readonly Content[]): Content[] {
  const all: Content[] = [];
  for (const content of contents) {
    const last = all.at(-1);
    if (last?.type === 'text' && content.type === 'text')
      all[all.length - 1] = { ...last, text: last.text + content.text };
    else all.push(content);
  }
  return all;
}
