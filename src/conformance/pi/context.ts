// The check context of pi: a client in a session of its own, with helpers for commands and prompts. A missing message
// fails the check that requires it; a failed preparation makes a check unclear.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import { CannotTell, type Check, type Connection, PeerWrong, type Tools } from '../check/check.ts';
import { requiredBy, type Scenario } from '../check/rule.ts';

/** A check of an agent that speaks pi. */
export type PiCheck = Check<CheckContext>;
/** A conversation with an agent that speaks pi. */
export type PiScenario = Scenario<CheckContext>;

/** Our client on one connection. */
export interface PiClient {
  readonly connection: Connection;
  /** Number of lines so far; an index for {@link PiClient.received}. */
  readonly now: number;
  /** Lines of the agent from that index on. */
  received(from?: number): readonly Dictionary[];
  say(text: string): void;
  /** Sends a command with a new id and returns the id. */
  start(line: Dictionary): string;
  /** The response to the command with that id. */
  answered(id: string): Promise<Dictionary>;
  /**
   * Sends a command and waits for its response. Without one the caller goes on with a refusal, and {@link goingOn} fails
   * the scenario at its end: one command that nobody implements must not hide what follows it.
   */
  ask(type: string, fields?: Dictionary): Promise<Dictionary>;
  /** The first matching line from that index on. `check`: the check that requires the line. */
  until(check: string, label: string, from: number, fits: (line: Dictionary) => boolean): Promise<Dictionary>;
  /** Like `until`, for a line that no check requires: without it the check is unclear. */
  comes(label: string, from: number, fits: (line: Dictionary) => boolean): Promise<Dictionary>;
  /** Prompts with a script word and waits until the prompt is accepted. Returns the index before the prompt. */
  prompt(word: string, more?: Dictionary): Promise<number>;
  /** Prompts and waits until the model answers. Returns the index before the prompt. */
  running(word: string, more?: Dictionary): Promise<number>;
  /** Resolves when everything that began at this index has ended. */
  idle(from: number): Promise<void>;
  /** Prompts and waits for the end of the run. Returns the index before the prompt. */
  run(word: string, more?: Dictionary): Promise<number>;
}

/** The tools of one scenario. */
export interface CheckContext {
  readonly tools: Tools;
  /** A unique id that begins with `word`. */
  mint(word: string): string;
  /** Opens a session without messages. */
  open(): Promise<PiClient>;
  /** The first command that had no response; null without one. */
  readonly missed: PeerWrong | null;
}

const isOf = (type: string) => (line: Dictionary) => line.type === type;

/**
 * Follows the lines after a prompt and says whether the agent is idle. After an agent_end pi may still retry or
 * compact.
 */
function watchRun(): { take(line: Dictionary): void; readonly isOver: boolean } {
  let isActive = true;
  let isCompacting = false;
  let hasEnded = false;
  function take(line: Dictionary): void {
    if (line.type === 'agent_end') hasEnded = true;
    if (line.type === 'agent_start' || line.type === 'auto_retry_start') isActive = true;
    if (line.type === 'agent_end') isActive = false;
    if (line.type === 'auto_retry_end' && line.success !== true) isActive = false;
    if (line.type === 'auto_compaction_start' || line.type === 'compaction_start') isCompacting = true;
    if (line.type === 'auto_compaction_end' || line.type === 'compaction_end') {
      isCompacting = false;
      if (line.willRetry === true) isActive = true;
    }
  }
  return {
    take,
    get isOver() {
      return hasEnded && !isActive && !isCompacting;
    },
  };
}

/** Builds the context for one scenario. */
export function createContext(tools: Tools): CheckContext {
  let minted = 0;
  let missed: PeerWrong | null = null;
  const miss = (thrown: PeerWrong): void => {
    missed ??= thrown;
  };
  const mint = (word: string) => `${word}-${tools.nonce}-${++minted}`;

  async function open(): Promise<PiClient> {
    const pi = createPiClient(await tools.connect(), { tools, mint, miss });
    if (tools.transport !== 'stdio') return pi;
    // The program on stdio is shared: other checks ran before and will run after.
    tools.atEnd(() => calm(pi));
    await pi.answered(pi.start({ type: 'new_session' }));
    return pi;
  }
  return {
    tools,
    mint,
    open,
    get missed() {
      return missed;
    },
  };
}

/** The scenario or check, which fails at its end for the first command that had no response. */
export function goingOn<Task extends { run(context: CheckContext): Promise<void> }>(task: Task): Task {
  async function run(context: CheckContext): Promise<void> {
    try {
      await task.run(context);
    } catch (thrown) {
      throw context.missed ?? thrown;
    }
    if (context.missed !== null) throw context.missed;
  }
  return { ...task, run };
}

