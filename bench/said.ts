// Reads back what a client was sent, to see that a fast translation is a right one. Never runs while measuring.
import { WrongResult } from './report.ts';

/** What the deltas of a stream said. */
export interface Said {
  readonly deltas: number;
  readonly text: string;
  /** The subtype of each `result`. */
  readonly results: readonly string[];
}

/** Reads frames, one a line. */
export function readClaude(pieces: readonly Uint8Array[]): Said {
  const texts: string[] = [];
  const results: string[] = [];
  for (const line of Buffer.concat(pieces).toString().split('\n')) {
    if (line === '') continue;
    const { type, subtype, event } = JSON.parse(line) as { type: string; subtype?: string; event?: StreamEvent };
    if (type === 'result') results.push(subtype ?? '');
    const { delta } = event ?? {};
    if (type !== 'stream_event' || event?.type !== 'content_block_delta' || delta?.type === 'signature_delta') continue;
    texts.push(delta?.text ?? delta?.thinking ?? delta?.partial_json ?? '');
  }
  return { deltas: texts.length, text: texts.join(''), results };
}

interface StreamEvent {
  readonly type: string;
  readonly delta?: Readonly<Partial<Record<'type' | 'text' | 'thinking' | 'partial_json', string>>>;
}

/** Reads the lines of any dialect of pi. A run that ends is a result. */
export function readPi(pieces: readonly Uint8Array[]): Said {
  return saidInPi(linesIn(pieces).map((line) => JSON.parse(line) as PiLine));
}

/** Reads the frames of a pi-server: pi's lines, each in the event of a session. */
export function readPiServer(pieces: readonly Uint8Array[]): Said {
  const frames = linesIn(pieces).map((line) => JSON.parse(line) as { type: string; event?: PiLine });
  return saidInPi(frames.flatMap(({ event }) => event ?? []));
}

function saidInPi(lines: readonly PiLine[]): Said {
  const texts: string[] = [];
  const results: string[] = [];
  for (const { type, assistantMessageEvent: update } of lines) {
    if (type === 'agent_end') results.push('success');
    if (type === 'message_update' && update?.type.endsWith('_delta') === true) texts.push(update.delta ?? '');
  }
  return { deltas: texts.length, text: texts.join(''), results };
}

/** Reads the messages of an ECA server, one a line. A run that has finished is a result. */
export function readEca(pieces: readonly Uint8Array[]): Said {
  const texts: string[] = [];
  const results: string[] = [];
  for (const line of linesIn(pieces)) {
    const { role, content } = (JSON.parse(line) as { params: EcaParams }).params;
    if (role === 'assistant' && content?.type === 'text') texts.push(content.text ?? '');
    if (content?.type === 'progress' && content.state === 'finished') results.push('success');
  }
  return { deltas: texts.length, text: texts.join(''), results };
}

function linesIn(pieces: readonly Uint8Array[]): string[] {
  return Buffer.concat(pieces)
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

interface PiLine {
  readonly type: string;
  readonly assistantMessageEvent?: Update;
}

interface EcaParams {
  readonly role?: string;
  readonly content?: Readonly<Partial<Record<'type' | 'text' | 'state', string>>>;
}

interface Update {
  readonly type: string;
  readonly delta?: string;
}

/** Throws a WrongResult unless every delta came through, in order and whole, and the runs ended well. */
export function mustSay(said: Said, expected: { deltas: number; text: string; results: number }): void {
  const problems = [
    said.deltas === expected.deltas ? '' : `${said.deltas} deltas instead of ${expected.deltas}`,
    said.text === expected.text ? '' : 'another text than the agent sent',
    said.results.length === expected.results ? '' : `${said.results.length} results instead of ${expected.results}`,
    said.results.every((result) => result === 'success') ? '' : `results ${said.results.join(', ')}`,
  ].filter((problem) => problem !== '');
  if (problems.length > 0) throw new WrongResult(problems.join('; '));
}

/** Throws a WrongResult when a clean workload was complained about. */
export function mustBeQuiet(notes: readonly string[]): void {
  if (notes.length > 0) throw new WrongResult(`${notes.length} notes, first: ${notes[0]}`);
}

/** Throws unless nearly all deltas took the fast path. `slow`: lines that were parsed; `others`: lines that are no delta. */
export function mustBeFast(slow: number, deltas: number, others = 0): void {
  if (slow - others > deltas / 10) throw new WrongResult(`${slow} lines were parsed, of ${deltas} deltas`);
}
