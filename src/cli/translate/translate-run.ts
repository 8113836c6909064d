// Carries out `patchbay translate`. translate.ts declares the options, and loads this file when the command runs.
import type { Frame, Out } from '../../core/contract/channel.ts';
import type { Stretch } from '../../core/contract/stretch.ts';
import type { Translated } from '../../tape/commands-of-tape.ts';
import { rowText } from '../../tape/row.ts';
import { createBatch } from '../../transports/batch.ts';
import { readBlocks } from '../../transports/block-input.ts';
import { createFrame } from '../../transports/framing/frame.ts';
import { jsonl } from '../../transports/framing/jsonl.ts';
import { tellFailure } from '../program.ts';
import { type Translation, type TranslationParts, tapeRow, textOf, translationParts } from './translate-parts.ts';

/** Output text is encoded when it is longer than this, in UTF-16 units. */
const longText = 32 * 1024;

/** The parsed options. */
export interface TranslateOptions extends Translation {
  readonly losses?: boolean;
  readonly tape?: boolean;
}

/** Translates stdin to stdout until stdin ends. */
export async function translate(options: TranslateOptions): Promise<void> {
  const isTape = options.tape === true;
  const counts = { loss: new Map<string, number>(), violation: new Map<string, number>() };
  const lines = createBatch();
  /** Text that is not in the batch yet: joining strings is cheaper than encoding each one. */
  let text = '';
  const closeText = () => {
    lines.add(text);
    text = '';
  };
  const add = (outs: readonly Out[]) => {
    for (const out of outs) {
      if (typeof out === 'string') {
        text += out;
      } else {
        closeText();
        for (const piece of out) lines.add(piece);
      }
      text += '\n';
      if (text.length > longText) closeText();
    }
  };
  const parts = await translationParts(options, {
    note(level, text) {
      if (level === 'loss' || level === 'violation') counts[level].set(text, (counts[level].get(text) ?? 0) + 1);
    },
    // Frames that were made together are not cut into rows.
    ...(isTape
      ? {}
      : {
          stretch(earlier: readonly Out[], { bytes }: Stretch) {
            add(earlier);
            closeText();
            lines.add(bytes);
          },
        }),
  });
  const translator = parts.events;
  const rest = (outs: readonly Out[]) => add(isTape ? outs.map((out) => rowOf('out', textOf(out))) : outs);
  const decoder = jsonl.decoder(
    {
      frame: (frame) => add(translateLine(parts, frame, isTape)),
      recognise: translator.glance,
      takeBurst: translator.takeBurst,
      fault: (fault) => process.stderr.write(`patchbay: ${fault.message}\n`),
    },
    { maxFrameBytes: 64 * 1024 * 1024, reusedChunks: true },
  );
  const flush = () => {
    closeText();
    return writeAll(lines.take());
  };
  process.stdout.on('error', (error) => {
    // A reader like `head` may close early, which is not a failure (docs/threats.md T29). A full disk is a failure.
    if (!('code' in error && error.code === 'EPIPE')) tellFailure('patchbay', error);
    process.exit();
  });
  await readBlocks(0, (block) => {
    decoder.push(block);
    rest(translator.take());
    return flush();
  });
  decoder.end();
  rest(translator.end());
  await flush();
  // Always report violations: the output may look complete in spite of them.
  if (counts.violation.size > 0) {
    process.stderr.write(report('violations', counts.violation, options.losses === true));
  }
  if (options.losses === true) process.stderr.write(report('losses', counts.loss, true));
}

/** Resolves when all chunks are written: they may point into the block that the next read overwrites. */
function writeAll(chunks: readonly Uint8Array[]): Promise<void> | undefined {
  if (chunks.length === 0) return undefined;
  return new Promise((resolve) => {
    process.stdout.cork();
    chunks.forEach((chunk, index) => {
      process.stdout.write(chunk, index === chunks.length - 1 ? () => resolve() : undefined);
    });
    process.stdout.uncork();
  });
}

/** Translates a raw frame, or the frame inside a row of a tape. */
function translateLine(parts: TranslationParts, frame: Frame, isTape: boolean): Out[] {
  const row = tapeRow(frame);
  const told = (outs: readonly Out[]) => (isTape ? outs.map((out) => rowOf('out', textOf(out))) : [...outs]);
  if (row === null) return told(parts.events.frame(frame));
  const commands = parts.commands();
  const said = (rows: readonly Translated[]): Out[] =>
    isTape
      ? rows.map(({ dir, text }) => rowOf(dir, text))
      : rows.filter(({ dir }) => dir === 'out').map(({ text }) => text);
  if (row.dir === 'in') return said(commands?.asked(row.line) ?? []);
  if (row.dir !== 'out') return [];
  // Agents answer a prompt before they begin with it.
  const answers = said(commands?.answered(row.line) ?? []);
  const outs = parts.events.frame(createFrame(Buffer.from(row.line)));
  commands?.told(outs.map(textOf));
  return [...answers, ...told(outs)];
}

function rowOf(dir: Translated['dir'], text: string): string {
  return rowText({ dir, line: text }).slice(0, -1);
}

/** The total, and with `rows` the count of each kind, most frequent first. */
function report(name: string, counts: ReadonlyMap<string, number>, rows: boolean): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const kinds = rows ? [...counts].sort((a, b) => b[1] - a[1]).map(([text, count]) => `  ${count} × ${text}`) : [];
  return [`${total} ${name}`, ...kinds, ''].join('\n');
}
