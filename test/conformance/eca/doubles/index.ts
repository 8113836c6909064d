// ECA servers with one fault each.
import type { Double } from '../../support/double.ts';
import { baseDoubles } from './base.ts';
import { contentDoubles } from './content.ts';
import { orderDoubles } from './order.ts';
import { promptDoubles } from './prompt.ts';
import { requestDoubles } from './requests.ts';

/** All of them. */
export const doubles: readonly Double[] = [
  ...baseDoubles,
  ...promptDoubles,
  ...contentDoubles,
  ...orderDoubles,
  ...requestDoubles,
];
