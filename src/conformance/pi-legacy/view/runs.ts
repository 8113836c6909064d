// Assigns each line of a trace to its run, turn, message and tool, and notes lines in the wrong place.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import { takeUpdate } from './blocks.ts';
import type { Line, Places, Prompt, Run, StreamedMessage, Turn } from './parts.ts';

/** The source of prompts. */
export interface RunPorts {
  /** Takes the prompt of the next run, and the aborts that came for it. */
  next(): { readonly prompt: Prompt | null; readonly aborts: readonly Line[] };
  /** Whether a prompt is waiting for a run. */
  isAsked(): boolean;
}

/** The runs so far. */
export interface Runs {
  readonly runs: readonly Run[];
  readonly messages: readonly StreamedMessage[];
  readonly places: Places;
  /** The run that is open. */
  readonly open: Run | null;
  /** Forgets the open run: the following lines belong to no known run. */
  leave(): void;
  take(line: Line): void;
}

interface Open {
  run: Run | null;
  turn: Turn | null;
  message: StreamedMessage | null;
}

/** Creates the runs of a trace, none at first. */
export function createRuns({ next, isAsked }: RunPorts): Runs {
  const runs: Run[] = [];
  const messages: StreamedMessage[] = [];
  const places: Places = {
    ...{ runs: [], runEnds: [], turns: [], turnEnds: [], messages: [], messageEnds: [] },
    ...{ updates: [], toolStarts: [], toolEnds: [], order: [], snapshots: [], growth: [] },
  };
  let open: Open = { run: null, turn: null, message: null };

  const place = (list: Finding[], line: Line, wrong: string | null) => void list.push({ frame: line.frame, wrong });

  function beginRun(line: Line): Run {
    const { prompt, aborts } = next();
    const run: Run = { start: line, prompt, turns: [], aborts: [...aborts], end: null, isMixed: false };
    if (prompt !== null) prompt.run = run;
    runs.push(run);
    open = { run, turn: null, message: null };
    return run;
  }

  function beginTurn(line: Line): Turn {
    const run = open.run ?? beginRun(line);
    const turn: Turn = { start: line, messages: [], tools: [], end: null };
    run.turns.push(turn);
    open = { run, turn, message: null };
    return turn;
  }

  /** Closes the open turn, and notes what should have ended before this line. */
  function endTurn(line: Line): void {
    endMessage(line);
    const running = open.turn?.tools.find(({ end }) => end === null);
    if (running !== undefined) place(places.toolEnds, line, `the tool ${running.id} has not ended`);
    if (open.turn !== null) place(places.turnEnds, line, 'the turn before has not ended');
    open.turn = null;
  }
  function endMessage(line: Line): void {
    if (open.message !== null) place(places.messageEnds, line, `the ${open.message.role} message has not ended`);
    open.message = null;
  }

  const handlers: ReadonlyMap<string, (line: Line) => void> = new Map([
    [
      'agent_start',
      (line) => {
        endTurn(line);
        if (open.run !== null) place(places.runEnds, line, 'the run before has not ended');
        place(places.runs, line, isAsked() ? null : 'nobody has prompted');
        beginRun(line);
      },
    ],
    [
      'agent_end',
      (line) => {
        if (open.run === null) return place(places.runEnds, line, 'no run is open');
        endTurn(line);
        place(places.runEnds, line, null);
        open.run.end = line;
        open = { run: null, turn: null, message: null };
      },
    ],
    [
      'turn_start',
      (line) => {
        endTurn(line);
        place(places.turns, line, open.run === null ? 'no run is open' : null);
        beginTurn(line);
      },
    ],
    [
      'turn_end',
      (line) => {
        const { turn } = open;
        if (turn === null) return place(places.turnEnds, line, 'no turn is open');
        turn.end = line;
        const running = turn.tools.find(({ end }) => end === null);
        if (running !== undefined) place(places.toolEnds, line, `the tool ${running.id} has not ended`);
        endMessage(line);
        place(places.turnEnds, line, null);
        open.turn = null;
        const { run } = open;
        // A turn without a run before it ends together with its implied run.
        if (run === null || run.start.type === 'agent_start' || run.prompt !== null) return;
        runs.splice(runs.indexOf(run), 1);
        open.run = null;
      },
    ],
    [
      'message_start',
      (line) => {
        endMessage(line);
        place(places.messages, line, open.turn === null ? 'no turn is open' : null);
        const turn = open.turn ?? beginTurn(line);
        const role = String(dictionaryOf(line.json.message).role);
        const message: StreamedMessage = { role, start: line, updates: [], blocks: new Map(), end: null };
        turn.messages.push(message);
        messages.push(message);
        open.message = message;
      },
    ],
    [
      'message_update',
      (line) => {
        const { message } = open;
        const isFine = message?.role === 'assistant';
        place(places.updates, line, isFine ? null : 'no answer of the model is open');
        if (message === null || !isFine) return;
        message.updates.push(line);
        takeUpdate(message.blocks, line, places);
      },
    ],
    [
      'message_end',
      (line) => {
        const { message } = open;
        const role = String(dictionaryOf(line.json.message).role);
        if (message?.role !== role) return place(places.messageEnds, line, `no ${role} message is open`);
        place(places.messageEnds, line, null);
        message.end = line;
        open.message = null;
      },
    ],
    [
      'tool_execution_start',
      (line) => {
        const isOutside = open.turn === null || open.message !== null;
        place(places.toolStarts, line, isOutside ? 'a tool starts in a message, or outside a turn' : null);
        const turn = open.turn ?? beginTurn(line);
        turn.tools.push({ id: String(line.json.toolCallId), start: line, end: null });
      },
    ],
    [
      'tool_execution_end',
      (line) => {
        const id = String(line.json.toolCallId);
        const tool = open.turn?.tools.find((one) => one.id === id && one.end === null);
        place(places.toolEnds, line, tool === undefined ? `the tool ${id} does not run` : null);
        if (tool !== undefined) tool.end = line;
      },
    ],
  ]);

  return {
    runs,
    messages,
    places,
    get open() {
      return open.run;
    },
    leave() {
      open = { run: null, turn: null, message: null };
    },
    take: (line) => handlers.get(line.type)?.(line),
  };
}
