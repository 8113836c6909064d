// What comes from the gateways whose clients say something to sessions of this one, as owner-line.ts sends it.
import { z } from 'zod';
import { Posted } from '../../core/log/stored-records.ts';
import { Command } from '../../core/model/command.ts';
import { ownerLineLimits } from './owner-line.ts';

/** The items of a delivery. */
export const LineItems = z
  .array(
    z.union([
      z.object({ command: Command }),
      z.object({ posted: Posted }),
      z.object({ sync: z.literal(true) }),
      z.object({ stream: z.object({ key: z.string(), source: z.unknown() }) }),
    ]),
  )
  .max(ownerLineLimits.items);
