// An extension for the pi coding agent (`pi -e dist/extensions/pi-approvals.js`): asks before each tool runs, and blocks
// what nobody allows. Runs inside pi, 0.54 and later, and stands alone: it imports nothing, and of the gateway it knows
// only how a question reads and what an answer may be (src/adapters/pi/backend/approvals.ts is the other end).

/** What pi tells before a tool runs. Its `input` is the very object that the tool will get: it is changed in place. */
export interface ToolCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: Record<string, unknown>;
}

/** How a question ends without an answer. */
export interface How {
  readonly signal?: AbortSignal;
}

/** The part of pi's extension context that is used here. */
export interface Context {
  /** False where nobody can be asked (`pi -p`). */
  readonly hasUI: boolean;
  /** How pi was started; 0.54 does not say. */
  readonly mode?: string;
  /** Aborted with the run; 0.54 has none. */
  readonly signal?: AbortSignal | undefined;
  readonly ui: {
    /** What was chosen; undefined when the question was cancelled. Clients of RPC mode may answer with any text. */
    select(title: string, options: string[], how: How): Promise<string | undefined>;
    input(title: string, placeholder: string, how: How): Promise<string | undefined>;
  };
}

/** What is returned to pi; nothing lets the tool run. */
export type Verdict = { readonly block: true; readonly reason: string } | undefined;

/** The part of pi's extension API that is used here. */
export interface Pi {
  on(event: 'tool_call', handler: (call: ToolCall, context: Context) => Promise<Verdict>): void;
}

/** Registers the gate. `PATCHBAY_ASK=bash,write,edit` asks for these tools only; all others then run unasked. */
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

/** The gateway recognises the question by these three, in this order. */
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
      const said = objectIn(answer);
      if (said?.decision === 'deny') return block(typeof said.reason === 'string' ? said.reason : '');
      if (said?.decision !== 'allow') return block('the answer was not understood');
      if (!('input' in said)) return undefined;
      return isObject(said.input) ? replace(input, said.input) : block('the answer was not understood');
    }
  }
}

/** The model reads this in place of a result. */
function block(reason: string): Verdict {
  return { block: true, reason: reason.trim() === '' ? 'Denied by the user.' : `Denied: ${reason}` };
}

/** pi takes a changed input only in place. By definition, not by assignment: `__proto__` is a key like any other. */
function replace(input: Record<string, unknown>, changed: Record<string, unknown>): undefined {
  for (const key of Object.keys(input)) delete input[key];
  for (const [key, value] of Object.entries(changed)) {
    Object.defineProperty(input, key, { value, writable: true, enumerable: true, configurable: true });
  }
}

/** For programs, and readable enough for people whose client does not know it. `approval` is the version of this line. */
function factsOf({ toolCallId: call, toolName: name, input }: ToolCall): string {
  return JSON.stringify({ approval: 1, call, name, input });
}

const mostShown = 2_000;

/** For people at a terminal, on which the choices must stay in sight: no more than 2000 characters. */
function shown(input: Record<string, unknown>): string {
  const text = JSON.stringify(input, null, 2);
  const hidden = text.length - mostShown;
  return hidden > 0 ? `${text.slice(0, mostShown)}\n… ${hidden} characters more, not shown` : text;
}

/** 0.54 does not say how it was started, but its command line does. */
function isRpc({ mode }: Context): boolean {
  const { argv } = process;
  return mode === undefined ? argv[argv.indexOf('--mode') + 1] === 'rpc' : mode === 'rpc';
}

/** Null: all of them. */
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
