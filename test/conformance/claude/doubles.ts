// Broken agents of the native dialect: what a correct one says, with one fault.
import type { Double } from '../support/double.ts';
import { says } from './changes.ts';
import { controlDoubles } from './doubles-control.ts';
import { messageDoubles } from './doubles-messages.ts';
import { streamDoubles } from './stream-doubles.ts';

/** One for each check. */
export const doubles: readonly Double[] = [
  ...Object.entries({ ...messageDoubles, ...controlDoubles }).map(
    ([caught, row]): Double => ({ caught: [caught], ...row }),
  ),
  ...streamDoubles(says, {
    'assistant-content': ['result-text'],
    'message-delta-there': ['result-failed'],
  }),
];
