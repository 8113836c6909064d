// The blocks of one message of the model as chat contents: texts, thoughts, and tool calls while the model writes them
// (docs/protocols/eca.md 8.3).
import type { FrameMould } from '../../../core/fast-path/stretch-writer.ts';
import type { Burst } from '../../../core/model/burst.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryIn } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { jsonEqual } from '../../../core/model/json-equal.ts';
import { ecaExtraIn, withExtra } from '../frontend/encode-values.ts';
import { tookMs } from './encode-call.ts';
import type { TextFrames } from './encode-frame.ts';
import { type ModelWriter, thoughtFrames, type WholePorts, writeWhole } from './whole-content.ts';

/** The dependencies of a message. */
export interface BlockPorts extends WholePorts {
  readonly writer: ModelWriter;
  /** See Dialect. */
  readonly streamsArguments: boolean;
}

/** Writes the blocks of one message. */
export interface BlockWriter {
  start(event: EventOf<'block-start'>, at: number): void;
  delta(index: number, delta: string): void;
  /** The form of the frames of these deltas; null when each delta must be written by itself. */
  mould(burst: Burst): FrameMould | null;
  /** Ends a block. `text`: all text that was streamed for the block. */
  end(event: EventOf<'block-end'>, text: () => string, at: number): void;
}

/** An open block. */
interface Open {
  /** Writes the next pieces. Null: for now, pieces are not sent. */
  frames(): TextFrames | null;
  end(event: EventOf<'block-end'>, text: () => string, at: number): void;
  /** The first half of a surrogate pair, kept back until the second half arrives. Some readers refuse a lone half. */
  held: string;
}

/** The arguments as the model wrote them, if that text parses to the input; else the input as JSON. */
function argumentsText(written: string, input: Dictionary): string {
  const read = dictionaryIn(written);
  return read !== null && jsonEqual(read, input) ? written : JSON.stringify(input);
}

/** Creates the writer of one message. `name` is unique to the message: the ids of its thoughts derive from it. */
export function createBlockWriter(ports: BlockPorts, name: string): BlockWriter {
  const { writer, calls } = ports;
  const open = new Map<number, Open>();

  function openText(): Open {
    return { frames: () => writer.text, end: () => {}, held: '' };
  }

  function openThought(event: EventOf<'block-start'>, startedAt: number): Open {
    const id = `${name}-${event.index}`;
    writer.generating();
    writer.content('assistant', withExtra({ type: 'reasonStarted', id }, ecaExtraIn(event)));
    const frames = thoughtFrames(writer, id);
    return {
      frames: () => frames,
      end(ended, _text, at) {
        const finished = { type: 'reasonFinished', id, ...tookMs(at - startedAt) };
        writer.content('assistant', withExtra(finished, ecaExtraIn(ended)));
      },
      held: '',
    };
  }

  /**
   * The whole arguments as one piece after an empty one. Readers that replace and readers that append agree on the
   * result (docs/protocols/eca.md 3.3).
   */
  function openCall(event: EventOf<'block-start'>, id: string, toolName: string): Open {
    const frames = calls.prepare(id, toolName, writer, ecaExtraIn(event));
    let isStarted = false;
    return {
      frames() {
        // The arguments of a call that already runs were sent with the run.
        if (!ports.streamsArguments || !calls.isWriting(id)) return null;
        isStarted = true;
        return frames.pieces;
      },
      end({ input }, text) {
        // The arguments never became complete: keep what was sent.
        if (input === undefined || !calls.isWriting(id)) return;
        if (!isStarted) writer.model([frames.whole(argumentsText(text(), input))]);
        calls.written(id, input);
      },
      held: '',
    };
  }

  function tell(block: Open, text: string): void {
    const frames = block.frames();
    if (frames !== null) writer.model(frames(text));
  }

  function openBlock(event: EventOf<'block-start'>, at: number): Open | null {
    const { block, index } = event;
    switch (block.kind) {
      case 'text':
        return openText();
      case 'thinking':
        return openThought(event, at);
      case 'tool-call':
        return openCall(event, block.id, block.name);
      case 'whole': {
        const { content } = block;
        writeWhole(content, writer, `${name}-${index}`, ports);
        // The provider ran this call itself, so no other result follows.
        if (content.type === 'tool-call') calls.addResult(content.id, [], false);
        return null;
      }
      default:
        return block satisfies never;
    }
  }

  return {
    start(event, at) {
      const block = openBlock(event, at);
      if (block !== null) open.set(event.index, block);
    },
    delta(index, delta) {
      const block = open.get(index);
      if (block === undefined) return;
      const text = block.held === '' ? delta : block.held + delta;
      const last = text.charCodeAt(text.length - 1);
      const isHalf = last >= 0xd800 && last <= 0xdbff;
      block.held = isHalf ? text.slice(-1) : '';
      const whole = isHalf ? text.slice(0, -1) : text;
      if (whole !== '') tell(block, whole);
    },
    mould(burst) {
      const block = open.get(burst.index);
      return block?.held === '' ? (block.frames()?.mould(burst) ?? null) : null;
    },
    end(event, text, at) {
      const block = open.get(event.index);
      if (block === undefined) return;
      open.delete(event.index);
      if (block.held !== '') tell(block, block.held);
      block.end(event, text, at);
    },
  };
}
