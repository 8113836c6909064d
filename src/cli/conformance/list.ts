// Prints the list for `patchbay conformance --list`.

import { chooserOfAny } from '../../conformance/check/pattern.ts';
import { type CheckSet, descriptionsOf } from '../../conformance/check/sets.ts';
import { sets } from '../../conformance/index.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { ConformanceOptions } from './options.ts';

/** The checks of one protocol or of all, one per line or as JSON. Throws `not-found` for an unknown protocol. */
export function checkList(protocol: string | undefined, { only, json }: ConformanceOptions): string {
  const chooses = chooserOfAny(only);
  const wanted = sets.filter((set) => protocol === undefined || set.protocol === protocol);
  if (wanted.length === 0) {
    const known = [...new Set(sets.map((set) => set.protocol))].join(', ');
    throw new GatewayError('not-found', `no checks for ${JSON.stringify(protocol)}; known protocols: ${known}`);
  }
  const listed = wanted.map((set) => ({ set, checks: descriptionsOf(set).filter(({ id }) => chooses(id)) }));
  if (json !== undefined) return `${JSON.stringify(listed.map(asJson), null, 2)}\n`;
  return listed.map(asText).join('\n');
}

interface Listed {
  readonly set: CheckSet;
  readonly checks: ReturnType<typeof descriptionsOf>;
}

function asJson({ set: { protocol, side, version, measuredOn }, checks }: Listed) {
  return {
    protocol,
    side,
    version,
    ...(measuredOn === undefined ? {} : { measuredOn }),
    checks: checks.map(({ id, section, level, basis, sentence, covers }) => ({
      id,
      section,
      level,
      basis,
      sentence,
      ...(covers === undefined ? {} : { covers }),
    })),
  };
}

function asText({ set: { protocol, side, version, measuredOn }, checks }: Listed): string {
  const width = Math.max(0, ...checks.map(({ id }) => id.length));
  const lines = checks.map(({ id, level, sentence }) => `  ${id.padEnd(width)}  ${level.padEnd(6)}  ${sentence}`);
  const measured = measuredOn === undefined ? '' : `; what is measured describes ${measuredOn}`;
  return [`${protocol}, ${side}s, version ${version}: ${checks.length} checks${measured}`, ...lines, ''].join('\n');
}
