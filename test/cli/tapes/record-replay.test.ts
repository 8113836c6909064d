// `patchbay record` and `patchbay replay` as processes: bytes, exits, signals, and tapes of tapes.
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { loadTape } from '../../../src/tape/loaded.ts';
import { bytesOf, readTape, type Tape } from '../../../src/tape/reader.ts';
import { rowText } from '../../../src/tape/row.ts';
import { patchbay } from '../../support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchbay-tapes-'));
let count = 0;
function fresh(): string {
  count += 1;
  return join(folder, `${count}.jsonl`);
}
const read = (file: string) => readTape(readFileSync(file, 'utf8'));

/** Runs a program of these words of JavaScript under `patchbay record`. */
async function recorded(source: string, options: Parameters<typeof patchbay>[1] = {}) {
  const file = fresh();
  const ended = await patchbay(['record', '-o', file, '--', process.execPath, '-e', source], options);
  return { ...ended, file, tape: read(file) };
}

const echo = 'process.stdin.pipe(process.stdout)';

describe('patchbay record', () => {
  it('passes bytes in both directions and keeps them, in a file of the user alone', async () => {
    const input = '{"a":"ä"}\r\nno json\n\n{"open';
    const { code, stdout, stderr, tape, file } = await recorded(echo, { input });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: input, stderr: '' });
    expect(bytesOf(tape, 'in').toString()).toBe(input);
    expect(bytesOf(tape, 'out').toString()).toBe(input);
    expect(tape.exit).toMatchObject({ code: 0, signal: null });
    expect(tape.meta?.argv?.slice(1)).toEqual(['-e', echo]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('passes half a line at once', async () => {
    // The program says half a line and waits; the answer to this half ends it.
    const source = `process.stdout.write('half'); process.on('SIGUSR2', () => {}); setInterval(() => {}, 1000)`;
    const { tape } = await recorded(source, { holdInput: true, killAfter: 'half' });
    expect(bytesOf(tape, 'out').toString()).toBe('half');
    expect(tape.exit).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('ends with the code of the program, after its last words', async () => {
    const { code, stderr, tape } = await recorded(`process.stderr.write('bad\\nluck'); process.exitCode = 7`);
    expect([code, stderr]).toEqual([7, 'bad\nluck']);
    expect(bytesOf(tape, 'err').toString()).toBe('bad\nluck');
    expect(tape.exit).toMatchObject({ code: 7 });
  });

  it('passes a signal on, and the program decides', async () => {
    const source = `process.on('SIGINT', () => process.exit(5)); process.stdout.write('ready'); setInterval(() => {}, 1000)`;
    const { code, tape } = await recorded(source, { holdInput: true, killAfter: 'ready', signal: 'SIGINT' });
    expect([code, tape.exit?.code]).toEqual([5, 5]);
  });

  it('does not overwrite a tape, and says what it cannot start', async () => {
    const file = fresh();
    writeFileSync(file, 'old');
    expect(await patchbay(['record', '-o', file, '--', 'true'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching('exists'),
    });
    expect(readFileSync(file, 'utf8')).toBe('old');
    const missing = await patchbay(['record', '-f', '-o', file, '--', join(folder, 'nothing')]);
    expect(missing).toMatchObject({ code: 127, stderr: expect.stringMatching('could not be started') });
    expect(read(file).exit?.code).toBe(127);
  });
});

/** A recording made by hand: the client prompts, the agent says the lines of a fixture. */
function tapeOf(lines: readonly string[], path: string): string {
  const rows = [
    { dir: 'in' as const, line: '{"id":"r1","type":"prompt","message":"go"}' },
    ...lines.map((line) => ({ dir: 'out' as const, line })),
  ];
  writeFileSync(path, rows.map(rowText).join(''));
  return path;
}

const gist = ({ frames, exit }: Tape) => [
  ...frames.map(({ row: { at: _, ...row } }) => row),
  exit === null ? null : [exit.code, exit.signal],
];

/** Plays a tape to its own client's side, and records both. */
async function playedAgain(file: string): Promise<{ tape: Tape; code: number | null; stderr: string; file: string }> {
  const again = fresh();
  const main = new URL('../../../dist/cli/main.js', import.meta.url).pathname;
  // As the player frames: fixtures of Content-Length hold the bodies alone.
  const input = bytesOf(loadTape(readFileSync(file, 'utf8'), { isByLength: (id) => id === 'eca' }), 'in').toString();
  const agent = [process.execPath, main, 'replay', file, '--speed', 'max'];
  const { code, stderr } = await patchbay(['record', '-o', again, '--', ...agent], { input });
  return { tape: read(again), code, stderr, file: again };
}

describe('record, replay, record', () => {
  const protocols = ['pi', 'pi-legacy', 'pi-server', 'claude', 'eca'];
  const scenarios = ['text', 'unicode', 'tools-parallel'].filter((name) =>
    readdirSync('fixtures/scenarios').includes(name),
  );
  test.each(protocols.flatMap((protocol) => scenarios.map((scenario) => [protocol, scenario] as const)))(
    '%s, %s: the same rows, and again',
    async (protocol, scenario) => {
      const text = readFileSync(join('fixtures/scenarios', scenario, `${protocol}.jsonl`), 'utf8');
      const first = await playedAgain(tapeOf(text.trimEnd().split('\n'), fresh()));
      expect(first.stderr).toBe('');
      expect(first.code).toBe(0);
      expect(bytesOf(first.tape, 'out').toString()).toContain(text.trimEnd().split('\n').at(-1));
      const second = await playedAgain(first.file);
      expect(gist(second.tape)).toEqual(gist(first.tape));
    },
  );
});

describe('patchbay replay', () => {
  const asked = [
    { dir: 'in' as const, line: '{"id":"r1","type":"get_state"}' },
    { dir: 'out' as const, line: '{"id":"r1","type":"response","command":"get_state","success":true,"data":{}}' },
    { dir: 'out' as const, line: '{"type":"agent_start"}' },
  ];
  const tape = () => {
    const file = fresh();
    writeFileSync(file, asked.map(rowText).join(''));
    return file;
  };

  it('answers with the ids of the client, and tells nothing if all was as taped', async () => {
    const ended = await patchbay(['replay', tape()], { input: '{"id":"live-9","type":"get_state"}\n' });
    expect(ended).toEqual({
      code: 0,
      stderr: '',
      stdout:
        '{"id":"live-9","type":"response","command":"get_state","success":true,"data":{}}\n{"type":"agent_start"}\n',
    });
  });

  it('refuses what the tape does not hold, in its protocol, lists what is missing, and has a code for this', async () => {
    const ended = await patchbay(['replay', tape()], { input: '{"id":"a","type":"compact"}\n' });
    expect(ended).toEqual({
      code: 3,
      stdout: '{"id":"a","type":"response","command":"compact","success":false,"error":"the tape holds no compact"}\n',
      stderr: 'patchbay replay: extra: compact\npatchbay replay: line 1: missing: get_state\n',
    });
  });

  it('plays the client to a program', async () => {
    const words = ['replay', tape(), '--as', 'client', '--linger', '0', '--', process.execPath, '-e', echo];
    const ended = await patchbay(words);
    expect(ended).toEqual({
      code: 3,
      stdout: '',
      stderr: ['extra: get_state', 'line 2: missing: response get_state', 'line 3: missing: agent_start']
        .map((line) => `patchbay replay: ${line}\n`)
        .join(''),
    });
  });

  it('names the file and the line that are no tape', async () => {
    const file = fresh();
    writeFileSync(file, '{"dir":"in","line":"1"}\nnothing\n');
    expect(await patchbay(['replay', file])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching('line 2 is no row'),
    });
  });
});
