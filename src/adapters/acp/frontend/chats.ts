// The sessions that one connection has open (docs/protocols/acp.md 3.19).
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import type { RpcId } from '../json-rpc.ts';
import type { Target } from './connection.ts';

/** A prompt that is not answered. */
export interface OpenPrompt {
  readonly id: RpcId;
  /** The name by which the prompt can be withdrawn. */
  readonly handle: string;
  /** The client has cancelled it: it is answered so, however its run ends (docs/protocols/acp.md 4.48). */
  isCancelled: boolean;
}

/** What a prompt says, as far as its echo has not come: its texts, and null for each other part. */
export type EchoedPrompt = (string | null)[];

/** A value that the client has set, and what the session said at that time. */
interface Chosen {
  readonly value: string | boolean;
  readonly before: string | boolean | undefined;
}

/** A session of the client. */
export interface Chat {
  readonly id: string;
  readonly target: Target;
  /** Undefined until the subscription is confirmed. */
  view: SessionView | undefined;
  /** What the agent has told to queries. The view has what it tells by itself. */
  info: SessionInfo;
  readonly prompts: Set<OpenPrompt>;
  /** Parts of the client's prompts that it is not told again when they are said (docs/protocols/acp.md 4.34). */
  readonly echoes: Set<EchoedPrompt>;
  /** Settings whose change the agent does not report, by option. */
  readonly chosen: Map<string, Chosen>;
  /** Where the client has said that the session works. */
  readonly cwd: string | undefined;
}

export function newChat(id: string, target: Target, info: SessionInfo, cwd?: string): Chat {
  return { id, target, view: undefined, info, prompts: new Set(), echoes: new Set(), chosen: new Map(), cwd };
}

/** All that is known of the session. */
export function infoOf({ view, info }: Chat): SessionInfo {
  const told = Object.entries(view?.transcript.info ?? {}).filter(([, value]) => value !== undefined);
  return { ...info, ...Object.fromEntries(told) };
}