/** Ends everything that is in progress. */
async function calm(pi: PiClient): Promise<void> {
  for (const { type, id } of pi.received())
    if (type === 'extension_ui_request') pi.say(JSON.stringify({ type: 'extension_ui_response', id, cancelled: true }));
  await pi.ask('abort_bash');
  await pi.ask('abort');
}

interface ClientParts extends Pick<CheckContext, 'tools' | 'mint'> {
  /** Notes a command that had no response. */
  miss(thrown: PeerWrong): void;
}

function createPiClient(connection: Connection, { tools, mint, miss }: ClientParts): PiClient {
  const lines: Dictionary[] = [];
  let read = 0;
  /** Commands without a response: the type of each, and the index before the command. */
  const waiting = new Map<string, { readonly type: unknown; readonly from: number }>();

  /** Reads new lines and returns how many there are. */
  function listen(): number {
    const { log } = connection;
    for (; read < log.length; read += 1) {
      const one = log[read];
      if (one?.by === 'peer' && isDictionary(one.json)) lines.push(one.json);
    }
    return lines.length;
  }

  function received(from = 0): readonly Dictionary[] {
    listen();
    return lines.slice(from);
  }

  const until: PiClient['until'] = (check, label, from, fits) =>
    requiredBy(check, () => connection.until(label, () => received(from).find(fits)));

  async function comes(label: string, from: number, fits: (line: Dictionary) => boolean): Promise<Dictionary> {
    try {
      return await connection.until(label, () => received(from).find(fits));
    } catch (thrown) {
      if (thrown instanceof PeerWrong) throw new CannotTell(thrown.message);
      throw thrown;
    }
  }

  function start(line: Dictionary): string {
    const id = mint('req');
    waiting.set(id, { type: line.type, from: listen() });
    connection.send(JSON.stringify({ ...line, id }));
    return id;
  }

  /**
   * Some versions lose the id of a failed command (docs/protocols/pi.md 4.8): the failure then belongs to the only
   * waiting command. A rule judges the missing id.
   */
  async function answered(id: string): Promise<Dictionary> {
    const { type = 'command', from = 0 } = waiting.get(id) ?? {};
    const isOwn = (line: Dictionary) =>
      line.id === id || (waiting.size === 1 && line.id === undefined && line.success === false);
    const response = await until(
      'pi/answered',
      `response to ${String(type)} ${id}`,
      from,
      (line) => line.type === 'response' && isOwn(line),
    );
    waiting.delete(id);
    return response;
  }
  /** The last command had no response: a second silence means that the agent is gone. */
  let isDoubtful = false;
  const ask: PiClient['ask'] = async (type, fields = {}) => {
    const id = start({ type, ...fields });
    try {
      const response = await answered(id);
      isDoubtful = false;
      return response;
    } catch (thrown) {
      if (!(thrown instanceof PeerWrong) || isDoubtful || connection.ended !== null) throw thrown;
      isDoubtful = true;
      waiting.delete(id);
      miss(thrown);
      return { type: 'response', command: type, success: false, error: 'there was no response' };
    }
  };

  async function prompt(word: string, more: Dictionary = {}): Promise<number> {
    const from = listen();
    const response = await ask('prompt', { message: tools.script(word), ...more });
    if (response.success !== true) throw new CannotTell(`the prompt '${word}' was refused: ${String(response.error)}`);
    return from;
  }

  async function running(word: string, more: Dictionary = {}): Promise<number> {
    const from = await prompt(word, more);
    await until('pi/prompt-starts-run', 'agent_start', from, isOf('agent_start'));
    const isModel = ({ type, message }: Dictionary) =>
      type === 'message_start' && dictionaryOf(message).role === 'assistant';
    await until('pi/message-brackets', 'message of the model', from, isModel);
    return from;
  }

  async function idle(from: number): Promise<void> {
    const run = watchRun();
    let at = from;
    // Look at each line once: there may be very many.
    function isOver(): boolean {
      for (const now = listen(); at < now; at += 1) run.take(lines[at] ?? {});
      return run.isOver;
    }
    for (;;) {
      // A run may take long; only silence during the run uses up the patience.
      while (!isOver()) {
        const before = at;
        const isNews = () => (isOver() || at > before ? true : undefined);
        await requiredBy('pi/agent-brackets', () => connection.until('end of the run', isNews));
      }
      // Whatever follows the end of a run comes before the answer to this command.
      await ask('get_state');
      if (isOver()) return;
    }
  }

  async function run(word: string, more: Dictionary = {}): Promise<number> {
    const from = await prompt(word, more);
    await until('pi/prompt-starts-run', 'agent_start', from, isOf('agent_start'));
    await idle(from);
    return from;
  }

  return {
    connection,
    get now() {
      return listen();
    },
    received,
    say: (text) => connection.send(text),
    start,
    answered,
    ask,
    until,
    comes,
    prompt,
    running,
    idle,
    run,
  };
}
