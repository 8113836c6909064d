// Approvals that a session answers itself because its user has approved beforehand: all tools (trust), or one tool for
// the rest of the session. Kept in memory until the session ends.
import type { EventOf } from '../../model/event.ts';

type Asked = EventOf<'approval-request'>;

/** The standing approvals of one session. */
export interface StandingApprovals {
  /** Why the tool needs no approval; undefined if it needs one. */
  of(asked: Asked): Asked['standing'];
  trust(isOn: boolean): void;
  /** Remembers a tool. `full`: too many tools are remembered, so this one was not. */
  remember(asked: Asked): 'kept' | 'known' | 'full';
}

/** Most tools that one session remembers. */
export const mostRemembered = 256;

/** The server is part of the key, because tools of two servers may have the same name. */
const keyOf = ({ name, server = '' }: Asked): string => JSON.stringify([server, name]);

/** Creates a session's approvals, with none standing. */
export function createStandingApprovals(): StandingApprovals {
  const remembered = new Set<string>();
  let isTrusted = false;

  return {
    of: (asked) => {
      if (isTrusted) return 'trusted';
      return remembered.has(keyOf(asked)) ? 'remembered' : undefined;
    },
    trust(isOn) {
      isTrusted = isOn;
    },
    remember(asked) {
      const key = keyOf(asked);
      if (remembered.has(key)) return 'known';
      if (remembered.size >= mostRemembered) return 'full';
      remembered.add(key);
      return 'kept';
    },
  };
}
