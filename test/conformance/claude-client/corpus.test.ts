// The checks of Claude clients against recordings of real ones: the Agent SDK over stdio, a WebSocket and events, and a
// bridge to editors. The corpus is no part of the project (PATCHBAY_CORPUS is its folder).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeClient } from '../../../src/conformance/claude/client.ts';
import { judgeTrace, readTraceFile } from '../../../src/conformance/trace/trace-file.ts';

const folder = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'claude-sdk', 'sdk-client-0.3.329');
const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.jsonl')) : [];

describe.skipIf(files.length === 0)('recordings of real clients (absent without the corpus)', () => {
  test.each(files)('%s', (file) => {
    const [judged] = judgeTrace([claudeClient], readTraceFile(readFileSync(join(folder, file), 'utf8')));
    const results = judged?.results ?? [];
    expect(results.filter(({ verdict }) => verdict === 'failed').map(({ id, reason }) => `${id}: ${reason}`)).toEqual(
      [],
    );
    // Messages were found in every carrier.
    const heard = new Map(results.map(({ id, verdict }) => [id, verdict]));
    expect(heard.get('claude/client/prompt-shape')).toBe('passed');
    expect(heard.get('claude/client/initialize-first')).toBe('passed');
  });
});
