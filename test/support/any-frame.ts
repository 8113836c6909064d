// Frames that nobody should send: any bytes, any JSON, and right frames of a protocol with something changed in them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { Frame } from '../../src/core/contract/channel.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { fixturesFolder, hasScenarioFile, scenarioLines, scenarioNames } from './fixtures.ts';

/** Right frames of a protocol, in both directions, as the fixtures have them; none for a protocol without fixtures. */
export function sampleFrames(protocol: string): unknown[] {
  const folder = path.join(fixturesFolder, 'wire', protocol, 'valid');
  const files = existsSync(folder)
    ? readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'))
    : [];
  const lines = scenarioNames.flatMap((name) => (hasScenarioFile(name, protocol) ? scenarioLines(name, protocol) : []));
  return [...files, ...lines].map((text) => JSON.parse(text));
}

/** A place in a JSON value, chosen by numbers. */
function changed(value: unknown, numbers: readonly number[], replacement: unknown): unknown {
  const [first, ...rest] = numbers;
  if (first === undefined || typeof value !== 'object' || value === null) return replacement;
  const keys = Object.keys(value);
  const key = keys[first % Math.max(keys.length, 1)];
  if (key === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((member, at) => (String(at) === key ? changed(member, rest, replacement) : member));
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    name === key ? changed(member, rest, replacement) : member,
  ]);
  return Object.fromEntries(entries);
}

const odd = fc.oneof(
  fc.constantFrom(undefined, null, '', '__proto__', 'constructor', -1, 1.5, [], {}, true),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Frames for a peer of that protocol. */
export function anyFrame(protocol: string): fc.Arbitrary<Frame> {
  const samples = sampleFrames(protocol);
  const bytes = fc.uint8Array({ maxLength: 40 }).map((raw) => Buffer.from(raw));
  const json = fc.json().map((text) => Buffer.from(text));
  const texts = fc.string().map((text) => Buffer.from(text));
  const [sample, ...others] = samples.map((value) => fc.constant(value));
  const known = sample === undefined ? [] : variants(fc.oneof(sample, ...others));
  return fc
    .oneof({ weight: 1, arbitrary: bytes }, { weight: 2, arbitrary: json }, { weight: 1, arbitrary: texts }, ...known)
    .map((buffer) => createFrame(buffer));
}

/** The samples themselves, and with something changed. */
function variants(samples: fc.Arbitrary<unknown>) {
  const mutants = fc
    .tuple(samples, fc.array(fc.nat(20), { maxLength: 5 }), odd)
    .map(([sample, numbers, value]) => Buffer.from(JSON.stringify(changed(sample, numbers, value)) ?? ''));
  const right = samples.map((sample) => Buffer.from(JSON.stringify(sample)));
  return [
    { weight: 6, arbitrary: mutants },
    { weight: 3, arbitrary: right },
  ];
}
