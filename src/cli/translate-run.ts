// Carries out `patchbay translate`. translate.ts declares the options, and loads this file when the command runs.
import path from 'node:path';
import { loadAdapter } from '../adapters/protocols.ts';
import type { Frame, Out } from '../core/contract/channel.ts';
import { createTranslator, type Translator, type TranslatorPorts } from '../core/link/translator.ts';
import { GatewayError } from '../core/model/errors.ts';
import { createBatch } from '../transports/batch.ts';
import { readBlocks } from '../transports/block-input.ts';
import { createFrame } from '../transports/framing/frame.ts';
import { jsonl } from '../transports/framing/jsonl.ts';
import { tellFailure } from './program.ts';

/** Output text is encoded when it is longer than this, in UTF-16 units. */
const longText = 32 * 1024;

/** The parsed options. */
export interface TranslateOptions {
  readonly from: string;
  readonly to: string;
  readonly losses?: boolean;
  readonly cwd?: string;
  readonly client: Readonly<Record<string, string>>;
  readonly option: Readonly<Record<string, string>>;
}

/** Translates stdin to stdout until stdin ends. */
export async function translate(options: TranslateOptions): Promise<void> {
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
  const translator = await translatorFor(options, {
    note(level, text) {
      if (level === 'loss' || level === 'violation') counts[level].set(text, (counts[level].get(text) ?? 0) + 1);
    },
    stretch(earlier, { bytes }) {
      add(earlier);
      closeText();
      lines.add(bytes);
    },
  });
  const decoder = jsonl.decoder(
    {
      frame: (frame) => add(translateLine(translator, frame)),
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
    add(translator.take());
    return flush();
  });
  decoder.end();
  add(translator.end());
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

async function translatorFor(
  options: TranslateOptions,
  output: Pick<TranslatorPorts, 'note' | 'stretch'>,
): Promise<Translator> {
  let ids = 0;
  // Ids and times are deterministic, so that two translations can be compared.
  const env = { now: () => 0, id: (kind: string) => `${kind}-${++ids}` };
  const backend = (await loadAdapter(options.from, 'agent')).agent?.backend(env, options.option);
  if (backend === undefined) throw new GatewayError('invalid', `${options.from} has no agent side to translate from`);
  const place = path.resolve(options.cwd ?? '.');
  const side = (await loadAdapter(options.to, 'client')).client?.frontend(env, options.client);
  if (side === undefined) throw new GatewayError('invalid', `${options.to} has no client side to translate to`);
  return createTranslator({
    id: 'translation',
    epoch: '000000000000',
    place,
    backend,
    projection: side.projection,
    ...output,
  });
}

/** Translates a raw frame, or the frame inside a row of a trace. */
function translateLine(translator: Translator, frame: Frame): Out[] {
  const row = traceRow(frame);
  if (row === null) return translator.frame(frame);
  return row.dir === 'out' ? translator.frame(createFrame(Buffer.from(row.line))) : [];
}

function traceRow(frame: Frame): { dir: string; line: string } | null {
  try {
    const row: unknown = frame.json;
    if (typeof row !== 'object' || row === null || !('dir' in row) || typeof row.dir !== 'string') return null;
    if ('line' in row && typeof row.line === 'string') return { dir: row.dir, line: row.line };
    if ('msg' in row) return { dir: row.dir, line: JSON.stringify(row.msg) };
    return 'type' in row ? null : { dir: 'note', line: '' };
  } catch {
    return null;
  }
}

/** The total, and with `rows` the count of each kind, most frequent first. */
function report(name: string, counts: ReadonlyMap<string, number>, rows: boolean): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const kinds = rows ? [...counts].sort((a, b) => b[1] - a[1]).map(([text, count]) => `  ${count} × ${text}`) : [];
  return [`${total} ${name}`, ...kinds, ''].join('\n');
}
