// An extension for the pi coding agent (`pi -e dist/extensions/pi-approvals.js`): asks before each tool call and blocks
// calls that are not allowed. Runs inside pi 0.54 and later and imports nothing. Shares only the format of questions
// and answers with the gateway (src/adapters/pi/backend/approvals.ts is the other end).

/** pi's event before a tool call. `input` is the object that the tool gets; a change must be made in place. */
export interface ToolCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: Record<string, unknown>;
}

/** Options of a question: `signal` cancels it. */
export interface How {
  readonly signal?: AbortSignal;
}

/** The part of pi's extension context that is used here. */
export interface Context {
  /** False if there is no user to ask (`pi -p`). */
  readonly hasUI: boolean;
  /** The mode of pi; undefined in 0.54. */
  readonly mode?: string;
  /** Aborted with the run; undefined in 0.54. */
  readonly signal?: AbortSignal | undefined;
  readonly ui: {
    /** The chosen option; undefined if the question was cancelled. Clients of RPC mode may answer with any text. */
    select(title: string, options: string[], how: How): Promise<string | undefined>;
    input(title: string, placeholder: string, how: How): Promise<string | undefined>;
  };
}

/** The return value for pi; undefined lets the tool run. */
export type Verdict = { readonly block: true; readonly reason: string } | undefined;

/** The part of pi's extension API that is used here. */
export interface Pi {
  on(event: 'tool_call', handler: (call: ToolCall, context: Context) => Promise<Verdict>): void;
}

/**
 * Registers the gate. `PATCHBAY_ASK=bash,write,edit` asks for these tools only; all others then run without a question.
 */
export default function approvals(pi: Pi): void {
  const gated = toolsIn(process.env.PATCHBAY_ASK);
  pi.on('tool_call', async (call, context) => {
    if (gated !== null && !gated.has(call.toolName)) return undefined;
    if (!context.hasUI) return block('there is nobody to ask');
    const { ui, signal } = context;
    const how = signal === undefined ? {} : { signal };
    const title = `Allow ${call.toolName}?\n${isRpc(context) ? factsOf(call) : shown(call.input)}`;
    const answer = await ui.select(title, Object.values(choices), how);
    if (answer === choices.explain) return block((await ui.input('Why not?', '', how)) ?? '');
    return decide(call, answer);
  });
}

/** The gateway recognises the question by these three options, in this order. */
const choices = { allow: 'Allow', deny: 'Deny', explain: 'Deny and say why' } as const;

function decide({ input }: ToolCall, answer: string | undefined): Verdict {
  switch (answer) {
    case undefined:
      return block('the question was cancelled');
    case choices.allow:
      return undefined;
    case choices.deny:
      return block('');
    default: {
      const reply = objectIn(answer);
      if (reply?.decision === 'deny') return block(typeof reply.reason === 'string' ? reply.reason : '');
      if (reply?.decision !== 'allow') return block('the answer was not understood');
      if (!('input' in reply)) return undefined;
      return isObject(reply.input) ? replace(input, reply.input) : block('the answer was not understood');
    }
  }
}

/** The model reads this in place of a result. */
function block(reason: string): Verdict {
  return { block: true, reason: reason.trim() === '' ? 'Denied by the user.' : `Denied: ${reason}` };
}

/** pi takes a changed input only in place. Uses defineProperty, because an assignment to `__proto__` sets no key. */
function replace(input: Record<string, unknown>, changed: Record<string, unknown>): undefined {
  for (const key of Object.keys(input)) delete input[key];
  for (const [key, value] of Object.entries(changed)) {
    Object.defineProperty(input, key, { value, writable: true, enumerable: true, configurable: true });
  }
}

/**
 * The second line of the question's title in RPC mode: the tool call as JSON, which the gateway parses. A client
 * without the gateway shows the line as text. `approval` is the version of this format.
 */
function factsOf({ toolCallId: call, toolName: name, input }: ToolCall): string {
  return JSON.stringify({ approval: 1, call, name, input });
}

const mostShown = 2_000;

/** The input for users at a terminal, at most 2000 characters, so that the options stay visible. */
function shown(input: Record<string, unknown>): string {
  const text = JSON.stringify(input, null, 2);
  const hidden = text.length - mostShown;
  return hidden > 0 ? `${text.slice(0, mostShown)}\n… ${hidden} characters more, not shown` : text;
}

/** Whether pi runs in RPC mode. pi 0.54 gives no mode, so the command line is checked. */
function isRpc({ mode }: Context): boolean {
  const { argv } = process;
  return mode === undefined ? argv[argv.indexOf('--mode') + 1] === 'rpc' : mode === 'rpc';
}

/** The tools to ask for; null for all. */
function toolsIn(list: string | undefined): ReadonlySet<string> | null {
  const names = (list ?? '').split(',').map((name) => name.trim());
  const known = names.filter((name) => name !== '');
  return known.length === 0 ? null : new Set(known);
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
