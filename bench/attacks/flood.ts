// A hostile pi. `flood <n> <blocks>`: so many MiB of text in so many blocks. `junk <n>`: so many messages of no protocol,
// with one in order after each 50, so that their number in a row ends nobody. As fast as its reader takes them.
import { createInterface } from 'node:readline';
import { bytesOf, write } from '../agents/out.ts';
import { closingLines, openingLines } from '../workloads.ts';

const mebibyte = 'x'.repeat(1024 * 1024 - 1);
const junk = '{"type":"message_update","assistantMessageEvent":7}\n';

function update(type: string, contentIndex: number, more: object = {}): string {
  return JSON.stringify({ type: 'message_update', assistantMessageEvent: { type, contentIndex, ...more } });
}

function flood(count: number, blocks: number): void {
  write(bytesOf(openingLines('delta-only')));
  for (let at = 0; at < count; at += 1) {
    const block = Math.floor((at * blocks) / count);
    const isFirst = block !== Math.floor(((at - 1) * blocks) / count);
    if (isFirst && block > 0) write(bytesOf([update('text_end', block - 1), update('text_start', block)]));
    write(bytesOf([update('text_delta', block, { delta: `${mebibyte} ` })]));
  }
  write(bytesOf(closingLines('delta-only', 'done')));
}

function babble(count: number): void {
  write(bytesOf(openingLines('delta-only')));
  const bytes = Buffer.from(junk.repeat(50) + bytesOf([update('text_delta', 0, { delta: '.' })]).toString());
  for (let said = 0; said < count; said += 50) write(bytes);
  write(bytesOf(closingLines('delta-only', 'done')));
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, type, message } = JSON.parse(line);
    const data = type === 'get_state' ? { data: { sessionId: 'flood', isStreaming: false, thinkingLevel: 'off' } } : {};
    write(bytesOf([JSON.stringify({ id, type: 'response', command: type, success: true, ...data })]));
    if (type !== 'prompt') return;
    const [, verb, count, blocks] = /(flood|junk) (\d+) (\d+)/u.exec(message) ?? [];
    if (verb === 'flood') flood(Number(count), Number(blocks));
    else babble(Number(count));
  })
  .on('close', () => process.exit(0));
