// Secrets in the places where they hide: each is looked for in the copy in every form.
import { expect, test } from 'vitest';
import { rowText } from '../../src/tape/row.ts';
import { scrubTape } from '../../src/tape/scrub.ts';

const machine = {
  env: { DEPLOY_TOKEN: 'p@ss/w"ord+ü=1', OTHER: 'harmless-value' },
  home: '/Users/alice.b',
  user: 'alice.b',
  host: 'thinkpad',
};

/** The copy of a tape that holds this frame. */
function copyOf(...frames: readonly unknown[]): string {
  const rows = frames.map((frame) =>
    rowText({ dir: 'out', line: typeof frame === 'string' ? frame : JSON.stringify(frame) }),
  );
  const { text, left } = scrubTape(rows.join(''), machine);
  expect(left).toBe(0);
  return text;
}

// Split, so that no scanner takes this file for a leak.
const known: readonly (readonly [string, string])[] = [
  ['Anthropic', `sk-ant-${'api03'}-AbCdEfGhIjKl0123456789`],
  ['OpenAI', `sk-${'proj'}-AbCdEfGhIjKl0123456789`],
  ['GitHub', `ghp_${'AbCdEfGhIjKlMnOpQrSt0123456789AbCdEf'}`],
  ['GitHub, fine-grained', `github_pat_${'11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ'}`],
  ['GitLab', `glpat-${'AbCdEfGhIjKlMnOpQrSt'}`],
  ['Slack', `xoxb-${'123456789012-AbCdEfGhIjKl'}`],
  ['npm', `npm_${'AbCdEfGhIjKlMnOpQrSt0123456789AbCdEf'}`],
  ['Hugging Face', `hf_${'AbCdEfGhIjKlMnOpQrStUvWxYz'}`],
  ['Google', `AIza${'SyA1234567890abcdefghijklmnopqrstuv'}`],
  ['Google, OAuth', `ya29.${'a0AbCdEfGhIjKlMnOpQrSt'}`],
  ['AWS', `AKIA${'ABCDEFGHIJKLMNOP'}`],
  ['Stripe', `sk_live_${'AbCdEfGhIjKlMnOpQrStUvWx'}`],
  ['JSON web token', `eyJ${'hbGciOiJIUzI1NiJ9'}.${'eyJzdWIiOiIxMjM0NSJ9'}.SflKxwRJSMeKKF2QT4`],
  ['private key', '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ\n-----END PRIVATE KEY-----'],
];

const forms: readonly (readonly [string, (secret: string) => unknown])[] = [
  ['as it is', (secret) => ({ text: `use ${secret} now` })],
  ['in a line that is no JSON', (secret) => `warning: ${secret.replaceAll('\n', ' ')}`],
  ['in JSON inside JSON', (secret) => ({ arguments: JSON.stringify({ command: `curl -H ${secret}` }) })],
  ['three times', (secret) => ({ a: JSON.stringify({ b: JSON.stringify({ c: secret }) }) })],
  ['as a key', (secret) => ({ [secret]: 1 })],
  ['in the query of an address', (secret) => ({ url: `https://x.test/?key=${encodeURIComponent(secret)}&b=1` })],
  ['in base64', (secret) => ({ data: Buffer.from(`ab${secret}c`).toString('base64') })],
];

/** What would give the secret away: its middle, in each form. */
const traces = (secret: string) => {
  const middle = secret.slice(8, 24);
  return [middle, encodeURIComponent(middle), Buffer.from(secret).toString('base64').slice(12, 24)];
};

test.each(known.flatMap(([name, secret]) => forms.map(([form, frame]) => ({ name, form, secret, frame }))))(
  'a token of $name, $form',
  ({ secret, frame, form }) => {
    // Escapes and base64 hide the shape: there the tape says the token plainly elsewhere, as it does in practice.
    const plain = form === 'in base64' || form.startsWith('in the query') ? [{ text: secret }] : [];
    const copy = copyOf(...plain, frame(secret));
    for (const trace of traces(secret)) expect(copy).not.toContain(trace);
  },
);

test.each([
  ['base64 alone', { data: Buffer.from(`token=${known[0]?.[1]}`).toString('base64') }, 'c2stYW50'],
  ['a Basic header', { Authorization: `Basic ${Buffer.from('bob:hidden-word').toString('base64')}` }, 'hidden-word'],
  ['an escaped slash', '{"t":"p@ss\\/w\\"ord+\\u00fc=1"}', 'ord+'],
  [
    'escapes of every character',
    `{"t":"${[...'p@ss/w"ord+ü=1'].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`,
    '\\u006f\\u0072',
  ],
  ['an address with a password', { url: 'postgres://bob:hidden-word@db.test/x' }, 'hidden-word'],
  ['an address with a name that is a token', { url: 'https://hidden-word-1234@git.test/x' }, 'hidden-word'],
  ['a key in a query', { url: 'https://x.test/?a=1&api_key=hidden-word&b=2' }, 'hidden-word'],
  ['an access token in a query', { url: 'wss://x.test/ws?access_token=hidden-word' }, 'hidden-word'],
  ['a shell line', { command: 'export API_KEY=hidden-word && run' }, 'hidden-word'],
  ['a command line', { command: 'deploy --token hidden-word --verbose' }, 'hidden-word'],
  ['a header of curl', { command: "curl -H 'X-Api-Key: hidden-word' x" }, 'hidden-word'],
  ['the home folder on a Mac', { cwd: '/Users/alice.b/work' }, 'alice.b'],
  ['the home folder with escapes', { text: 'C:\\Users\\alice.b\\x and /home/alice.b/y' }, 'alice.b'],
  ['the home folder in an address', { uri: 'file:///Users/alice.b/a.ts' }, 'alice.b'],
  ['the home folder as a name', { project: '-Users-alice.b-work' }, 'alice.b'],
])('%s', (_name, frame, gone) => {
  expect(copyOf(frame)).not.toContain(gone);
});

test('what looks alike stays', () => {
  const frame = {
    text: 'tokens: 1234, a keyboard, monkey=banana-split, author: someone, /Users/alice.bennett, max_tokens=100000000',
  };
  expect(copyOf(frame)).toBe(rowText({ dir: 'out', line: JSON.stringify(frame) }));
});

test('a secret that is split over frames of every protocol', () => {
  const [, secret = ''] = known[0] ?? [];
  const [a, b, c] = [secret.slice(0, 5), secret.slice(5, 20), secret.slice(20)];
  const streams: readonly ((text: string) => object)[] = [
    (text) => ({ type: 'message_update', assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: text } }),
    (text) => ({ type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta: { text } } }),
    (text) => ({
      type: 'stream_event',
      event: { type: 'content_block_delta', index: 1, delta: { partial_json: text } },
    }),
    (text) => ({ jsonrpc: '2.0', method: 'chat/contentReceived', params: { content: { type: 'text', text } } }),
    (text) => ({
      ...{ jsonrpc: '2.0', method: 'session/update' },
      params: { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
    }),
  ];
  for (const frame of streams) {
    const copy = copyOf(frame(`k ${a}`), { type: 'between' }, frame(b), frame(`${c} end`));
    for (const piece of [a, b, c]) expect(copy).not.toContain(piece);
  }
});
