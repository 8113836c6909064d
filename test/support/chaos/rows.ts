// The faults of docs/chaos-table.md. MID stands for a frame in the middle of a run, ASK for the prompt, in the words of each
// protocol.

/** One row of the table. */
export interface ChaosRow {
  readonly fault: string;
  /**
   * `whole`: the run that the fault hits is whole. `cut`: it may end early, and what was said before is right. `lossy`: the
   * agent contradicts itself, as frames of it are missing, doubled or in another order.
   */
  readonly harm: 'whole' | 'cut' | 'lossy';
  /** The prompt may never reach the agent: only the client's patience ends that (docs/faults.md F4). The client aborts. */
  readonly isAborted?: boolean;
}

const whole = (fault: string): ChaosRow => ({ fault, harm: 'whole' });
const cut = (fault: string): ChaosRow => ({ fault, harm: 'cut' });
const lossy = (fault: string): ChaosRow => ({ fault, harm: 'lossy' });
const unheard = (fault: string): ChaosRow => ({ fault, harm: 'cut', isAborted: true });

export const chaosRows: readonly ChaosRow[] = [
  whole('delay 5ms'),
  whole('delay 200ms @type=MID'),
  whole('jitter 10ms p0.5'),
  whole('rate 64KiB'),
  whole('stall 300ms @type=MID'),
  cut('stall @type=MID'),
  lossy('drop @type=MID x1'),
  lossy('drop @after type=MID'),
  unheard('drop @type=ASK x1 on in'),
  lossy('dup @type=MID'),
  lossy('dup p0.3'),
  lossy('reorder @type=MID'),
  lossy('reorder 3 @after type=MID p0.2'),
  whole('split 1'),
  whole('split 1 on in'),
  whole('join 4'),
  lossy('truncate @type=MID x1'),
  lossy('garbage 16 @type=MID'),
  lossy('badjson @type=MID x1'),
  unheard('badjson @type=ASK x1 on in'),
  cut('huge 2MiB @type=MID'),
  whole('crlf'),
  whole('bom'),
  cut('close @type=MID'),
  unheard('close @type=ASK on in'),
  cut('reset @type=MID'),
  cut('kill @1'),
  cut('kill @type=MID'),
  whole('pause 300ms @type=MID'),
  unheard('pause @type=ASK on in'),
  cut('exit 0 @type=MID'),
  cut('exit 3 @type=MID'),
  whole('stderr-flood @type=MID'),
];

/** What the words of a row mean for an agent, by adapter id. MID tells the result of the tool. */
export const places: ReadonlyMap<string, { readonly MID: string; readonly ASK: string }> = new Map([
  ['pi', { MID: 'tool_execution_end', ASK: 'prompt' }],
  ['pi-legacy', { MID: 'tool_execution_end', ASK: 'prompt' }],
  ['pi-server', { MID: 'tool_execution_end', ASK: 'prompt' }],
  ['claude', { MID: 'user', ASK: 'user' }],
  ['eca', { MID: 'toolCalled', ASK: 'chat/prompt' }],
  ['acp', { MID: 'tool_call_update', ASK: 'session/prompt' }],
]);
