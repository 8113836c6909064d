// As hostile.ts, with the lines of a Claude Code: no part of them goes unseen, so they are damaged anywhere.
// Deterministic; knows nothing of the gateway.
import { fragments } from './hostile.ts';
import { random } from './workloads.ts';

const words = [
  ...fragments,
  '"}},"session_id":"',
  '","uuid":"',
  '{"type":"stream_event"',
  '"text":"',
  '"}}}',
  '","text":"x',
];

const kinds = [
  { type: 'text', delta: 'text_delta', field: 'text', start: { text: '' } },
  { type: 'thinking', delta: 'thinking_delta', field: 'thinking', start: { thinking: '', signature: '' } },
  { type: 'tool_use', delta: 'input_json_delta', field: 'partial_json', start: { name: 'read', input: {} } },
] as const;

interface Block {
  readonly index: number;
  readonly kind: (typeof kinds)[number];
  readonly call: string;
  said: string;
}

/** How the lines of one stretch look: the same for a while, as with a real agent. */
interface Look {
  readonly outer: readonly string[];
  readonly event: readonly string[];
  readonly delta: readonly string[];
  readonly space: string;
  readonly escape: 'short' | 'unicode' | 'slash';
  readonly parent: string | null;
}

/** As agents write them: 2.1.329, without the id of the message, this gateway, RpcMessage. */
const realOrders = [
  ['type', 'event', 'session_id', 'parent_tool_use_id', 'uuid', 'api_message_id'],
  ['type', 'event', 'session_id', 'parent_tool_use_id', 'uuid', 'api_message_id'],
  ['type', 'event', 'session_id', 'parent_tool_use_id', 'uuid'],
  ['type', 'event', 'parent_tool_use_id', 'session_id', 'uuid'],
  ['type', 'uuid', 'session_id', 'event'],
] as const;

