// Carries out `patchbay translate --explain`: what each frame of a tape became, for a reader or as JSON.
import type { NoteLevel } from '../../core/contract/adapter/action.ts';
import type { Frame } from '../../core/contract/channel.ts';
import { knownFrame } from '../../tape/frame-kind.ts';
import { readBlocks } from '../../transports/block-input.ts';
import { createFrame } from '../../transports/framing/frame.ts';
import { jsonl } from '../../transports/framing/jsonl.ts';
import { tellFailure } from '../program.ts';
import { columnsOf, type Explained, headOf, type Layout } from './explain-columns.ts';
import { type Translation, tapeRow, textOf, translationParts } from './translate-parts.ts';

/** The parsed options. */
export interface ExplainOptions extends Translation {
  readonly json?: boolean;
}

/** Columns on an output that is no terminal. */
const plainColumns = 120;

/** Explains stdin on stdout until stdin ends. */
export async function explain(options: ExplainOptions): Promise<void> {
  const layout: Layout = {
    columns: process.stdout.columns ?? (Number(process.env.COLUMNS) || plainColumns),
    isColoured: process.stdout.isTTY && process.env.NO_COLOR === undefined,
  };
  const explainer = await createExplainer(options);
  const show = (explained: Explained): void => {
    process.stdout.write(options.json === true ? `${JSON.stringify(explained)}\n` : columnsOf(explained, layout));
  };
  process.stdout.on('error', (error) => {
    // A reader like `head` may close early, which is not a failure (docs/threats.md T29).
    if (!('code' in error && error.code === 'EPIPE')) tellFailure('patchbay', error);
    process.exit();
  });
  if (options.json !== true) process.stdout.write(headOf(options, layout));
  let number = 0;
  const decoder = jsonl.decoder(
    {
      frame(frame) {
        number += 1;
        const explained = explainer.frame(frame, number);
        if (explained !== null) show(explained);
      },
      fault: (fault) => process.stderr.write(`patchbay: ${fault.message}\n`),
    },
    { maxFrameBytes: 64 * 1024 * 1024, reusedChunks: true },
  );
  await readBlocks(0, (block) => {
    decoder.push(block);
    return undefined;
  });
  decoder.end();
  const last = explainer.end();
  if (last !== null) show(last);
}

/** Explains one frame after the other. */
export interface Explainer {
  /** Null: a row that holds no frame. */
  frame(frame: Frame, number: number): Explained | null;
  /** What became of a run that the tape leaves open; null: nothing. */
  end(): Explained | null;
}

/** An explainer at the start of a tape. */
export async function createExplainer(what: Translation): Promise<Explainer> {
  let canonical: { type: string }[] = [];
  let frames: { dir: 'in' | 'out'; text: string }[] = [];
  let marks: Explained['marks'][number][] = [];
  let isRequestUnknown = false;
  const parts = await translationParts(what, {
    note(level, text) {
      if (!isRequestUnknown || level !== 'repair') marks.push({ level, text, rule: ruleOf(level, what) });
    },
    appended(event, outs) {
      canonical.push(event);
      frames.push(...outs.map((out) => ({ dir: 'out' as const, text: textOf(out) })));
    },
    asked: (command) => void canonical.push(command),
    settled: (command, outcome) => void canonical.push({ type: `answer ${command.type}`, ...outcome }),
  });

  function taken(dir: Explained['dir'], number: number | null, text: string): Explained {
    const explained = { line: number, dir, frame: text, canonical, frames, marks };
    canonical = [];
    frames = [];
    marks = [];
    return explained;
  }

  return {
    frame(frame, number) {
      const row = tapeRow(frame) ?? { dir: 'out', line: frame.text };
      if (row.dir === 'in') {
        frames.push(...(parts.commands()?.asked(row.line) ?? []));
        return taken('in', number, row.line);
      }
      if (row.dir !== 'out') return null;
      const commands = parts.commands();
      frames.push(...(commands?.answered(row.line) ?? []));
      // An answer is told above: the machine of events knows of no request.
      isRequestUnknown = commands !== null && knownFrame(row.line).isAnswer;
      const outs = parts.events.frame(createFrame(Buffer.from(row.line)));
      isRequestUnknown = false;
      commands?.told(outs.map(textOf));
      return taken('out', number, row.line);
    },
    end() {
      parts.events.end();
      return canonical.length === 0 && marks.length === 0 ? null : taken('out', null, '');
    },
  };
}

/** Where the rule behind a mark is written. */
function ruleOf(level: NoteLevel, { from }: Translation): string {
  switch (level) {
    case 'loss':
      return 'ARCHITECTURE.md rule 3';
    case 'repair':
      return 'ARCHITECTURE.md rule 5';
    case 'violation':
      return `docs/protocols/${from}.md`;
    case 'internal':
      return 'docs/faults.md';
    default:
      throw level satisfies never;
  }
}
