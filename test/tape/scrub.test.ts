// Scrubbing: what counts as secret, in which forms it is found, and what stays as it was.
import { describe, expect, test } from 'vitest';
import { bytesOf, readTape } from '../../src/tape/reader.ts';
import { scrubTape } from '../../src/tape/scrub.ts';

const secret = 'sk-ant-api03-AbCdEfGh1234567890';
const machine = {
  env: { MY_API_KEY: 'variable-9f8e7d', PATH: '/usr/bin' },
  home: '/home/alice',
  user: 'alice',
  host: 'thinkpad',
};

const rowsOf = (lines: readonly unknown[]) =>
  lines
    .map((line) => JSON.stringify({ dir: 'out', line: typeof line === 'string' ? line : JSON.stringify(line), at: 1 }))
    .join('\n');

function scrubbed(lines: readonly unknown[]) {
  const { text, table, left } = scrubTape(rowsOf(lines), machine);
  expect(left).toBe(0);
  return { lines: readTape(text).frames.map((frame) => frame.text), table, text };
}

test.each([
  ['a token by its shape', { text: `use ${secret} now` }, secret],
  ['a header by its name', { headers: { 'X-Api-Key': 'plain-value-1' } }, 'plain-value-1'],
  ['a bearer token', { Authorization: 'Bearer abcdefgh.ijk' }, 'abcdefgh.ijk'],
  ['a variable of the environment', { text: 'is variable-9f8e7d' }, 'variable-9f8e7d'],
  ['the user in paths', { cwd: '/home/alice/project' }, 'alice'],
  ['the user in a key', { '/home/alice/project': 1 }, 'alice'],
  ['the machine', { text: 'at thinkpad:80' }, 'thinkpad'],
  [
    'JSON inside JSON',
    { arguments: JSON.stringify({ apiKey: 'x"y"zzzzzz', env: 'variable-9f8e7d' }) },
    'variable-9f8e7d',
  ],
  [
    'base64',
    { data: Buffer.from('a variable-9f8e7d b').toString('base64') },
    Buffer.from('ariable-9f8').toString('base64'),
  ],
  ['no JSON', 'Error: variable-9f8e7d', 'variable-9f8e7d'],
])('%s is replaced by as many characters', (_name, frame, gone) => {
  const before = typeof frame === 'string' ? frame : JSON.stringify(frame);
  const { lines } = scrubbed([frame]);
  expect(lines[0]).not.toContain(gone);
  expect(lines[0]).toHaveLength(before.length);
});

test('the same secret has the same placeholder everywhere, and the table does not hold it', () => {
  const { lines, table } = scrubbed([{ text: secret }, { other: `again ${secret}` }]);
  const [placeholder] = table.map((one) => one.placeholder);
  expect(lines).toEqual([JSON.stringify({ text: placeholder }), JSON.stringify({ other: `again ${placeholder}` })]);
  expect(table).toEqual([{ kind: 'token', placeholder: 'token1'.padEnd(secret.length, 'x'), count: 2 }]);
});

describe('a secret that was streamed in pieces', () => {
  const delta = (text: string, contentIndex = 0) => ({
    type: 'message_update',
    assistantMessageEvent: { type: 'text_delta', contentIndex, delta: text },
  });

  test('is replaced in each piece, whatever comes between', () => {
    const { lines } = scrubbed([
      delta('key sk-an'),
      delta('other', 1),
      delta('t-api03-AbCdE'),
      delta('fGh1234567890 end'),
    ]);
    const said = lines.map((line) => JSON.parse(line).assistantMessageEvent.delta);
    expect([said[0], said[2], said[3]].join('')).toBe(`key ${'token1'.padEnd(secret.length, 'x')} end`);
    expect(said.map((one: string) => one.length)).toEqual([9, 5, 13, 17]);
    expect(said[1]).toBe('other');
  });

  test('is replaced in messages that grow', () => {
    const growing = [secret.slice(0, 10), secret.slice(0, 20), secret].map((text) => ({
      type: 'm',
      message: { text: `k ${text}` },
    }));
    for (const line of scrubbed(growing).lines) expect(line).not.toContain('ant-');
  });
});

test('rows without a secret stay byte for byte; bytes that are no text are scrubbed too', () => {
  const odd = '{"dir": "out", "line": "{\\"a\\" : \\"\\u00e4\\"}",   "at":1}';
  const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from('variable-9f8e7d')]);
  const { text } = scrubTape(`${odd}\n${JSON.stringify({ dir: 'out', b64: bytes.toString('base64') })}\n`, machine);
  expect(text.split('\n')[0]).toBe(odd);
  const said = bytesOf(readTape(text), 'out');
  expect(said.includes('variable')).toBe(false);
  expect(said.includes(0xff)).toBe(true);
});

describe('what tool servers are given', () => {
  const servers = {
    type: 'control_request',
    request: {
      subtype: 'mcp_set_servers',
      servers: {
        one: {
          command: 'tool',
          env: { GITHUB_PAT_KEY: 'gh-value "1" ä', LANG: 'en_GB.UTF-8', KEY_FILE: '/etc/key/file' },
        },
        two: {
          url: 'https://bob:pass-word-1@tools.test/mcp',
          headers: { 'X-Team': 'team-value-77', Accept: 'text/html' },
        },
      },
    },
  };
  const lists = {
    toolServers: [
      {
        name: 'a',
        env: [
          { name: 'SLACK_TOKEN', value: 'slack-value-1' },
          { name: 'MODE', value: 'production' },
        ],
      },
      { name: 'b', headers: [{ name: 'X-Org', value: 'Bearer org-value-22' }] },
    ],
  };

  test('headers, variables and passwords in addresses, as objects and as lists; harmless ones stay', () => {
    const { lines } = scrubbed([servers, lists]);
    const text = lines.join('\n');
    for (const gone of ['gh-value', 'team-value-77', 'pass-word-1', 'slack-value-1', 'org-value-22']) {
      expect(text).not.toContain(gone);
    }
    for (const kept of ['en_GB.UTF-8', '/etc/key/file', 'text/html', 'production', 'https://bob:', '@tools.test/mcp']) {
      expect(text).toContain(kept);
    }
  });

  const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { text } });
  const value = servers.request.servers.one.env.GITHUB_PAT_KEY;

  test.each([
    ['in pieces', [delta(`it is ${value.slice(0, 5)}`), delta(value.slice(5))]],
    ['escaped', [{ text: JSON.stringify({ text: value }) }]],
    ['twice escaped', [{ text: JSON.stringify({ text: JSON.stringify(value) }) }]],
    ['in an address', [{ url: `https://x.test/?q=${encodeURIComponent(value)}` }]],
    ['in base64', [{ data: Buffer.from(`user:${value}`).toString('base64') }]],
    ['in base64 for addresses', [{ data: Buffer.from(`u:${value}`).toString('base64url') }]],
  ])('are found elsewhere: %s', (_name, frames) => {
    const { lines, table } = scrubbed([servers, ...frames]);
    const text = lines.slice(1).join('');
    for (const gone of ['gh-val', 'value', Buffer.from('h-value "').toString('base64').slice(0, 8)]) {
      expect(text).not.toContain(gone);
    }
    expect(table.find(({ kind, count }) => kind === 'key' && count >= 2)).toBeDefined();
  });
});
