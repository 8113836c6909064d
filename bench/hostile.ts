// Lines that try to make a fast reader see something else than a parser does. Deterministic; knows nothing of the gateway.
import { random } from './workloads.ts';

/** How the lines behind a delta may be broken. */
export interface HostileOptions {
  /** Also damage what a fast reader may skip: the snapshots behind a delta. */
  readonly brokenTails: boolean;
}

/** What a delta may be made of. */
export const fragments = [
  'a',
  ' b',
  'word',
  '',
  '',
  '0',
  'é',
  '漢',
  '🙂',
  '\u2028',
  '\u2029',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u0085',
  '\ufeff',
  '\ud83d',
  '\ude00',
  '"',
  '\\',
  '\\"',
  '/',
  '\n',
  '\r\n',
  '\t',
  '}}',
  '"}}',
  '"}}\n',
  '","partial":{',
  '"},"message":{',
  '","delta":"x',
  '\\u0022',
  '{"type":"message_update"',
  '"assistantMessageEvent":{',
  '{{{{',
  ']]]]',
  '\\\\',
  '"delta":"',
] as const;

const kinds = [
  { name: 'text', field: 'text' },
  { name: 'thinking', field: 'thinking' },
  { name: 'toolcall', field: 'partialJson' },
] as const;

interface Block {
  readonly index: number;
  readonly kind: (typeof kinds)[number];
  said: string;
}

/** How the lines of one stretch look: the same for a while, as with a real agent. */
interface Look {
  /** What surrounds the delta: nothing, the figures, both snapshots, one of them, snapshots first. */
  readonly extras: readonly string[];
  readonly outer: readonly string[];
  readonly inner: readonly string[];
  readonly space: string;
  readonly escape: 'short' | 'unicode' | 'slash';
}

/** As agents write them: today's, that of 0.84.0, the snapshot dialect, the order of its documentation. */
const realLooks = [
  { extras: ['usage'], outer: ['type', 'usage', 'event'] },
  { extras: [], outer: ['type', 'event'] },
  { extras: ['partial', 'message'], outer: ['type', 'event', 'message'] },
  { extras: ['partial', 'message'], outer: ['type', 'message', 'event'] },
] as const;

