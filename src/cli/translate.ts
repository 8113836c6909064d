// `patchbay translate`: a filter from one protocol's agent frames to another's client frames.
import { once } from 'node:events';
import { Command } from 'commander';
import type { Out } from '../core/channel.ts';
import { GatewayError } from '../core/errors.ts';
import { createTranslator, type Translator } from '../core/translator.ts';
import { adapterOf } from '../gateway.ts';
import { bytesOf, createFrame } from '../transports/framing/frame.ts';
import { jsonl } from '../transports/framing/jsonl.ts';
import { collect } from './agent-options.ts';

interface TranslateOptions {
  readonly from: string;
  readonly to: string;
  readonly losses?: boolean;
  readonly client: Readonly<Record<string, string>>;
  readonly option: Readonly<Record<string, string>>;
}

const help = `
One JSON frame a line in and out. A line may also be a row of a trace, {"dir":"in"|"out","line":"…"} or {"dir","msg"}:
rows that go to the agent are passed over.

Examples:
  patchbay translate --from pi --to claude < trace.jsonl
  pi --mode rpc < prompts.jsonl | patchbay translate --from pi --to rpc-message --losses`;

/** The command. */
export function translateCommand(): Command {
  return new Command('translate')
    .description('translate frames of an agent into frames for a client')
    .requiredOption('--from <protocol>', 'protocol of the agent whose frames come in')
    .requiredOption('--to <protocol>', 'protocol of the client that reads what goes out')
    .option('--losses', 'count on stderr what did not cross')
    .option('--client <name=value>', 'an option of the client’s protocol; may be repeated', collect, {})
    .option('--option <name=value>', 'an option of the agent’s adapter; may be repeated', collect, {})
    .addHelpText('after', help)
    .action((options: TranslateOptions) => translate(options));
}

async function translate(options: TranslateOptions): Promise<void> {
  const losses = new Map<string, number>();
  const translator = translatorFor(options, (level, text) => {
    if (level === 'loss') losses.set(text, (losses.get(text) ?? 0) + 1);
  });
  let outs: Out[] = [];
  const decoder = jsonl.decoder(
    {
      frame: (frame) => {
        outs.push(...translateLine(translator, frame.bytes));
      },
      fault: (fault) => process.stderr.write(`patchbay: ${fault.message}\n`),
    },
    { maxFrameBytes: 64 * 1024 * 1024 },
  );
  const flush = async () => {
    const text = outs.map((out) => `${bytesOf(out).toString()}\n`).join('');
    outs = [];
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
  };
  // A reader like `head` may leave early; that is no failure of ours (threat T29).
  process.stdout.on('error', () => process.exit(0));
  for await (const chunk of process.stdin) {
    decoder.push(chunk);
    await flush();
  }
  decoder.end();
  outs.push(...translator.end());
  await flush();
  if (options.losses === true) process.stderr.write(lossReport(losses));
}

function translatorFor(options: TranslateOptions, note: Parameters<typeof createTranslator>[0]['note']): Translator {
  let ids = 0;
  // Ids and times are made up the same way each time, so that a translation can be compared with another.
  const env = { now: () => 0, id: (kind: string) => `${kind}-${++ids}` };
  const backend = adapterOf(options.from).backend?.(env, options.option);
  if (backend === undefined) throw new GatewayError('invalid', `${options.from} has no agent side to translate from`);
  const side = adapterOf(options.to).frontend?.(env, options.client);
  if (side === undefined) throw new GatewayError('invalid', `${options.to} has no client side to translate to`);
  return createTranslator({ id: 'translation', epoch: '000000000000', backend, projection: side.projection, note });
}

/** A raw frame, or the frame inside a row of a trace. */
function translateLine(translator: Translator, bytes: Uint8Array): Out[] {
  const row = traceRow(bytes);
  if (row === null) return translator.frame(createFrame(bytes));
  return row.dir === 'out' ? translator.frame(createFrame(Buffer.from(row.line))) : [];
}

function traceRow(bytes: Uint8Array): { dir: string; line: string } | null {
  try {
    const row: unknown = createFrame(bytes).json;
    if (typeof row !== 'object' || row === null || !('dir' in row) || typeof row.dir !== 'string') return null;
    if ('line' in row && typeof row.line === 'string') return { dir: row.dir, line: row.line };
    if ('msg' in row) return { dir: row.dir, line: JSON.stringify(row.msg) };
    return 'type' in row ? null : { dir: 'note', line: '' };
  } catch {
    return null;
  }
}

function lossReport(losses: ReadonlyMap<string, number>): string {
  const total = [...losses.values()].reduce((sum, count) => sum + count, 0);
  const rows = [...losses].sort((a, b) => b[1] - a[1]).map(([text, count]) => `  ${count} × ${text}`);
  return [`${total} losses`, ...rows, ''].join('\n');
}
