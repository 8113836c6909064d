// Rules on the client's control requests (docs/protocols/claude.md 3.4). All are measured: the document
// behind that page does not describe these requests.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import type { ClientRequest, View } from '../view/view.ts';
import { claudeRules, type Row } from './claude-rule.ts';

type Answered = ClientRequest & { readonly response: ClientRequest['answers'][number]['response'] };

/** Answered requests of this subtype, with the first answer and the frame of that answer. */
function answered({ requests }: View, subtype: string): Answered[] {
  return requests.flatMap((request) => {
    const [first] = request.answers;
    return request.subtype !== subtype || first === undefined
      ? []
      : [{ ...request, frame: first.frame, response: first.response }];
  });
}

const isSuccess = ({ response }: Answered): boolean => response.subtype === 'success';
const row = { section: '1.1', scenarios: ['settings'], isMeasured: true, reads: 'both' } as const;
const covers = (subtype: string) => [`control:${subtype}`];

const rows: Record<string, Row> = {
  'request-answered': {
    ...row,
    sentence: 'Each control_request of the client is answered.',
    covers: ['message:control_request', 'message:control_response'],
    *judge({ requests, isComplete }) {
      for (const { frame, answers, subtype } of requests)
        if (answers.length > 0 || isComplete)
          yield { frame, wrong: answers.length > 0 ? null : `${subtype} was not answered` };
    },
  },
  'request-answered-once': {
    ...row,
    sentence: 'A control_request is answered once.',
    covers: ['message:control_response'],
    *judge({ requests }) {
      for (const { answers } of requests)
        for (const [at, { frame }] of answers.entries())
          yield { frame, wrong: at === 0 ? null : 'it was answered before' };
    },
  },
  'response-known': {
    ...row,
    sentence: 'A control_response answers a request that the client has made.',
    covers: ['message:control_response'],
    *judge({ requests, strays }) {
      for (const { answers } of requests) for (const { frame } of answers) yield { frame, wrong: null };
      // A request from before the recording may be answered in it.
      const start = requests.find(({ subtype }) => subtype === 'initialize')?.frame ?? Number.POSITIVE_INFINITY;
      for (const { frame } of strays) if (frame > start) yield { frame, wrong: 'nobody asked for it' };
    },
  },
  'set-model-offered': {
    ...row,
    sentence: 'A model that the greeting offers can be set.',
    covers: covers('set_model'),
    *judge(view) {
      const offered = new Set(answered(view, 'initialize').flatMap(({ response }) => modelsIn(response.response)));
      for (const one of answered(view, 'set_model'))
        if (offered.has(one.request.model)) yield { frame: one.frame, wrong: isSuccess(one) ? null : 'it was refused' };
    },
  },
  'set-mode-answer': {
    ...row,
    sentence: 'set_permission_mode is answered with the mode that was asked for.',
    covers: covers('set_permission_mode'),
    judge: (view) =>
      each(answered(view, 'set_permission_mode').filter(isSuccess), ({ request, response }) => {
        const { mode } = dictionaryOf(response.response);
        return mode === request.mode ? null : `mode ${String(mode)} instead of ${String(request.mode)}`;
      }),
  },
  'set-mode-told': {
    ...row,
    level: 'SHOULD',
    sentence: 'The next init tells the mode that was set.',
    covers: covers('set_permission_mode'),
    judge: modeTold,
  },
  'interrupt-ends': {
    ...row,
    scenarios: ['interrupt'],
    sentence: 'A turn that is interrupted comes to its result.',
    covers: covers('interrupt'),
    judge: interruptEnds,
  },
  'interrupt-verdict': {
    ...row,
    scenarios: ['interrupt'],
    sentence: 'A turn that an interrupt cut is error_during_execution.',
    covers: [...covers('interrupt'), 'message:result'],
    judge: interruptVerdict,
  },
};

export const controlRules = claudeRules(rows);

function modelsIn(response: unknown): unknown[] {
  const { models } = dictionaryOf(response);
  return Array.isArray(models) ? models.map((model) => dictionaryOf(model).value) : [];
}

function* modeTold(view: View): Generator<Finding> {
  const sets = answered(view, 'set_permission_mode').filter(isSuccess);
  for (const { frame, json } of view.fromAgent) {
    if (json.subtype !== 'init') continue;
    const set = sets.findLast((one) => one.frame < frame);
    // Only a request can have changed the value.
    const isChanged =
      view.agentRequests.some(({ answer }) => answer !== null) ||
      view.fromAgent.some((message) => tellsMode(message.json));
    if (set === undefined || isChanged) continue;
    const wrong = json.permissionMode === set.request.mode ? null : `it tells ${String(json.permissionMode)}`;
    yield { frame, wrong };
  }
}

const tellsMode = (json: ClientRequest['request']): boolean =>
  json.subtype === 'status' && 'permissionMode' in json && json.status !== null;

/** Interrupts during a turn, with that turn. */
function interrupted(view: View) {
  return view.requests.flatMap((request) => {
    if (request.subtype !== 'interrupt') return [];
    const turn = view.turns.find(
      ({ from, result }) => request.frame >= from && request.frame <= (result?.frame ?? Number.POSITIVE_INFINITY),
    );
    const isOn = turn?.messages.some(({ type, frame }) => type === 'stream_event' && frame < request.frame) === true;
    return turn === undefined || !isOn ? [] : [{ request, turn }];
  });
}

function* interruptEnds(view: View): Generator<Finding> {
  for (const { request, turn } of interrupted(view))
    if (turn.result !== null || view.isComplete)
      yield { frame: request.frame, wrong: turn.result === null ? 'the turn went on and on' : null };
}

function* interruptVerdict(view: View): Generator<Finding> {
  for (const { turn } of interrupted(view)) {
    if (turn.result === null) continue;
    const { frame, json } = turn.result;
    const last = view.stream.messages.findLast(
      (one) => one.lane === null && one.frame >= turn.from && one.frame < frame,
    );
    if (last?.isCut !== true || last.stop === null) continue;
    yield { frame, wrong: json.subtype === 'error_during_execution' ? null : `subtype ${String(json.subtype)}` };
  }
}