/** The lines of one conversation with some damage, as bytes with their line ends. */
export function hostileConversation(seed: number, lines: number, options: HostileOptions): Buffer[] {
  const next = random(seed);
  const below = (count: number) => Math.floor(next() * count);
  const pick = <Item>(list: readonly Item[]): Item => list[below(list.length)] as Item;
  const chance = (share: number) => next() < share;
  const shuffled = <Item>(list: readonly Item[]): Item[] =>
    list
      .map((item) => [next(), item] as const)
      .sort((a, b) => a[0] - b[0])
      .map(([, item]) => item);
  const written: Buffer[] = [];
  let blocks: Block[] = [];
  let usage = { input: 10, output: 1, cost: { total: 0.5 } };
  let messageOpen = false;

  const put = (line: string | Buffer) => {
    const end = chance(0.01) ? '\r\n' : chance(0.005) ? '\n\n' : '\n';
    written.push(Buffer.concat([Buffer.from(line), Buffer.from(end)]));
  };
  const object = (value: object) => put(JSON.stringify(value));

  function newLook(): Look {
    if (chance(0.65))
      return { ...pick(realLooks), inner: ['type', 'contentIndex', 'delta', 'partial'], space: '', escape: 'short' };
    const extras = pick([
      [],
      ['usage'],
      ['partial', 'message'],
      ['partial', 'message'],
      ['message'],
      ['partial'],
      ['usage', 'more'],
      ['seen'],
    ]);
    return {
      extras,
      outer: shuffled([
        'type',
        'event',
        ...extras.filter((extra) => extra === 'usage' || extra === 'message' || extra === 'more'),
      ]),
      inner: chance(0.6)
        ? ['type', 'contentIndex', 'delta', 'partial']
        : shuffled(['type', 'contentIndex', 'delta', 'partial', 'seen']),
      space: chance(0.8) ? '' : pick([' ', '\t', '  ']),
      escape: pick(['short', 'short', 'short', 'unicode', 'slash']),
    };
  }

  function text(): string {
    return Array.from({ length: chance(0.95) ? 1 + below(2) : below(8) }, () => pick(fragments)).join('');
  }

  function quoted(value: string, look: Look): string {
    const json = JSON.stringify(value);
    if (look.escape === 'unicode')
      return json.replace(/[aé漢]/gu, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
    return look.escape === 'slash' ? json.replaceAll('/', '\\/') : json;
  }

  function snapshot(): object {
    const content = blocks.map(({ kind, said, index }) =>
      kind.name === 'toolcall'
        ? { type: 'toolCall', id: `call-${index}`, name: 'read', arguments: {}, partialJson: said, index }
        : { type: kind.name, [kind.field]: said, index },
    );
    return {
      role: 'assistant',
      content,
      provider: 'acme',
      model: 'patch-large',
      usage,
      stopReason: 'stop',
      timestamp: 1,
    };
  }

  function deltaLine(look: Look, { index, kind }: Block, delta: string): string {
    const { space } = look;
    const join = (fields: (string | null)[]) =>
      `{${space}${fields.filter((field) => field !== null).join(`,${space}`)}${space}}`;
    const field = (name: string, json: string) => `"${name}":${space}${json}`;
    const event = join(
      look.inner.map((name) => {
        if (name === 'type') return field('type', `"${kind.name}_delta"`);
        if (name === 'contentIndex') return field('contentIndex', String(index));
        if (name === 'delta') return field('delta', quoted(delta, look));
        if (name === 'seen')
          return look.extras.includes('seen') ? field('seen', '{"delta":"no","at":[1,{"x":"}}"}]}') : null;
        return look.extras.includes('partial') ? field('partial', JSON.stringify(snapshot())) : null;
      }),
    );
    return join(
      look.outer.map((name) => {
        if (name === 'type') return field('type', '"message_update"');
        if (name === 'event') return field('assistantMessageEvent', event);
        if (name === 'usage') return field('usage', JSON.stringify(usage));
        return name === 'more' ? field('more', '"delta"') : field('message', JSON.stringify(snapshot()));
      }),
    );
  }

  /** What happens to a line on its way, seldom. */
  function damaged(line: string): string | Buffer {
    const bytes = Buffer.from(line);
    const at = line.indexOf('"delta":') + 8;
    const inHead = () => below(Math.max(1, at + 8));
    const cuts: (() => string | Buffer)[] = [
      () => line.slice(0, below(line.length)),
      () => `${line}${pick(['}', ' ', '  ', 'x', ',', '\u0000', '{"type":"agent_start"}', '"'])}`,
      () => `${pick([' ', 'noise', 'noise{', '\ufeff', '\u001b[0m'])}${line}`,
      () => flipped(bytes, inHead()),
      () =>
        Buffer.concat([
          bytes.subarray(0, at + 2),
          Buffer.from(pick([[0xff], [0xc3], [0xed, 0xa0, 0x80], [0x01], [0x0d]])),
          bytes.subarray(at + 2),
        ]),
      () => line.replace('"delta":"', '"delta":"first","delta":"'),
      () => line.replace('"contentIndex":', `"contentIndex":${pick(['0', '-', '"', '1', '0.0,"x":', '1e0,"x":'])}`),
      () => line.replace('_delta"', pick(['_start"', '_end"', '_more"', '_delta","type":"text_delta"'])),
      () =>
        line.replace(
          '"type":"message_update"',
          pick(['"type":"message_end"', '"type":"other"', '"type":"message_update","type":"turn_start"']),
        ),
      () => line.slice(0, -1) + pick([',"type":"other"}', ',"assistantMessageEvent":{}}', ',"extra":1}', ']']),
    ];
    // Behind the delta a fast reader only looks at the end of the line.
    const tails: (() => string | Buffer)[] = [
      () => flipped(bytes, at + below(Math.max(1, bytes.length - at))),
      () => line.slice(0, at + below(Math.max(1, line.length - at - 40))) + line.slice(-40),
      () =>
        line.replace(
          '"role":"assistant"',
          pick(['"role":assistant', '"role""assistant"', '"role":"assistant",', '"role":"\u0001"']),
        ),
      () =>
        line.replace(
          ',"message":{',
          ',"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"other"},"message":{',
        ),
    ];
    return pick(options.brokenTails ? tails : cuts)();
  }

  /** Damage behind the delta belongs to the broken tails; in front of it anybody must see it. */
  function flipped(bytes: Buffer, at: number): Buffer {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ (1 << below(7));
    return copy;
  }

  function openMessage(): void {
    object({
      type: 'message_start',
      message: { role: 'assistant', content: [], provider: 'acme', model: 'patch-large', usage },
    });
    messageOpen = true;
    blocks = [];
  }

  function openBlock(): Block {
    const block = { index: blocks.length, kind: pick(kinds), said: '' };
    blocks.push(block);
    const named = block.kind.name === 'toolcall' ? { id: `call-${seed}-${written.length}`, toolName: 'read' } : {};
    object({
      type: 'message_update',
      usage,
      assistantMessageEvent: { type: `${block.kind.name}_start`, contentIndex: block.index, ...named },
    });
    return block;
  }

  function endMessage(): void {
    const content = blocks.map(({ kind, said, index }) =>
      kind.name === 'toolcall'
        ? { type: 'toolCall', id: `call-${index}`, name: 'read', arguments: { path: said } }
        : { type: kind.name, [kind.field]: said },
    );
    object({
      type: 'message_end',
      message: { role: 'assistant', content, usage, stopReason: pick(['stop', 'length', 'toolUse']) },
    });
    messageOpen = false;
  }

  /** Something between the deltas. */
  function interrupt(): void {
    const choice = below(7);
    if (choice === 0) usage = { ...usage, output: usage.output + 1 };
    if (choice === 1) object({ type: 'queue_update', steering: [], followUp: [text()] });
    if (choice === 2) put(pick(['noise', 'null', '[]', '42', '"x"', '{}', '{"type":1}', '']));
    if (choice === 3 && messageOpen) endMessage();
    if (choice === 4) object({ type: 'turn_end', message: {}, toolResults: [] });
    if (choice === 5) object({ type: 'turn_start' });
    if (choice === 6) object({ type: 'agent_end', messages: [] });
  }

  object({ type: 'agent_start' });
  object({ type: 'turn_start' });
  let look = newLook();
  while (written.length < lines) {
    if (!messageOpen || blocks.length > 4) openMessage();
    const block =
      blocks.length === 0 || chance(0.06) ? openBlock() : chance(0.95) ? (blocks.at(-1) ?? openBlock()) : pick(blocks);
    for (let left = 1 + below(24); left > 0; left -= 1) {
      const delta = text();
      block.said += delta;
      const line = deltaLine(look, block, delta);
      put(chance(0.08) ? damaged(line) : line);
    }
    if (chance(0.3)) look = newLook();
    if (chance(0.2)) endMessage();
    if (chance(0.1)) interrupt();
  }
  return written;
}
