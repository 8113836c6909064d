// Which approvals a session answers itself, for its user has said yes beforehand: to all tools (trust), or to one tool for
// the rest of the session (a remembered yes). Kept in memory, ended with the session. Knows no protocol and no agent.
import type { EventOf } from '../../model/event.ts';

type Asked = EventOf<'approval-request'>;

/** What a session's user has said yes to beforehand. */
export interface StandingApprovals {
  /** Why that tool needs no answer of its user; undefined where it needs one. */
  of(asked: Asked): Asked['standing'];
  trust(isOn: boolean): void;
  /** From now on that tool needs no answer. `full`: so many are kept already that this one is not. */
  remember(asked: Asked): 'kept' | 'known' | 'full';
}

/** Tools that one session keeps a yes for. */
export const mostRemembered = 256;

/** Two servers may have tools of one name. */
const keyOf = ({ name, server = '' }: Asked): string => JSON.stringify([server, name]);

/** Nothing was said yet. */
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
