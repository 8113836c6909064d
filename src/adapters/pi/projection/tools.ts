// Tools at work, in pi's order: the result of each follows as a message of its own, told once, whoever tells it
// (docs/protocols/pi.md 9.1, 9.2). Knows no message of the model.
import type { Content, Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { Dialect } from '../frontend/dialect.ts';
import { encodeResult } from '../frontend/encode-message.ts';
import { encodeContents, piFields, present, textOf } from '../encode-values.ts';
import type { Sink } from './run.ts';

/** The tools of one run. */
export interface ToolTeller {
  start(event: EventOf<'tool-start'>): void;
  update(event: EventOf<'tool-update'>): void;
  /** `timestamp` is for the message with its result, should the agent send none. */
  end(event: EventOf<'tool-end'>, timestamp: number): void;
  /** Whether a message with the result of that call is new; it counts as told from now on. */
  claim(call: string): boolean;
  /** Tells the results that no message has told. */
  flush(): void;
  /** The same, unless the agent tells them itself and may just not have come to it. */
  settle(): void;
  /** The agent tells results itself, so they are waited for. */
  trust(): void;
  /** Calls in a message that failed: pi never speaks of them again. */
  drop(calls: readonly string[]): void;
  /** The run is over. */
  clear(): void;
}

interface Running {
  readonly name: string;
  readonly args: unknown;
  output: Content[];
}

/** What the tools of a session need. */
export interface ToolPorts {
  /** Prints a whole message. */
  tell(message: Dictionary): void;
  /** The arguments that the model gave to a call. */
  inputOf(call: string): Dictionary;
}

export function createToolTeller(sink: Sink, dialect: Dialect, ports: ToolPorts): ToolTeller {
  const running = new Map<string, Running>();
  const waiting = new Map<string, Dictionary>();
  const told = new Set<string>();
  const dropped = new Set<string>();
  let trusted = false;

  function flush(): void {
    const messages = [...waiting];
    waiting.clear();
    for (const [call, message] of messages) {
      told.add(call);
      ports.tell(message);
    }
  }

  function settle(): void {
    if (!trusted) flush();
  }

  function start({ call, name, input, extra }: Pick<EventOf<'tool-start'>, 'call' | 'name' | 'input' | 'extra'>): void {
    // One after the other: an agent that runs several at once tells their results when all are done.
    if (running.size === 0) settle();
    const { args = input, ...rest } = piFields(extra);
    running.set(call, { name, args, output: [] });
    told.delete(call);
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
      if (!told.has(call)) waiting.set(call, encodeResult(event, timestamp));
    },
    claim(call) {
      waiting.delete(call);
      if (told.has(call)) return false;
      told.add(call);
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
      told.clear();
      dropped.clear();
    },
  };
}

/** Texts that follow each other are one text: pi tells all output so far as one. */
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