/** The lines of one conversation with some damage, as bytes with their line ends. */
export function hostileClaude(seed: number, lines: number): Buffer[] {
  const next = random(seed);
  const below = (count: number) => Math.floor(next() * count);
  const pick = <Item>(list: readonly Item[]): Item => list[below(list.length)] as Item;
  const chance = (share: number) => next() < share;
  const shuffled = <Item>(list: readonly Item[]): Item[] =>
    list
      .map((item) => [next(), item] as const)
      .sort((a, b) => a[0] - b[0])
      .map(([, item]) => item);
  const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join('');
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  const session = uuid();
  const written: Buffer[] = [];
  let blocks: Block[] = [];
  let messages = 0;
  let messageOpen = false;

  const put = (line: string | Buffer) => {
    const end = chance(0.01) ? '\r\n' : chance(0.005) ? '\n\n' : '\n';
    written.push(Buffer.concat([Buffer.from(line), Buffer.from(end)]));
  };
  const frame = (value: object) => put(JSON.stringify({ ...value, session_id: session, uuid: uuid() }));
  const streamed = (event: object) => frame({ type: 'stream_event', event, parent_tool_use_id: null });

  function newLook(): Look {
    const usual = { event: ['type', 'index', 'delta'], delta: ['type', 'text'], space: '', escape: 'short' } as const;
    if (chance(0.7)) return { ...usual, outer: pick(realOrders), parent: chance(0.95) ? null : 'call-of-agent' };
    return {
      outer: shuffled([...pick(realOrders), ...pick([[], ['seen'], ['more', 'seen']])]),
      event: chance(0.6) ? usual.event : shuffled([...usual.event, 'seen']),
      delta: chance(0.6) ? usual.delta : shuffled([...usual.delta, 'seen']),
      space: chance(0.8) ? '' : pick([' ', '\t', '  ']),
      escape: pick(['short', 'short', 'short', 'unicode', 'slash']),
      parent: chance(0.9) ? null : 'call-of-agent',
    };
  }

  const text = () => Array.from({ length: chance(0.95) ? 1 + below(2) : below(8) }, () => pick(words)).join('');

  function quoted(value: string, look: Look): string {
    const json = JSON.stringify(value);
    if (look.escape === 'unicode')
      return json.replace(/[aé漢]/gu, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
    return look.escape === 'slash' ? json.replaceAll('/', '\\/') : json;
  }

  function deltaLine(look: Look, { index, kind }: Block, said: string): string {
    const { space } = look;
    const object = (names: readonly string[], fieldOf: (name: string) => [string, string]) =>
      `{${space}${names
        .map((name) => fieldOf(name).map((part, place) => (place === 0 ? JSON.stringify(part) : part)))
        .map(([name, json]) => `${name}:${space}${json}`)
        .join(`,${space}`)}${space}}`;
    const known = (name: string): [string, string] => [name, '{"text":"no","uuid":[1,{"x":"}}"}]}'];
    const delta = object(look.delta, (name) => {
      if (name === 'type') return [name, `"${kind.delta}"`];
      return name === 'text' ? [kind.field, quoted(said, look)] : known(name);
    });
    const event = object(look.event, (name) => {
      if (name === 'type') return [name, '"content_block_delta"'];
      if (name === 'index') return [name, String(index)];
      return name === 'delta' ? [name, delta] : known(name);
    });
    return object(look.outer, (name) => {
      if (name === 'type') return [name, '"stream_event"'];
      if (name === 'event') return [name, event];
      if (name === 'session_id') return [name, `"${session}"`];
      if (name === 'parent_tool_use_id') return [name, JSON.stringify(look.parent)];
      if (name === 'uuid') return [name, `"${uuid()}"`];
      return name === 'api_message_id' ? [name, `"msg_${messages}"`] : known(name);
    });
  }

  /** What happens to a line on its way, seldom. */
  function damaged(line: string): string | Buffer {
    const bytes = Buffer.from(line);
    const at = below(bytes.length);
    const damages: (() => string | Buffer)[] = [
      () => line.slice(0, below(line.length)),
      () => `${line}${pick(['}', ' ', '  ', 'x', ',', '\u0000', '{"type":"result"}', '"'])}`,
      () => `${pick([' ', 'noise', 'noise{', '\ufeff', '\u001b[0m'])}${line}`,
      () => flipped(bytes, at),
      () => flipped(bytes, at),
      () => spliced(bytes, at, pick([[0xff], [0xc3], [0xed, 0xa0, 0x80], [0x01], [0x0d], [0x22], [0x5c], [0x41]])),
      () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
      () => line.replace('"text":"', '"text":"first","text":"'),
      () =>
        line.replace(
          /"uuid":"([^"]+)"/u,
          pick(['"uuid":"$1","uuid":"other"', '"uuid":null', '"uuid":7', '"uuid":"\\u0041"']),
        ),
      () => line.replace('"index":', `"index":${pick(['0', '-', '"', '1', '0.0,"x":', '1e0,"x":'])}`),
      () => line.replace('_delta"', pick(['_start"', '_stop"', '_more"', '_delta","type":"text_delta"'])),
      () => line.replace('"stream_event"', pick(['"assistant"', '"other"', '"stream_event","type":"system"'])),
      () =>
        line.slice(0, -1) +
        pick([',"type":"other"}', ',"event":{}}', ',"extra":1}', ',"parent_tool_use_id":"x"}', ']']),
    ];
    return pick(damages)();
  }

  function flipped(bytes: Buffer, at: number): Buffer {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ (1 << below(8));
    return copy;
  }

  function spliced(bytes: Buffer, at: number, more: readonly number[]): Buffer {
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(more), bytes.subarray(at)]);
  }

  function openMessage(): void {
    messages += 1;
    const message = { id: `msg_${messages}`, type: 'message', role: 'assistant', model: 'm', content: [], usage: {} };
    streamed({ type: 'message_start', message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } });
    messageOpen = true;
    blocks = [];
  }

  function openBlock(): Block {
    const kind = pick(kinds);
    const block = { index: blocks.length, kind, call: `call-${seed}-${written.length}`, said: '' };
    const id = kind.type === 'tool_use' ? { id: block.call } : {};
    blocks.push(block);
    streamed({
      type: 'content_block_start',
      index: block.index,
      content_block: { type: kind.type, ...kind.start, ...id },
    });
    return block;
  }

  /** The whole block as a frame, then its stop; now and then one of them only. */
  function closeBlock({ index, kind, said, call }: Block): void {
    const whole = kind.type === 'tool_use' ? { id: call, name: 'read', input: { said } } : { [kind.field]: said };
    const message = { id: `msg_${messages}`, type: 'message', role: 'assistant', model: 'm', usage: {} };
    if (chance(0.9))
      frame({
        type: 'assistant',
        message: { ...message, content: [{ type: kind.type, ...whole }] },
        parent_tool_use_id: null,
      });
    if (chance(0.9)) streamed({ type: 'content_block_stop', index });
  }

  function endMessage(): void {
    const delta = { stop_reason: pick(['end_turn', 'tool_use', 'max_tokens', null]), stop_sequence: null };
    if (chance(0.9)) streamed({ type: 'message_delta', delta, usage: { output_tokens: 7 } });
    streamed({ type: 'message_stop' });
    messageOpen = false;
  }

  /** Something between the deltas. */
  function interrupt(): void {
    const choice = below(7);
    if (choice < 2)
      frame({ type: 'system', subtype: 'thinking_tokens', estimated_tokens: 4, estimated_tokens_delta: 2 });
    if (choice === 2) put(pick(['noise', 'null', '[]', '42', '"x"', '{}', '{"type":1}', '', '{"type":"keep_alive"}']));
    if (choice === 3 && messageOpen) endMessage();
    if (choice === 4)
      streamed({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'x' } });
    if (choice === 5) frame({ type: 'system', subtype: 'status', status: 'requesting' });
    if (choice === 6) frame({ type: 'result', subtype: 'success', is_error: false, result: text(), num_turns: 1 });
  }

  frame({
    type: 'system',
    subtype: 'init',
    cwd: '/',
    tools: [],
    mcp_servers: [],
    model: 'm',
    permissionMode: 'default',
  });
  let look = newLook();
  while (written.length < lines) {
    if (!messageOpen || blocks.length > 4) openMessage();
    const last = blocks.at(-1);
    const isNew = last === undefined || chance(0.1);
    if (isNew && last !== undefined) closeBlock(last);
    const block = isNew ? openBlock() : chance(0.95) ? last : pick(blocks);
    for (let left = 1 + below(24); left > 0; left -= 1) {
      const said = text();
      block.said += said;
      const line = deltaLine(look, block, said);
      put(chance(0.05) ? damaged(line) : line);
    }
    if (chance(0.3)) look = newLook();
    if (chance(0.15)) endMessage();
    if (chance(0.1)) interrupt();
  }
  return written;
}
