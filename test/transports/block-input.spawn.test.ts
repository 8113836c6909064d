// Reading a descriptor in blocks of one reused buffer: every kind of input, and never ahead of who takes the blocks.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readBlocks } from '../../src/transports/block-input.ts';
import { bundled } from '../support/bundled.ts';

const modules = await bundled('transports/block-input');

const folder = mkdtempSync(join(tmpdir(), 'patchbay-blocks-'));
const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
let names = 0;

function fileWith(content: Uint8Array): number {
  const path = join(folder, `file-${++names}`);
  writeFileSync(path, content);
  return openSync(path, 'r');
}

/** Both ends of a pipe. */
function pipe(): { read: number; write: number } {
  const path = join(folder, `pipe-${++names}`);
  execFileSync('mkfifo', [path]);
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { read, write: openSync(path, 'w') };
}

/** All blocks, copied as they came. */
async function collect(fd: number, size?: number): Promise<Buffer[]> {
  const blocks: Buffer[] = [];
  await readBlocks(fd, (block) => void blocks.push(Buffer.from(block)), size);
  return blocks;
}

describe('a file', () => {
  it.each([
    ['empty', 0, 64, 0],
    ['shorter than a block', 63, 64, 1],
    ['as long as a block', 64, 64, 1],
    ['longer than a block', 65, 64, 2],
    ['of many blocks', 100_000, 1000, 100],
  ])('%s', async (_name, length, size, count) => {
    const blocks = await collect(fileWith(bytes.subarray(0, length)), size);
    expect(Buffer.concat(blocks).equals(bytes.subarray(0, length))).toBe(true);
    expect(blocks).toHaveLength(count);
  });

  it('is read on only when the promise of the last block is kept', async () => {
    const order: string[] = [];
    await readBlocks(
      fileWith(bytes.subarray(0, 3)),
      async (block) => {
        order.push(`take ${block[0]}`);
        await Promise.resolve();
        order.push(`kept ${block[0]}`);
      },
      1,
    );
    expect(order).toEqual(['take 0', 'kept 0', 'take 1', 'kept 1', 'take 2', 'kept 2']);
  });
});

describe('a pipe', () => {
  it('gives what comes as it comes, in the same buffer, until it is closed', async () => {
    const { read, write } = pipe();
    const seen: string[] = [];
    const buffers = new Set<ArrayBufferLike>();
    writeSync(write, 'one');
    await readBlocks(read, (block) => {
      buffers.add(block.buffer);
      seen.push(Buffer.from(block).toString());
      if (seen.length === 1) writeSync(write, 'two');
      else closeSync(write);
    });
    expect([seen, buffers.size]).toEqual([['one', 'two'], 1]);
  });

  it('is left unread while a block is being taken', async () => {
    const { read, write } = pipe();
    const seen: string[] = [];
    let taking = false;
    writeSync(write, 'abcdef');
    await readBlocks(
      read,
      (block) => {
        expect(taking).toBe(false);
        taking = true;
        seen.push(Buffer.from(block).toString());
        if (seen.length === 3) closeSync(write);
        return new Promise((kept) =>
          setImmediate(() =>
            setImmediate(() => {
              // Still the same bytes: nothing was read over them.
              expect(Buffer.from(block).toString()).toBe(seen.at(-1));
              taking = false;
              kept();
            }),
          ),
        );
      },
      2,
    );
    expect(seen).toEqual(['ab', 'cd', 'ef']);
  });

  it('that nobody ever wrote to ends at once', async () => {
    const { read, write } = pipe();
    closeSync(write);
    expect(await collect(read)).toEqual([]);
  });
});

describe('what goes wrong is told', () => {
  const boom = new Error('boom');
  const throws = () => {
    throw boom;
  };
  const rejects = () => Promise.reject(boom);
  const inputs = {
    file: () => fileWith(bytes),
    pipe: () => {
      const { read, write } = pipe();
      writeSync(write, 'x');
      return read;
    },
  };

  it.each([
    ['file', throws],
    ['file', rejects],
    ['pipe', throws],
    ['pipe', rejects],
  ] as const)('by who takes the blocks of a %s', async (input, take) => {
    await expect(readBlocks(inputs[input](), take)).rejects.toBe(boom);
  });

  it('by the descriptor', async () => {
    await expect(collect(openSync(folder, 'r'))).rejects.toThrow(/EISDIR/u);
  });
});

it('a socket, as Node gives its children, is read like a pipe', async () => {
  const module = JSON.stringify(`${modules}/transports/block-input.mjs`);
  const script = `import { readBlocks } from ${module};
    let sum = 0;
    await readBlocks(0, (block) => { for (const byte of block) sum += byte; }, 1000);
    process.stdout.write(String(sum));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  child.stdin.end(bytes);
  await new Promise((closed) => child.on('close', closed));
  expect(Number(text)).toBe(bytes.reduce((sum, byte) => sum + byte, 0));
});
