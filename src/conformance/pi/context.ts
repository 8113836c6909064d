// What the scenarios and checks of pi play on: a session of their own, commands and prompts. What pi owes is waited for in the
// name of the check that asks for it; what only prepares is no failure of the peer.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import { CannotTell, type Check, type Connection, PeerWrong, type Tools } from '../check/check.ts';
import { requiredBy, type Scenario } from '../check/rule.ts';

/** A check of an agent that speaks pi. */
export type PiCheck = Check<CheckContext>;
/** A conversation with an agent that speaks pi. */
export type PiScenario = Scenario<CheckContext>;

/** A connection, and what is said on it. */
export interface PiClient {
  readonly connection: Connection;
  /** How much was heard so far: a place for {@link PiClient.received}. */
  readonly now: number;
  /** The lines of the agent from that place on. */
  received(from?: number): readonly Dictionary[];
  say(text: string): void;
  /** Sends a command with an id of its own, which is returned. */
  start(line: Dictionary): string;
  /** The response to the command of that id. */
  answered(id: string): Promise<Dictionary>;
  /** Both. */
  ask(type: string, fields?: Dictionary): Promise<Dictionary>;
  /** The first line that fits, from that place on. */
  until(check: string, label: string, from: number, fits: (line: Dictionary) => boolean): Promise<Dictionary>;
  /** The same for what nobody owes: that it does not come is no fault of the peer. */
  comes(label: string, from: number, fits: (line: Dictionary) => boolean): Promise<Dictionary>;
  /** Prompts what the target has for that word, and waits until it is accepted. Returns the place before it. */
  prompt(word: string, more?: Dictionary): Promise<number>;
  /** The same, and waits until the model speaks. */
  running(word: string, more?: Dictionary): Promise<number>;
  /** Resolves when what began at that place is over. */
  idle(from: number): Promise<void>;
  /** A prompt that goes to its end. Returns the place before it. */
  run(word: string, more?: Dictionary): Promise<number>;
}

/** What each scenario is given. */
export interface CheckContext {
  readonly tools: Tools;
  /** A word that nobody else uses. */
  mint(word: string): string;
  /** A session without messages. */
  open(): Promise<PiClient>;
}

const isOf = (type: string) => (line: Dictionary) => line.type === type;

/** Whether lines from a prompt on, taken one by one, end with an agent that is idle; behind an agent_end pi may retry or compact. */
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

/** The stage of one scenario. */
export function createContext(tools: Tools): CheckContext {
  let minted = 0;
  const mint = (word: string) => `${word}-${tools.nonce}-${++minted}`;

  async function open(): Promise<PiClient> {
    const pi = createPiClient(await tools.connect(), tools, mint);
    if (tools.transport !== 'stdio') return pi;
    // A program that others have used before, and others will use again.
    tools.atEnd(() => calm(pi));
    await requiredBy('pi/answered', () => pi.ask('new_session'));
    return pi;
  }
  return { tools, mint, open };
}

/** Ends what is going on. */
async function calm(pi: PiClient): Promise<void> {
  for (const { type, id } of pi.received())
    if (type === 'extension_ui_request') pi.say(JSON.stringify({ type: 'extension_ui_response', id, cancelled: true }));
  await pi.ask('abort_bash');
  await pi.ask('abort');
}

function createPiClient(connection: Connection, tools: Tools, mint: CheckContext['mint']): PiClient {
  const lines: Dictionary[] = [];
  let read = 0;
  /** Commands without a response, and how much was heard before each. */
  const waiting = new Map<string, number>();

  /** How many lines there are by now. */
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
    waiting.set(id, listen());
    connection.send(JSON.stringify({ ...line, id }));
    return id;
  }

  /**
   * Some lose the id of what fails (docs/protocols/pi.md 4.8): then it is told by being the only one that waits. That they do
   * is for a rule to say.
   */
  async function answered(id: string): Promise<Dictionary> {
    const from = waiting.get(id) ?? 0;
    const isOwn = (line: Dictionary) =>
      line.id === id || (waiting.size === 1 && line.id === undefined && line.success === false);
    const response = await until(
      'pi/answered',
      `response to ${id}`,
      from,
      (line) => line.type === 'response' && isOwn(line),
    );
    waiting.delete(id);
    return response;
  }
  const ask: PiClient['ask'] = (type, fields = {}) => answered(start({ type, ...fields }));

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
    // Each line is looked at once: there may be very many.
    function isOver(): boolean {
      for (const now = listen(); at < now; at += 1) run.take(lines[at] ?? {});
      return run.isOver;
    }
    for (;;) {
      // A run may last: patience is for silence in it.
      while (!isOver()) {
        const before = at;
        const isNews = () => (isOver() || at > before ? true : undefined);
        await requiredBy('pi/agent-brackets', () => connection.until('end of the run', isNews));
      }
      // What goes on behind the end of a run is said before this is answered.
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
