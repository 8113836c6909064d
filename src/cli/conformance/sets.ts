// Which set of checks is meant on the command line, and which checks of it. Runs nothing.
import { sets } from '../../conformance/index.ts';
import { chooserOfAny } from '../../conformance/check/pattern.ts';
import { type CheckSet, descriptionsOf } from '../../conformance/check/sets.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { ConformanceOptions } from './options.ts';

/** The protocols with the sides that there are checks for. */
export function sidesText(): string {
  const names = [...new Set(sets.map(({ protocol }) => protocol))];
  const sides = (name: string) => sets.filter(({ protocol }) => protocol === name).map(({ side }) => side);
  return names.map((name) => `${name} (${sides(name).join(', ')})`).join(', ');
}

/** Throws `not-found` when it was not found. */
export function setOf<Found extends CheckSet>(
  found: Found | undefined,
  protocol: string,
  side: CheckSet['side'],
): Found {
  if (found !== undefined) return found;
  throw new GatewayError(
    'not-found',
    `no checks for ${side}s of ${JSON.stringify(protocol)}; there are ${sidesText()}`,
  );
}

/** Throws `invalid` when nothing is chosen. */
export function chosen(
  wanted: readonly CheckSet[],
  { only }: ConformanceOptions,
): (check: { readonly id: string }) => boolean {
  const chooses = chooserOfAny(only);
  if (wanted.some((set) => descriptionsOf(set).some(({ id }) => chooses(id)))) return ({ id }) => chooses(id);
  const names = [...new Set(wanted.map(({ protocol, side }) => `${side}s of ${protocol}`))].join(' and ');
  throw new GatewayError('invalid', `no check of ${names} matches ${only.join(', ')}; see --list`);
}
